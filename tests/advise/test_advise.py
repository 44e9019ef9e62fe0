"""Advice before a run, on systems whose errors are known."""

import tomllib
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._run.strategy import Strategy
from counterpoint.advise import advising
from counterpoint.advise.advice import Candidate, settings_toml
from counterpoint.advise.candidates import Orders, Point
from counterpoint.advise.coupling_variables import alternatives
from counterpoint.advise.pilots import Pilots, StepCost, Timing
from counterpoint.advise.search import Search
from counterpoint.advise.surrogate import Surrogate
from counterpoint.studies.two_mass.experiment import Case, Driver, build
from counterpoint.studies.verdict.linear_trials import three_parts

SCHEMES = ("slowest-first", "fastest-first", "parallel")


def two_mass(frequency_ratio, scheme="slowest-first", order=1):
    return build(Case(frequency_ratio, scheme, order, driver=Driver.PRECEDENCE))


def true_error(frequency_ratio, result):
    exact = Case(frequency_ratio).problem().exact
    errors = []
    for name, row in (("fast.x1", 0), ("slow.x2", 2)):
        signal = result[name]
        solution = exact(signal.time)[row]
        errors.append(np.sqrt(np.mean((signal.values - solution) ** 2)) / np.std(solution))
    return max(errors)


def pair():
    system = cp.System("two masses")
    for name, x0 in (("left", 1.0), ("right", 0.0)):
        system.add(name, cp.linear([[0, 1], [-15, 0]], [[0], [5]], [[1, 0]], x0=[x0, 0], outputs="x"), step=0.01)
    system.connect("left.x", "right.u")
    system.connect("right.x", "left.u")
    return system


@pytest.mark.parametrize("frequency_ratio", [5, 17, 40])
def test_with_given_steps_the_recommended_scheme_and_order_are_the_best(frequency_ratio):
    advice = two_mass(frequency_ratio).advise(100.0, 1e-9, change_steps=False, schemes=SCHEMES)
    errors = [
        true_error(frequency_ratio, two_mass(frequency_ratio, s, k).run(until=100.0, scheme=s, check="off"))
        for s in SCHEMES
        for k in range(4)
    ]
    assert true_error(frequency_ratio, advice.run(check="off")) <= 1.3 * min(errors)
    assert not advice.good_enough


@pytest.mark.parametrize("tolerance", [0.05, 0.01])
def test_the_recommended_strategy_keeps_the_tolerance_and_costs_less(tolerance):
    system = two_mass(40)
    advice = system.advise(100.0, tolerance)
    assert advice.good_enough
    result = system.run(until=100.0, scheme=advice.best)
    assert true_error(40, result) <= tolerance
    assert sum(result.summary.steps) == pytest.approx(advice.recommended.steps, rel=0.01)
    assert result.scheme == advice.best.name


def test_fewer_steps_than_a_search_with_held_inputs_and_one_step_for_all_finds():
    """Such a search takes 30 720 steps for an error of 2.5e-3 in F."""
    network = three_parts()
    system = network.system(dict.fromkeys(network.parts, 0.1), cp.lagrange(0))
    result = system.advise(20.0, 1e-2).run(check="off")
    force = result["middle.F"]
    assert np.abs(force.values - network.solution()["middle.F"](force.time)).max() < 2.5e-3
    assert 50 * sum(result.summary.steps) < 30_720


def test_a_small_error_that_is_only_attenuation_is_not_good_enough():
    advice = two_mass(70).advise(100.0, 0.15, change_steps=False, schemes=("fastest-first",))
    assert advice.recommended.error < 0.15
    assert not advice.good_enough
    assert "attenuated" in str(advice)


def test_when_nothing_is_good_enough_it_says_which_step_to_halve():
    advice = two_mass(40).advise(100.0, 1e-6, change_steps=False)
    assert str(advice).startswith("no strategy keeps the tolerance; the closest is")
    assert 'halve the step of "slow"' in str(advice)


def test_where_nothing_is_good_enough_the_cheapest_with_about_the_smallest_error_is_named():
    advice = pair().advise(10.0, 1e-12)
    nearest = advice.recommended
    about = [c for c in advice.candidates if c.piloted <= nearest.piloted]
    assert not advice.good_enough
    assert min(c.piloted for c in about) >= nearest.piloted / 1.25
    assert all(c.cost >= nearest.cost for c in about)


