"""What goes into a wheel: the package and what was compiled for it, not what a developer left among the sources."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / ".ci" / "check_wheel.py"
LEFT = [
    "_core.abi3.so",
    "_core.pyd",
    "counterpoint_fmu.so",
    "counterpoint-host",
    "_sources/core/check.hpp",
    "runtimes/a.so",
]


@pytest.fixture(scope="module")
def check_wheel() -> ModuleType:
    if not SCRIPT.exists():
        pytest.skip("a source distribution has no .ci folder")
    spec = importlib.util.spec_from_file_location("check_wheel", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def built(*more: str) -> list[str]:
    """Return the files of a small wheel, and more."""
    compiled = ["_core.abi3.so", "counterpoint_fmu.so", "counterpoint-host"]
    sources = [
        "_sources/CMakeLists.txt",
        "_sources/core/check.hpp",
        "_core/__init__.pyi",
        "runtimes/x86_64-windows.dll",
    ]
    names = [f"counterpoint/{name}" for name in [*compiled, *sources, "__init__.py", *more]]
    return [*names, "counterpoint-0.1.0.dist-info/METADATA", "counterpoint.libs/libx.so.1"]


KNOWN = {"CMakeLists.txt", "core/check.hpp", "src/counterpoint/__init__.py"}


def test_a_wheel_of_package_core_and_sources_is_accepted(check_wheel):
    assert check_wheel.problems(built(), KNOWN) == []


@pytest.mark.parametrize("name", ["_core.cpython-311-x86_64-linux-gnu.so", "notes.txt", "_sources/core/bind/left.cpp"])
def test_a_wheel_with_something_else_is_refused(check_wheel, name):
    found = check_wheel.problems(built(name), KNOWN)
    assert any(name in line for line in found)


def test_a_wheel_without_its_core_is_refused(check_wheel):
    found = check_wheel.problems([name for name in built() if "_core.abi3" not in name], KNOWN)
    assert any("expected the module" in line for line in found)


@pytest.mark.parametrize("name", LEFT)
def test_what_was_compiled_or_linked_in_place_is_never_packed(name):
    pathspec = pytest.importorskip(
        "pathspec", reason="pathspec, which scikit-build-core matches with, is not installed"
    )
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]
    for lines in (settings["sdist"]["exclude"], (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()):
        assert pathspec.GitIgnoreSpec.from_lines(lines).match_file(f"src/counterpoint/{name}")
