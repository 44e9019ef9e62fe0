"""The pictures of the architecture page, made from the code: ``python docs/architecture.py``.

Rooms and arrows come from the ``#include`` and ``import`` lines, the stations of a sample and of a command from the
files that are named here. A test draws them again and checks that every station is where the page says.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
CORE = ROOT / "core"
PACKAGE = ROOT / "src" / "counterpoint"
INCLUDE = re.compile(r'^#include "([a-z]+)/', re.M)

Edges = dict[str, set[str]]


@dataclass(frozen=True)
class Station:
    """A place that a sample or a command passes: a name in a file, and what happens there."""

    file: str
    name: str
    text: str

    @property
    def room(self) -> str:
        """The folder, as the map calls it."""
        parts = Path(self.file).parts
        if parts[0] == "core":
            return "core/" + "/".join(parts[1:-1])
        return parts[2] if len(parts) > 3 else "counterpoint"


def core_edges() -> Edges:
    """Return which rooms of the core each room includes."""
    edges: Edges = {path.name: set() for path in sorted(CORE.iterdir()) if path.is_dir()}
    for path in sorted(CORE.rglob("*.[ch]pp")):
        room = path.relative_to(CORE).parts[0]
        if room in edges:
            edges[room] |= {other for other in INCLUDE.findall(path.read_text(encoding="utf-8")) if other in edges}
    return {room: others - {room} for room, others in edges.items()}


def python_edges() -> Edges:
    """Return which rooms of the package each room imports when it runs, late imports included."""
    rooms = {path.stem if path.suffix else path.name for path in PACKAGE.iterdir() if _is_room(path)}
    edges: Edges = {room: set() for room in sorted(rooms)}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] in rooms:
            edges[parts[0]] |= {name for name in _imported(path, parts) if name in rooms}
    return {room: others - {room} for room, others in edges.items()}


def _is_room(path: Path) -> bool:
    return (path / "__init__.py").is_file() or (path.suffix == ".py" and not path.stem.startswith("__"))


def _imported(path: Path, parts: tuple[str, ...]) -> Iterator[str]:
    """Yield the first word behind ``counterpoint.`` of everything that a file imports, but for annotations."""
    package = parts[:-1]
    for node in _running(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            if node.level and (node.module or base):
                yield (*base, *(node.module or "").split("."))[0]
            elif node.level:
                yield from (alias.name for alias in node.names)
            elif (node.module or "").startswith("counterpoint."):
                yield (node.module or "").split(".")[1]


def _running(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        yield from _running(child)


def layers(edges: Edges) -> list[list[str]]:
    """Return the rooms from those that know most to those that know nothing; rooms of a cycle share a layer."""
    depth: dict[str, int] = {}

    def measure(room: str, above: tuple[str, ...]) -> int:
        if room in above:
            return 0
        if room not in depth:
            depth[room] = 1 + max((measure(other, (*above, room)) for other in sorted(edges[room])), default=-1)
        return depth[room]

    for room in edges:
        measure(room, ())
    return [[room for room in edges if depth[room] == level] for level in range(max(depth.values()), -1, -1)]


def direct(edges: Edges) -> Edges:
    """Leave out what follows: an arrow to a room that is reached through others as well."""

    def reached(room: str, seen: set[str]) -> set[str]:
        for other in edges[room] - seen:
            seen.add(other)
            reached(other, seen)
        return seen

    return {
        room: {
            other for other in others if not any(other in reached(third, set()) for third in others if third != other)
        }
        for room, others in edges.items()
    }


def draw_rooms(edges: Edges, path: Path, title: str) -> None:
    """Draw rooms as boxes in layers; an arrow means "knows"."""
    rows = layers(edges)
    width, box, gap = 1100, 128, 92
    places = {
        room: (width * (k + 1) / (len(row) + 1), 60 + gap * level)
        for level, row in enumerate(rows)
        for k, room in enumerate(row)
    }
    parts = [f'<text x="12" y="24" font-weight="bold">{escape(title)}</text>']
    for room, others in direct(edges).items():
        for other in sorted(others):
            (x, y), (to_x, to_y) = places[room], places[other]
            bend = (to_y - y) / 2
            parts.append(
                f'<path d="M{x:.0f} {y + 16:.0f} C{x:.0f} {y + 16 + bend:.0f} {to_x:.0f} {to_y - 22 - bend:.0f} '
                f'{to_x:.0f} {to_y - 22:.0f}" fill="none" stroke="#7a8aa0" marker-end="url(#tip)"/>'
            )
    for room, (x, y) in places.items():
        parts.append(
            f'<rect x="{x - box / 2:.0f}" y="{y - 16:.0f}" width="{box}" height="32" rx="6" fill="#eef3fa" '
            f'stroke="#3c5a86"/><text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{escape(room)}</text>'
        )
    _write(path, width, 60 + gap * len(rows) - 30, parts)


def draw_way(stations: tuple[Station, ...], path: Path, title: str) -> None:
    """Draw the stations of a way one below the other, each in the lane of its room."""
    rooms = list(dict.fromkeys(station.room for station in stations))
    lane, top, gap = 150, 70, 46
    text_x = 20 + lane * len(rooms)
    width = text_x + 620
    parts = [f'<text x="12" y="24" font-weight="bold">{escape(title)}</text>']
    for k, room in enumerate(rooms):
        x = 20 + lane * k + lane / 2
        bottom = top + gap * len(stations) - 20
        parts.append(f'<text x="{x:.0f}" y="50" text-anchor="middle" fill="#3c5a86">{escape(room)}</text>')
        parts.append(f'<line x1="{x:.0f}" y1="58" x2="{x:.0f}" y2="{bottom:.0f}" stroke="#d5dde8"/>')
    points = [(20 + lane * rooms.index(s.room) + lane / 2, top + gap * k + 12) for k, s in enumerate(stations)]
    line = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
    parts.append(f'<polyline points="{line}" fill="none" stroke="#7a8aa0"/>')
    for number, (station, (x, y)) in enumerate(zip(stations, points, strict=True), 1):
        parts.append(
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="11" fill="#3c5a86"/>'
            f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle" fill="white">{number}</text>'
            f'<text x="{text_x}" y="{y - 2:.0f}">{escape(station.text)}</text>'
            f'<text x="{text_x}" y="{y + 14:.0f}" fill="#6b7787" font-size="12">{escape(station.file)}: '
            f"{escape(station.name)}</text>"
        )
    _write(path, width, top + gap * len(stations) + 6, parts)


def _write(path: Path, width: float, height: float, parts: list[str]) -> None:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        'font-family="sans-serif" font-size="14">\n<rect width="100%" height="100%" fill="white"/>\n'
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto">'
        '<path d="M0 0 L7 3 L0 6 z" fill="#7a8aa0"/></marker></defs>\n'
    )
    path.write_text(head + "\n".join(parts) + "\n</svg>\n", encoding="utf-8")


SAMPLE = (
    Station(
        "core/coupling/precedence_rule.hpp",
        "class PrecedenceRule",
        "choose: of those that may step, the one that goes first",
    ),
    Station("core/coupling/inputs.cpp", "Inputs::freeze", "freeze: which samples of its sources the step sees"),
    Station("core/signal/approximation.hpp", "class Approximation", "a polynomial through these samples"),
    Station("core/coupling/inputs.cpp", "made_from_connections", "gain and offset, then sum or law: the input u(t)"),
    Station("core/ode/ode_subsystem.hpp", "double step(", "step: the subsystem integrates to the end of its step"),
    Station("core/coupling/participant.hpp", "void publish(", "publish: outputs into the history and the record"),
    Station("core/signal/history.hpp", "class History", "the sample is kept while a consumer may need it"),
    Station("core/coupling/comparison.hpp", "class Comparison", "what was assumed is compared with what arrived"),
    Station("core/bind/coupling.cpp", "take_rows", "rows leave the core in blocks"),
    Station("src/counterpoint/_run/recording.py", "def drain", "rows go to the store"),
    Station("src/counterpoint/results/file.py", "def append", "and to the disk"),
)

COMMAND = (
    Station("src/counterpoint/_cli/main.py", "def main", "counterpoint run two_mass.toml"),
    Station("src/counterpoint/_cli/run.py", "def run", "options of the command"),
    Station("src/counterpoint/_cases/registry.py", "def read_case", "which kind of file it is"),
    Station("src/counterpoint/_files/document.py", "def read_document", "TOML with line numbers"),
    Station("src/counterpoint/scenario/building.py", "def system", "subsystems and connections"),
    Station("src/counterpoint/_run/checks.py", "def find_problems", "all mistakes at once"),
    Station("src/counterpoint/_run/plan.py", "def make_plan", "numbers instead of names"),
    Station("core/coupling/scheduler.cpp", "Scheduler::advance", "the run, slice by slice"),
    Station("src/counterpoint/_run/recording.py", "def drain", "what was published moves to the store"),
    Station("src/counterpoint/results/result.py", "class Result", "signals, plots, quality"),
    Station("src/counterpoint/results/information.py", "def show_result", "tables on the terminal"),
)  # fmt: skip

PICTURES = {
    "architecture-core.svg": lambda path: draw_rooms(
        core_edges(), path, "Rooms of the core: an arrow means «includes»"
    ),
    "architecture-python.svg": lambda path: draw_rooms(python_edges(), path, "Rooms of the package: «imports»"),
    "architecture-sample.svg": lambda path: draw_way(SAMPLE, path, "The way of a sample"),
    "architecture-command.svg": lambda path: draw_way(COMMAND, path, "The way of a command"),
}


def main(folder: Path = IMAGES) -> None:
    """Draw all pictures."""
    for name, draw in PICTURES.items():
        draw(folder / name)


if __name__ == "__main__":
    main()
