"""A process of its own for one worker: it may crash, hang or be killed, and loses the point that it was at.

The child is started as a program, not by ``multiprocessing``: workers of a cluster are daemons, which may have no
children there, and scripts need no ``if __name__ == "__main__"``. Messages are pickled, each with its length in front.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from math import nan
from typing import IO, Any

from ..errors import CounterpointError, SetupError
from .packing import pack, unpack
from .worker import Job, Row, State, Worker, quiet_runs

_LENGTH = struct.Struct("<Q")
_CHILD = "from counterpoint.sweeps.seat import serve_parent; serve_parent()"
GRACE_SECONDS = 1.0
"""After its deadline a point is first stopped between two steps; if that does not help, its process is killed."""
_LAST_WORDS = 2000


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


class Seat:
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
        self._watch: threading.Timer | None = None
        self._late = self._closed = False

    def run(self, point: int, values: Sequence[Any]) -> Row:
        """Run a point in the child and return its row; the row says so when the child died."""
        began = time.perf_counter()
        self._late = False
        try:
            child = self._running()
            assert child.stdin is not None and child.stdout is not None
            with self._watched(child):
                _send(child.stdin, (point, list(values)))
                return Row(*_receive(child.stdout))
        except (EOFError, OSError, pickle.UnpicklingError):
            return self._lost(point, time.perf_counter() - began)

    def _lost(self, point: int, seconds: float) -> Row:
        status: State = "late" if self._late else "killed"
        message = f"killed after its deadline of {self._deadline:g} s" if self._late else self._last_words()
        self.close()
        self._closed = False
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
    def _watched(self, child: subprocess.Popen[bytes]) -> Any:
        """Kill the child when a point has missed its deadline by more than the time that it has to stop by itself."""
        if self._deadline is None:
            yield
            return

        def kill() -> None:
            self._late = True
            child.kill()

        timer = threading.Timer(self._deadline + GRACE_SECONDS, kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

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
                self.close()
                raise SetupError(str(answer))
        return self._child

    def close(self) -> None:
        """End the child at once."""
        self._closed = True
        child, self._child = self._child, None
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
    with quiet_runs():
        while True:
            try:
                point, values = _receive(given)
            except EOFError:
                return
            _send(answers, tuple(worker.run(point, values)))
