"""Workers on a Dask cluster: points travel in chunks, rows come back as they are made.

Each chunk is given to one worker and stays there: Dask would run the chunk of a worker that died again on the next
worker, and the next, and a point that kills its process would kill all of them. Here the points of such a chunk that
have not come back are run again one by one; one that kills its worker a second time, alone, is marked ``killed``.
Models in Python and foreign code run in a process of their own beside the Dask worker, which survives their crashes.
"""

from __future__ import annotations

import contextlib
import queue
import re
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import nan
from typing import Any

from ..errors import MissingExtraError, PeerLost, SetupError
from .packing import pack, unpack
from .worker import Job, Point, Row, Worker, quiet_runs
from .worker_process import WorkerProcess

CHUNK_SECONDS = 0.25
"""Work that one chunk shall hold: long enough to hide what a message costs, short enough to see rows come."""
MOST_CHUNK = 256
TELL_SECONDS = 0.05
"""How often a worker tells of the rows that it has made."""
LOOK_SECONDS = 0.5
"""How often the scheduler is asked which workers there are."""
GONE_SECONDS = 5.0
"""A Dask worker that died gets no points for so long; another one may then have its address."""
WAIT_SECONDS = 30.0
"""How long a sweep waits for a worker when there is none."""


@dataclass
class _Chunk:
    """Points that one worker has, and which of them have not come back."""

    worker: str
    points: list[Point]
    left: dict[int, Point] = field(default_factory=dict)
    future: Any = None

    def __post_init__(self) -> None:
        self.left = dict((point[0], point) for point in self.points)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("a Dask cluster", "sweep") from None
    return distributed


_ADDRESS = re.compile(r"inproc://.+|.+:\d+")
"""Of a scheduler; with one that is none a client takes 20 s to fail."""


