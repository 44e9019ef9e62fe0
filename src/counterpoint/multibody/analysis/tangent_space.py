"""The motions that constraints leave free at one state, and the equations of motion solved with them.

With an M-orthonormal basis N of the null space of the Jacobian J and its pseudo-inverse J⁺,

    M a + Jᵀ λ = f,  J a = b    has the solution    a = J⁺ b + N Nᵀ (f - M J⁺ b),  λ = (J⁺)ᵀ (f - M a).

It holds with redundant constraints, too: then λ is the shortest of all multipliers that fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import SetupError
from ..assembly.affine import Vector
from .problem import Problem, State

_RANK_TOLERANCE = 1e-8
"""Singular values of the Jacobian below this part of the largest are zero; as in the core's search for redundancy."""


@dataclass(frozen=True)
class TangentSpace:
    """Mass, Jacobian and free motions at one state.

    Attributes
    ----------
    mass : array of shape (n, n)
    jacobian : array of shape (equations, n)
    free : array of shape (n, degrees of freedom)
        Basis N of the free motions, ``Nᵀ M N = 1``.
    inverse : array of shape (n, equations)
        Pseudo-inverse of the Jacobian.
    """

    mass: Vector
    jacobian: Vector
    free: Vector
    inverse: Vector

    @classmethod
    def at(cls, problem: Problem, state: State) -> TangentSpace:
        """Return the tangent space at a state."""
        mass = problem.mass(state)
        _, jacobian = problem.constraints(state)
        if not len(jacobian):
            basis, inverse = np.eye(problem.n), np.zeros((problem.n, 0))
        else:
            basis, inverse = _split(jacobian)
        return cls(mass, jacobian, _orthonormal(problem, basis, mass), inverse)

    @property
    def degrees_of_freedom(self) -> int:
        """Number of free motions."""
        return int(self.free.shape[1])

    def solve(self, force: Vector, change: Vector) -> tuple[Vector, Vector]:
        """Return a and λ of ``M a + Jᵀ λ = force``, ``J a = change``."""
        needed = self.inverse @ change
        a = needed + self.free @ (self.free.T @ (force - self.mass @ needed))
        return a, self.multipliers(force - self.mass @ a)

    def multipliers(self, force: Vector) -> Vector:
        """Return the shortest λ with ``Jᵀ λ = force`` as nearly as can be."""
        return np.asarray(self.inverse.T @ force)


def _split(jacobian: Vector) -> tuple[Vector, Vector]:
    """Return an orthonormal basis of the null space and the pseudo-inverse."""
    u, s, vt = np.linalg.svd(jacobian, full_matrices=True)
    rank = int(np.count_nonzero(s > _RANK_TOLERANCE * s[0]))
    inverse = vt[:rank].T @ (u[:, :rank] / s[:rank]).T
    return vt[rank:].T, inverse


def _orthonormal(problem: Problem, basis: Vector, mass: Vector) -> Vector:
    try:
        factor = np.linalg.cholesky(basis.T @ mass @ basis)
    except np.linalg.LinAlgError:
        raise SetupError(
            f'"{problem.name}": a motion that constraints leave free moves no mass; give the bodies mass and inertia'
        ) from None
    return np.linalg.solve(factor, basis.T).T
