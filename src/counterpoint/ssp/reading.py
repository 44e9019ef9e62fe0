"""Read a system structure as a scenario: ``plant.ssp``, or an SSD with its files beside it."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from .._files import problems
from .._files.folder import Folder, similar_files
from .._files.problems import Document
from ..errors import ScenarioError, SetupError
from ..fmi.archive import Unpacked
from ..scenario.scenario import Scenario
from .files import Log, Store
from .flattening import Flat
from .scenario_values import Tables, to_tables
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

    def sentences(self, messages: list[tuple[problems.Path, str]]) -> list[str]:
        """Say where each problem is: file, line and element."""
        return [self.log.plain(self._sentence(path, text)) for path, text in messages]

    def _sentence(self, path: problems.Path, text: str) -> str:
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
    step: float | None = None,
    variant: str = "",
    allow_outside: bool = False,
) -> Scenario:
    """Read a system structure of SSP 1.0 as a scenario.

    Parameters
    ----------
    path : path
        A ``.ssp`` archive, or a ``.ssd`` file with its FMUs beside it.
    until : float, optional
        End of the run in s; default: ``stopTime`` of the file.
    step : float, optional
        Step in s of FMUs that suggest none.
    variant : str, optional
        Another SSD at the top of the archive, instead of ``SystemStructure.ssd``, as ``plant.ssp#Other.ssd`` says it.
    allow_outside : bool
        Whether a ``.ssd`` may use files outside of its directory.

    Raises
    ------
    ScenarioError
        With all problems found, each with file, line and element.

    Examples
    --------
    >>> from counterpoint import ssp
    >>> scenario = ssp.read("plant.ssp", step=1e-3)  # doctest: +SKIP
    >>> scenario.run()["pump.flow"].plot()  # doctest: +SKIP
    """
    return Loaded.of(Path(path), variant, allow_outside).scenario(until, step)


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
        try:
            if path.suffix.lower() == ".ssp":
                store = Store.of_archive(path, Log(), [])
                return cls(path, read_structure(store, variant or MAIN), store, variant)
        except SetupError as error:
            raise ScenarioError(error.problems) from None
        parent = "" if path.parent == Path() else f"{path.parent}{os.sep}"
        store = Store(path.parent, parent, Log(), allow_outside)
        return cls(path, read_structure(store, path.name), store)

    @property
    def variants(self) -> list[str]:
        """Other SSDs of an archive."""
        if not self.store.packed:
            return []
        return sorted({file.name for file in self.store.root.glob("*.ssd")} - {self.variant or MAIN})

    def scenario(self, until: float | None, step: float | None) -> Scenario:
        """Return the scenario, or raise ScenarioError with all problems."""
        log = self.store.log
        tables = Tables()
        if self.structure is not None:
            flat = Flat(self.store, self.structure)
            if not flat.leaves and not log.serious():
                self.structure.system.place.wrong("contains no component")
            tables = to_tables(flat, self.structure, until, step)
            if self.variant:  # results of variants are kept apart
                tables.values.setdefault("name", f"{self.path.stem}-{Path(self.variant).stem}")
        wrong = log.serious()
        if wrong:
            raise ScenarioError(wrong)
        for text in log.complaints():
            warnings.warn(text, StructureWarning, stacklevel=3)
        document = StructureDocument(str(self.path), "", tables.values, tables.files, tables, log, self.store.unpacked)
        return Scenario.of(self.path, document, folder=Folder(self.store.root, allow_outside=True))
