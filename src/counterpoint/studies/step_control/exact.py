"""Exact solutions of linear problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def linear_solution(matrix: ArrayLike, start: ArrayLike, row: Sequence[float]) -> Callable[[Array], Array]:
    """Return ``t -> row x(t)`` for x' = A x, x(0) = start; A with a full set of eigenvectors.

    >>> decay = linear_solution([[-1.0]], [2.0], [1.0])
    >>> decay(np.array([0.0, 1.0])).round(4).tolist()
    [2.0, 0.7358]
    """
    values, vectors = np.linalg.eig(np.asarray(matrix, dtype=np.float64))
    shares = np.linalg.solve(vectors, np.asarray(start, dtype=np.complex128))
    weights = (np.asarray(row) @ vectors) * shares

    def solution(time: Array) -> Array:
        return np.asarray((weights @ np.exp(np.outer(values, np.atleast_1d(time)))).real)

    return solution
