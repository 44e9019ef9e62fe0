"""Generators of wind turbines: induction machines by their torque over slip and with electrical states.

Torque is positive where it brakes, power where it leaves the machine; the shaft is the fast one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..diagram import Diagram


@dataclass(frozen=True)
class InductionMachine:
    """Equivalent circuit of a three-phase induction machine, per phase, star connection.

    Parameters
    ----------
    frequency : float
        Of the grid, Hz.
    poles : int
        Number of poles.
    voltage : float
        Line to line, rms, V.
    stator_resistance, rotor_resistance : float
        Ohm.
    stator_reactance, rotor_reactance, magnetising_reactance : float
        Leakage and mutual reactances at the grid's frequency, ohm.

    Notes
    -----
    The default is the machine of the AWT-27.
    """

    frequency: float = 60.0
    poles: int = 6
    voltage: float = 480.0
    stator_resistance: float = 0.0185
    rotor_resistance: float = 0.017
    stator_reactance: float = 0.034
    rotor_reactance: float = 0.005
    magnetising_reactance: float = 0.775

    @property
    def synchronous_speed(self) -> float:
        """Speed without torque, rad/s."""
        return 4 * math.pi * self.frequency / self.poles


def induction_generator(
    *,
    synchronous_speed: float = 40 * math.pi,
    rated_slip: float = 0.015125,
    rated_torque: float = 1367.9,
    pull_out_ratio: float = 2.0,
    efficiency: float = 1.0,
    name: str = "generator",
) -> Diagram:
    """Return an induction generator whose torque is a straight line over slip, up to the pull-out torque.

    Inputs ``speed`` (rad/s) and ``on`` (1: connected to the grid); outputs ``torque`` (N m) and ``power`` (W).

    Parameters
    ----------
    synchronous_speed : float
        rad/s.
    rated_slip : float
        Of the rated torque, as a part of the synchronous speed.
    rated_torque : float
        N m.
    pull_out_ratio : float
        Largest torque over the rated one.
    efficiency : float
        Electrical over mechanical power.

    Examples
    --------
    >>> model = induction_generator()
    >>> model.defaults["speed"][:] = 1.015125 * 40 * math.pi
    >>> print(round(float(model.run(until=0.01, step=0.01)["generator.torque"].values[-1]), 1))
    1367.9
    """
    model = Diagram(name)
    speed, on = model.input("speed", 0.0, unit="rad/s"), model.input("on", 1.0)
    torque = model.expression(
        "on * max(-p * T, min(p * T, T * (w - s) / (slip * s)))", w=speed, on=on, T=rated_torque, s=synchronous_speed,
        slip=rated_slip, p=pull_out_ratio, name="torque_over_slip",
    )  # fmt: skip
    model.output("torque", torque, unit="N*m")
    model.output("power", model.expression("efficiency * T * w", T=torque, w=speed, efficiency=efficiency), unit="W")
    return model


def thevenin_generator(machine: InductionMachine | None = None, *, name: str = "generator") -> Diagram:
    """Return an induction generator in electrical equilibrium: its equivalent circuit, after Thévenin.

    Inputs ``speed`` (rad/s) and ``on`` (1: connected to the grid); outputs ``torque`` (N m) and ``power`` (W).

    Parameters
    ----------
    machine : InductionMachine, optional
        Default: that of the AWT-27.

    Examples
    --------
    >>> model = thevenin_generator()
    >>> model.defaults["speed"][:] = 1.01 * InductionMachine().synchronous_speed
    >>> bool(900 < model.run(until=0.01, step=0.01)["generator.torque"].values[-1] < 1100)
    True
    """
    m = machine or InductionMachine()
    r1, r2, x1, x2, xm = (m.stator_resistance, m.rotor_resistance, m.stator_reactance, m.rotor_reactance,
                          m.magnetising_reactance)  # fmt: skip
    d = r1**2 + (x1 + xm) ** 2
    resistance, reactance = r1 * xm**2 / d, xm * (r1**2 + x1 * (x1 + xm)) / d + x2
    voltage, w_s = xm * m.voltage / math.sqrt(3 * d), m.synchronous_speed
    model = Diagram(name)
    speed, on = model.input("speed", 0.0, unit="rad/s"), model.input("on", 1.0)
    slip = model.expression("(w - ws) / ws", w=speed, ws=w_s, name="slip")
    torque = model.expression(
        "on * c * s / (R2**2 - 2 * Re * R2 * s + (Re**2 + X**2) * s**2)", s=slip, on=on,
        c=r2 * xm**2 / d / w_s * m.voltage**2, Re=resistance, R2=r2, X=reactance, name="torque_of_circuit",
    )  # fmt: skip
    power = model.expression(
        "q = (s * Re - R2)**2 + (s * X)**2; a = V * s * (s * Re - R2) / q; b = -V * s**2 * X / q; "
        "p = on * (T * w - 3 * R1 * (a**2 + (b - V / Xm)**2) - 3 * R2 * (a**2 + b**2))",
        s=slip, T=torque, w=speed, on=on, Re=resistance, R1=r1, R2=r2, X=reactance, V=voltage, Xm=xm, outputs=["p"],
        name="electrical_power",
    )  # fmt: skip
    model.output("torque", torque, unit="N*m")
    model.output("power", power, unit="W")
    return model


def dynamic_induction_generator(machine: InductionMachine | None = None, *, name: str = "generator") -> Diagram:
    """Return an induction generator on a stiff grid with its electrical states: four flux linkages.

    P. C. Krause, "Analysis of Electric Machinery", 2nd ed. 2002, chapter 4, in axes that turn with the grid's voltage.
    Steps must resolve the grid's frequency: 2 ms or less.

    Input ``speed`` (rad/s); outputs ``torque`` (N m), ``power`` (W), ``current`` (A, rms of a phase of the stator).

    Parameters
    ----------
    machine : InductionMachine, optional
        Default: that of the AWT-27.

    Examples
    --------
    >>> model = dynamic_induction_generator()
    >>> model.defaults["speed"][:] = 1.01 * InductionMachine().synchronous_speed
    >>> moving = model.run(until=2.0, step=1e-3)["generator.torque"].values[-1]
    >>> steady = thevenin_generator()
    >>> steady.defaults["speed"][:] = 1.01 * InductionMachine().synchronous_speed
    >>> still = steady.run(until=0.01, step=0.01)["generator.torque"].values[-1]
    >>> bool(abs(moving / still - 1) < 0.05)
    True
    """
    m = machine or InductionMachine()
    w = 2 * math.pi * m.frequency
    ls, lr, lm = ((m.stator_reactance + m.magnetising_reactance) / w, (m.rotor_reactance + m.magnetising_reactance) / w,
                  m.magnetising_reactance / w)  # fmt: skip
    det = ls * lr - lm**2
    model = Diagram(name)
    speed = model.input("speed", m.synchronous_speed, unit="rad/s")
    # Unloaded at the start: the stator's flux carries the whole voltage, the rotor's follows it.
    peak = math.sqrt(2 / 3) * m.voltage
    flux = [model.integrator(initial=value, name=f"flux_{axis}")
            for axis, value in (("qs", 0.0), ("ds", peak / w), ("qr", 0.0), ("dr", peak / w * lm / ls))]  # fmt: skip
    names: dict[str, Any] = dict(zip(("qs", "ds", "qr", "dr"), flux, strict=True))
    currents = model.expression(
        "iqs = (Lr * qs - Lm * qr) / D; ids = (Lr * ds - Lm * dr) / D; "
        "iqr = (Ls * qr - Lm * qs) / D; idr = (Ls * dr - Lm * ds) / D",
        **names, Lr=lr, Ls=ls, Lm=lm, D=det, name="currents",
    )  # fmt: skip
    i: dict[str, Any] = {key: currents[key] for key in ("iqs", "ids", "iqr", "idr")}
    rates = model.expression(
        "a = V - Rs * iqs - we * ds; b = we * qs - Rs * ids; sl = we - pp * speed; "
        "c = -Rr * iqr - sl * dr; d = sl * qr - Rr * idr",
        **i, **names, speed=speed, V=peak, we=w, Rs=m.stator_resistance, Rr=m.rotor_resistance, pp=m.poles / 2,
        outputs=["a", "b", "c", "d"], name="voltages",
    )  # fmt: skip
    for key, block in zip("abcd", flux, strict=True):
        rates[key] >> block
    model.output("torque", model.expression("-1.5 * pp * (ds * iqs - qs * ids)", ds=names["ds"], qs=names["qs"],
                                            iqs=i["iqs"], ids=i["ids"], pp=m.poles / 2), unit="N*m")  # fmt: skip
    model.output("power", model.expression("-1.5 * V * iqs", iqs=i["iqs"], V=peak), unit="W")
    model.output("current", model.expression("sqrt((iqs**2 + ids**2) / 2)", iqs=i["iqs"], ids=i["ids"]), unit="A")
    return model


def inverter_generator(
    *,
    time_constant: float = 0.02,
    resistance: float = 0.01,
    inductance: float = 4e-4,
    torque_constant: float = 4.0,
    efficiency: float = 0.93 * 0.98,
    initial_torque: float = 0.0,
    name: str = "generator",
) -> Diagram:
    """Return a generator behind an inverter that controls its torque current: for detailed current and power.

    Current of the torque axis with resistance and inductance, held at the command by a PI controller whose closed loop
    has the given time constant.

    Inputs ``command`` (N m) and ``speed`` (rad/s); outputs ``torque`` (N m), ``power`` (W), ``current`` (A).

    Parameters
    ----------
    time_constant : float
        Of the torque loop, s.
    resistance, inductance : float
        Of the torque axis, ohm and H.
    torque_constant : float
        N m per A.
    efficiency : float
        Of gearbox and generator: electrical over mechanical power.
    initial_torque : float
        At the start, N m.

    Examples
    --------
    >>> model = inverter_generator()
    >>> model.defaults["command"][:], model.defaults["speed"][:] = 3000.0, 188.0
    >>> print(round(float(model.run(until=0.5, step=0.002)["generator.torque"].values[-1]), 1))
    3000.0
    """
    model = Diagram(name)
    command, speed = model.input("command", 0.0, unit="N*m"), model.input("speed", 0.0, unit="rad/s")
    amperes = initial_torque / torque_constant
    current = model.integrator(initial=amperes, name="current")
    error = model.expression("T / k - i", T=command, i=current, k=torque_constant, name="current_error")
    # Pole of the winding cancelled by the controller: what is left is a first-order lag.
    integral = model.integrator(resistance / time_constant * error, initial=resistance * amperes,
                                name="controller_integral")  # fmt: skip
    voltage = model.expression("L / tau * e + x", e=error, x=integral, L=inductance, tau=time_constant)
    model.expression("(u - R * i) / L", u=voltage, i=current, R=resistance, L=inductance) >> current
    torque = torque_constant * current
    model.output("torque", torque, unit="N*m")
    model.output("power", model.expression("eta * T * w", T=torque, w=speed, eta=efficiency), unit="W")
    model.output("current", current, unit="A")
    return model
