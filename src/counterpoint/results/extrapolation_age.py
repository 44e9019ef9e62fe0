"""How large the error of an extrapolation is within steps, where it was compared only once for each sample.

A receiver that steps more often than its source extrapolates several times from one sample, and one whose steps do not
meet the samples begins with a sample that has some age already. The error at an age a after the last of the samples, at
distances H, is that of a polynomial: it grows like a (a + H) ... (a + P H).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SetupError
from .store import Array

if TYPE_CHECKING:
    from .result import Result

_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
_SAME = 1e-9
"""Times closer than this, relative to the step, are the same."""


def mean_growths(result: Result, connection: int, ends: Array) -> Array:
    """Return for each compared difference the mean error of the steps that belong to it, relative to the difference.

    Where steps or samples are not known, or a window reads the pass before, it is that of equal steps.
    """
    equal = np.full(len(ends), result.error_growth(connection))
    steps, samples = _steps(result, connection), _samples(result, connection)
    order = _order(result, connection)
    if order is None or steps is None or len(samples) < 2 or len(ends) == 0:
        return equal
    begins, lengths = steps
    tolerance = _SAME * float(np.min(lengths))
    known = np.searchsorted(samples, begins + tolerance, side="right") - 1
    usable = known >= 0
    begins, lengths, known = begins[usable], lengths[usable], known[usable]
    intervals = np.diff(samples, prepend=2 * samples[0] - samples[1])[known]
    ages = begins - samples[known]
    orders = np.minimum(order, known)
    middle = _growth(ages[:, None] + 0.5 * lengths[:, None] * (1.0 + _PLACES), intervals[:, None], orders[:, None])
    integral = 0.5 * lengths * (middle @ _WEIGHTS)
    at_end = _growth(ages + lengths, intervals, orders)
    row = np.minimum(np.searchsorted(ends, begins + lengths - tolerance), len(ends) - 1)
    own = np.searchsorted(begins + lengths, ends - tolerance)  # the step at whose end each difference was found
    if np.any(own >= len(begins)):
        return equal
    span = np.bincount(row, lengths, len(ends))
    found = np.bincount(row, integral / at_end[own][row], len(ends)) / np.where(span > 0.0, span, 1.0)
    return np.asarray(np.where(span > 0.0, found, equal))


def _growth(age: Array, interval: Array, order: Array) -> Array:
    made = np.array(age, copy=True)
    for back in range(1, int(np.max(order, initial=0)) + 1):
        made = np.where(order >= back, made * (age + back * interval), made)
    return made


def _order(result: Result, connection: int) -> int | None:
    """Return the order of a polynomial of values that is extrapolated; None: it is something else."""
    described = json.loads(result.coupling or "[]")
    if connection >= len(described) or getattr(result.summary, "windows", None) is not None:
        return None
    name = str(described[connection].get("approximation", ""))
    if name.startswith(("hold", "lagrange", "energy-corrected")):
        return int(described[connection].get("order", 0))
    return None


def _steps(result: Result, connection: int) -> tuple[Array, Array] | None:
    """Return begins and lengths of the accepted steps of the receiver, s."""
    name = result.layout.connections[connection].partition(" -> ")[2].partition(".")[0]
    try:
        table = result.steps[name]
    except (KeyError, SetupError):  # not recorded, or thinned
        return None
    table = table[table["accepted"].astype(bool)]
    begins, lengths = table["t"].to_numpy(dtype=float), table["length"].to_numpy(dtype=float)
    return (begins, lengths) if len(begins) and bool(np.all(lengths > 0.0)) else None


def _samples(result: Result, connection: int) -> Array:
    """Return the times at which the source has published; none where rows were left out."""
    source = result.layout.connections[connection].partition(" -> ")[0]
    if source not in result.signals:
        return np.zeros(0)
    made = result.summary.steps
    name = source.partition(".")[0]
    times = np.unique(result[source].time)
    complete = len(made) == len(result.subsystems) and len(times) > made[result.subsystems.index(name)]
    return times if complete else np.zeros(0)
