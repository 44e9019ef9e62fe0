"""How the error of an extrapolation grows within a step, so that what is compared at its end tells of the whole."""

from __future__ import annotations

import numpy as np

from ..approximations import Approximation, BuiltinApproximation, approximate
from ..errors import CounterpointError

STRAIGHT = 0.5
"""The mean of an error that grows in a straight line, over its value at the end."""
_SAMPLES = np.arange(-7.0, 1.0)
_WITHIN = np.linspace(0.0, 1.0, 201)
_LARGEST_POWER = 6


_known: dict[str, float] = {}
"""By the name of a built-in approximation, which tells all about it."""


def mean_over_end(approximation: Approximation) -> float:
    """Return the mean of the absolute error over a step, relative to that at its end.

    It is that of the lowest power of time which the approximation does not extrapolate exactly, on equal steps.

    >>> import counterpoint as cp
    >>> mean_over_end(cp.hold()), round(mean_over_end(cp.lagrange(1)), 3)
    (0.5, 0.417)
    """
    if approximation.depends_on_step or not isinstance(approximation, BuiltinApproximation):
        return STRAIGHT  # one of the user is called by the run alone
    if approximation.name not in _known:
        _known[approximation.name] = _measured(approximation)
    return _known[approximation.name]


def _measured(approximation: Approximation) -> float:
    try:
        for power in range(1, _LARGEST_POWER):
            error = np.abs(approximate(approximation, _SAMPLES, _SAMPLES**power, _WITHIN) - _WITHIN**power)
            if error[-1] > 1e-6 and np.isfinite(error).all():
                return float(np.trapezoid(error, _WITHIN) / error[-1])
    except (CounterpointError, ValueError):
        return STRAIGHT  # it needs more than values
    return STRAIGHT
