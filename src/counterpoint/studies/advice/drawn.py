"""Two masses drawn at random: nothing of the advice was chosen with these in view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import exp, inf, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._run.trial import trial_run
from ...approximations import lagrange
from ...errors import CounterpointError
from ...results import Result
from ...stability_analysis import stability
from ...subsystems import linear, ode
from ...system import System
from .two_mass_family import GROWS, ORDERS, SCHEMES, Array, TwoMasses

LONG = 1500.0
"""Duration of the runs that show whether a motion grows, s."""
SPANS = ((500.0, 700.0), (1300.0, 1500.0))
"""When its amplitude is read, s."""


@dataclass(frozen=True)
class Drawn(TwoMasses):
    """Wall, spring, unit mass, spring, mass, spring, wall; dampers to the walls.

    Attributes
    ----------
    stiffness : tuple of float
        Of the three springs, N/m.
    mass : float
        Of the second mass, kg.
    damping : tuple of float
        To the walls, N s/m.
    hardening : float
        Of the spring between the masses, 1/m²; 0: linear.
    start : tuple of float
        Displacements, m.
    steps : tuple of float
        Of the fast and the slow subsystem, s.
    until : float
        s
    """

    stiffness: tuple[float, float, float]
    mass: float
    damping: tuple[float, float]
    hardening: float
    start: tuple[float, float]
    steps: tuple[float, float]
    until: float

    @classmethod
    def by(cls, rng: np.random.Generator, hardening: bool) -> Drawn:
        """Draw frequency and mass ratios, the share of the coupling spring, damping, steps and the start."""
        ratio = exp(rng.uniform(log(2.0), log(50.0)))
        fast, share = (2 * pi) ** 2, rng.uniform(0.1, 0.995)
        mass = exp(rng.uniform(log(2.0), log(2000.0)))
        last = max(0.0, mass * fast / ratio**2 - share * fast)
        damped = rng.uniform(0.0, 0.02) if rng.random() < 0.5 else 0.0
        step = rng.uniform(0.005, 0.015)
        period = 2 * pi / sqrt((share * fast + last) / mass)
        longer = step * (ratio if rng.random() < 0.5 else max(2.0, float(round(rng.uniform(2.0, ratio)))))
        start = (rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0) * rng.choice([1.0, 5.0]))
        return cls(
            ((1 - share) * fast, share * fast, last), mass,
            (2 * damped * 2 * pi, 2 * damped * 2 * pi / ratio * mass), rng.uniform(0.05, 0.5) if hardening else 0.0,
            (float(start[0]), float(start[1])), (step, min(longer, period / 12)), 50.0 if hardening else 100.0,
        )  # fmt: skip

    @property
    def name(self) -> str:
        """In words."""
        frequency = sqrt(sum(self.stiffness[:2]) * self.mass / sum(self.stiffness[1:]))
        return (
            f"drawn: frequencies {frequency:.3g}, masses {self.mass:.3g}, steps {self.steps[1] / self.steps[0]:.3g}, "
            f"hardening {self.hardening:.2g}"
        )

    def system(self, order: int = 1) -> System:
        """Return the coupled masses."""
        k1, k2, k3 = self.stiffness
        c1, c3 = self.damping
        m, hard, (x1, x2) = self.mass, self.hardening, self.start
        ports: dict[str, Any] = {"inputs": "u", "outputs": ["x", "v"]}
        if hard == 0.0:
            first = linear([[0.0, 1.0], [-k1 - k2, -c1]], [[0.0], [k2]], x0=[x1, 0.0], solver="ode4", **ports)
            a = [[0.0, 1.0], [-(k2 + k3) / m, -c3 / m]]
            second = linear(a, [[0.0], [k2 / m]], x0=[x2, 0.0], solver="trapezoidal", **ports)
        else:

            def fast(t: float, x: Array, u: Array) -> list[float]:
                d = x[0] - u[0]
                return [x[1], -k1 * x[0] - c1 * x[1] - k2 * (d + hard * d**3)]

            def slow(t: float, x: Array, u: Array) -> list[float]:
                d = x[0] - u[0]
                return [x[1], (-k3 * x[0] - c3 * x[1] - k2 * (d + hard * d**3)) / m]

            first = ode(fast, [x1, 0.0], solver="ode4", **ports)
            second = ode(slow, [x2, 0.0], solver="trapezoidal", **ports)
        system = System("two masses")
        system.add("fast", first, step=self.steps[0])
        system.add("slow", second, step=self.steps[1])
        system.connect("slow.x", "fast.u", lagrange(order))
        system.connect("fast.x", "slow.u", lagrange(order))
        return system

    @cached_property
    def reference(self) -> Result:
        """Both in one."""
        k1, k2, k3 = self.stiffness
        c1, c3 = self.damping
        m, hard, (x1, x2) = self.mass, self.hardening, self.start

        def both(t: float, x: Array, u: Array) -> list[float]:
            d = x[0] - x[2]
            force = k2 * (d + hard * d**3)
            return [x[1], -k1 * x[0] - c1 * x[1] - force, x[3], (-k3 * x[2] - c3 * x[3] + force) / m]

        system = System("in one")
        start = [x1, 0.0, x2, 0.0]
        system.add("both", ode(both, start, outputs=["x", "v", "y", "w"], rtol=1e-9, atol=1e-10), step=0.02)
        return trial_run(system, self.until)

    def stable(self) -> Iterator[tuple[bool, bool]]:
        """Yield for each scheme and order whether nothing grows: as the analysis says, and in a long run."""
        for scheme, order in product(SCHEMES, ORDERS):
            said = stability(self.system(order), scheme).growth_rate
            yield said < GROWS, self._growth(scheme, order) < GROWS

    @np.errstate(over="ignore", invalid="ignore")
    def _growth(self, scheme: str, order: int) -> float:
        try:
            result = trial_run(self.system(order), LONG, scheme=scheme)
        except CounterpointError:
            return inf
        return max(_rate(result, name) for name in ("fast.x", "slow.x"))


def _rate(result: Result, name: str) -> float:
    """Return how fast the amplitude of a signal grows late in the run, 1/s."""
    time, values = (np.asarray(array) for array in (result.signal(name).time, result.signal(name).values))
    if not np.isfinite(values).all():
        return inf
    first, last = (_amplitude(time, values, span) for span in SPANS)
    return log(max(last, 1e-300) / max(first, 1e-300)) / (SPANS[1][0] - SPANS[0][0])


def _amplitude(time: NDArray[np.float64], values: NDArray[np.float64], span: tuple[float, float]) -> float:
    return float(np.abs(values[(time >= span[0]) & (time <= span[1])]).max())
