"""Powertrain of a passenger car with manual gearbox: driver, shift logic, clutch, engine, road.

A generic car of the C segment with a naturally aspirated engine of 1.4 l; not a specific model. Fuel follows the
extended Willans line of the JRC's CO2MPAS for such engines (G. Fontaras et al., "The development and validation of a
vehicle simulator for the introduction of WLTP in Europe", 2018): mean effective pressures in bar, mean piston speed
``c`` in m/s,

    bmep = (a + b c + d c²) p_f + a2 p_f² + (l + l2 c²) (T_oil/363.15 K)^-t

Everything else is ours. All signals are continuous: what jumps (gears, the clutch pedal) stays inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..block import Block
from ..diagram import Diagram
from .cycles import DriveCycle

RPM = np.pi / 30.0
_KELVIN, _BAR = 273.15, 1e5


@dataclass(frozen=True)
class CarData:
    """Numbers of the car; SI units.

    Attributes
    ----------
    mass, wheel_inertia, wheel_radius : float
        kg, kg m² (all wheels), m.
    rolling, drag : float
        Road load ``rolling + drag v²``, N and N/(m/s)².
    ratios, final_drive, efficiency : tuple of float, float, float
        Gears; of all of them.
    engine_inertia, idle_speed : float
        kg m², rad/s.
    full_load_speed, full_load_torque : tuples of float
        rad/s, N m.
    displacement, stroke : float
        m³, m.
    willans, willans_loss, willans_exponent : tuples of float, float
        (a, b, d, a2), (l, l2) and t of the Willans line, bar and m/s.
    heating_value : float
        Lower heating value of the fuel, J/kg.
    clutch_torque, clutch_slip : float
        Largest torque of the clutch, N m; slip in which it builds up, rad/s.
    torque_lag : float
        Time constant of the engine's torque, s.
    control_sample : float
        Sample time of the engine's control unit, s.
    proportional, integral : float
        Of the driver: N/(m/s), N/m.
    """

    mass: float = 1360.0
    wheel_inertia: float = 3.6
    wheel_radius: float = 0.305
    rolling: float = 105.0
    drag: float = 0.40
    ratios: tuple[float, ...] = (3.455, 1.955, 1.281, 0.927, 0.74)
    final_drive: float = 3.938
    efficiency: float = 0.95
    engine_inertia: float = 0.16
    idle_speed: float = 800.0 * RPM
    full_load_speed: tuple[float, ...] = tuple(
        n * RPM for n in (600, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000, 5500, 6000, 6500)
    )
    full_load_torque: tuple[float, ...] = (60, 88, 100, 108, 115, 120, 126, 130, 130, 127, 122, 113, 95)
    displacement: float = 1.4e-3
    stroke: float = 0.0756
    willans: tuple[float, float, float, float] = (0.4851, 0.01193, -0.00065, -0.00385)
    willans_loss: tuple[float, float] = (-2.39882, -0.00286)
    willans_exponent: float = 3.0
    heating_value: float = 43.2e6
    clutch_torque: float = 200.0
    clutch_slip: float = 3.0
    torque_lag: float = 0.1
    control_sample: float = 0.02
    proportional: float = 2500.0
    integral: float = 200.0

    @property
    def inertial_mass(self) -> float:
        """Mass of the car and what turns with its wheels, kg."""
        return self.mass + self.wheel_inertia / self.wheel_radius**2


def smooth_max(model: Diagram, u: Any, v: Any, width: float) -> Block:
    """Add the larger of two signals, rounded where they are nearer to each other than about `width`.

    A rounded corner is no event: a stiff solver passes it without stopping.
    """
    return model.expression("0.5 * (u + v + hypot(u - v, d))", u=u, v=v, d=width)


def smooth_min(model: Diagram, u: Any, v: Any, width: float) -> Block:
    """Add the smaller of two signals, rounded as :func:`smooth_max`."""
    return model.expression("0.5 * (u + v - hypot(u - v, d))", u=u, v=v, d=width)


def friction_pressure(model: Diagram, speed: Any, oil_temperature: Any, data: CarData) -> Block:
    """Add the loss term of the Willans line: friction and gas exchange as a mean effective pressure, bar, negative."""
    l0, l2 = data.willans_loss
    return model.expression(
        "(l0 + l2 * (s * n)**2) * ((T + K) / 363.15)**(-x)",
        n=speed, T=oil_temperature, l0=l0, l2=l2, s=data.stroke / np.pi, K=_KELVIN, x=data.willans_exponent,
        name="friction_pressure",
    )  # fmt: skip


def willans_engine(*, data: CarData | None = None, name: str = "engine", **settings: Any) -> Diagram:
    """Return a combustion engine: torque asked for with a lag, between its drag and its full load, and the fuel for it.

    Inputs ``demand`` (N m), ``speed`` (rad/s), ``oil_temperature`` (°C); outputs ``torque`` (N m, at the crank),
    ``fuel_flow`` (kg/s), ``full_load`` and ``drag`` (N m). The fuel is cut off where the drag is asked for.

    Examples
    --------
    >>> result = willans_engine().run(until=2.0, step=0.1)
    >>> round(3.6e6 * float(result["engine.fuel_flow"].values[-1]))  # g/h at 40 N m and 2000 rpm, hot
    2455
    """
    data = data or CarData()
    model = Diagram(name, **settings)
    demand = model.input("demand", 40.0, unit="N m")
    speed = model.input("speed", 2000.0 * RPM, unit="rad/s")
    oil = model.input("oil_temperature", 90.0, unit="degC")
    per_pressure = _BAR * data.displacement / (4.0 * np.pi)  # N m per bar
    loss = friction_pressure(model, speed, oil, data)
    full = model.lookup_1d(speed, x=data.full_load_speed, y=data.full_load_torque, name="full_load")
    wanted = smooth_min(model, smooth_max(model, demand, loss * per_pressure, 1.0), full, 1.0)
    torque = model.lag(wanted, time_constant=data.torque_lag, name="torque")
    a, b, d, a2 = data.willans
    pressure = model.expression(
        "c = s*n; A = a + b*c + d*c**2; r = 0.5*(M/k - L + hypot(M/k - L, 0.01)); p = 2*r / (A + sqrt(A**2 + 4*a2*r))",
        n=speed, M=torque, L=loss, s=data.stroke / np.pi, a=a, b=b, d=d, a2=a2, k=per_pressure, outputs=["p"],
        name="fuel_pressure",
    )  # fmt: skip
    flow = model.product(pressure, speed) * (per_pressure / data.heating_value)
    model.output("torque", torque, unit="N m")
    model.output("fuel_flow", flow, unit="kg/s")
    model.output("full_load", full, unit="N m")
    model.output("drag", loss * per_pressure, unit="N m")
    return model


def driver(cycle: DriveCycle, *, data: CarData | None = None, name: str = "driver") -> Diagram:
    """Return a driver who follows a cycle: feed-forward of the road load and the acceleration, and a PI controller.

    Input ``speed`` (m/s); outputs ``target`` (m/s) and ``force`` (N, wanted at the wheels, negative to brake).
    """
    data = data or CarData()
    model = Diagram(name)
    speed = model.input("speed", 0.0, unit="m/s")
    target = model.table(cycle.time, cycle.speed, name="target")
    slopes = np.append(np.diff(cycle.speed) / np.diff(cycle.time), 0.0)
    acceleration = model.table(cycle.time, slopes, interpolation="hold", name="acceleration")
    correction = model.pid(
        target - speed, proportional=data.proportional, integral=data.integral,
        limits=(-6000.0, 6000.0), anti_windup="clamping", name="controller",
    )  # fmt: skip
    force = model.expression(
        "m * a + (f0 * min(v, 1) + f2 * v**2) + u",
        a=acceleration, v=target, u=correction, m=data.inertial_mass, f0=data.rolling, f2=data.drag, name="force",
    )  # fmt: skip
    model.output("target", target, unit="m/s")
    model.output("force", force, unit="N")
    return model


def manual_gearbox(
    cycle: DriveCycle,
    *,
    data: CarData | None = None,
    shift_time: float = 0.4,
    up: tuple[float, float] = (2200.0, 2000.0),
    down: tuple[float, float] = (1150.0, 500.0),
    name: str = "gearbox",
) -> Diagram:
    """Return the shift logic and the clutch pedal.

    Inputs ``speed`` and ``target`` (m/s), ``load`` (share of the full load); outputs ``gear``, ``ratio`` (engine over
    wheel) and ``clutch`` (0 open to 1 closed). Gears are those that the cycle prescribes. Where it prescribes none, the
    driver shifts up above ``up[0] + up[1] load`` rpm and down below ``down[0] + down[1] load`` rpm, not before 1.5 s in
    a gear.

    Parameters
    ----------
    shift_time : float
        The clutch is open for so long during a shift, s; it opens in 0.1 s and closes in 0.5 s.
    """
    data = data or CarData()
    model = Diagram(name)
    speed, target, load = model.input("speed"), model.input("target"), model.input("load")
    if cycle.gear is None or cycle.gear_time is None:
        machine = _shift_by_speed(model, (speed, target, load), data, up=up, down=down, shift_time=shift_time)
    else:
        wanted = model.table(cycle.gear_time, cycle.gear, interpolation="hold", name="prescribed")
        for unused in (speed, target, load):
            model.terminator(unused)
        machine = _shift_as_prescribed(model, wanted, shift_time)
    pedal = model.expression("2 * c - 10 * (1 - c)", c=machine["closed"], name="pedal")
    numbers = tuple(range(1, len(data.ratios) + 1))
    ratio = model.lookup_1d(machine["gear"], x=numbers, y=data.ratios, interpolation="nearest", name="ratios")
    model.output("gear", model.product(machine["gear"], machine["selected"]))
    model.output("ratio", ratio * data.final_drive)
    model.output("clutch", model.integrator(pedal, limits=(0.0, 1.0), name="clutch"))
    return model


_OUTPUTS = {"gear": 1.0, "closed": 0.0, "selected": 0.0}


def _shift_as_prescribed(model: Diagram, wanted: Any, shift_time: float) -> Block:
    machine = model.state_machine(wanted, inputs=("wanted",), outputs=_OUTPUTS, name="shift")
    machine.state("open", entry="closed = 0; selected = 0")
    machine.state("driving", entry="closed = 1; selected = 1")
    machine.state("shifting", entry="closed = 0")
    machine.transition("open", "driving", "wanted > 0.5", action="gear = wanted")
    machine.transition("driving", "open", "wanted < 0.5")
    machine.transition("driving", "shifting", "abs(wanted - gear) > 0.5")
    machine.transition("shifting", "open", "wanted < 0.5")
    machine.transition("shifting", "driving", f"after({shift_time})", action="gear = wanted")
    return machine


def _shift_by_speed(
    model: Diagram, signals: tuple[Any, Any, Any], data: CarData, *, up: tuple[float, float],
    down: tuple[float, float], shift_time: float,
) -> Block:  # fmt: skip
    machine = model.state_machine(
        *signals, inputs=("v", "target", "load"), outputs=_OUTPUTS, variables={"next": 1.0},
        sample_time=0.1, name="shift",
    )  # fmt: skip
    per_speed = data.final_drive / data.wheel_radius / RPM  # rpm per m/s and gear ratio
    for state, entry in (
        ("open", "closed = 0; selected = 0"), ("driving", "closed = 1; selected = 1"), ("shifting", "closed = 0"),
    ):  # fmt: skip
        machine.state(state, entry=entry)
    machine.transition("open", "driving", "target > 0.05", action="gear = 1; next = 1")
    machine.transition("driving", "open", "target < 0.3 and v < 2")
    for gear, ratio in enumerate(data.ratios, start=1):
        rpm, here = f"{ratio * per_speed:.6g} * v", f"after(1.5) and gear > {gear - 0.5} and gear < {gear + 0.5}"
        if gear < len(data.ratios):
            faster = f"{rpm} > {up[0]} + {up[1]} * load and load > 0"
            machine.transition("driving", "shifting", f"{here} and {faster}", action=f"next = {gear + 1}")
        if gear > 1:
            slower = f"{rpm} < {down[0]} + {down[1]} * max(load, 0)"
            machine.transition("driving", "shifting", f"{here} and {slower}", action=f"next = {gear - 1}")
    machine.transition("shifting", "driving", f"after({shift_time})", action="gear = next")
    return machine


def passenger_car(
    cycle: DriveCycle, *, data: CarData | None = None, name: str = "powertrain", **settings: Any
) -> Diagram:
    """Return the powertrain of a car that drives a cycle.

    Inputs ``pump_torque`` and ``alternator_torque`` (N m, at the crank) and ``oil_temperature`` (°C): what a thermal
    system gives (:func:`~counterpoint.diagram.library.engine_thermal_system`). Outputs ``engine_speed`` (rad/s),
    ``fuel_flow`` (kg/s), ``speed`` and ``target`` (m/s), ``torque`` (N m, of the engine), ``gear``, ``clutch``,
    ``fuel`` (kg), ``distance`` (m), ``acceleration`` (m/s²) and ``engine_acceleration`` (rad/s²). The engine idles at
    the start.

    Parameters
    ----------
    cycle : DriveCycle
        From :func:`drive_cycle`.
    data : CarData, optional
    name, **settings
        Of the :class:`~counterpoint.diagram.Diagram`; default solver ``ode23s``.

    Examples
    --------
    >>> from counterpoint.diagram.library import drive_cycle
    >>> car = passenger_car(drive_cycle("nedc"))
    >>> result = car.run(until=25.0, step=0.5)
    >>> round(3.6 * float(result["powertrain.speed"].at(20.0)))  # km/h
    15
    """
    data = data or CarData()
    model = Diagram(name, **{"solver": "ode23s", "rtol": 1e-4, "atol": 1e-5, **settings})
    pump = model.input("pump_torque", 0.8, unit="N m")
    alternator = model.input("alternator_torque", 5.0, unit="N m")
    oil = model.input("oil_temperature", 90.0, unit="degC")
    speed = model.integrator(name="speed")
    crank = model.integrator(initial=data.idle_speed, name="engine_speed")
    person = model.superblock(driver(cycle, data=data), speed, name="driver")
    engine = model.superblock(willans_engine(data=data), speed=crank, oil_temperature=oil, name="engine")
    gearbox = model.superblock(manual_gearbox(cycle, data=data), speed, person["target"], name="gearbox")
    rates = _couple(
        model, data, speed=speed, crank=crank, driver=person, engine=engine, gearbox=gearbox, loads=pump + alternator
    )
    outputs = {
        "engine_speed": (crank, "rad/s"), "fuel_flow": (engine["fuel_flow"], "kg/s"), "speed": (speed, "m/s"),
        "target": (person["target"], "m/s"), "torque": (engine["torque"], "N m"), "gear": (gearbox["gear"], ""),
        "clutch": (gearbox["clutch"], ""), "fuel": (model.integrator(engine["fuel_flow"], name="fuel"), "kg"),
        "distance": (model.integrator(speed, name="distance"), "m"), "acceleration": (rates[0], "m/s2"),
        "engine_acceleration": (rates[1], "rad/s2"),
    }  # fmt: skip
    for port, (signal, unit) in outputs.items():
        model.output(port, signal, unit=unit)
    return model


def _couple(
    model: Diagram, data: CarData, *, speed: Block, crank: Block, driver: Block, engine: Block, gearbox: Block,
    loads: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """Add clutch, brakes and road: the equations of motion; returns the accelerations of car and crankshaft."""
    ratio, closed, force = gearbox["ratio"], gearbox["clutch"], driver["force"]
    asked = model.expression(
        "F * r / (i * eta)", F=force, i=ratio, r=data.wheel_radius, eta=data.efficiency, name="asked"
    )
    idle = model.expression("2 * (w - n) + M", n=crank, M=loads, w=data.idle_speed, name="idle_governor")
    demand = smooth_max(model, model.product(asked, closed), idle, 1.0)
    engine.connect(demand=model.zero_order_hold(demand, sample_time=data.control_sample, name="control_unit"))
    gearbox.connect(load=model.divide(asked, engine["full_load"], name="load"))
    # Near idle the driver lets the clutch slip, to move off and not to stall.
    clutch = model.expression(
        "M * c * 0.5 * (1 + tanh((n - n0 - 25) / 15)) * tanh((n - v * i / r) / s)",
        n=crank, v=speed, i=ratio, c=closed, M=data.clutch_torque, n0=data.idle_speed, s=data.clutch_slip,
        r=data.wheel_radius, name="clutch_torque",
    )  # fmt: skip
    excess = model.expression("c * D * i / r - F", F=force, c=closed, D=engine["drag"], i=ratio, r=data.wheel_radius)
    brakes = smooth_max(model, excess, 0.0, 5.0)
    drive = model.product(clutch, ratio) * (data.efficiency / data.wheel_radius)
    resistance = model.expression(
        "(f0 + B + f2 * v**2) * tanh(10 * v)", v=speed, B=brakes, f0=data.rolling, f2=data.drag, name="resistance"
    )
    crank_rate = model.sum(engine["torque"], clutch, loads, signs="+--") * (1.0 / data.engine_inertia)
    rate = (drive - resistance) * (1.0 / data.inertial_mass)
    crank_rate >> crank
    rate >> speed
    return rate, crank_rate
