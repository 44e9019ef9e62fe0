"""What a two-bladed wind turbine is described with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...aerodynamics import BladeGeometry, Polar
from ...modelling.table_beams import BeamTable


@dataclass(frozen=True)
class Teeter:
    """Hinge between shaft and hub.

    Parameters
    ----------
    undersling : float
        Distance by which the crossing of the blade axes lies upwind of the pin, m.
    damping : float
        N m s/rad.
    stiffness : float
        N m/rad.
    stop_angle, stop_stiffness : float
        Beyond this angle (rad) a stop adds this stiffness (N m/rad); stiffness 0: no stop.
    """

    undersling: float = 0.0
    damping: float = 0.0
    stiffness: float = 0.0
    stop_angle: float = np.pi
    stop_stiffness: float = 0.0

    def curve(self) -> list[tuple[float, float]]:
        """Return the moment of the stops over the teeter angle."""
        k, a = self.stop_stiffness, self.stop_angle
        return [(-a - 1.0, -k), (-a, 0.0), (a, 0.0), (a + 1.0, k)]


@dataclass(frozen=True)
class DriveTrain:
    """Shaft, gearbox and generator rotor.

    Parameters
    ----------
    ratio : float
        Speed of the generator over that of the rotor.
    generator_inertia : float
        About the fast shaft, kg m².
    stiffness, damping : float
        Torsion of the slow shaft, N m/rad and N m s/rad.
    """

    ratio: float
    generator_inertia: float
    stiffness: float
    damping: float


@dataclass(frozen=True)
class Solid:
    """Mass (kg), place of its centre (m) and principal inertias about it (kg m²)."""

    mass: float
    centre: tuple[float, float, float]
    inertia: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class TurbineData:
    """A two-bladed turbine.

    Frames: x downwind, z up; the nacelle's as it is without yaw, with its origin at the tower top. The rotor frame has
    its origin at the teeter pin: x along the shaft downwind, z along blade 1.

    Parameters
    ----------
    name : str
        Name of the machine.
    tower, blade : BeamTable
        Tower (first axis x: side to side) and blade (first axis out of the rotor plane: edge; second: flap).
    aero : BladeGeometry
        Chord and twist.
    polars : sequence of Polar
        Of the blade.
    tower_to_shaft : float
        Height of the shaft above the tower top on the yaw axis, m.
    overhang : float
        From the yaw axis to the teeter pin along the shaft, downwind positive, m.
    tilt : float
        Of the shaft: its upwind end is up by this angle for upwind rotors, rad.
    nacelle, shaft, hub : Solid
        Nacelle in its frame; yoke on the shaft and teetering hub in the rotor frame.
    teeter, drive : Teeter, DriveTrain
        Hinge and drive train.
    pitch : float
        At rest, rad.
    tip_mass : float
        At each tip, kg.
    blade_damping, tower_damping : float
        Time s of damping proportional to stiffness.
    tower_radius, tower_drag : float
        Of the tower shadow, m.
    gravity, density : float
        m/s² and kg/m³.
    """

    name: str
    tower: BeamTable
    blade: BeamTable
    aero: BladeGeometry
    polars: Sequence[Polar]
    tower_to_shaft: float
    overhang: float
    tilt: float
    nacelle: Solid
    shaft: Solid
    hub: Solid
    teeter: Teeter
    drive: DriveTrain
    pitch: float = 0.0
    tip_mass: float = 0.0
    blade_damping: float = 0.0
    tower_damping: float = 0.0
    tower_radius: float = 0.0
    tower_drag: float = 0.0
    gravity: float = 9.81
    density: float = 1.225
    notes: tuple[str, ...] = field(default=())

    @property
    def hub_height(self) -> float:
        """Height of the teeter pin, m."""
        return self.tower.length + self.tower_to_shaft - self.overhang * float(np.sin(self.tilt))
