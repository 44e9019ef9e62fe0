"""Scenario files for the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._cases.case import CaseFile, CaseSettings
from .._files.folder import Folder
from ..errors import SetupError
from .overriding import with_settings
from .scenario import Scenario

if TYPE_CHECKING:
    from rich.console import Console


def read_case(file: CaseFile, settings: CaseSettings) -> Scenario:
    """Return the scenario with the settings given."""
    if settings.step is not None:
        raise SetupError("in a scenario each subsystem has its own step; name the subsystem: --step engine=1e-4")
    if settings.input is not None:
        raise SetupError("--input is for FMUs and system structures; in a scenario add a subsystem of the type table")
    document = with_settings(file.document, Folder(file.path.parent, file.allow_outside), settings)
    scenario = Scenario.of(file.path, document, allow_outside=file.allow_outside, allow_remote=file.allow_remote)
    return scenario.changed(until=settings.until, scheme=settings.scheme, threads=settings.threads)


def show_case(file: CaseFile, console: Console) -> None:
    """Print subsystems, connections and precedence."""
    read_case(file, CaseSettings()).info(console, build=file.run_code)
