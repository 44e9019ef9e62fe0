"""Ready-made diagrams: a four-cylinder engine with valve events, its controller, an automatic gearbox, a car.

Every function returns a :class:`~counterpoint.diagram.Diagram`, to be run, used as a superblock, or changed. Units of
ports are SI except where the models' own are customary: throttle in degrees (engine) or per cent (engine map), manifold
pressure in bar, air in grams.
"""

from __future__ import annotations

from .driveline import (
    ShiftMap,
    automatic_gearbox,
    engine_map,
    engine_with_gearbox,
    gear_shift,
    torque_converter,
    vehicle,
)
from .driving import automatic_car
from .engine import (
    AIR_FUEL_RATIO,
    INERTIA,
    INITIAL,
    SPARK_ADVANCE,
    InitialValues,
    controlled_engine,
    engine,
    mean_value_engine,
    speed_controller,
)

__all__ = [
    "AIR_FUEL_RATIO",
    "INERTIA",
    "INITIAL",
    "SPARK_ADVANCE",
    "InitialValues",
    "ShiftMap",
    "automatic_car",
    "automatic_gearbox",
    "controlled_engine",
    "engine",
    "engine_map",
    "engine_with_gearbox",
    "gear_shift",
    "mean_value_engine",
    "speed_controller",
    "torque_converter",
    "vehicle",
]
