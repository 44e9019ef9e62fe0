"""A mechanism put together: coordinates, equations, the core's model, a consistent start."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ... import _core
from ...approximations import lagrange
from ...errors import SetupError
from ...subsystems import NativeSubsystem
from ..modelling import outputs, time_values
from ..modelling.parts import Joint, Link, OutputPart
from . import forces, measures
from .affine import Affine, Vector
from .bodies import Body
from .frames import spin, turning
from .input_units import input_units
from .joints import KINDS, Carrier, Coincidence, Dot, Equation, Placed
from .masses import Masses
from .placing import Distance, Ground, Placing

if TYPE_CHECKING:
    from ..modelling.mechanism import Mechanism

_STRIDE = 4
_GROUP = 256
"""Equations of a kind that are evaluated together: threads share groups, and what a group needs fits into a cache."""
_SHOWN_POINTS = 50
"""A mechanism without outputs of its own shows the positions of its points when they are not more than these."""

_Any = TypeVar("_Any")


def _groups(items: list[_Any]) -> list[list[_Any]]:
    return [items[first : first + _GROUP] for first in range(0, len(items), _GROUP)]


class Assembly:
    """A mechanism with coordinates, solved for consistent positions and velocities.

    Attributes
    ----------
    mechanism : Mechanism
        Where it comes from.
    q, v : arrays of shape (all coordinates,)
        Consistent positions (m) and velocities (m/s) at the start; those of fixed points come last.
    degrees_of_freedom : int
        Motions that the constraints leave free at the start.
    redundant : list of str
        Equations that follow from others there.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.dimension = mechanism.dimension
        self.placing = Placing(mechanism)
        self._raise(self.placing.problems)
        self.bodies = self.placing.bodies
        own, fixed = self.placing.own, self.placing.is_fixed
        moving = [*(n for n in own if not fixed(n)), *mechanism.coordinates]
        self.entities = [*moving, *(n for n in own if fixed(n))]
        self.sizes = {name: 1 if name in mechanism.coordinates else self.dimension for name in self.entities}
        self.free = sum(self.sizes[name] for name in moving)
        if self.free == 0:
            self._raise(["nothing in it moves; give it a body, or a point that is not fixed"])
        ends = accumulate(self.sizes.values(), initial=0)
        self.offsets = dict(zip(self.entities, ends, strict=False))
        self.input_places = {name: k for k, name in enumerate(mechanism.inputs)}
        self._equations: dict[str, tuple[int, int]] = {}
        self._made: _core.multibody.MultibodySubsystem | None = None
        self.native_measures: dict[str, _core.multibody.Measure] = {}
        self.native_forces: dict[str, _core.multibody.Force] = {}
        self._masses = Masses(mechanism, self.placing, self.offsets, sum(self.sizes.values()))
        self._raise(self._masses.problems([name for name in moving if name not in mechanism.coordinates]))
        self.length = self._length()
        self.model = self._compile()
        self._raise(outputs.problems(self))
        self.q, self.v = self._start()
        equations, self.degrees_of_freedom = self.model.redundancy(0.0, *self._state())
        self.redundant = [self.model.equation_name(k) for k in equations]

    # What force, measure and output builders ask

    def place(self, name: str) -> Affine:
        """Return a point or vector as a weighted sum of coordinates."""
        return self.placing.places[name]

    def carrier(self, body: str) -> Carrier:
        """Return a body, or the ground."""
        if body == "ground":
            return Ground()
        return self.placing.nodes[body] if body in self.placing.nodes else self.bodies[body]

    def axes(self, body: str) -> list[_core.multibody.Combination]:
        """Return the axes of a body that are along those of the drawing as drawn."""
        return [self.carrier(body).vector(e).native(self.offsets) for e in np.eye(self.dimension)]

    def equations_of(self, name: str) -> tuple[int, int]:
        """Return first equation and number of equations of a joint, link, relation or guide."""
        return self._equations[name]

    def is_held_by_ground(self, name: str) -> bool:
        """Whether the place of a joint is a fixed point of its body, so that its equations hold nothing there."""
        joint = self.mechanism.joints.get(name)
        places = [e.combination for e in self._joint_equations(joint) if isinstance(e, Coincidence)] if joint else []
        return any(all(map(self.placing.is_fixed, place.weights)) for place in places)

    def drawn_coordinates(self) -> list[float]:
        """Return all coordinates as drawn."""
        return [float(x) for name in self.entities for x in self._drawn(name)]

    def coordinate_names(self) -> list[str]:
        """Return a name for each coordinate, as ``point.x``; coordinates that belong to no point keep theirs."""
        axes = [f".{axis}" for axis in "xyz"[: self.dimension]]
        numbers = self.mechanism.coordinates
        return [name + axis for name in self.entities for axis in ([""] if name in numbers else axes)]

    def _drawn(self, name: str) -> Vector:
        number = self.mechanism.coordinates.get(name)
        return self.placing.drawn(name) if number is None else np.array([number.value])

    # The subsystem

    def subsystem(self) -> NativeSubsystem:
        """Return a subsystem that makes a model of its own for every run."""
        mechanism = self.mechanism
        shown = {part.name: part for part in self._shown()}
        widths = {name: self.free if name == "q" else 1 for name in mechanism.standard_outputs}
        widths |= {name: self.width(part) for name, part in shown.items()}
        guiding = map(time_values.input_of, (guide.value for guide in mechanism.guides))
        return NativeSubsystem(
            "multibody",
            self._native,
            inputs=dict.fromkeys(mechanism.inputs, 1),
            outputs=widths,
            defaults=mechanism.inputs,
            units=self._units(shown),
            own_pace=mechanism.step is not None,
            # Forces and accelerations need the second derivative of what guides, which straight lines do not have.
            input_approximations={name: lagrange(2) for name in guiding if name},
            minor_outputs=mechanism.standard_outputs if shown else ("violation",),
            export_problem=mechanism.formulation.export_problem,
        )

    @property
    def solver(self) -> str:
        """Name of the linear solver that runs use."""
        return (self._made or self._make()).solver

    @property
    def statistics(self) -> dict[str, float]:
        """Return what the last run cost and how well it kept the constraints.

        ``steps``, ``iterations``, ``factorisations``; ``worst_contraction`` (largest ratio of constraint violations of
        two iterations, 0 when one was always enough), ``worst_violation`` (m or rad), ``singular_steps`` (that ended
        in a singular position, known to fewer digits), ``penalty_raised`` (times), ``softened_steps`` (of an index-1
        formulation, that converged with softer constraints only), ``halved_steps`` (made again in
        halves, because they did not converge, or their projections changed the motion too much).
        """
        if self._made is None:
            return {}
        made = self._made.statistics
        keys = ("steps", "iterations", "factorisations", "worst_contraction", "worst_violation", "singular_steps",
                "penalty_raised", "softened_steps", "halved_steps")  # fmt: skip
        return {key: getattr(made, key) for key in keys}

    def _units(self, shown: dict[str, OutputPart]) -> dict[str, str]:
        units = {name: outputs.STANDARD[name] for name in self.mechanism.standard_outputs}
        return input_units(self.mechanism) | units | {name: part.unit for name, part in shown.items() if part.unit}

    def _native(self) -> _core.multibody.MultibodySubsystem:
        """Return a subsystem for a run, and keep it: its statistics are those of the last run."""
        self._made = self._make()
        return self._made

    def _make(self) -> _core.multibody.MultibodySubsystem:
        model = self._compile()
        standard = outputs.standard(self)
        made = [standard[name] for name in self.mechanism.standard_outputs]
        made += [outputs.build(self, part) for part in self._shown()]
        guided = any(time_values.input_of(g.value) for g in self.mechanism.guides)
        return _core.multibody.MultibodySubsystem(
            model, self.mechanism.formulation.native(self.length), made, self.q.tolist(), self.v.tolist(),
            list(self.mechanism.inputs.values()), guided, self.mechanism.step or 0.0,
        )  # fmt: skip

    def _shown(self) -> list[OutputPart]:
        mechanism = self.mechanism
        if mechanism.outputs:
            return list(mechanism.outputs.values())
        moving = [name for name, point in mechanism.points.items() if not point.fixed]
        if len(moving) > _SHOWN_POINTS:
            return []
        return [OutputPart(name, "point", name, unit="m") for name in moving]

    def width(self, part: OutputPart) -> int:
        """Return of how many numbers an output is."""
        if part.kind in ("point", "vector", "support"):
            return self.dimension
        if part.kind == "measure":
            return 1
        if part.kind == "force":
            return len(self.native_forces[part.of].value_names())
        return self.equations_of(part.of)[1]

    # Putting together

    def _compile(self, *, initial: str | None = None) -> _core.multibody.Model:
        names = self.coordinate_names()
        parts = _core.multibody.Parts(self.free, names, len(self.mechanism.inputs))
        parts.set_mass(*self._masses.entries)
        parts.constant_force = self._masses.gravity()
        for name, load in self._masses.loads().items():
            entry = _core.multibody.MatrixEntry
            inertia = [entry(*found) for found in zip(*self._masses.entries_of(load.terms, load.mass), strict=True)]
            weights = self._masses.weight([(load.centre, 1.0)])
            weight = [entry(row, 0, force) for row, force in weights.items() if force != 0.0]
            parts.add_load(name, load.mass, inertia, weight)
        self._add_rigidity(parts)
        count = len(self.placing.distances) + len(self.placing.dots) + self.dimension * len(self.placing.coincidences)
        for joint in self.mechanism.joints.values():
            count = self._add_equations(parts, joint.name, self._joint_equations(joint), count)
        for link in self.mechanism.links.values():
            count = self._add_equations(parts, link.name, self._link_equations(link), count)
        self.native_measures = {name: measures.build(self, part) for name, part in self.mechanism.measures.items()}
        self._choose_turns()
        for measure in self.native_measures.values():
            parts.add_measure(measure)
        count = self._add_relations(parts, count)
        if initial is not None:
            self._add_initial(parts, initial)
        self.native_forces = {name: forces.build(self, part) for name, part in self.mechanism.forces.items()}
        for force in self.native_forces.values():
            parts.add_force(force)
        return parts.model(self.length)

    def _add_rigidity(self, parts: _core.multibody.Parts) -> None:
        # Rods of a kind lie together: the core takes such rows at one go. In a chain each rod shares a point with the
        # next: in turn, their sums would wait for each other.
        kinds: dict[int, list[Distance]] = {2: [], 1: [], 0: []}
        for distance in self.placing.distances.values():
            kinds[sum(map(self.placing.is_fixed, (distance.first, distance.second)))].append(distance)
        groups = [
            [d for first in range(_STRIDE) for d in group[first::_STRIDE]]
            for every in kinds.values()
            for group in _groups(every)
        ]
        if len(self.placing.distances) <= _GROUP:
            groups = [[d for group in groups for d in group]]
        for distances in groups:
            parts.add_distances(
                self.dimension, [self.offsets[d.first] for d in distances], [self.offsets[d.second] for d in distances],
                [d.length for d in distances], [d.name for d in distances],
            )  # fmt: skip
        for dots in _groups(self.placing.dots):
            self._add_dots(parts, dots)
        self._add_coincidences(parts, self.placing.coincidences)

    def _add_dots(self, parts: _core.multibody.Parts, dots: list[Dot]) -> None:
        parts.add_dots(
            [d.a.native(self.offsets) for d in dots], [d.b.native(self.offsets) for d in dots],
            [d.value for d in dots], [d.scale for d in dots], [d.name for d in dots],
        )  # fmt: skip

    def _add_coincidences(self, parts: _core.multibody.Parts, coincidences: list[Coincidence]) -> None:
        names = [f"{c.name} ({axis})" for c in coincidences for axis in "xyz"[: self.dimension]]
        parts.add_coincidences([c.combination.native(self.offsets) for c in coincidences], names)

    def _add_equations(self, parts: _core.multibody.Parts, name: str, equations: list[Equation], count: int) -> int:
        """Add the equations of one joint together, so that its reactions lie together."""
        coincidences = [e for e in equations if isinstance(e, Coincidence)]
        dots = [e for e in equations if isinstance(e, Dot)]
        self._add_coincidences(parts, coincidences)
        self._add_dots(parts, dots)
        added = self.dimension * len(coincidences) + len(dots)
        self._equations[name] = (count, added)
        return count + added

    def _joint_equations(self, joint: Joint) -> list[Equation]:
        first, second = (self.carrier(name) for name in joint.bodies)
        ends = [None if joint.at is None else self._end(name, carrier, joint.at)
                for name, carrier in zip(joint.bodies, (first, second), strict=True)]  # fmt: skip
        placed = Placed(
            joint.name, self.dimension, first, second, ends[0], ends[1], joint.axis, joint.second_axis, joint.value
        )
        return KINDS[joint.kind].equations(placed)

    def _end(self, body: str, carrier: Carrier, at: Vector | str) -> Affine:
        """Return the place of a joint on a body: its own point of that name, or where the place is drawn on it."""
        if isinstance(at, str):
            if at in self._points_of(body):
                return self.place(at)
            at = self.mechanism.points[at].position
        return carrier.point(at)

    def _points_of(self, body: str) -> list[str]:
        name = body.partition(":")[0]
        modal = self.mechanism.modal_parts.get(name)
        return [] if name == "ground" else [*self.bodies[name].points, *(modal.points if modal else [])]

    def _link_equations(self, link: Link) -> list[Equation]:
        if link.kind in ("body", "weighted"):
            return [Coincidence(link.name, self.place(link.points[0]) - self._kept_place(link))]
        line = self.place(link.points[0]) - self.place(link.points[1])
        if link.kind == "distance":
            drawn = self.placing.drawn(link.points[0]) - self.placing.drawn(link.points[1])
            length = float(np.linalg.norm(drawn)) if link.value is None else link.value
            return [Dot(f"{link.name}: length", line, line, length * length, 2.0 * length)]
        assert link.axis is not None and link.body is not None
        body = self.carrier(link.body)
        placed = Placed(link.name, self.dimension, body, body, None, None, link.axis, None, None)
        directions = placed.across_axis() if link.kind == "line" else [link.axis]
        return [
            Dot(f"{link.name}: on its {link.kind}", line, body.vector(d / np.linalg.norm(d)), 0.0, 1.0)
            for d in directions
        ]

    def _kept_place(self, link: Link) -> Affine:
        """Return where a link keeps its point: a place on a body, or a weighted sum of points."""
        if link.body is not None:
            return self.carrier(link.body).point(self.placing.drawn(link.points[0]))
        total = Affine(self.dimension)
        for name, weight in link.weights.items():
            total = total + self.place(name) * weight
        return total

    def _add_relations(self, parts: _core.multibody.Parts, count: int) -> int:
        for relation in self.mechanism.relations.values():
            used = [self.native_measures[name] for name in relation.factors]
            factors = list(relation.factors.values())
            constant = relation.constant
            if constant is None:
                constant = sum(factor * self._drawn_value(name) for name, factor in relation.factors.items())
            parts.add_relation(used, factors, _core.multibody.polynomial([constant]), relation.name)
            self._equations[relation.name] = (count, 1)
            count += 1
        for guide in self.mechanism.guides:
            prescribed = time_values.build(guide.value, self.input_places)
            parts.add_relation([self.native_measures[guide.measure]], [1.0], prescribed, f"guide of {guide.measure}")
            self._equations[f"guide:{guide.measure}"] = (count, 1)
            count += 1
        return count

    def _choose_turns(self) -> None:
        """Let angles begin on the turn where they are guided, or said to be, at the start; else as drawn."""
        drawn = self.drawn_coordinates()
        for measure in self.native_measures.values():
            # An angle drawn at half a turn may be assembled on the other side of it.
            measure.start_near = measure.value(drawn)
        for guide in self.mechanism.guides:
            self.native_measures[guide.measure].start_near = time_values.at_start(guide.value, self.mechanism.inputs)
        for initial in self.mechanism.initial_values:
            if initial.value is not None:
                self.native_measures[initial.measure].start_near = initial.value

    def _drawn_value(self, name: str) -> float:
        """Return a measure as drawn; an angle on the turn it begins on."""
        measure = self.native_measures[name]
        value = float(measure.value(self.drawn_coordinates()))
        if self.mechanism.measures[name].kind == "angle":
            value += 2.0 * np.pi * round((measure.start_near - value) / (2.0 * np.pi))
        return value

    def _add_initial(self, parts: _core.multibody.Parts, what: str) -> None:
        """Prescribe the initial values, or the initial rates, for the problem at the start only."""
        for initial in self.mechanism.initial_values:
            given = initial.value if what == "value" else initial.rate
            if given is None:
                continue
            function = _core.multibody.polynomial([given] if what == "value" else [0.0, given])
            measure = self.native_measures[initial.measure]
            parts.add_relation([measure], [1.0], function, f"initial {what} of {initial.measure}")

    def _length(self) -> float:
        """Return the size of a typical body, m: what tolerances are relative to."""
        sizes = [float(np.linalg.norm(d)) for b in self.bodies.values() for d in b.directions_drawn]
        if sizes:
            return float(np.median(sizes))
        points = np.array([p.position for p in self.mechanism.points.values()])
        extent = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0))) if len(points) > 1 else 0.0
        return extent if extent > 0.0 else 1.0

    def _start(self) -> tuple[Vector, Vector]:
        """Solve for positions and velocities that fit all constraints and initial values."""
        some = bool(self.mechanism.initial_values)
        inputs = list(self.mechanism.inputs.values())
        still = [0.0] * len(inputs)
        drawn = self._estimate()
        zero = [0.0] * len(drawn)
        rates = self._estimated_rates()
        estimate = [float(x) for name in self.entities for x in rates[name]]
        try:
            model = self._compile(initial="value") if some else self.model
            q = model.assemble(0.0, drawn, zero, inputs, still, still)
            model = self._compile(initial="rate") if some else self.model
            v = model.velocities(0.0, q, estimate, inputs, still, still)
        except RuntimeError as problem:
            raise SetupError(f"{self.mechanism.name}: {problem}") from None
        if some:
            self.model = self._compile()
        return np.array(q), np.array(v)

    def _estimate(self) -> list[float]:
        """Return where the search for a consistent position begins: as drawn, or where the mechanism starts."""
        start = self.mechanism.start_position
        return [float(x) for name in self.entities for x in (start[name] if name in start else self._drawn(name))]

    def _estimated_rates(self) -> dict[str, Vector]:
        """Return the velocities given for points, and for vectors what the points of their bodies make of them."""
        rates = {name: p.velocity for name, p in self.mechanism.points.items()}
        rates |= {name: np.array([number.rate]) for name, number in self.mechanism.coordinates.items()}
        rates |= {name: np.zeros(self.dimension) for name, v in self.mechanism.vectors.items() if v.fixed}
        if any(rate.any() for rate in rates.values()):
            # Bodies whose points say all about their spin come first; others learn from the vectors that they share.
            for body in sorted(self.bodies.values(), key=lambda body: -self._spin(body, rates)[1]):
                omega, _ = self._spin(body, rates)
                for name in {n for d in body.directions for n in d.weights if n not in rates}:
                    rates[name] = turning(omega, self.placing.drawn(name))
        return {name: rates.get(name, np.zeros(self.dimension)) for name in self.entities}

    def _spin(self, body: Body, rates: dict[str, Vector]) -> tuple[Vector, int]:
        part = self.mechanism.bodies[body.name]
        origin, *others = (n for n in part.points)
        lines = [(self.placing.drawn(n) - self.placing.drawn(origin), rates[n] - rates[origin]) for n in others]
        lines += [(self.placing.drawn(n), rates[n]) for n in part.vectors if n in rates]
        return spin(lines, self.dimension)

    def _state(self) -> tuple[list[float], list[float], list[float], list[float], list[float]]:
        inputs = list(self.mechanism.inputs.values())
        still = [0.0] * len(inputs)
        return self.q.tolist(), self.v.tolist(), inputs, still, still

    def _raise(self, problems: list[str]) -> None:
        if problems:
            raise SetupError([f"{self.mechanism.name}: {problem}" for problem in problems])
