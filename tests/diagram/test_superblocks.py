from __future__ import annotations

import numpy as np
import pytest

import counterpoint as cp


def inner(make, inputs=("u",)):
    """A diagram with inputs and what `make` returns as output y."""
    model = cp.Diagram("inner")
    model.output("y", make(model, *[model.input(name, 0.0) for name in inputs]))
    return model


def square(model, period=2.0):
    """Positive in the first half of the period."""
    return model.sine(frequency=2 * np.pi / period, phase=1e-9)


@pytest.mark.parametrize("solver", ["ode4", "ode45"])
def test_states_rest_and_outputs_keep_their_value_while_not_enabled(run, solver):
    model = cp.Diagram("d", solver=solver)
    content = inner(lambda m, u: 2.0 * m.integrator(u) + m.sine(frequency=1.0))
    model.output("y", model.superblock(content, 1.0, enable=square(model)))
    r = run(model, 3.7, 0.1)
    enabled = np.mod(r.time, 2.0) < 1.0
    running = np.where(enabled, r.time - np.floor(r.time / 2), np.floor(r.time / 2) + 1.0)
    seen = np.where(enabled, r.time, np.floor(r.time / 2) * 2 + 1.0)
    np.testing.assert_allclose(r["y"], 2.0 * running + np.sin(seen), atol=1e-7)


@pytest.mark.parametrize("locate_events", [True, False])
def test_a_superblock_that_is_disabled_keeps_its_value_of_that_instant(run, locate_events):
    """The output is 3 x, no state itself: it must be that of the accepted state, not of a solver's stage."""
    model = cp.Diagram("d", locate_events=locate_events)
    content = inner(lambda m, u: 3.0 * m.integrator(u))
    slope = model.sine(frequency=1.0, bias=2.0)
    block = model.superblock(content, slope, enable=model.step(time=1.0, before=1.0, after=-1.0))
    model.output("y", block)
    r = run(model, 2.0, 0.25)
    assert r["y"][-1] == pytest.approx(3.0 * (2.0 + 1.0 - np.cos(1.0)), rel=1e-6)


def test_states_begin_anew_at_each_enabling_when_asked(run):
    model = cp.Diagram("d")
    content = inner(lambda m, u: m.integrator(u, initial=5.0))
    model.output("y", model.superblock(content, 1.0, enable=square(model), restarts=True))
    r = run(model, 3.7, 0.1)
    expected = 5.0 + np.where(np.mod(r.time, 2.0) < 1.0, np.mod(r.time, 2.0), 1.0)
    away = abs(np.mod(r.time + 0.5, 1.0) - 0.5) > 1e-6
    np.testing.assert_allclose(r["y"][away], expected[away], atol=1e-7)


def test_restarting_reaches_superblocks_inside(run):
    model = cp.Diagram("d")
    deepest = inner(lambda m, u: m.integrator(u, initial=5.0))
    middle = inner(lambda m, u: m.superblock(deepest, u, enable=1.0))
    model.output("y", model.superblock(middle, 1.0, enable=square(model), restarts=True))
    r = run(model, 3.7, 0.1)
    away = abs(np.mod(r.time + 0.5, 1.0) - 0.5) > 1e-6
    expected = 5.0 + np.where(np.mod(r.time, 2.0) < 1.0, np.mod(r.time, 2.0), 1.0)
    np.testing.assert_allclose(r["y"][away], expected[away], atol=1e-7)


@pytest.mark.parametrize(
    ("edge", "triggers"), [("rising", [2.0, 4.0]), ("falling", [1.0, 3.0]), ("either", [1, 2, 3, 4])]
)
@pytest.mark.parametrize("with_memory", [False, True])
def test_blocks_under_a_trigger_run_once_at_each(run, edge, triggers, with_memory):
    """A memory block elsewhere makes the start of each step an instant of its own: still nothing may run twice."""
    model = cp.Diagram("d")
    content = inner(lambda m, u: m.unit_delay(u + m.counter(), initial=-1.0))
    clock = model.integrator(1.0)
    control = model.sine(frequency=np.pi, phase=1e-9)
    model.output("y", model.superblock(content, clock, trigger=control, edge=edge))
    if with_memory:
        model.output("memory", model.memory(clock))
    r = run(model, 4.9, 0.13)
    n = np.searchsorted(triggers, r.time, side="right")
    before = [-1.0, -1.0] + [t + k for k, t in enumerate(triggers)]  # the output shows the trigger before the last
    np.testing.assert_allclose(r["y"], np.array(before)[n], atol=1e-8)


