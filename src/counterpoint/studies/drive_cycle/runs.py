"""All runs of the study."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...diagram.library import drive_cycle
from ..report import Progress
from .experiment import (
    Case,
    Outcome,
    cosimulation_error,
    law_of_samples,
    printed_law,
    run_alone,
    run_coupled,
    run_monolithic,
)

FIXED = Case("per signal", label="fixed H, per signal")
FIXED_HELD = Case("held", label="fixed H, order 0")
VARIABLE = Case("per signal", step=0.4, pace=printed_law(), label="variable H, per signal")
VARIABLE_HELD = Case("held", step=0.4, pace=printed_law(), label="variable H, order 0")
OF_SAMPLES = Case("held", step=0.4, pace=law_of_samples(), label="variable H by differences of samples, order 0")
VARIABLE_CASES = (VARIABLE, VARIABLE_HELD, OF_SAMPLES)
CASES = (FIXED, FIXED_HELD, *VARIABLE_CASES)
SMALLEST = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""Smallest macro steps of figure 11, s."""
QUICK_END = 195.0
"""The quick form ends with the first of the four urban cycles, s."""


@dataclass(frozen=True)
class Batch:
    """One point of figure 11: smallest step in s, steps, processor time in s, error of the speed in m/s."""

    smallest: float
    steps: int
    cpu: float
    error: float


@dataclass
class Runs:
    """Everything that was run.

    Attributes
    ----------
    until : float
        Length of the runs of the NEDC, s.
    reference : Outcome
        The monolithic run of the NEDC.
    outcomes : dict
        The coupled ones, and `matched`: fixed steps of the mean length of each variable case.
    alone : dict
        Processor time of each part alone, s.
    batch : list of Batch
    others : dict
        Name of another cycle -> monolithic run, coupled run.
    """

    until: float
    reference: Outcome
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    matched: dict[str, Outcome] = field(default_factory=dict)
    alone: dict[str, float] = field(default_factory=dict)
    batch: list[Batch] = field(default_factory=list)
    others: dict[str, tuple[Outcome, Outcome]] = field(default_factory=dict)

    def speed_up(self, case: Case) -> float:
        """Return equation (5): processor time of the monolithic run over that of a coupled one."""
        return self.reference.cpu / self.outcomes[case.label].cpu

    def assembling_factor(self) -> float:
        """Return equation (1): processor time of the whole over the sum of its parts alone."""
        return self.reference.cpu / sum(self.alone.values())


def run_all(quick: bool, progress: Progress | None = None) -> Runs:
    """Run everything, one after another: runs are timed."""
    cycle = drive_cycle("nedc")
    until = QUICK_END if quick else cycle.duration
    others = () if quick else ("wltc-3b",)
    smallest = SMALLEST[::5] if quick else SMALLEST
    total = 1 + len(CASES) + len(VARIABLE_CASES) + 2 + len(smallest) + 2 * len(others)
    count = iter(range(1, total + 1))

    def told() -> None:
        if progress:
            progress("drive-cycle runs", next(count), total)

    runs = Runs(until, run_monolithic(cycle, until))
    told()
    for case in CASES:
        runs.outcomes[case.label] = run_coupled(cycle, case, until, repeats=1 if quick else 3)
        told()
    for case in VARIABLE_CASES:
        step = float(np.mean(runs.outcomes[case.label].steps))
        runs.matched[case.label] = run_coupled(cycle, Case(case.approximations, step=step), until)
        told()
    for part in ("powertrain", "thermal"):
        runs.alone[part] = run_alone(cycle, part, runs.reference, until)
        told()
    for length in smallest:
        case = Case("per signal", step=length, pace=printed_law(length, growth=3.0))
        outcome = run_coupled(cycle, case, until)
        error = cosimulation_error(case, outcome, runs.reference)
        runs.batch.append(Batch(length, len(outcome.steps), outcome.cpu, error))
        told()
    for name in others:
        other = drive_cycle(name)
        whole = run_monolithic(other, other.duration)
        told()
        runs.others[name] = (whole, run_coupled(other, VARIABLE, other.duration))
        told()
    return runs
