"""Three-part network of S. Glumac's sdf4sim 0.6.0 (example twomass): two masses and a spring-damper between them.

Left and right: 10 kg, 1 N/m, dampers 1 and 2 N s/m, x = 0.1 and 0.2 m, v = 0.1 m/s; middle: xm' = -(vl + vr),
F = 2 (-vl - vr) + xm, xm(0) = 1, with feedthrough; F goes to both; 20 s. Its configurator, which chooses one held step
for all parts from a tolerance, was run; its repository prints no numbers.
"""

from __future__ import annotations

import numpy as np

from ... import Scheme, System, hold, lagrange, linear, sequential
from ...approximations import Approximation
from ...results import Result
from ..claims import Claim
from .exact import propagated
from .setting import Point, Problem, sweep

SOURCE = "sdf4sim, three-part network"
UNTIL = 20.0
CONFIGURED = {0.1: (3840, 1.2e-2), 0.05: (7680, 6.1e-3), 0.02: (15360, 3.4e-3), 0.01: (30720, 2.5e-3)}
"""Tolerance asked of the configurator -> steps of the three parts together, largest error of F in N."""
WHOLE = np.array([
    [0.0, 1.0, 0.0, 0.0, 0.0],
    [-0.1, -0.3, 0.1, 0.0, -0.2],
    [0.0, -1.0, 0.0, 0.0, -1.0],
    [0.0, 0.0, 0.0, 0.0, 1.0],
    [0.0, -0.2, 0.1, -0.1, -0.4],
])  # fmt: skip
START = np.array([0.1, 0.1, 1.0, 0.2, 0.1])
FORCE = np.array([0.0, -2.0, 1.0, 0.0, -2.0])
REFERENCE = {1.0: 0.3445026799, 5.0: 0.2928708918, 20.0: 0.4304447088}
"""Time in s -> F in N, from an independent program."""


def build(step: float, approximation: Approximation) -> System:
    """Couple the three parts."""
    system = System("three-part network")
    for name, damping, place in (("left", 1.0, 0.1), ("right", 2.0, 0.2)):
        mass = linear(
            [[0.0, 1.0], [-0.1, -damping / 10]], [[0.0], [0.1]], [[0.0, 1.0]], x0=[place, 0.1], inputs="F", outputs="v"
        )
        system.add(name, mass, step=step)
    middle = linear(
        [[0.0]], [[-1.0, -1.0]], [[1.0]], [[-2.0, -2.0]], x0=[1.0], inputs=("vl", "vr"), outputs="F", solver="ode4"
    )
    system.add("middle", middle, step=step)
    for side, port in (("left", "vl"), ("right", "vr")):
        system.connect(f"{side}.v", f"middle.{port}", approximation)
        system.connect("middle.F", f"{side}.F", approximation)
    return system


def error(result: Result) -> float:
    """Return the largest error of F over its samples, N."""
    force = result["middle.F"]
    return float(np.abs(np.ravel(force.values) - propagated(WHOLE, START, force.time) @ FORCE).max())


def run(quick: bool) -> list[Point]:
    """Run schemes and approximations over the step."""
    steps = (0.25, 0.125) if quick else (0.5, 0.25, 0.125, 0.0625)
    schemes: dict[str, str | Scheme] = {"sequential": sequential(["left", "right", "middle"]), "parallel": "parallel"}
    approximations: dict[str, Approximation] = {
        "hold": hold(), "lagrange(1)": lagrange(1), "lagrange(2)": lagrange(2)
    }  # fmt: skip
    return sweep(Problem(build, error, UNTIL), steps, schemes, approximations)


def claims(points: list[Point]) -> list[Claim]:
    """Return the exact force beside an independent one, and steps at equal error."""
    exact = propagated(WHOLE, START, list(REFERENCE)) @ FORCE
    made = [
        Claim.about(f"{SOURCE}: F at {t:g} s, closed form", value, float(ours), margin=1e-9, unit="N", origin="derived")
        for (t, value), ours in zip(REFERENCE.items(), exact, strict=True)
    ]
    for asked, (steps, theirs) in CONFIGURED.items():
        fine = [point for point in points if point.error <= theirs]
        best = min(fine, key=lambda point: point.work) if fine else None
        remark = "No setting that was run reaches it."
        if best is not None:
            remark = f"{best.scheme}, {best.approximation}, {best.step:g} s: {best.error:.1e} N."
        made.append(
            Claim.below(f"{SOURCE}: steps for the error of F of its configurator, {theirs:g} N (tolerance {asked:g})",
                        steps, None if best is None else best.work, origin="derived", spread=0.0, remark=remark)
        )  # fmt: skip
    return made
