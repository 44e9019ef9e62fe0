"""From a system to what the core runs: numbers instead of names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import _core
from ..approximations import Approximation
from ..errors import ModelError, SetupError
from ..pace import Limits
from ..pace._kinds import Controlled
from .approximation_choice import chosen_approximation
from .bond_notes import warn_about_bonds
from .checks import check_run, feedthrough_edges
from .connection_units import conversion_of, warn_about_units
from .error_growth import STRAIGHT, mean_over_end
from .event_plan import add_events, open_parameters
from .feedthrough import as_input, as_port, longest_chain, tear_loops
from .first_steps import PlannedStart, plan_first_steps
from .free_inputs import driven_inputs, free_inputs
from .options import RunOptions
from .pacing import (
    ASSUMING,
    NO_END,
    LawMaker,
    PacedSteps,
    Pacing,
    core_limits,
    pacing_of,
    rejects_steps,
    resolved_limits,
)
from .port_table import PortTable
from .precedence import Scheme, scheme_problems, to_scheme, waits_for
from .structure import Structure, remember, structure_of
from .time_resolution import time_tolerance
from .undefined import leave_unread
from .window_plan import compound_paces

if TYPE_CHECKING:
    from ..system import System

DRAWN_POINTS = 500
"""Least number of steps in a run of a subsystem at its own pace whose outputs are seen as lines between its steps."""


@dataclass(frozen=True)
class PlannedConnection:
    """One source of one connection, as the core numbers it."""

    source: str
    target: str
    width: int
    waits: bool
    first_label: int  #: a connection of several values has one label for each
    growth: float = STRAIGHT  #: mean of its error over a step, relative to that at the end


@dataclass
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
    structure: Structure  #: with what follows from it
    common: PacedSteps | None = None  #: how all subsystems step together
    singles: Mapping[str, PacedSteps] = field(default_factory=dict)
    wall_clock: _core.WallClock | None = None
    outputs: tuple[_core.OutputTolerance, ...] = ()  #: whose errors are estimated from two passes
    shared_length: _core.SharedLength | None = None  #: of the steps within a window
    first_steps: PlannedStart = field(default_factory=PlannedStart)
    compound: Mapping[str, tuple[float, _core.CompoundPace]] = field(default_factory=dict)  #: steps of those refined

    def release(self) -> None:
        """Let go of the core: names, places and times are left."""
        del self.spec
        self.common, self.singles = None, {}


def make_plan(system: System, options: RunOptions) -> Plan:
    """Check a system and translate it; raise SetupError with every problem found."""
    structure = structure_of(system, options)
    once = structure.once
    ports = once("ports", lambda: _checked_ports(structure, system, options))
    warn_about_bonds(system, options)
    start = float(options.start)
    until = math.inf if options.until is None else float(options.until)
    scheme = once("scheme", lambda: to_scheme(options.scheme))
    pacing = once("pacing", lambda: pacing_of(system, options))
    limits = _limits(system, pacing, until - start)
    _tell_of_run(system, start, options, pacing, once("heard", lambda: _heard(system)))
    if system.events:
        open_parameters(system)
        ports = PortTable(system)
    natives = _natives(system)
    steps = once("steps", lambda: _steps(system, natives, start, pacing, limits))
    waits = once("waits", lambda: waits_for(scheme, steps, _pairs(system), _sources(system)))
    chain, torn = once("chain", lambda: _chain(system))
    window = [] if options.window is None or options.window.length is None else [float(options.window.length)]
    fixed = once("fixed", lambda: _fixed_steps(system, pacing))
    paced = [limit.smallest for limit in limits.values() if limit.smallest is not None]
    tolerance = time_tolerance([*steps.values(), *paced, *window], [*fixed, *paced, *window], start, until)
    passes = 1 + chain if options.outside is None else max(1 + chain, options.outside.passes)
    spec = _core.RunSpec(start=start, until=until, tolerance=tolerance, initial_passes=passes)
    _tear_inputs(spec, ports, torn)
    laws = LawMaker(system, ports, options)
    singles = {name: laws.make(pace, limits[name], name) for name, pace in pacing.singles.items()}
    common = laws.make(pacing.common, limits[""]) if pacing.common is not None else None
    if common is not None and rejects_steps(system, pacing):
        common = replace(common, rejects=True)
    doubles = pacing.common is not None and pacing.common.kind == "doubling"
    shared = _core.SharedLength() if doubles else None
    compound = compound_paces(system, options, until, tolerance)
    paces = _core_paces(pacing, singles, shared) | compound
    constants = once("constants", lambda: [_input_constants(system, name) for name in system.subsystems])
    _add_participants(spec, system, natives, waits, options.host, paces=paces, constants=constants)
    for name in () if options.outside is None else options.outside.wanted_slopes:
        spec.send_slopes(list(system.subsystems).index(name))
    leave_unread(spec, system, options, paces)
    sources = once("sources", lambda: list(_sources_of_inputs(system, ports, waits, options)))
    _add_laws(spec, system, ports)
    connections = _add_connections(spec, sources)
    _check_defects(singles, common, connections)
    add_events(spec, system, ports, connections, start)
    outputs = laws.output_tolerances(pacing.common) if isinstance(pacing.common, Controlled) else ()
    clock = None if pacing.factor is None else _core.WallClock(pacing.factor, start)
    if clock is not None:
        spec.keep_to(clock)
    smallest = min([*fixed, *paced], default=math.inf)
    slopes = _with_slopes(natives)
    first = once(("first steps", slopes), lambda: plan_first_steps(system, options, waits, steps, slopes))
    return Plan(
        spec, tuple(system.subsystems), ports, connections, scheme, start, until, smallest, structure, common, singles,
        clock, tuple(outputs), shared, first, compound,
    )  # fmt: skip


def _checked_ports(structure: Structure, system: System, options: RunOptions) -> PortTable:
    """Check a system, and return its ports."""
    ports = PortTable(system)
    check_run(system, options, ports)
    warn_about_units(system)
    remember(structure, system, options)
    if structure.key is not None:
        ports.settle()
    return ports


def _chain(system: System) -> tuple[int, list[str]]:
    """Return the longest chain of direct feedthrough at the start, and the inputs that are torn out of loops.

    A loop that exists at the start only, such as among FMUs, is solved there; others were refused.
    """
    edges = feedthrough_edges(system, at_start=True)
    chains, torn = tear_loops(edges, [as_input(connection.target) for connection in system.connections])
    return longest_chain(chains), [as_port(name) for name in torn]


def _limits(system: System, pacing: Pacing, span: float) -> dict[str, Limits]:
    """Return the limits of each pace by subsystem; those of all together by the empty name."""
    found = {name: resolved_limits(pace, [system.subsystems[name]], span) for name, pace in pacing.singles.items()}
    if pacing.common is not None:
        parts = [system.subsystems[name] for name in pacing.members]
        found[""] = resolved_limits(pacing.common, parts, span)
    return found


def _core_paces(
    pacing: Pacing, singles: Mapping[str, PacedSteps], shared: _core.SharedLength | None
) -> dict[str, tuple[float, _core.Pace | None]]:
    """Return step and pace of those that do not simply have a step."""
    found: dict[str, tuple[float, _core.Pace | None]] = {name: (NO_END, shared) for name in pacing.members}
    for name, steps in singles.items():
        found[name] = (0.0, _core.law_pace(steps.law, core_limits(steps.limits, steps.pace)))
    return found


def _check_defects(
    singles: Mapping[str, PacedSteps], common: PacedSteps | None, connections: Iterable[PlannedConnection]
) -> None:
    """Refuse a subsystem that interpolates all its inputs: it assumes nothing that could be compared."""
    assuming = {connection.target.partition(".")[0] for connection in connections if not connection.waits}
    blind = [name for name, steps in singles.items() if steps.pace.kind == "defect" and name not in assuming]
    if common is not None and common.pace.kind in ASSUMING and not assuming:
        raise SetupError(
            f"pace: in this scheme each subsystem waits for all its sources, so {common.pace.kind} sees no error; "
            "use cp.pace.gradient, or another scheme"
        )
    if blind:
        raise SetupError(
            [
                f"subsystems.{name}.pace: in this scheme it waits for all its sources, so there is no defect; give "
                "the pace to run(...), use cp.pace.gradient, or another scheme"
                for name in blind
            ]
        )


def waiting(system: System, scheme: Scheme, start: float, span: float = math.inf) -> dict[str, list[str]]:
    """Return for each subsystem those it waits for in a run of a length (s), from which paces take their first step."""
    problems = scheme_problems(scheme, list(system.subsystems))
    if problems:
        raise SetupError([f"scheme: {problem}" for problem in problems])
    pacing = pacing_of(system, RunOptions())
    steps = _steps(system, _natives(system), start, pacing, _limits(system, pacing, span))
    return waits_for(scheme, steps, _pairs(system), _sources(system))


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
    *,
    paces: Mapping[str, tuple[float, _core.Pace | None]],
    constants: list[list[float]],
) -> None:
    indices = {name: index for index, name in enumerate(system.subsystems)}
    for (name, participant), values in zip(system.subsystems.items(), constants, strict=True):
        spec.add_participant(
            natives[name],
            paces[name][0] if name in paces else participant.step or 0.0,
            values,
            [indices[other] for other in waits[name]],
            participant.record,
            host is not None and name != host,
            paces[name][1] if name in paces else None,
        )


def _pairs(system: System) -> list[tuple[str, str]]:
    return [
        (source.partition(".")[0], connection.target.partition(".")[0])
        for connection in system.connections
        for source in connection.sources
    ]


def _sources(system: System) -> list[str]:
    return [name for name, participant in system.subsystems.items() if not participant.subsystem.inputs]


def _steps(
    system: System,
    natives: dict[str, _core.Subsystem],
    start: float,
    pacing: Pacing,
    limits: Mapping[str, Limits],
) -> dict[str, float]:
    """Step of each subsystem, typical for those at their own pace; a host is faster than all."""
    steps = {}
    for name, participant in system.subsystems.items():
        if pacing.of(name) is not None:
            limit = limits[name if name in pacing.singles else ""]
            steps[name] = participant.typical_step or limit.first or limit.smallest or 0.0
            continue
        step = participant.step or participant.typical_step or participant.subsystem.typical_step
        if step is None and participant.subsystem.own_pace:
            step = _first_step(name, natives[name], start)
        steps[name] = 0.0 if step is None else float(step)
    return steps


def _fixed_steps(system: System, pacing: Pacing) -> list[float]:
    return [
        float(participant.step)
        for name, participant in system.subsystems.items()
        if participant.step is not None and pacing.of(name) is None
    ]


class _Heard(NamedTuple):
    """Who listens to a subsystem, and to whom it does not listen."""

    step: float | None  #: the smallest fixed step of those that listen, s
    outputs: frozenset[str]
    free: frozenset[str]  #: of its inputs, if it needs them


def _heard(system: System) -> dict[str, _Heard]:
    """Return for each subsystem who listens to it, and which of its inputs are free."""
    steps: dict[str, list[float]] = {name: [] for name in system.subsystems}
    for source, target in _pairs(system):
        step = system.subsystems[target].step
        if step is not None:
            steps[source].append(step)
    sources = {source for connection in system.connections for source in connection.sources}
    driven = driven_inputs(system)
    return {
        name: _Heard(
            min(steps[name], default=None),
            frozenset(port for port in participant.subsystem.output_widths if f"{name}.{port}" in sources),
            free_inputs(system, name, driven) if participant.subsystem.keeps_free_inputs else frozenset(),
        )
        for name, participant in system.subsystems.items()
    }


def _tell_of_run(
    system: System, start: float, options: RunOptions, pacing: Pacing, heard: Mapping[str, _Heard]
) -> None:
    """Tell each subsystem when the run ends, which tolerance it keeps, who listens to it, and its free inputs."""
    until = math.inf if options.until is None else float(options.until)
    lasts = math.isfinite(until)
    for name, participant in system.subsystems.items():
        subsystem = participant.subsystem
        subsystem.listeners_step, subsystem.connected_outputs, subsystem.free_inputs = heard[name]
        subsystem.run_until = until if lasts else None
        pace = pacing.of(name) or pacing.common
        alone = participant.step is None and pace is None and lasts
        subsystem.drawn_step = (until - start) / DRAWN_POINTS if alone else None
        subsystem.step_parts = options.step_parts
        subsystem.pace_tolerance = None if pace is None else pace.tolerance


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
        own = subsystem.opened_parameters.get(port, 0.0)
        given = system.constants.get(f"{name}.{port}", subsystem.defaults.get(port, own))
        if isinstance(given, float | int):
            values += [float(given)] * width
        else:
            values += np.broadcast_to(np.asarray(given, dtype=np.float64), (width,)).tolist()
    return values


class _Source(NamedTuple):
    """One source of an input, as the core takes it."""

    place: tuple[int, int, int, int, int, int]  #: participant, offset and width of the output, and of the input
    approximation: Approximation
    scaling: tuple[float, float, float | None]  #: gain, offset, and the value while initial outputs are found
    law: int  #: -1: none
    planned: PlannedConnection


def _sources_of_inputs(
    system: System, ports: PortTable, waits: dict[str, list[str]], options: RunOptions
) -> Iterator[_Source]:
    waited_for = {name: set(others) for name, others in waits.items()}
    laws = labels = 0
    for connection in system.connections:
        target = ports.place(connection.target, "inputs")
        law = -1
        if connection.law is not None:
            law, laws = laws, laws + 1
        for k, full in enumerate(connection.sources):
            source = ports.place(full, "outputs")
            converted = conversion_of(system, connection, full)
            approximation = chosen_approximation(system, connection, k, options)
            gain = connection.gains[k] * converted.gain
            offset = connection.gains[k] * converted.offset + (connection.offset if k == 0 else 0.0)
            waits_too = full.partition(".")[0] in waited_for[connection.target.partition(".")[0]]
            growth = STRAIGHT if waits_too else mean_over_end(approximation)
            yield _Source(
                (source.participant, source.offset, source.width, target.participant, target.offset, target.width),
                approximation,
                (gain, offset, connection.initial),
                law,
                PlannedConnection(full, connection.target, source.width, waits_too, labels, growth),
            )
            labels += source.width


def _add_connections(spec: _core.RunSpec, sources: Iterable[_Source]) -> tuple[PlannedConnection, ...]:
    for source in sources:
        spec.add_connection(*source.place, source.approximation._native(), *source.scaling, source.law)
    return tuple([source.planned for source in sources])


def _add_laws(spec: _core.RunSpec, system: System, ports: PortTable) -> None:
    for connection in system.connections:
        if connection.law is not None:
            target = ports.place(connection.target, "inputs")
            widths = [ports.place(source, "outputs").width for source in connection.sources]
            spec.add_law(_core.python_law(connection.law, widths, target.width), target.participant, target.offset)
