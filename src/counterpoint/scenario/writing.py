"""Write a system structure as a scenario file, with its FMUs beside it."""

from __future__ import annotations

import filecmp
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._files.toml_writing import scenario_toml, write_new
from ..errors import OutputError

if TYPE_CHECKING:
    from .scenario import Scenario


@dataclass
class Copies:
    """Files that go with another file: relative name -> where it is copied from; two files never share a name."""

    sources: dict[str, Path] = field(default_factory=dict)

    def add(self, name: str, source: Path) -> str:
        """Remember a file and return the name that it gets."""
        wanted, count = Path(name), 1
        while self.sources.get(wanted.as_posix(), source) != source:
            count += 1
            wanted = Path(name).with_stem(f"{Path(name).stem}-{count}")
        self.sources[wanted.as_posix()] = source
        return wanted.as_posix()

    def check(self, folder: Path, *, overwrite: bool) -> None:
        """Check that no other file would be replaced without a request."""
        for name, source in self.sources.items():
            if (folder / name).exists() and not _same(source, folder / name) and not overwrite:
                text = "already exists with different contents; choose another directory or use overwrite"
                raise OutputError(f"{folder / name}: {text}", str(folder / name))

    def copy_to(self, folder: Path) -> None:
        """Copy what is not there yet."""
        for name, source in self.sources.items():
            target = folder / name
            try:
                if not target.exists() or not _same(source, target):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, target)
            except OSError as error:
                raise OutputError(f"{target}: cannot be written: {error.strerror}", str(target)) from error


def write_scenario(scenario: Scenario, path: Path, *, overwrite: bool) -> Path:
    """Write a scenario file, and the FMUs that it names into its directory or below."""
    values = scenario.tables()
    files = Copies()
    for name, table in values["subsystems"].items():
        file = files.add(scenario.written_name(table["file"]), scenario.find_file(table["file"]))
        values["subsystems"][name] = {"type": "fmu", "file": file} | {k: v for k, v in table.items() if k != "file"}
    for table in values.get("connections", ()):
        table["from"] = _one(table["from"])
    files.check(path.parent, overwrite=overwrite)
    write_new(path, scenario_toml(values), overwrite=overwrite)
    files.copy_to(path.parent)
    return path


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve() or (other.is_file() and filecmp.cmp(one, other, shallow=False))


def _one(given: Any) -> Any:
    return given[0] if isinstance(given, list) and len(given) == 1 else given
