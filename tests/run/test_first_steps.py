"""First steps that are repeated until they agree."""

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import expm

import counterpoint as cp

NETWORK = np.array(
    [[0, 1, 0, 0, 0], [-0.1, -0.3, 0.1, 0, -0.2], [0, -1, 0, 0, -1], [0, 0, 0, 0, 1], [0, -0.2, 0.1, -0.1, -0.4]]
)
"""Three parts: positions and speeds of two masses and the spring between them; a public benchmark."""
INITIAL = np.array([0.1, 0.1, 1.0, 0.2, 0.1])
ORDER = cp.sequential(["left", "right", "middle"])


def network(approximation, step):
    system = cp.System("three parts")
    for name, damping, x0 in (("left", 1, 0.1), ("right", 2, 0.2)):
        mass = cp.linear([[0, 1], [-0.1, -damping / 10]], [[0], [0.1]], [[0, 1]], x0=[x0, 0.1], inputs="F", outputs="v")
        system.add(name, mass, step=step)
    middle = cp.linear([[0]], [[-1, -1]], [[1]], [[-2, -2]], x0=[1], inputs=["vl", "vr"], outputs="F")
    system.add("middle", middle, step=step)
    for source, target in (
        ("left.v", "middle.vl"), ("right.v", "middle.vr"), ("middle.F", "left.F"), ("middle.F", "right.F"),
    ):  # fmt: skip
        system.connect(source, target, approximation)
    return system


def errors(result):
    """Largest errors of the force and of the speed on the right."""
    exact = np.array([expm(NETWORK * t) @ INITIAL for t in result["middle.F"].time])
    force = 2 * (-exact[:, 1] - exact[:, 4]) + exact[:, 2]
    found = result["middle.F"].values - force, result["right.v"].values - exact[:, 4]
    return [float(np.abs(difference).max()) for difference in found]


def same(first, second):
    return all(
        np.array_equal(first[name].time, second[name].time) and np.array_equal(first[name].values, second[name].values)
        for name in first.signals
    )


@pytest.mark.parametrize("step", [0.25, 0.125])
def test_as_many_steps_as_the_order_gain_what_repeating_every_step_gains(step):
    """Published: 16 to 63 times on this network, as much as one repeat of every step."""
    once, repeated, every = (
        errors(network(cp.lagrange(2), step).run(until=20.0, scheme=ORDER, **options))
        for options in ({"first_steps": "once"}, {"first_steps": "repeat"}, {"window": cp.window(step, repeats=1)})
    )
    assert all(before / after > 15 for before, after in zip(once, repeated, strict=True))
    assert all(after < 1.1 * best for after, best in zip(repeated, every, strict=True))


def test_the_order_of_the_run_becomes_that_of_the_approximation():
    found = {
        first_steps: [
            errors(network(cp.lagrange(2), step).run(until=20.0, scheme=ORDER, first_steps=first_steps))[0]
            for step in (0.25, 0.125)
        ]
        for first_steps in ("once", "repeat")
    }
    orders = {key: math.log2(coarse / fine) for key, (coarse, fine) in found.items()}
    assert orders["once"] == pytest.approx(2.0, abs=0.1)
    assert orders["repeat"] == pytest.approx(3.0, abs=0.15)


def test_50_times_fewer_steps_than_the_published_configurator_at_equal_error():
    """Its settings: 30 720 steps for errors of 2.5e-3 in F and 9.7e-5 in vr."""
    result = network(cp.lagrange(2), 0.25).run(until=20.0, scheme=ORDER, first_steps="repeat")
    force, speed = errors(result)
    assert force < 2.5e-3
    assert speed < 9.7e-5
    first = result.summary.first_steps
    assert (sum(result.summary.steps) + 3 * first.steps * (first.passes - 1)) * 50 <= 30720


def test_order_control_keeps_stable_what_a_cubic_makes_unstable_and_is_as_good_where_it_is_not():
    """None waits: three samples ahead of their time, F is extrapolated to itself through the masses."""
    parallel = {
        str(approximation): errors(network(approximation, 0.125).run(until=40.0, scheme="parallel", start="repeat"))[0]
        for approximation in (cp.lagrange(1), cp.lagrange(3), cp.variable_order(3))
    }
    line, cubic, chosen = parallel.values()
    assert cubic > 1e3
    assert chosen < 0.1 * line
    smooth = [
        errors(network(approximation, 0.125).run(until=20.0, scheme=ORDER, start="repeat"))[0]
        for approximation in (cp.lagrange(3), cp.variable_order(3))
    ]
    assert smooth[1] < 1.5 * smooth[0]


