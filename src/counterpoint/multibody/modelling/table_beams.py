"""Beams from tables of mass and stiffness: blades and towers as rigid segments with springs between them.

The finite-segment method of :mod:`.beams`, for properties that change along the beam: a hinge in the middle of each of
n equal elements has the compliance of that element, ``1 / k = integral of dx / EI``, about the principal axes there;
the bodies between the hinges have the mass, centre and inertia that the table gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import SetupError
from ..assembly.frames import unit
from .beams import Beam
from .parts import GROUND

if TYPE_CHECKING:
    from .mechanism import Mechanism

Array = NDArray[np.float64]
_FINE = 40
"""Points per element for integrals over the table."""


@dataclass(frozen=True, eq=False)
class BeamTable:
    """Properties along a straight beam, straight between the stations.

    Parameters
    ----------
    x : array of shape (n,)
        Stations from the start, m; the last is the length.
    mass_per_length : array of shape (n,)
        kg/m.
    EI_first, EI_second : arrays of shape (n,)
        Bending stiffness about the first and second principal axis, N m².
    GJ : array of shape (n,), optional
        Torsional stiffness, N m²; default: no torsion.
    twist : array of shape (n,), optional
        Angle by which the principal axes are turned about the beam, rad.
    polar_inertia : array of shape (n,), optional
        About the beam's axis per length, kg m; default: that of a section 0.1 m wide.

    Examples
    --------
    >>> rod = BeamTable.even(2.0, mass_per_length=3.0, EI=10.0)
    >>> rod.mass
    6.0
    """

    x: Array
    mass_per_length: Array
    EI_first: Array
    EI_second: Array
    GJ: Array | None = None
    twist: Array | None = None
    polar_inertia: Array | None = None
    _columns: tuple[str, ...] = field(default=("mass_per_length", "EI_first", "EI_second", "GJ", "twist",
                                               "polar_inertia"), repr=False)  # fmt: skip

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", np.asarray(self.x, dtype=float))
        if len(self.x) < 2 or self.x[0] != 0.0 or not np.all(np.diff(self.x) > 0):
            raise SetupError("beam table: stations x; expected increasing numbers from 0")
        for key in self._columns:
            value = getattr(self, key)
            if value is None:
                continue
            made = np.asarray(value, dtype=float)
            if made.shape != self.x.shape or not np.all(np.isfinite(made)):
                raise SetupError(f"beam table: {key}: expected {len(self.x)} finite numbers, one for each station")
            if key not in ("twist", "polar_inertia") and not np.all(made > 0):
                raise SetupError(f"beam table: {key}: expected numbers above 0")
            object.__setattr__(self, key, made)

    @classmethod
    def even(cls, length: float, *, mass_per_length: float, EI: float, GJ: float | None = None) -> BeamTable:
        """Return the table of an even beam with the same stiffness about both axes."""
        two = np.ones(2)
        torsion = None if GJ is None else GJ * two
        return cls(np.array([0.0, length]), mass_per_length * two, EI * two, EI * two, torsion)

    @property
    def length(self) -> float:
        """Length, m."""
        return float(self.x[-1])

    @property
    def mass(self) -> float:
        """Mass, kg."""
        return float(np.trapezoid(self.mass_per_length, self.x))

    def at(self, key: str, x: ArrayLike) -> Array:
        """Return a column at places x (m)."""
        return np.asarray(np.interp(np.asarray(x, dtype=float), self.x, getattr(self, key)))

    def _fine(self, first: float, last: float) -> Array:
        inside = self.x[(self.x > first) & (self.x < last)]
        return np.unique(np.concatenate([np.linspace(first, last, _FINE + 1), inside]))

    def stiffness(self, key: str, first: float, last: float) -> float:
        """Return the stiffness of a piece, 1 / integral of dx / column, N m/rad."""
        x = self._fine(first, last)
        return 1.0 / float(np.trapezoid(1.0 / self.at(key, x), x))

    def piece(self, first: float, last: float) -> tuple[float, float, float, float]:
        """Return mass (kg), centre (m), inertia across about the centre and along the beam (kg m²) of a piece."""
        x = self._fine(first, last)
        m = self.at("mass_per_length", x)
        mass = float(np.trapezoid(m, x))
        centre = float(np.trapezoid(m * x, x)) / mass
        across = float(np.trapezoid(m * (x - centre) ** 2, x))
        polar = m * 0.01 / 6 if self.polar_inertia is None else self.at("polar_inertia", x)
        return mass, centre, across, float(np.trapezoid(polar, x))


def beam_from_table(
    mechanism: Mechanism,
    name: str,
    table: BeamTable,
    *,
    start: ArrayLike,
    along: ArrayLike,
    first_axis: ArrayLike,
    segments: int,
    base: str,
    damping: float = 0.0,
    tip_mass: float = 0.0,
    end_points: Mapping[str, ArrayLike] | None = None,
    end_vectors: Sequence[str] = (),
    shape: Mapping[str, Any] | None = None,
    velocity: Callable[[Array], Array] | None = None,
) -> Beam:
    """Add a beam whose properties come from a table.

    The half segment at the start belongs to ``base``: its mass is yours to add there (:meth:`BeamTable.piece`), unless
    it is the ground. The half segment at the end carries ``end_points`` and ``end_vectors``, where other bodies join.

    Parameters
    ----------
    mechanism : Mechanism
        Of space; gets points, bodies and springs named ``NAME_...``.
    name : str
        Name of the beam.
    table : BeamTable
        Its properties.
    start, along, first_axis : arrays of shape (3,)
        Start (m), direction, and first principal axis where the twist is zero, as drawn. The second is
        ``along x first_axis``; twist turns both about ``along``.
    segments : int
        Elements; frequencies converge with 1 / segments².
    base : str
        ``"ground"``, or a body that has the point ``NAME_0`` (use :func:`first_hinge` for its place).
    damping : float
        Time s in ``moment = k (angle + damping * rate)``.
    tip_mass : float
        Point mass at the end, kg.
    end_points, end_vectors : mapping from names to places, names
        Points (added here) and vectors (of the mechanism) of the last segment.
    shape : mapping, optional
        How to draw the segments.
    velocity : function of a place, optional
        Velocity at the start (m/s), as of a rigid body; default: at rest.

    Returns
    -------
    Beam
        ``rotations`` are the names of the rotational springs, whose torques are the bending moments.

    Examples
    --------
    >>> from counterpoint.multibody import Mechanism
    >>> tower = Mechanism("tower", gravity=(0, 0, 0))
    >>> steel = BeamTable.even(1.0, mass_per_length=1.0, EI=1.0)
    >>> made = beam_from_table(tower, "mast", steel, start=(0, 0, 0), along=(0, 0, 1), first_axis=(1, 0, 0), segments=8,
    ...                        base="ground")
    >>> print(round(float(tower.modes().frequencies[0] * 2 * np.pi), 2))  # Euler-Bernoulli: 3.516
    3.52
    """
    place = Frame.of(start, along, first_axis)
    h = table.length / segments
    hinges = [(k + 0.5) * h for k in range(segments)]
    places = [place.at(x) for x in hinges]
    speed = velocity or np.zeros_like
    for k, where in enumerate(places):
        if k == 0 and base == GROUND:
            mechanism.point(f"{name}_{k}", where, fixed=True)
        elif k:
            mechanism.point(f"{name}_{k}", where, velocity=speed(where))
    tip = f"{name}_tip"
    mechanism.point(tip, place.at(table.length), velocity=speed(place.at(table.length)))
    extra = dict(end_points or {})
    for key, value in extra.items():
        mechanism.point(key, value)
    bodies = [base]
    for k in range(segments):
        last = k == segments - 1
        points = [f"{name}_{k}", tip, *extra] if last else [f"{name}_{k}", f"{name}_{k + 1}"]
        mass, centre, across, polar = table.piece(hinges[k], table.length if last else hinges[k + 1])
        inertia = place.inertia(across + 0.5 * polar, polar)
        mechanism.body(f"{name}_segment_{k}", points=points, vectors=list(end_vectors) if last else [], mass=mass,
                       centre=place.at(centre), inertia=inertia, shape={"group": name, **(shape or {})})  # fmt: skip
        bodies.append(f"{name}_segment_{k}")
    if tip_mass:
        mechanism.point_mass(tip, tip_mass)
    springs = [
        _spring(mechanism, f"{name}_hinge_{k}", table, place, piece=(k * h, (k + 1) * h), bodies=bodies[k : k + 2],
                damping=damping)
        for k in range(segments)
    ]  # fmt: skip
    return Beam([*(f"{name}_{k}" for k in range(segments)), tip], bodies[1:], springs)


def first_hinge(table: BeamTable, start: ArrayLike, along: ArrayLike, segments: int) -> Array:
    """Return where the first hinge of a beam will be, m: half an element from the start."""
    return np.asarray(start, dtype=float) + unit(np.asarray(along, dtype=float)) * 0.5 * table.length / segments


@dataclass(frozen=True, eq=False)
class Frame:
    """Start, direction and principal axes of a beam as drawn."""

    start: Array
    along: Array
    first: Array
    second: Array

    @classmethod
    def of(cls, start: ArrayLike, along: ArrayLike, first_axis: ArrayLike) -> Frame:
        """Return the frame of a beam; ``first_axis`` is made perpendicular to it."""
        direction = unit(np.asarray(along, dtype=float))
        first = np.asarray(first_axis, dtype=float)
        first = first - (first @ direction) * direction
        if np.linalg.norm(first) < 1e-9:
            raise SetupError(f"beam: first_axis {first_axis!r} is along the beam; expected one across it")
        first = unit(first)
        return cls(np.asarray(start, dtype=float), direction, first, np.cross(direction, first))

    def at(self, x: float) -> Array:
        """Return the place at a distance from the start."""
        return self.start + x * self.along

    def turned(self, angle: float) -> Array:
        """Return the principal axes and the beam's as rows, turned about the beam."""
        cosine, sine = np.cos(angle), np.sin(angle)
        return np.array(
            [cosine * self.first + sine * self.second, cosine * self.second - sine * self.first, self.along]
        )

    def inertia(self, across: float, along: float) -> Array:
        """Return the tensor of a slender piece, kg m²."""
        line = np.outer(self.along, self.along)
        return np.asarray(across * (np.eye(3) - line) + along * line)


def _spring(
    mechanism: Mechanism,
    name: str,
    table: BeamTable,
    place: Frame,
    *,
    piece: tuple[float, float],
    bodies: Sequence[str],
    damping: float,
) -> str:
    """Add the spring of an element; without torsional stiffness the bodies do not turn about the beam."""
    angle = 0.0 if table.twist is None else float(table.at("twist", 0.5 * sum(piece)))
    axes = place.turned(angle)
    bending = [table.stiffness(key, *piece) for key in ("EI_first", "EI_second")]
    torsion = 0.0 if table.GJ is None else table.stiffness("GJ", *piece)
    stiffness = np.array([*bending, torsion])
    mechanism.rotational_spring(name, bodies[0], bodies[1], stiffness=stiffness, damping=damping * stiffness, axes=axes)
    if table.GJ is None:
        mechanism.joint(f"{name}_stiff", "angle", bodies[0], bodies[1], axis=axes[0], second_axis=axes[1])
    return name
