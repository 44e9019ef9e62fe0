"""Masses of an assembly: the mass matrix, weights, and parts without mass."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..modelling.parts import PointMass
from .affine import Affine, Vector

if TYPE_CHECKING:
    from ..modelling.mechanism import Mechanism
    from .placing import Placing

_LITTLE_MASS, _NO_MASS = 1e-14, 1e-24
"""Mass of a point relative to the largest below which it cannot be computed with, and below which it is rounding."""

Terms = list[tuple[str, str, complex]]
"""Blocks of the mass matrix: two entities, and a number or rotation for all their components."""
Entries = tuple[list[int], list[int], list[float]]
"""Rows, columns and values of a matrix."""


class Load(NamedTuple):
    """A body or point with mass."""

    mass: float  #: kg
    terms: Terms
    centre: Affine


class Masses:
    """Masses of a mechanism whose bodies and coordinates are known.

    Parameters
    ----------
    mechanism : Mechanism
        Its point masses, coordinates and gravity.
    placing : Placing
        Its bodies.
    offsets : dict
        First coordinate of each point, vector and number.
    count : int
        Number of all coordinates.

    Attributes
    ----------
    entries : tuple of rows, columns and values
        The mass matrix.
    """

    def __init__(self, mechanism: Mechanism, placing: Placing, offsets: dict[str, int], count: int) -> None:
        self._mechanism = mechanism
        self._placing = placing
        self._offsets = offsets
        self._count = count
        self.entries = self._all_entries()

    def _all_entries(self) -> Entries:
        terms = [term for body in self._placing.bodies.values() for term in body.mass_terms()]
        for mass in self._mechanism.point_masses:
            terms += self._point_terms(mass)
        for modal in self._placing.modal.values():
            terms += [(vector, vector, complex(mass)) for vector, mass in modal.masses.items()]
        numbers = self._mechanism.coordinates.values()
        own = [self._offsets[number.name] for number in numbers]
        rows, columns, values = self.entries_of(terms)
        return own + rows, own + columns, [number.inertia for number in numbers] + values

    def _point_terms(self, mass: PointMass) -> Terms:
        weights = self._placing.places[mass.point].weights.items()
        return [(a, b, mass.mass * complex(x).conjugate() * complex(y)) for a, x in weights for b, y in weights]

    def entries_of(self, terms: Terms, divisor: float = 1.0) -> Entries:
        """Return rows, columns and values of the mass matrix for blocks of entities."""
        blocks: dict[tuple[int, int], complex] = {}
        for first, second, block in terms:
            key = (self._offsets[first], self._offsets[second])
            blocks[key] = blocks.get(key, 0.0) + block / divisor
        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        for (a, b), z in blocks.items():
            for d in range(self._mechanism.dimension):
                rows.append(a + d)
                columns.append(b + d)
                values.append(z.real)
            if z.imag:
                rows += [a, a + 1]
                columns += [b + 1, b]
                values += [-z.imag, z.imag]
        return rows, columns, values

    def loads(self) -> dict[str, Load]:
        """Return what has mass, by the name of its body or, for masses in points, of its point."""
        found = {
            name: Load(body.inertia.mass, body.mass_terms(), body.own_point(body.inertia.centre))
            for name, body in self._placing.bodies.items()
        }
        for mass in self._mechanism.point_masses:
            name = mass.point if mass.point not in self._placing.bodies else f"{mass.point}.point"
            before = found.get(name, Load(0.0, [], self._placing.places[mass.point]))
            found[name] = Load(before.mass + mass.mass, before.terms + self._point_terms(mass), before.centre)
        return {name: load for name, load in found.items() if load.mass > 0.0}

    def problems(self, moving: list[str]) -> list[str]:
        """Return the points and vectors, of those that move, without mass."""
        diagonal = np.zeros(self._count)
        for row, column, value in zip(*self.entries, strict=True):
            if row == column:
                diagonal[row] += value
        largest = float(diagonal.max(initial=0.0))
        masses = {name: float(diagonal[self._offsets[name]]) for name in moving}
        vectors = self._mechanism.vectors
        return [
            f'{"vector" if name in vectors or "~" in name else "point"} "{name}" moves but has '
            f"{f'only {mass:.2g} kg beside {largest:.2g} kg' if mass > _NO_MASS * largest else 'no mass'}: "
            "give a body that uses it mass and inertia, or put a point mass on it"
            for name, mass in masses.items() if mass <= _LITTLE_MASS * largest
        ]  # fmt: skip

    def gravity(self) -> list[float]:
        """Return the weight as a constant force on all coordinates, N."""
        loads = [(body.own_point(body.inertia.centre), body.inertia.mass) for body in self._placing.bodies.values()]
        loads += [(self._placing.places[mass.point], mass.mass) for mass in self._mechanism.point_masses]
        total = [0.0] * self._count
        for row, force in self.weight(loads).items():
            total[row] = force
        return total

    def weight(self, loads: list[tuple[Affine, float]]) -> dict[int, float]:
        """Return the constant force on the coordinates it acts on, N, of masses (kg) in points."""
        total: dict[str, Vector] = {}
        g = self._mechanism.gravity
        for point, mass in loads:
            for name, weight in point.weights.items():
                z = complex(weight)
                total[name] = total.get(name, 0.0) + mass * z.real * g
                if z.imag:
                    total[name] += mass * z.imag * np.array([g[1], -g[0]])
        return {self._offsets[name] + k: float(x) for name in total for k, x in enumerate(total[name])}
