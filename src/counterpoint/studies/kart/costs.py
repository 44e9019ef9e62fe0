"""What a step of each subsystem costs, in processor time."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

from .experiment import FINE_STEP, Case, simulate
from .gearbox import gearbox_drive
from .runs import LARGEST, TABLE_2, Runs

_ALONE = 2.0
"""How long the drive runs alone, s."""
_SHORT = 0.01
"""A run so short that it only starts, s."""


@dataclass(frozen=True)
class Costs:
    """Processor time of a step, µs.

    Attributes
    ----------
    drive : float
    vehicle : dict
        FR -> of a step of the vehicle, with what its exchange of signals costs.
    """

    drive: float
    vehicle: dict[int, float]


def measure(runs: Runs) -> Costs:
    """Run the drive alone; the rest of what coupled runs took, without their start, is the vehicle's."""
    drive = min(_drive_alone() for _ in range(2))
    start = min(simulate(Case(LARGEST), until=_SHORT).cpu for _ in range(2))
    made = {}
    for case in runs.present(TABLE_2):
        outcome = runs[case]
        left = outcome.cpu - start - outcome.steps["drive"] * drive * 1e-6
        made[case.ratio] = 1e6 * left / outcome.steps["vehicle"]
    return Costs(drive, made)


def _drive_alone() -> float:
    model = gearbox_drive(locate_events=False)
    model.run(until=FINE_STEP, step=FINE_STEP)  # what comes once
    began = process_time()
    model.run(until=_ALONE, step=FINE_STEP)
    return 1e6 * (process_time() - began) * FINE_STEP / _ALONE
