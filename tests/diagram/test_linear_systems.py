from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

import counterpoint as cp


def response(block_of, run, until=5.0, step=0.005, frequency=1.5):
    """Input 0.4 + sin(frequency t) into one block."""
    model = cp.Diagram("d")
    u = model.sine(frequency=frequency, bias=0.4)
    model.output("u", u)
    model.output("y", block_of(model, u))
    return run(model, until, step)


def reference(system, r, x0=None):
    """The same by SciPy, on a grid four times as fine, whose first-order hold makes an error of h²/12 = 1.3e-7."""
    t = np.linspace(0.0, r.time[-1], 4 * (len(r.time) - 1) + 1)
    _, y, *_ = signal.lsim(system, 0.4 + np.sin(1.5 * t), t, X0=x0)
    return y[::4]


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [
        ([1.0], [1.0, 2.0, 1.0]),
        ([2.0, 3.0], [2.0, 1.0, 8.0]),
        ([1.0, 0.5, 3.0], [1.0, 2.0, 5.0]),  # direct term
        ([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 5.0, 7.0]),
        ([0.0, 0.0, 1.0], [0.0, 3.0, 1.0]),  # leading zeros
        ([3.0], [2.0]),  # a gain
        ([0.0], [1.0, 1.0]),
    ],
)
def test_a_transfer_function_is_that_of_scipy(run, numerator, denominator):
    r = response(lambda m, u: m.transfer_function(numerator, denominator, u), run)
    expected = reference((np.trim_zeros(numerator, "f"), np.trim_zeros(denominator, "f")), r) if any(numerator) else 0.0
    np.testing.assert_allclose(r["y"], expected, atol=2e-6)


def test_a_transfer_function_treats_components_one_by_one(run):
    model = cp.Diagram("d")
    model.output("y", model.transfer_function([1.0], [1.0, 1.0], model.constant([1.0, -2.0])))
    r = run(model, 2.0, 0.01)
    np.testing.assert_allclose(r["y"], np.outer(1 - np.exp(-r.time), [1.0, -2.0]), atol=1e-9)


def test_initial_states_are_those_of_the_canonical_form(run):
    """w'' + 3 w' + 2 w = 0, w(0) = 1, w'(0) = 0: w = 2 exp(-t) - exp(-2 t); y = 5 w + w'."""
    model = cp.Diagram("d")
    model.output("y", model.transfer_function([1.0, 5.0], [1.0, 3.0, 2.0], 0.0, initial=[1.0, 0.0]))
    r = run(model, 2.0, 0.01)
    t = r.time
    np.testing.assert_allclose(r["y"], 8 * np.exp(-t) - 3 * np.exp(-2 * t), atol=1e-8)


@pytest.mark.parametrize(
    ("zeros", "poles"),
    [
        ([], [-1.0]),
        ([-3.0], [-1.0, -2.0]),
        ([-3.0, -0.5], [-1.0, -2.0]),
        ([-1 + 2j, -1 - 2j], [-1.0, -2.0, -3.0]),  # a pair of zeros joins two real poles
        ([-1 + 2j, -1 - 2j, -0.3], [-2 + 1j, -2 - 1j, -0.1 + 3j, -0.1 - 3j]),
        ([-1.0, -1.5], [-2 + 1j, -2 - 1j]),
        ([-1 + 1j, -1 - 1j, -3 + 1j, -3 - 1j], [-1.0, -2.0, -4.0, -5.0]),
    ],
)
def test_zeros_and_poles_are_those_of_scipy(run, zeros, poles):
    r = response(lambda m, u: m.zero_pole(zeros, poles, 2.5, u), run)
    np.testing.assert_allclose(r["y"], reference((zeros, poles, 2.5), r), atol=1e-5)


def test_a_filter_of_high_order_keeps_its_digits(run):
    """A Butterworth filter of order 20 at 10 rad/s: its polynomial has coefficients up to 1e20."""
    zeros, poles, gain = signal.butter(20, 10.0, analog=True, output="zpk")
    r = response(lambda m, u: m.zero_pole(zeros, poles, gain, u), run, until=20.0)
    h = signal.freqs_zpk(zeros, poles, gain, [1.5])[1][0]
    settled = r.time > 15.0
    expected = 0.4 + abs(h) * np.sin(1.5 * r.time + np.angle(h))
    np.testing.assert_allclose(r["y"][settled], expected[settled], atol=1e-5)


