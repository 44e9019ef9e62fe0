"""Replace values of a TOML document by others, given by name: ``--set crank.mass=2``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from ..errors import ScenarioError, did_you_mean
from .problems import Document, KeyPath, child, key_text, path_of


def read_assignment(text: str) -> tuple[str, Any]:
    """Return name and value of ``NAME=VALUE``; the value as in TOML, or text unchanged.

    >>> read_assignment("engine.k=5"), read_assignment("mode=fast"), read_assignment("x0=[1, 2.5]")
    (('engine.k', 5), ('mode', 'fast'), ('x0', [1, 2.5]))

    Raises
    ------
    ValueError
        If there is no name, or no equals sign.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"{text}: expected NAME=VALUE")
    return name.strip(), read_value(value.strip())


def read_value(text: str) -> Any:
    """Return a value written as in TOML; anything else is text.

    >>> read_value("1e-3"), read_value("true"), read_value("'5'"), read_value(".5"), read_value("idle")
    (0.001, True, '5', 0.5, 'idle')
    """
    try:
        values = tomllib.loads(f"value = {text}")
        if set(values) == {"value"}:
            return values["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        pass
    try:
        return float(text)  # ".5" and "5." are numbers everywhere but in TOML
    except ValueError:
        return text


def overridden(
    document: Document, given: Mapping[str, Any], sections: Iterable[str] = (), absent: Iterable[str] = ()
) -> Document:
    """Return a document with other values; what they must be is checked where the document is.

    Parameters
    ----------
    document : Document
        The file.
    given : mapping
        Keys -> values. A key is the path to a value, ``bodies.crank.mass``; the name of a section may be left out.
    sections : names
        Sections that may be left out; default: all.
    absent : names
        Tables that the file need not have: ``formulation.solver`` makes one.

    Raises
    ------
    ScenarioError
        With each key that leads nowhere, and the one it may mean.
    """
    values = deepcopy(document.values)
    for name in given:
        if (table := name.partition(".")[0]) in absent and "." in name:
            values.setdefault(table, {})
    problems = [problem for name, value in given.items() for problem in _replace(values, name, value, sections)]
    if problems:
        raise ScenarioError(f"{document.label}: set: {problem}" for problem in problems)
    return replace(document, values=values)


def _replace(values: dict[str, Any], name: str, value: Any, sections: Iterable[str]) -> list[str]:
    """Replace one value; return what is wrong with its name."""
    found = _paths(values, name, sections)
    if len(found) != 1:
        if found:
            return [f'"{name}": may mean {" or ".join(key_text(path) for path in found)}; write one of them']
        return [f'"{name}": no such key{_meant(name, _sections(values, sections))}']
    table: Any = values
    for key in found[0][:-1]:
        table = child(table, key)
    table[found[0][-1]] = value
    return []


def _meant(name: str, sections: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what a name may mean: single values are written with their section."""
    for section, part in sections.items():
        if name in part and not isinstance(part[name], dict):
            return f'; did you mean "{section}.{name}"?'
    known = [key for part in sections.values() for key, value in part.items() if isinstance(value, dict)]
    return did_you_mean(name.partition(".")[0], [*dict.fromkeys(known), *sections])


def _sections(values: dict[str, Any], sections: Iterable[str]) -> dict[str, dict[str, Any]]:
    wanted = list(sections) or list(values)
    return {name: values[name] for name in wanted if isinstance(values.get(name), dict)}


def _paths(values: dict[str, Any], name: str, sections: Iterable[str]) -> list[KeyPath]:
    """Return the places that a name may mean; all tables on the way are there."""
    direct = path_of(name, values)
    if _leads_to_a_table(values, direct[:-1]) and (len(direct) > 1 or direct[0] in values):
        return [direct]
    inside = ((section, *path_of(name, part)) for section, part in _sections(values, sections).items())
    return [path for path in inside if len(path) > 2 and _leads_to_a_table(values, path[:-1])]


def _leads_to_a_table(values: Any, path: KeyPath) -> bool:
    for key in path:
        values = child(values, key)
    return isinstance(values, dict) or (isinstance(values, list) and bool(path))
