"""What the documentation names is there after ``import counterpoint as cp``, and ``dir`` shows nothing else."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import counterpoint as cp

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.py"))]
DOTTED = re.compile(r"(?<!from )\b(?:cp|counterpoint)((?:\.[A-Za-z_]\w*)+)(?!\.?\w)")
FILES = ("counterpoint.recipe", "counterpoint.sci")
"""Names of files, not of modules."""


def named():
    found = set()
    for page in PAGES:
        for match in DOTTED.finditer(page.read_text(encoding="utf-8")):
            if match[0] not in FILES:
                found.add(match[1][1:])
    return sorted(found)


def resolve(dotted):
    value = cp
    for name in dotted.split("."):
        value = getattr(value, name)
    return value


def test_pages_name_something():
    assert len(named()) > 100


@pytest.mark.parametrize("dotted", named())
def test_what_the_documentation_names_is_there(dotted):
    """In a fresh interpreter nothing but attributes leads there; a module that a test imported before hides nothing."""
    assert not any(part.startswith("_") for part in dotted.split(".")), "the documentation names something private"
    resolve(dotted)


def test_nothing_has_to_be_imported_by_itself():
    code = "import counterpoint as cp\n" + "\n".join(f"cp.{name}" for name in named())
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_type_checkers_see_the_names_that_are_loaded():
    tree = ast.parse((ROOT / "src" / "counterpoint" / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    names = [alias.asname for line in block.body for alias in line.names]
    assert sorted(names) == sorted({name for name in dir(cp) if not name.startswith("_")})


@pytest.mark.parametrize("package", ["", "adapters", "diagram", "fmi", "link", "multibody", "ssp"])
def test_a_package_lists_what_is_public_and_that_is_there(package):
    module = import_module(f"counterpoint.{package}".rstrip("."))
    listed = [name for name in dir(module) if not name.startswith("__")]
    assert listed
    assert [name for name in listed if name.startswith("_")] == []
    assert set(getattr(module, "__all__", ())) <= set(listed)
    for name in listed:
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            assert value.__name__.startswith("counterpoint.")


def test_a_run_of_a_mechanism_loads_no_package_that_it_does_not_use():
    # Each of these takes 0.2 to 0.5 s to import, in every script and every worker of a sweep.
    code = """
import sys
import counterpoint as cp
system = cp.System("p")
system.add("pendulum", cp.multibody.library.pendulum(), step=1e-2)
system.run(until=0.1)
print(sorted({"pandas", "scipy", "matplotlib", "pydantic", "pyarrow", "xarray", "dask", "numba"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
