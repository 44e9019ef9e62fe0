"""Internal forces and moments of a blade over its radius, from the springs between its segments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...multibody.library import TurbineData
from .cart_runs import CartRun

Array = NDArray[np.float64]
_SHOWN = 4.0
"""Time that a figure shows, s: some turns at the end of the run."""


@dataclass(frozen=True, eq=False)
class InternalLoads:
    """Loads at the hinges of blade 1: time (s), radius (m), and arrays of shape (times, radii) in N and N m."""

    time: Array
    radius: Array
    forces: dict[str, Array]
    moments: dict[str, Array]


def internal_loads(data: TurbineData, run: CartRun, segments: int) -> InternalLoads:
    """Return bending moments of the springs, shear as their change along the blade, and the centrifugal force."""
    time, _ = run.of("turbine.blade_moment_0")
    pick = np.flatnonzero(time >= time[-1] - _SHOWN)
    torque = np.stack([run.of(f"turbine.blade_moment_{k}")[1][pick, 3:] for k in range(segments)], axis=1)
    h = data.blade.length / segments
    radius = data.aero.hub_radius + h * (np.arange(segments) + 0.5)
    edge, flap, twist = (np.abs(torque[:, :, k]) if k == 2 else torque[:, :, k] for k in range(3))
    speed = run.at("turbine.rotor_speed", time[pick])
    beyond = [data.blade.piece(r - data.aero.hub_radius, data.blade.length) for r in radius]
    pull = np.array([mass * (centre + data.aero.hub_radius) for mass, centre, *_ in beyond])
    return InternalLoads(
        time[pick],
        np.asarray(radius, dtype=np.float64),
        {"axial": speed[:, None] ** 2 * pull, "shear, flap": _shear(flap, h), "shear, edge": _shear(edge, h)},
        {"flap": flap, "edge": edge, "torsion": twist},
    )


def _shear(moment: Array, h: float) -> Array:
    """Return how fast a moment falls along the blade; at the tip it is zero."""
    return -np.gradient(moment, h, axis=1)
