"""Joints between two bodies as constraint equations on points and directions fixed to them.

Equations are right angles and coincidences only. Parallel axes, for instance, are two right angles (the axis of one
body on two directions across the axis on the other), which never become dependent; a cross product would have three
equations for two conditions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..modelling.parts import Joint
from .affine import Affine, Vector
from .frames import across, unit


class Carrier(Protocol):
    """What points and directions can be fixed to: a body or the ground."""

    def point(self, drawn: Vector) -> Affine:
        """Return a point fixed to it."""

    def vector(self, drawn: Vector) -> Affine:
        """Return a direction fixed to it."""


@dataclass
class Dot:
    """``a . b = value``; ``scale`` makes the equation a length (m) or a pure number."""

    name: str
    a: Affine
    b: Affine
    value: float
    scale: float


@dataclass
class Coincidence:
    """``combination = 0``."""

    name: str
    combination: Affine


Equation = Dot | Coincidence


@dataclass
class Placed:
    """A joint with all that its equations need; positions and axes as drawn."""

    name: str
    dimension: int
    first: Carrier
    second: Carrier
    at_first: Affine | None
    at_second: Affine | None
    axis: Vector | None
    second_axis: Vector | None
    value: float | None

    def coincide(self) -> list[Equation]:
        """Let the two places be one; nothing is left to do where the bodies share a point."""
        assert self.at_first is not None and self.at_second is not None
        apart = self.at_second - self.at_first
        one_point = not apart.weights and not apart.constant.any()
        return [] if one_point else [Coincidence(f"{self.name}: same place", apart)]

    def right_angle(self, label: str, on_first: Vector, on_second: Vector) -> Dot:
        """Keep a direction on the first body and one on the second as they are drawn: at their angle."""
        value = float(unit(on_first) @ unit(on_second))
        return Dot(
            f"{self.name}: {label}", self.first.vector(unit(on_first)), self.second.vector(unit(on_second)), value, 1.0
        )

    def parallel(self) -> list[Equation]:
        """Keep the axis of the second body parallel to that of the first."""
        assert self.axis is not None
        if self.dimension == 2:
            return [self.right_angle("no turn", np.array([-self.axis[1], self.axis[0]]), self.axis)]
        return [self.right_angle("axes parallel", direction, self.axis) for direction in across(self.axis)]

    def no_turn(self) -> list[Equation]:
        """Let the bodies not turn against each other about the axis, their axes being parallel."""
        assert self.axis is not None
        return [self.right_angle("no turn", *across(self.axis))]

    def offset_across(self, directions: list[Vector]) -> list[Equation]:
        """Let the second place keep no distance from the first along these directions of the first body."""
        assert self.at_first is not None and self.at_second is not None
        difference = self.at_second - self.at_first
        return [Dot(f"{self.name}: on its line", difference, self.first.vector(unit(d)), 0.0, 1.0) for d in directions]

    def across_axis(self) -> list[Vector]:
        """Return the directions at right angles to the axis, as drawn: one in the plane, two in space."""
        assert self.axis is not None
        return [np.array([-self.axis[1], self.axis[0]])] if self.dimension == 2 else list(across(self.axis))


@dataclass(frozen=True)
class JointKind:
    """One kind of joint: its equations and what it needs."""

    equations: Callable[[Placed], list[Equation]]
    needs_place: bool = True
    needs_axis: bool = True
    needs_second_axis: bool = False
    plane: bool = True

    def missing(self, joint: Joint, dimension: int) -> list[str]:
        """Return what the user has left out."""
        where = f'joint "{joint.name}"'
        problems = []
        if dimension == 2 and not self.plane:
            problems.append(f"{where}: this kind is for space only")
        if self.needs_place and joint.at is None:
            problems.append(f"{where}: missing position: at = a point, or coordinates as drawn")
        rotates_about_normal = dimension == 2 and not self.needs_second_axis and self.equations is revolute
        if self.needs_axis and joint.axis is None and not rotates_about_normal:
            problems.append(f"{where}: axis: missing; expected a direction as drawn")
        if self.needs_second_axis and joint.second_axis is None:
            problems.append(f"{where}: second_axis: missing; expected a direction as drawn, on the second body")
        for key, direction in (("axis", joint.axis), ("second_axis", joint.second_axis)):
            if direction is not None and not direction.any():
                problems.append(f"{where}: {key} has no length")
        return problems


def spherical(joint: Placed) -> list[Equation]:
    """Let the bodies share a point; in the plane that is a hinge."""
    return joint.coincide()


def revolute(joint: Placed) -> list[Equation]:
    """Let them share a point and an axis: rotation about it is left."""
    return joint.coincide() if joint.dimension == 2 else joint.coincide() + joint.parallel()


def universal(joint: Placed) -> list[Equation]:
    """Let them share a point; the axis of one stays at a right angle to that of the other."""
    assert joint.axis is not None and joint.second_axis is not None
    return [*joint.coincide(), joint.right_angle("axes at their angle", joint.axis, joint.second_axis)]


def cylindrical(joint: Placed) -> list[Equation]:
    """Let the second slide along the axis and turn about it."""
    return joint.parallel() + joint.offset_across(joint.across_axis())


def prismatic(joint: Placed) -> list[Equation]:
    """Let the second slide along the axis without turning."""
    if joint.dimension == 2:
        return cylindrical(joint)
    return cylindrical(joint) + joint.no_turn()


def planar(joint: Placed) -> list[Equation]:
    """Let the second slide on a plane of the first, whose normal is the axis, and turn about the normal."""
    assert joint.axis is not None
    return joint.parallel() + joint.offset_across([joint.axis])


def fixed_angle(joint: Placed) -> list[Equation]:
    """Keep an angle between a direction on the first and one on the second body."""
    assert joint.axis is not None and joint.second_axis is not None
    equation = joint.right_angle("angle", joint.axis, joint.second_axis)
    if joint.value is not None:
        equation.value = float(np.cos(joint.value))
    return [equation]


def weld(joint: Placed) -> list[Equation]:
    """Let nothing move between them."""
    if joint.dimension == 2:
        return [*joint.coincide(), joint.right_angle("no turn", np.array([1.0, 0.0]), np.array([0.0, 1.0]))]
    x, y, z = np.eye(3)
    turns: list[Equation] = [joint.right_angle("no turn", a, b) for a, b in ((x, y), (y, z), (z, x))]
    return joint.coincide() + turns


KINDS = {
    "spherical": JointKind(spherical, needs_axis=False),
    "revolute": JointKind(revolute),
    "universal": JointKind(universal, needs_second_axis=True, plane=False),
    "cylindrical": JointKind(cylindrical, plane=False),
    "prismatic": JointKind(prismatic),
    "planar": JointKind(planar, plane=False),
    "angle": JointKind(fixed_angle, needs_place=False, needs_second_axis=True),
    "weld": JointKind(weld, needs_axis=False),
}
