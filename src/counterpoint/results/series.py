"""Samples over time that behave like an array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike

from ..errors import SetupError
from .sampling import Kind, sample, shared_times
from .store import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Span = tuple[float | None, float | None]

_SAME_UNIT = frozenset((np.add, np.subtract, np.maximum, np.minimum, np.hypot, np.fmax, np.fmin))
_KEEPS_UNIT = frozenset((np.negative, np.positive, np.absolute, np.fabs, np.rint, np.floor, np.ceil, np.trunc))
_SIGNS = {np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.power: "**", np.remainder: "%"}


class Series(NDArrayOperatorsMixin):
    """Samples on their own time axis: what signals and interface defects have in common.

    It behaves like an array of its values. ``speed[10:20]`` and ``speed[speed > 3]`` select samples,
    ``speed.between(1.0, 2.0)`` a span of time. ``speed - 3.0`` or ``np.abs(speed)`` is a series on the same time axis;
    two series are combined at all times of both in the span that they share, linear between samples (held ones held).
    Sums and differences require equal units.

    Attributes
    ----------
    name, unit : str
        What it is; the unit is empty when not known.
    is_held : bool
        Whether the value is kept from each sample to the next, as discrete outputs are.
    time : array
        Sample times in s, shape ``(n,)``.
    values : array
        Samples, shape ``(n,)``, or ``(n, width)`` for a vector.
    """

    name: str
    unit: str
    is_held: bool = False

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        span = f", {self.time[0]:g} s to {self.time[-1]:g} s" if len(self) else ""
        return f"<{type(self).__name__} {self.name}{unit}: {len(self)} samples{span}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: a small picture and the range of the values."""
        from .text import series_html

        return series_html(self)

    @property
    def time(self) -> Array:
        """Sample times in s, shape ``(n,)``."""
        raise NotImplementedError

    @property
    def values(self) -> Array:
        """Samples, shape ``(n,)``, or ``(n, width)`` for a vector."""
        raise NotImplementedError

    @property
    def label(self) -> str:
        """Name with unit, for axes and legends: ``speed [rad/s]``."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of ``values``."""
        return self.values.shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return the values."""
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __getitem__(self, rows: Any) -> Any:
        """Return one sample (a number), or a series of some: a slice, a list of positions, or a mask."""
        if isinstance(rows, Integral):
            return self.values[rows]
        return Samples(self.name, self.time[rows], self.values[rows], self.unit, is_held=self.is_held)

    def between(self, start: float | None = None, end: float | None = None) -> Samples:
        """Return the samples from ``start`` to ``end``, s; None: from the first, to the last."""
        first, last = -np.inf if start is None else start, np.inf if end is None else end
        found: Samples = self[(self.time >= first) & (self.time <= last)]
        return found

    def renamed(self, name: str, unit: str | None = None) -> Samples:
        """Return the same samples under another name, and with another unit if one is given."""
        shown = self.unit if unit is None else unit
        return Samples(name, self.time, self.values, shown, is_held=self.is_held)

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a function of NumPy: to the samples, or to two series at the times of both."""
        if method != "__call__" or function.nout != 1 or "out" in options:
            return getattr(function, method)(*_values_of(inputs), **options)
        return _applied(function, inputs, options)

    @property
    def is_vector(self) -> bool:
        """Whether a sample has several values."""
        return False

    @property
    def components(self) -> list[str]:
        """Names of the columns of ``values``."""
        return [self.name]

    @property
    def ends(self) -> tuple[float, float]:
        """Times of the first and the last sample, s."""
        return float(self.time[0]), float(self.time[-1])

    def blocks(self) -> Iterator[tuple[Array, Array]]:
        """Yield times and values of some samples after the other, without keeping them."""
        yield self.time, self.values

    @overload
    def at(self, times: float, kind: Kind = "linear") -> Any: ...
    @overload
    def at(self, times: ArrayLike, kind: Kind = "linear") -> Array: ...
    def at(self, times: ArrayLike, kind: Kind = "linear") -> Any:
        """Return values at any times within the range of the samples.

        Parameters
        ----------
        times : array_like
            Times in s.
        kind : {"linear", "hold", "cubic"}
            Straight lines between samples, the last sample, or the cubic through the four samples around.

        Returns
        -------
        float or array
            Shape of `times`, followed by the width of a vector.

        Raises
        ------
        SetupError
            When a time lies outside the samples; results are not extrapolated.
        """
        return sample(times, self.time, self.values, kind, self.name)[()]

    def to_pandas(self) -> Any:
        """Return a Series (a DataFrame for a vector) with the time in s as index."""
        import pandas as pd

        index = pd.Index(self.time, name="time")
        if self.values.ndim == 1:
            return pd.Series(self.values, index=index, name=self.name)
        return pd.DataFrame(self.values, index=index, columns=pd.Index(self.components))

    def plot(self, ax: Axes | None = None, *, span: Span | None = None, **line: Any) -> Axes:
        """Draw the samples over time; a held series as stairs.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        span : tuple (start, end), optional
            Times in s to show; None on either side: from the first, to the last sample.
        **line : optional
            Options of matplotlib's ``plot``: ``color``, ``linestyle``, ``label``, ...

        Returns
        -------
        matplotlib axes
            For labels, limits and saving.
        """
        from .plot import draw_one

        return draw_one(self if span is None else self.between(*span), ax, line)


