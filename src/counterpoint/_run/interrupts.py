"""What Ctrl-C, SIGTERM and SIGHUP do on the command line.

The first signal ends native loops and lets a foreign step finish, so that no result is half written; a second one
abandons it, and what the run file holds by then stays readable.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from .._common.signals import SIGNALS, is_in_native_code

if TYPE_CHECKING:
    from .progress import Callback, Progress


class Interrupts:
    """Watch SIGINT, SIGTERM and SIGHUP while a ``with`` block runs; a SIGHUP that ``nohup`` ignores stays ignored.

    Attributes
    ----------
    received : int or None
        The first signal that came.
    """

    ends_native_work = True

    def __init__(self) -> None:
        self.received: int | None = None
        self._deferred = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        try:
            self._before = {which: signal.signal(which, self._handle) for which in SIGNALS if not _is_ignored(which)}
        except ValueError:  # not the main thread: signals stay where they are
            self._before = {}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for which, handler in self._before.items():
            signal.signal(which, handler)

    @property
    def exit_code(self) -> int:
        """128 + the number of the signal, as shells count; 130 when only a KeyboardInterrupt was seen."""
        return 128 + (self.received or signal.SIGINT)

    @contextmanager
    def deferred(self, callback: Callback) -> Iterator[Callback]:
        """Let a signal wait for the next call of the progress callback; give that callback."""

        def watched(progress: Progress) -> None:
            if self.received is not None:
                raise KeyboardInterrupt
            callback(progress)

        self._deferred = True
        try:
            yield watched
        finally:
            self._deferred = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None:
            if is_in_native_code():  # in a Python model; if that goes on nevertheless, the watch ends the process
                raise KeyboardInterrupt
            _exit_at_once(128 + self.received)
        self.received = number
        if not self._deferred and not is_in_native_code():  # which is cancelled
            raise KeyboardInterrupt


def _is_ignored(which: signal.Signals) -> bool:
    return which != signal.SIGINT and signal.getsignal(which) is signal.SIG_IGN


def _exit_at_once(code: int) -> None:
    if sys.stderr.isatty():
        os.write(sys.stderr.fileno(), b"\x1b[?25h\n")  # the progress bar hides the cursor
    os._exit(code)
