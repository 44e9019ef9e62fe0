"""The rooms of the core include only what the table in CONTRIBUTING.md allows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "core"
ROW = re.compile(r"^\| `core/([a-z]+)` \| ([^|]*) \|", re.M)
INCLUDE = re.compile(r'^\s*#include "(?:\.\./)*([a-z_0-9]+)(/[a-z_0-9/]+)?\.(?:hpp|h)"', re.M)


def allowed() -> dict[str, set[str]]:
    """Return what each room may include, from the table for people."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return {room: set(re.findall(r"`([a-z]+)`", others)) for room, others in ROW.findall(text)}


def included() -> dict[tuple[str, str], list[str]]:
    """Return the pairs of rooms (who includes, what) with the files that do it; names without a room are shared headers."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted(CORE.rglob("*.[ch]pp")):
        parts = path.relative_to(CORE).parts
        for first, rest in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if len(parts) > 1 and rest and (CORE / first).is_dir() and first != parts[0]:
                found.setdefault((parts[0], first), []).append("/".join(parts))
    return found


def test_every_room_of_the_core_stands_in_the_table():
    rooms = {path.name for path in CORE.iterdir() if path.is_dir()}
    assert set(allowed()) == rooms


def test_rooms_of_the_core_include_only_what_the_map_allows():
    table = allowed()
    against = {f"{who} -> {what}": files for (who, what), files in included().items() if what not in table[who]}
    assert against == {}


def test_fast_paths_include_only_what_the_map_allows_and_all_of_it():
    row = re.search(r"^\| `core/coupling/fast` \| ([^|]*) \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M)
    assert row is not None
    found = {
        first
        for path in (CORE / "coupling" / "fast").glob("*.[ch]pp")
        for first, rest in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if rest
    }
    assert found == set(re.findall(r"`([a-z]+)`", row[1]))


def test_the_map_of_the_core_has_no_edge_that_nothing_uses():
    table = allowed()
    unused = {f"{who} -> {what}" for who, others in table.items() for what in others} - {
        f"{who} -> {what}" for who, what in included()
    }
    assert unused == set()


def test_the_map_of_the_core_has_no_cycle():
    table, done = allowed(), set()
    while free := {room for room in table if room not in done and table[room] <= done}:
        done |= free
    assert set(table) - done == set()


@pytest.mark.parametrize("room", ["ode", "multibody", "diagram", "fmi", "link", "export"])
def test_rooms_that_provide_subsystems_know_the_contract_and_not_the_run(room):
    knowing = [
        f"{path.name} includes {header}"
        for path in sorted((CORE / room).rglob("*.[ch]pp"))
        for header in re.findall(r'#include "(coupling/[a-z_/]+\.hpp)"', path.read_text(encoding="utf-8"))
        if header in ("coupling/participant.hpp", "coupling/scheduler.hpp")
    ]
    allowed_here = {"export": ["exported_model.hpp includes coupling/scheduler.hpp"]}
    assert [text for text in knowing if text not in allowed_here.get(room, [])] == []


def test_only_the_coupling_and_the_bindings_know_fast_paths():
    knowing = [
        "/".join(path.relative_to(CORE).parts)
        for path in sorted(CORE.rglob("*.[ch]pp"))
        if path.relative_to(CORE).parts[0] not in ("coupling", "bind")
        and '#include "coupling/fast/' in path.read_text(encoding="utf-8")
    ]
    assert knowing == []


def test_only_the_bindings_know_python():
    words = re.compile(r"nanobind|Python\.h|Traceback|PyObject|\bnb::")
    named = [
        f"{path.relative_to(CORE)}: {found[0]}"
        for path in sorted(CORE.rglob("*.[ch]pp"))
        if path.relative_to(CORE).parts[0] != "bind" and (found := words.findall(path.read_text(encoding="utf-8")))
    ]
    assert named == []


def test_the_core_uses_no_streams():
    """A library with a standard library of its own takes numbers away from all streams of a process: numbers.hpp."""
    words = re.compile(
        r"#include <(?:sstream|fstream|iostream|ostream|istream|iomanip|regex)>|std::(?:[io]?stringstream|[io]fstream|cout|cerr)"
    )
    named = [
        f"{path.relative_to(CORE)}: {found[0]}"
        for path in sorted(CORE.rglob("*.[ch]pp"))
        if (found := words.findall(path.read_text(encoding="utf-8")))
    ]
    assert named == []
