"""One case of the two-mass experiment: build the coupled system, run it, measure it.

The fast mass is integrated with ode4 and step h = 0.01 s, the slow one with the trapezoidal rule and step
H = FR·h, both 100 steps a cycle. Each side gets the displacement of the other and evaluates its own copy
of the spring k2.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ... import Subsystem, System, lagrange, least_squares, linear, mean
from ...approximations import Approximation
from ...quality.errors import relative_rms_error
from ...results import Result
from .measures import CYCLES, Measures, Trajectory, measure
from .problem import Ratios, TwoMass

FAST_STEP = 0.01
"""Step of the fast side in s."""


class Driver(StrEnum):
    """Who is master: the fast side through the embedded interface, or Counterpoint's scheduler."""

    EMBEDDED = "embedded"
    PRECEDENCE = "precedence"


@dataclass(frozen=True)
class Case:
    """One numerical experiment.

    Attributes
    ----------
    frequency_ratio : float
        FR; also the ratio of the steps.
    scheme : str
        ``"slowest-first"``, ``"fastest-first"`` or ``"parallel"``.
    order : int
        Polynomial order of both directions, 0 to 4.
    smoothing : bool
        The slow side gets the mean of x1 over its step instead of a polynomial.
    points : int
        Points of a least-squares polynomial for the slow signal; 0 for interpolation.
    damping_ratio : float
        ζ of equation (9).
    second_ratio : float
        AR2.
    slow_solver : str
        Of the slow side; the source has the trapezoidal rule.
    """

    frequency_ratio: float
    scheme: str = "slowest-first"
    order: int = 3
    smoothing: bool = False
    points: int = 0
    damping_ratio: float = 0.0
    second_ratio: float = -1000.0
    slow_solver: str = "trapezoidal"
    driver: Driver = Driver.EMBEDDED

    def problem(self) -> TwoMass:
        """Return the masses and springs of this case."""
        return TwoMass.from_ratios(Ratios(self.frequency_ratio, second=self.second_ratio), self.damping_ratio)

    @property
    def slow_step(self) -> float:
        """Step of the slow side in s."""
        return FAST_STEP * self.frequency_ratio


def run_case(case: Case) -> Measures:
    """Run a case and return its errors."""
    return measure(case.problem(), simulate(case))


def simulate(case: Case) -> Trajectory:
    """Run a case for 100 cycles of the fast mode and return both motions."""
    result = _run(build(case), case, until=float(CYCLES))
    fast, slow = result["fast"], result["slow"]
    return Trajectory(
        fast.index.to_numpy(),
        fast["x1"].to_numpy(),
        fast["v1"].to_numpy(),
        slow.index.to_numpy(),
        slow["x2"].to_numpy(),
        slow["v2"].to_numpy(),
    )


def build(case: Case) -> System:
    """Couple the two masses by their displacements."""
    problem = case.problem()
    a = problem.matrix
    x1 = float(problem.start[0])
    fast = linear(a[:2, :2], [[0.0], [a[1, 2]]], x0=[x1, 0.0], inputs=("x2",), outputs=("x1", "v1"), solver="ode4")
    system = System("two-mass")
    system.add("fast", fast, step=FAST_STEP)
    system.add("slow", _slow_mass(problem, case.slow_solver), step=case.slow_step)
    system.connect("slow.x2", "fast.x2", _to_fast(case))
    system.connect("fast.x1", "slow.x1", mean("arithmetic") if case.smoothing else lagrange(case.order))
    return system


def monolithic_error(frequency_ratio: float) -> float:
    """Return dx of both masses in one model, integrated with ode4 and step h; no coupling."""
    problem = TwoMass.from_ratios(Ratios(frequency_ratio))
    x1, x2 = problem.start
    states = ("x1", "v1", "x2", "v2")
    whole = linear(problem.matrix, np.zeros((4, 0)), x0=[x1, 0.0, x2, 0.0], inputs=(), outputs=states)
    system = System("two-mass in one model")
    system.add("both", whole, step=FAST_STEP)
    x = system.run(until=float(CYCLES))["both.x1"]
    return frequency_ratio / CYCLES * relative_rms_error(x.values[1:], problem.exact(x.time[1:])[0])


def trapezoidal_error(frequency_ratio: float) -> float:
    """Return dx of the slow mode alone, an oscillator of frequency w2 by the trapezoidal rule, step H."""
    case = Case(frequency_ratio)
    w = case.problem().slow_frequency
    a, b = [[0.0, 1.0], [-(w**2), 0.0]], np.zeros((2, 0))
    mode = linear(a, b, x0=[1.0, 0.0], inputs=(), outputs=("x", "v"), solver="trapezoidal")
    system = System("slow mode alone")
    system.add("mode", mode, step=case.slow_step)
    x = system.run(until=float(CYCLES))["mode.x"]
    return frequency_ratio / CYCLES * relative_rms_error(x.values[1:], np.cos(w * x.time[1:]))


def _slow_mass(problem: TwoMass, solver: str) -> Subsystem:
    a = problem.matrix
    x0 = [float(problem.start[1]), 0.0]
    b = [[0.0], [a[3, 0]]]
    return linear(a[2:, 2:], b, x0=x0, inputs=("x1",), outputs=("x2", "v2"), solver=solver)


def _run(system: System, case: Case, until: float) -> Result:
    host = "fast" if case.driver is Driver.EMBEDDED else None
    return system.run(until=until, scheme=case.scheme, host=host, first_steps="once")


def _to_fast(case: Case) -> Approximation:
    return least_squares(case.order, case.points) if case.points else lagrange(case.order)
