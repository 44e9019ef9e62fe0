"""What a turbine's result says in the frames that wind engineers use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .data import TurbineData

if TYPE_CHECKING:
    from ....results import Result

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BladeLoads:
    """Loads at a blade's root and the deflection of its tip, over time.

    The frame is that of the coned, unpitched blade: x out of the rotor plane downwind, y against the rotation, z to the
    tip.

    Attributes
    ----------
    time : array of shape (n,)
        s.
    force : array of shape (n, 3)
        Of the blade on the hub, N.
    moment : array of shape (n, 2)
        Of the blade on the hub at the root, about x (in plane: positive drives) and y (out of plane: positive bends
        downwind), N m.
    deflection : array of shape (n, 3)
        Of the tip from the straight blade, m.
    """

    time: Array
    force: Array
    moment: Array
    deflection: Array

    @property
    def in_plane_moment(self) -> Array:
        """About x, positive drives, N m."""
        return self.moment[:, 0]

    @property
    def out_of_plane_moment(self) -> Array:
        """About y, positive bends downwind, N m."""
        return self.moment[:, 1]

    def turned(self, pitch: float) -> Array:
        """Return flap and edge deflection of the tip in the frame turned with the pitch (rad), shape (n, 2), m."""
        x, y = self.deflection[:, 0], self.deflection[:, 1]
        return np.column_stack([np.cos(pitch) * x - np.sin(pitch) * y, np.cos(pitch) * y + np.sin(pitch) * x])


def blade_loads(data: TurbineData, result: Result, blade: int, turbine: str | None = None) -> BladeLoads:
    """Return loads and deflections of a blade from the result of a turbine.

    Parameters
    ----------
    data : TurbineData
        The machine.
    result : Result
        Of a run of :func:`wind_turbine`.
    blade : int
        1 or 2.
    turbine : str, optional
        Name that the mechanism had in the run; default: its own.
    """
    name = turbine or data.name.lower().replace("-", "")

    def of(signal: str) -> Array:
        return np.asarray(result[f"{name}.{signal}"].values, dtype=float)

    apex, end, tip = of("apex"), of(f"root_{blade}"), of(f"tip_{blade}")
    z = (end - apex) / data.aero.hub_radius
    y = of("pin_axis") if blade == 1 else -of("pin_axis")
    frame = np.stack([np.cross(y, z), y, z], axis=1)  # rows: axes
    # The right angle of x keeps the blade from turning about y, and that of y about -x.
    moment = np.column_stack([of(f"root_in_plane_{blade}"), -of(f"root_out_of_plane_{blade}")])
    return BladeLoads(
        np.asarray(result[f"{name}.tip_{blade}"].time, dtype=float),
        -np.einsum("nij,nj->ni", frame, of(f"root_force_{blade}")),
        moment,
        np.einsum("nij,nj->ni", frame, tip - (apex + data.aero.tip_radius * z)),
    )
