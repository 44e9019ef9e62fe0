"""Slopes of outputs with direct feedthrough: C (A x + B u) + D du/dt, with the slope of the input."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

import counterpoint as cp

QUARTER_CAR = np.array(
    [[0, 1, 0, 0], [-37.5, -2.5, 37.5, 2.5], [0, 0, 0, 1], [375, 25, -375 - 3750, -25]],
)
"""zc, v, zw, vw: a chassis of 400 kg on a wheel of 40 kg; 15 000 N/m, 1000 N s/m, 150 000 N/m; a public benchmark."""


def quarter_car(step, approximation):
    system = cp.System("quarter car")
    tight = {"solver": "ode45", "rtol": 1e-10, "atol": 1e-12}
    wheel = cp.linear(
        [[0, 1, 0], [-4125, -25, 375], [0, 0, 0]], [[0], [25], [1]], [[15000, 1000, -15000]], [[-1000]],
        x0=[-0.1, 0, -0.1], inputs="v", outputs="F", **tight,
    )  # fmt: skip
    chassis = cp.linear([[0, 1], [0, 0]], [[0], [1 / 400]], x0=[-0.1, 0], inputs="F", outputs=["zc", "v"], **tight)
    system.add("wheel", wheel, step=step)
    system.add("chassis", chassis, step=step)
    system.connect("chassis.v", "wheel.v", approximation)
    system.connect("wheel.F", "chassis.F", approximation)
    return system


def error(result):
    found = result["chassis.zc"]
    exact = [(expm(QUARTER_CAR * t) @ [-0.1, 0, -0.1, 0])[0] for t in found.time]
    return float(np.abs(found.values - exact).max()) / 0.1


def test_gauss_seidel_with_slopes_has_order_4_on_the_quarter_car():
    """Without the slope of F: 2.5e-3 and 3.4e-4 with 400 and 800 subsystem integrations, order 3."""
    options = {"until": 2.0, "scheme": cp.sequential(["wheel", "chassis"]), "first_steps": "repeat"}
    coarse, fine = (error(quarter_car(step, cp.hermite()).run(**options)) for step in (0.01, 0.005))
    assert coarse < 2e-4
    assert fine < 1.2e-5
    assert math.log2(coarse / fine) == pytest.approx(4.0, abs=0.4)


class Listener(cp.Subsystem):
    """Waits for its source and writes down what it reads in the middle of each step."""

    inputs = ("u",)
    outputs = ("y",)

    def start(self, t):
        self.seen = []

    def step(self, t, t_end, u):
        middle = 0.5 * (t + t_end)
        self.seen.append((middle, float(u(middle)[0])))

    def output(self, t, u):
        return 0.0


def driven(step, exact, sources, targets, **options):
    """Drive a model with feedthrough, y = x + D u, dx/dt = u, and return the error that its Hermite cubic has between
    samples."""
    system = cp.System("driven")
    for name, function in sources.items():
        system.add(name, cp.source(function, outputs="y"), step=step)
    width = len(targets)
    model = cp.linear(
        [[0.0]], [[1.0] * width], [[1.0]], [[2.0] * width], x0=[0.0], inputs=list(targets), outputs="y", solver="ode5"
    )
    system.add("model", model, step=step)
    listener = Listener()
    system.add("listener", listener, step=step)
    for target, source in targets.items():
        system.connect(source, f"model.{target}", cp.lagrange(4), **options)
    system.connect("model.y", "listener.u", cp.hermite())
    system.run(until=2.0, scheme=cp.sequential([*sources, "model", "listener"]))
    return max(abs(value - exact(t)) for t, value in listener.seen if t > 1.0)


@pytest.mark.parametrize(
    ("sources", "targets", "options", "exact"),
    [
        (("a",), {"u": "a.y"}, {}, lambda t: 1 - math.cos(t) + 2 * math.sin(t)),
        (("a",), {"u": "a.y"}, {"gain": 3.0, "offset": 1.0}, lambda t: 3 * (1 - math.cos(t)) + t + 6 * math.sin(t) + 2),
        (("a", "b"), {"u": ["a.y", "b.y"]}, {}, lambda t: 1 - math.cos(t) + math.sin(t) + 2 * (math.sin(t) + math.cos(t))),
        (
            ("a", "b"),
            {"u": ["a.y", "b.y"]},
            {"law": lambda a, b: a * b},
            lambda t: 0.5 * math.sin(t) ** 2 + 2 * math.sin(t) * math.cos(t),
        ),
    ],
    ids=["one", "gain and offset", "sum", "law"],
)  # fmt: skip
def test_the_slope_follows_the_inputs(sources, targets, options, exact):
    """With wrong slopes the cubic would have order 1 at best; the line over the first step leaves order 3."""
    functions = {"a": math.sin, "b": math.cos}
    coarse, fine = (
        driven(step, exact, {name: functions[name] for name in sources}, targets, **options) for step in (0.1, 0.05)
    )
    assert fine < 3e-5
    assert math.log2(coarse / fine) > 2.7


def test_a_vector_of_inputs_has_a_vector_of_slopes():
    coarse, fine = (
        driven(
            step,
            lambda t: 1 - math.cos(t) + math.sin(t) + 2 * (math.sin(t) + math.cos(t)),
            {"a": math.sin, "b": math.cos},
            {"u": "a.y", "w": "b.y"},
        )
        for step in (0.1, 0.05)
    )
    assert fine < 3e-5
    assert math.log2(coarse / fine) > 2.7
