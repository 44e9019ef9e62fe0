"""Values of a sampled signal between its samples, for looking at results on other time axes.

A result never extrapolates: outside the range of the samples is an error.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import SetupError
from .store import Array

Kind = Literal["linear", "hold", "cubic"]

TIME_TOLERANCE = 1e-9
"""Times this close to the ends, relative to the range, are inside: sums of steps end beside round numbers."""


def sample(times: ArrayLike, t: Array, y: Array, kind: Kind, name: str) -> Array:
    """Return the signal at `times`.

    Parameters
    ----------
    times : array_like
        Where values are wanted, s, any shape.
    t, y : array
        Samples, shapes ``(n,)`` and ``(n,)`` or ``(n, width)``; two samples at one time are a jump: the later counts
        there, and nothing is drawn through it.
    kind : {"linear", "hold", "cubic"}
        Straight lines, the last sample, or the polynomial through the four samples around.
    name : str
        Of the signal, for messages.

    Returns
    -------
    array
        Shape of `times`, followed by the width of a vector.
    """
    wanted = np.asarray(times, dtype=np.float64)
    methods = {"linear": _linear, "hold": _hold, "cubic": _cubic}
    if kind not in methods:
        raise SetupError(f'{name}: unknown kind "{kind}"; known: "linear", "hold", "cubic"')
    inside = _inside(wanted.ravel(), t, name)
    starts = np.flatnonzero(np.append(True, np.diff(t) <= 0))
    ends = np.append(starts[1:], len(t))
    found = np.empty((len(inside), *y.shape[1:]))
    piece = np.searchsorted(t[starts], inside, side="right") - 1
    for k in np.unique(piece):
        samples, asked = slice(starts[k], ends[k]), piece == k
        method = methods[kind] if ends[k] - starts[k] > 1 else _hold
        found[asked] = method(inside[asked], t[samples], y[samples])
    return found.reshape(wanted.shape + y.shape[1:])


def _inside(wanted: Array, t: Array, name: str) -> Array:
    if len(t) == 0:
        raise SetupError(f"{name}: has no samples")
    margin = TIME_TOLERANCE * max(t[-1] - t[0], abs(t[0]), abs(t[-1]))
    outside = ~((wanted >= t[0] - margin) & (wanted <= t[-1] + margin))
    if outside.any():
        raise SetupError(
            f"{name}: t = {wanted[outside][0]:g} s is outside its samples; "
            f"they range from {t[0]:.9g} s to {t[-1]:.9g} s, and results are not extrapolated"
        )
    return np.clip(wanted, t[0], t[-1])


def _hold(x: Array, t: Array, y: Array) -> Array:
    return y[np.searchsorted(t, x, side="right") - 1]


def _linear(x: Array, t: Array, y: Array) -> Array:
    i = np.clip(np.searchsorted(t, x, side="right") - 1, 0, len(t) - 2)
    w = (x - t[i]) / (t[i + 1] - t[i])
    w = w.reshape(w.shape + (1,) * (y.ndim - 1))
    return np.asarray((1 - w) * y[i] + w * y[i + 1])


def _cubic(x: Array, t: Array, y: Array) -> Array:
    """Lagrange polynomial through the four samples around x (fewer when there are fewer): error O(h⁴)."""
    points = min(4, len(t))
    i = np.searchsorted(t, x, side="right") - 1
    first = np.clip(i - 1, 0, len(t) - points)
    nodes = [t[first + k] for k in range(points)]
    total = np.zeros((len(x), *y.shape[1:]))
    for k in range(points):
        weight = np.ones(len(x))
        for m in range(points):
            if m != k:
                weight *= (x - nodes[m]) / (nodes[k] - nodes[m])
        total += weight.reshape(weight.shape + (1,) * (y.ndim - 1)) * y[first + k]
    return total
