"""Python's search for cyclic garbage, put off while many objects are made that stay."""

import gc
import threading
from typing import Literal

WORTH_MOVING = 10_000
"""Objects made in a pause from which on they are put among the old ones; a search through fewer takes below 0.5 ms."""
MOST_UNSEARCHED = 250_000
"""Objects put among the old ones, some 50 MB, after which the next large set-up begins with a complete search."""
LARGE_SYSTEM = 256
"""Subsystems from which on a system is large."""


class _Collection:
    """Keeps Python's search from going through many objects that stay."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a search may end objects that come back here
        self._inside = 0
        self._was_enabled = False
        self._of_starts = 0  # objects put among the old ones since the last complete search
        self._of_systems = 0
        self._searches = 0  # complete ones, by then
        self._may_move = True

    def pause(self, *, search_systems: bool) -> None:
        with self._lock:
            if self._inside == 0:
                self._was_enabled = gc.isenabled()
                if self._was_enabled:
                    self._search_if_due(systems=search_systems)
                gc.disable()
            self._inside += 1

    def resume(self, *, systems: bool) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside or not self._was_enabled:
                return
            if (made := gc.get_count()[0]) >= WORTH_MOVING and gc.get_freeze_count() == 0:
                self._move(made, systems=systems)
            gc.enable()

    def grown(self, count: int) -> None:
        """Note that a system has so many subsystems: a large one causes no complete search while it grows.

        One that is due is made before, when it finds garbage of earlier systems. Young objects are searched as always.
        """
        if count < LARGE_SYSTEM or not gc.isenabled():
            return
        if count == LARGE_SYSTEM:
            with self._lock:
                self._may_move = gc.get_freeze_count() == 0  # takes long where many are frozen: asked once
                self._search_if_due(systems=True)
            return
        counts, (young, middle, old) = gc.get_count(), gc.get_threshold()
        if old and 2 * counts[2] >= old and self._may_move:  # a complete search is near
            with self._lock:
                self._move(counts[0] + young * (counts[1] + middle * counts[2]), systems=True)

    def _search_if_due(self, *, systems: bool) -> None:
        """Find garbage of earlier runs and systems; as Python itself does, when old objects have become many."""
        self._forget_if_searched()
        # The system that is started may be the one that has grown: its objects are all in use.
        if self._of_starts + systems * self._of_systems > MOST_UNSEARCHED:
            gc.collect()

    def _move(self, made: int, *, systems: bool) -> None:
        """Put all young objects among the old ones: the next search would go through them, in whatever comes next."""
        self._forget_if_searched()
        if systems:
            self._of_systems += made
        else:
            self._of_starts += made
        gc.freeze()
        gc.unfreeze()

    def _forget_if_searched(self) -> None:
        searches = gc.get_stats()[-1]["collections"]
        if searches != self._searches:
            self._of_starts, self._of_systems, self._searches = 0, 0, searches


class _Pause:
    def __init__(self, *, systems: bool, first: bool) -> None:
        self._systems = systems
        self._first = first

    def __enter__(self) -> None:
        _collection.pause(search_systems=self._first)

    def __exit__(self, *_: object) -> Literal[False]:
        _collection.resume(systems=self._systems)
        return False


_collection = _Collection()

collection_paused = _Pause(systems=False, first=False)
"""No search for cyclic garbage in here, in any thread; the last one to leave turns it on again, if it was on.

A plan of 10 000 subsystems makes some hundred thousand objects that all stay: each search goes through all of them
and finds nothing, which is a third of the time that a start takes. The first search after the pause would do so as
well, in the middle of the first steps (5 ms for 2000 subsystems), so they are put among the old objects. The same is
done while a large system is built, where complete searches took more than half of the time.
"""

reading = _Pause(systems=True, first=True)
"""The same while the file of a system is read. Building and starting follow: a search that is due is made before."""

building = _Pause(systems=True, first=False)
"""The same while a system is built."""

system_has_grown = _collection.grown
