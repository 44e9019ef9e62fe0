"""Nonlinear blocks against closed forms; corners and jumps are met exactly."""

import numpy as np
import pytest

import counterpoint as cp

U = np.linspace(-2.0, 2.0, 17)


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda m, u: m.saturation(u, lower=-0.5, upper=1.0), np.clip(U, -0.5, 1.0)),
        (lambda m, u: m.saturation(u, upper=1.0), np.minimum(U, 1.0)),
        (lambda m, u: m.saturation(u), U),
        (lambda m, u: m.dead_zone(u, lower=-0.5, upper=1.0), U - np.clip(U, -0.5, 1.0)),
        (lambda m, u: m.dead_zone(u), U - np.clip(U, -0.5, 0.5)),
        (lambda m, u: m.quantizer(u, interval=0.4), 0.4 * np.sign(U) * np.floor(abs(U / 0.4) + 0.5)),
        (lambda m, u: m.friction(u, offset=2.0, gain=0.5), 2.0 * np.sign(U) + 0.5 * U),
        (lambda m, u: m.switch(u, 1.0, -1.0), np.where(U >= 0, 1.0, -1.0)),
        (lambda m, u: m.switch(u, 1.0, -1.0, criterion=">"), np.where(U > 0, 1.0, -1.0)),
        (lambda m, u: m.switch(u, 1.0, -1.0, criterion="!=0"), np.where(U != 0, 1.0, -1.0)),
        (lambda m, u: m.switch(u, u, -1.0, threshold=0.75), np.where(U >= 0.75, U, -1.0)),
        (lambda m, u: m.multiport_switch(u, 3.0, 4.0, 5.0, outside="clip"), np.array([3.0, 4.0, 5.0])[
            np.clip(np.sign(U) * np.floor(abs(U) + 0.5), 0, 2).astype(int)
        ]),
        (lambda m, u: m.relay(u, switch_on=1.0, switch_off=-1.0), (U >= 1.0).astype(float)),
        (lambda m, u: m.relay(u, switch_on=1.0, switch_off=-1.0, starts_on=True, output_off=-3.0), np.where(U > -1, 1, -3)),
    ],
)  # fmt: skip
def test_a_characteristic_is_its_formula(probe, build, expected):
    _, y = probe(lambda m: build(m, m.constant(U)), until=0.1)
    assert y[-1] == pytest.approx(expected, abs=1e-15)


def test_limits_may_be_signals(probe):
    def build(m):
        u = m.sine(3.0, amplitude=2.0)
        return m.mux(m.saturation(u, lower=-m.clock(), upper=m.clock()), m.dead_zone(u, lower=-1.0, upper=m.clock()))

    t, y = probe(build, until=2.0)
    u = 2 * np.sin(3 * t)
    assert y[:, 0] == pytest.approx(np.clip(u, -t, t), abs=1e-14)
    assert y[:, 1] == pytest.approx(u - np.clip(u, -1.0, t), abs=1e-14)


def test_crossed_limits_are_named_with_block_and_time(probe):
    with pytest.raises(cp.SimulationError, match=r'"saturation1" at t = 0.55 s: the lower limit \S+ is above'):
        probe(lambda m: m.saturation(m.clock(), lower=m.clock(), upper=0.55), step=0.2)


# Signals linear in time make RK4 exact, so that only the location of events (1e-10 of the step) is left.


def test_a_saturated_ramp_is_integrated_exactly(probe):
    _, y = probe(lambda m: m.integrator(m.saturation(m.clock(), lower=0.25, upper=0.7)), step=1.0)
    assert y[-1] == pytest.approx(0.25**2 + (0.7**2 - 0.25**2) / 2 + 0.7 * 0.3, abs=1e-9)


def test_a_saturated_feedback_loop_is_split_where_it_leaves_the_limit(probe):
    # x' = -sat(x, 1) from 2: 2 - t until t = 1, then exp(-(t - 1)); steps of 0.4 that do not meet t = 1.
    def build(m):
        x = m.integrator(initial=2.0)
        x.connect(-m.saturation(x, lower=-1.0, upper=1.0))
        return x

    for step, tolerance in ((0.4, 2e-4), (0.2, 1.2e-5)):  # h^4 / 120
        t, y = probe(build, until=2.8, step=step)
        assert y == pytest.approx(np.where(t < 1, 2 - t, np.exp(1 - t)), abs=tolerance)


