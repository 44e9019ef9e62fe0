"""How advice is found: a tight pilot, linear surrogates, a search among candidates, pilots of the best few."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import isfinite, isnan, nan

import numpy as np

from ..errors import CounterpointError, SetupError
from ..linearisation import linearise
from ..quality.texts import percent_text
from ..subsystems import NativeSubsystem
from ..system import System
from .advice import Advice, Candidate
from .candidates import Orders, Point
from .improvements import improvements
from .pilots import FIRST_PARTS, Pilots
from .search import SAME_ERROR, Search
from .surrogate import Surrogate, Surrogates

Progress = Callable[[str, int, int], None]
"""Called as ``progress(what, done, total)``."""

WHOLE_SECONDS = 12.0
"""Where linear surrogates do not serve, a run of up to so many seconds is piloted as a whole."""
PILOTS = 5
MOST_PILOTS = 16
LINEAR = 0.02
"""Residual of the surrogates up to which few pilots suffice."""
CHEAP_SECONDS = 0.2
"""Time of a run up to which black boxes are not identified: pilots are quicker."""
AGREES = 3.0
"""Factor between the errors that surrogate and pilot tell within which the surrogate is believed."""
MORE_POINTS = 3
"""Operating points beside the start that are chosen at most."""
POINT_SECONDS = 0.1
"""They are looked for where linearising takes no longer than this, or than a run."""
POINTS_COST = 0.02
"""They are not looked for where a run takes less than this, s: pilots tell as much in that time."""
PLACES = 32
"""Parts of the pilot at whose ends they may lie."""
POINT_HELPS = 0.5
"""They are used when the surrogates then miss this part of what they missed before, or less."""
NONLINEAR = 0.3
"""Residual of the surrogates from which pilots alone decide."""


def advise(
    system: System,
    until: float,
    tolerance: float = 1e-2,
    *,
    change_steps: bool = True,
    schemes: Sequence[str] | None = None,
    operating_points: Sequence[float] = (),
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
        Tolerated relative error: rms of the worst signal over its rms about its mean, of all that are exchanged and
        of subsystems that send nothing.
    change_steps : bool
        Whether steps may be changed; if not, the strategy with the smallest error is recommended.
    schemes : sequence of str, optional
        Schemes to try; default: all that differ.
    operating_points : sequence of float
        Further times (s) at which the system is linearised, each for the time up to the next one; the start always is.
        Pilots then cover the whole run. Without them up to three are chosen from the pilot, where they help.
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
    if not system.connections:
        raise SetupError("advise: nothing is connected; there is nothing to choose")
    times = tuple(sorted({0.0, *map(float, operating_points)}))
    if times[0] < 0.0 or not times[-1] < until:
        wrong = times[0] if times[0] < 0.0 else times[-1]
        raise SetupError(f"advise: operating point {wrong:g} s; expected times from 0 to before the end, {until:g} s")
    pilots = Pilots(system, float(until), float(tolerance), not change_steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _Advising(pilots, schemes, times, progress).advice()


@dataclass
class _Advising:
    """One question, and what is found on the way to the answer."""

    pilots: Pilots
    schemes: Sequence[str] | None
    times: tuple[float, ...]
    progress: Progress | None
    surrogates: Surrogates | None = None
    search: Search = field(init=False)

    def advice(self) -> Advice:
        began = time.monotonic()
        self._tell("tight pilot")
        self.pilots.begin(self.schemes, whole=len(self.times) > 1)
        self._tell("surrogate")
        self.surrogates = self._linearised()
        self.search = self._search(by_pilots=not self._trusts_surrogates or self._pilots_cost_less)
        if not self.search.by_pilots and not self._agrees():
            self.search = self._search(by_pilots=True)
        if self.search.by_pilots:
            self._cover_whole_run()
        self.search.plain()
        if not self.pilots.keeps_steps:
            self.search.steps()
            if self.search.everything:
                self.search.special()
        self._pilot()
        return self._answer(began)

    def _search(self, by_pilots: bool) -> Search:
        everything = self.schemes is None and not self.pilots.keeps_steps
        return Search(self.pilots, self.surrogates, by_pilots, everything, lambda done: self._tell("candidates", done))

    def _tell(self, what: str, done: int = 0, total: int = 0) -> None:
        if self.progress is not None:
            self.progress(what, done, total)

    # Surrogates

    def _linearised(self) -> Surrogates | None:
        """Return the surrogates; none where identifying a black box takes longer than running it many times."""
        system, tight = self.pilots.system, self.pilots.tight
        black = any(not isinstance(part.subsystem, NativeSubsystem) for part in system.subsystems.values())
        if black and self.pilots.run_seconds < CHEAP_SECONDS:
            return None
        began = time.process_time()
        ends = (*self.times, tight.end - tight.start)
        parts = [self._surrogate(begin, end) for begin, end in pairwise(ends)]
        if any(part is None for part in parts):
            return None
        made = Surrogates(self.times, tuple(part for part in parts if part is not None))
        quick = time.process_time() - began < max(POINT_SECONDS, self.pilots.run_seconds)
        more = len(self.times) == 1 and quick and not black and self.pilots.run_seconds > POINTS_COST
        return self._with_more_points(made) if more else made

    def _surrogate(self, begin: float, end: float) -> Surrogate | None:
        """Return the surrogate from the state at the beginning of a stretch (s after the start) of the tight pilot."""
        tight = self.pilots.tight
        try:
            linear = linearise(self.pilots.system, at=begin)
            return Surrogate.fitted(linear, tight, tight.start + begin, tight.start + end)
        except (CounterpointError, np.linalg.LinAlgError, ValueError):
            return None

    def _with_more_points(self, first: Surrogates) -> Surrogates:
        """Linearise anew where the motion of the pilot leaves that of the surrogate, if that helps."""
        whole = self.pilots.tight.end - self.pilots.tight.start
        part, place = first.parts[0], 0
        times: list[float] = []
        parts: list[Surrogate] = []
        while part.residual > LINEAR and len(parts) < MORE_POINTS:
            reached = self._reach(part, place)
            if reached >= PLACES:
                break
            times.append(place * whole / PLACES)
            parts.append(self._refitted(part, times[-1], reached * whole / PLACES))
            following = self._surrogate(reached * whole / PLACES, whole)
            if following is None:
                return first
            part, place = following, reached
        made = Surrogates((*times, place * whole / PLACES), (*parts, part))
        return made if made.residual < POINT_HELPS * first.residual else first

    def _reach(self, part: Surrogate, place: int) -> int:
        """Return the first place behind which a surrogate misses too much of the motion."""
        whole = self.pilots.tight.end - self.pilots.tight.start
        good, bad = place, PLACES
        while bad - good > 1:
            middle = (good + bad) // 2
            fits = self._refitted(part, place * whole / PLACES, middle * whole / PLACES).residual <= LINEAR
            good, bad = (middle, bad) if fits else (good, middle)
        return bad

    def _refitted(self, part: Surrogate, begin: float, end: float) -> Surrogate:
        tight = self.pilots.tight
        return Surrogate.fitted(part.linear, tight, tight.start + begin, tight.start + end)

    @property
    def _trusts_surrogates(self) -> bool:
        return self.surrogates is not None and self.surrogates.residual < NONLINEAR

    @cached_property
    def _pilots_cost_less(self) -> bool:
        """Whether a run of the real models takes no longer than one of their surrogates, and tells the error as well.

        Models of some states and some hundred steps are as quick as their surrogates: these need a system of their own
        for each strategy, and several runs of it.
        """
        pilots = self.pilots
        if pilots.keeps_steps or not pilots.is_whole or self.surrogates is None or len(self.times) > 1:
            return False
        if pilots.run_seconds > CHEAP_SECONDS:
            return False
        strategy = pilots.choices.strategy(pilots.choices.point(next(iter(pilots.choices.schemes)), Orders(1, 1)))
        began = time.process_time()
        self.surrogates.predicted(strategy, pilots.until)
        return pilots.run_seconds <= time.process_time() - began

    def _agrees(self) -> bool:
        """Pilot what the surrogates have seen, and say whether both tell the same errors."""
        search, tolerance = self.search, self.pilots.tolerance
        scheme = next(iter(self.pilots.choices.schemes))
        for orders in (Orders(1, 1), Orders(2, 2)):
            point = self.pilots.choices.point(scheme, orders)
            predicted = search.evaluate(point).predicted
            seen = search.pilot(point)
            near = 1 / AGREES < max(predicted, 1e-6) / max(seen.piloted, 1e-6) < AGREES
            if not near and max(predicted, seen.piloted) > 0.1 * tolerance:
                return False
        return True

    def _cover_whole_run(self) -> None:
        """Let pilots cover the whole run where that is affordable: its beginning says little of what follows."""
        pilots = self.pilots
        if not (pilots.keeps_steps or pilots.is_whole or pilots.run_seconds > WHOLE_SECONDS):
            self._tell("tight pilot")
            pilots.cover(pilots.until, FIRST_PARTS)

    # A few of them on the real models

    def _pilot(self) -> None:
        chosen = [] if self.search.by_pilots else self._to_pilot()
        for k, point in enumerate(chosen):
            self._tell("pilots", k, len(chosen))
            self.search.pilot(point)

    def _to_pilot(self) -> list[Point]:
        """Return the cheapest that seem good enough and those with the smallest errors."""
        known = [p for p, c in self.search.found.items() if not c.predicted > 1e2 and p.pacing is None]
        found, pilots = self.search.found, self.pilots
        good = sorted(
            (p for p in known if found[p].predicted <= pilots.tolerance),
            key=lambda p: (found[p].cost, found[p].predicted),
        )
        near = sorted(known, key=lambda p: (found[p].predicted, found[p].cost))
        few = self.surrogates is not None and self.surrogates.residual < LINEAR
        affordable = 10 * pilots.until / pilots.span
        number = PILOTS if few else int(np.clip(affordable, PILOTS, MOST_PILOTS))
        picked = dict.fromkeys([*good[:number], *near[: number if not good else 2]])
        return [p for p in picked if isnan(found[p].piloted)]

    # The answer

    def _answer(self, began: float) -> Advice:
        pilots, known = self.pilots, self.search.candidates()
        piloted = [c for c in known if not isnan(c.piloted)]
        good = [c for c in piloted if c.error <= pilots.tolerance and not c.distortion]
        best = self.search.recommended(good) if good and not pilots.keeps_steps else self._nearest(piloted)
        others = sorted((c for c in known if c is not best), key=lambda c: (not isfinite(c.error), c.error))
        reasons = (*self._reasons(best), *improvements(self.search, best))
        residual = nan if self.surrogates is None else self.surrogates.residual
        return Advice(
            pilots.system, pilots.until, pilots.tolerance, (best, *others), best in good, reasons,
            time.monotonic() - began, residual, len(known),
        )  # fmt: skip

    def _nearest(self, piloted: list[Candidate]) -> Candidate:
        """Return the candidate with the smallest error; where steps may be chosen, the cheapest of about this error."""
        least = min(piloted, key=lambda c: c.error)
        if self.pilots.keeps_steps or not isfinite(least.error):
            return least
        return min((c for c in piloted if c.error <= SAME_ERROR * least.error), key=lambda c: (c.cost, c.error))

    def _reasons(self, best: Candidate) -> list[str]:
        known = self.search.found.values()
        unstable = sum(not isfinite(c.error) for c in known)
        reasons = [f"{len(known)} strategies were tried, {unstable} of them unstable"]
        if self.surrogates is None:
            reasons.append("there are no linear surrogates: pilots of the real models decide")
        elif not self._trusts_surrogates:
            share = percent_text(self.surrogates.residual)
            reasons.append(f"linear surrogates miss {share} of the motion: pilots of the real models decide")
        elif self.search.by_pilots and self._pilots_cost_less:
            reasons.append("runs of the real models take no longer than those of linear surrogates: they decide")
        elif self.search.by_pilots:
            reasons.append("linear surrogates predict other errors than pilots show: pilots of the real models decide")
        else:
            share = f"{100 * (1 - self.surrogates.residual):.3g} %"
            reasons.append(
                f"linear surrogates reproduce {share} of the motion; pilots of the real models confirm the best"
            )
        if self.surrogates is not None and len(self.surrogates.times) > 1:
            points = ", ".join(f"{t:.3g}" for t in self.surrogates.times[1:])
            chosen = "" if len(self.times) > 1 else ", chosen from the pilot"
            reasons.append(f"linearised at the start and at {points} s{chosen}")
        if best.distortion:
            reasons.append(f"do not trust its small error: {best.distortion}")
        return reasons
