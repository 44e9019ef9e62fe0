"""Replace values of a scenario by others, given by name: ``--set engine.k=5``, ``--step engine=1e-4``."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

from .._cases.case import CaseSettings
from .._files.folder import Folder
from .._files.problems import Document, path_of
from .._files.tables import keys_of
from ..errors import ScenarioError, SetupError, did_you_mean
from .models import SUBSYSTEMS, ScenarioTable
from .plugin_words import plugin_types

_OWN_FILES = ("multibody", "diagram")


def with_settings(document: Document, folder: Folder, settings: CaseSettings) -> Document:
    """Return the document of a scenario with steps, values and options of FMUs as given.

    A name is ``subsystem.name``: a key of its table, a variable of an FMU, an argument of a Python object, a key in
    the file of a mechanism or diagram, or else an input that is held at the value.

    Raises
    ------
    ScenarioError
        With each name that means nothing, and the one it may mean.
    """
    made = replace(document, values=deepcopy(document.values))
    problems = list(_apply(made, folder, settings))
    if problems:
        raise ScenarioError(f"{document.label}: {problem}" for problem in problems)
    return made


def _apply(document: Document, folder: Folder, settings: CaseSettings) -> Iterator[str]:
    tables = document.values.get("subsystems")
    subsystems = {name: t for name, t in tables.items() if isinstance(t, dict)} if isinstance(tables, dict) else {}
    for name, step in settings.steps.items():
        if name in subsystems:
            subsystems[name]["step"] = step
        else:
            yield f'step: "{name}": no such subsystem{did_you_mean(name, subsystems)}'
    for name, value in settings.set.items():
        for problem in _set(document.values, subsystems, folder, name, value):
            yield f'set: "{name}": {problem}'
    options = {"isolate": settings.isolate, "lenient": settings.lenient}
    for table in (t for t in subsystems.values() if t.get("type") == "fmu"):
        table.update({key: True for key, wanted in options.items() if wanted and not table.get(key)})
    if settings.outputs:
        document.values["plot"] = list(settings.outputs)


def _set(values: dict[str, Any], subsystems: dict[str, Any], folder: Folder, name: str, value: Any) -> Iterator[str]:
    """Enter one value; yield what is wrong with its name."""
    owner = max((s for s in subsystems if name.startswith(f"{s}.")), key=len, default=None)
    if owner is None:
        if name in keys_of(ScenarioTable):
            values[name] = value
        else:
            yield f"no such subsystem{did_you_mean(name.partition('.')[0], subsystems)}; expected subsystem.name"
        return
    table, key = subsystems[owner], name.removeprefix(f"{owner}.")
    kind = str(table.get("type"))
    keys = keys_of(SUBSYSTEMS[kind]) if kind in SUBSYSTEMS else []
    path = path_of(key, table)
    if kind == "fmu":
        yield from _set_variable(table, folder, key, value)
    elif str(path[0]) in keys and path[0] != "type":
        _enter(table, [str(part) for part in path], value)
    elif kind in _OWN_FILES:
        table.setdefault("set", {})[key] = value
    elif kind == "python":
        table.setdefault("arguments", {})[key] = value
    elif kind in plugin_types():
        table[key] = value
    elif "inputs" in table and key not in _names(table["inputs"]):
        known = [name for name in (*keys, *_names(table["inputs"])) if name != "type"]
        yield f'"{owner}" has neither a key nor an input "{key}"{did_you_mean(key, known)}'
    else:
        values.setdefault("set", {})[name] = value


def _names(ports: Any) -> list[str]:
    return [ports] if isinstance(ports, str) else [str(name) for name in ports]


def _enter(table: dict[str, Any], path: list[str], value: Any) -> None:
    for part in path[:-1]:
        table = table.setdefault(part, {})
    table[path[-1]] = value


def _set_variable(table: dict[str, Any], folder: Folder, key: str, value: Any) -> Iterator[str]:
    """Give a value to a variable of an FMU, or to a key of its table."""
    from ..fmi.archive import Archive
    from ..fmi.description_reading import read_description

    keys = [name for name in keys_of(SUBSYSTEMS["fmu"]) if name != "type"]
    try:
        description = read_description(Archive(folder.find(str(table.get("file")))), lenient=True)
    except SetupError:
        return  # told where the FMU is built
    variable = description.by_name.get(key)
    if variable is not None:
        part = "parameters" if variable.causality in ("parameter", "structuralParameter") else "start"
        table.setdefault(part, {})[key] = value
    elif key in keys:
        table[key] = value
    else:
        yield f"no such variable{did_you_mean(key, description.by_name)}"
