"""What went wrong in the core, in the words of the user's system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._common.ports import columns
from ..errors import ComponentDied, ComponentError, ModelError, NotFiniteError, PeerLost, SimulationError, SolverError

if TYPE_CHECKING:
    from ..system import System
    from .plan import Plan

Failure = tuple[str, int, int, float, float]
"""As the core gives it: kind, subsystem, output, start and end of the step in s."""


def explain(system: System, plan: Plan, failure: Failure, error: Exception) -> SimulationError | None:
    """Return the error to raise for a failure of the core; None when it was not a subsystem's."""
    kind, index, output, begin, end = failure
    if index < 0:
        return None
    name = plan.names[index]
    ports = system.subsystems[name].subsystem
    where = (
        f"step from t = {begin:.9g} s to {end:.9g} s failed" if end > begin else f"start at t = {begin:.9g} s failed"
    )
    reason = str(error)
    if isinstance(error, PeerLost) or isinstance(error.__cause__, PeerLost):
        kind = "death"
    if kind == "proposal":
        where = f"next_step at t = {begin:.9g} s failed"
    if kind == "model" or (kind == "proposal" and not reason.startswith("proposes")):
        reason = f"{type(error).__name__}: {error}"
    if kind == "solver" and error.__cause__ is not None:  # a block of a diagram that is written in Python
        kind = "model"
    if kind == "not_finite":
        signal = columns(ports.output_widths)[output]
        reason = f'output "{signal}" is {error}; the model or its step is the origin, its inputs were finite'
    if kind == "signal" and output >= 0:
        reason = f'input "{columns(ports.input_widths)[output]}" is {error}'
    return _CATEGORIES[kind](f"{name}: {where}: {reason}", name, begin)


_CATEGORIES: dict[str, type[SimulationError]] = {
    "not_finite": NotFiniteError,
    "signal": NotFiniteError,
    "solver": SolverError,
    "contract": ModelError,
    "model": ModelError,
    "proposal": ModelError,
    "component": ComponentError,
    "death": ComponentDied,
}
