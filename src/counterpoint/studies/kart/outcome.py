"""What a run of the kart gave, and how far it is from another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...approximations import approximate, lagrange

if TYPE_CHECKING:
    from .experiment import Case

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a run gave.

    Attributes
    ----------
    time, pitch, speed : arrays of shape (vehicle's steps + 1,)
        s, degrees, m/s; up to where it failed, if it did.
    drive : dict of arrays
        ``time`` and every output of the drive.
    cpu, wall : float
        s
    steps : dict
        Name of a subsystem -> steps taken.
    iterations : float
        Of the vehicle's solver, a step.
    failure : str
        Why the run ended early; empty when it did not.
    """

    case: Case
    time: Array
    pitch: Array
    speed: Array
    drive: dict[str, Array]
    cpu: float
    wall: float
    steps: dict[str, int]
    iterations: float
    failure: str = ""
    _seen: dict[str, Array] = field(default_factory=dict)

    def seen(self) -> tuple[Array, Array]:
        """Return times and pitch as the drive has it at each of its steps: through the polynomial of the vehicle.

        That is what a block diagram that is master records, and what the source compares: waiting for the vehicle, it
        interpolates (order 0: takes the value ahead); not waiting, it extrapolates from the vehicle's last step. Where
        the diagram is master it is what it recorded.
        """
        if not self._seen:
            count = self.case.ratio * (len(self.time) - 1)
            fine: Array = np.arange(count + 1, dtype=np.float64) * (self.case.vehicle_step / self.case.ratio)
            fine[:: self.case.ratio] = self.time
            self._seen.update(time=fine, pitch=_on(fine, self))
        return self._seen["time"], self._seen["pitch"]

    def difference(self, reference: Outcome) -> tuple[Array, Array]:
        """Return times and difference of the pitch, as the drive has it, to that of a reference, degrees."""
        time, pitch = self.seen()
        return time, pitch - np.interp(time, reference.time, reference.pitch)

    def error(self, reference: Outcome) -> float:
        """Return the largest difference of the pitch, as the drive has it; infinite when the run failed."""
        return np.inf if self.failure else float(np.abs(self.difference(reference)[1]).max())

    def error_at_steps(self, reference: Outcome) -> float:
        """Return the largest difference of the pitch at the vehicle's own steps, degrees; infinite when it failed."""
        wanted = np.interp(self.time, reference.time, reference.pitch)
        return np.inf if self.failure else float(np.abs(self.pitch - wanted).max())


def _on(fine: Array, outcome: Outcome) -> Array:
    """Return the pitch through the polynomial that the drive has during each step of the vehicle."""
    case, time, pitch = outcome.case, outcome.time, outcome.pitch
    if case.ratio == 1:
        return pitch
    polynomial = lagrange(case.vehicle_order)
    ahead = 1 if case.scheme == "slowest-first" else 0  # the vehicle has been there already, or not
    made = np.full(len(fine), pitch[0])
    for k in range(len(time) - 1):
        last = k + ahead
        known = slice(max(0, last - case.vehicle_order), last + 1)
        there = slice(k * case.ratio + 1, (k + 1) * case.ratio + 1)
        made[there] = approximate(polynomial, time[known], pitch[known], fine[there])
    return made
