"""The map of the Python package is true: layers, and no circle of imports, late ones counted.

The contracts stand in ``pyproject.toml`` under ``tool.importlinter``.
"""

import ast
import logging
from importlib.util import find_spec
from pathlib import Path

import grimp
import pytest
from importlinter import cli

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def imports():
    """Module -> modules it imports: at its top, inside its functions, and, for a package, what it loads on demand.

    What a package loads on demand is written down as imports for type checkers. Other imports for type checkers do not
    count: they are not there when the program runs.
    """
    running = grimp.build_graph("counterpoint", exclude_type_checking_imports=True, cache_dir=None)
    typed = grimp.build_graph("counterpoint", cache_dir=None)
    graph = {}
    for module in running.modules:
        seen = typed if running.find_children(module) else running
        graph[module] = {name for name in seen.find_modules_directly_imported_by(module) if name != "counterpoint"}
        if _imports_the_package(running, module):
            graph[module].add("counterpoint")
        graph[module] |= {
            name for name in loaded_by_name(Path(find_spec(module).origin).read_text()) if name in running.modules
        }
    return graph


def loaded_by_name(code):
    """Yield the modules that a file loads with ``import_module("...")``: imports that linters do not see."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and "import_module" in ast.dump(node.func) and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and str(name.value).startswith("counterpoint"):
                yield name.value


def _imports_the_package(graph, module):
    """Whether a module imports the package itself, and not only the extension module inside it."""
    details = graph.get_import_details(importer=module, imported="counterpoint")
    return any("_core" not in detail["line_contents"] for detail in details)


def circles(graph):
    """Return the sets of modules that import each other in a circle (Tarjan's algorithm)."""
    order, lowest, stack, found = {}, {}, [], []

    def visit(module):
        order[module] = lowest[module] = len(order)
        stack.append(module)
        for name in graph[module]:
            if name not in order:
                visit(name)
            if name in stack:
                lowest[module] = min(lowest[module], lowest[name])
        if lowest[module] == order[module]:
            members = [stack.pop()]
            while members[-1] != module:
                members.append(stack.pop())
            found.extend([sorted(members)] if len(members) > 1 else [])

    for module in graph:
        if module not in order:
            visit(module)
    return found


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [["b", "c"]]


def test_a_module_loaded_by_its_name_is_found():
    assert list(loaded_by_name('x = import_module("counterpoint.ssp").write\nimport_module("numpy")')) == [
        "counterpoint.ssp"
    ]


def test_no_modules_import_each_other_in_a_circle(imports):
    assert circles(imports) == []


def test_no_module_but_studies_uses_the_package_from_outside(imports):
    outside = [module for module, names in imports.items() if "counterpoint" in names]
    assert [module for module in outside if not module.startswith("counterpoint.studies.")] == []


def test_rooms_know_what_the_map_allows(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(logging.getLogger("counterpoint"), "disabled", False)  # linting disables loggers that exist
    code = cli.lint_imports(
        config_filename=str(ROOT / "pyproject.toml"), is_debug_mode=False, cache_dir=None, no_cache=True
    )
    assert code == cli.EXIT_STATUS_SUCCESS, capsys.readouterr().out
