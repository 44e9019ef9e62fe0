"""How far a run is: ``System.run(progress=...)`` calls a function with a :class:`Progress` about ten times a second."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    time : float
        Simulated time that all subsystems have reached, s.
    start, until : float
        Span of the run, s.
    wall_seconds : float
        Time on the wall clock since the run began, s.

    Examples
    --------
    >>> half = Progress(time=5.0, start=0.0, until=10.0, wall_seconds=2.0)
    >>> half.fraction, half.real_time_factor, half.eta_seconds
    (0.5, 2.5, 2.0)
    """

    time: float
    start: float
    until: float
    wall_seconds: float

    @property
    def fraction(self) -> float:
        """Done part of the run, 0 to 1."""
        span = self.until - self.start
        return min(max((self.time - self.start) / span, 0.0), 1.0) if span > 0 else 1.0

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds a second on the wall clock; above 1 is faster than reality, NaN at first."""
        return (self.time - self.start) / self.wall_seconds if self.wall_seconds > 0 else math.nan

    @property
    def eta_seconds(self) -> float:
        """Seconds still needed if the run continues at its present speed; infinite before the first step."""
        done = self.fraction
        if done >= 1.0:
            return 0.0
        return self.wall_seconds * (1.0 - done) / done if done > 0 else math.inf


Callback = Callable[[Progress], None]
