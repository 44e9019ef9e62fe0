"""How candidates are searched: schemes and orders first, then longer steps for the best of them, then what is special.

No grid is enumerated. Errors come from surrogates or from pilots of the real models; the search is the same, but with
pilots it tries less, begins where the tolerance should just be kept, and stops when its time is used up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import inf, isfinite, log2

import numpy as np

from .advice import Candidate
from .candidates import PACES, Orders, Pacing, Point
from .pilots import ORDER, TIGHTER, Pilots, exponent
from .surrogate import Surrogates

SAFETY, PILOTED = 0.8, 0.95
"""A candidate seems good when its predicted error is so much of the tolerance; the second where whole runs tell it."""
FEW, MANY = 3, 6
"""Schemes with orders whose steps are lengthened: with pilots, and with surrogates."""
DOUBLINGS = 8
"""How often steps are doubled or halved at most, and one more."""
LONGEST = 0.1
"""Longest step, as part of the run."""
SEARCH_SECONDS, SEARCH_RUNS = 0.15, 15.0
"""Processor time of the pilots of a search: seconds, and so many times that of one run."""
CHEAPER = 0.9
"""A candidate is worth a trial when it costs less than this part of the best one."""
MUCH_WORSE = 3.0
"""A scheme whose error is so many times larger than that of the best is not tried with other orders."""
SAME_COST, SAME_STEPS = 1.1, 1.2
"""Factors within which two candidates cost the same, and make about as many steps."""
SAME_ERROR = 1.25
"""Factor within which two candidates have the same error."""
LEAST_FIRST = 1.0
"""Pilots begin with steps of this factor at least: another order may need no shorter ones, and they cost less."""
SINGLE_COST, SINGLE_HELPS = 0.8, 0.6
"""A single step is halved where that costs at most so much of what halving all costs, and makes the error so small."""
PACE_TRIALS = 2
"""Tolerances that are tried for each kind of pace."""
COSTLY = 0.5
"""A subsystem gets a pace of its own when its steps take more than this part of the run."""


@dataclass
class Search:
    """Candidates that were found so far.

    Attributes
    ----------
    pilots : Pilots
    surrogates : Surrogates or None
    by_pilots : bool
        Whether pilots alone tell errors.
    everything : bool
        Whether more than schemes, orders and steps may be chosen.
    """

    pilots: Pilots
    surrogates: Surrogates | None
    by_pilots: bool
    everything: bool
    tell: Callable[[int], None]
    found: dict[Point, Candidate] = field(default_factory=dict)
    counts: dict[Point, dict[str, int]] = field(default_factory=dict)  #: steps of each subsystem in the run to come
    measured: dict[Point, float] = field(default_factory=dict)  #: costs of points whose steps cost more than others, s

    @property
    def limit(self) -> float:
        """The error up to which a candidate seems good: less than the tolerance where it is only predicted."""
        return self.pilots.tolerance * (PILOTED if self.by_pilots and self.pilots.is_whole else SAFETY)

    def evaluate(self, point: Point) -> Candidate:
        """Return a candidate with its error, once for each point."""
        if point not in self.found:
            choices = self.pilots.choices
            strategy = choices.strategy(point)
            self.counts[point] = self.pilots.steps_of(strategy)
            made = Candidate(strategy, choices.label(point), special=point.special)
            seen = self.piloted(point, made) if self.by_pilots or point.pacing else self.predicted(made)
            self.found[point] = replace(
                seen, cost=self.cost(point), steps=_times(point) * sum(self.counts[point].values())
            )
            self.tell(len(self.found))
        return self.found[point]

    def cost(self, point: Point) -> float:
        """Return the time that the steps of a run take, s, from all that is known of their costs."""
        if point in self.measured:
            return self.measured[point]
        known = self.counts.get(point) or self.pilots.steps_of(self.pilots.choices.strategy(point))
        return _times(point) * self.pilots.cost_of(known)

    def candidates(self) -> list[Candidate]:
        """Return all candidates, their costs brought up to date, with what any run takes once."""
        once = self.pilots.once
        self.found = {point: replace(seen, cost=once + self.cost(point)) for point, seen in self.found.items()}
        return list(self.found.values())

    def pilot(self, point: Point) -> Candidate:
        """Pilot a candidate that surrogates have predicted."""
        self.found[point] = self.piloted(point, self.found[point])
        return self.found[point]

    def predicted(self, candidate: Candidate) -> Candidate:
        """Return a candidate with the error that surrogates predict."""
        assert self.surrogates is not None
        worth = inf if self.pilots.keeps_steps else 3 * self.pilots.tolerance
        return replace(candidate, predicted=self.surrogates.predicted(candidate.strategy, self.pilots.until, worth))

    def piloted(self, point: Point, candidate: Candidate) -> Candidate:
        """Return a candidate with the error of its pilot, extended to the whole run as the surrogates say."""
        strategy = candidate.strategy
        if not self.by_pilots and self.pilots.is_too_fine(strategy):
            return replace(candidate, piloted=candidate.predicted)
        seen = self.pilots.outcome(strategy)
        if seen.worst is None:
            return replace(candidate, piloted=inf)
        longer = self.pilots.until / self.pilots.span
        if point.pacing is not None:  # its steps are known now
            self.counts[point] = {name: round(longer * count) for name, count in seen.steps.items()}
        if point.costs_more:
            measured = longer * self.pilots.measured_cost(seen)
            self.measured[point] = max(measured, _times(point) * self.pilots.cost_of(self.counts[point]))
        error = seen.error * self._growth(candidate, longer, exponent(seen.worst))
        return replace(candidate, piloted=error, distortion=seen.distortion)

    def _growth(self, candidate: Candidate, longer: float, power: float) -> float:
        """Return the error of the whole run over that of a pilot."""
        if longer < 1.01 or self.surrogates is None or self.by_pilots:
            return float(longer**power)
        ends = (self.pilots.span, self.pilots.until)
        short, whole = (self.surrogates.error(candidate.strategy, end) for end in ends)
        return float(np.clip(whole / short, 1.0, 10 * longer)) if 0 < short < inf and whole < inf else longer

    # What is tried

    def plain(self) -> None:
        """Try schemes with orders, all with one factor on all steps."""
        choices, factor = self.pilots.choices, self._first_factor()
        if not self.by_pilots:
            for scheme in choices.schemes:
                for orders in (*choices.orders, *(choices.mixed() if self.everything else ())):
                    self.evaluate(choices.point(scheme, orders, factor))
            return
        schemes = sorted(choices.schemes, key=lambda s: self._error(choices.point(s, Orders(1, 1), factor)))
        least = self._error(choices.point(schemes[0], Orders(1, 1), factor))
        if not choices.approximated:
            return
        for scheme in schemes if self.pilots.keeps_steps else schemes[:2]:
            first = self._error(choices.point(scheme, Orders(1, 1), factor))
            if not self.pilots.keeps_steps and first > MUCH_WORSE * least:
                return
            second = self._error(choices.point(scheme, Orders(2, 2), factor))
            for order in (0, 3) if self.pilots.keeps_steps else (3,) if second < first else (0,):
                self.evaluate(choices.point(scheme, Orders(order, order), factor))

    def _first_factor(self) -> float:
        """Return the factor on all steps with which pilots begin: that with which the tolerance is just kept."""
        pilots = self.pilots
        if not self.by_pilots or pilots.keeps_steps:
            return 1.0
        expected = (pilots.tolerance / np.clip(pilots.first_error, 1e-12, 1e6)) ** (1 / ORDER)
        longest = LONGEST * pilots.until / max(pilots.choices.all_steps.values())
        most = max(2.0 ** np.floor(log2(longest)) if longest > 0 else 1.0, 1.0)
        least = max(min(TIGHTER / pilots.parts, 1.0), LEAST_FIRST)
        return float(np.clip(2.0 ** round(log2(expected)), least, min(most, 8.0)))

    def steps(self) -> None:
        """Find the longest steps that keep the tolerance, for the most promising schemes and orders."""
        ranked = sorted(self.found, key=self._error)
        shortlist = list(dict.fromkeys((p.scheme, p.orders) for p in ranked))[: FEW if self.by_pilots else MANY]
        if not self.by_pilots:
            more = ((scheme, Orders(k, k)) for scheme in self.pilots.choices.schemes for k in (1, 2))
            shortlist = list(dict.fromkeys([*shortlist, *more]))
        for scheme, orders in shortlist:
            first = next(p for p in ranked if (p.scheme, p.orders) == (scheme, orders))
            self._lengthen(first, None)
            if not self.by_pilots:
                self._lengthen(first, self.pilots.choices.slower)
        self._improve(shortlist[: FEW if self.by_pilots else MANY])

    def _lengthen(self, point: Point, only: list[int] | None) -> None:
        """Double steps while the tolerance is kept; if it is not at first, halve them until it is."""
        good = self._is_good(point)
        for _ in range(1, DOUBLINGS):
            if good or only is not None or not self.by_pilots:
                point = point.scaled(2.0 if good else 0.5, only)
            else:
                point = self._shortened(point)
            if self._is_out(point) or (self.by_pilots and not good and self._is_beaten(point)):
                return
            if self._is_good(point) != good:
                return

    def _shortened(self, point: Point) -> Point:
        """Return a point with half the step of one subsystem where that makes the error much smaller, else of all."""
        both = point.scaled(0.5)
        cost, error = self.cost(both), self._error(point)
        single = [point.scaled(0.5, [k]) for k in range(len(point.factors))] if len(point.factors) > 1 else []
        for move in sorted(single, key=self.cost):
            if self.cost(move) > SINGLE_COST * cost or self._is_out(move):
                continue
            if self._error(move) <= SINGLE_HELPS * error:
                return move
        return both

    def _improve(self, shortlist: list[tuple[str, Orders]]) -> None:
        """Lengthen single steps of the cheapest good candidate, with any of these schemes and orders.

        A step may also be halved where another one, twice as long, saves more.
        """
        while (best := self.cheapest()) is not None:
            for point in self._neighbours(best, shortlist):
                if self._has_time and self._is_good(point):
                    break
            else:
                return

    def _neighbours(self, best: Point, shortlist: list[tuple[str, Orders]]) -> Iterator[Point]:
        """Yield cheaper points near one, those that need the smallest change first."""
        cost = self.cost(best)
        count = range(len(best.factors))
        moves = [best.scaled(2.0, [k]) for k in count]
        moves += [best.scaled(2.0, [k]).scaled(0.5, [j]) for k in count for j in count if j != k]
        cheaper = [(self.cost(move), move) for move in moves if not self._is_out(move)]
        same = (best.scheme, best.orders)
        for _, move in sorted((pair for pair in cheaper if pair[0] < CHEAPER * cost), key=lambda pair: -pair[0]):
            for scheme, orders in dict.fromkeys([same, *shortlist]):
                yield move._replace(scheme=scheme, orders=orders)

    def special(self) -> None:
        """Try corrected polynomials, repeated steps, another start and paces where the best candidate is."""
        best = self.cheapest()
        if best is None:
            best = min(self.found, key=self._error)
        a, b = best.orders.faster, best.orders.slower
        corrected = [best._replace(orders=Orders(a, b, corrected=True))] if self.pilots.choices.approximated else []
        for point in (
            *corrected,
            best._replace(orders=Orders(max(a, 1), max(b, 1), repeated=True)).scaled(4.0),  # they cost twice as much
        ):
            if self._has_time and not self._is_out(point) and self._is_good(point):
                self._lengthen(point, None)
        best = self.cheapest() or best
        if self._has_time and not best.orders.repeated:
            self.evaluate(best._replace(first_steps="once"))
        self._paces(best)

    def _paces(self, best: Point) -> None:
        """Try paces: of all subsystems together, and of the one whose steps cost most."""
        pilots = self.pilots
        if not pilots.is_whole:
            return
        receivers = [name for name, part in pilots.system.subsystems.items() if part.subsystem.inputs]
        steps = pilots.choices.steps_at(best)
        if all(name in steps for name in receivers):
            first = min({**pilots.choices.all_steps, **steps}.values()) / 8
            for kind in PACES:
                self._pace(best, Pacing(kind, pilots.tolerance, first))
        if len(receivers) > 1 and (name := self._costliest(best)) is not None:
            for kind in PACES:
                self._pace(best, Pacing(kind, pilots.tolerance, steps[name] / 8, name))

    def _costliest(self, point: Point) -> str | None:
        """Return the subsystem whose steps may be changed and take the largest part of the run, if it is most of it."""
        pilots = self.pilots
        counts = pilots.steps_of(pilots.choices.strategy(point))
        shares = {name: pilots.cost_of({name: count}) for name, count in counts.items()}
        name = max(shares, key=lambda key: shares[key])
        return name if name in pilots.choices.steps and shares[name] > COSTLY * sum(shares.values()) else None

    def _pace(self, best: Point, pacing: Pacing) -> None:
        """Try a pace with a tolerance or two."""
        plain = best._replace(orders=Orders(best.orders.faster, best.orders.slower), first_steps="once")
        tolerance = pacing.tolerance
        for _ in range(PACE_TRIALS):
            if not self._has_time:
                return
            tolerance = float(f"{tolerance:.2g}")
            seen = self.evaluate(plain._replace(pacing=pacing._replace(tolerance=tolerance)))
            if not seen.error <= MUCH_WORSE**2 * self.limit or (
                seen.error > self.limit and seen.cost > self.cost(best)
            ):
                return  # a smaller tolerance is too far away, or costs more still
            tolerance *= float(np.clip(self.limit / max(seen.error, 1e-12), 0.02, 50.0)) ** 0.8

    # What is known of a point

    def cheapest(self) -> Point | None:
        """Return the cheapest point that seems good and has fixed steps."""
        good = [p for p, c in self.found.items() if p.pacing is None and c.error <= self.limit and not c.distortion]
        costs = {p: replace(self.found[p], cost=self.cost(p)) for p in good}
        best = cheapest(list(costs.values())) if good else None
        return next((p for p, c in costs.items() if c is best), None)

    def recommended(self, good: list[Candidate]) -> Candidate:
        """Return the cheapest that keeps the tolerance with some distance: the tight pilot has an error as well.

        Where runs take no time to speak of, one whose steps cost more than others is made again beside a plain one.
        """
        kept = [c for c in good if c.error <= self.limit] or good
        best = cheapest(kept, self.pilots.once)
        costly = [self.found[point] for point in self.measured]
        plain = [c for c in kept if not any(c is other for other in costly)]
        if len(plain) in (0, len(kept)) or best in plain or not self.pilots.are_measured:
            return best
        other = cheapest(plain, self.pilots.once)
        return best if self.pilots.costs_less(best.strategy, other.strategy) else other

    def _error(self, point: Point) -> float:
        error = self.evaluate(point).error
        return error if isfinite(error) else inf

    def _is_good(self, point: Point) -> bool:
        seen = self.evaluate(point)
        return seen.error <= self.limit and not seen.distortion

    def _is_out(self, point: Point) -> bool:
        """Whether steps are too long for the run, or too short for the tight pilot."""
        steps = {**self.pilots.choices.all_steps, **self.pilots.choices.steps_at(point)}
        if max(steps.values()) > LONGEST * self.pilots.until and max(point.factors, default=1.0) > 1.0:
            return True
        return self.by_pilots and (min(point.factors, default=1.0) * self.pilots.parts < TIGHTER or not self._has_time)

    def _is_beaten(self, point: Point) -> bool:
        """Whether a good candidate is known that costs less."""
        best = self.cheapest()
        return best is not None and self.cost(best) < self.cost(point)

    @property
    def _has_time(self) -> bool:
        """Whether pilots may still be made."""
        return not self.by_pilots or self.pilots.spent < SEARCH_SECONDS + SEARCH_RUNS * self.pilots.run_seconds


def cheapest(good: list[Candidate], once: float = 0.0) -> Candidate:
    """Return the cheapest; of those that cost nearly the same one with few steps, and of these the smallest error.

    Costs are measured with errors; steps are not. What is special has to make the error visibly smaller. Where costs
    include what any run takes once, s, those of the steps have to be nearly the same as well.
    """
    near = [c for c in good if c.cost <= SAME_COST * min(c.cost for c in good)]
    least_of_steps = min(c.cost - once for c in near)
    near = [c for c in near if c.cost - once <= SAME_STEPS * least_of_steps or c.cost - once <= least_of_steps]
    fewest = min(c.steps for c in near)
    few = [c for c in near if c.steps <= SAME_STEPS * fewest]
    least = min(c.error for c in few)
    return min((c for c in few if c.error <= SAME_ERROR * least), key=lambda c: (c.special, c.error))


def _times(point: Point) -> int:
    """Return how often each step is made."""
    return 2 if point.orders.repeated else 1