def test_a_second_order_system_begins_with_its_output_and_rate(run):
    """Damping 0.5, w = 2: y = exp(-t) (cos(w_d t) + 2/w_d sin(w_d t)) from y = 1, dy/dt = 1, w_d = sqrt(3)."""
    model = cp.Diagram("d")
    model.output("y", model.second_order(0.0, frequency=2.0, damping=0.5, initial=[1.0, 1.0]))
    r = run(model, 4.0, 0.01)
    w = np.sqrt(3.0)
    expected = np.exp(-r.time) * (np.cos(w * r.time) + 2.0 / w * np.sin(w * r.time))
    np.testing.assert_allclose(r["y"], expected, atol=1e-8)


@pytest.mark.parametrize(
    ("make", "system"),
    [
        (lambda m, u: m.second_order(u, frequency=3.0, damping=0.2, gain=2.0), ([18.0], [1.0, 1.2, 9.0])),
        (lambda m, u: m.lag(u, time_constant=0.5, gain=3.0), ([3.0], [0.5, 1.0])),
        (lambda m, u: m.lead_lag(u, lead=0.8, lag=0.2, gain=2.0), ([1.6, 2.0], [0.2, 1.0])),
        (lambda m, u: m.derivative(u, time_constant=0.1), ([1.0, 0.0], [0.1, 1.0])),
    ],
)
def test_named_systems_are_their_transfer_functions(run, make, system):
    r = response(make, run)
    # The derivative multiplies the error of the reference by 1/T = 10.
    np.testing.assert_allclose(r["y"], reference(system, r), atol=5e-6)


