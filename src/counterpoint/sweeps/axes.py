"""What is varied in a sweep, and how: lists of values, ranges, and what is drawn from ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from .._common.numbers import is_number, is_whole
from ..errors import SetupError
from ..units import time_at

Scale = Literal["linear", "log"]
Value = float | int | bool | str | list[Any] | dict[str, Any] | None
MOST_POINTS = 1_000_000_000


@dataclass(frozen=True)
class Axis:
    """One parameter of a sweep: a list of values, or a range that samples are drawn from.

    Attributes
    ----------
    name : str
        The parameter, such as ``"engine.step"``.
    values : tuple
        What it takes in turn; empty for a range without ``count``.
    low, high : float
        Ends of a range.
    scale : str
        ``"linear"`` or ``"log"``.
    is_time : bool
        Whether the ends of the range were written with units, ``"5 ms"``; its values are in s.
    """

    name: str
    values: tuple[Any, ...] = ()
    low: float = math.nan
    high: float = math.nan
    scale: Scale = "linear"
    is_time: bool = False

    @property
    def is_range(self) -> bool:
        """Whether there are ends to draw from."""
        return math.isfinite(self.low)

    @cached_property
    def is_numeric(self) -> bool:
        """Whether all values are numbers, so that a column of numbers holds them; asked for every row of a table."""
        kinds = set(map(type, self.values))  # of many values, few
        return all(issubclass(kind, int | float) and kind is not bool for kind in kinds)

    def at(self, share: float) -> Any:
        """Return the value at a share of the axis, 0 to 1: on a range, or of the list."""
        if not self.is_range:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        if self.scale == "log":
            return float(self.low * (self.high / self.low) ** share)
        return float(self.low + (self.high - self.low) * share)


def span(low: float | str, high: float | str, count: int | None = None, *, scale: Scale = "linear") -> dict[str, Any]:
    """Return a range for a sweep: ``count`` equally spaced values for a grid, or the ends to draw samples from.

    Parameters
    ----------
    low, high : float or str
        Ends, both included; of times also with their units, ``"5 ms"``.
    count : int, optional
        Number of values; leave it out for a Latin hypercube or Sobol sample.
    scale : str
        ``"linear"``, or ``"log"`` for equal ratios; both ends are then greater than 0.

    Examples
    --------
    >>> span(0.01, 0.1, 3)
    {'from': 0.01, 'to': 0.1, 'count': 3, 'scale': 'linear'}
    """
    return {"from": low, "to": high, **({} if count is None else {"count": count}), "scale": scale}


def make_axis(name: str, given: Any) -> Axis:
    """Return an axis from what a user gives: one value, a sequence, an array, or the table of a range.

    >>> make_axis("engine.step", {"from": 0.01, "to": 1.0, "count": 3, "scale": "log"}).values
    (0.01, 0.1, 1.0)

    Raises
    ------
    SetupError
        With what is wrong.
    """
    if isinstance(given, Mapping):
        return _make_range(name, given)
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if isinstance(given, Sequence) and not isinstance(given, str):
        values = tuple(v.item() if isinstance(v, np.generic) else v for v in given)
    elif isinstance(given, range):
        values = tuple(given)
    else:
        values = (given,)
    if not values:
        raise SetupError(f'vary."{name}": is empty; expected at least one value')
    return Axis(name, values)


def _make_range(name: str, given: Mapping[str, Any]) -> Axis:
    where = f'vary."{name}"'
    unknown = set(given) - {"from", "to", "count", "step", "scale", "values"}
    if unknown:
        raise SetupError(f"{where}: unknown key {sorted(unknown)[0]!r}; a range has from, to, count or step, scale")
    if "values" in given:
        return make_axis(name, list(given["values"]))
    low, high, scale = given.get("from"), given.get("to"), given.get("scale", "linear")
    is_time = isinstance(low, str) or isinstance(high, str)
    low, high = time_at(f"{where}.from", low), time_at(f"{where}.to", high)
    if not is_number(low) or not is_number(high):
        raise SetupError(f"{where}: from {low!r} to {high!r}; expected two finite numbers")
    assert low is not None and high is not None
    if scale not in ("linear", "log"):
        raise SetupError(f'{where}.scale: {scale!r}; expected "linear" or "log"')
    if scale == "log" and min(low, high) <= 0:
        raise SetupError(f"{where}: from {low} to {high} with scale log; expected numbers greater than 0")
    given = {**given, "step": time_at(f"{where}.step", given.get("step"))}
    return Axis(name, _range_values(where, float(low), float(high), given), float(low), float(high), scale, is_time)


def _range_values(where: str, low: float, high: float, given: Mapping[str, Any]) -> tuple[float, ...]:
    count, step = given.get("count"), given.get("step")
    if step is not None:
        if count is not None or not is_number(step) or step == 0 or (high - low) / step < 0:
            raise SetupError(f"{where}.step: {step!r}; expected a number that leads from {low} to {high}, and no count")
        count = 1 + math.floor((high - low) / step * (1 + 1e-12))
        return tuple(low + k * float(step) for k in range(count))
    if count is None:
        return ()
    if not is_whole(count, 2, MOST_POINTS):
        raise SetupError(f"{where}.count: {count!r}; expected an integer of at least 2")
    made = np.geomspace(low, high, count) if given.get("scale") == "log" else np.linspace(low, high, count)
    return tuple(float(value) for value in made)
