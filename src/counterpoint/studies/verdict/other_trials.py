"""Trials with tight references: sampled controllers, stiff contacts, cubic springs, a mechanism with its drive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ...approximations import hold, lagrange
from ...multibody import load
from ...results import Result
from ...subsystems import Subsystem, linear, ode
from ...system import System
from .trial import Array, Solution, Trial

FINE = 64
"""A tight reference has so many steps in one of the run."""


def from_run(result: Result, names: Mapping[str, str]) -> dict[str, Solution]:
    """Return signals of a tight run as solutions: name -> name there."""

    def solution(signal: Any) -> Solution:
        return lambda time: np.asarray(signal.at(np.clip(time, *signal.time[[0, -1]]), "cubic"))

    return {name: solution(result.signal(there)) for name, there in names.items()}


class Controller(Subsystem):
    """A proportional and derivative controller that computes at its sample times and holds its force."""

    inputs = ("position", "speed")
    outputs = ("force",)

    def __init__(self, stiffness: float, damping: float) -> None:
        self.stiffness, self.damping = stiffness, damping
        self.force = 0.0

    def start(self, t: float) -> None:
        """Begin without a force."""
        self.force = 0.0

    def step(self, t: float, t_end: float, u: Callable[[float], Array]) -> None:
        """Compute the force from what is measured at the sample time."""
        position, speed = u(t)
        self.force = -self.stiffness * (position - 1.0) - self.damping * speed

    def output(self, t: float, u: Callable[[float], Array]) -> float:
        """Return the force."""
        return self.force


def _controlled(gains: tuple[float, float], period: float, step: float, solver: str) -> System:
    system = System("sampled controller")
    cart = linear(
        [[0.0, 1.0], [-2.0, -0.1]], [[0.0], [1.0]], x0=[0, 0], inputs="force", outputs=["x", "v"], solver=solver
    )
    system.add("cart", cart, step=step)
    system.add("controller", Controller(*gains), step=period)
    system.connect("cart.x", "controller.position")
    system.connect("cart.v", "controller.speed")
    system.connect("controller.force", "cart.force", hold("behind"))
    return system


def sampled_controllers() -> Iterator[Trial]:
    """Yield a cart held by a sampled controller; the sampling is part of the model and no error."""
    for gains, period, share, solver in product(((4.0, 2.0), (30.0, 8.0)), (0.02, 0.1, 0.2), (1, 5), ("ode4", "ode1")):
        step = period / share

        def solution(gains=gains, period=period, step=step) -> dict[str, Solution]:  # type: ignore[no-untyped-def]
            tight = _controlled(gains, period, step / FINE, "ode4").run(until=10.0, scheme="fastest-first", check="off")
            return from_run(tight, {"cart.x": "cart.x", "cart.v": "cart.v"})

        yield Trial(
            "sampled controllers", f"gain {gains[0]:g}, period {period:g} s, {share} steps of {solver}",
            partial(_controlled, gains, period, step, solver), 10.0,
            solution, {"scheme": "fastest-first"},
        )  # fmt: skip


def _ball(stiffness: float) -> tuple[Any, Any, Any]:
    """Return ball, plate and both in one: the ball of 1 kg falls onto the sprung plate of 2 kg."""

    def contact(low: float, high: float) -> float:
        return stiffness * max(0.0, low - high)

    def ball(t: float, x: Array, u: Array) -> list[float]:
        return [x[1], -9.81 + contact(u[0], x[0])]

    def plate(t: float, x: Array, u: Array) -> list[float]:
        return [x[1], -200.0 * x[0] - 2.0 * x[1] - contact(x[0], u[0]) / 2.0]

    def both(t: float, x: Array, u: Array) -> list[float]:
        return [*ball(t, x[:2], x[2:3]), *plate(t, x[2:], x[:1])]

    return ball, plate, both


@cache
def _ball_solution(stiffness: float) -> dict[str, Solution]:
    system = System("ball and plate in one")
    both = ode(_ball(stiffness)[2], [0.3, 0, 0, 0], outputs=["h", "v", "p", "w"], rtol=1e-10, atol=1e-12)
    system.add("both", both, step=1e-4)
    return from_run(system.run(until=1.0, check="off", first_steps="once"), {"ball.x": "both.h", "plate.x": "both.p"})


def contacts() -> Iterator[Trial]:
    """Yield a ball that bounces on a plate, with contacts of some milliseconds."""
    for stiffness, order, step, scheme in product(
        (2e3, 5e4), (0, 1, 2), (2e-4, 1e-3, 5e-3), ("slowest-first", "fastest-first")
    ):

        def made(stiffness=stiffness, order=order, step=step) -> System:  # type: ignore[no-untyped-def]
            ball, plate, _ = _ball(stiffness)
            system = System("ball and plate")
            system.add("ball", ode(ball, [0.3, 0], inputs="p", outputs=["x", "v"], solver="ode4"), step=step)
            system.add("plate", ode(plate, [0, 0], inputs="h", outputs=["x", "v"], solver="ode4"), step=2 * step)
            system.connect("plate.x", "ball.p", lagrange(order))
            system.connect("ball.x", "plate.h", lagrange(order))
            return system

        yield Trial(
            "stiff contacts", f"{stiffness:g} N/m, order {order}, step {step:g} s, {scheme}", made, 1.0,
            partial(_ball_solution, stiffness), {"scheme": scheme},
        )  # fmt: skip


def _cubic(ratio: float) -> tuple[Any, Any, Any]:
    """Return a fast and a slow mass with cubic springs between them, and both in one; ratio of their frequencies."""
    fast, slow = 39.5, 39.5 / ratio**2

    def spring(stretch: float) -> float:
        return stretch + 0.3 * stretch**3

    def first(t: float, x: Array, u: Array) -> list[float]:
        return [x[1], -fast * spring(x[0] - u[0])]

    def second(t: float, x: Array, u: Array) -> list[float]:
        return [x[1], -slow * x[0] - 0.01 * fast * spring(x[0] - u[0])]

    def both(t: float, x: Array, u: Array) -> list[float]:
        return [*first(t, x[:2], x[2:3]), *second(t, x[2:], x[:1])]

    return first, second, both


@cache
def _cubic_solution(ratio: float) -> dict[str, Solution]:
    system = System("cubic springs in one")
    both = ode(_cubic(ratio)[2], [1.5, 0, 1.0, 0], outputs=["x", "v", "y", "w"], rtol=1e-10, atol=1e-12)
    system.add("both", both, step=2e-3)
    return from_run(system.run(until=20.0, check="off", first_steps="once"), {"fast.x": "both.x", "slow.x": "both.y"})


def cubic_springs() -> Iterator[Trial]:
    """Yield a fast and a slow mass with a hardening spring between them."""
    for ratio, scheme, order in product((3, 8, 17, 30), ("slowest-first", "fastest-first"), range(4)):

        def made(ratio=ratio, order=order) -> System:  # type: ignore[no-untyped-def]
            first, second, _ = _cubic(ratio)
            system = System("cubic springs")
            system.add("fast", ode(first, [1.5, 0], inputs="u", outputs=["x", "v"], solver="ode4"), step=0.01)
            system.add("slow", ode(second, [1.0, 0], inputs="u", outputs=["x", "v"], solver="ode4"), step=0.01 * ratio)
            system.connect("slow.x", "fast.u", lagrange(order))
            system.connect("fast.x", "slow.u", lagrange(order))
            return system

        yield Trial(
            "cubic springs", f"ratio {ratio}, {scheme}, order {order}", made, 20.0,
            partial(_cubic_solution, ratio), {"scheme": scheme},
        )  # fmt: skip


CRANK = """
[mechanism]
dimension = 2
units = "SI"
gravity = [0, -9.81]
step = 0.001

