"""What belongs to the whole process, and is not a subsystem's to change: directory, standard streams, signals.

An FMU in this process may change them as it likes. Then results would be looked for in another directory, nothing
could be printed any more, and Ctrl-C would go nowhere.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from .._common.signals import SIGNALS, get_handler, set_handler

_T = TypeVar("_T")
_STREAMS = (1, 2)


def preserving_process_state(work: Callable[[], _T]) -> _T:
    """Let foreign code run; afterwards directory and standard streams are what they were. Takes some microseconds."""
    directory = _directory()
    copies = [(number, copy) for number in _STREAMS if (copy := _copy(number)) >= 0]
    try:
        return work()
    finally:
        for number, copy in copies:
            if not _is_same(number, copy):
                os.dup2(copy, number)
            os.close(copy)
        if directory and _directory() != directory:
            with suppress(OSError):  # it is gone by now
                os.chdir(directory)


def take_signals_back() -> None:
    """Install Python's handlers again; what C code put in their place is unknown to Python."""
    if threading.current_thread() is not threading.main_thread():
        return
    for which in SIGNALS:
        handler = get_handler(which)
        if handler is not None:
            set_handler(which, handler)


def _directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


def _copy(number: int) -> int:
    try:
        return os.dup(number)
    except OSError:  # there is none, as in a program without a terminal
        return -1


def _is_same(number: int, copy: int) -> bool:
    try:
        return os.path.samestat(os.fstat(number), os.fstat(copy))
    except OSError:
        return False
