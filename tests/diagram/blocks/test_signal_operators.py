"""Operators on signals make the blocks that they say."""

import numpy as np
import pytest

import counterpoint as cp

U, V = np.array([0.5, 1.25, 2.0]), np.array([2.0, 1.25, 0.5])


@pytest.mark.parametrize(
    "expression",
    [
        "u + v", "u - v", "u * v", "u / v", "u ** v", "u % v", "-u", "+u", "abs(u - v)",
        "2 + u", "2 - u", "2 * u", "2 / u", "2 ** u", "3 % u", "u ** 2", "u ** 0.5", "u % 0.7", "u / 4",
        "u + [1, 2, 3]", "[1, 2, 3] * u", "u / [1, 2, 4]", "A + u", "A - u", "A * u", "A / u", "A ** u", "u * A", "u / A",
        "np.float64(2) * u", "u - np.float64(2)", "np.int64(2) / u",
        "K @ u", "u[1]", "u[-1]", "u[0:2]", "u[::2]", "(u + v)[1:]",
        "(u < v) * 1.0", "(u <= v) * 1.0", "(u > v) * 1.0", "(u >= v) * 1.0", "(u < 1.25) * 1.0", "(1.25 >= u) * 1.0",
        "np.sin(u)", "np.cos(u)", "np.tan(u)", "np.arcsin(u / 3)", "np.arccos(u / 3)", "np.arctan(u)", "np.arctan2(u, v)",
        "np.sinh(u)", "np.cosh(u)", "np.tanh(u)", "np.sqrt(u)", "np.exp(u)", "np.log(u)", "np.log10(u)", "np.abs(u - v)",
        "np.fabs(u - v)", "np.sign(u - v)", "np.floor(u)", "np.ceil(u)", "np.trunc(u)", "np.minimum(u, v)",
        "np.maximum(u, A)", "np.fmod(u - 3, v)", "np.mod(u - 3, v)", "np.square(u)", "np.power(u, v)", "np.negative(u)",
        "np.add(u, v)", "np.multiply(A, u)", "np.less(u, v) * 1.0", "np.greater_equal(A, u) * 1.0",
        "np.logical_and(u, v) * 1.0", "np.logical_not(u) * 1.0",
    ],
)  # fmt: skip
def test_an_expression_of_signals_is_that_of_arrays(probe, expression):
    names = {"np": np, "A": np.array([1.0, 2.0, 3.0]), "K": np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 1.0]])}
    expected = eval(expression, {"u": U, "v": V, **names})

    def build(model):
        return eval(expression, {"u": model.constant(U), "v": model.constant(V), **names})

    assert probe(build, until=0.1)[1][0] == pytest.approx(expected, rel=1e-15, abs=1e-15)


@pytest.mark.parametrize("a", [0.0, 1.0])
@pytest.mark.parametrize("b", [0.0, 1.0])
@pytest.mark.parametrize("expression", ["a & b", "a | b", "a ^ b", "~a", "a & True", "False | a", "~(a & b) | b"])
def test_logical_operators_are_those_of_truth_values(probe, expression, a, b):
    _, y = probe(lambda m: eval(expression, {"a": m.constant(a), "b": m.constant(b)}), until=0.1)
    expected = eval(expression, {"a": np.bool_(a), "b": np.bool_(b)})
    assert y[0] == float(expected)


def test_equality_of_signals_stays_identity():
    model = cp.Diagram()
    a, b = model.clock(), model.clock()
    assert a == a
    assert a != b
    assert len({a, b}) == 2


def test_methods_compare_for_equality(probe):
    _, y = probe(lambda m: m.mux(m.constant(U).equal_to(m.constant(V)), m.constant(U).not_equal_to(0.5)))
    assert y[0].tolist() == [0, 1, 0, 0, 1, 1]


def test_a_signal_has_no_truth_while_the_diagram_is_built():
    x = cp.Diagram().clock()
    for condition in (lambda: bool(x), lambda: 0 < x < 1, lambda: x and 1):
        with pytest.raises(cp.SetupError, match="has no truth value while the diagram is built"):
            condition()


def test_what_has_no_meaning_is_refused():
    x = cp.Diagram().clock()
    with pytest.raises(TypeError):
        np.cbrt(x)
    with pytest.raises(TypeError):
        np.add.reduce(x)
    with pytest.raises(cp.SetupError, match="division by zero"):
        x / 0
    with pytest.raises(cp.SetupError, match="K @ signal"):
        np.eye(2) * x
    with pytest.raises(cp.SetupError, match="a matrix on its left"):
        np.ones(2) @ x


def test_an_input_left_out_is_connected_later(probe):
    def build(model):
        block = model.modulo(divisor=0.3)
        model.clock() >> block
        return block

    t, y = probe(build, step=0.125)
    assert y == pytest.approx(np.mod(t, 0.3), abs=1e-9)