def test_the_surrogate_of_a_linear_system_is_the_system():
    system = two_mass(10)
    tight = system.halved(8).run(until=50.0, check="off")
    surrogate = Surrogate.fitted(cp.linearise(system), tight)
    assert surrogate.residual < 1e-3
    exact = Case(10).problem().exact(np.linspace(0, 50, 100))[0]
    assert np.abs(surrogate.exact("fast.x1", np.linspace(0, 50, 100)) - exact).max() < 0.05


def test_the_error_of_a_surrogate_falls_with_the_step_also_where_only_some_samples_are_compared():
    """Of long runs 1500 samples are compared; with steps of 7 and 3.5 ms the first two of them are the same."""
    system = cp.System("two masses of equal steps")
    for name, x0, k in (("left", 1.0, 40.0), ("right", 0.0, 20.0)):
        a, b, c = [[0, 1], [-k, 0]], [[0], [5]], [[1, 0]]
        mass = cp.linear(a, b, c, x0=[x0, 0], inputs="u", outputs="x", solver="trapezoidal")
        system.add(name, mass, step=0.014)
    system.connect("left.x", "right.u")
    system.connect("right.x", "left.u")
    tight = system.halved(8).run(until=12.0, check="off")
    surrogate = Surrogate.fitted(cp.linearise(system), tight)
    errors = [
        surrogate.error(Strategy("parallel", steps=dict.fromkeys(system.subsystems, 0.014 / parts)), 12.0)
        for parts in (1, 2, 4, 8)
    ]
    assert np.divide(errors[:-1], errors[1:]) == pytest.approx(4.0, rel=0.1)


class Spring(cp.Subsystem):
    """A hardening spring with its own step method: it cannot be linearised by its equations."""

    inputs = ("x",)
    outputs = ("force",)

    def start(self, t):
        self.force = -1.0

    def step(self, t, t_end, u):
        x = u(t_end)[0]
        self.force = -x - 0.5 * x**3

    def output(self, t, u):
        return self.force


def test_models_written_in_python_are_advised_too():
    system = cp.System("mass on a spring")
    mass = cp.linear([[0, 1], [0, -0.2]], [[0], [1]], x0=[1, 0], inputs="force", outputs=["x", "v"])
    system.add("mass", mass, step=0.02)
    system.add("spring", Spring(), step=0.02)
    system.connect("mass.x", "spring.x")
    system.connect("spring.force", "mass.force")
    advice = system.advise(10.0, 0.05)
    assert advice.good_enough
    assert advice.run().assess(0.1).verdict == "trustworthy"


def test_the_settings_are_those_of_a_scenario_and_the_report_is_saved(tmp_path):
    advice = two_mass(10).advise(100.0, 0.05)
    settings = tomllib.loads(advice.toml)
    assert settings["scheme"] == advice.best.name
    assert settings["subsystems"]["slow"]["step"] == pytest.approx(advice.best.steps["slow"])
    assert {c["to"] for c in settings["connections"]} == {"fast.x2", "slow.x1"}
    paths = advice.save(tmp_path / "report")
    assert [path.name for path in paths] == ["advice.html", "advice.toml", "advice.png"]
    assert advice.recommended.label in paths[0].read_text(encoding="utf-8")
    assert list(advice.table.columns) == ["label", "predicted", "piloted", "cost", "steps"]
    front = [(c.cost, c.error) for c in advice.front]
    assert front == sorted(front)
    assert [e for _, e in front] == sorted((e for _, e in front), reverse=True)


def test_a_system_without_connections_has_nothing_to_choose():
    system = cp.System()
    system.add("tank", cp.ode(lambda t, x, u: -x, [1.0], outputs="level"), step=0.1)
    with pytest.raises(cp.SetupError, match="nothing is connected"):
        system.advise(1.0)


