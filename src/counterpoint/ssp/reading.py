"""Read a system structure as a scenario: ``plant.ssp``, an SSD with its files beside it, one of OSP, a folder."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .._cases.registry import check_kind
from .._files import problems
from .._files.folder import Folder, similar_files
from .._files.problems import Document
from ..errors import ScenarioError, SetupError
from ..fmi.archive import Unpacked
from ..scenario.scenario import Scenario
from .files import Log, Store
from .flattening import Flat
from .osp import MAIN as OSP_MAIN
from .osp import read_osp
from .scenario_values import Choices, Tables, to_tables, unknown_names
from .structure import MAIN, Structure
from .structure_reading import read_structure


class StructureWarning(UserWarning):
    """Something in a system structure is ignored, as the standard asks for."""


@dataclass(frozen=True)
class StructureDocument(Document):
    """The tables that a system structure means; problems are located in its files."""

    tables: Tables = field(default_factory=Tables)
    log: Log = field(default_factory=Log)
    unpacked: list[Unpacked] = field(default_factory=list)  #: removed with the last user

    def must_be_copied(self, name: str) -> bool:
        """Whether a file lies in a directory that will be removed."""
        return name in self.tables.unpacked

    def sentences(self, messages: list[tuple[problems.KeyPath, str]]) -> list[str]:
        """Say where each problem is: file, line and element."""
        return [self.log.plain(self._sentence(path, text)) for path, text in messages]

    def _sentence(self, path: problems.KeyPath, text: str) -> str:
        for length in range(len(path), 0, -1):
            place = self.tables.places.get(path[:length])
            if place is not None:
                rest = problems.key_text(path[length:])
                label = next(name for name, notes in self.log.notes.items() if notes is place.notes)
                return f"{label} line {place.line}: {place.what}: {rest}{': ' if rest else ''}{text}"
        return f"{self.label}: {problems.key_text(path)}: {text}"


def read(
    path: str | os.PathLike[str],
    *,
    until: float | None = None,
    step: float | Mapping[str, float] | None = None,
    isolate: bool = False,
    lenient: bool = False,
    set: Mapping[str, Any] | None = None,
    input: str | os.PathLike[str] | None = None,
    outputs: Sequence[str] = (),
    variant: str = "",
    allow_outside: bool = False,
) -> Scenario:
    """Read a system structure of SSP 1.0 or 2.0, or of OSP, as a scenario.

    Parameters
    ----------
    path : path
        A ``.ssp`` archive, a ``.ssd`` file with its FMUs beside it, an ``OspSystemStructure.xml``, or the folder of
        one of these.
    until : float, optional
        End of the run in s; default: ``stopTime`` of the file, else the latest one that an FMU suggests, else 1 s
        or ten of the longest steps.
    step : float or mapping, optional
        Step in s of all FMUs for co-simulation, or by component; default: as the file says, else as the FMU suggests.
    isolate : bool
        Run each FMU in a process of its own.
    lenient : bool
        Run in spite of harmless violations in FMUs and of units that do not match.
    set : mapping, optional
        Values by name, ``{"pump.diameter": 0.2}``, in the units of the FMUs; they replace those of the files.
    input : path, optional
        CSV file with inputs over time: the time in s, then columns named ``component.input`` or after connectors.
    outputs : names, optional
        Variables to draw, ``component.variable``; those that are no outputs are recorded, too.
    variant : str, optional
        Another SSD at the top of the archive, instead of ``SystemStructure.ssd``, as ``plant.ssp#Other.ssd`` says it.
    allow_outside : bool
        Whether a ``.ssd`` may use files by paths from the top of the file system; relative paths may always lead out of
        its directory, as in ``../fmus/pump.fmu``.

    Raises
    ------
    ScenarioError
        With all problems found, each with file, line and element.

    Examples
    --------
    >>> from counterpoint import ssp
    >>> scenario = ssp.read("plant.ssp", step=1e-3, set={"pump.diameter": 0.2})  # doctest: +SKIP
    >>> scenario.run()["pump.flow"].plot()  # doctest: +SKIP
    """
    check_kind(Path(path), "a system structure")
    single, steps = (None, step) if isinstance(step, Mapping) else (step, {})
    table = None if input is None else Path(input)
    choices = Choices(until, single, steps, isolate, lenient, set or {}, table, tuple(outputs))
    return Loaded.of(Path(path), variant, allow_outside).scenario(choices)


def main_file(folder: Path) -> Path:
    """Return the system structure of a folder: an unpacked SSP, or the folder of a structure of OSP."""
    for name in (MAIN, OSP_MAIN):
        if (folder / name).is_file():
            return folder / name
    others = sorted(folder.glob("*.ssd"))
    if len(others) == 1:
        return others[0]
    found = (
        f"name one of {', '.join(file.name for file in others)}" if others else f"expected {MAIN} or {OSP_MAIN} in it"
    )
    raise ScenarioError(f"{folder}: is a folder; {found}")


@dataclass(frozen=True)
class Loaded:
    """A system structure that has been read, and where its files are."""

    path: Path
    structure: Structure | None
    store: Store
    variant: str = ""

    @classmethod
    def of(cls, path: Path, variant: str = "", allow_outside: bool = False) -> Loaded:
        """Open an archive or a file and read its SSD; mistakes in it are noted."""
        if not path.exists() and "#" in path.name:
            name, _, variant = path.name.rpartition("#")
            path = path.with_name(name)
        if not path.exists():
            raise ScenarioError(f"{path}: no such file{similar_files(path)}")
        if path.is_dir():
            return replace(cls.of(main_file(path), variant, allow_outside), path=path)
        try:
            if path.suffix.lower() == ".ssp":
                store = Store.of_archive(path, Log(), [])
                return cls(path, read_structure(store, variant or store.main), store, variant)
        except SetupError as error:
            raise ScenarioError(error.problems) from None
        parent = "" if path.parent == Path() else f"{path.parent}{os.sep}"
        store = Store(path.parent, parent, Log(), allow_outside)
        reader = read_osp if path.suffix.lower() == ".xml" else read_structure
        return cls(path, reader(store, path.name), store)

    @property
    def variants(self) -> list[str]:
        """Other SSDs of an archive."""
        if not self.store.packed:
            return []
        return sorted({file.name for file in self.store.root.glob("*.ssd")} - {self.variant or self.store.main})

    def scenario(self, choices: Choices) -> Scenario:
        """Return the scenario, or raise ScenarioError with all problems."""
        log = self.store.log
        tables = Tables()
        unknown: list[str] = []
        if self.structure is not None:
            flat = Flat(self.store, self.structure, choices.lenient)
            if not flat.leaves and not log.serious():
                self.structure.system.place.wrong("contains no component; there is nothing to run")
            unknown = unknown_names(flat, choices)
            tables = to_tables(flat, self.structure, choices)
            if self.path.is_dir():
                tables.values.setdefault("name", self.path.resolve().name)
            if self.variant:  # results of variants are kept apart
                tables.values.setdefault("name", f"{self.path.stem}-{Path(self.variant).stem}")
        wrong = [*log.serious(), *(f"{self.path}: {text}" for text in unknown)]
        if wrong:
            raise ScenarioError(wrong)
        for text in log.complaints():
            warnings.warn(text, StructureWarning, stacklevel=3)
        document = StructureDocument(str(self.path), "", tables.values, tables.files, tables, log, self.store.unpacked)
        return Scenario.of(self.path, document, folder=Folder(self.store.root, allow_outside=True))
