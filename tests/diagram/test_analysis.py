"""Linear models and states of rest of diagrams."""

import numpy as np
import pytest

import counterpoint as cp


def pendulum_like():
    """x'' = u - 0.3 x' - x^3, y = x: nonlinear, at rest in x = u^(1/3)."""
    model = cp.Diagram("duffing")
    x, v = model.integrator(initial=0.7, name="x"), model.integrator(name="v")
    v >> x
    (model.input("u", 0.0) - 0.3 * v - x * x * x) >> v
    model.output("y", x)
    model.output("through", 2 * v + model.input("w", 0.0))
    return model


def test_the_linear_model_is_the_jacobian():
    linear = pendulum_like().linearise(states={"x": 2.0})
    # Central differences with h = 1.2e-5: truncation h^2 f'''/6 = 1.4e-10, rounding 1e-16 * 8 / h = 7e-11.
    assert pytest.approx(np.array([[0.0, 1.0], [-12.0, -0.3]]), abs=1e-9) == linear.A
    assert pytest.approx(np.array([[0.0, 0.0], [1.0, 0.0]]), abs=1e-9) == linear.B
    assert pytest.approx(np.array([[1.0, 0.0], [0.0, 2.0]]), abs=1e-9) == linear.C
    assert pytest.approx(np.array([[0.0, 0.0], [0.0, 1.0]]), abs=1e-9) == linear.D
    assert linear.states == ("x", "v")
    assert linear.drift == pytest.approx([0.0, -8.0])


def test_a_state_of_rest_is_found_and_linearised():
    model = pendulum_like()
    rest = model.trim(inputs={"u": 8.0})
    assert rest.states == pytest.approx({"x": 2.0, "v": 0.0}, abs=1e-9)
    assert model.linearise(states=rest).A[1, 0] == pytest.approx(-12.0, abs=1e-8)


def test_an_input_is_found_for_a_wanted_output():
    rest = pendulum_like().trim(outputs={"y": 3.0}, free_inputs=["u"])
    assert rest.inputs["u"] == pytest.approx(27.0, rel=1e-9)


def test_states_that_turn_on_need_not_rest():
    model = cp.Diagram("shaft")
    speed = model.integrator(initial=5.0, name="speed")
    model.integrator(speed, name="angle")
    (model.input("torque", 2.0) - 0.5 * speed) >> speed
    model.output("speed", speed)
    assert model.trim(free_states=["angle"]).states["speed"] == pytest.approx(4.0)


def test_where_there_is_no_rest_the_worst_state_is_named():
    model = cp.Diagram("never")
    x = model.integrator(name="x")
    (x * x + 1.0) >> x
    model.output("x", x)
    with pytest.raises(cp.SetupError, match='no equilibrium found: state "x" still changes by 1 per second'):
        model.trim()
    with pytest.raises(cp.SetupError, match='no input "uu"'):
        pendulum_like().trim(inputs={"uu": 1.0})


def test_frequency_and_step_response_agree_with_python_control(tmp_path):
    control = pytest.importorskip("control", reason="python-control is not installed (extra: control)")
    model = cp.Diagram("second")
    x, v = model.integrator(name="x"), model.integrator(name="v")
    v >> x
    (model.input("u") - 4 * x - 0.4 * v) >> v
    model.output("y", x)
    linear = model.linearise()
    exact = control.tf([1.0], [1.0, 0.4, 4.0])
    f = 0.3
    assert linear.response(f)[0, 0, 0] == pytest.approx(complex(exact(2j * np.pi * f)), rel=1e-8)
    times = np.linspace(0.0, 5.0, 51)
    ours = np.ravel(linear.step_response(times).outputs)
    theirs = np.ravel(control.step_response(exact, times).outputs)
    assert ours == pytest.approx(theirs, abs=1e-7)
    linear.bode(tmp_path / "bode.png")
    assert (tmp_path / "bode.png").stat().st_size > 1000