@pytest.mark.parametrize("solver", ["ode1", "ode2", "ode3", "ode4", "ode5"])
def test_every_solver_keeps_its_order_through_a_switch(solver):
    # x' = -x until x = 1/2, then x' = -2 x: closed form by pieces.
    def final(step):
        model = cp.Diagram("model", solver=solver)
        x = model.integrator(initial=1.0)
        x.connect(model.switch(x, -x, -2 * x, threshold=0.5))
        model.output("x", x)
        return model.run(until=2.0, step=step)["model.x"].values[-1]

    exact = 0.5 * np.exp(-2 * (2.0 - np.log(2.0)))
    coarse, fine = (abs(final(h) - exact) for h in (0.1, 0.05))
    order = int(solver[-1])
    assert np.log2(coarse / fine) > order - 0.35


def test_a_switch_without_location_has_the_first_order_of_its_step(probe):
    def build(m):
        x = m.integrator(initial=1.0)
        x.connect(m.switch(x, -x, -2 * x, threshold=0.5))
        return x

    exact = 0.5 * np.exp(-2 * (2.0 - np.log(2.0)))
    _, y = probe(build, until=2.0, step=0.1, locate_events=False)
    assert 1e-5 < abs(y[-1] - exact) < 1e-2
    _, y = probe(build, until=2.0, step=0.1)
    assert y[-1] == pytest.approx(exact, abs=2e-6)  # 13 steps of (2 h)^5 / 120, times the value


@pytest.mark.parametrize("solver", ["ode1", "ode4", "ode23", "ode45"])
def test_a_relay_oscillator_has_its_period(solver):
    # x' = 1 - 2 relay(x) between -a and a: a triangle of period 4 a, from 0 upwards.
    model = cp.Diagram("model", solver=solver)
    x = model.integrator()
    x.connect(1 - 2 * model.relay(x, switch_on=0.37, switch_off=-0.37))
    model.output("x", x)
    signal = model.run(until=20.0, step=0.5 if solver in ("ode1", "ode4") else None)["model.x"]
    phase = np.mod(signal.time + 0.37, 4 * 0.37)
    triangle = np.where(phase < 2 * 0.37, phase - 0.37, 3 * 0.37 - phase)
    assert signal.values == pytest.approx(
        triangle, abs=54 * 1e-10 * 10
    )  # 27 corners, each located to 1e-10 h, h < 10 s


def test_a_relay_is_not_moved_by_trial_states(probe):
    # The switching thresholds are touched by stages of one large step of a wild method, never by an accepted state.
    def build(m):
        x = m.integrator()
        x.connect(m.sine(2 * np.pi, amplitude=2 * np.pi))  # x = 1 - cos(2 pi t), back at 0 at every whole time
        return m.relay(x, switch_on=1.5, switch_off=-1.0)

    _, y = probe(build, until=4.0, step=1.0, locate_events=False)
    assert np.array_equal(y, np.zeros(5))


def test_bang_bang_control_reaches_every_sign_change(probe):
    # x'' = -sign(x): parabolas; x(t) = x0 - t^2/2 until t1 = sqrt(2 x0), period 4 t1.
    def build(m):
        x = m.integrator(initial=2.0)
        x.connect(m.integrator(-m.sign(x)))
        return x

    t, y = probe(build, until=24.0, step=0.7)
    # Arcs of 4 s on either side; `half` is the time from the middle of one, where the speed is zero.
    half, side = np.mod(t + 2.0, 4.0) - 2.0, np.where(np.mod(t + 2.0, 8.0) < 4.0, 1.0, -1.0)
    assert y == pytest.approx(side * (2.0 - half**2 / 2), abs=1e-8)


