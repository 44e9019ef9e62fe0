from __future__ import annotations

import math

import numpy as np
import pytest

import counterpoint as cp


def test_memory_gives_the_value_of_the_last_accepted_step(run):
    model = cp.Diagram("d")
    ramp = model.integrator(1.0)
    model.output("y", model.memory(ramp, initial=-1.0))
    r = run(model, 1.0, 0.1)
    np.testing.assert_allclose(r["y"], [-1.0, *r.time[:-1]], atol=1e-14)


def test_memory_breaks_an_algebraic_loop(run):
    """y(k) = 1 - y(k-1)/2 converges to 2/3."""
    model = cp.Diagram("d")
    memory = model.memory()
    y = 1.0 - 0.5 * memory
    y >> memory
    model.output("y", y)
    r = run(model, 1.0, 0.1)
    np.testing.assert_allclose(r["y"], 2 / 3 + (-0.5) ** np.arange(11) / 3, rtol=1e-13)


@pytest.mark.parametrize("solver", ["ode1", "ode4"])
def test_memory_counts_inner_steps_like_communication_steps(run, solver):
    """dx/dt = -(value of x one step before): the same whether the steps are made one by one or ten in a row."""

    def end(step, inner_step):
        model = cp.Diagram("d", solver=solver, inner_step=inner_step)
        x = model.integrator(initial=1.0)
        x(-1.0 * model.memory(x, initial=1.0))
        model.output("x", x)
        return run(model, 1.0, step)["x"][-1]

    assert end(0.1, None) == pytest.approx(end(1.0, 0.1), rel=1e-13)
    # The slope is held over the step: explicit Euler.
    assert end(0.1, None) == pytest.approx(0.9**10, rel=1e-12)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
@pytest.mark.parametrize(("solver", "step"), [("ode4", 0.07), ("ode4", 0.5), ("ode45", None)])
def test_a_delayed_sine_is_the_sine_of_the_time_before(run, interpolation, solver, step):
    model = (
        cp.Diagram("d", solver=solver, max_step=0.05)
        if step is None
        else cp.Diagram("d", solver=solver, inner_step=0.07)
    )
    u = model.sine(frequency=2.0)
    model.integrator(u, name="clock")  # a state, so that the variable step has something to control
    model.output("y", model.transport_delay(u, delay=0.3, initial=0.0, interpolation=interpolation))
    r = run(model, 3.0, step)
    expected = np.where(r.time < 0.3, 0.0, np.sin(2.0 * (r.time - 0.3)))
    # Linear: h²/8 max|u''| = 2.5e-3; cubic with slopes from parabolas: h³ times a small constant.
    np.testing.assert_allclose(r["y"], expected, atol=2.5e-3 if interpolation == "linear" else 2e-4)


def test_a_finer_step_shows_the_order_of_the_interpolation(run):
    def error(interpolation, step):
        model = cp.Diagram("d")
        model.output(
            "y", model.transport_delay(model.sine(frequency=2.0, phase=1.0), delay=1 / 3, interpolation=interpolation)
        )
        r = run(model, 2.0, step)
        late = r.time > 1.0
        return np.max(abs(r["y"] - np.sin(2.0 * (r.time - 1 / 3) + 1.0))[late])

    assert np.log2(error("linear", 0.1) / error("linear", 0.05)) > 1.8
    assert np.log2(error("cubic", 0.1) / error("cubic", 0.05)) > 2.8


@pytest.mark.parametrize(("solver", "step"), [("ode4", 0.1), ("ode1", 0.37), ("ode45", 0.4)])
def test_a_jump_arrives_exactly_one_delay_later(run, solver, step):
    """The integral of the delayed step is exact only when the step is split at 0.25 + 0.5."""
    model = cp.Diagram("d", solver=solver)
    arrived = model.integrator(model.transport_delay(model.step(time=0.25), delay=0.5))
    model.output("arrived", arrived)
    model.output("y", model.transport_delay(model.step(time=0.25, before=2.0, after=-1.0), delay=0.5, initial=2.0))
    r = run(model, 1.3, step)
    np.testing.assert_allclose(r["arrived"], np.maximum(0.0, r.time - 0.75), atol=1e-12)
    np.testing.assert_array_equal(r["y"], np.where(r.time < 0.75, 2.0, -1.0))


