"""Ready-made diagrams: engines, gearboxes, cars that drive a cycle, cooling and oil circuits, a battery, generators and
the control of a wind turbine.

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
    "turbine_controller",
    "pitch_controller",
    "generator_torque_law",
    "thevenin_generator",
    "inverter_generator",
    "induction_generator",
    "dynamic_induction_generator",
    "TurbineControl",
    "InductionMachine",
    "AIR_FUEL_RATIO",
    "CYCLES",
    "INERTIA",
    "INITIAL",
    "SPARK_ADVANCE",
    "CarData",
    "DriveCycle",
    "InitialValues",
    "OilData",
    "ShiftMap",
    "ThermalData",
    "automatic_car",
    "automatic_gearbox",
    "battery",
    "controlled_engine",
    "drive_cycle",
    "driver",
    "engine",
    "engine_map",
    "engine_thermal_system",
    "engine_with_gearbox",
    "gear_shift",
    "heat_exchanger",
    "manual_gearbox",
    "mean_value_engine",
    "oil_circuit",
    "passenger_car",
    "pipe",
    "speed_controller",
    "thermostat",
    "torque_converter",
    "vehicle",
    "willans_engine",
]