class Samples(Series):
    """Samples that were selected or computed.

    Parameters
    ----------
    name : str
        Its name in plots and messages.
    time : array of shape (n,)
        s, not decreasing.
    values : array of shape (n,) or (n, width)
        The samples.
    unit : str
        Empty when not known.
    is_held : bool
        Whether a value is kept until the next sample.

    Examples
    --------
    >>> speed = Samples("speed", np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 4.0]), "m/s")
    >>> limit = Samples("limit", np.array([0.0, 2.0]), np.array([3.0, 3.0]), "m/s")
    >>> (limit - speed).values
    array([ 3.,  1., -1.])
    >>> (speed * 3.6).renamed("speed", "km/h")
    <Samples speed [km/h]: 3 samples, 0 s to 2 s>
    """

    def __init__(self, name: str, time: Array, values: Array, unit: str = "", *, is_held: bool = False) -> None:
        self.name = name
        self.unit = unit
        self.is_held = is_held
        self._time = np.asarray(time, dtype=np.float64)
        self._values = np.asarray(values)

    @property
    def time(self) -> Array:
        """Sample times in s, shape ``(n,)``."""
        return self._time

    @property
    def values(self) -> Array:
        """Samples, shape ``(n,)``, or ``(n, width)`` for a vector."""
        return self._values

    @property
    def is_vector(self) -> bool:
        """Whether a sample has several values."""
        return self._values.ndim > 1

    @property
    def components(self) -> list[str]:
        """Names of the columns of ``values``."""
        return [f"{self.name}[{i}]" for i in range(self._values.shape[1])] if self.is_vector else [self.name]


def _values_of(inputs: Sequence[Any]) -> list[Any]:
    return [part.values if isinstance(part, Series) else part for part in inputs]


def _applied(function: np.ufunc, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    series = [part for part in inputs if isinstance(part, Series)]
    _check_units(function, series)
    time = series[0].time
    if any(not np.array_equal(part.time, time) for part in series[1:]):
        time = series[0].time
        for part in series[1:]:
            time = shared_times(time, part.time, f"{series[0].name}, {part.name}")
        inputs = [_at(part, time) if isinstance(part, Series) else part for part in inputs]
    values = function(*_values_of(inputs), **options)
    if values.shape[:1] != time.shape or values.dtype == bool:
        return values  # a mask selects samples; an array of another shape has no time axis
    held = all(part.is_held for part in series)
    return Samples(_name(function, inputs), time, values, _unit(function, inputs), is_held=held)


def _at(series: Series, time: Array) -> Samples:
    values = series.at(time, "hold" if series.is_held else "linear")
    return Samples(series.name, time, values, series.unit, is_held=series.is_held)


def _check_units(function: np.ufunc, series: Sequence[Series]) -> None:
    units = sorted({part.unit for part in series if part.unit})
    if function in _SAME_UNIT and len(units) > 1:
        names = ", ".join(part.label for part in series)
        raise SetupError(f"{names}: units differ; convert one: (speed * 3.6).renamed('speed', 'km/h')")


def _name(function: np.ufunc, inputs: Sequence[Any]) -> str:
    names = [part.name if isinstance(part, Series) else _text(part) for part in inputs]
    if function in _SIGNS:
        return f"({names[0]} {_SIGNS[function]} {names[1]})"
    return f"{function.__name__}({', '.join(names)})"


def _text(value: Any) -> str:
    return f"{value:g}" if np.ndim(value) == 0 and np.isrealobj(value) else "array"


def _unit(function: np.ufunc, inputs: Sequence[Any]) -> str:
    """Return the unit of what a function makes; empty where it is not known."""
    units = [part.unit for part in inputs if isinstance(part, Series)]
    if function in _KEEPS_UNIT or function in _SAME_UNIT:
        return next(filter(None, units), "")
    if len(units) == 1 and (function is np.multiply or (function is np.divide and isinstance(inputs[0], Series))):
        return units[0]
    if len(units) == 2 and all(units) and function in (np.multiply, np.divide):
        return f"{units[0]}{_SIGNS[function]}({units[1]})" if function is np.divide else f"{units[0]}*{units[1]}"
    return ""
