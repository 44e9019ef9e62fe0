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
        Of the timed runs, without their start, s.
    step : float
        Of a step of the turbine, µs.
    coordinates : int
        Of the turbine.
    four_bar_step : float
        Of a step of the four-bar chain, µs.
    four_bar_coordinates : int
        Of the chain.
    timed, compared : float
        Simulated time of the timed and of the compared runs, s.
    """

    single: float
    multirate: float
    step: float
    coordinates: int
    four_bar_step: float
    four_bar_coordinates: int
    timed: float
    compared: float

    @property
    def saving(self) -> float:
        """Processor time at one rate over that at two."""
        return self.single / self.multirate

    @property
    def per_coordinate(self) -> float:
        """Step cost per coordinate, turbine over four-bar chain."""
        return (self.step / self.coordinates) / (self.four_bar_step / self.four_bar_coordinates)


def measure(plan: Plan, timed: float) -> tuple[Costs, CartRun, CartRun]:
    """Run one rate and two over ``timed`` seconds in turns and keep the shortest times; then the compared runs."""
    short = min(simulate(plan, COARSE, COARSE).cpu for _ in range(2))
    pairs = [(simulate(plan, FINE, timed), simulate(plan, COARSE, timed)) for _ in range(3)]
    single, multirate = (min(run.cpu for run in runs) - short for runs in zip(*pairs, strict=True))
    coordinates = pairs[0][1].model.assembled().free
    step = 1e6 * multirate / (timed / COARSE)
    chain, size = _four_bar(coordinates)
    compared = simulate(plan, FINE, plan.compared), simulate(plan, COARSE, plan.compared)
    return Costs(single, multirate, step, coordinates, chain, size, timed, plan.compared), *compared


def _four_bar(coordinates: int) -> tuple[float, int]:
    """Return the cost of a step (µs) of a four-bar chain with about as many coordinates, and how many it has."""
    model = four_bar(loops=max(1, round((coordinates - 2) / 2)))
    model.standard_outputs = ("violation",)
    size = model.assembled().free
    step, steps = 2.5e-5, 20000  # 0.5 s: the cranks have not yet lain flat
    starts: list[float] = []
    times: list[float] = []
    for _ in range(3):
        for run, until in ((starts, step), (times, steps * step)):
            began = process_time()
            model.run(until=until, step=step)
            run.append(process_time() - began)
    return 1e6 * float(np.min(times) - np.min(starts)) / (steps - 1), size
