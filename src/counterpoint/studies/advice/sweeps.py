"""Advice against exhaustive sweeps: all schemes, orders and steps of each subsystem, real models over whole runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf
from pathlib import Path
from time import process_time

import numpy as np

from ..._run.strategy import Strategy
from ..._run.trial import trial_run
from ...advise.candidates import Choices, Orders
from ...approximations import lagrange
from ...diagram.library import drive_cycle
from ...errors import CounterpointError
from ...fmi import export_fmu, fmu
from ...multibody import load
from ...quality.difference import differ
from ...results import Result
from ...subsystems import ode
from ...system import System
from ..drive_cycle.experiment import Case as CarCase
from ..drive_cycle.experiment import coupled as coupled_car
from ..kart.experiment import Case as KartCase
from ..kart.experiment import coupled as coupled_kart
from ..verdict.linear_trials import chain
from ..verdict.other_trials import CRANK
from ..verdict.trial import Array

FACTORS = (4.0, 2.0, 1.0, 0.5, 0.25)
ORDERS = range(4)
TIGHT = 16


@dataclass(frozen=True)
class Plant:
    """A system to be advised about: name, how it is built, end in s, tolerance."""

    name: str
    build: Callable[[], System]
    until: float
    tolerance: float


@dataclass(frozen=True)
class Compared:
    """Advice beside a sweep.

    Attributes
    ----------
    plant : Plant
    label : str
        What was recommended.
    error, steps : float
        Of the recommended strategy, measured.
    best_label, best_error, best_steps
        Of the cheapest one of the sweep that keeps the tolerance.
    cost_ratio : float
        Predicted cost of the recommended one over that of the best of the sweep, both from the measured costs of steps.
    advice_seconds, sweep_seconds : float
        Processor time: both are runs of models in this process, on a machine that may be busy.
    runs : int
        Of the sweep.
    """

    plant: Plant
    label: str
    error: float
    steps: int
    best_label: str
    best_error: float
    best_steps: int
    cost_ratio: float
    advice_seconds: float
    sweep_seconds: float
    runs: int


def compare(plant: Plant, orders: Sequence[int] = ORDERS, factors: Sequence[float] = FACTORS) -> Compared:
    """Advise, sweep, and compare."""
    began = process_time()
    advice = plant.build().advise(plant.until, plant.tolerance)
    advised = process_time() - began
    system = plant.build()
    steps = {name: float(part.step or 1.0) for name, part in system.subsystems.items()}
    choices = Choices.of(system, steps, None)
    tight = _tight(plant, choices)
    costs = _costs(trial_run(system, plant.until))
    began, best, runs = process_time(), (inf, "none", inf, 0), 0
    for scheme, order, chosen in product(choices.schemes, orders, product(factors, repeat=len(choices.steps))):
        longer = {name: factor * choices.steps[name] for name, factor in zip(choices.steps, chosen, strict=True)}
        strategy = replace(choices.strategy(scheme, Orders(order, order)), steps=longer)
        error, taken = _outcome(plant, strategy, tight)
        runs += 1
        cost = sum(costs[name] * count for name, count in taken.items())
        if error <= plant.tolerance and cost < best[0]:
            best = (cost, choices.label(strategy, Orders(order, order)), error, sum(taken.values()))
    swept = process_time() - began
    error, taken = _outcome(plant, advice.best, tight)
    cost = sum(costs[name] * count for name, count in taken.items())
    return Compared(
        plant, advice.recommended.label, error, sum(taken.values()), best[1], best[2], best[3], cost / best[0], advised,
        swept, runs,
    )  # fmt: skip


def _tight(plant: Plant, choices: Choices) -> Result:
    strategy = choices.strategy(choices.schemes[0], Orders(2, 2), 1 / TIGHT)
    return trial_run(strategy.applied(plant.build()), plant.until, **strategy.options)


def _costs(result: Result) -> dict[str, float]:
    timing = result.timing.set_index("subsystem")
    return {str(name): float(timing.loc[name, "seconds"] / max(timing.loc[name, "steps"], 1)) for name in timing.index}


def _outcome(plant: Plant, strategy: Strategy, tight: Result) -> tuple[float, dict[str, int]]:
    """Return the error of a whole run, and the steps of each subsystem."""
    system = strategy.applied(plant.build())
    try:
        result = trial_run(system, plant.until, **strategy.options)
    except CounterpointError:
        return inf, {}
    sources = dict.fromkeys(source for c in system.connections for source in c.sources)
    names = [name for source in sources for name in result.expand(source)]
    errors = [_error(result, tight, name) for name in names]
    return max(errors), dict(zip(result.subsystems, result.summary.steps, strict=True))


def _error(result: Result, tight: Result, name: str) -> float:
    ours, theirs = result.signal(name), tight.signal(name)
    time = np.asarray(ours.time)
    better = np.asarray(theirs.at(np.clip(time, theirs.time[0], theirs.time[-1]), "hold" if ours.is_held else "cubic"))
    return differ(name, time, np.asarray(ours.values), better, parts=0).error


def crane(folder: Path) -> Plant:
    """Return a slider-crank that a hydraulic cylinder drives: oil between valve and piston is stiff."""
    file = folder / "crank.toml"
    file.write_text(CRANK, encoding="utf-8")

    def build() -> System:
        def oil(t: float, x: Array, u: Array) -> list[float]:
            flow = 2.0 * (1.0 + 0.5 * np.sin(6.0 * t)) - 0.4 * x[0]
            return [80.0 * (flow - 0.1 * u[0])]

        system = System("hydraulic drive of a mechanism")
        pump = ode(oil, [0.0], inputs="speed", outputs="torque", solver="ode4")
        system.add("hydraulics", pump, step=1e-3)
        system.add("mechanism", load(file), step=1e-3)
        system.connect("hydraulics.torque", "mechanism.torque", lagrange(1))
        system.connect("mechanism.speed", "hydraulics.speed", lagrange(1))
        return system

    return Plant("hydraulics and mechanism", build, 2.0, 1e-2)


def two_fmus(folder: Path) -> Plant:
    """Return two FMUs that exchange displacements."""
    network = chain(2, 25.0)
    for name, part in network.parts.items():
        export_fmu(part.subsystem(), folder / f"{name}.fmu", version=2, step=1e-4, overwrite=True)

    def build() -> System:
        system = System("two FMUs")
        for name in network.parts:
            system.add(name, fmu(folder / f"{name}.fmu"), step=5e-3)
        for source, target in network.connections:
            system.connect(source, target, lagrange(1))
        return system

    return Plant("two FMUs", build, 10.0, 1e-2)


def kart() -> Plant:
    """Return the kart with its drive while it sets off and shifts gears."""
    case = KartCase(ratio=50, vehicle_order=1, drive_order=1, drive_step=1e-3, located=True, master="scheduler")
    return Plant("kart", lambda: coupled_kart(case), 5.0, 1e-2)


def car() -> Plant:
    """Return the car in the first urban cycle of the NEDC: powertrain and thermal system."""
    cycle = drive_cycle("nedc")
    return Plant("drive cycle", lambda: coupled_car(cycle, CarCase("per signal", step=0.5)), 195.0, 5e-2)
