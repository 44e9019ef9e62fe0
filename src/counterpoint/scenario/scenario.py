"""The scenario itself: read it, build it, run it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._cases.case import Case, recorded
from .._cases.provenance import provenance
from .._cases.registry import check_kind, read_case
from .._common.collection import building, reading
from .._common.numbers import MOST_THREADS, is_whole
from .._common.provided import provided
from .._files.document import read_document
from .._files.folder import Folder
from .._files.problems import Document, Mistakes
from .._files.tables import bad_span
from .._run.options import RunOptions
from .._run.precedence import NAMED_SCHEMES
from ..errors import SetupError, did_you_mean
from .building import Builder
from .checking import check
from .models import ScenarioTable
from .models import Window as WindowTable
from .plugin_words import with_plugins
from .writing import write_scenario

if TYPE_CHECKING:
    from rich.console import Console

    from ..multibody import Mechanism
    from ..results import Result
    from ..system import System
    from ..windows import Window


STRUCTURES = (".ssp", ".ssd", ".xml")
"""Ends of the names of system structures."""


@dataclass(frozen=True)
class Scenario(Case):
    """A co-simulation described in a TOML file.

    Make one with :meth:`read`. Reading never runs Python code of the scenario; building does.

    Attributes
    ----------
    path : Path
        The file.
    name : str
        Its ``name``, or the file's name without ending.
    begin, until : float
        Span of the run in s.
    threads : int
        Worker threads.
    plot : list of str or None
        Signals to draw, ``subsystem.output``; None leaves the choice to the program.
    """

    path: Path
    name: str
    allow_outside: bool
    allow_remote: tuple[str, ...]
    _table: ScenarioTable = field(repr=False)
    _document: Document = field(repr=False)
    _folder: Folder = field(repr=False)

    is_coupled = True

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], *, allow_outside: bool = False, allow_remote: str | Sequence[str] = ()
    ) -> Scenario:
        """Read and check a scenario file.

        Parameters
        ----------
        path : path-like
            TOML file, or a system structure: ``.ssp`` or ``.ssd``, see :func:`counterpoint.ssp.read`.
        allow_outside : bool
            Whether the scenario may use files outside of its directory.
        allow_remote : str or sequence of str
            Addresses of other computers that it may connect to or listen at, as written in the file; such links
            are not encrypted.

        Raises
        ------
        ScenarioError
            With all problems found, each with file, key and remedy.
        """
        path = Path(path)
        if path.is_dir() or path.suffix.lower() in STRUCTURES:
            read = read_case(path, allow_outside=allow_outside, allow_remote=allow_remote)
            assert isinstance(read, Scenario)
            return read
        with reading:
            check_kind(path, "a scenario")
            made = cls.of(path, read_document(path), allow_outside=allow_outside, allow_remote=allow_remote)
            return made.with_provenance(provenance(path))

    @classmethod
    def of(
        cls,
        path: Path,
        document: Document,
        *,
        allow_outside: bool = False,
        allow_remote: str | Sequence[str] = (),
        folder: Folder | None = None,
    ) -> Scenario:
        """Check a document that has been read from ``path``; raise ScenarioError with all problems.

        ``folder`` is where its files lie, if not beside it.
        """
        document = with_plugins(document)
        folder = folder or Folder(path.parent, allow_outside)
        remotes = (allow_remote,) if isinstance(allow_remote, str) else tuple(allow_remote)
        mistakes = Mistakes(document)
        table, indices = check(document, mistakes)
        if mistakes and table is not None:
            Builder(table, indices, folder, mistakes, run_code=False, allow_remote=remotes).system("incomplete")
        mistakes.raise_if_any()
        assert table is not None  # without mistakes there is a table
        return cls(path, table.name or path.stem, allow_outside, remotes, table, document, folder)

    @property
    def begin(self) -> float:
        """Begin of the run in s."""
        return self._table.start

    @property
    def until(self) -> float:
        """End of the run in s."""
        return self._table.until

    @property
    def span(self) -> tuple[float, float | None]:
        """Begin and end of the run in s."""
        return self.begin, self.until

    @property
    def threads(self) -> int:
        """Worker threads of the run."""
        return self._table.threads

    @property
    def plot(self) -> list[str] | None:
        """Signals to draw."""
        return self._table.plot

    @property
    def types(self) -> dict[str, str]:
        """Type of each subsystem, by name."""
        return {name: entry.type for name, entry in self._table.subsystems.items()}

    @property
    def scheme(self) -> Any:
        """The scheme in the form that :meth:`System.run` takes."""
        return self._builder(Mistakes(self._document)).scheme()

    @property
    def window(self) -> Window | None:
        """The windows in the form that :meth:`System.run` takes."""
        return self._builder(Mistakes(self._document)).window()

    def changed(self, *, until: float | None = None, scheme: str | None = None, threads: int | None = None) -> Scenario:
        """Return a scenario that differs in what is given (``until`` in s); the file stays as it is."""
        wrong = [f"until: {text}" for text in [bad_span(self.begin, until)] if text] if until is not None else []
        if scheme is not None and scheme not in NAMED_SCHEMES:
            wrong.append(f'scheme: "{scheme}": no such scheme{did_you_mean(scheme, NAMED_SCHEMES)}')
        if threads is not None and not is_whole(threads, 1, MOST_THREADS):
            wrong.append(f"threads: {threads}: must be at least 1 and at most {MOST_THREADS}")
        if wrong:
            raise SetupError(wrong)
        given = {"until": until, "scheme": scheme, "threads": threads}
        update = {key: value for key, value in given.items() if value is not None}
        return replace(self, _table=self._table.model_copy(update=update))

    def build(self) -> System:
        """Build the system; this runs the Python files that the scenario names and connects to remote subsystems.

        Raises
        ------
        ScenarioError
            With all problems found, each with file, key and remedy.
        """
        mistakes = Mistakes(self._document)
        with building:
            system = self._builder(mistakes).system(self.name)
        mistakes.raise_if_any()
        system.origin = self  # an archive stays unpacked as long as its files are used
        return system

    def build_part(self, name: str | None) -> System:
        """Build one subsystem alone, with its constants: nothing of the others is run or connected to."""
        chosen = self.part_name(name, list(self._table.subsystems))
        mistakes = Mistakes(self._document)
        system = self._builder(mistakes).part(chosen)
        mistakes.raise_if_any()
        system.origin = self
        return system

    @property
    def remote_names(self) -> list[str]:
        """Names of subsystems in other programs."""
        return [name for name, kind in self.types.items() if kind == "remote"]

    def _window_with_derivatives(self) -> Window | None:
        made, given = self.window, self._table.window
        if made is None or not isinstance(given, WindowTable) or given.derivatives != "models":
            return made
        from ..linearisation import linearise

        return replace(made, derivatives=linearise(self.build()))

    def options(self) -> RunOptions:
        """Return the settings of the scenario as options of a run."""
        return RunOptions(
            until=self.until, start=self.begin, scheme=self.scheme, window=self._window_with_derivatives(),
            pace=self._builder(Mistakes(self._document)).pace(), real_time=self._table.real_time, threads=self.threads,
            record=self._table.record, record_every=self._table.record_every, compress=self._table.compress,
            first_steps=self._table.first_steps, check=self._table.check,
            energy_correction=self._table.energy_correction, adapt=self._table.adapt,
        )  # fmt: skip

    @property
    def extra_endings(self) -> tuple[str, ...]:
        """Ends of the names of the animations of its mechanisms."""
        return tuple(f"-{name}.html" for name, entry in self._table.subsystems.items() if entry.type == "multibody")

    def mechanisms(self) -> dict[str, Mechanism]:
        """Return the mechanisms among its subsystems, by name; this runs the Python files that they name."""
        mistakes = Mistakes(self._document)
        found = self._builder(mistakes).mechanisms()
        mistakes.raise_if_any()
        return found

    def draw_extras(self, result: Result, stem: Path) -> Iterator[Path]:
        """Write the motion of each mechanism as an HTML page; yield each file when it is there."""
        for name, mechanism in self.mechanisms().items():
            if result.rows(name) >= 2 and recorded(result, [f"{name}.q"]):
                page = stem.with_name(f"{stem.name}-{name}.html")
                yield mechanism.animation(result, name).save(page)

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the scenario in another form: as a system structure, or one of these as a scenario file.

        Parameters
        ----------
        path : path-like
            ``.ssp`` or ``.ssd``: see :func:`counterpoint.ssp.write`. ``.toml``, for a system structure: its FMUs are
            written beside it.
        overwrite : bool
            Overwrite existing files.
        """
        path = Path(path)
        if path.suffix.lower() in (".ssp", ".ssd"):
            written: Path = provided("write_ssp")(self, path, overwrite=overwrite)
            return written
        if path.suffix.lower() != ".toml" or self.path.suffix.lower() == ".toml":
            kinds = ".ssp or .ssd" if path.suffix.lower() == ".toml" else ".toml, .ssp or .ssd"
            raise SetupError(f"{path}: {self.path.name} can be written as {kinds}")
        return write_scenario(self, path, overwrite=overwrite)

    def tables(self) -> dict[str, Any]:
        """Return what the scenario says, as tables of the TOML file."""
        return self._table.model_dump(exclude_unset=True, by_alias=True)

    @property
    def values(self) -> dict[str, Any]:
        """What the file says, word for word."""
        return self._document.values

    def find_file(self, name: str) -> Path:
        """Return the path of a file that the scenario names."""
        return self._folder.find(name)

    def written_name(self, name: str) -> str:
        """Return what a file of the scenario is called where it is written with the scenario."""
        return self._document.written_names.get(name) or self._folder.name_inside(name)

    def must_be_copied(self, name: str) -> bool:
        """Whether a file of the scenario does not stay where it lies, for it was unpacked from an archive."""
        return self._document.must_be_copied(name)

    def info(self, console: Console, *, build: bool = False) -> None:
        """Print subsystems, connections and precedence; what only code or other programs know, only with ``build``."""
        from .information import show_outline, show_scenario

        if build:
            return show_scenario(self, self.build(), console)
        mistakes = Mistakes(self._document)
        builder = self._builder(mistakes, run_code=False)
        system = builder.system(self.name)
        mistakes.raise_if_any()
        if builder.left_out:
            show_outline(self, self._table, system, builder.left_out, console)
        else:
            show_scenario(self, system, console)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: settings and the graph of the coupling, from the file alone."""
        from html import escape

        from .._display.graph import graph_svg

        notes = {name: f"{entry.type}, step {_step_text(entry.step)}" for name, entry in self._table.subsystems.items()}
        pairs = ((s.partition("."), c.to.partition(".")) for c in self._table.connections for s in c.sources)
        arrows = [(a, b, f"{y} → {u}") for (a, _, y), (b, _, u) in pairs if a in notes and b in notes]
        head = f"{escape(self.name)}: t = {self.begin:g} to {self.until:g} s, {escape(str(self.scheme))}"
        return f"<p><b>{head}</b></p>{graph_svg(notes, arrows, self.name)}"

    @property
    def table(self) -> ScenarioTable:
        """What the file says, checked."""
        return self._table

    @property
    def document(self) -> Document:
        """Contents of the file, unchanged."""
        return self._document

    @property
    def folder(self) -> Folder:
        """Where its files lie."""
        return self._folder

    def with_table(self, table: ScenarioTable) -> Scenario:
        """Return the scenario with other values that have been checked."""
        return replace(self, _table=table)

    def with_document(self, document: Document) -> Scenario:
        """Return the scenario with other values; raise ScenarioError with all problems."""
        made = Scenario.of(
            self.path, document, allow_outside=self.allow_outside, allow_remote=self.allow_remote, folder=self._folder
        )
        return made.with_provenance(self.provenance, self.recording)

    def builder(self, mistakes: Mistakes, table: ScenarioTable | None = None) -> Builder:
        """Return what builds the system, or single parts of it, from a table."""
        return self._builder(mistakes, table)

    def _builder(self, mistakes: Mistakes, table: ScenarioTable | None = None, *, run_code: bool = True) -> Builder:
        table = table or self._table
        indices = list(range(len(table.connections)))
        return Builder(table, indices, self._folder, mistakes, run_code, self.allow_remote)


def _step_text(step: float | None) -> str:
    return "its own" if step is None else f"{step:g} s"
