"""Torque converter, automatic gearbox, engine map and vehicle of a passenger car.

The model and its figures are those of the classical automatic transmission example of block-diagram programs, as
published with the Zelus compiler's examples (INRIA, examples/autotrans; numbers only). They are kept in their original
units (ft lbf, mph, rpm) and converted here, so that they can be compared with the source; ports are SI.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..block import Block
from ..diagram import Diagram
from .engine import InitialValues, engine

#: N m per ft lbf, m/s per mph, rad/s per rpm.
FOOT_POUND = 1.3558179483314
MILE_PER_HOUR = 0.44704
RPM = math.pi / 30.0

#: Ratio of turbine to impeller speed, capacity factor K in rpm/sqrt(ft lbf), torque ratio.
SPEED_RATIO = (
    *(
        0.0,
        0.1,
        0.2,
        0.3,
        0.4,
        0.5,
        0.6,
        0.7,
        0.8,
        0.81,
        0.82,
        0.83,
        0.84,
        0.85,
        0.86,
        0.87,
        0.88,
        0.89,
        0.9,
        0.92,
        0.94,
    ),
)
CAPACITY = (
    *(
        137.465,
        137.065,
        135.864,
        135.664,
        137.565,
        140.367,
        145.269,
        152.873,
        162.977,
        164.278,
        166.179,
        167.980,
        170.081,
    ),
    *(172.782, 175.383, 179.585, 183.587, 189.890, 197.694, 215.902, 244.516),
)
TORQUE_RATIO = (
    *(2.232, 2.075, 1.975, 1.846, 1.720, 1.564, 1.409, 1.254, 1.096, 1.080, 1.061, 1.043, 1.028, 1.012, 1.002, 1.002),
    *(1.001, 0.998, 0.999, 1.001, 1.002),
)

GEAR_RATIOS = (2.393, 1.450, 1.000, 0.677)
FINAL_DRIVE = 3.23

#: Throttle in per cent, and the speeds in mph at which gears 1, 2, 3 are left upwards.
UP_THROTTLE = (0.0, 25.0, 35.0, 50.0, 90.0, 100.0)
UP_SPEED = ((10, 10, 15, 23, 40, 40), (30, 30, 30, 41, 70, 70), (50, 50, 50, 60, 100, 100))
#: The same for gears 2, 3, 4 downwards.
DOWN_THROTTLE = (0.0, 5.0, 40.0, 50.0, 90.0, 100.0)
DOWN_SPEED = ((5, 5, 5, 5, 30, 30), (20, 20, 25, 30, 50, 50), (35, 35, 40, 50, 80, 80))


@dataclass(frozen=True)
class ShiftMap:
    """At which speeds a gearbox shifts, over the throttle; the default is that of the passenger car.

    Attributes
    ----------
    up_throttle : sequence of float
        Per cent.
    up_mph : three sequences of float
        For each of these, the speeds in mph at which gears 1, 2, 3 are left upwards; m/s: times 0.44704.
    down_throttle, down_mph
        The same for gears 2, 3, 4 downwards.
    """

    up_throttle: Sequence[float] = UP_THROTTLE
    up_mph: Sequence[Sequence[float]] = UP_SPEED
    down_throttle: Sequence[float] = DOWN_THROTTLE
    down_mph: Sequence[Sequence[float]] = DOWN_SPEED


#: Engine map: throttle in per cent (rows), rpm (columns), torque in ft lbf.
MAP_THROTTLE = (0.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0)
MAP_RPM = tuple(range(800, 4801, 400))
MAP_TORQUE = (
    (-40, -44, -49, -53, -57, -61, -65, -70, -74, -78, -82),
    (215, 117, 85, 66, 44, 29, 10, -2, -13, -22, -32),
    (245, 208, 178, 148, 122, 104, 85, 66, 48, 33, 18),
    (264, 260, 241, 219, 193, 167, 152, 133, 119, 96, 85),
    (264, 279, 282, 275, 260, 238, 223, 208, 189, 171, 152),
    (267, 290, 293, 297, 290, 275, 260, 256, 234, 212, 193),
    (267, 297, 305, 305, 305, 301, 293, 282, 267, 249, 226),
    (267, 301, 308, 312, 319, 323, 319, 316, 297, 279, 253),
    (267, 301, 312, 319, 327, 327, 327, 327, 312, 293, 267),
    (267, 301, 312, 319, 327, 334, 334, 334, 319, 305, 275),
)

#: Moment of inertia of the vehicle at the wheel, kg m2 (12.094 ft lbf s/rpm), radius of the wheel in m (1 ft).
VEHICLE_INERTIA = 12.09414785731247 * FOOT_POUND / RPM
WHEEL_RADIUS = 0.3048
#: Resistance at the wheel: N m, and N m/(m/s)2 (40 ft lbf, 0.02 ft lbf/mph2).
RESISTANCE = 40.0 * FOOT_POUND
DRAG = 0.02 * FOOT_POUND / MILE_PER_HOUR**2


def torque_converter(*, capacity_scale: float = 1.0, name: str = "converter") -> Diagram:
    """Return the torque converter.

    Inputs ``engine_speed`` and ``turbine_speed`` (rad/s); outputs ``impeller_torque`` (N m, what it takes from the
    engine) and ``turbine_torque`` (N m). Impeller torque ``(n/K)**2``, turbine torque from the ratio of torques, both
    over the ratio of speeds; straight lines between the points of the tables and beyond them.

    Parameters
    ----------
    capacity_scale : float
        Factor on K. The table belongs to an engine of about 450 N m; smaller engines need more, see
        :func:`engine_with_gearbox`.
    """
    model = Diagram(name)
    engine_speed, turbine_speed = model.input("engine_speed"), model.input("turbine_speed")
    ratio = model.divide(turbine_speed, engine_speed, name="speed_ratio")
    capacity = model.lookup_1d(ratio, x=SPEED_RATIO, y=CAPACITY, extrapolation="linear", name="capacity")
    gain = FOOT_POUND / (RPM * capacity_scale) ** 2
    impeller = model.expression("k * (n / c)**2", n=engine_speed, c=capacity, k=gain, name="impeller")
    multiplied = model.lookup_1d(ratio, x=SPEED_RATIO, y=TORQUE_RATIO, extrapolation="linear", name="torque_ratio")
    model.output("impeller_torque", impeller, unit="N m")
    model.output("turbine_torque", multiplied * impeller, unit="N m")
    return model


def gear_shift(
    *, shift_map: ShiftMap | None = None, sample_time: float = 0.04, confirmation: int = 2, name: str = "shift"
) -> Diagram:
    """Return the shift logic: gears 1 to 4, one up or down at a time.

    Inputs ``throttle`` (per cent) and ``vehicle_speed`` (m/s), output ``gear``. A shift takes place when the speed has
    been beyond the shift speed of the present gear and throttle for ``confirmation`` further samples.
    """
    speeds = shift_map or ShiftMap()
    model = Diagram(name)
    throttle = model.input("throttle")
    mph = model.zero_order_hold(model.input("vehicle_speed") * (1.0 / MILE_PER_HOUR), sample_time=sample_time)
    pedal = model.zero_order_hold(throttle, sample_time=sample_time)
    gear = model.unit_delay(sample_time=sample_time, initial=1.0, name="gear_before")
    never, row = 1e6, gear - 1.0
    up = [model.lookup_1d(pedal, x=speeds.up_throttle, y=y, extrapolation="linear") for y in speeds.up_mph]
    down = [model.lookup_1d(pedal, x=speeds.down_throttle, y=y, extrapolation="linear") for y in speeds.down_mph]
    too_fast = model.compare(mph, ">", model.multiport_switch(row, *up, never, name="up_speed"))
    too_slow = model.compare(mph, "<", model.multiport_switch(row, -never, *down, name="down_speed"))
    shifts = [_confirmed(model, wanted, sample_time, confirmation) for wanted in (too_fast, too_slow)]
    shifted = model.sum(gear, *shifts, signs="++-", name="gear")
    shifted >> gear
    model.output("gear", shifted)
    return model


def _confirmed(model: Diagram, wanted: Any, sample_time: float, samples: int) -> Block:
    """Add a counter of samples in a row; 1 in the sample in which there are enough."""
    count = model.unit_delay(sample_time=sample_time)
    now = model.product(count + 1.0, wanted)
    fires = model.compare(now, ">", samples + 0.5)
    model.product(now, 1.0 - fires) >> count
    return fires


def automatic_gearbox(
    *,
    capacity_scale: float = 1.0,
    shift_map: ShiftMap | None = None,
    wheel_radius: float = WHEEL_RADIUS,
    sample_time: float = 0.04,
    name: str = "gearbox",
) -> Diagram:
    """Return converter, gears, final drive and shift logic.

    Inputs ``throttle`` (per cent), ``engine_speed`` and ``wheel_speed`` (rad/s); outputs ``engine_load`` (N m, at the
    crank), ``axle_torque`` (N m) and ``gear``. Parameters as for :func:`torque_converter` and :func:`gear_shift`;
    ``wheel_radius`` (m) gives the speed at which it shifts.
    """
    model = Diagram(name)
    throttle, engine_speed = model.input("throttle"), model.input("engine_speed", 100.0)
    wheel_speed = model.input("wheel_speed")
    logic = gear_shift(shift_map=shift_map, sample_time=sample_time)
    shift = model.superblock(logic, throttle, wheel_speed * wheel_radius, name="shift")
    ratio = (
        model.lookup_1d(shift, x=(1, 2, 3, 4), y=GEAR_RATIOS, interpolation="nearest", name="gear_ratio") * FINAL_DRIVE
    )
    converter = model.superblock(
        torque_converter(capacity_scale=capacity_scale), engine_speed, ratio * wheel_speed, name="converter"
    )
    model.output("engine_load", converter["impeller_torque"], unit="N m")
    model.output("axle_torque", ratio * converter["turbine_torque"], unit="N m")
    model.output("gear", shift)
    return model


def engine_map(*, name: str = "map") -> Diagram:
    """Return the map of a 450 N m engine: ``torque`` (N m) over ``throttle`` (per cent) and ``speed`` (rad/s)."""
    model = Diagram(name)
    throttle, speed = model.input("throttle"), model.input("speed", 100.0)
    table = model.lookup_2d(
        throttle, speed * (1.0 / RPM), x=MAP_THROTTLE, y=MAP_RPM, table=MAP_TORQUE, extrapolation="linear", name="table"
    )
    model.output("torque", table * FOOT_POUND, unit="N m")
    return model


def vehicle(*, inertia: float = VEHICLE_INERTIA, name: str = "vehicle") -> Diagram:
    """Return a vehicle on a straight road.

    Inputs ``axle_torque`` and ``brake_torque`` (N m); outputs ``wheel_speed`` (rad/s) and ``vehicle_speed`` (m/s).
    Rolling resistance, air drag and brake act against the motion.
    """
    model = Diagram(name)
    drive, brake = model.input("axle_torque"), model.input("brake_torque")
    wheel_speed = model.integrator(name="wheel_speed")
    speed = wheel_speed * WHEEL_RADIUS
    resistance = model.expression("r + d*v**2 + b", v=speed, b=brake, r=RESISTANCE, d=DRAG, name="resistance")
    (drive - model.product(model.sign(speed), resistance)) * (1.0 / inertia) >> wheel_speed
    model.output("wheel_speed", wheel_speed, unit="rad/s")
    model.output("vehicle_speed", speed, unit="m/s")
    return model


def engine_with_gearbox(
    *,
    capacity_scale: float = 2.2,
    shift_map: ShiftMap | None = None,
    wheel_radius: float = WHEEL_RADIUS,
    initial: InitialValues | None = None,
    name: str = "engine",
    **settings: Any,
) -> Diagram:
    """Return the four-cylinder engine with converter and automatic gearbox: what a vehicle model needs of a drive.

    Inputs ``throttle`` (degrees, 0 to 90) and ``wheel_speed`` (rad/s); outputs ``speed`` (rad/s), ``rpm``, ``torque``
    (N m, at the crank), ``pressure`` (bar), ``air`` (g), ``axle_torque`` (N m), ``load`` (N m, at the crank), ``gear``.

    Parameters
    ----------
    capacity_scale : float
        Factor on the converter's K: with 2.0 to 2.5 the engine stalls the converter at 1800 to 2400 rpm.
    shift_map : ShiftMap, optional
        At which speeds it shifts; default: those of a passenger car.
    wheel_radius : float
        From ``wheel_speed`` to the speed of the shift map, m.
    initial : InitialValues, optional
        Default: idling at about 1000 rpm.
    name, **settings
        As for :func:`~counterpoint.diagram.library.engine`.
    """
    model = Diagram(name, **settings)
    throttle, wheel_speed = model.input("throttle", 8.97, unit="deg"), model.input("wheel_speed", unit="rad/s")
    crank = model.superblock(
        engine(initial=initial or InitialValues(speed=105.0, pressure=0.6, air=0.16)), throttle=throttle, name="engine"
    )
    gearbox = model.superblock(
        automatic_gearbox(capacity_scale=capacity_scale, shift_map=shift_map, wheel_radius=wheel_radius),
        throttle=throttle * (100.0 / 90.0),
        engine_speed=crank["speed"],
        wheel_speed=wheel_speed,
        name="gearbox",
    )
    crank.connect(load=gearbox["engine_load"])
    for port, unit in (("speed", "rad/s"), ("rpm", "rpm"), ("torque", "N m"), ("pressure", "bar"), ("air", "g")):
        model.output(port, crank[port], unit=unit)
    model.output("axle_torque", gearbox["axle_torque"], unit="N m")
    model.output("load", gearbox["engine_load"], unit="N m")
    model.output("gear", gearbox["gear"])
    return model
