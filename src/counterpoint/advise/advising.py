"""How advice is found: a tight pilot, linear surrogates, many candidates on these, a few of them on the real models."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite, isnan, nan
from typing import Any

import numpy as np

from .._run.strategy import Strategy
from .._run.trial import trial_run
from ..errors import CounterpointError, SetupError
from ..linearisation import linearise
from ..quality.difference import Difference, differ
from ..quality.verdict import WRONG_MOTION
from ..results import Result
from ..results.sampling import Kind
from ..subsystems import NativeSubsystem
from ..system import System
from .advice import Advice, Candidate
from .candidates import FEW_ORDERS, ORDERS, Choices, Orders
from .coupling_variables import alternatives
from .surrogate import Surrogate

Progress = Callable[[str, int, int], None]
"""Called as ``progress(what, done, total)``."""

TIGHT = (8, 4)
"""Steps of the tight pilot in one of the system's; the second number where the first takes too long."""
TIGHT_SECONDS, TIGHT_SHARE = 1.5, 0.6
PILOT_SECONDS, PILOT_SHARE = 2.0, 0.6
"""Wall time of the tight pilot, and of all others together: so many seconds, or this share of one run if it is more."""
WHOLE_SECONDS, WHOLE_PARTS = 12.0, 2
"""Where linear surrogates do not serve, a run of up to so many seconds is piloted as a whole, against one with steps
divided into so many parts."""
COARSE = 4.0
"""Factor on all steps of the first pilots where pilots alone decide: they cost little, and long steps are wanted."""
TIGHTER = 2.0
"""Steps of the tight pilot are so many times smaller at least than those of what is compared with it."""
OTHER_SIGNALS_SECONDS = 1.0
"""Wall time of a run up to which other signals at bonds are tried."""
SHORTEST = 0.02
"""Part of the run that pilots cover at least."""
STRETCHED = 4
"""Candidates whose steps are lengthened one by one."""
PILOTS = 5
MOST_PILOTS = 16
LONGER, SHORTER = 8, 8
"""How often steps are doubled and halved at most, and one more."""
LINEAR = 0.02
"""Residual of the surrogates up to which few pilots suffice."""
CHEAP_SECONDS = 0.2
"""Wall time of a run up to which black boxes are not identified: pilots are quicker."""
AGREES = 3.0
"""Factor between the errors that surrogate and pilot tell within which the surrogate is believed."""
NONLINEAR = 0.3
"""Residual of the surrogates from which pilots alone decide."""
SAFETY, PILOTED = 0.8, 0.95
"""A candidate seems good when its predicted error is so much of the tolerance; the second where whole runs tell it."""


