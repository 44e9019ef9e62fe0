"""A second, better run of the same system: what the first one is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from .difference import Array, Difference, differ
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
    known, connections : tuples of Difference and ConnectionIndicator
        What a run file has kept of the comparison; empty where the second run itself is there.
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
    known: tuple[Difference, ...] = ()
    connections: tuple[ConnectionIndicator, ...] = ()

    @property
    def text(self) -> str:
        """What it is, in words."""
        part = {2: "half", 4: "a quarter of"}[self.parts]
        over = "" if self.covered >= 1 else f" over the first {100 * self.covered:.2g} % of the run"
        return f"a second run with {part} the steps{over}"

    def differences(self, first: Result, signals: Sequence[str]) -> list[Difference]:
        """Return the estimated error of each signal that both runs have, largest first."""
        if self.result is None:
            return [one for one in self.known if one.signal in first.signals]
        known = [name for name in signals if name in self.result.signals and name in first.signals]
        found = [self._differ(first, name) for name in known]
        return sorted((d for d in found if d is not None), key=lambda d: -d.error)

    def _differ(self, first: Result, name: str) -> Difference | None:
        assert self.result is not None
        ours, theirs = first.signal(name), self.result.signal(name)
        if len(ours) < 2 or len(theirs) < 2:
            return None
        if name.partition(".")[0] in self.between_steps:
            return self._differ_between_steps(name, ours, theirs)
        begin, end = theirs.time[0], min(theirs.time[-1], ours.time[-1])
        inside = (ours.time >= begin) & (ours.time <= end)
        time, values = ours.time[inside], np.asarray(ours.values)[inside]
        if len(time) < 2:
            return None
        kind: Literal["hold", "cubic"] = "hold" if ours.is_held else "cubic"
        halfway = None if self.halfway is None else _at(self.halfway.signal(name), time, kind)
        return differ(name, time, values, _at(theirs, time, kind), parts=self.parts, halfway=halfway)

    def _differ_between_steps(self, name: str, ours: Signal, theirs: Signal) -> Difference | None:
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
        return differ(name, time, _at(ours, time, kind), values, parts=self.parts, halfway=halfway)


def _at(signal: Signal, time: Array, kind: Literal["hold", "linear", "cubic"]) -> Array:
    """Return a signal at times that may lie a rounding error beyond its last sample."""
    return np.asarray(signal.at(np.clip(time, signal.time[0], signal.time[-1]), kind))
