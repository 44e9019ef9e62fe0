"""What every benchmark shares: interleaved repetition, rows, ratios, the table and the JSON file.

Everything that is compared is measured in one run, in turn, so that whatever else the machine does meets all
of them alike; the best of the repetitions counts. Work in this process is measured in processor time: on a
shared machine, waiting for one's turn is not work.
"""

import importlib.util
import json
import os
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

OURS = "counterpoint"
LIMIT = "limit"
QUIET_LOAD = 0.5
WIDTH = 130
"""Columns of the tables when they do not go to a terminal."""


@dataclass(frozen=True)
class Row:
    """One measured value; ``who`` is ``counterpoint``, ``limit`` or the name of a peer."""

    benchmark: str
    work: str
    size: str
    who: str
    value: float
    unit: str


@dataclass
class Bench:
    """Where a work puts what it measured.

    Attributes
    ----------
    name : str
        Name of the benchmark.
    quick : bool
        Smaller sizes and fewer repetitions: to see that it runs, not to quote.
    rows : list of Row
        What has been measured so far.
    targets : dict
        What is asked of Counterpoint, by (work, size): shown next to the measured value.
    notes : list of str
        What a reader must know, e.g. which peers were left out.
    """

    name: str
    quick: bool = False
    rows: list[Row] = field(default_factory=list)
    targets: dict[tuple[str, str], str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, work: str, size: str, values: Mapping[str, float], unit: str, target: str = "") -> None:
        """Add one row for each name in ``values``."""
        self.rows += [Row(self.name, work, size, who, value, unit) for who, value in values.items()]
        if target:
            self.targets[work, size] = target

    def skip(self, peer: str, work: str) -> None:
        """Note that a peer is not installed and therefore left out."""
        package = {"pinocchio": "pin"}.get(peer, peer)
        self.notes.append(f"{work}: {peer} is not installed; left out (pip install {package})")

    def ratio(self, work: str, size: str, to: str = LIMIT) -> float:
        """Return Counterpoint's value over another's."""
        values = {row.who: row.value for row in self.rows if (row.work, row.size) == (work, size)}
        return values[OURS] / values[to]


def load() -> float:
    """Return how many programs wanted a processor in the last minute, in the mean; 0 where that is not known."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def load_note(before: float, after: float) -> str | None:
    """Return what a reader must know when other programs ran beside a benchmark; ``after`` counts itself as well."""
    others = max(before, after - 1.0)
    if others < QUIET_LOAD:
        return None
    return (
        f"the machine was not quiet: a load of {others:.1f} beside the benchmark, on {os.cpu_count()} processors; "
        "ratios of short works may be off by a tenth and more, so measure again when nothing else runs"
    )


def installed(module: str) -> bool:
    """Tell whether a peer's module can be imported."""
    return importlib.util.find_spec(module) is not None


def interleaved(
    contestants: Mapping[str, Callable[[], object]],
    repeats: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Time the contestants in turn and return each one's best time in seconds."""

    def timed(work: Callable[[], object]) -> float:
        start = clock()
        kept = work()  # freed after the clock has stopped
        seconds = clock() - start
        del kept
        return seconds

    return best({name: lambda work=work: timed(work) for name, work in contestants.items()}, repeats)


def best(contestants: Mapping[Key, Callable[[], float]], repeats: int) -> dict[Key, float]:
    """Call the contestants in turn, each returning its own seconds, and return each one's smallest."""
    rounds = [{name: measure() for name, measure in contestants.items()} for _ in range(repeats)]
    return {name: min(round_[name] for round_ in rounds) for name in contestants}


def write_json(rows: list[Row], path: Path) -> None:
    """Write the rows as a JSON list of objects."""
    path.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


def show(bench: Bench) -> None:
    """Print one table for each work, with Counterpoint's ratio to the limit and to each peer."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    for work in dict.fromkeys(row.work for row in bench.rows):
        console.print(_table(bench, work))
    for note in bench.notes:
        console.print(note, style="dim", highlight=False)


def _table(bench: Bench, work: str) -> object:
    from rich.table import Table

    rows = [row for row in bench.rows if row.work == work]
    others = [who for who in dict.fromkeys(row.who for row in rows) if who != OURS]
    targets = any(key[0] == work for key in bench.targets)
    table = Table(title=f"{bench.name}: {work}", title_justify="left", title_style="bold")
    table.add_column("size")
    for who in (*others, OURS):
        table.add_column(who, justify="right")
    table.add_column("unit")
    for who in others:
        table.add_column(f"÷ {who}", justify="right")
    if targets:
        table.add_column("asked", justify="right")
    for size in dict.fromkeys(row.size for row in rows):
        here = {row.who: row for row in rows if row.size == size}
        cells = [size, *(_number(here.get(who)) for who in (*others, OURS)), next(iter(here.values())).unit]
        cells += [_quotient(here.get(OURS), here.get(who)) for who in others]
        table.add_row(*cells, *([bench.targets.get((work, size), "")] if targets else []))
    return table


def _number(row: Row | None) -> str:
    return "" if row is None else f"{row.value:.4g}"


def _quotient(ours: Row | None, other: Row | None) -> str:
    if ours is None or other is None or other.value == 0:
        return ""
    quotient = ours.value / other.value
    return f"{quotient:.2f}" if quotient >= 0.1 else f"{quotient:.4f}"