def test_a_discrete_integrator_under_a_trigger_uses_the_time_since_the_last_one(run):
    """Triggered by sin(pi (t + 0.2 t² - 0.5)), whose zeros get closer."""
    model = cp.Diagram("d")
    integral = inner(lambda m, u: m.discrete_integrator(u, method="trapezoidal"))
    slope = inner(lambda m, u: m.discrete_derivative(u))
    clock = model.integrator(1.0)
    control = model.sin(np.pi * (clock + 0.2 * clock * clock - 0.5))
    model.output("integral", model.superblock(integral, clock, trigger=control, edge="either"))
    model.output("slope", model.superblock(slope, clock * clock, trigger=control, edge="either"))
    r = run(model, 4.0, 0.05)
    zeros = (-1.0 + np.sqrt(1.0 + 0.8 * (np.arange(8) + 0.5))) / 0.4
    zeros = zeros[zeros < 4.0]
    # The integral of t by the trapezoidal rule is exact over any times; it begins at the first trigger.
    n = np.searchsorted(zeros, r.time, side="right")
    first, last = zeros[0], zeros[np.maximum(n - 1, 0)]
    away = np.min(abs(r.time[:, None] - zeros), axis=1) > 1e-6
    np.testing.assert_allclose(r["integral"][away], np.where(n > 0, (last**2 - first**2) / 2, 0.0)[away], atol=1e-8)
    previous = zeros[np.maximum(n - 2, 0)]
    np.testing.assert_allclose(r["slope"][away], np.where(n > 1, last + previous, 0.0)[away], atol=1e-7)


def test_samples_inside_an_enabled_superblock_are_taken_while_it_is_enabled(run):
    model = cp.Diagram("d")
    content = inner(lambda m, u: m.counter(sample_time=0.1) + 0.0 * u)
    model.output("y", model.superblock(content, 1.0, enable=square(model)))
    r = run(model, 3.95, 0.05)
    taken = [k for k in range(40) if 0 < np.mod(0.1 * k + 1e-9, 2.0) < 1.0 - 1e-6]
    count = np.searchsorted([0.1 * k - 1e-9 for k in taken], r.time, side="right") - 1
    np.testing.assert_array_equal(r["y"], count)


def test_a_trigger_inside_an_enabled_superblock_fires_while_that_is_enabled(run):
    model = cp.Diagram("d")
    deepest = inner(lambda m, u: m.counter(initial=1.0) + 0.0 * u)
    middle = inner(lambda m, u: m.superblock(deepest, u, trigger=u, edge="rising"))
    control = model.sine(frequency=2 * np.pi / 0.4, phase=-0.3)
    model.output("y", model.superblock(middle, control, enable=square(model)))
    r = run(model, 3.9, 0.03)
    fires = [t for t in 0.4 * np.arange(10) + 0.3 * 0.4 / (2 * np.pi) if np.mod(t, 2.0) < 1.0]
    np.testing.assert_array_equal(r["y"], np.searchsorted(fires, r.time, side="right"))


def chain(model, u):
    """Algebra, states, samples and a delay one after another."""
    a = 2.0 * u + 1.0
    b = model.lag(a, time_constant=0.3)
    c = model.zero_order_hold(b - a, sample_time=0.07)
    return model.transport_delay(c + b, delay=0.11) * 0.5 + model.pid(a, integral=2.0, limits=(-1.0, 4.0))


@pytest.mark.parametrize(("solver", "step"), [("ode4", 0.05), ("ode45", 0.2)])
def test_superblocks_in_series_give_the_same_bits_as_the_flat_diagram(run, solver, step):
    flat, nested = cp.Diagram("d", solver=solver), cp.Diagram("d", solver=solver)
    flat.output("y", chain(flat, chain(flat, flat.sine(frequency=3.0))))
    content = cp.Diagram("content")
    content.output("y", chain(content, content.input("u", 0.0)))
    wrapped = cp.Diagram("wrapped")
    wrapped.output("y", wrapped.superblock(content, wrapped.input("u", 0.0)))
    nested.output("y", nested.superblock(wrapped, nested.superblock(content, nested.sine(frequency=3.0))))
    np.testing.assert_array_equal(run(flat, 2.0, step)["y"], run(nested, 2.0, step)["y"])


def test_two_independent_paths_through_a_superblock_are_no_algebraic_loop(run):
    """y1 = 2 u1 and y2 = u2 + 1; y1 feeds u2: an order exists, though the block as a whole feeds itself."""
    content = cp.Diagram("content")
    content.output("y1", 2.0 * content.input("u1", 0.0))
    content.output("y2", content.input("u2", 0.0) + 1.0)
    model = cp.Diagram("d")
    block = model.superblock(content, u1=model.sine(frequency=1.0))
    block.connect_port("u2", block["y1"])
    model.output("y", block["y2"])
    r = run(model, 1.0, 0.1)
    np.testing.assert_allclose(r["y"], 2.0 * np.sin(r.time) + 1.0, rtol=1e-14)


def test_continuous_states_under_a_trigger_are_refused():
    model = cp.Diagram("d")
    content = inner(lambda m, u: m.lag(u, time_constant=1.0, name="lag"))
    model.output("y", model.superblock(content, 1.0, trigger=1.0))
    with pytest.raises(cp.SetupError, match=r"inner1/lag: has continuous states.*discrete integrator"):
        model.run(until=1.0, step=0.1)
