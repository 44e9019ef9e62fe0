"""From a bond to connections: ports, units, signs, and where power enters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ..bonds import (
    CAUSALITIES,
    INTERFACES,
    Bond,
    Causality,
    Conductance,
    Interface,
    Law,
    PowerPort,
    Side,
    SpringDamper,
    Storage,
)
from ..errors import SetupError, did_you_mean
from ..subsystems import linear
from ..units import Conversion, Unit, UnitProblem, conversion, unit
from .connection_units import port_unit
from .port_table import PortTable

if TYPE_CHECKING:
    from ..system import System


def make_bond(
    system: System,
    interface: str,
    left: str | Side,
    right: str | Side,
    *,
    causality: str = "potential-flow",
    law: Law | None = None,
    approximation: Any = None,
    initial: float | None = None,
    name: str | None = None,
) -> Bond:
    """Make a bond and its connections; documented at :meth:`System.bond`."""
    sides = [given if isinstance(given, Side) else Side(given) for given in (left, right)]
    called = name or "-".join(one.subsystem for one in sides)
    where = f"bonds.{called}"
    problems = list(_choice_problems(where, interface, causality, law))
    if any(bond.name == called for bond in system.bonds):
        problems.append(f'{where}: there is already a bond "{called}"; give it another name')
    if problems:
        raise SetupError(problems)
    builder = BondBuilder(system, where, called, INTERFACES[interface], (sides[0], sides[1]), approximation, initial)
    return builder.build(causality, law)


def _choice_problems(where: str, interface: str, causality: str, law: object) -> Iterator[str]:
    if interface not in INTERFACES:
        yield f'{where}.interface: "{interface}": no such interface{did_you_mean(interface, INTERFACES)}'
    if causality not in CAUSALITIES:
        yield f'{where}.causality: "{causality}": no such causality{did_you_mean(causality, CAUSALITIES)}'
    mechanical = interface in ("rotational", "translational")
    if causality == "potential-flow" and law is not None:
        yield f"{where}.law: potential-flow takes no law, because the right side computes the flow; remove it"
    elif causality == "flow-flow" and (law is None or isinstance(law, Storage)):
        fitting = "cp.bonds.spring_damper" if mechanical else "cp.bonds.conductance"
        yield f"{where}.law: {law!r}; flow-flow needs a law that computes the flow, such as {fitting}(...)"
    elif causality == "potential-potential" and not isinstance(law, Storage):
        fitting = "cp.bonds.inertia" if mechanical else "cp.bonds.capacity"
        yield f"{where}.law: {law!r}; potential-potential needs a law with a state, such as {fitting}(...)"
    if isinstance(law, SpringDamper) and not mechanical:
        yield f"{where}.law: a spring-damper between {interface} sides; use cp.bonds.conductance(...)"
    if isinstance(law, Conductance) and mechanical:
        yield f"{where}.law: a conductance between {interface} sides; use cp.bonds.spring_damper(damping=...)"


@dataclass(frozen=True)
class _Port:
    """A port of one side, with the conversion of its values to SI units."""

    full: str
    to_si: Conversion


@dataclass(frozen=True)
class _ScaledLaw:
    """A law of signals in SI units, whose flow enters a port that may have another unit and sign."""

    function: Callable[..., float]
    factor: float

    def __call__(self, *signals: float) -> float:
        return self.factor * self.function(*signals)


@dataclass
class BondBuilder:
    """Find the ports of a bond and connect them."""

    system: System
    where: str
    name: str
    interface: Interface
    sides: tuple[Side, Side]
    approximation: Any
    initial: float | None
    problems: list[str] = field(default_factory=list)
    exchanged: dict[str, None] = field(default_factory=dict)

    def build(self, causality: str, law: Any) -> Bond:
        """Connect and return the bond; raise SetupError with every problem."""
        self._check_sides()
        self.exchanged[self.interface.flow] = None
        make = {
            "potential-flow": self._potential_flow,
            "flow-flow": self._flow_flow,
            "potential-potential": self._potential_potential,
        }[causality]
        power = make(law)
        left, right = self.sides
        bond = Bond(
            self.name, self.interface.name, cast(Causality, causality), left, right, law, power, (*self.exchanged,)
        )
        self.system.bonds.append(bond)
        return bond

    def _check_sides(self) -> None:
        words = self.interface.words
        for key, side in zip(("left", "right"), self.sides, strict=True):
            if side.subsystem not in self.system.subsystems:
                hint = did_you_mean(side.subsystem, self.system.subsystems)
                self._problem(f'no subsystem "{side.subsystem}"{hint}; add it before the bond', key)
            for word in side.ports:
                if word not in words:
                    self._problem(f'{self.interface.name} has no "{word}"; expected {", ".join(words)}', key)
        if self.sides[0].subsystem == self.sides[1].subsystem:
            self._problem(f'both sides are "{self.sides[0].subsystem}"; a bond joins two subsystems')
        if isinstance(self.approximation, dict):
            for word in self.approximation:
                if word not in words:
                    self._problem(f'no signal "{word}"; expected {", ".join(words)}', "approximation")
        self._raise()

    def _problem(self, text: str, key: str = "") -> None:
        self.problems.append(f"{self.where}{f'.{key}' if key else ''}: {text}")

    def _raise(self) -> None:
        if self.problems:
            raise SetupError(self.problems)

    # Ports

    def _port(self, side: Side, word: str, kind: str) -> _Port | None:
        """Return the port of a side for a word; None, where none is named and none is called so."""
        named = side.ports.get(word)
        full = f"{side.subsystem}.{named or word}"
        try:
            place = PortTable(self.system).place(full, kind)
        except SetupError as error:
            if named is not None:
                other = "outputs" if kind == "inputs" else "inputs"
                is_other = named in getattr(self.system.subsystems[side.subsystem].subsystem, other)
                need = f"; it is an {other[:-1]}: choose another causality, or swap the sides" if is_other else ""
                self._problem(f"{word}: {error}{need}")
            return None
        if place.width != 1:
            self._problem(f'{word}: "{full}" has {place.width} values; a bond joins scalars')
        return _Port(full, self._to_si(full, word))

    def _to_si(self, full: str, word: str) -> Conversion:
        given, needed = port_unit(self.system, full), unit(self.interface.units[word])
        if not isinstance(given, Unit):
            return Conversion()
        try:
            return conversion(given, needed)
        except UnitProblem:
            self._problem(f'"{full}" is in {given.name} ({given.dimension}); {word} is in {needed.name}')
            return Conversion()

    def _needed(self, side: Side, word: str, kind: str) -> _Port | None:
        known = len(self.problems)
        port = self._port(side, word, kind)
        if port is None and len(self.problems) == known:
            self._problem(
                f'"{side.subsystem}" has no {kind[:-1]} "{word}"; name the port: side("{side.subsystem}", {word}="...")'
            )
        return port

    @property
    def _potentials(self) -> tuple[str, ...]:
        """Words for the potential and its rate."""
        words = (self.interface.potential, self.interface.rate)
        return tuple(word for word in words if word is not None)

    def _power_output(self, side: Side, kind: str) -> tuple[_Port | None, bool]:
        """Return the potential of a side whose product with the flow is power, and whether it is differentiated."""
        rate = self._port(side, self.interface.rate, kind) if self.interface.rate else None
        if rate is not None:
            return rate, False
        return self._port(side, self.interface.potential, kind), self.interface.rate is not None

    def _power(self, side: Side, flow: _Port, *, gives_flow: bool) -> PowerPort | None:
        """Return where power enters a side."""
        sign = -side.sign if gives_flow else side.sign
        potential, differentiated = self._power_output(side, "inputs" if gives_flow else "outputs")
        if potential is None:
            return None
        factor = sign * flow.to_si.gain
        if self.interface.flow_is_power:
            return PowerPort(flow.full, "", factor) if not gives_flow else None
        factor *= potential.to_si.gain
        if gives_flow:
            return PowerPort(potential.full, flow.full, factor, "input" if differentiated else "")
        return PowerPort(flow.full, potential.full, factor, "output" if differentiated else "")

    # Connections

    def _chosen(self, word: str) -> Any:
        return self.approximation.get(word) if isinstance(self.approximation, dict) else self.approximation

    def _connect(self, source: _Port, target: _Port, word: str, gain: float, initial: float | None = None) -> None:
        factor = source.to_si.gain / target.to_si.gain
        offset = (source.to_si.offset - target.to_si.offset) / target.to_si.gain
        self.system.connect(
            source.full, target.full, self._chosen(word),
            gain=gain * factor, offset=offset, initial=initial, convert=False,
        )  # fmt: skip

    def _potential_flow(self, law: object) -> tuple[PowerPort, ...]:
        left, right = self.sides
        taken = self._needed(left, self.interface.flow, "inputs")
        given = self._needed(right, self.interface.flow, "outputs")
        pairs = self._exchanged(left, right)
        self._raise()
        assert taken is not None
        assert given is not None
        for word, source, target in pairs:
            self._connect(source, target, word, 1.0)
        self._connect(given, taken, self.interface.flow, left.sign * right.sign, self.initial)
        ports = (self._power(left, taken, gives_flow=False), self._power(right, given, gives_flow=True))
        return tuple(port for port in ports if port is not None)

    def _exchanged(self, giver: Side, taker: Side) -> list[tuple[str, _Port, _Port]]:
        """Return the potentials that one side gives and the other takes."""
        pairs = []
        for word in self._potentials:
            source, target = self._port(giver, word, "outputs"), self._port(taker, word, "inputs")
            if source is not None and target is not None:
                pairs.append((word, source, target))
                self.exchanged[word] = None
            elif target is not None or (source is not None and word in taker.ports):
                self._problem(f'{word}: "{giver.subsystem}" does not give it and "{taker.subsystem}" takes it')
        if not pairs and not self.problems:
            words = " or ".join(self._potentials)
            self._problem(f'"{giver.subsystem}" gives no {words} that "{taker.subsystem}" takes; name the ports')
        return pairs

    def _flow_flow(self, law: Any) -> tuple[PowerPort, ...]:
        flows = [self._needed(side, self.interface.flow, "inputs") for side in self.sides]
        weights = self._weights(law)
        signals = [(k, word, port) for k, side in enumerate(self.sides) for word, port in self._read(side, weights)]
        self._raise()
        for k, (side, flow) in enumerate(zip(self.sides, flows, strict=True)):
            assert flow is not None
            sign = side.sign / flow.to_si.gain * (1.0 if k == 0 else -1.0)
            if weights is None:
                self._connect_law(law, signals, flow, sign)
            else:
                self._connect_sum(law, weights, signals, flow, sign)
        ports = [
            self._power(side, flow, gives_flow=False)
            for side, flow in zip(self.sides, flows, strict=True)
            if flow is not None
        ]
        return tuple(port for port in ports if port is not None)

    def _weights(self, law: Any) -> dict[str, float] | None:
        """Return word -> factor of the difference right - left, for a linear law; None for a function."""
        if isinstance(law, SpringDamper):
            assert self.interface.rate is not None
            both = {self.interface.potential: law.stiffness, self.interface.rate: law.damping}
            return {word: weight for word, weight in both.items() if weight != 0.0}
        if isinstance(law, Conductance):
            return {self.interface.potential: law.value}
        return None

    def _read(self, side: Side, weights: dict[str, float] | None) -> list[tuple[str, _Port]]:
        """Return the potentials of a side that the law reads."""
        if weights is not None:
            found = [(word, self._needed(side, word, "outputs")) for word in weights]
        else:
            found = [(word, self._port(side, word, "outputs")) for word in self._potentials]
            if not any(port for _, port in found):
                self._problem(f'"{side.subsystem}" gives no {" or ".join(self._potentials)}; name the ports')
        read = [(word, port) for word, port in found if port is not None]
        self.exchanged.update(dict.fromkeys(word for word, _ in read))
        return read

    def _connect_sum(
        self, law: Any, weights: dict[str, float], signals: list[tuple[int, str, _Port]], flow: _Port, sign: float
    ) -> None:
        """Connect a linear law, which is a sum of signals with gains."""
        towards = {0: -1.0, 1: 1.0}  # right - left
        factors = [sign * towards[k] * weights[word] for k, word, _ in signals]
        offset = sum(
            factor * port.to_si.offset for factor, (_, _, port) in zip(factors, signals, strict=True)
        ) - sign * (law.stiffness * law.rest if isinstance(law, SpringDamper) else 0.0)
        self.system.connect(
            [port.full for _, _, port in signals], flow.full, [self._chosen(word) for _, word, _ in signals],
            gain=[factor * port.to_si.gain for factor, (_, _, port) in zip(factors, signals, strict=True)],
            offset=offset, initial=self.initial if sign > 0 else None, convert=False,
        )  # fmt: skip

    def _connect_law(self, law: Any, signals: list[tuple[int, str, _Port]], flow: _Port, sign: float) -> None:
        offsets = {port.to_si.offset for _, _, port in signals}
        if offsets != {0.0}:
            self._problem("the law works in SI units; use ports in K, not in degrees of another scale", "law")
            self._raise()
        self.system.connect(
            [port.full for _, _, port in signals], flow.full, [self._chosen(word) for _, word, _ in signals],
            gain=[port.to_si.gain for _, _, port in signals], law=_ScaledLaw(law, sign),
            initial=self.initial if sign > 0 else None, convert=False,
        )  # fmt: skip

    def _potential_potential(self, law: Storage) -> tuple[PowerPort, ...]:
        flows = [self._needed(side, self.interface.flow, "outputs") for side in self.sides]
        if self.name in self.system.subsystems:
            self._problem(f'the law becomes a subsystem "{self.name}", and there is one already', "name")
        self._raise()
        self.system.add(self.name, self._storage(law), step=law.step)
        middle = Side(self.name)
        pairs = [self._exchanged(middle, side) for side in self.sides]
        if self.problems:
            del self.system.subsystems[self.name]
        self._raise()
        for word, source, target in (pair for both in pairs for pair in both):
            self._connect(source, target, word, 1.0)
        sources = [flow for flow in flows if flow is not None]
        flow = self.interface.flow
        self.system.connect(
            [port.full for port in sources], f"{self.name}.{flow}", self._chosen(flow), initial=self.initial,
            gain=[side.sign * port.to_si.gain for side, port in zip(self.sides, sources, strict=True)], convert=False,
        )  # fmt: skip
        inner = self._needed(middle, flow, "inputs")
        assert inner is not None
        ports = [self._power(side, port, gives_flow=True) for side, port in zip(self.sides, sources, strict=True)]
        ports.append(self._power(middle, inner, gives_flow=False))
        return tuple(port for port in ports if port is not None)

    def _storage(self, law: Storage) -> Any:
        """Return the subsystem of an inertia or a capacity."""
        words, units = self._potentials, dict(self.interface.units)
        if self.interface.rate is None:
            a, b, x0 = [[0.0]], [[1.0 / law.value]], [law.potential]
        else:
            a = [[0.0, 1.0], [0.0, -law.damping / law.value]]
            b, x0 = [[0.0], [1.0 / law.value]], [law.potential, law.rate]
        return linear(a, b, x0=x0, inputs=self.interface.flow, outputs=list(words), units=units)
