"""The driver of the core for a plan: the scheduler alone, or with windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from .first_steps import TOLERANCE
from .options import RunOptions
from .pacing import PacedSteps, core_limits
from .plan import Plan
from .recording import Driver
from .window_plan import (
    core_window,
)

if TYPE_CHECKING:
    from ..system import System


def make_driver(system: System, plan: Plan, options: RunOptions) -> Driver:
    if options.host is not None:
        return _core.EmbeddedInterface(plan.spec, plan.names.index(options.host))
    if plan.common is not None:
        return _paced_driver(plan, plan.common, options.threads)
    window = options.window
    if plan.first_steps.end is not None:
        return _core.WindowedScheduler.repeating_start(
            plan.spec, options.threads, plan.first_steps.end, TOLERANCE, options.first_steps == "auto"
        )
    if window is None:
        return _core.Scheduler(plan.spec, options.threads)
    if window.estimate is not None:
        assert window.length is not None
        return _core.estimating_scheduler(plan.spec, options.threads, float(window.length), window.estimate)
    return _core.WindowedScheduler(plan.spec, core_window(system, plan, window), options.threads)


def _paced_driver(plan: Plan, steps: PacedSteps, threads: int) -> Driver:
    limits = core_limits(steps.limits, steps.pace)
    if not steps.pace.saves:
        return _core.paced_scheduler(plan.spec, threads, steps.law, limits, steps.rejects)
    assert steps.pace.tolerance is not None
    return _core.two_pass_scheduler(
        plan.spec, threads, steps.law, limits, steps.pace.tolerance, list(plan.outputs), plan.shared_length
    )


def keeps_record(options: RunOptions) -> bool:
    """Whether everything published is recorded: then what follows from it is computed when it is read."""
    chosen = options.record is not None or options.record_every is not None
    return not chosen and not options.adapt and options.outside is None


@dataclass(frozen=True)
class EndedDriver:
    """What remains of a driver when its run is over."""

    time: float
    last: list[list[float]]

    def values(self, participant: int) -> list[float]:
        """Return the latest published outputs."""
        return self.last[participant]
