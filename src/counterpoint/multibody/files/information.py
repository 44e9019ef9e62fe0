"""What ``counterpoint info mechanism.toml`` prints."""

from __future__ import annotations

from rich.console import Console

from ..._display.console import fill, new_table, ports_text, say
from ..analysis.description import describe
from ..modelling.mechanism import Mechanism


def show_mechanism(described: Mechanism, where: Console) -> None:
    """Print what a mechanism consists of and how it is going to be solved."""
    subsystem = described.subsystem()
    for line in describe(described).splitlines():
        say(line, where)
    where.print()
    facts = [
        ("formulation", f"{described.formulation.name}, {described.formulation.integrator}"),
        ("linear solver", described.assembled().solver),
        ("step in s", "–" if described.step is None else f"{described.step:g}"),
        ("inputs", ports_text(subsystem.inputs)),
        ("outputs", ports_text(subsystem.outputs)),
    ]
    where.print(fill(new_table("Run", "what", "value"), facts))
    for note in described.notes:
        say(f"note: {note}", where)
