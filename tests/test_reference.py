"""The Python reference has every public class and function, and says what the docstrings say."""

import inspect
import runpy
from pathlib import Path
from types import ModuleType

import pytest

import counterpoint as cp

ROOT = Path(__file__).resolve().parents[1]
MADE = runpy.run_path(str(ROOT / "docs" / "make_reference.py"))
ROOMS = [name for name in dir(cp) if isinstance(getattr(cp, name), ModuleType)]


def is_described(value):
    return inspect.isclass(value) or inspect.isroutine(value)


@pytest.mark.parametrize("room", ["", *ROOMS])
def test_every_public_class_and_function_is_in_the_reference(room):
    module = getattr(cp, room) if room else cp
    found = {id(entry.value) for entries in MADE["PAGES"].values() for entry in entries}
    values = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    assert [name for name, value in values.items() if is_described(value) and id(value) not in found] == []


def test_every_room_has_a_page():
    assert set(ROOMS) == set(MADE["TITLES"])
    assert all(MADE["PAGES"].values())


@pytest.mark.parametrize(
    "name", ["multibody.Mechanism", "multibody.Animation", "multibody.Beam", "ComponentDied", "UnitWarning"]
)
def test_names_that_users_look_up_have_a_section(name):
    pages = (ROOT / "docs" / "reference" / "python").glob("*.md")
    assert any(f"\n## cp.{name}\n" in page.read_text(encoding="utf-8") for page in pages)


def test_every_entry_is_described():
    entries = [entry for found in MADE["PAGES"].values() for entry in found]
    assert len(entries) > 150
    assert [entry.name for entry in entries if not inspect.getdoc(entry.value)] == []


@pytest.mark.parametrize(("file", "text"), MADE["pages"]().items(), ids=lambda part: getattr(part, "name", ""))
def test_the_pages_are_those_of_the_docstrings(file, text):
    assert file.read_text(encoding="utf-8") == text, "run: python docs/make_reference.py"
