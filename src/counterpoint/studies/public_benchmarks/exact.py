"""Exact motion of linear problems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def propagated(matrix: Array, start: Array, times: Array | Sequence[float]) -> Array:
    """Return exp(matrix t) start at the times, shape (times, states); the matrix must have distinct eigenvalues.

    >>> propagated(np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([1.0, 0.0]), [np.pi])[0].round(12)
    array([-1., -0.])
    """
    values, vectors = np.linalg.eig(matrix)
    amplitudes = np.linalg.solve(vectors, start.astype(complex))
    return np.asarray((np.exp(np.outer(times, values)) * amplitudes @ vectors.T).real)
