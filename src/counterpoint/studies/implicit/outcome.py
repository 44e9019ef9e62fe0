"""One run of the study: its error, and what it cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from warnings import catch_warnings, simplefilter

from ... import System, Window
from ...errors import SimulationError, WindowWarning
from ...results import Result


@dataclass(frozen=True)
class Outcome:
    """Error of a run (inf where it failed), integrations of all subsystems, passes per window."""

    error: float
    integrations: float
    passes: float = 1.0
    not_converged: int = 0


def outcome(
    system: System, error: Callable[[Result], float], until: float, scheme: str, window: Window | None = None
) -> Outcome:
    """Run a system and measure it; one that leaves the range of numbers has an infinite error."""
    try:
        with catch_warnings():
            simplefilter("ignore", WindowWarning)  # windows that did not converge are counted
            result = system.run(until=until, scheme=scheme, window=window, first_steps="once")
    except SimulationError:
        return Outcome(inf, inf, inf, 1)
    return Outcome(error(result), *_cost(result, window))


def _cost(result: Result, window: Window | None) -> tuple[float, float, int]:
    steps = result.summary.steps
    windows = result.summary.windows
    if windows is None or windows.count == 0:
        return float(sum(steps)), 1.0, 0
    passes = windows.passes / windows.count
    if window is None or window.compound is None:
        return passes * sum(steps), passes, windows.not_converged
    slow = min(steps)  # one of each window; in the last pass the fast side alone makes all of its steps
    return (passes - 1.0) * 2.0 * slow + (sum(steps) - slow), passes, windows.not_converged
