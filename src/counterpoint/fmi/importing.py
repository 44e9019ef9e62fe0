"""An FMU as a subsystem."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..errors import SetupError, did_you_mean
from ..subsystems import Subsystem
from .archive import Archive, ArchiveLimits, Unpacked
from .description import FLOATS, Interface, ModelDescription, Unit, Variable
from .description_reading import read_description
from .isolation import ONCE_ONLY, Isolation, choose, to_core
from .platforms import find_binary
from .values import ValueReader, as_signal, core_type, pack

INPUTS_AT = ("auto", "start", "middle")
_STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")


@dataclass(frozen=True)
class LogMessage:
    """What an FMU said: time of the step in s, status (``"warning"``, ``"error"``, ...), category and text."""

    time: float
    status: str
    category: str
    text: str


@dataclass(frozen=True)
class Options:
    """How an FMU is run; see :func:`fmu`."""

    name: str
    inputs_at: str = "auto"
    tolerance: float | None = None
    visible: bool = False
    logging: bool | tuple[str, ...] = False
    events: bool = True
    redo_discarded: bool = False
    isolation: Isolation | None = None


def fmu(
    path: str | os.PathLike[str],
    *,
    parameters: Mapping[str, Any] | None = None,
    start: Mapping[str, Any] | None = None,
    inputs: Iterable[str] | None = None,
    outputs: Iterable[str] | None = None,
    step: float | None = None,
    name: str | None = None,
    inputs_at: str = "auto",
    tolerance: float | None = None,
    visible: bool = False,
    logging: bool | Iterable[str] = False,
    events: bool = True,
    redo_discarded: bool = False,
    isolate: bool | Isolation = False,
    deadline: float | None = None,
    lenient: bool = False,
    limits: ArchiveLimits | None = None,
) -> Fmu:
    """Import an FMU (FMI 2.0 or 3.0, co-simulation) as a subsystem.

    An FMU is a program: running it is running it with your rights.

    Parameters
    ----------
    path : path
        The ``.fmu`` file.
    parameters : mapping, optional
        Parameters by name, also structural ones, in the units of the FMU. Items of an enumeration may be named.
    start : mapping, optional
        Start values of other variables, and of inputs that nothing drives.
    inputs, outputs : names, optional
        Ports; default: all inputs and outputs that are numbers. Outputs may name any variable that is a number.
    step : float, optional
        Step in s; default: what the FMU suggests. :meth:`counterpoint.System.add` may say otherwise.
    name : str, optional
        Name of the instance; default: the model's.
    inputs_at : str
        How continuous inputs reach the FMU. ``"start"``: held from the start of a step. ``"middle"``: held at their
        value in the middle of the step. ``"auto"``: as lines where the FMU can interpolate (FMI 2), at every inner step
        where it asks for them (FMI 3), else ``"middle"``. Discrete inputs are held from the start.
    tolerance : float, optional
        Relative tolerance for the FMU's own solver.
    visible : bool
        Whether the FMU may open windows.
    logging : bool or names of categories
        What the FMU should log; see :attr:`Fmu.messages`. Errors are always logged.
    events : bool
        Handle events of FMI 3 where they happen: steps may end early. If not, the FMU handles them inside its steps.
    redo_discarded : bool
        Make a step that the FMU discards again in smaller ones; costs a saved state a step.
    isolate : bool or Isolation
        Run it in a process of its own: when it crashes, the run ends with an error and its results are kept. Costs some
        10 µs a step. Two FMUs that allow one instance a process are isolated anyway.
    deadline : float, optional
        Seconds of wall-clock time for each answer of an isolated FMU; default 60.
    lenient : bool
        Run in spite of broken rules in the description that do no harm.
    limits : ArchiveLimits, optional
        How large the archive may be.

    Returns
    -------
    Fmu
        For :meth:`counterpoint.System.add`.

    Raises
    ------
    SetupError
        With all problems of the archive, the description or the values given.

    Examples
    --------
    >>> pump = fmu("pump.fmu", parameters={"diameter": 0.2})  # doctest: +SKIP
    >>> system.add("pump", pump, step=1e-3)  # doctest: +SKIP
    """
    archive = Archive(path, limits)
    description = read_description(archive, lenient=lenient)
    categories = logging if isinstance(logging, bool) else tuple(logging)
    isolation = choose(isolate, deadline)
    chosen = Options(
        name or description.name, inputs_at, tolerance, visible, categories, events, redo_discarded, isolation
    )
    return Fmu(archive, description, chosen, parameters, start, inputs=inputs, outputs=outputs, step=step)


class Fmu(Subsystem):
    """An FMU as a subsystem; made by :func:`fmu`.

    Attributes
    ----------
    description : ModelDescription
        What the FMU says about itself.
    interface : Interface
        What it can do as a co-simulation.
    unit_definitions : dict
        Units of the ports with their base units, where the FMU defines them.
    """

    units_expected = True

    def __init__(
        self,
        archive: Archive,
        description: ModelDescription,
        options: Options,
        parameters: Mapping[str, Any] | None = None,
        start: Mapping[str, Any] | None = None,
        *,
        inputs: Iterable[str] | None = None,
        outputs: Iterable[str] | None = None,
        step: float | None = None,
    ) -> None:
        self.path = archive.path
        self.description = description
        self.interface = _co_simulation(archive.path, description)
        self.options = options
        self._archive = archive
        self._folder, self._binary = find_binary(archive, description, self.interface.model_identifier)
        self._unpacked: Unpacked | None = None
        self._library: _core.fmi.Library | None = None
        self._made: _core.fmi.FmuSubsystem | _core.fmi.IsolatedFmu | None = None
        problems = list(_option_problems(options, self.interface, description))
        self._structure: dict[str, int] = {}
        self._assignments: dict[str, _core.fmi.Assignment] = {}
        given_inputs = self._read_values(parameters or {}, start or {}, problems)
        self._inputs = self._choose(inputs, "inputs", problems)
        self._outputs = self._choose(outputs, "outputs", problems)
        if problems:
            raise SetupError([f"{archive.path}: {problem}" for problem in problems])
        self.inputs = {v.name: description.width(v, self._structure) for v in self._inputs}
        self.outputs = {v.name: description.width(v, self._structure) for v in self._outputs}
        self.defaults = self._defaults(given_inputs)
        self.units = {v.name: unit for v in (*self._inputs, *self._outputs) if (unit := _unit_name(description, v))}
        definitions = {v.name: unit_of(description, v) for v in (*self._inputs, *self._outputs)}
        self.unit_definitions = {port: unit for port, unit in definitions.items() if unit is not None}
        self.initial_feedthrough = [
            (y, u) for y, u in description.initial_feedthrough() if y in self.outputs and u in self.inputs
        ]
        self.preferred_step = step if step is not None else description.experiment.step
        if self.preferred_step is None:
            self.preferred_step = self.interface.fixed_internal_step
        if self.interface.only_once_per_process:
            ONCE_ONLY.add(description.token, self)

    @property
    def isolation(self) -> Isolation | None:
        """How it is kept in a process of its own; None when it runs in this one."""
        if self.options.isolation is None and ONCE_ONLY.has_others(self.description.token):
            return choose(True, None)
        return self.options.isolation

    @property
    def printed(self) -> str:
        """The last of what an isolated FMU printed in its latest run, at most 64 KiB."""
        return self._made.printed().decode(errors="replace") if isinstance(self._made, _core.fmi.IsolatedFmu) else ""

    @property
    def can_save(self) -> bool:
        """Whether its state can be saved and restored."""
        return self.interface.can_get_and_set_state

    @property
    def messages(self) -> list[LogMessage]:
        """What the FMU said in its latest run, at most a thousand messages."""
        if self._made is None:
            return []
        found = self._made.messages()
        return [LogMessage(t, _STATUS[s] if 0 <= s < len(_STATUS) else str(s), c, text) for t, s, c, text in found]

    def read(self, name: str) -> Any:
        """Return the value that a variable has now, of any type, while a run is under way.

        >>> run = system.start()  # doctest: +SKIP
        >>> pump.read("status")  # doctest: +SKIP
        'running'
        """
        variable = self.description.find(name, str(self.path))
        if self._made is None:
            raise SetupError(f'{self.path}: "{name}" can be read while a run is under way; none has begun')
        try:
            return self._read(self._made, variable)
        except RuntimeError as error:
            raise SetupError(f'{self.path}: "{name}" cannot be read: {error}') from None

    def _read(self, running: _core.fmi.FmuSubsystem | _core.fmi.IsolatedFmu, variable: Variable) -> Any:
        shape = self.description.shape(variable, self._structure)
        port = self._port(variable)
        if variable.type in ("String", "Binary"):
            texts: list[Any] = running.texts(port)
            texts = [text.decode(errors="replace") for text in texts] if variable.type == "String" else texts
            return texts if shape else texts[0]
        values = np.asarray(running.numbers(port))
        made = values if variable.type in FLOATS else values.astype(bool if variable.type == "Boolean" else np.int64)
        return made.reshape(shape) if shape else made[0].item()

    def step_problems(self, step: float, span: float) -> Iterator[str]:
        """Say why the FMU cannot run with a step over a span of time, both in s."""
        inner = self.interface.fixed_internal_step
        if inner is not None and not _is_multiple(step, inner):
            near = max(round(step / inner), 1) * inner
            yield f"{step:g} s is no multiple of the FMU's fixed internal step, {inner:g} s; use {near:g} s"
        if not self.interface.variable_steps and math.isfinite(span) and not _is_multiple(span, step):
            yield (
                f"the run of {span:g} s is no multiple of the step {step:g} s, and this FMU needs steps of equal "
                f"length; let the run last {max(round(span / step), 1) * step:g} s"
            )

    def _native(self) -> _core.Subsystem:
        if self._unpacked is None:
            self._unpacked = self._archive.unpack(self._folder)
        root = self._unpacked.root
        if self.isolation is not None:
            apart = to_core(self.isolation, root / "working", self.interface.needs_execution_tool)
            self._made = _core.fmi.IsolatedFmu(str(root / self._binary), self._setup(root), apart)
            return self._made
        if self._library is None:
            try:
                self._library = _core.fmi.Library(str(root / self._binary))
            except RuntimeError as error:
                raise SetupError(f"{self.path}: {self._binary}: {error}") from None
        self._made = _core.fmi.FmuSubsystem(self._library, self._setup(root))
        return self._made

    def _setup(self, root: Path) -> _core.fmi.FmuSetup:
        able, options = self.interface, self.options
        setup = _core.fmi.FmuSetup()
        setup.major = self.description.major
        setup.instance = self._instance_settings(root)
        setup.inputs = [self._port(v) for v in self._inputs]
        setup.outputs = [self._port(v) for v in self._outputs]
        structural = {v.name for v in self.description.with_causality("structuralParameter")}
        setup.structure = [a for name, a in self._assignments.items() if name in structural]
        setup.values = [a for name, a in self._assignments.items() if name not in structural]
        setup.input_style = getattr(_core.fmi.InputStyle, self.input_style)
        doubles = all(v.type == "Float64" or v.variability != "continuous" for v in self._outputs)
        setup.output_slopes = able.max_output_derivative_order > 0 and doubles
        setup.can_save = able.can_get_and_set_state
        setup.redo_discarded = options.redo_discarded
        setup.equal_steps = not able.variable_steps
        setup.only_once = able.only_once_per_process
        return setup

    @property
    def input_style(self) -> str:
        """How inputs reach it: ``"start"``, ``"middle"``, ``"slope"`` or ``"intermediate"``."""
        if self.options.inputs_at != "auto":
            return self.options.inputs_at
        continuous = [v for v in self._inputs if v.variability == "continuous"]
        if self.description.major == 2 and self.interface.can_interpolate_inputs and continuous:
            return "slope"
        asked = [v for v in continuous if v.intermediate_update]
        if self.interface.provides_intermediate_update and asked and len(asked) == len(continuous):
            return "intermediate"
        return "middle"

    def _instance_settings(self, root: Path) -> _core.fmi.InstanceSettings:
        options, able = self.options, self.interface
        resources = root / "resources"
        resources.mkdir(exist_ok=True)
        made = _core.fmi.InstanceSettings()
        made.name = options.name
        made.token = self.description.token
        made.resources = resources.as_uri() if self.description.major == 2 else f"{resources}{os.sep}"
        made.visible = options.visible
        made.logging = bool(options.logging)
        made.categories = [] if isinstance(options.logging, bool) else list(options.logging)
        made.tolerance = options.tolerance or 0.0
        made.event_mode = options.events and able.has_event_mode
        made.early_return = made.event_mode and able.might_return_early
        if self.input_style == "intermediate":
            made.intermediate = [v.reference for v in self._inputs if v.variability == "continuous"]
        return made

    def _port(self, variable: Variable) -> _core.fmi.Port:
        width = self.description.width(variable, self._structure)
        continuous = variable.variability == "continuous" and variable.type in FLOATS
        return _core.fmi.Port(core_type(variable, self.description.major), variable.reference, width, continuous)

    def _read_values(
        self, parameters: Mapping[str, Any], start: Mapping[str, Any], problems: list[str]
    ) -> dict[str, Any]:
        """Check and pack parameters and start values; return those of inputs."""
        wanted = [("parameters", name, value) for name, value in parameters.items()]
        wanted += [("start", name, value) for name, value in start.items()]
        known: list[tuple[str, Variable, Any]] = []
        for key, name, value in wanted:
            variable = self.description.by_name.get(name)
            problem = f"no such variable{self._hint(key, name)}" if variable is None else _wrong_place(key, variable)
            if problem:
                problems.append(f'{key}."{name}": {problem}')
            elif variable is not None:
                known.append((f'{key}."{name}"', variable, value))
        lengths = ValueReader(self.description, {})
        for where, variable, value in known:
            if variable.causality == "structuralParameter":
                self._structure[variable.name] = int((lengths.read(where, variable, value) or [1])[0])
        reader = ValueReader(self.description, self._structure)
        inputs = {}
        for where, variable, value in known:
            before = len(reader.problems)
            values = reader.read(where, variable, value)
            if len(reader.problems) == before:
                self._assignments[variable.name] = pack(self.description, variable, values)
                if variable.causality == "input" and variable.is_numeric:
                    inputs[variable.name] = tuple(values)
        problems += reader.problems
        return inputs

    def _hint(self, key: str, name: str) -> str:
        fitting = [v.name for v in self.description.variables if not _wrong_place(key, v)]
        return did_you_mean(name, fitting)

    def _choose(self, names: Iterable[str] | None, key: str, problems: list[str]) -> list[Variable]:
        """Return the variables of the ports."""
        if names is None:
            return [v for v in self.description.with_causality(key[:-1]) if v.is_numeric]
        chosen = []
        for name in [names] if isinstance(names, str) else names:
            variable = self.description.by_name.get(name)
            if variable is None or (key == "inputs" and variable.causality != "input"):
                fitting = [v.name for v in self.description.with_causality(key[:-1])]
                problems.append(f'{key}: "{name}": no such {key[:-1]}{did_you_mean(name, fitting)}')
            elif not variable.is_numeric:
                problems.append(f'{key}: "{name}" is a {variable.type}, which is no signal; see read() and start')
            elif variable in chosen:
                problems.append(f'{key}: "{name}" is named twice')
            else:
                chosen.append(variable)
        return chosen

    def _defaults(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of inputs that nothing drives."""
        defaults = {}
        for v in self._inputs:
            values = given.get(v.name, v.start)
            signal = None if values is None else as_signal(values, self.description.width(v, self._structure))
            if signal is not None:
                defaults[v.name] = signal
        return defaults

    def __repr__(self) -> str:
        ports = f"{', '.join(self.input_widths) or 'no inputs'} -> {', '.join(self.output_widths)}"
        return f"<FMU {self.description.name} (FMI {self.description.version}): {ports}>"


