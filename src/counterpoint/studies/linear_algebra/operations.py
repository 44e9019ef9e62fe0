"""Operations of a step: a generic sparse library against places known beforehand, and the share of each part."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ... import _core
from ...multibody import Formulation
from ...multibody.library import four_bar
from ...system import System
from .chain import PENALTY, STEP, rods, tangent
from .phases import phases
from .solvers import OURS, core_solver


@dataclass(frozen=True)
class Operation:
    """One operation of a step: s with a generic sparse library (Eigen), and with its places known."""

    name: str
    generic: float
    planned: float

    @property
    def ratio(self) -> float:
        """Return how many times faster it is with its places known."""
        return self.generic / self.planned


def operations(loops: int, repeats: int) -> list[Operation]:
    """Measure rank-k update, addition and writing of the Jacobian for a chain."""
    mass, jacobian = rods(loops)
    entries = [(row, column, value) for row, found in enumerate(jacobian) for column, value in found]
    seconds = _core.multibody.measure_operations(
        2 * loops + 2, len(jacobian),
        [[row for row, _, _ in mass], [column for _, column, _ in mass]], [value for _, _, value in mass],
        [[row for row, _, _ in entries], [column for _, column, _ in entries]], [value for _, _, value in entries],
        0.25 * STEP**2 * PENALTY, repeats,
    )  # fmt: skip
    names = ("rank-k update", "matrix addition", "Jacobian writes")
    return [Operation(name, seconds[2 * k], seconds[2 * k + 1]) for k, name in enumerate(names)]


@dataclass(frozen=True)
class Shares:
    """Where the time of a step goes.

    Attributes
    ----------
    size : int
    step : float
        s for one step, with one factorisation and four solutions.
    factor, solutions : float
        s for these in one step: the shares that the profile of a step finds, of the step without a profile. The first
        solution is part of the factorisation, which takes the right-hand side along.
    """

    size: int
    step: float
    factor: float
    solutions: float

    @property
    def solver(self) -> float:
        """Return the share of the solver in a step, 0 to 1."""
        return min(1.0, (self.factor + self.solutions) / self.step)

    def bound(self, processors: int = 2) -> float:
        """Return Amdahl's bound of the speed-up when only the solver runs on several processors."""
        return 1 / (self.solver / processors + 1 - self.solver)

    def shared_bound(self, processors: int = 2) -> float:
        """Return Amdahl's bound when all but the factorisation runs on several processors."""
        alone = min(1.0, self.factor / self.step)
        return 1 / ((1 - alone) / processors + alone)


def shares(loops: int, seconds: float) -> Shares:
    """Measure a step of the chain with the trapezoidal rule, and what its factorisation and solutions take of it."""
    mechanism = four_bar(loops)
    mechanism.formulation = Formulation(solver=OURS, threads=1)
    mechanism.standard_outputs = ()
    mechanism.output("B0", "B0")
    system = System("chain")
    system.add("chain", mechanism.subsystem(), step=1e-3, record=False)
    run = system.start()
    step, taken = 1e9, 0
    began = time.process_time()
    count = max(2, 2000 // loops)
    while time.process_time() - began < seconds and taken + count < 600:
        at = time.process_time()
        run.step_to((taken + count) * 1e-3)
        taken += count
        step = min(step, (time.process_time() - at) / count)
    profile = phases(loops, seconds)
    factor, solutions = (step * profile.percent([name]) / 100 for name in ("factorisation", "projection solutions"))
    return Shares(2 * loops + 2, step, factor, solutions)


@dataclass(frozen=True)
class Fill:
    """Entries of the factor by `OURS` for one of the matrix's lower triangle."""

    size: int
    per_row: float
    ratio: float


def fills(largest: int) -> list[Fill]:
    """Count entries of factors: the chain, small and large, and 100 unknowns with artificial entries."""
    matrices = [tangent(100), tangent(largest), tangent(100, 20.0), tangent(100, 50.0)]
    return [
        Fill(matrix.size, matrix.per_row, core_solver(OURS, matrix).factor_entries / len(matrix.lower()[2]))
        for matrix in matrices
    ]
