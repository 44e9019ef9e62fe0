"""Mistakes in paces: which are found before a run, and what the messages say."""

import math

import pytest

import counterpoint as cp

from .models import Black, mass, masses


@pytest.mark.parametrize("tolerance", [0.0, -1e-3, math.nan, math.inf, "1e-3", None])
@pytest.mark.parametrize("make", [cp.pace.defect, cp.pace.predictor_corrector, cp.pace.doubling, cp.pace.energy])
def test_a_bad_tolerance_is_refused(make, tolerance):
    with pytest.raises(cp.SetupError, match=r"pace\.tolerance: .*expected a positive number"):
        make(tolerance)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: cp.pace.fixed(0.0), r"pace\.step: 0\.0; expected a positive"),
        (lambda: cp.pace.fixed("2 kg"), r"pace\.step"),
        (lambda: cp.pace.defect(smallest=0.1, largest=0.01), r"pace\.smallest: 0\.1 s is longer than pace\.largest"),
        (lambda: cp.pace.defect(first=1.0, largest=0.1), r"pace\.first: 1 s is longer than pace\.largest"),
        (lambda: cp.pace.defect(smallest=-1.0), r"pace\.smallest: -1\.0; expected a positive number of seconds"),
        (lambda: cp.pace.defect(growth=1.0), r"pace\.growth: 1\.0; expected a number above 1"),
        (lambda: cp.pace.defect(absolute={"a.b": -1}), r"pace\.absolute\.a\.b: -1"),
        (lambda: cp.pace.defect(scale={"a.b": 0}), r"pace\.scale\.a\.b: 0; expected a positive number"),
        (lambda: cp.pace.gradient("a.b"), r"pace\.smallest: is missing.*"),
        (lambda: cp.pace.gradient("a.b", smallest=1, largest=2, p0=0), r"pace\.p0: 0"),
        (lambda: cp.pace.gradient("a.b", smallest=1, largest=2, derivative=9), r"pace\.derivative: 9"),
        (lambda: cp.pace.gradient([], smallest=1, largest=2), r"pace\.signals: \[\]"),
        (lambda: cp.pace.table([0, 1], [0.1]), r"pace\.steps: 1 steps for 2 times"),
        (lambda: cp.pace.table([1, 0], [0.1, 0.1]), r"pace\.times"),
        (lambda: cp.pace.table([0], [-0.1]), r"pace\.steps"),
        (lambda: cp.pace.table([0], [0.1], between="cubic"), r"pace\.between"),
        (lambda: cp.pace.real_time(0.0), r"real_time: 0\.0"),
        (lambda: cp.pace.real_time(1.0, pace=3), r"pace\.pace: 3"),
        (lambda: cp.pace.energy(bonds=[("a",)]), r"pace\.bonds"),
        (lambda: cp.pace.defect(scale=3.0), r"pace\.scale: 3\.0; expected sizes by output"),
        (lambda: cp.pace.gradient(3, smallest=1, largest=2), r"pace\.signals: 3; expected outputs"),
        (lambda: cp.pace.table("abc", [0.1]), r"pace\.times: 'abc'; expected a list of numbers"),
        (lambda: cp.pace.defect(align=1e-3, smallest=1e-2), r"pace\.align: 0\.001 s is shorter than pace\.smallest"),
    ],
)
def test_mistakes_in_a_pace_are_named(make, text):
    with pytest.raises(cp.SetupError, match=text):
        make()


def constant_lead():
    system = masses()
    system.add("road", cp.table([0, 1], [[2.0], [2.0]], outputs="height"))
    return system, {"pace": cp.pace.gradient("road.height", smallest=0.1, largest=0.2)}


def own_steps():
    system = masses(step=0.1)
    system.add("own", mass(solver="ode45"), pace=cp.pace.defect(1e-3))
    system.connect("left.v", "own.u")
    return system, {}


