"""Two masses between two walls, from the tests of OMSimulator (tests/simulation/DualMassOscillator1.py).

m = 1 kg each; springs 10, 10, 20 N/m and dampers 0.2, 0.5, 0.3 N s/m (wall, between, wall); x1(0) = 0, x2(0) = 0.5 m,
at rest; 10 s. The test prints both places at the end: coupled FMUs, 1e-4 s, force one way and motion the other. Here
each side has its own copy of the spring between them: displacement and velocity cross both ways.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ... import System, hermite, hold, lagrange, linear
from ...approximations import Approximation
from ...results import Result
from ..claims import Claim
from .exact import propagated
from .setting import Array, Point, Problem, sweep

UNTIL = 10.0
PUBLISHED = {"x1": 0.051412690223479836, "x2": 0.031858470461315964}
PUBLISHED_STEPS = 200_000
"""Of both subsystems together."""
WHOLE = np.array([
    [0.0, 1.0, 0.0, 0.0],
    [-20.0, -0.7, 10.0, 0.5],
    [0.0, 0.0, 0.0, 1.0],
    [10.0, 0.5, -30.0, -0.8],
])  # fmt: skip
START = np.array([0.0, 0.0, 0.5, 0.0])
APPROXIMATIONS: dict[str, Approximation] = {
    "hold": hold(), "lagrange(1)": lagrange(1), "lagrange(2)": lagrange(2), "lagrange(3)": lagrange(3),
    "hermite": hermite(),
}  # fmt: skip


def build(step: float, approximation: Approximation) -> System:
    """Couple both masses by displacement and velocity."""
    system = System("dual mass oscillator")
    for k, (name, other) in enumerate((("one", "two"), ("two", "one"))):
        own, far = slice(2 * k, 2 * k + 2), slice(2 - 2 * k, 4 - 2 * k)
        model = linear(
            WHOLE[own, own], WHOLE[own, far], x0=START[own], inputs=(f"x_{other}", f"v_{other}"),
            outputs=("x", "v"), solver="ode4",
        )  # fmt: skip
        system.add(name, model, step=step)
    for name, other in (("one", "two"), ("two", "one")):
        for signal in ("x", "v"):
            system.connect(f"{name}.{signal}", f"{other}.{signal}_{name}", approximation)
    return system


@cache
def exact_end() -> Array:
    """Return x1, v1, x2, v2 at the end."""
    return np.asarray(propagated(WHOLE, START, [UNTIL])[0])


def error(result: Result) -> float:
    """Return the largest error of both places over all samples, m."""
    places = [result["one.x"], result["two.x"]]
    exact = propagated(WHOLE, START, places[0].time)
    return float(max(np.abs(place.values - exact[:, 2 * k]).max() for k, place in enumerate(places)))


def run(quick: bool) -> list[Point]:
    """Run schemes and approximations over the step."""
    steps = (0.04, 0.01) if quick else (0.08, 0.04, 0.02, 0.01, 0.005)
    schemes = {"parallel": "parallel", "sequential": "sequential"}
    return sweep(Problem(build, error, UNTIL), steps, schemes, APPROXIMATIONS)


def claims(points: list[Point]) -> list[Claim]:
    """Return the printed places beside the closed form, and what their error costs here."""
    source, exact = "OMSimulator, dual mass oscillator", exact_end()
    theirs = max(abs(PUBLISHED[name] - exact[k]) for name, k in (("x1", 0), ("x2", 2)))
    made = [
        Claim.about(f"{source}: {name} after 10 s, closed form", PUBLISHED[name], float(exact[k]), margin=1e-3,
                    unit="m", remark="Printed for steps of 1e-4 s.")
        for name, k in (("x1", 0), ("x2", 2))
    ]  # fmt: skip
    fine = [point for point in points if point.error <= theirs]
    best = min(fine, key=lambda point: point.work) if fine else None
    made.append(
        Claim.below(f"{source}: steps of both subsystems for an error no larger than that of the printed places",
                    PUBLISHED_STEPS, None if best is None else best.work, origin="derived", spread=0.0,
                    remark="None of the settings reaches it." if best is None else
                    f"{best.scheme}, {best.approximation}: largest error on the way {best.error:.1e} m; theirs at the "
                    f"end {theirs:.1e} m.")
    )  # fmt: skip
    return made
