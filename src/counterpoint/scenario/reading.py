"""From a file to checked tables: TOML, then the pydantic models."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..errors import ScenarioError
from .files import similar_files
from .models import ScenarioTable, bad_span
from .problems import Document, Mistakes, from_pydantic

_MOST_BYTES = 8_000_000
"""Files beyond this are no scenarios: reading them would only take time and memory."""
_POSITION = re.compile(r"(.*) \(at (line \d+, column \d+|end of document)\)")


def read_document(path: Path) -> Document:
    """Read the TOML text at ``path``; a syntax error names line and column."""
    label = str(path)
    if path.is_dir():
        raise ScenarioError(f"{label}: is a directory; name a scenario file (.toml)")
    try:
        if path.exists() and not path.is_file():
            raise ScenarioError(f"{label}: is not a regular file")
        if path.stat().st_size > _MOST_BYTES:
            raise ScenarioError(f"{label}: has more than {_MOST_BYTES // 1_000_000} MB; put long tables into CSV files")
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        raise ScenarioError(f"{label}: no such file{similar_files(path)}") from None
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{label}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{label}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        return Document(label, text, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        found = _POSITION.fullmatch(str(error))
        what, where = (found[1], found[2]) if found else (str(error), "TOML")
        raise ScenarioError(f"{label}: {where}: not valid TOML: {what}") from None
    except RecursionError:
        raise ScenarioError(f"{label}: brackets are nested too deeply") from None


def check(document: Document, mistakes: Mistakes) -> tuple[ScenarioTable | None, list[int]]:
    """Check the tables of a document; note all mistakes and return what is left without the bad parts.

    Returns
    -------
    table : ScenarioTable or None
        Everything that is right; None when nothing useful is left.
    connections : list of int
        For each connection in ``table`` its index in the document.
    """
    values = document.values
    try:
        table = ScenarioTable.model_validate(values)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            mistakes.add(*from_pydantic(detail, values))
        return _without_bad_parts(values, error)
    wrong = bad_span(table.start, table.until)
    if wrong:
        mistakes.add(("until",), wrong)
    return table, list(range(len(table.connections)))


def _without_bad_parts(values: dict[str, Any], error: ValidationError) -> tuple[ScenarioTable | None, list[int]]:
    bad = {detail["loc"][:2] for detail in error.errors(include_url=False)}
    bad_keys = {location[0] for location in bad}
    rest = {key: value for key, value in values.items() if key not in bad_keys}
    kept = list(range(len(values["connections"]))) if isinstance(values.get("connections"), list) else []
    if isinstance(values.get("subsystems"), dict):
        rest["subsystems"] = {k: v for k, v in values["subsystems"].items() if ("subsystems", k) not in bad}
    if kept:
        kept = [index for index in kept if ("connections", index) not in bad]
        rest["connections"] = [values["connections"][index] for index in kept]
    rest.setdefault("until", 1e300)  # a missing end must not bring up "step larger than the run"
    try:
        return ScenarioTable.model_validate(rest), kept
    except ValidationError:
        return None, []
