"""The mean-value engine of the benchmark: 36 blocks, in Counterpoint, in PathSim and by hand.

3 steps, 3 constants, 6 sums, 5 gains, 5 products, 6 functions, minimum, switch, sign, saturation, 4 integrators. Units:
degrees, bar, rad/s, g, N m, s.
"""

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import counterpoint as cp
from benchmarks.compiled import library

STEP = 1e-4
SPEED_AFTER_10_S = (314.4826, 314.4828)
"""rad/s, as seven other programs give it."""

INITIAL = {"pressure": 0.543, "air": 0.152, "speed": 209.48, "angle": 0.0}
EXPRESSIONS = {
    "throttle_area": "2.821 - 0.05231*theta + 0.10299*theta**2 - 0.00063*theta**3",
    "flow_factor": "2*sqrt(r - r**2)",
    "pumping": "-0.366 + 0.08979*n*p - 0.0337*n*p**2 + 0.0001*n**2*p",
    "gas_torque": "379.36*m + 2.55*s*m - 0.05*s**2*m",
    "spark_torque": "0.26*s - 0.0028*s**2 + 0.00048*n*s",
    "friction_torque": "-181.3 + 21.91*14.6 - 0.85*14.6**2 + 0.027*n - 0.000107*n**2",
}
INPUTS = {
    "throttle_area": ("theta",),
    "flow_factor": ("r",),
    "pumping": ("n", "p"),
    "gas_torque": ("m", "s"),
    "spark_torque": ("s", "n"),
    "friction_torque": ("n",),
}


def by_hand(steps: int) -> NDArray[np.float64]:
    """Run the hand-written loop; returns the speed at the end of every step, rad/s."""
    x = (ctypes.c_double * 4)(*INITIAL.values())
    speed = np.empty(steps + 1)
    loop = library("engine_loop").engine_loop
    loop(ctypes.c_int64(steps), ctypes.c_double(STEP), x, ctypes.c_void_p(speed.ctypes.data))
    return speed * (math.pi / 30)


def functions(model: cp.Diagram, with_expressions: bool) -> Callable[..., Any]:
    """Return what adds a function block: expressions in text, or compiled functions."""

    def add(name: str, *signals: Any) -> Any:
        if with_expressions:
            return model.expression(EXPRESSIONS[name], *signals, inputs=INPUTS[name], name=name)
        address = ctypes.cast(getattr(library("engine_loop"), f"f_{name}"), ctypes.c_void_p).value
        return model.function(address, *signals, uses_time=False, name=name)

    return add


def diagram(with_expressions: bool = False) -> cp.Diagram:
    """Return the engine as a diagram with output ``speed`` in rad/s and ``rpm``."""
    model = cp.Diagram("engine", solver="ode4", step=STEP)
    function = functions(model, with_expressions)
    pressure, air, speed, angle = (model.integrator(initial=value, name=name) for name, value in INITIAL.items())
    ambient, choked, spark = model.constant(1.0), model.constant(1.0), model.constant(15.0)
    throttle = model.saturation(model.step(5.0, 8.97, 11.93), lower=0.0, upper=90.0)
    load = model.step(2.0, 25.0, 20.0) + model.step(8.0, 0.0, 5.0)

    ratio = model.min(pressure / ambient, ambient / pressure)
    flow = model.switch(ratio, function("flow_factor", ratio), choked, threshold=0.5)
    direction = model.sign(ambient - pressure)
    inflow = model.product(function("throttle_area", throttle), flow, direction)
    outflow = function("pumping", speed, pressure)
    (inflow - outflow) * 0.41328 >> pressure
    (outflow / speed * math.pi - air) * speed * (1 / math.pi) >> air
    torque = model.sum(
        function("gas_torque", air, spark), function("spark_torque", spark, speed), function("friction_torque", speed)
    )
    (torque - load) * (1 / 0.14) >> speed
    speed >> angle
    model.output("speed", speed)
    model.output("rpm", speed * (30 / math.pi))
    return model


