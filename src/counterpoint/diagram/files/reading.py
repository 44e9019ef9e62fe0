"""Diagrams in TOML files: read, check, build."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ... import _core
from ..._cases.registry import check_kind
from ..._files.document import read_document
from ..._files.folder import Folder
from ..._files.problems import Document, KeyPath, Mistakes, Vocabulary
from ..._files.validation import validate
from ...errors import SetupError, did_you_mean
from ..block import Block
from ..diagram import Diagram
from ..python_block import argument_names
from .parameters import check_parameters, in_core_terms
from .tables import (
    BlockTable,
    ContentTable,
    FileTable,
    OutputTable,
    RunTable,
    Signals,
    SuperblockTable,
    keys_at,
    tags_at,
)

_VOCABULARY = Vocabulary(keys_at, tags_at)
_OWN_PLACE = re.compile(r'^(diagram "[^"]*": )?([a-z_0-9]+ "[^"]*": |block "[^"]*": )?')
"""What the library says about the place, which is known better in terms of the file."""


def load(path: str | os.PathLike[str], *, allow_outside: bool = False) -> Diagram:
    """Read a diagram from a file.

    Parameters
    ----------
    path : path
        TOML file; see the reference of diagram files.
    allow_outside : bool
        Whether it may name files outside of its directory.

    Raises
    ------
    ScenarioError
        With all problems found, each with file, key, remedy and line.
    """
    check_kind(Path(path), "a diagram")
    return DiagramFile.read(path, allow_outside=allow_outside).build()


@dataclass(frozen=True)
class DiagramFile:
    """A diagram file that has been read; building it finds what does not fit together."""

    path: Path
    name: str
    allow_outside: bool
    _table: FileTable | None = field(repr=False)
    _mistakes: Mistakes = field(repr=False)
    _inside: tuple[Path, ...] = field(default=(), repr=False)  #: files that this one is being read for

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, allow_outside: bool = False) -> DiagramFile:
        """Read a diagram file; raise ScenarioError when it is no TOML."""
        path = Path(path)
        return cls.of(path, read_document(path), allow_outside=allow_outside)

    @classmethod
    def of(
        cls, path: Path, document: Document, *, allow_outside: bool = False, inside: tuple[Path, ...] = ()
    ) -> DiagramFile:
        """Check the tables of a document that has been read from ``path``."""
        mistakes = Mistakes(document)
        table, _ = validate(FileTable, document, mistakes, _VOCABULARY, whole=lambda section: False)
        name = (table.diagram.name if table is not None else None) or path.stem.replace(".", "_")
        return cls(path, name, allow_outside, table, mistakes, (*inside, path.resolve()))

    @property
    def run_settings(self) -> RunTable:
        """What ``[run]`` says."""
        return self._table.run if self._table is not None else RunTable()

    @property
    def runs_code(self) -> bool:
        """Whether building runs Python files, also those of diagrams in other files that it contains."""
        contents = [self._table, *self._table.superblocks.values()] if self._table is not None else []
        blocks = [block for content in contents for block in content.blocks.values()]
        if any(getattr(block, "kind", None) == "function" for block in blocks):
            return True
        names = {block.file for block in blocks if isinstance(block, SuperblockTable) and block.file is not None}
        return any(inner.runs_code for inner in self._inner_files(names))

    def _inner_files(self, names: Iterable[str]) -> Iterator[DiagramFile]:
        """Read the diagrams in other files; building tells of those that cannot be read."""
        folder = Folder(self.path.parent, self.allow_outside)
        for name in names:
            with suppress(SetupError):
                path = folder.find(name)
                if path not in self._inside:
                    yield DiagramFile.of(
                        path, read_document(path), allow_outside=self.allow_outside, inside=self._inside
                    )

    def build(self) -> Diagram:
        """Return the diagram; raise ScenarioError with all problems. This runs the Python files that it names."""
        made = None
        if self._table is not None:
            folder = Folder(self.path.parent, self.allow_outside)
            made = _Builder(self._table, folder, self._mistakes, self._inside).diagram(self.name)
        self._mistakes.raise_if_any()
        assert made is not None
        return made


@dataclass
class _Builder:
    """Build a Diagram from checked tables and note every mistake on the way."""

    table: FileTable
    folder: Folder
    mistakes: Mistakes
    inside: tuple[Path, ...]
    contents: dict[str, Diagram] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)  #: superblocks being built, to find one inside itself
    missing: dict[int, set[str]] = field(default_factory=dict)  #: by diagram: names of what could not be made
    is_incomplete: bool = False  #: what the tables lack is not known by name

    def diagram(self, name: str) -> Diagram:
        """Return the diagram; what could not be made is missing from it and noted."""
        given = {k: v for k, v in self.table.diagram.model_dump(exclude={"name"}).items() if v is not None}
        made = Diagram(name, **given)
        self.is_incomplete = bool(self.mistakes)
        self._fill(made, self.table, ())
        for superblock in self.table.superblocks:
            self._content(superblock)
        if not self.mistakes:
            with self._noting():
                made.subsystem()
        return made

    def _fill(self, diagram: Diagram, content: ContentTable, at: KeyPath) -> None:
        for name, entry in content.inputs.items():
            with self._noting(*at, "inputs", name):
                diagram.input(name, entry.default, width=entry.width, unit=entry.unit)
        made = {name: self._make(diagram, name, entry, (*at, "blocks", name)) for name, entry in content.blocks.items()}
        named = {*content.inputs, *content.blocks}
        self.missing[id(diagram)] = {name for name in named if not self._is_whole(diagram, name)}
        for name, block in made.items():
            if block is not None:
                self._connect(diagram, block, content.blocks[name], (*at, "blocks", name))
        for name, output in content.outputs.items():
            signal, unit = (output.signal, output.unit) if isinstance(output, OutputTable) else (output, "")
            place = (*at, "outputs", name, *(["signal"] if isinstance(output, OutputTable) else []))
            if self._is_there(diagram, signal):
                with self._noting(*place):
                    diagram.output(name, signal, unit=unit)

    def _make(self, diagram: Diagram, name: str, entry: BlockTable | SuperblockTable, at: KeyPath) -> Block | None:
        with self._noting(*at):
            if isinstance(entry, BlockTable):
                if entry.kind == "function":
                    return self._function(diagram, name, entry)
                self._check_kind(entry)
                _check_keys(name, entry)
                values = in_core_terms(entry)[0]
                check_parameters(entry.kind, values)
                return diagram.add(entry.kind, name=name, **values)
            content = self._superblock(entry, at)
            return None if content is None else diagram.superblock(content, name=name)
        return None

    def _function(self, diagram: Diagram, name: str, entry: BlockTable) -> Block:
        """Add a Python function: ``function = "file.py:name"`` with ``outputs`` and ``needs_major`` as in Python."""
        given = entry.parameters
        allowed = ("function", "outputs", "needs_major")
        unknown = [
            f'"{key}": no such parameter of function{did_you_mean(key, allowed)}' for key in given if key not in allowed
        ]
        reference = given.pop("function", None)
        if not isinstance(reference, str):
            unknown.append('function: missing; write function = "file.py:name"')
        if unknown:
            raise SetupError(unknown)
        function = self.folder.load(str(reference))
        names = list(entry.inputs) if isinstance(entry.inputs, dict) else argument_names(function, len(entry.inputs))[0]
        return diagram.function(function, inputs=names, name=name, **given)

    def _check_kind(self, entry: BlockTable) -> None:
        kinds = ["function", *(kind for kind in _core.diagram.kinds() if kind not in ("inlet", "enable", "trigger"))]
        if entry.kind not in kinds:
            raise SetupError(f'kind: "{entry.kind}": no such kind of block{did_you_mean(entry.kind, kinds)}')

    def _superblock(self, entry: SuperblockTable, at: KeyPath) -> Diagram | None:
        if (entry.superblock is None) == (entry.file is None):
            raise SetupError("expected either superblock or file")
        if entry.superblock is not None:
            if entry.superblock not in self.table.superblocks:
                hint = did_you_mean(entry.superblock, self.table.superblocks)
                raise SetupError(f'superblock: "{entry.superblock}": no such table in [superblocks]{hint}')
            return self._content(entry.superblock)
        path = self.folder.find(str(entry.file))
        if path in self.inside:
            raise SetupError(f'file: "{entry.file}": contains itself')
        file = DiagramFile.of(path, read_document(path), allow_outside=self.folder.allow_outside, inside=self.inside)
        return file.build()

    def _content(self, name: str) -> Diagram | None:
        if name in self.open:
            raise SetupError(f'superblock: "{name}": contains itself, through {" and ".join(self.open)}')
        if name not in self.contents:
            self.open.append(name)
            made = Diagram(name)
            self._fill(made, self.table.superblocks[name], ("superblocks", name))
            self.open.pop()
            self.contents[name] = made
        return self.contents[name]

    def _connect(self, diagram: Diagram, block: Block, entry: BlockTable | SuperblockTable, at: KeyPath) -> None:
        inputs = in_core_terms(entry)[1] if isinstance(entry, BlockTable) else entry.inputs
        for key, port, signal in _entering(inputs):
            if isinstance(signal, str) and not self._is_there(diagram, signal):
                continue
            with self._noting(*at, "inputs", key):
                block.connect_next(signal) if port is None else block.connect_port(port, signal)
        if isinstance(entry, SuperblockTable) and (entry.enable is not None or entry.trigger is not None):
            with self._noting(*at):
                diagram.set_gate(
                    block, enable=entry.enable, trigger=entry.trigger, edge=entry.edge, restarts=entry.restarts
                )

    def _is_whole(self, diagram: Diagram, name: str) -> bool:
        """Whether a block was made, and all that is inside of it."""
        block = diagram.blocks.get(name)
        return block is not None and not (block.content is not None and self.missing.get(id(block.content)))

    def _is_there(self, diagram: Diagram, signal: str) -> bool:
        """Whether a signal can exist: for a block that could not be made, the reason has been reported."""
        name = signal.partition(".")[0]
        return name in diagram.blocks if self.is_incomplete else name not in self.missing[id(diagram)]

    @contextmanager
    def _noting(self, *at: str | int) -> Iterator[None]:
        try:
            yield
        except SetupError as error:
            known = {key: key for key in ("kind", "superblock", "file")}
            self.mistakes.add_error(at, error, lambda text: _OWN_PLACE.sub("", text), known)


def _check_keys(name: str, entry: BlockTable) -> None:
    """Refuse keys that would be taken for arguments of :meth:`Diagram.add` itself."""
    arguments = inspect.signature(Diagram.add).parameters.values()
    taken = [argument.name for argument in arguments if argument.kind is inspect.Parameter.KEYWORD_ONLY]
    given = [key for key in taken if key in entry.parameters]
    hints = {"name": f'; the block is named by its table, "{name}"'}
    if given:
        raise SetupError([f'"{key}": no such parameter of {entry.kind}{hints.get(key, "")}' for key in given])


def _entering(signals: Signals) -> Iterator[tuple[str | int, str | None, str | float]]:
    """Yield key in the file, port (None: the next free one) and signal."""
    if isinstance(signals, dict):
        yield from ((port, port, signal) for port, signal in signals.items())
    else:
        yield from ((k, None, signal) for k, signal in enumerate(signals))