def advise(
    system: System,
    until: float,
    tolerance: float = 1e-2,
    *,
    change_steps: bool = True,
    schemes: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Advice:
    """Return strategies for a system with predicted errors and costs, the best one first.

    Parameters
    ----------
    system : System
        With steps that are about right; they are changed by factors of two.
    until : float
        End of the run to come, s.
    tolerance : float
        Relative error asked for: rms of the worst exchanged signal over its rms about its mean.
    change_steps : bool
        Whether steps may be changed; if not, the strategy with the smallest error is recommended.
    schemes : sequence of str, optional
        Schemes to try; default: all that differ.
    progress : function, optional
        Told what is being done.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System("two masses")
    >>> for name, x0 in (("left", 1.0), ("right", 0.0)):
    ...     mass = cp.linear([[0, 1], [-15, 0]], [[0], [5]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x")
    ...     system.add(name, mass, step=0.01)
    >>> system.connect("left.x", "right.u")
    >>> system.connect("right.x", "left.u")
    >>> advice = cp.advise.advise(system, until=10.0, tolerance=1e-3)
    >>> advice.good_enough, advice.run().assess(2e-3).verdict
    (True, 'trustworthy')
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _Advising(system, float(until), float(tolerance), change_steps, schemes, progress).advice()


@dataclass
class _Advising:
    """One question, and what is found on the way to the answer."""

    system: System
    until: float
    tolerance: float
    change_steps: bool
    schemes: Sequence[str] | None
    progress: Progress | None
    found: dict[str, tuple[Candidate, Orders]] = field(default_factory=dict)
    by_pilots: bool = False  #: whether pilots alone tell errors
    first_factor: float = 1.0  #: on all steps of the candidates that are tried first
    span: float = nan  #: of pilots, s
    run_seconds: float = nan  #: expected time of one run as it is
    tight_parts: int = TIGHT[0]

    def advice(self) -> Advice:
        began = time.monotonic()
        if not self.system.connections:
            raise SetupError("advise: nothing is connected; there is nothing to choose")
        self._prepare()
        self._tell("surrogate")
        self._calibrate()
        self._try_plain()
        if self.change_steps:
            self._try_steps()
            self._stretch()
        self._pilot()
        return self._answer(time.monotonic() - began)

    # What is measured first

    def _calibrate(self) -> None:
        """Pilot what the surrogate has seen; where both do not agree, pilots alone tell errors."""
        self.by_pilots = not self._trusts_surrogate
        if self.by_pilots:
            return self._pilot_whole_runs()
        scheme = self.choices.schemes[0]
        for orders in (Orders(1, 1), Orders(2, 2)):
            candidate = self._evaluate(self.choices.strategy(scheme, orders), orders)
            seen = self._piloted(candidate)
            self._keep(seen, orders)
            near = 1 / AGREES < max(candidate.predicted, 1e-6) / max(seen.piloted, 1e-6) < AGREES
            self.by_pilots |= not near and max(candidate.predicted, seen.piloted) > 0.1 * self.tolerance
        if self.by_pilots:
            self._pilot_whole_runs()

    def _pilot_whole_runs(self) -> None:
        """Let pilots cover the whole run where that is affordable: its beginning says little of what follows."""
        self.found.clear()
        if not self.change_steps or self.span >= self.until or self.run_seconds > WHOLE_SECONDS:
            return
        self._tell("tight pilot")
        self.span, self.first_factor = self.until, COARSE
        self.tight = self._tight(WHOLE_PARTS)

    def _prepare(self) -> None:
        """Run the system as it is for a moment, which tells costs, and tightly, which tells the motion."""
        self._tell("tight pilot")
        before = time.process_time()
        probe = self._run(self.system, {}, self.until / 50)
        used = time.process_time() - before
        # Processor time says on a busy machine, too, what a run costs; unless others do the work.
        rate = max(min(used, probe.wall_seconds) if self._works_here else probe.wall_seconds, 1e-4)
        rate /= probe.end - probe.start
        budget = max(TIGHT_SECONDS, TIGHT_SHARE * rate * self.until)
        parts = TIGHT[0] if rate * self.until * TIGHT[0] <= budget else TIGHT[1]
        self.span = self.until * float(np.clip(budget / (rate * parts * self.until), SHORTEST, 1.0))
        self.affordable = int(max(PILOT_SECONDS, PILOT_SHARE * rate * self.until) / (rate * self.span))
        base = self._run(self.system, {}, self.span)
        self.costs = _costs(base)
        steps = {name: _step(base, name, part.step) for name, part in self.system.subsystems.items()}
        self.choices = Choices.of(self.system, steps, self.schemes)
        self.run_seconds = rate * self.until
        self.tight = self._tight(parts)
        self.surrogate = self._surrogate(self.run_seconds)

    @property
    def _works_here(self) -> bool:
        """Whether all models run in this process."""
        parts = self.system.subsystems.values()
        return all(part.subsystem.repeatable and not getattr(part.subsystem, "isolated", False) for part in parts)

    def _tight(self, parts: int) -> Result:
        """Return a run over the span of pilots with steps divided into parts."""
        self.tight_parts = parts
        strategy = self.choices.strategy(self.choices.schemes[0], Orders(2, 2), 1 / parts)
        return self._run(strategy.applied(self.system), strategy.options, self.span)

    def _surrogate(self, run_seconds: float) -> Surrogate | None:
        """Return the surrogate; none where identifying a black box takes longer than running it many times."""
        black = any(not isinstance(part.subsystem, NativeSubsystem) for part in self.system.subsystems.values())
        if black and run_seconds < CHEAP_SECONDS:
            return None
        try:
            return Surrogate.fitted(linearise(self.system), self.tight)
        except (CounterpointError, np.linalg.LinAlgError, ValueError):
            return None

    def _run(self, system: System, options: dict[str, Any], until: float) -> Result:
        return trial_run(system, until, **options)

    def _tell(self, what: str, done: int = 0, total: int = 0) -> None:
        if self.progress is not None:
            self.progress(what, done, total)

    # Candidates on the surrogate

    @property
    def _trusts_surrogate(self) -> bool:
        return self.surrogate is not None and self.surrogate.residual < NONLINEAR

    def _evaluate(self, strategy: Strategy, orders: Orders) -> Candidate:
        label = self.choices.label(strategy, orders)
        if label not in self.found:
            steps = self._steps(strategy)
            times = 1 if strategy.window is None else 1 + strategy.window.repeats
            cost = times * sum(steps[name] * self.costs[name] for name in steps)
            made = Candidate(strategy, label, nan, nan, cost, times * sum(steps.values()))
            self._keep(self._piloted(made) if self.by_pilots else self._predicted(made), orders)
            self._tell("candidates", len(self.found), 0)
        return self.found[label][0]

    def _keep(self, candidate: Candidate, orders: Orders) -> None:
        self.found[candidate.label] = candidate, orders

    def _predicted(self, candidate: Candidate) -> Candidate:
        assert self.surrogate is not None
        worth = 3 * self.tolerance if self.change_steps else inf
        return replace(candidate, predicted=self.surrogate.predicted(candidate.strategy, self.until, worth))

    @property
    def _limit(self) -> float:
        """The error up to which a candidate seems good: less than the tolerance where it is only predicted."""
        known = self.by_pilots and self.span >= 0.99 * self.until
        return self.tolerance * (PILOTED if known else SAFETY)

    def _steps(self, strategy: Strategy) -> dict[str, int]:
        steps = {**self.choices.all_steps, **strategy.steps}
        return {name: round(self.until / step) for name, step in steps.items() if step > 0}

    def _try_plain(self) -> None:
        for scheme, orders in self.choices.plain(ORDERS if self.first_factor == 1.0 else FEW_ORDERS):
            self._evaluate(self.choices.strategy(scheme, orders, self.first_factor), orders)
        for scheme in self.choices.schemes:
            if self._tries_more and not self.by_pilots:
                for orders in self.choices.mixed(scheme):
                    self._evaluate(self.choices.strategy(scheme, orders), orders)
        if self._tries_more:
            self._try_special()

    @property
    def _tries_more(self) -> bool:
        """Whether more than schemes and orders may be chosen."""
        return self.schemes is None and self.change_steps

    def _try_special(self) -> None:
        """Try corrected polynomials and repeated steps; with real models only on the scheme that is best so far."""
        ranked = sorted((c for c, _ in self.found.values()), key=lambda c: c.error)
        for scheme, orders in self.choices.special():
            if self.by_pilots and (scheme != ranked[0].strategy.name or orders.faster != 1):
                continue
            self._evaluate(self.choices.strategy(scheme, orders, self.first_factor), orders)

    def _try_steps(self) -> None:
        """Find the longest steps that keep the tolerance, for the most promising schemes and orders."""
        ranked = sorted(self.found.values(), key=lambda pair: pair[0].error)
        tried = {(c.strategy.name, orders): orders for c, orders in ranked[: 3 if self.by_pilots else 6]}
        if not self.by_pilots:
            tried |= {(scheme, Orders(k, k)): Orders(k, k) for scheme in self.choices.schemes for k in (1, 2)}
        for (scheme, _), orders in tried.items():
            for slow_only in (False,) if self.by_pilots else (False, True):
                self._lengthen(scheme, orders, slow_only)

    def _lengthen(self, scheme: str, orders: Orders, slow_only: bool) -> None:
        """Double the steps while the tolerance is kept; if it is not at first, halve them until it is."""
        good = self._is_good_at(self.first_factor, scheme, orders, slow_only)
        ratio = 2.0 if good else 0.5
        for k in range(1, LONGER if good else SHORTER):
            factor = self.first_factor * ratio**k
            if self.by_pilots and factor * self.tight_parts < TIGHTER:
                return  # the tight pilot is not tight enough for these
            if self._is_good_at(factor, scheme, orders, slow_only) != good:
                return

    def _is_good_at(self, factor: float, scheme: str, orders: Orders, slow_only: bool) -> bool:
        strategy = self.choices.strategy(scheme, orders, factor, slow_only)
        if max({**self.choices.all_steps, **strategy.steps}.values()) > self.until / 10:
            return False
        return self._evaluate(strategy, orders).error <= self._limit

    def _stretch(self) -> None:
        """Lengthen single steps of the cheapest good candidates while they stay good."""
        good = [pair for pair in self.found.values() if pair[0].error <= self._limit]
        number = 1 if self.by_pilots else STRETCHED
        for candidate, orders in sorted(good, key=lambda pair: pair[0].cost)[:number]:
            longest = candidate
            for name in self.choices.steps:
                longest = self._stretched(longest, orders, name)

    def _stretched(self, candidate: Candidate, orders: Orders, name: str) -> Candidate:
        while True:
            steps = {**candidate.strategy.steps, name: 2 * candidate.strategy.steps[name]}
            if steps[name] > self.until / 10:
                return candidate
            stretched = replace(candidate.strategy, steps=steps)
            longer = self._evaluate(self.choices.repeating(stretched) if orders.repeated else stretched, orders)
            if not longer.error <= self._limit:
                return candidate
            candidate = longer

    # A few of them on the real models

    def _pilot(self) -> None:
        chosen = [] if self.by_pilots else self._to_pilot()
        for k, candidate in enumerate(chosen):
            self._tell("pilots", k, len(chosen))
            self.found[candidate.label] = self._piloted(candidate), self.found[candidate.label][1]

    def _to_pilot(self) -> list[Candidate]:
        """Return the cheapest that seem good enough and those with the smallest errors."""
        known = [c for c, _ in self.found.values() if not c.predicted > 1e2]
        good = sorted((c for c in known if c.predicted <= self.tolerance), key=lambda c: (c.cost, c.predicted))
        near = sorted(known, key=lambda c: (c.predicted, c.cost))
        few = self.surrogate is not None and self.surrogate.residual < LINEAR
        number = PILOTS if few else int(np.clip(self.affordable, PILOTS, MOST_PILOTS))
        picked = list(dict.fromkeys(c.label for c in [*good[:number], *near[: number if not good else 2]]))
        return [self.found[label][0] for label in picked if isnan(self.found[label][0].piloted)]

    def _piloted(self, candidate: Candidate) -> Candidate:
        """Return a candidate with the error of its pilot, extended to the whole run as the surrogate says."""
        strategy = candidate.strategy
        if not self.by_pilots and self._is_too_fine(strategy):
            return replace(candidate, piloted=candidate.predicted)
        try:
            result = self._run(strategy.applied(self.system), strategy.options, self.span)
        except CounterpointError:
            return replace(candidate, piloted=inf)
        found = [_difference(result, self.tight, name) for name in self._signals(result)]
        worst = max((one for one in found if one is not None), key=lambda one: one.error, default=None)
        error = inf if worst is None else worst.error * self._growth(strategy, worst)
        wrong = [m for one in found if one is not None for m in one.motions if not 0.5 < m.ratio < WRONG_MOTION]
        return replace(candidate, piloted=error, distortion=wrong[0].text() if wrong else "")

    def _is_too_fine(self, strategy: Strategy) -> bool:
        """Whether the tight pilot is not tight enough for a strategy: what the surrogate predicts is then all."""
        factors = [strategy.steps[name] / step for name, step in self.choices.steps.items()]
        return min(factors, default=1.0) * self.tight_parts < TIGHTER

    def _growth(self, strategy: Strategy, worst: Difference) -> float:
        """Return the error of the whole run over that of a pilot."""
        longer = self.until / self.span
        if longer < 1.01 or self.surrogate is None or self.by_pilots:
            return float(longer ** _exponent(worst))
        short, whole = (self.surrogate.error(strategy, span) for span in (self.span, self.until))
        return float(np.clip(whole / short, 1.0, 10 * longer)) if 0 < short < inf and whole < inf else longer

    def _signals(self, result: Result) -> list[str]:
        sources = dict.fromkeys(source for c in self.system.connections for source in c.sources)
        return [name for source in sources for name in result.expand(source) if name in self.tight.signals]

    # The answer

    def _answer(self, seconds: float) -> Advice:
        known = [c for c, _ in self.found.values()]
        piloted = [c for c in known if not isnan(c.piloted)]
        good = [c for c in piloted if c.error <= self.tolerance and not c.distortion]
        best = _cheapest(good) if good and self.change_steps else min(piloted, key=lambda c: c.error)
        others = sorted((c for c in known if c is not best), key=lambda c: (not isfinite(c.error), c.error))
        return Advice(
            self.system, self.until, self.tolerance, (best, *others), best in good,
            tuple(self._reasons(best)), seconds, nan if self.surrogate is None else self.surrogate.residual, len(known),
        )  # fmt: skip

    def _reasons(self, best: Candidate) -> list[str]:
        unstable = sum(not isfinite(c.error) for c, _ in self.found.values())
        reasons = [f"{len(self.found)} strategies were tried, {unstable} of them are unstable"]
        if self.surrogate is None:
            reasons.append("there are no linear surrogates: pilots of the real models decide")
        elif not self._trusts_surrogate:
            share = f"{100 * self.surrogate.residual:.2g} %"
            reasons.append(f"linear surrogates miss {share} of the motion: pilots of the real models decide")
        elif self.by_pilots:
            reasons.append("linear surrogates predict other errors than pilots show: pilots of the real models decide")
        else:
            share = f"{100 * (1 - self.surrogate.residual):.3g} %"
            reasons.append(f"linear surrogates have {share} of the motion; pilots of the real models confirm the best")
        if best.distortion:
            reasons.append(f"do not trust its small error: {best.distortion}")
        return [*reasons, *self._improvements(best)]

    def _improvements(self, best: Candidate) -> list[str]:
        """Say what would make it better: which step to halve, what to exchange instead."""
        return [*self._halving(best), *self._exchanging(best)]

    def _halving(self, best: Candidate) -> Iterator[str]:
        """Say which step to halve: the one whose halving helps most."""
        by_pilots = self.surrogate is None or self.by_pilots
        if not self.choices.steps or (by_pilots and best.error <= self.tolerance):
            return  # with real models only where it is needed
        before = self._wrong(best.strategy, by_pilots)
        halves = {}
        for name, step in best.strategy.steps.items():
            if name in self.choices.steps:
                shorter = replace(best.strategy, steps={**best.strategy.steps, name: step / 2})
                halves[name] = self._wrong(shorter, by_pilots)
        name = min(halves, key=lambda key: halves[key])
        if isfinite(halves[name]) and halves[name] < 0.8 * before:
            factor = f"{before / max(halves[name], 1e-12):.2g}" if isfinite(before) else "many"
            head = "to make it better" if best.error <= self.tolerance else "to come nearer to the tolerance"
            yield f'{head}, halve the step of "{name}": the error becomes {factor} times smaller'
        elif not best.error <= self.tolerance:
            yield "halving the step of one subsystem alone does not help: reduce all of them"

    def _wrong(self, strategy: Strategy, by_pilots: bool) -> float:
        """Return the error of a strategy, from a pilot or from the surrogate."""
        if by_pilots:
            return self._piloted(Candidate(strategy, "")).piloted
        assert self.surrogate is not None
        return self.surrogate.error(strategy, self.until)

    def _exchanging(self, best: Candidate) -> Iterator[str]:
        """Say where other signals at a bond would make the error smaller, each against a tight pilot of its own."""
        if self.run_seconds > OTHER_SIGNALS_SECONDS or not isfinite(best.error):
            return
        plain = replace(best.strategy, approximations=())
        before = self._alone(self.system, plain)
        for text, system in alternatives(self.system):
            after = self._alone(system, plain)
            if after < 0.7 * before:
                yield f"to make it better, {text}: the error becomes {before / max(after, 1e-12):.2g} times smaller"

    def _alone(self, system: System, strategy: Strategy) -> float:
        """Return the error of a strategy on a system with default approximations, against smaller steps of the same."""
        finer = replace(strategy, steps={name: step / 8 for name, step in strategy.steps.items()})
        try:
            ours, tight = (
                self._run(s.applied(system), {**s.options, "window": None}, self.span) for s in (strategy, finer)
            )
        except CounterpointError:
            return inf
        sources = dict.fromkeys(source for c in system.connections for source in c.sources)
        names = [name for source in sources for name in ours.expand(source)]
        found = [_difference(ours, tight, name) for name in names]
        return max((one.error for one in found if one is not None), default=inf)


def _exponent(worst: Difference) -> float:
    """Return with which power of time an error grows, 0 to 1, from both halves of a pilot; one that grows is linear."""
    first, second = (float(np.sqrt(np.mean(half**2))) for half in np.array_split(worst.values, 2))
    if not (first > 0 and np.isfinite(second)):
        return 1.0
    return float(np.clip(np.log(max(second / first, 1e-12)) / np.log(3.0), 0.0, 1.0))


def _cheapest(good: list[Candidate]) -> Candidate:
    """Return the cheapest; of those that cost nearly the same the one with the smallest error."""
    least = min(c.cost for c in good)
    return min((c for c in good if c.cost <= 1.1 * least), key=lambda c: c.error)


def _costs(result: Result) -> dict[str, float]:
    """Return wall time per step of each subsystem, s, with its share of the coupling."""
    timing = result.timing.set_index("subsystem")
    steps = timing["steps"].clip(lower=1)
    own = (timing["seconds"] / steps).fillna(0.0)
    shared = max(result.wall_seconds - float(timing["seconds"].sum()), 0.0) / float(steps.sum())
    return {str(name): float(own[name]) + shared for name in timing.index}


def _step(result: Result, name: str, given: float | None) -> float:
    if given is not None:
        return given
    times = result.row_times(name)
    return float(np.median(np.diff(times))) if len(times) > 1 else result.end - result.start


def _difference(result: Result, tight: Result, name: str) -> Difference | None:
    ours, theirs = result.signal(name), tight.signal(name)
    times = np.asarray(ours.time)
    times = times[times <= theirs.time[-1]]
    if len(times) < 2:
        return None
    kind: Kind = "hold" if ours.is_held else "cubic"
    values = np.asarray(ours.values)[: len(times)]
    return differ(name, times, values, np.asarray(theirs.at(times, kind)), parts=0)