def _co_simulation(path: Path, description: ModelDescription) -> Interface:
    if description.co_simulation is None:
        raise SetupError(f"{path}: offers model exchange only; an FMU for co-simulation is needed")
    return description.co_simulation


def _wrong_place(key: str, variable: Variable) -> str:
    """Say why a value cannot be given to a variable under this key."""
    is_parameter = variable.causality in ("parameter", "structuralParameter")
    if key == "parameters" and not is_parameter:
        return (
            f"is no parameter but {variable.causality}; give it in start"
            if not _wrong_place("start", variable)
            else "is no parameter"
        )
    if key == "start" and is_parameter:
        return "is a parameter; give it in parameters"
    if key == "start" and variable.causality != "input" and variable.initial not in ("exact", "approx"):
        return "has no start value; the FMU calculates it"
    if variable.variability == "constant":
        return "is constant"
    return ""


def _option_problems(options: Options, able: Interface, description: ModelDescription) -> Iterator[str]:
    if options.inputs_at not in INPUTS_AT:
        yield f'inputs_at: "{options.inputs_at}"{did_you_mean(options.inputs_at, INPUTS_AT)}'
    if options.tolerance is not None and not 0.0 < options.tolerance < 1.0:
        yield f"tolerance: {options.tolerance!r}; a number between 0 and 1 is needed"
    if options.redo_discarded and not able.can_get_and_set_state:
        yield "redo_discarded: this FMU cannot save its state (canGetAndSetFMUState), so that no step can be made again"
    for clock in (v for v in description.with_causality("input") if v.type == "Clock"):
        yield f'"{clock.name}" is an input clock, which would never tick: clocks are not supported'
    if not isinstance(options.logging, bool):
        for category in options.logging:
            if category not in description.log_categories:
                yield f'logging: "{category}": no such category{did_you_mean(category, description.log_categories)}'


def unit_of(description: ModelDescription, variable: Variable) -> Unit | None:
    """Return the unit of a variable as the FMU defines it; None when it does not."""
    unit = description.units.get(_unit_name(description, variable))
    declared = description.types.get(variable.declared_type)
    difference = variable.relative or (declared is not None and declared.relative)
    return replace(unit, difference=True) if unit is not None and difference else unit


def _unit_name(description: ModelDescription, variable: Variable) -> str:
    declared = description.types.get(variable.declared_type)
    return variable.unit or (declared.unit if declared else "")


def _is_multiple(value: float, of: float) -> bool:
    count = value / of
    return round(count) >= 1 and abs(count - round(count)) <= 1e-6 * max(count, 1.0)
