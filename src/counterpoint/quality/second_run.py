"""A second, better run of the same system: what the first one is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._common.numbers import number_text
from .difference import Array, Difference, differ, estimated_error
from .modes import CoupledModes

if TYPE_CHECKING:
    from ..results.result import Result
    from ..results.signal import Signal
    from .indicators import ConnectionIndicator

SAME_INSTANT = 1e-9
"""Times are the same that differ by less than this share of a run: each run finds its events on its own."""


@dataclass(frozen=True)
class SecondRun:
    """A run of the same system with smaller steps, or why there is none.

    Attributes
    ----------
    result : Result or None
        What it published.
    parts : int
        Into how many its steps divide those of the first run, 2 or 4.
    covered : float
        How much of the first run it repeats, 0 to 1.
    sampled : tuple of str
        Subsystems that kept their steps, for these belong to the model.
    reason : str
        Why there is no second run.
    remedy : str
        What to do about that.
    halfway : Result or None
        A third run, with half the steps, that tells the order of the error.
    modes : CoupledModes or None
        What the coupling does to the motions of the linearised system; None where it cannot be linearised quickly.
    seconds : float
        Wall time that it took.
    unchecked : tuple of str
        Subsystems with solvers of their own that nothing is coupled to: smaller steps show little of their errors.
    between_steps : tuple of str
        Subsystems whose signals are lines between long steps: they are compared at the times of the second run.
    boxes : tuple of str
        All subsystems with solvers of their own.
    unstable_inside : tuple of str
        Those of them whose declared inner step is too long for explicit solvers, as their derivatives say.
    inside : str
        The same in words, or what the simplest solver would do; empty where nothing is known or wrong.
    unresolved : tuple of str
        Sources that change faster than this run samples them.
    helps : str
        A change that was tried and makes the run better, in words; empty where none was tried.
    failed : bool
        Whether it was begun and failed.
    known, connections : tuples of Difference and ConnectionIndicator
        What a run file has kept of the comparison; empty where the second run itself is there.
    unread : mapping
        The same for outputs that nothing reads: name -> estimated error.
    """

    result: Result | None = None
    parts: int = 2
    covered: float = 0.0
    sampled: tuple[str, ...] = ()
    reason: str = ""
    remedy: str = ""
    seconds: float = 0.0
    halfway: Result | None = None
    modes: CoupledModes | None = None
    unchecked: tuple[str, ...] = ()
    between_steps: tuple[str, ...] = ()
    boxes: tuple[str, ...] = ()
    unstable_inside: tuple[str, ...] = ()
    inside: str = ""
    unresolved: tuple[str, ...] = ()
    helps: str = ""
    failed: bool = False
    known: tuple[Difference, ...] = ()
    unread: Mapping[str, float] = field(default_factory=dict)
    connections: tuple[ConnectionIndicator, ...] = ()

    @property
    def text(self) -> str:
        """What it is, in words."""
        part = {2: "half", 4: "a quarter of"}[self.parts]
        over = "" if self.covered >= 1 else f" over the first {number_text(100 * self.covered)} % of the run"
        return f"a second run with {part} the steps{over}"

    def differences(self, first: Result, signals: Sequence[str]) -> list[Difference]:
        """Return the estimated error of each signal that both runs have, largest first."""
        if self.result is None:
            return [one for one in self.known if one.signal in first.signals]
        found = [
            differ(name, pair.time, pair.values, pair.better, parts=self.parts, halfway=pair.halfway)
            for name in signals
            if (pair := self._pair(first, name)) is not None
        ]
        return sorted(found, key=lambda one: -one.error)

    def unread_errors(self, first: Result, signals: Sequence[str]) -> dict[str, float]:
        """Return the estimated errors of outputs that nothing reads, largest first; not those that jump."""
        if self.result is None:
            return dict(self.unread)
        found = {
            name: estimated_error(pair.values, pair.better, parts=self.parts, halfway=pair.halfway)
            for name in signals
            if (pair := self._pair(first, name)) is not None and not first.signal(name).is_held
        }
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def _pair(self, first: Result, name: str) -> _Pair | None:
        """Return a signal of all runs at the times of the first; None where there is nothing to compare."""
        assert self.result is not None
        if name not in self.result.signals or name not in first.signals:
            return None
        ours, theirs = first.signal(name), self.result.signal(name)
        if len(ours) < 2 or len(theirs) < 2:
            return None
        if name.partition(".")[0] in self.between_steps:
            return self._pair_between_steps(name, ours, theirs)
        begin, end = theirs.time[0], min(theirs.time[-1], ours.time[-1])
        inside = (ours.time >= begin) & (ours.time <= end) & ~_jumps(ours.time)
        time, values = ours.time[inside], np.asarray(ours.values)[inside]
        kind: Literal["hold", "cubic"] = "hold" if ours.is_held else "cubic"
        better = _at(theirs, time, kind)
        halfway = None if self.halfway is None else _at(self.halfway.signal(name), time, kind)
        known = ~(np.isnan(values) & np.isnan(better))  # an output that nothing reads may be undefined
        if known.sum() < 2:
            return None
        return _Pair(time[known], values[known], better[known], None if halfway is None else halfway[known])

    def _pair_between_steps(self, name: str, ours: Signal, theirs: Signal) -> _Pair | None:
        """Compare the lines between samples with the samples of the second run, but for the instants of jumps."""
        time, values = theirs.time, np.asarray(theirs.values)
        jumps = np.concatenate([t[1:][np.diff(t) <= 0] for t in (time, ours.time)] + [[np.inf]])
        jumps.sort()
        nearest = np.searchsorted(jumps, time - SAME_INSTANT * (time[-1] - time[0]))
        inside = (jumps[nearest] > time + SAME_INSTANT * (time[-1] - time[0])) & (time <= ours.time[-1])
        time, values = time[inside], values[inside]
        if len(time) < 2:
            return None
        kind: Literal["hold", "linear"] = "hold" if ours.is_held else "linear"
        halfway = None if self.halfway is None else _at(self.halfway.signal(name), time, kind)
        return _Pair(time, _at(ours, time, kind), values, halfway)


def _jumps(time: Array) -> NDArray[np.bool_]:
    """Return which rows share their time with another one: both sides of a jump, of which the other run has one."""
    same = np.diff(time) == 0.0
    return np.concatenate([same, [False]]) | np.concatenate([[False], same]) if len(time) else np.zeros(0, dtype=bool)


class _Pair(NamedTuple):
    """A signal of the first run, and of the better ones at the same times."""

    time: Array
    values: Array
    better: Array
    halfway: Array | None


def _at(signal: Signal, time: Array, kind: Literal["hold", "linear", "cubic"]) -> Array:
    """Return a signal at times that may lie a rounding error beyond its last sample."""
    return np.asarray(signal.at(np.clip(time, signal.time[0], signal.time[-1]), kind))
