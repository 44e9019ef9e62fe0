"""Short runs of the real models: one tight one, and those of strategies that are compared with it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, log2
from typing import Any, NamedTuple

import numpy as np

from .._run.strategy import Strategy
from .._run.trial import trial_run
from ..errors import CounterpointError, SetupError, SimulationError
from ..quality.difference import Array, Difference, differ, estimated_error
from ..quality.judged import judged
from ..quality.verdict import WRONG_MOTION
from ..results import Result
from ..results.sampling import Kind
from ..system import System
from .candidates import Choices, Orders

BUDGET_SECONDS, BUDGET_SHARE = 1.5, 0.6
"""Processor time of the first pilots: so many seconds, or this share of one run if it is more."""
SHORTEST = 0.02
"""Part of the run that pilots cover at least."""
FIRST_PARTS, LEAST_PARTS, MOST_PARTS = 2, 4, 32
"""Steps of the tight pilot in one of the system's: tried first; and if the first difference is too large."""
GIVEN_PARTS = 8
"""The same where steps are given, and the smallest error is wanted."""
CLOSE = 0.2
"""Error of the tight pilot over the tolerance, at most."""
QUICK_SECONDS, QUICK_RUNS, QUICK_FACTORS = 1e-2, 4, (1.0, 4.0, 0.5, 2.0)
"""A run that takes less than this, s, is timed so many times with so many times its steps."""
CALM_SECONDS, CALM_RUNS = 2e-3, 2
"""Longer ones are disturbed less: so many times suffice."""
NEAR = 4.0
"""Error over the tolerance up to which the change of each motion is examined in a pilot."""
ORDER = 1.5
"""Power of the step with which errors are taken to fall, where nothing more is known."""
TIGHTER = 2.0
"""Steps of the tight pilot are so many times smaller at least than those of what is compared with it."""


class StepCost(NamedTuple):
    """Time that a step of length h takes: ``fixed + rate h``, in s; the second where a model has steps of its own."""

    fixed: float
    rate: float

    @classmethod
    def fitted(cls, lengths: Sequence[float], times: Sequence[float]) -> StepCost:
        """Return it from lengths of steps, s, and the times that such steps took, s."""
        fixed, rate = _line(lengths, times)
        return cls(fixed, rate) if fixed > 0.0 else cls(0.0, float(np.median(np.divide(times, lengths))))

    def of(self, step: float) -> float:
        """Return the time of one step, s."""
        return self.fixed + self.rate * step


class Timing(NamedTuple):
    """What a run has cost.

    Attributes
    ----------
    steps : dict
        Subsystem -> mean length of its steps, s, and the time that each took, s.
    coupling : tuple
        Steps of all, and the time of the run beside them, s.
    all : float
        Time of the run, s, with what is done before and after its steps.
    before : float
        Time of that, s.
    """

    steps: dict[str, tuple[float, float]]
    coupling: tuple[float, float]
    all: float
    before: float = 0.0

    @classmethod
    def of(cls, result: Result, whole: float, busy: float) -> Timing:
        """Return it for a run.

        Whole: time of the run with what is done before and after it, s; busy: part of the wall time in which the
        processor worked for it.
        """
        counts = np.maximum(np.asarray(result.summary.steps, dtype=np.float64), 1.0)
        own = busy * np.nan_to_num(np.asarray(result.summary.seconds, dtype=np.float64))
        span, between = result.end - result.start, busy * result.wall_seconds - float(own.sum())
        each = {name: (float(span / counts[k]), float(own[k] / counts[k])) for k, name in enumerate(result.subsystems)}
        before = max(whole - busy * result.wall_seconds, 0.0)
        return cls(each, (float(counts.sum()), max(between, 1e-9)), whole, before)

    @property
    def inside(self) -> float:
        """Time of all steps and of the coupling, s."""
        return self.all - self.before

    def longer(self, times: float) -> float:
        """Return the time of a run that is so many times longer, s.

        What was not spent in steps is not spent again: the first run of a process loads what is loaded once.
        """
        once = min(self.before + self.coupling[1], self.all)
        return once + times * (self.all - once)


