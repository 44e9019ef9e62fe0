"""Where a run comes from: file, text, settings, and fingerprints of all files that it uses."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .case import CaseSettings

_TOKEN = re.compile(r"""(\btoken\s*=\s*)("[^"\n]*"|'[^'\n]*')""")
"""Secrets do not go into results, which are given away."""
_MOST_TEXT = 1_000_000
"""Bytes of a scenario that are kept in its run files; longer ones only by their fingerprint."""


def provenance(path: Path, settings: CaseSettings | None = None) -> dict[str, str]:
    """Return what a run file says about the file that was run.

    ``case`` is its path, ``text`` its text if it is TOML, ``settings`` what was given beside it and ``files`` the
    SHA-256 of each file that it uses, by path (both JSON).
    """
    made = {"case": str(path.absolute())}
    if path.suffix.lower() == ".toml" and path.stat().st_size <= _MOST_TEXT:
        made["text"] = _TOKEN.sub(r'\1"(not kept)"', path.read_text(encoding="utf-8-sig"))
    made["settings"] = json.dumps(_given(settings or CaseSettings()), default=str)
    made["files"] = json.dumps(fingerprints(path))
    return made


def _given(settings: CaseSettings) -> dict[str, Any]:
    made = {key: value for key, value in asdict(settings).items() if value not in (None, False, (), {})}
    if settings.input is not None:
        made["input"] = str(settings.input.absolute())
    if "set" in made:
        made["set"] = {name: value for name, value in made["set"].items() if not name.endswith("token")}
    return made


def fingerprints(path: Path) -> dict[str, str]:
    """Return the SHA-256 of a file and of those that it names, if it is TOML, by absolute path."""
    return {str(file): _digest(file) for file in sorted(set(_files(path, set())))}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files(path: Path, seen: set[Path]) -> Iterator[Path]:
    if path in seen or not path.is_file():
        return
    seen.add(path)
    yield path.absolute()
    if path.suffix.lower() != ".toml":
        return
    for text in _texts(_values(path)):
        name = text.partition(":")[0]
        if name and len(name) < 1000 and "\0" not in name and "." in name:
            yield from _files(path.parent / name, seen)


def _values(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
