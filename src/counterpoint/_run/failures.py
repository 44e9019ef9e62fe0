"""What went wrong in the core, in the words of the user's system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from .._common.ports import columns
from .._core import FailureKind
from ..errors import ComponentDied, ComponentError, ModelError, NotFiniteError, SimulationError, SolverError

if TYPE_CHECKING:
    from ..system import System
    from .plan import Plan

_ERRORS: dict[FailureKind, type[SimulationError]] = {
    FailureKind.not_finite: NotFiniteError,
    FailureKind.signal: NotFiniteError,
    FailureKind.solver: SolverError,
    FailureKind.contract: ModelError,
    FailureKind.model: ModelError,
    FailureKind.component: ComponentError,
    FailureKind.death: ComponentDied,
}


def explain(system: System, plan: Plan, failure: _core.Failure) -> SimulationError | None:
    """Return the error to raise for a failure of the core; None when it was not a subsystem's."""
    if failure.participant < 0 or failure.kind not in _ERRORS:
        return None
    name = plan.names[failure.participant]
    text = failure.sentence(name, _port_name(system, name, failure))
    hint = system.subsystems[name].subsystem.not_finite_hint
    if hint and failure.kind == FailureKind.not_finite:
        text = f"{text}; {hint}"
    return _ERRORS[failure.kind](text, name, failure.start)


def _port_name(system: System, name: str, failure: _core.Failure) -> str:
    if failure.port < 0:
        return ""
    model = system.subsystems[name].subsystem
    widths = model.input_widths if failure.kind == FailureKind.signal else model.output_widths
    return columns(widths)[failure.port]