[points]
O = { at = [0, 0], fixed = true }
A = { at = [0.03, 0.04] }
P = { at = [0.225, 0] }
Q = { at = [0.265, 0] }

[bodies]
crank = { points = ["O", "A"], mass = 0.8 }
rod = { points = ["A", "P"], mass = 0.5 }
piston = { points = ["P", "Q"], mass = 0.4 }

[joints]
cylinder = { kind = "prismatic", bodies = ["ground", "piston"], at = "P", axis = [1, 0] }

[measures]
phi = { kind = "angle", bodies = ["crank"] }

[actuators]
motor = { measure = "phi", force = "input:torque" }

[inputs]
torque = 0.0

[outputs]
phi = "phi"
speed = { of = "phi", motion = "velocity" }
"""


def mechanisms(folder: Path) -> Iterator[Trial]:
    """Yield a slider-crank, described in `folder`, that a motor with a first-order lag drives."""
    file = folder / "slider-crank.toml"
    file.write_text(CRANK, encoding="utf-8")

    def made(order: int, motor: float, crank: float) -> System:
        system = System("driven slider-crank")
        drive = ode(
            lambda t, x, u: [(0.4 * (20.0 - u[0]) - x[0]) / 0.01],
            [0.0],
            inputs="speed",
            outputs="torque",
            solver="ode4",
        )
        system.add("motor", drive, step=motor)
        system.add("crank", load(file), step=crank)
        system.connect("motor.torque", "crank.torque", lagrange(order))
        system.connect("crank.speed", "motor.speed", lagrange(order))
        return system

    @cache
    def solution() -> dict[str, Solution]:
        tight = made(2, 1e-5, 2e-5).run(until=0.5, check="off")
        return from_run(tight, {"motor.torque": "motor.torque", "crank.speed": "crank.speed"})

    for order, motor, ratio, scheme in product(
        (0, 1, 2), (2e-4, 1e-3, 5e-3), (1, 2), ("slowest-first", "fastest-first")
    ):
        yield Trial(
            "mechanisms", f"order {order}, steps {motor:g} s and {ratio * motor:g} s, {scheme}",
            partial(made, order, motor, ratio * motor), 0.5, solution,
            {"scheme": scheme},
        )  # fmt: skip
