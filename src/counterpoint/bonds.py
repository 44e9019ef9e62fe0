"""Bonds: physical interfaces between two subsystems, and which side computes which signal.

At a physical interface two signals meet: a potential (angle, position, voltage, temperature) and a flow (torque, force,
current, heat flow). A bond names them once; connections, units and signs follow.

==========================  ==========================================================================================
causality                   which side computes what
==========================  ==========================================================================================
``potential-flow``          the left side computes the potential, the right side the flow
``flow-flow``               both sides get the flow; a coupling law computes it from both potentials
``potential-potential``     both sides get the potential; a coupling law with a state computes it from both flows
==========================  ==========================================================================================

Signs. A flow that enters a subsystem acts on it; a flow that a subsystem outputs acts on the other side. ``sign=-1``
reverses the sign of a side's flow.

Reference: Günther et al. (2012), section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ._common.numbers import is_number
from .errors import SetupError
from .units import time_at

__all__ = [
    "Bond",
    "Conductance",
    "Interface",
    "PowerPort",
    "Side",
    "SpringDamper",
    "Storage",
    "capacity",
    "conductance",
    "inertia",
    "side",
    "spring_damper",
]

Causality = Literal["potential-flow", "flow-flow", "potential-potential"]
CAUSALITIES = ("potential-flow", "flow-flow", "potential-potential")


@dataclass(frozen=True)
class Interface:
    """A kind of physical interface: the names of its signals, and their SI units.

    Attributes
    ----------
    name : str
        ``"rotational"`` and so on.
    potential, flow : str
        Words for the two signals.
    rate : str or None
        Word for the time derivative of the potential, if its product with the flow is the power.
    units : mapping
        Word -> unit.
    """

    name: str
    potential: str
    rate: str | None
    flow: str
    units: Mapping[str, str]

    @property
    def words(self) -> tuple[str, ...]:
        """The words for its signals."""
        return tuple(self.units)

    @property
    def flow_is_power(self) -> bool:
        """Whether the flow alone is the power, as heat is."""
        return self.name == "thermal"


INTERFACES = {
    "rotational": Interface(
        "rotational", "angle", "speed", "torque", {"angle": "rad", "speed": "rad/s", "torque": "N m"}
    ),
    "translational": Interface(
        "translational", "position", "speed", "force", {"position": "m", "speed": "m/s", "force": "N"}
    ),
    "electrical": Interface("electrical", "voltage", None, "current", {"voltage": "V", "current": "A"}),
    "thermal": Interface("thermal", "temperature", None, "heat_flow", {"temperature": "K", "heat_flow": "W"}),
}


@dataclass(frozen=True)
class Side:
    """One side of a bond; made by :func:`side`.

    Attributes
    ----------
    subsystem : str
        Its name in the system.
    ports : mapping
        Word of the interface -> port of the subsystem, ``{"angle": "phi"}``.
    sign : float
        -1 reverses the sign of the flow.
    """

    subsystem: str
    ports: Mapping[str, str] = field(default_factory=dict)
    sign: float = 1.0


def side(subsystem: str, *, sign: float = 1.0, **ports: str) -> Side:
    """Return one side of a bond: the subsystem, and its ports by the words of the interface.

    Parameters
    ----------
    subsystem : str
        Its name in the system.
    sign : float
        1, or -1 if the flow of the subsystem has the opposite sign; see the module.
    **ports : str
        ``angle``, ``speed``, ``torque``; ``position``, ``speed``, ``force``; ``voltage``, ``current``;
        ``temperature``, ``heat_flow``. Default: ports of these names.

    Examples
    --------
    >>> side("motor", angle="phi", torque="load")
    Side(subsystem='motor', ports={'angle': 'phi', 'torque': 'load'}, sign=1.0)
    """
    if sign not in (1, -1):
        raise SetupError(f"side.sign: {sign!r}; expected 1 or -1")
    return Side(subsystem, ports, float(sign))


@dataclass(frozen=True)
class PowerPort:
    """A place where power enters a subsystem: ``sign * input * output``, in W.

    The residual power of a bond is the sum over its ports of ``sign * (input assumed - input that arrived) * output``:
    what the coupling creates (positive) or loses.

    Attributes
    ----------
    input, output : str
        ``subsystem.port``; an empty output means 1: the input alone is the power.
    sign : float
        With the factors to SI units.
    differentiated : str
        ``"input"`` or ``"output"``: the one that is an angle or a position, whose rate is used; or empty.
    """

    input: str
    output: str
    sign: float
    differentiated: Literal["", "input", "output"] = ""


@dataclass(frozen=True)
class Bond:
    """A physical interface between two subsystems of a system; made by :meth:`System.bond`.

    Attributes
    ----------
    name : str
        Its name in messages and results.
    interface : str
        ``"rotational"``, ``"translational"``, ``"electrical"`` or ``"thermal"``.
    causality : str
        Which side computes what; see the module.
    left, right : Side
        Its sides.
    law : object or None
        The coupling law in the master.
    power : tuple of PowerPort
        Where power enters the subsystems.
    exchanged : tuple of str
        Words of the signals that cross.
    """

    name: str
    interface: str
    causality: Causality
    left: Side
    right: Side
    law: object = None
    power: tuple[PowerPort, ...] = ()
    exchanged: tuple[str, ...] = ()


@dataclass(frozen=True)
class SpringDamper:
    """Coupling law of a flow-flow bond: flow on the left = stiffness (Δpotential - rest) + damping Δrate, right - left.

    Attributes
    ----------
    stiffness : float
        N m/rad or N/m.
    damping : float
        N m s/rad or N s/m.
    rest : float
        Δpotential without force, rad or m.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0


