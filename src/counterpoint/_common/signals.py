"""Ctrl-C and its relatives while the main thread is in native code, where Python's handlers have to wait."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from .. import _core

_T = TypeVar("_T")

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a command; Windows has no SIGHUP."""


# Without the wrappers that turn numbers into enumerations, which take 4 us each: a run may be advanced in many calls.
_plain: Any = sys.modules.get("_signal", signal)
get_handler: Callable[[int], Any] = _plain.getsignal
set_handler: Callable[[int, Any], Any] = _plain.signal

_made: list[Any] = []


def _watch() -> Any:
    """Return the watch of this process, which ends its thread before a fork; None on Windows."""
    if not _made:
        from .. import _core  # late: the command line installs its handlers before the core is loaded

        watch = _core.SignalWatch.instance() if hasattr(_core, "SignalWatch") else None
        if watch is not None:
            os.register_at_fork(before=watch.stop, after_in_child=watch.take_own_pipe)
        _made.append(watch)
    return _made[0]


def is_in_native_code() -> bool:
    """Whether the main thread is in a call of :class:`NativeWatch`."""
    return bool(_made) and _made[0] is not None and bool(_made[0].is_inside)


class NativeWatch:
    """Let signals end native work of the main thread while a ``with`` block runs.

    The first signal cancels native loops. When the call has not come back a second later, it is a foreign one: what
    it is waiting for is printed, and a second signal abandons it. Then ``abandon`` is called with the number of the
    first signal, in another thread, and the process ends with 128 plus that number. SIGTERM and SIGHUP come only
    once: after them the call is abandoned by itself, 5 s later. An interactive session is not ended.

    In other threads, and for signals whose handlers are the program's own, nothing changes; such handlers are called
    between two steps of native loops.

    Parameters
    ----------
    where : Whereabouts
        What the call is waiting for.
    abandon : callable
        Keeps what has been done.
    """

    def __init__(self, where: _core.Whereabouts, abandon: Callable[[int], None]) -> None:
        self._where = where
        self._abandon = abandon
        self._previous = -1
        self._watch: Any = None
        self._owners: list[Any] = []  # of handlers that end native work

    def __enter__(self) -> Self:
        if threading.get_ident() != threading.main_thread().ident:
            return self
        watch = _watch()
        if watch is None:
            return self
        try:
            self._previous = signal.set_wakeup_fd(watch.descriptor, warn_on_full_buffer=False)
        except ValueError:  # not the main interpreter
            return self
        ours = []
        for which in SIGNALS:
            handler = get_handler(which)
            owner = getattr(handler, "__self__", None)  # of a bound method
            if handler is signal.default_int_handler:
                ours.append(which)
            elif getattr(owner, "ends_native_work", False):
                ours.append(which)
                self._owners.append(owner)
        if watch.begin(ours, self._previous, self._where, self._abandon, not _is_interactive()):
            self._watch = watch
        else:  # a run inside of a step of another one, which watches
            signal.set_wakeup_fd(self._previous)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._watch is not None:
            signal.set_wakeup_fd(self._previous)
            self._watch.end()

    def call(self, work: Callable[[], _T], *, cancellable: bool = True) -> _T:
        """Do native work and return its result; raises KeyboardInterrupt when a signal has ended it."""
        if self._watch is None:
            return work()
        if cancellable:
            for owner in self._owners:
                if getattr(owner, "received", None):
                    raise KeyboardInterrupt  # a signal that came before the watch began
        self._watch.enter(cancellable)
        try:
            return work()
        finally:
            self._watch.leave()


class DeferredInterrupt:
    """Let the first Ctrl-C wait until :meth:`check`; a second one interrupts at once, as Python does.

    A KeyboardInterrupt that is raised anywhere (in a callback of a library, between taking rows and storing them)
    could be swallowed or lose rows. Handlers other than Python's own are left in place.
    """

    ends_native_work = True

    def __init__(self) -> None:
        self.received = False
        self._installed = False

    def __enter__(self) -> Self:
        with suppress(ValueError):  # not the main thread: no signal arrives here
            if get_handler(signal.SIGINT) is signal.default_int_handler:
                set_handler(signal.SIGINT, self._handle)
                self._installed = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._installed:
            set_handler(signal.SIGINT, signal.default_int_handler)
        if kind is None:
            self.check()  # it may have come since the last look

    def check(self) -> None:
        """Raise KeyboardInterrupt when Ctrl-C has been pressed."""
        if self.received:
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.received = True
        set_handler(signal.SIGINT, signal.default_int_handler)


@contextmanager
def signals_held_back() -> Iterator[None]:
    """Let signals wait until the end of a short ``with`` block; where systems cannot hold them back, they do not."""
    mask = getattr(signal, "pthread_sigmask", None)
    before = mask(signal.SIG_BLOCK, ()) if mask else None  # as it is: a handler may raise in any of these calls
    try:
        if mask:
            mask(signal.SIG_BLOCK, SIGNALS)
        yield
    finally:
        if mask:
            mask(signal.SIG_SETMASK, before)


def say_at_once(text: str) -> None:
    """Print a line as a process ends that cannot wait for anything; a progress bar may have hidden the cursor."""
    shown = "\x1b[?25h\n" if os.isatty(2) else ""
    with suppress(OSError):
        os.write(2, f"{shown}{text}\n".encode(errors="replace"))


def _is_interactive() -> bool:
    return hasattr(sys, "ps1") or bool(sys.flags.interactive) or "ipykernel" in sys.modules
