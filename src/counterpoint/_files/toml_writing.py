"""Write TOML files: a document of sections with tables that fit on a line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import OutputError

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SHORT = 100
"""Tables that fit into so many characters are written in one line."""

Section = str | tuple[str, ...]
"""Name of a section: a key, or the keys that lead to it."""


def write_new(path: str | os.PathLike[str], text: str, *, overwrite: bool) -> Path:
    """Write a text file and return its path; an existing file is replaced only on request."""
    file = Path(path)
    try:
        with file.open("w" if overwrite else "x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise OutputError(f"{file}: already exists; choose another name or pass overwrite=True", str(file)) from None
    except OSError as error:
        raise OutputError(f"{file}: cannot be written: {error.strerror}", str(file)) from error
    return file


def to_toml(document: Mapping[Any, Mapping[str, Any]]) -> str:
    """Write a document of sections (:data:`Section`); tables that are short enough become one line each.

    >>> print(to_toml({"points": {"A": {"at": [0.0, 1.0], "fixed": True}}}), end="")
    [points]
    A = { at = [0.0, 1.0], fixed = true }
    """
    return "\n".join("\n".join(_section(name, section)) + "\n" for name, section in document.items())


def scenario_toml(values: Mapping[str, Any]) -> str:
    """Write a scenario: the top, a section for each subsystem, connections and other lists of tables, constants."""
    lists = {
        name: tables
        for name, tables in values.items()
        if isinstance(tables, list) and tables and all(isinstance(table, Mapping) for table in tables)
    }
    apart = ("subsystems", "connections", "set", *lists)
    top = "".join(f"{key} = {value_text(value)}\n" for key, value in values.items() if key not in apart)
    parts = [top, to_toml({("subsystems", name): table for name, table in values["subsystems"].items()})]
    parts += [
        f"[[{name}]]\n" + "".join(f"{_key(key)} = {value_text(value)}\n" for key, value in table.items())
        for name, tables in lists.items()
        for table in tables
    ]
    if values.get("set"):
        parts.append(to_toml({"set": values["set"]}))
    return "\n".join(parts)


def _section(name: Section, section: Mapping[str, Any]) -> list[str]:
    """Write a section; if one of its tables is too long for a line, all get lines of their own: their order counts."""
    title = ".".join(_key(key) for key in ((name,) if isinstance(name, str) else name))
    lines = [f"{_key(key)} = {value_text(value)}" for key, value in section.items()]
    tables = all(isinstance(value, Mapping) and value for value in section.values())
    if not tables or max(map(len, lines)) <= _SHORT:
        return [f"[{title}]", *lines]
    blocks = [
        "\n".join([f"[{title}.{_key(key)}]", *(f"{_key(k)} = {value_text(v)}" for k, v in table.items())])
        for key, table in section.items()
    ]
    return ["\n\n".join(blocks)]


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    # JSON's escapes are TOML's, except that TOML has DEL escaped, too, and no lone surrogates.
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", "\\u007f")


def value_text(value: Any) -> str:
    """Write a value as TOML does, in one line.

    >>> value_text({"kind": "lagrange", "order": 2})
    '{ kind = "lagrange", order = 2 }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {value_text(v)}" for k, v in value.items()) + " }" if value else "{}"
    return "[" + ", ".join(value_text(item) for item in value) + "]"