def forced_pair(stiffer_from=float("inf")):
    """A light mass on a slow one that is pushed; the light one may become stiffer at a time."""

    def light(t, x, u):
        return [x[1], (-40.0 if t < stiffer_from else -90.0) * (x[0] - u[0]) - 0.1 * x[1]]

    def heavy(t, x, u):
        return [x[1], -x[0] - 0.2 * x[1] + 0.1 * u[0] + push * np.sin(0.7 * t)]

    push = 0.0 if np.isfinite(stiffer_from) else 1.0
    system = cp.System("pair")
    system.add("light", cp.ode(light, [1.0, 0.0], inputs="u", outputs=["x", "v"], solver="ode4"), step=0.01)
    system.add("heavy", cp.ode(heavy, [2.0, 0.0], inputs="u", outputs=["x", "v"], solver="ode4"), step=0.01)
    system.connect("heavy.x", "light.u")
    system.connect("light.x", "heavy.u")
    return system


def test_where_pilots_decide_a_search_takes_the_place_of_the_sweep():
    """A sweep has 588 runs: three schemes, four orders, seven steps for each of two subsystems."""
    advice = forced_pair().advise(20.0, 1e-2)
    assert advice.good_enough
    assert "pilots of the real models decide" in str(advice)
    assert advice.tried <= 40
    assert sum(advice.run(check="off").summary.steps) < 1000  # 4000 with the steps given


def test_paces_another_order_and_another_start_are_among_the_candidates():
    labels = [c.label for c in forced_pair().advise(20.0, 1e-2).candidates]
    for words in (
        "pace: defect",
        "pace: gradient",
        "sequential in reverse",
        "first steps made once",
        "energy-corrected",
    ):
        assert any(words in label for label in labels), words


def test_a_strategy_with_a_pace_runs_like_the_pace_and_is_written_as_settings():
    system, pace = forced_pair(), cp.pace.defect(1e-3, first=1e-3)
    strategy = Strategy("parallel", pace=pace)
    ours, same = system.run(5.0, scheme=strategy), system.run(5.0, scheme="parallel", pace=pace, first_steps="once")
    assert ours["light.x"].values.tolist() == same["light.x"].values.tolist()
    settings = tomllib.loads(settings_toml(system, strategy))
    assert settings["pace"] == {"kind": "defect", "tolerance": 1e-3, "first": 1e-3}
    assert "subsystems" not in settings


def test_surrogates_at_several_operating_points_have_a_motion_that_one_has_not():
    """The stiffness of the light mass changes at 8 s."""
    early = forced_pair(8.0).advise(16.0, 0.05, operating_points=[1.0])
    right = forced_pair(8.0).advise(16.0, 0.05, operating_points=[8.0])
    assert early.residual > 0.3
    assert right.residual < 0.05
    assert "linear surrogates reproduce" in str(right)
    assert right.run().assess(0.1).verdict == "trustworthy"


def test_operating_points_are_chosen_from_the_pilot_where_none_are_given(monkeypatch):
    """The stiffness of the light mass changes at 6.2 s; points are looked for in 32 places of the run."""
    monkeypatch.setattr(advising, "POINTS_COST", 0.0)  # as if the run took long enough for it
    advice = forced_pair(6.2).advise(16.0, 0.05)
    assert advice.residual < 0.3  # 0.9 with the start alone
    assert "linearised at the start and at 6.5 s, chosen from the pilot" in str(advice)
    assert advice.run().assess(0.1).verdict == "trustworthy"


@pytest.mark.parametrize("time", [-1.0, 20.0])
def test_an_operating_point_outside_of_the_run_is_refused(time):
    with pytest.raises(cp.SetupError, match="operating point"):
        forced_pair().advise(20.0, operating_points=[time])


def test_a_time_that_a_busy_machine_has_disturbed_does_not_change_the_cost_of_a_step():
    lengths = [0.01, 0.005, 0.02, 0.04, 0.01]
    times = [2e-6 + 1e-4 * h for h in lengths[:4]] + [3e-4]
    assert StepCost.fitted(lengths, times) == pytest.approx((2e-6, 1e-4), rel=0.01)
    assert StepCost.fitted([0.01, 0.01], [1e-6, 1e-6]) == pytest.approx((1e-6, 0.0))


