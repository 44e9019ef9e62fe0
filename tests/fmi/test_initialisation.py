"""What is known at the start: connected outputs, and loops of direct feedthrough."""

import numpy as np
import pytest

import counterpoint as cp


def passing(path, **options):
    return cp.fmu(path, inputs="float64_in", outputs="float64_out", **options)


def test_connected_initial_outputs_reach_the_inputs_before_the_first_step(built, version):
    """Through a chain of three, against the order in which they were added; only the first has a unit."""
    system = cp.System(convert=False)
    path = built("pass-through", version)
    for k in range(3):
        system.add(f"p{k}", passing(path, parameters={"gain": 2.0}), step=0.1)
    system.add("source", cp.fmu(built("oscillator", version), start={"x": 3.0}, outputs="x"), step=0.1)
    for k in range(2):
        system.connect(f"p{k + 1}.float64_out", f"p{k}.float64_in", cp.hold())
    system.connect("source.x", "p2.float64_in", cp.hold())
    result = system.run(until=0.1)
    assert [result[f"p{k}.float64_out"].values[0] for k in range(3)] == [24.0, 12.0, 6.0]


def test_the_first_step_uses_the_connected_value(built, version):
    """The neighbour stands at x = 2 from the start: the force of the spring between is there in the first step."""
    system = cp.System()
    path = built("oscillator", version)
    system.add("a", cp.fmu(path, parameters={"kc": 10.0, "k": 0.0}, start={"x": 0.0}), step=0.01)
    system.add("wall", cp.source(lambda t: 2.0, outputs="x", units={"x": "m"}), step=0.01)
    system.connect("wall.x", "a.x_other", cp.hold())
    result = system.run(until=0.01)
    assert result["a.a"].values[0] == 20.0
    assert result["a.x"].values[1] == pytest.approx(2.0 * (1.0 - np.cos(np.sqrt(10.0) * 0.01)), rel=1e-9)


def ring(path, gains, offset=1.0):
    system = cp.System()
    for k, gain in enumerate(gains):
        system.add(f"p{k}", passing(path, parameters={"gain": gain}), step=0.1)
    for k in range(len(gains)):
        following = (k + 1) % len(gains)
        system.connect(
            f"p{k}.float64_out", f"p{following}.float64_in", cp.hold(), offset=offset if following == 0 else 0.0
        )
    return system


@pytest.mark.parametrize("gains", [(0.5, 0.5), (2.0, 3.0), (-2.0, 1.5, 4.0)])
def test_a_loop_of_direct_feedthrough_is_solved_at_the_start(built, version, gains):
    """y = g (y + 1) has one solution, also where passing values around would diverge."""
    run = ring(built("pass-through", version), gains).start(until=1.0)
    product = np.prod(gains)
    expected = product / (1.0 - product)
    assert run.value(f"p{len(gains) - 1}.float64_out") == pytest.approx(expected, rel=1e-9)
    run.finish()


def test_a_converging_loop_stays_at_its_solution(built, version):
    result = ring(built("pass-through", version), (0.5, 0.5)).run(until=1.0)
    assert np.allclose(1.0 / 3.0, result["p1.float64_out"].values, rtol=1e-9, atol=0)


def test_a_loop_without_solution_is_told_with_its_residual(built, version):
    with pytest.raises(
        cp.SolverError,
        match=r"p\d: start at t = 0 s failed: the loop of direct feedthrough through p\d\.float64_in .* comes back",
    ):
        ring(built("pass-through", version), (1.0, 1.0)).run(until=1.0)


def test_an_initial_value_breaks_the_loop_as_before(built, version):
    system = cp.System()
    path = built("pass-through", version)
    for name, gain in (("a", 2.0), ("b", 3.0)):
        system.add(name, passing(path, parameters={"gain": gain}), step=0.1)
    system.connect("a.float64_out", "b.float64_in", cp.hold(), initial=7.0)
    system.connect("b.float64_out", "a.float64_in", cp.hold())
    result = system.run(until=0.1)
    assert (result["b.float64_out"].values[0], result["a.float64_out"].values[0]) == (21.0, 42.0)


def test_a_nonlinear_loop_through_a_law_is_solved(built, version):
    """y = cos(y)."""
    system = cp.System()
    path = built("pass-through", version)
    system.add("a", passing(path), step=0.1)
    system.add("b", passing(path), step=0.1)
    system.connect("a.float64_out", "b.float64_in", cp.hold(), law=np.cos)
    system.connect("b.float64_out", "a.float64_in", cp.hold())
    run = system.start(until=1.0)
    assert run.value("a.float64_out") == pytest.approx(0.7390851332151607, abs=1e-9)
    run.finish()


def test_a_loop_among_other_subsystems_is_still_refused(built):
    system = cp.System()
    for name in ("a", "b"):
        system.add(name, cp.linear([[-1.0]], [[1.0]], [[1.0]], [[1.0]], x0=[0.0]), step=0.1)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    with pytest.raises(cp.AlgebraicLoopError):
        system.run(until=1.0)


def test_a_loop_through_an_fmu_and_another_subsystem_is_solved_at_the_start(built, version):
    """The FMU's output follows its input with a step of delay later on, so there is no loop then."""
    system = cp.System()
    system.add("fmu", passing(built("pass-through", version), parameters={"gain": 0.5}), step=0.1)
    system.add("ours", cp.linear([[-1.0]], [[0.0]], [[0.0]], [[0.5]], x0=[0.0]), step=0.1)
    system.connect("fmu.float64_out", "ours.u", cp.hold(), offset=3.0)
    system.connect("ours.y", "fmu.float64_in", cp.hold())
    run = system.start(until=1.0)
    assert run.value("ours.y") == pytest.approx(2.0, rel=1e-9)
    run.finish()
