"""What connects the bodies of a mechanism: joints, constraints between points, measures, guides and relations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._common.numbers import is_number
from ...errors import did_you_mean
from ..assembly.affine import Vector
from .bookkeeping import Bookkeeping
from .parts import GROUND, Guide, InitialValue, Joint, Link, MeasurePart, Relation, TimeValue, not_finite, vector_of


class Connections(Bookkeeping):
    """Joints, links, measures, guides and relations; :class:`Mechanism` has these methods."""

    # Joints and constraints

    def joint(
        self,
        name: str,
        kind: str,
        first: str,
        second: str,
        *,
        at: ArrayLike | str | None = None,
        axis: ArrayLike | None = None,
        second_axis: ArrayLike | None = None,
        value: float | None = None,
    ) -> None:
        """Joint two bodies by constraints; sharing points and vectors needs none of these.

        Parameters
        ----------
        name : str
            Name.
        kind : str
            ``"spherical"``, ``"revolute"``, ``"universal"``, ``"prismatic"``, ``"cylindrical"``, ``"planar"``,
            ``"angle"``, ``"weld"``.
        first, second : str
            Bodies; ``"ground"`` is one.
        at : array or name of a point, optional
            Where, as drawn.
        axis, second_axis : arrays, optional
            Axis as drawn: of rotation, of sliding, normal of a plane; universal: one on each body.
        value : float, optional
            ``"angle"``: the angle between ``axis`` on the first and ``second_axis`` on the second body, rad.
        """
        from ..assembly.joints import KINDS

        problems = self._new_name(name, "joint")
        where = f'joint "{name}"'
        if kind not in KINDS:
            problems.append(f'{where}: kind "{kind}"{did_you_mean(kind, KINDS)}')
        problems += self._unknown(where, "body", [first, second], self._known_bodies())
        place: Vector | str | None = (
            at if isinstance(at, str) or at is None else vector_of(f"{where}: at", at, self.dimension, problems)
        )
        if isinstance(place, str):
            problems += self._unknown(where, "point", [place], self.points)
        axes = [
            None if a is None else vector_of(f"{where}: {key}", a, self.dimension, problems)
            for key, a in (("axis", axis), ("second_axis", second_axis))
        ]
        problems += not_finite(where, {"value": value})
        joint = Joint(name, kind, (first, second), place, axes[0], axes[1], value)
        if kind in KINDS:
            problems += KINDS[kind].missing(joint, self.dimension)
        self._raise(problems)
        self.joints[name] = joint
        self._changed()

    def distance_constraint(self, name: str, first: str, second: str, length: float | None = None) -> None:
        """Keep two points at a distance (m; default: as drawn), by a massless bar."""
        self._link(name, "distance", (first, second), value=length)

    def on_line(self, name: str, point: str, *, through: str, axis: ArrayLike, body: str = GROUND) -> None:
        """Keep a point on a line through another point of ``body`` along ``axis`` (as drawn)."""
        self._link(name, "line", (point, through), body=body, axis=axis)

    def on_plane(self, name: str, point: str, *, through: str, normal: ArrayLike, body: str = GROUND) -> None:
        """Keep a point on a plane through another point of ``body`` with this ``normal`` (as drawn)."""
        self._link(name, "plane", (point, through), body=body, axis=normal)

    def on_body(self, name: str, point: str, body: str) -> None:
        """Keep a point at its place on ``body`` (as drawn), with coordinates of its own.

        A point that is listed in :meth:`Mechanism.body` needs none and costs less: it is computed from those of the
        body. With coordinates of its own it has a reaction, and the model is that of programs that keep every point.
        """
        if body in self.bodies and point in self.bodies[body].points:
            self._raise([f'body "{name}": "{point}" belongs to "{body}" already; leave one of the two out'])
        self._link(name, "body", (point,), body=body)

    def weighted_point(self, name: str, point: str, weights: Mapping[str, float]) -> None:
        """Keep a point at a weighted sum of others: on the line of two, in the plane of three.

        Parameters
        ----------
        point : str
            The point.
        weights : mapping from point names to float
            Their sum is 1.
        """
        where = f'weighted "{name}"'
        problems = self._unknown(where, "point", list(weights), self.points)
        problems += not_finite(where, {f'weight of "{other}"': weight for other, weight in weights.items()})
        if not problems and abs(sum(weights.values()) - 1.0) > 1e-9:
            problems.append(f"{where}: the weights sum to {sum(weights.values()):.9g}; they must sum to 1")
        self._raise(problems)
        self._link(name, "weighted", (point,), weights={k: float(v) for k, v in weights.items()})

    # Measures: relative coordinates

    def distance(self, name: str, first: str, second: str) -> None:
        """Name the distance of two points, m."""
        self._measure(name, "distance", (first, second))

    def angle(
        self,
        name: str,
        first: str,
        second: str | None = None,
        *,
        axis: ArrayLike | None = None,
        reference: ArrayLike | None = None,
    ) -> None:
        """Name the angle by which one body has turned against another, rad; counted over full turns.

        Parameters
        ----------
        name : str
            Name.
        first, second : str
            From the first body to the second. One body alone: from the ground. In the plane the angle of a body
            against the ground is that of its first direction (from its first to its second point, or its first
            vector) against x; otherwise it is zero as drawn.
        axis : array, optional
            Axis of rotation as drawn (space only).
        reference : array, optional
            Direction across the axis as drawn (space only): the angle is that of this direction of the second body,
            seen along the axis of the first. It matters where the bodies turn about other axes, too.
        """
        bodies = (first,) if second is None else (first, second)
        problems: list[str] = []
        where = f'angle "{name}": reference'
        line = None if reference is None else vector_of(where, reference, self.dimension, problems)
        if line is not None and axis is not None and not problems and not np.cross(line, np.asarray(axis)).any():
            problems.append(f"{where}: is along the axis; expected a direction across it")
        self._raise(problems)
        self._measure(name, "angle", bodies, axis=axis, **({} if line is None else {"reference": line}))

    def displacement(
        self, name: str, point: str, *, along: ArrayLike, origin: str | None = None, body: str = GROUND
    ) -> None:
        """Name how far a point has gone along a direction of ``body`` (as drawn) from ``origin``, m."""
        self._raise(self._unknown(f'displacement "{name}"', "body", [body], self._known_bodies()))
        of = (point,) if origin is None else (point, origin)
        self._measure(name, "displacement", of, axis=along, body=body)

    def rotation(self, name: str, first: str, second: str, *, axis: ArrayLike) -> None:
        """Name the small rotation (below 90 degrees) of the second body against the first about an axis as drawn, rad.

        For springs between the rigid segments of a beam: one for each axis.
        """
        self._measure(name, "rotation", (first, second), axis=axis)

    def guide(self, measure: str, value: TimeValue) -> None:
        """Make a measure follow a function of time or an input.

        Parameters
        ----------
        measure : str
            Name of an angle, distance or displacement.
        value : number, list, dict, "input:NAME" or function of t
            A constant; polynomial coefficients ``[c0, c1, ...]``;
            ``{"sine": {"amplitude": .., "frequency": .. (Hz), "phase": .., "offset": ..}}``;
            an input of the subsystem (``"-input:NAME"``: its negative); or a Python function of time.
        """
        from .time_values import problems as wrong

        problems = self._unknown("guide", "measure", [measure], self.measures)
        if any(guide.measure == measure for guide in self.guides):
            problems.append(f'guide of "{measure}": this measure is guided already; one guide is allowed')
        self._raise(problems + wrong(f'guide of "{measure}"', value))
        self._note_input(value)
        self.guides.append(Guide(measure, value))
        self._changed()

    def relation(self, name: str, factors: Mapping[str, float], constant: float | None = None) -> None:
        """Relate measures, ``sum(factor * measure) = constant``: gears, racks, screws.

        Without ``constant`` what the assembled mechanism has is kept.
        """
        problems = self._new_name(name, "relation")
        where = f'relation "{name}"'
        problems += self._unknown(where, "measure", list(factors), self.measures)
        problems += not_finite(where, {f'factor of "{measure}"': factor for measure, factor in factors.items()})
        problems += not_finite(where, {"constant": constant})
        self._raise(problems)
        self.relations[name] = Relation(name, {k: float(v) for k, v in factors.items()}, constant)
        self._changed()

    def gear(self, name: str, first: str, second: str, ratio: float) -> None:
        """Couple two angles by a gear: the second turns ``ratio`` times the first (negative for an outer gear pair)."""
        self.relation(name, {first: ratio, second: -1.0})

    def rack(self, name: str, angle: str, displacement: str, radius: float) -> None:
        """Couple an angle with a displacement: the rack moves ``radius`` (m) times the angle."""
        self.relation(name, {angle: radius, displacement: -1.0})

    def initial(self, measure: str, value: float | None = None, *, rate: float | None = None) -> None:
        """Give a measure a value (m, rad) or a rate (m/s, rad/s) at the start."""
        problems = self._unknown("initial", "measure", [measure], self.measures)
        before = [known for known in self.initial_values if known.measure == measure]
        for key, given in (("value", value), ("rate", rate)):
            if given is not None and any(getattr(known, key) is not None for known in before):
                problems.append(f'initial of "{measure}": it has a {key} already; one is allowed')
        self._raise(problems + not_finite(f'initial of "{measure}"', {"value": value, "rate": rate}))
        self.initial_values.append(InitialValue(measure, value, rate))
        self._changed()

    def _link(
        self,
        name: str,
        kind: str,
        points: tuple[str, ...],
        *,
        body: str | None = None,
        axis: ArrayLike | None = None,
        value: float | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        problems = self._new_name(name, kind)
        where = f'{kind} "{name}"'
        problems += self._unknown(where, "point", points, self.points)
        if len(points) == 2 and points[0] == points[1]:
            problems.append(f'{where}: "{points[0]}" twice; expected two points')
        if body is not None:
            problems += self._unknown(where, "body", [body], self._known_bodies())
        direction = None if axis is None else vector_of(f"{where}: axis", axis, self.dimension, problems)
        if direction is not None and not problems and not direction.any():
            problems.append(f"{where}: the axis has no length")
        if value is not None and not (is_number(value) and value > 0):
            problems.append(f"{where}: length {value!r}; expected a positive number")
        self._raise(problems)
        self.links[name] = Link(name, kind, points, body, direction, value, dict(weights or {}))
        self._changed()

    def _measure(
        self, name: str, kind: str, of: tuple[str, ...], *, axis: ArrayLike | None = None, **options: Any
    ) -> None:
        problems = self._new_name(name, kind)
        where = f'{kind} "{name}"'
        turns = kind in ("angle", "rotation", "mode")
        if turns:
            problems += self._unknown(where, "body", of, self._known_bodies())
        else:
            problems += self._unknown(where, "point", of, self.points)
        direction = None if axis is None else vector_of(f"{where}: axis", axis, self.dimension, problems)
        if kind == "distance" and of[0] == of[1]:
            problems.append(f'{where}: "{of[0]}" twice; expected two points')
        if kind in ("angle", "rotation") and self.dimension == 3 and axis is None:
            problems.append(f"{where}: axis: missing; expected one in space")
        if direction is not None and not problems and not direction.any():
            problems.append(f"{where}: the axis has no length")
        self._raise(problems)
        self.measures[name] = MeasurePart(name, kind, of, direction, options)
        self._changed()
