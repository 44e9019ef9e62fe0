"""What an analysis works on: a model of the core with its start, its inputs and its outputs, as NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ... import _core
from ..assembly.affine import Vector

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly

Arguments = tuple[float, list[float], list[float], list[float], list[float], list[float]]


@dataclass(frozen=True)
class State:
    """Where a mechanism is and how it moves, with the inputs of that moment.

    Attributes
    ----------
    t : float
        Time, s.
    q, v : arrays of shape (all coordinates,)
        Positions (m) and velocities (m/s); those of fixed points come last.
    u, du, ddu : arrays of shape (inputs,)
        Inputs and their first and second time derivatives.
    memory : tuple of float
        Turns that angles have made.
    """

    t: float
    q: Vector
    v: Vector
    u: Vector
    du: Vector
    ddu: Vector
    memory: tuple[float, ...] = ()

    def arguments(self) -> Arguments:
        """Return what the core's model needs."""
        return self.t, self.q.tolist(), self.v.tolist(), self.u.tolist(), self.du.tolist(), self.ddu.tolist()

    def moved(self, step: float, direction: Direction) -> State:
        """Return the state a step along a direction away."""
        return replace(
            self,
            q=self.q + step * direction.q, v=self.v + step * direction.v, u=self.u + step * direction.u,
            du=self.du + step * direction.du, ddu=self.ddu + step * direction.ddu,
        )  # fmt: skip


@dataclass
class Direction:
    """A small change of a state, per unit of what causes it; ``a`` and ``multipliers`` follow from the others."""

    q: Vector
    v: Vector
    u: Vector
    du: Vector
    ddu: Vector
    a: Vector = field(default_factory=lambda: np.zeros(0))
    multipliers: Vector = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class Shown:
    """One output of a model."""

    native: Sequence[_core.multibody.Output]
    width: int
    unit: str = ""