def test_the_result_says_what_was_done(tmp_path):
    path = tmp_path / "run.h5"
    result = network(cp.lagrange(2), 0.25).run(until=20.0, scheme=ORDER, first_steps="repeat", file=path)
    first = result.summary.first_steps
    assert (first.repeated, first.reason, first.end, first.steps) == (True, "", 0.5, 2)
    assert first.passes >= 3
    assert first.change <= 1e-9
    assert f"first 2 steps (to 0.5 s) in {first.passes} passes" in str(result)
    assert len(result["middle.F"].time) == 81
    assert result.summary.steps == [80, 80, 80]
    result.close()
    with cp.load(path) as filed:
        assert filed.summary.first_steps == first


def test_where_nothing_is_said_they_are_repeated_if_that_can_be_done():
    results = [network(cp.lagrange(2), 0.25).run(until=5.0, scheme=ORDER, **options)
               for options in ({}, {"first_steps": "auto"})]  # fmt: skip
    assert same(*results)
    assert results[0].summary.first_steps.repeated
    assert not network(cp.lagrange(2), 0.25).run(until=5.0, scheme=ORDER, start="once").summary.first_steps.repeated


@pytest.mark.parametrize("word", ["repeat", "once", "auto"])
def test_a_start_in_one_word_is_one_at_zero(word):
    short = network(cp.lagrange(2), 0.25).run(until=5.0, scheme=ORDER, start=word)
    assert same(short, network(cp.lagrange(2), 0.25).run(until=5.0, scheme=ORDER, first_steps=word))
    assert short.summary.start == 0.0


@pytest.mark.parametrize("scheme", ["parallel", "sequential", "slowest-first", "fastest-first"])
@pytest.mark.parametrize("steps", [(0.01, 0.01), (0.01, 0.03), (0.01, 0.0073)], ids=str)
@pytest.mark.parametrize("approximation", [cp.lagrange(1), cp.lagrange(3), cp.hermite(), cp.variable_order()], ids=str)
def test_threads_and_fast_paths_change_no_bit(scheme, steps, approximation):
    def run(**options):
        system = cp.System("pair")
        for name, x0, step in (("a", 1.0, steps[0]), ("b", 0.0, steps[1])):
            mass = cp.linear([[0, 1], [-15, -0.3]], [[0], [5]], x0=[x0, 0], inputs="u", outputs=["x", "v"])
            system.add(name, mass, step=step)
        system.connect("a.x", "b.u", approximation)
        system.connect("b.x", "a.u", approximation)
        system.add("c", cp.ode(lambda t, x, u: u - x, [0.0], inputs="u", outputs="y", solver="ode45"))
        system.connect("b.x", "c.u")
        return system.run(until=0.6, scheme=scheme, first_steps="repeat", **options)

    one, two = run(threads=1), run(threads=2)
    assert one.summary.first_steps.repeated
    assert same(one, two)
    assert one.summary.defects == two.summary.defects


def test_steps_of_equal_multiples_end_together_and_others_are_cut_once():
    def grid(steps):
        system = cp.System("pair")
        for name, step in zip("ab", steps, strict=True):
            mass = cp.linear([[0, 1], [-15, -0.3]], [[0], [5]], [[1, 0]], x0=[1, 0], inputs="u", outputs="x")
            system.add(name, mass, step=step)
        system.connect("a.x", "b.u", cp.lagrange(2))
        system.connect("b.x", "a.u", cp.lagrange(2))
        result = system.run(until=1.0, scheme="parallel", first_steps="repeat")
        return result.summary.first_steps.end, [len(result[f"{name}.x"].time) - 1 for name in "ab"]

    assert grid((0.02, 0.03125)) == (pytest.approx(0.25 / 4), [51, 32])  # no multiple is near: one more step
    assert grid((0.02, 0.03)) == (pytest.approx(0.06), [50, 34])
    assert grid((0.05, 0.03)) == (pytest.approx(0.15), [20, 34])


