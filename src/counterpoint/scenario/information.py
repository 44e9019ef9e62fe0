"""What ``counterpoint info scenario.toml`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from .._display.console import fill, new_table, ports_text, say
from .._display.outline import NOTHING_RUN
from .._run.connection_units import conversion_of, formula, port_unit

if TYPE_CHECKING:
    from ..events import PlannedEvent
    from ..system import Connection, Participant, System
    from .models import AnySubsystem, ScenarioTable
    from .scenario import Scenario

_COLUMNS = ("name", "type", ">step in s", "inputs", "outputs")


def show_scenario(described: Scenario, system: System, where: Console, times: str = "") -> None:
    """Print the subsystems, connections and the precedence of a scenario; ``times`` instead of start and end."""
    say(f"{described.name}: " + (times or f"t = {described.begin:g} to {described.until:g} s"), where)
    where.print()
    where.print(_subsystems(described, system))
    where.print()
    if system.connections:
        where.print(_connections(system))
        where.print()
    for line in _precedence(described, system):
        say(line, where)
    for bond in system.bonds:
        say(
            f"Bond {bond.name}: {bond.interface}, {bond.causality}, {bond.left.subsystem} – {bond.right.subsystem}",
            where,
        )
    for event in system.events:
        say(f"Event {_moment(event)}: {event}", where)


def _moment(event: PlannedEvent) -> str:
    began = f"at t = {event.at:g} s" if event.condition is None else f"when {event.condition.text}"
    ends = f" until t = {event.until:g} s" if event.until is not None else ""
    return f"{began}{ends}" + (f" for {event.lasting:g} s" if event.lasting is not None else "")


def show_outline(
    described: Scenario, table: ScenarioTable, system: System, left_out: Iterable[str], where: Console
) -> None:
    """Print what the file says of a scenario of which not everything was built, and what is missing."""
    say(f"{described.name}: t = {described.begin:g} to {described.until:g} s", where)
    where.print()
    rows = (_outline_row(name, entry, table, system) for name, entry in table.subsystems.items())
    where.print(fill(new_table("Subsystems", *_COLUMNS), rows))
    where.print()
    if table.connections:
        pairs = ((" + ".join(entry.sources), entry.to) for entry in table.connections)
        where.print(fill(new_table("Connections", "from", "to"), pairs))
        where.print()
    say(f"Scheme {described.scheme}", where)
    say(f"left out: {', '.join(left_out)}; {NOTHING_RUN}", where)


def _outline_row(name: str, entry: AnySubsystem, table: ScenarioTable, system: System) -> tuple[str, ...]:
    """Return a row of the table of subsystems; of one that was not built the ports that connections name."""
    if name in system.subsystems:
        return _row(name, entry.type, system.subsystems[name])
    named = {"inputs": [c.to for c in table.connections], "outputs": [s for c in table.connections for s in c.sources]}
    ports = [
        ", ".join(dict.fromkeys(port.partition(".")[2] for port in all_ports if port.startswith(f"{name}.")))
        for all_ports in named.values()
    ]
    return name, entry.type, "–" if entry.step is None else f"{entry.step:g}", *(f"{text} …".strip() for text in ports)


def _row(name: str, kind: str, participant: Participant) -> tuple[str, ...]:
    step = "own" if participant.step is None else f"{participant.step:g}"
    if participant.pace is not None:
        step = str(participant.pace)
    return name, kind, step, ports_text(participant.subsystem.inputs), ports_text(participant.subsystem.outputs)


def _subsystems(described: Scenario, system: System) -> Table:
    rows = (_row(name, described.types[name], participant) for name, participant in system.subsystems.items())
    return fill(new_table("Subsystems", *_COLUMNS), rows)


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
    if described.options().first_steps == "repeat":
        yield "First steps repeated until they agree"
