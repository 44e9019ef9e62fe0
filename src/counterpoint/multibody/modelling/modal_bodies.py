"""Bodies that deform a little: a floating frame, and mode shapes that move with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._common.numbers import is_number
from ..assembly.affine import Vector
from .bookkeeping import Bookkeeping
from .parts import not_finite, vector_of


@dataclass(frozen=True)
class Mode:
    """A shape in which a modal body deforms, with its own mass, stiffness and damping.

    Parameters
    ----------
    name : str
        Names the measure ``BODY_NAME``: the amplitude, m where shapes are pure numbers.
    shapes : mapping from point names to arrays of shape (3,)
        Displacement of the points of the body per amplitude, axes as drawn; points that are left out do not move.
    stiffness : float
        Modal stiffness, N/m.
    mass : float
        Modal mass, kg: what is not in the point masses of the body's points.
    damping : float
        Modal damping, N s/m.
    rotations : mapping from point names to arrays of shape (3,), optional
        Rotation per amplitude, rad/m: of the frames ``"BODY:POINT"``.

    Examples
    --------
    >>> Mode.of_frequency("bending", {"tail": (0, 0, 1)}, mass=40.0, frequency=9.0, damping_ratio=0.02).stiffness
    127910.07...
    """

    name: str
    shapes: Mapping[str, ArrayLike]
    stiffness: float
    mass: float = 0.0
    damping: float = 0.0
    rotations: Mapping[str, ArrayLike] = field(default_factory=dict)

    @staticmethod
    def of_frequency(
        name: str,
        shapes: Mapping[str, ArrayLike],
        *,
        mass: float,
        frequency: float,
        damping_ratio: float = 0.0,
        rotations: Mapping[str, ArrayLike] | None = None,
    ) -> Mode:
        """Return a mode from its modal mass (kg), frequency (Hz) and damping ratio."""
        omega = 2.0 * np.pi * frequency
        damping = 2.0 * damping_ratio * omega * mass
        return Mode(name, shapes, mass * omega**2, mass, damping, rotations or {})


@dataclass
class ModalPart:
    """The modes of a body, checked: arrays by point name."""

    body: str
    points: list[str]
    modes: list[Mode]
    shapes: list[dict[str, Vector]]
    rotations: list[dict[str, Vector]]

    def measure(self, mode: int) -> str:
        """Return the name of the amplitude of a mode."""
        return f"{self.body}_{self.modes[mode].name}"


class ModalBodies(Bookkeeping):
    """Bodies with modes; :class:`Mechanism` has this method."""

    def modal_body(
        self,
        name: str,
        *,
        points: Sequence[str],
        modes: Sequence[Mode],
        mass: float = 0.0,
        centre: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        shape: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a body whose small deformation is a sum of modes, in a frame that moves with it (space only).

        The points of the body are weighted sums of its frame and of the modes, so that joints, forces and point masses
        on them act on the modes, too. Each direction in which a mode moves points costs three coordinates; the mass
        matrix stays constant. Rotations of the frame are finite, deformations are of first order.

        Give the mass in one of two ways. With ``mass``, ``centre`` and ``inertia`` of the whole body and the modal
        masses: right for free modes, which move neither the centre nor, to first order, turn the body (mean axes).
        Or with :meth:`point_mass` on the points and no modal masses: right for any shapes, with all that inertia
        couples between frame and modes.

        Parameters
        ----------
        name : str
            Name; ``"NAME:POINT"`` is the frame of a point that turns with it, which joints, angles and torques accept
            as a body.
        points : names
            Its points, as drawn when it is not deformed.
        modes : sequence of Mode
            Shapes with modal mass, stiffness and damping. The amplitude of each is a measure ``NAME_MODE``.
        mass, centre, inertia, shape
            Of the undeformed body, as for :meth:`Mechanism.body`; default centre: the mean of the points.

        Examples
        --------
        >>> from counterpoint.multibody import Mechanism, Mode
        >>> crane = Mechanism("crane", gravity=(0, 0, 0))
        >>> crane.point("foot", (0, 0, 0))
        >>> crane.point("tip", (0, 0, 5))
        >>> bending = Mode("sway", {"tip": (1, 0, 0)}, stiffness=4000.0)
        >>> crane.modal_body("mast", points=["foot", "tip"], modes=[bending], mass=1.0, inertia=(1, 1, 1))
        >>> crane.joint("base", "weld", "mast", "ground", at="foot")
        >>> crane.point_mass("tip", 10.0)
        >>> round(float(crane.modes().frequencies[0] * 6.283185), 3)  # sqrt(4000 / 10)
        20.0
        """
        where = f'modal body "{name}"'
        problems = [f"{where}: for space only"] * (self.dimension != 3)
        problems += [f"{where}: no points; expected at least one"] * (not points)
        problems += self._unknown(where, "point", points, self.points)
        problems += [f'{where}: point "{p}" is fixed' for p in points if p in self.points and self.points[p].fixed]
        problems += [f"{where}: no modes; a body without them is body(...)"] * (not modes)
        self._raise(problems)
        shapes, rotations = ([_checked(where, m, t, points, problems) for m in modes] for t in ("shapes", "rotations"))
        for mode in modes:
            problems += _wrong_numbers(where, mode)
        self._raise(problems)
        middle = np.mean([self.points[p].position for p in points], axis=0) if centre is None else centre
        self.point(f"{name}_frame", middle)  # type: ignore[attr-defined]
        self.body(  # type: ignore[attr-defined]
            name, points=[f"{name}_frame"], mass=mass, centre=middle, inertia=(0, 0, 0) if inertia is None else inertia,
            shape=shape,
        )  # fmt: skip
        part = ModalPart(name, list(points), list(modes), shapes, rotations)
        self.modal_parts[name] = part
        for k, mode in enumerate(modes):
            self._measure(part.measure(k), "mode", (name,), mode=k)  # type: ignore[attr-defined]
            self.spring(  # type: ignore[attr-defined]
                f"{part.measure(k)}_spring",
                part.measure(k),
                stiffness=mode.stiffness,
                damping=mode.damping,
                natural=0.0,
            )


def _checked(where: str, mode: Mode, table: str, points: Sequence[str], problems: list[str]) -> dict[str, Vector]:
    given = getattr(mode, table)
    problems += [
        f'{where}: mode "{mode.name}": {table}: "{p}" is none of its points: {", ".join(points)}'
        for p in given if p not in points
    ]  # fmt: skip
    made = {p: vector_of(f'{where}: mode "{mode.name}": {table} of "{p}"', v, 3, problems) for p, v in given.items()}
    if table == "shapes" and not any(v.any() for v in made.values()):
        problems.append(f'{where}: mode "{mode.name}": moves no point')
    return made


def _wrong_numbers(where: str, mode: Mode) -> list[str]:
    numbers = {"stiffness": mode.stiffness, "mass": mode.mass, "damping": mode.damping}
    problems = not_finite(f'{where}: mode "{mode.name}"', numbers)
    return problems + [
        f'{where}: mode "{mode.name}": {key} {value!r}; expected a number of at least 0'
        for key, value in numbers.items() if is_number(value) and value < 0
    ]  # fmt: skip
