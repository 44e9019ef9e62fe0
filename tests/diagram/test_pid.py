from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

import counterpoint as cp


def test_the_three_parts_are_their_transfer_functions(run):
    """P + I/s + D N s/(s + N), as one transfer function."""
    p, i, d, n = 2.0, 3.0, 0.5, 20.0
    model = cp.Diagram("d")
    error = model.sine(frequency=2.0, bias=0.3)
    model.output("y", model.pid(error, proportional=p, integral=i, derivative=d, filter=n))
    direct = np.polyadd(
        np.polyadd(p * np.array([1.0, n, 0.0]), i * np.array([1.0, n])), d * n * np.array([1.0, 0.0, 0.0])
    )
    model.output("reference", model.transfer_function(direct, [1.0, n, 0.0], error))
    r = run(model, 5.0, 0.001)
    # Two realisations of the same system; RK4 with (h N)^4 = 1.6e-7 leaves 1e-9 or so.
    np.testing.assert_allclose(r["y"], r["reference"], atol=1e-8)


def test_a_step_of_the_error_gives_the_closed_form(run):
    """P + I t + D N exp(-N t)."""
    model = cp.Diagram("d")
    model.output("y", model.pid(1.0, proportional=2.0, integral=3.0, derivative=0.5, filter=4.0, initial=0.25))
    r = run(model, 3.0, 0.005)
    np.testing.assert_allclose(r["y"], 2.25 + 3.0 * r.time + 2.0 * np.exp(-4.0 * r.time), atol=1e-8)


def test_set_point_weights_enter_the_proportional_and_derivative_part_only(run):
    """r = 2, m = 1: P (b r - m) + I (r - m) t + D N (c r - m) exp(-N t)."""
    model = cp.Diagram("d")
    y = model.pid(
        setpoint=2.0, measurement=1.0, proportional=2.0, integral=3.0, derivative=0.5, filter=4.0,
        setpoint_weight=0.75, derivative_weight=0.0,
    )  # fmt: skip
    model.output("y", y)
    r = run(model, 3.0, 0.005)
    np.testing.assert_allclose(r["y"], 1.0 + 3.0 * r.time - 2.0 * np.exp(-4.0 * r.time), atol=1e-8)


def test_an_integral_controller_closes_no_algebraic_loop(run):
    model = cp.Diagram("d")
    control = model.pid(proportional=0.0, integral=2.0)
    control(1.0 - control)
    model.output("y", control)
    r = run(model, 2.0, 0.01)
    np.testing.assert_allclose(r["y"], 1.0 - np.exp(-2.0 * r.time), atol=1e-8)


def wound_up(run, anti_windup, **options):
    """A step of 1 into I = 1, limits ±1, that turns to -1 at t = 5."""
    model = cp.Diagram("d")
    error = model.step(time=5.0, before=1.0, after=-1.0)
    y = model.pid(error, proportional=0.0, integral=1.0, limits=(-1.0, 1.0), anti_windup=anti_windup, **options)
    model.output("y", y)
    return run(model, 8.0, 0.03)


def test_without_anti_windup_the_integral_runs_on(run):
    r = wound_up(run, "none")
    integral = np.where(r.time < 5.0, r.time, 10.0 - r.time)
    np.testing.assert_allclose(r["y"], np.clip(integral, -1.0, 1.0), atol=1e-12)


def test_clamping_stops_the_integral_at_the_limit(run):
    r = wound_up(run, "clamping")
    integral = np.where(r.time < 5.0, np.minimum(r.time, 1.0), 1.0 - (r.time - 5.0))
    # It stops 1e-4 of the range (2) beyond the limit.
    np.testing.assert_allclose(r["y"], np.clip(integral, -1.0, 1.0), atol=2.0e-4 * (1 + 1e-6))


