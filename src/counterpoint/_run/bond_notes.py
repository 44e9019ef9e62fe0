"""Bonds of a run: notes for its result, and a warning before it."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

from ..bonds import INTERFACES, Bond, PowerPort
from ..errors import BondWarning
from .connection_units import level_of_the_caller

if TYPE_CHECKING:
    from ..system import Participant, System
    from .options import RunOptions


def bonds_text(system: System, bonds: list[Bond]) -> str:
    """Return bonds of a system for its result, as JSON."""
    return json.dumps([_told(system, bond) for bond in bonds])


def _told(system: System, bond: Bond) -> dict[str, Any]:
    return {
        "name": bond.name,
        "interface": bond.interface,
        "causality": bond.causality,
        "power": [_port(system, port) for port in bond.power],
    }


def _port(system: System, port: PowerPort) -> dict[str, Any]:
    """Return one place where power enters, with the outputs that make its input."""
    connection = next(c for c in system.connections if c.target == port.input)
    return {
        "input": port.input,
        "output": port.output,
        "sign": port.sign,
        "differentiated": port.differentiated,
        "sources": [list(pair) for pair in zip(connection.sources, connection.gains, strict=True)],
        "offset": connection.offset,
        "law": connection.law is not None,
    }


def warn_about_bonds(system: System, options: RunOptions) -> None:
    """Warn, once for a system, of bonds whose speed both sides integrate while a step changes."""
    for bond in system.bonds:
        rate, potential = INTERFACES[bond.interface].rate, INTERFACES[bond.interface].potential
        if rate is None or rate not in bond.exchanged or potential in bond.exchanged:
            continue
        sides = (bond.left.subsystem, bond.right.subsystem)
        changing = [name for name in sides if _changes_step(system.subsystems[name], options)]
        if not changing or bond.name in system.unit_warnings:
            continue
        system.unit_warnings.add(bond.name)
        warnings.warn(
            f'{system.name}: bond "{bond.name}" exchanges the {rate}, which both sides integrate, and the step of '
            f'"{changing[0]}" changes: each change leaves a permanent difference between the {potential}s; exchange '
            f"the {potential} as well, or use fixed steps",
            BondWarning,
            stacklevel=level_of_the_caller(),
        )


def _changes_step(participant: Participant, options: RunOptions) -> bool:
    pace = participant.pace or options.pace
    own = participant.step is None and pace is None
    return own or (pace is not None and getattr(pace, "kind", "") != "fixed")
