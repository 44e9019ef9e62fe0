"""How far a sweep is."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep is.

    Attributes
    ----------
    done, failed, total : int
        Points that have ended well, that have not, and all that were to be run.
    wall_seconds : float
        Since the sweep began, s.

    Examples
    --------
    >>> half = SweepProgress(done=45, failed=5, total=100, wall_seconds=2.0)
    >>> half.rate, half.eta_seconds
    (25.0, 2.0)
    """

    done: int
    failed: int
    total: int
    wall_seconds: float

    @property
    def ended(self) -> int:
        """Points that have ended, well or not."""
        return self.done + self.failed

    @property
    def rate(self) -> float:
        """Points per second."""
        return self.ended / self.wall_seconds if self.wall_seconds > 0 else math.nan

    @property
    def eta_seconds(self) -> float:
        """Seconds still needed if the sweep goes on as fast as so far; infinite before the first point has ended."""
        left = self.total - self.ended
        return 0.0 if left == 0 else left / self.rate if self.ended else math.inf


Callback = Callable[[SweepProgress], None]
PROGRESS_SECONDS = 0.1


class Counter:
    """Counts rows and calls a function with the progress about ten times per second."""

    def __init__(self, total: int, callback: Callback | None) -> None:
        self.done = self.failed = 0
        self._total = total
        self._callback = callback
        self._began = time.monotonic()
        self._told = -math.inf

    @property
    def progress(self) -> SweepProgress:
        """How far it is now."""
        return SweepProgress(self.done, self.failed, self._total, time.monotonic() - self._began)

    def tell(self, *, always: bool = False) -> None:
        """Call the function if it is time to."""
        now = time.monotonic()
        if self._callback is not None and (always or now - self._told > PROGRESS_SECONDS):
            self._told = now
            self._callback(self.progress)