def test_held_inputs_have_nothing_to_repeat():
    system = network(cp.hold(), 0.25)
    result = system.run(until=5.0, scheme=ORDER, first_steps="auto")
    assert result.summary.first_steps.reason == "no input is extrapolated from more than one sample"
    assert same(result, system.run(until=5.0, scheme=ORDER, first_steps="once"))
    with pytest.raises(cp.SetupError, match=r'first_steps: "repeat" is not possible: no input is extrapolated'):
        system.run(until=5.0, scheme=ORDER, first_steps="repeat")


class Forgetful(cp.Subsystem):
    inputs = ("u",)
    outputs = ("y",)

    def start(self, t):
        self.x = 1.0

    def step(self, t, t_end, u):
        self.x += (t_end - t) * (float(u(t_end)[0]) - self.x)

    def output(self, t, u):
        return self.x


def forgetful_pair():
    system = cp.System("forgetful")
    system.add("a", Forgetful(), step=0.1)
    system.add("b", cp.linear([[-1]], [[1]], [[1]], x0=[0], inputs="u", outputs="y"), step=0.1)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    return system


def test_a_subsystem_that_cannot_save_is_named():
    result = forgetful_pair().run(until=1.0, scheme="parallel", first_steps="auto")
    assert result.summary.first_steps.reason == '"a" cannot save and restore the state'
    with pytest.raises(cp.SetupError, match=r'is not possible: "a" cannot save and restore the state; use "once"'):
        forgetful_pair().run(until=1.0, scheme="parallel", first_steps="repeat")


def test_what_cannot_be_is_refused():
    system = network(cp.lagrange(2), 0.25)
    with pytest.raises(cp.SetupError, match=r"first_steps: 'twice'; expected one of \"once\", \"repeat\", \"auto\""):
        system.run(until=5.0, first_steps="twice")
    with pytest.raises(cp.SetupError, match="first_steps: a window repeats all steps"):
        system.run(until=5.0, scheme=ORDER, first_steps="repeat", window=cp.window(0.25))
    with pytest.raises(cp.SetupError, match=r"fewer than 2 steps of 0\.25 s"):
        system.run(until=0.3, scheme=ORDER, first_steps="repeat")


def test_repeats_that_lead_nowhere_are_discarded_bit_for_bit():
    """Stiff both ways: passes over two steps diverge, while the run itself is what it was."""

    def stiff(first_steps):
        system = cp.System("stiff")
        for name, x0 in (("a", 1.0), ("b", 0.0)):
            part = cp.linear([[-1]], [[300]], [[1]], x0=[x0], inputs="u", outputs="x")
            system.add(name, part, step=0.05)
        system.connect("a.x", "b.u", cp.lagrange(2), gain=-1.0)
        system.connect("b.x", "a.u", cp.lagrange(2))
        return system.run(until=0.4, scheme="parallel", first_steps=first_steps)

    repeated, once = stiff("repeat"), stiff("once")
    assert not repeated.summary.first_steps.repeated
    assert "did not agree" in repeated.summary.first_steps.reason
    assert same(repeated, once)
    assert repeated.summary.defects == once.summary.defects


def test_a_repeat_that_makes_a_model_fail_is_discarded():
    """The first pass is well; what is iterated leaves the range in which the root is real."""

    def fragile(first_steps):
        system = cp.System("fragile")
        part = cp.ode(lambda t, x, u: np.sqrt(1.0 - u * u), [0.0], inputs="u", outputs="y", solver="ode4")
        system.add("a", part, step=0.1)
        system.add("b", cp.linear([[-1]], [[400]], [[1]], x0=[0], inputs="u", outputs="y"), step=0.1)
        system.connect("a.y", "b.u", cp.lagrange(2))
        system.connect("b.y", "a.u", cp.lagrange(2))
        return system.run(until=0.2, scheme="parallel", first_steps=first_steps)

    with np.errstate(invalid="ignore"):
        repeated, once = fragile("repeat"), fragile("once")
    assert "did not agree" in repeated.summary.first_steps.reason
    assert same(repeated, once)