A = [[0.0, 1.0, 0.0], [-4.0, -0.5, 1.0], [0.0, 0.0, -2.0]]
B = [[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]]
C = [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
D = [[0.0, 0.0], [0.0, 0.7]]


def test_state_space_is_that_of_scipy_with_vector_ports(run):
    model = cp.Diagram("d")
    u = model.state_space(
        [[0]], [[0]], [[0], [0]], [[1], [2]], model.sine(frequency=1.5, bias=0.4)
    )  # two signals from one
    model.output("y", model.state_space(A, B, C, D, u, initial=[1.0, -1.0, 0.5]))
    r = run(model, 5.0, 0.005)
    t = np.linspace(0.0, 5.0, 4001)
    v = 0.4 + np.sin(1.5 * t)
    _, y, _ = signal.lsim((A, B, C, D), np.column_stack([v, 2 * v]), t, X0=[1.0, -1.0, 0.5])
    np.testing.assert_allclose(r["y"], y[::4], atol=5e-6)


def test_state_space_with_named_scalar_ports_gives_the_same_bits(run):
    vector, scalars = cp.Diagram("d"), cp.Diagram("d")
    joined = vector.state_space([[0]], [[0]], [[0], [0]], [[1], [2]], vector.sine(frequency=1.5))
    vector.output("y", vector.state_space(A, B, C, D, joined))
    sine = scalars.sine(frequency=1.5)
    plant = scalars.state_space(A, B, C, D, inputs=["force", "heat"], outputs=["x", "v"], force=sine, heat=2 * sine)
    scalars.output("x", plant["x"])
    scalars.output("v", plant["v"])
    r, s = run(vector, 3.0, 0.01), run(scalars, 3.0, 0.01)
    np.testing.assert_array_equal(r["y"], np.column_stack([s["x"], s["v"]]))


def test_feedthrough_is_known_for_each_pair_of_named_ports(run):
    """heat -> v passes at once, force -> x does not: a loop from v to force and from x to heat is none."""
    model = cp.Diagram("d")
    plant = model.state_space(A, B, C, D, inputs=["force", "heat"], outputs=["x", "v"])
    plant.connect_port("force", -1.0 * plant["v"])
    plant.connect_port("heat", 1.0 - plant["x"])
    model.output("x", plant["x"])
    r = run(model, 5.0, 0.005)
    closed = np.array(A) + np.array(B) @ np.linalg.solve(
        np.eye(2) - np.array([[0.0, -1.0], [-1.0, 0.0]]) @ np.array(D),
        np.array([[0.0, -1.0], [-1.0, 0.0]]) @ np.array(C),
    )
    entering = np.array(B) @ np.linalg.solve(
        np.eye(2) - np.array([[0.0, -1.0], [-1.0, 0.0]]) @ np.array(D), [[0.0], [1.0]]
    )
    _, x = signal.step((closed, entering, [[1.0, 0.0, 0.0]], [[0.0]]), T=r.time)
    np.testing.assert_allclose(r["x"], x, atol=1e-7)


def test_a_direct_term_closes_an_algebraic_loop_that_is_named():
    model = cp.Diagram("d")
    plant = model.transfer_function([1.0, 1.0], [1.0, 2.0], name="plant")
    plant(1.0 - plant)
    model.output("y", plant)
    with pytest.raises(cp.SetupError, match=r"algebraic loop: .*plant"):
        model.run(until=1.0, step=0.1)


@pytest.mark.parametrize(
    "system", [signal.lti([2.0], [1.0, 2.0, 3.0]), signal.lti([-1.0], [-2.0, -3.0], 4.0), signal.lti(A, B, C, D)]
)
def test_lti_objects_of_scipy_are_taken_as_they_are(run, system):
    model = cp.Diagram("d")
    width = system.to_ss().B.shape[1]
    model.output("y", model.state_space(system, model.constant(np.ones(width))))
    r = run(model, 3.0, 0.01)
    _, y, *_ = signal.lsim(system, np.ones((len(r.time), width)), r.time)
    np.testing.assert_allclose(r["y"], y, atol=1e-6)


def test_a_discrete_lti_object_of_scipy_runs_at_its_own_rate(run):
    system = signal.dlti([1.0], [1.0, -0.5], dt=0.25)
    model = cp.Diagram("d")
    model.output("y", model.state_space(system, 1.0))
    r = run(model, 2.0, 0.25)
    _, y = signal.dstep(system, n=9)
    np.testing.assert_allclose(r["y"], np.ravel(y[0]), rtol=1e-14)


def test_lti_objects_of_python_control_are_taken_as_they_are(run):
    control = pytest.importorskip("control")
    for system in (control.tf([2.0], [1.0, 2.0, 3.0]), control.ss(A, B[:], C, D)):
        model = cp.Diagram("d")
        model.output("y", model.state_space(system, model.constant(np.ones(system.ninputs))))
        r = run(model, 3.0, 0.01)
        y = control.forced_response(system, r.time, np.ones((system.ninputs, len(r.time)))).outputs
        np.testing.assert_allclose(r["y"], np.squeeze(y.T), atol=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m.transfer_function([1, 0, 0], [1, 1]), r'"numerator": degree 2 is higher than 1'),
        (lambda m: m.transfer_function([1], [0, 0]), '"denominator": all coefficients are zero'),
        (lambda m: m.transfer_function([np.nan], [1, 1]), '"numerator": must be finite'),
        (lambda m: m.transfer_function([1], [1, 1, 1], initial=[1, 2, 3]), '"initial": 3 values for 2 states'),
        (lambda m: m.zero_pole([1, 2], [1]), '"zeros": 2 of them, but only 1 poles'),
        (lambda m: m.zero_pole([], [-1 + 1j, -2.0]), r'"poles": -1 - 1j has no conjugate'),
        (lambda m: m.state_space(A, B, C, [[0.0]]), r'"b": 3 x 2; expected 3 x 1'),
        (lambda m: m.state_space(A, B), "expected A, B, C, D and the input"),
        (lambda m: m.state_space(object()), "is not an LTI object"),
        (lambda m: m.state_space(A, B, C, D, inputs=["a"]), '"input_names": 1 names for 2 signals'),
        (lambda m: m.lag(time_constant=0.0), '"time_constant": 0; expected a number greater than 0'),
        (lambda m: m.second_order(frequency=-1.0, damping=1.0), '"frequency": -1; expected a number greater than 0'),
    ],
)
def test_wrong_parameters_are_refused_with_their_value(make, message):
    with pytest.raises(cp.SetupError, match=message):
        make(cp.Diagram("d"))
