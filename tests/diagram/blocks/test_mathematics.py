"""Blocks of mathematics against numpy, on signals that vary and on vectors."""

import numpy as np
import pytest

import counterpoint as cp

U = np.array([-1.7, -0.5, 0.0, 0.4, 2.5])


@pytest.mark.parametrize(
    ("kind", "function", "u"),
    [
        ("sqrt", np.sqrt, abs(U)),
        ("exp", np.exp, U),
        ("log", np.log, abs(U) + 0.1),
        ("log10", np.log10, abs(U) + 0.1),
        ("sin", np.sin, U),
        ("cos", np.cos, U),
        ("tan", np.tan, U),
        ("asin", np.arcsin, U / 3),
        ("acos", np.arccos, U / 3),
        ("atan", np.arctan, U),
        ("sinh", np.sinh, U),
        ("cosh", np.cosh, U),
        ("tanh", np.tanh, U),
        ("abs", np.abs, U),
        ("sign", np.sign, U),
        ("floor", np.floor, U),
        ("ceil", np.ceil, U),
        ("truncate", np.trunc, U),
        ("round", lambda u: np.sign(u) * np.floor(abs(u) + 0.5), U),
        ("norm", np.linalg.norm, U),
        ("sum_of_components", np.sum, U),
        ("min", np.min, U),
        ("max", np.max, U),
    ],
)
def test_a_function_block_is_its_function(probe, kind, function, u):
    _, y = probe(lambda m: getattr(m, kind)(m.constant(u)), until=0.1)
    assert y[-1] == pytest.approx(function(u), rel=1e-15, abs=1e-15)


@pytest.mark.parametrize(
    ("kind", "function"),
    [
        ("divide", np.divide),
        ("atan2", np.arctan2),
        ("modulo", np.mod),
        ("remainder", np.fmod),
        ("dot", np.dot),
        ("min", np.minimum),
        ("max", np.maximum),
        ("power", lambda u, v: np.power(abs(u), v)),
    ],
)
def test_a_function_of_two_signals_is_its_function(probe, kind, function):
    v = np.array([0.3, -1.1, 0.7, -0.2, 1.9])
    u = abs(U) if kind == "power" else U
    _, y = probe(lambda m: getattr(m, kind)(m.constant(u), m.constant(v)), until=0.1)
    assert y[-1] == pytest.approx(function(u, v), rel=1e-15, abs=1e-15)


def test_a_scalar_serves_every_component(probe):
    _, y = probe(lambda m: m.max(m.constant([1.0, 2.0, 3.0]), 2.5, m.constant([0.0, 9.0, 0.0])), until=0.1)
    assert y[-1].tolist() == [2.5, 9.0, 3.0]


def test_gains_are_numbers_vectors_or_matrices(probe):
    matrix = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    vector = np.array([1.0, -1.0, 2.0])
    build = {
        "number": lambda m: m.gain(-2.0, m.constant(vector)),
        "vector": lambda m: m.gain([1.0, 2.0, 3.0], m.constant(vector)),
        "spread": lambda m: m.gain([1.0, 2.0, 3.0], m.constant(2.0)),
        "matrix": lambda m: m.gain(matrix, m.constant(vector)),
        "row": lambda m: m.gain([[1.0, 2.0, 3.0]], m.constant(vector)),
    }
    expected = {
        "number": -2 * vector,
        "vector": vector * [1, 2, 3],
        "spread": [2, 4, 6],
        "matrix": matrix @ vector,
        "row": 5.0,
    }
    for name, make in build.items():
        assert np.array_equal(probe(make, until=0.1)[1][-1], expected[name]), name


def test_a_polynomial_takes_its_coefficients_from_the_highest_power_down(probe):
    t, y = probe(lambda m: m.polynomial([2.0, -1.0, 0.5], m.clock()))
    assert y == pytest.approx(np.polyval([2.0, -1.0, 0.5], t), abs=1e-15)


def test_powers_have_a_constant_or_a_signal_as_exponent(probe):
    t, y = probe(lambda m: m.mux(m.power(m.clock(), 2), m.power(m.clock(), 2.5), m.power(2.0, m.clock())))
    assert y == pytest.approx(np.c_[t**2, t**2.5, 2.0**t], abs=1e-15)


# x' = f(sin t - 0.3) over one period with steps of about 0.6 s: a kink or jump inside a step costs 1e-2, a smooth step of
# this size h^5 / 2880 * 10 steps = 3e-4.
PERIOD = 2 * np.pi
ROOT = np.arcsin(0.3)


