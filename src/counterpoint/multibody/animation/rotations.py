"""Rotations as unit quaternions ``(w, x, y, z)``, because those can be interpolated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def to_quaternions(matrices: Array) -> Array:
    """Return unit quaternions that turn continuously: neighbours never differ in sign alone.

    Parameters
    ----------
    matrices : array
        Rotation matrices, shape ``(n, 3, 3)``.

    Returns
    -------
    array
        Shape ``(n, 4)``.
    """
    m = np.moveaxis(matrices, 0, -1)
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    # 4 q qᵀ: every row is a multiple of q, and the row with the greatest diagonal is never near zero (Shepperd, 1978).
    products = np.array(
        [
            [1 + trace, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], 1 + 2 * m[0, 0] - trace, m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], 1 + 2 * m[1, 1] - trace, m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1 + 2 * m[2, 2] - trace],
        ]
    )
    best = np.einsum("iin->in", products).argmax(axis=0)
    q = products[best, :, np.arange(len(best))]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    turned_back = np.where((q[1:] * q[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    q[1:] *= np.cumprod(turned_back)[:, None]
    return q


def to_matrices(quaternions: Array) -> Array:
    """Return the rotation matrices, shape ``(n, 3, 3)``, of unit quaternions, shape ``(n, 4)``."""
    w, x, y, z = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def between(first: Array, second: Array, weight: Array) -> Array:
    """Return quaternions on the shortest way from `first` (weight 0) to `second` (weight 1) at constant speed.

    Parameters
    ----------
    first, second : array
        Unit quaternions, shape ``(n, 4)``.
    weight : array
        Shape ``(n,)``.
    """
    cosine = (first * second).sum(axis=1)
    second = np.where(cosine < 0, -1.0, 1.0)[:, None] * second
    angle = np.arccos(np.minimum(np.abs(cosine), 1.0))
    small = angle < 1e-6  # the sines would divide zero by zero, and a straight line is as good
    sine = np.where(small, 1.0, np.sin(angle))
    left = np.where(small, 1 - weight, np.sin((1 - weight) * angle) / sine)
    right = np.where(small, weight, np.sin(weight * angle) / sine)
    mixed = left[:, None] * first + right[:, None] * second
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True))


def worst_departure(matrices: Array) -> tuple[int, float]:
    """Return the frame that is least a rotation and the greatest entry of ``RᵀR - 1`` there, or 2 if it mirrors."""
    products = np.einsum("nij,nik->njk", matrices, matrices)
    departures = np.abs(products - np.eye(3)).max(axis=(1, 2))
    departures = np.where(np.linalg.det(matrices) < 0, 2.0, departures)
    frame = int(departures.argmax())
    return frame, float(departures[frame])
