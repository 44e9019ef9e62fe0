"""The control diagram: altitude held by the main rotor's collective pitch, yaw by that of the tail rotor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...diagram import Diagram
from ...diagram.block import Block
from .data import ACTUATOR, ALTITUDE_CONTROL, PITCH_LIMITS, YAW_CONTROL

YAW_STEP = np.radians(5.0)
"""Commanded change of the yaw angle, rad."""
CLIMB_STEP = 0.5
"""Commanded change of the altitude, m."""
STEP_TIME = 0.5
"""When both are commanded, s."""


def control(
    *, yaw_step: float = YAW_STEP, climb_step: float = CLIMB_STEP, trim: dict[str, float] | None = None
) -> Diagram:
    """Return the diagram.

    Inputs ``altitude`` (m), ``climb`` (m/s), ``yaw`` (rad), ``yaw_rate`` (rad/s); outputs ``collective`` and ``pitch``
    of main and tail rotor (rad).

    Parameters
    ----------
    yaw_step, climb_step : float
        Commands, rad and m.
    trim : dict, optional
        ``collective`` and ``pitch`` of the hover, rad.

    Examples
    --------
    >>> made = control()
    >>> print(round(float(made.run(until=0.1, step=0.01)["control.pitch"].at(0.1)), 3))
    0.154
    """
    start = {"collective": ALTITUDE_CONTROL["trim"], "pitch": YAW_CONTROL["trim"]} | (trim or {})
    model = Diagram("control")
    altitude = model.input("altitude", 0.0, unit="m")
    climb = model.input("climb", 0.0, unit="m/s")
    yaw = model.input("yaw", 0.0, unit="rad")
    rate = model.input("yaw_rate", 0.0, unit="rad/s")
    command = model.step(time=STEP_TIME, before=0.0, after=yaw_step, name="yaw_command")
    higher = model.step(time=STEP_TIME, before=0.0, after=climb_step, name="altitude_command")
    height = _law(model, "altitude", (higher - altitude, climb), ALTITUDE_CONTROL, start["collective"])
    turn = _law(model, "yaw", (command - yaw, rate), YAW_CONTROL, start["pitch"])
    limited = model.saturation(turn, lower=PITCH_LIMITS[0], upper=PITCH_LIMITS[1], name="pitch_limits")
    model.output("collective", height, unit="rad")
    model.output("pitch_command", limited, unit="rad")
    model.output(
        "pitch", model.lag(limited, time_constant=ACTUATOR, initial=start["pitch"], name="actuator"), unit="rad"
    )
    model.output("yaw_command", command, unit="rad")
    return model


def _law(model: Diagram, name: str, signals: tuple[Any, Any], gains: dict[str, float], trim: float) -> Block:
    """Return trim + Kp e + Ki integral(e) - Kd rate."""
    error, rate = signals
    integral = model.integrator(error, name=f"{name}_integral")
    return model.sum(
        model.constant(trim, name=f"{name}_trim"), gains["proportional"] * error, gains["integral"] * integral,
        gains["rate"] * rate, signs="+++-", name=f"{name}_law",
    )  # fmt: skip
