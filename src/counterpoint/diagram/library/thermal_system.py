"""Thermal system of a passenger car's engine: block, cooling circuit, oil circuit, battery."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..block import Block
from ..diagram import Diagram
from .heat import COOLANT_HEAT, OIL_HEAT, battery, heat_exchanger, oil_circuit, pipe, thermostat
from .passenger_car import CarData, friction_pressure


@dataclass(frozen=True)
class ThermalData:
    """Numbers of the thermal system; SI units. Sizes follow shares of the engine's mass, the rest is ours.

    Attributes
    ----------
    head, block, jacket, oil : float
        Heat capacities of the walls of the combustion chambers, the block, the coolant in the engine and the oil in the
        sump, J/K.
    head_block, head_coolant, block_coolant, block_oil, head_oil, block_ambient, oil_ambient : float
        Conductances, W/K; those to the coolant at 3000 rpm, those to the ambience at rest.
    to_head, to_block : float
        Shares of the fuel's power.
    friction_to_oil, friction_to_block : float
        Shares of the engine's friction.
    radiator, heater : float
        Wall to air of the radiator at 15 m/s, of the heater: W/K.
    pump_flow : float
        Of the coolant pump, kg/s per rad/s.
    heater_share : float
        Of the coolant's flow.
    cells : int
        Of each pipe and heat exchanger.
    """

    head: float = 12600.0
    block: float = 27500.0
    jacket: float = 16000.0
    oil: float = 8000.0
    head_block: float = 260.0
    head_coolant: float = 420.0
    block_coolant: float = 250.0
    block_oil: float = 90.0
    head_oil: float = 25.0
    block_ambient: float = 9.0
    oil_ambient: float = 8.0
    to_head: float = 0.27
    to_block: float = 0.06
    friction_to_oil: float = 0.15
    friction_to_block: float = 0.15
    radiator: float = 1300.0
    heater: float = 15.0
    pump_flow: float = 4e-3
    heater_share: float = 0.15
    cells: int = 10


def engine_thermal_system(
    *, data: ThermalData | None = None, car: CarData | None = None, ambient: float = 25.0, initial: float | None = None,
    name: str = "thermal", **settings: Any,
) -> Diagram:  # fmt: skip
    """Return the thermal system of an engine: block and head, coolant, oil, thermostat, radiator, heater, battery.

    Inputs ``engine_speed`` (rad/s), ``fuel_flow`` (kg/s) and ``speed`` (m/s): what a powertrain gives
    (:func:`~counterpoint.diagram.library.passenger_car`). Outputs ``pump_torque`` and ``alternator_torque`` (N m),
    ``oil_temperature``, ``coolant_temperature``, ``head_temperature`` and ``block_temperature`` (°C), ``lift`` (of the
    thermostat), ``oil_pressure`` (Pa), ``battery_temperature`` (°C) and ``charge``.

    Parameters
    ----------
    data, car : ThermalData, CarData, optional
    ambient, initial : float
        °C; ``initial`` is that of everything at the start, default: the ambience, a cold start.
    name, **settings
        Of the :class:`~counterpoint.diagram.Diagram`; default solver ``ode23s``.

    Examples
    --------
    >>> result = engine_thermal_system().run(until=60.0, step=1.0)  # 2000 rpm, 2.7 kg/h, 14 m/s
    >>> round(float(result["thermal.coolant_temperature"].values[-1]))
    34
    """
    data, car = data or ThermalData(), car or CarData()
    start = ambient if initial is None else initial
    model = Diagram(name, **{"solver": "ode23s", "rtol": 1e-4, "atol": 1e-5, **settings})
    crank = model.input("engine_speed", 209.4, unit="rad/s")
    fuel = model.input("fuel_flow", 7.6e-4, unit="kg/s")
    speed = model.input("speed", 14.0, unit="m/s")
    around = model.constant(ambient, name="ambient")
    nodes = {n: model.integrator(initial=start, name=n) for n in ("head", "block", "coolant", "oil")}
    circuit = _cooling(model, data, start, engine_speed=crank, speed=speed, jacket=nodes["coolant"], ambient=around)
    lubrication = model.superblock(oil_circuit(initial=start), crank, nodes["oil"], nodes["block"], name="oil_circuit")
    supply = model.superblock(battery(initial=start), crank, around, name="battery")
    pressure = friction_pressure(model, crank, nodes["oil"], car)
    friction = model.product(pressure, crank) * (-1e5 * car.displacement / (4.0 * math.pi))
    _balance(
        model, data, nodes, crank=crank, speed=speed, heat=fuel * car.heating_value, friction=friction,
        circuit=circuit, lubrication=lubrication, ambient=around,
    )  # fmt: skip
    outputs = {
        "pump_torque": (lubrication["torque"], "N m"), "alternator_torque": (supply["torque"], "N m"),
        "oil_temperature": (nodes["oil"], "degC"), "coolant_temperature": (nodes["coolant"], "degC"),
        "head_temperature": (nodes["head"], "degC"), "block_temperature": (nodes["block"], "degC"),
        "lift": (circuit["lift"], ""), "oil_pressure": (lubrication["pressure"], "Pa"),
        "battery_temperature": (supply["temperature"], "degC"), "charge": (supply["charge"], ""),
    }  # fmt: skip
    for port, (signal, unit) in outputs.items():
        model.output(port, signal, unit=unit)
    return model


def _cooling(model: Diagram, data: ThermalData, start: float, **signals: Any) -> Block:
    """Add the cooling circuit; its outputs are ``lift``, ``flow`` (kg/s) and ``returning`` (°C)."""
    inside = Diagram("cooling")
    engine, wheels = inside.input("engine_speed"), inside.input("speed")
    jacket, air = inside.input("jacket"), inside.input("ambient")
    flow = engine * data.pump_flow
    valve = inside.superblock(thermostat(), jacket, name="thermostat")
    to_radiator = inside.product(flow, valve) * (1.0 - data.heater_share)
    past_it = inside.product(flow, 1.0 - valve["lift"]) * (1.0 - data.heater_share)
    to_heater = flow * data.heater_share

    def line(name: str, q: Any, inlet: Any, mass: float, cells: int = data.cells) -> Block:
        return inside.superblock(pipe(cells=cells, mass=mass, initial=start), q, inlet, air, name=name)

    upper = line("upper_hose", to_radiator, jacket, 0.6)
    wind = inside.expression("G * (0.2 + 1.5 * tanh(v / 22))", v=wheels, G=data.radiator, name="wind")
    radiator = inside.superblock(
        heat_exchanger(cells=data.cells, initial=start), to_radiator, upper["outlet"], air, wind, name="radiator"
    )
    lower = line("lower_hose", to_radiator, radiator["outlet"], 0.6)
    bypass = line("bypass", past_it, jacket, 0.3, max(1, data.cells // 2))
    cabin = inside.superblock(
        heat_exchanger(cells=max(1, data.cells // 2), mass=0.5, wall=900.0, inside=400.0, initial=start),
        to_heater, jacket, air, data.heater, name="heater",
    )  # fmt: skip
    returning = inside.expression(
        "x * (1 - h) * a + (1 - x) * (1 - h) * b + h * c",
        x=valve, a=lower, b=bypass, c=cabin["outlet"], h=data.heater_share, name="mixed",
    )  # fmt: skip
    inside.output("lift", valve)
    inside.output("flow", flow, unit="kg/s")
    inside.output("returning", returning, unit="degC")
    return model.superblock(inside, name="cooling", **signals)


def _balance(
    model: Diagram, data: ThermalData, nodes: dict[str, Block], *, crank: Any, speed: Any, heat: Any, friction: Any,
    circuit: Block, lubrication: Block, ambient: Any,
) -> None:  # fmt: skip
    """Add the energy balances of head, block, coolant and oil."""
    head, block, coolant, oil = nodes["head"], nodes["block"], nodes["coolant"], nodes["oil"]
    wetted = model.expression("0.3 + 0.7 * tanh(n / 314)", n=crank, name="wetted")
    through = model.expression(
        "a = Gab * (A - B); b = w * Gac * (A - C); c = w * Gbc * (B - C); d = Gbo * (B - O); e = Gao * (A - O)",
        A=head, B=block, C=coolant, O=oil, w=wetted, Gab=data.head_block, Gac=data.head_coolant,
        Gbc=data.block_coolant, Gbo=data.block_oil, Gao=data.head_oil, name="conduction",
    )  # fmt: skip
    lost = model.expression(
        "b = Gb * (1 + v/10) * (B - T); o = Go * (1 + v/10) * (O - T)",
        v=speed, B=block, O=oil, T=ambient, Gb=data.block_ambient, Go=data.oil_ambient, name="losses",
    )  # fmt: skip
    carried = model.product(circuit["flow"], circuit["returning"] - coolant) * COOLANT_HEAT
    pumped = model.product(lubrication["flow"], lubrication["returning"] - oil) * OIL_HEAT
    a, b, c, d, e = (through[port] for port in "abcde")
    (model.sum(heat * data.to_head, a, b, e, signs="+---") * (1.0 / data.head)) >> head
    balance = model.sum(heat * data.to_block, friction * data.friction_to_block, a, c, d, lost["b"], signs="+++---")
    balance * (1.0 / data.block) >> block
    model.sum(b, c, carried) * (1.0 / data.jacket) >> coolant
    oil_side = model.sum(d, e, friction * data.friction_to_oil, pumped, lost["o"], signs="++++-")
    oil_side * (1.0 / data.oil) >> oil
