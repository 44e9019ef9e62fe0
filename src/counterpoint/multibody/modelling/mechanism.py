"""The user's side of a mechanism: describe it, run it, couple it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..._common.numbers import is_number
from ...errors import SetupError, did_you_mean
from ..assembly.affine import Vector
from ..assembly.frames import unit
from .connections import Connections
from .formulations import Formulation
from .inspection import Inspectable
from .loads import Loads
from .modal_bodies import ModalBodies
from .outputs import STANDARD
from .parts import BodyPart, Coordinate, Direction, MeasurePart, Point, PointMass, not_finite, vector_of

if TYPE_CHECKING:
    from ...results import Result
    from ...subsystems import NativeSubsystem
    from ..assembly.assembly import Assembly

COORDINATE_KINDS = ("angle", "displacement")


class Mechanism(Connections, Loads, ModalBodies, Inspectable):
    """A mechanism of rigid bodies in natural coordinates.

    Everything is in SI units. Positions are given as drawn: in the frame of space, in one consistent (or nearly
    consistent) position; the assembly is solved for before anything runs.

    Here are the methods that add points, bodies and outputs and run the mechanism. Joints, measures and guides are in
    :class:`~counterpoint.multibody.modelling.connections.Connections`, forces in
    :class:`~counterpoint.multibody.modelling.loads.Loads`, deformable bodies in
    :class:`~counterpoint.multibody.modelling.modal_bodies.ModalBodies`, analyses and pictures in
    :class:`~counterpoint.multibody.modelling.inspection.Inspectable`.

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
        Standard outputs: all coordinates ``q`` (the animation needs them), energies, constraint
        ``violation``. Large mechanisms that run long may want fewer.

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
            raise SetupError(f"dimension: {dimension!r}; expected 2 (plane) or 3 (space)")
        dimension = int(dimension)
        super().__init__(name, dimension)
        problems: list[str] = []
        default = np.array([0.0, -9.81] if dimension == 2 else [0.0, 0.0, -9.81])
        self.gravity = default if gravity is None else vector_of("gravity", gravity, dimension, problems)
        if problems:
            raise SetupError(problems)
        self.formulation = Formulation()
        self.step: float | None = None
        self.standard_outputs: tuple[str, ...] = tuple(STANDARD)
        self.notes: list[str] = []

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
            problems.append(
                f'point "{name}": every mechanism already has an output of this name; reserved: {", ".join(STANDARD)}'
            )
        where = f'point "{name}"'
        place = vector_of(f"{where}: position", position, self.dimension, problems)
        speed = np.zeros(self.dimension)
        if velocity is not None:
            speed = vector_of(f"{where}: velocity", velocity, self.dimension, problems)
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
        if not problems and not made.any():
            problems.append(f'vector "{name}": has no length; expected a direction')
        self._raise(problems)
        self.vectors[name] = Direction(name, unit(made), np.zeros(self.dimension), fixed)
        self._changed()

    def coordinate(
        self, name: str, *, inertia: float, kind: str = "angle", value: float = 0.0, rate: float = 0.0
    ) -> None:
        """Add a number that moves: the angle of a shaft or wheel, or how far a rack has gone.

        It is a measure, too: it can be guided, loaded, related and shown by its name.

        Parameters
        ----------
        inertia : float
            Moment of inertia about the shaft's axis, kg m², or mass, kg. Of a shaft whose carrier turns this is all
            that is accounted for: no gyroscopic moment, unless a :meth:`tyre` on it adds it.
        kind : {"angle", "displacement"}
            rad or m.
        value, rate : float
            At the start, rad and rad/s, or m and m/s.

        Examples
        --------
        >>> flywheel = Mechanism("flywheel", gravity=(0, 0, 0))
        >>> flywheel.coordinate("turn", inertia=2.0)
        >>> flywheel.actuator("motor", "turn", force=1.0)
        >>> flywheel.output("turn", "turn")
        >>> print(flywheel.run(until=2.0, step=0.1)["flywheel.turn"].at(2.0).round(9))
        1.0
        """
        problems = self._new_name(name, "coordinate")
        where = f'coordinate "{name}"'
        if kind not in COORDINATE_KINDS:
            problems.append(f'{where}: kind "{kind}"{did_you_mean(kind, COORDINATE_KINDS)}')
        if not is_number(inertia) or inertia <= 0:
            problems.append(f"{where}: inertia {inertia!r}; expected a positive number")
        problems += not_finite(where, {"value": value, "rate": rate})
        self._raise(problems)
        made = Coordinate(name, float(inertia), float(value), float(rate), kind == "angle")
        self.coordinates[name] = made
        self.measures[name] = MeasurePart(name, "coordinate", (name,), options={"angular": made.angular})
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
            What is fixed to the body; at least one point. Two points alone make a rod; in space other bodies get as
            many vectors as they lack by themselves.
        mass : float
            kg.
        centre : array of shape (dimension,), optional
            Centre of mass in the frame of the drawing (or of ``local``), m; default: the mean of the points.
        inertia : number, 3 numbers or array of shape (3, 3), optional
            About the centre of mass, kg m², axes of the drawing (or of ``local``). Default for two points: a uniform
            rod, mass * length² / 12. Other bodies must say.
        local : mapping, optional
            Places of the points and vectors in a frame of the body, m: then the drawing is only an estimate.
        shape : mapping, optional
            How to draw it: ``{"kind": "box", "size": (x, y, z)}``, ``"cylinder"`` (radius, length), ``"sphere"``
            (radius,) or ``"lines"``; default: lines between its points. Also ``"colour"``, ``"centre"`` (m), ``"axis"``
            of a cylinder, ``"turn"`` of a box (rows of a rotation), and ``"group"``: bodies of a group are drawn as
            one thing.
        """
        problems = self._new_name(name, "body")
        where = f'body "{name}"'
        if not points:
            problems.append(f"{where}: no points; expected at least one")
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
        tensor = _tensor(where, inertia, self.dimension, problems)
        try:
            kilograms = float(mass)
        except (TypeError, ValueError):
            problems.append(f"{where}: mass {mass!r}; expected a number in kg")
            kilograms = 0.0
        self._raise(problems)
        self.bodies[name] = BodyPart(
            name, list(points), list(vectors), kilograms, middle, tensor, geometry, dict(shape or {})
        )
        self._changed()

    def point_mass(self, point: str, mass: float) -> None:
        """Put a mass (kg) on a point."""
        problems = self._unknown("point_mass", "point", [point], self.points)
        if not is_number(mass) or mass < 0:
            problems.append(f'point_mass at "{point}": {mass!r} kg; expected a number of at least 0')
        self._raise(problems)
        self.point_masses.append(PointMass(point, float(mass)))
        self._changed()

    # What it shows, and running

    def input(self, name: str, default: float = 0.0) -> None:
        """Declare an input and the value it has when nothing drives it.

        Inputs named in forces and guides declare themselves, with the value 0.
        """
        self._raise(not_finite(f'input "{name}"', {"default": default}))
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

        problems = [f'output "{name}" already exists'] if name in self.outputs else []
        part = describe(self, name, of, motion, problems)
        self._raise(problems)
        if part is not None:
            self.outputs[name] = part
        self._changed()

    def assembled(self) -> Assembly:
        """Return the mechanism put together: consistent positions and velocities, patterns, degrees of freedom."""
        if self._assembly is None:
            from ..assembly.assembly import Assembly

            self._assembly = Assembly(self)
        return self._assembly

    def subsystem(self) -> NativeSubsystem:
        """Return the mechanism as a subsystem for :meth:`counterpoint.System.add`."""
        from ..analysis.linear_subsystem import linear_subsystem

        made = self.assembled().subsystem()
        made.linear_model = lambda t, u, at: linear_subsystem(self, made.output_widths, t, u, at)
        return made

    def run(self, until: float, step: float | None = None, **options: Any) -> Result:
        """Run the mechanism alone; ``options`` as for :meth:`counterpoint.System.run`.

        Inputs keep their default values.
        """
        from ...system import System

        system = System(self.name)
        chosen = step if step is not None else self.step
        if chosen is None:
            raise SetupError(f'mechanism "{self.name}": no step; pass run(until, step=...) in s')
        system.add(self.name, self.subsystem(), step=chosen)
        return system.run(until=until, **options)


def _tensor(where: str, value: ArrayLike | None, dimension: int, problems: list[str]) -> Vector | None:
    if value is None:
        return None
    size = 1 if dimension == 2 else 3
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
    problems.append(f"{where}: inertia {value!r}; expected {wanted} in kg m²")
    return None
