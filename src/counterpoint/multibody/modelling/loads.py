"""What acts on a mechanism: springs, actuators, friction, contact, tyres, flow, and forces of the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._common.numbers import is_number
from .bookkeeping import Bookkeeping
from .parts import ForcePart, TimeValue, array_of, not_finite, vector_of


class Loads(Bookkeeping):
    """Force elements; :class:`Mechanism` has these methods."""

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
        self._force(name, "spring", measure=measure, between=between, stiffness=stiffness, damping=damping,
                    natural=natural, curve=curve, damper_curve=damper_curve)  # fmt: skip

    def actuator(
        self, name: str, measure: str | None = None, *, between: tuple[str, str] | None = None, force: TimeValue
    ) -> None:
        """Add a force (N) along a distance or displacement, or a torque (N m) about an angle, with its reaction.

        Positive makes the measure larger. ``force`` is a number, polynomial, sine, ``"input:NAME"``,
        ``"-input:NAME"`` or a Python function of t.
        """
        self._force(name, "actuator", measure=measure, between=between, force=force)
        self._note_input(force)

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
        self._force(name, "friction", measure=measure, between=None, sliding=sliding, breakaway=breakaway, rate=rate,
                    stribeck=stribeck)  # fmt: skip

    def force(self, name: str, point: str, components: Sequence[TimeValue], *, body: str | None = None) -> None:
        """Add a force (N) on a point: components in space, or along the axes of ``body`` as drawn."""
        self._force(name, "force", point=point, components=list(components), body=body)
        for value in components:
            self._note_input(value)

    def torque(
        self, name: str, body: str, components: TimeValue | Sequence[TimeValue], *, turning: bool = False
    ) -> None:
        """Add a torque (N m) on a body: one number in the plane, three components in space.

        They are along the axes of space or, ``turning``, along those of the body.
        """
        if self.dimension == 3 and (isinstance(components, (str, Mapping)) or not isinstance(components, Sequence)):
            self._raise([f'torque "{name}": {components!r}; expected three components in space'])
        values = [components] if self.dimension == 2 else list(components)  # type: ignore[arg-type]
        self._force(name, "torque", body=body, components=values, turning=turning)
        for value in values:
            self._note_input(value)

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
        """Add a spring about three axes between two bodies (space only), relaxed as drawn; good for finite rotations.

        Parameters
        ----------
        first, second : str
            Bodies; ``"ground"`` is one.
        stiffness, damping : number or 3 numbers
            About each axis, N m/rad and N m s/rad.
        axes : array of shape (3, 3), optional
            Rows: the axes as drawn, perpendicular to each other; default: those of space.
        """
        where = f'rotational spring "{name}"'
        problems = [f"{where}: for space only; in the plane take spring(...) on an angle"] * (self.dimension == 2)
        problems += self._unknown(where, "body", [first, second], self._known_bodies())
        frame = np.eye(3) if axes is None else array_of(axes)
        if frame.shape != (3, 3) or not np.allclose(frame @ frame.T, np.eye(3), atol=1e-9):
            problems.append(f"{where}: axes: expected three unit vectors at right angles")
        for key, value in (("stiffness", stiffness), ("damping", damping)):
            numbers = array_of(value)
            if numbers.shape not in ((), (3,)) or not np.all((numbers >= 0) & np.isfinite(numbers)):
                problems.append(f"{where}: {key} {value!r}; expected one or three numbers from 0")
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
            ``stiffness`` (N/m^n), ``exponent`` n, ``damping`` (s/m, Hunt and Crossley), ``friction`` (coefficient),
            ``friction_speed`` (m/s), ``radius`` (m).
        """
        from ..assembly.elements import CONTACT_KEYS, law_problems

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
        angle: str | None = None,
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
            The wheel that turns; with an ``angle``, what carries it.
        centre : str
            Point at its centre.
        axis : array of shape (3,)
            Spin axis as drawn, to the left of forward rolling.
        angle : str, optional
            The :meth:`Mechanism.coordinate` that is the wheel's angle in space, rad. Without it the wheel is a body,
            which is less accurate once it turns by more than some 0.2 rad a step.
        road, normal : arrays of shape (3,)
            A point of the road, m, and its normal.
        longitudinal, lateral : mappings
            ``B``, ``C``, ``E`` and ``mu`` of the magic formula over longitudinal slip and over slip angle (rad).
        **law : float
            ``radius`` (m), ``stiffness`` (N/m), ``damping`` (N s/m), ``longitudinal_relaxation``,
            ``lateral_relaxation`` (m), ``nominal_load`` (N), ``load_sensitivity``, ``camber_slip``,
            ``rolling_resistance``, ``trail`` (m) and what else the reference page lists. With an ``angle``,
            ``gyroscopic_inertia`` (kg m², about the axis) adds the moment that the spin exerts on a carrier that turns
            the axis; a wheel that is a body has it already.
        """
        from ..assembly.elements import MAGIC_KEYS, TYRE_KEYS, law_problems

        where = f'tyre "{name}"'
        problems = [f"{where}: for space only"] if self.dimension == 2 else []
        problems += law_problems(where, law, TYRE_KEYS)
        if law.get("gyroscopic_inertia") and angle is None:
            problems.append(
                f"{where}: gyroscopic_inertia is for wheels with an angle; a body that turns has it already"
            )
        for key, formula in (("longitudinal", longitudinal), ("lateral", lateral)):
            problems += law_problems(f"{where}: {key}", formula or {}, MAGIC_KEYS)
        problems += self._unknown(where, "point", [centre], self.points)
        problems += self._unknown(where, "coordinate", [angle] if angle is not None else [], self.coordinates)
        directions = [
            self._direction(f"{where}: {key}", v, problems) for key, v in (("axis", axis), ("normal", normal))
        ]
        place = vector_of(f"{where}: road", road, self.dimension, problems)
        self._raise(problems)
        self._force(name, "tyre", body=body, centre=centre, axis=directions[0], angle=angle, road=place,
                    normal=directions[1], longitudinal=dict(longitudinal or {}), lateral=dict(lateral or {}),
                    law=law)  # fmt: skip

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
        from .time_values import problems as wrong

        where = f'aerodynamic strip "{name}"'
        problems: list[str] = self._unknown(where, "point", [point], self.points)
        table = array_of(polar)
        is_table = table.ndim == 2 and table.shape[1] in (3, 4) and len(table) > 1 and np.all(np.isfinite(table))
        if not is_table or not np.all(np.diff(table[:, 0]) > 0):
            problems.append(f"{where}: polar: expected rows of angle (increasing), lift, drag and, optionally, moment")
        directions = [
            self._direction(f"{where}: {key}", v, problems) for key, v in (("chord", chord), ("normal", normal))
        ]
        breeze = [0.0] * self.dimension if wind is None else list(wind)
        sizes = {"span": span, "chord_length": chord_length, "density": density, "reference_height": reference_height}
        for key, size in sizes.items():
            if not is_number(size) or size <= 0:
                problems.append(f"{where}: {key} {size!r}; expected a positive number")
        problems += not_finite(where, {"shear_exponent": shear_exponent})
        if len(breeze) != self.dimension:
            problems.append(f"{where}: wind: expected {self.dimension} components")
        for k, value in enumerate(breeze):
            problems += wrong(f"{where}: wind {k}", value)
        self._raise(problems)
        self._force(name, "aerodynamic strip", body=body, point=point, chord=directions[0], normal=directions[1],
                    span=float(span), chord_length=float(chord_length), polar=table, wind=breeze,
                    density=float(density), reference_height=float(reference_height),
                    shear_exponent=float(shear_exponent))  # fmt: skip
        for value in breeze:
            self._note_input(value)

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
            ``function(t, positions, velocities, u) -> forces``: arrays of shape (points, dimension) in m, m/s and N,
            and the inputs. Compiled (numba ``cfunc``, ctypes):
            ``void f(double t, const double* x, const double* v, const double* u, double* forces)``.
        points : names
            Where the forces act.
        position_difference, velocity_difference : float
            Steps (m, m/s) with which the function is differentiated for Newton's method; 0: not at all. Stiff forces
            need it.
        """
        problems = self._unknown(f'user force "{name}"', "point", list(points), self.points)
        if not callable(function) and not hasattr(function, "address"):
            problems.append(f'user force "{name}": {function!r} is not a function')
        if not points:
            problems.append(f'user force "{name}": no points; expected at least one')
        for key, size in (("position_difference", position_difference), ("velocity_difference", velocity_difference)):
            if not is_number(size) or size < 0:
                problems.append(f'user force "{name}": {key} {size!r}; expected a number of at least 0')
        self._raise(problems)
        self._force(name, "user force", function=function, points=list(points), position_difference=position_difference,
                    velocity_difference=velocity_difference)  # fmt: skip

    def _force(self, name: str, kind: str, **options: Any) -> None:
        from ..assembly.forces import check

        problems = self._new_name(name, kind)
        problems += check(self, f'{kind} "{name}"', kind, options)
        self._raise(problems)
        self.forces[name] = ForcePart(name, kind, options)
        self._changed()
