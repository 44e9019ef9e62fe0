"""Events: where they are located, what happens at coinciding times, chattering, values that are not finite."""

from __future__ import annotations

import math

import numpy as np
import pytest

from counterpoint import SolverError, _core
from counterpoint.diagram import Diagram
from counterpoint.diagram.compiling import VARIABLE_STEP, flatten, make_core

SOLVERS = ["ode1", "ode2", "ode3", "ode4", "ode5", "trapezoidal", *VARIABLE_STEP]


def column(result, name: str) -> np.ndarray:
    return np.ravel(result[name].values)


def event_times(model: Diagram, until: float, step: float) -> np.ndarray:
    """Published times that are not on the grid."""
    model.publish_events = True
    time = np.asarray(model.run(until=until, step=step)[f"{model.name}.{next(iter(model.outputs))}"].time)
    return np.unique(time[np.abs(time / step - np.round(time / step)) > 1e-6])


def statistics(model: Diagram, ends: list[float]) -> dict[str, int]:
    core = make_core(model, flatten(model))
    stepper = _core.diagram.Stepper(core, [])
    stepper.start(0.0)
    for end in ends:
        stepper.step(end)
    return core.statistics()


def pendulum(solver: str = "ode4", **settings) -> Diagram:
    """x = cos(t), and the sign of x."""
    model = Diagram("p", solver=solver, **settings)
    x = model.integrator(initial=1.0, name="x")
    v = model.integrator(-x, name="v")
    v >> x
    model.output("side", model.sign(x))
    model.output("x", x)
    return model


@pytest.mark.parametrize("solver", SOLVERS)
def test_events_are_located_with_the_accuracy_of_the_solver(solver):
    def worst(step: float) -> float:
        options = {"rtol": 1e9, "atol": 1e9, "first_step": 1e6} if solver in VARIABLE_STEP else {}
        times = event_times(pendulum(solver, **options), 5.0, step)
        assert len(times) == 2
        return np.abs(times - [0.5 * math.pi, 1.5 * math.pi]).max()

    order = {"ode1": 1, "ode2": 2, "trapezoidal": 2, "ode23s": 2, "ode3": 3, "ode23": 3}.get(solver, 4)
    coarse, fine = worst(0.02), worst(0.01)
    assert fine < 1e-9 or math.log2(coarse / fine) > order - 0.7


def test_an_event_takes_at_most_five_steps_to_locate():
    counted = statistics(pendulum(), [0.1 * k for k in range(1, 201)])
    assert counted["events"] == 6  # cos has six zeros up to t = 20
    assert counted["located_steps"] <= 5 * counted["events"]


def test_variable_step_solvers_locate_on_their_interpolant_without_stepping_again():
    counted = statistics(pendulum("ode45"), [20.0])
    assert counted["events"] == 6
    assert counted["located_steps"] == 0


def test_of_several_crossings_in_one_step_each_is_met_in_order():
    model = Diagram("many")
    ramp = model.ramp(1.0)
    levels = [0.31, 0.37, 0.45, 0.451]
    total = model.sum(*[model.sign(ramp - level) for level in levels])
    model.output("total", model.integrator(total))
    assert event_times(model, 1.0, 1.0) == pytest.approx(levels, abs=1e-9)
    # The integral of signs that flip at the levels.
    assert column(model.run(until=1.0, step=1.0), "many.total")[-1] == pytest.approx(
        sum(1 - 2 * a for a in levels), abs=1e-9
    )


def test_simultaneous_crossings_are_one_event():
    model = Diagram("same")
    ramp = model.ramp(1.0)
    signs = [model.sign(ramp - 0.35), model.sign(2.0 * ramp - 0.7), model.sign(0.35 - ramp)]
    model.output("total", model.sum(*signs, signs="+++"))
    assert statistics(model, [0.1 * k for k in range(1, 11)])["events"] == 1


