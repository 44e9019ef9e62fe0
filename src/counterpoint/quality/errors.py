"""Error measures against a known reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def relative_rms_error(values: ArrayLike, reference: ArrayLike) -> float:
    """Return the rms of ``values - reference`` divided by that of ``reference``.

    Dividing by one number for the whole signal, not by each value, keeps the measure finite where the
    reference passes through zero.

    Parameters
    ----------
    values, reference : array_like
        Samples at the same times, shape (n,), in the same unit.

    Returns
    -------
    float
        0 for a perfect result; infinity when the reference is zero everywhere and the values are not.

    Examples
    --------
    >>> relative_rms_error([1.1, -1.1], [1.0, -1.0])  # doctest: +ELLIPSIS
    0.1...
    """
    x, exact = np.asarray(values, dtype=float), np.asarray(reference, dtype=float)
    if x.shape != exact.shape or x.size == 0:
        raise ValueError(f"values have shape {x.shape}, reference {exact.shape}; expected equal, non-empty shapes")
    error = float(np.sqrt(np.mean((x - exact) ** 2)))
    scale = float(np.sqrt(np.mean(exact**2)))
    if scale == 0:
        return 0.0 if error == 0 else float("inf")
    return error / scale


def hermite(times: ArrayLike, nodes: ArrayLike, values: ArrayLike, slopes: ArrayLike) -> Array:
    """Interpolate with the cubic that has the given values and slopes at the nodes.

    Parameters
    ----------
    times : array_like
        Where to interpolate, in s, shape (n,); outside the nodes the last cubic is extended.
    nodes : array_like
        Strictly increasing times, in s, shape (m,), m ≥ 2.
    values, slopes : array_like
        Signal and its time derivative at the nodes, shape (m,).

    Examples
    --------
    >>> float(hermite([0.5], [0.0, 1.0], [0.0, 1.0], [0.0, 3.0])[0])  # t³
    0.125
    """
    t, grid = np.asarray(times, dtype=float), np.asarray(nodes, dtype=float)
    y, dy = np.asarray(values, dtype=float), np.asarray(slopes, dtype=float)
    left = np.clip(np.searchsorted(grid, t, side="right") - 1, 0, grid.size - 2)
    width = grid[left + 1] - grid[left]
    s = (t - grid[left]) / width
    from_left = (1 + 2 * s) * (1 - s) ** 2 * y[left] + s * (1 - s) ** 2 * width * dy[left]
    from_right = s**2 * (3 - 2 * s) * y[left + 1] + s**2 * (s - 1) * width * dy[left + 1]
    return np.asarray(from_left + from_right)
