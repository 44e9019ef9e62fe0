"""Things that happen at set times or on a condition."""

from __future__ import annotations

import math

import numpy as np
import pytest

import counterpoint as cp
from counterpoint import events as ev

SCHEMES = ("slowest-first", "fastest-first", "parallel", "sequential")


def integrator(step=0.1, **options):
    system = cp.System("tank")
    system.add("tank", cp.ode(lambda t, x, u: u, [0.0], inputs="flow", outputs="level", **options), step=step)
    system.set("tank.flow", 1.0)
    return system


def last(result, signal="tank.level"):
    return float(result[signal].values[-1])


def oscillator(stiffness, x0):
    return cp.linear([[0, 1], [-stiffness, -0.3]], [[0], [5]], x0=[x0, 0], inputs="u", outputs=["x", "v"])


def pair(steps=(0.01, 0.023), approximation=None):
    """Two oscillators that drive each other, with something of every kind happening to them."""
    system = cp.System("pair")
    for name, step, x0 in zip("ab", steps, (1.0, 0.0), strict=True):
        system.add(name, oscillator(15.0, x0), step=step)
    system.connect("a.x", "b.u", approximation, gain=1.1)
    system.connect("b.x", "a.u", approximation)
    system.at(0.1, "a.u", ev.noise(0.2, seed=3), until=0.3)
    system.at(0.12, "a.x -> b.u", ev.stuck(), until=0.25)
    system.at(0.3, "b.u", ev.offset(0.5))
    system.when("b.x > 0.2", "a.u", ev.scale(-1.0), lasting=0.05)
    system.when("a.v < b.v", "b.u", ev.release())
    return system


def test_an_input_is_overridden_from_the_next_communication_point_on():
    system = integrator()
    system.at(0.55, "tank.flow", 3.0, until=0.85)
    result = system.run(until=1.0)
    assert last(result) == pytest.approx(0.6 + 3 * 0.3 + 0.1)
    texts = result.events["text"].tolist()
    assert texts[1] == "tank.flow: override 3; from the communication point at t = 0.6 s on"
    assert result.events["time"].tolist()[1:3] == [0.55, 0.85]


def test_steps_of_a_length_that_the_model_chooses_end_at_events():
    system = integrator(step=None, solver="ode45")
    system.at(0.55, "tank.flow", 3.0, until=0.85)
    result = system.run(until=1.0)
    assert {0.55, 0.85} <= set(result["tank.level"].time.tolist())
    assert last(result) == pytest.approx(0.55 + 3 * 0.3 + 0.15, abs=1e-12)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (ev.override(0.0), 0.5),
        (ev.scale(2.0), 1.5),
        (ev.offset(-0.5), 0.75),
        (ev.stuck(), 1.0),
        (ev.release(), 1.0),
    ],
)
def test_each_action_does_what_it_says(action, expected):
    system = integrator()
    system.at(0.5, "tank.flow", action)
    assert last(system.run(until=1.0)) == pytest.approx(expected)


def test_a_stuck_signal_keeps_the_value_of_that_moment():
    system = integrator()
    del system.constants["tank.flow"]
    system.add("ramp", cp.source(lambda t: t, outputs="y"), step=0.1)
    system.connect("ramp.y", "tank.flow")
    system.at(0.5, "ramp.y -> tank.flow", ev.stuck())
    assert last(system.run(until=1.0)) == pytest.approx(0.125 + 0.25)


def test_one_connection_of_several_is_changed_alone():
    system = integrator()
    del system.constants["tank.flow"]
    for name in ("one", "two"):
        system.add(name, cp.source(lambda t: 1.0, outputs="y"), step=0.1)
    system.connect(["one.y", "two.y"], "tank.flow", gain=[1.0, 10.0])
    system.at(0.5, "two.y -> tank.flow", ev.override(0.0))
    assert last(system.run(until=1.0)) == pytest.approx(11 * 0.5 + 1 * 0.5)


def test_a_signal_into_a_law_is_changed_before_the_law():
    system = integrator()
    del system.constants["tank.flow"]
    system.add("one", cp.source(lambda t: 2.0, outputs="y"), step=0.1)
    system.connect("one.y", "tank.flow", law=lambda y: y * y)
    system.at(0.5, "one.y -> tank.flow", ev.override(3.0))
    assert last(system.run(until=1.0)) == pytest.approx(4 * 0.5 + 9 * 0.5)


