"""What steps cost: one rate and two, and a four-bar chain of as many coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

import numpy as np

from ...multibody.library import four_bar
from .cart_runs import COARSE, FINE, CartRun, Plan, simulate


@dataclass(frozen=True)
class Costs:
    """Processor times.

    Attributes
    ----------
    single, multirate : float
        Of the compared runs, s.
    step : float
        Of a step of the turbine, µs.
    coordinates : int
        Of the turbine.
    four_bar_step : float
        Of a step of the four-bar chain, µs.
    four_bar_coordinates : int
        Of the chain.
    until : float
        Simulated time of the compared runs, s.
    """

    single: float
    multirate: float
    step: float
    coordinates: int
    four_bar_step: float
    four_bar_coordinates: int
    until: float

    @property
    def saving(self) -> float:
        """Processor time at one rate over that at two."""
        return self.single / self.multirate

    @property
    def per_coordinate(self) -> float:
        """Step cost per coordinate, turbine over four-bar chain."""
        return (self.step / self.coordinates) / (self.four_bar_step / self.four_bar_coordinates)


def measure(plan: Plan, repetitions: int) -> tuple[Costs, CartRun, CartRun]:
    """Run one rate and two in turns, keep the shortest times; return them with the last runs."""
    pairs = [(simulate(plan, FINE, plan.compared), simulate(plan, COARSE, plan.compared)) for _ in range(repetitions)]
    short = simulate(plan, COARSE, COARSE).cpu
    single, multirate = (min(run.cpu for run in runs) - short for runs in zip(*pairs, strict=True))
    coordinates = pairs[0][1].model.assembled().free
    step = 1e6 * multirate / (plan.compared / COARSE)
    chain, size = _four_bar(coordinates)
    return Costs(single, multirate, step, coordinates, chain, size, plan.compared), *pairs[-1]


def _four_bar(coordinates: int) -> tuple[float, int]:
    """Return the cost of a step (µs) of a four-bar chain with about as many coordinates, and how many it has."""
    model = four_bar(loops=max(1, round((coordinates - 2) / 2)))
    model.standard_outputs = ("violation",)
    size = model.assembled().free
    model.run(until=0.01, step=0.01)
    times = []
    for _ in range(3):
        began = process_time()
        model.run(until=0.01, step=0.01)
        start = process_time() - began
        began = process_time()
        model.run(until=2.0, step=0.01)
        times.append(process_time() - began - start)
    return 1e6 * float(np.min(times)) / 199, size
