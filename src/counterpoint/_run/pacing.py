"""Which subsystems step by which pace, and the laws of the core that choose their steps."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._common.ports import columns
from ..approximations import Approximation
from ..errors import SetupError
from ..pace import Arrival, Limits, Pace, Step
from ..pace._contract import as_pace
from ..pace._kinds import Controlled, Fixed, Gradient, PerSignal, RealTime, Table
from .approximation_choice import chosen_approximation
from .connection_units import conversion_of
from .host_ports import HostPorts
from .options import RunOptions
from .port_table import PortTable

if TYPE_CHECKING:
    from ..system import Connection, Participant, System

FIRST_SHARE = 1e-4
"""The first step as a share of the run, where none is given."""
LARGEST_SHARE = 0.05
"""The largest step of a pace that estimates errors, as a share of the run."""
SMALLEST_SHARE = 1e-6
STABLE_SHARE = 0.9
"""Of the longest stable step of a solver: with that itself, a mode that should die away stays."""
REDUCTION = 0.2
"""A step of a pace that estimates errors is at least so many times the one before."""
SIZE_STEPS = 50
"""First steps in which a signal that began at zero is assumed to reach its size at its present rate."""
ASSUMING = ("defect", "predictor-corrector", "doubling")
"""Paces that estimate errors from what was extrapolated."""
NO_END = 1e300
"""A step in s that the end of a window always cuts."""


@dataclass(frozen=True)
class Pacing:
    """Who steps by which pace."""

    common: Pace | None  #: of all members together
    members: tuple[str, ...]
    singles: Mapping[str, Pace]
    factor: float | None  #: simulated seconds per second of wall time

    def of(self, name: str) -> Pace | None:
        """Return the pace of a subsystem; None: its step, or its own steps."""
        return self.common if name in self.members else self.singles.get(name)


def pacing_of(system: System, options: RunOptions) -> Pacing:
    """Return the paces of a run; raise SetupError for what is none."""
    given, factor = as_pace(options.pace), options.real_time
    if isinstance(given, RealTime):
        if factor is not None and factor != given.factor:
            raise SetupError(f"pace: {given}, but real_time={factor!r}; give one of them")
        factor, given = given.factor, given.pace
    if isinstance(given, Fixed):  # the system has these steps already
        given = None
    singles = {
        name: part.pace
        for name, part in system.subsystems.items()
        if part.pace is not None and not isinstance(part.pace, Fixed)
    }
    members = () if given is None else tuple(name for name, p in system.subsystems.items() if joins_common_pace(p))
    return Pacing(given, members, singles, factor)


def with_fixed_steps(system: System, options: RunOptions) -> System:
    """Return the system with the fixed step that a run gives to all; itself when it gives none."""
    given = options.pace.pace if isinstance(options.pace, RealTime) else options.pace
    if not isinstance(given, Fixed):
        return system
    made = copy(system)
    made.subsystems = {
        name: replace(part, step=given.step) if joins_common_pace(part) else part
        for name, part in system.subsystems.items()
    }
    return made


def joins_common_pace(participant: Participant) -> bool:
    """Whether the pace of a run chooses the steps of a subsystem: unless it has its own, or chooses them itself."""
    if participant.pace is not None or isinstance(participant.subsystem, HostPorts):
        return False
    return participant.step is not None or not participant.subsystem.own_pace


def resolved_limits(pace: Pace, parts: Sequence[Participant], span: float) -> Limits:
    """Return the limits of a pace in a run of a length (s), for these subsystems."""
    given = pace.limits
    if isinstance(pace, Table):
        shortest = min(pace.steps)
        return Limits(shortest, 0.5 * shortest, math.inf, None, given.align)
    if isinstance(pace, Gradient) and pace.tolerance is None:
        return Limits(given.first, given.smallest, given.largest, given.growth, given.align)
    known = [part.step for part in parts if part.step is not None]
    if not isinstance(pace, Controlled | Gradient):
        smallest = given.smallest or (1e-3 * SMALLEST_SHARE * span if math.isfinite(span) else None)
        return Limits(given.first or min(known, default=None), smallest, given.largest, given.growth, given.align)
    first = given.first or min(known, default=None) or (FIRST_SHARE * span if math.isfinite(span) else None)
    if first is None:
        raise SetupError("pace.first: is missing; a run without an end needs the length of the first step in s")
    stable = max(_longest_stable(parts), given.smallest or 0.0) if given.largest is None else math.inf
    largest = given.largest or max(min(LARGEST_SHARE * span, stable), first)
    first = min(first, largest)
    smallest = given.smallest or min(0.01 * first, SMALLEST_SHARE * span)
    return Limits(max(first, smallest), smallest, largest, given.growth or 2.0, given.align)


def _longest_stable(parts: Iterable[Participant]) -> float:
    """Return the longest step in s that fixed-step solvers of linear models should make.

    Beyond it their own modes grow, hardly any of which the signals at the interface show before it is too late.
    """
    ask = [part.subsystem.longest_stable_step for part in parts]
    return min((STABLE_SHARE * find() for find in ask if find is not None), default=math.inf)


def order_of(approximation: Approximation) -> int:
    """Return the order of an approximation as its error sees it."""
    name = approximation.name
    if name in ("hermite", "spline"):
        return 3
    found = re.search(r"\d+", name)
    if found is not None:
        return int(found.group())
    return 0 if "hold" in name or "mean" in name else max(int(approximation.points) - 1, 0)


def rejects_steps(system: System, pacing: Pacing) -> bool:
    """Return whether a pace of a run that makes steps once rejects those that met something unforeseen."""
    pace = pacing.common
    if not isinstance(pace, Controlled | Gradient) or pace.saves or pace.kind == "energy" or pace.tolerance is None:
        return False
    if pace.reject is not None:
        return pace.reject
    models = [part.subsystem for part in system.subsystems.values()]
    return (
        pacing.factor is None
        and not pacing.singles
        and all(model.can_save and model.repeats_unasked for model in models)
        and (not all(model.is_smooth for model in models) or any(e.condition is not None for e in system.events))
    )


def declared_bonds(system: System) -> tuple[tuple[str, str], ...]:
    """Return the inputs of effort and flow of the bonds of a system that exchange both as they are."""
    found = []
    for bond in system.bonds:
        inputs = [port.input for port in bond.power if port.output and not port.differentiated]
        if len(inputs) == len(bond.power) == 2 and exchange_power(system, inputs[0], inputs[1]):
            found.append((inputs[0], inputs[1]))
    return tuple(found)


def exchange_power(system: System, effort: str, flow: str) -> bool:
    """Return whether two inputs are each an output of the other's subsystem, as it is: what one sends, one receives.

    Where a law makes the flow of both sides, it stores or dissipates energy, and no difference is an error.
    """
    entering = {connection.target: connection for connection in system.connections}
    return all(
        len(entering[one].sources) == 1
        and entering[one].law is None
        and entering[one].sources[0].partition(".")[0] == other.partition(".")[0]
        for one, other in ((effort, flow), (flow, effort))
        if one in entering
    )


@dataclass(frozen=True)
class CoupledSignal:
    """One source of one connection, as laws of steps see it; in the order in which the core numbers them."""

    source: str
    target: str
    order: int
    gain: float  #: from units of the output to those of the input


def coupled_signals(system: System, options: RunOptions) -> list[CoupledSignal]:
    """Return the sources of all connections with the approximations that a run uses."""
    return [
        CoupledSignal(
            source,
            connection.target,
            _order_within_a_step(system, connection, order_of(chosen_approximation(system, connection, k, options))),
            abs(connection.gains[k] * conversion_of(system, connection, source).gain) or 1.0,
        )
        for connection in system.connections
        for k, source in enumerate(connection.sources)
    ]


def _order_within_a_step(system: System, connection: Connection, order: int) -> int:
    """Return the order of an input as its subsystem sees it: what it cannot follow is an error of the step."""
    most = system.subsystems[connection.target.partition(".")[0]].subsystem.input_order
    return order if most is None else min(order, most)


@dataclass(frozen=True)
class PacedSteps:
    """A law of the core with its limits, and the names that belong to its numbers."""

    pace: Pace
    law: _core.StepLaw
    limits: Limits
    signals: tuple[str, ...]  #: by the number that a step names
    rejects: bool = False  #: whether steps that met something unforeseen are made again


class LawMaker:
    """Makes the laws of a run."""

    def __init__(self, system: System, ports: PortTable, options: RunOptions) -> None:
        self._system = system
        self._ports = ports
        self._options = options

    @cached_property
    def _coupled(self) -> list[CoupledSignal]:
        return coupled_signals(self._system, self._options)

    def make(self, pace: Pace, limits: Limits, name: str | None = None) -> PacedSteps:
        """Return the law of a pace, for one subsystem or (None) for all."""
        if isinstance(pace, Table):
            return PacedSteps(pace, _core.table_law(pace.times, pace.steps, pace.between == "hold"), limits, ())
        if isinstance(pace, Gradient):
            return self._gradient(pace, limits, name)
        if isinstance(pace, Controlled):
            return self._controlled(pace, limits)
        return self._python(pace, limits)

    def output_tolerances(self, pace: Controlled) -> list[_core.OutputTolerance]:
        """Return how much each connected scalar output may be wrong, in the order of :meth:`connected_outputs`."""
        return [
            _core.OutputTolerance(
                self._ports.place(port, "outputs").participant,
                self._ports.place(port, "outputs").offset + j,
                self._tolerance(pace, port, 1.0, self.order),
            )
            for port in self._connected()
            for j in range(self._ports.place(port, "outputs").width)
        ]

    @property
    def order(self) -> int:
        """The lowest order among the approximations of the run."""
        return min((signal.order for signal in self._coupled), default=1)

    def _connected(self) -> list[str]:
        return list(dict.fromkeys(signal.source for signal in self._coupled))

    def _columns(self, ports: Sequence[str]) -> tuple[str, ...]:
        return tuple(c for port in ports for c in columns({port: self._ports.place(port, "outputs").width}))

    def _labels(self) -> tuple[str, ...]:
        return tuple(f"{signal.source} -> {signal.target}" for signal in self._coupled)

    def _gradient(self, pace: Gradient, limits: Limits, name: str | None) -> PacedSteps:
        ports = list(pace.signals) if pace.signals is not None else self._seen_by(name)
        leading, absolute = [], []
        for port in ports:
            place = self._ports.place(port, "outputs")
            orders = [signal.order for signal in self._coupled if signal.source == port]
            derivative = pace.derivative or min(1 + min(orders, default=0), 5)
            for j in range(place.width):
                leading.append(_core.LeadingSignal(place.participant, place.offset + j, derivative))
                absolute.append(_of_signal(pace.absolute, port, 1e-9))
        if pace.tolerance is None:
            assert limits.smallest is not None
            assert limits.largest is not None
            law = _core.gradient_law(leading, limits.smallest, limits.largest, pace.p0, pace.p1)
        else:
            law = _core.extrapolation_law(leading, pace.tolerance, absolute, _ahead(limits))
        return PacedSteps(pace, law, limits, self._columns(ports))

    def _seen_by(self, name: str | None) -> list[str]:
        """Return the coupled outputs that a subsystem sends or receives; of all for None."""
        return list(
            dict.fromkeys(
                signal.source
                for signal in self._coupled
                if name is None or name in (signal.source.partition(".")[0], signal.target.partition(".")[0])
            )
        )

    def _controlled(self, pace: Controlled, limits: Limits) -> PacedSteps:
        if pace.kind == "defect":
            tolerances = [self._tolerance(pace, s.source, s.gain, s.order + 1) for s in self._coupled]
            return PacedSteps(
                pace, _core.defect_law(pace.tolerance, tolerances, _ahead(limits)), limits, self._labels()
            )
        if pace.kind == "energy":
            return self._energy(pace, limits)
        order = self.order + (2 if pace.kind == "doubling" else 1)
        inputs = self._assumed_inputs(pace) if pace.kind == "doubling" else []
        law = _core.pass_law(order, pace.tolerance, inputs)
        return PacedSteps(pace, law, limits, self._columns(self._connected()))

    def _assumed_inputs(self, pace: Controlled) -> list[tuple[_core.SignalTolerance, int]]:
        """Return the tolerance of each connection, and the number of its first output among the connected ones."""
        first, count = {}, 0
        for port in self._connected():
            first[port] = count
            count += self._ports.place(port, "outputs").width
        return [(self._tolerance(pace, s.source, s.gain, s.order + 1), first[s.source]) for s in self._coupled]

    def _energy(self, pace: Controlled, limits: Limits) -> PacedSteps:
        bonds = pace.bonds if pace.bonds is not None else declared_bonds(self._system)
        numbers = {signal.target: k for k, signal in enumerate(self._coupled)}
        pairs = [(numbers[effort], numbers[flow]) for effort, flow in bonds]
        absolute = _of_signal(pace.absolute, "", 1e-9)
        law = _core.energy_law(pace.tolerance, absolute, pairs, len(self._coupled), self.order + 1)
        return PacedSteps(pace, law, limits, tuple(f"{effort}, {flow}" for effort, flow in bonds))

    def _tolerance(self, pace: Controlled, port: str, gain: float, order: int) -> _core.SignalTolerance:
        absolute = gain * _of_signal(pace.absolute, port, 1e-9)
        return _core.SignalTolerance(absolute, gain * pace.scale.get(port, 0.0), order, True)

    def _python(self, pace: Pace, limits: Limits) -> PacedSteps:
        labels, names = self._labels(), list(self._system.subsystems)
        widths = [part.subsystem.output_widths for part in self._system.subsystems.values()]

        def ask(t: float, last: float, compared: list[Any], outputs: list[list[float]]) -> tuple[float, float]:
            arrivals = tuple(Arrival(labels[k], at, assumed, arrived) for k, at, assumed, arrived in compared)
            answer = pace.next_step(Step(t, last, arrivals, _named(names, widths, outputs)))
            length, estimate = answer if isinstance(answer, tuple) else (answer, math.nan)
            if not (isinstance(length, int | float | np.floating) and math.isfinite(length) and length > 0.0):
                raise ValueError(f"next_step at t = {t:g} s returned {length!r}; expected a positive number of seconds")
            return float(length), float(estimate)

        pace.start()
        return PacedSteps(pace, _core.python_step_law(ask, len(labels)), limits, ())


def _ahead(limits: Limits) -> float:
    """Return the time in s after which signals that began at zero are taken to have their size."""
    return SIZE_STEPS * (limits.first or 0.0)


def core_limits(limits: Limits, pace: Pace) -> _core.StepLimits:
    """Return the limits as the core takes them."""
    made = _core.StepLimits()
    if not isinstance(pace, Table):  # whose last step before another one may be short
        made.first, made.smallest = limits.first or 0.0, limits.smallest or 0.0
    made.largest = math.inf if limits.largest is None else limits.largest
    made.growth = math.inf if limits.growth is None else limits.growth
    made.alignment = limits.align or 0.0
    estimates = isinstance(pace, Controlled)
    made.reduction, made.even = (REDUCTION if estimates else 0.0), estimates
    made.foresees = estimates or (isinstance(pace, Gradient) and pace.tolerance is not None)
    return made


def _of_signal(given: PerSignal, port: str, otherwise: float) -> float:
    return float(given.get(port, otherwise)) if isinstance(given, Mapping) else float(given)


def _named(
    names: list[str], widths: list[dict[str, int]], outputs: list[list[float]]
) -> dict[str, float | np.ndarray[Any, np.dtype[np.float64]]]:
    found: dict[str, float | np.ndarray[Any, np.dtype[np.float64]]] = {}
    for name, ports, values in zip(names, widths, outputs, strict=True):
        begin = 0
        for port, width in ports.items():
            part = values[begin : begin + width]
            found[f"{name}.{port}"] = part[0] if width == 1 else np.asarray(part)
            begin += width
    return found
