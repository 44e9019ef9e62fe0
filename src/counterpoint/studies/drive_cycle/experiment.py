"""One run of the car: as one model, cut into powertrain and thermal system, or each of them alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...approximations import Approximation, hold, lagrange, transition
from ...diagram import Diagram, library
from ...diagram.library import DriveCycle
from ...pace import Pace, gradient
from ...results import Result
from ...system import System
from ..assumed import assumed, mean_distance
from .law import GradientOfOutput

Array = NDArray[np.float64]

TO_THERMAL = ("engine_speed", "fuel_flow", "speed")
"""What the powertrain gives to the thermal system."""
TO_POWERTRAIN = ("pump_torque", "alternator_torque", "oil_temperature")
SETTINGS: dict[str, Any] = {"solver": "ode23s", "rtol": 1e-4, "atol": 1e-5}
"""Of the solver, for every run and every part: what `dassl` is in the source."""
MEAN_STEP = 0.92
"""Mean macro step of the source, s."""
RECORDED = 0.1
"""Every so often the monolithic run is recorded, s."""

HELD: dict[str, Approximation] = dict.fromkeys((*TO_THERMAL, *TO_POWERTRAIN), hold())
PER_SIGNAL: dict[str, Approximation] = {
    **HELD,
    "engine_speed": transition(1),
    "speed": transition(1),
    "oil_temperature": lagrange(3),
}
"""As in the source: 4-point Lagrange for temperatures, a transition of first order for speeds; the rest is held."""
APPROXIMATIONS = {"held": HELD, "per signal": PER_SIGNAL}


def printed_law(smallest: float = 0.4, growth: float | None = None) -> Pace:
    """Return the law of equations (7) and (8) with the acceleration of the car, 2 s at most.

    p0 = 2 is that of figure 10; p1 is not printed, 2.5 gives the mean step of the source.
    """
    return GradientOfOutput("powertrain.acceleration", smallest=smallest, largest=2.0, p0=2.0, p1=2.5, growth=growth)


def law_of_samples() -> Pace:
    """Return the same law with differences of samples instead of the acceleration that the car publishes."""
    return gradient("powertrain.speed", smallest=0.4, largest=2.0, p0=2.0, p1=2.5, derivative=1, first=0.4)


@dataclass(frozen=True)
class Case:
    """How powertrain and thermal system are coupled.

    Attributes
    ----------
    approximations : str
        ``"held"`` or ``"per signal"``.
    step : float or None
        Fixed macro step, s.
    pace : Pace or None
        Chooses the macro steps instead.
    label : str
    """

    approximations: str
    step: float | None = MEAN_STEP
    pace: Pace | None = field(default=None, compare=False)
    label: str = ""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a run gave.

    Attributes
    ----------
    result : Result
    prefixes : (str, str)
        Of the signals of powertrain and thermal system in it.
    cpu : float
        s
    """

    result: Result
    prefixes: tuple[str, str]
    cpu: float

    def signal(self, name: str) -> tuple[Array, Array]:
        """Return times and values of a signal of either part."""
        for prefix in self.prefixes:
            if f"{prefix}.{name}" in self.result:
                found = self.result[f"{prefix}.{name}"]
                return np.asarray(found.time), np.asarray(found.values)
        raise KeyError(name)

    def at(self, name: str, time: Array | float) -> Array:
        """Return a signal at given times, lines between samples."""
        return np.asarray(np.interp(time, *self.signal(name)))

    def end(self, name: str) -> float:
        """Return the last value of a signal."""
        return float(self.signal(name)[1][-1])

    @cached_property
    def steps(self) -> Array:
        """Macro steps, s."""
        return np.diff(self.signal("speed")[0])


def monolithic(cycle: DriveCycle) -> Diagram:
    """Return the car as one model for one solver."""
    model = Diagram("car", **SETTINGS)
    car = model.superblock(library.passenger_car(cycle), name="powertrain")
    heat = model.superblock(library.engine_thermal_system(), name="thermal")
    car.connect(**{name: heat[name] for name in TO_POWERTRAIN})
    heat.connect(**{name: car[name] for name in TO_THERMAL})
    for part in (car, heat):
        for name in part.outputs:
            model.output(name, part[name])
    return model


def coupled(cycle: DriveCycle, case: Case) -> System:
    """Return powertrain and thermal system as two subsystems."""
    chosen = APPROXIMATIONS[case.approximations]
    system = System("car")
    system.add("powertrain", library.passenger_car(cycle, **SETTINGS), step=case.step)
    system.add("thermal", library.engine_thermal_system(**SETTINGS), step=case.step)
    for name in TO_THERMAL:
        system.connect(f"powertrain.{name}", f"thermal.{name}", chosen[name])
    for name in TO_POWERTRAIN:
        system.connect(f"thermal.{name}", f"powertrain.{name}", chosen[name])
    return system


def run_monolithic(cycle: DriveCycle, until: float) -> Outcome:
    """Run the one model."""
    model, began = monolithic(cycle), process_time()
    result = model.run(until=until, step=RECORDED)
    return Outcome(result, ("car", "car"), process_time() - began)


def run_coupled(cycle: DriveCycle, case: Case, until: float, repeats: int = 1) -> Outcome:
    """Run both parts in parallel; of several repetitions the one with the median processor time."""
    done = []
    for _ in range(repeats):
        system, began = coupled(cycle, case), process_time()
        result = system.run(until=until, scheme="parallel", pace=case.pace, first_steps="once")
        done.append(Outcome(result, ("powertrain", "thermal"), process_time() - began))
    return sorted(done, key=lambda outcome: outcome.cpu)[repeats // 2]


def run_alone(cycle: DriveCycle, part: str, reference: Outcome, until: float) -> float:
    """Run one part with the inputs of the monolithic run as tables over time; return the processor time, s."""
    if part == "powertrain":
        content, names = library.passenger_car(cycle), TO_POWERTRAIN
    else:
        content, names = library.engine_thermal_system(), TO_THERMAL
    model = Diagram(part, **SETTINGS)
    tables: dict[str, Any] = {
        name: model.table(*reference.signal(name), locate_corners=False, name=name) for name in names
    }
    block = model.superblock(content, name="content", **tables)
    for name in block.outputs:
        model.output(name, block[name])
    began = process_time()
    model.run(until=until, step=MEAN_STEP)
    return process_time() - began


def discretisation_error(outcome: Outcome, reference: Outcome, name: str = "speed") -> float:
    """Return equation (2): mean distance of the sampled and held signal from the continuous one."""
    time, held = assumed(hold(), *outcome.signal(name))
    return mean_distance(time, held, reference.at(name, time))


def cosimulation_error(case: Case, outcome: Outcome, reference: Outcome, name: str = "speed") -> float:
    """Return equation (4): mean distance of what the other side assumes from the monolithic run."""
    time, values = assumed(APPROXIMATIONS[case.approximations][name], *outcome.signal(name))
    return mean_distance(time, values, reference.at(name, time))


def fuel_error(outcome: Outcome, reference: Outcome) -> float:
    """Return the relative difference of the fuel used."""
    return outcome.end("fuel") / reference.end("fuel") - 1.0


def consumption(outcome: Outcome) -> float:
    """Return the fuel consumption, l/100 km, for 745 kg/m³."""
    return outcome.end("fuel") / 745.0 * 1e3 / (outcome.end("distance") * 1e-5)
