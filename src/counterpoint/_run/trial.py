"""Runs that are made to learn something: they are not checked themselves, and the logger is not told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .events import quietly
from .options import RunOptions
from .run import run_to_end

if TYPE_CHECKING:
    from ..results import Result
    from ..system import System


def trial_run(system: System, until: float, **options: Any) -> Result:
    """Run a system to a time (s) with options of a run."""
    with quietly():
        return run_to_end(system, RunOptions(until=until, check="off", **options))
