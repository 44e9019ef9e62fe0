"""Expression blocks: values, errors, events, optimisation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterpoint as cp
from counterpoint.errors import SetupError


def value(text: str, **inputs: float) -> float:
    """Value of an expression at constant inputs, through a diagram."""
    model = cp.Diagram("m")
    block = model.expression(text, **{name: model.constant(number) for name, number in inputs.items()})
    model.output("y", block)
    model.output("x", model.integrator(0.0))
    return float(model.run(until=0.1, step=0.1)["m.y"].values[0])


PYTHON = {name: getattr(math, name) for name in (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "log10", "sqrt", "hypot",
    "pow", "floor", "ceil", "pi", "e",
)} | {"min": min, "max": max, "abs": abs, "sign": np.sign, "mod": np.mod}  # fmt: skip


@pytest.mark.parametrize("text", [
    "sin(x) + cos(y) * tan(x)", "asin(x) - acos(x) + atan(y)", "atan2(x, y)", "sinh(x) + cosh(x) + tanh(y)",
    "exp(x) + log(y) + log10(y)", "sqrt(y) + hypot(x, y) + pow(y, x)", "abs(x - y) + sign(x - y)", "min(x, y, 0.4) + max(x, y)",
    "floor(10 * x) + ceil(10 * y)", "mod(x, y) + (-x) % y", "-x**2 + 2**-x", "x**7 - x**3 + x**-2 + y**0.5", "2**3**2 * x",
    "1 if x < y else 2", "(x < y) + (x <= x) + (x > y) + (x >= y) + (x == x) + (x != y)", "x - (y - x) - y / x / y",
    "(x < y and not y < x) + (x > y or y > x)", "0 < x < y < 1e6", "pi * e + .5 + 1e-3 + 2.", "(x < 0.1) * 3 + (y > 1 and x > 0.2)",
    "1 - 0.3 * x + 0.7 * x**2 - 0.2 * x**3 * y + y * x", "x * y - x * (x + y) + 3 * x",
])  # fmt: skip
@pytest.mark.parametrize("x, y", [(0.3, 1.7), (0.9, 0.2)])
def test_an_expression_has_the_value_that_python_gives_it(text: str, x: float, y: float) -> None:
    expected = float(eval(text, {"__builtins__": {}}, PYTHON | {"x": x, "y": y}))
    # Powers by multiplication and common factors put outside change the order of rounding only.
    used = {
        name: number for name, number in {"x": x, "y": y}.items() if name in text.replace("exp", "").replace("max", "")
    }
    assert value(text, **used) == pytest.approx(expected, rel=1e-13, abs=1e-14)


@settings(max_examples=40, deadline=None)
@given(
    coefficients=st.lists(st.floats(-5, 5, allow_subnormal=False), min_size=2, max_size=6),
    x=st.floats(-2, 2, allow_subnormal=False),
)
def test_a_polynomial_in_any_order_of_terms_is_that_polynomial(coefficients: list[float], x: float) -> None:
    terms = [f"({c!r}) * x**{k}" for k, c in enumerate(coefficients)]
    size = sum(abs(c) * abs(x) ** k for k, c in enumerate(coefficients))
    for text in (" + ".join(terms), " + ".join(reversed(terms))):
        assert value(text, x=x) == pytest.approx(
            np.polynomial.polynomial.polyval(x, coefficients), abs=1e-14 * (1 + size)
        )


def test_if_as_function_chooses_like_the_conditional() -> None:
    assert value("if(x > 1, 10, 20)", x=2.0) == 10
    assert value("if(x > 1, 10, 20)", x=0.5) == 20


def test_names_that_are_given_hide_constants() -> None:
    assert value("2 * e", e=0.25) == 0.5
    assert value("2 * e * x", x=1.0) == pytest.approx(2 * math.e)


def test_time_is_t() -> None:
    model = cp.Diagram("m")
    model.output("y", model.integrator(model.expression("3 * t**2")))
    assert model.run(until=2.0, step=0.1)["m.y"].values[-1] == pytest.approx(8.0, rel=1e-12)


def test_inputs_are_in_order_of_appearance_or_as_given() -> None:
    model = cp.Diagram("m")
    assert model.expression("b - a * c").inputs == ["b", "a", "c"]
    assert model.expression("b - a * c", inputs=["a", "b", "c"]).inputs == ["a", "b", "c"]
    assert model.expression("k * b - a", k=2.0).inputs == ["b", "a"]


def test_values_that_are_no_outputs_do_not_overwrite_each_other() -> None:
    model = cp.Diagram("hidden")
    n, m = model.constant(3.0), model.clock() * 0.0 + 5.0
    model.output("p", model.expression("a = n + 1; r = m - 2; p = a**2 + r", n=n, m=m, outputs=["p"]))
    assert model.run(until=1.0, step=1.0)["hidden.p"].values.tolist() == [19.0, 19.0]


def test_several_values_become_several_outputs_and_may_use_each_other() -> None:
    model = cp.Diagram("m")
    block = model.expression("r = x / 2; y1 = r + 1; y2 = r * y1", x=model.constant(3.0), outputs=["y2", "y1"])
    assert block.outputs == ["y2", "y1"]
    model.output("a", block["y1"])
    model.output("b", block["y2"])
    model.output("x", model.integrator(0.0))
    result = model.run(until=0.1, step=0.1)
    assert (result["m.a"].values[-1], result["m.b"].values[-1]) == (2.5, 3.75)


def test_vectors_go_by_index_or_by_component() -> None:
    model = cp.Diagram("m")
    u = model.constant([1.0, 2.0, 3.0])
    model.output("one", model.expression("u[0] + 10 * u[2] + k[1]", u=u, k=[5.0, 7.0]))
    model.output("all", model.expression("a * u**2", u=u, a=model.constant(2.0)))
    model.output("x", model.integrator(0.0))
    result = model.run(until=0.1, step=0.1)
    assert result["m.one"].values[-1] == 38.0
    assert result["m.all"].values[-1].tolist() == [2.0, 8.0, 18.0]


@pytest.mark.parametrize("text, options, message, column", [
    ("sn(x)", {}, 'no function "sn"; did you mean "sin"?', 0),
    ("2 * x +", {}, "ends too early", 7),
    ("x^2", {}, r"a power is x\*\*2", 1),
    ("k * p_b", {"inputs": ["p_a"], "k": 2.0}, 'no name "p_b"; did you mean "p_a"?', 4),
    ("2x", {}, r"write \* between", 1),
    ("x = 1 = 2", {}, "to compare, write ==", 6),
    ("y = x; 3", {}, "expected a name for each", 7),
    ("u + u[1]", {}, "with and without index", 4),
    ("u[0.5]", {}, "expected an integer", 2),
    ("(x + 1", {}, r'"\)" is missing', 6),
    ("x $ 2", {}, "means nothing here", 2),
    ("sqrt(x, 2)", {}, 'takes 1 values, not 2', 0),
    ("min(x)", {}, "two or more", 0),
    ("k[3]", {"k": [1.0, 2.0]}, "has 2 numbers", 0),
    ("", {}, "this one is empty", 0),
])  # fmt: skip
def test_a_mistake_is_shown_with_a_caret(text: str, options: dict, message: str, column: int) -> None:
    with pytest.raises(SetupError, match=message) as caught:
        cp.Diagram("m").expression(text, **options)
    assert str(caught.value).splitlines()[-2:] == ["    " + text, "    " + " " * column + "^"]


def test_a_parameter_that_is_not_used_is_an_error() -> None:
    with pytest.raises(SetupError, match='"kk": does not appear'):
        cp.Diagram("m").expression("k * x", kk=2.0)


def test_hostile_texts_are_refused_without_harm() -> None:
    for text in (
        "(" * 100_000 + "x",
        "-" * 100_000 + "x",
        "not " * 100_000 + "x",
        "x" + " + x" * 100_000,
        "2**" * 10_000 + "x",
    ):
        with pytest.raises(SetupError):
            cp.Diagram("m").expression(text)


@pytest.mark.parametrize("solver, step", [("ode4", 0.1), ("ode45", 0.1), ("ode1", 0.01)])
def test_jumps_in_expressions_are_located(solver: str, step: float) -> None:
    """The integral of a sign that changes at 1.2345: exact wherever the step falls, for solvers that integrate constants."""
    model = cp.Diagram("m", solver=solver)
    x = model.integrator(1.0, initial=-1.2345)
    model.output("y", model.integrator(model.expression("2 * sign(x) + (1 if x > 0.5 else 3) + floor(2 * x)", x=x)))
    y = model.run(until=3.0, step=step)["m.y"].values[-1]
    end = 3.0 - 1.2345
    grid = np.arange(-3, 5) / 2  # where floor(2 x) jumps
    edges = np.unique(np.clip(np.r_[-1.2345, grid, end], -1.2345, end))
    floors = sum(np.floor(a + b) * (b - a) for a, b in itertools.pairwise(edges))
    exact = 2 * (end - 1.2345) + 3 * (1.2345 + 0.5) + (end - 0.5) + floors
    assert y == pytest.approx(exact, abs=1e-8)


def test_kinks_in_expressions_are_located() -> None:
    """The integral of |x| where x = t - 0.55: exact for ode4 only when a step ends at the kink."""
    model = cp.Diagram("m")
    x = model.integrator(1.0, initial=-0.55)
    model.output("y", model.integrator(model.expression("abs(x) + max(x, 0) - min(x, 0)", x=x)))
    y = model.run(until=1.0, step=0.1)["m.y"].values[-1]
    assert y == pytest.approx(0.55**2 + 0.45**2, abs=1e-12)


def test_a_root_may_end_at_an_event() -> None:
    """A tank runs empty: sqrt(h) has no value beyond, and the branch that uses it ends there."""
    model = cp.Diagram("m")
    h = model.integrator(initial=1.0)
    model.expression("-0.5 * sqrt(h) if h > 1e-6 else 0", h=h) >> h
    model.output("h", h)
    h_end = model.run(until=6.0, step=0.1)["m.h"].values
    assert h_end[10] == pytest.approx((1 - 0.25) ** 2, rel=1e-6)
    assert 0 <= h_end[-1] <= 1e-6 * (1 + 1e-6)


def test_a_run_from_a_saved_state_is_the_same_run() -> None:
    model = cp.Diagram("m")
    x = model.integrator(1.0, initial=-1.0)
    model.output("y", model.integrator(model.expression("sign(x) * (1 + x)", x=x)))
    core = model.subsystem()
    system = cp.System("s")
    system.add("m", core, step=0.3)
    once = system.run(until=2.0)["m.y"].values
    again = system.run(until=2.0)["m.y"].values
    assert np.array_equal(once, again)


def test_without_location_a_jump_takes_place_within_the_step() -> None:
    model = cp.Diagram("m", locate_events=False, solver="ode1")
    x = model.integrator(1.0, initial=-0.25)
    model.output("y", model.integrator(model.expression("1 if x > 0 else 0", x=x)))
    assert model.run(until=1.0, step=0.1)["m.y"].values[-1] == pytest.approx(0.7, abs=1e-12)


@pytest.mark.parametrize("locates", [True, False])
@pytest.mark.parametrize("solver", ["ode4", "ode45"])
@pytest.mark.parametrize("source", ["step", "sampled", "switched"])
def test_what_depends_on_held_signals_alone_follows_them(source: str, solver: str, locates: bool) -> None:
    """x' = s² (1 + s/2) + t with s = 1, from t = 1 on 2: parts of the expression rest between accepted times."""
    model = cp.Diagram("m", solver=solver, locate_events=locates, step=0.125)
    t = model.integrator(1.0)
    if source == "step":
        s = model.step(1.0, 1.0, 2.0)
    elif source == "sampled":
        s = model.zero_order_hold(model.step(0.9, 1.0, 2.0), sample_time=0.5)
    else:
        s = model.sum(1.5, model.sign(t - (1.0 - 1e-12)) * 0.5)
    model.output("x", model.integrator(model.expression("s**2 * (1 + s/2) + t", s=s, t=t)))
    model.output("gain", model.expression("0 * t + 2 * s", s=s, t=t))
    result = model.run(until=2.0, step=0.125)
    # Without location a stage may meet the jump too early or too late: one step of 0.125 at the jump of 6.5.
    error = 1e-9 if locates else 0.125 * 6.5
    assert result["m.x"].values[-1] == pytest.approx(1.5 + 8.0 + 2.0, abs=error)
    assert result["m.gain"].values[[0, -1]] == pytest.approx([2.0, 4.0], abs=0)
