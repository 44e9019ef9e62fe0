"""Up to which steps explicit fixed-step solvers are stable on a linear model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

STABILITY_POLYNOMIALS = {
    "ode1": (1.0, 1.0),
    "ode2": (1.0, 1.0, 1 / 2),
    "ode3": (1.0, 1.0, 1 / 2, 1 / 6),
    "ode4": (1.0, 1.0, 1 / 2, 1 / 6, 1 / 24),
    "ode5": (1.0, 1.0, 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 600),
}
"""By which a step multiplies a mode, as polynomials of step times eigenvalue: coefficients of rising powers."""
MOST_STATES = 500
"""Eigenvalues of larger models take longer than they are worth."""
_RADII = np.linspace(1.0, 4.0, 601)
"""Of step times eigenvalue: shorter steps resolve the mode, and from the last one on no polynomial is stable."""


def longest_stable_step(solver: str, a: NDArray[np.float64]) -> float:
    """Return the longest step in s with which no mode that it leaves unresolved grows, unless the model makes it grow.

    Infinite for implicit solvers, for those that choose their own steps and for more than :data:`MOST_STATES` states.

    Parameters
    ----------
    solver : str
        One of :data:`counterpoint.subsystems.models.SOLVERS`.
    a : array of shape (n, n)
        Of the model dx/dt = A x.

    Examples
    --------
    >>> round(longest_stable_step("ode1", np.array([[-10.0]])), 2)
    0.2
    """
    polynomial = STABILITY_POLYNOMIALS.get(solver)
    if polynomial is None or not 0 < len(a) <= MOST_STATES:
        return float("inf")
    poles = np.linalg.eigvals(a)
    poles = poles[poles.imag >= 0.0]  # the others are their mirror images
    sizes = np.abs(poles)
    moves = sizes > 1e-12 * max(float(sizes.max(initial=0.0)), 1e-300)
    at = np.outer(poles[moves] / sizes[moves], _RADII)
    factors = np.abs(np.polynomial.polynomial.polyval(at, polynomial))
    grows = factors > np.maximum(1.0, np.exp(at.real)) * (1.0 + 1e-9)
    first = np.where(grows.any(axis=1), _RADII[grows.argmax(axis=1)], np.inf)
    return float((first / sizes[moves]).min(initial=np.inf))