def test_step_to_within_the_first_steps_finishes_them():
    with network(cp.lagrange(2), 0.25).start(until=20.0, scheme=ORDER, first_steps="repeat") as run:
        run.step_to(0.1)
        assert run.time == pytest.approx(0.5)
        run.step_to(0.6)
        assert run.time == pytest.approx(0.75)
    whole = network(cp.lagrange(2), 0.25).run(until=0.75, scheme=ORDER, first_steps="repeat")
    assert np.array_equal(run.finish()["middle.F"].values, whole["middle.F"].values)


def test_a_failure_within_the_first_steps_keeps_the_start():
    calls = itertools.count()

    def rhs(t, x, u):
        if next(calls) > 40:
            raise ValueError("seized")
        return u - x

    system = cp.System("failing")
    system.add("a", cp.ode(rhs, [1.0], inputs="u", outputs="y", solver="ode4"), step=0.1)
    system.add("b", cp.linear([[-1]], [[1]], [[1]], x0=[0], inputs="u", outputs="y"), step=0.1)
    system.connect("a.y", "b.u", cp.lagrange(3))
    system.connect("b.y", "a.u", cp.lagrange(3))
    with pytest.raises(cp.ModelError, match="seized") as caught:
        system.run(until=1.0, scheme="parallel", first_steps="repeat")
    np.testing.assert_array_equal(caught.value.result["a.y"].time, [0.0])
    assert caught.value.result.summary.first_steps.reason == "the run ended within the first steps"


class Keeping(Forgetful):
    """A model that saves and restores, with what can go wrong there."""

    def __init__(self, trouble=""):
        self.trouble = trouble

    def save(self):
        if self.trouble == "save":
            raise ValueError("no room")
        return self.x

    def restore(self, state):
        if self.trouble == "restore":
            raise ValueError("what state?")
        self.x = state

    def step(self, t, t_end, u):
        if self.trouble == "repeat" and t == 0.0 and float(u(t_end)[0]) != float(u(t)[0]):
            raise ValueError("the input of the first step is a constant")
        if self.trouble == "step" and t_end > 0.15:
            raise ValueError("seized")
        super().step(t, t_end, u)


def keeping_pair(trouble=""):
    system = cp.System("keeping")
    system.add("a", Keeping(trouble), step=0.1)
    system.add("b", cp.linear([[-1]], [[1]], [[1]], x0=[0], inputs="u", outputs="y"), step=0.1)
    system.connect("a.y", "b.u", cp.lagrange(2))
    system.connect("b.y", "a.u", cp.lagrange(2))
    return system


@pytest.mark.parametrize(
    ("trouble", "said"),
    [("save", "no room"), ("restore", "what state?"), ("repeat", "the input of the first step is a constant")],
)
def test_a_model_that_cannot_be_repeated_runs_as_before_unless_it_is_asked_for(trouble, said):
    found = keeping_pair(trouble).run(until=2.0, scheme="parallel")
    assert not found.summary.first_steps.repeated
    assert said in found.summary.first_steps.reason
    assert same(found, keeping_pair().run(until=2.0, scheme="parallel", first_steps="once"))
    with pytest.raises(cp.SimulationError, match=said):
        keeping_pair(trouble).run(until=2.0, scheme="parallel", first_steps="repeat")


def test_what_the_first_steps_published_before_a_failure_is_kept_as_without_repeats():
    results = []
    for first_steps in ("auto", "once"):
        with pytest.raises(cp.SimulationError, match="seized") as caught:
            keeping_pair("step").run(until=2.0, scheme="parallel", first_steps=first_steps)
        results.append(caught.value.result)
    assert len(results[0]["a.y"].time) == 2
    assert same(*results)


def test_a_driven_run_makes_them_once_unless_it_is_asked_for():
    system = network(cp.lagrange(2), 0.25)
    with system.start(until=20.0, scheme=ORDER) as run:
        run.step_to(0.25)
        assert run.time == pytest.approx(0.25)
    assert "incremental run" in run.finish().summary.first_steps.reason


def test_a_large_part_of_a_run_is_repeated_only_if_that_is_asked_for():
    system = network(cp.lagrange(2), 0.25)
    assert system.run(until=2.0, scheme=ORDER).summary.first_steps.reason == "0.5 s are more than 20 % of the run"
    assert system.run(until=2.0, scheme=ORDER, first_steps="repeat").summary.first_steps.repeated