def cannot_save():
    system = cp.System()
    system.add("box", Black())
    system.set("box.u", 1.0)
    return system, {"pace": cp.pace.predictor_corrector(1e-3)}


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: (masses(), {"pace": 3}), "pace: 3; expected a pace"),
        (
            lambda: (masses(), {"pace": cp.pace.gradient("left.y", smallest=0.1, largest=0.2)}),
            r'pace\.signals: "left\.y": "left" has no output "y"',
        ),
        (constant_lead, r'pace\.signals: "road\.height" never changes'),
        (own_steps, r"subsystems\.own\.pace: the subsystem chooses its own steps"),
        (cannot_save, r"subsystems\.box: cannot save and restore its state, which predictor-corrector needs"),
        (lambda: (masses(pace=cp.pace.doubling()), {}), r"subsystems\.left\.pace: doubling chooses the steps of all"),
        (lambda: (masses(pace=cp.pace.real_time()), {}), r"subsystems\.left\.pace: the wall clock is for all"),
        (
            lambda: (masses(), {"pace": cp.pace.defect(first=5.0)}),
            r"pace\.(first|smallest): 5 s is longer than the run",
        ),
        (lambda: (masses(), {"pace": cp.pace.defect(smallest=1e-30)}), r"pace\.smallest: 1e-30 s"),
        (lambda: (masses(), {"pace": cp.pace.energy()}), r"pace\.bonds: no power bond is declared"),
        (
            lambda: (masses(), {"pace": cp.pace.energy(bonds=[("left.u", "rihgt.u")])}),
            r'pace\.bonds: "rihgt\.u": no connection enters this input; did you mean "right\.u"',
        ),
        (
            lambda: (masses(), {"pace": cp.pace.defect(scale={"left.z": 1.0})}),
            r'pace\.scale: "left\.z": "left" has no output "z"',
        ),
        (lambda: (masses(), {"pace": cp.pace.defect}), r"cp\.pace\.defect was not called; write cp\.pace\.defect"),
        (lambda: (masses(), {"pace": cp.pace.Pace}), r"pace: Pace is a class; expected an object of it, Pace\(\)"),
        (
            lambda: (masses(step=0.1), {"pace": cp.pace.real_time(2.0), "real_time": 1.0}),
            r"pace: real time x 2, but real_time=1\.0; give one of them",
        ),
        (
            lambda: (masses(step=0.1), {"approximation": "lagrange"}),
            r"approximation: 'lagrange'; expected an approximation",
        ),
        (
            lambda: (masses(step=0.1), {"pace": cp.pace.defect(), "window": cp.window(0.1)}),
            r"pace: .*cannot be combined with windows",
        ),
        (lambda: (masses(step=0.1), {"real_time": -1}), r"real_time: -1"),
        (lambda: (masses(step=0.1), {"real_time": math.nan}), r"real_time: nan"),
        (
            lambda: (masses(pace=cp.pace.gradient("left.v", smallest=0.1, largest=0.2)), {}),
            r'subsystems\.right\.pace\.signals: "left\.v" is neither an output of "right" nor connected to it',
        ),
    ],
)
def test_mistakes_are_found_before_the_run(make, text):
    system, options = make()
    with pytest.raises(cp.SetupError, match=text):
        system.run(until=1.0, **options)


def test_a_subsystem_that_interpolates_all_its_inputs_has_no_defect_to_follow():
    system = cp.System()
    system.add("a", mass(), step=0.1)
    system.add("b", mass(), step=0.01, pace=cp.pace.defect())
    system.connect("a.x", "b.u")
    system.set("a.u", 0.0)
    with pytest.raises(cp.SetupError, match="waits for all its sources"):
        system.run(until=1.0, scheme="slowest-first")


@pytest.mark.parametrize("pace", [cp.pace.defect(), cp.pace.predictor_corrector(), cp.pace.doubling()])
def test_where_nothing_is_extrapolated_there_is_no_error_to_follow(pace):
    system = cp.System()
    system.add("a", mass())
    system.add("b", mass())
    system.connect("a.x", "b.u")
    system.set("a.u", 0.0)
    with pytest.raises(cp.SetupError, match="waits for all its sources"):
        system.run(until=1.0, scheme="sequential", pace=pace)


def test_an_open_run_needs_a_first_step():
    with pytest.raises(cp.SetupError, match="first: is missing"):
        masses().start(pace=cp.pace.defect())
    with masses().start(pace=cp.pace.defect(first=0.01), scheme="parallel") as run:
        run.step_to(1.0)
        assert run.time >= 1.0
