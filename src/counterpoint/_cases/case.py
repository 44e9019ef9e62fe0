"""What the command line asks of a file, whatever kind of file it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from .._files.document import read_document
from .._run.options import RunOptions
from ..errors import ScenarioError, SetupError, did_you_mean

if TYPE_CHECKING:
    from rich.console import Console

    from .._files.problems import Document
    from .._run.run import Run
    from ..results import Result
    from ..system import System
    from ..windows import Window


@dataclass(frozen=True)
class CaseFile:
    """A file that a user names; its TOML text is read once, and only if it is asked for."""

    path: Path
    allow_outside: bool = False
    allow_remote: tuple[str, ...] = ()
    run_code: bool = True  #: whether Python files that it names may be run and other programs be connected to
    reader: Callable[[CaseFile, CaseSettings], Case] | None = None  #: reads a file of any kind

    def read_another(self, path: Path, settings: CaseSettings) -> Case:
        """Read another file with the permissions of this one: a run file reads the case that it is the result of."""
        if self.reader is None:
            raise ScenarioError(f"{self.path}: is read from {path}; give that file")
        return self.reader(replace(self, path=path), settings)

    @property
    def ending(self) -> str:
        """End of its name in small letters, ``.toml``."""
        return self.path.suffix.lower()

    @property
    def first_bytes(self) -> bytes:
        """Its first eight bytes; none when it cannot be read."""
        try:
            with self.path.open("rb") as file:
                return file.read(8)
        except OSError:
            return b""

    @cached_property
    def document(self) -> Document:
        """Its text and tables; raises ScenarioError when it is no TOML."""
        return read_document(self.path)

    @cached_property
    def tables(self) -> Mapping[str, Any]:
        """Its tables; none when it is no TOML."""
        try:
            return self.document.values
        except ScenarioError:
            return {}


def recorded(result: Result, names: Iterable[str]) -> list[str]:
    """Return those of the names that the run has kept samples of: a user may record some signals only."""
    return [name for name in names if name in result and result.expand(name)]


@dataclass(frozen=True)
class CaseSettings:
    """What is given for a run beside the file: ``until`` and ``step`` in s; None leaves what the file says."""

    until: float | None = None
    step: float | None = None
    scheme: str | None = None
    threads: int | None = None
    steps: Mapping[str, float] = field(default_factory=dict)  #: of single subsystems, by name
    set: Mapping[str, Any] = field(default_factory=dict)  #: values that replace those of the file, by name
    isolate: bool = False  #: whether each FMU gets a process of its own
    lenient: bool = False  #: whether harmless violations in FMUs and system structures are only warnings
    input: Path | None = None  #: a CSV file with a column for each input
    outputs: tuple[str, ...] = ()  #: variables that are recorded and drawn
    record: tuple[str, ...] = ()  #: outputs or subsystems to keep in the result
    record_every: float | None = None  #: keep every n-th step (an integer), or one row per interval in s
    compress: bool = False  #: whether the run file is compressed when the run has ended
    check: str | None = None  #: whether a second run tells the error: auto, on or off

    @property
    def recording(self) -> dict[str, Any]:
        """What is given about rows and signals to keep, as options of a run."""
        given: dict[str, Any] = {
            "record": self.record or None, "record_every": self.record_every, "compress": self.compress or None,
            "check": self.check,
        }  # fmt: skip
        return {key: value for key, value in given.items() if value is not None}


def check_code(file: CaseFile, runs_code: bool) -> None:
    """Raise SetupError if a file cannot be built without running Python files, and those may not run."""
    if runs_code and not file.run_code:
        raise SetupError(f"{file.path}: names Python files; add --build to run them")


def refuse_for_models(settings: CaseSettings, kind: str) -> None:
    """Raise SetupError for settings that only FMUs and system structures have."""
    given = {"--input": settings.input, "--isolate": settings.isolate, "--lenient": settings.lenient}
    for option, value in given.items():
        if value:
            raise SetupError(f"{option} is for FMUs and system structures; this is {kind}")


class Case:
    """Something that can be run: a model, or a system, with the settings of its run.

    1. Reading a file makes a case; it raises ScenarioError with all problems of the file.
    2. ``build`` returns a new System each time; it may run Python files that the case names.
    3. ``run`` takes the settings of the case; options given replace them.
    4. ``draw_extras`` writes files whose names end with ``extra_endings``, and nothing else.
    5. What a kind of case cannot do raises SetupError that says so.

    Attributes
    ----------
    path : Path
        The file.
    name : str
        Of the model or system; result files are named after it.
    """

    path: Path
    name: str

    #: Where it comes from, for the run file.
    provenance: Mapping[str, str] = MappingProxyType({})
    #: Options about what is recorded, given beside the file.
    recording: Mapping[str, Any] = MappingProxyType({})
    #: Whether it is a system of subsystems rather than one model alone.
    is_coupled: ClassVar[bool] = False

    @property
    def extra_endings(self) -> tuple[str, ...]:
        """Ends of the names of files that are written beside the run file and the picture of signals."""
        return ()

    @property
    def scheme(self) -> Any:
        """The scheme in the form that :meth:`System.run` takes."""
        raise NotImplementedError

    def with_provenance(self, provenance: Mapping[str, str], recording: Mapping[str, Any] | None = None) -> Self:
        """Return the case with what its run file shall say about where it comes from, and what shall be recorded."""
        made = copy(self)
        object.__setattr__(made, "provenance", dict(provenance))
        object.__setattr__(made, "recording", dict(recording or {}))
        return made

    @property
    def window(self) -> Window | None:
        """The windows of the run."""
        return None

    @property
    def plot(self) -> list[str] | None:
        """Signals to draw; None leaves the choice to the program."""
        return None

    @property
    def span(self) -> tuple[float, float | None]:
        """Begin and end of the run in s; the end is None where the file says none."""
        return 0.0, None

    def build(self) -> System:
        """Return the system."""
        raise NotImplementedError

    def build_part(self, name: str | None) -> System:
        """Return a system of one subsystem alone, and its constants; None: the only one.

        Raises
        ------
        SetupError
            There is no such subsystem, or several to choose from.
        """
        system = self.build()
        self.part_name(name, list(system.subsystems))
        return system

    def part_name(self, name: str | None, names: list[str]) -> str:
        """Return which one of the subsystems is meant; raise SetupError when that is not clear."""
        if name is None and len(names) > 1:
            raise SetupError(
                f"{self.path}: contains several subsystems; choose one with --subsystem: {', '.join(names)}"
            )
        chosen = name or names[0]
        if chosen not in names:
            raise SetupError(f'{self.path}: no subsystem "{chosen}"{did_you_mean(chosen, names)}')
        return chosen

    @property
    def remote_names(self) -> list[str]:
        """Names of subsystems in other programs."""
        return []

    def run(self, *, system: System | None = None, **options: Any) -> Result:
        """Build the system, unless it is given, and run it; ``options`` are those of :meth:`System.run`."""
        from .._run.run import run_to_end

        system = self.build() if system is None else system
        return run_to_end(system, self._options(options))

    def start(self, *, system: System | None = None, **options: Any) -> Run:
        """Begin a run that is driven step by step, with the scheme, windows and threads of the case.

        ``options`` are those of :meth:`System.start` and replace what the case says; ``until=None``: the end is open.
        """
        from .._run.run import Run

        system = self.build() if system is None else system
        return Run(system, replace(self._options(options), driven=True))

    def _options(self, given: Mapping[str, Any]) -> RunOptions:
        made = replace(self.options(), **{**self.recording, **given})
        return replace(made, metadata={**self.provenance, **(made.metadata or {})})

    def mechanisms(self) -> dict[str, Any]:
        """Return the mechanisms inside, by the names of their subsystems in a run."""
        return {}

    def options(self) -> RunOptions:
        """Return the settings of the case as options of a run."""
        raise NotImplementedError

    def info(self, console: Console) -> None:
        """Print what it consists of."""
        raise NotImplementedError

    def draw_extras(self, result: Result, stem: Path) -> Iterator[Path]:
        """Draw what a kind of case adds to the picture of signals; yield each file when it is there."""
        return iter(())

    def write(self, path: Path, *, overwrite: bool = False) -> Path:
        """Write the case in another form."""
        raise SetupError(f"{self.path}: is not a scenario; counterpoint export writes a mechanism or diagram as an FMU")

    def write_matrices(self, folder: Path, *, overwrite: bool) -> Iterable[Path]:
        """Write the matrices of a mechanism."""
        raise SetupError("--matrices is for mechanism files")


class CaseModule(Protocol):
    """What the module of a kind of file defines."""

    def read_case(self, file: CaseFile, settings: CaseSettings) -> Case:
        """Return the case with the settings given; raise ScenarioError with all problems."""

    def show_case(self, file: CaseFile, console: Console) -> None:
        """Print what the file holds; what cannot be known unless code may run is left out, and that is said."""