def test_where_only_one_step_is_too_long_only_that_one_is_shortened():
    """The power of a heater varies 20 times per second; steps of 20 ms of the wall that it warms do not see that."""
    system = cp.System("heater and wall")
    heater = cp.ode(
        lambda t, x, u: [200.0 * (1.0 + 8.0 * np.sin(62.8 * t) ** 2 - 0.001 * u[0] - x[0])],
        [0.0], inputs="temperature", outputs="power", solver="ode4",
    )  # fmt: skip
    wall = cp.ode(lambda t, x, u: [u[0] ** 2 - 0.5 * x[0]], [0.0], inputs="power", outputs="temperature", solver="ode4")
    system.add("heater", heater, step=1e-3)
    system.add("wall", wall, step=2e-2)
    system.connect("heater.power", "wall.power")
    system.connect("wall.temperature", "heater.temperature")
    advice = system.advise(2.0, 1e-3)
    assert advice.good_enough
    assert advice.recommended.steps < 5000  # 33 600 with all steps halved again and again


def test_of_equal_candidates_the_plain_one_is_recommended_and_no_dearer_steps_hide_behind_what_a_run_takes_once():
    pilots = SimpleNamespace(tolerance=1e-2, is_whole=True, once=1.0)
    search = Search(pilots, None, by_pilots=True, everything=True, tell=lambda done: None)
    plain, special, dear = (
        Candidate(Strategy("parallel"), "", piloted=error, cost=cost, steps=1000, special=special)
        for error, cost, special in ((5e-3, 1.1, 0), (4.9e-3, 1.1, 1), (1e-3, 1.2, 0))
    )
    assert search.recommended([special, dear, plain]) is plain


@pytest.mark.parametrize("costs_less", [True, False])
def test_dearer_steps_of_short_runs_are_recommended_only_where_they_cost_no_more_beside_plain_ones(costs_less):
    """Times of single runs below a millisecond do not tell the cost of an energy-corrected input from a plain one."""
    pilots = SimpleNamespace(
        tolerance=1e-2, is_whole=True, once=1.0, are_measured=True, costs_less=lambda ours, theirs: costs_less
    )
    search = Search(pilots, None, by_pilots=True, everything=True, tell=lambda done: None)
    plain = Candidate(Strategy("parallel"), "", piloted=5e-3, cost=1.1, steps=1000)
    corrected = Candidate(Strategy("parallel"), "", piloted=1e-3, cost=1.1, steps=1000, special=1)
    point = Point("parallel", Orders(1, 1, corrected=True), (1.0,))
    search.found[point], search.measured[point] = corrected, 0.1
    assert search.recommended([corrected, plain]) is (corrected if costs_less else plain)


def test_where_a_bond_carries_position_and_speed_one_of_them_alone_is_an_alternative():
    system = cp.System("mass on a strut")
    mass = cp.linear([[0, 1], [0, 0]], [[0], [1]], x0=[1, 0], inputs="force", outputs=["position", "speed"])
    strut = cp.linear([[-50.0]], [[-500.0, -20.0]], [[1.0]], x0=[0], inputs=["position", "speed"], outputs="force")
    system.add("mass", mass, step=0.01)
    system.add("strut", strut, step=0.01)
    system.bond("translational", "mass", "strut")
    found = dict(alternatives(system))
    assert sorted(text.partition("exchange ")[2] for text in found) == [
        "the position without the speed",
        "the speed without the position",
    ]
    assert all(len(other.connections) == len(system.connections) - 1 for other in found.values())
    assert system.advise(5.0, 0.02).good_enough  # and they are tried for the text


def test_subsystems_that_choose_their_own_steps_are_compared_with_shorter_ones():
    """Nothing but scheme and orders can be chosen; the error of the coupling is there all the same."""
    system = cp.System("two tanks")
    for name, level in (("small", 1.0), ("large", 0.0)):
        tank = cp.ode(
            lambda t, x, u: [-3.0 * (x[0] - u[0]) + np.sin(2 * t)], [level], inputs="u", outputs="x", rtol=1e-4
        )
        system.add(name, tank)
    system.connect("small.x", "large.u")
    system.connect("large.x", "small.u")
    advice = system.advise(10.0, 1e-1)
    assert 0.0 < advice.recommended.error < 1e-1
    assert advice.best.steps == {}


def test_a_system_that_cannot_run_as_it_is_gets_advice_that_works():
    """With steps of 0.5 s the light mass of 2 Hz grows without bound."""
    system = forced_pair()
    system.subsystems = {name: replace(part, step=0.5) for name, part in system.subsystems.items()}
    with pytest.raises(cp.CounterpointError):
        system.run(1000.0, check="off")
    advice = system.advise(1000.0, 0.05)
    assert advice.good_enough
    assert advice.best.steps["light"] < 0.3


