"""A separate process for one worker: if it crashes, hangs or is killed, only the point that it was at is lost.

The child is started as a program, not by ``multiprocessing``: workers of a cluster are daemons, which may have no
children there, and scripts need no ``if __name__ == "__main__"``. Messages are pickled, each with its length in front.

Short runs are sent to the child in groups, and the next group before it has answered, so that it never waits for the
parent. It answers each run separately: if it dies, the parent knows which run it was at.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import isnan, nan
from typing import IO, Any

from ..errors import CounterpointError, SetupError
from .packing import pack, unpack
from .worker import Job, Point, Row, State, Worker, quiet_runs

_LENGTH = struct.Struct("<Q")
_CHILD = "from counterpoint.sweeps.worker_process import serve_parent; serve_parent()"
GRACE_SECONDS = 1.0
"""After its deadline a point is first stopped between two steps; if that does not help, its process is killed."""
_AHEAD_SECONDS = 0.03
"""Work in one message: so long the parent sleeps between two looks at what has come."""
_MOST_AHEAD = 64
_LOOK_SECONDS = 0.05


def _send(stream: IO[bytes], message: Any) -> None:
    data = pickle.dumps(message, protocol=5)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    data = stream.read(_LENGTH.unpack(head)[0])
    return pickle.loads(data)


class _Watchdog:
    """Calls a function from another thread when something takes too long."""

    def __init__(self, seconds: float, when_late: Callable[[], None]) -> None:
        self._seconds = seconds
        self._when_late = when_late
        self._until = float("inf")
        self._ended = threading.Event()
        threading.Thread(target=self._watch, name="sweep-deadline", daemon=True).start()

    def begin(self) -> None:
        """Count from now on."""
        self._until = time.monotonic() + self._seconds

    def rest(self) -> None:
        """Wait for the next beginning."""
        self._until = float("inf")

    def end(self) -> None:
        """End the thread."""
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_SECONDS):
            if time.monotonic() > self._until:
                self.rest()
                self._when_late()


class WorkerProcess:
    """The parent's side: starts the child, gives it points, starts another one when it has died.

    Parameters
    ----------
    job : Job
        What the child runs.
    """

    def __init__(self, job: Job) -> None:
        self._packed = pack(job)
        self._measures = len(job.measures.functions)
        self._deadline = job.deadline
        self._child: subprocess.Popen[bytes] | None = None
        self._given: deque[Point] = deque()  # points that no row has come of
        self._sent = 0  # of these, to the child that is there now
        self._mean_seconds = nan
        self._late = self._closed = False

    def rows(self, points: Iterable[Point]) -> Iterator[Row]:
        """Run points in the child and yield their rows; the row of the point at which a child died says so."""
        todo = iter(points)
        try:
            with self._watchdog() as watchdog:
                while True:
                    ahead = self._ahead()
                    room = (2 * ahead if ahead > 1 else 1) - len(self._given)
                    self._given += islice(todo, max(0, room))
                    if not self._given:
                        return
                    yield from self._exchange(ahead, watchdog)
        finally:
            if self._given:  # left before the end: their rows are not wanted
                self._given.clear()
                self._end_child()

    def _ahead(self) -> int:
        """Return how many points are one message: one, until it is known that they are short."""
        if isnan(self._mean_seconds):
            return 1
        return int(min(max(_AHEAD_SECONDS / max(self._mean_seconds, 1e-6), 1), _MOST_AHEAD))

    def _exchange(self, count: int, watchdog: _Watchdog | None) -> list[Row]:
        """Give the child what it has not got, and take so many rows, or fewer when it dies."""
        rows: list[Row] = []
        began, self._late = time.perf_counter(), False
        try:
            child = self._running()
            assert child.stdin is not None and child.stdout is not None
            if unsent := list(islice(self._given, self._sent, None)):
                with contextlib.suppress(OSError):  # it has died: what it had answered before can still be read
                    _send(child.stdin, unsent)
                self._sent = len(self._given)
            if count > 1:  # looking at each row as it comes would take time from the child
                time.sleep(min(count, len(self._given)) * self._mean_seconds)
            while self._given and len(rows) < count:
                if watchdog is not None:
                    watchdog.begin()
                rows.append(self._took(Row(*_receive(child.stdout))))
        except (EOFError, OSError, pickle.UnpicklingError):
            rows.append(self._lost(time.perf_counter() - began))
        if watchdog is not None:
            watchdog.rest()
        return rows

    def _took(self, row: Row) -> Row:
        self._given.popleft()
        self._sent -= 1
        is_first = isnan(self._mean_seconds)
        self._mean_seconds = row.seconds if is_first else 0.9 * self._mean_seconds + 0.1 * row.seconds
        return row

    def _lost(self, seconds: float) -> Row:
        """Return the row of the point that the child was at; a new child gets the others."""
        point, _ = self._given.popleft()
        status: State = "late" if self._late else "killed"
        message = f"killed after its deadline of {self._deadline:g} s" if self._late else self._last_words()
        self._end_child()
        return Row(point, status, message, seconds, [nan] * self._measures)

    def _last_words(self) -> str:
        """Say how the child ended."""
        if self._child is None:
            return "its process could not be started"
        try:
            code = self._child.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            return "its process does not answer"
        if code >= 0:
            return f"its process ended with exit code {code}"
        try:
            return f"its process was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"its process was ended by signal {-code}"

    @contextlib.contextmanager
    def _watchdog(self) -> Iterator[_Watchdog | None]:
        """Kill the child when a point has missed its deadline by more than the time that it has to stop by itself."""
        if self._deadline is None:
            yield None
            return

        def kill() -> None:
            child = self._child
            if child is not None:
                self._late = True
                child.kill()

        made = _Watchdog(self._deadline + GRACE_SECONDS, kill)
        try:
            yield made
        finally:
            made.end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise EOFError
        if self._child is None:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
            command = [sys.executable, "-c", _CHILD]
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, **_own_group()
            )
            assert self._child.stdin is not None and self._child.stdout is not None
            _send(self._child.stdin, self._packed)
            answer = _receive(self._child.stdout)
            if answer is not None:
                self._end_child()
                raise SetupError(str(answer))
        return self._child

    def close(self) -> None:
        """End the child at once; there will be no other."""
        self._closed = True
        self._end_child()

    def _end_child(self) -> None:
        child, self._child = self._child, None
        self._sent = 0
        if child is None:
            return
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _own_group() -> dict[str, Any]:
    """Return how a child is started that Ctrl-C on the terminal does not reach: the parent ends it."""
    return {"creationflags": 0x200} if sys.platform == "win32" else {"start_new_session": True}


def serve_parent() -> None:
    """Be the child: run points until the parent closes the pipe."""
    given, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what models print must not come between messages
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    try:
        job: Job = unpack(_receive(given))
        worker = Worker(job)
    except CounterpointError as error:
        _send(answers, str(error))
        return
    except Exception as error:
        _send(answers, f"the sweep cannot begin in another process: {type(error).__name__}: {error}")
        return
    _send(answers, None)
    points: queue.SimpleQueue[Point | None] = queue.SimpleQueue()
    # The parent must never wait with a message while this process waits with an answer.
    threading.Thread(target=_listen, args=(given, points), name="sweep-points", daemon=True).start()
    with quiet_runs():
        for row in worker.rows(iter(points.get, None)):
            _send(answers, tuple(row))


def _listen(given: IO[bytes], points: queue.SimpleQueue[Point | None]) -> None:
    """Take points from the parent until it closes the pipe."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            for point in _receive(given):
                points.put(point)
    points.put(None)
