"""The CART with its controller: two subsystems, one rate or two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import process_time

import numpy as np
from numpy.typing import NDArray

from ... import approximations
from ...diagram.library import TurbineControl, turbine_controller
from ...multibody.aerodynamics import Wind
from ...multibody.library import cart, wind_turbine
from ...multibody.library.wind_turbine import Air
from ...multibody.modelling.mechanism import Mechanism
from ...results import Result
from ...system import System

Array = NDArray[np.float64]
RPM = math.pi / 30
FINE, COARSE = 0.002, 0.01
"""Steps of the source, s: generator and controller, mechanism."""
STEPS = ((0.0, 12.0), (120.0, 13.5), (200.0, 15.0))
"""Wind of the source: time (s) and speed (m/s)."""
SEGMENTS = 5
"""Elements of a blade and of the tower, as in the source."""


@dataclass(frozen=True)
class Plan:
    """What is run: wind in steps, rotor speed at the start (rad/s), duration (s) of each run."""

    wind: tuple[tuple[float, float], ...]
    until: float
    speed: float
    ramp: float
    pitch: float
    compared: float
    """Duration of the runs that are compared and timed, s."""
    after: float = 5.0
    """From when on they are compared, s: they begin with straight blades, whose swinging dies away first."""


FULL = Plan(STEPS, 280.0, 0.0, 10.0, math.radians(40.0), 40.0)
QUICK = Plan(((0.0, 13.5),), 12.0, 41.7 * RPM, 0.0, math.radians(4.0), 6.0)


@dataclass(frozen=True, eq=False)
class CartRun:
    """A run of the CART: its result and what it took."""

    result: Result
    model: Mechanism
    cpu: float
    until: float
    step: float

    def of(self, name: str) -> tuple[Array, Array]:
        """Return time (s) and values of a signal."""
        signal = self.result[name]
        values = np.asarray(signal.values, dtype=float)
        return np.asarray(signal.time, dtype=float), values[:, 0] if values.ndim == 2 and values.shape[
            1
        ] == 1 else values

    def at(self, name: str, time: Array) -> Array:
        """Return a scalar signal at times (s)."""
        own, values = self.of(name)
        return np.interp(time, own, values)


def turbine(plan: Plan, segments: int = SEGMENTS) -> Mechanism:
    """Return the CART whose pitch, generator torque and wind are inputs."""
    air = Air(Wind.following("wind", reference_height=36.6))
    model = wind_turbine(
        cart(), air, rotor_speed=plan.speed, yaw_spring=(1e8, 1e3), pitch="input:pitch", start_pitch=plan.pitch,
        blade_segments=segments, tower_segments=SEGMENTS,
    )  # fmt: skip
    model.input("wind", plan.wind[0][1] if plan.ramp == 0.0 else 0.0)
    for k in range(segments):
        model.output(f"blade_moment_{k}", f"blade_1_hinge_{k}")
    return model


def coupled(plan: Plan, model: Mechanism, step: float) -> System:
    """Return mechanism (at ``step``) and controller (at 2 ms)."""
    running = plan.pitch if plan.speed > 0.0 else None
    control = turbine_controller(TurbineControl(hold=5 * RPM, running_pitch=running), wind=plan.wind, ramp=plan.ramp)
    system = System("cart")
    system.add("turbine", model.subsystem(), step=step)
    system.add("control", control.subsystem(), step=FINE)
    straight, held = approximations.lagrange(1), approximations.hold()
    for source, target, approximation in (
        ("control.pitch", "turbine.pitch", straight),
        ("control.generator_torque", "turbine.generator_torque", straight),
        ("control.wind", "turbine.wind", held),
        ("turbine.rotor_speed", "control.rotor_speed", straight),
        ("turbine.generator_speed", "control.generator_speed", straight),
    ):
        system.connect(source, target, approximation)
    return system


def simulate(plan: Plan, step: float, until: float, *, pictures: bool = False) -> CartRun:
    """Run mechanism (at ``step``) and controller (at 2 ms) together."""
    model = turbine(plan)
    model.standard_outputs = ("q", "violation") if pictures else ("violation",)
    system = coupled(plan, model, step)
    began = process_time()
    result = system.run(until=until)
    return CartRun(result, model, process_time() - began, until, step)


def settling_time(run: CartRun, after: float, before: float, band: float = 0.01) -> float:
    """Return how long the rotor speed takes after a time (s) to stay within a band about the rated speed, s."""
    time, speed = run.of("turbine.rotor_speed")
    inside = (time >= after) & (time < before)
    outside = np.abs(speed[inside] / (41.7 * RPM) - 1.0) > band
    return float(time[inside][np.flatnonzero(outside)[-1]] - after) if outside.any() else 0.0


def difference(one: CartRun, other: CartRun, name: str, after: float) -> float:
    """Return the largest difference of a signal after a time (s), over its largest value."""
    time, values = one.of(name)
    apart = np.abs(values - other.at(name, time))[time >= after]
    return float(apart.max() / np.abs(values).max())
