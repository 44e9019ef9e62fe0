"""Defects of a run file that were not written: they follow from its rows.

A run to a file does not compare what a step assumed with what arrived where both follow from the rows that are written
anyway. The file says how: the attribute ``comparison`` of a connection holds the approximation, gain, offset and the
like, as the core writes them down; ``/deferred`` holds, at the place that the attribute ``deferred`` names, the time
from which on nothing was compared and the sums up to there. Both are there during the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from .store import ALL, Array, DefectSummary

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNKNOWN = -1
"""Count of a summary whose figures follow from the rows."""


class Deferred:
    """How to find the defects of a connection of one or several values.

    Parameters
    ----------
    settings : bytes
        From the file.
    numbers : array
        From the file; NaN when the run compared by itself.
    """

    def __init__(self, settings: bytes, numbers: NDArray[np.float64]) -> None:
        self.is_used = not isnan(numbers[0])
        self._comparison = _core.DeferredComparison(settings, [0.0 if isnan(n) else float(n) for n in numbers])
        self.width = self._comparison.width
        self._made: tuple[Array, _core.DefectFigures] | None = None

    def made(
        self, times: Callable[[int], Array], values: Callable[[int, slice], Array]
    ) -> tuple[Array, _core.DefectFigures]:
        """Return rows of time, assumed and arrived values, and the figures of the whole run.

        Parameters
        ----------
        times, values : callable
            Return the rows of a subsystem of the file; values of some columns.
        """
        if self._made is None:
            by, first = self._comparison, self._comparison.first_column
            source = np.column_stack([times(by.source), values(by.source, slice(first, first + by.width))])
            if source.shape[1] != 1 + by.width:
                raise ValueError(f"a connection has {by.width} values; {source.shape[1] - 1} were found")
            consumer = np.ascontiguousarray(times(by.consumer)[:, None])
            self._made = by.compare(np.ascontiguousarray(source), consumer)
        return self._made


def component(rows: Array, place: int) -> Array:
    """Return time, assumed and arrived value of one component, shape ``(n, 3)``."""
    width = rows.shape[1] // 2
    return rows[ALL, [0, 1 + place, 1 + width + place]]


def completed(summary: DefectSummary, figures: _core.DefectFigures | None) -> DefectSummary:
    """Return the summary with its figures, where it has none: none are known when the file is damaged."""
    if summary.count != UNKNOWN or figures is None:
        return replace(summary, count=max(summary.count, 0))
    return replace(
        summary,
        count=figures.count,
        maximum=figures.maximum,
        time_of_maximum=figures.time_of_maximum,
        rms=figures.rms,
        scale=figures.scale,
        magnitude=figures.magnitude,
    )
