"""The two masses of González et al. (2010) with windows of one slow step: what iteration buys over the frequency ratio.

Fast side ode4 with 0.01 s, slow side trapezoidal rule with FR · 0.01 s; 100 s. The fast side gets a Hermite cubic, the
slow one the time-weighted mean of the fast displacement over its step.
"""

from __future__ import annotations

import numpy as np

from ... import (
    System,
    Window,
    compound_fast,
    custom,
    hermite,
    hold,
    lagrange,
    linear,
    mean,
    reduced_interface,
    window,
)
from ...approximations import Approximation
from ...results import Result
from ..two_mass.experiment import FAST_STEP, Case
from ..two_mass.experiment import build as two_masses
from ..two_mass.measures import CYCLES, Trajectory, measure
from .outcome import Outcome, outcome

CONVERGED = {
    10: (1.84e-3, 7.6e-5),
    20: (5.70e-3, 6.0e-4),
    40: (3.12e-2, 7.0e-3),
    60: (7.1e-2, 2.5e-2),
    90: (0.129, 5.9e-2),
}
"""Frequency ratio -> errors of position and energy of an independent program, iterated to convergence."""
TWO_SWEEPS = {10: 1.84e-3, 20: 5.70e-3, 40: 3.16e-2, 60: 7.6e-2}
"""The same after one repeat, error of position."""


REDUCED = {10: 1.31e-3, 20: 4.32e-3, 40: 2.06e-2, 60: 4.1e-2, 90: 9.6e-2}
"""The same with the reduced interface model, not repeated."""
FIRST_FAST = custom({"slow": ["mass", "fast"], "fast": ["mass"]})


def with_reduced_interface(case: Case) -> System:
    """Return both masses with forces between them, and the slow mass alone as model of its interface."""
    p = case.problem()
    x1, x2 = (float(x) for x in p.start)
    system = System("two masses with a reduced interface")
    fast = linear(
        np.array([[0.0, 1.0], [-(p.k1 + p.k2) / p.m1, 0.0]]), np.array([[0.0], [p.k2 / p.m1]]),
        np.array([[1.0, 0.0], [0.0, 1.0], [p.k2, 0.0]]), np.array([[0.0], [0.0], [-p.k2]]),
        x0=[x1, 0.0], inputs="x2", outputs=["x1", "v1", "force"],
    )  # fmt: skip
    slow = linear(
        np.array([[0.0, 1.0], [-p.k3 / p.m2, 0.0]]), np.array([[0.0], [1.0 / p.m2]]),
        np.array([[1.0, 0.0], [0.0, 1.0], [-p.k3 / p.m2, 0.0]]),
        x0=[x2, 0.0], inputs="f", outputs=["x2", "v2", "a2"], solver="trapezoidal",
    )  # fmt: skip
    system.add("fast", fast, step=FAST_STEP)
    system.add("mass", reduced_interface(p.m2, reset=case.slow_step, x0=x2), step=FAST_STEP)
    system.add("slow", slow, step=case.slow_step)
    for name in "xva":
        system.connect(f"slow.{name}2", f"mass.{name}", hold())
    system.connect("fast.force", "mass.force", lagrange(2))
    system.connect("mass.x", "fast.x2", lagrange(3))
    system.connect("fast.force", "slow.f", mean("time-weighted"))
    return system


def build(case: Case, to_slow: Approximation, to_fast: Approximation) -> System:
    """Return both masses with these approximations."""
    system = System("two masses")
    for name, part in two_masses(case).subsystems.items():
        system.add(name, part.subsystem, step=part.step)
    system.connect("slow.x2", "fast.x2", to_fast)
    system.connect("fast.x1", "slow.x1", to_slow)
    return system


def trajectory(result: Result) -> Trajectory:
    """Return both motions."""
    x1, v1, x2, v2 = (result[name] for name in ("fast.x1", "fast.v1", "slow.x2", "slow.v2"))
    return Trajectory(x1.time, x1.values, v1.values, x2.time, x2.values, v2.values)


def methods(case: Case) -> dict[str, tuple[Approximation, Approximation, Window | None]]:
    """Return approximations to the slow and to the fast side, and windows."""
    smooth, step = mean("time-weighted"), case.slow_step
    return {
        "explicit, order 0": (lagrange(0), lagrange(0), None),
        "explicit, order 2": (lagrange(2), lagrange(2), None),
        "one repeat": (smooth, hermite(), window(step, 1)),
        "converged": (smooth, hermite(), window(step, 60, 1e-10)),
        "iqn-ils": (smooth, hermite(), window(step, 60, 1e-10, acceleration="iqn-ils")),
        "compound-fast": (lagrange(1), hermite(), compound_fast(step)),
        "generalised, share 0.5": (lagrange(1), hermite(), compound_fast(step, 0.5)),
    }


def run(quick: bool) -> dict[tuple[str, int], tuple[Outcome, float]]:
    """Return outcomes (error of position) and errors of energy by method and frequency ratio."""
    ratios = (10, 40, 60) if quick else (10, 20, 30, 40, 50, 60, 75, 90)
    found: dict[tuple[str, int], tuple[Outcome, float]] = {}
    for ratio in ratios:
        case = Case(ratio)
        for name, (to_slow, to_fast, made) in methods(case).items():
            energy: list[float] = []

            def position(result: Result, case: Case = case, energy: list[float] = energy) -> float:
                measured = measure(case.problem(), trajectory(result))
                energy.append(measured.dE)
                return measured.dx

            one = outcome(build(case, to_slow, to_fast), position, float(CYCLES), "slowest-first", made)
            found[name, ratio] = one, energy[0] if energy else float("inf")
        reduced = measure(
            case.problem(),
            trajectory(with_reduced_interface(case).run(until=float(CYCLES), scheme=FIRST_FAST, first_steps="once")),
        )
        steps = CYCLES / FAST_STEP + CYCLES / case.slow_step
        found["reduced interface", ratio] = Outcome(reduced.dx, steps), reduced.dE
    return found
