"""The user's side of a mechanism: describe it, run it, couple it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import SetupError, did_you_mean
from .affine import Vector
from .formulations import Formulation
from .inspection import Inspectable
from .outputs import STANDARD
from .parts import (
    BodyPart,
    Direction,
    ForcePart,
    Guide,
    InitialValue,
    Joint,
    Link,
    MeasurePart,
    OutputPart,
    Point,
    PointMass,
    Relation,
    TimeValue,
    vector_of,
)

if TYPE_CHECKING:
    from ..results import Result
    from ..subsystems import NativeSubsystem
    from .assembly import Assembly

GROUND = "ground"


class Mechanism(Inspectable):
    """A mechanism of rigid bodies in natural coordinates.

    Everything is in SI units. Positions are given as drawn: in the frame of space, in one consistent (or nearly consistent)
    position; the assembly is solved for before anything runs.

    Parameters
    ----------
    name : str
        Name of the mechanism.
    dimension : int
        2 or 3.
    gravity : array of shape (dimension,), optional
        m/s²; default -9.81 along y in the plane, along z in space.

    Attributes
    ----------
    formulation : Formulation
        How the equations of motion are put and integrated.
    step : float or None
        Preferred step, s.
    standard_outputs : tuple of str
        Outputs without being asked: all coordinates ``q`` (the animation needs them), energies, constraint ``violation``. Large
        mechanisms that run long may want fewer.

    Examples
    --------
    >>> pendulum = Mechanism("pendulum", dimension=2)
    >>> pendulum.point("A", (0, 0), fixed=True)
    >>> pendulum.point("B", (1, 0))
    >>> pendulum.body("rod", points=["A", "B"], mass=1.0)
    >>> pendulum.run(until=0.1, step=1e-3)["pendulum.B"].at(0.1).round(4)
    array([ 0.9973, -0.0735])
    """

    def __init__(self, name: str, *, dimension: int = 3, gravity: ArrayLike | None = None) -> None:
        if dimension not in (2, 3):
            raise SetupError(f"dimension: {dimension!r}; 2 (plane) or 3 (space) is needed")
        self.name = name
        self.dimension = dimension
        problems: list[str] = []
        default = np.array([0.0, -9.81] if dimension == 2 else [0.0, 0.0, -9.81])
        self.gravity = default if gravity is None else vector_of("gravity", gravity, dimension, problems)
        if problems:
            raise SetupError(problems)
        self.points: dict[str, Point] = {}
        self.vectors: dict[str, Direction] = {}
        self.bodies: dict[str, BodyPart] = {}
        self.point_masses: list[PointMass] = []
        self.joints: dict[str, Joint] = {}
        self.links: dict[str, Link] = {}
        self.measures: dict[str, MeasurePart] = {}
        self.guides: list[Guide] = []
        self.relations: dict[str, Relation] = {}
        self.forces: dict[str, ForcePart] = {}
        self.outputs: dict[str, OutputPart] = {}
        self.initial_values: list[InitialValue] = []
        self.inputs: dict[str, float] = {}
        self.start_position: dict[str, Vector] = {}
        self.formulation = Formulation()
        self.step: float | None = None
        self.standard_outputs: tuple[str, ...] = tuple(STANDARD)
        self.notes: list[str] = []
        self._assembly: Assembly | None = None

    # Entities and bodies

    def point(self, name: str, position: ArrayLike, *, fixed: bool = False, velocity: ArrayLike | None = None) -> None:
        """Add a point with coordinates of its own.

        Parameters
        ----------
        name : str
            Name; bodies that share a point are jointed there.
        position : array of shape (dimension,)
            As drawn, m.
        fixed : bool
            Whether it belongs to the ground.
        velocity : array of shape (dimension,), optional
            Estimate at the start, m/s; made to fit the constraints.
        """
        problems = self._new_name(name, "point")
        if name in STANDARD:
            problems.append(f'point "{name}": an output of every mechanism is called so; taken: {", ".join(STANDARD)}')
        where = f'point "{name}"'
        place = vector_of(f"{where}: position", position, self.dimension, problems)
        speed = self._optional(f"{where}: velocity", velocity, problems)
        if fixed and speed.any():
            problems.append(f"{where}: it is fixed and has a velocity {velocity!r}; leave one of the two out")
        self._raise(problems)
        self.points[name] = Point(name, place, speed, fixed)
        self._changed()

    def vector(self, name: str, direction: ArrayLike, *, fixed: bool = False) -> None:
        """Add a unit vector with coordinates of its own; bodies that share a point and a vector turn about it.

        Parameters
        ----------
        name : str
            Name.
        direction : array of shape (dimension,)
            As drawn; made a unit vector.
        fixed : bool
            Whether it belongs to the ground.
        """
        problems = self._new_name(name, "vector")
        made = vector_of(f'vector "{name}"', direction, self.dimension, problems)
        length = float(np.linalg.norm(made))
        if not problems and length == 0.0:
            problems.append(f'vector "{name}": has no length; a direction is needed')
        self._raise(problems)
        self.vectors[name] = Direction(name, made / length, np.zeros(self.dimension), fixed)
        self._changed()

    def body(
        self,
        name: str,
        *,
        points: Sequence[str],
        vectors: Sequence[str] = (),
        mass: float,
        centre: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        local: Mapping[str, ArrayLike] | None = None,
        shape: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a rigid body.

        Parameters
        ----------
        name : str
            Name.
        points, vectors : names
            What is fixed to the body; at least one point. Two points alone make a rod; in space other bodies get as many
            vectors as they lack by themselves.
        mass : float
            kg.
        centre : array of shape (dimension,), optional
            Centre of mass in the frame of the drawing (or of ``local``), m; default: the mean of the points.
        inertia : number, 3 numbers or array of shape (3, 3), optional
            About the centre of mass, kg m², axes of the drawing (or of ``local``). Default for two points: a uniform rod,
            mass * length² / 12. Other bodies must say.
        local : mapping, optional
            Places of the points and vectors in a frame of the body, m: then the drawing is only an estimate.
        shape : mapping, optional
            How to draw it: ``{"kind": "box", "size": (x, y, z)}``, ``"cylinder"`` (radius, length), ``"sphere"`` (radius,) or
            ``"lines"``; default: lines between its points. Also ``"colour"``, ``"centre"`` (m), ``"axis"`` of a cylinder, ``"turn"`` of a box
            (rows of a rotation), and ``"group"``: bodies of a group are drawn as one thing.
        """
        problems = self._new_name(name, "body")
        where = f'body "{name}"'
        if not points:
            problems.append(f"{where}: no points; at least one is needed")
        problems += self._unknown(where, "point", points, self.points)
        problems += self._unknown(where, "vector", vectors, self.vectors)
        geometry = None
        if local is not None:
            geometry = {
                key: vector_of(f"{where}: local {key}", v, self.dimension, problems) for key, v in local.items()
            }
            missing = [n for n in (*points, *vectors) if n not in geometry]
            problems += [f'{where}: local: "{n}" is missing' for n in missing]
        middle = None if centre is None else vector_of(f"{where}: centre", centre, self.dimension, problems)
        tensor = self._tensor(where, inertia, problems)
        try:
            kilograms = float(mass)
        except (TypeError, ValueError):
            problems.append(f"{where}: mass {mass!r}; a number in kg is needed")
            kilograms = 0.0
        self._raise(problems)
        self.bodies[name] = BodyPart(
            name, list(points), list(vectors), kilograms, middle, tensor, geometry, dict(shape or {})
        )
        self._changed()

    def point_mass(self, point: str, mass: float) -> None:
        """Put a mass (kg) on a point."""
        problems = self._unknown("point_mass", "point", [point], self.points)
        if not np.isfinite(mass) or mass < 0:
            problems.append(f'point_mass at "{point}": {mass!r} kg; a number from 0 is needed')
        self._raise(problems)
        self.point_masses.append(PointMass(point, float(mass)))
        self._changed()

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
            ``"spherical"``, ``"revolute"``, ``"universal"``, ``"prismatic"``, ``"cylindrical"``, ``"planar"``, ``"angle"``, ``"weld"``.
        first, second : str
            Bodies; ``"ground"`` is one.
        at : array or name of a point, optional
            Where, as drawn.
        axis, second_axis : arrays, optional
            Axis as drawn: of rotation, of sliding, normal of a plane; universal: one on each body.
        value : float, optional
            ``"angle"``: the angle between ``axis`` on the first and ``second_axis`` on the second body, rad.
        """
        from .joints import KINDS

        problems = self._new_name(name, "joint")
        where = f'joint "{name}"'
        if kind not in KINDS:
            problems.append(f'{where}: kind "{kind}"{did_you_mean(kind, KINDS)}')
        problems += self._unknown(where, "body", [first, second], {**self.bodies, GROUND: None})
        place: Vector | str | None = (
            at if isinstance(at, str) or at is None else vector_of(f"{where}: at", at, self.dimension, problems)
        )
        if isinstance(place, str):
            problems += self._unknown(where, "point", [place], self.points)
        axes = [
            None if a is None else vector_of(f"{where}: {key}", a, self.dimension, problems)
            for key, a in (("axis", axis), ("second_axis", second_axis))
        ]
        if kind in KINDS:
            problems += KINDS[kind].missing(where, self.dimension, place, axes[0], axes[1], value)
        self._raise(problems)
        self.joints[name] = Joint(name, kind, (first, second), place, axes[0], axes[1], value)
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

    # Measures: relative coordinates

    def distance(self, name: str, first: str, second: str) -> None:
        """Name the distance of two points, m."""
        self._measure(name, "distance", (first, second), self.points, "point")

    def angle(self, name: str, first: str, second: str | None = None, *, axis: ArrayLike | None = None) -> None:
        """Name the angle by which one body has turned against another, rad; counted over full turns.

        Parameters
        ----------
        name : str
            Name.
        first, second : str
            From the first body to the second. One body alone: from the ground. In the plane the angle of a body against the ground
            is that of its first direction (from its first to its second point, or its first vector) against x; otherwise
            it is zero as drawn.
        axis : array, optional
            Axis of rotation as drawn (space only).
        """
        bodies = (first,) if second is None else (first, second)
        self._measure(name, "angle", bodies, {**self.bodies, GROUND: None}, "body", axis=axis)

    def displacement(
        self, name: str, point: str, *, along: ArrayLike, origin: str | None = None, body: str = GROUND
    ) -> None:
        """Name how far a point has gone along a direction of ``body`` (as drawn) from ``origin``, m."""
        problems = self._unknown(f'displacement "{name}"', "body", [body], {**self.bodies, GROUND: None})
        self._raise(problems)
        of = (point,) if origin is None else (point, origin)
        self._measure(name, "displacement", of, self.points, "point", axis=along, body=body)

    def rotation(self, name: str, first: str, second: str, *, axis: ArrayLike) -> None:
        """Name the small rotation (below 90 degrees) of the second body against the first about an axis as drawn, rad.

        For springs between the rigid segments of a beam: one for each axis.
        """
        self._measure(name, "rotation", (first, second), {**self.bodies, GROUND: None}, "body", axis=axis)

    def guide(self, measure: str, value: TimeValue) -> None:
        """Make a measure follow a function of time or an input.

        Parameters
        ----------
        measure : str
            Name of an angle, distance or displacement.
        value : number, list, dict, "input:NAME" or function of t
            A constant; polynomial coefficients ``[c0, c1, ...]``; ``{"sine": {"amplitude": .., "frequency": .. (Hz), "phase": .., "offset":
            ..}}``; an input of the subsystem; or a Python function of time.
        """
        from .time_values import problems as wrong

        self._raise(self._unknown("guide", "measure", [measure], self.measures) + wrong(f'guide of "{measure}"', value))
        self._note_input(value)
        self.guides.append(Guide(measure, value))
        self._changed()

    def relation(self, name: str, factors: Mapping[str, float], constant: float | None = None) -> None:
        """Relate measures, ``sum(factor * measure) = constant``: gears, racks, screws.

        Without ``constant`` what the assembled mechanism has is kept.
        """
        problems = self._new_name(name, "relation")
        problems += self._unknown(f'relation "{name}"', "measure", list(factors), self.measures)
        self._raise(problems)
        self.relations[name] = Relation(name, {k: float(v) for k, v in factors.items()}, constant)
        self._changed()

    def gear(self, name: str, first: str, second: str, ratio: float) -> None:
        """Couple two angles by a gear: the second turns ``ratio`` times the first (negative for an outer gear pair)."""
        self.relation(name, {first: float(ratio), second: -1.0})

    def rack(self, name: str, angle: str, displacement: str, radius: float) -> None:
        """Couple an angle with a displacement: the rack moves ``radius`` (m) times the angle."""
        self.relation(name, {angle: float(radius), displacement: -1.0})

    def initial(self, measure: str, value: float | None = None, *, rate: float | None = None) -> None:
        """Give a measure a value (m, rad) or a rate (m/s, rad/s) at the start."""
        self._raise(self._unknown("initial", "measure", [measure], self.measures))
        self.initial_values.append(InitialValue(measure, value, rate))
        self._changed()

    # Forces

    def spring(
        self,
        name: str,
        measure: str | None = None,
        *,
        between: tuple[str, str] | None = None,
        stiffness: float = 0.0,
        damping: float = 0.0,
        natural: float | None = None,
        curve: ArrayLike | None = None,
        damper_curve: ArrayLike | None = None,
    ) -> None:
        """Add a spring-damper along a measure or between two points.

        Parameters
        ----------
        measure, between : str or pair of point names
            Exactly one of them: along a named distance, displacement, angle or rotation, or between two points.
        stiffness, damping : float
            N/m and N s/m, or N m/rad and N m s/rad.
        natural : float, optional
            Value of the measure without spring force; default: as drawn (0 for rotations).
        curve, damper_curve : arrays of shape (n, 2), optional
            Restoring force over deflection, resisting force over rate, straight between the points.
        """
        self._force(name, "spring", measure=measure, between=between, stiffness=stiffness, damping=damping, natural=natural,
                    curve=curve, damper_curve=damper_curve)  # fmt: skip

    def actuator(
        self, name: str, measure: str | None = None, *, between: tuple[str, str] | None = None, force: TimeValue
    ) -> None:
        """Add a force (N) along a distance or displacement, or a torque (N m) about an angle, with its reaction.

        Positive makes the measure larger. ``force`` is a number, polynomial, sine, ``"input:NAME"`` or a Python function of t.
        """
        self._note_input(force)
        self._force(name, "actuator", measure=measure, between=between, force=force)

    def friction(
        self,
        name: str,
        measure: str,
        *,
        sliding: float,
        breakaway: float | None = None,
        rate: float = 1e-3,
        stribeck: float = 1e-2,
    ) -> None:
        """Add dry friction along a measure.

        Parameters
        ----------
        sliding, breakaway : float
            Friction when sliding and at rest, N or N m.
        rate : float
            Rate at which friction is nearly full, m/s or rad/s: below, it is viscous.
        stribeck : float
            Rate over which breakaway falls to sliding friction, m/s or rad/s.
        """
        self._force(
            name,
            "friction",
            measure=measure,
            between=None,
            sliding=sliding,
            breakaway=breakaway,
            rate=rate,
            stribeck=stribeck,
        )

    def force(self, name: str, point: str, components: Sequence[TimeValue], *, body: str | None = None) -> None:
        """Add a force (N) on a point: components in space, or along the axes of ``body`` as drawn."""
        for value in components:
            self._note_input(value)
        self._force(name, "force", point=point, components=list(components), body=body)

    def torque(
        self, name: str, body: str, components: TimeValue | Sequence[TimeValue], *, turning: bool = False
    ) -> None:
        """Add a torque (N m) on a body: one number in the plane, three components in space (``turning``: along its own axes)."""
        if self.dimension == 3 and (isinstance(components, (str, Mapping)) or not isinstance(components, Sequence)):
            self._raise([f'torque "{name}": {components!r}; three components are needed in space'])
        values = [components] if self.dimension == 2 else list(components)  # type: ignore[arg-type]
        for value in values:
            self._note_input(value)
        self._force(name, "torque", body=body, components=values, turning=turning)

    def rotational_spring(
        self,
        name: str,
        first: str,
        second: str,
        *,
        stiffness: ArrayLike,
        damping: ArrayLike = 0.0,
        axes: ArrayLike | None = None,
    ) -> None:
        """Add a spring about three axes between two bodies (space only), relaxed as drawn; right for finite rotations, too.

        Parameters
        ----------
        first, second : str
            Bodies; ``"ground"`` is one.
        stiffness, damping : number or 3 numbers
            About each axis, N m/rad and N m s/rad.
        axes : array of shape (3, 3), optional
            Rows: the axes as drawn, perpendicular to each other; default: those of space.
        """
        problems = (
            ["rotational_spring: for space only; in the plane take spring(...) on an angle"]
            if self.dimension == 2
            else []
        )
        problems += self._unknown(f'rotational spring "{name}"', "body", [first, second], {**self.bodies, GROUND: None})
        frame = np.eye(3) if axes is None else np.asarray(axes, dtype=float)
        if frame.shape != (3, 3) or not np.allclose(frame @ frame.T, np.eye(3), atol=1e-9):
            problems.append(f'rotational spring "{name}": axes: three unit vectors at right angles are needed')
        for key, value in (("stiffness", stiffness), ("damping", damping)):
            if np.asarray(value, dtype=float).shape not in ((), (3,)) or np.any(np.asarray(value, dtype=float) < 0):
                problems.append(f'rotational spring "{name}": {key} {value!r}; one or three numbers from 0 are needed')
        self._raise(problems)
        self._force(name, "rotational spring", bodies=(first, second), stiffness=stiffness, damping=damping, axes=frame)

    def contact(self, name: str, point: str, *, plane: ArrayLike, normal: ArrayLike, **law: float) -> None:
        """Add the contact of a point, or a sphere around it, with a plane at rest.

        Parameters
        ----------
        point : str
            The point.
        plane, normal : arrays of shape (dimension,)
            A point of the plane, m, and its normal to the side where bodies may be.
        **law : float
            ``stiffness`` (N/m^n), ``exponent`` n, ``damping`` (s/m, Hunt and Crossley), ``friction`` (coefficient), ``friction_speed`` (m/s),
            ``radius`` (m).
        """
        from .elements import CONTACT_KEYS, law_problems

        where = f'contact "{name}"'
        problems = law_problems(where, law, CONTACT_KEYS)
        place = vector_of(f"{where}: plane", plane, self.dimension, problems)
        direction = self._direction(f"{where}: normal", normal, problems)
        self._raise(problems)
        self._force(name, "contact", point=point, plane=place, normal=direction, law=law)

    def tyre(
        self,
        name: str,
        body: str,
        *,
        centre: str,
        axis: ArrayLike,
        road: ArrayLike = (0.0, 0.0, 0.0),
        normal: ArrayLike = (0.0, 0.0, 1.0),
        longitudinal: Mapping[str, float] | None = None,
        lateral: Mapping[str, float] | None = None,
        **law: float,
    ) -> None:
        """Add a tyre on a flat road: vertical spring-damper, magic formula, transient slip (space only).

        Parameters
        ----------
        body : str
            The wheel that turns.
        centre : str
            Point at its centre.
        axis : array of shape (3,)
            Spin axis as drawn, to the left of forward rolling.
        road, normal : arrays of shape (3,)
            A point of the road, m, and its normal.
        longitudinal, lateral : mappings
            ``B``, ``C``, ``E`` and ``mu`` of the magic formula over longitudinal slip and over slip angle (rad).
        **law : float
            ``radius`` (m), ``stiffness`` (N/m), ``damping`` (N s/m), ``longitudinal_relaxation``, ``lateral_relaxation`` (m), ``nominal_load`` (N),
            ``load_sensitivity``, ``camber_slip``, ``rolling_resistance``, ``trail`` (m) and what else the reference page lists.
        """
        from .elements import MAGIC_KEYS, TYRE_KEYS, law_problems

        where = f'tyre "{name}"'
        problems = [f"{where}: for space only"] if self.dimension == 2 else []
        problems += law_problems(where, law, TYRE_KEYS)
        for key, formula in (("longitudinal", longitudinal), ("lateral", lateral)):
            problems += law_problems(f"{where}: {key}", formula or {}, MAGIC_KEYS)
        problems += self._unknown(where, "point", [centre], self.points)
        directions = [
            self._direction(f"{where}: {key}", v, problems) for key, v in (("axis", axis), ("normal", normal))
        ]
        place = vector_of(f"{where}: road", road, self.dimension, problems)
        self._raise(problems)
        self._force(name, "tyre", body=body, centre=centre, axis=directions[0], road=place, normal=directions[1],
                    longitudinal=dict(longitudinal or {}), lateral=dict(lateral or {}), law=law)  # fmt: skip

    def aerodynamic_strip(
        self,
        name: str,
        body: str,
        *,
        point: str,
        chord: ArrayLike,
        normal: ArrayLike,
        span: float,
        chord_length: float,
        polar: ArrayLike,
        wind: Sequence[TimeValue] | None = None,
        density: float = 1.225,
        reference_height: float = 10.0,
        shear_exponent: float = 0.0,
    ) -> None:
        """Add a strip of a blade or wing in quasi-steady flow.

        Parameters
        ----------
        body, point : str
            The body, and its point at the quarter chord.
        chord, normal : arrays of shape (dimension,)
            As drawn: from the leading to the trailing edge, and to the side of lift.
        span, chord_length : float
            m.
        polar : array of shape (n, 3) or (n, 4)
            Angle of attack (rad, growing), lift, drag and, optionally, moment coefficient.
        wind : sequence of time values, optional
            Components of the wind, m/s; inputs are allowed. Default: calm.
        density : float
            kg/m³.
        reference_height, shear_exponent : float
            Wind grows as (height / reference height, m) ** exponent.
        """
        where = f'aerodynamic strip "{name}"'
        problems: list[str] = self._unknown(where, "point", [point], self.points)
        table = np.asarray(polar, dtype=float)
        if table.ndim != 2 or table.shape[1] not in (3, 4) or len(table) < 2 or not np.all(np.diff(table[:, 0]) > 0):
            problems.append(f"{where}: polar: rows of angle (growing), lift, drag and, optionally, moment are needed")
        directions = [
            self._direction(f"{where}: {key}", v, problems) for key, v in (("chord", chord), ("normal", normal))
        ]
        breeze = [0.0] * self.dimension if wind is None else list(wind)
        for key, value in (("span", span), ("chord_length", chord_length), ("density", density)):
            if not np.isfinite(value) or value <= 0:
                problems.append(f"{where}: {key} {value!r}; a number above 0 is needed")
        if len(breeze) != self.dimension:
            problems.append(f"{where}: wind: {self.dimension} components are needed")
        self._raise(problems)
        for value in breeze:
            self._note_input(value)
        self._force(name, "aerodynamic strip", body=body, point=point, chord=directions[0], normal=directions[1], span=float(span),
                    chord_length=float(chord_length), polar=table, wind=breeze, density=float(density),
                    reference_height=float(reference_height), shear_exponent=float(shear_exponent))  # fmt: skip

    def user_force(
        self,
        name: str,
        function: Any,
        points: Sequence[str],
        *,
        position_difference: float = 0.0,
        velocity_difference: float = 0.0,
    ) -> None:
        """Add forces on points by a function of yours.

        Parameters
        ----------
        function : callable or compiled function
            ``function(t, positions, velocities, u) -> forces``: arrays of shape (points, dimension) in m, m/s and N, and the
            inputs. Compiled (numba ``cfunc``, ctypes): ``void f(double t, const double* x, const double* v, const double* u, double* forces)``.
        points : names
            Where the forces act.
        position_difference, velocity_difference : float
            Steps (m, m/s) with which the function is differentiated for Newton's method; 0: not at all. Stiff forces need it.
        """
        problems = self._unknown(f'user force "{name}"', "point", list(points), self.points)
        if not callable(function) and not hasattr(function, "address"):
            problems.append(f'user force "{name}": {function!r} is no function')
        self._raise(problems)
        self._force(name, "user force", function=function, points=list(points), position_difference=position_difference,
                    velocity_difference=velocity_difference)  # fmt: skip

    # What it shows, and running

    def input(self, name: str, default: float = 0.0) -> None:
        """Declare an input and the value it has when nothing drives it; inputs named in forces and guides declare themselves."""
        self.inputs[name] = float(default)
        self._changed()

    def output(self, name: str, of: str, motion: str = "position") -> None:
        """Add an output.

        Parameters
        ----------
        name : str
            Name of the port.
        of : str
            A point, vector or measure; a force element (its values); a joint, link, guide or relation (its reaction);
            ``"support:POINT"`` (force of the ground on a fixed point).
        motion : str
            ``"position"``, ``"velocity"`` or ``"acceleration"`` of a point, vector or measure.
        """
        from .outputs import describe

        problems = [f'output "{name}" exists already'] if name in self.outputs else []
        part = describe(self, name, of, motion, problems)
        self._raise(problems)
        if part is not None:
            self.outputs[name] = part
        self._changed()

    def assembled(self) -> Assembly:
        """Return the mechanism put together: consistent positions and velocities, patterns, degrees of freedom."""
        if self._assembly is None:
            from .assembly import Assembly

            self._assembly = Assembly(self)
        return self._assembly

    def subsystem(self) -> NativeSubsystem:
        """Return the mechanism as a subsystem for :meth:`counterpoint.System.add`."""
        return self.assembled().subsystem()

    def run(self, until: float, step: float | None = None, **options: Any) -> Result:
        """Run the mechanism alone; ``options`` as for :meth:`counterpoint.System.run`.

        Inputs keep their default values.
        """
        import counterpoint as cp

        system = cp.System(self.name)
        chosen = step if step is not None else self.step
        if chosen is None:
            raise SetupError(f'mechanism "{self.name}": no step; say run(until, step=...) in s')
        system.add(self.name, self.subsystem(), step=chosen)
        return system.run(until=until, **options)

    # Bookkeeping

    def _changed(self) -> None:
        self._assembly = None

    def _raise(self, problems: list[str]) -> None:
        if problems:
            raise SetupError([f"{self.name}: {problem}" for problem in problems])

    def _new_name(self, name: str, kind: str) -> list[str]:
        if (
            not isinstance(name, str)
            or not name
            or "." in name
            or ":" in name
            or name != name.strip()
            or name == GROUND
        ):
            return [f'{kind} name {name!r}: a word without dots and colons is needed, and not "{GROUND}"']
        for other, table in self._tables().items():
            if name in table:
                return [f'{kind} "{name}": a {other} has this name already']
        return []

    def _tables(self) -> dict[str, Mapping[str, Any]]:
        return {
            "point": self.points, "vector": self.vectors, "body": self.bodies, "joint": self.joints, "link": self.links,
            "measure": self.measures, "relation": self.relations, "force": self.forces,
        }  # fmt: skip

    def _unknown(self, where: str, kind: str, names: Sequence[str], known: Mapping[str, Any]) -> list[str]:
        return [f'{where}: no {kind} "{name}"{did_you_mean(str(name), known)}' for name in names if name not in known]

    def _optional(self, where: str, value: ArrayLike | None, problems: list[str]) -> Vector:
        return np.zeros(self.dimension) if value is None else vector_of(where, value, self.dimension, problems)

    def _tensor(self, where: str, value: ArrayLike | None, problems: list[str]) -> Vector | None:
        if value is None:
            return None
        size = 1 if self.dimension == 2 else 3
        try:
            made = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            made = np.zeros(0)
        if made.shape == () and size == 1:
            return made.reshape(1, 1)
        if made.shape == (size,):
            return np.diag(made)
        if made.shape == (size, size):
            return made
        wanted = "one number" if size == 1 else "3 numbers or 3 x 3 numbers"
        problems.append(f"{where}: inertia {value!r}; {wanted} in kg m² are needed")
        return None

    def _direction(self, where: str, value: ArrayLike, problems: list[str]) -> Vector:
        made = vector_of(where, value, self.dimension, problems)
        if not made.any() and not problems:
            problems.append(f"{where}: has no length; a direction is needed")
        return made

    def _link(self, name: str, kind: str, points: tuple[str, ...], *, body: str | None = None, axis: ArrayLike | None = None,
              value: float | None = None) -> None:  # fmt: skip
        problems = self._new_name(name, kind)
        where = f'{kind} "{name}"'
        problems += self._unknown(where, "point", points, self.points)
        if points[0] == points[1]:
            problems.append(f'{where}: "{points[0]}" twice; two points are needed')
        if body is not None:
            problems += self._unknown(where, "body", [body], {**self.bodies, GROUND: None})
        direction = None if axis is None else vector_of(f"{where}: axis", axis, self.dimension, problems)
        if direction is not None and not problems and not direction.any():
            problems.append(f"{where}: the axis has no length")
        if value is not None and not value > 0:
            problems.append(f"{where}: length {value!r}; a number above 0 is needed")
        self._raise(problems)
        self.links[name] = Link(name, kind, points, body, direction, value)
        self._changed()

    def _measure(self, name: str, kind: str, of: tuple[str, ...], known: Mapping[str, Any], what: str,
                 axis: ArrayLike | None = None, **options: Any) -> None:  # fmt: skip
        problems = self._new_name(name, kind)
        where = f'{kind} "{name}"'
        problems += self._unknown(where, what, of, known)
        direction = None if axis is None else vector_of(f"{where}: axis", axis, self.dimension, problems)
        if kind == "distance" and of[0] == of[1]:
            problems.append(f'{where}: "{of[0]}" twice; two points are needed')
        if kind in ("angle", "rotation") and self.dimension == 3 and axis is None:
            problems.append(f"{where}: an axis is needed in space")
        if direction is not None and not problems and not direction.any():
            problems.append(f"{where}: the axis has no length")
        self._raise(problems)
        self.measures[name] = MeasurePart(name, kind, of, direction, options)
        self._changed()

    def _force(self, name: str, kind: str, **options: Any) -> None:
        from .forces import check

        problems = self._new_name(name, kind)
        problems += check(self, f'{kind} "{name}"', kind, options)
        self._raise(problems)
        self.forces[name] = ForcePart(name, kind, options)
        self._changed()

    def _note_input(self, value: Any) -> None:
        if isinstance(value, str) and value.startswith("input:"):
            self.inputs.setdefault(value.removeprefix("input:"), 0.0)
