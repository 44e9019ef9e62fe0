"""Beams of rigid segments: the finite-segment method.

A beam of length L is cut into n equal elements of length h = L / n. All bending of an element is put into a hinge with a rotational
spring at its middle: a moment T bends an element of stiffness EI by ``T h / EI``, so the spring has ``k = EI / h``. Between the
hinges lie rigid bodies of length h, and at both ends half ones of length h / 2. The half segments are what makes ends right: the clamped end is the
rigid half of an element whose bending sits h / 2 away, so that tip deflections and frequencies converge with h².
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import SetupError
from .affine import Vector
from .frames import across, unit

if TYPE_CHECKING:
    from .mechanism import Mechanism

GROUND = "ground"


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
        Bending stiffness, N m²; in space about ``axis`` and about the direction across it and the beam. One number: the same for both.
    GJ : float
        Torsional stiffness, N m² (space only).
    polar_inertia : float
        Moment of inertia about the beam's own axis per length, kg m: density times polar moment of area (space only).
    axis : array, optional
        First axis of bending as drawn (space only); default: chosen across the beam.
    damping : float
        Time s in ``moment = k (angle + damping * rate)``; a mode of angular frequency omega gets the ratio ``damping * omega / 2``.
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
    3.52
    """
    _check(mechanism, name, start, end, segments, mass_per_length, EI, GJ, polar_inertia, clamp_start, clamp_end)
    ends = mechanism.points[start].position, mechanism.points[end].position
    line = ends[1] - ends[0]
    h = float(np.linalg.norm(line)) / segments
    axes = _axes(mechanism.dimension, line, axis)
    points = _add_points(mechanism, name, start, end, segments, clamped=(clamp_start == GROUND, clamp_end == GROUND))
    bodies = _add_bodies(mechanism, name, points, mass_per_length, polar_inertia, axes)
    _clamp(mechanism, name, "start", clamp_start, bodies[0], start)
    _clamp(mechanism, name, "end", clamp_end, bodies[-1], end)
    both = [float(x) for x in np.broadcast_to(np.asarray(EI, dtype=float), (2,))]
    stiffnesses = both[:1] if mechanism.dimension == 2 else [*both, float(GJ or 0.0)]
    rotations = _add_springs(mechanism, name, bodies, axes, [k / h for k in stiffnesses], damping)
    return Beam(points, [body for body in bodies if body != GROUND], rotations)


def _check(mechanism: Mechanism, name: str, start: str, end: str, segments: int, mass_per_length: float, EI: float | Sequence[float],
           GJ: float | None, polar_inertia: float | None, clamp_start: str | None, clamp_end: str | None) -> None:  # fmt: skip
    where = f'beam "{name}"'
    problems = mechanism._unknown(where, "point", [start, end], mechanism.points)
    clamps = [body for body in (clamp_start, clamp_end) if body is not None]
    problems += mechanism._unknown(where, "body", clamps, {**mechanism.bodies, GROUND: None})
    if int(segments) != segments or segments < 1:
        problems.append(f"{where}: segments {segments!r}; a whole number from 1 is needed")
    space = mechanism.dimension == 3
    numbers = {"mass_per_length": mass_per_length, **({"GJ": GJ, "polar_inertia": polar_inertia} if space else {})}
    for key, value in numbers.items():
        if value is None or not np.isfinite(value) or value <= 0:
            problems.append(f"{where}: {key} {value!r}; a number above 0 is needed" + (" in space" if space and value is None else ""))
    if np.size(EI) not in (1, 2) or not np.all(np.asarray(EI, dtype=float) > 0):
        problems.append(f"{where}: EI {EI!r}; one or two numbers above 0 are needed")
    if not problems and not (mechanism.points[end].position - mechanism.points[start].position).any():
        problems.append(f'{where}: "{start}" and "{end}" are in one place')
    for point, clamp in ((start, clamp_start), (end, clamp_end)):
        if clamp == GROUND and point in mechanism.points and not mechanism.points[point].fixed:
            problems.append(f'{where}: "{point}" is clamped to the ground but not fixed; say fixed=True')
    mechanism._raise(problems)


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
        raise SetupError(f"beam: axis {axis!r} is along the beam; one across it is needed")
    return [unit(first), np.cross(along, unit(first)), along]


def _add_points(mechanism: Mechanism, name: str, start: str, end: str, segments: int, clamped: tuple[bool, bool]) -> list[str]:
    first, last = mechanism.points[start].position, mechanism.points[end].position
    names = [start]
    for k in range(segments):
        fixed = (k == 0 and clamped[0]) or (k == segments - 1 and clamped[1])
        mechanism.point(f"{name}_{k}", first + (k + 0.5) / segments * (last - first), fixed=fixed)
        names.append(f"{name}_{k}")
    return [*names, end]


def _add_bodies(mechanism: Mechanism, name: str, points: list[str], mass_per_length: float, polar_inertia: float | None,
                axes: list[Vector]) -> list[str]:  # fmt: skip
    made = []
    for k, (first, second) in enumerate(zip(points[:-1], points[1:], strict=True)):
        ends = mechanism.points[first], mechanism.points[second]
        if ends[0].fixed and ends[1].fixed:
            made.append(GROUND)
            continue
        length = float(np.linalg.norm(ends[1].position - ends[0].position))
        mass = mass_per_length * length
        inertia = _inertia(mass, length, polar_inertia, axes) if axes else None
        mechanism.body(f"{name}_segment_{k}", points=[first, second], mass=mass, inertia=inertia)
        made.append(f"{name}_segment_{k}")
    return made


def _inertia(mass: float, length: float, polar_inertia: float | None, axes: list[Vector]) -> Vector:
    """Return the tensor of a segment: a rod with the inertia of its cross-section, the same about both axes of bending."""
    polar = float(polar_inertia or 0.0) * length
    about = [mass * length**2 / 12.0 + 0.5 * polar] * 2 + [polar]
    return np.asarray(sum(moment * np.outer(axis, axis) for moment, axis in zip(about, axes, strict=True)))


def _clamp(mechanism: Mechanism, name: str, which: str, body: str | None, segment: str, point: str) -> None:
    """Clamp an end to a body; what is clamped to the ground is fixed already."""
    if body is None or body == GROUND:
        return
    if point not in mechanism.bodies[body].points:
        mechanism.joint(f"{name}_{which}", "weld", body, segment, at=point)
        return
    # They share the point already: only turning is left to be stopped.
    turns = [((1.0, 0.0), (0.0, 1.0))] if mechanism.dimension == 2 else [(e, np.roll(e, 1)) for e in np.eye(3)]
    for k, (first, second) in enumerate(turns):
        mechanism.joint(f"{name}_{which}_{k}", "angle", body, segment, axis=first, second_axis=second)


def _add_springs(mechanism: Mechanism, name: str, bodies: list[str], axes: list[Vector], stiffnesses: list[float],
                 damping: float) -> list[str]:  # fmt: skip
    made = []
    labels = [""] if not axes else ["_bend_1", "_bend_2", "_twist"]
    for k, (first, second) in enumerate(zip(bodies[:-1], bodies[1:], strict=True)):
        for place, (label, stiffness) in enumerate(zip(labels, stiffnesses, strict=True)):
            rotation = f"{name}_rotation_{k}{label}"
            mechanism.rotation(rotation, first, second, axis=axes[place] if axes else (1.0, 0.0))
            mechanism.spring(f"{name}_spring_{k}{label}", rotation, stiffness=stiffness, damping=damping * stiffness)
            made.append(rotation)
    return made