def test_a_system_that_fails_in_its_first_step_gets_advice_that_works():
    """Newton's method of the trapezoidal rule does not converge with a step of 0.2 s."""
    system = cp.System("spring that hardens")
    hard = cp.ode(
        lambda t, x, u: [x[1], -20.0 * (x[0] - u[0]) ** 3 - 10.0 * x[0]], [3.0, 0.0],
        inputs="u", outputs=["x", "v"], solver="trapezoidal",
    )  # fmt: skip
    system.add("hard", hard, step=0.2)
    system.add("soft", cp.linear([[0, 1], [-2, -0.1]], [[0], [1]], [[1, 0]], x0=[0, 0]), step=0.2)
    system.connect("hard.x", "soft.u")
    system.connect("soft.y", "hard.u")
    with pytest.raises(cp.SimulationError):
        system.run(2.0, check="off")
    best = system.advise(2.0, 0.1).best
    assert system.run(2.0, scheme=best, check="off").status == "finished"


class Relay(cp.Subsystem):
    """Counts from what it is told, at its samples only."""

    inputs = ("u",)
    outputs = ("n",)

    def start(self, t):
        self.n = 0.0

    def step(self, t, t_end, u):
        self.n = (u(t)[0] + 1.0) % 5.0

    def output(self, t, u):
        return self.n


def test_a_run_of_few_steps_gets_advice_and_sampled_signals_have_no_order():
    """The first pilot covers a fiftieth of the run, and two steps at least."""
    system = cp.System("two relays")
    system.add("a", Relay(), step=0.25)
    system.add("b", Relay(), step=0.5)
    system.connect("a.n", "b.u", cp.hold())
    system.connect("b.n", "a.u", cp.hold())
    advice = system.advise(10.0, 1e-2)
    assert advice.good_enough
    assert "order" not in advice.recommended.label


def test_a_pilot_that_fails_names_the_subsystem_and_the_time():
    def empties(t, x, u):
        if t > 3.0:
            raise ValueError("the tank is empty")
        return [u[0] - x[0]]

    system = cp.System("tanks")
    system.add("upper", cp.ode(empties, [1.0], inputs="u", outputs="x", solver="ode4"), step=0.1)
    system.add("lower", cp.linear([[-1.0]], [[1.0]], x0=[0.0], inputs="u", outputs="x"), step=0.1)
    system.connect("upper.x", "lower.u")
    system.connect("lower.x", "upper.u")
    with pytest.raises(
        cp.SetupError, match=r"advise: a pilot to t = 10 s.*upper.*the tank is empty.*or an earlier end"
    ):
        system.advise(10.0, 1e-2)


def test_the_subsystem_whose_steps_cost_most_may_get_a_pace_of_its_own():
    """The light mass is at rest but for a push at 10 s; its equations in Python take most of the run."""

    def pushed(t, x, u):
        return [x[1], -400.0 * (x[0] - u[0]) - 8.0 * x[1] + 300.0 * np.exp(-(((t - 10.0) / 0.1) ** 2))]

    system = cp.System("pair")
    system.add("light", cp.ode(pushed, [0.0, 0.0], inputs="u", outputs=["x", "v"], solver="ode4"), step=0.01)
    heavy = cp.linear([[0, 1], [-1, -0.2]], [[0], [0.1]], x0=[1, 0], inputs="u", outputs=["x", "v"], solver="ode4")
    system.add("heavy", heavy, step=0.05)
    system.connect("heavy.x", "light.u")
    system.connect("light.x", "heavy.u")
    candidates = system.advise(20.0, 1e-2).candidates
    paced = [c for c in candidates if c.strategy.paces]
    assert paced
    assert all(c.strategy.pace is None and list(c.strategy.paces) == ["light"] for c in paced)
    assert "pace of light" in paced[0].label


