"""One co-simulation of the oscillator: which interface, which approximations, which steps, and its error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._run.precedence import custom
from ...approximations import Approximation, hold, lagrange, transition
from ...diagram import Diagram
from ...pace import Pace, gradient
from ...results import Result
from ...subsystems import NativeSubsystem, linear
from ...system import System
from ..assumed import assumed, mean_distance
from .problem import Array, TwoMassOscillator

STEP, UNTIL = 5e-3, 20.0
"""Macro step and length of the run in the source, s."""
_EXACT: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-12}
_MASTER = {"spring": ("left", "right")}


@dataclass(frozen=True)
class Case:
    """How the two masses are coupled.

    Attributes
    ----------
    label : str
    interface : str
        ``"potential-flow"``: the left angle goes to the right, where the spring is, and its torque comes back.
        ``"flow-flow"``: both angles go to the spring, which gives a torque to each.
    angle, torque : Approximation
        Of the left angle (potential-flow) and of the torque.
    """

    label: str
    interface: str
    angle: Approximation
    torque: Approximation


HELD = Case("potential-flow, order 0", "potential-flow", hold(), hold())
APPROXIMATED = Case("potential-flow, transition and 4-point Lagrange", "potential-flow", transition(2), lagrange(3))
FLOW_FLOW = Case("flow-flow, 2nd order and transition", "flow-flow", hold(), transition(2))
LINEAR_TARGET = Case("potential-flow, transition with a linear target", "potential-flow", transition(1), lagrange(3))
CUBIC = Case("potential-flow, 4-point Lagrange both ways", "potential-flow", lagrange(3), lagrange(3))
TABLE_2 = (HELD, APPROXIMATED, FLOW_FLOW)
BEYOND = (LINEAR_TARGET, CUBIC)


def coupled(case: Case, step: float = STEP, problem: TwoMassOscillator | None = None) -> System:
    """Return the system of a case; subsystems integrate practically exactly, so only the coupling makes errors."""
    problem = problem or TwoMassOscillator()
    system = System("two-mass oscillator")
    system.add("left", _mass(problem, 0), step=step)
    if case.interface == "potential-flow":
        system.add("right", _right_with_spring(problem), step=step)
        system.connect("left.angle", "right.left_angle", case.angle)
        system.connect("right.torque", "left.torque", case.torque)
        return system
    system.add("right", _mass(problem, 1), step=step)
    system.add("spring", _spring(problem), step=step)
    for side, sign in (("left", -1.0), ("right", 1.0)):
        system.connect(f"{side}.angle", f"spring.{side}")
        system.connect("spring.torque", f"{side}.torque", case.torque, gain=sign)
    return system


def _mass(problem: TwoMassOscillator, side: int) -> NativeSubsystem:
    inertia, ground = problem.inertia[side], problem.ground[side]
    return linear(
        [[0.0, 1.0], [-ground / inertia, 0.0]], [[0.0], [1 / inertia]], x0=[problem.start, 0.0], inputs="torque",
        outputs=["angle", "speed"], solver="ode45", **_EXACT,
    )  # fmt: skip


def _right_with_spring(problem: TwoMassOscillator) -> NativeSubsystem:
    inertia, c = problem.inertia[1], problem.between
    return linear(
        [[0.0, 1.0], [-(problem.ground[1] + c) / inertia, 0.0]], [[0.0], [c / inertia]],
        [[1.0, 0.0], [c, 0.0]], [[0.0], [-c]],
        x0=[problem.start, 0.0], inputs="left_angle", outputs=["angle", "torque"], solver="ode45", **_EXACT,
    )  # fmt: skip


def _spring(problem: TwoMassOscillator) -> Diagram:
    """Return the coupling law of the master; it waits for both masses, so that it has their new angles."""
    model = Diagram("spring")
    model.output("torque", (model.input("left") - model.input("right")) * problem.between)
    return model


def simulate(case: Case, step: float = STEP, pace: Pace | None = None) -> Result:
    """Run a case: masses in parallel, neither waits for the other; a pace chooses the steps of all."""
    scheme = "parallel" if case.interface == "potential-flow" else custom(_MASTER)
    return coupled(case, step).run(until=UNTIL, scheme=scheme, pace=pace, first_steps="once")


def variable_steps() -> Pace:
    """Return macro steps of 4.7 to 5.7 ms, 5 ms in the mean, led by the left angle.

    A wider range helps held values (4.2 to 6.8 ms: 0.39 rad) and harms the best row (1.64e-3 rad), whose error is that
    of the predicted torque.
    """
    return gradient("left.angle", smallest=4.7e-3, largest=5.7e-3, p0=1.0, p1=1.6, first=4.7e-3)


def error(case: Case, result: Result, problem: TwoMassOscillator | None = None) -> float:
    """Return the co-simulation error of the left angle, equation (4): mean distance of the assumed angle, rad."""
    time, values = assumed_angle(case, result)
    return mean_distance(time, values, (problem or TwoMassOscillator()).left_angle(time))


def assumed_angle(case: Case, result: Result) -> tuple[Array, Array]:
    """Return times and the left angle as the other side assumes it within its steps, rad."""
    angle = result["left.angle"]
    if case.interface == "flow-flow":
        return np.asarray(angle.time), np.asarray(angle.values)  # the spring has the angles themselves
    return assumed(case.angle, angle.time, angle.values)
