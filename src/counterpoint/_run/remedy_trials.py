"""Which change would make a run better: the likely ones are tried, each alone, and compared with the better run.

A rule cannot know it. The signal that is worst may be made wrong by a subsystem upstream, halving one of several equal
steps may change nothing, and an order that helps one coupling makes the next one unstable.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, inf, isnan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._common.numbers import number_text
from ..approximations import lagrange
from ..errors import CounterpointError
from ..quality import Quality, SecondRun, assess
from ..quality.difference import FACTORS
from ..quality.remedies import FEW_STEPS
from .approximation_choice import chosen_approximation
from .coupling_notes import is_held
from .pacing import order_of

if TYPE_CHECKING:
    from ..results import Result
    from ..windows import Window
    from .second_run import Checker

MOST_SINGLE = 6
"""Subsystems whose steps are divided alone: that of the worst signal, and those that it depends on."""
MOST_NAMED = 3
"""Connections that are named one by one."""
MOST_PARTS = 4
"""Into which a step is divided at most: more than the better run does cannot be compared with it."""
FREE, WORTH = 0.5, 0.7
"""Error with a change over that without, from which a change of the coupling alone, or of steps, is worth it."""
ALMOST = 1.3
"""A single step is enough where the error is so many times that with all steps divided, or less."""
NOTHING = (
    "use steps of a quarter or less, since half of them change little, or another strategy: counterpoint advise, "
    "System.advise"
)


EXPLODES = 10.0
"""A signal that is so many times larger with half the steps, and again with a quarter, is unstable by its coupling."""
LOOP = (
    "exchange a state instead of an output with direct feedthrough, or repeat windows (window=): with smaller steps "
    "the signal is larger, since the coupling itself is unstable"
)


class Change(NamedTuple):
    """A change that may help: in words, its kind ("coupling", "step" or "all"), and the error over that without it."""

    text: str
    kind: str
    ratio: float = inf


@dataclass
class Trials:
    """Runs with one change each.

    Attributes
    ----------
    checker : Checker
    first : Result
        The run.
    second : SecondRun
        Better runs of the same system.
    quality : Quality
        What is wrong with the run.
    until : float
        Value of ``time.monotonic()`` from which on nothing more is tried, s.
    """

    checker: Checker
    first: Result
    second: SecondRun
    quality: Quality
    until: float

    def remedy(self) -> str:
        """Return the change that helps most for what it costs, in words; empty where nothing could be tried."""
        if not self.quality.differences:
            return ""
        if self._explodes_with_smaller_steps():
            return LOOP
        tried: list[Change] = []
        now = self._error(self.first)
        order = self.quality.differences[0].order
        left = (FACTORS[MOST_PARTS] if isnan(order) else 4**order / (4**order - 1)) - 1.0  # error of the better run
        for words, kind, run in self._changes():
            if time.monotonic() > self.until:
                return _stopped(tried, len(list(self._changes())))
            try:
                tried.append(Change(words, kind, (self._error(run()) / now + left) / (1.0 + left)))
            except (CounterpointError, ZeroDivisionError):
                continue
        return _chosen(tried)

    def _explodes_with_smaller_steps(self) -> bool:
        """Whether the worst signal is the larger the smaller the steps are, by far."""
        runs = self.first, self.second.halfway, self.second.result
        name = self._signals[0]
        size = [float(np.max(np.abs(run.signal(name).values))) for run in runs if run is not None]
        return all(after > EXPLODES * before for before, after in pairwise(size))

    def _error(self, result: Result) -> float:
        """Return how far a run is from the better one, in the worst signal."""
        other = replace(self.second, halfway=None, parts=0)
        return max((one.error for one in other.differences(result, self._signals)), default=inf)

    @property
    def _signals(self) -> list[str]:
        return [one.signal for one in self.quality.differences]

    def _changes(self) -> Iterator[tuple[str, str, Runner]]:
        yield from self._other_start()
        yield from self._other_orders()
        yield from self._single_steps()
        if self.second.halfway is not None:
            yield f"halve all steps{self._chosen_steps()}", "all", _Known(self.second.halfway)

    def _chosen_steps(self) -> str:
        """Name the subsystems that choose their own steps, which a smaller ``step`` in the system does not reach."""
        parts = self.checker.system.subsystems.items()
        own = [
            f'"{name}"'
            for name, part in parts
            if part.step is None and part.pace is None and (part.subsystem.inputs or part.subsystem.runs_python)
        ]
        own = own if self.checker.options.pace is None else []
        return f", also those that {' and '.join(own)} choose{'s' if len(own) == 1 else ''}" if own else ""

    def _other_start(self) -> Iterator[tuple[str, str, Runner]]:
        done = self.first.summary.first_steps
        if done is not None and not done.repeated and self.checker.options.host is None:
            options = replace(self.checker.options, first_steps="repeat")
            changed = replace(self.checker, options=options)
            yield 'repeat the first steps (first_steps="repeat")', "coupling", _Whole(changed, self.first)

    def _other_orders(self) -> Iterator[tuple[str, str, Runner]]:
        orders = self._orders()
        lowest = min(orders.values(), default=9)
        if lowest < 2:
            which = [place for place, order in orders.items() if order == lowest]
            said = f"use lagrange({lowest + 1}) for {self._named(which)}"
            yield said, "coupling", self._with_order(which, lowest + 1)
        high = [place for place, order in orders.items() if order > 1]
        if high:
            said = f"use a lower order, lagrange(1), for {self._named(high)}"
            yield said, "coupling", self._with_order(high, 1)

    def _orders(self) -> dict[tuple[int, int], int]:
        """Return the order of each source of a connection that may have another one."""
        system, options = self.checker.system, self.checker.options
        found = {}
        for i, connection in enumerate(system.connections):
            for k, source in enumerate(connection.sources):
                chosen = chosen_approximation(system, connection, k, options)
                sampled = source.partition(".")[0] in self.second.sampled or is_held(system, source)
                if chosen.name.startswith(("lagrange", "hold")) and not sampled:
                    found[i, k] = order_of(chosen)
        return found

    def _named(self, places: Sequence[tuple[int, int]]) -> str:
        connections = self.checker.system.connections
        if len(places) > MOST_NAMED:
            return "all connections" if len(places) == len(connections) else f"{len(places)} connections of this order"
        return " and ".join(f"{connections[i].sources[k]} -> {connections[i].target}" for i, k in places)

    def _with_order(self, places: Sequence[tuple[int, int]], order: int) -> Runner:
        system = copy.copy(self.checker.system)
        system.connections = [
            replace(
                connection,
                approximations=tuple(
                    lagrange(order) if (i, k) in places else given for k, given in enumerate(connection.approximations)
                ),
            )
            for i, connection in enumerate(system.connections)
        ]
        return _Whole(replace(self.checker, system=system), self.first)

    def _single_steps(self) -> Iterator[tuple[str, str, Runner]]:
        names = [name for name in self._upstream() if self._may_divide(name)]
        if len(names) == 1 and len(self.checker.system.subsystems) == 1:
            return  # the same as all steps
        for name in names[:MOST_SINGLE]:
            step = float(self.checker.system.subsystems[name].step or 0.0)
            per_period = 1.0 / (self._frequency * step) if self._frequency > 0 else inf
            parts = min(max(ceil(FEW_STEPS / per_period), 2), MOST_PARTS)
            said = f'halve the step of "{name}"'
            if parts > 2:
                said = (
                    f'reduce the step of "{name}": {step:.3g} s is {number_text(per_period)} steps per period of '
                    "this motion; at least 8 are needed"
                )
            yield said, "step", _Single(self.checker, self.first, name, parts)

    def _may_divide(self, name: str) -> bool:
        part = self.checker.system.subsystems[name]
        return part.step is not None and part.pace is None and name not in self.second.sampled

    @property
    def _frequency(self) -> float:
        """Frequency of the motion that is most wrong, Hz."""
        motion = self.quality.differences[0].worst_motion
        return 0.0 if motion is None else motion.frequency

    def _upstream(self) -> list[str]:
        """Return the subsystems that the worst signal depends on, the nearest first."""
        system = self.checker.system
        found = [self.quality.differences[0].signal.partition(".")[0]]
        for name in found:
            heard = [s for c in system.connections if c.target.partition(".")[0] == name for s in c.sources]
            found += [new for s in dict.fromkeys(heard) if (new := s.partition(".")[0]) not in found]
        return found


@dataclass(frozen=True)
class _Known:
    result: Result

    def __call__(self) -> Result:
        return self.result


@dataclass(frozen=True)
class _Whole:
    """The whole system with its steps, but coupled or started otherwise."""

    checker: Checker
    first: Result

    def __call__(self) -> Result:
        return self.checker.divided(self.first, 1, self.first.end, frozenset(self.checker.system.subsystems))


@dataclass(frozen=True)
class _Single:
    """The step of one subsystem is divided."""

    checker: Checker
    first: Result
    name: str
    parts: int

    def __call__(self) -> Result:
        others = frozenset(self.checker.system.subsystems) - {self.name}
        options = replace(self.checker.options, window=_longer(self.checker.options.window, self.parts))
        return replace(self.checker, options=options).divided(self.first, self.parts, self.first.end, others)


Runner = _Known | _Whole | _Single


def _longer(window: Window | None, times: int) -> Window | None:
    """Return a window that is as long as it was when it is divided."""
    if window is None or window.length is None:
        return window
    return replace(window, length=float(window.length) * times)


def _chosen(tried: Sequence[Change]) -> str:
    """Return the change that helps most for what it costs, with what it does."""
    if not tried:
        return ""
    best = {
        kind: min((one for one in tried if one.kind == kind), key=lambda one: one.ratio, default=Change("", kind))
        for kind in ("coupling", "step", "all")
    }
    coupling, step, everything = best["coupling"], best["step"], best["all"]
    if coupling.ratio <= FREE:
        return _with_effect(coupling)
    if step.ratio <= WORTH and step.ratio <= ALMOST * everything.ratio:
        return _with_effect(step)
    worth = min((everything, coupling), key=lambda one: one.ratio)
    return _with_effect(worth) if worth.ratio <= WORTH else NOTHING


def _stopped(tried: Sequence[Change], possible: int) -> str:
    """Return what helps most of the changes that there was time for, and say that there was no time for the others."""
    if not tried:
        return ""
    over = 'there was no time for more: check="on" tries all'
    return f"{_chosen(tried)} ({len(tried)} of {possible} changes were tried, {over})"


def _with_effect(change: Change) -> str:
    times = min(1.0 / max(change.ratio, 1e-6), 10.0)
    size = "more than 10" if times >= 10.0 else f"about {times:.2g}"
    return f"{change.text}; the error then becomes {size} times smaller"


def tried_remedy(checker: Checker, first: Result, second: SecondRun, until: float) -> str:
    """Return the change that helps a run that is not trustworthy; until: when to stop trying, as time.monotonic()."""
    if second.result is None or second.parts != MOST_PARTS or second.covered < 1 or second.unchecked:
        return ""
    quality = assess(first, second, deep=False)
    if quality.verdict == "trustworthy":
        return ""
    return Trials(checker, first, second, quality, until).remedy()