@pytest.mark.parametrize(
    ("kind", "integral"),
    [
        ("abs", 4 * np.cos(ROOT) + 0.3 * (4 * ROOT)),
        ("sign", (np.pi - 2 * ROOT) - (np.pi + 2 * ROOT)),
        ("floor", -(np.pi + 2 * ROOT) - (np.pi - 2 * np.arcsin(0.7))),
        ("ceil", (np.pi - 2 * ROOT) - (np.pi - 2 * np.arcsin(0.7))),
    ],
)
def test_corners_and_jumps_inside_a_large_step_are_split(probe, kind, integral):
    _, y = probe(lambda m: m.integrator(getattr(m, kind)(m.sine(1.0, bias=-0.3))), until=PERIOD, step=PERIOD / 10)
    assert y[-1] == pytest.approx(integral, abs=1e-3 if kind == "abs" else 1e-8)


def test_a_block_that_begins_on_its_border_finds_the_right_side(probe):
    for sign in (1.0, -1.0):
        _, y = probe(lambda m, s=sign: m.integrator(m.abs(m.sine(1.0, amplitude=s))), until=PERIOD, step=PERIOD / 40)
        assert y[-1] == pytest.approx(4.0, abs=1e-6)  # 40 steps of h^5/2880


def test_the_larger_of_two_signals_changes_at_the_right_time(probe):
    # max(t, 1/2 + t/4): corner at 2/3; integral of 1/2 + t/4 to 2/3, then of t to 2. Exact for RK4 when split.
    exact = (1 / 3 + 1 / 18) + (2 - 2 / 9)
    _, y = probe(lambda m: m.integrator(m.max(m.clock(), 0.5 + m.clock() / 4)), until=2.0, step=2.0)
    assert y[-1] == pytest.approx(exact, abs=1e-9)
    _, y = probe(lambda m: m.integrator(m.min(m.clock(), 0.5 + m.clock() / 4)), until=2.0, step=2.0)
    assert y[-1] == pytest.approx(2.0 + 1.0 + 0.5 - exact, abs=1e-9)


def test_the_sawtooth_of_a_modulo_is_integrated_exactly(probe):
    _, y = probe(lambda m: m.integrator(m.modulo(m.clock() - 1.1, 0.4)), until=2.0, step=0.5)
    whole = np.floor(0.9 / 0.4)  # periods after t = 1.1; before it 1.1 = 2 * 0.4 + 0.3
    exact = (2 + whole) * 0.08 + (0.4**2 - 0.1**2) / 2 + (0.9 - whole * 0.4) ** 2 / 2
    assert y[-1] == pytest.approx(exact, abs=1e-9)


def test_without_location_corners_are_evaluated_directly(probe):
    # RK4 over one step of 1 is Simpson's rule with f(0), f(1/2), f(1).
    _, y = probe(lambda m: m.integrator(m.abs(m.clock() - 0.25)), step=1.0, locate_events=False)
    assert y[-1] == pytest.approx((0.25 + 4 * 0.25 + 0.75) / 6, abs=1e-15)


def test_a_divisor_of_zero_is_named(probe):
    with pytest.raises(cp.SimulationError, match='"modulo1" at t = 0 s: the divisor is 0'):
        probe(lambda m: m.modulo(m.clock(), 0.0))


def test_a_root_of_a_negative_number_names_block_and_time(probe):
    with pytest.raises(cp.SimulationError, match=r'block "sqrt1": output "y" is -?nan at t = 0.6 s'):
        probe(lambda m: m.sqrt(0.55 - m.clock()))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m.gain([[1.0, 2.0]], m.constant([1.0, 2.0, 3.0])), "matrix of 1 x 2 and needs an input of width 2"),
        (lambda m: m.gain([1.0, 2.0], m.constant([1.0, 2.0, 3.0])), "the gain has 2 elements"),
        (lambda m: m.dot(m.constant([1.0, 2.0]), m.constant([1.0, 2.0, 3.0])), "widths 2 and 3 do not match"),
        (lambda m: m.max(m.constant([1.0, 2.0]), m.constant([1.0, 2.0, 3.0])), "widths 2 and 3 do not match"),
        (lambda m: m.polynomial([]), "at least one"),
        (lambda m: m.gain(np.inf), '"gain": must be finite'),
        (lambda m: m.product(1.0, 2.0, operations="*+"), r"one \* or / for each input"),
    ],
)
def test_what_does_not_fit_is_refused(probe, make, message):
    with pytest.raises(cp.SetupError, match=message):
        probe(make)
