"""Partitioned oscillator of B. Rodenberg and B. Uekermann (2025), section 4.1; a tutorial of preCICE, too.

m = 1 kg both; k = 4π² to the walls, 16π² N/m between; x1(0) = 1, x2(0) = 0, at rest; 1 s. Each side gets the other's
displacement. Exact: x1, x2 = (cos 2πt ± cos 6πt)/2. The source iterates windows with a cubic B-spline through all
samples of a window; left classical Runge-Kutta, right generalized-α. Here: windows repeated to 1e-10, our
approximations, and the trapezoidal rule (newmark) on the right. Numbers: the data files that the authors publish.
"""

from __future__ import annotations

import numpy as np

from ... import System, hermite, hold, lagrange, linear, window
from ...approximations import Approximation
from ...results import Result
from ..claims import Claim
from ..report import Table
from .setting import Point, Problem, sweep

SOURCE = "Rodenberg and Uekermann"
UNTIL = 1.0
WALL, BETWEEN = 4 * np.pi**2, 16 * np.pi**2

TABLE_1 = {
    0.005: (7.8044e-4, 7.4634e-4),
    0.01: (5.7807e-6, 4.9320e-6),
    0.02: (3.9388e-6, 3.5523e-6),
    0.05: (4.2661e-6, 3.7977e-6),
    0.1: (4.3878e-6, 3.8888e-6),
    0.2: (4.4483e-6, 3.9269e-6),
}
"""Window in s -> largest error left and right, m; steps of 0.005 and 0.0002 s."""
FIGURE_11 = {
    0.1: (2.5e-2, 3.125e-3, 1.2255e-3, 1.2320e-3),
    0.05: (1.25e-2, 7.8125e-4, 7.7173e-5, 7.5316e-5),
    0.025: (6.25e-3, 1.953125e-4, 4.8257e-6, 4.6423e-6),
    0.0125: (3.125e-3, 4.8828125e-5, 3.0005e-7, 2.8615e-7),
}
"""Window -> left and right step in s, errors left and right in m."""
FIGURE_10 = {
    0.2: (5.09e-2, 4.49e-3),
    0.1: (1.26e-2, 3.01e-4),
    0.05: (3.13e-3, 3.28e-5),
    0.025: (7.82e-4, 5.83e-6),
    0.0125: (1.95e-4, 1.31e-6),
}
"""Window -> error left in m with piecewise linear interpolation and with the cubic B-spline; steps W/5 and W/100."""

SOLVERS = ("ode4", "newmark")
BETTER = "The published spline has values only; Hermite has slopes, too."
TRAPEZOIDAL = "The trapezoidal rule on the right has a larger constant than generalized-α."


def build(left: float, right: float, approximation: Approximation, solvers: tuple[str, str] = SOLVERS) -> System:
    """Couple both sides by their displacements."""
    system = System("partitioned oscillator")
    for name, step, place, solver in (("left", left, 1.0, solvers[0]), ("right", right, 0.0, solvers[1])):
        model = linear(
            [[0.0, 1.0], [-(WALL + BETWEEN), 0.0]], [[0.0], [BETWEEN]], x0=[place, 0.0], inputs="u",
            outputs=("x", "v"), solver=solver,
        )  # fmt: skip
        system.add(name, model, step=step)
    system.connect("left.x", "right.u", approximation)
    system.connect("right.x", "left.u", approximation)
    return system


def errors(result: Result) -> tuple[float, float]:
    """Return the largest error of each side over its own steps, m."""
    found = []
    for name, sign in (("left", 1.0), ("right", -1.0)):
        x = result[f"{name}.x"]
        exact = 0.5 * (np.cos(2 * np.pi * x.time) + sign * np.cos(6 * np.pi * x.time))
        found.append(float(np.abs(x.values - exact).max()))
    return found[0], found[1]


def iterated(length: float, left: float, right: float, approximation: Approximation) -> tuple[float, float]:
    """Run with windows that are repeated until they agree; return both errors."""
    system = build(left, right, approximation)
    repeated = window(length, repeats=50, tolerance=1e-10)
    return errors(system.run(until=UNTIL, scheme="slowest-first", window=repeated))


def run(quick: bool) -> list[Point]:
    """Run without windows: schemes and approximations over the step of the left side; the right one has a fifth."""
    steps = (0.02, 0.005) if quick else (0.02, 0.01, 0.005, 0.0025)
    approximations: dict[str, Approximation] = {
        "hold": hold(), "lagrange(1)": lagrange(1), "lagrange(2)": lagrange(2), "lagrange(3)": lagrange(3),
        "hermite": hermite(),
    }  # fmt: skip
    schemes = {name: name for name in ("slowest-first", "fastest-first", "parallel")}
    problem = Problem(
        lambda step, approximation: build(step, step / 5, approximation, ("ode4", "ode4")),
        lambda result: max(errors(result)),
        UNTIL,
    )
    return sweep(problem, steps, dict(schemes), approximations)


def claims(quick: bool) -> list[Claim]:
    """Return tables and figures of the source beside ours."""
    made = []
    for length, published in TABLE_1.items():
        if quick and length not in (0.02, 0.1):
            continue
        ours = iterated(length, 0.005, 0.0002, hermite())
        for side, theirs, mine in zip(("left", "right"), published, ours, strict=True):
            made.append(
                Claim.below(f"{SOURCE}, Table 1: error {side}, window of {length:g} s; ours with hermite", theirs, mine,
                            slack=theirs, unit="m", remark=BETTER if mine < 0.1 * theirs else "", reason=TRAPEZOIDAL)
            )  # fmt: skip
    for length, (left, right, *both) in FIGURE_11.items():
        ours = iterated(length, left, right, hermite())
        for side, theirs, mine in zip(("left", "right"), both, ours, strict=True):
            made.append(
                Claim.below(f"{SOURCE}, Fig. 11: error {side}, window of {length:g} s; ours with hermite", theirs, mine,
                            slack=theirs, unit="m", reason=TRAPEZOIDAL)
            )  # fmt: skip
    for length, (straight, cubic) in FIGURE_10.items():
        if quick and length < 0.05:
            continue
        for words, theirs, approximation in (
            ("piecewise linear; ours lagrange(1)", straight, lagrange(1)),
            ("cubic B-spline; ours hermite", cubic, hermite()),
        ):
            mine, _ = iterated(length, length / 5, length / 100, approximation)
            made.append(
                Claim.below(f"{SOURCE}, Fig. 10: error left, window of {length:g} s, {words}", theirs, mine,
                            slack=theirs, unit="m", reason=TRAPEZOIDAL)
            )  # fmt: skip
    return made


def table(quick: bool) -> Table:
    """Return Fig. 11 with the approximations that we have."""
    rows = []
    for length, (left, right, theirs, _) in list(FIGURE_11.items())[: 3 if quick else None]:
        ours = [iterated(length, left, right, a)[0] for a in (hermite(), lagrange(3), lagrange(2), lagrange(1))]
        rows.append((length, left, right, theirs, *ours))
    columns = (
        "window, s", "left step, s", "right step, s", "published, m", "hermite, m", "lagrange(3), m", "lagrange(2), m",
        "lagrange(1), m",
    )  # fmt: skip
    return Table("Partitioned oscillator: error left, windows repeated to 1e-10", columns, rows)
