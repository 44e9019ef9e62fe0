"""Couplings that plain repeats cannot iterate, and a pendulum that no explicit scheme can hold.

Strong: a mass of 1 kg gets a force of a spring with a damper in series, which gets its displacement; both by the
trapezoidal rule in windows of one step. A pass multiplies an error by more than stiffness · step² / 4.

Pendulum: the cut double pendulum of the study `pendulums` with a rigid hinge, place down and force up.
"""

from __future__ import annotations

from math import inf
from warnings import catch_warnings, simplefilter

import numpy as np

from ... import System, Window, lagrange, linear, window
from ...errors import SimulationError, WindowWarning
from ...results import Result
from ..pendulums.split import SPAN, STEP, Array, Pendulum, rigid, whole
from .outcome import Outcome, outcome

CASES = tuple(
    (stiffness, step, scheme)
    for stiffness, step in ((20.0, 1.0), (60.0, 0.5), (200.0, 0.5), (1000.0, 0.2), (1000.0, 1.0))
    for scheme in ("parallel", "sequential")
)
"""Stiffness in N/m, step in s, scheme: plain repeats diverge in all of them."""
RATE, COUNT = 20.0, 40
HEAVY = 5.0
"""Lower over upper mass with which all explicit schemes lose the pendulum."""


def strong(stiffness: float, step: float) -> System:
    """Return mass and spring."""
    system = System("strong coupling")
    mass = linear(
        [[0.0, 1.0], [-1.0, -0.1]], [[0.0], [1.0]], x0=[1.0, 0.0], inputs="f", outputs=("x", "v"), solver="trapezoidal"
    )
    spring = linear([[-RATE]], [[RATE]], [[-stiffness]], x0=[1], inputs="x", outputs="f", solver="trapezoidal")
    system.add("mass", mass, step=step)
    system.add("spring", spring, step=step)
    system.connect("mass.x", "spring.x", lagrange(1))
    system.connect("spring.f", "mass.f", lagrange(1))
    return system


def implicit(stiffness: float, step: float) -> float:
    """Return where the trapezoidal rule for the whole leaves the mass, m."""
    matrix = np.array([[0, 1, 0], [-1, -0.1, -stiffness], [RATE, 0, -RATE]])
    one = np.linalg.solve(np.eye(3) - 0.5 * step * matrix, np.eye(3) + 0.5 * step * matrix)
    return float((np.linalg.matrix_power(one, COUNT) @ [1.0, 0.0, 1.0])[0])


def run_strong() -> dict[tuple[str, int], Outcome]:
    """Return outcomes by acceleration and case; the error is that of the mass at the end."""
    found = {}
    for number, (stiffness, step, scheme) in enumerate(CASES):
        exact = implicit(stiffness, step)
        for acceleration in ("none", "anderson", "iqn-ils", "newton"):
            made = window(step, 30, 1e-10, acceleration=acceleration)
            found[acceleration, number] = outcome(
                strong(stiffness, step),
                lambda result, exact=exact: abs(float(result["mass.x"].values[-1]) - exact),  # type: ignore[misc]
                COUNT * step, scheme, made,
            )  # fmt: skip
    return found


def histories() -> dict[str, list[float]]:
    """Return the changes by the repeats of one window, by acceleration."""
    found = {}
    for acceleration in ("none", "aitken", "anderson", "iqn-ils", "newton"):
        made = window(0.5, 8, 1e-16, acceleration=acceleration)
        with catch_warnings():
            simplefilter("ignore", WindowWarning)
            try:
                result = strong(60.0, 0.5).run(until=0.5, scheme="parallel", window=made)
            except SimulationError:
                continue
        found[acceleration] = list(result.summary.windows.changes) if result.summary.windows is not None else []
    return found


def deviation(pendulum: Pendulum, order: int, scheme: str, made: Window | None, exact: tuple[Array, Array]) -> Outcome:
    """Return how far the lower mass gets from where it should be, m."""
    times, places = exact

    def largest(result: Result) -> float:
        at = result["lower.x"].time
        x, y = (np.interp(at, times, places[:, k]) for k in range(2))
        return float(np.hypot(result["lower.x"].values - x, result["lower.y"].values - y).max())

    found = outcome(rigid(pendulum, order), largest, SPAN, scheme, made)
    return found if found.error < 2.0 else Outcome(inf, found.integrations, found.passes, found.not_converged)


def run_pendulum(quick: bool) -> dict[tuple[str, float], Outcome]:
    """Return outcomes by method and ratio of the masses."""
    made = {
        "repeats": window(STEP, 50, 1e-7), "iqn-ils": window(STEP, 50, 1e-7, acceleration="iqn-ils"),
        "repeat-once": window(STEP, 1),
    }  # fmt: skip
    ratios = (0.5, 2.0, HEAVY) if quick else (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, HEAVY, 7.0, 10.0)
    found = {}
    for ratio in ratios:
        pendulum = Pendulum(lower=ratio)
        exact = whole(pendulum)
        for scheme in ("sequential", "parallel"):
            for order in (0, 1, 2):
                found[f"{scheme}, order {order}", ratio] = deviation(pendulum, order, scheme, None, exact)
            for name, one in made.items():
                found[f"{scheme}, {name}", ratio] = deviation(pendulum, 2, scheme, one, exact)
    return found