def pathsim_simulation() -> Any:
    """Return the same 36 blocks as a PathSim simulation, and the integrator of the speed."""
    from pathsim import Connection, Simulation
    from pathsim.blocks import Adder, Amplifier, Constant, Function, Integrator, Multiplier, Source
    from pathsim.solvers import RK4

    pressure, air, speed, angle = (Integrator(value) for value in INITIAL.values())
    ambient, choked, spark = Constant(1.0), Constant(1.0), Constant(15.0)
    theta = Source(lambda t: 8.97 if t < 5 else 11.93)
    load_1, load_2 = Source(lambda t: 25.0 if t < 2 else 20.0), Source(lambda t: 0.0 if t < 8 else 5.0)
    throttle = Function(lambda u: min(max(u, 0.0), 90.0))
    load, difference, net, lag, torque, accelerating = (
        Adder(), Adder("+-"), Adder("+-"), Adder("+-"), Adder(), Adder("+-"),
    )  # fmt: skip
    down, up, per_turn = (Function(lambda a, b: a / b) for _ in range(3))
    inflow, times_speed = Multiplier(), Multiplier()
    ratio = Function(min)
    switch = Function(lambda a, c, b: a if c >= 0.5 else b)
    direction = Function(np.sign)
    area = Function(lambda q: 2.821 - 0.05231 * q + 0.10299 * q**2 - 0.00063 * q**3)
    factor = Function(lambda r: 2 * math.sqrt(r - r**2))
    pumping = Function(lambda n, p: -0.366 + 0.08979 * n * p - 0.0337 * n * p**2 + 0.0001 * n**2 * p)
    gas = Function(lambda m, s: 379.36 * m + 2.55 * s * m - 0.05 * s**2 * m)
    ignition = Function(lambda s, n: 0.26 * s - 0.0028 * s**2 + 0.00048 * n * s)
    friction = Function(lambda n: -181.3 + 21.91 * 14.6 - 0.85 * 14.6**2 + 0.027 * n - 0.000107 * n**2)
    gains = [Amplifier(k) for k in (0.41328, math.pi, 1 / math.pi, 1 / 0.14, 30 / math.pi)]
    links = [
        (theta, throttle), (throttle, area), (load_1, load[0]), (load_2, load[1]), (down, ratio[0]), (up, ratio[1]),
        (ambient, down[1], up[0], difference[0]), (pressure, down[0], up[1], difference[1], pumping[1]),
        (factor, switch[0]), (ratio, factor, switch[1]), (choked, switch[2]), (difference, direction),
        (area, inflow[0]), (switch, inflow[1]), (direction, inflow[2]), (inflow, net[0]), (net, gains[0]),
        (speed, pumping[0], ignition[1], friction, per_turn[1], times_speed[1], angle, gains[4]),
        (pumping, net[1], per_turn[0]), (gains[0], pressure), (per_turn, gains[1]), (gains[1], lag[0]),
        (air, lag[1], gas[0]), (lag, times_speed[0]), (times_speed, gains[2]), (gains[2], air),
        (spark, gas[1], ignition[0]), (gas, torque[0]), (ignition, torque[1]), (friction, torque[2]),
        (torque, accelerating[0]), (load, accelerating[1]), (accelerating, gains[3]), (gains[3], speed),
    ]  # fmt: skip
    blocks = [
        pressure, air, speed, angle, ambient, choked, spark, theta, load_1, load_2, throttle, load, difference, net,
        lag, torque, accelerating, down, up, per_turn, inflow, times_speed, ratio, switch, direction, area, factor,
        pumping, gas, ignition, friction, *gains,
    ]  # fmt: skip
    simulation = Simulation(blocks, [Connection(*link) for link in links], dt=STEP, Solver=RK4, log=False)
    return simulation, speed
