"""One signal of a result, on its own time axis."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .series import Series
from .store import Array, StoreView

if TYPE_CHECKING:
    import pandas as pd

    from .names import SignalColumns


BLOCK_ROWS = 1 << 18
"""Samples that are read at once where all of them would take too much memory."""


class Signal(Series):
    """One output of a subsystem as it was published; read at the first use.

    See :class:`Series` for the attributes. Obtained from a result: ``result["engine.speed"]``.
    """

    def __init__(self, view: StoreView, place: SignalColumns) -> None:
        self.name = place.name
        self.unit = place.unit
        self.subsystem = view.layout.subsystems[place.subsystem].name
        self.is_held = place.held
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
