"""Workers on this computer: threads, each with a bench of its own or with a process of its own.

Threads of native runs share the process: while the core works, Python is free for the others. Models in Python and
foreign code get a process each.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from .._run.events import quietly
from ..errors import SetupError
from .worker import Job, Point, Row, Stopped, Worker, quiet_runs
from .worker_process import WorkerProcess

Kind = Literal["auto", "threads", "processes"]
_LOOK_SECONDS = 0.02
"""How often finished rows are collected: often enough for a progress bar, seldom enough to cost nothing."""


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool:
    """Runs points on this computer.

    Parameters
    ----------
    job : Job
        What to run.
    workers : int
        How many at the same time.
    kind : str
        ``"threads"``, ``"processes"``, or ``"auto"``: threads where nothing but the core runs and no results are kept.
    first : Worker
        A worker that has been made to check the job; it is used.
    """

    def __init__(self, job: Job, workers: int, kind: Kind, first: Worker) -> None:
        self._job = job
        self._count = workers
        native = first.is_native and job.results is None  # HDF5 serves one thread of a process at a time
        self._in_process = kind == "threads" or (kind == "auto" and (native or workers == 1))
        if kind == "threads" and workers > 1 and job.results is not None:
            raise SetupError(
                'kind: "threads" cannot keep results: HDF5 serves one at a time; use processes, or workers=1'
            )
        self._first: Worker | None = first
        self._stop = threading.Event()
        self._rows: deque[Row] = deque()
        self._processes: list[WorkerProcess] = []
        self._failure: BaseException | None = None
        self._arrived = threading.Event()

    @property
    def description(self) -> str:
        """What works here, for people."""
        kind = "thread" if self._in_process else "process"
        return f"{self._count} {kind}{'' if self._count == 1 else 'es' if kind == 'process' else 's'}"

    def run(self, points: Iterable[Point]) -> Iterator[list[Row]]:
        """Yield rows as they come, some at a time; an empty list when there is nothing new for a moment."""
        turn = threading.Lock()
        queue = iter(points)

        def next_point() -> Point | None:
            with turn:
                return None if self._stop.is_set() else next(queue, None)

        threads = [
            threading.Thread(target=self._work, args=(next_point,), name=f"sweep-{k}", daemon=True)
            for k in range(self._count)
        ]
        with quiet_runs():
            for thread in threads:
                thread.start()
            try:
                while any(thread.is_alive() for thread in threads):
                    self._arrived.wait(0.2)
                    self._arrived.clear()
                    yield self._taken()
                    if any(thread.is_alive() for thread in threads):
                        self._stop.wait(_LOOK_SECONDS)
            finally:
                self.close()
                for thread in threads:
                    thread.join()
        yield self._taken()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Stop what is running."""
        self._stop.set()
        for process in self._processes:
            process.close()

    def _taken(self) -> list[Row]:
        return [self._rows.popleft() for _ in range(len(self._rows))]

    def _work(self, next_point: Callable[[], Point | None]) -> None:
        with quietly():  # the logger is told of no run in this thread
            try:
                for row in self._made_rows(iter(next_point, None)):
                    if self._stop.is_set() and row.status == "killed":
                        return  # by ourselves
                    self._rows.append(row)
                    if not self._arrived.is_set():
                        self._arrived.set()
            except Stopped:
                return
            except BaseException as error:
                self._failure = self._failure or error
                self._stop.set()

    def _made_rows(self, points: Iterator[Point]) -> Iterator[Row]:
        if self._in_process:
            with _making:
                first, self._first = self._first, None
                worker = first if first is not None else Worker(self._job)
            worker.stopped_by(self._stop.is_set)
            return worker.rows_together(points)
        process = WorkerProcess(self._job)
        self._processes.append(process)
        return process.rows(points)


_making = threading.Lock()


def check_workers(workers: object) -> int:
    """Return how many workers there shall be; None: one for each processor."""
    if workers is None:
        return processors()
    if not isinstance(workers, int) or isinstance(workers, bool) or not 1 <= workers <= 1024:
        raise SetupError(f"workers: {workers!r}; expected an integer from 1 to 1024")
    return workers
