"""What a subsystem assumed for an input within its steps, made again from the samples of the source."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..approximations import Approximation, approximate

Array = NDArray[np.float64]
_BEHIND = 5
"""Samples that any approximation of the core needs."""


def assumed(approximation: Approximation, time: ArrayLike, values: ArrayLike, points: int = 10) -> tuple[Array, Array]:
    """Return times and values of an input that is extrapolated over each step between two samples.

    It is for a parallel scheme in which both sides make the same steps: only samples up to the beginning of a step are
    known in it. Every time of a sample is there twice, as the end of a step and the beginning of the next.

    Parameters
    ----------
    approximation : Approximation
    time, values : arrays (n,)
        Samples of the source, s and their unit.
    points : int
        Intervals that each step is divided into.

    Examples
    --------
    >>> import counterpoint as cp
    >>> at, u = assumed(cp.hold(), [0.0, 1.0, 2.0], [5.0, 6.0, 8.0], points=1)
    >>> at.tolist(), u.tolist()
    ([0.0, 1.0, 1.0, 2.0], [5.0, 5.0, 6.0, 6.0])
    """
    t, y = np.asarray(time, dtype=np.float64), np.asarray(values, dtype=np.float64)
    grid = np.linspace(t[:-1], t[1:], points + 1, axis=1)
    made = np.array([_of_step(approximation, t, y, k, at) for k, at in enumerate(grid)])
    if approximation.depends_on_step:  # a line in each step, from where the last one ended
        made = np.interp(grid, t, np.concatenate([y[:1], made[:, -1]]))
    return grid.ravel(), made.ravel()


def _of_step(approximation: Approximation, t: Array, y: Array, k: int, at: Array) -> Array:
    known = slice(max(0, k + 1 - _BEHIND), k + 1)
    return approximate(approximation, t[known], y[known], at)


def mean_distance(time: Array, values: Array, reference: Array) -> float:
    """Return the mean over time of the absolute difference: Günther et al. (2012), eqs. 2 and 4."""
    return float(np.trapezoid(np.abs(values - reference), time) / (time[-1] - time[0]))
