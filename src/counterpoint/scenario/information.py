"""What ``counterpoint info scenario.toml`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from .._display.console import fill, new_table, ports_text, say
from .._run.connection_units import conversion_of, formula, port_unit

if TYPE_CHECKING:
    from ..system import Connection, System
    from .scenario import Scenario


def show_scenario(described: Scenario, system: System, where: Console, times: str = "") -> None:
    """Print the subsystems, connections and the precedence of a scenario; ``times`` instead of start and end."""
    say(f"{described.name}: " + (times or f"t = {described.start:g} to {described.until:g} s"), where)
    where.print()
    where.print(_subsystems(described, system))
    where.print()
    if system.connections:
        where.print(_connections(system))
        where.print()
    for line in _precedence(described, system):
        say(line, where)


def _subsystems(described: Scenario, system: System) -> Table:
    table = new_table("Subsystems", "name", "type", ">step in s", "inputs", "outputs")
    return fill(
        table,
        (
            (
                name,
                described.types[name],
                "own" if participant.step is None else f"{participant.step:g}",
                ports_text(participant.subsystem.inputs),
                ports_text(participant.subsystem.outputs),
            )
            for name, participant in system.subsystems.items()
        ),
    )


def _connections(system: System) -> Table:
    table = new_table("Connections", "from", "to", "approximation", "units")
    return fill(table, ((_origin(c), c.target, _approximations(c), _units(system, c)) for c in system.connections))


def _units(system: System, connection: Connection) -> str:
    """Write the unit of a connection, and how it is converted."""
    texts: dict[str, None] = {}
    needed = port_unit(system, connection.target)
    for source in connection.sources:
        given, found = port_unit(system, source), conversion_of(system, connection, source)
        names = [unit if isinstance(unit, str) else unit.name for unit in (given, needed)]
        if found.is_identity:
            texts[" -> ".join(dict.fromkeys(name or "–" for name in names))] = None
        else:
            texts[f"{names[0]} -> {names[1]}: {formula(found)}"] = None
    return ", ".join(texts)


def _origin(connection: Connection) -> str:
    """Write what enters an input, such as ``2·a.y + b.y + 0.5``."""
    pairs = zip(connection.gains, connection.sources, strict=True)
    terms = [source if gain == 1 else f"{gain:g}·{source}" for gain, source in pairs]
    return " + ".join(terms + [f"{connection.offset:g}"] * (connection.offset != 0))


def _approximations(connection: Connection) -> str:
    names = ["default" if a is None else str(a).strip("<>") for a in connection.approximations]
    return ", ".join(dict.fromkeys(names))


def _precedence(described: Scenario, system: System) -> Iterator[str]:
    waits = system.waits_for(described.scheme)
    yield f"Scheme {described.scheme}:"
    for name, others in waits.items():
        if others:
            yield f"  {name} waits for {', '.join(others)}"
    if not any(waits.values()):
        yield "  no subsystem waits"
    if described.window is not None:
        yield f"In {described.window}"
