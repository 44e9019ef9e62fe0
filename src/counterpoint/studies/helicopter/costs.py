"""Processor time: of the layouts, and of a step per coordinate beside the four-bar of the same size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import process_time

from ...multibody import Mechanism
from ...multibody.library import four_bar
from .experiment import COARSE, FINE, LAYOUTS, Flight, fly, fuselage_model, tail_model


@dataclass(frozen=True)
class StepCost:
    """What a step costs.

    Attributes
    ----------
    model : str
    coordinates : int
    microseconds : float
        Per step.
    """

    model: str
    coordinates: int
    microseconds: float

    @property
    def per_coordinate(self) -> float:
        """Time of a step over its coordinates, µs."""
        return self.microseconds / self.coordinates


def timed_flights(until: float, repeats: int) -> list[Flight]:
    """Fly all layouts in turn, as often as asked; each has the least of its times."""
    rounds = [[fly(case, until) for case in LAYOUTS] for _ in range(repeats)]
    best = []
    for flights in zip(*rounds, strict=True):
        seconds = {name: min(f.seconds[name] for f in flights) for name in flights[0].seconds}
        cpu, wall = (min(getattr(f, key) for f in flights) for key in ("cpu", "wall"))
        best.append(replace(flights[0], seconds=seconds, cpu=cpu, wall=wall))
    return best


def step_costs() -> list[StepCost]:
    """Measure both models alone beside four-bars of as many coordinates, in turn."""
    made = []
    for model, step in ((fuselage_model(), COARSE), (tail_model(), FINE)):
        size = model.assembled().free
        chain = four_bar(max(1, size // 2 - 1))
        chain.standard_outputs = ()
        pairs = [(_step_cost(model, step, 600), _step_cost(chain, 1e-3, 6000)) for _ in range(2)]
        made.append(StepCost(model.name, size, min(own for own, _ in pairs)))
        made.append(StepCost(f"four-bar beside {model.name}", chain.assembled().free, min(other for _, other in pairs)))
    return made


def _step_cost(model: Mechanism, step: float, steps: int) -> float:
    """Return the processor time of a step, µs: of a run, without that of a short one."""
    times = []
    for count in (10, 10, steps):  # the first one brings what comes once
        began = process_time()
        model.run(until=count * step, step=step)
        times.append(process_time() - began)
    return 1e6 * (times[2] - times[1]) / (steps - 10)
