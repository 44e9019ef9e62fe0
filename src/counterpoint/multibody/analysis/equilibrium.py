"""Static equilibrium: where a mechanism stays when nothing moves it.

Newton's method in the free motions, ``K dz = Nᵀ Q`` with ``K = Nᵀ (-dQ/dq + d(Jᵀλ)/dq) N``, followed by assembly. Far
away, or where the mechanism would tip over (K not positive), ``K + 1/tau`` takes the place of K: a step of a
pseudo-time in which the mechanism creeps downhill; tau grows as it comes nearer. So what is found is a stable
equilibrium unless the search starts in another one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...errors import SolverError
from ..assembly.affine import Vector
from . import differences
from .problem import Problem, State
from .tangent_space import TangentSpace

if TYPE_CHECKING:
    import pandas as pd

_MOST_ITERATIONS = 300
_LONGEST_STEP = 0.2
"""Of the size of the mechanism, in one step."""
_LONGEST_PART = 0.02
"""Of the size of the mechanism, that is gone straight on."""
_TOLERANCE = 1e-10
"""Unbalanced generalised force over the largest force in the mechanism."""
_MOST_TRIALS = 60
_HALVINGS = 4
_SMALLEST_STEP = 1e-12
"""Of the size of the mechanism: a step of Newton's method this short is rounding."""


@dataclass(frozen=True)
class Equilibrium:
    """A static equilibrium.

    Attributes
    ----------
    state : State
        Positions, at rest.
    multipliers : array of shape (equations,)
        ``Jᵀ λ = Q``; the shortest that fit when constraints are redundant, N or N m.
    stiffness : array of shape (degrees of freedom, degrees of freedom)
        K over the free motions, made with unit mass: its eigenvalues are squared angular frequencies, 1/s².
    iterations : int
        That the search took.
    unbalanced : float
        Largest force left, N.
    """

    problem: Problem
    state: State
    multipliers: Vector
    stiffness: Vector
    iterations: int
    unbalanced: float

    @property
    def positions(self) -> dict[str, float]:
        """Every free coordinate by name, m."""
        return {self.problem.coordinate(k): float(self.state.q[k]) for k in range(self.problem.n)}

    @property
    def is_stable(self) -> bool:
        """Whether every small free motion meets resistance (or at least no drive, for neutral ones)."""
        values = np.linalg.eigvals(self.stiffness).real
        return bool(np.all(values >= -1e-9 * np.abs(values).max(initial=0.0)))

    @property
    def reactions(self) -> pd.Series:
        """What each constraint does on the mechanism, ``-λ``, by name; N or N m."""
        import pandas as pd

        names = [self.problem.model.equation_name(k) for k in range(self.problem.equations)]
        return pd.Series(-self.multipliers, index=pd.Index(names, name="constraint", dtype=object), name="reaction")

    def __getitem__(self, name: str) -> Vector | float:
        """Return an output of the mechanism in equilibrium (``"guide:NAME"``: what a guide has to do)."""
        shown = {**self.problem.outputs, **self.problem.guides}
        if name not in shown:
            from ...errors import SetupError, did_you_mean

            raise SetupError(f'equilibrium of "{self.problem.name}": no output "{name}"{did_you_mean(name, shown)}')
        values = self.problem.shown([shown[name]], self.state, np.zeros(self.problem.n), self.multipliers)
        return float(values[0]) if len(values) == 1 else values

    def __repr__(self) -> str:
        kind = "stable" if self.is_stable else "unstable"
        search = f"{self.iterations} iterations, {self.unbalanced:.2g} N unbalanced"
        return f'<Equilibrium of "{self.problem.name}": {kind}, {search}>'


def equilibrium(problem: Problem, *, at: float = 0.0, tolerance: float = _TOLERANCE) -> Equilibrium:
    """Return a static equilibrium, searched from the start.

    Parameters
    ----------
    at : float
        Time at which guided values and forces are taken, s; their rates count as zero.
    tolerance : float
        Largest unbalanced force over the largest force in the mechanism.

    Raises
    ------
    SolverError
        When none is found; it names the point with the largest unbalanced force.
    """
    state = _at_rest(problem, problem.start, at)
    rate = largest = 0.0  # 1 / tau, and the largest force seen: springs may have balanced the loads within Q
    for iteration in range(_MOST_ITERATIONS):
        space = TangentSpace.at(problem, state)
        force = problem.forces(state)
        multipliers = space.multipliers(force)
        left = force - space.jacobian.T @ multipliers
        unbalanced = float(np.abs(left).max(initial=0.0))
        largest = max(largest, _largest_force(force, space, multipliers))
        stiffness = reduced_stiffness(problem, state, space, multipliers)
        here = Equilibrium(problem, state, multipliers, stiffness, iteration, unbalanced)
        if unbalanced <= tolerance * largest:
            return here
        state, rate, moved = _step(here, space, force, rate)
        if moved <= _SMALLEST_STEP * problem.length:
            return here
    raise _not_found(problem, state, left)