class Outcome(NamedTuple):
    """What a pilot has shown."""

    error: float
    worst: Difference | None = None
    distortion: str = ""
    steps: Mapping[str, int] = {}
    seconds: float = 0.0


@dataclass
class Pilots:
    """Runs of a system that tell errors of strategies, and costs of steps.

    Attributes
    ----------
    system : System
    until, tolerance : float
        End of the planned run, s, and the tolerated error.
    keeps_steps : bool
        Whether steps are given, and the smallest error is wanted.
    span : float
        Time that pilots cover, s.
    parts : int
        Into how many parts the tight pilot divides steps.
    first_error : float
        Error of the system as it is.
    spent : float
        Processor time of all pilots of strategies, s.
    """

    system: System
    until: float
    tolerance: float
    keeps_steps: bool
    choices: Choices = field(init=False)
    timings: list[Timing] = field(default_factory=list)
    known: tuple[int, dict[str, StepCost]] = (0, {})  #: costs, and from how many timings they follow
    are_measured: bool = False  #: whether costs follow from repeated runs, and further timings are not needed
    tight: Result = field(init=False)
    span: float = field(init=False)
    own_steps: dict[str, float] = field(default_factory=dict)  #: mean ones of subsystems that choose theirs, s
    parts: int = FIRST_PARTS
    first_error: float = inf
    run_seconds: float = 0.0
    spent: float = 0.0

    def begin(self, schemes: Any, whole: bool) -> None:
        """Run the system as it is, which tells costs, and tightly, which tells the motion."""
        longest = max((part.step or 0.0 for part in self.system.subsystems.values()), default=0.0)
        span = min(max(self.until / 50, 2 * longest), self.until)
        probe, seconds = self._probe(span)
        self.run_seconds = max(seconds, 1e-4)
        budget = max(BUDGET_SECONDS, BUDGET_SHARE * self.run_seconds)
        share = 1.0 if whole else float(np.clip(budget / ((1 + FIRST_PARTS) * self.run_seconds), SHORTEST, 1.0))
        steps = {name: _step(probe, name, part.step) for name, part in self.system.subsystems.items()}
        self.choices = Choices.of(self.system, steps, schemes)
        self.cover(share * self.until, GIVEN_PARTS if self.keeps_steps else FIRST_PARTS)

    def _probe(self, span: float) -> tuple[Result, float]:
        """Return a run of the beginning, and the time that the whole may take, s; of smaller steps where it fails."""
        try:
            probe, timing = self._timed(self.system, {}, span)
            parts = 1
        except SimulationError:  # that is why advice is asked for
            parts = GIVEN_PARTS
            probe, timing = self._with_smaller_steps(self.system.halved(parts), {}, span, parts)
        return probe, timing.longer(self.until / (probe.end - probe.start)) / parts

    def _with_smaller_steps(
        self, system: System, options: dict[str, Any], span: float, parts: int
    ) -> tuple[Result, Timing]:
        """Run a system whose steps have been divided, and say so where it fails."""
        try:
            return self._timed(system, options, span)
        except SimulationError as error:
            raise SetupError(
                f"advise: a pilot to t = {span:g} s, with steps {parts} times shorter than those given, fails: "
                f"{error}; choose smaller steps or an earlier end"
            ) from error

    def cover(self, span: float, parts: int) -> None:
        """Make the pilots with which others are compared, over a span (s)."""
        self.span = span
        self.timings.clear()
        self.are_measured = False
        base: Result | None = None
        try:
            base, timing = self._timed(self.system, {}, span)
            measured = max(timing.longer(self.until / span), 1e-4)
            self.run_seconds = measured if self.is_whole else min(self.run_seconds, measured)
        except CounterpointError:  # that is why advice is asked for
            parts = GIVEN_PARTS
        self.own_steps = {name: self.choices.all_steps[name] for name in self.choices.own_steps}
        if base is not None:
            self.own_steps = {name: _step(base, name, None) for name in self.own_steps}
        self._make_tight(parts, Orders(1, 1))
        if base is not None and self.run_seconds < QUICK_SECONDS and not self.keeps_steps:
            self._time_again()
        self.first_error = inf if base is None else self.compared(base).error
        if self.keeps_steps:
            self._choose_order()
        elif parts**-ORDER * self.first_error > CLOSE * self.tolerance:
            self._make_tight(self._parts_for(self.first_error), Orders(1, 1))

    def _time_again(self) -> None:
        """Learn the costs of steps that take no time to speak of: the least disturbed of several runs tell them."""
        scheme, least = next(iter(self.choices.schemes)), []
        for factor in QUICK_FACTORS:
            strategy = self.choices.strategy(self.choices.point(scheme, Orders(1, 1), factor))
            try:
                runs = [self._undisturbed(strategy) for _ in range(self._repeats)]
            except CounterpointError:  # unstable with longer steps
                continue
            least.append(min(runs, key=lambda timing: timing.all))
        if len(least) > 1:
            self.timings, self.are_measured = least, True
            self.run_seconds = min(self.run_seconds, least[0].all)

    @property
    def _repeats(self) -> int:
        return QUICK_RUNS if self.run_seconds < CALM_SECONDS else CALM_RUNS

    def _undisturbed(self, strategy: Strategy) -> Timing:
        """Return what a run has cost that others have not interrupted: which one that is, is found afterwards.

        What is done before and after the steps counts here: of short runs it is much, and rows take time to store.
        """
        before = time.process_time()
        result = self.run(strategy.applied(self.system), strategy.options, self.span)
        timing = Timing.of(result, max(time.process_time() - before, result.wall_seconds), 1.0)
        steps, between = timing.coupling
        return timing._replace(coupling=(steps, between + timing.before), before=0.0)

    def _choose_order(self) -> None:
        """Make the tight pilot again with order 2 where that is better, to distinguish small errors."""
        scheme = next(iter(self.choices.schemes))
        first, second = (self.choices.strategy(self.choices.point(scheme, Orders(k, k))) for k in (1, 2))
        if self.outcome(second).error < self.outcome(first).error:
            self._make_tight(self.parts, Orders(2, 2))

    def _parts_for(self, error: float) -> int:
        """Return into how many parts steps are divided when those of the system have an error."""
        needed = (min(error, 1.0) / (CLOSE * self.tolerance)) ** (1 / ORDER)
        once = self.run_seconds * self.span / self.until
        allowed = 3 * max(BUDGET_SECONDS, BUDGET_SHARE * self.run_seconds) / once
        most = max(min(MOST_PARTS, 2 ** int(log2(allowed))), LEAST_PARTS)
        return int(np.clip(2 ** int(np.ceil(log2(needed))), LEAST_PARTS, most))

    def _make_tight(self, parts: int, orders: Orders) -> None:
        self.parts = parts
        strategy = self.choices.strategy(self.choices.point(next(iter(self.choices.schemes)), orders, 1 / parts))
        shorter = {name: step / parts for name, step in self.own_steps.items()}
        strategy = replace(strategy, steps={**shorter, **strategy.steps})
        self.tight, _ = self._with_smaller_steps(strategy.applied(self.system), strategy.options, self.span, parts)

    def _timed(self, system: System, options: dict[str, Any], until: float) -> tuple[Result, Timing]:
        """Return a run and what it has cost; remember what the steps of each subsystem have cost.

        On a busy machine processor time says better than wall time what a run costs; unless others do the work.
        """
        before, began = time.process_time(), time.perf_counter()
        result = self.run(system, options, until)
        used, wall = time.process_time() - before, time.perf_counter() - began
        busy = min(used / max(wall, 1e-9), 1.0) if self._works_here else 1.0
        timing = Timing.of(result, busy * wall, busy)
        if (
            not self.are_measured
            and options.get("pace") is None
            and options.get("window") is None
            and not self._is_paced(system)
        ):
            self.timings.append(timing)  # steps with a pace or in windows cost more
        return result, timing

    def _is_paced(self, system: System) -> bool:
        """Whether a subsystem has a pace that it does not have in the system as it is."""
        return any(part.pace is not self.system.subsystems[name].pace for name, part in system.subsystems.items())

    @property
    def is_whole(self) -> bool:
        """Whether pilots cover the whole run."""
        return self.span >= 0.99 * self.until

    @property
    def _works_here(self) -> bool:
        """Whether all models run in this process."""
        parts = self.system.subsystems.values()
        return all(part.subsystem.repeatable and not getattr(part.subsystem, "isolated", False) for part in parts)

    def run(self, system: System, options: dict[str, Any], until: float) -> Result:
        """Run a system to a time (s); only what it is judged by is recorded."""
        return trial_run(system, until, **{**options, "record": judged_outputs(system)})

    def outcome(self, strategy: Strategy) -> Outcome:
        """Return what a pilot of a strategy shows."""
        began = time.process_time()
        try:
            result, timing = self._timed(strategy.applied(self.system), strategy.options, self.span)
            found = self.compared(result)._replace(seconds=timing.inside)
        except CounterpointError:
            found = Outcome(inf)
        self.spent += time.process_time() - began
        return found

    def compared(self, result: Result) -> Outcome:
        """Return how a run differs from the tight pilot; its motions only where they decide something."""
        names = [name for source in judged_outputs(self.system) for name in result.expand(source)]
        pairs = {
            name: pair for name in names if name in self.tight.signals and (pair := _pair(result, self.tight, name))
        }
        errors = {name: estimated_error(*pair[1:], parts=0) for name, pair in pairs.items()}
        largest = max(errors, key=lambda name: errors[name], default="")
        decides = self.keeps_steps or errors.get(largest, 0.0) <= NEAR * self.tolerance
        found = {name: differ(name, *pair, parts=0) for name, pair in pairs.items() if decides or name == largest}
        worst = found.get(largest)
        wrong = [m for one in found.values() for m in one.motions if not 0.5 < m.ratio < WRONG_MOTION]
        steps = dict(zip(result.subsystems, result.summary.steps, strict=True))
        return Outcome(inf if worst is None else worst.error, worst, wrong[0].text() if wrong else "", steps)

    def is_too_fine(self, strategy: Strategy) -> bool:
        """Whether the tight pilot is not tight enough for a strategy."""
        factors = [strategy.steps[name] / step for name, step in self.choices.steps.items()]
        return min(factors, default=1.0) * self.parts < TIGHTER

    def steps_of(self, strategy: Strategy) -> dict[str, int]:
        """Return how many steps each subsystem makes in the run to come."""
        steps = {**self.choices.all_steps, **strategy.steps}
        return {name: round(self.until / step) for name, step in steps.items() if step > 0}

    @property
    def once(self) -> float:
        """What a run takes whatever its steps are, s."""
        return self._inside_once + float(np.median([timing.before for timing in self.timings]))

    @property
    def _inside_once(self) -> float:
        return max(_line(*zip(*(timing.coupling for timing in self.timings), strict=True))[0], 0.0)

    def measured_cost(self, seen: Outcome) -> float:
        """Return the time of the steps of a pilot, s, where they cost more than those that were timed."""
        return max(seen.seconds - (0.0 if self.are_measured else self._inside_once), 0.0)

    def costs_less(self, strategy: Strategy, other: Strategy) -> bool:
        """Whether runs with a strategy cost no more than with another one, made in turn: the least disturbed decide.

        What a processor does in a second changes while advice is sought; it does so for both.
        """
        times = [[self._undisturbed(one).all for one in (strategy, other)] for _ in range(self._repeats)]
        ours, theirs = (min(each) for each in zip(*times, strict=True))
        return bool(ours <= theirs)

    def cost_of(self, steps: Mapping[str, int]) -> float:
        """Return the time that so many steps take, s; without what a run takes once."""
        if self.known[0] != len(self.timings):
            self.known = len(self.timings), self._fitted()
        costs = self.known[1]
        return sum(n * costs[name].of(self.until / max(n, 1)) for name, n in steps.items())

    def _fitted(self) -> dict[str, StepCost]:
        """Return what steps cost, with what the coupling adds to each, but without what a run takes once."""
        _, shared = _line(*zip(*(timing.coupling for timing in self.timings), strict=True))
        made = {}
        for name in self.system.subsystems:
            own = StepCost.fitted(*zip(*(timing.steps[name] for timing in self.timings), strict=True))
            made[name] = own._replace(fixed=own.fixed + shared)
        return made

    def alone(self, system: System, strategy: Strategy) -> float:
        """Return the error of a strategy on a system with its own approximations, against smaller steps of the same."""
        plain = replace(strategy, approximations=(), window=None, pace=None, paces={})
        finer = replace(plain, steps={name: step / LEAST_PARTS for name, step in plain.steps.items()})
        try:
            ours, tight = (self.run(s.applied(system), s.options, self.span) for s in (plain, finer))
        except CounterpointError:
            return inf
        names = [name for source in judged_outputs(system) for name in ours.expand(source)]
        found = [difference(ours, tight, name) for name in names]
        return max((one.error for one in found if one is not None), default=inf)


