"""Sources that change faster than a second run samples them: it sees as little of them as the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..subsystems.sources import FunctionSource

if TYPE_CHECKING:
    from ..system import System

TIMES = 257
"""Shares of a step at which a source is evaluated between its samples."""
GOLDEN = 0.6180339887498949
"""Multiples of it, without their integer parts, lie evenly and have no period in common with any step."""
LOST = 0.5
"""A source is not resolved when a line between its samples misses it by this share of its variation, or more."""


def unresolved_sources(system: System, start: float, end: float, parts: int) -> tuple[str, ...]:
    """Return the sources that change between samples of which there are so many in a step, from start to end (s)."""
    return tuple(
        name
        for name, part in system.subsystems.items()
        if isinstance(part.subsystem, FunctionSource)
        and part.step is not None
        and _is_lost(part.subsystem, part.step / parts, start, end)
    )


def _is_lost(source: FunctionSource, step: float, start: float, end: float) -> bool:
    count = int((end - start) / step)
    if count < 1:
        return False
    place = start + count * step * np.modf(GOLDEN * np.arange(TIMES))[0]
    before = start + step * np.floor((place - start) / step)
    share = ((place - before) / step)[:, None]
    ours, left, right = (_values(source, times) for times in (place, before, before + step))
    missed = np.sqrt(np.mean((ours - (1 - share) * left - share * right) ** 2, axis=0))
    return bool(np.any(missed > LOST * np.std(ours, axis=0)))


def _values(source: FunctionSource, times: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int, int]]:
    return np.array([np.atleast_1d(source.function(float(t))) for t in times], dtype=float).reshape(len(times), -1)
