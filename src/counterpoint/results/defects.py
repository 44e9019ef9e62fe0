"""Interface defects of a stored run, one summary a connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import nan, sqrt
from typing import overload

import numpy as np

from .store import DefectSummary, RunSummary, StoreView

BLOCK_ROWS = 1 << 17


class DeferredDefects(Sequence[DefectSummary]):
    """Defects of all connections, summed up when they are first asked for: most runs are not asked.

    Parameters
    ----------
    count : int
        Number of connections.
    make : callable
        Returns the summaries, in the order of the layout.
    """

    def __init__(self, count: int, make: Callable[[], list[DefectSummary]]) -> None:
        self._count = count
        self._make: Callable[[], list[DefectSummary]] | None = make
        self._made: list[DefectSummary] = []

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> DefectSummary: ...
    @overload
    def __getitem__(self, place: slice) -> list[DefectSummary]: ...
    def __getitem__(self, place: int | slice) -> DefectSummary | list[DefectSummary]:
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[list[DefectSummary]], tuple[list[DefectSummary]]]:
        return list, (list(self),)


def summaries(view: StoreView, summary: RunSummary) -> list[DefectSummary]:
    """Return what the run said about its defects, or measure the stored ones when it never came to say it.

    A defect larger than the signal's own variation may be rounding on a nearly constant signal; the stored
    values then tell how large the signal is.
    """
    if len(summary.defects) != len(view.layout.connections):
        return [measure(view, i) for i in range(len(view.layout.connections))]
    return [
        replace(d, magnitude=measure(view, i).magnitude) if d.relative > 1 and d.magnitude == 0 else d
        for i, d in enumerate(summary.defects)
    ]


@np.errstate(over="ignore", invalid="ignore")
def measure(view: StoreView, connection: int) -> DefectSummary:
    """Summarise the stored defects of one connection, block by block."""
    result = DefectSummary(view.layout.connections[connection], "", 0, 0.0, nan, 0.0, 0.0)
    squares = mean = variation = 0.0
    while len(block := view.defects(connection, slice(result.count, result.count + BLOCK_ROWS))):
        time, assumed, arrived = block.T
        defect = np.abs(assumed - arrived)
        largest = int(np.argmax(defect))
        if not defect[largest] <= result.maximum:
            result.maximum, result.time_of_maximum = float(defect[largest]), float(time[largest])
        squares += float(defect @ defect)
        # Mean and variation of two parts joined (Chan, Golub, LeVeque 1979): no cancellation.
        old, new = result.count, len(block)
        shift = float(arrived.mean()) - mean
        variation += float(((arrived - arrived.mean()) ** 2).sum()) + shift * shift * old * new / (old + new)
        mean += shift * new / (old + new)
        result.magnitude = max(result.magnitude, float(np.abs(arrived).max()))
        result.count += new
    if result.count:
        result.rms = sqrt(squares / result.count)
        result.scale = sqrt(variation / result.count)
    return result
