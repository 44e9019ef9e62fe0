"""Two results side by side: how far signals of the same name lie apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SetupError, did_you_mean
from .reader import load
from .result import Result
from .sampling import shared_times
from .series import Series
from .signal import Signal
from .store import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_ROWS = 20


class Difference(Series):
    """A signal of one result minus that of another, at all times that either has samples; see :class:`Series`.

    Attributes
    ----------
    first, second : array
        Both signals at these times: the cubic through the samples around, whose error is far below that of lines; held
        ones held.
    """

    def __init__(self, first: Signal, second: Signal) -> None:
        self.name, self.unit = first.name, first.unit
        self._time = shared_times(first.time, second.time, first.name)
        self.first = first.at(self._time, "hold" if first.is_held else "cubic")
        self.second = second.at(self._time, "hold" if second.is_held else "cubic")

    @property
    def time(self) -> Array:
        """Times of both signals within the span that they share, s."""
        return self._time

    @cached_property
    def values(self) -> Array:
        """First minus second."""
        return np.asarray(self.first - self.second)

    @property
    def maximum(self) -> float:
        """The largest difference, without its sign; NaN without samples."""
        return float(np.abs(self.values).max()) if len(self) else nan

    @property
    def time_of_maximum(self) -> float:
        """When the difference is largest, s."""
        return float(self.time[int(np.abs(self.values).argmax())]) if len(self) else nan

    @property
    def rms(self) -> float:
        """Root mean square over time, by the trapezoidal rule: times that lie close together do not count more."""
        if len(self) < 2 or self.time[-1] == self.time[0]:
            return self.maximum
        mean = np.trapezoid(self.values**2, self.time) / (self.time[-1] - self.time[0])
        return float(np.sqrt(mean))

    @property
    def relative(self) -> float:
        """The largest difference, relative to the range of the first signal (its magnitude if it is constant)."""
        if not len(self):
            return nan
        scale = float(np.ptp(self.first)) or float(np.abs(self.first).max())
        return self.maximum / scale if scale else 0.0 if self.maximum == 0.0 else float("inf")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Differences between the common signals of two results; made by :func:`compare`.

    Attributes
    ----------
    first, second : Result
        The two results.
    signals : list of str
        Scalar signals that both have.
    only_first, only_second : list of str
        Signals that one of them lacks; of a comparison of chosen signals none.
    """

    first: Result
    second: Result
    signals: list[str]
    only_first: list[str]
    only_second: list[str]

    def __getitem__(self, signal: str) -> Difference:
        """Return the difference of a signal over time."""
        if signal not in self.signals:
            raise SetupError(f'"{signal}": not compared{did_you_mean(signal, self.signals)}')
        return Difference(self.first.signal(signal), self.second.signal(signal))

    @cached_property
    def table(self) -> pd.DataFrame:
        """Per signal: unit, maximum and its time in s, rms, relative (to the range of the signal), worst first."""
        import pandas as pd

        columns = ["signal", "unit", "maximum", "time_of_maximum", "rms", "relative", "samples"]
        rows = []
        for name in self.signals:
            found = self[name]
            numbers = (found.maximum, found.time_of_maximum, found.rms, found.relative)
            rows.append([name, found.unit, *numbers, len(found)])
        frame = pd.DataFrame(rows, columns=pd.Index(columns))
        return frame.sort_values("relative", ascending=False, kind="stable", ignore_index=True)

    @property
    def relative(self) -> float:
        """The largest relative difference of all signals; 0 without common signals."""
        return float(self.table["relative"].max()) if self.signals else 0.0

    def within(self, tolerance: float) -> bool:
        """Whether both have the same signals, and none differs by more than this part of its range."""
        return not self.only_first and not self.only_second and self.relative <= tolerance

    def plot(self, *signals: str, path: str | os.PathLike[str] | None = None) -> list[Axes]:
        """Draw both results and their difference, one row per signal; default: the signals that differ most.

        Parameters
        ----------
        *signals : str
            Which to draw.
        path : path-like, optional
            Save the picture there instead of keeping it for ``plt.show()``.
        """
        from .plot_comparison import draw_comparison

        return draw_comparison(self, signals, path)

    def __repr__(self) -> str:
        return f"<Comparison of {self.first.name} and {self.second.name}: {self._headline}>"

    @property
    def _headline(self) -> str:
        count = f"{len(self.signals)} signal{'s' * (len(self.signals) != 1)}"
        return f"{count}, largest relative difference {self.relative:.3g}"

    def __str__(self) -> str:
        lines = [f"{self.first.name} and {self.second.name}: {self._headline}"]
        shown = self.table.head(MOST_ROWS)
        if len(shown):
            lines += ["", shown.to_string(index=False, float_format=lambda value: f"{value:.3g}")]
        if len(self.table) > len(shown):
            lines.append(f"... and {len(self.table) - len(shown)} more that differ less")
        return "\n".join([*lines, *self.missing])

    @property
    def missing(self) -> list[str]:
        """A sentence for each result that lacks signals of the other."""
        sides = ((self.only_first, "second"), (self.only_second, "first"))
        return [f"the {which} result lacks {_some(names)}" for names, which in sides if names]

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(text)}</p>" for text in self.missing)
        html = self.table.head(MOST_ROWS).to_html(index=False, float_format=lambda value: f"{value:.3g}")
        return f"<p><b>{escape(self._headline)}</b></p>{html}{notes}"


def compare(
    first: Result | str | os.PathLike[str],
    second: Result | str | os.PathLike[str],
    signals: Sequence[str] | None = None,
) -> Comparison:
    """Compare two results, signal by signal, at all times at which either has samples.

    Parameters
    ----------
    first, second : Result or path of a run file
        Differences are relative to the range of the first.
    signals : sequence of str, optional
        Signals or subsystems; default: all that both have.

    Returns
    -------
    Comparison
        ``print`` it for a table; ``comparison["engine.speed"]`` is a difference over time.

    Raises
    ------
    SetupError
        A requested signal is missing, units differ, or there is nothing to compare.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System("tank")
    >>> system.add("tank", cp.ode(lambda t, x, u: -x, [1.0], outputs="level", solver="ode1"), step=0.1)
    >>> comparison = compare(system.run(until=1.0), system.halved().run(until=1.0))
    >>> round(comparison["tank.level"].maximum, 3)
    0.01
    """
    one = first if isinstance(first, Result) else load(first)
    two = second if isinstance(second, Result) else load(second)
    mine, other = _chosen(one, signals), _chosen(two, signals)
    common = [name for name in mine if name in set(other)]
    lacking = [name for name in mine if name not in set(other)], [name for name in other if name not in set(mine)]
    problems = [f"{name}: units differ: {a} and {b}" for name, a, b in _units(one, two, common) if a != b]
    if signals is not None:
        problems += [f"{name}: only one of the results has this signal" for part in lacking for name in part]
    if not common:
        problems.append(f"the results have no signal in common: {_some(mine)}; {_some(other)}")
    if problems:
        raise SetupError(problems)
    return Comparison(one, two, common, *lacking)


def _chosen(result: Result, wanted: Iterable[str] | None) -> list[str]:
    """Return scalar signals; those of a subsystem or vector, if one is named."""
    if wanted is None:
        return result.signals
    return [name for key in wanted for name in result.expand(key)]


def _units(first: Result, second: Result, names: Iterable[str]) -> Iterable[tuple[str, str, str]]:
    for name in names:
        a, b = first.signal(name).unit, second.signal(name).unit
        yield name, a or b, b or a


def _some(names: Sequence[str], most: int = 5) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest if names else "none"
