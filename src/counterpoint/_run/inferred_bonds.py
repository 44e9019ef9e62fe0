"""Bonds that were not declared: two connections between the same subsystems whose units make a power.

A force against a speed or a position, a torque against a speed or an angle, a voltage against a current: where one
subsystem gives the first and takes the second, and another one the reverse, the two connections carry power.
The side that takes the flow counts it as acting on it, as for declared bonds.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import copysign
from typing import TYPE_CHECKING, NamedTuple

from ..bonds import INTERFACES, Bond, Interface, PowerPort, Side
from ..units import Unit, unit
from .connection_units import conversion_of, port_unit

if TYPE_CHECKING:
    from ..system import Connection, System


class _Signal(NamedTuple):
    """A connection of one output, with what it is at an interface."""

    source: str
    target: str
    gain: float
    factor: float  #: of the unit of the source, to SI
    word: str


def all_bonds(system: System) -> list[Bond]:
    """Return the bonds that were declared, and those that follow from units and directions."""
    if not any(part.subsystem.units or part.subsystem.unit_definitions for part in system.subsystems.values()):
        return list(system.bonds)
    taken = {port.input for bond in system.bonds for port in bond.power}
    return [*system.bonds, *_inferred(system, taken)]


def _inferred(system: System, taken: set[str]) -> Iterator[Bond]:
    for interface in INTERFACES.values():
        if interface.flow_is_power:
            continue  # heat is power by itself: nothing says with what it belongs
        found = [signal for c in system.connections if (signal := _signal(system, c, interface)) is not None]
        for flow in (signal for signal in found if signal.word == interface.flow):
            fitting = [s for s in found if s.word != interface.flow and _is_reverse(s, flow)]
            fitting = [s for s in fitting if s.target not in taken and flow.target not in taken]
            # The rate before the potential: its product with the flow is the power.
            best = min(
                fitting, key=lambda s: s.word == interface.potential and interface.rate is not None, default=None
            )
            if best is not None:
                taken |= {flow.target, best.target}
                yield _bond(interface, best, flow)


def _signal(system: System, connection: Connection, interface: Interface) -> _Signal | None:
    if len(connection.sources) != 1 or connection.law is not None or connection.gains[0] == 0.0:
        return None
    source = connection.sources[0]
    given = port_unit(system, source)
    if not isinstance(given, Unit) or given.exponents is None:
        return None
    for word, text in interface.units.items():
        if given.exponents == unit(text).exponents and not given.offset:
            gain = connection.gains[0] * conversion_of(system, connection, source).gain
            return _Signal(source, connection.target, gain, given.factor, word)
    return None


def _is_reverse(one: _Signal, other: _Signal) -> bool:
    """Whether two connections join the same two subsystems in opposite directions."""
    (a, b), (c, d) = ((s.source.partition(".")[0], s.target.partition(".")[0]) for s in (one, other))
    return a != b and (a, b) == (d, c)


def _bond(interface: Interface, given: _Signal, flow: _Signal) -> Bond:
    """Return the bond; the subsystem that gives the potential (or its rate) takes the flow and is the left side."""
    left, right = given.source.partition(".")[0], flow.source.partition(".")[0]
    is_potential = given.word == interface.potential and interface.rate is not None
    scale = given.factor * flow.factor
    # Into the left side goes flow times what it gives; into the right side the same with the other sign, so that
    # both together are 0 where nothing is assumed wrongly.
    entering = PowerPort(flow.target, given.source, scale / abs(flow.gain), "output" if is_potential else "")
    leaving_sign = -copysign(1.0, flow.gain * given.gain) * scale / abs(given.gain)
    leaving = PowerPort(given.target, flow.source, leaving_sign, "input" if is_potential else "")
    return Bond(
        f"{left} and {right} (inferred)", interface.name, "potential-flow", Side(left), Side(right),
        power=(entering, leaving), exchanged=(given.word, flow.word),
    )  # fmt: skip