def test_of_two_events_the_later_one_is_in_force_until_it_ends():
    system = integrator()
    system.at(0.2, "tank.flow", 2.0)
    system.at(0.4, "tank.flow", 3.0, until=0.6)
    system.at(0.8, "tank.flow", ev.release())
    assert last(system.run(until=1.0)) == pytest.approx(0.2 + 2 * 0.2 + 3 * 0.2 + 2 * 0.2 + 0.2)


def test_an_event_at_the_start_acts_on_the_initial_outputs():
    system = cp.System("gain")
    system.add("gain", cp.linear([[-1.0]], [[0.0]], [[1.0]], [[1.0]], x0=[0], inputs="u", outputs="y"), step=0.1)
    system.set("gain.u", 1.0)
    system.at(0.0, "gain.u", 5.0)
    assert system.run(until=1.0)["gain.y"].values[0] == 5.0


def test_both_sides_of_a_jump_are_kept_and_no_approximation_reaches_across():
    system = cp.System("gain")
    system.add("gain", cp.linear([[-1.0]], [[0.0]], [[1.0]], [[1.0]], x0=[0], inputs="u", outputs="y"), step=0.1)
    system.add("tank", cp.ode(lambda t, x, u: u, [0.0], inputs="flow", outputs="level"), step=0.05)
    system.set("gain.u", 1.0)
    system.connect("gain.y", "tank.flow", cp.lagrange(2))
    system.at(0.5, "gain.u", 3.0)
    result = system.run(until=1.0)
    times, values = result["gain.y"].time, result["gain.y"].values
    at = np.flatnonzero(np.isclose(times, 0.5))
    assert values[at].tolist() == [1.0, 3.0]
    assert last(result) == pytest.approx(0.5 + 1.5, abs=1e-12)
    assert "jump of y" in result.events["text"].tolist()


def test_a_condition_acts_when_it_begins_to_hold():
    system = integrator()
    system.when("tank.level >= 0.45", "tank.flow", 0.0)
    result = system.run(until=1.0)
    assert last(result) == pytest.approx(0.5)
    assert result.events["text"].tolist()[1] == "tank.flow: override 0, for tank.level >= 0.45"


def test_a_condition_acts_each_time_and_lasts_as_long_as_said():
    system = cp.System("waves")
    system.add("wave", cp.source(lambda t: math.sin(2 * math.pi * t), outputs="y"), step=0.01)
    system.add("tank", cp.ode(lambda t, x, u: u, [0.0], inputs="flow", outputs="level"), step=0.01)
    system.set("tank.flow", 0.0)
    system.when("wave.y > 0.5", "tank.flow", 1.0, lasting=0.05)
    assert last(system.run(until=3.0)) == pytest.approx(3 * 0.05)


def test_a_function_of_several_outputs_is_a_condition():
    system = integrator()
    system.add("clock", cp.source(lambda t: t, outputs="t"), step=0.1)
    system.when(lambda level, t: level > 0.25 and t > 0.55, "tank.flow", 0.0, of=["tank.level", "clock.t"])
    assert last(system.run(until=1.0)) == pytest.approx(0.6)


def test_a_brief_condition_between_two_steps_of_a_slow_subsystem_is_seen():
    system = integrator(step=0.5)
    system.add("pulse", cp.source(lambda t: 1.0 if 0.095 < t < 0.125 else 0.0, outputs="y"), step=0.01)
    system.when("pulse.y > 0", "tank.flow", 0.0)
    assert last(system.run(until=1.0)) == pytest.approx(0.5)


@pytest.mark.parametrize("window", [None, cp.window(0.05), cp.window(0.05, repeats=3)])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("steps", [(0.01, 0.01), (0.01, 0.023)])
@pytest.mark.parametrize("approximation", [cp.hold(), cp.lagrange(2)], ids=str)
def test_every_bit_is_that_of_the_definition(check_fast_paths, approximation, steps, scheme, window):
    for threads in (1, 2):
        check_fast_paths(lambda: pair(steps, approximation), until=1.0, scheme=scheme, window=window, threads=threads)


def test_threads_change_no_bit_and_no_event():
    one, two = (pair().run(until=1.0, threads=threads) for threads in (1, 2))
    assert np.array_equal(one["b.x"].values, two["b.x"].values)
    assert one.events.equals(two.events)


