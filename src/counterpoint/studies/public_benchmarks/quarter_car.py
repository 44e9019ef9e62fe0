"""Quarter car: parameters of the Open Simulation Platform's demo case quarter-truck, and of the papers on ECCO.

Chassis 400 kg, wheel 40 kg, suspension 15 kN/m and 1 kN s/m (in the wheel's model), tyre 150 kN/m; the road steps by
0.1 m at t = 0; 2 s. Force F to the chassis, velocity v back; F has feedthrough. Error: largest of the chassis' place
over the communication points, relative to 0.1 m. Integrations: advances of a subsystem over a step. Numbers to compare
with are those of a program for the published methods, with subsystems that integrate exactly; the papers print figures.
"""

from __future__ import annotations

import numpy as np

from ... import Scheme, System, hermite, hold, lagrange, linear, sequential, taylor
from ...approximations import Approximation
from ...results import Result
from ..claims import Claim
from .exact import propagated
from .setting import Point, Problem, sweep

SOURCE = "quarter car"
UNTIL, STEP_OF_ROAD = 2.0, 0.1
RTOL, ATOL = 1e-10, 1e-12
"""Of the subsystems, so that only coupling errors are seen."""
PLACES = {0.1: 0.0327569032, 0.5: 0.1614685880, 1.0: 0.0652894398, 2.0: 0.0912337754}
"""Time in s -> place of the chassis over where it began, m."""
PARALLEL = {"hold": 1.7e-2, "lagrange(1)": 5.4e-4, "lagrange(2)": 3.9e-3, "lagrange(3)": 3.6e-3}
"""Jacobi, fixed steps, 1600 integrations: approximation -> error."""
HERMITE = {400: 8.9e-5, 800: 5.5e-6}
"""Gauss-Seidel with slopes of both signals, one sweep, fixed steps: integrations -> error."""
ECCO = (11032, 3.34e-3)
"""Jacobi, hold, ECCO's step control: integrations, error."""
WHOLE = np.array([  # zc, v, zw, vw
    [0.0, 1.0, 0.0, 0.0],
    [-37.5, -2.5, 37.5, 2.5],
    [0.0, 0.0, 0.0, 1.0],
    [375.0, 25.0, -4125.0, -25.0],
])  # fmt: skip
START = np.array([-0.1, 0.0, -0.1, 0.0])


def build(step: float, approximation: Approximation, to_wheel: Approximation | None = None) -> System:
    """Couple chassis and wheel; `to_wheel` is for the velocity, where it differs."""
    system = System("quarter car")
    chassis = linear(
        [[0.0, 1.0], [0.0, 0.0]],
        [[0.0], [1 / 400.0]],
        x0=[-0.1, 0.0],
        inputs="F",
        outputs=("z", "v"),
        solver="ode45",
        rtol=RTOL,
        atol=ATOL,
    )
    # zw, vw, and the place of the chassis as the wheel integrates it
    wheel = linear(
        [[0.0, 1.0, 0.0], [-4125.0, -25.0, 375.0], [0.0, 0.0, 0.0]], [[0.0], [25.0], [1.0]],
        [[15000.0, 1000.0, -15000.0]], [[-1000.0]], x0=[-0.1, 0.0, -0.1], inputs="v", outputs="F",
        solver="ode45", rtol=RTOL, atol=ATOL,
    )  # fmt: skip
    system.add("wheel", wheel, step=step)
    system.add("chassis", chassis, step=step)
    system.connect("wheel.F", "chassis.F", approximation)
    system.connect("chassis.v", "wheel.v", to_wheel or approximation)
    return system


def error(result: Result) -> float:
    """Return the largest error of the chassis' place, relative to the road's step."""
    place = result["chassis.z"]
    return float(np.abs(place.values - propagated(WHOLE, START, place.time)[:, 0]).max()) / STEP_OF_ROAD


SCHEMES: dict[str, str | Scheme] = {"sequential": sequential(["wheel", "chassis"]), "parallel": "parallel"}


def run(quick: bool) -> list[Point]:
    """Run schemes and approximations over the step."""
    steps = (0.01, 0.0025) if quick else (0.02, 0.01, 0.005, 0.0025)
    approximations: dict[str, Approximation] = {
        "hold": hold(), "lagrange(1)": lagrange(1), "lagrange(2)": lagrange(2), "lagrange(3)": lagrange(3),
        "hermite": hermite(),
    }  # fmt: skip
    plain = sweep(Problem(build, error, UNTIL), steps, SCHEMES, approximations)
    mixed = Problem(lambda step, approximation: build(step, approximation, taylor(2)), error, UNTIL)
    return plain + sweep(
        mixed, steps, {"sequential": SCHEMES["sequential"]}, {"taylor(2) for v, hermite for F": hermite()}
    )


def claims(points: list[Point]) -> list[Claim]:
    """Return the closed form, and errors at equal work."""
    exact = propagated(WHOLE, START, list(PLACES))[:, 0] + STEP_OF_ROAD
    made = [
        Claim.about(f"{SOURCE}: place of the chassis at {t:g} s, closed form", value, float(ours), margin=1e-9,
                    unit="m", origin="derived")
        for (t, value), ours in zip(PLACES.items(), exact, strict=True)
    ]  # fmt: skip
    found = {(p.scheme, p.approximation, round(2 * UNTIL / p.step)): p for p in points}
    for words, theirs in PARALLEL.items():
        made.append(
            Claim.below(f"{SOURCE}: Jacobi, {words}, 1600 integrations: error", theirs,
                        found["parallel", words, 1600].error, slack=theirs, origin="derived", reason=_FEEDTHROUGH)
        )  # fmt: skip
    for work, theirs in HERMITE.items():
        point = found.get(("sequential", "hermite", work))
        made.append(
            Claim.below(f"{SOURCE}: Gauss-Seidel, slopes, one sweep, {work} integrations: error; ours hermite", theirs,
                        None if point is None else point.error, slack=theirs, origin="derived", reason=_SLOPES,
                        remark="" if point is not None else "Not in the quick form.")
        )  # fmt: skip
    work, theirs = ECCO
    best = min((p for p in points if p.error <= theirs), key=lambda p: p.work)
    made.append(
        Claim.below(f"{SOURCE}: integrations for the error of ECCO's step control, {theirs:g}", work, best.work,
                    origin="derived", spread=0.0,
                    remark=f"{best.scheme}, {best.approximation}, fixed steps of {best.step:g} s: {best.error:.1e}.")
    )  # fmt: skip
    return made


_FEEDTHROUGH = "F at a communication point is evaluated with the velocity assumed there, not renewed with the new one."
_SLOPES = (
    'The first step knows no slopes but those at its start: with first_steps="repeat" the error is 1.5e-4 at 400 and '
    "7.9e-6 at 800 integrations."
)
