"""The settings that the core needs to run an FMU."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _core
from ..subsystems.longest_step import with_longest_step
from ..subsystems.models import solver_options
from .description import FLOATS, Variable
from .options import MODEL_EXCHANGE
from .values import core_type

if TYPE_CHECKING:
    from .imported_fmu import Fmu


def make_port(fmu: Fmu, variable: Variable) -> _core.fmi.Port:
    """Return a variable as the core reads and writes it."""
    major = fmu.description.major
    numbers = {clock.name: number for number, clock in enumerate(_clocks(fmu))}
    clocks = [numbers[name] for name in variable.clocks if name in numbers]
    kind, width = core_type(variable, major), fmu.width(variable)
    slope = fmu.connected_outputs is None or variable.name in fmu.connected_outputs or variable.causality == "input"
    continuous, written = is_continuous(variable), variable.name not in fmu.untouched_inputs
    return _core.fmi.Port(
        kind, variable.reference, width, continuous, clocks, variable.negated, slope, written, variable.name
    )


def is_continuous(variable: Variable) -> bool:
    """Return whether a variable is continuous; all others jump."""
    return variable.variability == "continuous" and variable.type in FLOATS


def _handles_events(fmu: Fmu) -> bool:
    return fmu.kind == MODEL_EXCHANGE or (fmu.options.events and fmu.interface.has_event_mode)


def _clocks(fmu: Fmu) -> list[Variable]:
    """Return the clocks that the importer handles, if any; local ones are handled by the FMU."""
    if not _handles_events(fmu):
        return []
    return [v for v in fmu.description.with_causality("input", "output") if v.ticks is not None]


def _clock_setup(clock: Variable) -> _core.fmi.ClockSetup:
    ticks = clock.ticks
    assert ticks is not None
    if clock.causality == "output":
        return _core.fmi.ClockSetup(clock.reference, _core.fmi.ClockKind.output, 0.0, 0.0)
    kind = ticks.kind if ticks.kind in ("changing", "countdown", "triggered") else "periodic"
    return _core.fmi.ClockSetup(clock.reference, getattr(_core.fmi.ClockKind, kind), ticks.interval or 0.0, ticks.shift)


def make_setup(fmu: Fmu, root: Path) -> _core.fmi.FmuSetup:
    """Return the settings of an FMU unpacked below ``root``."""
    able = fmu.interface
    inputs, outputs = fmu.ports
    setup = _core.fmi.FmuSetup()
    setup.major = fmu.description.major
    setup.instance = _instance_settings(fmu, root)
    setup.inputs = [fmu.port(v) for v in inputs]
    setup.outputs = [fmu.port(v) for v in outputs]
    setup.clocks = [_clock_setup(v) for v in _clocks(fmu)]
    structural = {v.name for v in fmu.description.with_causality("structuralParameter")}
    setup.structure = [a for name, a in fmu.assignments.items() if name in structural]
    setup.values = [a for name, a in fmu.assignments.items() if name not in structural]
    if fmu.spare is not None:
        setup.spare = fmu.spare
    setup.can_save = able.can_get_and_set_state
    setup.only_once = able.only_once_per_process
    if fmu.state is not None:
        setup.state, setup.memory = fmu.state.fmu, list(fmu.state.memory)
    setup.output_slopes = fmu.offers_derivatives
    if fmu.kind == MODEL_EXCHANGE:
        setup.integration = _integration(fmu)
        return setup
    setup.input_style = getattr(_core.fmi.InputStyle, fmu.input_style)
    setup.redo_discarded = fmu.options.redo_discarded
    setup.equal_steps = not able.variable_steps
    return setup


def _instance_settings(fmu: Fmu, root: Path) -> _core.fmi.InstanceSettings:
    options, able = fmu.options, fmu.interface
    resources = root / "resources"
    resources.mkdir(exist_ok=True)
    made = _core.fmi.InstanceSettings()
    made.name = options.name
    made.token = fmu.description.token
    made.identifier = able.model_identifier
    made.resources = _location(root, resources, fmu.description.major)
    made.tool = (fmu.description.tool or "unknown") if able.needs_execution_tool else ""
    made.visible = options.visible
    made.logging = bool(options.logging)
    made.categories = [] if isinstance(options.logging, bool) else list(options.logging)
    made.tolerance = options.tolerance or _handed_on(fmu) or 0.0
    if fmu.run_until is not None:
        made.stop_time = fmu.run_until
    if fmu.kind == MODEL_EXCHANGE:
        made.kind = _core.fmi.Kind.model_exchange
        if options.own_pace and options.tolerance is None:
            made.tolerance = solver_options(options.solver_options).relative_tolerance
        return made
    made.event_mode = _handles_events(fmu)
    made.early_return = made.event_mode and able.might_return_early
    if fmu.input_style == "intermediate":
        made.intermediate = [v.reference for v in fmu.ports[0] if v.variability == "continuous"]
    return made


def _handed_on(fmu: Fmu) -> float | None:
    """Return the tolerance that the FMU suggests; a tenth of that of the pace that steps it, where that is smaller."""
    suggested, wanted = fmu.description.experiment.tolerance, fmu.pace_tolerance
    if wanted is None:
        return suggested
    return min(0.1 * wanted, suggested or 1.0)


def _location(root: Path, resources: Path, major: int) -> str:
    """Return where the FMU finds its files: FMI 1 names the folder of all, FMI 2 and 3 that of the resources."""
    if major == 3:
        return f"{resources}{os.sep}"
    return root.as_uri() if major == 1 else resources.as_uri()


def _integration(fmu: Fmu) -> _core.fmi.IntegrationSetup:
    description = fmu.description
    made = _core.fmi.IntegrationSetup()
    made.solver = fmu.options.chosen_solver
    made.options = solver_options(_with_longest_step(fmu))
    made.states = description.state_count
    made.indicators = description.event_indicators
    made.completes_steps = fmu.interface.needs_completed_integrator_step
    # Without indicators and discrete variables there is nothing that others could see of an event.
    has_events = description.event_indicators > 0 or any(v.variability == "discrete" for v in description.variables)
    made.publishes_events = fmu.options.events and has_events
    made.outputs_use_inputs = bool(fmu.feedthrough)
    made.state_variables = [_core.fmi.StateVariable(v.name, v.reference, fmu.width(v)) for v in description.states]
    return made


def _with_longest_step(fmu: Fmu) -> dict[str, float]:
    """Return the options of the solver; its steps are limited to the shortest step of the subsystems that read it.

    Other subsystems and pictures interpolate linearly between its steps, however smooth its own solution is, and
    whatever its outputs do in between: those of an FMU without states are functions of time that no solver looks at.
    """
    return with_longest_step(fmu.options.solver_options, fmu) if fmu.own_pace else dict(fmu.options.solver_options)


def offers_derivatives(fmu: Fmu) -> bool:
    """Return whether dy/dt of all continuous outputs is known that are connected.

    Co-simulation: where the FMU provides it. Model exchange: where it follows from the states alone, that is, where an
    output is a state, or where the FMU has directional derivatives and lists states only as what the output depends
    on. Time is listed only by those that have it as a variable; du/dt is not known.
    """
    connected = fmu.connected_outputs
    outputs = [v for v in fmu.ports[1] if is_continuous(v) and (connected is None or v.name in connected)]
    doubles = all(v.type == "Float64" for v in outputs)
    if fmu.kind != MODEL_EXCHANGE:
        return doubles and fmu.interface.max_output_derivative_order > 0
    description = fmu.description
    states = {v.name for v in description.states}
    references = {v.reference for v in description.states}
    by_chain_rule = fmu.interface.provides_directional_derivatives and bool(description.with_causality("independent"))

    def follows_from_states(v: Variable) -> bool:
        depends = description.dependencies(v)
        return v.reference in references or (by_chain_rule and depends is not None and set(depends) <= states)

    return bool(outputs) and doubles and all(follows_from_states(v) for v in outputs)
