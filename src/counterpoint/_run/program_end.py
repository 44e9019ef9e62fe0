"""When the program ends while another thread is in a run: the run ends first, and keeps what it has published.

Python does not wait for daemon threads, and later stops them wherever they are.
"""

from __future__ import annotations

import atexit
import time
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .run import Run

WAIT_SECONDS = 5.0
"""For a step under way; a longer one is left alone, and rows that were flushed stay readable."""

_runs: weakref.WeakSet[Run] = weakref.WeakSet()


class ProgramEnded(BaseException):
    """Stops a run whose program ends; the thread that advances it then gets a SystemExit."""


def watch(run: Run) -> None:
    """End a run before the program ends."""
    _runs.add(run)
    # Callbacks run in the reverse order: before those of files that were opened earlier.
    atexit.unregister(_end_runs)
    atexit.register(_end_runs)


def _end_runs() -> None:
    advancing = [run for run in _runs if run.ends_with_program()]
    deadline = time.monotonic() + WAIT_SECONDS
    for run in advancing:
        run.wait_until_idle(deadline - time.monotonic())
