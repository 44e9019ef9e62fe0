"""Four free modes of the fuselage, from a stick of beams.

The source has the first four modes of the fuselage in a modal element and prints none of them. Masses and stiffnesses
here are ours: a stiff cabin, a boom whose first bending lies near 9 Hz, a fin and a mast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...multibody import Mode
from .data import COPILOT, HUB, PILOT, TAIL_HUB

Array = NDArray[np.float64]

MODES = 4
DAMPING = 0.02
"""Damping ratio of every mode."""
NODES: dict[str, Array] = {
    "nose": np.array([2.0, 0.0, -0.2]),
    "cabin": np.zeros(3),
    "boom_root": np.array([-1.6, 0.0, 0.3]),
    "boom": np.array([-3.6, 0.0, 0.4]),
    "boom_end": np.array([-5.6, 0.0, 0.5]),
    "tail": TAIL_HUB,
    "hub": HUB,
    "pilot": PILOT,
    "copilot": COPILOT,
}
MASSES = {
    "nose": 220.0, "cabin": 1166.0, "boom_root": 220.0, "boom": 30.0, "boom_end": 25.0, "tail": 14.0, "hub": 160.0,
    "pilot": 90.0, "copilot": 90.0,
}  # fmt: skip
"""kg"""
CABIN_INERTIA = (600.0, 1500.0, 1300.0)
"""kg m²"""
ELEMENTS = {
    ("nose", "cabin"): 2e7, ("cabin", "boom_root"): 2e7, ("boom_root", "boom"): 2.5e6, ("boom", "boom_end"): 2.5e6,
    ("boom_end", "tail"): 1e6, ("cabin", "hub"): 8e6, ("cabin", "pilot"): 5e7, ("cabin", "copilot"): 5e7,
}  # fmt: skip
"""Bending stiffness EI in N m²; torsion has 0.8 of it."""


@dataclass(frozen=True)
class StickMode:
    """A free mode of the stick.

    Attributes
    ----------
    frequency, mass : float
        Hz; modal mass, kg, with the largest displacement of a node scaled to 1.
    displacements, rotations : dict from node to array of shape (3,)
    """

    frequency: float
    mass: float
    displacements: dict[str, Array]
    rotations: dict[str, Array]

    def shape_at(self, node: str, arm: Array) -> Array:
        """Return the displacement of what is fixed to a node at an arm (m)."""
        return self.displacements[node] + np.cross(self.rotations[node], arm)


def element_stiffness(line: Array, bending: float) -> Array:
    """Return the 12 x 12 stiffness of an Euler-Bernoulli beam with equal bending about both axes, along `line` (m)."""
    length = float(np.linalg.norm(line))
    along = line / length
    helper = np.eye(3)[int(np.argmin(np.abs(along)))]
    one = np.cross(helper, along) / np.linalg.norm(np.cross(helper, along))
    turn = np.array([along, one, np.cross(along, one)])
    local = np.zeros((12, 12))
    axial, torsion = 100.0 * bending / length, 0.8 * bending / length
    local[np.ix_([0, 6], [0, 6])] += axial * np.array([[1, -1], [-1, 1]])
    local[np.ix_([3, 9], [3, 9])] += torsion * np.array([[1, -1], [-1, 1]])
    for places, sign in (([1, 5, 7, 11], 1.0), ([2, 4, 8, 10], -1.0)):
        a, s = 6.0 * length * sign, length**2
        local[np.ix_(places, places)] += (
            bending
            / length**3
            * np.array([[12, a, -12, a], [a, 4 * s, -a, 2 * s], [-12, -a, 12, -a], [a, 2 * s, -a, 4 * s]])
        )
    all_turned = np.kron(np.eye(4), turn)
    return np.asarray(all_turned.T @ local @ all_turned)


@cache
def stick_modes(count: int = MODES) -> tuple[StickMode, ...]:
    """Return the lowest elastic modes of the free stick."""
    names = list(NODES)
    size = 6 * len(names)
    stiffness, mass = np.zeros((size, size)), np.zeros(size)
    for (first, second), bending in ELEMENTS.items():
        places = [6 * names.index(n) + k for n in (first, second) for k in range(6)]
        stiffness[np.ix_(places, places)] += element_stiffness(NODES[second] - NODES[first], bending)
    for k, name in enumerate(names):
        mass[6 * k : 6 * k + 3] = MASSES[name]
        own = CABIN_INERTIA if name == "cabin" else (0.02 * MASSES[name],) * 3
        mass[6 * k + 3 : 6 * k + 6] = own
    root = 1.0 / np.sqrt(mass)
    squared, vectors = np.linalg.eigh(root[:, None] * stiffness * root)
    return tuple(_mode(squared[6 + k], root * vectors[:, 6 + k], names) for k in range(count))


def _mode(squared: float, vector: Array, names: list[str]) -> StickMode:
    parts = vector.reshape(-1, 6)
    moved = parts[:, :3].ravel()
    largest = moved[int(np.argmax(np.abs(moved)))]
    scaled = parts / largest
    displacements = dict(zip(names, scaled[:, :3], strict=True))
    rotations = dict(zip(names, scaled[:, 3:], strict=True))
    return StickMode(float(np.sqrt(squared)) / (2 * np.pi), 1.0 / float(largest) ** 2, displacements, rotations)


def fuselage_modes(points: Mapping[str, tuple[str, Array]], turning: tuple[str, ...]) -> list[Mode]:
    """Return the modes for a modal body.

    Parameters
    ----------
    points : mapping from point to (node, arm)
        What each point of the body is fixed to, and how far from it, m.
    turning : names
        Points whose frames are used.
    """
    return [
        Mode.of_frequency(
            f"mode_{k + 1}",
            {point: _clean(mode.shape_at(node, arm)) for point, (node, arm) in points.items()},
            mass=mode.mass, frequency=mode.frequency, damping_ratio=DAMPING,
            rotations={point: _clean(mode.rotations[points[point][0]]) for point in turning},
        )
        for k, mode in enumerate(stick_modes())
    ]  # fmt: skip


def _clean(vector: Array) -> Array:
    """Return a shape without what is only rounding: it would cost coordinates."""
    return np.where(np.abs(vector) > 1e-9, vector, 0.0)
