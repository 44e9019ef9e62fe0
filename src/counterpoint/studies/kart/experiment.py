"""One run of the kart with its drive: which steps, scheme and polynomials, and what came out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from time import perf_counter, process_time

import numpy as np
from numpy.typing import NDArray

from ...approximations import approximate, lagrange, mean
from ...errors import SimulationError
from ...multibody.library import kart
from ...multibody.modelling.mechanism import Mechanism
from ...results import Result
from ...system import System
from .drive import kart_drive

Array = NDArray[np.float64]

FINE_STEP = 1e-4
"""Step of the drive in the source, s: the frequency ratio FR is the vehicle's step over this."""
MANOEUVRE = 10.0
"""Length of the manoeuvre, s."""
START_SPEED = 0.5
"""m/s"""


@dataclass(frozen=True)
class Case:
    """How the two subsystems run.

    Attributes
    ----------
    ratio : int
        FR: the vehicle's step over 1e-4 s.
    scheme : str
        ``"slowest-first"`` or ``"fastest-first"``.
    vehicle_order, drive_order : int
        Order of the polynomial for what the vehicle publishes (wheel speed), and what the drive does (axle torque).
    shifting : str
        ``"by time"`` or ``"by speed"``.
    drive_step : float
        s
    located : bool
        Whether engine events are located; otherwise they wait for the end of their step, as in the source.
    smoothed : bool
        Whether the vehicle gets the mean of the torque over its step instead of a polynomial.
    """

    ratio: int = 1
    scheme: str = "slowest-first"
    vehicle_order: int = 0
    drive_order: int = 0
    shifting: str = "by time"
    drive_step: float = FINE_STEP
    located: bool = False
    smoothed: bool = False

    @property
    def vehicle_step(self) -> float:
        """Step of the vehicle, s."""
        return self.ratio * FINE_STEP

    @property
    def label(self) -> str:
        """Short name, as ``FR = 100, FF, O1``: the order is the vehicle's; the torque is held unless it is said."""
        letters = {"slowest-first": "SF", "fastest-first": "FF"}[self.scheme]
        torque = ", torque smoothed" if self.smoothed else f", torque O{self.drive_order}" if self.drive_order else ""
        return f"FR = {self.ratio}, {letters}, O{self.vehicle_order}{torque}"


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
        interpolates (order 0: takes the value ahead); not waiting, it extrapolates from the vehicle's last step.
        """
        if not self._seen:
            count = self.case.ratio * (len(self.time) - 1)
            fine: Array = np.arange(count + 1, dtype=np.float64) * FINE_STEP
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


@cache
def vehicle() -> Mechanism:
    """Return the vehicle of all runs, with the outputs that they need."""
    made = kart(speed=START_SPEED)
    made.standard_outputs = ()
    made.outputs = {name: made.outputs[name] for name in ("pitch", "speed", "wheel_speed")}
    return made


def coupled(case: Case, mechanism: Mechanism | None = None) -> System:
    """Return the system of a case: ``drive`` and ``vehicle``, coupled by axle torque and wheel speed."""
    system = System("kart")
    system.add("drive", kart_drive(shifting=case.shifting, locate_events=case.located), step=case.drive_step)
    system.add("vehicle", mechanism or vehicle(), step=case.vehicle_step)
    torque = mean("time-weighted") if case.smoothed else lagrange(case.drive_order)
    system.connect("drive.axle_torque", "vehicle.axle_torque", torque)
    system.connect("vehicle.wheel_speed", "drive.wheel_speed", lagrange(case.vehicle_order))
    return system


def simulate(case: Case, until: float = MANOEUVRE) -> Outcome:
    """Run a case; one whose solver gives up is an outcome, too."""
    system = coupled(case)
    wall, cpu, failure = perf_counter(), process_time(), ""
    try:
        result = system.run(until=until, scheme=case.scheme)
    except SimulationError as error:
        if error.result is None:
            raise
        result, failure = error.result, str(error)
    cpu, wall = process_time() - cpu, perf_counter() - wall
    return _outcome(case, result, cpu, wall, failure)


def _outcome(case: Case, result: Result, cpu: float, wall: float, failure: str) -> Outcome:
    pitch, speed = result.signal("vehicle.pitch"), result.signal("vehicle.speed")
    names = ("axle_torque", "rpm", "torque", "pressure", "throttle", "gear")
    drive = {name: np.asarray(result.signal(f"drive.{name}").values) for name in names}
    drive["time"] = np.asarray(result.signal("drive.rpm").time)
    statistics = vehicle().assembled().statistics
    return Outcome(
        case, np.asarray(pitch.time), np.degrees(pitch.values), np.asarray(speed.values), drive, cpu, wall,
        dict(zip(result.subsystems, result.summary.steps, strict=True)),
        statistics["iterations"] / max(statistics["steps"], 1.0), failure,
    )  # fmt: skip
