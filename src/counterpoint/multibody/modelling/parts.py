"""What a mechanism is described with, before anything is computed: one small record for each thing a user adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._common.numbers import is_number
from ..assembly.affine import Vector

GROUND = "ground"
"""The body that everything fixed belongs to."""


@dataclass
class Point:
    """A point with coordinates of its own; ``fixed`` ones belong to the ground."""

    name: str
    position: Vector
    velocity: Vector
    fixed: bool = False


@dataclass
class Direction:
    """A unit vector with coordinates of its own."""

    name: str
    direction: Vector
    rate: Vector
    fixed: bool = False


@dataclass
class Coordinate:
    """A number with inertia: an angle (rad, kg m²) or a length (m, kg) that belongs to no point."""

    name: str
    inertia: float
    value: float = 0.0
    rate: float = 0.0
    angular: bool = True


@dataclass
class BodyPart:
    """A body as the user gives it.

    ``local`` gives the places of points and vectors in the body's own frame; without it they are taken as drawn, and
    centre and inertia are meant in the frame of the drawing, too.
    """

    name: str
    points: list[str]
    vectors: list[str]
    mass: float
    centre: Vector | None
    inertia: Vector | None
    local: dict[str, Vector] | None
    shape: dict[str, Any] = field(default_factory=dict)


@dataclass
class PointMass:
    """A mass concentrated in a point."""

    point: str
    mass: float


@dataclass
class Joint:
    """A joint made by constraints; see :mod:`.joints` for the kinds."""

    name: str
    kind: str
    bodies: tuple[str, str]
    at: Vector | str | None
    axis: Vector | None
    second_axis: Vector | None = None
    value: float | None = None


@dataclass
class Link:
    """A constraint on points: distance, point on a line, on a plane, on a body, at a weighted sum of others."""

    name: str
    kind: str
    points: tuple[str, ...]
    body: str | None = None
    axis: Vector | None = None
    value: float | None = None
    weights: dict[str, float] = field(default_factory=dict)


@dataclass
class MeasurePart:
    """A named scalar of the motion; see :mod:`.measures` for the kinds."""

    name: str
    kind: str
    of: tuple[str, ...]
    axis: Vector | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def is_angular(self) -> bool:
        """Whether it is an angle, rad, and not a length, m."""
        return self.kind in ("angle", "rotation") or bool(self.options.get("angular"))


@dataclass
class Guide:
    """A measure that follows a function of time or an input."""

    measure: str
    value: Any


@dataclass
class Relation:
    """Gear, rack or screw: ``sum(factor * measure) = constant``; None keeps what the assembled mechanism has."""

    name: str
    factors: dict[str, float]
    constant: float | None


@dataclass
class ForcePart:
    """A force element of some kind with its parameters."""

    name: str
    kind: str
    options: dict[str, Any]


@dataclass
class OutputPart:
    """Something to show."""

    name: str
    kind: str
    of: str
    motion: str = "position"
    unit: str = ""


@dataclass
class InitialValue:
    """A measure that is to have a value or a rate at the start only."""

    measure: str
    value: float | None
    rate: float | None


TimeValue = float | Sequence[float] | dict[str, Any] | str | Callable[[float], float]


def not_finite(where: str, values: Mapping[str, Any]) -> list[str]:
    """Return which of the given values (None is not given) are no finite numbers, as sentences."""
    given = {key: value for key, value in values.items() if value is not None}
    return [f"{where}: {key} {v!r}; expected a finite number" for key, v in given.items() if not is_number(v)]


def array_of(value: Any) -> Vector:
    """Return ``value`` as an array of numbers, empty when it is none."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return np.empty(0)


def vector_of(where: str, value: Any, dimension: int, problems: list[str]) -> Vector:
    """Return ``value`` as an array of ``dimension`` finite numbers; note what is wrong and return zeros otherwise."""
    try:
        made = np.asarray(value, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        problems.append(f"{where}: {value!r}; expected {dimension} numbers")
        return np.zeros(dimension)
    if made.shape != (dimension,) or not np.all(np.isfinite(made)):
        problems.append(f"{where}: {value!r}; expected {dimension} finite numbers")
        return np.zeros(dimension)
    return made
