"""Equations of motion written by hand: the user gives M, Phi, J and Q, the core formulates and integrates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ... import _core
from ...errors import SetupError, did_you_mean
from ...subsystems import NativeSubsystem
from ..analysis.problem import Problem, Shown, start_state
from ..assembly.affine import Vector
from .formulations import Formulation
from .outputs import MOTIONS, STANDARD

if TYPE_CHECKING:
    from ...results import Result
    from ..analysis import Equilibrium, LinearModel, Modes, State

Places = Sequence[tuple[int, int]]
OutputChoice = int | Sequence[int] | tuple[str, int | Sequence[int]]


class HandWritten:
    """A mechanical model with equations of its own: ``M q'' + Jᵀ λ = Q``, ``Phi(q, t) = 0``.

    Contract for subclasses:

    1. :attr:`coordinates` and :attr:`equations` say how many there are; :attr:`position` and :attr:`velocity` where
       the model starts (estimates: they are made to fit the constraints). They never change.
    2. ``mass(t, q)`` returns M, shape (coordinates, coordinates), symmetric; positive definite on the motions that
       the constraints leave free. If it depends on q, :attr:`constant_mass` stays False, and what it adds to the
       equations of motion (``M' v`` and the like) belongs into the forces.
    3. ``constraints(t, q)`` returns Phi, shape (equations,); ``jacobian(t, q)`` its derivative with q, shape
       (equations, coordinates). A model without constraints writes neither.
    4. ``forces(t, q, v, u)`` returns Q, shape (coordinates,); u holds the :attr:`inputs` in their order.
    5. ``velocity_terms(t, q)`` returns the derivative of Phi with t alone; only a model whose constraints depend on
       time writes it.
    6. ``acceleration_terms(t, q, v)`` returns what the second time derivative of Phi has besides ``J a``. Without it,
       it is taken from differences of ``J v``: exact where J is linear in q.
    7. ``stiffness(t, q, v)`` and ``damping(t, q, v)`` return ``-dQ/dq`` and ``-dQ/dv``; they may be approximate, and
       are worth writing for stiff forces.
    8. ``potential_energy(t, q)`` returns J; only for the energy outputs.
    9. Arrays that a method gets are the core's own and change after it returns: copy what is to be kept, write
       nothing into them.
    10. The same arguments give the same values: no method keeps state.
    11. Matrices are dense arrays unless a class attribute names places, ``mass_pattern``, ``jacobian_pattern`` or
        ``tangent_pattern``, as pairs (row, column): then the method returns one value for each, in that order. M
        needs both triangles.

    Examples
    --------
    A pendulum, a point mass of 2 kg at a massless rod of 1 m:

    >>> class Pendulum(HandWritten):
    ...     coordinates, equations = 2, 1
    ...     position = (1.0, 0.0)
    ...     constant_mass = True
    ...
    ...     def mass(self, t, q):
    ...         return 2.0 * np.eye(2)
    ...
    ...     def constraints(self, t, q):
    ...         return [q @ q - 1.0]
    ...
    ...     def jacobian(self, t, q):
    ...         return [2.0 * q]
    ...
    ...     def forces(self, t, q, v, u):
    ...         return np.array([0.0, -2.0 * 9.81])
    >>> Pendulum().run(until=0.5, step=1e-3).at([0.5]).round(3).iloc[0, :2].tolist()
    [0.391, -0.92]
    """

    name: str = "model"
    coordinates: int = 0
    equations: int = 0
    position: ArrayLike | None = None
    """Estimate of the start, m; default: zeros."""
    velocity: ArrayLike | None = None
    """Estimate of the start, m/s; default: zeros."""
    inputs: Mapping[str, float] = {}
    """Inputs and the values they have when nothing drives them."""
    length: float = 1.0
    """Size of the model, m: what tolerances are relative to."""
    constant_mass: bool = False
    standard_outputs: Sequence[str] = tuple(STANDARD)
    """Outputs besides those declared: ``q``, energies, ``violation``; those left out are not computed."""
    coordinate_names: Sequence[str] = ()
    equation_names: Sequence[str] = ()
    mass_pattern: Places | None = None
    jacobian_pattern: Places | None = None
    tangent_pattern: Places | None = None

    # What the user writes

    def mass(self, t: float, q: Vector) -> ArrayLike:
        """Return M, kg."""
        raise NotImplementedError(f"{type(self).__name__}: mass(t, q) is missing")

    def constraints(self, t: float, q: Vector) -> ArrayLike:
        """Return Phi, m or rad."""
        if self.equations:
            raise NotImplementedError(f"{type(self).__name__}: constraints(t, q) is missing")
        return np.zeros(0)

    def jacobian(self, t: float, q: Vector) -> ArrayLike:
        """Return dPhi/dq."""
        if self.equations:
            raise NotImplementedError(f"{type(self).__name__}: jacobian(t, q) is missing")
        return np.zeros((0, self.coordinates))

    def forces(self, t: float, q: Vector, v: Vector, u: Vector) -> ArrayLike:
        """Return Q, N."""
        raise NotImplementedError(f"{type(self).__name__}: forces(t, q, v, u) is missing")

    def velocity_terms(self, t: float, q: Vector) -> ArrayLike:
        """Return dPhi/dt at constant q."""
        return np.zeros(self.equations)

    def acceleration_terms(self, t: float, q: Vector, v: Vector) -> ArrayLike:
        """Return what Phi'' has besides J a. Not written: the change of ``J v + Phi_t`` along the motion is taken."""
        raise NotImplementedError(f"{type(self).__name__}: acceleration_terms(t, q, v) is not defined")

    def stiffness(self, t: float, q: Vector, v: Vector) -> ArrayLike:
        """Return ``-dQ/dq``, N/m."""
        return np.zeros(
            self._tangent.count if self.tangent_pattern is not None else (self.coordinates, self.coordinates)
        )

    def damping(self, t: float, q: Vector, v: Vector) -> ArrayLike:
        """Return ``-dQ/dv``, N s/m."""
        return np.zeros(
            self._tangent.count if self.tangent_pattern is not None else (self.coordinates, self.coordinates)
        )

    def potential_energy(self, t: float, q: Vector) -> float:
        """Return the energy stored, J."""
        return 0.0

    # Using it

    def subsystem(
        self,
        step: float | None = None,
        formulation: Formulation | None = None,
        outputs: Mapping[str, OutputChoice] | None = None,
    ) -> NativeSubsystem:
        """Return the model as a subsystem for :meth:`counterpoint.System.add`.

        Parameters
        ----------
        step : float, optional
            Step that it proposes itself, s.
        formulation : Formulation, optional
            Default: index 3 with the trapezoidal rule.
        outputs : mapping, optional
            Name -> coordinate or coordinates (``0``, ``(2, 3)``), or a pair of motion and coordinates (``("velocity",
            0)``, ``("acceleration", (0, 1))``), or ``("reaction", equation)`` for what a constraint does on the
            model, ``-λ``. Besides these there are the :attr:`standard_outputs`.
        """
        chosen = formulation or Formulation()
        start = self.problem(outputs).start
        shown = {**self._standard(), **self._outputs(outputs or {})}
        length = float(self.length)

        def make() -> _core.multibody.MultibodySubsystem:
            model = self.native_model()
            natives = [native for output in shown.values() for native in output.native]
            return _core.multibody.MultibodySubsystem(
                model,
                chosen.native(length),
                natives,
                start.q.tolist(),
                start.v.tolist(),
                list(self.inputs.values()),
                False,
                step or 0.0,
            )

        return NativeSubsystem(
            "hand-written",
            make,
            inputs=dict.fromkeys(self.inputs, 1),
            outputs={name: output.width for name, output in shown.items()},
            defaults=dict(self.inputs),
            units={name: output.unit for name, output in shown.items() if output.unit},
            own_pace=step is not None,
            minor_outputs=tuple(self.standard_outputs) if set(shown) - set(self.standard_outputs) else (),
            export_problem=chosen.export_problem,
            runs_python=True,
        )

    def run(
        self,
        until: float,
        step: float,
        *,
        formulation: Formulation | None = None,
        outputs: Mapping[str, OutputChoice] | None = None,
        **options: Any,
    ) -> Result:
        """Run the model alone; ``options`` as for :meth:`counterpoint.System.run`. Inputs keep their default values."""
        from ...system import System

        system = System(self.name)
        system.add(self.name, self.subsystem(formulation=formulation, outputs=outputs), step=step)
        return system.run(until=until, **options)

    def problem(self, outputs: Mapping[str, OutputChoice] | None = None) -> Problem:
        """Return what the functions of :mod:`counterpoint.multibody.analysis` work on."""
        self._check()
        model = self.native_model()
        shown = self._outputs(outputs or {name: k for k, name in enumerate(self._coordinate_names())})
        start = start_state(model, self._vector("position"), self._vector("velocity"), self.inputs)
        problem = Problem(self.name, model, start, float(self.length), dict(self.inputs), (), shown)
        try:
            problem.start = problem.consistent(start)
        except RuntimeError as error:
            raise SetupError(f"{self.name}: {error}") from None
        return problem

    def equilibrium(self) -> Equilibrium:
        """Return the static equilibrium that is nearest downhill from the start."""
        from ..analysis import equilibrium

        return equilibrium(self.problem())

    def linearise(self, at: State | Equilibrium | None = None) -> LinearModel:
        """Return the state space model of small deviations; default: from the start."""
        from ..analysis import Equilibrium, linearise

        return linearise(self.problem(), at.state if isinstance(at, Equilibrium) else at)

    def modes(self, about: State | Equilibrium | None = None) -> Modes:
        """Return the small vibrations about an equilibrium; default: :meth:`equilibrium`."""
        from ..analysis import modes

        return modes(self.problem(), about if about is not None else self.equilibrium())

    def native_model(self) -> _core.multibody.Model:
        """Return what the core's formulations work on."""
        return _core.multibody.python_model(self, float(self.length))

    # What the core asks for

    @property
    def input_count(self) -> int:
        """Number of inputs."""
        return len(self.inputs)

    @property
    def rheonomic(self) -> bool:
        """Whether constraints depend on time."""
        return type(self).velocity_terms is not HandWritten.velocity_terms

    @property
    def has_acceleration_terms(self) -> bool:
        """Whether they are written; otherwise they are found by differences."""
        return type(self).acceleration_terms is not HandWritten.acceleration_terms

    @property
    def has_tangent(self) -> bool:
        """Whether stiffness or damping is written."""
        return type(self).stiffness is not HandWritten.stiffness or type(self).damping is not HandWritten.damping

    def mass_places(self) -> list[tuple[int, int]]:
        """Return the places of M."""
        return self._mass.places

    def jacobian_places(self) -> list[tuple[int, int]]:
        """Return the places of J."""
        return self._jacobian.places

    def tangent_places(self) -> list[tuple[int, int]]:
        """Return the places of stiffness and damping, which include those of M."""
        if self.tangent_pattern is None:
            return _Pattern("tangent", None, self.coordinates, self.coordinates).places
        return sorted({*self._tangent.places, *((c, r) for r, c in self._tangent.places), *self._mass.places})

    def mass_values(self, t: float, q: Vector) -> Vector:
        """Return the values of M on its places."""
        return self._mass.values(self.mass(t, q))

    def jacobian_values(self, t: float, q: Vector) -> Vector:
        """Return the values of J on its places."""
        return self._jacobian.values(self.jacobian(t, q))

    def tangent_values(self, t: float, q: Vector, v: Vector, stiffness: float, damping: float) -> Vector:
        """Return ``stiffness * K + damping * C``, made symmetric, on the places of the tangent."""
        n = self.coordinates
        full = np.zeros((n, n))
        for factor, method in ((stiffness, self.stiffness), (damping, self.damping)):
            if factor:
                full += factor * self._tangent.dense(method(t, q, v))
        rows, columns = np.array(self.tangent_places()).T
        return np.asarray(0.5 * (full + full.T)[rows, columns])

    def equation_name(self, equation: int) -> str:
        """Return the name of a constraint, for messages."""
        return self.equation_names[equation] if equation < len(self.equation_names) else f"constraint {equation}"

    # Bookkeeping

    @cached_property
    def _mass(self) -> _Pattern:
        return _Pattern("mass", self.mass_pattern, self.coordinates, self.coordinates)

    @cached_property
    def _jacobian(self) -> _Pattern:
        return _Pattern("jacobian", self.jacobian_pattern, self.equations, self.coordinates)

    @cached_property
    def _tangent(self) -> _Pattern:
        return _Pattern("tangent", self.tangent_pattern, self.coordinates, self.coordinates)

    def _coordinate_names(self) -> list[str]:
        return [
            self.coordinate_names[k] if k < len(self.coordinate_names) else f"q{k}" for k in range(self.coordinates)
        ]

    def _vector(self, key: str) -> Vector:
        value = getattr(self, key)
        return np.zeros(self.coordinates) if value is None else np.asarray(value, dtype=float)

    def _check(self) -> None:
        problems = []
        if self.coordinates < 1:
            problems.append(f"coordinates: {self.coordinates}; a model needs at least one")
        for key in ("position", "velocity"):
            shape = self._vector(key).shape
            if shape != (self.coordinates,):
                problems.append(f"{key}: has the shape {shape}; expected ({self.coordinates},)")
        if self.mass_pattern is not None and set(self._mass.places) != {(c, r) for r, c in self._mass.places}:
            problems.append("mass_pattern: M needs both triangles; for every (row, column) also (column, row)")
        unknown = [name for name in self.standard_outputs if name not in STANDARD]
        problems += [
            f'standard_outputs: there is no "{name}"{did_you_mean(name, STANDARD)}; there are {", ".join(STANDARD)}'
            for name in unknown
        ]
        if problems:
            raise SetupError([f"{self.name}: {problem}" for problem in problems])

    def _standard(self) -> dict[str, Shown]:
        made = {"q": Shown([_core.multibody.coordinates_output(self.coordinates, "position")], self.coordinates, "")}
        for name in list(STANDARD)[1:]:
            made[name] = Shown([_core.multibody.scalar_output(name)], 1, STANDARD[name])
        return {name: made[name] for name in self.standard_outputs}

    def _outputs(self, outputs: Mapping[str, OutputChoice]) -> dict[str, Shown]:
        return {name: self._shown(name, choice) for name, choice in outputs.items()}

    def _shown(self, name: str, choice: OutputChoice) -> Shown:
        motion, places = (
            choice if isinstance(choice, tuple) and choice and isinstance(choice[0], str) else ("position", choice)
        )
        chosen = [int(k) for k in np.atleast_1d(np.asarray(places, dtype=int))]
        count = self.equations if motion == "reaction" else self.coordinates
        if motion not in (*MOTIONS, "reaction") or any(not 0 <= k < count for k in chosen):
            raise SetupError(
                f'{self.name}: output "{name}": {choice!r}; expected coordinates (0 to {self.coordinates - 1}), '
                "(motion, coordinates) with the motion "
                f'"position", "velocity" or "acceleration", or ("reaction", equation from 0 to {self.equations - 1})'
            )
        return Shown([_native_output(str(motion), k) for k in chosen], len(chosen))


def _native_output(motion: str, place: int) -> _core.multibody.Output:
    if motion == "reaction":
        return _core.multibody.reaction_output(place, 1)
    single = _core.multibody.Combination(1, [place], [1.0], [0.0], [0.0])
    return _core.multibody.point_output(single, motion)


class _Pattern:
    """Places of a matrix: all of them, or those that the user names, in the user's and in the core's order."""

    def __init__(self, name: str, given: Places | None, rows: int, columns: int) -> None:
        self.name, self.shape = name, (rows, columns)
        self.is_dense = given is None
        listed = (
            [(r, c) for r in range(rows) for c in range(columns)]
            if given is None
            else [(int(r), int(c)) for r, c in given]
        )
        if len(set(listed)) != len(listed) or any(not (0 <= r < rows and 0 <= c < columns) for r, c in listed):
            raise SetupError(
                f"{name}_pattern: each place (row, column) once, rows below {rows} and columns below {columns}"
            )
        self.count = len(listed)
        self.places = sorted(listed)
        self._order = np.array(sorted(range(self.count), key=listed.__getitem__), dtype=np.intp)

    def values(self, given: ArrayLike) -> Vector:
        """Return the values in the core's order, row by row."""
        made = np.asarray(given, dtype=float)
        wanted = self.shape if self.is_dense else (self.count,)
        if made.shape != wanted:
            raise ValueError(f"{self.name} has the shape {made.shape}; expected {wanted}")
        return made.reshape(-1) if self.is_dense else made[self._order]

    def dense(self, given: ArrayLike) -> Vector:
        """Return the whole matrix."""
        made = np.zeros(self.shape)
        if self.count:
            rows, columns = np.array(self.places).T
            made[rows, columns] = self.values(given)
        return made