def judged_outputs(system: System) -> list[str]:
    """Return the outputs that strategies are judged by: those that are connected, and of who sends nothing all."""
    parts = {name: part.subsystem for name, part in system.subsystems.items()}
    outputs = {name: [p for p in part.output_widths if p not in part.minor_outputs] for name, part in parts.items()}
    return judged(outputs, [source for c in system.connections for source in c.sources])


def _line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Return the line through points that most agree on (Theil and Sen), rising or level: its value at 0, its slope.

    A busy machine makes single times many times too long, or charges them to the wrong subsystem.
    """
    at, values = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    first, second = np.triu_indices(len(at), 1)
    apart = np.abs(at[second] - at[first]) > 0.01 * at.max()
    slopes = (values[second] - values[first])[apart] / (at[second] - at[first])[apart]
    slope = max(float(np.median(slopes)), 0.0) if len(slopes) else 0.0
    return float(np.median(values - slope * at)), slope


def exponent(worst: Difference) -> float:
    """Return with which power of time an error grows, 0 to 1, from both halves of a pilot; one that grows is linear."""
    first, second = (float(np.sqrt(np.mean(half**2))) for half in np.array_split(worst.values, 2))
    if not (first > 0 and np.isfinite(second)):
        return 1.0
    return float(np.clip(np.log(max(second / first, 1e-12)) / np.log(3.0), 0.0, 1.0))


def difference(result: Result, tight: Result, name: str) -> Difference | None:
    """Compare a signal of a run with that of the tight one."""
    pair = _pair(result, tight, name)
    return None if pair is None else differ(name, *pair, parts=0)


def _pair(result: Result, tight: Result, name: str) -> tuple[Array, Array, Array] | None:
    """Return the times of a signal of a run, its values, and those of the tight one; None where there are too few."""
    ours, theirs = result.signal(name), tight.signal(name)
    times = np.asarray(ours.time)
    times = times[times <= theirs.time[-1]]
    if len(times) < 2:
        return None
    kind: Kind = "hold" if ours.is_held else "cubic"
    values = np.asarray(ours.values)[: len(times)]
    return times, values, np.asarray(theirs.at(times, kind))


def _step(result: Result, name: str, given: float | None) -> float:
    if given is not None:
        return given
    count = result.summary.steps[result.subsystems.index(name)]
    return (result.end - result.start) / max(count, 1)