class Cluster:
    """Runs points on a Dask cluster.

    Parameters
    ----------
    job : Job
        What to run.
    where : str or Client
        Address of a scheduler, ``"local"`` for workers on this computer, or a client.
    workers : int
        Number of local workers.
    native : bool
        Whether points run in the Dask worker itself, or in a process beside it.
    """

    def __init__(self, job: Job, where: Any, workers: int, *, native: bool) -> None:
        self._job = job
        self._native = native
        self._exits = contextlib.ExitStack()
        self._client = self._connect(where, workers)
        self._topic = f"counterpoint-sweep-{uuid.uuid4().hex}"
        self._news: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._chunks: dict[str, _Chunk] = {}
        self._again: deque[Point] = deque()  # points of workers that died, to be run alone
        self._suspects: set[int] = set()
        self._mean_seconds = nan
        self._slots: dict[str, int] = {}
        self._gone: dict[str, float] = {}  # workers that died, and until when they get no points (monotonic time, s)

    def _connect(self, where: Any, workers: int) -> Any:
        distributed = _distributed()
        if isinstance(where, distributed.Client):
            return where
        if not isinstance(where, str):
            raise SetupError(f'cluster: {where!r}; expected an address, "local", or a distributed.Client')
        if where != "local" and not _ADDRESS.fullmatch(where):
            raise SetupError(
                f'cluster: "{where}"; expected the address of a scheduler such as "tcp://10.0.0.5:8786", or "local"'
            )
        if where == "local":
            local = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50
            )
            self._exits.enter_context(local)
            where = local
        try:
            return self._exits.enter_context(distributed.Client(where, timeout="10s", set_as_default=False))
        except (OSError, ValueError) as error:
            self._exits.close()
            raise PeerLost(
                f"cluster: {where}: no scheduler answers ({error}); start one with: dask scheduler"
            ) from None

    @property
    def description(self) -> str:
        """What works there, for people."""
        found = self._client.scheduler_info(n_workers=-1)["workers"]
        return f"{len(found)} Dask worker{'' if len(found) == 1 else 's'}"

    def run(self, points: Iterable[Point]) -> Iterator[list[Row]]:
        """Yield rows as they come; an empty list when there is nothing new for a moment."""
        todo = iter(points)
        packed = pack(self._job)
        looked, seen = -1.0, time.monotonic()  # when last; when workers were there last
        try:
            self._client.subscribe_topic(self._topic, lambda event: self._news.put(("rows", event[1])))
            shared = self._client.scatter(packed, broadcast=False, hash=False)
            while True:
                if time.monotonic() - looked > LOOK_SECONDS:
                    looked = time.monotonic()
                    yield self._look_at_workers()
                    seen = looked if self._slots else seen
                    if looked - seen > WAIT_SECONDS:
                        raise PeerLost(f"cluster: no worker for {WAIT_SECONDS:g} s; start one with: dask worker")
                self._hand_out(todo, shared)
                if not self._chunks and self._slots:
                    return
                yield self._take_news()
        finally:
            self._end()

    def _end(self) -> None:
        with contextlib.suppress(Exception):
            self._client.unsubscribe_topic(self._topic)
            for chunk in self._chunks.values():
                chunk.future.cancel(force=True)
            self._client.run(_leave, self._topic)
        self._exits.close()

    def _look_at_workers(self) -> list[Row]:
        """Take notice of workers that have come or gone; return the rows of points that died with theirs."""
        found = self._client.scheduler_info(n_workers=-1)["workers"]
        now = time.monotonic()
        self._slots = {
            address: 2 * max(1, int(said["nthreads"]))
            for address, said in found.items()
            if now >= self._gone.get(address, now)
        }
        lost = [key for key, chunk in self._chunks.items() if chunk.worker not in self._slots]
        rows = []
        for key in lost:
            rows += self._lost(self._chunks.pop(key))
        return rows

    def _lost(self, chunk: _Chunk) -> list[Row]:
        chunk.future.cancel(force=True)
        # The scheduler may go on naming it for a while: its points would be given to it again, and count as the cause.
        self._gone[chunk.worker] = time.monotonic() + GONE_SECONDS
        self._slots.pop(chunk.worker, None)
        if len(chunk.points) == 1 and chunk.points[0][0] in self._suspects:
            (number,) = chunk.left or (chunk.points[0][0],)
            message = f"its Dask worker {chunk.worker} died, as the one before did"
            return [Row(number, "killed", message, nan, [nan] * len(self._job.measures.functions))]
        self._suspects.update(chunk.left)
        self._again += chunk.left.values()
        return []

    def _hand_out(self, todo: Iterator[Point], shared: Any) -> None:
        """Give each worker as many chunks as it needs to be busy until we look again."""
        busy: dict[str, int] = dict.fromkeys(self._slots, 0)
        for chunk in self._chunks.values():
            busy[chunk.worker] = busy.get(chunk.worker, 0) + 1
        for worker, slots in self._slots.items():
            while busy[worker] < slots:
                points = [self._again.popleft()] if self._again else list(islice(todo, self._chunk_size()))
                if not points:
                    return
                self._submit(_Chunk(worker, points), shared)
                busy[worker] += 1

    def _submit(self, chunk: _Chunk, shared: Any) -> None:
        key = f"{self._topic}-{uuid.uuid4().hex}"
        chunk.future = self._client.submit(
            run_chunk, shared, self._topic, chunk.points, self._native, key, key=key, workers=[chunk.worker],
            allow_other_workers=False, pure=False, retries=0,
        )  # fmt: skip
        self._chunks[key] = chunk
        chunk.future.add_done_callback(lambda future: self._news.put(("done", future)))

    def _chunk_size(self) -> int:
        if self._mean_seconds != self._mean_seconds:  # no point has come back
            return 1
        return int(min(max(CHUNK_SECONDS / max(self._mean_seconds, 1e-6), 1), MOST_CHUNK))

    def _take_news(self) -> list[Row]:
        rows: list[Row] = []
        with contextlib.suppress(queue.Empty):
            what, news = self._news.get(timeout=0.1)
            while True:
                rows += self._rows_of(news) if what == "rows" else self._ended(news)
                what, news = self._news.get_nowait()
        return rows

    def _rows_of(self, news: Any) -> list[Row]:
        key, given = news
        chunk = self._chunks.get(key)
        if chunk is None:
            return []
        rows = [Row(*row) for row in given if chunk.left.pop(row[0], None) is not None]
        for row in rows:
            known = self._mean_seconds == self._mean_seconds
            self._mean_seconds = 0.9 * self._mean_seconds + 0.1 * row.seconds if known else row.seconds
        return rows

    def _ended(self, future: Any) -> list[Row]:
        """Take the rows that a finished chunk has not told of yet."""
        key = future.key
        chunk = self._chunks.get(key)
        if chunk is None or future.status == "pending":
            return []
        if future.status == "finished":
            rows = self._rows_of((key, future.result()))
            self._chunks.pop(key)
            self._again += chunk.left.values()  # none, unless a message was lost
            return rows
        self._chunks.pop(key)
        if future.status in ("lost", "cancelled"):
            return self._lost(chunk)
        error = future.exception()
        if isinstance(error, SetupError):
            raise error
        if _is_death(error):
            return self._lost(chunk)
        blank = [nan] * len(self._job.measures.functions)
        return [Row(number, "failed", f"{type(error).__name__}: {error}", nan, blank) for number in chunk.left]


def _is_death(error: BaseException | None) -> bool:
    return type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError")


_here: dict[tuple[str, int], Worker | WorkerProcess] = {}
_turn = threading.Lock()


def run_chunk(packed: bytes, topic: str, points: list[Point], native: bool, key: str) -> list[list[Any]]:
    """Run points on a Dask worker; rows are told of as they come, and those not told of yet are returned."""
    from distributed import get_worker

    told, fresh = time.monotonic(), []
    here = _worker(packed, topic, native)
    worker = get_worker()
    with quiet_runs():
        for row in here.rows(points):
            fresh.append(list(row))
            if time.monotonic() - told > TELL_SECONDS:
                worker.log_event(topic, [key, fresh])
                told, fresh = time.monotonic(), []
    return fresh


def _worker(packed: bytes, topic: str, native: bool) -> Worker | WorkerProcess:
    """Return the worker or worker process of this thread, which is kept until the sweep ends."""
    place = (topic, threading.get_ident())
    with _turn:
        made = _here.get(place)
        if made is None:
            job = unpack(packed)
            made = _here[place] = Worker(job) if native else WorkerProcess(job)
    return made


def _leave(topic: str) -> None:
    """Forget the workers and end the processes of a sweep, on a Dask worker."""
    with _turn:
        for place in [place for place in _here if place[0] == topic]:
            made = _here.pop(place)
            if isinstance(made, WorkerProcess):
                made.close()
