"""All runs of the kart study, and how to look them up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median

from ..report import Progress
from .experiment import MANOEUVRE, Case, simulate
from .outcome import Outcome

REFERENCE = Case()
"""The diagram is master, both steps 1e-4 s, order 0: what the source compares with."""
TRUTH = Case(vehicle_order=1, drive_order=1, located=True, master="scheduler")
"""Both steps 1e-4 s, order 1, engine events located: as near to the solution as these models get here."""
QUICK_TRUTH = replace(TRUTH, ratio=20)

RATIOS = (5, 10, 50, 100)
LARGEST = RATIOS[-1]
TABLE_2 = (REFERENCE, *(Case(ratio) for ratio in RATIOS))
"""Slowest-first, order 0 both ways."""
REPEATS = 3
CURVES = (
    ("slowest-first", 0),
    ("slowest-first", 1),
    ("fastest-first", 0),
    ("fastest-first", 1),
    ("fastest-first", 2),
    ("fastest-first", 3),
)
"""Schemes and orders for what the vehicle publishes; the drive's torque is held."""
BEYOND = (Case(LARGEST, "fastest-first", 1, 1), Case(LARGEST, "fastest-first", 1, smoothed=True))
"""What the source tried without printing numbers: a polynomial for the torque, too, and its mean over the step."""

HOSTED = tuple(Case(ratio, master="vehicle") for ratio in (1, *RATIOS))
"""The other direction of mastership: the vehicle is host, the drive is advanced when it asks; no memory block."""

CAPACITIES = (2.5, 2.8)
"""Factors on the converter's K that make it stiffer than that of the study; the quick form has the first."""


def stiffer(capacity: float) -> list[Case]:
    """Return what shows where high orders of extrapolation stop being stable, the reference first."""
    orders = [Case(LARGEST, "fastest-first", order, capacity=capacity) for order in (1, 2, 3)]
    return [Case(10, vehicle_order=1, capacity=capacity), *orders]


BY_TIME = Case(shifting="by time", master="scheduler")
BY_SPEED = replace(BY_TIME, shifting="by speed")
_CLOCKED_CURVES = (*CURVES[:1], *CURVES[3:])
_QUICK_CLOCKED_CURVES = CURVES[-1:]

LOCATED = tuple(
    replace(case, master="scheduler")
    for case in (
        Case(1, drive_step=1e-4, located=True),
        Case(10, drive_step=1e-3),
        Case(10, drive_step=1e-3, located=True),
        Case(10, vehicle_order=1, drive_order=1, drive_step=1e-3, located=True),
        Case(100, drive_step=1e-3, located=True),
        Case(100, vehicle_order=1, drive_order=1, drive_step=1e-3, located=True),
        Case(100, drive_step=1e-2, located=True),
    )
)
"""Engine events located or not, with steps of the drive from 1e-4 to 1e-2 s."""
UNSTABLE = 0.3
"""Differences in pitch above this are called unstable, degrees: the pitch itself is within 3."""
QUICK_END = 4.8
"""Length of the manoeuvre in the quick form, s: the first gear change is in it."""
QUICK_RATIO = 20
"""FR of the runs that variants are compared with in the quick form."""


def clocked(case: Case, quick: bool) -> list[Case]:
    """Return the counter-example in one way of shifting: its reference, table 2 and some of table 3."""
    ratios, curves = ((QUICK_RATIO, LARGEST), _QUICK_CLOCKED_CURVES) if quick else ((1, *RATIOS), _CLOCKED_CURVES)
    found = [replace(case, ratio=ratio) for ratio in ratios]
    return found + [replace(case, ratio=LARGEST, scheme=s, vehicle_order=order) for s, order in curves]


def cases(quick: bool) -> list[Case]:
    """Return every case of the study, the reference first."""
    capacities = CAPACITIES[:1] if quick else CAPACITIES
    stiff = [case for capacity in capacities for case in stiffer(capacity)]
    both = [*clocked(BY_TIME, quick), *clocked(BY_SPEED, quick), *stiff, *BEYOND]
    if quick:
        curves = [Case(LARGEST, *curve) for curve in CURVES]
        hosted = [replace(HOSTED[0], ratio=QUICK_RATIO), HOSTED[-1]]
        return [REFERENCE, Case(10), *curves, *hosted, *both, QUICK_TRUTH, LOCATED[4]]
    curves = [Case(ratio, *curve) for ratio in RATIOS for curve in CURVES]
    return [REFERENCE, *curves, *HOSTED, *both, TRUTH, *LOCATED]


@dataclass(frozen=True)
class Runs:
    """Outcomes of cases, looked up by what they are.

    Attributes
    ----------
    outcomes : dict
        Of every case that was run.
    until : float
        Length of the manoeuvre, s.
    """

    outcomes: dict[Case, Outcome]
    until: float

    def __contains__(self, case: Case) -> bool:
        return case in self.outcomes

    def __getitem__(self, case: Case) -> Outcome:
        return self.outcomes[case]

    def reference(self, case: Case) -> Outcome:
        """Return what a case is compared with: the run of the same drive and master with the smallest step."""
        same = (
            c
            for c in self.outcomes
            if (c.shifting, c.master, c.capacity) == (case.shifting, case.master, case.capacity)
        )
        return self.outcomes[min(same, key=lambda c: (c.ratio, c.drive_step != REFERENCE.drive_step, c.located))]

    def error(self, case: Case) -> float:
        """Return the largest difference in pitch to the reference, as the drive has it, degrees."""
        return self[case].error(self.reference(case))

    def speed_up(self, case: Case) -> float:
        """Return how many times less processor time a case took than its reference; medians of repetitions."""
        return self.reference(case).cpu / self[case].cpu

    @property
    def truth(self) -> Outcome:
        """What is nearest to the solution."""
        return self.outcomes[TRUTH if TRUTH in self.outcomes else QUICK_TRUTH]

    def present(self, wanted: Iterable[Case]) -> list[Case]:
        """Return those that were run."""
        return [case for case in wanted if case in self.outcomes]


def _timed(case: Case, until: float, repeats: int) -> Outcome:
    """Run a case as often as asked and return its outcome with the median of the times."""
    made = [simulate(case, until) for _ in range(repeats)]
    return replace(made[0], cpu=median(each.cpu for each in made), wall=median(each.wall for each in made))


def run_all(quick: bool, progress: Progress | None = None) -> Runs:
    """Run every case, one after another: they are timed."""
    until = QUICK_END if quick else MANOEUVRE
    wanted, outcomes = list(dict.fromkeys(cases(quick))), {}
    for done, case in enumerate(wanted):
        if progress:
            progress("kart runs", done, len(wanted))
        is_timed = case in TABLE_2 or case in HOSTED
        outcomes[case] = _timed(case, until, REPEATS if is_timed and not quick else 1)
    if progress:
        progress("kart runs", len(wanted), len(wanted))
    return Runs(outcomes, until)
