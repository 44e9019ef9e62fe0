"""Coefficients of aerofoils over the full turn of the angle of attack."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import SetupError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Polar:
    """Lift, drag and moment coefficient of an aerofoil over its angle of attack.

    Parameters
    ----------
    angle : array of shape (n,)
        rad, increasing; straight between the angles, held beyond the first and last.
    lift, drag : arrays of shape (n,)
        Coefficients.
    moment : array of shape (n,), optional
        About the quarter chord, nose up positive; default: none.
    zero_lift : float, optional
        Angle of attack without lift, rad; default: where the lift crosses zero near angle zero.
    lift_slope : float, optional
        Of attached flow, 1/rad; default: the steepest line from the zero-lift angle within 10 degrees.
    stall : two floats, optional
        Lower and upper normal force coefficient at which the flow leaves the leading edge, for dynamic stall; default:
        those of the polar where its flow is attached to 0.7 of the chord (Kirchhoff).

    Examples
    --------
    >>> plate = Polar.thin_aerofoil()
    >>> print(round(plate.at(0.1)[0], 4))
    0.6283
    """

    angle: Array
    lift: Array
    drag: Array
    moment: Array | None = None
    zero_lift: float | None = None
    lift_slope: float | None = None
    stall: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for key in ("angle", "lift", "drag", "moment"):
            value = getattr(self, key)
            if value is not None:
                object.__setattr__(self, key, np.asarray(value, dtype=float).reshape(-1))
        sizes = {len(v) for v in (self.angle, self.lift, self.drag, self.moment) if v is not None}
        if len(sizes) != 1 or len(self.angle) < 2 or not np.all(np.diff(self.angle) > 0):
            raise SetupError("polar: expected at least two increasing angles and as many coefficients")
        if not all(np.all(np.isfinite(v)) for v in (self.angle, self.lift, self.drag)):
            raise SetupError("polar: a value is not finite")
        if self.zero_lift is None:
            object.__setattr__(self, "zero_lift", self._zero_lift())
        if self.lift_slope is None:
            object.__setattr__(self, "lift_slope", self._lift_slope())
        if self.stall is None:
            object.__setattr__(self, "stall", (self._stall(-1), self._stall(1)))

    @classmethod
    def thin_aerofoil(cls, slope: float = 2 * np.pi, drag: float = 0.0) -> Polar:
        """Return the polar of a plate that never stalls: lift is ``slope`` times the angle, drag constant."""
        angle = np.array([-np.pi, np.pi])
        return cls(angle, slope * angle, np.full(2, drag), zero_lift=0.0, lift_slope=slope)

    @classmethod
    def read(
        cls,
        file: str | Path,
        *,
        zero_lift: float | None = None,
        lift_slope: float | None = None,
        stall: tuple[float, float] | None = None,
    ) -> Polar:
        """Read a table with columns ``alpha_deg`` (or ``alpha_rad``), ``cl``, ``cd`` and, optionally, ``cm``."""
        import pandas as pd

        table = pd.read_csv(file, comment="#")
        missing = [key for key in ("cl", "cd") if key not in table]
        angle = table.get("alpha_rad")
        if angle is None and "alpha_deg" in table:
            angle = np.radians(table["alpha_deg"])
        if missing or angle is None:
            columns = ", ".join(map(str, table.columns))
            raise SetupError(f"{file}: columns {columns}; expected alpha_deg or alpha_rad, cl, cd and, optionally, cm")
        moment = np.asarray(table["cm"]) if "cm" in table else None
        lift, drag = (np.asarray(table[key]) for key in ("cl", "cd"))
        return cls(np.asarray(angle), lift, drag, moment, zero_lift, lift_slope, stall)

    def at(self, angle: ArrayLike) -> tuple[Array, Array]:
        """Return lift and drag coefficient at angles of attack (rad)."""
        at = np.asarray(angle, dtype=float)
        return np.interp(at, self.angle, self.lift), np.interp(at, self.angle, self.drag)

    def extended(self, aspect_ratio: float = 15.0) -> Polar:
        """Return the polar continued to the full turn by the flat plate of Viterna and Corrigan (1981).

        Parameters
        ----------
        aspect_ratio : float
            Of the blade; sets the drag of the plate across the wind, 1.11 + 0.018 times it.
        """
        largest = 1.11 + 0.018 * min(aspect_ratio, 50.0)
        degree = np.radians(1.0)
        above = _plate(
            self.angle[-1],
            self.lift[-1],
            self.drag[-1],
            largest,
            np.arange(self.angle[-1] + degree, np.pi / 2, 5 * degree),
        )
        below = _plate(
            -self.angle[0],
            -self.lift[0],
            self.drag[0],
            largest,
            np.arange(-self.angle[0] + degree, np.pi / 2, 5 * degree),
        )
        behind = np.radians(np.arange(90.0, 181.0, 10.0))
        turned = np.pi - behind  # a plate from behind lifts less: 0.7 of the front
        back_drag = np.maximum(largest * np.sin(turned) ** 2, 0.01)
        back_lift = -0.7 * largest * np.sin(turned) * np.cos(turned)
        angle = np.concatenate([-behind[::-1], -below[0][::-1], self.angle, above[0], behind])
        lift = np.concatenate([-back_lift[::-1], -below[1][::-1], self.lift, above[1], back_lift])
        drag = np.concatenate([back_drag[::-1], below[2][::-1], self.drag, above[2], back_drag])
        return Polar(angle, lift, drag, None, self.zero_lift, self.lift_slope, self.stall)

    def _zero_lift(self) -> float:
        near = np.flatnonzero((np.abs(self.angle[:-1]) < 0.35) & (self.lift[:-1] <= 0) & (self.lift[1:] > 0))
        if not len(near):
            return 0.0
        k = near[np.argmin(np.abs(self.angle[near]))]
        part = -self.lift[k] / (self.lift[k + 1] - self.lift[k])
        return float(self.angle[k] + part * (self.angle[k + 1] - self.angle[k]))

    def _lift_slope(self) -> float:
        start = float(self.zero_lift or 0.0)
        near = (self.angle > start + 0.03) & (self.angle < start + 0.18)
        if not near.any():
            return 2 * np.pi
        return float(np.max(self.lift[near] / (self.angle[near] - start)))

    def _stall(self, side: int) -> float:
        """Return the normal force where the flow has left 0.3 of the chord, at the nearest angle on a side."""
        start, slope = float(self.zero_lift or 0.0), float(self.lift_slope or 0.0)
        drag = self.drag - self.at(start)[1]
        normal = self.lift * np.cos(self.angle) + drag * np.sin(self.angle)
        near = np.abs(self.angle) < np.pi / 2
        beyond = np.flatnonzero(near & (side * (self.angle - start) > 0.03))
        left = normal[beyond] / (slope * (self.angle[beyond] - start)) < ((1 + np.sqrt(0.7)) / 2) ** 2
        if not left.any():
            return side * np.inf
        first = beyond[left][0 if side > 0 else -1]
        return float(normal[first])


def _plate(angle: float, lift: float, drag: float, largest: float, at: Array) -> tuple[Array, Array, Array]:
    """Return angles, lift and drag of Viterna's plate that begins with the values of the last angle given."""
    sine, cosine = np.sin(angle), np.cos(angle)
    a2 = (lift - largest * sine * cosine) * sine / cosine**2
    b2 = (drag - largest * sine**2) / cosine
    return (
        at,
        largest / 2 * np.sin(2 * at) + a2 * np.cos(at) ** 2 / np.sin(at),
        largest * np.sin(at) ** 2 + b2 * np.cos(at),
    )
