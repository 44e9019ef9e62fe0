"""Mechanisms of the literature, ready to run: for a first look, for tests and for measurements.

Each function returns a new :class:`~counterpoint.multibody.Mechanism` that may be changed before it runs.
"""

from .mechanisms import andrews, bricard, flyball, four_bar, pendulum
from .vehicle import Axle, KartData, kart
from .wind_turbine import TurbineData, awt27, cart, wind_turbine

__all__ = [
    "Axle",
    "KartData",
    "TurbineData",
    "andrews",
    "awt27",
    "bricard",
    "cart",
    "flyball",
    "four_bar",
    "kart",
    "pendulum",
    "wind_turbine",
]
