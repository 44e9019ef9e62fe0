"""Direct simulations: how fast they grow, measured from their published samples alone, beside the spectral radius."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...approximations import Approximation, hermite, hold, lagrange, least_squares, mean, taylor, transition
from ...linearisation import linearise
from ...stability_analysis import Prober
from ...subsystems import linear
from ...system import System
from ...windows import Window, compound_fast, window
from ..two_mass.problem import Ratios, TwoMass

#: The two masses of González et al. (2011) at a ratio of frequencies whose grids meet after two slow steps.
RATIO = 7.5
STEP = 0.01
DELAYS, SKIPPED = 8, 12
TIGHT = 1e-11
"""Tolerance of iterations, so that a direct simulation and its map have converged to the same."""


@dataclass(frozen=True)
class GrowthCase:
    """A scheme on the two masses."""

    scheme: str
    name: str
    approximation: Approximation
    solvers: tuple[str, str] = ("ode4", "trapezoidal")
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Return it in words."""
        return f"{self.scheme}, {self.name}"

    def build(self, ratio: float = RATIO) -> System:
        """Return the system; steps 0.01 s and ratio times that."""
        return two_masses(ratio, self.approximation, self.solvers)

    def probed(self) -> float:
        """Return the spectral radius of the map of one period."""
        return float(np.max(np.abs(np.linalg.eigvals(self._prober().matrix()))))

    def measured(self) -> float:
        """Return the growth of a direct simulation in one period."""
        return measured_growth(self.build(), self.scheme, self._prober().period, **self.options)

    def _prober(self) -> Prober:
        return Prober(linearise(self.build()), self.scheme, **self.options)


def two_masses(
    ratio: float, approximation: Approximation, solvers: tuple[str, str] = ("ode4", "trapezoidal")
) -> System:
    """Return two masses cut at the spring between them; displacements cross the cut."""
    problem = TwoMass.from_ratios(Ratios(ratio))
    a = problem.matrix
    system = System("two masses")
    for k, (name, solver, step) in enumerate((("fast", solvers[0], STEP), ("slow", solvers[1], STEP * ratio))):
        own, other = (2 * k, 2 * k + 1), 2 * (1 - k)
        part = linear(
            a[np.ix_(own, own)], a[np.ix_(own, (other,))], [[1.0, 0.0]], x0=[float(problem.start[k]), 0.0],
            inputs="u", outputs="x", solver=solver,
        )  # fmt: skip
        system.add(name, part, step=step)
    system.connect("fast.x", "slow.u", approximation)
    system.connect("slow.x", "fast.u", approximation)
    return system


def growth_cases() -> list[GrowthCase]:
    """Return cases: schemes with eight approximations, multistep solvers, repeated windows, compound steps."""
    schemes = ("slowest-first", "fastest-first", "parallel")
    approximations = {
        "hold": hold(), "lagrange 1": lagrange(1), "lagrange 2": lagrange(2), "hermite": hermite(),
        "taylor 2": taylor(2), "least squares": least_squares(1, 4), "mean": mean(), "transition": transition(1),
    }  # fmt: skip
    made = [GrowthCase(scheme, name, given) for scheme in schemes for name, given in approximations.items()]
    made += [GrowthCase(scheme, "lagrange 1, BDF2", lagrange(1), ("bdf2", "bdf2")) for scheme in schemes]
    for stencil in ("one-sided", "centred"):
        for repeats in (1, 3):
            windows = {"window": window(length=0.15, repeats=repeats, stencil=stencil)}
            name = f"lagrange 2, window with {repeats} repeats, {stencil}"
            made.append(GrowthCase("fastest-first", name, lagrange(2), options=windows))
    made += [GrowthCase("slowest-first", name, lagrange(1), options={"window": given}) for name, given in _implicit()]
    return [*made, GrowthCase("sequential", "lagrange 3", lagrange(3))]


def _implicit() -> list[tuple[str, Window]]:
    """Return compound steps and converged iterations; windows are as long as the slow step."""
    return [
        ("compound-fast", compound_fast(tolerance=TIGHT)),
        ("generalised compound-fast, share 0.6", compound_fast(share=0.6, tolerance=TIGHT)),
        ("mixed compound-fast", compound_fast(share="mixed", tolerance=TIGHT)),
        ("iterated", window(tolerance=TIGHT)),
        ("iterated with IQN-ILS", window(tolerance=TIGHT, acceleration="iqn-ils")),
    ]


def measured_growth(system: System, scheme: Any, period: float, periods: int = 240, **options: Any) -> float:
    """Return the largest factor by which a motion grows in one period.

    The samples at multiples of the period obey a linear recurrence; its roots are found from delayed samples (matrix
    pencil), without knowing anything of the scheme.
    """
    result = system.run(until=period * periods, scheme=scheme, first_steps="once", **options)
    grid = period * np.arange(periods + 1)
    signals = []
    for name, part in system.subsystems.items():
        for output in part.subsystem.output_widths:
            signal = result[f"{name}.{output}"]
            chosen = np.searchsorted(signal.time, grid - 1e-6 * period)
            signals.append(np.asarray(signal.values)[chosen] / np.max(np.abs(signal.values)))
    return _largest_root(np.array(signals)[:, SKIPPED:])  # without the start, which has a shorter history


def _largest_root(rows: NDArray[np.float64]) -> float:
    count = rows.shape[1] - DELAYS
    stacked = np.vstack([rows[:, k : k + count] for k in range(DELAYS + 1)])
    before, after = stacked[: -len(rows)], stacked[len(rows) :]
    left, sizes, right = np.linalg.svd(before, full_matrices=False)
    rank = int(np.sum(sizes > 1e-9 * sizes[0]))
    pencil = left[:, :rank].T @ after @ right[:rank].T / sizes[:rank]
    return float(np.max(np.abs(np.linalg.eigvals(pencil))))
