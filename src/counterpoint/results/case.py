"""Run files for the command line: they can be looked at, not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from ..errors import SetupError
from .information import show_file
from .reader import load

if TYPE_CHECKING:
    from rich.console import Console

    from .._cases.case import CaseFile, CaseSettings


def read_case(file: CaseFile, settings: CaseSettings) -> NoReturn:
    """Raise SetupError: a result cannot be run."""
    raise SetupError(f"{file.path}: is a run file, the result of a run; name the scenario or the model to run")


def show_case(file: CaseFile, console: Console) -> None:
    """Print defects, times, quality and signals."""
    show_file(load(file.path), console)
