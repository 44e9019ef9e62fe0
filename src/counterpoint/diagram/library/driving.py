"""A passenger car with automatic gearbox: engine map, converter, gears, vehicle."""

from __future__ import annotations

from typing import Any

from ..diagram import Diagram
from .driveline import FOOT_POUND, MILE_PER_HOUR, RPM, automatic_gearbox, engine_map, vehicle

#: Moment of inertia of engine and impeller, kg m2 (0.02199 ft lbf s/rpm).
ENGINE_INERTIA = 0.0219914882835559 * FOOT_POUND / RPM
IDLE, LIMIT = 600.0, 6000.0
"""Range of engine speeds, rpm."""


def automatic_car(*, name: str = "car", **settings: Any) -> Diagram:
    """Return a car with a 450 N m engine (map) and a four-speed automatic gearbox.

    Inputs ``throttle`` (per cent) and ``brake_torque`` (N m, at the wheel); outputs ``vehicle_speed`` (m/s), ``mph``,
    ``gear``, ``engine_rpm`` and ``axle_torque`` (N m). It starts from rest in first gear with the engine at 1000 rpm.

    Examples
    --------
    >>> car = automatic_car(solver="ode45")
    >>> result = car.run(until=10.0, step=0.04)
    >>> int(result["car.gear"].values[-1])
    4
    """
    model = Diagram(name, **settings)
    throttle, brake = model.input("throttle", 40.0, unit="%"), model.input("brake_torque", 0.0, unit="N m")
    speed = model.integrator(initial=1000.0 * RPM, limits=(IDLE * RPM, LIMIT * RPM), name="engine_speed")
    torque = model.superblock(engine_map(), throttle=throttle, speed=speed, name="map")
    body = model.superblock(vehicle(), brake_torque=brake, name="vehicle")
    gearbox = model.superblock(
        automatic_gearbox(), throttle=throttle, engine_speed=speed, wheel_speed=body["wheel_speed"], name="gearbox"
    )
    body.connect(axle_torque=gearbox["axle_torque"])
    (torque - gearbox["engine_load"]) * (1.0 / ENGINE_INERTIA) >> speed
    model.output("vehicle_speed", body["vehicle_speed"], unit="m/s")
    model.output("mph", body["vehicle_speed"] * (1.0 / MILE_PER_HOUR), unit="mph")
    model.output("gear", gearbox["gear"])
    model.output("engine_rpm", speed * (1.0 / RPM), unit="rpm")
    model.output("axle_torque", gearbox["axle_torque"], unit="N m")
    return model
