"""Write a system structure as a scenario file, with its FMUs beside it."""

from __future__ import annotations

import filecmp
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import OutputError
from ..scenario.writing import scenario_toml, write_new

if TYPE_CHECKING:
    from ..scenario.scenario import Scenario


def write_scenario(scenario: Scenario, path: Path, *, overwrite: bool) -> Path:
    """Write a scenario file, and the FMUs that it names into its directory or below."""
    values = scenario.tables()
    copies: dict[Path, Path] = {}
    for name, table in values["subsystems"].items():
        source = scenario.find_file(table["file"])
        file = _free_name(scenario.written_name(table["file"]), source, path.parent, copies)
        values["subsystems"][name] = {"type": "fmu", "file": file} | {k: v for k, v in table.items() if k != "file"}
    for table in values.get("connections", ()):
        table["from"] = _one(table["from"])
    taken = [target for target, source in copies.items() if target.exists() and not _same(source, target)]
    if taken and not overwrite:
        raise OutputError(f"{taken[0]}: already there, with other contents; choose another place or say overwrite")
    text = scenario_toml({key: value for key, value in values.items() if value is not None})
    write_new(path, text, overwrite=overwrite)
    for target, source in copies.items():
        _copy(source, target)
    return path


def _free_name(name: str, source: Path, folder: Path, copies: dict[Path, Path]) -> str:
    """Return a name that no other FMU has, and remember the copy."""
    wanted = Path(name)
    count = 1
    while copies.get(folder / wanted, source) != source:
        count += 1
        wanted = Path(name).with_stem(f"{Path(name).stem}-{count}")
    copies[folder / wanted] = source
    return wanted.as_posix()


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve() or (other.is_file() and filecmp.cmp(one, other, shallow=False))


def _copy(source: Path, target: Path) -> None:
    try:
        if not target.exists() or not _same(source, target):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror}", str(target)) from error


def _one(given: Any) -> Any:
    return given[0] if isinstance(given, list) and len(given) == 1 else given
