"""Blocks that end a run or fail it."""

import numpy as np
import pytest

import counterpoint as cp


def falling(message=None, **settings):
    model = cp.Diagram("fall", **settings)
    height = model.integrator(model.integrator(-9.81), initial=5.0)
    model.stop(height <= 0.0, message=message, name="ground")
    model.output("height", height)
    return model


@pytest.mark.parametrize("solver", ["ode4", "ode45"])
def test_a_stop_ends_the_run_in_good_order_at_its_instant(solver):
    result = falling("it has landed", solver=solver).run(until=10.0, step=0.25 if solver == "ode4" else None)
    assert result.status == "finished"
    assert result.message == 'block "ground" ended the run at t = 1.00963755 s: it has landed'
    assert result["fall.height"].time[-1] == pytest.approx(np.sqrt(10 / 9.81), abs=1e-9)
    assert result["fall.height"].values[-1] == pytest.approx(0.0, abs=1e-8)  # 10 m/s times 1e-10 of a step of up to 1 s


def test_without_location_a_stop_ends_the_run_at_the_end_of_its_step():
    result = falling(locate_events=False).run(until=10.0, step=0.25)
    assert result["fall.height"].time[-1] == 1.25


def test_a_stop_ends_a_run_that_others_take_part_in():
    system = cp.System("pair")
    system.add("fall", falling().subsystem(), step=0.25)
    system.add("clock", cp.source(lambda t: t, outputs="t"), step=0.1)
    result = system.run(until=10.0)
    assert result.status == "finished"
    assert result["fall.height"].time[-1] == pytest.approx(np.sqrt(10 / 9.81), abs=1e-9)
    assert result["clock.t"].time[-1] < 10.0


def test_a_run_driven_by_hand_is_over_after_a_stop():
    system = cp.System("alone")
    system.add("fall", falling().subsystem(), step=0.25)
    with system.start(until=10.0) as run:
        run.step_to(0.5)
        run.step_to(5.0)
        with pytest.raises(cp.SetupError, match="the run has ended"):
            run.step_to(6.0)


def test_a_stop_that_is_positive_at_once_leaves_the_start():
    model = cp.Diagram("model")
    model.stop(1.0)
    model.output("t", model.clock())
    result = model.run(until=1.0, step=0.1)
    assert result["model.t"].values.tolist() == [0.0]


def test_a_diagram_with_a_stop_that_never_acts_runs_to_its_end(probe):
    def build(model):
        model.stop(model.sine(1.0) - 2.0)
        return model.clock()

    t, y = probe(build)
    assert np.array_equal(t, y)
    assert len(t) == 11


def test_an_assertion_fails_the_run_with_block_time_and_message(probe):
    def build(model):
        x = model.integrator(1.0)
        model.assertion(x < 0.55, message="the tank is full", name="tank")
        return x

    with pytest.raises(
        cp.SimulationError, match=r'"tank" at t = 0.55\S* s: assertion failed: the tank is full'
    ) as info:
        probe(build)
    assert info.value.result["model.y"].time[-1] == pytest.approx(0.5)


def test_an_assertion_that_is_false_at_the_start_fails_there():
    model = cp.Diagram("model")
    model.assertion(0.0)
    model.output("t", model.clock())
    with pytest.raises(cp.SimulationError, match='"assertion1" at t = 0 s: assertion failed'):
        model.run(until=1.0, step=0.1)


def test_an_assertion_that_holds_says_nothing(probe):
    def build(model):
        model.assertion(model.clock() >= 0.0)
        return model.clock()

    assert len(probe(build)[0]) == 11
