"""Planned events: checks before a run, and their specification for the core."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from .._common.numbers import is_number
from ..errors import SetupError, did_you_mean
from ..events import Action, Condition, PlannedEvent
from .port_table import PortTable
from .problem import Problem

if TYPE_CHECKING:
    from ..subsystems import Subsystem
    from ..system import System
    from .options import RunOptions
    from .plan import PlannedConnection

_COMPONENT = re.compile(r"(?P<port>.*)\[(?P<index>\d+)\]")
_KINDS = {
    "override": _core.ActionKind.set,
    "scale": _core.ActionKind.scale,
    "offset": _core.ActionKind.offset,
    "stuck": _core.ActionKind.stuck,
    "noise": _core.ActionKind.noise,
    "release": _core.ActionKind.release,
}


@dataclass(frozen=True)
class _Target:
    """Where an event acts, as the core numbers it."""

    participant: int
    offset: int
    width: int
    source: str = ""  #: of a connection


def events_before(system: System, until: float) -> list[PlannedEvent]:
    """Return the events that a run to a time (s) may come to: one that covers the beginning leaves out later ones."""
    return [event for event in system.events if event.at is None or event.at < until]


def event_problems(system: System, options: RunOptions, ports: PortTable) -> Iterator[Problem]:
    """Yield everything that is wrong with the events of a system for the span of a run."""
    for index, event in enumerate(system.events):
        where = f"events[{index}]"
        yield from _time_problems(where, event, options)
        try:
            width = _target(system, ports, event.target).width
        except SetupError as error:
            yield Problem(f"{where}.target", str(error))
        else:
            yield from _action_problems(where, event, width)
        for output in event.condition.outputs if event.condition is not None else ():
            try:
                _output(ports, output)
            except SetupError as error:
                yield Problem(f"{where}.when", str(error))


def _time_problems(where: str, event: PlannedEvent, options: RunOptions) -> Iterator[Problem]:
    start, end = options.start, options.until
    for key in ("at", "until", "lasting"):
        value = getattr(event, key)
        needed = key == "at" and event.condition is None
        if (value is not None or needed) and not is_number(value):
            yield Problem(f"{where}.{key}", f"{value!r}; expected a finite time in s")
            return
    if event.lasting is not None and event.lasting <= 0.0:
        yield Problem(f"{where}.lasting", f"{event.lasting} s; expected a positive number of seconds")
    if event.at is not None and event.until is not None and event.until <= event.at:
        yield Problem(f"{where}.until", f"{event.until} s; it must come after the event at {event.at} s")
    if not is_number(start) or (end is not None and not is_number(end)):
        return  # told elsewhere
    if event.at is not None and event.at < start:
        yield Problem(f"{where}.at", f"{event.at} s; it must not come before the start of the run, {start} s")
    if event.at is not None and end is not None and event.at >= end:
        yield Problem(f"{where}.at", f"{event.at} s; it must come before the end of the run, {end} s")
    if event.until is not None and event.until <= start:
        yield Problem(f"{where}.until", f"{event.until} s; it must come after the start of the run, {start} s")


def _action_problems(where: str, event: PlannedEvent, width: int) -> Iterator[Problem]:
    count = len(event.action.values)
    if count not in (0, 1, width):
        yield Problem(where, f'{count} values for "{event.target}", which has {width}')
    if event.action.kind == "release" and (event.until is not None or event.lasting is not None):
        yield Problem(where, "a release has no end; leave out until and lasting")


def _target(system: System, ports: PortTable, target: str) -> _Target:
    """Return where an event acts; raise SetupError with a hint when there is no such place."""
    source, arrow, sink = (part.strip() for part in target.partition("->"))
    if arrow:
        known = [f"{s} -> {c.target}" for c in system.connections for s in c.sources]
        if f"{source} -> {sink}" not in known:
            raise SetupError(f'"{target}": no such connection{did_you_mean(f"{source} -> {sink}", known)}')
        given, place = ports.place(source, "outputs"), ports.place(sink, "inputs")
        return _Target(place.participant, place.offset, given.width, source)
    name, _, port = target.partition(".")
    subsystem = system.subsystems[name].subsystem if name in system.subsystems else None
    if subsystem is not None and port not in subsystem.input_widths and subsystem.open_parameter(port):
        ports = PortTable(system)
    found = _COMPONENT.fullmatch(target)
    try:
        if found is not None:
            return _component(ports, found["port"], int(found["index"]))
        place = ports.place(target, "inputs")
    except SetupError as error:
        raise SetupError(f"{error}{_hint(subsystem, port)}") from None
    return _Target(place.participant, place.offset, place.width)


def _component(ports: PortTable, port: str, index: int) -> _Target:
    place = ports.place(port, "inputs")
    if index >= place.width:
        raise SetupError(f'"{port}[{index}]": "{port}" has {place.width} components')
    return _Target(place.participant, place.offset + index, 1)


def _hint(subsystem: Subsystem | None, port: str) -> str:
    """Say what else the subsystem has that an event could change."""
    if subsystem is None:
        return ""
    if port in subsystem.outputs:
        return "; it is an output: name a connection from it, 'a.y -> b.u'"
    tunable = ", ".join(f'"{one}"' for one in subsystem.tunable_parameters) or "none"
    return f"; parameters that can change during a run: {tunable}"


def _output(ports: PortTable, output: str) -> tuple[int, int]:
    """Return participant and column of a scalar output, which may be a component, ``a.p[0]``."""
    try:
        place, index = ports.place(output, "outputs"), 0
    except SetupError:
        found = _COMPONENT.fullmatch(output)
        if found is None:
            raise
        place, index = ports.place(found["port"], "outputs"), int(found["index"])
        if index >= place.width:
            raise SetupError(f'"{output}": "{found["port"]}" has {place.width} components') from None
        return place.participant, place.offset + index
    if place.width != 1:
        raise SetupError(f'"{output}" has {place.width} values; name one, "{output}[0]"')
    return place.participant, place.offset


def open_parameters(system: System) -> None:
    """Make ports of the parameters that events change, before the subsystems are made."""
    ports = PortTable(system)
    for event in system.events:
        _target(system, ports, event.target)


def add_events(
    spec: _core.RunSpec, system: System, ports: PortTable, connections: Sequence[PlannedConnection], start: float
) -> None:
    """Tell the core of all events."""
    conditions = 0
    for event in system.events:
        place = _target(system, ports, event.target)
        number = -1
        if event.condition is not None:
            _add_condition(spec, ports, event.condition)
            number, conditions = conditions, conditions + 1
        spec.add_input_event(
            place.participant,
            place.offset,
            place.width,
            _connection_number(connections, event.target) if place.source else -1,
            start if event.at is None else float(event.at),
            math.inf if event.until is None else float(event.until),
            math.inf if event.lasting is None else float(event.lasting),
            number,
            _action(event.action, place.width),
        )
        if _may_jump(system, event.target):
            spec.let_jump(place.participant)
    if system.events:
        spec.end_steps_at_events()


def _connection_number(connections: Sequence[PlannedConnection], target: str) -> int:
    source, _, sink = (part.strip() for part in target.partition("->"))
    return next(k for k, c in enumerate(connections) if (c.source, c.target) == (source, sink))


def _add_condition(spec: _core.RunSpec, ports: PortTable, condition: Condition) -> None:
    outputs = [_output(ports, output) for output in condition.outputs]
    if condition.function is not None:
        function = condition.function
        law = _core.python_law(lambda *values: float(function(*values)), [1] * len(outputs), 1)
    else:
        law = _core.threshold(list(condition.weights), condition.constant, condition.or_equal)
    spec.add_condition(outputs, law)


def _action(action: Action, width: int) -> _core.Action:
    values = list(action.values) * (width if len(action.values) == 1 else 1)
    return _core.Action(_KINDS[action.kind], values, action.seed, action.every or 0.0)


def _may_jump(system: System, target: str) -> bool:
    """Whether outputs may change at once with the target: by direct feedthrough, or because it is a parameter."""
    name, _, port = target.rpartition("->")[2].strip().partition(".")
    port = port.partition("[")[0]
    subsystem = system.subsystems[name].subsystem
    return port in subsystem.opened_parameters or any(u == port for _, u in subsystem.feedthrough)