def test_back_calculation_leads_the_integral_to_the_limit(run):
    """dx/dt = 1 + k (1 - x) beyond the limit: x = 1 + (1 - exp(-k (t - 1)))/k, back inside as long as that excess takes."""
    k = 4.0
    r = wound_up(run, "back_calculation", back_calculation_gain=k)
    excess = (1.0 - np.exp(-k * 4.0)) / k
    # From t = 5 on: dx/dt = -1 + k (1 - x) until x = 1, then -1; the output leaves 1 then.
    until_inside = np.log((excess + 1.0 / k) / (1.0 / k)) / k
    expected = np.where(r.time < 5.0, np.minimum(r.time, 1.0), np.minimum(1.0, 1.0 - (r.time - 5.0 - until_inside)))
    # RK4 with k h = 0.12 leaves about (k h)^4/120 = 1.7e-6 of the excess of 0.25.
    np.testing.assert_allclose(r["y"], np.maximum(expected, -1.0), atol=1e-6)


def test_clamping_ends_a_slide_along_the_limit_in_finite_work(run):
    """P falls slowly while I would raise: without a margin the integral would start and stop without end."""
    model = cp.Diagram("d")
    error = model.integrator(-0.2, initial=1.0)
    y = model.pid(error, proportional=1.0, integral=1.0, limits=(-1.2, 1.2), anti_windup="clamping")
    model.output("y", y)
    model.output("error", error)
    r = run(model, 8.0, 0.05)
    sliding = (r.time > 0.5) & (r.time < 4.0)
    np.testing.assert_array_equal(r["y"][sliding], 1.2)
    # Leaves the limit when integrating no longer outweighs the fall: I e = 0.2 P at e = 0.2, t = 4.
    e = r["error"]
    after = r.time > 4.05
    e_out = 0.2
    integral = (1.2 - e_out) + (e_out**2 - e**2) / (2 * 0.2)
    np.testing.assert_allclose(r["y"][after], (e + integral)[after], atol=3e-4)


def test_a_controlled_plant_with_clamping_settles_without_overshoot_of_windup(run):
    def overshoot(anti_windup):
        model = cp.Diagram("d")
        plant = model.transfer_function([1.0], [1.0, 1.0, 0.0])
        y = model.pid(
            1.0 - plant, proportional=2.0, integral=0.5, derivative=1.0, limits=(-0.3, 0.3), anti_windup=anti_windup
        )
        y >> plant
        model.output("y", plant)
        return run(model, 30.0, 0.02)["y"].max() - 1.0

    assert overshoot("clamping") < 0.6 * overshoot("none")
    assert overshoot("back_calculation") < 0.9 * overshoot("none")


def test_tracking_leads_the_output_to_another_signal(run):
    """dx/dt = k (0.8 - x): bumpless transfer to 0.8."""
    model = cp.Diagram("d")
    model.output("y", model.pid(0.0, integral=1.0, tracking=0.8, tracking_gain=2.0))
    r = run(model, 3.0, 0.01)
    np.testing.assert_allclose(r["y"], 0.8 * (1.0 - np.exp(-2.0 * r.time)), atol=1e-8)


@pytest.mark.parametrize("edge", ["rising", "level"])
def test_a_reset_begins_integral_and_filter_anew(run, edge):
    model = cp.Diagram("d")
    y = model.pid(
        1.0, proportional=0.0, integral=1.0, derivative=1.0, filter=2.0, reset=model.step(time=1.5) - 0.5, edge=edge
    )
    model.output("y", y)
    r = run(model, 3.0, 0.01)
    since = np.where(r.time < 1.5, r.time, r.time - 1.5 if edge == "rising" else 0.0)
    np.testing.assert_allclose(r["y"], since + 2.0 * np.exp(-2.0 * since), atol=1e-8)


def test_components_are_controlled_one_by_one(run):
    model = cp.Diagram("d")
    model.output("y", model.pid(model.constant([1.0, -2.0]), proportional=1.0, integral=1.0, limits=(-3.0, 1.5)))
    r = run(model, 3.0, 0.01)
    expected = np.clip(np.outer(1.0 + r.time, [1.0, -2.0]), -3.0, 1.5)
    np.testing.assert_allclose(r["y"], expected, atol=1e-12)


