"""Replace values of a scenario by others, given by name: ``--set engine.k=5``, ``--step engine=1e-4``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from .._cases.case import CaseSettings
from .._common.nested import changed
from .._files.folder import Folder
from .._files.problems import Document, KeyPath, path_of
from .._files.tables import keys_of
from ..errors import ScenarioError, SetupError, did_you_mean
from .models import APPROXIMATIONS, PACES, SUBSYSTEMS, Connection, ScenarioTable
from .plugin_words import plugin_types

_OWN_FILES = ("multibody", "diagram")
_TABLES_OF_KINDS = {"approximation": APPROXIMATIONS, "approximations": APPROXIMATIONS, "pace": PACES}


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
    places: list[KeyPath] = []
    for name, value in settings.set.items():
        try:
            places.append(place := place_of(document, folder, name))
            _enter(document.values, place, value)
        except SetupError as error:
            yield f'set: "{name}": {error}'
    for place in places:
        document.values.update(without_keys_of_other_kinds(document.values, place, places))
    options = {"isolate": settings.isolate, "lenient": settings.lenient}
    for table in (t for t in subsystems.values() if t.get("type") == "fmu"):
        table.update({key: True for key, wanted in options.items() if wanted and not table.get(key)})
    if settings.outputs:
        document.values["plot"] = list(settings.outputs)


def without_keys_of_other_kinds(
    values: Mapping[str, Any], place: KeyPath, places: Sequence[KeyPath]
) -> Mapping[str, Any]:
    """Return the tables of a scenario after a new ``kind``: without keys of the kind before, except those given, too.

    ``connections[0].approximation.kind = "hold"`` takes the ``order`` of a polynomial away.
    """
    tables = _TABLES_OF_KINDS.get(next((str(key) for key in place[-2::-1] if isinstance(key, str)), ""), {})
    if place[-1] != "kind" or not tables:
        return values
    table: Any = values
    for key in place[:-1]:
        table = table[key]
    if table["kind"] not in tables:
        return values
    known = keys_of(tables[table["kind"]])
    kept = {key: value for key, value in table.items() if key in known or (*place[:-1], key) in places}
    return values if len(kept) == len(table) else changed(values, place[:-1], kept)


def place_of(document: Document, folder: Folder, name: str) -> KeyPath:
    """Return where in the document of a scenario a value is that a user names.

    A name is ``subsystem.name`` as for :func:`with_settings`, ``connections[0].gain`` or ``slow.x -> fast.u.gain``, or
    a key of the scenario itself such as ``scheme`` and ``pace.tolerance``; indices pick one number, ``engine.x0[1]``.

    Raises
    ------
    SetupError
        The name means nothing; the message says what it may mean.
    """
    values = document.values
    tables = values.get("subsystems")
    subsystems = {key: t for key, t in tables.items() if isinstance(t, dict)} if isinstance(tables, dict) else {}
    owner = max((s for s in subsystems if name.startswith(f"{s}.")), key=len, default=None)
    if "->" in name or name.startswith("connections["):
        return _place_of_connection(values, name)
    if owner is None:
        path = path_of(name, values)
        if path[0] in keys_of(ScenarioTable) and path[0] not in ("subsystems", "connections", "set"):
            return path
        raise SetupError(
            f"no such subsystem{did_you_mean(name.partition('.')[0], subsystems)}; expected subsystem.name"
        )
    return _place_in_subsystem(subsystems[owner], owner, folder, name)


def _place_of_connection(values: dict[str, Any], name: str) -> KeyPath:
    """Return the place of a key of a connection, which is named by its number or by its ends."""
    tables = values.get("connections")
    connections = tables if isinstance(tables, list) else []
    if name.startswith("connections["):
        path = path_of(name, values)
    else:
        source, _, rest = (part.strip() for part in name.partition("->"))
        found = [k for k, c in enumerate(connections) if _joins(c, source, rest)]
        if len(found) != 1:
            known = [f"{_names(c.get('from'))[0]} -> {c.get('to')}" for c in connections]
            raise SetupError(f"{len(found) or 'no'} such connections{did_you_mean(name.rpartition('.')[0], known)}")
        target = str(connections[found[0]]["to"])
        path = ("connections", found[0], *path_of(rest.removeprefix(f"{target}."), connections[found[0]]))
    if len(path) < 3 or not isinstance(path[1], int) or path[1] >= len(connections):
        raise SetupError(f"expected connections[0].gain with a number below {len(connections)}")
    if path[2] not in keys_of(Connection):
        raise SetupError(f'no such key "{path[2]}" of a connection{did_you_mean(str(path[2]), keys_of(Connection))}')
    return path


def _joins(connection: Any, source: str, rest: str) -> bool:
    """Whether a connection begins at a source, and the rest of a name is its target and a key."""
    if not isinstance(connection, dict):
        return False
    return source in _names(connection.get("from")) and rest.startswith(f"{connection.get('to')}.")


def _place_in_subsystem(table: dict[str, Any], owner: str, folder: Folder, name: str) -> KeyPath:
    key, at = name.removeprefix(f"{owner}."), ("subsystems", owner)
    kind = str(table.get("type"))
    keys = keys_of(SUBSYSTEMS[kind]) if kind in SUBSYSTEMS else []
    path = path_of(key, table)
    if kind == "fmu":
        return (*at, *_place_of_variable(table, folder, key))
    if str(path[0]) in keys and path[0] != "type":
        return (*at, *path)
    if kind in _OWN_FILES:
        return (*at, "set", key)
    if kind == "python":
        return (*at, "arguments", *path_of(key, table.get("arguments", {})))
    if kind in plugin_types():
        return (*at, key)
    if "inputs" in table and key not in _names(table["inputs"]):
        known = [name for name in (*keys, *_names(table["inputs"])) if name != "type"]
        raise SetupError(f'"{owner}" has neither a key nor an input "{key}"{did_you_mean(key, known)}')
    return ("set", name)


def _names(ports: Any) -> list[str]:
    return [ports] if isinstance(ports, str) else [str(name) for name in ports or ()]


def _enter(table: Any, path: KeyPath, value: Any) -> None:
    """Enter a value; tables on the way are made, lists must be long enough."""
    for part in path[:-1]:
        table = table.setdefault(part, {}) if isinstance(table, dict) else _item(table, part)
    if isinstance(table, list):
        _item(table, path[-1])
    table[path[-1]] = value


def _item(values: Any, index: str | int) -> Any:
    if not isinstance(values, list) or not isinstance(index, int) or index >= len(values):
        raise SetupError(f"there is no [{index}]")
    return values[index]


def _place_of_variable(table: dict[str, Any], folder: Folder, key: str) -> KeyPath:
    """Return the place for the value of a variable of an FMU, or of a key of its table."""
    from ..fmi.archive import Archive
    from ..fmi.description_reading import read_description

    keys = [name for name in keys_of(SUBSYSTEMS["fmu"]) if name != "type"]
    try:
        description = read_description(Archive(folder.find(str(table.get("file")))), lenient=True)
    except SetupError:
        return ("parameters", key)  # the file is told of where the FMU is built
    variable = description.by_name.get(key)
    if variable is not None:
        part = "parameters" if variable.causality in ("parameter", "structuralParameter") else "start"
        return (part, key)
    if key in keys:
        return (key,)
    raise SetupError(f"no such variable{did_you_mean(key, description.by_name)}")
