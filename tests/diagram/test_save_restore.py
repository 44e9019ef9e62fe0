"""Saved in the middle of a run and restored, a diagram with every block that has memory goes on with the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterpoint as cp
from counterpoint import _core
from counterpoint.diagram.compiling import flatten, make_core

CONTINUOUS = {
    "plain": lambda m, u, c: m.integrator(u),
    "limited": lambda m, u, c: m.integrator(2 * u, limits=(-0.2, 0.2)),
    "reset": lambda m, u, c: m.integrator(1.0, reset=c, edge="either", initial=0.1),
    "level": lambda m, u, c: m.integrator(1.0, reset=c, edge="level"),
    "external": lambda m, u, c: m.integrator(1.0, reset=c, external_initial=u),
    "transfer": lambda m, u, c: m.transfer_function([1, 2, 3], [1, 4, 5], u),
    "zero_pole": lambda m, u, c: m.zero_pole([-1.0], [-1 + 2j, -1 - 2j, -3.0], 2.0, u),
    "state_space": lambda m, u, c: m.state_space([[0, 1], [-4, -1]], [[0], [1]], [[1, 0]], [[0.5]], u),
    "second_order": lambda m, u, c: m.second_order(u, frequency=5.0, damping=0.3),
    "lag": lambda m, u, c: m.lag(u, time_constant=0.2),
    "lead_lag": lambda m, u, c: m.lead_lag(u, lead=0.3, lag=0.1),
    "derivative": lambda m, u, c: m.derivative(u, time_constant=0.1),
    "pid": lambda m, u, c: m.pid(u, integral=3.0, derivative=0.1, limits=(-0.6, 0.6), anti_windup="clamping", reset=c),
    "back": lambda m, u, c: m.pid(u, integral=3.0, limits=(-0.6, 0.6), anti_windup="back_calculation", tracking=c),
    "memory": lambda m, u, c: m.memory(u),
    "delay": lambda m, u, c: m.transport_delay(u, delay=0.17),
    "jumping": lambda m, u, c: m.transport_delay(m.zero_order_hold(u, sample_time=0.11), delay=0.23, interpolation="cubic"),
    "variable": lambda m, u, c: m.variable_delay(m.zero_order_hold(u, sample_time=0.13), 0.3 + 0.1 * u, maximum=0.5),
}  # fmt: skip

DISCRETE = {
    "unit_delay": lambda m, u, c, **s: m.unit_delay(u, **s),
    "integer_delay": lambda m, u, c, **s: m.integer_delay(u, samples=3, **s),
    "zero_order_hold": lambda m, u, c, **s: m.zero_order_hold(u, **s),
    "integrator": lambda m, u, c, **s: m.discrete_integrator(u, method="trapezoidal", limits=(-0.1, 0.2), **s),
    "resetting": lambda m, u, c, **s: m.discrete_integrator(u, reset=c, edge="falling", **s),
    "discrete_derivative": lambda m, u, c, **s: m.discrete_derivative(u, **s),
    "discrete_transfer": lambda m, u, c, **s: m.discrete_transfer_function([1, 0.5], [1, -0.2, 0.4], u, **s),
    "filter": lambda m, u, c, **s: m.discrete_filter([0.2, 0.5, 0.3], [1.0, 0.3], u, **s),
    "discrete_state": lambda m, u, c, **s: m.discrete_state_space([[0.5]], [[1]], [[1]], [[0]], u, **s),
    "discrete_pid": lambda m, u, c, **s: m.discrete_pid(
        u, integral=2.0, derivative=0.1, limits=(-1, 1), anti_windup="clamping", reset=c, **s
    ),
    "counter": lambda m, u, c, **s: m.counter(maximum=5, **s),
}


def diagram(solver: str, locate_events: bool = True) -> cp.Diagram:
    options = {"max_step": 0.1} if solver in ("ode23", "ode45") else {"inner_step": 0.03}
    model = cp.Diagram("d", solver=solver, locate_events=locate_events, **options)
    u, c = model.sine(frequency=5.0), model.sine(frequency=7.3, phase=0.4)
    for name, make in CONTINUOUS.items():
        model.output(name, make(model, u, c))
    for rate, (name, make) in enumerate(DISCRETE.items()):
        model.output(f"sampled_{name}", make(model, u, c, sample_time=0.03 + 0.013 * rate))
    model.output("first_order_hold", model.first_order_hold(u, sample_time=0.09))
    enabled, triggered = cp.Diagram("enabled"), cp.Diagram("triggered")
    for content, blocks in ((enabled, CONTINUOUS), (triggered, DISCRETE)):
        inlets = content.input("u", 0.0), content.input("c", 0.0)
        for name, make in blocks.items():
            content.output(name, make(content, *inlets))
    for block in (
        model.superblock(enabled, u, u, enable=c, restarts=True),
        model.superblock(triggered, u, model.sine(frequency=1.3), trigger=c, edge="either"),
    ):
        for port in block.outputs:
            model.output(f"{block.name}_{port}", block[port])
    return model


def follow(walker, times):
    rows = []
    for t in times:
        walker.step(t)
        rows.append(walker.outputs())
    return np.array(rows)


@pytest.mark.parametrize("locate_events", [True, False])
@pytest.mark.parametrize("solver", ["ode1", "ode4", "ode23", "ode45"])
def test_a_restored_run_goes_on_with_the_same_bits(stepper, solver, locate_events):
    walker = stepper(diagram(solver, locate_events))
    walker.start(0.0)
    follow(walker, [0.31, 0.75])
    saved = walker.save()
    later = 0.75 + 0.083 * np.arange(1, 15)
    first = follow(walker, later)
    walker.restore(saved)
    assert walker.time == 0.75
    np.testing.assert_array_equal(follow(walker, later), first)
    assert np.ptp(first, axis=0).max() > 0.1


@settings(max_examples=15, deadline=None)
@given(
    solver=st.sampled_from(["ode2", "ode4", "ode45"]),
    steps=st.lists(st.floats(0.005, 0.4), min_size=3, max_size=8),
    detour=st.lists(st.floats(0.005, 0.5), min_size=1, max_size=3),
    where=st.integers(0, 2),
)
def test_a_detour_that_is_given_up_leaves_no_trace(solver, steps, detour, where):
    def walker():
        model = diagram(solver)
        made = _core.diagram.Stepper(make_core(model, flatten(model)), [])
        made.start(0.0)
        return made

    times = np.cumsum(steps)
    straight, wandering = walker(), walker()
    expected = follow(straight, times)
    rows = []
    for k, t in enumerate(times):
        if k == where:
            saved = wandering.save()
            follow(wandering, wandering.time + np.cumsum(detour))
            wandering.restore(saved)
        rows.append(follow(wandering, [t])[0])
    np.testing.assert_array_equal(np.array(rows), expected)


def test_a_second_start_gives_the_same_bits_as_the_first(stepper):
    walker = stepper(diagram("ode4"))
    times = 0.11 * np.arange(1, 10)
    walker.start(0.0)
    first = follow(walker, times)
    walker.start(0.0)
    np.testing.assert_array_equal(follow(walker, times), first)


def test_rejected_attempts_leave_no_trace_in_delays():
    """A sharp resonance makes the solver reject steps; the delay must still be the input of accepted times."""
    model = cp.Diagram("d", solver="ode45", rtol=1e-7, atol=1e-9)
    x = model.second_order(model.step(time=0.305), frequency=200.0, damping=0.02)
    model.output("x", x)
    model.output("y", model.transport_delay(x, delay=0.2, interpolation="cubic"))
    core = make_core(model, flatten(model))
    walker = _core.diagram.Stepper(core, [])
    walker.start(0.0)
    x, y = follow(walker, 0.1 * np.arange(1, 21)).T
    assert core.statistics()["rejected"] > 0
    # What was there two steps before: an accepted time, so nothing is interpolated.
    np.testing.assert_allclose(y[2:], x[:-2], rtol=1e-12)


class Counter(cp.diagram.PythonBlock):
    """Counts accepted steps and lets its state run after the input: memory in x and in an attribute."""

    inputs = ("u",)
    states = 1
    needs_major = True

    def start(self, context):
        self.x[:] = 0.5
        self.steps = 0

    def output(self, context, u):
        return self.x[0] + 0.01 * self.steps

    def derivative(self, context, u):
        return u - self.x[0]

    def accepted(self, context, u):
        self.steps += 1


def diagram_of_user_blocks(solver):
    model = cp.Diagram("user", solver=solver)
    temperature = model.integrator(initial=18.0, name="temperature")
    machine = model.state_machine(temperature=temperature, outputs={"heater": 0.0}, variables={"count": 0.0})
    machine.state("off", entry="heater = 0").state("on", entry="heater = 1; count = count + 1").state("pause")
    machine.transition("off", "on", "temperature < 19").transition("on", "pause", "temperature > 21")
    machine.transition("pause", "off", "after(0.7)", action="heater = 0.2")
    model.expression("8 * heater - 0.4 * (temperature - 10)", machine["heater"], temperature) >> temperature
    model.output("temperature", temperature)
    model.output("heater", machine["heater"])
    model.output("state", machine["state"])
    model.output("follower", model.python_block(Counter, temperature))
    return model


@pytest.mark.parametrize("solver", ["ode4", "ode45"])
def test_state_machines_and_python_blocks_forget_a_detour(solver, stepper):
    times = 0.13 * np.arange(1, 40)
    straight, wandering = stepper(diagram_of_user_blocks(solver)), stepper(diagram_of_user_blocks(solver))
    straight.start(0.0)
    wandering.start(0.0)
    expected = follow(straight, times)
    rows = []
    for k, t in enumerate(times):
        if k in (5, 17, 30):  # in each state of the machine
            saved = wandering.save()
            follow(wandering, t + 0.2 * np.arange(1, 12))
            wandering.restore(saved)
        rows.append(follow(wandering, [t])[0])
    np.testing.assert_array_equal(np.array(rows), expected)
    assert set(expected[:, 2]) == {0.0, 1.0, 2.0}
