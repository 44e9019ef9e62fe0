from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

import counterpoint as cp

T = 0.1


def sampled(run, make, until=2.0, step=T, **options):
    """Run one sampled block on 0.4 + sin 3t; returns the run and its input at the samples."""
    model = cp.Diagram("d", **options)
    u = model.sine(frequency=3.0, bias=0.4)
    model.output("y", make(model, u))
    r = run(model, until, step)
    return r, 0.4 + np.sin(3.0 * T * np.arange(round(until / T) + 1))


@pytest.mark.parametrize(
    ("make", "b", "a"),
    [
        (lambda m, u: m.unit_delay(u, sample_time=T), [0, 1], [1]),
        (lambda m, u: m.integer_delay(u, samples=5, sample_time=T), [0, 0, 0, 0, 0, 1], [1]),
        (lambda m, u: m.zero_order_hold(u, sample_time=T), [1], [1]),
        (lambda m, u: m.discrete_transfer_function([1, 2], [1, -0.5, 0.3], u, sample_time=T), [0, 1, 2], [1, -0.5, 0.3]),
        (lambda m, u: m.discrete_transfer_function([3, 1, 2], [2, -0.5, 0.3], u, sample_time=T), [3, 1, 2], [2, -0.5, 0.3]),
        (lambda m, u: m.discrete_filter([0.2, 0.3, 0.5], 1.0, u, sample_time=T), [0.2, 0.3, 0.5], [1]),
        (lambda m, u: m.discrete_filter([0.2, 0.3], [2.0, -0.5, 0.1, 0.2], u, sample_time=T), [0.2, 0.3], [2.0, -0.5, 0.1, 0.2]),
        (lambda m, u: m.discrete_filter([0.7], [1.0], u, sample_time=T), [0.7], [1.0]),
        (lambda m, u: m.discrete_integrator(u, sample_time=T), [0, T], [1, -1]),
        (lambda m, u: m.discrete_integrator(u, sample_time=T, gain=2.0, initial=-1.0), [0, 2 * T], [1, -1]),
    ],
)  # fmt: skip
def test_blocks_are_the_filters_of_scipy(run, make, b, a):
    r, u = sampled(run, make)
    expected = signal.lfilter(b, a, u)
    expected -= 1.0 if b == [0, 2 * T] else 0.0
    np.testing.assert_allclose(r["y"], expected, atol=1e-12)


@pytest.mark.parametrize(("method", "weight"), [("forward", 0.0), ("backward", 1.0), ("trapezoidal", 0.5)])
def test_the_discrete_integrator_begins_at_its_initial_value(run, method, weight):
    r, u = sampled(run, lambda m, u: m.discrete_integrator(u, sample_time=T, method=method, initial=2.0))
    steps = T * (weight * u[1:] + (1 - weight) * u[:-1])
    np.testing.assert_allclose(r["y"], 2.0 + np.concatenate([[0.0], np.cumsum(steps)]), atol=1e-12)


def test_the_filter_begins_with_the_states_of_scipy(run):
    b, a = signal.butter(3, 0.3)
    zi = signal.lfilter_zi(b, a)
    r, u = sampled(run, lambda m, u: m.discrete_filter(b, a, u, sample_time=T, initial=zi))
    np.testing.assert_allclose(r["y"], signal.lfilter(b, a, u, zi=zi)[0], atol=1e-12)


def test_discrete_state_space_is_that_of_scipy(run):
    a, b, c, d = [[0.5, 0.2], [-0.1, 0.8]], [[1.0], [0.5]], [[1.0, 0.0], [0.3, 1.0]], [[0.0], [2.0]]
    r, u = sampled(run, lambda m, u: m.discrete_state_space(a, b, c, d, u, sample_time=T, initial=[1.0, -1.0]))
    _, y, _ = signal.dlsim((a, b, c, d, T), u, x0=[1.0, -1.0])
    np.testing.assert_allclose(r["y"], y, atol=1e-12)


def test_the_discrete_derivative_is_the_difference_over_the_period(run):
    r, u = sampled(run, lambda m, u: m.discrete_derivative(u, sample_time=T, gain=2.0))
    np.testing.assert_allclose(r["y"], 2.0 * np.diff(u, prepend=u[0]) / T, atol=1e-11)


