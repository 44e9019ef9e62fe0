"""Sentences and tables on a terminal; plain text in a file or a pipe."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .._common.ports import PortSpec, port_widths


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


def ports_text(ports: PortSpec) -> str:
    """Write ports with their widths, ``u, position[3]``."""
    widths = port_widths(ports).items()
    return ", ".join(name if width == 1 else f"{name}[{width}]" for name, width in widths) or "–"


def number_text(value: Any, pattern: str = "{:.3g}") -> str:
    """Write a number; one that a killed run never told is a dash."""
    return "–" if math.isnan(value) else pattern.format(float(value))


def speed(factor: float) -> str:
    """Write a real-time factor.

    >>> speed(0.5), speed(30321.4), speed(float("nan"))
    ('0.5× real time', '30321× real time', '…× real time')
    """
    if math.isnan(factor):
        return "…× real time"
    return f"{factor:.3g}× real time" if factor < 1000 else f"{factor:.0f}× real time"


def clock(seconds: float) -> str:
    """Write a duration briefly.

    >>> clock(0.0125), clock(2.5), clock(75), clock(7384), clock(float("inf"))
    ('12 ms', '2.5 s', '1 min 15 s', '2 h 3 min', '?')
    """
    if not math.isfinite(seconds):
        return "?"
    if seconds < 0.1:
        return f"{1e3 * seconds:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
