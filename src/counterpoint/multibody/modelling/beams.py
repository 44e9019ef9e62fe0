"""Beams of rigid segments: the finite-segment method.

A beam of length L is cut into n equal elements of length h = L / n. All bending of an element is put into a hinge
with a rotational spring at its middle: a moment T bends an element of stiffness EI by ``T h / EI``, so the spring has
``k = EI / h``. Between the hinges lie rigid bodies of length h, and at both ends half ones of length h / 2. The half
segments are what makes ends right: the clamped end is the rigid half of an element whose bending sits h / 2 away, so
that tip deflections and frequencies converge with h².
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...errors import SetupError
from ..assembly.affine import Vector
from ..assembly.frames import across, unit
from .parts import GROUND

if TYPE_CHECKING:
    from .mechanism import Mechanism


@dataclass(frozen=True)
class Beam:
    """Names of what a beam consists of.

    Attributes
    ----------
    points : list of str
        Start, hinges, end.
    bodies : list of str
        Segments; the first is missing when it belongs to the ground.
    rotations : list of str
        Rotations at the hinges: one each in the plane, two of bending and one of torsion each in space.
    """

    points: list[str]
    bodies: list[str]
    rotations: list[str]


def beam(
    mechanism: Mechanism,
    name: str,
    start: str,
    end: str,
    *,
    segments: int,
    mass_per_length: float,
    EI: float | Sequence[float],
    GJ: float | None = None,
    polar_inertia: float | None = None,
    axis: ArrayLike | None = None,
    damping: float = 0.0,
    clamp_start: str | None = None,
    clamp_end: str | None = None,
) -> Beam:
    """Add an elastic beam between two points of a mechanism, made of rigid segments with springs between them.

    Parameters
    ----------
    mechanism : Mechanism
        Gets points, bodies, rotations and springs named ``NAME_...``.
    name : str
        Name of the beam.
    start, end : str
        Points; sharing them with other bodies is a hinge (in space a ball joint).
    segments : int
        Elements n; frequencies converge with 1 / n².
    mass_per_length : float
        kg/m.
    EI : float or two floats
        Bending stiffness, N m²; in space about ``axis`` and about the direction across it and the beam. One number:
        the same for both.
    GJ : float
        Torsional stiffness, N m² (space only).
    polar_inertia : float
        Moment of inertia about the beam's own axis per length, kg m: density times polar moment of area (space only).
    axis : array, optional
        First axis of bending as drawn (space only); default: chosen across the beam.
    damping : float
        Time s in ``moment = k (angle + damping * rate)``; a mode of angular frequency omega gets the ratio ``damping
        * omega / 2``.
    clamp_start, clamp_end : str, optional
        ``"ground"`` or a body that the end is clamped to.

    Examples
    --------
    >>> from counterpoint.multibody import Mechanism
    >>> board = Mechanism("board", dimension=2, gravity=(0, 0))
    >>> board.point("wall", (0, 0), fixed=True)
    >>> board.point("tip", (1, 0))
    >>> made = beam(board, "plank", "wall", "tip", segments=8, mass_per_length=1.0, EI=1.0, clamp_start="ground")
    >>> round(float(board.modes().frequencies[0] * 2 * np.pi), 2)  # Euler-Bernoulli: 3.516
    3.53
    """
    where = f'beam "{name}"'
    numbers = {"mass_per_length": mass_per_length}
    in_space = {"GJ": GJ, "polar_inertia": polar_inertia} if mechanism.dimension == 3 else {}
    problems = _wrong_places(mechanism, where, {start: clamp_start, end: clamp_end})
    mechanism._raise(problems + _wrong_numbers(where, segments, EI, {**numbers, **in_space}))
    ends = mechanism.points[start].position, mechanism.points[end].position
    line = ends[1] - ends[0]
    h = float(np.linalg.norm(line)) / segments
    axes = _axes(mechanism.dimension, line, axis)
    hinges = _add_hinges(mechanism, name, ends, [clamp_start == GROUND, clamp_end == GROUND], segments)
    points = [start, *hinges, end]
    bodies = _add_bodies(mechanism, name, points, axes, (mass_per_length, polar_inertia or 0.0))
    _clamp(mechanism, f"{name}_start", clamp_start, bodies[0], start)
    _clamp(mechanism, f"{name}_end", clamp_end, bodies[-1], end)
    both = [float(x) for x in np.broadcast_to(np.asarray(EI, dtype=float), (2,))]
    stiffnesses = both[:1] if mechanism.dimension == 2 else [*both, float(GJ or 0.0)]
    springs = _springs(axes, [k / h for k in stiffnesses])
    rotations = _add_springs(mechanism, name, bodies, springs, damping)
    return Beam(points, [body for body in bodies if body != GROUND], rotations)


def _wrong_places(mechanism: Mechanism, where: str, clamps: Mapping[str, str | None]) -> list[str]:
    """Return what is wrong with the ends, point -> body that it is clamped to."""
    problems = mechanism._unknown(where, "point", list(clamps), mechanism.points)
    bodies = [body for body in clamps.values() if body is not None]
    problems += mechanism._unknown(where, "body", bodies, mechanism._known_bodies())
    if problems:
        return problems
    places = [mechanism.points[name].position for name in clamps]
    if np.ptp(places, axis=0).max() == 0.0:
        problems.append(f"{where}: {' and '.join(clamps)} are in one place")
    for point, clamp in clamps.items():
        if clamp == GROUND and not mechanism.points[point].fixed:
            problems.append(f'{where}: "{point}" is clamped to the ground but not fixed; pass fixed=True')
    return problems


def _wrong_numbers(
    where: str, segments: int, EI: float | Sequence[float], numbers: Mapping[str, float | None]
) -> list[str]:
    problems = []
    if int(segments) != segments or segments < 1:
        problems.append(f"{where}: segments {segments!r}; expected an integer of at least 1")
    if np.size(EI) not in (1, 2) or not np.all(np.asarray(EI, dtype=float) > 0):
        problems.append(f"{where}: EI {EI!r}; expected one or two numbers above 0")
    for key, value in numbers.items():
        if value is None or not np.isfinite(value) or value <= 0:
            problems.append(f"{where}: {key} {value!r}; expected a positive number")
    return problems


def _axes(dimension: int, line: Vector, axis: ArrayLike | None) -> list[Vector]:
    """Return the axes of rotation at a hinge: two of bending and that of the beam; nothing in the plane."""
    if dimension == 2:
        return []
    if axis is None:
        return [*across(line), unit(line)]
    along = unit(line)
    first = np.asarray(axis, dtype=float)
    first = first - (first @ along) * along
    if np.linalg.norm(first) < 1e-9:
        raise SetupError(f"beam: axis {axis!r} is along the beam; expected one across it")
    return [unit(first), np.cross(along, unit(first)), along]


def _add_hinges(
    mechanism: Mechanism, name: str, ends: tuple[Vector, Vector], clamped: Sequence[bool], segments: int
) -> list[str]:
    """Add the hinges in the middles of the elements; the one beside a clamp in the ground is fixed."""
    names = []
    for k in range(segments):
        fixed = (k == 0 and clamped[0]) or (k == segments - 1 and clamped[1])
        mechanism.point(f"{name}_{k}", ends[0] + (k + 0.5) / segments * (ends[1] - ends[0]), fixed=fixed)
        names.append(f"{name}_{k}")
    return names


def _add_bodies(
    mechanism: Mechanism, name: str, points: Sequence[str], axes: Sequence[Vector], per_length: tuple[float, float]
) -> list[str]:
    """Add a segment between every two points; ``per_length`` is mass and polar inertia."""
    made = []
    for k, (first, second) in enumerate(pairwise(points)):
        ends = mechanism.points[first], mechanism.points[second]
        if ends[0].fixed and ends[1].fixed:
            made.append(GROUND)
            continue
        length = float(np.linalg.norm(ends[1].position - ends[0].position))
        mass, polar = (amount * length for amount in per_length)
        inertia = _inertia(mass * length**2 / 12.0, polar, axes) if axes else None
        mechanism.body(f"{name}_segment_{k}", points=[first, second], mass=mass, inertia=inertia, shape={"group": name})
        made.append(f"{name}_segment_{k}")
    return made


def _inertia(slender: float, polar: float, axes: Sequence[Vector]) -> Vector:
    """Return the tensor of a slender rod with a cross-section of the same inertia about both axes of bending, kg m²."""
    about = [slender + 0.5 * polar, slender + 0.5 * polar, polar]
    return np.asarray(sum(moment * np.outer(axis, axis) for moment, axis in zip(about, axes, strict=True)))


def _clamp(mechanism: Mechanism, name: str, body: str | None, segment: str, point: str) -> None:
    """Clamp an end to a body; what is clamped to the ground is fixed already."""
    if body is None or body == GROUND:
        return
    if point not in mechanism.bodies[body].points:
        mechanism.joint(name, "weld", body, segment, at=point)
        return
    # They share the point already: only turning is left to be stopped.
    axes = np.eye(mechanism.dimension)
    for k, first in enumerate(axes[:1] if mechanism.dimension == 2 else axes):
        mechanism.joint(f"{name}_{k}", "angle", body, segment, axis=first, second_axis=np.roll(first, 1))


def _springs(axes: Sequence[Vector], stiffnesses: Sequence[float]) -> list[tuple[str, Vector, float]]:
    """Return label, axis and stiffness (N m/rad) of the springs of one hinge; in the plane no axis is looked at."""
    if not axes:
        return [("", np.array([1.0, 0.0]), stiffnesses[0])]
    return list(zip(("_bend_1", "_bend_2", "_twist"), axes, stiffnesses, strict=True))


def _add_springs(
    mechanism: Mechanism, name: str, bodies: Sequence[str], springs: list[tuple[str, Vector, float]], damping: float
) -> list[str]:
    made = []
    for k, (first, second) in enumerate(pairwise(bodies)):
        for label, axis, stiffness in springs:
            rotation = f"{name}_rotation_{k}{label}"
            mechanism.rotation(rotation, first, second, axis=axis)
            mechanism.spring(f"{name}_spring_{k}{label}", rotation, stiffness=stiffness, damping=damping * stiffness)
            made.append(rotation)
    return made
