"""Numbers of the Bo105, with where they come from.

``Padfield``: G. D. Padfield, "Helicopter Flight Dynamics", appendix 4B, as quoted in public models of the aircraft; a
second public set is NASA CR-3144 (Heffley and others, 1979). ``ours``: chosen here, because no public number is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GRAVITY = 9.81
DENSITY = 1.225
"""Air at sea level, kg/m³."""

MASS = 2200.0
"""Take-off mass, kg (Padfield; CR-3144: 2096)."""
INERTIA = {"xx": 1433.0, "yy": 4973.0, "zz": 4099.0, "xz": 660.0}
"""Of the aircraft about its centre of mass, kg m² (Padfield)."""
CENTRE_AHEAD = 0.0163
"""Centre of mass before the shaft, m (Padfield)."""


@dataclass(frozen=True)
class Rotor:
    """A rotor.

    Attributes
    ----------
    radius, root, chord : float
        m; `root` is where the blade's aerofoil begins.
    blades : int
    speed : float
        rad/s
    lift_slope : float
        1/rad
    drag : float
        Drag coefficient of the profile.
    twist : float
        rad from axis to tip.
    flap_inertia : float
        Of a blade about the axis, kg m².
    flap_stiffness : float
        N m/rad
    delta3 : float
        rad
    tip_loss : float
        Part of the radius that lifts.
    hub_mass : float
        kg
    """

    radius: float
    root: float
    chord: float
    blades: int
    speed: float
    lift_slope: float
    drag: float
    twist: float
    flap_inertia: float
    flap_stiffness: float
    delta3: float
    tip_loss: float
    hub_mass: float

    @property
    def lifting_radius(self) -> float:
        """Where lift ends, m: the disc of the inflow."""
        return self.tip_loss * self.radius

    @property
    def area(self) -> float:
        """Of the disc of the inflow, m²."""
        return float(np.pi * self.lifting_radius**2)

    @property
    def blade_mass(self) -> float:
        """Mass of a uniform blade of this flap inertia, kg."""
        return 3.0 * self.flap_inertia / self.radius**2

    @property
    def mass(self) -> float:
        """All that turns, kg."""
        return self.hub_mass + self.blades * self.blade_mass


def profile_drag(delta0: float, delta2: float, thrust_coefficient: float) -> float:
    """Return Padfield's drag coefficient of the profile, ``delta0 + delta2 C_T²``."""
    return delta0 + delta2 * thrust_coefficient**2


def thrust_coefficient(thrust: float, radius: float, speed: float) -> float:
    """Return ``T / (rho pi R² (Omega R)²)``."""
    return thrust / (DENSITY * np.pi * radius**2 * (speed * radius) ** 2)


DOWNLOAD = 0.03
"""Part of the main rotor's thrust that its wake presses on the fuselage (ours)."""
THRUST = MASS * GRAVITY / (1.0 - DOWNLOAD)
TAIL_THRUST = 1195.0
"""Near the hover, N (ours): for the drag of the profile only."""

MAIN = Rotor(
    radius=4.91, root=0.98, chord=0.27, blades=4, speed=44.4, lift_slope=6.113,
    drag=profile_drag(0.0074, 38.66, thrust_coefficient(THRUST, 4.91, 44.4)),
    twist=-0.14, flap_inertia=231.7, flap_stiffness=113330.0, delta3=0.0, tip_loss=0.98, hub_mass=60.0,
)  # fmt: skip
"""Padfield; root cut-out (0.2 R) and mass of the hub are ours."""
TAIL = Rotor(
    radius=0.95, root=0.25, chord=0.18, blades=2, speed=233.1, lift_slope=5.7,
    drag=profile_drag(0.008, 9.5, thrust_coefficient(TAIL_THRUST, 0.95, 233.1)),
    twist=0.0, flap_inertia=0.30, flap_stiffness=0.0, delta3=np.pi / 4, tip_loss=0.98, hub_mass=3.0,
)  # fmt: skip
"""Padfield (gear ratio 5.25, solidity 0.12); flap inertia, root, tip loss and mass of the hub are ours."""

HUB = np.array([-CENTRE_AHEAD, 0.0, 1.48])
"""Main rotor hub from the centre of mass, m: x ahead, y to the left, z up (Padfield)."""
TAIL_HUB = np.array([-6.0163, 0.0, 1.72])
"""Tail rotor hub, m (Padfield). Its offset to the left is left out: roll is excluded."""
PILOT, COPILOT = np.array([1.2, -0.4, -0.3]), np.array([1.2, 0.4, -0.3])
"""Seats, m (ours)."""


@dataclass(frozen=True, eq=False)
class Surface:
    """A fixed surface: area (m²), lift slope (1/rad), angle without lift (rad), place from the centre of mass (m)."""

    area: float
    lift_slope: float
    zero_lift: float
    place: NDArray[np.float64]


FIN = Surface(0.805, 2.704, -0.08116, np.array([-5.432, 0.0, 1.0]))
TAILPLANE = Surface(0.569, 3.762, -0.0698, np.array([-4.576, 0.0, 0.3]))
"""Padfield; heights are ours."""
YAW_DAMPING = 350.0
"""Of the fuselage in the air, N m s/rad (ours)."""
WASH = 6.0
"""Downwash of the main rotor over the tail rotor, along its disc, m/s (ours)."""

YAW_CONTROL = {"trim": 0.1538, "proportional": 0.30, "integral": 0.12, "rate": 0.22}
"""rad, rad/rad, rad/(rad s), rad s/rad (ours)."""
ALTITUDE_CONTROL = {"trim": 0.2552, "proportional": 0.02, "integral": 0.008, "rate": 0.03}
"""rad, rad/m, rad/(m s), rad s/m (ours)."""
PITCH_LIMITS = (-0.1, 0.4)
"""Of the tail rotor's collective pitch, rad (ours)."""
ACTUATOR = 0.05
"""Time constant of the tail rotor's pitch actuator, s (ours)."""
