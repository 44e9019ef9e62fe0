"""The L-loop four-bar linkage that an engine turns through a gearbox (section 5.4), and its one-model twin.

Rods of 1 m and 1 kg, damping of 3.18 N m s/rad on the first crank, tops start with 30 m/s to the right, steps of 1 ms
on both sides, values held. The source does not print its gearbox and throttle law: engine, converter and gearbox are
those of our library, the throttle law is ours.
"""

from __future__ import annotations

import numpy as np

from ... import Diagram, Subsystem, System, hold, table
from ...diagram import library
from ...multibody import Mechanism
from ...multibody.library import four_bar

STEP, SPAN = 1e-3, 30.0
DAMPING, START_SPEED, GRAVITY = 3.18, 30.0, 9.81
THROTTLE = ((0.0, 5.0, 6.0, 12.0, 14.0, 20.0, 21.0, 30.0), (12.0, 12.0, 25.0, 25.0, 40.0, 40.0, 10.0, 10.0))
"""Times in s, angles in degrees."""


def linkage(loops: int) -> Mechanism:
    """Return the mechanism: torque -> speed of the first crank (clockwise, rad/s) and place of its top."""
    model = four_bar(loops)
    for i in range(loops + 1):
        model.points[f"B{i}"].velocity = np.array([START_SPEED, 0.0])
    model.angle("crank", "crank0")
    model.spring("bearing", "crank", damping=DAMPING)
    model.input("torque")
    model.actuator("engine", "crank", force="input:torque")
    model.displacement("x", "B0", along=(1.0, 0.0))
    model.displacement("y", "B0", along=(0.0, 1.0))
    model.output("speed", "crank", "velocity")
    model.output("x", "x")
    model.output("y", "y")
    return model


def drive() -> Diagram:
    """Return engine, converter and gearbox."""
    return library.engine_with_gearbox()


def throttle() -> Subsystem:
    """Return the law of the throttle, degrees."""
    return table(*THROTTLE, outputs="angle", units={"angle": "deg"})


def coupled(mechanism: Subsystem | Mechanism, engine: Subsystem | Diagram) -> System:
    """Couple both as the source does; the mechanism counts angles against the clock, the engine with it."""
    system = System("linkage with engine")
    system.add("throttle", throttle())
    system.add("linkage", mechanism, step=STEP)
    system.add("engine", engine, step=STEP)
    system.connect("throttle.angle", "engine.throttle")
    system.connect("linkage.speed", "engine.wheel_speed", hold(), gain=-1.0)
    system.connect("engine.axle_torque", "linkage.torque", hold(), gain=-1.0)
    return system
