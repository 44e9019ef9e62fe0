"""Bodies of unit size as triangles; a shape scales, turns and moves them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rotations import Array

AROUND = 48
"""Facets around a cylinder or sphere; a multiple of 4, so that the markings of quarters end on edges."""


class Solid(NamedTuple):
    """Triangles with corners ``vertices[faces]``, seen from outside counter-clockwise."""

    vertices: Array
    faces: NDArray[np.int64]


@cache
def unit_solid(kind: str) -> Solid:
    """Return the box with edges 1, the cylinder with radius 1 and length 1, or the sphere with radius 1, centred."""
    return {"box": _box, "cylinder": _cylinder, "sphere": _sphere}[kind]()


def _box() -> Solid:
    vertices = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Solid(vertices, np.array([half for a, b, c, d in sides for half in ((a, b, c), (a, c, d))]))


def _cylinder() -> Solid:
    return _turned([(0.0, -0.5), (1.0, -0.5), (1.0, 0.0), (1.0, 0.5), (0.0, 0.5)])


def _sphere() -> Solid:
    latitudes = np.linspace(-np.pi / 2, np.pi / 2, AROUND // 2 + 1)
    return _turned([(np.cos(a), np.sin(a)) for a in latitudes])


def _turned(profile: list[tuple[float, float]]) -> Solid:
    """Return the surface that a profile of (radius, height) makes around z; it begins and ends on the axis."""
    angles = np.arange(AROUND) * (2 * np.pi / AROUND)
    radius, height = np.array(profile[1:-1]).T
    rings = np.stack(
        [
            np.outer(radius, np.cos(angles)),
            np.outer(radius, np.sin(angles)),
            np.repeat(height[:, None], AROUND, axis=1),
        ],
        axis=-1,
    )
    bottom, top = len(radius) * AROUND, len(radius) * AROUND + 1
    vertices = np.vstack([rings.reshape(-1, 3), [[0, 0, profile[0][1]], [0, 0, profile[-1][1]]]])
    here, after = np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    faces = [np.stack([np.full(AROUND, bottom), after, here], axis=1)]
    for ring in range(len(radius) - 1):
        low, high = ring * AROUND, (ring + 1) * AROUND
        faces.append(np.stack([low + here, low + after, high + after], axis=1))
        faces.append(np.stack([low + here, high + after, high + here], axis=1))
    last = (len(radius) - 1) * AROUND
    faces.append(np.stack([last + here, last + after, np.full(AROUND, top)], axis=1))
    return Solid(vertices, np.vstack(faces))
