"""One run of the kart with its drive: which steps, scheme, polynomials and master."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from time import perf_counter, process_time

import numpy as np

from ...approximations import Approximation, lagrange, mean
from ...diagram import Diagram
from ...diagram.cosimulation import Cosimulation
from ...errors import SimulationError
from ...multibody.library import kart
from ...multibody.modelling.mechanism import Mechanism
from ...results import Result
from ...system import System
from .clocked import clocked_drive
from .gearbox import CAPACITY_SCALE, gearbox_drive
from .outcome import Outcome

FINE_STEP = 1e-4
"""Step of the drive in the source, s: the frequency ratio FR is the vehicle's step over this."""
MANOEUVRE = 10.0
"""Length of the manoeuvre, s."""
START_SPEED = 0.5
"""m/s"""
DRIVE_SIGNALS = ("axle_torque", "rpm", "torque", "pressure", "throttle", "gear")


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
        ``"gearbox"``: the library's; ``"by time"`` or ``"by speed"``: the counter-example.
    master : str
        ``"diagram"``: the drive's, with a memory block, as in the source; ``"vehicle"``: the vehicle is the host of an
        embedded interface; ``"scheduler"``: Counterpoint.
    drive_step : float
        s
    located : bool
        Whether engine events are located; otherwise they wait for the end of their step, as in the source.
    smoothed : bool
        Whether the vehicle gets the mean of the torque over its step instead of a polynomial.
    capacity : float
        Factor on the converter's K; the smaller, the stiffer.
    """

    ratio: int = 1
    scheme: str = "slowest-first"
    vehicle_order: int = 0
    drive_order: int = 0
    shifting: str = "gearbox"
    master: str = "diagram"
    drive_step: float = FINE_STEP
    located: bool = False
    smoothed: bool = False
    capacity: float = CAPACITY_SCALE

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


@cache
def vehicle() -> Mechanism:
    """Return the vehicle of all runs, with the outputs that they need."""
    made = kart(speed=START_SPEED)
    made.standard_outputs = ()
    made.outputs = {name: made.outputs[name] for name in ("pitch", "speed", "wheel_speed")}
    return made


def drive(case: Case) -> Diagram:
    """Return the drive of a case."""
    if case.shifting == "gearbox":
        return gearbox_drive(capacity_scale=case.capacity, locate_events=case.located)
    return clocked_drive(shifting=case.shifting, locate_events=case.located)


def coupled(case: Case, mechanism: Mechanism | None = None) -> System:
    """Return the system of a case: ``drive`` and ``vehicle``, coupled by axle torque and wheel speed."""
    system = System("kart")
    system.add("drive", drive(case), step=case.drive_step)
    system.add("vehicle", mechanism or vehicle(), step=case.vehicle_step)
    system.connect("drive.axle_torque", "vehicle.axle_torque", _to_vehicle(case))
    system.connect("vehicle.wheel_speed", "drive.wheel_speed", lagrange(case.vehicle_order))
    return system


def master_diagram(case: Case) -> tuple[Diagram, Cosimulation]:
    """Return figure 12 of the source: engine and gearbox, a memory block, and the vehicle behind the interface."""
    others = System("vehicle")
    others.add_host("drive", inputs=["wheel_speed", "pitch"], outputs=["axle_torque"])
    others.add("vehicle", vehicle(), step=case.vehicle_step)
    others.connect("drive.axle_torque", "vehicle.axle_torque", _to_vehicle(case))
    for name in ("wheel_speed", "pitch"):
        others.connect(f"vehicle.{name}", f"drive.{name}", lagrange(case.vehicle_order))
    model = Diagram("kart", locate_events=case.located)
    block = model.cosimulation(others, scheme=case.scheme, name="vehicle")
    engine = model.superblock(drive(case), wheel_speed=block["wheel_speed"], name="drive")
    block.connect(axle_torque=model.memory(engine["axle_torque"], name="memory"))
    model.output("pitch", block["pitch"], unit="rad")
    for name in DRIVE_SIGNALS:
        model.output(name, engine[name])
    return model, block


def simulate(case: Case, until: float = MANOEUVRE) -> Outcome:
    """Run a case; one whose solver gives up is an outcome, too."""
    return _simulate_diagram(case, until) if case.master == "diagram" else _simulate_system(case, until)


def _simulate_diagram(case: Case, until: float) -> Outcome:
    model, block = master_diagram(case)
    wall, cpu, failure = perf_counter(), process_time(), ""
    try:
        result = model.run(until=until, step=case.drive_step)
    except SimulationError as error:
        if error.result is None:
            raise
        result, failure = error.result, str(error)
    cpu, wall = process_time() - cpu, perf_counter() - wall
    inside, pitch = block.result(), result.signal("kart.pitch")
    steps = {"drive": len(pitch.time) - 1, "vehicle": len(inside.signal("vehicle.pitch").time) - 1}
    seen = {"time": np.asarray(pitch.time), "pitch": np.degrees(pitch.values)}
    return _outcome(case, inside, _signals(result, "kart"), steps=steps, times=(cpu, wall), failure=failure, seen=seen)


def _simulate_system(case: Case, until: float) -> Outcome:
    system = coupled(case)
    wall, cpu, failure = perf_counter(), process_time(), ""
    try:
        result = system.run(
            until=until, scheme=case.scheme, host="vehicle" if case.master == "vehicle" else None, first_steps="once"
        )
    except SimulationError as error:
        if error.result is None:
            raise
        result, failure = error.result, str(error)
    cpu, wall = process_time() - cpu, perf_counter() - wall
    steps = dict(zip(result.subsystems, result.summary.steps, strict=True))
    return _outcome(case, result, _signals(result, "drive"), steps=steps, times=(cpu, wall), failure=failure)


def _signals(result: Result, owner: str) -> dict[str, np.ndarray]:
    made = {name: np.asarray(result.signal(f"{owner}.{name}").values) for name in DRIVE_SIGNALS}
    return made | {"time": np.asarray(result.signal(f"{owner}.rpm").time)}


def _outcome(
    case: Case,
    result: Result,
    signals: dict[str, np.ndarray],
    *,
    steps: dict[str, int],
    times: tuple[float, float],
    failure: str,
    seen: dict[str, np.ndarray] | None = None,
) -> Outcome:
    pitch, speed = result.signal("vehicle.pitch"), result.signal("vehicle.speed")
    statistics = vehicle().assembled().statistics
    return Outcome(
        case, np.asarray(pitch.time), np.degrees(pitch.values), np.asarray(speed.values), signals, *times, steps,
        statistics["iterations"] / max(statistics["steps"], 1.0), failure, seen or {},
    )  # fmt: skip


def _to_vehicle(case: Case) -> Approximation:
    return mean("time-weighted") if case.smoothed else lagrange(case.drive_order)