def test_a_repeated_window_begins_again_with_what_was_in_force():
    """Whatever is stuck, drawn or met in the first pass of a window leaves nothing behind."""

    def run(repeats):
        system = integrator(step=1 / 128)
        system.when("tank.level > 0.215", "tank.flow", ev.noise(0.1, seed=1), lasting=0.2)
        system.when("tank.level > 0.5", "tank.flow", ev.stuck())
        system.add("other", oscillator(10.0, 0.0), step=1 / 128)
        system.connect("tank.level", "other.u")
        window = None if repeats == 0 else cp.window(1 / 8, repeats=repeats)
        return system.run(until=1.0, scheme="parallel", window=window)

    plain, repeated = run(0), run(4)
    assert np.array_equal(plain["tank.level"].values, repeated["tank.level"].values)
    assert plain.events["text"].tolist() == repeated.events["text"].tolist()


def test_noise_has_its_deviation_and_depends_on_the_seed():
    def level(seed, **options):
        system = integrator(step=0.001)
        system.set("tank.flow", 0.0)
        system.at(0.0, "tank.flow", ev.noise(2.0, seed=seed, **options))
        return np.diff(system.run(until=20.0)["tank.level"].values) / 0.001

    drawn = level(1)
    assert np.std(drawn) == pytest.approx(2.0, rel=0.03)
    assert abs(np.mean(drawn)) < 5 * 2.0 / math.sqrt(len(drawn))
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.04
    assert np.array_equal(drawn, level(1))
    assert not np.array_equal(drawn, level(2))
    assert len(np.unique(np.round(level(1, every=0.5), 6))) == 40


class Valve(cp.Subsystem):
    """Fills at a rate that is a parameter."""

    outputs = ("level", "rate")
    parameters = {"opening": 2.0}  # noqa: RUF012

    def start(self, t):
        self.level = 0.0

    def step(self, t, t_end, u):
        self.level += self.opening * (t_end - t)

    def output(self, t, u):
        return self.level, self.opening

    def save(self):
        return self.level

    def restore(self, level):
        self.level = level


@pytest.mark.parametrize("window", [None, cp.window(0.2, repeats=2)])
def test_a_parameter_of_a_python_model_changes_and_is_as_before_in_the_next_run(window):
    system = cp.System("valve")
    system.add("valve", Valve(), step=0.1)
    system.add("other", oscillator(10.0, 0.0), step=0.1)
    system.connect("valve.level", "other.u")
    system.at(0.5, "valve.opening", ev.scale(10.0), until=0.8)
    for _ in range(2):
        result = system.run(until=1.0, window=window, scheme="parallel")
        assert last(result, "valve.level") == pytest.approx(2 * 0.7 + 20 * 0.3)
        rates = result["valve.rate"]
        assert rates.values[np.isclose(rates.time, 0.5)].tolist() == [2.0, 20.0]


@pytest.mark.parametrize("given", [["opening"], ("opening",), {"opening": "wide"}, {"opening": math.nan}])
def test_parameters_without_numbers_are_refused_before_the_run(given):
    model = Valve()
    model.parameters = given
    system = cp.System("valve")
    system.add("valve", model, step=0.1)
    system.at(0.5, "valve.opening", 3.0)
    with pytest.raises(cp.SetupError, match=r"Valve.parameters: .*; expected names with finite numbers"):
        system.run(until=1.0)


