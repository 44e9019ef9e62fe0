"""The drive of the kart: the library's engine with its automatic gearbox, with a throttle law and shift speeds of ours.

The source prints neither. They are set so that the gearbox shifts between 4 and 5 s and at 8 s and the pitch has the
range of figure 14. Shift speeds lie in the middle between two samples of the shift logic (0.04 s), so that rounding and
the errors of a coupled run do not move a shift by a whole sample.
"""

from __future__ import annotations

from typing import Any

from ...diagram import Diagram, library
from ...multibody.library import KartData

#: Throttle of the manoeuvre: s, degrees. It stands for figure 13, which is printed without numbers.
THROTTLE_TIME = (0.0, 1.0, 2.0, 3.0, 4.9, 6.0, 7.9, 8.2, 8.25, 10.0)
THROTTLE_ANGLE = (5.0, 10.0, 14.0, 17.0, 17.0, 40.0, 90.0, 90.0, 0.0, 0.0)

#: Speeds at which gears 1, 2 and 3 are left upwards, m/s; 3 is never left in the manoeuvre.
SHIFT_SPEEDS = (9.88, 17.10, 40.0)
#: The same downwards from gears 2, 3 and 4: not while the vehicle rolls.
DOWN_SPEEDS = (1.0, 2.0, 3.0)

#: Factor on the converter's K: how softly it couples engine and wheels; the library's own is 2.2.
CAPACITY_SCALE = 3.0

#: Where the engine begins: idling.
START = library.InitialValues(speed=80.0, pressure=0.5, air=0.12)

OUTPUTS = {"axle_torque": "N m", "rpm": "rpm", "torque": "N m", "pressure": "bar", "gear": ""}

_MPH = 0.44704


def shift_map() -> library.ShiftMap:
    """Return the shift speeds, the same for every throttle."""
    up, down = ([[speed / _MPH] * 2 for speed in speeds] for speeds in (SHIFT_SPEEDS, DOWN_SPEEDS))
    return library.ShiftMap((0.0, 100.0), up, (0.0, 100.0), down)


def gearbox_drive(*, capacity_scale: float = CAPACITY_SCALE, **settings: Any) -> Diagram:
    """Return throttle law, engine, converter and gearbox as one diagram.

    Input ``wheel_speed`` (rad/s, mean of the driven wheels); outputs ``axle_torque`` (N m), ``rpm``, ``torque`` (N m,
    of the crank), ``pressure`` (bar), ``throttle`` (deg), ``gear``. Settings are those of a
    :class:`~counterpoint.diagram.Diagram`.

    Examples
    --------
    >>> drive = gearbox_drive()
    >>> result = drive.run(until=1.0, step=1e-3)
    >>> print(f'{result["drive.axle_torque"].at(1.0):.0f} N m with the wheels held')
    435 N m with the wheels held
    """
    model = Diagram("drive", **settings)
    wheel_speed = model.input("wheel_speed", 0.0, unit="rad/s")
    throttle = model.lookup_1d(model.clock(), x=THROTTLE_TIME, y=THROTTLE_ANGLE, locate_corners=True, name="throttle")
    engine = library.engine_with_gearbox(
        capacity_scale=capacity_scale, shift_map=shift_map(), wheel_radius=KartData().wheel_radius, initial=START
    )
    block = model.superblock(engine, throttle=throttle, wheel_speed=wheel_speed, name="engine")
    for port, unit in OUTPUTS.items():
        model.output(port, block[port], unit=unit)
    model.output("throttle", throttle, unit="deg")
    return model
