"""Python's search for cyclic garbage, put off while many objects are made that stay."""

import gc
import threading
from typing import Literal


class _Pause:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._was_enabled = False

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._inside += 1

    def __exit__(self, *_: object) -> Literal[False]:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._was_enabled:
                gc.enable()
        return False


collection_paused = _Pause()
"""No search for cyclic garbage in here, in any thread; the last one to leave turns it on again, if it was on.

A plan of 10 000 subsystems makes some hundred thousand objects that all stay: each search goes through all of them
and finds nothing, which is a third of the time that a start takes.
"""
