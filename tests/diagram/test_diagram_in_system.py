"""A diagram as an ordinary subsystem: ports, units, defaults, pace, and the same bits whatever happens around it."""

import math

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._cases.registry import read_case


def first_order(**options):
    """x' = u - x; outputs x and the sum u + v, where v is a second input."""
    model = cp.Diagram("lag", **options)
    u = model.input("u", 2.0, unit="N")
    v = model.input("v", [1.0, 5.0])
    x = model.integrator(name="x")
    x.connect(u - x)
    model.output("x", x, unit="m")
    model.output("direct", u + v)
    return model


def test_feedthrough_is_known_pair_by_pair():
    assert set(first_order().subsystem().feedthrough) == {("direct", "u"), ("direct", "v")}


def test_defaults_hold_where_nothing_is_connected_and_units_reach_the_result():
    system = cp.System()
    system.add("lag", first_order(), step=0.01)
    result = system.run(until=1.0)
    assert result["lag.x"].unit == "m"
    # ode4 with h = 0.01: the error is below 1e-10.
    assert result["lag.x"].values[-1] == pytest.approx(2.0 * (1.0 - math.exp(-1.0)), abs=1e-9)
    np.testing.assert_allclose([result[f"lag.direct[{k}]"].values[-1] for k in (0, 1)], [3.0, 7.0])


def test_a_constant_of_the_system_replaces_a_default():
    system = cp.System()
    system.add("lag", first_order(), step=0.01)
    system.set("lag.u", 4.0)
    assert system.run(until=1.0)["lag.direct[0]"].values[-1] == 5.0


def test_a_loop_of_feedthrough_between_two_diagrams_is_named_port_by_port():
    system = cp.System()
    for name in ("one", "two"):
        model = cp.Diagram(name)
        model.output("y", 0.5 * model.input("u"))
        system.add(name, model, step=0.1)
    system.connect("one.y", "two.u")
    system.connect("two.y", "one.u")
    with pytest.raises(cp.AlgebraicLoopError) as caught:
        system.run(until=1.0)
    assert set(caught.value.loop) == {"one.y", "two.u", "two.y", "one.u"}


def oscillator(**options):
    model = cp.Diagram("swing", **options)
    x = model.integrator(initial=1.0, name="x")
    v = model.integrator(-x + model.input("u", 0.0), name="v")
    v >> x
    model.output("x", x)
    return model


def test_an_inner_step_refines_what_the_communication_step_would_spoil():
    """Without it one step of ode4 is the whole second; h = 0.01 inside gives its own error, 1e-10."""
    errors = []
    for inner_step in (None, 0.01):
        system = cp.System()
        system.add("swing", oscillator(inner_step=inner_step), step=1.0)
        result = system.run(until=5.0)
        assert len(result["swing.x"].time) == 6
        errors.append(abs(result["swing.x"].values[-1] - math.cos(5.0)))
    assert errors[0] > 1e-2
    assert errors[1] < 1e-9


def test_a_variable_step_diagram_runs_at_its_own_pace():
    system = cp.System()
    system.add("swing", oscillator(solver="ode45", rtol=1e-8, atol=1e-10))
    result = system.run(until=10.0)
    steps = np.diff(result["swing.x"].time)
    assert steps[:-1].max() > 5.0 * steps[0]
    # Global error of about a hundred steps with a local one of 1e-8.
    np.testing.assert_allclose(result["swing.x"].values, np.cos(result["swing.x"].time), atol=1e-6)


def test_a_variable_step_diagram_with_a_given_step_divides_it():
    system = cp.System()
    system.add("swing", oscillator(solver="ode45", rtol=1e-8, atol=1e-10), step=2.0)
    result = system.run(until=10.0)
    np.testing.assert_allclose(result["swing.x"].time, np.arange(0.0, 11.0, 2.0))
    np.testing.assert_allclose(result["swing.x"].values, np.cos(result["swing.x"].time), atol=1e-6)


def two_diagrams(threads, scheme):
    system = cp.System()
    system.add("one", oscillator(solver="ode45"), typical_step=0.05)
    system.add("two", oscillator(), step=0.07)
    system.connect("one.x", "two.u", cp.lagrange(2))
    system.connect("two.x", "one.u", cp.lagrange(2))
    result = system.run(until=8.0, scheme=scheme, threads=threads)
    return [result[port].values for port in ("one.x", "two.x")]


@pytest.mark.parametrize("scheme", ["slowest-first", "parallel"])
def test_the_same_bits_with_one_thread_and_with_four(scheme):
    for one, four in zip(two_diagrams(1, scheme), two_diagrams(4, scheme), strict=True):
        np.testing.assert_array_equal(one, four)


def test_a_diagram_from_a_file_is_a_subsystem_of_a_scenario(tmp_path):
    cp.diagram.save(oscillator(), tmp_path / "swing.toml")
    scenario = tmp_path / "case.toml"
    scenario.write_text(
        'until = 2.0\n[subsystems.swing]\ntype = "diagram"\nfile = "swing.toml"\nstep = 0.01\n[set]\n"swing.u" = 1.0\n'
    )
    result = read_case(scenario).run()
    # x'' = 1 - x from rest at x = 1: it stays there.
    np.testing.assert_allclose(result["swing.x"].values, 1.0)
