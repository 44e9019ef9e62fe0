"""Points and vectors of bodies as weighted sums of coordinates.

In the plane the weights are complex numbers: the imaginary part turns by +90 degrees. In space they are real.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ... import _core

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Affine:
    """``constant + sum(weight * entity)``; an entity is a point or a vector that has coordinates of its own.

    Parameters
    ----------
    dimension : int
        2 or 3.
    weights : mapping from entity name to complex
        Imaginary parts only in the plane.
    constant : array of shape (dimension,)
        Constant part, m.
    """

    dimension: int
    weights: Mapping[str, complex] = field(default_factory=dict)
    constant: Vector = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if len(self.constant) == 0:
            object.__setattr__(self, "constant", np.zeros(self.dimension))

    @staticmethod
    def of(dimension: int, entity: str) -> Affine:
        """Return the entity itself."""
        return Affine(dimension, {entity: 1.0})

    @staticmethod
    def fixed(value: Vector) -> Affine:
        """Return a point or vector that is fixed in space."""
        return Affine(len(value), {}, np.asarray(value, dtype=float))

    @property
    def is_fixed(self) -> bool:
        """Whether no coordinate takes part."""
        return not self.weights

    @property
    def single(self) -> str | None:
        """Name of the entity when this is just that one, else None."""
        if len(self.weights) == 1 and not self.constant.any():
            name, weight = next(iter(self.weights.items()))
            return name if weight == 1.0 else None
        return None

    def __add__(self, other: Affine) -> Affine:
        weights = dict(self.weights)
        for name, weight in other.weights.items():
            weights[name] = weights.get(name, 0.0) + weight
        return Affine(self.dimension, {n: w for n, w in weights.items() if w != 0.0}, self.constant + other.constant)

    def __neg__(self) -> Affine:
        return self * -1.0

    def __sub__(self, other: Affine) -> Affine:
        return self + -other

    def __mul__(self, factor: complex) -> Affine:
        constant = self.constant * factor.real
        if factor.imag:
            constant = constant + factor.imag * np.array([-self.constant[1], self.constant[0]])
        return Affine(self.dimension, {n: w * factor for n, w in self.weights.items()}, constant)

    __rmul__ = __mul__

    def turned(self) -> Affine:
        """Return this, turned by +90 degrees (plane only)."""
        return self * 1j

    def at(self, values: Mapping[str, Vector]) -> Vector:
        """Return the value when entities have these values."""
        total = self.constant.copy()
        for name, weight in self.weights.items():
            x = values[name]
            total += complex(weight).real * x
            if complex(weight).imag:
                total += complex(weight).imag * np.array([-x[1], x[0]])
        return total

    def native(self, offsets: Mapping[str, int]) -> _core.multibody.Combination:
        """Return the core's form."""
        names = sorted(self.weights, key=lambda name: offsets[name])
        weights = [complex(self.weights[name]) for name in names]
        return _core.multibody.Combination(
            self.dimension,
            [offsets[name] for name in names],
            [w.real for w in weights],
            [w.imag for w in weights],
            self.constant.tolist(),
        )
