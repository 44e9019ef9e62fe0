"""Inputs that nothing connects, sets or changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..system import System


def free_inputs(system: System, name: str, driven: frozenset[str] | None = None) -> frozenset[str]:
    """Return the inputs of a subsystem whose values the system does not give; ``driven``: those that it does."""
    given = driven_inputs(system) if driven is None else driven
    return frozenset(port for port in system.subsystems[name].subsystem.input_widths if f"{name}.{port}" not in given)


def driven_inputs(system: System) -> frozenset[str]:
    """Return the inputs to which connections, constants or events of a system give values."""
    changed = {event.target for event in system.events}
    whole = {target.rpartition("[")[0] for target in changed}  # of a component, a.u[0]
    return frozenset({connection.target for connection in system.connections} | set(system.constants) | changed | whole)
