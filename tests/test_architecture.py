"""The pictures of the architecture page show the code as it is."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def _architecture():
    spec = importlib.util.spec_from_file_location("architecture", ROOT / "docs" / "architecture.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


architecture = _architecture()


@pytest.mark.parametrize("name", architecture.PICTURES)
def test_pictures_are_what_the_code_gives_today(name, tmp_path):
    architecture.PICTURES[name](tmp_path / name)
    drawn, shown = (tmp_path / name).read_text(), (architecture.IMAGES / name).read_text()
    assert drawn == shown, "run `python docs/architecture.py` and look at the pictures"


@pytest.mark.parametrize("station", [*architecture.SAMPLE, *architecture.COMMAND], ids=lambda s: f"{s.file}: {s.name}")
def test_stations_are_where_the_page_says(station):
    assert station.name in (ROOT / station.file).read_text(encoding="utf-8")


def test_a_room_is_drawn_above_all_that_it_knows():
    for edges in (architecture.core_edges(), architecture.python_edges()):
        level = {room: depth for depth, row in enumerate(architecture.layers(edges)) for room in row}
        assert all(level[room] < level[other] for room, others in edges.items() for other in others)
