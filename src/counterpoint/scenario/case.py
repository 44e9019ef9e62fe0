"""Scenario files for the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._cases.case import CaseFile, CaseSettings
from ..errors import SetupError
from .scenario import Scenario

if TYPE_CHECKING:
    from rich.console import Console


def read_case(file: CaseFile, settings: CaseSettings) -> Scenario:
    """Return the scenario with the settings given."""
    scenario = Scenario.of(file.path, file.document, allow_outside=file.allow_outside, allow_remote=file.allow_remote)
    if settings.step is not None:
        raise SetupError(
            "--step is for mechanisms, diagrams and system structures; in a scenario each subsystem has its own"
        )
    return scenario.changed(until=settings.until, scheme=settings.scheme, threads=settings.threads)


def show_case(file: CaseFile, console: Console) -> None:
    """Print subsystems, connections and precedence."""
    read_case(file, CaseSettings()).info(console, build=file.run_code)
