"""Air on blades: polars, wind, blade sections, rotors with their inflow, and what a rotor makes of a wind.

Angles are in radians, forces in newtons; the wind is a velocity in space.
"""

from .performance import BladeGeometry, Coefficients, coefficients
from .polars import Polar
from .rotor import BladeSection, TowerShadow, Wake, rotor
from .wind import Wind

__all__ = [
    "BladeGeometry",
    "BladeSection",
    "Coefficients",
    "Polar",
    "TowerShadow",
    "Wake",
    "Wind",
    "coefficients",
    "rotor",
]
