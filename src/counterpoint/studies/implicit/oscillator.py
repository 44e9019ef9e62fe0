"""The partitioned oscillator of B. Rodenberg and B. Uekermann (2025): windows of high order, and accelerated ones.

The problem and the published numbers are those of the study `public-benchmarks`; both sides here by ode4, so that the
coupling decides.
"""

from __future__ import annotations

from math import log2

from ... import hermite, lagrange, spline, window
from ...approximations import Approximation
from ..public_benchmarks.oscillator import FIGURE_11, UNTIL, build, errors
from .outcome import Outcome, outcome

APPROXIMATIONS: dict[str, Approximation] = {"lagrange(3)": lagrange(3), "spline": spline(), "hermite": hermite()}
ACCELERATIONS = ("none", "aitken", "anderson", "iqn-ils", "newton")
LENGTHS = (0.05, 0.1, 0.2, 0.5)
"""Windows in s of the comparison of accelerations; 40 of them each, steps of 0.005 s."""


def sweet_spot(quick: bool) -> dict[tuple[str, str, float], tuple[float, float]]:
    """Return errors of both sides by approximation, stencil and window, with the steps of Fig. 11."""
    found = {}
    for length, (left, right, *_) in list(FIGURE_11.items())[: 3 if quick else None]:
        for name, approximation in APPROXIMATIONS.items():
            for stencil in ("one-sided", "centred"):
                system = build(left, right, approximation, ("ode4", "ode4"))
                made = window(length, 50, 1e-10, "one-sided" if stencil == "one-sided" else "centred")
                found[name, stencil, length] = errors(system.run(until=UNTIL, scheme="slowest-first", window=made))
    return found


def order(found: dict[tuple[str, str, float], tuple[float, float]], name: str, stencil: str) -> float:
    """Return the order in the left step between the two shortest windows."""
    lengths = sorted(length for key, kind, length in found if (key, kind) == (name, stencil))
    fine, coarse = (found[name, stencil, length][0] for length in lengths[:2])
    return log2(coarse / fine)


def accelerated(quick: bool) -> dict[tuple[str, str, float], Outcome]:
    """Return outcomes by acceleration, scheme and window."""
    found = {}
    for length in LENGTHS[1:] if quick else LENGTHS:
        for scheme in ("parallel", "sequential"):
            for acceleration in ACCELERATIONS:
                system = build(0.005, 0.005, lagrange(3), ("ode4", "ode4"))
                made = window(length, 60, 1e-9, "centred", acceleration=acceleration)  # type: ignore[arg-type]
                found[acceleration, scheme, length] = outcome(
                    system, lambda result: max(errors(result)), 40 * length, scheme, made
                )
    return found
