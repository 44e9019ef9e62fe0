"""From a system to what the core runs: numbers instead of names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from .approximations import Approximation, lagrange
from .checks import feedthrough_edges, find_problems
from .connection_units import conversion_of, warn_about_units
from .errors import AlgebraicLoopError, ModelError, SetupError, did_you_mean
from .feedthrough import longest_chain, tear_loops
from .ports import offsets
from .precedence import Scheme, scheme_problems, to_scheme, waits_for

if TYPE_CHECKING:
    from .system import Connection, System
    from .windows import Window

TIME_TOLERANCE = 1e-6
"""Times closer than this share of the smallest step are the same time."""


@dataclass(frozen=True)
class Link:
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
    links: tuple[Link, ...]
    scheme: Scheme
    start: float
    until: float


def make_plan(
    system: System,
    until: float | None,
    scheme: str | Scheme,
    start: float,
    *,
    host: str | None = None,
    approximation: Approximation | None = None,
    window: Window | None = None,
) -> Plan:
    """Check a system and translate it; raise SetupError with every problem found."""
    problems = find_problems(system, until, scheme, start, window)
    texts = [str(problem) for problem in problems] + _host_problems(system, scheme, host, approximation)
    if host is not None and window is not None:
        texts.append("window: a host steps by itself and is not taken back; leave out the window or the host")
    if len(texts) == 1 and problems and problems[0].loop:
        raise AlgebraicLoopError(problems[0].message, problems[0].loop)
    if texts:
        raise SetupError(texts)
    warn_about_units(system)
    start = float(start)
    known = to_scheme(scheme)
    _tell_step_of_listeners(system)
    natives = {name: entry.subsystem._native() for name, entry in system.subsystems.items()}
    steps = _steps(system, natives, start)
    waits = waits_for(known, steps, _pairs(system), _sources(system))
    end = math.inf if until is None else float(until)
    # A loop that exists at the start only, such as among FMUs, is solved there; others were refused above.
    chains, torn = tear_loops(feedthrough_edges(system, at_start=True), [c.target for c in system.connections])
    spec = _core.RunSpec(
        start=start,
        until=end,
        tolerance=_tolerance(steps if window is None else {**steps, "": window.length}, start, end),
        initial_passes=1 + longest_chain(chains),
    )
    names = tuple(system.subsystems)
    for port in torn:
        target, _, input_name = port.partition(".")
        widths = system.subsystems[target].subsystem.input_widths
        spec.tear_input(names.index(target), offsets(widths)[input_name], widths[input_name], port)
    for name in names:
        entry = system.subsystems[name]
        spec.add_participant(
            natives[name],
            entry.step or 0.0,
            _input_constants(system, name),
            [names.index(other) for other in waits[name]],
            entry.record,
            host is not None and name != host,
        )
    links = tuple(_add_connections(spec, system, names, waits, approximation or lagrange(1)))
    return Plan(spec, names, links, known, start, end)


def waiting(system: System, scheme: Scheme, start: float) -> dict[str, list[str]]:
    """Return for each subsystem those it waits for."""
    problems = scheme_problems(scheme, list(system.subsystems))
    if problems:
        raise SetupError([f"scheme: {problem}" for problem in problems])
    natives = {name: entry.subsystem._native() for name, entry in system.subsystems.items()}
    return waits_for(scheme, _steps(system, natives, start), _pairs(system), _sources(system))


def _host_problems(
    system: System, scheme: str | Scheme, host: str | None, approximation: Approximation | None
) -> list[str]:
    hosts = [name for name, entry in system.subsystems.items() if type(entry.subsystem).__name__ == "HostPorts"]
    problems = [
        f'subsystems.{name}: is a host that integrates by itself; call embed("{name}")'
        for name in hosts
        if name != host
    ]
    if host is None:
        return problems
    if host not in system.subsystems:
        problems.append(f'host: no subsystem "{host}"' + did_you_mean(host, system.subsystems))
    if str(scheme) not in ("slowest-first", "fastest-first"):
        problems.append(f'scheme: "{scheme}"; a host works with "slowest-first" or "fastest-first"')
    for index, connection in enumerate(system.connections):
        if connection.target.partition(".")[0] != host:
            continue
        for k, source in enumerate(connection.sources):
            known = source.partition(".")[0] in system.subsystems
            if known and _approximation(system, connection, k, approximation or lagrange(1)).depends_on_step:
                problems.append(
                    f"connections[{index}].approximation: needs to know the consumer's step, which a host does not tell"
                )
    return problems


def _pairs(system: System) -> list[tuple[str, str]]:
    return [
        (source.partition(".")[0], connection.target.partition(".")[0])
        for connection in system.connections
        for source in connection.sources
    ]


def _sources(system: System) -> list[str]:
    return [name for name, entry in system.subsystems.items() if not entry.subsystem.inputs]


def _steps(system: System, natives: dict[str, _core.Subsystem], start: float) -> dict[str, float]:
    """Step of each subsystem, typical for those at their own pace; a host is faster than all."""
    steps = {}
    for name, entry in system.subsystems.items():
        step = entry.step or entry.typical_step or entry.subsystem.typical_step
        if step is None and entry.subsystem.own_pace:
            step = _first_step(name, natives[name], start)
        steps[name] = 0.0 if step is None else float(step)
    return steps


def _tell_step_of_listeners(system: System) -> None:
    """Tell each subsystem the smallest step of those that listen to it."""
    listening: dict[str, list[float]] = {name: [] for name in system.subsystems}
    for source, target in _pairs(system):
        step = system.subsystems[target].step
        if step is not None:
            listening[source].append(step)
    for name, steps in listening.items():
        system.subsystems[name].subsystem.listeners_step = min(steps, default=None)


def _first_step(name: str, native: _core.Subsystem, start: float) -> float:
    try:
        native.start(start)
        return native.preferred_step
    except Exception as error:
        text = f"{name}: start at t = {start:.9g} s failed: {type(error).__name__}: {error}"
        raise ModelError(text, name, start) from error


def _tolerance(steps: dict[str, float], start: float, until: float) -> float:
    positive = [step for step in steps.values() if 0.0 < step < math.inf]
    latest = max(abs(start), abs(until) if math.isfinite(until) else 0.0, 1e-300)
    return max(TIME_TOLERANCE * min(positive, default=0.0), 16.0 * float(np.spacing(latest)))


def _input_constants(system: System, name: str) -> list[float]:
    subsystem = system.subsystems[name].subsystem
    values: list[float] = []
    for port, width in subsystem.input_widths.items():
        given = system.constants.get(f"{name}.{port}", subsystem.defaults.get(port, 0.0))
        values += np.broadcast_to(np.asarray(given, dtype=np.float64), (width,)).tolist()
    return values


def _approximation(system: System, connection: Connection, k: int, default: Approximation) -> Approximation:
    chosen = connection.approximations[k]
    owner, _, output = connection.sources[k].partition(".")
    target, _, port = connection.target.partition(".")
    needed = system.subsystems[target].subsystem.input_approximations.get(port)
    return chosen or system.subsystems[owner].subsystem.approximation_of(output) or needed or default


def _add_connections(
    spec: _core.RunSpec,
    system: System,
    names: tuple[str, ...],
    waits: dict[str, list[str]],
    default: Approximation,
) -> list[Link]:
    links: list[Link] = []
    laws = labels = 0
    for connection in system.connections:
        target, _, port = connection.target.partition(".")
        inputs = system.subsystems[target].subsystem.input_widths
        target_offset = offsets(inputs)[port]
        law = -1
        if connection.law is not None:
            widths = [system.port_width(source, "outputs") for source in connection.sources]
            spec.add_law(connection.law, widths, names.index(target), target_offset, inputs[port])
            law, laws = laws, laws + 1
        for k, full in enumerate(connection.sources):
            source, _, output = full.partition(".")
            outputs = system.subsystems[source].subsystem.output_widths
            converted = conversion_of(system, connection, full)
            spec.add_connection(
                names.index(source),
                offsets(outputs)[output],
                outputs[output],
                names.index(target),
                target_offset,
                inputs[port],
                _approximation(system, connection, k, default)._native(),
                connection.gains[k] * converted.gain,
                connection.gains[k] * converted.offset + (connection.offset if k == 0 else 0.0),
                connection.initial,
                law,
            )
            links.append(Link(full, connection.target, outputs[output], source in waits[target], labels))
            labels += outputs[output]
    return links
