"""The problems: two coupled parts or more, a solution to compare with, and a size for the error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._run.precedence import Scheme, sequential
from ...approximations import Approximation, hermite, lagrange
from ...results import Result
from ...subsystems import NativeSubsystem, linear
from ...system import System
from ..two_mass_oscillator.problem import TwoMassOscillator
from .exact import Array, linear_solution

TOLERANCES = tuple(float(10.0**power) for power in np.arange(-2.0, -5.25, -0.5))
"""Three decades."""


@dataclass(frozen=True)
class Problem:
    """A system to be run with any pace.

    Attributes
    ----------
    name : str
    build : function
        Returns the system, a new one at each call.
    until : float
        s
    error : function
        Of a result: its largest error, relative to the size of the solution.
    fixed : tuple of float
        Fixed steps to compare with, s.
    scheme : str or Scheme
    bonds : tuple of pairs
        Inputs of connections that carry power together; empty where there are none.
    has_phases : bool
        Whether there are stretches of time that need much shorter steps than others.
    saves : bool
        Whether steps can be repeated.
    first : float
        First step of a pace, s.
    smallest, largest : float or None
        Limits of a pace's steps, s.
    tolerances : tuple of float
        That paces are run with.
    """

    name: str
    build: Callable[[], System]
    until: float
    error: Callable[[Result], float]
    fixed: tuple[float, ...]
    scheme: str | Scheme = "parallel"
    bonds: tuple[tuple[str, str], ...] = ()
    has_phases: bool = False
    saves: bool = True
    first: float = 1e-3
    smallest: float | None = None
    largest: float | None = None
    tolerances: tuple[float, ...] = TOLERANCES


def exact_part(a: Any, b: Any, c: Any, d: Any = None, *, x0: Any, inputs: Any, outputs: Any) -> NativeSubsystem:
    """Return a linear part that integrates practically exactly, so that only the coupling makes errors."""
    return linear(a, b, c, d, x0=x0, inputs=inputs, outputs=outputs, solver="ode45", rtol=1e-11, atol=1e-13)


def largest(signal: str, solution: Callable[[Array], Array], size: float) -> Callable[[Result], float]:
    """Return the error of a signal: its largest distance from the solution at its own steps, over a size."""

    def error(result: Result) -> float:
        found = result[signal]
        return float(np.abs(np.asarray(found.values) - solution(np.asarray(found.time))).max() / size)

    return error


def two_mass_oscillator(approximation: Approximation | None = None) -> Problem:
    """Return the rotating masses of Günther et al. (2012), 5 s: a torque one way, an angle the other."""
    problem, chosen = TwoMassOscillator(), approximation or lagrange(2)

    def build() -> System:
        (left, right), (cl, cr), c = problem.inertia, problem.ground, problem.between
        system = System("two-mass oscillator")
        start = [problem.start, 0.0]
        one = exact_part(
            [[0, 1], [-cl / left, 0]], [[0], [1 / left]], [[1, 0]], x0=start, inputs="torque", outputs="angle"
        )
        other = exact_part([[0, 1], [-(cr + c) / right, 0]], [[0], [c / right]], [[c, 0]], [[-c]], x0=start,
                       inputs="angle", outputs="torque")  # fmt: skip
        system.add("left", one, step=1e-3)
        system.add("right", other, step=1e-3)
        system.connect("left.angle", "right.angle", chosen)
        system.connect("right.torque", "left.torque", chosen)
        return system

    error = largest("left.angle", problem.left_angle, problem.start)
    return Problem("two-mass oscillator", build, 5.0, error, (4e-2, 2e-2, 1e-2, 5e-3, 2.5e-3, 1.25e-3))


def oscillator(approximation: Approximation | None = None) -> Problem:
    """Return the partitioned oscillator of Rodenberg and Uekermann (2025): displacements both ways, 1 s."""
    k, k12, chosen = 4 * np.pi**2, 16 * np.pi**2, approximation or hermite()

    def build() -> System:
        system = System("partitioned oscillator")
        for name, start in (("left", 1.0), ("right", 0.0)):
            part = exact_part(
                [[0, 1], [-(k + k12), 0]], [[0], [k12]], [[1, 0]], x0=[start, 0.0], inputs="u", outputs="x"
            )
            system.add(name, part, step=1e-3)
        system.connect("left.x", "right.u", chosen)
        system.connect("right.x", "left.u", chosen)
        return system

    def exact(t: Array) -> Array:
        return np.asarray(0.5 * (np.cos(2 * np.pi * t) + np.cos(6 * np.pi * t)))

    return Problem(
        "partitioned oscillator", build, 1.0, largest("left.x", exact, 1.0), (4e-2, 2e-2, 1e-2, 5e-3, 2.5e-3, 1.25e-3)
    )


def quarter_car(force: Approximation | None = None, speed: Approximation | None = None) -> Problem:
    """Return chassis and wheel of a quarter car after a step of the road, 2 s: the example of the ECCO papers.

    The speed goes to the wheel, which has the suspension, and its force to the chassis.
    """
    matrix = [
        [0.0, 1.0, 0.0, 0.0],
        [-37.5, -2.5, 37.5, 2.5],
        [0.0, 0.0, 0.0, 1.0],
        [375.0, 25.0, -4125.0, -25.0],
    ]  # chassis: displacement, speed; wheel: displacement, speed

    def build() -> System:
        system = System("quarter car")
        chassis = exact_part([[0, 1], [0, 0]], [[0], [1 / 400]], [[0, 1], [1, 0]], x0=[-0.1, 0.0], inputs="force",
                         outputs=["speed", "displacement"])  # fmt: skip
        wheel = exact_part(
            [[0, 1, 0], [-165e3 / 40, -1e3 / 40, 15e3 / 40], [0, 0, 0]], [[0], [1e3 / 40], [1]],
            [[15e3, 1e3, -15e3]], [[-1e3]], x0=[-0.1, 0.0, -0.1], inputs="speed", outputs="force")  # fmt: skip
        system.add("wheel", wheel, step=1e-3)
        system.add("chassis", chassis, step=1e-3)
        system.connect("chassis.speed", "wheel.speed", speed or hermite())
        system.connect("wheel.force", "chassis.force", force or hermite())
        return system

    exact = linear_solution(matrix, [-0.1, 0.0, -0.1, 0.0], [1.0, 0.0, 0.0, 0.0])
    return Problem(
        "quarter car", build, 2.0, largest("chassis.displacement", exact, 0.1),
        (4e-2, 2e-2, 1e-2, 5e-3, 2.5e-3, 1.25e-3), sequential(["wheel", "chassis"]),
        bonds=(("chassis.force", "wheel.speed"),),
    )  # fmt: skip


def three_parts(approximation: Approximation | None = None) -> Problem:
    """Return two masses and the spring-damper between them, three parts, 20 s: the network of Glumac."""
    chosen = approximation or lagrange(2)
    matrix = [
        [0.0, 1.0, 0.0, 0.0, 0.0],
        [-0.1, -0.3, 0.1, 0.0, -0.2],
        [0.0, -1.0, 0.0, 0.0, -1.0],
        [0.0, 0.0, 0.0, 0.0, 1.0],
        [0.0, -0.2, 0.1, -0.1, -0.4],
    ]

    def mass(damping: float, start: float) -> NativeSubsystem:
        return exact_part([[0, 1], [-0.1, -damping / 10]], [[0], [0.1]], [[0, 1]], x0=[start, 0.1], inputs="force",
                      outputs="speed")  # fmt: skip

    def build() -> System:
        system = System("three parts")
        system.add("left", mass(1.0, 0.1), step=1e-3)
        system.add("right", mass(2.0, 0.2), step=1e-3)
        middle = exact_part([[0.0]], [[-1.0, -1.0]], [[1.0]], [[-2.0, -2.0]], x0=[1.0], inputs=["left", "right"],
                        outputs="force")  # fmt: skip
        system.add("middle", middle, step=1e-3)
        for name in ("left", "right"):
            system.connect(f"{name}.speed", f"middle.{name}", chosen)
            system.connect("middle.force", f"{name}.force", chosen)
        return system

    start = [0.1, 0.1, 1.0, 0.2, 0.1]
    exact = linear_solution(matrix, start, [0.0, -2.0, 1.0, 0.0, -2.0])
    return Problem(
        "three parts", build, 20.0, largest("middle.force", exact, 1.0), (1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125),
        sequential(["left", "right", "middle"]), first=1e-2,
    )  # fmt: skip
