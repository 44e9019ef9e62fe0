"""Problems with phases: a ball on a plate and the drive cycle; and a pair of FMUs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...approximations import hermite, lagrange
from ...diagram import Diagram
from ...diagram.library import drive_cycle
from ...fmi import export_fmu, fmu
from ...results import Result
from ...system import System
from ..assumed import assumed, mean_distance
from ..drive_cycle.experiment import PER_SIGNAL, Case, Outcome, coupled, run_monolithic
from .exact import Array, linear_solution
from .problems import Problem, exact_part, largest

_GRAVITY, _HEIGHT = 9.81, 0.3
_BALL, _PLATE = 0.2, 2.0
"""Masses, kg."""
_TIGHT: dict[str, Any] = {"solver": "ode45", "rtol": 1e-9, "atol": 1e-11}
CYCLE_END = 195.0
"""The first urban cycle of the NEDC, s."""


def ball(name: str = "ball") -> Diagram:
    """Return a falling ball: input ``force`` (N), outputs ``height`` (m) and ``speed`` (m/s)."""
    model = Diagram(name, **_TIGHT)
    speed = model.integrator(model.input("force", 0.0, unit="N") * (1.0 / _BALL) - _GRAVITY, name="speed")
    model.output("height", model.integrator(speed, initial=_HEIGHT, name="height"), unit="m")
    model.output("speed", speed, unit="m/s")
    return model


def plate(name: str = "plate") -> Diagram:
    """Return a sprung plate with the contact: inputs ``height``, ``speed`` of the ball; output ``force`` (N).

    Contact of 1e5 N/m with damping in proportion to the indentation, which does not pull: it lasts about 4 ms.
    """
    model = Diagram(name, **_TIGHT)
    height, speed = model.input("height", _HEIGHT, unit="m"), model.input("speed", 0.0, unit="m/s")
    place, rate = model.integrator(name="place"), model.integrator(name="rate")
    rate >> place
    force = model.expression(
        "d = max(p - z, 0); F = 1e5 * d * max(1 + 0.3 * (r - v), 0)", p=place, z=height, r=rate, v=speed, outputs=["F"],
        name="contact",
    )  # fmt: skip
    model.expression("(-2e4 * p - 60 * r - F) / m", p=place, r=rate, F=force, m=_PLATE) >> rate
    model.output("force", force, unit="N")
    model.output("place", place, unit="m")
    return model


@cache
def _ball_reference() -> tuple[Array, Array]:
    model = Diagram("whole", **_TIGHT)
    above, below = model.superblock(ball(), name="ball"), model.superblock(plate(), name="plate")
    above.connect(force=below["force"])
    below.connect(height=above["height"], speed=above["speed"])
    model.output("height", above["height"])
    found = model.run(until=1.0, step=5e-5)["whole.height"]
    return np.asarray(found.time), np.asarray(found.values)


def ball_on_plate() -> Problem:
    """Return a ball that falls onto a plate and bounces, 1 s: free flight, and contacts of 4 ms."""

    def build() -> System:
        system = System("ball on a plate")
        system.add("ball", ball(), step=1e-4)
        system.add("plate", plate(), step=1e-4)
        for port in ("height", "speed"):
            system.connect(f"ball.{port}", f"plate.{port}", lagrange(2))
        system.connect("plate.force", "ball.force", lagrange(1))
        return system

    def exact(t: Array) -> Array:
        return np.asarray(np.interp(t, *_ball_reference()))

    return Problem(
        "ball on a plate", build, 1.0, largest("ball.height", exact, _HEIGHT), (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5),
        has_phases=True, first=1e-4, largest=2e-3,
    )  # fmt: skip


@cache
def _cycle_reference() -> Outcome:
    return run_monolithic(drive_cycle("nedc"), CYCLE_END)


def urban_cycle() -> Problem:
    """Return the car and its thermal system in the first urban cycle.

    The error is that of the exchanged signals, equation (4) of Günther et al. (2012): mean distance of what the other
    side assumes from the monolithic run, over the largest value, of the worst signal.
    """
    cycle = drive_cycle("nedc")

    def build() -> System:
        return coupled(cycle, Case("per signal", step=0.1))

    def error(result: Result) -> float:
        outcome, reference = Outcome(result, ("powertrain", "thermal"), 0.0), _cycle_reference()
        found = []
        for name, approximation in PER_SIGNAL.items():
            time, values = assumed(approximation, *outcome.signal(name), points=5)
            found.append(
                mean_distance(time, values, reference.at(name, time)) / np.abs(reference.signal(name)[1]).max()
            )
        return float(max(found))

    return Problem(
        "urban drive cycle", build, CYCLE_END, error, (4.0, 2.0, 1.0, 0.5, 0.25, 0.125), has_phases=True, saves=False,
        first=0.1, smallest=0.02, largest=4.0, tolerances=tuple(float(10.0**-p) for p in np.arange(0.0, 3.25, 0.5)),
    )  # fmt: skip


def two_fmus(folder: Path) -> Problem:
    """Return the dual-mass oscillator of OMSimulator's tests as a pair of FMUs that are made in `folder`, 5 s.

    Masses of 1 kg; springs of 10, 10, 20 N/m and dampers of 0.2, 0.5, 0.3 N s/m to the left wall, between them and to
    the right wall; the right mass starts at 0.5 m. The left part has no spring between them: it gets a force.
    """
    left, right = folder / "left.fmu", folder / "right.fmu"
    if not left.exists():
        one = exact_part([[0.0, 1.0], [-10.0, -0.2]], [[0.0], [1.0]], [[1.0, 0.0], [0.0, 1.0]], x0=[0.0, 0.0],
                     inputs="force", outputs=["x", "v"])  # fmt: skip
        other = exact_part([[0.0, 1.0], [-30.0, -0.8]], [[0.0, 0.0], [10.0, 0.5]], [[10.0, 0.5]], [[-10.0, -0.5]],
                       x0=[0.5, 0.0], inputs=["x", "v"], outputs="force")  # fmt: skip
        export_fmu(one, left, version=2)
        export_fmu(other, right, version=2)

    def build() -> System:
        system = System("two FMUs")
        system.add("left", fmu(left), step=1e-3)
        system.add("right", fmu(right), step=1e-3)
        for port in ("x", "v"):
            system.connect(f"left.{port}", f"right.{port}", hermite())
        system.connect("right.force", "left.force", lagrange(2))
        return system

    matrix = [[0.0, 1.0, 0.0, 0.0], [-20.0, -0.7, 10.0, 0.5], [0.0, 0.0, 0.0, 1.0], [10.0, 0.5, -30.0, -0.8]]
    exact = linear_solution(matrix, [0.0, 0.0, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0])
    return Problem(
        "two FMUs", build, 5.0, largest("left.x", exact, 0.5), (0.1, 0.05, 0.025, 0.0125, 6.25e-3, 3.125e-3), first=1e-3
    )