@pytest.mark.parametrize("solver", ["ode1", "ode4", "ode45"])
def test_a_crossing_exactly_at_the_end_of_a_step_counts_from_there(solver):
    model = Diagram("end", solver=solver)
    x = model.integrator(1.0, initial=-0.5)  # zero at t = 0.5, to the last bit
    y = model.integrator(model.sign(x))
    model.output("y", y)
    assert column(model.run(until=1.0, step=0.25), "end.y")[-1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_mode_decided_on_its_border_is_decided_again_right_after(solver):
    # |sin| begins at zero; the integral over two half waves is 4.
    model = Diagram("border", solver=solver)
    model.output("y", model.integrator(model.abs(model.sin(model.clock()))))
    expected = {"ode1": 1e-2, "ode2": 2e-3, "trapezoidal": 2e-3, "ode23s": 1e-3}.get(solver, 1e-6)
    assert column(model.run(until=2 * math.pi, step=2 * math.pi / 100), "border.y")[-1] == pytest.approx(
        4.0, abs=expected
    )


def test_a_signal_that_stays_on_the_border_costs_nothing():
    model = Diagram("flat")
    model.output("y", model.integrator(model.sign(model.gain(0.0, model.clock()))))
    counted = statistics(model, [0.1 * k for k in range(1, 11)])
    assert counted["events"] == 0 and counted["steps"] == 10


@pytest.mark.parametrize("solver", ["ode4", "ode45"])
def test_an_event_on_a_sample_takes_both(solver):
    model = Diagram("both", solver=solver)
    x = model.integrator(1.0, initial=-0.3)
    held = model.zero_order_hold(model.sign(x), sample_time=0.1)
    model.output("held", held)
    result = model.run(until=0.6, step=0.1)
    assert list(column(result, "both.held")[:3]) == [-1.0, -1.0, -1.0]
    assert list(column(result, "both.held")[4:]) == [1.0, 1.0, 1.0]


def test_jumps_and_samples_that_differ_from_the_grid_by_rounding_are_on_it():
    model = Diagram("round")
    model.output("y", model.integrator(model.step(0.1 + 0.2, 0.0, 1.0)))  # 0.30000000000000004
    model.output("s", model.zero_order_hold(model.clock(), sample_time=0.1))
    counted = statistics(model, [k / 10 for k in range(1, 11)])
    assert counted["steps"] == 10
    assert column(model.run(until=1.0, step=0.1), "round.y")[-1] == pytest.approx(0.7, abs=1e-12)


def bouncing_ball(restitution: float, solver: str = "ode4", **settings) -> Diagram:
    model = Diagram("ball", solver=solver, **settings)
    height = model.integrator(initial=1.0, name="height")
    impact = math.sqrt(2 * 9.81)
    bounce = Diagram("bounce")
    rebound = bounce.unit_delay(initial=restitution * impact)
    restitution * rebound >> rebound
    bounce.output("rebound", rebound)
    rebounds = model.superblock(bounce, trigger=height, edge="falling", name="bounce")
    start = model.switch(model.clock(), rebounds, 0.0, criterion=">", threshold=0.1)  # at rest before the first bounce
    speed = model.integrator(-9.81, external_initial=start, reset=height, edge="falling", name="speed")
    speed >> height
    model.output("height", height)
    return model


@pytest.mark.parametrize("solver", ["ode4", "ode45", "ode23"])
def test_a_ball_bounces_at_the_right_times(solver):
    fall = math.sqrt(2.0 / 9.81)
    exact = [fall, fall * (1 + 2 * 0.8), fall * (1 + 2 * 0.8 + 2 * 0.64), fall * (1 + 2 * 0.8 + 2 * 0.64 + 2 * 0.512)]
    model = bouncing_ball(0.8, solver)
    times = event_times(model, 2.3, 0.01)
    bounces = times[np.insert(np.diff(times) > 1e-6, 0, True)]  # rising through the floor right after counts as well
    assert bounces == pytest.approx(exact, abs=1e-6)


def test_a_ball_never_falls_through_the_floor():
    height = column(bouncing_ball(0.8).run(until=3.5, step=0.01), "ball.height")
    assert height.min() > -1e-9


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8])
def test_events_that_come_ever_closer_stop_the_run_with_the_name_of_the_block(restitution):
    with pytest.raises(SolverError, match=r'too many events of block "(bounce|speed)".*give it a hysteresis'):
        bouncing_ball(restitution).run(until=10.0, step=0.01)