def test_a_located_event_makes_a_jump_that_is_delayed_exactly(run):
    """A resetting integrator is a sawtooth with jumps at 0.4, 0.8 ..., found by location only."""
    model = cp.Diagram("saw")
    wave = model.sine(frequency=2 * np.pi / 0.4, phase=-1e-9)
    saw = model.integrator(1.0, reset=wave)
    delayed = model.transport_delay(saw, delay=0.26)
    model.output("y", delayed)
    model.output("integral", model.integrator(delayed))
    r = run(model, 1.9, 0.07)
    t = np.maximum(r.time - 0.26, 0.0)
    # Rising zeros of the sine: at 1e-9 (from the start) and then every 0.4 s.
    np.testing.assert_allclose(r["y"], np.mod(t, 0.4), atol=1e-7)
    np.testing.assert_allclose(r["integral"], np.floor(t / 0.4) * 0.08 + np.mod(t, 0.4) ** 2 / 2, atol=1e-7)


@pytest.mark.parametrize(("solver", "options"), [("ode4", {}), ("ode45", {"rtol": 1e-8, "atol": 1e-10})])
def test_a_delay_differential_equation_has_its_closed_form(run, solver, options):
    """x' = -x(t-1), x = 1 before: by the method of steps polynomials of rising degree."""
    model = cp.Diagram("d", solver=solver, **options)
    x = model.integrator(initial=1.0)
    x(-1.0 * model.transport_delay(x, delay=1.0, initial=1.0, interpolation="cubic"))
    model.output("x", x)
    r = run(model, 3.0, 0.05)
    t = r.time
    # The second derivative jumps at t = 1: the parabola for the slope there is wrong by h/2, the cubic by h³/48 = 2.6e-6.
    first, second = 1 - t, 1 - t + (t - 1) ** 2 / 2
    third = 1 - t + (t - 1) ** 2 / 2 - (t - 2) ** 3 / 6
    np.testing.assert_allclose(r["x"], np.where(t <= 1, first, np.where(t <= 2, second, third)), atol=3e-6)


def test_steps_longer_than_the_delay_are_split(run):
    """x' = -x(t-0.1) with communication steps of 1 s: no value is asked for before it is known."""

    def end(step):
        model = cp.Diagram("d")
        x = model.integrator(initial=1.0)
        x(-1.0 * model.transport_delay(x, delay=0.1, initial=1.0, interpolation="cubic"))
        model.output("x", x)
        return run(model, 2.0, step)["x"][-1]

    assert end(1.0) == pytest.approx(end(0.005), abs=2e-4)


def test_a_variable_delay_follows_its_signal(run):
    model = cp.Diagram("d", inner_step=0.01)
    u = model.sine(frequency=1.0)
    delay = 0.5 + 0.3 * model.sine(frequency=0.7)
    model.output("y", model.variable_delay(u, delay, maximum=1.0, interpolation="cubic"))
    r = run(model, 5.0, 0.1)
    s = r.time - (0.5 + 0.3 * np.sin(0.7 * r.time))
    np.testing.assert_allclose(r["y"], np.where(s < 0, 0.0, np.sin(s)), atol=1e-6)


def test_a_jump_through_a_variable_delay_is_located(run):
    """Delay 0.5 + 0.2 t: the jump at 0.25 arrives when 0.8 t - 0.5 = 0.25."""
    model = cp.Diagram("d")
    delay = model.integrator(0.2, initial=0.5)
    arrived = model.integrator(model.variable_delay(model.step(time=0.25), delay, maximum=2.0))
    model.output("arrived", arrived)
    r = run(model, 2.0, 0.13)
    np.testing.assert_allclose(r["arrived"], np.maximum(0.0, r.time - 0.75 / 0.8), atol=1e-9)


def test_a_delay_takes_vectors(run):
    model = cp.Diagram("d")
    u = model.integrator(model.constant([1.0, -2.0]))
    model.output("y", model.transport_delay(u, delay=0.3, initial=[5.0, 6.0]))
    r = run(model, 1.0, 0.1)
    late = r.time > 0.35
    np.testing.assert_allclose(r["y"][late], np.outer(r.time[late] - 0.3, [1.0, -2.0]), atol=1e-12)
    np.testing.assert_array_equal(r["y"][r.time < 0.25], np.tile([5.0, 6.0], (3, 1)))