def test_sliding_on_a_jump_is_reported_as_chattering(probe):
    def build(m):
        x = m.integrator(initial=0.33)
        x.connect(-m.sign(x))
        return x

    with pytest.raises(cp.SimulationError, match='too many events of block "sign1"'):
        probe(build, until=1.0)


def test_friction_stops_a_mass_where_the_closed_form_says(probe):
    # v' = -(c + v), v0 = 1: v = (1 + c) exp(-t) - c, which is zero at ln((1 + c) / c).
    def build(m):
        v = m.integrator(initial=1.0)
        v.connect(-m.friction(v, offset=0.5, gain=1.0))
        m.stop(v <= 0.0)
        return v

    t, y = probe(build, until=5.0, step=0.05)
    assert t[-1] == pytest.approx(np.log(3.0), abs=1e-6)
    assert y == pytest.approx(1.5 * np.exp(-t) - 0.5, abs=1e-7)


def test_a_rate_limiter_follows_a_step_and_catches_up(probe):
    t, y = probe(lambda m: m.rate_limiter(m.step(0.3), rising=2.0), until=1.5)
    assert y == pytest.approx(np.clip(2 * (t - 0.3), 0, 1), abs=1e-8)


def test_the_corners_of_a_rate_limiter_are_located(probe):
    _, y = probe(lambda m: m.integrator(m.rate_limiter(m.step(0.3), rising=2.0)), until=1.5, step=1.5)
    assert y[-1] == pytest.approx(0.25 + 0.7, abs=2e-8)


def test_a_rate_limiter_has_two_limits_and_an_initial_value(probe):
    t, y = probe(lambda m: m.rate_limiter(m.step(1.0, 1.0, 0.0), rising=2.0, falling=-4.0, initial=0.0), 2.0)
    assert y == pytest.approx(np.where(t < 1, np.minimum(2 * t, 1), np.maximum(1 - 4 * (t - 1), 0)), abs=1e-8)


def test_a_signal_slow_enough_passes_a_rate_limiter_unchanged(probe):
    t, y = probe(lambda m: m.rate_limiter(m.sine(2.0), rising=2.01), until=5.0)
    assert np.array_equal(y, np.sin(2 * t))


def test_a_rate_limiter_turns_a_fast_sine_into_a_triangle(probe):
    # Slope 1 against a sine of 10 rad/s: always limited after the first touch, with turning points where they meet.
    t, y = probe(lambda m: m.rate_limiter(m.sine(10.0), rising=1.0), until=40 * np.pi / 5, step=0.01)
    slopes = np.diff(y) / np.diff(t)
    assert np.all(abs(slopes) <= 1 + 1e-9)
    amplitude = np.pi / 20  # a quarter of the period times the slope
    # The start dies out; a peak is at most half a step from a published time.
    assert y[len(y) // 2 :].max() == pytest.approx(amplitude, abs=5e-3)
    assert y[len(y) // 2 :].min() == pytest.approx(-amplitude, abs=5e-3)


@pytest.mark.parametrize("inner", [None, 0.01])
def test_what_remembers_is_refreshed_inside_a_longer_step(inner):
    model = cp.Diagram("model", inner_step=inner)
    model.output("y", model.backlash(model.sine(2 * np.pi), width=0.5))
    signal = model.run(until=2.0, step=0.25 if inner else 0.01)["model.y"]
    # Carried up to 0.75, down to -0.75, and at t = 1 again up, half the gap behind.
    assert signal.at(1.0) == pytest.approx(-0.25, abs=1e-6)
    assert signal.at(0.25) == pytest.approx(0.75, abs=1e-6)
    assert signal.at(0.75) == pytest.approx(-0.75, abs=1e-6)


def test_backlash_rests_in_its_gap_and_follows_at_its_ends(probe):
    t, y = probe(lambda m: m.backlash(m.sine(1.0), width=0.8), until=12.0, step=np.pi / 100)
    u, expected, state = np.sin(t), [], 0.0
    for value in u:
        state = min(max(state, value - 0.4), value + 0.4)
        expected.append(state)
    assert y == pytest.approx(np.array(expected), abs=1e-9)


def test_where_backlash_makes_contact_is_located(probe):
    # Input t through a gap of 0.7: contact at t = 0.35.
    _, y = probe(lambda m: m.integrator(m.backlash(m.clock(), width=0.7)), step=1.0)
    assert y[-1] == pytest.approx(0.65**2 / 2, abs=1e-9)


def test_a_hit_is_one_at_its_instant_only(probe):
    _, y = probe(lambda m: m.hit_crossing(m.clock(), offset=0.5), step=0.125)
    assert y.tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]


def test_without_location_a_hit_comes_with_the_end_of_its_step(probe):
    _, y = probe(lambda m: m.hit_crossing(m.clock(), offset=0.45), step=0.125, locate_events=False)
    assert y.tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]


