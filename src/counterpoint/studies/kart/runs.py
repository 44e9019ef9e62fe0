"""All runs of the kart study, and how to look them up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..report import Progress
from .experiment import MANOEUVRE, Case, Outcome, simulate

REFERENCE = Case()
"""Both steps 1e-4 s, order 0: what the source compares with."""
BY_SPEED = replace(REFERENCE, shifting="by speed")
TRUTH = Case(vehicle_order=1, drive_order=1, located=True)
"""Both steps 1e-4 s, order 1, engine events located: as near to the solution as these models get here."""
QUICK_TRUTH = replace(TRUTH, ratio=5)

RATIOS = (5, 10, 50, 100)
LARGEST = RATIOS[-1]
TABLE_2 = (REFERENCE, *(Case(ratio) for ratio in RATIOS))
"""Slowest-first, order 0 both ways."""
_REPEATS, _SHORT = 3, 10
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

LOCATED = (
    Case(1, drive_step=1e-4, located=True),
    Case(10, drive_step=1e-3),
    Case(10, drive_step=1e-3, located=True),
    Case(10, vehicle_order=1, drive_order=1, drive_step=1e-3, located=True),
    Case(100, drive_step=1e-3, located=True),
    Case(100, vehicle_order=1, drive_order=1, drive_step=1e-3, located=True),
    Case(100, drive_step=1e-2, located=True),
)
"""Engine events located or not, with steps of the drive from 1e-4 to 1e-2 s."""
UNSTABLE = 1.0
"""Differences in pitch above this are called unstable, degrees: the pitch itself is within 3."""
QUICK_END = 5.0
"""Length of the manoeuvre in the quick form, s: the first gear change is in it."""


def cases(quick: bool) -> list[Case]:
    """Return every case of the study, the reference first."""
    if quick:
        curves = [Case(LARGEST, *curve) for curve in CURVES]
        return [REFERENCE, Case(10), Case(LARGEST), *curves[2:], *BEYOND, QUICK_TRUTH, LOCATED[4]]
    curves = [Case(ratio, *curve) for ratio in RATIOS for curve in CURVES]
    by_speed = [Case(ratio) for ratio in RATIOS] + [Case(LARGEST, *curve) for curve in CURVES[1:4]]
    return [
        REFERENCE,
        *curves,
        *BEYOND,
        BY_SPEED,
        *(replace(c, shifting="by speed") for c in by_speed),
        TRUTH,
        *LOCATED,
    ]


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
        """Return what a case is compared with: the run with FR = 1 that shifts in the same way."""
        return self.outcomes[replace(REFERENCE, shifting=case.shifting)]

    def error(self, case: Case) -> float:
        """Return the largest difference in pitch to the reference, as the drive has it, degrees."""
        return self[case].error(self.reference(case))

    def speed_up(self, case: Case) -> float:
        """Return how many times less processor time a case took than its reference."""
        return self.reference(case).cpu / self[case].cpu

    @property
    def truth(self) -> Outcome:
        """What is nearest to the solution."""
        return self.outcomes[TRUTH if TRUTH in self.outcomes else QUICK_TRUTH]

    def present(self, wanted: Iterable[Case]) -> list[Case]:
        """Return those that were run."""
        return [case for case in wanted if case in self.outcomes]


def _timed(case: Case, until: float) -> Outcome:
    """Run a case, a short one of table 2 some times, and keep the median.

    Not the fastest: the reference is too long to be repeated, and would lose by the comparison.
    """
    times = _REPEATS if case in TABLE_2 and case.ratio >= _SHORT else 1
    return sorted((simulate(case, until) for _ in range(times)), key=lambda outcome: outcome.cpu)[times // 2]


def run_all(quick: bool, progress: Progress | None = None) -> Runs:
    """Run every case, one after another: they are timed."""
    until = QUICK_END if quick else MANOEUVRE
    wanted, outcomes = list(dict.fromkeys(cases(quick))), {}
    for done, case in enumerate(wanted):
        if progress:
            progress("kart runs", done, len(wanted))
        outcomes[case] = _timed(case, until)
    if progress:
        progress("kart runs", len(wanted), len(wanted))
    return Runs(outcomes, until)
