"""Coordinates of modal bodies.

A point of a body with axes d_j and modes of amplitude eta_k is ``p0 + sum_j (xi_j + sum_k phi_kj eta_k) d_j``. With
vectors ``w_kj = eta_k d_j`` that have coordinates of their own it is a weighted sum with constant weights, so that
velocities stay linear, the mass matrix constant, and all inertia terms of the floating frame (Shabana, "Dynamics of
Multibody Systems", chapter 5) come from the points' masses without being written down. What makes a vector such a
product are right angles: ``w_kj . d_l = 0`` for l != j, and, the others given, ``(w_ki + w_kj) . (d_i - d_j) = 0``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..modelling.modal_bodies import ModalPart
from .affine import Affine, Vector
from .bodies import Body
from .joints import Dot

_AXES = "xyz"
_SMALL_SHARE = 1e-2
"""Least part of a modal mass along an axis that a mode uses, in the same sum; light vectors make steps singular."""
_ADDED_SHARE = 1e-6
"""Of the mass of its points, added along an axis in which a mode turns frames but moves none of them."""


@dataclass
class Node:
    """The frame of a point of a modal body, which turns with it: something to joint bodies to."""

    place: Affine
    drawn: Vector
    axes: list[Affine]

    def vector(self, drawn: Vector) -> Affine:
        """Return a direction fixed to it."""
        total = Affine(3)
        for component, axis in zip(np.asarray(drawn, dtype=float), self.axes, strict=True):
            if component != 0.0:
                total = total + axis * float(component)
        return total

    def point(self, drawn: Vector) -> Affine:
        """Return a point fixed to it."""
        return self.place + self.vector(np.asarray(drawn, dtype=float) - self.drawn)


@dataclass
class ModalCoordinates:
    """What the modes of one body add to a mechanism.

    Attributes
    ----------
    vectors : list of dict from axis (0, 1, 2) to str
        For each mode the names of its vectors w along the axes that it uses.
    masses : dict from str to float
        Mass of these vectors, kg.
    """

    part: ModalPart
    body: Body
    vectors: list[dict[int, str]]
    masses: dict[str, float]

    @staticmethod
    def of(part: ModalPart, body: Body, point_masses: Mapping[str, float]) -> ModalCoordinates:
        """Choose the vectors; ``point_masses`` (kg) are those of the points."""
        vectors: list[dict[int, str]] = []
        masses: dict[str, float] = {}
        for k, mode in enumerate(part.modes):
            square = {p: shape**2 for p, shape in part.shapes[k].items()}
            of_points = sum((point_masses.get(p, 0.0) * s for p, s in square.items()), np.zeros(3))
            moved = sum(square.values(), np.zeros(3))
            turned = {j for r in part.rotations[k].values() for j in range(3) if np.delete(r, j).any()}
            used = [j for j in range(3) if moved[j] > 0.0 or j in turned]
            share = np.maximum(moved / moved.sum(), _SMALL_SHARE)[used]
            names = {j: f"{part.body}~{mode.name}~{_AXES[j]}" for j in used}
            least = _ADDED_SHARE * float(of_points.sum())
            vectors.append(names)
            masses |= {
                names[j]: mode.mass * float(s) + (0.0 if of_points[j] > 0.0 else least)
                for j, s in zip(used, share / share.sum(), strict=True)
            }
        return ModalCoordinates(part, body, vectors, masses)

    def axis(self, j: int) -> Affine:
        """Return an axis of the frame."""
        return self.body.vector(np.eye(3)[j])

    def equations(self) -> list[Dot]:
        """Return what makes the vectors products of an amplitude and the axes."""
        found = []
        for mode, names in zip(self.part.modes, self.vectors, strict=True):
            label = f"{self.part.body}: mode {mode.name}"
            w = {j: Affine.of(3, name) for j, name in names.items()}
            found += [Dot(f"{label}: {_AXES[j]} across {_AXES[i]}", w[j], self.axis(i), 0.0, 1.0)
                      for j in w for i in range(3) if i != j]  # fmt: skip
            found += [Dot(f"{label}: {_AXES[i]} as {_AXES[j]}", w[i] + w[j], self.axis(i) - self.axis(j), 0.0, 1.0)
                      for i, j in pairwise(w)]  # fmt: skip
        return found

    def amplitude(self, mode: int) -> tuple[Affine, Affine]:
        """Return two vectors whose product is the amplitude of a mode."""
        j, name = next(iter(self.vectors[mode].items()))
        return Affine.of(3, name), self.axis(j)

    def point(self, name: str, drawn: Vector) -> Affine:
        """Return a point of the body, deformed."""
        moved = (s.get(name, np.zeros(3)) for s in self.part.shapes)
        return self.body.point(drawn) + self._deformed(moved)

    def node(self, name: str, drawn: Vector) -> Node:
        """Return the frame that turns with a point."""
        turns = [r.get(name, np.zeros(3)) for r in self.part.rotations]
        axes = [self.axis(j) + self._deformed(np.cross(r, np.eye(3)[j]) for r in turns) for j in range(3)]
        return Node(self.point(name, drawn), drawn, axes)

    def _deformed(self, per_amplitude: object) -> Affine:
        total = Affine(3)
        for vector, names in zip(per_amplitude, self.vectors, strict=True):  # type: ignore[call-overload]
            for j, component in enumerate(vector):
                if component != 0.0:
                    total = total + Affine.of(3, names[j]) * float(component)
        return total
