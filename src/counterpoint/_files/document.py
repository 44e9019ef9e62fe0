"""Read a TOML file: its text and values, or an error that names line and column."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from ..errors import ScenarioError
from .folder import similar_files
from .problems import Document

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
        raise ScenarioError(f"{label}: {where}: not valid TOML: {what}{_single_brackets(text, where)}") from None
    except RecursionError:
        raise ScenarioError(f"{label}: brackets are nested too deeply") from None


def _single_brackets(text: str, where: str) -> str:
    """Return the advice for a table of a list, [[name]] in this line, that is in single brackets above."""
    number = re.match(r"line (\d+)", where)
    lines = text.split("\n")
    name = re.match(r"\s*\[\[(.+?)\]\]", lines[int(number[1]) - 1]) if number else None
    if name is None:
        return ""
    single = re.compile(rf"\s*\[\s*{re.escape(name[1].strip())}\s*\]")
    above = next((k for k, line in enumerate(lines, 1) if single.match(line)), None)
    return "" if above is None else f"; write [[{name[1]}]] with double brackets in line {above}, too"
