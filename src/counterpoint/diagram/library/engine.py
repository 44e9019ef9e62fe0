"""The four-cylinder spark-ignition engine of Crossley and Cook, with valve events or as mean values.

Equations and polynomials: P. R. Crossley and J. A. Cook, "A nonlinear engine model for drivetrain system development",
IEE International Conference Control '91, Edinburgh 1991. Moment of inertia, air-fuel ratio, spark advance and the
gains of the speed controller: Modelica Standard Library (BSD-3-Clause), Clocked.Examples.Systems.EngineThrottleControl,
whose authors also note that the cubic coefficient of the throttle is 0.00063 (the paper prints 0.0063).

Units: throttle degrees, pressure bar, air g and g/s, speed rad/s, torque N m, time s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..block import Block
from ..diagram import Diagram

#: Ambient pressure, bar.
AMBIENT = 1.0
#: R T / V of the intake manifold, bar/g.
MANIFOLD = 0.41328
#: Moment of inertia of crank and flywheel, kg m2.
INERTIA = 0.14
AIR_FUEL_RATIO = 14.6
#: Spark advance, degrees before top dead centre.
SPARK_ADVANCE = 15.0

THROTTLE_AREA = "2.821 - 0.05231*throttle + 0.10299*throttle**2 - 0.00063*throttle**3"
PUMPING = "-0.366 + 0.08979*n*p - 0.0337*n*p**2 + 0.0001*n**2*p"
TORQUE = (
    f"-181.3 + 379.36*m + 21.91*{AIR_FUEL_RATIO} - 0.85*{AIR_FUEL_RATIO}**2 + 0.26*s - 0.0028*s**2"
    " + 0.027*n - 0.000107*n**2 + 0.00048*n*s + 2.55*s*m - 0.05*s**2*m"
)


@dataclass(frozen=True)
class InitialValues:
    """Where a run begins.

    Attributes
    ----------
    speed : float
        rad/s
    pressure : float
        Manifold, bar.
    air : float
        Charge of the cylinder that fires and of the one before it, g.
    """

    speed: float = 209.48
    pressure: float = 0.543
    air: float = 0.152


#: Steady running at about 2000 rpm with 8.97 degrees of throttle and 25 N m of load.
INITIAL = InitialValues()


def throttle_flow(model: Diagram, throttle: Any, pressure: Any) -> Block:
    """Add the throttle body: flow of air into the manifold, g/s; choked below half the ambient pressure."""
    opening = model.saturation(throttle, lower=0.0, upper=90.0, name="opening")
    area = model.expression(THROTTLE_AREA, opening, inputs=("throttle",), name="throttle_area")
    ratio = model.min(pressure / AMBIENT, AMBIENT / pressure, name="pressure_ratio")
    subsonic = model.expression("2*sqrt(r - r**2)", ratio, inputs=("r",), name="subsonic")
    flow = model.switch(ratio, subsonic, 1.0, threshold=0.5, name="choking")
    return model.product(area, flow, model.sign(AMBIENT - pressure), name="throttle_flow")


def manifold(model: Diagram, throttle: Any, speed: Any, initial: InitialValues) -> tuple[Block, Block]:
    """Add throttle and intake manifold; returns pressure (bar) and flow into the cylinders (g/s)."""
    pressure = model.integrator(initial=initial.pressure, name="pressure")
    outflow = model.expression(PUMPING, speed, pressure, inputs=("n", "p"), name="pumping")
    (throttle_flow(model, throttle, pressure) - outflow) * MANIFOLD >> pressure
    return pressure, outflow


def crank(model: Diagram, *, air: Any, spark: float, load: Any, speed: Block, inertia: float) -> Block:
    """Add combustion and crankshaft; returns the torque at the crank, N m."""
    torque = model.expression(TORQUE, m=air, n=speed, s=model.constant(spark, name="spark"), name="torque")
    (torque - load) * (1.0 / inertia) >> speed
    return torque


def valve_signal(model: Diagram, speed: Any) -> Block:
    """Add the crank angle; returns a signal that passes zero every 180 degrees, where the angle begins anew."""
    angle = model.add("integrator", (speed,), name="angle", reset="rising")
    valve = model.sum(angle, -math.pi, name="valve")
    angle.connect_port("reset", valve)
    return valve


def cylinders(model: Diagram, flow: Any, valve: Any, initial_air: float) -> Block:
    """Add intake and compression; returns a block with the charge that ``burnt``, g, and the count of ``half_turns``.

    The flow into the cylinders is collected over half a turn; at its end the charge goes to compression, and the one
    compressed before burns: a delay of 180 degrees.
    """
    drawn = model.integrator(flow, reset=valve, name="drawn")
    timing = Diagram("valve_timing")
    compressed = timing.unit_delay(timing.input("drawn"), initial=initial_air, name="compressed")
    timing.output("burnt", timing.zero_order_hold(compressed, initial=initial_air, name="burnt"))
    before = timing.unit_delay(name="half_turns_before")
    count = timing.sum(before, 1.0, name="half_turns")
    count >> before
    timing.output("half_turns", count)
    return model.superblock(timing, drawn, trigger=valve, name="timing")


def engine(
    *,
    initial: InitialValues = INITIAL,
    inertia: float = INERTIA,
    spark: float = SPARK_ADVANCE,
    name: str = "engine",
    **settings: Any,
) -> Diagram:
    """Return the engine with valve events every 180 degrees of the crank.

    Inputs ``throttle`` (degrees, 0 to 90) and ``load`` (N m); outputs ``speed`` (rad/s), ``rpm``, ``torque`` (N m, at
    the crank), ``pressure`` (bar, manifold), ``air`` (g, the charge that burns), ``half_turns`` (valve events so far).
    The events are located, so steps of 1e-2 s are enough. With ``locate_events=False`` they wait for the end of the
    step, as in fixed-step runs of block-diagram programs, and 1e-4 s is still 19 rpm wrong.

    Parameters
    ----------
    initial : InitialValues
    inertia : float
        Of crank and flywheel, kg m2.
    spark : float
        Advance, degrees before top dead centre.
    name : str
    **settings
        Of the :class:`~counterpoint.diagram.Diagram`: ``solver``, ``step``, ``locate_events`` ...

    Examples
    --------
    >>> model = engine()
    >>> result = model.run(until=0.5, step=1e-3)
    >>> f'{result["engine.rpm"].values[-1]:.0f} rpm, {result["engine.pressure"].values[-1]:.3f} bar'
    '2000 rpm, 0.543 bar'
    """
    model = Diagram(name, **settings)
    throttle, load = model.input("throttle", 8.97, unit="deg"), model.input("load", 25.0, unit="N m")
    speed = model.integrator(initial=initial.speed, name="speed")
    _complete(
        model,
        speed=speed,
        valve=valve_signal(model, speed),
        throttle=throttle,
        load=load,
        initial=initial,
        inertia=inertia,
        spark=spark,
    )
    return model


def _complete(
    model: Diagram,
    *,
    speed: Block,
    valve: Block,
    throttle: Any,
    load: Any,
    initial: InitialValues,
    inertia: float,
    spark: float,
) -> None:
    """Add all that lies between throttle, valves and crank."""
    pressure, flow = manifold(model, throttle, speed, initial)
    timing = cylinders(model, flow, valve, initial.air)
    air = timing["burnt"]
    torque = crank(model, air=air, spark=spark, load=load, speed=speed, inertia=inertia)
    _outputs(model, speed, torque, pressure, air)
    model.output("half_turns", timing["half_turns"])


def _outputs(model: Diagram, speed: Any, torque: Any, pressure: Any, air: Any) -> None:
    model.output("speed", speed, unit="rad/s")
    model.output("rpm", speed * (30.0 / math.pi), unit="rpm")
    model.output("torque", torque, unit="N m")
    model.output("pressure", pressure, unit="bar")
    model.output("air", air, unit="g")


def mean_value_engine(
    *,
    initial: InitialValues = INITIAL,
    inertia: float = INERTIA,
    spark: float = SPARK_ADVANCE,
    name: str = "engine",
    **settings: Any,
) -> Diagram:
    """Return the engine without events: the half turn from intake to combustion is a lag of first order.

    Ports and parameters as for :func:`engine`; there are no ``half_turns``.
    """
    model = Diagram(name, **settings)
    throttle, load = model.input("throttle", 8.97, unit="deg"), model.input("load", 25.0, unit="N m")
    speed = model.integrator(initial=initial.speed, name="speed")
    pressure, flow = manifold(model, throttle, speed, initial)
    air = model.integrator(initial=initial.air, name="air")
    (math.pi * flow / speed - air) * speed * (1.0 / math.pi) >> air
    torque = crank(model, air=air, spark=spark, load=load, speed=speed, inertia=inertia)
    _outputs(model, speed, torque, pressure, air)
    return model


def speed_controller(
    *,
    proportional: float = 0.0614,
    integral: float = 0.0723,
    initial: float = 8.973,
    throttle: float = 8.973,
    name: str = "controller",
) -> Diagram:
    """Return the throttle controller, to be executed at each valve event: a superblock with a trigger.

    Inputs ``target`` and ``speed`` (rad/s), output ``throttle`` (degrees, 0 to 90). Proportional action, and an
    integral of the error over the time between events, which stays within the throttle's limits (no windup).

    Parameters
    ----------
    proportional, integral : float
        Gains, degrees/(rad/s) and degrees/rad; from the Modelica Standard Library, EngineThrottleControl.
    initial : float
        Integral at the first event, degrees.
    throttle : float
        Output until the first event, degrees.
    name : str
    """
    model = Diagram(name)
    error = model.sum(model.input("target"), model.input("speed"), signs="+-", name="error")
    total = model.discrete_integrator(error, gain=integral, initial=initial, limits=(0.0, 90.0), name="integral")
    limited = model.saturation(proportional * error + total, lower=0.0, upper=90.0, name="limited")
    model.output("throttle", model.zero_order_hold(limited, initial=throttle, name="command"), unit="deg")
    return model


def controlled_engine(
    *,
    initial: InitialValues = INITIAL,
    inertia: float = INERTIA,
    spark: float = SPARK_ADVANCE,
    controller: Diagram | None = None,
    name: str = "engine",
    **settings: Any,
) -> Diagram:
    """Return the engine with its speed controller, which runs at each valve event.

    Inputs ``target`` (rad/s) and ``load`` (N m); outputs as for :func:`engine`, and ``throttle`` (degrees).

    Parameters
    ----------
    controller : Diagram, optional
        With inputs ``target`` and ``speed`` and output ``throttle``; :func:`speed_controller` if left out.
    initial, inertia, spark, name, **settings
        As for :func:`engine`.
    """
    model = Diagram(name, **settings)
    target, load = model.input("target", initial.speed, unit="rad/s"), model.input("load", 25.0, unit="N m")
    speed = model.integrator(initial=initial.speed, name="speed")
    valve = valve_signal(model, speed)
    command = model.superblock(controller or speed_controller(), target, speed, trigger=valve, name="controller")
    _complete(
        model,
        speed=speed,
        valve=valve,
        throttle=command,
        load=load,
        initial=initial,
        inertia=inertia,
        spark=spark,
    )
    model.output("throttle", command, unit="deg")
    return model
