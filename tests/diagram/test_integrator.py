from __future__ import annotations

import numpy as np
import pytest

import counterpoint as cp

SOLVERS = ["ode1", "ode4", "ode45"]


def integrator(u_of, run, until=3.0, step=0.1, solver="ode4", **options):
    """Run one integrator; `u_of(model)` makes its input."""
    model = cp.Diagram("d", solver=solver)
    block = model.integrator(u_of(model), **options)
    for port in block.outputs:
        model.output(port, block[port])
    return run(model, until, step)


def test_a_scalar_initial_value_serves_every_component(run):
    r = integrator(lambda m: m.constant([1.0, 2.0]), run, initial=3.0)
    np.testing.assert_allclose(r["y"], 3.0 + np.outer(r.time, [1.0, 2.0]), rtol=1e-13)


def test_a_scalar_input_serves_every_component_of_the_initial_value(run):
    r = integrator(lambda m: m.constant(1.0), run, initial=[3.0, 4.0])
    np.testing.assert_allclose(r["y"], np.array([3.0, 4.0]) + r.time[:, None], rtol=1e-13)


def test_widths_that_contradict_are_named():
    model = cp.Diagram("d")
    model.output("y", model.integrator(model.constant([1.0, 2.0]), initial=[0.0, 0.0, 0.0], name="x"))
    with pytest.raises(
        cp.SetupError, match=r'x: "initial" has 3 values.*"u" comes from constant1.y, which has width 2'
    ):
        model.run(until=1.0, step=0.1)


@pytest.mark.parametrize(
    ("edge", "reset_times"), [("rising", [1.0, 3.0]), ("falling", [2.0]), ("either", [1.0, 2.0, 3.0])]
)
def test_a_reset_acts_at_the_exact_time_of_its_edge(run, edge, reset_times):
    model = cp.Diagram("d")
    control = model.sine(frequency=np.pi, phase=-np.pi)  # -sin(pi t): rises at 1 and 3, falls at 2
    model.output("y", model.integrator(1.0, initial=0.5, reset=control, edge=edge))
    r = run(model, 3.6, 0.13)
    last = np.array([max([0.0, *[t for t in reset_times if t <= now]]) for now in r.time])
    # Events are located to 1e-10 of a step.
    np.testing.assert_allclose(r["y"], 0.5 + r.time - last, atol=1e-10)


def test_a_level_reset_holds_the_state_while_it_is_positive(run):
    model = cp.Diagram("d")
    control = model.sine(frequency=np.pi, phase=-np.pi)  # positive from 1 to 2
    model.output("y", model.integrator(1.0, initial=0.5, reset=control, edge="level"))
    r = run(model, 2.9, 0.13)
    expected = np.where(r.time < 1.0, 0.5 + r.time, np.where(r.time < 2.0, 0.5, 0.5 + r.time - 2.0))
    np.testing.assert_allclose(r["y"], expected, atol=1e-10)


def test_an_external_initial_value_is_taken_at_the_start_and_at_each_reset(run):
    model = cp.Diagram("d")
    begin = model.integrator(1.0, initial=5.0)
    y = model.integrator(0.0, external_initial=begin, reset=model.step(time=1.25) - 0.5)
    model.output("y", y)
    r = run(model, 2.0, 0.1)
    np.testing.assert_allclose(r["y"], np.where(r.time < 1.25, 5.0, 6.25), atol=1e-12)


def test_an_external_initial_value_is_there_in_the_first_instant_for_sampled_blocks(run):
    model = cp.Diagram("d")
    y = model.integrator(1.0, external_initial=model.constant(7.0))
    model.output("y", model.zero_order_hold(y, sample_time=1.0))
    assert run(model, 0.5, 0.1)["y"][0] == 7.0


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_limits_are_left_as_soon_as_the_input_points_inside(run, solver, sign):
    """The input is cos t: the state sin t stays at 0.5 from pi/6 until pi/2, then follows sin t - 0.5."""
    options = {} if solver != "ode45" else {"rtol": 1e-9, "atol": 1e-12}
    model = cp.Diagram("d", solver=solver, **options)
    block = model.integrator(
        model.sine(frequency=1.0, phase=np.pi / 2, amplitude=sign), limits=(-0.5, 0.5), show_saturation=True
    )
    model.output("y", block["y"])
    model.output("saturated", block["saturated"])
    r = run(model, 3.0, 0.0625 if solver == "ode1" else 0.03)
    t = r.time
    held = (t > np.pi / 6) & (t < np.pi / 2)
    expected = np.where(t < np.pi / 6, np.sin(t), np.where(held, 0.5, np.sin(t) - 0.5))
    # ode1 makes an error of half a step times the slope's change; ode4 and ode45 only what their order leaves.
    np.testing.assert_allclose(r["y"], sign * expected, atol=0.05 if solver == "ode1" else 1e-8)
    clear = (abs(t - np.pi / 6) > 0.05) & (abs(t - np.pi / 2) > 0.05)
    np.testing.assert_array_equal(r["saturated"][clear], sign * np.where(held, 1.0, 0.0)[clear])


def test_limits_hold_each_component_by_itself(run):
    r = integrator(lambda m: m.constant([1.0, -2.0, 0.25]), run, limits=(-1.0, 1.5), initial=[0.0, 0.5, 0.0])
    t = r.time
    expected = np.column_stack([np.minimum(t, 1.5), np.maximum(0.5 - 2 * t, -1.0), 0.25 * t])
    np.testing.assert_allclose(r["y"], expected, atol=1e-12)


