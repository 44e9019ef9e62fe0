"""What Ctrl-C does to a run, and what it and SIGTERM do on the command line.

The first signal lets the step in hand finish, so that no result is half written; a second one ends the
process at once, and what the run file holds by then stays readable.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from .progress import Callback, Progress

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Watch SIGINT and SIGTERM while a ``with`` block runs.

    Attributes
    ----------
    received : int or None
        The first signal that came.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._deferred = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        try:
            self._before = {which: signal.signal(which, self._handle) for which in _SIGNALS}
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
            _exit_at_once(128 + number)
        self.received = number
        if not self._deferred:
            raise KeyboardInterrupt


class DeferredInterrupt:
    """Let the first Ctrl-C wait until :meth:`check`; a second one interrupts at once, as Python does.

    A KeyboardInterrupt that is raised anywhere (in a callback of a library, between taking rows and storing them)
    could be swallowed or lose rows. Handlers other than Python's own are left in place.
    """

    def __init__(self) -> None:
        self._received = False
        self._installed = False

    def __enter__(self) -> Self:
        with suppress(ValueError):  # not the main thread: no signal arrives here
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                signal.signal(signal.SIGINT, self._handle)
                self._installed = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if kind is None:
            self.check()  # it may have come since the last look

    def check(self) -> None:
        """Raise KeyboardInterrupt when Ctrl-C has been pressed."""
        if self._received:
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._received = True
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _exit_at_once(code: int) -> None:
    if sys.stderr.isatty():
        os.write(sys.stderr.fileno(), b"\x1b[?25h\n")  # the progress bar hides the cursor
    os._exit(code)
