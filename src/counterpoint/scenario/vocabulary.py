"""What may be written in a scenario file: keys and tags, for hints in messages."""

from __future__ import annotations

from typing import Any

from .._files.problems import KeyPath, Vocabulary, child
from .._files.tables import Table, keys_of
from .interface_models import Event, Noise, Side
from .models import APPROXIMATIONS, LAWS, PACES, SUBSYSTEMS, Bond, Connection, Isolation, ScenarioTable, Window
from .plugin_words import plugin_kinds, plugin_types

_OF_BONDS = {"left": Side, "right": Side}


def _tags_at(path: KeyPath, key: str) -> list[str]:
    if path and path[-1] == "law":
        return list(LAWS)
    if key == "type":
        return [*SUBSYSTEMS, *plugin_types()]
    return list(PACES) if path and path[-1] == "pace" else [*APPROXIMATIONS, *plugin_kinds()]


def keys_at(path: KeyPath, values: Any) -> list[str]:
    """Return the keys allowed in the table at ``path``."""
    if not path:
        return keys_of(ScenarioTable)
    for key in path:
        values = child(values, key)
    if not isinstance(values, dict):
        return []
    table: type[Table] | None = None
    if path[-1] == "approximation" or (path[0] == "bonds" and "approximations" in path[:-1]):
        table = APPROXIMATIONS.get(str(values.get("kind")))
    elif path[-1] == "pace":
        table = PACES.get(str(values.get("kind")))
    elif path[0] == "subsystems" and path[2:] == ("isolate",):
        table = Isolation
    elif path[0] == "subsystems" and len(path) == 2:
        table = SUBSYSTEMS.get(str(values.get("type")))
    elif path[0] == "connections" and len(path) == 2:
        table = Connection
    elif path[0] == "bonds":
        table = _in_bond(path, values)
    elif path[0] == "events" and len(path) <= 3:
        table = Event if len(path) == 2 else Noise
    elif path[0] == "window":
        table = Window
    elif path[0] == "scheme":
        return ["waits_for", "sequential"]
    return keys_of(table) if table else []


def _in_bond(path: KeyPath, values: Any) -> type[Table] | None:
    if len(path) == 2:
        return Bond
    if path[-1] == "law":
        return LAWS.get(str(values.get("kind")))
    return _OF_BONDS.get(str(path[-1]))


SCENARIOS = Vocabulary(keys_at, _tags_at)
