"""Mechanisms as pictures: every body, spring and support as a shape, at one moment or over a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import SetupError, did_you_mean
from ..animation import Animation, Shape
from ..assembly.affine import Affine, Vector
from ..assembly.bodies import Body
from ..assembly.frames import across, unit
from ..modelling.parts import BodyPart, Link

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...results import Result
    from ..assembly.assembly import Assembly
    from ..modelling.mechanism import Mechanism

GROUND_COLOUR = "#3d444d"
JOINT_COLOUR = "#57606a"
SPRING_COLOUR = "#7f7f7f"
SLIDER_COLOUR = "#d0d7de"
_MOST_JOINTS = 200
"""Joints are marked up to this many; beyond, rings would hide the bodies."""
_MOST_CORNERS = 4
"""A body in space with more points than these is a star around its centre, not a net of all connections."""


def animate(
    mechanism: Mechanism,
    result: Result,
    subsystem: str | None = None,
    *,
    traces: Sequence[str] = (),
    title: str | None = None,
    speed: float = 1.0,
) -> Animation:
    """Return the motion of a mechanism in a result.

    Parameters
    ----------
    mechanism : Mechanism
        What ran.
    result : Result
        Of :meth:`Mechanism.run`, of a system the mechanism was part of, or of :meth:`Mechanism.kinematics`.
    subsystem : str, optional
        Name that the mechanism had in the run; default: its own.
    traces : names of points
        Points that leave a trace.
    title : str, optional
        Default: the name of the mechanism.
    speed : float
        Seconds of motion in a second of watching, at first.

    Examples
    --------
    >>> from counterpoint.multibody import Mechanism
    >>> pendulum = Mechanism("pendulum", dimension=2)
    >>> pendulum.point("A", (0, 0), fixed=True)
    >>> pendulum.point("B", (1, 0))
    >>> pendulum.body("rod", points=["A", "B"], mass=1.0)
    >>> animate(pendulum, pendulum.run(until=1.0, step=1e-2), traces=["B"])
    <Animation "pendulum": 101 frames from 0 to 1 s, 3 shapes>
    """
    name = subsystem if subsystem is not None else mechanism.name
    if f"{name}.q" not in result and f"{name}.q[0]" not in result:
        raise SetupError(
            f'mechanism "{mechanism.name}": the result has no signal "{name}.q"; pass animation(result, subsystem=...) '
            f"with its name in the run: {', '.join(result.subsystems)}"
        )
    signal = result.signal(f"{name}.q")
    positions = np.asarray(signal.values).reshape(len(signal.time), -1)
    return moving(mechanism, signal.time, positions, traces=traces, title=title, speed=speed)


def moving(
    mechanism: Mechanism,
    times: ArrayLike,
    positions: ArrayLike,
    *,
    traces: Sequence[str] = (),
    title: str | None = None,
    speed: float = 1.0,
) -> Animation:
    """Return the motion of a mechanism through given positions.

    Parameters
    ----------
    times : array of shape (frames,)
        s.
    positions : array of shape (frames, coordinates)
        Of all free coordinates, or of all, m.
    traces, title, speed
        As for :func:`animate`.
    """
    unknown = [
        f'traces: no point "{n}"{did_you_mean(n, mechanism.points)}' for n in traces if n not in mechanism.points
    ]
    if unknown:
        raise SetupError([f"{mechanism.name}: {problem}" for problem in unknown])
    shapes = shapes_of(mechanism.assembled(), np.asarray(positions, dtype=float), traces)
    return Animation(
        np.asarray(times, dtype=float), shapes, title=mechanism.name if title is None else title, up=_up(mechanism),
        planar=mechanism.dimension == 2, traces=tuple(traces), speed=speed,
    )  # fmt: skip


def draw(
    mechanism: Mechanism,
    path: str | os.PathLike[str] | None = None,
    *,
    position: ArrayLike | None = None,
    view: str | None = None,
    labels: bool = True,
    title: str | None = None,
) -> Figure:
    """Draw a mechanism as assembled.

    Parameters
    ----------
    path : path, optional
        Where to save the picture; the ending chooses the format (``.png``, ``.svg``, ``.pdf``).
    position : array of shape (coordinates,), optional
        Another position than the assembled one, m.
    view : {"front", "side", "top", "iso"}, optional
        Default: from the front in the plane, otherwise from above at an angle.
    labels : bool
        Whether points are named.
    title : str, optional
        Default: the name of the mechanism.

    Returns
    -------
    matplotlib Figure
    """
    from ..animation.still import picture

    assembly = mechanism.assembled()
    q = np.asarray(assembly.q if position is None else position, dtype=float).reshape(1, -1)
    paths = Paths(assembly, q)
    names = {name: paths.of(assembly.place(name))[0] for name in mechanism.points} if labels else {}
    return picture(
        shapes_of(assembly, q), names, up=_up(mechanism), planar=mechanism.dimension == 2, view=view,
        title=mechanism.name if title is None else title, path=path,
    )  # fmt: skip


def shapes_of(assembly: Assembly, positions: Vector, traces: Sequence[str] = ()) -> tuple[Shape, ...]:
    """Return everything to draw; ``positions`` has a row for each frame, of the free or of all coordinates."""
    paths = Paths(assembly, positions)
    mechanism = assembly.mechanism
    shapes: list[Shape] = []
    for name, part in mechanism.bodies.items():
        shapes += _body(paths, part, assembly.bodies[name])
    shapes += _links(paths)
    shapes += _springs(paths)
    shapes += _markers(paths, traces)
    return tuple(shapes)


class Paths:
    """Where points and vectors of a mechanism are in every frame, always with three components."""

    def __init__(self, assembly: Assembly, positions: Vector) -> None:
        self.assembly = assembly
        resting = assembly.q[positions.shape[1] :]
        self.q = np.hstack([positions, np.tile(resting, (len(positions), 1))])

    def of(self, affine: Affine) -> Vector:
        """Return the path of a point or vector, shape (frames, 3); one frame when it is fixed."""
        dimension = affine.dimension
        frames = 1 if self._rests(affine) else len(self.q)
        total = np.zeros((frames, 3))
        total[:, :dimension] = affine.constant
        for name, weight in affine.weights.items():
            first = self.assembly.offsets[name]
            values, z = self.q[:frames, first : first + dimension], complex(weight)
            total[:, :dimension] += z.real * values
            if z.imag:
                total[:, :2] += z.imag * np.stack([-values[:, 1], values[:, 0]], axis=1)
        return total

    def line(self, affines: Sequence[Affine]) -> Vector:
        """Return the paths of several points, shape (frames, points, 3)."""
        return np.stack(np.broadcast_arrays(*[self.of(a) for a in affines]), axis=1)

    def point(self, name: str) -> Vector:
        """Return the path of a named point."""
        return self.of(self.assembly.place(name))

    def rotation(self, body: Body) -> Vector:
        """Return how a body is turned against its drawing or its local frame, shape (frames, 3, 3)."""
        if body.dimension == 2:
            return self._planar_rotation(body)
        if body.is_rod:
            return _carried(self.of(body.directions[0]), body.directions_drawn[0])
        axes = [self.of(body.own_vector(e)) for e in np.eye(3)]
        return _nearest_rotation(np.stack(np.broadcast_arrays(*axes), axis=2))

    def _planar_rotation(self, body: Body) -> Vector:
        x = self.of(body.own_vector(np.array([1.0, 0.0])))
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
        made = np.tile(np.eye(3), (len(x), 1, 1))
        made[:, :2, 0] = x[:, :2]
        made[:, :2, 1] = np.stack([-x[:, 1], x[:, 0]], axis=1)
        return made

    def _rests(self, affine: Affine) -> bool:
        return all(self.assembly.offsets[name] >= self.assembly.free for name in affine.weights)


# Bodies


def _body(paths: Paths, part: BodyPart, body: Body) -> Iterator[Shape]:
    """Yield a solid if the body has one, and lines, which show where its joints are."""
    kind = part.shape.get("kind", "lines")
    if kind != "lines":
        yield _solid(paths, part, body, kind)
    yield from _body_lines(paths, part, body)


def _solid(paths: Paths, part: BodyPart, body: Body, kind: str) -> Shape:
    """Return a box, cylinder or sphere at the centre of mass (or the ``centre`` of its shape)."""
    turns = paths.rotation(body)
    axis = _cylinder_axis(paths, part, body) if kind == "cylinder" else None
    if axis is not None:
        turns = turns @ np.stack([*across(axis), unit(axis)], axis=1)
    if "turn" in part.shape:
        turns = turns @ np.asarray(part.shape["turn"], dtype=float)
    centre = np.asarray(part.shape.get("centre", body.inertia.centre), dtype=float)
    size = part.shape.get("size", ())
    return Shape(
        part.name, kind, paths.of(body.own_point(centre))[:, None], turns, tuple(np.atleast_1d(size)),
        colour=part.shape.get("colour"), group=_group(part),
    )  # fmt: skip


def _group(part: BodyPart) -> str:
    """Return what a body is coloured and hidden with: itself, or the ``group`` of its shape."""
    return str(part.shape.get("group", part.name))


def _cylinder_axis(paths: Paths, part: BodyPart, body: Body) -> Vector | None:
    """Return the direction of a cylinder: as its shape says, else from the first to the second of just two points."""
    if "axis" in part.shape:
        return np.resize(np.append(np.asarray(part.shape["axis"], dtype=float), 0.0), 3)
    if len(part.points) != 2 or body.dimension == 2:
        return None
    ends = part.local or {name: paths.assembly.placing.drawn(name) for name in part.points}
    return np.asarray(ends[part.points[1]] - ends[part.points[0]])


def _body_lines(paths: Paths, part: BodyPart, body: Body) -> Iterator[Shape]:
    """Yield lines between the points of a body: a triangle or polygon, a net of few points, a star of many."""
    points = _walk(paths, part, body)
    if len(points) > 1:
        yield Shape(part.name, "line", paths.line(points), colour=part.shape.get("colour"), group=_group(part))


def _walk(paths: Paths, part: BodyPart, body: Body) -> list[Affine]:
    """Return the corners of the line that is drawn for a body."""
    points = [paths.assembly.place(name) for name in part.points]
    centre = body.own_point(body.inertia.centre)
    if len(points) == 1:
        points.append(centre)
    if len(points) == 2:
        return points
    if body.dimension == 2:
        ordered = [points[k] for k in _around(paths, points)]
        return [*ordered, ordered[0]]
    if len(points) <= _MOST_CORNERS:
        return _through_all(points)
    return [a for point in points for a in (centre, point)] + [centre]


def _around(paths: Paths, points: Sequence[Affine]) -> list[int]:
    """Return the order of points around their middle, so that the outline does not cross itself."""
    places = np.array([paths.of(point)[0, :2] for point in points])
    offsets = places - places.mean(axis=0)
    return [int(k) for k in np.argsort(np.arctan2(offsets[:, 1], offsets[:, 0]))]


def _through_all(points: Sequence[Affine]) -> list[Affine]:
    """Return a walk along every connection of three or four points."""
    walk = (0, 1, 2, 0) if len(points) == 3 else (0, 1, 2, 3, 0, 2, 1, 3)
    return [points[k] for k in walk]


# Springs, bars, markers


def _springs(paths: Paths) -> Iterator[Shape]:
    for name, force in paths.assembly.mechanism.forces.items():
        ends = _ends_of_force(paths.assembly.mechanism, force.options)
        if ends is None or force.kind not in ("spring", "actuator"):
            continue
        line = paths.line([paths.assembly.place(end) for end in ends])
        if np.linalg.norm(line[:, 1] - line[:, 0], axis=1).min() > 0.0:
            kind = "spring" if force.kind == "spring" else "line"
            yield Shape(name, kind, line, colour=SPRING_COLOUR, group=name)


def _ends_of_force(mechanism: Mechanism, options: dict[str, Any]) -> tuple[str, str] | None:
    """Return the points that a force acts between, if it does."""
    if options.get("between") is not None:
        first, second = options["between"]
        return first, second
    measure = mechanism.measures.get(options.get("measure") or "")
    if measure is None or measure.kind not in ("distance", "displacement") or len(measure.of) != 2:
        return None
    return measure.of[0], measure.of[1]


def _links(paths: Paths) -> Iterator[Shape]:
    """Yield bars that keep a distance, and sliders on their lines."""
    for name, link in paths.assembly.mechanism.links.items():
        if link.kind == "distance":
            line = paths.line([paths.assembly.place(p) for p in link.points])
            yield Shape(name, "line", line, colour=JOINT_COLOUR, group=name)
        elif link.kind == "line":
            yield _slider(paths, link)


def _slider(paths: Paths, link: Link) -> Shape:
    assert link.axis is not None
    size = paths.assembly.length * np.array([0.08, 0.05, 0.05])
    x, y, z = (*link.axis, 0.0)[:3]
    axis, place = np.array([x, y, z]), paths.point(link.points[0])
    turn = np.stack([unit(axis), *across(axis)], axis=1)
    if paths.assembly.dimension == 2:
        turn = np.stack([unit(axis), unit(np.array([-y, x, 0.0])), np.array([0.0, 0.0, 1.0])], axis=1)
        place = place - [0.0, 0.0, size[2]]  # behind the rods
    turns = turn[None]
    if link.body is not None and link.body in paths.assembly.bodies:
        body = paths.assembly.bodies[link.body]
        turns = paths.rotation(body) @ _padded(body.turn.T) @ turn
    return Shape(link.name, "box", place[:, None], turns, tuple(size), colour=SLIDER_COLOUR, group=link.name)


def _padded(turn: Vector) -> Vector:
    """Return a rotation as one in space."""
    made = np.eye(3)
    made[: len(turn), : len(turn)] = turn
    return made


def _markers(paths: Paths, traces: Sequence[str]) -> Iterator[Shape]:
    """Yield supports, joints, point masses and traced points."""
    mechanism = paths.assembly.mechanism
    fixed = [name for name, point in mechanism.points.items() if point.fixed]
    shared = _shared(mechanism) if len(mechanism.points) <= _MOST_JOINTS else []
    heavy = [mass.point for mass in mechanism.point_masses]
    for name in dict.fromkeys([*fixed, *shared, *heavy, *traces]):
        colour = GROUND_COLOUR if name in fixed else None if name in traces else JOINT_COLOUR
        group = "ground" if name in fixed else f"point {name}" if name in traces else "joints"
        yield Shape(name, "point", paths.point(name)[:, None], colour=colour, group=group)


def _shared(mechanism: Mechanism) -> list[str]:
    """Return the points that more than one body has: joints. Bodies drawn as one group have none among themselves."""
    users: dict[str, list[str]] = {}
    for body in mechanism.bodies.values():
        for name in body.points:
            users.setdefault(name, []).append(_group(body))
    return [name for name, groups in users.items() if len(set(groups)) > 1]


# Rotations


def _nearest_rotation(matrices: Vector) -> Vector:
    """Return the rotations nearest to matrices that are rotations up to what a solver leaves of the constraints."""
    u, _, vt = np.linalg.svd(matrices)
    return np.asarray(u @ vt)


def _carried(directions: Vector, drawn: Vector) -> Vector:
    """Return rotations of a rod: from frame to frame the shortest, for it has no turn about itself."""
    axis, turn = unit(drawn), np.eye(3)
    made = []
    for direction in directions:
        after = unit(direction)
        turn = _shortest(axis, after) @ turn
        axis = after
        made.append(turn)
    return _nearest_rotation(np.array(made))


def _shortest(first: Vector, second: Vector) -> Vector:
    """Return the rotation about the normal of two unit vectors that brings the first to the second."""
    cosine = float(first @ second)
    if cosine < -1.0 + 1e-9:  # half a turn: about anything across
        normal = across(first)[0]
        return 2.0 * np.outer(normal, normal) - np.eye(3)
    x, y, z = np.cross(first, second)
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + skew + skew @ skew / (1.0 + cosine))


def _up(mechanism: Mechanism) -> tuple[float, float, float]:
    """Return what is up in the picture: y in the plane; in space against gravity, z without."""
    if mechanism.dimension == 2:
        return (0.0, 1.0, 0.0)
    size = float(np.linalg.norm(mechanism.gravity))
    x, y, z = -mechanism.gravity / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
    return float(x), float(y), float(z)
