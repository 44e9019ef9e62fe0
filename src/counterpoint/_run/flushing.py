"""When the results of a run are flushed to its file."""

import time
from collections.abc import Callable

FLUSH_SECONDS = 0.5
FLUSH_SHARE = 0.05
"""Of the wall time that may go into flushing: with thousands of subsystems, results are moved less often."""
LONGEST_FLUSH_SECONDS = 10.0
"""Results are never older than this on disk, whatever moving them costs."""


class FlushClock:
    """Times between flushes: twice per second, less often if a flush takes long."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._every = FLUSH_SECONDS

    def is_due(self, now: float) -> bool:
        """Whether it is time to flush."""
        return now - self._last > self._every

    def run(self, flush: Callable[[], None], now: float) -> None:
        """Flush, and choose the time of the next flush."""
        flush()
        self._last = time.monotonic()
        self._every = min(max(FLUSH_SECONDS, (self._last - now) / FLUSH_SHARE), LONGEST_FLUSH_SECONDS)