@dataclass
class Problem:
    """A model put together, ready for analysis.

    Attributes
    ----------
    name : str
        For messages.
    model : core model
        Dynamic terms.
    start : State
        Consistent.
    length : float
        Size of the mechanism, m.
    inputs : mapping from name to value
        With their default values.
    guiding : names
        Inputs that guide a measure: their derivatives matter, too.
    outputs : mapping from name to Shown
        What the model shows, without energies and without all coordinates.
    guides : mapping from measure to Shown
        What each guide does on the mechanism: driving forces (N) and torques (N m).
    assembly : Assembly, optional
        Of mechanisms: knows names and shapes.
    """

    name: str
    model: _core.multibody.Model
    start: State
    length: float
    inputs: Mapping[str, float]
    guiding: Sequence[str]
    outputs: Mapping[str, Shown]
    guides: Mapping[str, Shown] = field(default_factory=dict)
    measures: Mapping[str, tuple[Shown, Shown, Shown]] = field(default_factory=dict)
    assembly: Assembly | None = None

    def __post_init__(self) -> None:
        self.n = self.model.coordinates
        self.equations = self.model.equations
        self._mass_places = _places(self.model.mass_places())
        self._jacobian_places = _places(self.model.jacobian_places())

    def state(self, t: float, q: Vector, v: Vector, like: State | None = None) -> State:
        """Return a state with the inputs and turns of another one (default: of the start)."""
        return replace(like or self.start, t=t, q=q, v=v)

    # Dynamic terms over the free coordinates

    def mass(self, state: State) -> Vector:
        """Return M, shape (n, n), kg."""
        return self._dense((self.n, self.n), self._mass_places, self._at(state).mass(*state.arguments()))

    def inertia(self, state: State, a: Vector) -> Vector:
        """Return M a, shape (n,), without making M."""
        rows, columns = self._mass_places
        values = np.asarray(self._at(state).mass(*state.arguments()))
        return np.asarray(np.bincount(rows, values * a[columns], minlength=self.n))

    def constraints(self, state: State) -> tuple[Vector, Vector]:
        """Return Phi, shape (equations,), and its Jacobian, shape (equations, n)."""
        phi, values = self._at(state).constraints(*state.arguments())
        jacobian = self._dense((self.equations, self.model.all_coordinates), self._jacobian_places, values)
        return np.array(phi), jacobian[:, : self.n]

    def carried(self, state: State, multipliers: Vector) -> Vector:
        """Return Jᵀ λ, shape (n,), without making J."""
        _, values = self._at(state).constraints(*state.arguments())
        rows, columns = self._jacobian_places
        sums = np.bincount(columns, np.asarray(values) * multipliers[rows], minlength=self.n)
        return np.asarray(sums[: self.n])

    def constraint_change(self, state: State, rates: Vector) -> Vector:
        """Return J times a vector over the free coordinates, shape (equations,), without making J."""
        _, values = self._at(state).constraints(*state.arguments())
        rows, columns = self._jacobian_places
        full = self.filled(rates)
        return np.asarray(np.bincount(rows, np.asarray(values) * full[columns], minlength=self.equations))

    def rates(self, state: State) -> tuple[Vector, Vector]:
        """Return Phi_t and what Phi'' has besides J a."""
        velocity, acceleration = self._at(state).constraint_rates(*state.arguments())
        return np.array(velocity), np.array(acceleration)

    def forces(self, state: State) -> Vector:
        """Return Q, shape (n,), N."""
        return np.array(self._at(state).forces(*state.arguments()))[: self.n]

    def force_change(self, state: State, direction: Direction, step: float) -> Vector:
        """Return the derivative of Q along a direction's positions and velocities, shape (n,).

        Exact for springs and dampers: with differences, the rounding of stiff ones would drown the soft ones.
        """
        q, v = direction.q.tolist(), direction.v.tolist()
        return np.array(self._at(state).force_change(q, v, step, *state.arguments()))[: self.n]

    def shown(self, outputs: Sequence[Shown], state: State, a: Vector, multipliers: Vector) -> Vector:
        """Return the values of outputs, one after another."""
        natives = [native for output in outputs for native in output.native]
        values = self._at(state).outputs(natives, self.filled(a).tolist(), multipliers.tolist(), *state.arguments())
        return np.array(values)

    # Consistent states

    def assembled(self, state: State) -> State:
        """Return the state with positions that fit the constraints."""
        q = np.array(self._at(state).assemble(*state.arguments()))
        return replace(state, q=q)

    def consistent(self, state: State) -> State:
        """Return the state with positions and velocities that fit the constraints."""
        placed = self.assembled(state)
        v = np.array(self._at(placed).velocities(*placed.arguments()))
        return replace(placed, v=v)

    def transported(self, state: State) -> State:
        """Return the state with positions that fit and velocities turned to fit, of equal size; guides do not move."""
        there = self.consistent(state)
        v = there.v
        if self.rates(there)[0].any():
            v = v - self.consistent(replace(there, v=0.0 * v)).v
        before, after = float(np.linalg.norm(state.v)), float(np.linalg.norm(v))
        return replace(there, v=v * (before / after if after > 0.0 else 0.0))

    def accelerations(self, state: State) -> tuple[Vector, Vector]:
        """Return accelerations, shape (n,), and multipliers as the core's index-1 solution has them."""
        a, multipliers = self._at(state).accelerations(*state.arguments())
        return np.array(a)[: self.n], np.array(multipliers)

    def remembered(self, state: State) -> State:
        """Return the state with turns of angles counted up to it."""
        model = self._at(state)
        model.accept(*state.arguments())
        return replace(state, memory=tuple(model.memory))

    def filled(self, vector: Vector) -> Vector:
        """Return a vector over the free coordinates with zeros for the fixed ones."""
        return np.concatenate([vector, np.zeros(self.model.all_coordinates - len(vector))])

    def still(self) -> Direction:
        """Return a direction in which nothing changes."""
        count = self.model.all_coordinates
        inputs = [np.zeros(len(self.inputs)) for _ in range(3)]
        return Direction(np.zeros(count), np.zeros(count), *inputs)

    def coordinate(self, index: int) -> str:
        """Return the name of a coordinate."""
        return str(self.model.coordinate_name(index))

    def _at(self, state: State) -> _core.multibody.Model:
        self.model.memory = list(state.memory)
        return self.model

    def _dense(self, shape: tuple[int, int], places: tuple[Vector, Vector], values: Sequence[float]) -> Vector:
        made = np.zeros(shape)
        made[places] = values
        return made


def _places(places: tuple[Sequence[int], Sequence[int]]) -> tuple[Vector, Vector]:
    rows, columns = places
    return np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)


def start_state(model: _core.multibody.Model, q: Vector, v: Vector, inputs: Mapping[str, float]) -> State:
    """Return the state at t = 0 with inputs at rest; angles begin to count there."""
    u = np.array(list(inputs.values()), dtype=float)
    still = np.zeros(len(u))
    made = State(0.0, np.array(q), np.array(v), u, still, still)
    model.memory = []
    model.accept(*made.arguments())
    return replace(made, memory=tuple(model.memory))
