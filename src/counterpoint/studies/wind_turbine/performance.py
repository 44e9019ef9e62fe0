"""Power of the CART's rotor over tip speed ratio, wind and pitch, beside an independent blade-element code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...multibody.aerodynamics import coefficients
from ...multibody.library import cart

Array = NDArray[np.float64]
DATA = Path(__file__).parent / "data"
AEROFOILS = ("naca0012", "ls417mod")
RATED_SPEED = 41.7 * np.pi / 30
STATIONS = 40
"""Along the blade: the load falls steeply at the tip."""
ATTACHED = (5.5, 10.5)
"""Tip speed ratios at which most of the blade does not stall at the pitch angles below."""


@dataclass(frozen=True, eq=False)
class Map:
    """Power coefficients of one aerofoil: table and ours at the same places.

    Attributes
    ----------
    table : DataFrame
        Columns tip_speed_ratio, pitch_deg, Cp, Ct and ours, ours_thrust.
    """

    aerofoil: str
    table: pd.DataFrame

    @property
    def attached(self) -> pd.DataFrame:
        """Rows at which the flow is attached and the rotor brings power."""
        t = self.table
        return t[t["tip_speed_ratio"].between(*ATTACHED) & t["pitch_deg"].between(-1, 4) & (t["Cp"] > 0.2)]

    @property
    def largest_error(self) -> float:
        """Largest relative difference of the power coefficient where the flow is attached."""
        rows = self.attached
        return float((rows["ours"] / rows["Cp"] - 1.0).abs().max())

    @property
    def best(self) -> tuple[float, float, float]:
        """Our largest power coefficient, and the tip speed ratio and pitch (degrees) where it is."""
        k = int(np.argmax(self.table["ours"].to_numpy()))
        row = self.table.iloc[k]
        return float(row["ours"]), float(row["tip_speed_ratio"]), float(row["pitch_deg"])


def maps(quick: bool) -> list[Map]:
    """Compute the map at the places of the tables; the quick form at every third."""
    made = []
    for aerofoil in AEROFOILS:
        data = cart(aerofoil)
        blade = data.aero.refined(STATIONS)
        table = pd.read_csv(DATA / f"cart_coefficients_{aerofoil}.csv")
        table = table[table["pitch_deg"].between(-4, 12)].reset_index(drop=True)
        if quick:
            table = table[table["tip_speed_ratio"].isin([4, 6, 7.5, 8.5, 10])].reset_index(drop=True)
        ours = [
            coefficients(blade, data.polars, tip_speed_ratio=float(ratio), pitch=float(np.radians(pitch)))
            for ratio, pitch in zip(table["tip_speed_ratio"], table["pitch_deg"], strict=True)
        ]
        made.append(Map(aerofoil, table.assign(ours=[c.power for c in ours], ours_thrust=[c.thrust for c in ours])))
    return made


def power_over_wind(winds: Array, pitches: Array) -> Array:
    """Return the power (W) at rated rotor speed over winds (m/s) and pitch angles (rad), shape (winds, pitches)."""
    data = cart()
    radius, blade = data.aero.tip_radius, data.aero.refined(STATIONS)
    made = np.empty((len(winds), len(pitches)))
    for i, wind in enumerate(winds):
        scale = 0.5 * data.density * wind**3 * np.pi * radius**2
        for j, pitch in enumerate(pitches):
            ratio = RATED_SPEED * radius / wind
            made[i, j] = scale * coefficients(blade, data.polars, tip_speed_ratio=ratio, pitch=float(pitch)).power
    return made
