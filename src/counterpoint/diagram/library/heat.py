"""Thermal building blocks of a car: pipes, heat exchangers, thermostat, oil circuit, battery with alternator.

Temperatures in °C, flows in kg/s, all other units SI. Each function returns a :class:`~counterpoint.diagram.Diagram`
that is used as a superblock. Fluids are cut into cells, each mixed: fine cells follow a front better, and are stiffer
(a cell of mass m at the flow q has the time constant m/q).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import SetupError
from ..diagram import Diagram

COOLANT_HEAT = 3600.0
"""Specific heat of water with glycol, J/(kg K)."""
OIL_HEAT = 2000.0
"""Specific heat of engine oil, J/(kg K)."""
OIL_DENSITY = 860.0
"""kg/m³"""

Array = NDArray[np.float64]


def _upwind(cells: int) -> Array:
    """Return the matrix that takes the temperatures of cells to what flows in, less what is there."""
    if cells < 1:
        raise SetupError(f"cells: {cells}; expected at least 1")
    return np.eye(cells, k=-1) - np.eye(cells)


def _first(cells: int) -> Array:
    return np.eye(cells, 1)


def pipe(
    *, cells: int = 10, mass: float = 0.6, loss: float = 1.0, heat: float = COOLANT_HEAT, initial: float = 25.0,
    name: str = "pipe",
) -> Diagram:  # fmt: skip
    """Return a pipe: a front of temperature passes through, and some heat is lost on the way.

    Inputs ``flow`` (kg/s), ``inlet`` and ``ambient`` (°C); output ``outlet`` (°C).

    Parameters
    ----------
    cells : int
    mass : float
        Of the fluid in it, kg.
    loss : float
        To the surroundings, W/K.
    heat : float
        Specific heat of the fluid, J/(kg K).
    initial : float
        °C

    Examples
    --------
    >>> result = pipe(cells=20, mass=1.0).run(until=60.0, step=1.0)  # 0.1 kg/s of 80 °C enter a cold pipe
    >>> round(float(result["pipe.outlet"].at(5.0))), round(float(result["pipe.outlet"].at(60.0)))
    (25, 80)
    """
    upwind = _upwind(cells)
    model = Diagram(name, solver="ode23s")
    flow, inlet = model.input("flow", 0.1, unit="kg/s"), model.input("inlet", 80.0, unit="degC")
    ambient = model.input("ambient", 25.0, unit="degC")
    state = model.integrator(initial=np.full(cells, initial), name="cells")
    entering = model.gain(upwind, state) + model.gain(_first(cells), inlet)
    rate = model.product(flow * (cells / mass), entering) - (state - ambient) * (loss / (mass * heat))
    rate >> state
    model.output("outlet", state[cells - 1], unit="degC")
    return model


def heat_exchanger(
    *, cells: int = 10, mass: float = 1.2, wall: float = 3000.0, inside: float = 2500.0, initial: float = 25.0,
    name: str = "exchanger",
) -> Diagram:  # fmt: skip
    """Return a heat exchanger between coolant and air, cells of coolant and of wall one after another.

    Inputs ``flow`` (kg/s, coolant), ``inlet`` and ``ambient`` (°C), ``outside`` (W/K, wall to air, of the whole);
    outputs ``outlet`` (°C) and ``power`` (W, given to the air).

    Parameters
    ----------
    cells : int
    mass, wall : float
        Mass of the coolant in it, kg; heat capacity of the walls, J/K.
    inside : float
        Coolant to wall, W/K, of the whole.
    initial : float
        °C
    """
    upwind = _upwind(cells)
    model = Diagram(name, solver="ode23s")
    flow, inlet = model.input("flow", 0.2, unit="kg/s"), model.input("inlet", 90.0, unit="degC")
    ambient, outside = model.input("ambient", 25.0, unit="degC"), model.input("outside", 500.0, unit="W/K")
    fluid = model.integrator(initial=np.full(cells, initial), name="fluid")
    walls = model.integrator(initial=np.full(cells, initial), name="walls")
    entering = model.gain(upwind, fluid) + model.gain(_first(cells), inlet)
    crossing = (fluid - walls) * (inside / cells)
    leaving = model.product(outside * (1.0 / cells), walls - ambient)
    model.product(flow * (cells / mass), entering) - crossing * (cells / (mass * COOLANT_HEAT)) >> fluid
    (crossing - leaving) * (cells / wall) >> walls
    model.output("outlet", fluid[cells - 1], unit="degC")
    model.output("power", model.sum_of_components(leaving), unit="W")
    return model


def thermostat(*, opens: float = 88.0, span: float = 10.0, lag: float = 8.0, name: str = "thermostat") -> Diagram:
    """Return a wax thermostat: input ``temperature`` (°C), output ``lift`` (0 closed to 1 open).

    Parameters
    ----------
    opens, span, lag : float
        It begins to open there, °C; from there to fully open, K; time constant of the wax, s.
    """
    model = Diagram(name, solver="ode23s")
    temperature = model.input("temperature", 25.0, unit="degC")
    # Rounded at both ends over about 1 K, so that no solver has to stop there.
    wanted = model.expression(
        "x = (T - a) / b; y = 0.5 * (hypot(x, d) - hypot(x - 1, d) + 1)", T=temperature, a=opens, b=span, d=0.1,
        outputs=["y"], name="characteristic",
    )  # fmt: skip
    model.output("lift", model.lag(wanted, time_constant=lag, name="lift"))
    return model


@dataclass(frozen=True)
class OilData:
    """Numbers of an oil circuit; SI units.

    Attributes
    ----------
    displacement : float
        Of the pump, m³ per turn.
    volumetric, mechanical : float
        Its efficiencies.
    relief, relief_slope : float
        Relief valve: opens at, Pa; m³/s per Pa above.
    bearings, filter : float
        Resistances: Pa s/m³ per m²/s of viscosity.
    compliance : float
        Of the oil with its air, and of each line, m³/Pa.
    cells, line_mass : int, float
        Cells of the gallery; kg.
    """

    displacement: float = 12e-6
    volumetric: float = 0.92
    mechanical: float = 0.75
    relief: float = 4.5e5
    relief_slope: float = 1e-8
    bearings: float = 3.5e13
    filter: float = 0.7e13
    compliance: float = 5e-12
    cells: int = 8
    line_mass: float = 0.2


def oil_circuit(*, data: OilData | None = None, initial: float = 25.0, name: str = "oil") -> Diagram:
    """Return pump, relief valve, filter, gallery and bearings of an oil circuit.

    Inputs ``speed`` (rad/s, of the pump), ``temperature`` (°C, of the sump), ``block`` (°C, of what the gallery goes
    through); outputs ``torque`` (N m, that the pump takes), ``pressure`` (Pa, after the pump), ``flow`` (kg/s, through
    the bearings), ``returning`` (°C). Viscosity of a 5W-30 in m²/s (a fit of ours):
    ``70e-6 exp(-0.045 (T - 40)) + 9e-6 exp(-0.012 (T - 100))``. Pressures settle within milliseconds: stiff.

    Examples
    --------
    >>> result = oil_circuit().run(until=1.0, step=0.1)  # cold, idling
    >>> round(float(result["oil.torque"].values[-1]), 1)
    1.1
    """
    data = data or OilData()
    model = Diagram(name, solver="ode23s")
    speed = model.input("speed", 84.0, unit="rad/s")
    temperature, block = model.input("temperature", 25.0, unit="degC"), model.input("block", 25.0, unit="degC")
    pump, gallery = model.integrator(initial=1e5, name="pump_pressure"), model.integrator(initial=1e5, name="pressure")
    viscosity = model.expression(
        "70e-6 * exp(-0.045*(T - 40)) + 9e-6 * exp(-0.012*(T - 100))", T=temperature, name="viscosity"
    )
    delivered = speed * (data.displacement * data.volumetric / (2 * np.pi))
    filtered = model.expression("(p - q) / (r * nu)", p=pump, q=gallery, nu=viscosity, r=data.filter, name="filter")
    through = model.expression("q / (r * nu)", q=gallery, nu=viscosity, r=data.bearings, name="bearings")
    relieved = model.expression(
        "0.5 * s * (p - a + hypot(p - a, 2e4))", p=pump, a=data.relief, s=data.relief_slope, name="relief"
    )
    model.sum(delivered, filtered, relieved, signs="+--") * (1.0 / data.compliance) >> pump
    (filtered - through) * (1.0 / data.compliance) >> gallery
    line = model.superblock(
        pipe(cells=data.cells, mass=data.line_mass, loss=10.0, heat=OIL_HEAT, initial=initial),
        flow=through * OIL_DENSITY, inlet=temperature, ambient=block, name="line",
    )  # fmt: skip
    model.output("torque", pump * (data.displacement / (2 * np.pi * data.mechanical)), unit="N m")
    model.output("pressure", pump, unit="Pa")
    model.output("flow", through * OIL_DENSITY, unit="kg/s")
    model.output("returning", line["outlet"], unit="degC")
    return model


def battery(
    *, load: float = 450.0, efficiency: float = 0.65, ratio: float = 2.5, initial: float = 25.0, charge: float = 0.8,
    name: str = "battery",
) -> Diagram:  # fmt: skip
    """Return a 12 V lead-acid battery with its alternator and the electrical load of a car.

    Inputs ``speed`` (rad/s, of the crank) and ``ambient`` (°C); outputs ``torque`` (N m, at the crank), ``voltage``
    (V), ``current`` (A, into the battery), ``charge`` (0 to 1), ``temperature`` (°C, of its core). 60 Ah; open-circuit
    voltage 11.8 V + 1.2 V times the charge; a resistance and two RC pairs (50 ms, 20 s); five thermal layers from core
    to case; the regulator holds 14.2 V with a time constant of 50 ms.

    Parameters
    ----------
    load, efficiency, ratio : float
        Electrical load, W; of the alternator; its speed over that of the crank.
    initial, charge : float
        °C; share of the full charge at the start.
    """
    model = Diagram(name, solver="ode23s")
    speed, ambient = model.input("speed", 84.0, unit="rad/s"), model.input("ambient", 25.0, unit="degC")
    layers = model.integrator(initial=np.full(5, initial), name="layers")
    stored = model.integrator(initial=charge, name="charge")
    fast, slow = model.integrator(name="fast_pair"), model.integrator(name="slow_pair")
    made = model.integrator(initial=load / 14.2, name="alternator_current")
    core = layers[0]
    resistance = model.expression("8e-3 * exp(-0.02 * (T - 25))", T=core, name="resistance")
    electric = model.expression(
        "i = m - P / 14.2; v = 11.8 + 1.2*q + f + s + i*r", m=made, q=stored, f=fast, s=slow, r=resistance, P=load,
        name="terminals",
    )  # fmt: skip
    current, voltage = electric["i"], electric["v"]
    # What the alternator can give grows with its speed and levels out at 110 A.
    limit = model.expression("110 * tanh(g * n / 500)", n=speed, g=ratio, name="limit")
    wanted = model.expression("(14.2 - v) / 0.02 + m", v=voltage, m=made, name="regulator")
    asked = model.expression("0.5 * (w + l - hypot(w - l, 1))", w=wanted, l=limit, name="asked")
    (asked - made) * (1.0 / 0.05) >> made
    current * (1.0 / (60.0 * 3600.0)) >> stored
    model.expression("(i * 4e-3 - f) / 0.05", i=current, f=fast) >> fast
    model.expression("(i * 60e-3 - s) / 20", i=current, s=slow) >> slow
    between = 8.0 * (np.eye(5, k=1) + np.eye(5, k=-1) - np.diag([1.0, 2.0, 2.0, 2.0, 1.0]))  # W/K
    source = model.gain(np.eye(5, 1), model.expression("i**2 * r", i=current, r=resistance))
    outside = model.gain(np.eye(5)[:, 4:] * 3.0, ambient - layers[4])
    model.sum(model.gain(between, layers), source, outside) * (1.0 / 2600.0) >> layers
    torque = model.expression("m * v / (eta * hypot(n, 20))", m=made, v=voltage, n=speed, eta=efficiency, name="torque")
    for port, signal, unit in (
        ("torque", torque, "N m"), ("voltage", voltage, "V"), ("current", current, "A"), ("charge", stored, ""),
        ("temperature", core, "degC"),
    ):  # fmt: skip
        model.output(port, signal, unit=unit)
    return model
