"""Machines whose data are public: the AWT-27 and the CART."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from ...aerodynamics import BladeGeometry, Polar
from ...modelling.table_beams import BeamTable
from .data import DriveTrain, Solid, Teeter, TurbineData

DATA = Path(__file__).parent / "data"
_STRUCTURAL_DAMPING = 0.00507
"""Of the AWT-27's blades, s: 3.9 % of critical for the first flap mode, 11.4 % for edge, 12 % for the second flap."""
_TOWER_DAMPING = 0.0162
"""Of its tower, s: 5 % of critical at 0.98 Hz."""


@cache
def awt27() -> TurbineData:
    """Return the AWT-27: two blades, teetering, downwind, 27 m, stall-regulated.

    Examples
    --------
    >>> print(round(awt27().hub_height, 3))
    42.672
    """
    import pandas as pd

    folder = DATA / "awt27"
    blade = pd.read_csv(folder / "blade.csv")
    tower = pd.read_csv(folder / "tower.csv")
    air = pd.read_csv(folder / "blade_aero.csv")
    unsteady = pd.read_csv(folder / "unsteady_aero.csv")
    # Slope of the normal force, where it is zero and where it stalls are those of the source's dynamic stall.
    polars = [
        Polar.read(
            folder / f"polars_{int(row['polar']):02d}.csv", zero_lift=float(np.radians(row["alpha_zero_lift_deg"])),
            lift_slope=float(row["cn_slope_per_rad"]), stall=(float(row["cn_crit_neg"]), float(row["cn_crit_pos"])),
        )
        for row in unsteady.to_dict("records")
    ]  # fmt: skip
    aero = BladeGeometry(
        air["radius_m"].to_numpy(), air["chord_m"].to_numpy(), np.radians(air["aero_twist_deg"].to_numpy()),
        air["polar"].to_numpy() - 1, tip_radius=13.757, hub_radius=1.184, blades=2, cone=float(np.radians(7.0)),
    )  # fmt: skip
    structure = BeamTable(
        blade["from_root_m"].to_numpy(), blade["mass_per_length_kg_m"].to_numpy(), blade["EI_edge_Nm2"].to_numpy(),
        blade["EI_flap_Nm2"].to_numpy(), twist=-np.radians(blade["structural_twist_deg"].to_numpy()),
    )  # fmt: skip
    mast = BeamTable(
        tower["height_m"].to_numpy(), tower["mass_per_length_kg_m"].to_numpy(), tower["EI_side_Nm2"].to_numpy(),
        tower["EI_fore_aft_Nm2"].to_numpy(),
    )  # fmt: skip
    turning = 4604.84 - 5015.43 * 0.193**2  # about the yaw axis is given; roll and pitch get half each
    return TurbineData(
        name="AWT-27", tower=mast, blade=structure, aero=aero, polars=tuple(polars), tower_to_shaft=0.692,
        overhang=2.432, tilt=0.0,
        nacelle=Solid(5015.43, (0.193, 0.0, 0.684), (turning / 2, turning / 2, turning)),
        shaft=Solid(1.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)),
        hub=Solid(1330.0, (0.253, 0.0, 0.0), (250.21, 250.21, 0.01)),
        teeter=Teeter(undersling=0.153, damping=40000.0, stiffness=1.0),
        drive=DriveTrain(ratio=22.5, generator_inertia=59.26, stiffness=5e7, damping=1e6),
        pitch=float(np.radians(-1.0)), tip_mass=11.34, blade_damping=_STRUCTURAL_DAMPING,
        tower_damping=_TOWER_DAMPING, tower_radius=0.822368 / 2, tower_drag=0.7296, gravity=9.80665,
    )  # fmt: skip


@cache
def cart(aerofoil: str = "naca0012") -> TurbineData:
    """Return the CART: two blades, teetering, upwind, 43 m, 600 kW, variable speed and pitch.

    Parameters
    ----------
    aerofoil : {"naca0012", "ls417mod"}
        Polar of the whole blade: that of the model that Solcia (2010) used, or close to the machine's own.

    Examples
    --------
    >>> print(round(cart().blade.mass))
    2126
    """
    import pandas as pd

    folder = DATA / "cart"
    blade = pd.read_csv(folder / "blade.csv")
    tower = pd.read_csv(folder / "tower.csv")
    x = blade["dist_from_root_m"].to_numpy()
    aero = BladeGeometry(
        1.381 + x, blade["chord_m"].to_numpy(), np.radians(blade["aero_twist_deg"].to_numpy()),
        np.zeros(len(x), dtype=np.int64), tip_radius=21.336, hub_radius=1.381, blades=2,
    )  # fmt: skip
    structure = BeamTable(
        x, blade["m_per_L_kg_m"].to_numpy(), blade["EIy_edge_Nm2"].to_numpy(), blade["EIz_flap_Nm2"].to_numpy(),
        GJ=blade["GJ_Nm2"].to_numpy(), twist=-np.radians(blade["struct_twist_deg"].to_numpy()),
        polar_inertia=(blade["Iy_per_L_kg_m"] + blade["Iz_per_L_kg_m"]).to_numpy(),
    )  # fmt: skip
    mast = BeamTable(
        tower["height_m"].to_numpy(), tower["m_per_L_kg_m"].to_numpy(), tower["EIy_Nm2"].to_numpy(),
        tower["EIz_Nm2"].to_numpy(), GJ=tower["GJ_Nm2"].to_numpy(),
        polar_inertia=(tower["Iy_per_L_kg_m"] + tower["Iz_per_L_kg_m"]).to_numpy(),
    )  # fmt: skip
    return TurbineData(
        name="CART", tower=mast, blade=structure, aero=aero,
        polars=(Polar.read(folder / f"polar_{aerofoil}.csv"),), tower_to_shaft=1.734, overhang=-3.867,
        tilt=float(np.radians(3.77)),
        nacelle=Solid(23228.0, (-0.402, 0.0, 1.734), (1010.0, 36590.0, 36590.0)),
        shaft=Solid(5885.0, (1.0, 0.0, 0.0), (7500.0, 5000.0, 5000.0)),
        hub=Solid(5852.0, (0.0, 0.0, 0.0), (7500.0, 7500.0, 100.0)),
        teeter=Teeter(damping=5e4, stop_angle=float(np.radians(3.0)), stop_stiffness=2e7),
        drive=DriveTrain(ratio=43.165, generator_inertia=34.4, stiffness=2.691e7, damping=2.4e4),
        pitch=float(np.radians(-1.0)), blade_damping=0.0016, tower_damping=0.0066,
        notes=("teeter damping and stops, structural damping and the split of the hub inertia are assumed",),
    )  # fmt: skip
