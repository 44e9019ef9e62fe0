"""One flight: which layout, steps and polynomials, and what came out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from time import perf_counter, process_time

import numpy as np
from numpy.typing import NDArray

from ...approximations import lagrange
from ...multibody import Formulation, Mechanism, RotorHub
from ...results import Result
from ...system import System
from .air import add_main_air, add_tail_air
from .control import control
from .data import MAIN, TAIL_HUB
from .models import INTERFACE, add_cut, add_tail_rotor, helicopter, tail_rotor

Array = NDArray[np.float64]

FINE, COARSE = 2.2e-4, 1.1e-3
"""Steps of the source, s."""
FLIGHT = 6.0
"""Length of the flight in the source, s."""
CONING = 0.0343
"""Flap angle of the blades at the start, rad: near that of the hover."""
TRIM = {"collective": 0.2552, "pitch": 0.1538}
"""Pitch angles of the hover, rad; where the controllers begin."""


@dataclass(frozen=True)
class Case:
    """A layout.

    Attributes
    ----------
    name : str
    main_step, tail_step : float
        s
    one : bool
        Whether both rotors are one mechanism.
    scheme : str
    motion_order, force_order : int
        Of the polynomials for what crosses the cut.
    """

    name: str
    main_step: float = FINE
    tail_step: float = FINE
    one: bool = False
    scheme: str = "slowest-first"
    motion_order: int = 2
    force_order: int = 1


MAIN_SOLVER = Formulation(fixed_iterations=2, integrator="hermite")
"""Two iterations as in simulators that run in real time: every step costs the same, and what is left is below 1e-8.
Hermite's rule, because the trapezoidal one has the spin of a rotor wrong by (Omega h)² / 12: 2e-4 with the long steps,
which the fuselage, 10 times lighter in yaw than the rotor's spin, answers with a yaw rate of 0.1 degrees per second."""
TAIL_SOLVER = Formulation(fixed_iterations=2)

LAYOUTS = (
    Case("one mechanism", one=True),
    Case("single rate"),
    Case("multirate", main_step=COARSE),
)
"""Cases 1 to 3 of table 6.2."""


@dataclass(frozen=True)
class Flight:
    """What came out of a case.

    Attributes
    ----------
    signals : dict from name to (time, values)
        ``altitude`` (m), ``yaw``, ``pitch``, ``collective``, ``coning`` (deg), ``power`` (kW), ``thrust`` (N),
        ``tail_force`` (N, on the fuselage, positive to the right), ``tail_power`` (kW).
    seconds : dict
        Processor time of each subsystem, s.
    steps, iterations : dict
        Of each subsystem.
    cpu, wall : float
        Of the whole run, s.
    """

    case: Case
    until: float
    signals: dict[str, tuple[Array, Array]]
    seconds: dict[str, float]
    steps: dict[str, int]
    cpu: float
    wall: float
    iterations: dict[str, float] = field(default_factory=dict)

    def mean(self, name: str, since: float) -> float:
        """Return the mean of a signal from a time on."""
        time, values = self.signals[name]
        return float(values[time >= since].mean())

    def difference(self, name: str, other: Flight) -> float:
        """Return the largest difference of a signal to that of another flight, relative to its largest value."""
        time, values = self.signals[name]
        there, reference = other.signals[name]
        return float(np.abs(values - np.interp(time, there, reference)).max() / np.abs(reference).max())

    def over_range(self, name: str, other: Flight) -> float:
        """Return the same relative to the range of the signal, which is smaller where it stays away from zero."""
        reference = other.signals[name][1]
        return self.difference(name, other) * float(np.abs(reference).max() / np.ptp(reference))


def _show(made: Mechanism, hub: RotorHub) -> None:
    """Let the fuselage show what the study looks at, and start near the hover."""
    for name, of, motion in (("altitude", "altitude", "position"), ("climb", "altitude", "velocity"),
                             ("yaw", "yaw", "position"), ("yaw_rate", "yaw", "velocity"),
                             ("rotor_torque", f"guide:{hub.azimuth}", "position")):  # fmt: skip
        made.output(name, of, motion)
    for k, flap in enumerate(hub.flaps):
        made.output(f"flap_{k}", flap)
        made.initial(flap, CONING, rate=0.0)
    modes = [m for m, part in made.measures.items() if part.kind == "mode"]
    for name in ("altitude", "yaw", *modes):
        made.initial(name, 0.0, rate=0.0)  # the fuselage is at rest: nothing else would tell, with a rotor that turns
    made.output("main_air", "main_air")
    made.output("tail_bending", "fuselage_mode_2")
    made.standard_outputs = ()
    made.formulation = MAIN_SOLVER


@cache
def fuselage_model() -> Mechanism:
    """Return fuselage and main rotor, cut from the tail rotor."""
    made, hub = helicopter()
    made.input("collective", TRIM["collective"])
    add_main_air(made, hub)
    add_cut(made)
    _show(made, hub)
    return made


