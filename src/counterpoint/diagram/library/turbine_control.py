"""Controller of a wind turbine with variable speed and pitch: start-up, optimum, transition, rated.

Working regions after A. D. Wright and L. J. Fingersh, NREL/TP-500-42437 (2008), as Solcia (2010), chapter 5, has them;
the gains are our own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..diagram import Diagram

RPM = math.pi / 30.0


@dataclass(frozen=True)
class TurbineControl:
    """Numbers of the controller; the default is that of the CART.

    Parameters
    ----------
    rated_speed : float
        Of the rotor, rad/s.
    ratio : float
        Of the gearbox.
    rated_torque : float
        On the fast shaft, N m.
    optimum_gain : float
        Torque over the square of the rotor speed at the best tip speed ratio, slow shaft, N m s²/rad².
    cut_in, optimum : float
        Rotor speeds (rad/s) at which the generator begins to brake, and from which it follows the optimum.
    transition : two floats
        Parts of the rated speed between which the torque goes to the rated one.
    proportional, integral, derivative : float
        Of the pitch controller, rad/(rad/s), rad/rad, rad s/(rad/s).
    gain_angle : float
        Gains fall as 1 / (1 + pitch / gain_angle), rad.
    fine_pitch, largest_pitch : float
        Limits, rad.
    filter_frequency : float
        Of the pitch actuator, a Butterworth filter of second order, Hz.
    stall_angle : float
        Angle of attack near the tip kept during start-up, rad.
    tip_radius : float
        m.
    hold : float
        Rotor speed (rad/s) below which start-up keeps ``largest_pitch``.
    running_pitch : float, optional
        Begin at rated speed and torque with this pitch, rad; default: begin at rest with ``largest_pitch``.
    """

    rated_speed: float = 41.7 * RPM
    ratio: float = 43.165
    rated_torque: float = 3524.36
    optimum_gain: float = 6113.0
    cut_in: float = 10 * RPM
    optimum: float = 15 * RPM
    transition: tuple[float, float] = (0.95, 0.995)
    proportional: float = math.radians(0.9) / RPM
    integral: float = math.radians(0.27) / RPM
    derivative: float = math.radians(0.05) / RPM
    gain_angle: float = math.radians(12.0)
    fine_pitch: float = math.radians(-1.0)
    largest_pitch: float = math.radians(40.0)
    filter_frequency: float = 2.0
    stall_angle: float = math.radians(9.0)
    tip_radius: float = 21.336
    hold: float = 0.0
    running_pitch: float | None = None


def generator_torque_law(control: TurbineControl | None = None, *, name: str = "torque_law") -> Diagram:
    """Return the torque of the generator over the rotor speed: nothing, optimum, transition, rated.

    Input ``rotor_speed`` (rad/s), output ``torque`` (N m, fast shaft).

    Examples
    --------
    >>> law = generator_torque_law()
    >>> law.defaults["rotor_speed"][:] = 41.7 * RPM
    >>> print(round(float(law.run(until=0.1, step=0.1)["torque_law.torque"].values[-1]), 2))
    3524.36
    """
    c = control or TurbineControl()
    model = Diagram(name)
    speed = model.input("rotor_speed", 0.0, unit="rad/s")
    first, last = (part * c.rated_speed for part in c.transition)
    torque = model.expression(
        "best = k * w**2 / n; low = best * max(0, min(1, (w - w1) / (w2 - w1))); "
        "start = k * a**2 / n; rise = start + (T - start) * max(0, min(1, (w - a) / (b - a))); "
        "y = low if w < a else rise",
        w=speed, k=c.optimum_gain, n=c.ratio, w1=c.cut_in, w2=c.optimum, a=first, b=last, T=c.rated_torque,
        outputs=["y"], name="regions",
    )  # fmt: skip
    model.output("torque", torque, unit="N*m")
    return model


def pitch_controller(control: TurbineControl | None = None, *, name: str = "pitch_controller") -> Diagram:
    """Return the pitch controller: start-up, then a PID controller with scheduled gains, and the actuator.

    Inputs ``rotor_speed`` (rad/s) and ``wind`` (m/s); outputs ``pitch`` (rad, after the actuator), ``command`` and the
    parts of the PID controller ``proportional``, ``integral``, ``derivative`` (rad).

    Examples
    --------
    >>> model = pitch_controller()
    >>> model.defaults["rotor_speed"][:], model.defaults["wind"][:] = 0.5, 12.0
    >>> print(round(float(model.run(until=5.0, step=0.01)["pitch_controller.pitch"].values[-1]), 3))
    0.687
    """
    c = control or TurbineControl()
    model = Diagram(name)
    speed, wind = model.input("rotor_speed", 0.0, unit="rad/s"), model.input("wind", 0.0, unit="m/s")
    started = c.running_pitch is not None
    first, integrated = (c.running_pitch,) * 2 if c.running_pitch is not None else (c.largest_pitch, c.fine_pitch)
    running = model.relay(speed, switch_on=0.9 * c.rated_speed, switch_off=0.0, starts_on=started, name="running")
    error = model.expression("w - r", w=speed, r=c.rated_speed, name="speed_error")
    omega = 2 * math.pi * c.filter_frequency
    actuator = model.transfer_function([omega**2], [1.0, math.sqrt(2) * omega, omega**2],
                                       initial=[first / omega**2, 0.0], name="pitch_engine")  # fmt: skip
    gain = model.expression("1 / (1 + max(p - fine, 0) / g)", p=actuator, g=c.gain_angle, fine=c.fine_pitch,
                            name="schedule")  # fmt: skip
    integral = model.integrator(model.expression("on * k * g * e", on=running, g=gain, e=error, k=c.integral),
                                initial=integrated, limits=(c.fine_pitch, c.largest_pitch),
                                name="integral")  # fmt: skip
    proportional = model.expression("k * g * e", g=gain, e=error, k=c.proportional, name="proportional")
    change = model.derivative(
        speed, time_constant=0.05, initial=0.0 if not started else c.rated_speed, name="acceleration"
    )
    derivative = model.expression("k * g * a", g=gain, a=change, k=c.derivative, name="derivative")
    startup = model.expression(
        "high if w < hold else max(fine, min(high, atan2(v, max(w * R, 0.1)) - s))", w=speed, v=wind, R=c.tip_radius,
        s=c.stall_angle, hold=c.hold, fine=c.fine_pitch, high=c.largest_pitch, name="startup",
    )  # fmt: skip
    command = model.expression(
        "max(fine, min(high, p + i + d)) if on > 0.5 else s", p=proportional, i=integral, d=derivative, on=running,
        s=startup, fine=c.fine_pitch, high=c.largest_pitch, name="command",
    )  # fmt: skip
    command >> actuator
    for port, signal in (("pitch", actuator), ("command", command), ("proportional", proportional),
                         ("integral", integral), ("derivative", derivative)):  # fmt: skip
        model.output(port, signal, unit="rad")
    return model


def turbine_controller(
    control: TurbineControl | None = None,
    *,
    wind: Sequence[tuple[float, float]] = ((0.0, 12.0), (120.0, 13.5), (200.0, 15.0)),
    ramp: float = 10.0,
    name: str = "control",
) -> Diagram:
    """Return the parts of a turbine besides the mechanism: wind, pitch controller, torque law and generator.

    Inputs ``rotor_speed`` and ``generator_speed`` (rad/s). Outputs ``wind`` (m/s), ``pitch`` (rad),
    ``generator_torque`` (N m), ``power`` (W, electrical), ``current`` (A), and the parts of the pitch controller.

    Parameters
    ----------
    control : TurbineControl, optional
        Default: the CART's.
    wind : pairs of time (s) and speed (m/s)
        Steps of the wind; the first one rises from zero within ``ramp`` seconds, as a cosine.
    ramp : float
        s.

    Examples
    --------
    >>> model = turbine_controller()
    >>> model.defaults["rotor_speed"][:] = 2.0
    >>> print(round(float(model.run(until=20.0, step=0.01)["control.wind"].values[-1]), 1))
    12.0
    """
    from .generators import inverter_generator

    c = control or TurbineControl()
    model = Diagram(name)
    speed = model.input("rotor_speed", 0.0, unit="rad/s")
    fast = model.input("generator_speed", 0.0, unit="rad/s")
    first = wind[0][1]
    begin = model.expression("v * (0.5 - 0.5 * cos(pi * min(t / T, 1)))", v=first, T=max(ramp, 1e-6), name="begin")
    speeds = begin
    for (time, value), before in zip(wind[1:], wind, strict=False):
        speeds = speeds + model.step(time=time, after=value - before[1], name=f"step_{time:g}")
    pitch = model.superblock(pitch_controller(c), name="pitch_controller", rotor_speed=speed, wind=speeds)
    law = model.superblock(generator_torque_law(c), name="torque_law", rotor_speed=speed)
    torque = 0.0 if c.running_pitch is None else c.rated_torque
    machine = inverter_generator(initial_torque=torque)
    generator = model.superblock(machine, name="generator", command=law, speed=fast)
    model.output("wind", speeds, unit="m/s")
    for port in ("pitch", "command", "proportional", "integral", "derivative"):
        model.output(port, pitch[port], unit="rad")
    model.output("generator_torque", generator["torque"], unit="N*m")
    model.output("power", generator["power"], unit="W")
    model.output("current", generator["current"], unit="A")
    return model