def test_limits_hold_without_event_location_as_well(run):
    model = cp.Diagram("d", locate_events=False)
    model.output("y", model.integrator(model.sine(frequency=1.0, phase=np.pi / 2), limits=(-0.5, 0.5)))
    r = run(model, 3.0, 0.01)
    assert r["y"].max() == 0.5
    # Released one step late at most.
    assert abs(r["y"][-1] - (np.sin(r.time[-1]) - 0.5)) < 0.01


def test_one_sided_limits_are_allowed(run):
    r = integrator(lambda m: m.constant(-1.0), run, limits=(-2.0, np.inf))
    np.testing.assert_allclose(r["y"], np.maximum(-r.time, -2.0), atol=1e-12)


def test_a_reset_leads_away_from_a_limit(run):
    model = cp.Diagram("d")
    model.output("y", model.integrator(1.0, limits=(-1.0, 1.0), reset=model.step(time=1.55) - 0.5))
    r = run(model, 3.0, 0.1)
    np.testing.assert_allclose(r["y"], np.minimum(np.where(r.time < 1.55, r.time, r.time - 1.55), 1.0), atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limits": (1.0, -1.0)}, r'"limits": \(1, -1\); the lower one must be below the upper one'),
        ({"limits": 3.0}, r'"limits": 3.0; expected a pair \(lower, upper\)'),
        ({"limits": (0.0, 1.0), "initial": 2.0}, r'"initial": 2 is outside of the limits \(0, 1\)'),
        ({"show_saturation": True}, '"show_saturation": needs limits'),
        ({"initial": np.nan}, '"initial": must be finite'),
        ({"reset": 1.0, "edge": "up"}, '"up" is not one of none, rising, falling, either, level'),
    ],
)
def test_wrong_parameters_are_refused_with_their_value(options, message):
    with pytest.raises(cp.SetupError, match=message):
        cp.Diagram("d").integrator(1.0, **options)


def ball_height(t, speed, height=1.0, restitution=0.8, gravity=9.81):
    """Height of a ball that leaves the floor with a share of its speed, in closed form."""
    impact = np.sqrt(speed**2 + 2.0 * gravity * height)
    begin, up = (speed + impact) / gravity, restitution * impact
    if t <= begin:
        return height + speed * t - 0.5 * gravity * t**2
    while t > begin + 2.0 * up / gravity:
        begin, up = begin + 2.0 * up / gravity, restitution * up
    return up * (t - begin) - 0.5 * gravity * (t - begin) ** 2


@pytest.mark.parametrize("solver", ["ode4", "ode23", "ode45", "ode23s"])
@pytest.mark.parametrize("speed", [0.0, 3.0])
def test_a_state_may_be_reset_from_itself(run, solver, speed):
    """The signal counts at resets; at the start it has no value without the state, which begins with `initial`."""
    model = cp.Diagram("d", solver=solver)
    height = model.integrator(initial=1.0)
    v = model.integrator(
        -9.81, initial=speed, reset=height, edge="falling", external_initial=model.gain(-0.8, name="back")
    )
    v >> model.blocks["back"]
    v >> height
    model.output("height", height)
    model.output("speed", v)
    r = run(model, 2.5, 0.01)
    assert r["speed"][0] == speed
    # Parabolas are exact for all these solvers; the instants of impact are located to 1e-10 of a step.
    np.testing.assert_allclose(r["height"], [ball_height(t, speed) for t in r.time], atol=1e-8)


def test_two_states_are_exchanged_at_a_reset(run):
    model = cp.Diagram("d")
    control = model.step(time=0.55) - 0.5
    one = model.integrator(0.0, initial=1.0, reset=control, external_initial=model.gain(1.0, name="from_two"))
    two = model.integrator(0.0, initial=2.0, reset=control, external_initial=one)
    two >> model.blocks["from_two"]
    model.output("one", one)
    model.output("two", two)
    r = run(model, 1.0, 0.1)
    np.testing.assert_array_equal(r["one"], np.where(r.time < 0.55, 1.0, 2.0))
    np.testing.assert_array_equal(r["two"], np.where(r.time < 0.55, 2.0, 1.0))


def test_an_initial_value_from_outside_is_no_feedthrough_of_a_system():
    """Two diagrams that begin with each other's output: a loop at no instant but the start, where it has a solution."""
    system = cp.System("loop")
    for name, gain in (("a", 0.5), ("b", 0.4)):
        model = cp.Diagram(name)
        model.output("y", model.integrator(-1.0, external_initial=gain * model.input("u") + 1.0))
        system.add(name, model, step=0.1)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    assert not system.problems(until=1.0)
    result = system.run(until=1.0)
    a = 1.5 / 0.8  # a = 0.5 b + 1, b = 0.4 a + 1
    np.testing.assert_allclose(result["a.y"].values, a - result["a.y"].time, rtol=1e-9)


def test_a_level_reset_from_itself_is_a_loop():
    """As long as the level holds, the output is the signal."""
    model = cp.Diagram("d")
    y = model.integrator(1.0, reset=1.0, edge="level", external_initial=model.gain(0.5, name="back"))
    y >> model.blocks["back"]
    model.output("y", y)
    with pytest.raises(cp.SetupError, match="algebraic loop"):
        model.run(until=1.0, step=0.1)
