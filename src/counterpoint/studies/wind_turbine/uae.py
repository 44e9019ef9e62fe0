"""The rotor of the UAE Phase VI in a wind that rises, beside what OpenFAST recorded: blade elements alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...multibody.aerodynamics import BladeGeometry, BladeSection, Polar, Wake, Wind, rotor
from ...multibody.modelling.mechanism import Mechanism

Array = NDArray[np.float64]
DATA = Path(__file__).parent / "data" / "uae"
SPEED = 71.9 * np.pi / 30
"""rad/s, constant."""
PITCH = np.radians(4.815)
RAMP = ((0.0, 5.0, 25.0), (5.0, 5.0, 25.0))
"""Wind: times (s) and speeds (m/s)."""
STEP = 0.02


def uae_blade() -> tuple[BladeGeometry, list[Polar]]:
    """Return chord, twist and polars of a blade."""
    table = pd.read_csv(DATA / "blade_aero.csv")
    polars = [Polar.read(DATA / f"polars_{k:02d}.csv") for k in range(1, 11)]
    geometry = BladeGeometry(
        table["radius_m"].to_numpy(), table["chord_m"].to_numpy(), np.radians(table["aero_twist_deg"].to_numpy()),
        table["polar"].to_numpy() - 1, tip_radius=5.029, hub_radius=0.432, blades=2,
    )  # fmt: skip
    return geometry, polars


def uae_rotor() -> Mechanism:
    """Return the rigid rotor, turned at a constant speed; output ``air`` begins with thrust (N) and torque (N m).

    Examples
    --------
    >>> float(uae_rotor().run(until=0.1, step=0.02)["uae.air"].values[-1, 1]) > 250
    True
    """
    model = Mechanism("uae", gravity=(0, 0, 0))
    model.point("hub", (0, 0, 0), fixed=True)
    model.vector("shaft", (1, 0, 0), fixed=True)
    model.point("arm", (0, 0, 1.0), velocity=(0, -SPEED, 0))
    model.body("rotor", points=["hub", "arm"], vectors=["shaft"], mass=500.0, inertia=(900.0, 900.0, 1.0))
    model.angle("turn", "rotor", axis=(1, 0, 0))
    model.guide("turn", [0.0, SPEED])
    geometry, polars = uae_blade()
    edges = np.concatenate(
        [geometry.radius[:1], 0.5 * (geometry.radius[1:] + geometry.radius[:-1]), geometry.radius[-1:]]
    )
    sections = []
    for side in (1.0, -1.0):
        for k, r in enumerate(geometry.radius):
            angle = geometry.twist[k] + PITCH
            chord = (np.sin(angle), side * np.cos(angle), 0.0)
            normal = (np.cos(angle), -side * np.sin(angle), 0.0)
            sections.append(BladeSection("rotor", np.array([0, 0, side * r]), np.array(chord), np.array(normal),
                                         float(geometry.chord[k]), float(edges[k + 1] - edges[k]), float(r),
                                         int(geometry.polar[k])))  # fmt: skip
    rotor(model, "air", body="rotor", centre=(0, 0, 0), axis=(1, 0, 0), sections=sections, polars=polars,
          radius=geometry.tip_radius, hub_radius=geometry.hub_radius, blades=2, wind=Wind.ramp(*RAMP),
          wake=Wake(drag=False), density=1.246)  # fmt: skip
    model.output("air", "air")
    model.standard_outputs = ()
    return model


@dataclass(frozen=True, eq=False)
class UaeRun:
    """Torque (N m) and thrust (N) over the wind (m/s), ours and the record's."""

    wind: Array
    torque: Array
    thrust: Array
    reference_torque: Array
    reference_thrust: Array

    def largest(self, what: str, until: float) -> float:
        """Return the largest relative difference of ``"torque"`` or ``"thrust"`` up to a wind (m/s)."""
        ours, theirs = getattr(self, what), getattr(self, f"reference_{what}")
        return float(np.max(np.abs(ours / theirs - 1.0)[self.wind <= until]))


def run_uae() -> UaeRun:
    """Run the ramp."""
    record = pd.read_csv(DATA / "reference.csv")
    air = uae_rotor().run(until=RAMP[0][-1], step=STEP)["uae.air"]
    wind = record["wind_m_s"].to_numpy(dtype=float)
    thrust, torque = (np.interp(wind, np.asarray(air.time), air.values[:, k]) for k in (0, 1))  # 1 m/s in a second
    return UaeRun(
        wind,
        np.asarray(torque),
        np.asarray(thrust),
        1e3 * record["shaft_torque_kNm"].to_numpy(dtype=float),
        1e3 * record["thrust_kN"].to_numpy(dtype=float),
    )
