"""Directions that go with an axis."""

from __future__ import annotations

import numpy as np

from .affine import Vector


def unit(vector: Vector) -> Vector:
    """Return the vector made one long."""
    return np.asarray(vector / np.linalg.norm(vector))


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
