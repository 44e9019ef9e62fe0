"""Say what is wrong with a file: file, key, value, remedy and line.

A *path* is a tuple of keys and indices into the TOML document, ``("connections", 2, "to")``.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..errors import ScenarioError, SetupError, did_you_mean

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

KeyPath = tuple[str | int, ...]

_MOST = 40
"""Most problems in one message."""

_MOST_READ = 5_000_000
"""Characters that may be read to find the lines of problems: some seconds."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Vocabulary:
    """What may be written in a kind of file.

    Attributes
    ----------
    keys_at : function of (path, values)
        The keys allowed in the table at a path.
    tags_at : function of (path, key)
        The values allowed for the key that tells tables at a path apart (``type``, ``kind``).
    """

    keys_at: Callable[[KeyPath, Any], list[str]]
    tags_at: Callable[[KeyPath, str], list[str]]


@dataclass(frozen=True)
class Document:
    """The text of a scenario, its values, and the name to call it by in messages."""

    label: str
    text: str
    values: dict[str, Any]
    written_names: dict[str, str] = field(default_factory=dict)  #: of files that are called otherwise where they lie

    def must_be_copied(self, name: str) -> bool:
        """Whether a file does not stay where it lies."""
        return False

    def sentences(self, messages: list[tuple[KeyPath, str]]) -> list[str]:
        """Write problems as a user reads them, in the order of the file."""
        affordable = _lookups(self.text)
        lines = [line_of(self.text, path) for path, _ in messages[:affordable]]
        lines += [None] * (len(messages) - len(lines))
        located = [(line, path, text) for line, (path, text) in zip(lines, messages, strict=True)]
        if affordable >= len(messages):
            located.sort(key=lambda item: item[0] or 0)
        return [self._located_sentence(*item) for item in located]

    def _located_sentence(self, line: int | None, path: KeyPath, message: str) -> str:
        where = f"{key_text(path)}: " if path else ""
        return f"{self.label}: {where}{message}" + (f" (line {line})" if line and path else "")


