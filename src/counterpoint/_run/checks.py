"""Everything that can be wrong with a system before it runs, found in one go."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .._common.numbers import MOST_THREADS, is_number, is_whole
from ..approximations import Approximation
from ..errors import AlgebraicLoopError, SetupError, did_you_mean
from ..windows import Window
from .connection_units import unit_problems
from .event_plan import event_problems
from .feedthrough import as_input, as_port, dependency_edges, find_loop
from .first_steps import first_steps_problems
from .free_inputs import driven_inputs
from .host_checks import host_problems
from .host_ports import HostPorts
from .options import RunOptions
from .pace_checks import pace_problems
from .pacing import pacing_of, with_fixed_steps
from .port_table import PortTable
from .precedence import Scheme, scheme_problems, to_scheme
from .problem import Problem
from .time_resolution import step_problems
from .window_checks import window_problems
from .window_plan import with_window

if TYPE_CHECKING:
    from ..subsystems import Subsystem
    from ..system import Connection, System


def check_run(system: System, options: RunOptions, ports: PortTable) -> None:
    """Raise SetupError with every problem that keeps a system from running in this way."""
    problems = [*_threads(options.threads), *find_problems(system, options, ports), *host_problems(system, options)]
    if len(problems) == 1 and problems[0].loop:
        raise AlgebraicLoopError(problems[0].message, problems[0].loop)
    if problems:
        raise SetupError([str(problem) for problem in problems])


def find_problems(system: System, options: RunOptions, ports: PortTable) -> list[Problem]:
    """Return every problem of a system itself, for the span, scheme and window of a run."""
    system = with_fixed_steps(system, options)
    options = with_window(system, options)
    problems = [
        *_span(options.until, options.start),
        *_steps(system, options),
        *_approximation(options),
        *_models(system),
        *_ports(system, ports),
        *_constants(system, ports),
        *_drivers(system),
        *_units(system),
        *_scheme(system, options.scheme),
        *window_problems(system, options),
        *_window_length(options),
        *first_steps_problems(options),
        *pace_problems(system, options, ports),
        *event_problems(system, options, ports),
    ]
    return problems or list(_loops(system))


def feedthrough_edges(system: System, *, at_start: bool = False) -> dict[str, list[str]]:
    """Return which ports depend on which at the same instant, always or (``at_start``) when a run begins.

    Inputs are called as :func:`as_input` says.
    """
    connections = [
        (source, as_input(connection.target))
        for connection in system.connections
        if connection.initial is None
        for source in connection.sources
    ]
    inside = [
        (as_input(f"{name}.{u}"), f"{name}.{y}")
        for name, participant in system.subsystems.items()
        for y, u in (
            *participant.subsystem.feedthrough,
            *(participant.subsystem.initial_feedthrough if at_start else ()),
        )
    ]
    return dependency_edges(connections, inside)


def loop_message(loop: list[str]) -> str:
    """Say what an algebraic loop is made of and how to break it."""
    return (
        "algebraic loop " + " -> ".join(loop) + ": each of these needs the next at the same instant; "
        "give one of the connections an initial value (initial=...), which then also delays it by a step, "
        "or exchange a state instead of an output with direct feedthrough"
    )


def _threads(threads: object) -> Iterator[Problem]:
    if not is_whole(threads, 1, MOST_THREADS):
        yield Problem("threads", f"{threads!r}; expected an integer of at least 1 and at most {MOST_THREADS}")


def _span(until: float | None, start: float) -> Iterator[Problem]:
    if not is_number(start):
        yield Problem("start", f"{start!r}; expected a finite time in s")
    elif until is not None and not is_number(until):
        yield Problem("until", f"{until!r}; expected a finite time in s")
    elif until is not None and until <= start:
        yield Problem("until", f"{until} s; it must come after the start, {start} s")


def _paced(system: System, options: RunOptions) -> set[str]:
    """Return the subsystems whose steps a pace chooses."""
    try:
        pacing = pacing_of(system, options)
    except SetupError:
        return set()  # reported with the pace
    return {*pacing.members, *pacing.singles}


def _steps(system: System, options: RunOptions) -> Iterator[Problem]:
    until, start = options.until, options.start
    if not system.subsystems:
        yield Problem("subsystems", "there are none; add one")
    span = float(until - start) if until is not None and is_number(until) and is_number(start) else math.inf
    too_small = partial(_too_small, start, until)
    paced = _paced(system, options)
    for name, participant in system.subsystems.items():
        where = f"subsystems.{name}.step"
        if participant.step is None:
            if name in paced:
                continue
            if not participant.subsystem.own_pace and not isinstance(participant.subsystem, HostPorts):
                yield Problem(where, _missing_step(participant.subsystem))
        elif not is_number(participant.step) or participant.step <= 0.0:
            yield Problem(where, f"{participant.step!r}; expected a positive number of seconds")
        elif span > 0.0 and math.isfinite(span) and participant.step > span * (1.0 + 1e-9):
            yield Problem(where, f"{participant.step} s is longer than the run of {span} s; use at most {span} s")
        elif wrong := too_small(participant.step):
            yield Problem(where, wrong)
        elif name not in paced:
            for text in participant.subsystem.step_problems(float(participant.step), span):
                yield Problem(where, text)


def _missing_step(subsystem: Subsystem) -> str:
    text = "is missing; give a step in s, for the model does not choose its own"
    return text if subsystem.step_to_try is None else f"{text}: for example step={subsystem.step_to_try:g}"


def _too_small(start: float, until: float | None, step: float) -> str:
    """Say why the numbers cannot tell so small steps apart; nothing when they can, or when the span is wrong anyway."""
    end = math.inf if until is None else until
    if not is_number(start) or (until is not None and not is_number(until)):
        return ""
    return "; ".join(step_problems(float(step), float(start), float(end)))


def _window_length(options: RunOptions) -> Iterator[Problem]:
    if isinstance(options.window, Window) and options.window.length is not None:
        wrong = _too_small(options.start, options.until, options.window.length)
        if wrong:
            yield Problem("window.length", wrong)


def _approximation(options: RunOptions) -> Iterator[Problem]:
    if not isinstance(options.approximation, Approximation | None):
        yield Problem("approximation", f"{options.approximation!r}; expected an approximation such as cp.lagrange(1)")


def _models(system: System) -> Iterator[Problem]:
    """Check what a subsystem says about itself."""
    for name, participant in system.subsystems.items():
        model = participant.subsystem
        where = f"subsystems.{name}"
        if participant.typical_step is not None and (
            not is_number(participant.typical_step) or participant.typical_step <= 0.0
        ):
            yield Problem(
                f"{where}.typical_step", f"{participant.typical_step!r}; expected a positive number of seconds"
            )
        for y, u in model.feedthrough:
            if y not in model.outputs:
                yield Problem(f"{where}.feedthrough", f'no output "{y}"' + did_you_mean(y, model.outputs))
            if u not in model.inputs:
                yield Problem(f"{where}.feedthrough", f'no input "{u}"' + did_you_mean(u, model.inputs))
        widths = model.input_widths
        for u, value in model.defaults.items():
            if u not in model.inputs:
                yield Problem(f"{where}.defaults", f'no input "{u}"' + did_you_mean(u, model.inputs))
            else:
                yield from value_problems(f'{where}.defaults."{u}"', value, widths[u])


def value_problems(where: str, value: ArrayLike, width: int) -> Iterator[Problem]:
    """Check the value of an input of `width` scalars."""
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        yield Problem(where, f"{value!r}; expected a number")
        return
    if numbers.shape not in ((width,), (1,)) or not np.all(np.isfinite(numbers)):
        yield Problem(where, f"{value!r}; {width} finite number{'s' if width > 1 else ''} needed")


def _ports(system: System, ports: PortTable) -> Iterator[Problem]:
    for index, connection in enumerate(system.connections):
        where = f"connections[{index}]"
        widths: dict[str, int] = {}
        for source in connection.sources:
            try:
                widths[source] = ports.place(source, "outputs").width
            except SetupError as error:
                yield Problem(f"{where}.from", str(error))
        try:
            width = ports.place(connection.target, "inputs").width
        except SetupError as error:
            yield Problem(f"{where}.to", str(error))
            continue
        yield from _shapes(where, connection, widths, width)


def _shapes(where: str, connection: Connection, widths: dict[str, int], width: int) -> Iterator[Problem]:
    for source, got in widths.items():
        if connection.law is None and got != width:
            yield Problem(
                where,
                f'"{source}" has {got} values, "{connection.target}" takes {width}; the widths must agree',
            )


def _constants(system: System, ports: PortTable) -> Iterator[Problem]:
    for target, value in system.constants.items():
        where = f'set."{target}"'
        try:
            width = ports.place(target, "inputs").width
        except SetupError as error:
            yield Problem(where, str(error))
            continue
        yield from value_problems(where, value, width)


def _drivers(system: System) -> Iterator[Problem]:
    driven: dict[str, str] = {}
    for index, connection in enumerate(system.connections):
        text = " + ".join(f'"{source}"' for source in connection.sources)
        if connection.target in driven:
            yield Problem(
                f"connections[{index}].to",
                f'"{connection.target}" is driven twice, by {driven[connection.target]} and by {text}; '
                "to add signals, name them in one connection: from = [..., ...]",
            )
        driven.setdefault(connection.target, text)
    for target in system.constants:
        if target in driven:
            yield Problem(f'set."{target}"', f"is driven by {driven[target]} already; remove one of the two")
    given = driven_inputs(system)
    for name, participant in system.subsystems.items():
        subsystem = participant.subsystem
        for port in subsystem.inputs:
            full = f"{name}.{port}"
            has_value = port in subsystem.defaults or (subsystem.keeps_free_inputs and full not in given)
            if full not in driven and full not in system.constants and not has_value:
                yield Problem(
                    f"subsystems.{name}",
                    f'input "{full}" is not connected; connect it or set a constant value',
                )


def _units(system: System) -> Iterator[Problem]:
    for index, connection in enumerate(system.connections):
        for text in unit_problems(system, connection):
            yield Problem(f"connections[{index}]", text)


def _scheme(system: System, scheme: str | Scheme) -> Iterator[Problem]:
    try:
        known = to_scheme(scheme)
    except SetupError as error:
        yield Problem("scheme", str(error).removeprefix("scheme: "))
        return
    for text in scheme_problems(known, list(system.subsystems)):
        yield Problem("scheme", text)


def _loops(system: System) -> Iterator[Problem]:
    loop = [as_port(name) for name in find_loop(feedthrough_edges(system))]
    if loop:
        yield Problem("connections", loop_message(loop), tuple(loop))