def test_a_run_that_is_driven_by_hand_may_set_an_input_that_events_change():
    system = integrator()
    system.at(0.5, "tank.flow", ev.scale(2.0), until=0.7)
    with system.start(until=1.0) as run:
        run.step_to(0.6)
        run.set("tank.flow", 5.0)
        run.step_to(1.0)
        assert run.value("tank.level") == pytest.approx(0.5 + 0.2 + 1.0 + 5 * 0.3)


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (
            lambda s: s.at(2.0, "tank.flow", 1.0),
            r"events\[0\].at: 2.0 s; it must come before the end of the run, 1.0 s",
        ),
        (
            lambda s: s.at(-1.0, "tank.flow", 1.0),
            r"events\[0\].at: -1.0 s; it must not come before the start of the run",
        ),
        (lambda s: s.at(0.5, "tank.flow", 1.0, until=0.4), r"until: 0.4 s; it must come after the event at 0.5 s"),
        (lambda s: s.at(math.nan, "tank.flow", 1.0), r"at: nan; expected a finite time"),
        (lambda s: s.at(0.5, "tank.flwo", 1.0), r'"tank" has no input "flwo"; did you mean "flow"\?; parameters'),
        (lambda s: s.at(0.5, "tank.level", 1.0), r"it is an output: name a connection from it, 'a.y -> b.u'"),
        (lambda s: s.at(0.5, "tank.flow[1]", 1.0), r'"tank.flow\[1\]": "tank.flow" has 1 components'),
        (lambda s: s.at(None, "tank.flow", 1.0), r"at: None; expected a finite time"),
        (lambda s: s.at(0.5, "tonk.flow", 1.0), r'no subsystem "tonk"; did you mean "tank"\?'),
        (lambda s: s.at(0.5, "a.y -> tank.flow", 1.0), r"no such connection"),
        (lambda s: s.at(0.5, "tank.flow", [1.0, 2.0]), r'2 values for "tank.flow", which has 1'),
        (lambda s: s.when("tank.lvl > 1", "tank.flow", 1.0), r'"tank" has no output "lvl"'),
        (lambda s: s.when("tank.level > 1", "tank.flow", 1.0, lasting=-1.0), r"lasting: -1.0 s; expected a positive"),
        (lambda s: s.at(0.5, "tank.flow", ev.release(), until=0.7), r"a release has no end"),
    ],
)
def test_what_cannot_happen_is_refused_before_the_run(plan, text):
    system = integrator()
    plan(system)
    with pytest.raises(cp.SetupError, match=text):
        system.run(until=1.0)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: ev.override(math.nan), "override: nan; expected a finite number"),
        (lambda: ev.scale("two"), "scale: 'two'; expected a number"),
        (lambda: ev.noise(-1.0, seed=0), "noise.deviation: -1.0"),
        (lambda: ev.noise(1.0, seed=-1), "noise.seed: -1"),
        (lambda: cp.System().when("tank.level", "tank.flow", 1.0), "not a comparison"),
        (lambda: cp.System().when("1 > 2", "tank.flow", 1.0), "compares no output"),
        (lambda: cp.System().when(max, "tank.flow", 1.0), "name the outputs"),
        (lambda: cp.System().at(1.0, 3, 1.0), "target: 3; expected an input"),
        (lambda: cp.System().at("1 kg", "tank.flow", 1.0), "kg is not a unit of time"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(make, text):
    with pytest.raises(cp.SetupError, match=text):
        make()


def test_a_condition_on_own_outputs_acts_at_its_sample_also_in_a_batch_of_steps(check_fast_paths):
    def make():
        system = integrator(step=0.01, solver="ode4")
        system.when("tank.level > 0.505", "tank.flow", 2.0)
        return system

    check_fast_paths(make, until=1.0)
    result = make().run(until=1.0)
    assert last(result) == pytest.approx(0.51 + 2 * 0.49)
    assert "communication point" not in "".join(result.events["text"])


@pytest.mark.parametrize("connected", [False, True])
def test_one_component_of_a_vector_is_changed(connected):
    system = cp.System("vector")
    system.add("sum", cp.ode(lambda t, x, u: u, [0.0, 0.0], inputs={"p": 2}, outputs={"x": 2}), step=0.1)
    if connected:
        system.add("ones", cp.source(lambda t: [1.0, 1.0], outputs={"y": 2}), step=0.1)
        system.connect("ones.y", "sum.p")
    else:
        system.set("sum.p", [1.0, 1.0])
    system.at(0.5, "sum.p[1]", 3.0, until=0.7)
    assert system.run(until=1.0)["sum.x"].values[-1] == pytest.approx([1.0, 0.5 + 0.6 + 0.3])


def test_a_step_that_ends_with_its_window_does_not_go_on_to_a_later_event():
    system = integrator(step=None, solver="ode45")
    system.add("other", oscillator(10.0, 0.0), step=0.1)
    system.connect("tank.level", "other.u")
    system.at(0.55, "tank.flow", 3.0, until=0.85)
    result = system.run(until=1.0, scheme="parallel", window=cp.window(0.1, repeats=1))
    times = result["tank.level"].time
    assert np.max(np.diff(times)) < 0.1 + 1e-9
    assert all(np.min(np.abs(times - 0.1 * k)) < 1e-9 for k in range(11))
    assert last(result) == pytest.approx(0.55 + 3 * 0.3 + 0.15, abs=1e-12)


@pytest.mark.parametrize(
    "pace", [cp.pace.doubling(tolerance=1e-3), cp.pace.predictor_corrector(tolerance=1e-3)], ids=str
)
def test_paces_end_steps_at_events_and_need_few_of_them(pace):
    system = cp.System("pair")
    for name, x0 in zip("ab", (1.0, 0.0), strict=True):
        system.add(name, oscillator(15.0, x0), step=0.01)
    system.connect("a.x", "b.u")
    system.connect("b.x", "a.u")
    system.at(0.503, "a.u", 2.0, until=0.811)
    result = system.run(until=2.0, scheme="parallel", pace=pace)
    assert {0.503, 0.811} <= set(result["a.x"].time.tolist())
    assert len(result["a.x"].time) < 300
