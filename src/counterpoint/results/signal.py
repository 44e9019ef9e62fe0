"""One signal of a result, on its own time axis."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from .sampling import Kind, sample
from .store import Array, StoreView

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from .names import Place


BLOCK_ROWS = 1 << 18
"""Samples that are read at once where all of them would take too much memory."""


class Series:
    """Samples on their own time axis: what signals and interface defects have in common.

    Attributes
    ----------
    name, unit : str
        What it is; the unit is empty when not known.
    time : array
        Sample times in s, shape ``(n,)``.
    values : array
        Samples, shape ``(n,)``, or ``(n, width)`` for a vector.
    """

    name: str
    unit: str

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        span = f", {self.time[0]:g} s to {self.time[-1]:g} s" if len(self) else ""
        return f"<{type(self).__name__} {self.name}{unit}: {len(self)} samples{span}>"

    @property
    def time(self) -> Array:
        """Sample times in s, shape ``(n,)``."""
        raise NotImplementedError

    @property
    def values(self) -> Array:
        """Samples, shape ``(n,)``, or ``(n, width)`` for a vector."""
        raise NotImplementedError

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

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the samples over time.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib axes
            For labels, limits and saving.
        """
        from .plot import draw_one

        return draw_one(self, ax)


class Signal(Series):
    """One output of a subsystem as it was published; read when first asked for.

    See :class:`Series` for the attributes. Obtained from a result: ``result["engine.speed"]``.
    """

    def __init__(self, view: StoreView, place: Place) -> None:
        self.name = place.name
        self.unit = place.unit
        self.subsystem = view.layout.subsystems[place.subsystem].name
        self._view = view
        self._place = place
        # A run that goes on may publish more between two reads; time and values must stay of one length.
        self._rows = slice(0, view.rows(place.subsystem))

    def __len__(self) -> int:
        return self._rows.stop

    @property
    def is_vector(self) -> bool:
        """Whether a sample has several values."""
        return not self._place.scalar

    @property
    def components(self) -> list[str]:
        """Names of the columns of ``values``."""
        if self._place.scalar:
            return [self.name]
        return [f"{self.name}[{i}]" for i in range(self._place.columns.stop - self._place.columns.start)]

    @property
    def ends(self) -> tuple[float, float]:
        """Times of the first and the last sample, s."""
        ends = [self._times(slice(i, i + 1)) for i in (0, len(self) - 1)]
        return float(ends[0][0]), float(ends[1][0])

    def blocks(self) -> Iterator[tuple[Array, Array]]:
        """Yield times and values of some samples after the other, without keeping them."""
        for first in range(0, len(self), BLOCK_ROWS):
            rows = slice(first, min(first + BLOCK_ROWS, len(self)))
            yield self._times(rows), self._samples(rows)

    def _times(self, rows: slice) -> Array:
        return self._view.times(self._place.subsystem, rows)

    def _samples(self, rows: slice) -> Array:
        values = self._view.values(self._place.subsystem, self._place.columns, rows)
        return values[:, 0] if self._place.scalar else values

    @cached_property
    def time(self) -> Array:
        """Sample times in s, shape ``(n,)``."""
        return np.array(self._times(self._rows))

    @cached_property
    def values(self) -> Array:
        """Samples, shape ``(n,)``, or ``(n, width)`` for a vector."""
        return np.array(self._samples(self._rows))


class DefectSignal(Series):
    """The interface defect of one connection over time: what a step assumed minus what arrived.

    See :class:`Series` for the attributes; ``assumed`` and ``arrived`` are the two values compared.
    """

    def __init__(self, view: StoreView, connection: int, unit: str = "") -> None:
        self.name = view.layout.connections[connection]
        self.unit = unit
        self._view = view
        self._connection = connection

    @cached_property
    def _table(self) -> Array:
        return np.array(self._view.defects(self._connection))

    @property
    def time(self) -> Array:
        """Times at which the values were compared, s."""
        return self._table[:, 0]

    @property
    def assumed(self) -> Array:
        """The values that the steps had assumed."""
        return self._table[:, 1]

    @property
    def arrived(self) -> Array:
        """The values that the source then published."""
        return self._table[:, 2]

    @cached_property
    def values(self) -> Array:
        """Assumed minus arrived value."""
        return self.assumed - self.arrived

    def to_pandas(self) -> pd.DataFrame:
        """Return columns ``assumed``, ``arrived`` and ``defect`` with the time in s as index."""
        import pandas as pd

        columns = {"assumed": self.assumed, "arrived": self.arrived, "defect": self.values}
        return pd.DataFrame(columns, index=pd.Index(self.time, name="time"))
