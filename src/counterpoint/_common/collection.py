"""Python's search for cyclic garbage, put off while many objects are made that stay."""

import gc
import threading
from typing import Literal

WORTH_MOVING = 10_000
"""Objects made in a pause from which on they are put among the old ones; a search through fewer takes below 0.5 ms."""
MOST_UNSEARCHED = 250_000
"""Objects put among the old ones between two complete searches: some 50 MB, if all were garbage."""


class _Pause:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._was_enabled = False
        self._moved = 0  # since the last complete search
        self._searches = 0  # complete ones, by then

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
                self._put_among_old()
                gc.enable()
        return False

    def _put_among_old(self) -> None:
        """Spare the next search: it would go through all objects made in the pause, in whatever code comes next."""
        made = gc.get_count()[0]
        if made < WORTH_MOVING or gc.get_freeze_count() > 0:  # the program has frozen objects: they stay frozen
            return
        searches = gc.get_stats()[-1]["collections"]
        if searches != self._searches:
            self._moved, self._searches = 0, searches
        self._moved += made
        if self._moved > MOST_UNSEARCHED:  # as Python itself does when old objects have become many
            gc.collect()
        else:
            gc.freeze()
            gc.unfreeze()


collection_paused = _Pause()
"""No search for cyclic garbage in here, in any thread; the last one to leave turns it on again, if it was on.

A plan of 10 000 subsystems makes some hundred thousand objects that all stay: each search goes through all of them
and finds nothing, which is a third of the time that a start takes. The first search after the pause would do so as
well, in the middle of the first steps (5 ms for 2000 subsystems), so they are put among the old objects.
"""
