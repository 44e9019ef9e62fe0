"""Rigid bodies: a basis of points and vectors, rigidity conditions, and the constant mass matrix.

Every point of a body is ``p0 + sum(xi_k * d_k)`` with constant ``xi``, where ``p0`` is one of its points and the
``d_k`` are vectors of it or differences of its points. That makes velocities linear in the coordinates and the mass
matrix constant (Garcia de Jalon and Bayo 1994, chapter 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import SetupError
from .affine import Affine, Vector

_FLAT = 1e-9
"""Relative size below which directions count as dependent."""
_ROUNDING = 1e-14
"""Components below this, relative to the largest, are what solving for them has left."""
_THIN = 1e-6
"""Least second moment of mass across a plate, relative to that along it: what inertias of flat bodies are off by."""


@dataclass(frozen=True)
class Inertia:
    """Mass distribution of a body in the frame its geometry is drawn in.

    Attributes
    ----------
    mass : float
        kg.
    centre : array of shape (dimension,)
        Centre of mass, m.
    tensor : array of shape (3, 3) or (1, 1)
        About the centre of mass, kg m²; the off-diagonal entries are minus the products of inertia. In the plane one
        number.
    """

    mass: float
    centre: Vector
    tensor: Vector

    def second_moments(self) -> Vector:
        """Return the integral of ``x x^T`` over the mass, about the centre (space only), kg m²."""
        return np.asarray(0.5 * np.trace(self.tensor) * np.eye(3) - self.tensor)


@dataclass
class Body:
    """A rigid body after its basis has been chosen.

    Attributes
    ----------
    origin : Affine
        Point ``p0``.
    directions : list of Affine
        The ``d_k``: one in the plane, one (rod) or three in space.
    origin_drawn, directions_drawn : arrays
        Where these are in the frame of the body's geometry; shapes (dimension,) and (count, dimension).
    place, turn : arrays
        Origin and rotation that bring that frame to the drawing: for bodies with local geometry; shapes (dimension,)
        and (dimension, dimension).
    """

    name: str
    dimension: int
    origin: Affine
    directions: list[Affine]
    origin_drawn: Vector
    directions_drawn: Vector
    inertia: Inertia
    place: Vector
    turn: Vector
    points: list[str] = field(default_factory=list)

    def components(self, vector: Vector) -> Vector:
        """Return the ``xi`` of a drawn vector: complex in the plane, real in space."""
        if self.dimension == 2:
            d = complex(*self.directions_drawn[0])
            return np.array([complex(*vector) / d])
        solution, *_ = np.linalg.lstsq(self.directions_drawn.T, vector, rcond=None)
        left = vector - self.directions_drawn.T @ solution
        if np.linalg.norm(left) > 1e-6 * max(np.linalg.norm(vector), np.linalg.norm(self.directions_drawn)):
            raise SetupError(
                f'body "{self.name}" is a rod: only points and directions along it belong to it; '
                "give it a third point or a vector"
            )
        # What is zero but for rounding would still couple coordinates.
        return np.where(np.abs(solution) > _ROUNDING * np.abs(solution).max(initial=0.0), solution, 0.0)

    def own_vector(self, vector: Vector) -> Affine:
        """Return a vector fixed to the body, given in the frame of its geometry."""
        total = Affine(self.dimension)
        for component, direction in zip(self.components(vector), self.directions, strict=True):
            total = total + direction * complex(component)
        return total

    def own_point(self, place: Vector) -> Affine:
        """Return a point fixed to the body, given in the frame of its geometry."""
        return self.origin + self.own_vector(place - self.origin_drawn)

    def vector(self, drawn: Vector) -> Affine:
        """Return a vector fixed to the body that is ``drawn`` in the frame of the drawing."""
        return self.own_vector(self.turn.T @ np.asarray(drawn, dtype=float))

    def point(self, drawn: Vector) -> Affine:
        """Return a point fixed to the body that is ``drawn`` in the frame of the drawing."""
        return self.origin + self.vector(np.asarray(drawn, dtype=float) - self.place)

    @property
    def is_rod(self) -> bool:
        """Whether the body is a line without inertia about its axis."""
        return self.dimension == 3 and len(self.directions) == 1

    def mass_terms(self) -> list[tuple[str, str, complex]]:
        """Return (entity, entity, block) of the mass matrix; a block is a number times unity, complex as a rotation."""
        generators = [self.origin, *self.directions]
        moments = self._moments()
        terms: dict[tuple[str, str], complex] = {}
        for a, first in enumerate(generators):
            for b, second in enumerate(generators):
                for name_a, weight_a in first.weights.items():
                    for name_b, weight_b in second.weights.items():
                        block = complex(moments[a, b]) * complex(weight_a).conjugate() * complex(weight_b)
                        terms[name_a, name_b] = terms.get((name_a, name_b), 0.0) + block
        return [(a, b, block) for (a, b), block in terms.items() if block != 0.0]

    def _moments(self) -> Vector:
        """Return the integral of ``conj(1, xi) (1, xi)^T`` over the mass: Hermitian, over the generators, kg."""
        m = self.inertia.mass
        arm = self.inertia.centre - self.origin_drawn
        if self.dimension == 2:
            length2 = float(self.directions_drawn[0] @ self.directions_drawn[0])
            polar = float(self.inertia.tensor[0, 0]) + m * float(arm @ arm)
            z = complex(self.components(arm)[0])
            return np.array([[m, m * z], [m * z.conjugate(), polar / length2]])
        xi = self.components(arm)
        about_origin = self._second_moments() + m * np.outer(arm, arm)
        inverse = np.linalg.pinv(self.directions_drawn.T)
        moments = np.empty((1 + len(xi), 1 + len(xi)))
        moments[0, 0] = m
        moments[0, 1:] = moments[1:, 0] = m * xi
        moments[1:, 1:] = inverse @ about_origin @ inverse.T
        return moments

    def _second_moments(self) -> Vector:
        if not self.is_rod:
            return _not_flat(self.inertia.second_moments())
        axis = self.directions_drawn[0] / np.linalg.norm(self.directions_drawn[0])
        return float(self.inertia.tensor.max()) * np.outer(axis, axis)


def _not_flat(moments: Vector) -> Vector:
    """Return second moments of mass none of which is zero: the direction across a plate needs some to move."""
    principal, axes = np.linalg.eigh(moments)
    return np.asarray(axes @ np.diag(np.maximum(principal, _THIN * principal[-1])) @ axes.T)


def choose_basis(vectors: Sequence[Vector], count: int) -> list[int]:
    """Return which of ``vectors`` make the best conditioned basis of at most ``count`` directions.

    Greedy: the first is kept, then always the one that sticks out most of those chosen so far, relative to its length.
    """
    chosen: list[int] = []
    residuals = [np.asarray(v, dtype=float) for v in vectors]
    lengths = [float(np.linalg.norm(v)) for v in vectors]
    while len(chosen) < count:
        heights = [float(np.linalg.norm(r)) / n if n > 0 else 0.0 for r, n in zip(residuals, lengths, strict=True)]
        best = 0 if not chosen and heights and heights[0] > _FLAT else int(np.argmax(heights)) if heights else -1
        if best < 0 or heights[best] < 1e-3:
            break
        chosen.append(best)
        axis = residuals[best] / np.linalg.norm(residuals[best])
        residuals = [r - axis * (axis @ r) for r in residuals]
    return chosen


def inertia_problems(name: str, inertia: Inertia, dimension: int) -> list[str]:
    """Return what is wrong with an inertia: sentences, empty when nothing is."""
    where = f'body "{name}"'
    if not np.isfinite(inertia.mass) or inertia.mass < 0.0:
        return [f"{where}: mass {inertia.mass} kg; expected a number of at least 0"]
    tensor = inertia.tensor
    if not np.all(np.isfinite(tensor)):
        return [f"{where}: the inertia has values that are not finite"]
    if dimension == 2:
        return [] if tensor[0, 0] >= 0 else [f"{where}: inertia {tensor[0, 0]} kg m²; expected a number of at least 0"]
    return _tensor_problems(where, tensor)


def _tensor_problems(where: str, tensor: Vector) -> list[str]:
    if not np.allclose(tensor, tensor.T, rtol=1e-9, atol=1e-12 * max(1.0, float(np.abs(tensor).max()))):
        return [f"{where}: the inertia tensor is not symmetric; give Ixy = Iyx and so on, or three principal values"]
    principal = np.linalg.eigvalsh(tensor)
    if principal[0] < -1e-9 * max(abs(principal[-1]), 1e-300):
        return [f"{where}: the inertia has a negative principal value {principal[0]:.4g} kg m²"]
    if principal[2] > principal[0] + principal[1] + 1e-9 * principal[2]:
        values = ", ".join(f"{p:.6g}" for p in principal)
        return [
            f"{where}: principal inertias {values} kg m² violate the triangle inequality (the largest may not exceed "
            "the sum of the other two): no body has them; check units and whether they are about the centre of mass"
        ]
    return []
