"""Two-bladed wind turbines: data of public machines, and the mechanism made of them."""

from .building import Air, wind_turbine
from .data import DriveTrain, Solid, Teeter, TurbineData
from .loads import BladeLoads, blade_loads
from .machines import awt27, cart

__all__ = [
    "Air",
    "BladeLoads",
    "DriveTrain",
    "Solid",
    "Teeter",
    "TurbineData",
    "awt27",
    "blade_loads",
    "cart",
    "wind_turbine",
]
