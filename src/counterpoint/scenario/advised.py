"""A scenario with settings that advice recommends, as a file that runs as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from .._cases.case import Case
from .._files.toml_writing import scenario_toml, write_new
from .._run.options import FIRST_STEPS
from ..errors import OutputError, SetupError
from .scenario import Scenario

CHOSEN = ("scheme", "first_steps", "window", "pace")
"""Settings of the whole run that advice decides: without a word on one of them, the default is meant."""


def check_advised(case: Case, path: Path) -> None:
    """See whether a case can be written with other settings; raise SetupError or OutputError."""
    if not isinstance(case, Scenario) or case.path.suffix.lower() != ".toml":
        raise SetupError(f"{path}: only a scenario in a TOML file can be written with other settings")
    if path.exists():
        raise OutputError(f"{path}: already exists; choose another name", str(path))
    if case.path.parent.resolve() != path.parent.resolve() and _names_files(case.values):
        raise SetupError(f"{path}: the scenario names files; write it beside them, in {case.path.parent.resolve()}")


def _names_files(values: Any) -> bool:
    if isinstance(values, dict):
        return any(key in ("file", "token_file") or _names_files(value) for key, value in values.items())
    if isinstance(values, list):
        return any(map(_names_files, values))
    return isinstance(values, str) and ".py:" in values


def write_advised(case: Case, settings: Mapping[str, Any], path: Path) -> Path:
    """Write a scenario with other settings; files that it names are looked for beside the new one.

    Parameters
    ----------
    case : Scenario
        Read from a TOML file; see :func:`check_advised`.
    settings : mapping
        As :attr:`Advice.toml` has them.
    path : Path
        The new file, which must not be there.
    """
    assert isinstance(case, Scenario)
    values = deepcopy(case.values)
    if values.get("start") in FIRST_STEPS:
        del values["start"]
    chosen = {key: settings[key] for key in CHOSEN if key in settings}
    values = {**{key: value for key, value in values.items() if key not in CHOSEN}, **chosen, "until": case.until}
    for name, table in settings.get("subsystems", {}).items():
        values["subsystems"][name].update(table)
    approximated = {(_sources(table), table["to"]): table for table in values.get("connections", ())}
    left = []
    for table in settings.get("connections", ()):
        if (own := approximated.get((_sources(table), table["to"]))) is not None:
            own.update({"approximation": table["approximation"]} if "approximation" in table else {})
        else:
            left.append(table.get("approximation"))
    for bond in values.get("bonds", ()):
        bond.update(_of_bonds(left))
        bond.pop("approximations", None)
    return write_new(path, scenario_toml(values), overwrite=False)


def _of_bonds(chosen: list[Any]) -> Iterator[tuple[str, Any]]:
    """Return the approximation of connections that bonds make."""
    if any(one != chosen[0] for one in chosen):
        raise SetupError(
            "the connections of bonds get different approximations, which a bond in a scenario cannot express; connect "
            "the signals one by one, or use the settings in advice.toml"
        )
    return iter([("approximation", chosen[0])] if chosen and chosen[0] is not None else [])


def _sources(table: Mapping[str, Any]) -> tuple[str, ...]:
    given = table["from"]
    return (given,) if isinstance(given, str) else tuple(given)
