"""Values of a sampled signal between its samples, for looking at results on other time axes.

A result never extrapolates: outside the range of the samples is an error.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import SetupError
from .store import Array

Kind = Literal["linear", "hold", "cubic"]
Indices = NDArray[np.intp]

MOST_POINTS: dict[Kind, int] = {"hold": 1, "linear": 2, "cubic": 4}
"""Samples that a value is made of, where so many lie in the stretch without a jump."""
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
    if kind not in MOST_POINTS:
        raise SetupError(f'{name}: unknown kind "{kind}"; known: "linear", "hold", "cubic"')
    x = _inside(wanted.ravel(), t, name)
    stretches = np.flatnonzero(np.append(True, np.diff(t) <= 0))  # begin after each jump
    which = np.searchsorted(t[stretches], x, side="right") - 1
    begin, end = stretches[which], np.append(stretches[1:], len(t))[which]
    points = np.minimum(MOST_POINTS[kind], end - begin)
    first = np.searchsorted(t, x, side="right") - 1
    first = np.clip(first - (points > 2), begin, end - points)
    found = np.empty((len(x), *y.shape[1:]))
    for count in np.unique(points):
        asked = points == count
        found[asked] = _through(int(count), x[asked], t, y, first[asked])
    return found.reshape(wanted.shape + y.shape[1:])


def shared_times(first: Array, second: Array, name: str) -> Array:
    """Return the times of both in the span that they share; times that differ by rounding only count once.

    Raises
    ------
    SetupError
        When they share none.
    """
    if not len(first) or not len(second):
        return np.empty(0)
    begin, end = max(first[0], second[0]), min(first[-1], second[-1])
    margin = TIME_TOLERANCE * max(abs(begin), abs(end), end - begin)
    if end < begin - margin:
        raise SetupError(f"{name}: share no time: one ends at {end:g} s, the other begins at {begin:g} s")
    every = np.unique(np.concatenate([first, second]))
    every = every[(every >= begin - margin) & (every <= end + margin)].clip(begin, end)
    return np.asarray(every[np.append(True, np.diff(every) > min(margin, 1e-3 * _closest(first, second)))])


def _closest(first: Array, second: Array) -> float:
    """Return the smallest step of two time axes, s."""
    steps = np.concatenate([np.diff(first), np.diff(second)])
    return float(steps[steps > 0].min(initial=np.inf))


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


def _through(points: int, x: Array, t: Array, y: Array, first: Indices) -> Array:
    """Polynomial at x through samples from `first` on: held, a straight line, with four of them of error O(h⁴)."""
    if points == 1:
        return np.asarray(y[first])
    if points == 2:
        w = _column((x - t[first]) / (t[first + 1] - t[first]), y)
        return np.asarray((1 - w) * y[first] + w * y[first + 1])
    nodes = [t[first + k] for k in range(points)]
    total = np.zeros((len(x), *y.shape[1:]))
    for k in range(points):
        weight = np.ones(len(x))
        for m in range(points):
            if m != k:
                weight *= (x - nodes[m]) / (nodes[k] - nodes[m])
        total += _column(weight, y) * y[first + k]
    return total


def _column(weight: Array, y: Array) -> Array:
    return weight.reshape(weight.shape + (1,) * (y.ndim - 1))
