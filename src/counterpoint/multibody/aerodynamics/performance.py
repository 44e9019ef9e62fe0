"""Power, thrust and torque of a rotor in a straight, even wind: blade-element momentum theory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import _core
from ...errors import SetupError
from .polars import Polar
from .rotor import Wake, native_wake, polar_table

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BladeGeometry:
    """Chord and twist of a blade over its radius.

    Parameters
    ----------
    radius, chord, twist : arrays of shape (n,)
        From the rotor centre along the blade, m; m; rad, positive turns the leading edge into the wind.
    polar : array of shape (n,) of int
        Number of the polar of each station.
    tip_radius, hub_radius : float
        m.
    blades : int
        Number of blades.
    cone : float
        Of the blades, rad.
    """

    radius: Array
    chord: Array
    twist: Array
    polar: NDArray[np.int64]
    tip_radius: float
    hub_radius: float
    blades: int
    cone: float = 0.0

    def refined(self, stations: int) -> BladeGeometry:
        """Return the blade with so many equidistant stations, chord and twist straight between the given ones."""
        r = np.linspace(self.radius[0], self.radius[-1], stations)
        nearest = np.abs(self.radius[:, None] - r).argmin(axis=0)
        chord, twist = (np.interp(r, self.radius, y) for y in (self.chord, self.twist))
        return replace(self, radius=r, chord=chord, twist=twist, polar=self.polar[nearest])


@dataclass(frozen=True)
class Coefficients:
    """Power, thrust and torque coefficient of a rotor: over density / 2, wind², disc area and, of torque, radius."""

    power: float
    thrust: float
    torque: float


def coefficients(
    blade: BladeGeometry,
    polars: Sequence[Polar],
    *,
    tip_speed_ratio: float,
    pitch: float = 0.0,
    wake: Wake | None = None,
) -> Coefficients:
    """Return what a rotor makes of a straight, even wind.

    Parameters
    ----------
    blade : BladeGeometry
        The blade.
    polars : sequence of Polar
        Its polars.
    tip_speed_ratio : float
        Speed of the tip over that of the wind.
    pitch : float
        Added to the twist, rad.
    wake : Wake, optional
        Terms of the momentum balance.

    Examples
    --------
    >>> r = np.linspace(0.1, 1.0, 40)
    >>> phi = 2 / 3 * np.arctan(1 / (6 * r))  # Betz with swirl: the optimum of an ideal rotor
    >>> chord = 8 * np.pi * r / 3 * (1 - np.cos(phi)) / (2 * np.pi * np.radians(6))
    >>> ideal = BladeGeometry(r, chord, phi - np.radians(6), np.zeros(40, int), 1.0, 0.1, 3)
    >>> made = coefficients(ideal, [Polar.thin_aerofoil()], tip_speed_ratio=6.0, wake=Wake(False, False))
    >>> bool(0.55 < made.power < 0.593)
    True
    """
    if not tip_speed_ratio > 0:
        raise SetupError(f"tip_speed_ratio {tip_speed_ratio!r}; expected a number above 0")
    law = native_wake(wake or Wake())
    tables = [polar_table(polar)[:3] for polar in polars]
    speed = tip_speed_ratio / blade.tip_radius  # with a wind of 1 m/s
    normal, along = np.zeros(len(blade.radius)), np.zeros(len(blade.radius))
    for k, (r, chord, twist, number) in enumerate(
        zip(blade.radius, blade.chord, blade.twist, blade.polar, strict=True)
    ):
        axial, around = float(np.cos(blade.cone)), float(speed * r * np.cos(blade.cone))
        geometry = [float(r), blade.tip_radius, blade.hub_radius, float(blade.blades), float(chord),
                    float(twist + pitch), 0.0]  # fmt: skip
        a, b = _core.multibody.annulus_induction(geometry, [axial, around], tables[number], law)
        through, past = axial * (1 - a), around * (1 + b)
        phi = np.arctan2(through, past)
        lift, drag = polars[number].at(np.remainder(phi - twist - pitch + np.pi, 2 * np.pi) - np.pi)
        pressure = 0.5 * (through**2 + past**2) * chord
        normal[k] = pressure * (lift * np.cos(phi) + drag * np.sin(phi))
        along[k] = pressure * (lift * np.sin(phi) - drag * np.cos(phi))
    return _summed(blade, normal, along, speed)


def _summed(blade: BladeGeometry, normal: Array, along: Array, speed: float) -> Coefficients:
    across = np.cos(blade.cone)
    thrust = blade.blades * float(np.trapezoid(normal, blade.radius)) * across
    torque = blade.blades * float(np.trapezoid(along * blade.radius, blade.radius)) * across
    area = np.pi * (blade.tip_radius * across) ** 2
    return Coefficients(torque * speed / (0.5 * area), thrust / (0.5 * area), torque / (0.5 * area * blade.tip_radius))


def table(
    blade: BladeGeometry,
    polars: Sequence[Polar],
    tip_speed_ratios: ArrayLike,
    pitches: ArrayLike,
    wake: Wake | None = None,
) -> Array:
    """Return power, thrust and torque coefficients over tip speed ratios and pitch angles (rad), shape (n, m, 3)."""
    ratios, angles = np.atleast_1d(np.asarray(tip_speed_ratios, float)), np.atleast_1d(np.asarray(pitches, float))
    made = np.empty((len(ratios), len(angles), 3))
    for i, ratio in enumerate(ratios):
        for j, pitch in enumerate(angles):
            c = coefficients(blade, polars, tip_speed_ratio=float(ratio), pitch=float(pitch), wake=wake)
            made[i, j] = c.power, c.thrust, c.torque
    return made