def test_a_delay_works_without_event_location(run):
    model = cp.Diagram("d", locate_events=False)
    model.output("y", model.transport_delay(model.integrator(1.0), delay=0.25))
    r = run(model, 2.0, 0.1)
    np.testing.assert_allclose(r["y"], np.maximum(0.0, r.time - 0.25), atol=1e-12)


@pytest.mark.parametrize("delay", [0.0, -1.0, np.nan, np.inf])
def test_a_delay_that_is_none_is_refused(delay):
    with pytest.raises(cp.SetupError, match='"delay": '):
        cp.Diagram("d").transport_delay(1.0, delay=delay)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
@pytest.mark.parametrize("solver", ["ode45", "ode23"])
@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-9])
def test_the_error_of_a_delay_follows_the_tolerance(solver, rtol, interpolation):
    """What is delayed is as accurate as what is not: the solver's continuous solution is read, not lines between steps."""
    model = cp.Diagram("d", solver=solver, rtol=rtol, atol=1e-3 * rtol)
    x = model.integrator(initial=1.0)
    model.integrator(-4.0 * x) >> x
    model.output("x", x)
    model.output("y", model.transport_delay(x, delay=0.7, initial=1.0, interpolation=interpolation))
    r = model.run(until=5.0)
    time, y = r["d.y"].time, r["d.y"].values
    error = np.max(abs(y - np.where(time < 0.7, 1.0, np.cos(2.0 * (time - 0.7)))))
    assert error <= 1.5 * np.max(abs(r["d.x"].values - np.cos(2.0 * time)))


@pytest.mark.parametrize("rtol", [1e-4, 1e-7])
@pytest.mark.parametrize(("frequency", "delay"), [(3.0, 0.3), (20.0, 0.3), (100.0, 0.3), (100.0, 1.0)])
def test_a_delayed_source_is_as_accurate_as_the_tolerance_however_long_the_steps(frequency, delay, rtol):
    """Nothing but the delay needs the source, and the states allow long steps.

    A second has almost 16 periods of 100 rad/s: instants at quarters and eighths of it see a slow signal.
    """
    model = cp.Diagram("d", solver="ode45", rtol=rtol, atol=1e-3 * rtol)
    model.output("x", model.integrator(model.integrator(1.0)))
    model.output("y", model.transport_delay(model.sine(frequency=frequency), delay=delay))
    r = model.run(until=5.0)
    time = r["d.y"].time
    assert np.max(np.diff(time)) > 1.0
    exact = np.where(time < delay, 0.0, np.sin(frequency * (time - delay)))
    np.testing.assert_allclose(r["d.y"].values, exact, atol=2.0 * rtol)


def test_a_kink_that_no_event_tells_of_costs_few_evaluations():
    """The corner of |x - 0.7| lies within a step: more and more instants come close to it and never reach it."""
    model = cp.Diagram("d", solver="ode45", locate_events=False)
    x = model.integrator(1.0)
    model.output("y", model.transport_delay(model.abs(x - 0.7), delay=1.0))
    r = model.run(until=4.0)
    time = r["d.y"].time
    np.testing.assert_allclose(r["d.y"].values, np.where(time < 1.0, 0.0, abs(time - 1.7)), atol=0.02)


def test_a_differential_equation_with_a_delay_is_solved_to_the_tolerance():
    """dy/dt = -y(t - 1), 1 before the start: polynomials from one delay to the next (Driver, 1977)."""
    model = cp.Diagram("d", solver="ode45", rtol=1e-9, atol=1e-12)
    y = model.integrator(initial=1.0)
    (-1.0 * model.transport_delay(y, delay=1.0, initial=1.0)) >> y
    model.output("y", y)
    r = model.run(until=4.0)
    exact = [
        sum((-1.0) ** k * (t - (k - 1)) ** k / math.factorial(k) for k in range(int(t) + 2)) for t in r["d.y"].time
    ]
    np.testing.assert_allclose(r["d.y"].values, exact, atol=1e-7)
