"""Model files for the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..._cases.case import CaseFile, CaseSettings, check_code, recorded, refuse_for_models
from ..._cases.model_case import ModelCase
from ..._display.outline import show_tables
from ..._files.overriding import overridden
from ...errors import ScenarioError, did_you_mean
from ...system import System
from ..modelling.mechanism import Mechanism
from ..modelling.outputs import STANDARD
from .information import show_mechanism
from .matrices import write_matrices
from .reading import ABSENT, ModelFile

if TYPE_CHECKING:
    from rich.console import Console

    from ...results import Result

CHECKS = ("kinetic_energy", "potential_energy", "energy", "violation")
"""Outputs that tell whether a run can be trusted."""


@dataclass(frozen=True)
class MechanismCase(ModelCase):
    """A mechanism with the settings of its run.

    Attributes
    ----------
    model : ModelFile
        Where it comes from.
    mechanism : Mechanism
        What runs.
    """

    model: ModelFile = field(kw_only=True)
    mechanism: Mechanism = field(kw_only=True)

    @property
    def extra_endings(self) -> tuple[str, ...]:
        """Ends of the names of the picture of checks and of the animation."""
        return ("-checks.png", ".html")

    def mechanisms(self) -> dict[str, Mechanism]:
        """Return the mechanism by its name."""
        return {self.name: self.mechanism}

    @classmethod
    def of(cls, model: ModelFile) -> MechanismCase:
        """Build the mechanism of a file; this runs the Python files that it names."""
        mechanism = model.build()
        case = cls(model.path, model.name, model.run_settings, model=model, mechanism=mechanism)
        case._check_names()
        return case

    @property
    def plot(self) -> list[str]:
        """Signals to draw: those of ``[run]``, else all that the mechanism shows beyond the standard ones."""
        if self.settings.plot is not None:
            return [f"{self.name}.{signal}" for signal in self.settings.plot]
        shown = [name for name in self.mechanism.subsystem().outputs if name not in STANDARD]
        return [f"{self.name}.{name}" for name in shown or self.mechanism.standard_outputs]

    @property
    def checks(self) -> list[str]:
        """Signals that tell whether the run can be trusted."""
        return [f"{self.name}.{name}" for name in CHECKS if name in self.mechanism.standard_outputs]

    def build(self) -> System:
        """Return a system with the mechanism alone; raise ScenarioError when it cannot be assembled or has no step."""
        step = self._step(self.mechanism.step, "mechanism.step")
        system = System(self.name)
        with self.model.naming(self.mechanism):
            system.add(self.name, self.mechanism.subsystem(), step=step)
        return system

    def info(self, console: Console) -> None:
        """Print what it consists of."""
        show_mechanism(self.mechanism, console)

    def draw_extras(self, result: Result, stem: Path) -> Iterator[Path]:
        """Draw energy and constraint violation, and the motion as an HTML page; yield each file when it is there."""
        if checks := recorded(result, self.checks):
            picture = stem.with_name(stem.name + "-checks.png")
            result.plot(*checks, path=picture)
            yield picture
        if result.rows(self.name) >= 2 and recorded(result, [f"{self.name}.q"]):
            page = stem.with_name(stem.name + ".html")
            yield self.mechanism.animation(result, self.name, traces=self.settings.traces).save(page)

    def write_matrices(self, folder: Path, *, overwrite: bool) -> Iterable[Path]:
        """Write mass matrix, Jacobian and others for other programs."""
        return write_matrices(self.mechanism, folder, overwrite=overwrite)

    def _check_names(self) -> None:
        """Complain about outputs to plot and points to trace that are not there."""
        with self.model.naming(self.mechanism):
            outputs = self.mechanism.subsystem().outputs
        self._check_plot(outputs)
        problems = [
            f"{self.path}: run.traces: no point {point!r}{did_you_mean(point, self.mechanism.points)}"
            for point in self.settings.traces
            if point not in self.mechanism.points
        ]
        if problems:
            raise ScenarioError(problems)


def read_case(file: CaseFile, settings: CaseSettings) -> MechanismCase:
    """Return the mechanism with the settings given."""
    refuse_for_models(settings, "a mechanism")
    read = ModelFile.of(
        file.path, overridden(file.document, settings.set, absent=ABSENT), allow_outside=file.allow_outside
    )
    check_code(file, read.runs_code)
    case = MechanismCase.of(read).with_settings(settings)
    case._check_names()
    return case


def show_case(file: CaseFile, console: Console) -> None:
    """Print what the mechanism consists of and how it is solved."""
    if not file.run_code:
        read = ModelFile.of(file.path, file.document, allow_outside=file.allow_outside)
        if read.runs_code:
            return show_tables(read.name, file.document.values, console)
    read_case(file, CaseSettings()).info(console)
