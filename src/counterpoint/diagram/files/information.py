"""What ``counterpoint info diagram.toml`` prints."""

from __future__ import annotations

from rich.console import Console

from ..._display.console import fill, new_table, ports_text, say
from ..diagram import Diagram


def show_diagram(described: Diagram, where: Console) -> None:
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
        ("inputs", ports_text(subsystem.inputs)),
        ("outputs", ports_text(subsystem.outputs)),
    ]
    where.print(fill(new_table("Run", "what", "value"), facts))
