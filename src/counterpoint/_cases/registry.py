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

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Kind:
    """A kind of file: the module that handles it, and by what it is recognised; a TOML file by one of its tables."""

    module: str
    endings: tuple[str, ...] = ()
    first_bytes: bytes = b""
    tables: frozenset[str] = frozenset()

    def recognises(self, file: CaseFile) -> bool:
        """Whether a file is of this kind."""
        if self.endings:
            return file.ending in self.endings
        if self.first_bytes:
            return file.first_bytes == self.first_bytes
        return not self.tables.isdisjoint(file.document.values)

    def load(self) -> CaseModule:
        """Import the module."""
        return cast(CaseModule, import_module(self.module))


KINDS = (
    Kind("counterpoint.fmi.case", endings=(".fmu",)),
    Kind("counterpoint.ssp.case", endings=(".ssp", ".ssd")),
    Kind("counterpoint.results.case", first_bytes=b"\x89HDF\r\n\x1a\n"),
    Kind("counterpoint.multibody.files.case", tables=frozenset(("mechanism", "points", "bodies"))),
    Kind("counterpoint.diagram.files.case", tables=frozenset(("diagram",))),
)
"""Asked in this order."""

SCENARIO = Kind("counterpoint.scenario.case")
"""What a TOML file is that is nothing else."""


def kind_of(file: CaseFile) -> Kind:
    """Return the kind of a file; raise ScenarioError when it is empty or no TOML."""
    for kind in KINDS:
        if kind.recognises(file):
            return kind
    if not file.document.values:
        raise ScenarioError(
            f"{file.path}: the file is empty; a mechanism begins with [mechanism], a diagram with [diagram], "
            "a scenario has [subsystems]"
        )
    return SCENARIO


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
    file = CaseFile(path, allow_outside, remotes, run_code)
    return kind_of(file).load().read_case(file, settings or CaseSettings())


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