def test_without_location_a_rate_limiter_moves_once_a_step(probe):
    t, y = probe(lambda m: m.rate_limiter(m.step(0.3), rising=2.0), until=1.25, step=0.125, locate_events=False)
    expected = [0.0]
    for time in t[1:]:
        expected.append(min(float(time >= 0.3), expected[-1] + 0.25))
    assert y == pytest.approx(expected, abs=1e-14)


def test_a_hit_between_two_published_times_ends_the_run_there(probe):
    def build(m):
        m.stop(m.hit_crossing(m.sine(1.0), offset=0.5, edge="falling"))
        return m.clock()

    t, _ = probe(build, until=4.0, step=0.4)
    assert t[-1] == pytest.approx(5 * np.pi / 6, abs=1e-8)


@pytest.mark.parametrize(("edge", "count"), [("rising", 2), ("falling", 2), ("either", 4)])
def test_hits_are_seen_by_latches_and_triggers(edge, count):
    ticks = cp.Diagram("ticks")
    ticks.output("noise", ticks.clock())
    model = cp.Diagram("model")
    hit = model.hit_crossing(model.sine(1.0), offset=0.5, edge=edge)
    time_of_hit = model.superblock(ticks, trigger=hit)
    model.output("last", time_of_hit)
    times = np.unique(np.round(model.run(until=4 * np.pi, step=0.1)["model.last"].values, 6))
    assert len(times) == count + 1  # and 0 before the first


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m.saturation(lower=1.0, upper=0.0), '"lower": 1 lies above "upper", 0'),
        (lambda m: m.saturation(1.0, lower=m.clock()), "both must be given"),
        (lambda m: m.dead_zone(lower=1.0), '"lower": 1 lies above "upper", 0.5'),
        (lambda m: m.relay(switch_on=0.0, switch_off=1.0), '"switch_on": 0 is below "switch_off", 1'),
        (lambda m: m.backlash(width=-1.0), '"width": -1; expected 0 or more'),
        (lambda m: m.rate_limiter(rising=0.0), '"rising": 0 1/s; expected a positive'),
        (lambda m: m.rate_limiter(rising=1.0, falling=1.0), '"falling": 1 1/s; expected a negative'),
        (lambda m: m.quantizer(interval=0.0), '"interval": 0; expected a positive'),
        (lambda m: m.switch(criterion="<"), "not one of >=, >, !=0"),
        (lambda m: m.switch(criterion="!=0", threshold=1.0), '"threshold": has no effect'),
        (lambda m: m.hit_crossing(edge="up"), "not one of rising, falling, either"),
        (lambda m: m.saturation(lower=np.nan), '"lower": must be a number'),
        (lambda m: m.switch(threshold=np.inf), '"threshold": must be finite'),
        (lambda m: m.relay(switch_on=1.0, switch_off=0.0, output_on=np.inf), '"output_on": must be finite'),
    ],
)
def test_wrong_parameters_are_refused_with_their_name_and_value(make, message):
    with pytest.raises(cp.SetupError, match=message):
        make(cp.Diagram())


def test_an_index_without_signal_is_named_with_block_and_time(probe):
    with pytest.raises(cp.SimulationError, match=r'"multiport_switch1" at t = 1.5\d* s: the index is 1.5\d*; 0 to 1'):
        probe(lambda m: m.multiport_switch(m.clock(), 3.0, 4.0), until=2.0)