def test_a_strategy_with_a_pace_of_one_subsystem_runs_like_it_and_is_written_as_settings():
    system, pace = forced_pair(), cp.pace.gradient(tolerance=1e-3, first=1e-3)
    strategy = Strategy("parallel", steps={"light": 0.01, "heavy": 0.02}, paces={"light": pace})
    ours = system.run(5.0, scheme=strategy)
    system.subsystems["light"] = replace(system.subsystems["light"], pace=pace)
    system.subsystems["heavy"] = replace(system.subsystems["heavy"], step=0.02)
    same = system.run(5.0, scheme="parallel", first_steps="once")
    assert ours["light.x"].values.tolist() == same["light.x"].values.tolist()
    settings = tomllib.loads(settings_toml(system, strategy))
    assert settings["subsystems"]["light"]["pace"] == {"kind": "gradient", "tolerance": 1e-3, "first": 1e-3}
    assert settings["subsystems"]["heavy"] == {"step": 0.02}


def test_a_system_with_planned_events_is_advised_although_its_first_pilot_ends_before_them():
    system = forced_pair()
    system.at(15.0, "light.x -> heavy.u", cp.events.scale(0.5))
    assert system.advise(20.0, 1e-2).good_enough


def test_a_candidate_that_just_keeps_the_tolerance_is_not_recommended_where_another_keeps_it_safely():
    """Piloted errors are measured against a tight pilot, whose own error is up to a fifth of the tolerance."""
    pilots = SimpleNamespace(tolerance=1e-2, is_whole=True, once=0.0)
    search = Search(pilots, None, by_pilots=True, everything=True, tell=lambda done: None)
    close, safe = (
        Candidate(Strategy("parallel"), label, piloted=error, cost=cost, steps=1000)
        for label, error, cost in (("close", 0.0099, 0.8), ("safe", 0.0075, 1.0))
    )
    assert search.recommended([close, safe]) is safe
    assert search.recommended([close]) is close


def test_what_a_first_run_loads_does_not_count_for_longer_ones():
    """A probe of 20 ms of which 16 ms load models, and 4 ms are steps: a run 50 times longer takes 0.216 s, not 1 s."""
    timing = Timing({"model": (0.01, 2e-4)}, (20.0, 0.016), 0.02)
    assert timing.longer(50.0) == pytest.approx(0.016 + 50 * 0.004)


def test_a_run_whose_beginning_is_cheap_is_taken_for_what_the_whole_of_it_costs(monkeypatch):
    """A kart that shifts gears takes three times as long as its first tenth of a second tells."""
    made = Pilots._timed

    def timed(pilots, system, options, until):
        result, timing = made(pilots, system, options, until)
        return result, timing._replace(all=1e-3 if until < 1.0 else 0.5, before=0.0)

    monkeypatch.setattr(Pilots, "_timed", timed)
    pilots = Pilots(pair(), 10.0, 1e-2, False)
    pilots.begin(None, whole=True)
    assert pilots.run_seconds == 0.5


@pytest.mark.parametrize("driven_by", ["a function", "a model"])
def test_a_subsystem_at_the_end_of_a_chain_gets_steps_that_it_can_follow(driven_by):
    system = cp.System("road and wheel")
    wave = cp.linear([[0, 1], [-0.49, 0]], np.zeros((2, 0)), [[1, 0]], x0=[1, 0], inputs=[], outputs="height")
    road = wave if driven_by == "a model" else cp.source(lambda t: np.cos(0.7 * t), outputs="height")
    system.add("road", road, step=0.01)
    wheel = cp.linear([[0, 1], [-25, -0.2]], [[0], [25]], [[1, 0]], x0=[1, 0], inputs="u", outputs="x", solver="ode2")
    system.add("wheel", wheel, step=0.02)
    system.connect("road.height", "wheel.u")
    advice = system.advise(until=10.0, tolerance=0.01)
    result = advice.run()
    a, b = np.array([[0, 1], [-25, -0.2]]), np.array([0, 25])
    pushed = np.linalg.solve(0.7j * np.eye(2) - a, b)  # x = Re(pushed exp(0.7 i t)) + what is left of the start
    rates, shapes = np.linalg.eig(a)
    free = np.linalg.solve(shapes, [1, 0] - np.array([pushed[0].real, (pushed[1]).real]))
    t = np.asarray(result["wheel.x"].time)
    exact = (pushed[0] * np.exp(0.7j * t)).real + (shapes[0] @ (free[:, None] * np.exp(np.outer(rates, t)))).real
    assert np.sqrt(np.mean((result["wheel.x"].values - exact) ** 2)) < 0.013 * np.std(exact)
    assert advice.recommended.error > 1e-6  # and says so
