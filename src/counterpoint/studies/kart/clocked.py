"""The counter-example: a drive that shifts by a clock, or by a speed that comes from the other subsystem.

The engine is that of Crossley and Cook (1991), from :mod:`counterpoint.diagram.library`; converter, interruption of the
torque and times of the shifts are ours. Shifting by time keeps the event inside the drive; shifting by speed lets it
depend on what crosses the interface. The steep converter makes high orders of extrapolation unstable.
"""

from __future__ import annotations

from typing import Any

from ...diagram import Diagram, library
from ...diagram.block import Block
from ...errors import SetupError, did_you_mean

#: Ratio of turbine to engine speed; impeller torque over the square of the engine speed, N m/(rad/s)²; torque ratio.
SPEED_RATIO = (0.0, 0.2, 0.4, 0.6, 0.8, 0.87, 0.95, 1.0, 1.05)
CAPACITY = (0.00125, 0.00125, 0.00122, 0.00115, 0.00095, 0.00072, 0.0004, 0.0, -0.0004)
TORQUE_RATIO = (1.9, 1.7, 1.48, 1.27, 1.07, 1.0, 1.0, 1.0, 1.0)

GEAR_RATIOS = (2.393, 1.450, 1.000, 0.677)
FINAL_DRIVE = 4.1
EFFICIENCY = 0.93

#: A shift takes so long, s; in its middle so much of the torque is gone.
SHIFT_DURATION = 0.4
INTERRUPTION = 0.9
#: When the gearbox shifts up: by the clock, s, and by the speed of the driven wheels, m/s, which is theirs then.
SHIFT_TIMES = (4.39, 7.93)
SHIFT_SPEEDS = (10.73, 16.83)
#: From angle to way in the shift logic, m.
WHEEL_RADIUS = 0.28

#: Throttle of the manoeuvre: s, degrees. It stands for figure 13, which is printed without numbers.
THROTTLE_TIME = (0.0, 0.5, 1.2, 2.5, 4.2, 5.0, 6.5, 8.8, 9.1, 10.0)
THROTTLE_ANGLE = (7.0, 7.0, 12.0, 22.0, 26.0, 30.0, 34.0, 34.0, 5.5, 5.5)

#: Where the engine begins: 95 rad/s, 0.4 bar, and the charge that it draws in half a turn there.
START = library.InitialValues(speed=95.0, pressure=0.4, air=0.096)

SHIFTING = ("by time", "by speed")


def clocked_drive(*, shifting: str = "by time", **settings: Any) -> Diagram:
    """Return the drive that shifts by time or at a speed.

    Input ``wheel_speed`` (rad/s, mean of the driven wheels); outputs ``axle_torque`` (N m), ``speed`` (rad/s, of the
    crank), ``rpm``, ``torque`` (N m, of the crank), ``pressure`` (bar), ``throttle`` (deg), ``gear`` (between two
    gears while it shifts).

    Parameters
    ----------
    shifting : {"by time", "by speed"}
        Shift up at `SHIFT_TIMES`, or when the speed of the wheels passes `SHIFT_SPEEDS`.
    **settings
        Of the :class:`~counterpoint.diagram.Diagram`: ``solver``, ``step``, ``locate_events`` ...

    Examples
    --------
    >>> drive = clocked_drive()
    >>> result = drive.run(until=1.0, step=1e-3)
    >>> print(f'{result["drive.axle_torque"].at(1.0):.0f} N m with the wheels held')
    551 N m with the wheels held
    """
    if shifting not in SHIFTING:
        raise SetupError(f'shifting "{shifting}"{did_you_mean(shifting, SHIFTING)}')
    model = Diagram("drive", **settings)
    wheel_speed = model.input("wheel_speed", 0.0, unit="rad/s")
    clock = model.clock()
    throttle = model.lookup_1d(clock, x=THROTTLE_TIME, y=THROTTLE_ANGLE, locate_corners=True, name="throttle")
    engine = model.superblock(library.engine(initial=START), throttle=throttle, name="engine")
    gear = _by_time(model, clock) if shifting == "by time" else _by_speed(model, wheel_speed * WHEEL_RADIUS)
    steps = tuple(range(1, len(GEAR_RATIOS) + 1))
    ratio = model.lookup_1d(gear, x=steps, y=GEAR_RATIOS, name="gear_ratio") * FINAL_DRIVE
    load, turbine = _converter(model, engine["speed"], ratio * wheel_speed)
    engine.connect(load=load)
    shift = model.expression(f"{EFFICIENCY} * (1 - {INTERRUPTION} * sin(pi*(g - floor(g))))", g=gear, name="clutch")
    model.output("axle_torque", model.product(ratio, turbine, shift), unit="N m")
    for port, unit in (("speed", "rad/s"), ("rpm", "rpm"), ("torque", "N m"), ("pressure", "bar")):
        model.output(port, engine[port], unit=unit)
    model.output("throttle", throttle, unit="deg")
    model.output("gear", gear)
    return model


def _converter(model: Diagram, engine_speed: Any, turbine_speed: Any) -> tuple[Block, Block]:
    """Add the torque converter; returns the torques on impeller and turbine, N m."""
    ratio = model.divide(turbine_speed, engine_speed, name="speed_ratio")
    capacity = model.lookup_1d(ratio, x=SPEED_RATIO, y=CAPACITY, extrapolation="linear", name="capacity")
    gain = model.lookup_1d(ratio, x=SPEED_RATIO, y=TORQUE_RATIO, name="torque_ratio")
    impeller = model.product(capacity, engine_speed, engine_speed, name="impeller")
    return impeller, model.product(impeller, gain, name="turbine")


def _by_time(model: Diagram, clock: Any) -> Block:
    """Add gears that change by the clock."""
    times = [t for start in SHIFT_TIMES for t in (start, start + SHIFT_DURATION)]
    gears = [float(g) for g in range(1, len(SHIFT_TIMES) + 1) for g in (g, g + 1)]
    return model.lookup_1d(clock, x=times, y=gears, locate_corners=True, name="gear")


def _by_speed(model: Diagram, speed: Any) -> Block:
    """Add gears that change up when the speed (m/s) has been reached, and down never: not before it goes backwards."""
    shifted = []
    for k, reached in enumerate(SHIFT_SPEEDS, start=2):
        begun = model.relay(speed, switch_on=reached, switch_off=-1.0, name=f"up_to_{k}")
        rate = begun * (1.0 / SHIFT_DURATION)
        shifted.append(model.integrator(rate, limits=(0.0, 1.0), name=f"shifted_to_{k}"))
    return model.sum(model.constant(1.0), *shifted, name="gear")