@dataclass(frozen=True)
class Conductance:
    """Coupling law of a flow-flow bond: flow on the left = conductance (right potential - left potential).

    Attributes
    ----------
    value : float
        A/V or W/K.
    """

    value: float


@dataclass(frozen=True)
class Storage:
    """Coupling law of a potential-potential bond: it stores the flow, and both sides get its potential.

    Attributes
    ----------
    value : float
        kg m², kg, F or J/K.
    step : float
        Fixed step of the subsystem that it becomes, s.
    potential, rate : float
        At the start.
    damping : float
        Of an inertia or a mass, N m s/rad or N s/m.
    """

    value: float
    step: float
    potential: float = 0.0
    rate: float = 0.0
    damping: float = 0.0


Law = SpringDamper | Conductance | Storage | Callable[..., float]


def spring_damper(stiffness: float = 0.0, damping: float = 0.0, rest: float = 0.0) -> SpringDamper:
    """Return the law of a spring and a damper between two angles or positions, in SI units.

    >>> spring_damper(stiffness=1.8)
    SpringDamper(stiffness=1.8, damping=0.0, rest=0.0)
    """
    _check_numbers("spring_damper", stiffness=stiffness, damping=damping, rest=rest)
    if stiffness == 0.0 and damping == 0.0:
        raise SetupError("spring_damper: stiffness and damping are both 0; give one of them")
    return SpringDamper(stiffness, damping, rest)


def conductance(value: float) -> Conductance:
    """Return the law of a conductance between two voltages (A/V) or temperatures (W/K).

    >>> conductance(0.5)
    Conductance(value=0.5)
    """
    _check_numbers("conductance", value=value)
    return Conductance(value)


def inertia(
    value: float, step: float | str, *, potential: float = 0.0, rate: float = 0.0, damping: float = 0.0
) -> Storage:
    """Return the law of an inertia (kg m²) or a mass (kg) that both sides act on; it becomes a subsystem.

    ``step`` is its fixed step in s; ``potential`` (rad, m) and ``rate`` (rad/s, m/s) are its state at the start.

    >>> inertia(0.2, step="1 ms").step
    0.001
    """
    return _storage("inertia", value, step, potential=potential, rate=rate, damping=damping)


def capacity(value: float, step: float | str, *, potential: float = 0.0) -> Storage:
    """Return the law of a capacitance (F) or heat capacity (J/K) that both sides charge; it becomes a subsystem.

    ``step`` is its fixed step in s; ``potential`` is its voltage or temperature at the start (V, K).

    >>> capacity(1e-3, step=1e-4, potential=5.0).potential
    5.0
    """
    return _storage("capacity", value, step, potential=potential)


def _storage(name: str, value: float, step: float | str, **more: float) -> Storage:
    length = time_at(f"{name}.step", step)
    _check_numbers(name, value=value, step=length, **more)
    for key, number in (("value", value), ("step", length)):
        if number <= 0.0:
            raise SetupError(f"{name}.{key}: {number!r}; expected a positive number")
    return Storage(float(value), float(length), **more)


def _check_numbers(name: str, **numbers: float) -> None:
    problems = [
        f"{name}.{key}: {value!r}; expected a finite number" for key, value in numbers.items() if not is_number(value)
    ]
    if problems:
        raise SetupError(problems)
