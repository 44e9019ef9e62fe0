"""From a system to what the core runs: numbers instead of names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..errors import ModelError, SetupError
from .approximation_choice import chosen_approximation
from .checks import check_run, feedthrough_edges
from .connection_units import conversion_of, warn_about_units
from .feedthrough import longest_chain, tear_loops
from .first_steps import PlannedStart, plan_first_steps
from .options import RunOptions
from .port_table import PortTable
from .precedence import Scheme, scheme_problems, to_scheme, waits_for
from .time_resolution import time_tolerance

if TYPE_CHECKING:
    from ..system import System


@dataclass(frozen=True)
class PlannedConnection:
    """One source of one connection, as the core numbers it."""

    source: str
    target: str
    width: int
    waits: bool
    first_label: int  #: a connection of several values has one label for each


@dataclass(frozen=True)
class Plan:
    """What the core needs to run a system, and the names that belong to its numbers."""

    spec: _core.RunSpec
    names: tuple[str, ...]
    ports: PortTable
    connections: tuple[PlannedConnection, ...]
    scheme: Scheme
    start: float
    until: float
    smallest_step: float  #: of those that are fixed, s
    first_steps: PlannedStart


def make_plan(system: System, options: RunOptions) -> Plan:
    """Check a system and translate it; raise SetupError with every problem found."""
    check_run(system, options)
    warn_about_units(system)
    start = float(options.start)
    until = math.inf if options.until is None else float(options.until)
    scheme = to_scheme(options.scheme)
    _tell_step_of_listeners(system)
    _tell_of_run(system, until)
    natives = _natives(system)
    steps = _steps(system, natives, start)
    waits = waits_for(scheme, steps, _pairs(system), _sources(system))
    # A loop that exists at the start only, such as among FMUs, is solved there; others were refused above.
    chains, torn = tear_loops(feedthrough_edges(system, at_start=True), [c.target for c in system.connections])
    window = [] if options.window is None else [float(options.window.length)]
    fixed = _fixed_steps(system)
    spec = _core.RunSpec(
        start=start,
        until=until,
        tolerance=time_tolerance([*steps.values(), *window], [*fixed, *window], start, until),
        initial_passes=1 + longest_chain(chains),
    )
    ports = PortTable(system)
    _tear_inputs(spec, ports, torn)
    _add_participants(spec, system, natives, waits, options.host)
    connections = tuple(_add_connections(spec, system, ports, waits, options))
    return Plan(
        spec, tuple(system.subsystems), ports, connections, scheme, start, until, min(fixed, default=math.inf),
        plan_first_steps(system, options, waits, steps, _with_slopes(natives)),
    )  # fmt: skip


def waiting(system: System, scheme: Scheme, start: float) -> dict[str, list[str]]:
    """Return for each subsystem those it waits for."""
    problems = scheme_problems(scheme, list(system.subsystems))
    if problems:
        raise SetupError([f"scheme: {problem}" for problem in problems])
    return waits_for(scheme, _steps(system, _natives(system), start), _pairs(system), _sources(system))


def _natives(system: System) -> dict[str, _core.Subsystem]:
    return {name: participant.subsystem._native() for name, participant in system.subsystems.items()}


def _with_slopes(natives: dict[str, _core.Subsystem]) -> frozenset[str]:
    return frozenset(name for name, native in natives.items() if native.offers_derivatives)


def _tear_inputs(spec: _core.RunSpec, ports: PortTable, torn: Iterable[str]) -> None:
    for port in torn:
        place = ports.place(port, "inputs")
        spec.tear_input(place.participant, place.offset, place.width, port)


def _add_participants(
    spec: _core.RunSpec,
    system: System,
    natives: dict[str, _core.Subsystem],
    waits: dict[str, list[str]],
    host: str | None,
) -> None:
    indices = {name: index for index, name in enumerate(system.subsystems)}
    for name, participant in system.subsystems.items():
        spec.add_participant(
            natives[name],
            participant.step or 0.0,
            _input_constants(system, name),
            [indices[other] for other in waits[name]],
            participant.record,
            host is not None and name != host,
        )


def _pairs(system: System) -> list[tuple[str, str]]:
    return [
        (source.partition(".")[0], connection.target.partition(".")[0])
        for connection in system.connections
        for source in connection.sources
    ]


def _sources(system: System) -> list[str]:
    return [name for name, participant in system.subsystems.items() if not participant.subsystem.inputs]


def _steps(system: System, natives: dict[str, _core.Subsystem], start: float) -> dict[str, float]:
    """Step of each subsystem, typical for those at their own pace; a host is faster than all."""
    steps = {}
    for name, participant in system.subsystems.items():
        step = participant.step or participant.typical_step or participant.subsystem.typical_step
        if step is None and participant.subsystem.own_pace:
            step = _first_step(name, natives[name], start)
        steps[name] = 0.0 if step is None else float(step)
    return steps


def _fixed_steps(system: System) -> list[float]:
    return [float(participant.step) for participant in system.subsystems.values() if participant.step is not None]


def _tell_step_of_listeners(system: System) -> None:
    """Tell each subsystem the smallest step of those that listen to it."""
    listening: dict[str, list[float]] = {name: [] for name in system.subsystems}
    for source, target in _pairs(system):
        step = system.subsystems[target].step
        if step is not None:
            listening[source].append(step)
    for name, steps in listening.items():
        system.subsystems[name].subsystem.listeners_step = min(steps, default=None)


def _tell_of_run(system: System, until: float) -> None:
    """Tell each subsystem when the run ends and which of its outputs are connected."""
    sources = {source for connection in system.connections for source in connection.sources}
    for name, participant in system.subsystems.items():
        subsystem = participant.subsystem
        subsystem.run_until = until if math.isfinite(until) else None
        subsystem.connected_outputs = frozenset(port for port in subsystem.output_widths if f"{name}.{port}" in sources)


def _first_step(name: str, native: _core.Subsystem, start: float) -> float:
    try:
        native.start(start)
        return native.preferred_step
    except Exception as error:
        failure = _core.Failure.of_start(start, f"{type(error).__name__}: {error}")
        raise ModelError(failure.sentence(name, ""), name, start) from error


def _input_constants(system: System, name: str) -> list[float]:
    subsystem = system.subsystems[name].subsystem
    values: list[float] = []
    for port, width in subsystem.input_widths.items():
        given = system.constants.get(f"{name}.{port}", subsystem.defaults.get(port, 0.0))
        values += np.broadcast_to(np.asarray(given, dtype=np.float64), (width,)).tolist()
    return values


def _add_connections(
    spec: _core.RunSpec, system: System, ports: PortTable, waits: dict[str, list[str]], options: RunOptions
) -> Iterator[PlannedConnection]:
    waited_for = {name: set(others) for name, others in waits.items()}
    laws = labels = 0
    for connection in system.connections:
        target = ports.place(connection.target, "inputs")
        sources = [ports.place(source, "outputs") for source in connection.sources]
        law = -1
        if connection.law is not None:
            native = _core.python_law(connection.law, [source.width for source in sources], target.width)
            spec.add_law(native, target.participant, target.offset)
            law, laws = laws, laws + 1
        for k, (full, source) in enumerate(zip(connection.sources, sources, strict=True)):
            converted = conversion_of(system, connection, full)
            spec.add_connection(
                source.participant,
                source.offset,
                source.width,
                target.participant,
                target.offset,
                target.width,
                chosen_approximation(system, connection, k, options)._native(),
                connection.gains[k] * converted.gain,
                connection.gains[k] * converted.offset + (connection.offset if k == 0 else 0.0),
                connection.initial,
                law,
            )
            waits_too = full.partition(".")[0] in waited_for[connection.target.partition(".")[0]]
            yield PlannedConnection(full, connection.target, source.width, waits_too, labels)
            labels += source.width
