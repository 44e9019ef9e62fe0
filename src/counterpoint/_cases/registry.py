"""Kinds of files that the command line takes, and how each is recognised.

A new kind is a module with ``read_case`` and ``show_case`` (:class:`.CaseModule`) and a line in
:data:`KINDS`. Modules are named, not imported: the registry knows no room, and a room may ask the registry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..errors import ScenarioError
from .case import Case, CaseFile, CaseModule, CaseSettings
from .provenance import provenance

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class FileKind:
    """A kind of file: the module that handles it, and by what it is recognised; a TOML file by one of its tables.

    A number is no table: ``points = 64`` is how many points a sweep draws, ``[points]`` are those of a mechanism.
    """

    module: str  #: none for files that other commands take
    name: str  #: for messages, with its article
    use: str  #: what to use for it, for messages
    folders: bool = False  #: whether a folder can be one
    endings: tuple[str, ...] = ()
    first_bytes: bytes = b""
    tables: frozenset[str] = frozenset()

    def recognises(self, file: CaseFile) -> bool:
        """Whether a file is of this kind."""
        if file.path.is_dir():
            return self.folders
        if self.endings:
            return file.ending in self.endings
        if self.first_bytes:
            return file.first_bytes == self.first_bytes
        return any(not isinstance(file.tables.get(name, 0), int | float) for name in self.tables)

    def load(self) -> CaseModule:
        """Import the module."""
        return cast(CaseModule, import_module(self.module))


RUN_FILE = "a run file, the result of a run"
SWEEP_PLAN = "the plan of a sweep"
LAUNCH_PLAN = "a launch plan"

KINDS = (
    FileKind("counterpoint.fmi.case", "an FMU", "use counterpoint.fmu", endings=(".fmu",)),
    FileKind(
        "counterpoint.ssp.case",
        "a system structure",
        "use counterpoint run or counterpoint.ssp.read",
        folders=True,
        endings=(".ssp", ".ssd", ".xml"),
    ),
    FileKind(
        "counterpoint._cases.run_file",
        RUN_FILE,
        "use counterpoint info or counterpoint.load",
        first_bytes=b"\x89HDF\r\n\x1a\n",
    ),
    FileKind(
        "counterpoint.multibody.files.case",
        "a mechanism",
        "use counterpoint run or counterpoint.multibody.load",
        tables=frozenset(("mechanism", "points", "bodies")),
    ),
    FileKind(
        "counterpoint.diagram.files.case",
        "a diagram",
        "use counterpoint run or counterpoint.diagram.load",
        tables=frozenset(("diagram", "blocks")),
    ),
)
"""Asked in this order."""

PLANS = (
    FileKind("", SWEEP_PLAN, "use counterpoint sweep", tables=frozenset(("vary",))),
    FileKind("", LAUNCH_PLAN, "use counterpoint launch", tables=frozenset(("parts",))),
)
"""TOML files that are about scenarios, and no cases themselves."""

SCENARIO = FileKind("counterpoint.scenario.case", "a scenario", "use counterpoint run or counterpoint.Scenario.read")
"""What a TOML file is that is nothing else."""

_CASES = "a scenario, mechanism or diagram (.toml), an FMU (.fmu) or a system structure (.ssp, .ssd)"
_ZIP = b"PK\x03\x04"
_FOREIGN_BYTES = {
    _ZIP: "a ZIP archive; an FMU ends with .fmu, a system structure with .ssp",
    b"\x89PNG": "a picture", b"\x7fELF": "a program or library", b"MZ": "a program or library of Windows",
    b"<?xml": "an XML file", b"<svg": "a picture", b"%PDF": "a PDF file",
}  # fmt: skip
"""How files begin that are none of ours."""
_TO_FMU = "export it as an FMU"
_FOREIGN_ENDINGS = {
    ".csv": ("a table", 'a scenario names it: type = "table", file = "data.csv"'),
    ".py": ("a Python file", "python runs it, and a scenario names its functions"),
    ".txt": ("a text", ""), ".md": ("a text", ""), ".html": ("a web page", ""), ".json": ("a JSON file", ""),
    ".parquet": ("a table", ""), ".nc": ("a NetCDF file", ""), ".mat": ("a MATLAB file", ""),
    ".mo": ("a Modelica model", _TO_FMU), ".slx": ("a Simulink model", _TO_FMU), ".mdl": ("a Simulink model", _TO_FMU),
    ".xcos": ("an Xcos diagram", ""), ".zcos": ("an Xcos diagram", ""),
}  # fmt: skip
"""Names of files that are none of ours, and no TOML: what they are, and what to do with them."""


def kind_of(file: CaseFile) -> FileKind:
    """Return the kind of a file that can be run; raise ScenarioError when it is something else, empty or no TOML."""
    found = _known(file)
    if found is None:
        _refuse_foreign(file, _CASES)
    elif found in PLANS:
        raise ScenarioError(f"{file.path}: is {found.name}; expected {_CASES}; {found.use}")
    else:
        return found
    if not file.document.values:
        raise ScenarioError(
            f"{file.path}: the file is empty; a mechanism begins with [mechanism], a diagram with [diagram], "
            "a scenario has [subsystems]"
        )
    return SCENARIO


def _known(file: CaseFile) -> FileKind | None:
    """Return the kind that a file certainly is."""
    for kind in (*KINDS, *PLANS):
        if kind.recognises(file) and not (kind in PLANS and "subsystems" in file.tables):
            return kind
    return SCENARIO if "subsystems" in file.tables else None


def _refuse_foreign(file: CaseFile, expected: str) -> None:
    """Raise ScenarioError if its first bytes, or its name and that it is no TOML, say that a file is none of ours."""
    foreign = next((what for start, what in _FOREIGN_BYTES.items() if file.first_bytes.startswith(start)), None)
    if foreign is not None:
        raise ScenarioError(f"{file.path}: is {foreign}; expected {expected}")
    if file.ending in _FOREIGN_ENDINGS and file.path.is_file() and not file.tables:
        what, use = _FOREIGN_ENDINGS[file.ending]
        raise ScenarioError(f"{file.path}: is {what} ({file.ending}); expected {expected}{use and f'; {use}'}")


def check_kind(path: Path, wanted: str) -> None:
    """Raise ScenarioError with the kind that a file is, if it is known to be of another kind than wanted.

    ``wanted`` is the name of a kind, ``"an FMU"``. A file that cannot be read, or is of no kind, is left to its reader.
    """
    if path.is_dir() and wanted in (RUN_FILE, SWEEP_PLAN, LAUNCH_PLAN):
        raise ScenarioError(f"{path}: is a folder; expected {wanted}")
    if not path.is_file():
        return
    file = CaseFile(path)
    found = _known(file)
    if found is not None and found.name != wanted:
        raise ScenarioError(f"{path}: is {found.name}; expected {wanted}; {found.use}")
    archive = file.first_bytes.startswith(_ZIP) and wanted in ("an FMU", "a system structure")
    if found is None and not archive:
        _refuse_foreign(file, wanted)


def kind_name(path: Path) -> str:
    """Return what a file that can be run is, for messages: ``"a mechanism"``."""
    return kind_of(CaseFile(path)).name


def read_case(
    path: Path,
    *,
    allow_outside: bool = False,
    allow_remote: str | Sequence[str] = (),
    run_code: bool = True,
    settings: CaseSettings | None = None,
) -> Case:
    """Read a file that can be run: a scenario, a system structure, a mechanism, a diagram or an FMU.

    Parameters
    ----------
    path : Path
        The file.
    allow_outside : bool
        Whether it may use files outside of its directory.
    allow_remote : str or sequence of str
        Addresses of other computers that it may use.
    run_code : bool
        Whether reading may run Python files that it names.
    settings : CaseSettings, optional
        Settings that replace those of the file.

    Raises
    ------
    ScenarioError
        With all problems found, each with file, key and remedy.
    """
    remotes = (allow_remote,) if isinstance(allow_remote, str) else tuple(allow_remote)
    return _read(CaseFile(path, allow_outside, remotes, run_code, _read), settings or CaseSettings())


def _read(file: CaseFile, settings: CaseSettings) -> Case:
    case = kind_of(file).load().read_case(file, settings)
    return case if case.provenance else case.with_provenance(provenance(file.path, settings), settings.recording)


def show_case(
    path: Path,
    console: Console,
    *,
    allow_outside: bool = False,
    allow_remote: tuple[str, ...] = (),
    run_code: bool = False,
) -> None:
    """Print what a file holds; Python files are run and other programs connected to only with ``run_code``."""
    file = CaseFile(path, allow_outside, allow_remote, run_code)
    kind_of(file).load().show_case(file, console)
