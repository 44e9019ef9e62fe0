"""Measures: scalars of the motion that can be guided, loaded, related and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ... import _core
from ..modelling.parts import MeasurePart
from .affine import Affine, Vector
from .frames import across, unit

if TYPE_CHECKING:
    from .assembly import Assembly

Products = tuple[str, Affine, Affine, Affine, Affine]


def build(assembly: Assembly, part: MeasurePart) -> _core.multibody.Measure:
    """Return the core's measure for a part."""
    function, *affines = _PRODUCTS[part.kind](assembly, part)
    measure = _core.multibody.measure(function, *(a.native(assembly.offsets) for a in affines))
    measure.name = part.name
    return measure


def between_points(assembly: Assembly, first: str, second: str, name: str) -> _core.multibody.Measure:
    """Return the distance of two points as a measure."""
    return build(assembly, MeasurePart(name, "distance", (first, second)))


def _distance(assembly: Assembly, part: MeasurePart) -> Products:
    line = assembly.place(part.of[1]) - assembly.place(part.of[0])
    return "distance", line, line, line, line


def _displacement(assembly: Assembly, part: MeasurePart) -> Products:
    assert part.axis is not None
    line = assembly.place(part.of[0])
    if len(part.of) == 2:
        line = line - assembly.place(part.of[1])
    axis = assembly.carrier(part.options["body"]).vector(unit(part.axis))
    return "dot", line, axis, line, axis


def _angle(assembly: Assembly, part: MeasurePart) -> Products:
    bodies = part.of if len(part.of) == 2 else ("ground", part.of[0])
    first, second = (assembly.carrier(name) for name in bodies)
    if assembly.dimension == 2:
        drawn = np.array([1.0, 0.0])
        if len(part.of) == 1:
            x, turning = first.vector(drawn), _first_direction(assembly, part.of[0])
        else:
            x, turning = first.vector(drawn), second.vector(drawn)
        return "angle", x, turning, x.turned(), turning
    assert part.axis is not None
    one, two = _frame_about(part)
    turning = second.vector(one)
    return "angle", first.vector(one), turning, first.vector(two), turning


def _frame_about(part: MeasurePart) -> tuple[Vector, Vector]:
    """Return two directions across the axis; the first is the reference where there is one."""
    assert part.axis is not None
    reference = part.options.get("reference")
    if reference is None:
        return across(part.axis)
    axis = unit(part.axis)
    first = unit(reference - axis * float(axis @ reference))
    return first, np.cross(axis, first)


def _first_direction(assembly: Assembly, body: str) -> Affine:
    """Return the line from a body's first to its second point, or its first vector."""
    part = assembly.mechanism.bodies[body]
    if len(part.points) == 1:
        return assembly.place(part.vectors[0])
    return assembly.place(part.points[1]) - assembly.place(part.points[0])


def _rotation(assembly: Assembly, part: MeasurePart) -> Products:
    first, second = (assembly.carrier(name) for name in part.of)
    if assembly.dimension == 2:
        x = np.array([1.0, 0.0])
        a, b = first.vector(x), second.vector(x)
        return "angle", a, b, a.turned(), b
    assert part.axis is not None
    one, two = across(part.axis)
    # The sine of the rotation about the axis is half of (two . one' - one . two'), the primes on the second body.
    return "rotation", first.vector(two), second.vector(one), first.vector(one), second.vector(two)


def _coordinate(assembly: Assembly, part: MeasurePart) -> Products:
    itself, one = Affine.of(1, part.of[0]), Affine.fixed(np.ones(1))
    return "dot", itself, one, itself, one


def _mode(assembly: Assembly, part: MeasurePart) -> Products:
    vector, axis = assembly.placing.modal[part.of[0]].amplitude(part.options["mode"])
    return "dot", vector, axis, vector, axis


_PRODUCTS = {
    "coordinate": _coordinate,
    "distance": _distance,
    "displacement": _displacement,
    "angle": _angle,
    "rotation": _rotation,
    "mode": _mode,
}
