"""A mechanism near a state as ``dx/dt = A x + B u``, ``y = C x + D u``.

Every free motion, every velocity and every input is one direction of change. Constraints say how positions and
velocities follow, the equations of motion, linearised, how accelerations and multipliers do:

    M δa + Jᵀ δλ = δ(Q - Jᵀ λ - M a),    J δa = -δ(γ + J a)    with λ and a held on the right,

where γ is what the constraints' second derivative has besides J a. The derivative of Q is exact for springs and
dampers; the others are differences along the direction, which constraints that are quadratic in the coordinates make
exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import SetupError, did_you_mean
from ...linear_model import StateSpace
from ..assembly.affine import Vector
from . import differences
from .problem import Direction, Problem, Shown, State
from .tangent_space import TangentSpace

if TYPE_CHECKING:
    from ...subsystems import NativeSubsystem


@dataclass(frozen=True)
class LinearModel(StateSpace):
    """A mechanism near a state.

    Attributes
    ----------
    A, B, C, D : arrays
        Shapes (states, states), (states, inputs), (outputs, states), (outputs, inputs).
    states, inputs, outputs : tuples of names
        The second half of the states are the rates of the first. An input that guides a measure comes with its rate
        and acceleration.
    state : State
        Where it holds.
    y0 : array of shape (outputs,)
        Outputs there.
    drift : array of shape (states,)
        ``dx/dt`` there: zero in equilibrium.
    shapes : array of shape (coordinates, states)
        How coordinates move with the states: ``δq = shapes @ x``, m.
    """

    state: State
    y0: Vector
    drift: Vector
    shapes: Vector

    def subsystem(self, x0: ArrayLike | None = None, **options: Any) -> NativeSubsystem:
        """Return the deviations as a subsystem: :func:`counterpoint.linear` with the names of this model."""
        from ...subsystems import linear

        if not self.inputs:
            raise SetupError(f'linear model of "{self.name}": it has no inputs; a subsystem needs one')
        start = np.zeros(len(self.A)) if x0 is None else x0
        options.setdefault("defaults", dict.fromkeys(self.inputs, 0.0))
        return linear(
            self.A, self.B, self.C, self.D, x0=start, inputs=list(self.inputs), outputs=list(self.outputs), **options
        )

    def __repr__(self) -> str:
        counts = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f'<LinearModel of "{self.name}" at {self.state.t:g} s: {counts}>'


def linearise(
    problem: Problem,
    at: State | None = None,
    *,
    coordinates: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> LinearModel:
    """Return the linear model of small deviations from a state.

    Parameters
    ----------
    at : State, optional
        Default: the start. It is made consistent.
    coordinates : names of measures, optional
        What the states mean: as many independent measures as there are degrees of freedom, and their rates. Default:
        coordinates in which the mass matrix is unity.
    outputs : names, optional
        Outputs to keep; default: all.
    """
    state = problem.consistent(at or problem.start)
    chosen = _chosen(problem, outputs)
    point = _Point(problem, state, list(chosen.values()))
    causes, inputs = point.directions(), _input_names(problem)
    f = point.space.degrees_of_freedom
    meaning = _Unit(point) if coordinates is None else _Measures(point, coordinates)
    x, dx, y = _tables(point, meaning, causes)
    inverse = np.linalg.inv(x[:, : 2 * f])
    A, C = dx[:, : 2 * f] @ inverse, y[:, : 2 * f] @ inverse
    # Inputs that move positions move the states, too; what is left acts at constant states.
    B, D = dx[:, 2 * f :] - A @ x[:, 2 * f :], y[:, 2 * f :] - C @ x[:, 2 * f :]
    moves = np.array([cause.q[: problem.n] for cause in causes[: 2 * f]]).reshape(2 * f, problem.n).T
    return LinearModel(
        problem.name,
        A,
        B,
        C,
        D,
        meaning.names,
        inputs,
        _component_names(chosen),
        state,
        point.y0,
        meaning.drift(),
        moves @ inverse,
    )


class _Point:
    """A state with its accelerations and multipliers, and how they change."""

    def __init__(self, problem: Problem, state: State, outputs: Sequence[Shown]) -> None:
        self.problem, self.state, self.outputs = problem, state, outputs
        self.space = TangentSpace.at(problem, state)
        _, rest = problem.rates(state)
        self.a, self.multipliers = self.space.solve(problem.forces(state), -rest)
        self.y0 = problem.shown(outputs, state, self.a, self.multipliers)

    def directions(self) -> list[Direction]:
        """Return the directions of free motions, of their rates, and of inputs."""
        made = []
        for kind in ("q", "v"):
            for motion in self.space.free.T:
                direction = self.problem.still()
                getattr(direction, kind)[: self.problem.n] = motion
                made.append(direction)
        for kind, place in _input_places(self.problem):
            direction = self.problem.still()
            getattr(direction, kind)[place] = 1.0
            made.append(direction)
        for direction in made:
            self._complete(direction)
        return made

    def _complete(self, direction: Direction) -> None:
        """Add what follows: positions and velocities that fit, accelerations, multipliers."""
        n, inverse = self.problem.n, self.space.inverse
        if not direction.q.any() and not direction.v.any():
            direction.q[:n] -= inverse @ self._along(self._violation, direction)
            direction.v[:n] -= inverse @ self._along(self._rate, direction)
        elif not direction.v.any():
            direction.v[:n] -= inverse @ self._along(self._rate, direction)
        both = self._along(self._held, direction)
        force = self._force_change(direction) - both[:n]
        direction.a, direction.multipliers = self.space.solve(force, -both[n:])

    def _force_change(self, direction: Direction) -> Vector:
        """Return δQ: along positions and velocities, and along inputs."""
        step = differences.step_size(self.problem, self.state, direction)
        change = self.problem.force_change(self.state, direction, step)
        if direction.u.any():
            alone = replace(self.problem.still(), u=direction.u)
            change = change + self._along(self.problem.forces, alone)
        return change

    def output_change(self, outputs: Sequence[Shown], direction: Direction) -> Vector:
        """Return the derivative of outputs along a direction."""

        def evaluate(step: float) -> Vector:
            there = self.state.moved(step, direction)
            a, multipliers = self.a + step * direction.a, self.multipliers + step * direction.multipliers
            return self.problem.shown(outputs, there, a, multipliers)

        return differences.derivative(evaluate, differences.step_size(self.problem, self.state, direction))

    def _along(self, evaluate: differences.Evaluate, direction: Direction) -> Vector:
        return differences.along(self.problem, evaluate, self.state, direction)

    def _violation(self, there: State) -> Vector:
        return self.problem.constraints(there)[0]

    def _rate(self, there: State) -> Vector:
        return self.problem.constraint_change(there, self.state.v[: self.problem.n]) + self.problem.rates(there)[0]

    def _held(self, there: State) -> Vector:
        """Return ``Jᵀ λ + M a`` and ``γ + J a`` there with λ and a of here."""
        problem = self.problem
        force = problem.carried(there, self.multipliers) + problem.inertia(there, self.a)
        return np.concatenate([force, problem.rates(there)[1] + problem.constraint_change(there, self.a)])


class _Unit:
    """States in which the mass matrix is unity."""

    def __init__(self, point: _Point) -> None:
        self.point = point
        self.projection = point.space.free.T @ point.space.mass
        count = range(1, point.space.degrees_of_freedom + 1)
        self.names = (*(f"z{k}" for k in count), *(f"z{k}_rate" for k in count))

    def changes(self, direction: Direction) -> tuple[Vector, Vector]:
        """Return how the states and their derivatives change."""
        n = self.point.problem.n
        q, v, a = (self.projection @ part for part in (direction.q[:n], direction.v[:n], direction.a))
        return np.concatenate([q, v]), np.concatenate([v, a])

    def drift(self) -> Vector:
        v = self.point.state.v[: self.point.problem.n]
        return np.concatenate([self.projection @ v, self.projection @ self.point.a])


class _Measures:
    """States that are measures of the mechanism and their rates."""

    def __init__(self, point: _Point, coordinates: Sequence[str]) -> None:
        self.point = point
        known, wanted = point.problem.measures, point.space.degrees_of_freedom
        where = f'linearise "{point.problem.name}": coordinates'
        problems = [
            f'{where}: no measure "{name}"{did_you_mean(name, known)}' for name in coordinates if name not in known
        ]
        if len(coordinates) != wanted:
            problems.append(f"{where}: {len(coordinates)} measures; there are {wanted} degrees of freedom")
        if problems:
            raise SetupError(problems)
        self.motions = [[known[name][level] for name in coordinates] for level in range(3)]
        self.names = (*coordinates, *(f"{name}_rate" for name in coordinates))
        self._check(where)

    def _check(self, where: str) -> None:
        columns = []
        for motion in self.point.space.free.T:
            direction = self.point.problem.still()
            direction.q[: self.point.problem.n] = motion
            direction.a, direction.multipliers = np.zeros_like(self.point.a), np.zeros_like(self.point.multipliers)
            columns.append(self.point.output_change(self.motions[0], direction))
        if columns and np.linalg.cond(np.array(columns)) > 1e8:
            raise SetupError(f"{where}: these measures do not determine the motion at this position; choose others")

    def changes(self, direction: Direction) -> tuple[Vector, Vector]:
        """Return how the states and their derivatives change."""
        position, velocity, acceleration = np.split(
            self.point.output_change([m for level in self.motions for m in level], direction), 3
        )
        return np.concatenate([position, velocity]), np.concatenate([velocity, acceleration])

    def drift(self) -> Vector:
        point = self.point
        return point.problem.shown(
            [m for level in self.motions[1:] for m in level], point.state, point.a, point.multipliers
        )


def _tables(point: _Point, meaning: _Unit | _Measures, causes: list[Direction]) -> tuple[Vector, Vector, Vector]:
    """Return how states, their derivatives and outputs change, a column for each cause."""
    changes = [(*meaning.changes(cause), point.output_change(point.outputs, cause)) for cause in causes]
    heights = len(meaning.names), len(meaning.names), len(point.y0)
    x, dx, y = (
        np.array([change[k] for change in changes]).reshape(len(causes), height).T for k, height in enumerate(heights)
    )
    return x, dx, y


def _input_places(problem: Problem) -> list[tuple[str, int]]:
    """Return kind (value, rate, acceleration) and place of every input of the linear model."""
    made = []
    for place, name in enumerate(problem.inputs):
        made.append(("u", place))
        if name in problem.guiding:
            made += [("du", place), ("ddu", place)]
    return made


def _input_names(problem: Problem) -> tuple[str, ...]:
    names, suffix = list(problem.inputs), {"u": "", "du": "_rate", "ddu": "_acceleration"}
    return tuple(names[place] + suffix[kind] for kind, place in _input_places(problem))


def _chosen(problem: Problem, outputs: Sequence[str] | None) -> dict[str, Shown]:
    known = {**problem.outputs, **problem.guides}
    if outputs is None:
        return dict(problem.outputs)
    wrong = [f'linearise "{problem.name}": no output "{n}"{did_you_mean(n, known)}' for n in outputs if n not in known]
    if wrong:
        raise SetupError(wrong)
    return {name: known[name] for name in outputs}


def _component_names(outputs: dict[str, Shown]) -> tuple[str, ...]:
    return tuple(
        name if shown.width == 1 else f"{name}[{k}]" for name, shown in outputs.items() for k in range(shown.width)
    )