def reduced_stiffness(problem: Problem, state: State, space: TangentSpace, multipliers: Vector) -> Vector:
    """Return ``Nᵀ (-dQ/dq + d(Jᵀλ)/dq) N``, 1/s²."""

    def carried(there: State) -> Vector:
        return problem.carried(there, multipliers)

    columns = []
    for motion in space.free.T:
        direction = problem.still()
        direction.q[: problem.n] = motion
        step = differences.step_size(problem, state, direction)
        change = differences.along(problem, carried, state, direction) - problem.force_change(state, direction, step)
        columns.append(space.free.T @ change)
    return np.array(columns).T.reshape(space.degrees_of_freedom, space.degrees_of_freedom)


def _at_rest(problem: Problem, state: State, t: float) -> State:
    """Return the state at a time, at rest."""
    nothing = np.zeros_like(state.u)
    return problem.assembled(replace(state, t=t, v=np.zeros_like(state.v), du=nothing, ddu=nothing))


def _largest_force(force: Vector, space: TangentSpace, multipliers: Vector) -> float:
    """Return the largest force that is balanced: loads, or what constraints carry."""
    carried = np.abs(space.jacobian * multipliers[:, None]).max(initial=0.0)
    return max(float(np.abs(force).max(initial=0.0)), float(carried), 1e-300)


def _step(here: Equilibrium, space: TangentSpace, force: Vector, rate: float) -> tuple[State, float, float]:
    """Return the state after one step, the rate of pseudo-time that worked, and how far Newton's method would go, m."""
    problem, state, stiffness = here.problem, here.state, here.stiffness
    pull = space.free.T @ force
    values = np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T))
    reach = problem.length / float(np.abs(space.free).max())
    scale = max(float(np.abs(values).max()), float(np.abs(pull).max()) / reach)
    # Where the mechanism tips over the matrix is made positive, and where it is neutral regular.
    least = max(1e-12 * scale, 1.1 * max(0.0, -float(values.min())))
    rate = max(0.2 * rate if rate > 1e-6 * scale else 0.0, least)
    stiffest, softest = np.eye(len(pull)), float(np.abs(values).min())
    farthest = float(np.abs(space.free @ np.linalg.solve(stiffness + least * stiffest, pull)).max())
    part = 1.0
    for trial in range(_MOST_TRIALS):
        move = part * np.linalg.solve(stiffness + rate * stiffest, pull)
        there = _moved(problem, state, space.free @ move)
        if there is not None and _goes_down(problem, state, there, force, float(pull @ move)):
            return there, rate, farthest
        # A shorter step of the same direction first; then one that leans towards the steepest way down.
        part = 0.5 * part if trial % _HALVINGS else 1.0
        if trial % _HALVINGS == 0 and trial:
            rate = max(4.0 * rate, softest, 1e-9 * scale)
    return state, 0.0, farthest


def _moved(problem: Problem, state: State, change: Vector) -> State | None:
    """Return the state moved and assembled, or None when the bodies do not fit together there.

    It goes in short parts, each along the free motions of where it is: a straight way would bend what is stiff.
    """
    longest = float(np.abs(change).max(initial=0.0))
    limit = _LONGEST_STEP * problem.length
    if longest > limit:
        change, longest = change * (limit / longest), limit
    parts = 1 + int(longest / (_LONGEST_PART * problem.length))
    there = replace(state, v=problem.filled(change / parts))
    try:
        for _ in range(parts):
            there = problem.transported(replace(there, q=there.q + there.v))
    except RuntimeError:
        return None
    return problem.remembered(replace(there, v=state.v))


def _goes_down(problem: Problem, here: State, there: State, force: Vector, expected: float) -> bool:
    """Return whether the forces do work on the way (trapezoidal rule): the step ends lower, not on the other slope."""
    way = (there.q - here.q)[: problem.n]
    work = 0.5 * float((force + problem.forces(there)) @ way)
    wanted = 1e-4 * expected * min(1.0, float(np.abs(way).max()) / (_LONGEST_STEP * problem.length))
    # Assembled positions are right to 1e-12 of the size; what forces do over that says nothing.
    return work > wanted - 1e-11 * problem.length * float(np.abs(force).sum())


def _not_found(problem: Problem, state: State, left: Vector) -> SolverError:
    worst = int(np.argmax(np.abs(left)))
    return SolverError(
        f'"{problem.name}": no equilibrium found in {_MOST_ITERATIONS} steps; {problem.coordinate(worst)} is at '
        f"{state.q[worst]:.4g} m with {left[worst]:.3g} N unbalanced. A body without support "
        "falls forever: add a spring or a joint, or start closer to the equilibrium",
        problem.name,
        state.t,
    )