class Mistakes:
    """Collect the problems of one document, then raise them together."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.cause: BaseException | None = None
        self._messages: dict[tuple[KeyPath, str], None] = {}

    def __bool__(self) -> bool:
        return bool(self._messages)

    @property
    def paths(self) -> list[KeyPath]:
        """Where the mistakes are."""
        return [path for path, _ in self._messages]

    def add(self, path: KeyPath, message: str, cause: BaseException | None = None) -> None:
        """Note one problem; the same one twice counts once."""
        self._messages[path, message] = None
        self.cause = self.cause or cause

    def add_error(self, path: KeyPath, error: SetupError, clean: Callable[[str], str], keys: Mapping[str, str]) -> None:
        """Note what the library complained about while it built what is at ``path``.

        Parameters
        ----------
        path : tuple
            Where in the document.
        error : SetupError
            The complaint.
        clean : function
            Takes from a sentence the place that the library names: here it is known better, in terms of the file.
        keys : mapping
            From the word that a sentence may begin with, as in ``mass: -1; ...``, to the key in the file.
        """
        for problem in error.problems:
            text = clean(problem.removeprefix(f"{key_text(path)}: "))
            word, colon, rest = text.partition(": ")
            where, text = ((*path, keys[word]), rest) if colon and word in keys else (path, text)
            self.add(where, text, error.__cause__ or error)

    def raise_if_any(self) -> None:
        """Raise a ScenarioError that lists all problems, in the order of the file."""
        if self._messages:
            sentences = self.document.sentences(list(self._messages)[:_MOST])
            if len(self._messages) > _MOST:
                sentences.append(f"{self.document.label}: ... and {len(self._messages) - _MOST} more")
            raise ScenarioError(sentences) from self.cause


def key_text(path: KeyPath) -> str:
    """Write a path as a user reads it.

    >>> key_text(("connections", 2, "to"))
    'connections[2].to'
    >>> key_text(("subsystems", "my car", "step"))
    'subsystems."my car".step'
    """
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            text += ("." if text else "") + (key if _BARE_KEY.fullmatch(key) else quoted(key))
    return text


def path_of(where: str, values: Any) -> KeyPath:
    """Find the path that a place such as ``subsystems.my car.step`` means in the document.

    >>> path_of("subsystems.my car.step", {"subsystems": {"my car": {"step": -1}}})
    ('subsystems', 'my car', 'step')
    """
    path: list[str | int] = []
    while where:
        if index := re.match(r"\[(\d+)\]", where):
            key, values = int(index[1]), child(values, int(index[1]))
            path.append(key)
            where = where[index.end() :].removeprefix(".")
            continue
        known = sorted(values, key=len, reverse=True) if isinstance(values, dict) else []
        written = ((name, text) for name in known for text in (name, quoted(name)))
        found = next((pair for pair in written if re.match(re.escape(pair[1]) + r"(?=\.|\[|$)", where)), None)
        if found is None:
            return (*path, *where.split("."))
        path.append(found[0])
        values = values[found[0]]
        where = where[len(found[1]) :].removeprefix(".")
    return tuple(path)


def quoted(text: str) -> str:
    """Put text in double quotes, with control characters written out."""
    return json.dumps(text, ensure_ascii=False)


def shown(value: Any) -> str:
    """Write a value of the document briefly, as TOML would."""
    if isinstance(value, str):
        return quoted(value if len(value) <= 60 else value[:57] + "...")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return str(value)


def _lookups(text: str) -> int:
    """Return for how many problems of a document the line can be looked up in reasonable time."""
    readings = len(text) * (1 + text.count("\n").bit_length())
    return _MOST_READ // max(1, readings)


def line_of(text: str, path: KeyPath) -> int | None:
    """Return the line (from 1) of the statement that brings ``path``, or its nearest parent, into a document.

    A TOML document only grows, so the statement is found by bisection over beginnings that are documents
    themselves; no second TOML reader is needed.
    """
    lines = text.split("\n")
    whole = _parsed(text)
    while path and not _has(whole, path):
        path = path[:-1]
    if not path:
        return None
    absent, present = 0, len(lines)
    while present - absent > 1:
        middle = (absent + present) // 2
        for cut in chain(range(middle, present), range(middle - 1, absent, -1)):
            beginning = _parsed("\n".join(lines[:cut]) + "\n")
            if beginning is not None:
                break
        else:
            return absent + 1  # one statement over several lines
        absent, present = (absent, cut) if _has(beginning, path) else (cut, present)
    return present


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def child(values: Any, key: str | int) -> Any:
    """Return what is at a key or index, None when nothing is."""
    try:
        return values[key]
    except (KeyError, IndexError, TypeError):
        return None


def _has(values: Any, path: KeyPath) -> bool:
    for key in path:
        values = child(values, key)
    return values is not None


_WORDS = {
    "too_short": "has {actual_length}; expected at least {min_length}",
    "too_long": "has {actual_length}; at most {max_length} are allowed",
    "model_type": "must be a table, {{ key = value }}",
}
"""Our words for errors of pydantic that speak of validation."""


def from_pydantic(error: ErrorDetails, values: dict[str, Any], vocabulary: Vocabulary) -> tuple[KeyPath, str]:
    """Turn an error of pydantic into a path and a sentence in our words."""
    path = _real_path(error["loc"], values, may_be_missing=error["type"] == "missing")
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return path, "unknown key" + did_you_mean(str(path[-1]), vocabulary.keys_at(path[:-1], values))
    if kind == "missing":
        return path, "missing; give a value"
    if kind == "union_tag_not_found":
        key = str(context["discriminator"]).strip("'")
        return (*path, key), f"missing; must be one of {', '.join(sorted(vocabulary.tags_at(path, key)))}"
    if kind == "union_tag_invalid":
        key = str(context["discriminator"]).strip("'")
        tag = context["tag"]
        return (*path, key), f"{quoted(tag)}: unknown {key}{did_you_mean(tag, vocabulary.tags_at(path, key))}"
    hint = ""
    if path == ("connections",) and isinstance(error["input"], dict):
        hint = "; write [[connections]] in double brackets"
    if "[key]" in error["loc"]:
        return path, error["msg"]
    message = error["msg"].replace("Input should be", "must be") + hint
    if kind in _WORDS:
        message = _WORDS[kind].format(**context)
    of_the_whole = isinstance(error["input"], dict | list) and not kind.endswith("_type")
    return path, message if of_the_whole else f"{shown(error['input'])}: {message}"


def _real_path(location: tuple[int | str, ...], values: Any, *, may_be_missing: bool) -> KeyPath:
    """Drop what pydantic adds to a location (tags of unions); keep the last key if it is what is missing."""
    path: list[str | int] = []
    for depth, key in enumerate(location):
        inside = child(values, key)
        if inside is not None:
            path.append(key)
            values = inside
        elif may_be_missing and depth == len(location) - 1:
            path.append(key)
    return tuple(path)
