"""Matrices of the chain of four-bar loops, with as many entries per row as wanted."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

Vector = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

STEP = 1.25e-3
PENALTY = 1e8
COSINE, SINE = 0.3623577545, 0.9320390860
"""Of the cranks' angle, 1.2 rad: away from the singular position."""


@dataclass(frozen=True)
class Matrix:
    """A symmetric matrix, both triangles.

    Attributes
    ----------
    size : int
    rows, columns : integer arrays
        Places of the entries, column by column.
    values : array
    """

    size: int
    rows: Any
    columns: Any
    values: Vector

    @property
    def per_row(self) -> float:
        """Return the number of entries divided by the size."""
        return len(self.values) / self.size

    def lower(self) -> tuple[Any, Any, Vector]:
        """Return places and values of the lower triangle."""
        kept = self.rows >= self.columns
        return self.rows[kept], self.columns[kept], self.values[kept]

    def dense(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Return it with its zeros."""
        full = np.zeros((self.size, self.size), order="F")
        full[self.rows, self.columns] = self.values
        return full

    def sparse(self) -> Any:
        """Return it as SciPy's csc_matrix."""
        from scipy.sparse import csc_matrix

        return csc_matrix((self.values, (self.rows, self.columns)), shape=(self.size, self.size))


def rods(loops: int) -> tuple[list[tuple[int, int, float]], list[list[tuple[int, float]]]]:
    """Return the mass matrix of 2 L + 1 rods of 1 m and 1 kg, and the rows of the Jacobian of their lengths."""
    mass: list[tuple[int, int, float]] = []
    jacobian: list[list[tuple[int, float]]] = []
    for k in range(loops + 1):
        couplers = 1 if k in (0, loops) else 2
        mass += [(2 * k + axis, 2 * k + axis, (1 + couplers) / 3) for axis in (0, 1)]
        jacobian.append([(2 * k, 2 * COSINE), (2 * k + 1, 2 * SINE)])
    for k in range(loops):
        for here in (2 * k, 2 * k + 1):
            mass += [(here, here + 2, 1 / 6), (here + 2, here, 1 / 6)]
        jacobian.append([(2 * k, -2.0), (2 * k + 1, 0.0), (2 * k + 2, 2.0), (2 * k + 3, 0.0)])
    return mass, jacobian


def tangent(size: int, per_row: float = 0.0) -> Matrix:
    """Return M + h²/4 α Φqᵀ Φq of about `size` unknowns with about `per_row` entries per row, or as many as it has.

    Artificial entries lie beside the diagonal, small against it: what a beam of elements would add.
    """
    loops = max(1, (size - 2) // 2)
    n = 2 * loops + 2
    mass, jacobian = rods(loops)
    sums: dict[tuple[int, int], float] = defaultdict(float)
    for row, column, value in mass:
        sums[column, row] += value
    scale = 0.25 * STEP**2 * PENALTY
    for row_entries in jacobian:
        for i, a in row_entries:
            for j, b in row_entries:
                sums[j, i] += scale * a * b
    for k in range(1, _width(n, per_row) + 1):
        for i in range(n - k):
            sums[i, i + k] += 1e-3
            sums[i + k, i] += 1e-3
    places = sorted(sums)
    columns, rows = (np.array(part) for part in zip(*places, strict=True))
    return Matrix(n, rows, columns, np.array([sums[place] for place in places]))


def _width(size: int, per_row: float) -> int:
    """Return how many diagonals on either side make so many entries per row."""
    entries, width = size, 0
    while entries < per_row * size and width < size - 1:
        width += 1
        entries += 2 * (size - width)
    return width
