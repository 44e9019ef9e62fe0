"""Run files for the command line: they can be looked at, and what they ran can be run again."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SetupError
from ..results import load
from ..results.information import show_file
from .case import Case, CaseFile, CaseSettings
from .provenance import fingerprints

if TYPE_CHECKING:
    from rich.console import Console


def read_case(file: CaseFile, settings: CaseSettings) -> Case:
    """Return the scenario or model that a run file is the result of, with the settings of that run.

    Settings given now replace those of the run. The file has to be where it was, unchanged; files that it uses and that
    have changed are warnings.
    """
    with load(file.path) as result:
        told = result.metadata
    if "case" not in told:
        raise SetupError(f"{file.path}: was not made from a file; name the scenario or the model to run")
    path = Path(str(told["case"]))
    if not path.exists():
        raise SetupError(
            f"{file.path}: the run used {path}, which no longer exists; to print its text: "
            f"counterpoint info {file.path} --text"
        )
    problems = list(_changes(json.loads(str(told.get("files", "{}"))), path))
    if problems and problems[0].startswith(str(path)):
        raise SetupError(
            f"{problems[0]}; run it by its name, or get its old text: counterpoint info {file.path} --text"
        )
    for problem in problems:
        warnings.warn(problem, UserWarning, stacklevel=2)
    again = _merged(json.loads(str(told.get("settings", "{}"))), settings)
    return file.read_another(path, again)


def _changes(before: Mapping[str, str], path: Path) -> Iterator[str]:
    """Yield a sentence for each file that is not as it was in the run, the model itself first."""
    now = fingerprints(path)
    for name in sorted(before, key=lambda name: name != str(path)):
        if name not in now:
            yield f"{name}: is missing, or no longer used, since the run"
        elif now[name] != before[name]:
            yield f"{name}: has changed since the run"


def _merged(before: Mapping[str, Any], now: CaseSettings) -> CaseSettings:
    """Return the settings of a run, replaced by those that are given now."""
    known = {key: value for key, value in before.items() if key in CaseSettings.__dataclass_fields__}
    for key in {"outputs", "record"} & set(known):
        known[key] = tuple(known[key])
    if known.get("input"):
        known["input"] = Path(known["input"])
    old = CaseSettings(**known)
    given = {key: value for key, value in vars(now).items() if value not in (None, False, (), {})}
    merged: dict[str, Any] = dict(given)
    for key in {"steps", "set"} & set(given):
        merged[key] = {**getattr(old, key), **given[key]}
    return replace(old, **merged)


def show_case(file: CaseFile, console: Console) -> None:
    """Print defects, times, quality and signals."""
    show_file(load(file.path), console)
