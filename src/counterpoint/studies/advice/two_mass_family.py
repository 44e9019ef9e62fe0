"""Two masses with linear and cubic springs: all sixteen schemes and orders against the one that is recommended."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import inf, log
from time import process_time

import numpy as np
from numpy.typing import NDArray

from ..._run.trial import trial_run
from ...advise import Advice
from ...approximations import lagrange
from ...errors import CounterpointError
from ...results import Result
from ...stability_analysis import stability
from ...subsystems import ode
from ...system import System
from ..two_mass.problem import Ratios, TwoMass

Array = NDArray[np.float64]
SCHEMES = ("slowest-first", "fastest-first", "parallel", "sequential")
ORDERS = range(4)
FAST_STEP = 0.01
GROWS = 1e-3
"""Growth of a motion from which a coupling counts as unstable, 1/s; measured: its amplitude e^0.1 times in 100 s."""


class TwoMasses(ABC):
    """Two coupled masses, ``fast.x`` and ``slow.x``, and their motion without errors of coupling."""

    until: float
    hardening: float

    @property
    @abstractmethod
    def name(self) -> str:
        """In words."""

    @abstractmethod
    def system(self, order: int = 1) -> System:
        """Return the coupled masses."""

    @property
    @abstractmethod
    def reference(self) -> Result:
        """Both in one: ``both.x`` and ``both.y``."""

    @abstractmethod
    def stable(self) -> Iterator[tuple[bool, bool]]:
        """Yield for each scheme and order whether nothing grows: as the analysis says, and as runs show."""

    @cached_property
    def results(self) -> dict[tuple[str, int], Result | None]:
        """Runs with every scheme and order; None: it failed."""
        return {(scheme, order): self._run(scheme, order) for scheme, order in product(SCHEMES, ORDERS)}

    def errors(self) -> dict[tuple[str, int], float]:
        """Return the error of every scheme and order."""
        return {
            case: inf if r is None else max(self._error(r, "fast.x", "x"), self._error(r, "slow.x", "y"))
            for case, r in self.results.items()
        }

    def advice(self) -> tuple[Advice, float]:
        """Return the advice with these steps, and the processor time that it took, s."""
        began = process_time()
        found = self.system().advise(self.until, 1e-9, change_steps=False, schemes=SCHEMES)
        return found, process_time() - began

    def _run(self, scheme: str, order: int) -> Result | None:
        try:
            return trial_run(self.system(order), self.until, scheme=scheme)
        except CounterpointError:
            return None

    @np.errstate(over="ignore", invalid="ignore")
    def _error(self, result: Result, name: str, state: str) -> float:
        signal = result.signal(name)
        exact = np.asarray(self.reference.signal(f"both.{state}").at(np.clip(signal.time, 0.0, self.until), "cubic"))
        error = float(np.sqrt(np.mean((np.asarray(signal.values) - exact) ** 2)) / np.std(exact))
        return error if np.isfinite(error) else inf


@dataclass(frozen=True)
class Family(TwoMasses):
    """One problem.

    Attributes
    ----------
    ratio : float
        Frequency ratio, and ratio of the steps.
    second : float
        AR2, which sets the ratio of the masses.
    hardening : float
        Of the spring between the masses, 1/m²; 0: linear.
    until : float
        s
    """

    ratio: float
    second: float = -1000.0
    hardening: float = 0.0
    until: float = 100.0

    @property
    def name(self) -> str:
        """In words."""
        return f"FR {self.ratio:g}, AR2 {self.second:g}, hardening {self.hardening:g}"

    @cached_property
    def _problem(self) -> TwoMass:
        return TwoMass.from_ratios(Ratios(self.ratio, second=self.second))

    def system(self, order: int = 1) -> System:
        """Return the coupled masses."""
        a, (x1, x2) = self._problem.matrix, self._problem.start
        system = System("two masses")
        to_fast, to_slow, hard = a[1, 2], a[3, 0], self.hardening

        def fast(t: float, x: Array, u: Array) -> list[float]:
            return [x[1], a[1, 0] * x[0] + to_fast * (u[0] - hard * (x[0] - u[0]) ** 3)]

        def slow(t: float, x: Array, u: Array) -> list[float]:
            return [x[1], a[3, 2] * x[0] + to_slow * (u[0] + hard * (u[0] - x[0]) ** 3)]

        first = ode(fast, [float(x1), 0.0], inputs="u", outputs=["x", "v"], solver="ode4")
        second = ode(slow, [float(x2), 0.0], inputs="u", outputs=["x", "v"], solver="trapezoidal")
        system.add("fast", first, step=FAST_STEP)
        system.add("slow", second, step=FAST_STEP * self.ratio)
        system.connect("slow.x", "fast.u", lagrange(order))
        system.connect("fast.x", "slow.u", lagrange(order))
        return system

    @cached_property
    def reference(self) -> Result:
        """Both in one."""
        a, (x1, x2), hard = self._problem.matrix, self._problem.start, self.hardening

        def both(t: float, x: Array, u: Array) -> list[float]:
            cube = hard * (x[0] - x[2]) ** 3
            return [
                x[1], a[1, 0] * x[0] + a[1, 2] * (x[2] - cube), x[3], a[3, 2] * x[2] + a[3, 0] * (x[0] + cube),
            ]  # fmt: skip

        system = System("in one")
        start = [float(x1), 0.0, float(x2), 0.0]
        system.add("both", ode(both, start, outputs=["x", "v", "y", "w"], rtol=1e-9, atol=1e-10), step=0.02)
        return trial_run(system, self.until)

    @np.errstate(over="ignore", invalid="ignore")
    def _fast_motion(self, result: Result) -> float:
        """Return the amplitude of the fast motion at the end over that at the start."""
        x = np.asarray(result.signal("fast.x").values) - np.asarray(
            result.signal("slow.x").at(np.clip(result.signal("fast.x").time, 0, result["slow.x"].time[-1]), "cubic")
        )
        tenth = max(len(x) // 10, 10)
        return float(np.std(x[-tenth:]) / max(float(np.std(x[:tenth])), 1e-300))

    def stable(self) -> Iterator[tuple[bool, bool]]:
        """Yield for each scheme and order whether nothing grows: as the analysis says, and in the run."""
        for (scheme, order), result in self.results.items():
            said = stability(self.system(order), scheme, first_steps="once").growth_rate
            yield said < GROWS, result is not None and not grown(self._fast_motion(result))


def chosen_order(advice: Advice) -> int:
    """Return the order of the recommended strategy, the same in both directions."""
    first = advice.best.approximations[0][0]
    assert first is not None
    return int(first.name.split()[-1])


def grown(amplitude: float) -> bool:
    """Whether a fast motion that has become so many times larger counts as unstable."""
    return not log(max(amplitude, 1e-300)) < 0.1
