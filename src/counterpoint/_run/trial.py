"""Trial runs: they are not checked themselves, and not logged."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from .event_plan import events_before
from .events import quietly
from .options import RunOptions
from .run import run_to_end

if TYPE_CHECKING:
    from ..results import Result
    from ..system import System


def trial_run(system: System, until: float, **options: Any) -> Result:
    """Run a system to a time (s) with options of a run; events behind it are left out."""
    shortened = copy(system)
    shortened.events = events_before(system, until)
    with quietly():
        return run_to_end(shortened, RunOptions(until=until, check="off", **options))
