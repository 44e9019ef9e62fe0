"""FMUs for the command line."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._cases.case import CaseFile, CaseSettings
from .._cases.model_case import ModelCase, RunSettings
from .._files.csv_files import read_csv
from ..approximations import hold, lagrange
from ..errors import ScenarioError, did_you_mean
from ..subsystems import table
from ..system import System
from .archive import Archive
from .description import FLOATS, NUMERIC, ModelDescription
from .description_reading import read_description
from .imported_fmu import Fmu
from .importing import fmu
from .information import show
from .options import MODEL_EXCHANGE, SETTABLE
from .steps import fitting_end

if TYPE_CHECKING:
    from rich.console import Console

_PARAMETERS = ("parameter", "structuralParameter")
_HELD = ("discrete", "tunable")
_USUAL_RUN, _FEW_STEPS = 1.0, 100
"""Run in s of an FMU that suggests no stop time, as in other tools, and at least so many of its steps."""
_MANY_STEPS = 10_000_000
"""Suggested steps of a run from which on a user is warned: they take minutes, and gigabytes."""


class StepWarning(UserWarning):
    """A step was chosen since none is given, or an end of the run that fits the step."""


@dataclass(frozen=True)
class FmuCase(ModelCase):
    """An FMU alone; inputs come from a table, are set, or keep what the FMU gives them."""

    model: Fmu = field(kw_only=True)
    inputs: Path | None = field(default=None, kw_only=True)

    @property
    def until(self) -> float:
        """End of the run in s."""
        if self.model.kind == MODEL_EXCHANGE:
            return self._asked_end
        return fitting_end(self.model.interface, self.begin, self._asked_end, self._chosen_step)

    @property
    def _asked_end(self) -> float:
        """End of the run as given or as the FMU suggests, in s; else after a second, or a hundred longer steps."""
        if self.settings.until is not None:
            return self.settings.until
        step = self.settings.step if self.settings.step is not None else self.model.preferred_step
        return self.begin + max(_USUAL_RUN, _FEW_STEPS * (step or 0.0))

    @property
    def _chosen_step(self) -> float | None:
        """Step in s: as given, else as the FMU suggests, else a thousandth of the run; None: its solver chooses."""
        step = self.settings.step if self.settings.step is not None else self.model.preferred_step
        if step is not None or self.model.own_pace:
            return step
        return float(10.0 ** (round(math.log10(self._asked_end - self.begin)) - 3))

    @property
    def plot(self) -> list[str] | None:
        """Signals to draw: those requested, otherwise the choice of the program."""
        names = self.settings.plot
        return None if names is None else [f"{self.name}.{name}" for name in names]

    def build(self) -> System:
        """Return a system with the FMU, and with tables of its inputs."""
        self._tell_choices()
        system = System(self.name)
        system.add(self.name, self.model, step=self._chosen_step)
        if self.inputs is not None:
            self._add_inputs(system, self.inputs)
        return system

    def _tell_choices(self) -> None:
        """Warn of a step or an end that the FMU does not suggest, and of an end that differs from the requested one."""
        if self.settings.until is None:
            text = f"the FMU suggests no stop time; the run ends at {self._asked_end:g} s; --until sets another"
            warnings.warn(f"{self.path}: {text}", StepWarning, stacklevel=3)
        chosen = self.settings.step is None and self.model.preferred_step is None and not self.model.own_pace
        if chosen:
            text = f"the FMU suggests no step; {self._chosen_step:g} s is used; --step sets another"
            warnings.warn(f"{self.path}: {text}", StepWarning, stacklevel=3)
        suggested = self.model.preferred_step if self.settings.step is None else None
        if suggested is not None and (count := (self._asked_end - self.begin) / suggested) > _MANY_STEPS:
            text = (
                f"the FMU suggests a step of {suggested:g} s, {count:.2g} of which are in this run of "
                f"{self._asked_end - self.begin:g} s; change them with --until and --step"
            )
            warnings.warn(f"{self.path}: {text}", StepWarning, stacklevel=3)
        if self.until != self._asked_end:
            text = (
                f"the FMU needs equal steps, and the run of {self._asked_end - self.begin:g} s is not a multiple of "
                f"{self._chosen_step:g} s; it ends at {self.until:g} s; change them with --until and --step"
            )
            warnings.warn(f"{self.path}: {text}", StepWarning, stacklevel=3)

    def _add_inputs(self, system: System, path: Path) -> None:
        """Connect the columns of a CSV file to inputs and tunable parameters: lines for continuous ones, else held."""
        data = read_csv(path, jumps=True)
        for name in data.names:
            self.model.open_port(name, "inputs")
        unknown = [n for n in data.names if n not in self.model.inputs and not self.model.open_parameter(n)]
        if unknown:
            raise ScenarioError(f'{path}: no input "{name}"{did_you_mean(name, self.model.inputs)}' for name in unknown)
        for kind, names in input_columns(self.model.description, data.names).items():
            if not names:
                continue
            owner = f"{self.name}_{kind}_inputs"
            columns = data.values[:, [data.names.index(name) for name in names]]
            system.add(
                owner, table(data.times, columns, outputs=names, kind="linear" if kind == "continuous" else "hold")
            )
            for name in names:
                how = lagrange(1) if kind == "continuous" else hold("behind")
                system.connect(f"{owner}.{name}", f"{self.name}.{name}", how, convert=False)

    def info(self, console: Console) -> None:
        """Print what the FMU is."""
        show(self.path, console)


def as_word(name: str) -> str:
    """Return the name of a model as the name of a subsystem and of files: dots and slashes become underscores.

    >>> as_word("Modelica.Blocks.Math.Gain")
    'Modelica_Blocks_Math_Gain'
    """
    return re.sub(r"[./\\\x00-\x1f]", "_", name.strip())


def input_columns(description: ModelDescription, names: list[str]) -> dict[str, list[str]]:
    """Divide inputs into continuous ones and those that are held."""
    floats = [
        n for n in names if description.by_name[n].type in FLOATS and description.by_name[n].variability not in _HELD
    ]
    return {"continuous": floats, "discrete": [n for n in names if n not in floats]}


def read_case(file: CaseFile, settings: CaseSettings) -> FmuCase:
    """Return the FMU with the settings given; without ``until`` it runs as long as the FMU suggests."""
    given = _values(file, settings.set) if settings.set else {}
    model = fmu(
        file.path,
        parameters=given.get("parameters"),
        start=given.get("start"),
        isolate=settings.isolate,
        lenient=settings.lenient,
        outputs=settings.outputs or None,
        **given.get("options", {}),
    )
    experiment = model.description.experiment
    begin = experiment.start or 0.0
    suggests_end = experiment.stop is not None and experiment.stop > begin
    run = RunSettings(until=experiment.stop if suggests_end else None, start=begin)
    name = as_word(model.options.name) or as_word(file.path.stem)
    case = FmuCase(file.path, name, run, model=model, inputs=settings.input).with_settings(settings)
    case._check_plot(model.outputs)
    return case


def _values(file: CaseFile, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Divide values into parameters, start values and options; raise ScenarioError for names that mean nothing."""
    description = read_description(Archive(file.path), lenient=True)
    found: dict[str, dict[str, Any]] = {"parameters": {}, "start": {}, "options": {}}
    problems = []
    for name, value in given.items():
        variable = description.by_name.get(name)
        if variable is not None:
            whole = isinstance(value, float) and value.is_integer() and variable.type in NUMERIC
            part = "parameters" if variable.causality in _PARAMETERS else "start"
            found[part][name] = int(value) if whole and variable.type not in FLOATS else value
        elif name in SETTABLE:
            found["options"][name] = float(value) if type(value) is int else value
            problems += _wrong_option(name, found["options"][name])
        else:
            problems.append(f'"{name}": no such variable{did_you_mean(name, (*description.by_name, *SETTABLE))}')
    if problems:
        raise ScenarioError(f"{file.path}: set: {problem}" for problem in problems)
    return found


def _wrong_option(name: str, value: Any) -> list[str]:
    """Return what is wrong with the value of an option."""
    type_, expected = SETTABLE[name]
    return [] if isinstance(value, type_) else [f"{name}: {value!r}; expected {expected}"]


def show_case(file: CaseFile, console: Console) -> None:
    """Print what the FMU is, can do and which variables it has; nothing of it is run."""
    show(file.path, console)