def test_the_first_order_hold_continues_the_last_two_samples(run):
    r, u = sampled(run, lambda m, u: m.first_order_hold(u, sample_time=T), step=0.03)
    k = np.floor(r.time / T + 1e-9).astype(int)
    slope = np.where(k > 0, u[k] - u[np.maximum(k - 1, 0)], 0.0) / T
    np.testing.assert_allclose(r["y"], u[k] + slope * (r.time - k * T), atol=1e-9)


def test_the_first_order_hold_is_integrated_between_its_samples(run):
    """The hold of a ramp is the ramp, from the second sample on."""
    model = cp.Diagram("d")
    ramp = model.integrator(1.0)
    model.output("y", model.integrator(model.first_order_hold(ramp, sample_time=0.07)))
    r = run(model, 1.0, 0.1)
    late = r.time > 0.07
    np.testing.assert_allclose(r["y"][late], (r.time**2 / 2 - 0.07**2 / 2)[late], atol=1e-12)


def test_the_counter_begins_anew_after_its_maximum_and_at_a_reset(run):
    model = cp.Diagram("d")
    model.output("y", model.counter(sample_time=T, maximum=3))
    model.output("reset", model.counter(sample_time=T, initial=5, increment=-2, reset=model.step(time=0.75) - 0.5))
    r = run(model, 1.2, T)
    np.testing.assert_array_equal(r["y"], np.arange(13) % 4)
    k = np.arange(13)
    np.testing.assert_array_equal(r["reset"], 5 - 2 * np.where(k < 8, k, k - 8))


def test_the_discrete_integrator_keeps_its_limits_and_resets(run):
    model = cp.Diagram("d")
    reset = model.step(time=1.5) - 0.5
    model.output("limited", model.discrete_integrator(1.0, sample_time=T, limits=(-1.0, 0.55)))
    model.output("edge", model.discrete_integrator(1.0, sample_time=T, initial=2.0, reset=reset))
    model.output("level", model.discrete_integrator(1.0, sample_time=T, initial=2.0, reset=reset, edge="level"))
    r = run(model, 2.0, T)
    k = np.arange(21)
    np.testing.assert_allclose(r["limited"], np.minimum(k * T, 0.55), atol=1e-12)
    np.testing.assert_allclose(r["edge"], 2.0 + T * np.where(k < 15, k, k - 15), atol=1e-12)
    np.testing.assert_allclose(r["level"], 2.0 + T * np.where(k < 15, k, 0), atol=1e-12)


def test_outputs_keep_their_value_between_samples_and_before_the_first(run):
    model = cp.Diagram("d")
    clock = model.integrator(1.0)
    model.output("y", model.zero_order_hold(clock, sample_time=0.3, offset=0.2, initial=-1.0))
    model.output("z", model.unit_delay(clock, sample_time=0.3, offset=0.2, initial=-2.0))
    r = run(model, 1.5, 0.05)
    k = np.floor((r.time - 0.2) / 0.3 + 1e-9)
    np.testing.assert_allclose(r["y"], np.where(k < 0, -1.0, 0.2 + 0.3 * k), atol=1e-12)
    np.testing.assert_allclose(r["z"], np.where(k < 1, -2.0, 0.2 + 0.3 * (k - 1)), atol=1e-12)


def test_sampled_blocks_take_vectors(run):
    model = cp.Diagram("d")
    u = model.integrator(model.constant([1.0, 10.0]))
    model.output("filter", model.discrete_filter([0.5, 0.5], 1.0, u, sample_time=T))
    model.output("delay", model.integer_delay(u, samples=2, sample_time=T, initial=[7.0, 8.0]))
    model.output("integral", model.discrete_integrator(u, sample_time=T, method="trapezoidal"))
    r = run(model, 1.0, T)
    t = r.time[:, None] * [1.0, 10.0]
    before = np.vstack([[0.0, 0.0], t[:-1]])
    np.testing.assert_allclose(r["filter"], (t + before) / 2, atol=1e-12)
    np.testing.assert_allclose(r["delay"], np.vstack([[7.0, 8.0], [7.0, 8.0], t[:-2]]), atol=1e-12)
    np.testing.assert_allclose(r["integral"], np.outer(r.time**2 / 2, [1.0, 10.0]), atol=1e-12)


