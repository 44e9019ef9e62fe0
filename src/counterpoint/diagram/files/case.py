"""Diagram files for the command line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..._cases.case import CaseFile, CaseSettings, check_code, refuse_for_models
from ..._cases.model_case import ModelCase, RunSettings
from ..._display.outline import show_tables
from ..._files.overriding import overridden
from ...system import System
from ..diagram import Diagram
from .information import show_diagram
from .reading import DiagramFile

if TYPE_CHECKING:
    from rich.console import Console

    from ...results import Result


@dataclass(frozen=True)
class DiagramCase(ModelCase):
    """A diagram with the settings of its run."""

    diagram: Diagram = field(kw_only=True)

    extra_endings = (".svg",)

    @classmethod
    def of(cls, file: DiagramFile) -> DiagramCase:
        """Build the diagram of a file; this runs the Python files that it names."""
        diagram = file.build()
        settings = RunSettings(**file.run_settings.model_dump())
        case = cls(file.path, diagram.name, settings, diagram=diagram)
        case._check_plot(diagram.outputs)
        return case

    @property
    def plot(self) -> list[str]:
        """Signals to draw: those of ``[run]``, else all outputs."""
        return [f"{self.name}.{signal}" for signal in self.settings.plot or self.diagram.outputs]

    def build(self) -> System:
        """Return a system with the diagram alone; raise ScenarioError when a step is missing."""
        subsystem = self.diagram.subsystem()
        free = subsystem.own_pace and self.settings.step is None and self.diagram.preferred_step is None
        system = System(self.name)
        step = None if free else self._step(self.diagram.preferred_step, "diagram.step")
        system.add(self.name, subsystem, step=step)
        return system

    def info(self, console: Console) -> None:
        """Print what it consists of."""
        show_diagram(self.diagram, console)

    def draw_extras(self, result: Result, stem: Path) -> Iterator[Path]:
        """Draw the diagram beside the signals; yield the file when it is there."""
        yield self.diagram.draw(stem.with_name(stem.name + ".svg"))


def read_case(file: CaseFile, settings: CaseSettings) -> DiagramCase:
    """Return the diagram with the settings given."""
    refuse_for_models(settings, "a diagram")
    read = DiagramFile.of(
        file.path, overridden(file.document, settings.set, absent=("run",)), allow_outside=file.allow_outside
    )
    check_code(file, read.runs_code)
    case = DiagramCase.of(read).with_settings(settings)
    case._check_plot(case.diagram.outputs)
    return case


def show_case(file: CaseFile, console: Console) -> None:
    """Print the blocks of the diagram and how it is solved."""
    if not file.run_code:
        read = DiagramFile.of(file.path, file.document, allow_outside=file.allow_outside)
        if read.runs_code:
            return show_tables(read.name, file.document.values, console)
    read_case(file, CaseSettings()).info(console)
