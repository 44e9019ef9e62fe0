"""Words that installed packages add to scenario files: types of subsystems and kinds of approximations.

``type = "ramp"`` with keys of its own means the same as ``type = "python"``, ``object = "plugin:ramp"`` with these keys
as ``arguments``; so do ``kind`` and its keys in the table of an approximation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

from .._common.plugins import APPROXIMATIONS, SUBSYSTEMS, offered
from .._files.folder import PLUGIN
from .._files.problems import Document
from . import models

_KEPT = ("step",)
"""Keys that every subsystem has."""


def plugin_types() -> list[str]:
    """Return the types of subsystems that installed packages add."""
    return [name for name in offered(SUBSYSTEMS) if name not in models.SUBSYSTEMS]


def plugin_kinds() -> list[str]:
    """Return the kinds of approximations that installed packages add."""
    return [name for name in offered(APPROXIMATIONS) if name not in models.APPROXIMATIONS]


def with_plugins(document: Document) -> Document:
    """Return the document with the words of installed packages written out."""
    if not any(_unknown(document.values)):
        return document  # most scenarios; looking for packages takes time
    made = replace(document, values=deepcopy(document.values))
    types, kinds = plugin_types(), plugin_kinds()
    for table in _subsystems(made.values):
        _write_out(table, "type", types)
    for table in _approximations(made.values):
        _write_out(table, "kind", kinds)
    return made


def _unknown(values: dict[str, Any]) -> Iterator[bool]:
    for table in _subsystems(values):
        yield table.get("type") not in models.SUBSYSTEMS
    for table in _approximations(values):
        yield table.get("kind") not in models.APPROXIMATIONS


def _subsystems(values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    tables = values.get("subsystems")
    if isinstance(tables, dict):
        yield from (table for table in tables.values() if isinstance(table, dict))


def _approximations(values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    connections = values.get("connections")
    listed = connections if isinstance(connections, list) else []
    for table in (values, *(entry for entry in listed if isinstance(entry, dict))):
        if isinstance(table.get("approximation"), dict):
            yield table["approximation"]


def _write_out(table: dict[str, Any], key: str, known: Collection[str]) -> None:
    word = table.get(key)
    if word not in known:
        return
    kept = {name: table[name] for name in _KEPT if name in table}
    arguments = {name: value for name, value in table.items() if name not in (key, *_KEPT)}
    table.clear()
    table.update({key: "python", "object": f"{PLUGIN}{word}", "arguments": arguments, **kept})