@cache
def tail_model() -> Mechanism:
    """Return the tail rotor on its mount."""
    made, hub = tail_rotor()
    made.input("pitch", TRIM["pitch"])
    add_tail_air(made, hub)
    made.output("tail_air", "tail_air")
    made.output("teeter", hub.flaps[0])
    made.initial(hub.flaps[0], 0.0, rate=0.0)
    made.standard_outputs = ()
    made.formulation = TAIL_SOLVER
    return made


@cache
def whole_model() -> Mechanism:
    """Return both rotors on the fuselage in one mechanism."""
    made, hub = helicopter()
    made.input("collective", TRIM["collective"])
    made.point("tailrotor_centre", TAIL_HUB)
    tail = add_tail_rotor(made, "fuselage:tail", "tailrotor_centre", "input:pitch")
    made.input("pitch", TRIM["pitch"])
    add_main_air(made, hub)
    add_tail_air(made, tail)
    _show(made, hub)
    made.output("tail_air", "tail_air")
    made.output("teeter", tail.flaps[0])
    made.initial(tail.flaps[0], 0.0, rate=0.0)
    return made


def coupled(case: Case, commands: bool = True) -> System:
    """Return the system of a case: ``control``, ``helicopter`` and, unless it is one mechanism, ``tail``.

    Without ``commands`` it hovers.
    """
    system = System("bo105")
    diagram = control(trim=TRIM) if commands else control(trim=TRIM, yaw_step=0.0, climb_step=0.0)
    system.add("control", diagram, step=case.tail_step)
    system.add("helicopter", whole_model() if case.one else fuselage_model(), step=case.main_step)
    for name in ("altitude", "climb", "yaw", "yaw_rate"):
        system.connect(f"helicopter.{name}", f"control.{name}", lagrange(1))
    system.connect("control.collective", "helicopter.collective", lagrange(2))
    if case.one:
        system.connect("control.pitch", "helicopter.pitch", lagrange(2))
        return system
    system.add("tail", tail_model(), step=case.tail_step)
    system.connect("control.pitch", "tail.pitch", lagrange(2))
    for name in INTERFACE:
        system.connect(f"helicopter.{name}", f"tail.{name}", lagrange(case.motion_order))
        system.connect(f"tail.force_{name}", f"helicopter.force_{name}", lagrange(case.force_order))
    return system


def fly(case: Case, until: float = FLIGHT, commands: bool = True) -> Flight:
    """Run a case."""
    system = coupled(case, commands)
    wall, cpu = perf_counter(), process_time()
    result = system.run(until=until, scheme=case.scheme)
    cpu, wall = process_time() - cpu, perf_counter() - wall
    names, total = list(result.subsystems), sum(result.summary.seconds)
    seconds = {n: cpu * s / total for n, s in zip(names, result.summary.seconds, strict=True)}
    models = {"helicopter": whole_model() if case.one else fuselage_model()} | (
        {} if case.one else {"tail": tail_model()}
    )
    counted = {name: model.assembled().statistics for name, model in models.items()}
    return Flight(
        case, until, _signals(case, result), seconds, dict(zip(names, result.summary.steps, strict=True)), cpu, wall,
        {name: s["iterations"] / max(s["steps"], 1.0) for name, s in counted.items()},
    )  # fmt: skip


def _signals(case: Case, result: Result) -> dict[str, tuple[Array, Array]]:
    def read(name: str, factor: float = 1.0) -> tuple[Array, Array]:
        signal = result.signal(name)
        return np.asarray(signal.time), factor * np.asarray(signal.values)

    degrees = 180.0 / np.pi
    air_time, air = read("helicopter.main_air")
    flaps = [read(f"helicopter.flap_{k}", degrees) for k in range(MAIN.blades)]
    tail = "helicopter" if case.one else "tail"
    tail_time, tail_air = read(f"{tail}.tail_air")
    torque_time, torque = read("helicopter.rotor_torque")
    made = {
        "altitude": read("helicopter.altitude"),
        "yaw": read("helicopter.yaw", degrees),
        "yaw_command": read("control.yaw_command", degrees),
        "pitch": read("control.pitch", degrees),
        "collective": read("control.collective", degrees),
        "thrust": (air_time, air[:, 0]),
        "inflow": (air_time, air[:, 3]),
        "air_power": (air_time, -1e-3 * air[:, 1] * MAIN.speed),
        "power": (torque_time, 1e-3 * MAIN.speed * np.ravel(torque)),
        "coning": (flaps[0][0], np.mean([np.ravel(f[1]) for f in flaps], axis=0)),
        "tail_thrust": (tail_time, tail_air[:, 0]),
        "tail_power": (tail_time, -1e-3 * tail_air[:, 2]),
        "teeter": read(f"{tail}.teeter", degrees),
    }
    if not case.one:
        time, at_hub = read("tail.force_tail_y")
        made["tail_force"] = (time, np.ravel(at_hub) + np.ravel(read("tail.force_front_y")[1]))
    return {name: (time, np.ravel(values)) for name, (time, values) in made.items()}