T = 0.1


def discrete(run, error, until=3.0, **options):
    model = cp.Diagram("d")
    model.output("y", model.discrete_pid(error(model), sample_time=T, **options))
    model.output("e", model.zero_order_hold(error(model), sample_time=T))
    return run(model, until, T)


@pytest.mark.parametrize(
    ("method", "b"), [("forward", [0.0, T]), ("backward", [T, 0.0]), ("trapezoidal", [T / 2, T / 2])]
)
def test_the_discrete_controller_is_its_difference_equation(run, method, b):
    p, i, d, n = 2.0, 3.0, 0.5, 20.0
    r = discrete(
        run, lambda m: m.sine(frequency=2.0), proportional=p, integral=i, derivative=d, filter=n, method=method
    )
    e = r["e"]  # sin(0) = 0, so that y(0) = 0 fits the filter's rest
    integral = signal.lfilter(np.multiply(i, b), [1.0, -1.0], e)
    derivative = signal.lfilter(np.array([d * n, -d * n]) / (1 + n * T), [1.0, -1.0 / (1 + n * T)], e)
    np.testing.assert_allclose(r["y"], p * e + integral + derivative, atol=1e-12)


def test_a_discrete_controller_without_filter_takes_the_difference(run):
    r = discrete(run, lambda m: m.sine(frequency=2.0), proportional=0.0, derivative=0.5, filter=np.inf)
    np.testing.assert_allclose(r["y"], 0.5 * np.diff(r["e"], prepend=0.0) / T, atol=1e-12)


def test_discrete_anti_windup_leaves_the_limit_at_once(run):
    def leaves(anti_windup, **options):
        r = discrete(
            run, lambda m: m.step(time=2.0, before=1.0, after=-1.0), proportional=0.0, integral=1.0, limits=(-0.5, 0.5),
            anti_windup=anti_windup, method="backward", until=5.0, **options,
        )  # fmt: skip
        assert r["y"].max() == 0.5
        return r.time[(r.time > 1.5) & (r["y"] < 0.5 - 1e-9)][0]

    assert leaves("clamping") == pytest.approx(2.0)
    assert leaves("none") == pytest.approx(3.4)  # 1.9 at t = 1.9, then down to 0.5 at 3.3
    # The excess settles where I T = k T * excess, 0.25 s of integration.
    assert 2.0 < leaves("back_calculation", back_calculation_gain=4.0) < 2.4 < leaves("none")


def test_discrete_tracking_and_reset_follow_their_recursion(run):
    model = cp.Diagram("d")
    y = model.discrete_pid(
        setpoint=1.0, measurement=0.0, proportional=0.0, integral=1.0, sample_time=T, tracking=2.0, tracking_gain=3.0,
        reset=model.step(time=1.0) - 0.5, initial=0.5,
    )  # fmt: skip
    model.output("y", y)
    r = run(model, 2.0, T)
    expected, value, last, begun = [], 0.5, 0.0, False
    for k in range(21):
        if k == 10:
            value, begun = 0.5, False
        output = value + (T * last if begun else 0.0)
        expected.append(output)
        # Tracking counts from the second sample on: there is no time before the first.
        value, last, begun = output + (T * 3.0 * (2.0 - output) if k > 0 else 0.0), 1.0, True
    np.testing.assert_allclose(r["y"], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"anti_windup": "clamping"}, '"anti_windup": needs limits'),
        ({"anti_windup": "magic"}, '"magic" is not one of none, clamping, back_calculation'),
        ({"filter": 0.0}, r'"filter": 0.*expected more than 0'),
        ({"filter": np.inf, "derivative": 1.0}, '"filter": must be finite'),
        ({"proportional": np.inf}, "must be finite"),
        ({"limits": (1.0, 1.0)}, r'"limits": \(1, 1\)'),
    ],
)
def test_wrong_parameters_are_refused_with_their_value(options, message):
    with pytest.raises(cp.SetupError, match=message):
        cp.Diagram("d").pid(1.0, **options)
