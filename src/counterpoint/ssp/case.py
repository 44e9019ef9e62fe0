"""System structures for the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._cases.case import CaseFile, CaseSettings
from ..scenario.scenario import Scenario
from .information import show
from .reading import Loaded
from .scenario_values import Choices

if TYPE_CHECKING:
    from rich.console import Console


def read_case(file: CaseFile, settings: CaseSettings) -> Scenario:
    """Return the system structure as a scenario with the settings given."""
    choices = Choices(
        until=settings.until,
        step=settings.step,
        steps=settings.steps,
        isolate=settings.isolate,
        lenient=settings.lenient,
        set=settings.set,
        input=settings.input,
        outputs=settings.outputs,
    )
    scenario = Loaded.of(file.path, allow_outside=file.allow_outside).scenario(choices)
    return scenario.changed(scheme=settings.scheme, threads=settings.threads)


def show_case(file: CaseFile, console: Console) -> None:
    """Print components, connections and variants; the file need not say when a run ends."""
    show(file.path, console, allow_outside=file.allow_outside)
