"""The step law alone, on the speed that the NEDC prescribes: no car, so that nothing but sampling makes errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...approximations import Approximation, hold, lagrange
from ...diagram import Diagram
from ...diagram.library import drive_cycle
from ...pace import Pace, gradient
from ...system import System
from ..assumed import assumed, mean_distance
from .experiment import Array
from .law import GradientOfOutput


@dataclass(frozen=True)
class Sampled:
    """The trace sampled by a law: times in s, and errors with steps of the law and equal steps of its mean, m/s."""

    label: str
    time: Array
    error: float
    error_of_equal_steps: float

    @property
    def mean_step(self) -> float:
        """Return the mean step, s."""
        return float(np.mean(np.diff(self.time)))

    @property
    def ratio(self) -> float:
        """Return the error with steps of the law over that with equal steps of its mean length."""
        return self.error / self.error_of_equal_steps


RANGE: dict[str, Any] = {"smallest": 0.4, "largest": 2.0, "p0": 2.0, "p1": 2.0}
PRINTED = GradientOfOutput("trace.acceleration", **RANGE)
"""Equations (7) and (8) with the acceleration that the cycle prescribes."""


def of_samples(derivative: int) -> Pace:
    """Return the law with a derivative of the speed, from differences of samples; the source prints the first."""
    return gradient("trace.speed", derivative=derivative, first=0.4, **RANGE)


CASES: tuple[tuple[str, Approximation, Pace], ...] = (
    ("order 0, acceleration", hold(), PRINTED),
    ("order 0, differences of samples", hold(), of_samples(1)),
    ("order 1, acceleration", lagrange(1), PRINTED),
    ("order 1, second differences", lagrange(1), of_samples(2)),
)


def sample_all() -> list[Sampled]:
    """Sample the NEDC with the printed law, held and with first-order extrapolation, and with the matching law."""
    cycle = drive_cycle("nedc")
    found = []
    for label, approximation, chosen in CASES:
        time = _times(chosen)
        equal = np.linspace(0.0, cycle.duration, len(time))
        errors = []
        for axis in (time, equal):
            at, values = assumed(approximation, axis, cycle.at(axis), points=20)
            errors.append(mean_distance(at, values, cycle.at(at)))
        found.append(Sampled(label, time, *errors))
    return found


def _times(pace: Pace) -> Array:
    cycle = drive_cycle("nedc")
    model = Diagram("trace")
    slopes = np.append(np.diff(cycle.speed) / np.diff(cycle.time), 0.0)
    rate = model.table(cycle.time, slopes, interpolation="hold")
    model.output("speed", model.integrator(rate, name="speed"), unit="m/s")
    model.output("acceleration", rate, unit="m/s2")
    system = System("trace")
    system.add("trace", model, step=0.4)
    result = system.run(until=cycle.duration, scheme="parallel", pace=pace, first_steps="once")
    return np.asarray(result["trace.speed"].time)
