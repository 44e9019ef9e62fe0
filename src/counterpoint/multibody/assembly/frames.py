"""Directions that go with an axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .affine import Vector


def unit(vector: Vector) -> Vector:
    """Return the vector made one long; whatever its length, which must not be zero, its square does not overflow."""
    scaled = vector / np.abs(vector).max()
    return np.asarray(scaled / np.linalg.norm(scaled))


def across(axis: Vector) -> tuple[Vector, Vector]:
    """Return two unit vectors that make a right-handed frame with ``axis``, always the same ones.

    >>> first, second = across(np.array([0.0, 0.0, 2.0]))
    >>> np.cross(first, second)
    array([0., 0., 1.])
    """
    direction = unit(axis)
    helper = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = unit(np.cross(helper, direction))
    return first, np.cross(direction, first)


def turning(omega: Vector, line: Vector) -> Vector:
    """Return the rate of a line of a body that turns with ``omega`` (3 components, rad/s), in the plane or in space."""
    return np.cross(omega, _in_space(line))[: len(line)]


def spin(lines: Sequence[tuple[Vector, Vector]], dimension: int) -> tuple[Vector, int]:
    """Return the angular velocity of a body that fits the rates of some of its lines best, the smallest if several do.

    Parameters
    ----------
    lines : sequence of pairs of arrays of shape (dimension,)
        A line of the body, and its rate.
    dimension : int
        2 or 3.

    Returns
    -------
    omega : array of shape (3,)
        rad/s.
    rank : int
        How many of its components the lines determine.

    Examples
    --------
    >>> omega, rank = spin([(np.array([2.0, 0.0]), np.array([0.0, 4.0]))], 2)
    >>> omega.tolist(), rank
    ([0.0, 0.0, 2.0], 1)
    """
    if not lines:
        return np.zeros(3), 0
    free = slice(2, 3) if dimension == 2 else slice(0, 3)
    rows, right = [], []
    for line, rate in lines:
        x, y, z = _in_space(line)
        rows.append(np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])[:, free])
        right.append(_in_space(rate))
    omega = np.zeros(3)
    omega[free], _, rank, _ = np.linalg.lstsq(np.vstack(rows), np.concatenate(right), rcond=1e-9)
    return omega, int(rank)


def _in_space(vector: Vector) -> Vector:
    return np.append(vector, 0.0)[:3]