def hand_loop(rates, until):
    """Exact solution of the diagram below: between samples x' = u with u held, so x is linear."""
    samples = sorted({round(k * rate, 12): None for rate in rates for k in range(int(until / rate) + 2)})
    x, held, last, time = 0.0, [0.0] * len(rates), [0.0] * len(rates), 0.0
    history = [(0.0, x, list(last))]
    counts = [0] * len(rates)
    for t in samples:
        x += sum(held) * (t - time)
        time = t
        due = [abs(counts[i] * rate - t) < 1e-9 for i, rate in enumerate(rates)]
        for i in range(len(rates)):
            if due[i]:
                held[i], last[i] = last[i], 0.1 * (i + 1) - 0.3 * x  # a unit delay of what it reads
                counts[i] += 1
        history.append((t, x, list(held)))
    return history


@pytest.mark.parametrize(
    ("solver", "step"), [("ode1", 0.033), ("ode4", 0.25), ("ode4", 0.0123), ("ode45", 0.4), ("ode23", 0.03)]
)
def test_rates_without_a_common_multiple_are_those_of_a_loop_by_hand(run, solver, step):
    rates = (0.1, 0.07, np.sqrt(2) / 10)
    model = cp.Diagram("d", solver=solver)
    x = model.integrator()
    delays = [
        model.unit_delay(0.1 * (i + 1) - 0.3 * x, sample_time=rate, name=f"rate{i}") for i, rate in enumerate(rates)
    ]
    x(delays[0] + delays[1] + delays[2])
    model.output("x", x)
    r = run(model, 6.0, step)
    history = hand_loop(rates, 6.0)
    times, states = [h[0] for h in history], [h[1] for h in history]
    # x is linear between samples: every solver is exact, only rounding remains.
    np.testing.assert_allclose(r["x"], np.interp(r.time, times, states), atol=1e-12)


def test_samples_stay_exact_over_a_long_time(run):
    """100 000 samples of 0.1 s, steps of 0.7 s: counted, not summed up."""
    model = cp.Diagram("d")
    model.output("y", model.counter(sample_time=0.1))
    r = run(model, 10000.0, 0.7)
    np.testing.assert_array_equal(r["y"], np.floor(r.time / 0.1 + 1e-6))


BLOCKS = {
    "unit_delay": {},
    "integer_delay": {"samples": 2},
    "zero_order_hold": {},
    "first_order_hold": {},
    "discrete_integrator": {},
    "discrete_derivative": {},
    "discrete_pid": {},
}


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("sample_time", [0.0, -0.1, np.nan, np.inf])
def test_a_sample_time_that_is_none_is_refused(kind, sample_time):
    with pytest.raises(cp.SetupError, match=rf'diagram "d": {kind} "x": "sample_time": '):
        getattr(cp.Diagram("d"), kind)(1.0, sample_time=sample_time, name="x", **BLOCKS[kind])


def test_a_sample_time_of_zero_is_refused_with_what_is_allowed():
    with pytest.raises(cp.SetupError, match='"sample_time": 0 s; expected a period greater than 0'):
        cp.Diagram("d").counter(sample_time=0.0)
    with pytest.raises(cp.SetupError, match='"offset": -1 s; expected 0 or a time after the start'):
        cp.Diagram("d").counter(sample_time=1.0, offset=-1.0)


def test_a_sample_time_may_be_left_out_only_under_a_trigger():
    model = cp.Diagram("d")
    model.output("y", model.unit_delay(1.0, name="delay"))
    with pytest.raises(cp.SetupError, match='delay: "sample_time" is missing; it may be left out only in a triggered'):
        model.run(until=1.0, step=0.1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m.integer_delay(1.0, samples=0, sample_time=T), '"samples": 0; expected 1 or more'),
        (lambda m: m.integer_delay(1.0, samples=1.5, sample_time=T), '"samples": must be a whole number'),
        (lambda m: m.discrete_transfer_function([1, 0, 0], [1, 1], sample_time=T), "it would need future inputs"),
        (
            lambda m: m.discrete_filter([1], [0, 1], sample_time=T),
            '"denominator": the first coefficient must not be zero',
        ),
        (
            lambda m: m.discrete_filter([1], [1, 1], sample_time=T, initial=[]),
            '"initial": expected at least one number',
        ),
        (lambda m: m.counter(increment=0.0, sample_time=T), '"increment": must be finite and not 0'),
        (lambda m: m.discrete_integrator(method="magic", sample_time=T), '"magic" is not one of forward, backward'),
        (lambda m: m.unit_delay(initial=np.inf, sample_time=T), '"initial": must be finite'),
    ],
)
def test_wrong_parameters_are_refused_with_their_value(make, message):
    with pytest.raises(cp.SetupError, match=message):
        make(cp.Diagram("d"))
