"""What the command line prints: tables and sentences, plain text when nobody looks at colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .ports import PortSpec, port_widths
from .progress import Callback, Progress, clock, show, speed

if TYPE_CHECKING:
    from .diagram import Diagram
    from .fmi.doctor import Finding
    from .multibody import Mechanism
    from .results import Result
    from .scenario import Scenario
    from .system import Connection, System

_MOST_ROWS = 12


def console(*, stderr: bool = False) -> Console:
    """Return where to print; wide enough for a table when that is a file or a pipe."""
    made = Console(stderr=stderr, highlight=False)
    return made if made.is_terminal else Console(stderr=stderr, highlight=False, width=120)


def plain(text: object, style: str = "") -> Text:
    """Return text as it is: no markup, no control characters, whatever a name contains."""
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))
    return Text(safe, style=style)


def say(text: str, where: Console) -> None:
    """Print one line, never broken in two, so that a path can be copied."""
    where.print(plain(text), soft_wrap=True)


@contextmanager
def progress(title: str, wanted: bool, force: bool) -> Iterator[Callback]:
    """Show progress if wanted and somebody can see it, or if forced."""
    if not wanted:
        yield _nothing
        return
    with show(title, force=force) as callback:
        yield callback


def _nothing(progress: Progress) -> None:
    """Show nothing."""


@contextmanager
def study_progress(name: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show what a study does, as ``what done/total`` on one line, when somebody can see it."""
    from rich.live import Live

    where = Console(stderr=True)
    if not where.is_terminal:
        yield lambda what, done, total: None
        return
    with Live(console=where, auto_refresh=False, transient=True) as live:

        def draw(what: str, done: int, total: int) -> None:
            live.update(plain(f"{name}: {what} {done}/{total}"), refresh=True)

        yield draw


def studies(descriptions: dict[str, str], where: Console) -> None:
    """Print the studies there are."""
    where.print(fill(new_table("Studies", "name", "what it repeats"), sorted(descriptions.items())))


def findings(name: str, found: Sequence[Finding], where: Console) -> None:
    """Print what the examination of an FMU found, problems last, and the verdict."""
    for level in ("ok", "remark", "problem"):
        for finding in found:
            if finding.level == level:
                where.print(plain(f"{level}: {finding.examined}: {finding.text}", _LEVELS[level]), soft_wrap=True)
    problems = sum(finding.level == "problem" for finding in found)
    say(f"{name}: {problems or 'no'} problem{'' if problems == 1 else 's'}", where)


_LEVELS = {"ok": "green", "remark": "", "problem": "red"}


