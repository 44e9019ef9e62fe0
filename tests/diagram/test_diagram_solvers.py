"""Solvers of diagrams: orders, tolerances, stiffness, own pace."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import counterpoint as cp
from counterpoint import SetupError, SolverError
from counterpoint.diagram import Diagram
from counterpoint.diagram.compiling import SOLVERS, VARIABLE_STEP

ORDERS = {"ode1": 1, "ode2": 2, "ode3": 3, "ode4": 4, "ode5": 5, "trapezoidal": 2, "ode23": 3, "ode45": 5, "ode23s": 2}
#: Error control that never speaks: the pair then is a fixed-step method of its order.
WIDE_OPEN = {"rtol": 1e9, "atol": 1e9, "first_step": 1e6}


def cubic_spring(solver: str, **options) -> Diagram:
    """q'' = cos(t)**3 - cos(t) - q**3 with the solution q = cos(t)."""
    model = Diagram("spring", solver=solver, **options)
    q = model.integrator(initial=1.0, name="q")
    v = model.integrator(model.expression("cos(t)**3 - cos(t) - q**3", q=q), name="v")
    v >> q
    model.output("q", q)
    model.output("v", v)
    return model


def error_at_two(model: Diagram, step: float | None) -> float:
    result = model.run(until=2.0, step=step)
    return max(
        abs(float(np.ravel(result["spring.q"].values)[-1]) - math.cos(2.0)),
        abs(float(np.ravel(result["spring.v"].values)[-1]) + math.sin(2.0)),
    )


def test_every_solver_is_tested_for_its_order():
    assert set(ORDERS) == set(SOLVERS)


@pytest.mark.parametrize("solver", ORDERS)
def test_every_solver_has_its_order_on_a_diagram(solver):
    options = WIDE_OPEN if solver in VARIABLE_STEP else {}
    steps = 32 if ORDERS[solver] >= 4 else 128
    coarse, fine = (error_at_two(cubic_spring(solver, **options), 2.0 / n) for n in (steps, 2 * steps))
    assert math.log2(coarse / fine) == pytest.approx(ORDERS[solver], abs=0.25)


@pytest.mark.parametrize("solver", VARIABLE_STEP)
def test_the_error_follows_the_tolerance(solver):
    errors = [error_at_two(cubic_spring(solver, rtol=rtol, atol=1e-3 * rtol), None) for rtol in (1e-4, 1e-6, 1e-8)]
    # Global error over two time units: a small multiple; a method of order 2 adds up more of its many steps.
    assert errors[0] < 1e-2 and errors[1] < 2e-4 and errors[2] < 1e-5
    assert errors[0] > errors[1] > errors[2]


@pytest.mark.parametrize("solver", VARIABLE_STEP)
def test_a_variable_step_solver_alone_publishes_its_own_steps(solver):
    time = np.asarray(cubic_spring(solver).run(until=2.0)["spring.q"].time)
    steps = np.diff(time)
    assert time[0] == 0.0 and time[-1] == 2.0
    assert steps.max() > 5.0 * steps[0]  # it begins cautiously and then chooses


@pytest.mark.parametrize("solver", VARIABLE_STEP)
def test_with_a_step_it_publishes_on_that_grid(solver):
    model = cubic_spring(solver)
    time = np.asarray(model.run(until=2.0, step=0.25)["spring.q"].time)
    assert time == pytest.approx(np.arange(9) * 0.25, abs=1e-15)
    assert error_at_two(model, 0.25) < 2e-4


def test_a_fixed_step_solver_without_a_step_is_an_error_that_says_so():
    with pytest.raises(SetupError, match=r"step"):
        cubic_spring("ode4").run(until=1.0)


@pytest.mark.parametrize(
    ("name", "value"), [("rtol", 0.0), ("atol", -1.0), ("max_step", math.nan), ("first_step", math.inf)]
)
def test_impossible_options_are_refused_with_their_value(name, value):
    with pytest.raises(SetupError, match=f"{name} = {value!r}; expected a finite number greater than 0"):
        cubic_spring("ode45", **{name: value}).subsystem()


def test_first_step_and_max_step_are_kept():
    time = np.asarray(cubic_spring("ode45", first_step=0.02, max_step=0.05).run(until=1.0)["spring.q"].time)
    assert time[1] == pytest.approx(0.02, abs=1e-15)
    assert np.diff(time).max() <= 0.05 * (1 + 1e-9)


def robertson(solver: str, **options) -> Diagram:
    model = Diagram("robertson", solver=solver, **options)
    x, y, z = (model.integrator(initial=value, name=name) for name, value in (("x", 1.0), ("y", 0.0), ("z", 0.0)))
    slow = model.expression("0.04*x - 1e4*y*z", x=x, y=y, z=z)
    fast = model.expression("3e7*y**2", y=y)
    -slow >> x
    slow - fast >> y
    fast >> z
    for name, signal in (("x", x), ("y", y), ("z", z)):
        model.output(name, signal)
    return model


def test_the_stiff_solver_solves_the_problem_of_robertson():
    def slope(_, x):
        slow, fast = 0.04 * x[0] - 1e4 * x[1] * x[2], 3e7 * x[1] ** 2
        return [-slow, slow - fast, fast]

    exact = solve_ivp(slope, (0.0, 400.0), [1.0, 0.0, 0.0], method="Radau", rtol=1e-10, atol=1e-14).y[:, -1]
    result = robertson("ode23s", rtol=1e-5, atol=1e-9).run(until=400.0)
    for name, expected in zip("xyz", exact, strict=True):
        assert np.ravel(result[f"robertson.{name}"].values)[-1] == pytest.approx(expected, rel=3e-4)
    assert len(result["robertson.x"].time) < 400


def test_the_trapezoidal_rule_is_stable_where_explicit_solvers_are_not():
    def fast_lag(solver: str) -> Diagram:
        model = Diagram("lag", solver=solver)
        x = model.integrator(initial=0.0, name="x")
        1e4 * (1.0 - x) >> x
        model.output("x", x)
        return model

    assert np.ravel(fast_lag("trapezoidal").run(until=2.0, step=1e-2)["lag.x"].values)[-1] == pytest.approx(
        1.0, abs=0.5
    )
    with pytest.raises(SolverError, match=r'block ".*": (output|state) .* is'):
        fast_lag("ode4").run(until=2.0, step=1e-2)


def test_ode23s_is_there_for_equations_as_well():
    model = cp.ode(lambda t, x, u: [-1e6 * (x[0] - math.cos(t))], [0.0], solver="ode23s", rtol=1e-6)
    system = cp.System("stiff")
    system.add("model", model)
    result = system.run(until=1.0)
    assert np.ravel(result["model.x"].values)[-1] == pytest.approx(math.cos(1.0), abs=1e-5)
    assert len(result["model.x"].time) < 1000  # explicit solvers need more than 300 000


def waves(build) -> int:
    model = Diagram("waves", solver="ode45")
    model.output("y", build(model, model.add("sine", frequency=3.0)))
    return len(model.run(until=10.0)["waves.y"].time) - 1


def test_an_output_that_is_a_function_of_time_is_sampled_as_densely_as_it_is_drawn():
    assert 500 <= waves(lambda model, sine: sine.signal) <= 520
    assert 500 <= waves(lambda model, sine: 2.0 * sine.signal + model.integrator(sine.signal)) <= 520
    assert 500 <= waves(lambda model, sine: model.expression("sin(3 * t)").signal) <= 520


def test_outputs_of_states_and_samples_have_the_steps_that_the_solver_needs():
    assert waves(lambda model, sine: model.integrator(sine.signal)) < 100
    assert waves(lambda model, sine: model.add("zero_order_hold", [sine.signal], sample_time=0.5)) < 100
