"""Parasitic oscillation: what a signal has in the highest band that its interface resolves, and whether it grows.

With samples a step apart nothing above half the sampling frequency can be seen. An instability of the coupling begins
there: the value changes its sign from step to step. The part of the signal in the upper half of what the slower side
resolves is found with the filter (-1, 2, -1) / 4 over its samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FEWEST = 24
"""Growth is reported from this number of samples on."""
PARTS = 6


@dataclass(frozen=True)
class Oscillation:
    """The highest resolvable band of a signal over time.

    Attributes
    ----------
    share : float
        Its rms at the end of the run relative to the rms of the signal about its mean.
    growth : float
        Its rms in the last sixth of the run over that in the second sixth; NaN when there are too few samples.
    frequency : float
        Half the sampling frequency of the slower side, Hz.
    time, values : array
        Its rms in six parts of the run, relative to the same.
    """

    share: float
    growth: float
    frequency: float
    time: Array
    values: Array

    @property
    def is_parasitic(self) -> bool:
        """Whether it grows and is a visible part of the signal."""
        return self.growth > 4.0 and self.share > 0.1


NONE = Oscillation(0.0, nan, nan, np.empty(0), np.empty(0))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def oscillation(time: Array, values: Array) -> Oscillation:
    """Return the highest band of samples that are about equally far apart.

    >>> n = np.arange(120)
    >>> found = oscillation(0.1 * n, np.sin(0.02 * n) + 1e-3 * 1.06**n * (-1.0) ** n)
    >>> bool(found.growth > 10), round(found.frequency)
    (True, 5)
    """
    if len(time) < FEWEST:
        return NONE
    high = (2 * values[1:-1] - values[:-2] - values[2:]) / 4
    parts = np.array_split(high, PARTS)
    size = np.array([np.sqrt(np.mean(part**2)) for part in parts])
    scale = float(np.std(values))
    if not scale > 0:
        return NONE
    growth = float(size[-1] / size[1]) if size[1] > 1e-9 * scale else nan
    middles = np.array([part.mean() for part in np.array_split(time[1:-1], PARTS)])
    step = float(np.median(np.diff(time)))
    return Oscillation(float(size[-1] / scale), growth, 0.5 / step if step > 0 else nan, middles, size / scale)
