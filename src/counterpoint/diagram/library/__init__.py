"""Ready-made diagrams: engines, gearboxes, cars, cooling and oil circuits, a battery, generators, turbine control.

Every function returns a :class:`~counterpoint.diagram.Diagram`, to be run, used as a superblock, or changed. Units of
ports are SI except where the models' own are customary: throttle in degrees (engine) or per cent (engine map), manifold
pressure in bar, air in grams.
"""

from __future__ import annotations

from .cycles import CYCLES, DriveCycle, drive_cycle
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
from .generators import (
    InductionMachine,
    dynamic_induction_generator,
    induction_generator,
    inverter_generator,
    thevenin_generator,
)
from .heat import OilData, battery, heat_exchanger, oil_circuit, pipe, thermostat
from .passenger_car import CarData, driver, manual_gearbox, passenger_car, willans_engine
from .thermal_system import ThermalData, engine_thermal_system
from .turbine_control import TurbineControl, generator_torque_law, pitch_controller, turbine_controller

__all__ = [
    "AIR_FUEL_RATIO",
    "CYCLES",
    "INERTIA",
    "INITIAL",
    "SPARK_ADVANCE",
    "CarData",
    "DriveCycle",
    "InductionMachine",
    "InitialValues",
    "OilData",
    "ShiftMap",
    "ThermalData",
    "TurbineControl",
    "automatic_car",
    "automatic_gearbox",
    "battery",
    "controlled_engine",
    "drive_cycle",
    "driver",
    "dynamic_induction_generator",
    "engine",
    "engine_map",
    "engine_thermal_system",
    "engine_with_gearbox",
    "gear_shift",
    "generator_torque_law",
    "heat_exchanger",
    "induction_generator",
    "inverter_generator",
    "manual_gearbox",
    "mean_value_engine",
    "oil_circuit",
    "passenger_car",
    "pipe",
    "pitch_controller",
    "speed_controller",
    "thermostat",
    "thevenin_generator",
    "torque_converter",
    "turbine_controller",
    "vehicle",
    "willans_engine",
]
