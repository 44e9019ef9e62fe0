"""FMUs for the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .._cases.case import CaseFile, CaseSettings
from .._cases.model_case import ModelCase, RunSettings
from ..system import System
from .importing import Fmu, fmu
from .information import show

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class FmuCase(ModelCase):
    """An FMU alone; its inputs keep their start values."""

    model: Fmu = field(kw_only=True)

    def build(self) -> System:
        """Return a system with the FMU alone."""
        system = System(self.name)
        system.add(self.name, self.model, step=self.settings.step)
        return system

    def info(self, console: Console) -> None:
        """Print what the FMU is."""
        show(self.path, console)


def read_case(file: CaseFile, settings: CaseSettings) -> FmuCase:
    """Return the FMU with the settings given; without ``until`` it runs as long as the FMU suggests."""
    model = fmu(file.path)
    experiment = model.description.experiment
    run = RunSettings(until=experiment.stop, start=experiment.start or 0.0)
    return FmuCase(file.path, model.options.name, run, model=model).with_settings(settings)


def show_case(file: CaseFile, console: Console) -> None:
    """Print what the FMU is, can do and which variables it has; nothing of it is run."""
    show(file.path, console)
