"""The test equation of M. Solcia's thesis (2010), (3.5.16), with both signs of the coupling.

    y' = λ y + μ z,  z' = ε y + α λ z,   λ = j rad/s, α = 0.1,  β = μ ε / ((1 - α) / 2)²

Fast y with step H/10, slow z with step H, both by the trapezoidal rule; 20 s. Complex numbers are two states. Real
eigenvalues of the whole are 0 for β < 1; the coupling conserves energy where β < 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from ... import System, Window, compound_fast, lagrange, linear, window
from ...results import Result
from .outcome import Outcome, outcome

Array = NDArray[np.float64]

RATIO, SPAN, SLOWNESS = 10, 20.0, 0.1
COUPLINGS = (0.1, -0.1)
"""β; the thesis has the first one."""


def matrix(coupling: float) -> Array:
    """Return the equations of (Re y, Im y, Re z, Im z)."""
    product = coupling * ((1.0 - SLOWNESS) / 2.0) ** 2
    mu, eps = np.sqrt(abs(product)), np.copysign(np.sqrt(abs(product)), product)
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    one = np.eye(2)
    return np.block([[turn, mu * one], [eps * one, SLOWNESS * turn]])


def build(coupling: float, step: float) -> System:
    """Return both equations, coupled by lines."""
    a = matrix(coupling)
    system = System("test equation")
    for name, k, h in (("fast", 0, step / RATIO), ("slow", 2, step)):
        other = 2 - k
        model = linear(
            a[k : k + 2, k : k + 2], a[k : k + 2, other : other + 2], x0=[1.0, 0.0], inputs={"u": 2},
            outputs={"y": 2}, solver="trapezoidal",
        )  # fmt: skip
        system.add(name, model, step=h)
    system.connect("fast.y", "slow.u", lagrange(1))
    system.connect("slow.y", "fast.u", lagrange(1))
    return system


def error(coupling: float, result: Result) -> float:
    """Return the largest error of both at the ends of slow steps."""
    times = result["slow.y"].time
    exact = np.array([expm(t * matrix(coupling)) @ [1.0, 0.0, 1.0, 0.0] for t in times])
    fast = result["fast.y"].values[::RATIO][: times.size]
    slow = result["slow.y"].values
    count = min(len(fast), len(slow))
    return float(np.abs(np.hstack([fast[:count], slow[:count]]) - exact[:count]).max())


def methods(step: float) -> dict[str, tuple[str, Window | None]]:
    """Return schemes and windows by name."""
    return {
        "slowest-first": ("slowest-first", None),
        "fastest-first": ("fastest-first", None),
        "parallel": ("parallel", None),
        "repeat-once": ("slowest-first", window(step, 1)),
        "iterated": ("slowest-first", window(step, tolerance=1e-10, acceleration="iqn-ils")),
        "compound-fast": ("slowest-first", compound_fast(step, tolerance=1e-10)),
        "generalised, share 0.5": ("slowest-first", compound_fast(step, 0.5, tolerance=1e-10)),
        "mixed": ("slowest-first", compound_fast(step, "mixed", tolerance=1e-10)),
    }


def run(quick: bool) -> dict[tuple[str, float, float], Outcome]:
    """Return outcomes by method, β and H in s."""
    steps = (1.0, 0.2, 0.1) if quick else (2.0, 1.0, 0.4, 0.2, 0.1, 0.05)
    return {
        (name, beta, step): outcome(
            build(beta, step), lambda result, beta=beta: error(beta, result), SPAN, scheme, made  # type: ignore[misc]
        )
        for beta in COUPLINGS
        for step in steps
        for name, (scheme, made) in methods(step).items()
    }  # fmt: skip
