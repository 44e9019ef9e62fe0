"""From checked tables to the bonds and events of a System."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import bonds, events
from .._files.problems import KeyPath
from . import interface_models as tables
from .models import Bond

if TYPE_CHECKING:
    from ..system import System
    from .building import Builder


def add_bonds(builder: Builder, system: System, missing: set[str]) -> list[str]:
    """Add the bonds whose subsystems are there; return for each connection that they made the place in the file."""
    places: list[str] = []
    for index, entry in enumerate(builder.table.bonds):
        before = len(system.connections)
        sides = [given if isinstance(given, str) else given.subsystem for given in (entry.left, entry.right)]
        if not missing & set(sides):
            with builder.noting("bonds", index):
                _add_bond(builder, system, ("bonds", index), entry)
        places += [f"bonds[{index}]"] * (len(system.connections) - before)
    return places


def _add_bond(builder: Builder, system: System, at: KeyPath, entry: Bond) -> None:
    law = _law(builder, (*at, "law"), entry.law)
    if law is None and entry.law is not None:
        return  # it is a function that was not loaded
    system.bond(
        entry.interface,
        _side(entry.left),
        _side(entry.right),
        causality=entry.causality,
        law=law,
        approximation=_approximation(builder, at, entry),
        initial=entry.initial,
        name=entry.name,
    )


def _side(given: str | tables.Side) -> str | bonds.Side:
    if isinstance(given, str):
        return given
    ports = given.model_dump(exclude_none=True, exclude={"subsystem", "sign"})
    return bonds.side(given.subsystem, sign=given.sign, **ports)


def _law(builder: Builder, at: KeyPath, entry: tables.AnyLaw | None) -> Any:
    if entry is None:
        return None
    if isinstance(entry, tables.PythonLaw):
        return builder.load((*at, "object"), entry.object)
    given = entry.model_dump(exclude={"kind"})
    return getattr(bonds, entry.kind.replace("-", "_"))(**given)


def _approximation(builder: Builder, at: KeyPath, entry: Bond) -> Any:
    if entry.approximations is None:
        table = entry.approximation or builder.table.approximation
        return None if table is None else builder.make_approximation((*at, "approximation"), table)
    made = {
        word: builder.make_approximation((*at, "approximations", word), table)
        for word, table in entry.approximations.items()
    }
    return made


def add_events(builder: Builder, system: System, missing: set[str]) -> None:
    """Add the events whose subsystems are there."""
    for index, entry in enumerate(builder.table.events):
        at: KeyPath = ("events", index)
        if any(part.strip().partition(".")[0] in missing for part in entry.target.split("->")):
            continue
        with builder.noting(*at):
            _add_event(builder, system, at, entry)


def _add_event(builder: Builder, system: System, at: KeyPath, entry: tables.Event) -> None:
    action = _action(entry)
    if entry.at is not None:
        return system.at(entry.at, entry.target, action, until=entry.until)
    assert entry.when is not None
    condition: Any = entry.when
    if entry.of is not None:
        condition = builder.load((*at, "when"), entry.when)
        if condition is None:
            return None
    return system.when(condition, entry.target, action, of=entry.of or (), lasting=entry.lasting, until=entry.until)


def _action(entry: tables.Event) -> events.Action:
    if entry.noise is not None:
        return events.noise(entry.noise.deviation, entry.noise.seed, every=entry.noise.every)
    if entry.stuck:
        return events.stuck()
    if entry.release:
        return events.release()
    kind = next(name for name in ("override", "scale", "offset") if getattr(entry, name) is not None)
    made: events.Action = getattr(events, kind)(getattr(entry, kind))
    return made
