"""What went wrong in the core, in the words of the user's system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import ModelError, NotFiniteError, SimulationError, SolverError
from .ports import columns

if TYPE_CHECKING:
    from .plan import Plan
    from .system import System

Failure = tuple[str, int, int, float, float]
"""As the core gives it: kind, subsystem, output, start and end of the step in s."""


def explain(system: System, plan: Plan, failure: Failure, error: Exception) -> SimulationError | None:
    """Return the error to raise for a failure of the core; None when it was not a subsystem's."""
    kind, index, output, begin, end = failure
    if index < 0:
        return None
    name = plan.names[index]
    where = f"{name}: step from t = {begin:.9g} s to {end:.9g} s failed"
    if end <= begin:
        where = f"{name}: start at t = {begin:.9g} s failed"
    if kind == "not_finite":
        signal = columns(system.subsystems[name].subsystem.output_widths)[output]
        text = f'{where}: output "{signal}" is {error}; the model or its step is the origin, its inputs were finite'
        return NotFiniteError(text, name, begin)
    if kind == "signal" and output >= 0:
        signal = columns(system.subsystems[name].subsystem.input_widths)[output]
        return NotFiniteError(f'{where}: input "{signal}" is {error}', name, begin)
    if kind == "signal":
        return NotFiniteError(f"{where}: {error}", name, begin)
    if kind == "solver":
        return SolverError(f"{where}: {error}", name, begin)
    if kind == "proposal":
        reason = str(error) if str(error).startswith("proposes") else f"{type(error).__name__}: {error}"
        return ModelError(f"{name}: next_step at t = {begin:.9g} s failed: {reason}", name, begin)
    if kind == "contract":
        return ModelError(f"{where}: {error}", name, begin)
    return ModelError(f"{where}: {type(error).__name__}: {error}", name, begin)
