"""From bodies to coordinates: which points and vectors get coordinates of their own, and what keeps bodies rigid."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..modelling.parts import BodyPart, Direction
from .affine import Affine, Vector
from .bodies import Body, Inertia, choose_basis, inertia_problems
from .frames import unit
from .joints import Coincidence, Dot
from .modal import ModalCoordinates, Node

if TYPE_CHECKING:
    from ..modelling.mechanism import Mechanism


_FLAT = 1e-3
"""Product of the volumes that three unit directions span, drawn and local, below which a drawing has no hand."""


@dataclass
class Distance:
    """Two points with coordinates of their own at a constant distance, m."""

    name: str
    first: str
    second: str
    length: float


@dataclass
class Ground:
    """What does not move, as something to joint bodies to."""

    def point(self, drawn: Vector) -> Affine:
        """Return a point fixed in space."""
        return Affine.fixed(drawn)

    def vector(self, drawn: Vector) -> Affine:
        """Return a direction fixed in space."""
        return Affine.fixed(drawn)


@dataclass
class Placing:
    """Places of all points and vectors, the bodies with their bases, and the equations of rigidity.

    The first body that needs an entity in its basis gives it coordinates; an entity that a body has beyond its basis
    becomes a weighted sum of the basis, without coordinates; one that has a place already is bound to it by equations.
    """

    mechanism: Mechanism
    places: dict[str, Affine] = field(default_factory=dict)
    own: list[str] = field(default_factory=list)
    bodies: dict[str, Body] = field(default_factory=dict)
    auxiliary: dict[str, Direction] = field(default_factory=dict)
    distances: dict[frozenset[str], Distance] = field(default_factory=dict)
    dots: list[Dot] = field(default_factory=list)
    coincidences: list[Coincidence] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    modal: dict[str, ModalCoordinates] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        m = self.mechanism
        self._seen: set[tuple[object, ...]] = set()
        self._modal_vectors: set[str] = set()
        for name in [n for n, p in m.points.items() if p.fixed] + [n for n, v in m.vectors.items() if v.fixed]:
            self._give_coordinates(name)
        for part in m.bodies.values():
            self._add_body(part)
            if part.name in m.modal_parts and part.name in self.bodies:
                self._add_modes(part.name)
        for name in [*m.points, *m.vectors]:
            if name not in self.places:
                self._give_coordinates(name)
        self._keep_unit_vectors()

    def is_fixed(self, name: str) -> bool:
        """Whether an entity belongs to the ground."""
        entity = self.mechanism.points.get(name) or self.mechanism.vectors.get(name)
        return entity is not None and entity.fixed

    def drawn(self, name: str) -> Vector:
        """Return where an entity is drawn."""
        if name in self.mechanism.points:
            return self.mechanism.points[name].position
        if name in self._modal_vectors:
            return np.zeros(3)
        return (self.mechanism.vectors.get(name) or self.auxiliary[name]).direction

    def _give_coordinates(self, name: str) -> None:
        self.places[name] = Affine.of(self.mechanism.dimension, name)
        self.own.append(name)

    def _add_body(self, part: BodyPart) -> None:
        geometry = part.local or {name: self.drawn(name) for name in (*part.points, *part.vectors)}
        geometry = {n: unit(v) if n in part.vectors else v for n, v in geometry.items()}
        names, vectors = self._basis(part, geometry)
        inertia = self._inertia(part, geometry)
        problems = inertia_problems(part.name, inertia, self.mechanism.dimension)
        if not names:
            problems.append(
                f'body "{part.name}": its points and vectors are all in one place; expected a second point or a vector'
            )
        if part.local is not None and self._is_mirrored(part, names, vectors):
            problems.append(
                f'body "{part.name}": drawn as the mirror image of its local geometry; the lengths fit, the part does '
                f"not: look at the positions of {', '.join((part.points[0], *names))}"
            )
        if problems:
            self.problems += problems
            return
        for name in (part.points[0], *names):
            if name not in self.places:
                self._give_coordinates(name)
        origin = self.places[part.points[0]]
        directions = [self.places[n] if self._is_vector(n) else self.places[n] - origin for n in names]
        body = Body(
            part.name, self.mechanism.dimension, origin, directions, geometry[part.points[0]], np.array(vectors),
            inertia, *self._frame(part, names, np.array(vectors)), points=part.points,
        )  # fmt: skip
        self.bodies[part.name] = body
        self._keep_rigid(body, names)
        for name in (*part.points[1:], *part.vectors):
            if name not in names:
                self._attach(body, name, geometry[name])

    def _add_modes(self, name: str) -> None:
        """Give a body its modes, and its points their places; points that have one already are bound to it."""
        masses: dict[str, float] = {}
        for load in self.mechanism.point_masses:
            masses[load.point] = masses.get(load.point, 0.0) + load.mass
        part = self.mechanism.modal_parts[name]
        modal = ModalCoordinates.of(part, self.bodies[name], masses)
        self.modal[name] = modal
        for vector in modal.masses:
            self._modal_vectors.add(vector)
            self._give_coordinates(vector)
        self.dots += modal.equations()
        for point in part.points:
            node = modal.node(point, self.drawn(point))
            self.nodes[f"{name}:{point}"] = node
            if point in self.places:
                where = f"{name}: {point} belongs to it"
                self.coincidences.append(Coincidence(where, self.places[point] - node.place))
            else:
                self.places[point] = node.place

    def _is_vector(self, name: str) -> bool:
        return name in self.mechanism.vectors or name in self.auxiliary

    def _basis(self, part: BodyPart, geometry: dict[str, Vector]) -> tuple[list[str], list[Vector]]:
        """Choose what spans the body; in space bodies that are no rods get the vectors they lack."""
        origin = geometry[part.points[0]]
        # Entities with coordinates come first: they need no equations to be bound to this body.
        order = sorted([*part.points[1:], *part.vectors], key=lambda name: name not in self.places)
        candidates = [geometry[n] if n in part.vectors else geometry[n] - origin for n in order]
        count = 1 if self.mechanism.dimension == 2 else 3
        chosen = choose_basis(candidates, count)
        names, vectors = [order[k] for k in chosen], [candidates[k] for k in chosen]
        rod = part.inertia is None and not part.vectors and len(vectors) == 1
        if self.mechanism.dimension == 3 and not rod:
            self._complete(part, geometry, names, vectors)
        return names, vectors

    def _complete(self, part: BodyPart, geometry: dict[str, Vector], names: list[str], vectors: list[Vector]) -> None:
        turn = self._turn(part, names, np.array(vectors)) if vectors else np.eye(3)
        while len(vectors) < 3:
            spanned = np.array(vectors).reshape(len(vectors), 3)
            *_, rows = np.linalg.svd(np.vstack([spanned, np.zeros((1, 3))]))
            direction = rows[len(vectors)]
            name = f"{part.name}~{len(vectors)}"
            self.auxiliary[name] = Direction(name, turn @ direction, np.zeros(3))
            names.append(name)
            vectors.append(direction)

    def _turn(self, part: BodyPart, names: list[str], vectors: Vector) -> Vector:
        """Return the rotation from the body's geometry to the drawing that fits best."""
        dimension = self.mechanism.dimension
        if part.local is None:
            return np.eye(dimension)
        drawn = self._drawn_directions(part, names)
        u, _, vt = np.linalg.svd(drawn.T @ vectors)
        if dimension == 2:
            # One direction is enough: the rotation that brings it where it is drawn.
            z = complex(*drawn[0]) / complex(*vectors[0])
            z /= abs(z)
            return np.array([[z.real, -z.imag], [z.imag, z.real]])
        sign = np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))])
        return np.asarray(u @ sign @ vt)

    def _is_mirrored(self, part: BodyPart, names: list[str], vectors: list[Vector]) -> bool:
        """Whether the drawing has the other hand than the body: lengths and angles alone would not tell."""
        drawn = self._drawn_directions(part, names)
        if len(drawn) < 3 or not drawn.any(axis=1).all():
            return False
        frames = [[unit(v) for v in frame] for frame in (drawn, vectors)]
        return float(np.linalg.det(frames).prod()) < -_FLAT

    def _drawn_directions(self, part: BodyPart, names: list[str]) -> Vector:
        origin = self.drawn(part.points[0])
        return np.array([self.drawn(n) if self._is_vector(n) else self.drawn(n) - origin for n in names])

    def _frame(self, part: BodyPart, names: list[str], vectors: Vector) -> tuple[Vector, Vector]:
        return self.drawn(part.points[0]), self._turn(part, names, vectors)

    def _inertia(self, part: BodyPart, geometry: dict[str, Vector]) -> Inertia:
        points = np.array([geometry[n] for n in part.points])
        centre = points.mean(axis=0) if part.centre is None else part.centre
        size = 1 if self.mechanism.dimension == 2 else 3
        if part.inertia is not None:
            return Inertia(part.mass, centre, part.inertia)
        if len(part.points) == 2 and not part.vectors:
            length2 = float(np.sum((points[1] - points[0]) ** 2))
            return Inertia(part.mass, centre, part.mass * length2 / 12.0 * np.eye(size))
        if part.mass != 0.0:
            self.problems.append(
                f'body "{part.name}": the inertia is missing; only a body of two points is taken as a uniform rod'
            )
        return Inertia(part.mass, centre, np.zeros((size, size)))

    def _keep_rigid(self, body: Body, names: list[str]) -> None:
        drawn = body.directions_drawn
        for i, first in enumerate(body.directions):
            for j in range(i, len(body.directions)):
                second = body.directions[j]
                if i == j and self._is_vector(names[i]):
                    continue  # unit vectors keep their length once, also when bodies share them
                label = f"{body.name}: length of {names[i]}" if i == j else f"{body.name}: {names[i]} to {names[j]}"
                if i == j:
                    self._keep_length(label, first, float(np.linalg.norm(drawn[i])))
                else:
                    scale = float(np.linalg.norm(drawn[i]) * np.linalg.norm(drawn[j]))
                    self._keep_dot(Dot(label, first, second, float(drawn[i] @ drawn[j]), scale))

    def _keep_length(self, label: str, line: Affine, length: float) -> None:
        ends = [name for name, weight in line.weights.items() if abs(weight) == 1.0]
        if len(ends) == 2 == len(line.weights) and not line.constant.any():
            if all(self.is_fixed(name) for name in ends):
                return
            first, second = sorted(ends, key=lambda name: complex(line.weights[name]).real)
            known = self.distances.setdefault(frozenset(ends), Distance(label, first, second, length))
            if abs(known.length - length) > 1e-9 * length:
                self.problems.append(f"{label}: {length:.9g} m contradicts {known.length:.9g} m ({known.name})")
            return
        self._keep_dot(Dot(label, line, line, length * length, 2.0 * length))

    def _keep_dot(self, dot: Dot) -> None:
        """Add an equation unless the same is there already."""
        key = frozenset((_key(dot.a), _key(dot.b)))
        if all(self.is_fixed(name) for name in (*dot.a.weights, *dot.b.weights)) or ("dot", key) in self._seen:
            return
        self._seen.add(("dot", key))
        self.dots.append(dot)

    def _attach(self, body: Body, name: str, place: Vector) -> None:
        there = body.own_vector(place) if self._is_vector(name) else body.own_point(place)
        if name not in self.places:
            self.places[name] = there
        else:
            self.coincidences.append(Coincidence(f"{body.name}: {name} belongs to it", self.places[name] - there))

    def _keep_unit_vectors(self) -> None:
        for name in self.own:
            if self._is_vector(name) and not self.is_fixed(name):
                self.dots.append(Dot(f"{name}: unit vector", self.places[name], self.places[name], 1.0, 2.0))


def _key(affine: Affine) -> tuple[object, ...]:
    weights = tuple(sorted((name, complex(w).real, complex(w).imag) for name, w in affine.weights.items()))
    return (weights, tuple(affine.constant.tolist()))