@pytest.mark.parametrize("solver", ["ode4", "ode45", "ode23s", "trapezoidal"])
def test_a_relay_without_hysteresis_is_stopped_with_a_message(solver):
    model = Diagram("chatter", solver=solver)
    x = model.integrator(initial=0.0105, name="x")
    -model.sign(x, name="relay") >> x
    model.output("x", x)
    with pytest.raises(SolverError, match=r'too many events of block "relay": 6 between t = 0.0105'):
        model.run(until=1.0, step=0.01)


def test_where_events_are_not_located_the_relay_chatters_from_step_to_step():
    model = Diagram("chatter", locate_events=False)
    x = model.integrator(initial=0.0105, name="x")
    -model.sign(x, name="relay") >> x
    model.output("x", x)
    assert np.abs(column(model.run(until=1.0, step=0.01), "chatter.x")[5:]).max() < 0.02


def test_two_crossings_within_one_step_are_missed():
    # Documented: the bump of the parabola between 0.4 and 0.6 lies inside one step.
    model = Diagram("bump")
    model.output("y", model.integrator(model.sign(model.expression("-(t - 0.4)*(t - 0.6)"))))
    assert statistics(model, [1.0])["events"] == 0
    assert statistics(model, [0.5, 1.0])["events"] == 2


def test_without_location_an_event_waits_for_the_end_of_its_step():
    model = pendulum(locate_events=False)
    side = column(model.run(until=2.0, step=0.25), "p.side")
    assert list(side) == [1.0] * 7 + [-1.0] * 2  # pi/2 lies in the step that ends at 1.75
    assert len(event_times(pendulum(locate_events=False), 2.0, 0.25)) == 0


def test_a_value_that_is_not_finite_names_its_block_and_time():
    for solver in ("ode4", "ode45", "ode23s", "trapezoidal"):
        model = Diagram("pole", solver=solver)
        x = model.integrator(name="x")
        model.log(model.expression("0.35 - t"), name="bad") >> x
        model.output("x", x)
        with pytest.raises(SolverError, match=r'block "(bad|x)": (output "y"|state 0) is .* at t = 0.[34]'):
            model.run(until=1.0, step=0.1)


def test_growth_without_bound_is_stopped_where_it_happens():
    model = Diagram("blow", solver="ode45")
    x = model.integrator(initial=1.0, name="x")
    x * x.signal >> x  # x = 1/(1 - t)
    model.output("x", x)
    with pytest.raises(SolverError, match=r"the step became .* at t = (1|0.99)"):
        model.run(until=2.0, step=0.5)


@pytest.mark.parametrize("solver", ["ode4", "ode45", "ode23s"])
def test_save_and_restore_in_the_middle_of_events_give_the_same_bits(solver):
    def walk(stepper, ends):
        seen = []
        for end in ends:
            stepper.step(end)
            seen.append((stepper.time, tuple(stepper.outputs())))
        return seen

    model = bouncing_ball(0.8, solver, publish_events=True)
    stepper = _core.diagram.Stepper(make_core(model, flatten(model)), [])
    stepper.start(0.0)
    ends = [0.05 * k for k in range(1, 30)]
    for count in (3, 9, 10, 11):
        stepper.start(0.0)
        walk(stepper, [0.05 * k for k in range(1, count)])
        saved = stepper.save()
        later = [end for end in ends if end > stepper.time]
        first = walk(stepper, later)
        stepper.restore(saved)
        assert walk(stepper, later) == first
