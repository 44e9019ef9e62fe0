"""What may be written in a scenario file: keys and tags, for hints in messages."""

from __future__ import annotations

from typing import Any

from .._files.problems import Path, Vocabulary, child
from .._files.tables import Table, keys_of
from .models import APPROXIMATIONS, PACES, SUBSYSTEMS, Connection, Isolation, ScenarioTable, Window


def _tags_at(path: Path, key: str) -> list[str]:
    if key == "type":
        return list(SUBSYSTEMS)
    return list(PACES if path and path[-1] == "pace" else APPROXIMATIONS)


def keys_at(path: Path, values: Any) -> list[str]:
    """Return the keys allowed in the table at ``path``."""
    if not path:
        return keys_of(ScenarioTable)
    for key in path:
        values = child(values, key)
    if not isinstance(values, dict):
        return []
    table: type[Table] | None = None
    if path[-1] == "approximation":
        table = APPROXIMATIONS.get(str(values.get("kind")))
    elif path[-1] == "pace":
        table = PACES.get(str(values.get("kind")))
    elif path[0] == "subsystems" and path[2:] == ("isolate",):
        table = Isolation
    elif path[0] == "subsystems" and len(path) == 2:
        table = SUBSYSTEMS.get(str(values.get("type")))
    elif path[0] == "connections" and len(path) == 2:
        table = Connection
    elif path[0] == "window":
        table = Window
    elif path[0] == "scheme":
        return ["waits_for", "sequential"]
    return keys_of(table) if table else []


SCENARIOS = Vocabulary(keys_at, _tags_at)
