"""What belongs to the whole process, and is not a subsystem's to change: directory, standard streams, signals."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_STREAMS = (1, 2)
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def kept() -> Iterator[None]:
    """Let foreign code run; afterwards directory, standard output and handlers of signals are what they were.

    An FMU in this process may change them as it likes. Then results would be looked for in another directory, nothing
    could be printed any more, and Ctrl-C would go nowhere.
    """
    directory = _directory()
    streams = {number: _copy(number) for number in _STREAMS}
    try:
        yield
    finally:
        _reopen(streams)
        if directory is not None and _directory() != directory:
            with suppress(OSError):  # it is gone by now
                os.chdir(directory)
        _take_signals_back()


def _directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def _copy(number: int) -> int | None:
    try:
        return os.dup(number)
    except OSError:  # there is none, as in a program without a terminal
        return None


def _reopen(streams: dict[int, int | None]) -> None:
    for number, copy in streams.items():
        if copy is None:
            continue
        try:
            same = os.path.sameopenfile(number, copy)
        except OSError:
            same = False
        if not same:
            os.dup2(copy, number)
        os.close(copy)


def _take_signals_back() -> None:
    """Install Python's handlers again; what C code put in their place is unknown to Python."""
    if threading.current_thread() is not threading.main_thread():
        return
    for which in _SIGNALS:
        handler = signal.getsignal(which)
        if handler is not None:
            signal.signal(which, handler)
