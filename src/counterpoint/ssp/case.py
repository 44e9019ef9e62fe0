"""System structures for the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._cases.case import CaseFile, CaseSettings
from ..scenario.scenario import Scenario
from .information import show
from .reading import read

if TYPE_CHECKING:
    from rich.console import Console


def read_case(file: CaseFile, settings: CaseSettings) -> Scenario:
    """Return the system structure as a scenario with the settings given."""
    scenario = read(
        file.path,
        until=settings.until,
        step=settings.steps or settings.step,
        isolate=settings.isolate,
        lenient=settings.lenient,
        set=settings.set,
        input=settings.input,
        outputs=settings.outputs,
        allow_outside=file.allow_outside,
    )
    return scenario.changed(until=settings.until, scheme=settings.scheme, threads=settings.threads)


def show_case(file: CaseFile, console: Console) -> None:
    """Print components, connections and variants; the file need not say when a run ends."""
    show(file.path, console, allow_outside=file.allow_outside)
