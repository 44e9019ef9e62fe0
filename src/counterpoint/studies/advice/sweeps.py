"""Advice against exhaustive sweeps: all schemes, orders and steps of each subsystem, real models over whole runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import inf
from pathlib import Path
from time import process_time

import numpy as np

from ..._run.strategy import Strategy
from ..._run.trial import trial_run
from ...advise.candidates import Choices, Orders, Point
from ...advise.pilots import difference, judged_outputs
from ...approximations import lagrange
from ...diagram.library import drive_cycle
from ...errors import CounterpointError
from ...fmi import export_fmu, fmu
from ...multibody import load
from ...results import Result
from ...subsystems import ode
from ...system import System
from ..drive_cycle.experiment import Case as CarCase
from ..drive_cycle.experiment import coupled as coupled_car
from ..kart.experiment import Case as KartCase
from ..kart.experiment import coupled as coupled_kart
from ..report import Progress
from ..verdict.linear_trials import chain
from ..verdict.other_trials import CRANK
from ..verdict.trial import Array
from ..wind_turbine.cart_runs import QUICK as RUNNING
from ..wind_turbine.cart_runs import coupled as coupled_turbine
from ..wind_turbine.cart_runs import turbine as cart_turbine

SCHEMES = ("slowest-first", "fastest-first", "parallel")
FACTORS = (16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25)
ORDERS = range(4)
TIGHT = 16
FINALISTS, REPEATS = 10, 4
"""The cheapest of the sweep that keep the tolerance are timed again, beside the recommended one."""
BRIEF, MORE_REPEATS = 5e-3, 12
"""Runs that take less than this, s, are repeated so many times."""


@dataclass(frozen=True)
class Plant:
    """A system to be advised about: name, how it is built, end in s, tolerance."""

    name: str
    build: Callable[[], System]
    until: float
    tolerance: float


@dataclass(frozen=True)
class Tried:
    """A strategy of the sweep: in words, its error, its steps, its processor time in s."""

    strategy: Strategy
    label: str
    error: float
    steps: int
    seconds: float


@dataclass(frozen=True)
class Compared:
    """Advice beside a sweep.

    Attributes
    ----------
    plant : Plant
    recommended, best : Tried
        The cheapest one of the sweep that keeps the tolerance; both with the least processor time of several runs.
    advice_seconds, sweep_seconds : float
        Processor time: both are runs of models in this process, on a machine that may be busy.
    runs : int
        Of the sweep, all of which were made.
    """

    plant: Plant
    recommended: Tried
    best: Tried
    advice_seconds: float
    sweep_seconds: float
    runs: int

    @property
    def cost_ratio(self) -> float:
        """Processor time of the recommended one over that of the best of the sweep."""
        return self.recommended.seconds / self.best.seconds


def compare(plant: Plant, progress: Progress | None = None) -> Compared:
    """Advise, sweep, and compare."""
    system = plant.build()
    trial_run(system, plant.until / 50)  # what is loaded once counts for neither of the two
    began = process_time()
    advice = system.advise(plant.until, plant.tolerance)
    advised = process_time() - began
    sweep = Sweep.of(plant, system)
    points = list(sweep.points())
    began, tried = process_time(), []
    for k, point in enumerate(points):
        if progress is not None:
            progress(f"sweep of {plant.name}", k, len(points))
        tried.append(sweep.tried(sweep.choices.strategy(point), sweep.choices.label(point)))
    swept = process_time() - began
    good = sorted((one for one in tried if one.error <= plant.tolerance), key=lambda one: one.seconds)[:FINALISTS]
    recommended = sweep.tried(advice.best, advice.recommended.label)
    recommended, *good = sweep.timed([recommended, *good])
    return Compared(plant, recommended, min(good, key=lambda one: one.seconds), advised, swept, len(points))


@dataclass(frozen=True)
class Sweep:
    """All schemes, orders and steps of each subsystem of a plant, whole runs of the real models."""

    plant: Plant
    system: System
    choices: Choices
    tight: Result

    @classmethod
    def of(cls, plant: Plant, system: System) -> Sweep:
        """Return it with its reference: sixteen steps for one."""
        steps = {name: float(part.step or 1.0) for name, part in system.subsystems.items()}
        choices = Choices.of(system, steps, SCHEMES)
        strategy = choices.strategy(choices.point(SCHEMES[0], Orders(1, 1), 1 / TIGHT))
        return cls(plant, system, choices, trial_run(strategy.applied(system), plant.until, **strategy.options))

    def points(self) -> Iterator[Point]:
        """Yield everything that is tried."""
        for scheme, order, factors in product(SCHEMES, ORDERS, product(FACTORS, repeat=len(self.choices.steps))):
            yield Point(scheme, Orders(order, order), factors)

    def tried(self, strategy: Strategy, label: str) -> Tried:
        """Return error and time of a whole run."""
        began = process_time()
        try:
            result = trial_run(strategy.applied(self.system), self.plant.until, **strategy.options)
        except CounterpointError:
            return Tried(strategy, label, inf, 0, process_time() - began)
        taken = process_time() - began
        names = [name for source in judged_outputs(self.system) for name in result.expand(source)]
        error = max(_error(result, self.tight, name) for name in names)
        return Tried(strategy, label, error, sum(result.summary.steps), taken)

    def timed(self, some: list[Tried]) -> list[Tried]:
        """Return them with the least time of several new runs, made in turn.

        Their times in the sweep do not count: the cheapest of hundreds are those that were disturbed least.
        """
        least = [inf] * len(some)
        shortest = min(one.seconds for one in some)
        for _ in range(REPEATS if shortest > BRIEF else MORE_REPEATS):
            least = [min(t, self.tried(one.strategy, one.label).seconds) for t, one in zip(least, some, strict=True)]
        return [replace(one, seconds=seconds) for one, seconds in zip(some, least, strict=True)]


def _error(result: Result, tight: Result, name: str) -> float:
    found = difference(result, tight, name)
    return inf if found is None else found.error


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


def turbine() -> Plant:
    """Return the CART wind turbine with its controller: flexible blades and tower, pitch and torque."""

    def build() -> System:
        model = cart_turbine(RUNNING)
        model.standard_outputs = ("violation",)
        return coupled_turbine(RUNNING, model, 4e-3)

    return Plant("wind turbine", build, 2.0, 5e-2)