def new_table(title: str, *columns: str) -> Table:
    """Return a compact table; columns whose name starts with ``>`` hold numbers."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for name in columns:
        table.add_column(name.lstrip(">"), justify="right" if name.startswith(">") else "left")
    return table


def fill(table: Table, rows: Iterable[Sequence[object]]) -> Table:
    """Add rows of plain text to a table and return it."""
    for row in rows:
        table.add_row(*(plain(cell) for cell in row))
    return table


def result(outcome: Result, where: Console) -> None:
    """Print defects, time per subsystem and the quality of a run."""
    if len(outcome.defects):
        where.print(_defects(outcome))
        where.print()
    where.print(_timing(outcome))
    where.print()
    say(_speed(outcome), where)
    say(str(outcome.quality), where)


def _defects(outcome: Result) -> Table:
    frame = outcome.defects.sort_values("relative", ascending=False)
    title = "Interface defect: value assumed against value that arrived"
    if len(frame) > _MOST_ROWS:
        title += f" (worst {_MOST_ROWS} of {len(frame)})"
    table = new_table(title, "connection", "kind", ">largest", ">at t in s", ">rms", ">relative")
    return fill(
        table,
        (
            (
                row["connection"],
                row["kind"],
                _number(row["maximum"]),
                _number(row["time_of_maximum"]),
                _number(row["rms"]),
                _number(row["relative"]),
            )
            for row in frame.head(_MOST_ROWS).to_dict("records")
        ),
    )


def _timing(outcome: Result) -> Table:
    frame = outcome.timing.sort_values("seconds", ascending=False)
    table = new_table("Time per subsystem", "subsystem", ">steps", ">seconds", ">share", ">µs a step")
    return fill(
        table,
        (
            (
                row["subsystem"],
                f"{int(row['steps'])}",
                _number(row["seconds"]),
                _number(100 * row["share"], "{:.0f} %"),
                _number(row["microseconds_per_step"]),
            )
            for row in frame.head(_MOST_ROWS).to_dict("records")
        ),
    )


def _speed(outcome: Result) -> str:
    return (
        f"{outcome.name}, {outcome.scheme}: {outcome.status} at t = {outcome.end:g} s of {outcome.until:g} s "
        f"in {clock(outcome.wall_seconds)} ({speed(outcome.real_time_factor)})"
    )


def _number(value: Any, pattern: str = "{:.3g}") -> str:
    """Write a number; one that a killed run never told is a dash."""
    return "–" if math.isnan(value) else pattern.format(float(value))


def draw(outcome: Result, names: list[str] | None, path: Path) -> None:
    """Draw the signals named, or a choice of the library, to a PNG file."""
    outcome.plot(*(names or ()), path=path)


def run_file(outcome: Result, where: Console) -> None:
    """Print what a run file holds."""
    result(outcome, where)
    if outcome.message:
        say(outcome.message, where)
    say(f"signals: {', '.join(outcome.signals)}", where)


def scenario(described: Scenario, system: System, where: Console, times: str = "") -> None:
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


def mechanism(described: Mechanism, where: Console) -> None:
    """Print what a mechanism consists of and how it is going to be solved."""
    from .multibody.description import describe

    subsystem = described.subsystem()
    for line in describe(described).splitlines():
        say(line, where)
    where.print()
    facts = [
        ("formulation", f"{described.formulation.name}, {described.formulation.integrator}"),
        ("linear solver", described.assembled().solver),
        ("step in s", "–" if described.step is None else f"{described.step:g}"),
        ("inputs", _ports(subsystem.inputs)),
        ("outputs", _ports(subsystem.outputs)),
    ]
    where.print(fill(new_table("Run", "what", "value"), facts))
    for note in described.notes:
        say(f"note: {note}", where)


def diagram(described: Diagram, where: Console) -> None:
    """Print what a diagram consists of."""
    subsystem = described.subsystem()
    say(f"{described.name}: {len(described.blocks)} blocks", where)
    where.print()
    table = new_table("Blocks", "name", "kind", "inputs")
    entering = {n: ", ".join(f"{p} = {s}" for p, s in b.sources.items()) for n, b in described.blocks.items()}
    where.print(fill(table, ((name, block.kind, entering[name] or "–") for name, block in described.blocks.items())))
    where.print()
    facts = [
        ("solver", described.solver),
        ("step in s", "–" if described.preferred_step is None else f"{described.preferred_step:g}"),
        ("events", "located" if described.locate_events else "at the end of steps"),
        ("inputs", _ports(subsystem.inputs)),
        ("outputs", _ports(subsystem.outputs)),
    ]
    where.print(fill(new_table("Run", "what", "value"), facts))


def _subsystems(described: Scenario, system: System) -> Table:
    table = new_table("Subsystems", "name", "type", ">step in s", "inputs", "outputs")
    return fill(
        table,
        (
            (
                name,
                described.types[name],
                "own" if entry.step is None else f"{entry.step:g}",
                _ports(entry.subsystem.inputs),
                _ports(entry.subsystem.outputs),
            )
            for name, entry in system.subsystems.items()
        ),
    )


def _ports(ports: PortSpec) -> str:
    widths = port_widths(ports).items()
    return ", ".join(name if width == 1 else f"{name}[{width}]" for name, width in widths) or "–"


def _connections(system: System) -> Table:
    table = new_table("Connections", "from", "to", "approximation", "units")
    return fill(table, ((_origin(c), c.target, _approximations(c), _units(system, c)) for c in system.connections))


def _units(system: System, connection: Connection) -> str:
    """Write the unit of a connection, and how it is converted."""
    from .connection_units import conversion_of, formula, port_unit

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
        yield "  nobody waits"
    if described.window is not None:
        yield f"In {described.window}"
