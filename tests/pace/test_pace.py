"""Paces from the user's side: which steps they choose, what they say about them, and which mistakes are found."""

import math
import warnings
from itertools import pairwise

import numpy as np
import pytest

import counterpoint as cp

from .models import Black, mass, masses, rows

SECOND = 1.0


def exact(times):
    from scipy.linalg import expm

    a = np.array([[0, 1, 0, 0], [-15, -0.3, 5, 0], [0, 0, 0, 1], [5, 0, -15, -0.3]])
    return np.array([(expm(a * t) @ [1, 0, 0, 0])[0] for t in times])


def error(result):
    signal = result["left.x"]
    return float(np.abs(signal.values - exact(signal.time)).max())


@pytest.mark.parametrize(
    "pace",
    [
        cp.pace.table([0.0, 1.0], [0.02, 0.04]),
        cp.pace.gradient("left.x", smallest=0.01, largest=0.05),
        cp.pace.gradient(tolerance=1e-3),
        cp.pace.defect(1e-3),
        cp.pace.predictor_corrector(1e-3),
        cp.pace.doubling(1e-3),
        pytest.param(lambda step: 0.02, id="python"),
    ],
    ids=str,
)
def test_the_error_of_a_run_whose_steps_a_pace_has_chosen_is_estimated(pace):
    result = masses().run(until=2.0, scheme="parallel", pace=pace)
    # Of the worst signal relative to its size, where `error` is of one: within a factor of 4.
    assert error(result) / 4 < result.quality.error < 4 * error(result)


def test_shorter_steps_are_not_tried_against_a_source_that_publishes_less_often():
    """The defect is then the work of the source's steps, whatever those of the receiver are."""
    system = cp.System("uneven")
    system.add("left", mass(1.0), pace=cp.pace.defect(1e-3))
    system.add("right", mass(0.0), step=0.01)
    system.connect("left.x", "right.u", cp.lagrange(2))
    system.connect("right.x", "left.u", cp.lagrange(2))
    steps = system.run(until=2.0, scheme="parallel").steps["left"]
    assert steps.length.min() >= 2e-4 * (1 - 1e-9)  # the first one, a ten-thousandth of the run
    assert len(steps) < 1500  # 50 per sample until the signal, which begins at zero, is known; 4058 when they shrank


@pytest.mark.parametrize("what", ["windows", "alignment"])
def test_steps_that_are_cut_do_not_make_the_next_ones_shorter(what):
    """Each window halved the last step for good, where the source published less often: 935833 steps for 2034."""

    def steps(align=None, window=None):
        system = cp.System("uneven")
        system.add("left", mass(1.0), pace=cp.pace.defect(1e-3, align=align))
        system.add("right", mass(0.0), step=0.05)
        system.connect("left.x", "right.u", cp.lagrange(2))
        system.connect("right.x", "left.u", cp.lagrange(2))
        return len(system.run(until=20.0, scheme="parallel", window=window, check="off").steps["left"])

    cut = steps(align=0.05) if what == "alignment" else steps(window=cp.window(0.05, 1))
    assert cut < 1.5 * steps()


def test_times_of_a_table_may_have_units():
    assert cp.pace.table(["0 s", "1 min"], ["10 ms", 0.5]) == cp.pace.table([0.0, 60.0], [0.01, 0.5])
    with pytest.raises(cp.SetupError, match=r'pace\.times\[1\]: "1 kg": kg is not a unit of time'):
        cp.pace.table([0.0, "1 kg"], [0.1, 0.2])


# --- which steps are chosen ------------------------------------------------------------------------------------------


def test_a_fixed_pace_gives_the_bits_of_a_fixed_step():
    plain = masses(step=0.02).run(until=1.0)
    assert rows(masses(pace=cp.pace.fixed("20 ms")).run(until=1.0)) == rows(plain)
    assert rows(masses().run(until=1.0, pace=cp.pace.fixed(0.02))) == rows(plain)
    assert rows(masses(step=0.5).run(until=1.0, pace=cp.pace.fixed(0.02))) == rows(plain)
    assert plain.steps["left"].rule.unique().tolist() == ["fixed"]


def test_held_steps_of_a_table_end_where_the_next_ones_begin():
    table = cp.pace.table([0.0, 0.25, 0.6], [0.1, 0.05, 0.2])
    result = masses(pace=table).run(until=1.0)
    ends = np.round(result["left"].index, 6).tolist()
    assert ends == [0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.8, 1.0]
    assert set(result.steps["left"].rule) == {"table"}


def test_a_linear_table_is_read_at_the_beginning_of_each_step():
    result = masses().run(until=0.5, pace=cp.pace.table([0, 1], [0.1, 0.2], between="linear"))
    lengths = result.steps["left"].length.to_numpy()
    starts = result.steps["left"].t.to_numpy()
    assert lengths[:-1] == pytest.approx(0.1 + 0.1 * starts[:-1], rel=1e-9)


def nedc_like(t):
    """Speed over time: standstill, ramp, constant speed, ramp down."""
    return float(np.interp(t, [0, 11, 15, 23, 28, 40], [0, 0, 4.2, 4.2, 0, 0]))


@pytest.mark.parametrize("whose", ["single", "all"])
def test_the_gradient_law_is_long_at_standstill_and_short_in_motion(whose):
    system = cp.System()
    system.add("car", cp.source(nedc_like, outputs="speed"), step=0.1)
    law = cp.pace.gradient("car.speed", smallest=0.4, largest=2.0)
    heat = cp.ode(lambda t, x, u: u - 0.1 * x, [20.0], inputs="speed", outputs="temperature", solver="ode4")
    system.add("heat", heat, pace=law if whose == "single" else None)
    system.connect("car.speed", "heat.speed", cp.hold("behind"))
    result = system.run(until=40.0, scheme="parallel", pace=law if whose == "all" else None)
    steps = result.steps["heat"]
    assert steps.length[steps.t < 8.9].to_numpy() == pytest.approx(2.0)
    moving = steps[(steps.t > 14.5) & (steps.t < 15.0)]
    assert moving.length.to_numpy().max(initial=0.4) < 0.6
    assert steps.length.min() >= 0.2
    assert set(steps.signal) <= {"", "car.speed"}
    assert (steps.signal == "car.speed").any()


def test_the_gradient_law_takes_the_derivative_that_the_approximation_misses():
    # A straight line is extrapolated exactly by order 1: only its corners matter.
    mean_length = {}
    for order in (0, 1):
        system = cp.System()
        system.add("ramp", cp.source(lambda t: max(0.0, t - 10.0), outputs="y"))
        system.add("sink", cp.ode(lambda t, x, u: u - x, [0.0], inputs="u", outputs="x", solver="ode4"))
        system.connect("ramp.y", "sink.u", cp.lagrange(order))
        law = cp.pace.gradient("ramp.y", smallest=0.1, largest=1.0)
        result = system.run(until=30.0, scheme="parallel", pace=law)
        steps = result.steps["sink"]
        mean_length[order] = steps.length[steps.t > 15].mean()
    assert mean_length[1] > 1.5 * mean_length[0]


def test_without_parameters_the_extrapolation_error_is_kept_near_the_tolerance():
    errors = {}
    for tolerance in (1e-2, 1e-4):
        result = masses().run(until=3.0, scheme="parallel", pace=cp.pace.gradient(tolerance=tolerance, first=1e-3))
        errors[tolerance] = error(result)
        assert result.defects.maximum.max() < 10 * tolerance
    assert errors[1e-4] < 0.05 * errors[1e-2]


@pytest.mark.parametrize("scheme", ["parallel", "sequential"])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_defects_stay_near_the_tolerance(scheme, order):
    for tolerance in (1e-2, 1e-3, 1e-4):
        pace = cp.pace.defect(tolerance, first=1e-4)
        result = masses(cp.lagrange(order)).run(until=3.0, scheme=scheme, pace=pace)
        estimates = result.steps["left"].estimate.to_numpy()[10:]
        assert np.nanmax(estimates) < 10.0
        assert np.nanmedian(estimates) > 0.1
        assert result.rejected == 0


def test_a_smaller_tolerance_gives_a_smaller_error_in_more_steps():
    found = [
        (error(result), len(result.steps["left"]))
        for tolerance in (1e-2, 1e-3, 1e-4, 1e-5)
        for result in [masses(cp.lagrange(3)).run(until=3.0, pace=cp.pace.defect(tolerance, first=1e-3))]
    ]
    for (e, n), (finer, more) in pairwise(found):
        assert finer < 0.5 * e
        assert n < more


def test_a_single_subsystem_steps_by_its_own_defects():
    system = cp.System()
    system.add("left", mass(1.0), step=1e-4, pace=cp.pace.defect(1e-3))
    system.add("right", mass(0.0), step=0.005)
    system.connect("left.x", "right.u", cp.lagrange(2))
    system.connect("right.x", "left.u", cp.lagrange(2))
    result = system.run(until=3.0, scheme="parallel")
    assert len(result.steps["right"]) == 600
    steps = result.steps["left"]
    assert steps.length.max() > 20 * steps.length.min()
    assert set(steps.signal) <= {"", "right.x -> left.u"}
    assert error(result) < 2e-2


def test_a_black_box_is_stepped_by_defects():
    system = cp.System()
    system.add("box", Black())
    system.add("mass", mass())
    system.connect("box.y", "mass.u")
    system.connect("mass.x", "box.u")
    result = system.run(until=1.0, scheme="parallel", pace=cp.pace.defect(1e-3))
    assert result.status == "finished"
    assert result.end == SECOND


@pytest.mark.parametrize("pace", [cp.pace.predictor_corrector, cp.pace.doubling])
def test_two_passes_estimate_the_error_and_reject_steps(pace):
    system = masses(cp.lagrange(2))
    result = system.run(until=3.0, scheme="parallel", pace=pace(1e-4, first=0.1))
    steps = result.steps["left"]
    assert result.rejected > 0
    assert result.rejected == (~steps.accepted).sum()
    assert steps[~steps.accepted].estimate.min() > 1.5
    assert steps[steps.accepted].estimate.max() <= 1.5
    assert steps[steps.accepted].length.sum() == pytest.approx(3.0)
    assert error(result) < 5e-3
    assert f"{result.rejected} rejected" in str(result)


def test_the_second_pass_interpolates():
    once = masses(cp.lagrange(2)).run(until=3.0, scheme="parallel", pace=cp.pace.table([0], [0.05]))
    window = cp.window(0.05)
    twice = masses(cp.lagrange(2), step=0.05).run(until=3.0, scheme="parallel", window=window)
    corrected = masses(cp.lagrange(2)).run(
        until=3.0,
        scheme="parallel",
        pace=cp.pace.predictor_corrector(1.0, absolute=1e9, first=0.05, smallest=0.05, largest=0.05),
    )
    assert corrected["left"].index.to_numpy() == pytest.approx(twice["left"].index.to_numpy())
    assert corrected["left.x"].values == pytest.approx(twice["left.x"].values, rel=1e-9, abs=1e-12)
    assert error(corrected) < error(once)


def test_step_doubling_keeps_the_two_halves():
    halves = masses(cp.lagrange(1), step=0.025).run(until=1.0, scheme="parallel", first_steps="once")
    doubled = masses(cp.lagrange(1)).run(
        until=1.0,
        scheme="parallel",
        pace=cp.pace.doubling(1.0, absolute=1e9, first=0.05, smallest=0.05, largest=0.05),
    )
    assert doubled["left.x"].values == pytest.approx(halves["left.x"].values, rel=1e-9, abs=1e-12)
    assert len(doubled.steps["left"]) == 20


def test_the_energy_pace_follows_the_power_of_bonds():
    def mechanism():
        system = cp.System()
        spring = cp.linear([[0]], [[1]], [[100.0]], x0=[0], inputs="v", outputs="F")
        body = cp.linear([[-0.5]], [[1]], x0=[1], inputs="F", outputs="v")
        system.add("spring", spring)
        system.add("body", body)
        system.connect("spring.F", "body.F", cp.lagrange(1), gain=-1.0)
        system.connect("body.v", "spring.v", cp.lagrange(1))
        return system

    counts = []
    for tolerance in (1e-1, 1e-2, 1e-3):
        pace = cp.pace.energy(tolerance, bonds=[("body.F", "spring.v")], first=1e-3)
        result = mechanism().run(until=2.0, scheme="parallel", pace=pace)
        counts.append(len(result.steps["body"]))
        assert result.steps["body"].estimate[5:].median() < 1.5
    assert counts[0] < counts[1] < counts[2]


def test_the_energy_pace_refuses_a_bond_whose_law_makes_the_flow_of_both_sides():
    """What its law stores or dissipates is no error; steps would be as long as allowed whatever the tolerance."""
    system = cp.System("shaft")
    for name, angle in (("motor", 0.1), ("load", 0.0)):
        disk = cp.linear(
            [[0, 1], [0, 0]], [[0], [1]], x0=[angle, 0], inputs="torque", outputs=["angle", "speed"],
            units={"torque": "N m", "angle": "rad", "speed": "rad/s"},
        )  # fmt: skip
        system.add(name, disk, step=1e-3)
    system.bond("rotational", "motor", "load", causality="flow-flow", law=cp.bonds.spring_damper(180.0, 0.5))
    with pytest.raises(cp.SetupError, match=r'pace\.bonds: "motor-load": none of them exchanges an effort and a flow'):
        system.run(until=1.0, pace=cp.pace.energy())
    bonds = [("motor.torque", "load.torque")]
    with pytest.raises(cp.SetupError, match=r'pace\.bonds: "motor.torque" and "load.torque" are not two outputs'):
        system.run(until=1.0, pace=cp.pace.energy(bonds=bonds))


# --- limits, events, alignment ---------------------------------------------------------------------------------------


def test_limits_hold_and_say_so():
    pace = cp.pace.defect(1e-9, first=0.01, smallest=0.005, largest=0.02)
    with pytest.warns(cp.PaceWarning, match='"(left|right).x -> (left|right).u" keeps it there'):
        result = masses().run(until=1.0, scheme="parallel", pace=pace)
    steps = result.steps["left"]
    assert steps.length[:-2].min() == pytest.approx(0.005)
    assert "smallest" in set(steps.rule)
    assert result.summary.paces[0].is_stuck
    loose = masses().run(until=1.0, scheme="parallel", pace=cp.pace.defect(1e3, first=0.01, largest=0.02, growth=1.1))
    lengths = loose.steps["left"].length.to_numpy()
    assert (lengths[1:] <= 1.1 * lengths[:-1] * (1 + 1e-9)).all()
    assert {"growth", "largest"} <= set(loose.steps["left"].rule)


def test_steps_meet_the_multiples_of_a_sample_time():
    result = masses().run(until=1.0, scheme="parallel", pace=cp.pace.defect(1e-2, first=0.01, align=0.125))
    times = result["left"].index.to_numpy()
    for k in range(1, 9):
        assert np.abs(times - 0.125 * k).min() < 1e-9


def test_the_last_step_ends_with_the_run():
    result = masses().run(until=1.0, pace=cp.pace.defect(1e-3, first=0.01))
    assert result["left"].index[-1] == SECOND
    assert result["right"].index[-1] == SECOND


def test_a_warning_that_is_an_error_is_that_error():
    pace = cp.pace.defect(1e-9, first=0.01, smallest=0.005, largest=0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("error", cp.PaceWarning)
        with pytest.raises(cp.PaceWarning, match="keeps it there"):
            masses().run(until=1.0, scheme="parallel", pace=pace)


def test_the_tolerance_is_handed_on_to_solvers_that_take_one():
    errors = {}
    for name, options in (("handed on", {}), ("given", {"rtol": 1e-3, "atol": 1e-3})):
        system = cp.System()
        system.add("left", mass(1.0, "ode45", **options), step=0.1)
        system.add("right", mass(0.0, "ode45", **options), step=0.1)
        system.connect("left.x", "right.u", cp.lagrange(4))
        system.connect("right.x", "left.u", cp.lagrange(4))
        pace = cp.pace.defect(1e-9, first=1e-4, smallest=1e-6, largest=1e-3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cp.PaceWarning)
            errors[name] = error(system.run(until=0.3, scheme="parallel", pace=pace))
        assert system.subsystems["left"].subsystem.pace_tolerance == 1e-9
    assert errors["handed on"] < 1e-2 * errors["given"] or errors["handed on"] < 1e-10


# --- the same bits ----------------------------------------------------------------------------------------------------

PACES = {
    "defect": cp.pace.defect(1e-3, first=1e-3),
    "gradient": cp.pace.gradient(["left.x", "right.x"], smallest=0.01, largest=0.1),
    "extrapolation": cp.pace.gradient(tolerance=1e-3, first=1e-3),
    "predictor-corrector": cp.pace.predictor_corrector(1e-4, first=0.05),
    "doubling": cp.pace.doubling(1e-4, first=0.05),
}


@pytest.mark.parametrize("name", PACES)
@pytest.mark.parametrize("scheme", ["parallel", "sequential"])
def test_threads_and_interrupted_runs_give_the_same_bits(name, scheme):
    expected = rows(masses().run(until=2.0, scheme=scheme, pace=PACES[name]))
    assert rows(masses().run(until=2.0, scheme=scheme, pace=PACES[name], threads=2)) == expected
    run = masses().start(until=2.0, scheme=scheme, pace=PACES[name])
    for t in (0.1, 0.33, 0.7, 1.9, 2.0):
        run.step_to(t)
    assert rows(run.finish()) == expected


def chain(paces):
    system = cp.System()
    for k, pace in enumerate(paces):
        system.add(f"m{k}", mass(1.0 - 0.3 * k), step=0.004 * (k + 1) if pace is None else 1e-3, pace=pace)
    for k in range(len(paces)):
        system.connect(f"m{(k + 1) % len(paces)}.x", f"m{k}.u", cp.lagrange(1 + k % 2))
    return system


@pytest.mark.parametrize("scheme", ["parallel", "slowest-first", "fastest-first"])
@pytest.mark.parametrize("window", [None, cp.window(0.05), cp.window(0.07, repeats=3, tolerance=1e-6)])
def test_single_paces_give_the_same_bits_with_threads_and_in_windows(scheme, window):
    def paces():
        law = cp.pace.gradient(tolerance=1e-2, first=1e-3)
        return [cp.pace.defect(1e-3) if scheme == "parallel" else law, None, law]

    expected = chain(paces()).run(until=1.0, scheme=scheme, window=window)
    threaded = chain(paces()).run(until=1.0, scheme=scheme, window=window, threads=3)
    assert rows(threaded) == rows(expected)
    run = chain(paces()).start(until=1.0, scheme=scheme, window=window)
    for t in (0.2, 0.21, 0.5, 1.0):
        run.step_to(t)
    assert rows(run.finish()) == rows(expected)
    steps = expected.steps["m0"]
    assert steps.length.sum() == pytest.approx(1.0)
    assert steps.t.to_numpy()[1:] == pytest.approx((steps.t + steps.length).to_numpy()[:-1])


# --- what the result says ---------------------------------------------------------------------------------------------


def test_steps_are_kept_in_the_run_file(tmp_path):
    pace = cp.pace.predictor_corrector(1e-4, first=0.1)
    kept = masses().run(until=1.0, scheme="parallel", pace=pace)
    masses().run(until=1.0, scheme="parallel", pace=pace, file=tmp_path / "run.h5").close()
    with cp.load(tmp_path / "run.h5") as loaded:
        assert loaded.steps["left"].equals(kept.steps["left"])
        assert loaded.rejected == kept.rejected > 0
        assert loaded.summary.paces == kept.summary.paces
        assert loaded.metadata["pace"] == "predictor-corrector, tolerance 0.0001"


def test_single_steps_are_kept_in_the_run_file(tmp_path):
    result = chain([cp.pace.defect(1e-3), None, None]).run(until=0.5, scheme="parallel", file=tmp_path / "run.h5")
    steps = result.steps["m0"]
    assert steps.length.sum() == pytest.approx(0.5)
    assert np.allclose(result.steps["m1"].length[:-1], 0.008)
    assert len(steps) == result.summary.paces[0].accepted == result.summary.steps[0]


def test_steps_are_drawn(tmp_path):
    result = masses().run(until=1.0, scheme="parallel", pace=cp.pace.predictor_corrector(1e-4, first=0.1))
    axes = result.plot_steps(path=tmp_path / "steps.png")
    assert (tmp_path / "steps.png").stat().st_size > 1000
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words == ["left, right", f"left, right: {result.rejected} rejected"]


def test_steps_of_subsystems_without_pace_are_known_unless_rows_are_left_out():
    result = masses(step=0.1).run(until=1.0, record_every=5)
    with pytest.raises(cp.SetupError, match="not every step"):
        result.steps["left"]
    with pytest.raises(cp.SetupError, match="no such subsystem"):
        result.steps["lefd"]


# --- written in Python ------------------------------------------------------------------------------------------------


class Halving(cp.pace.Pace):
    """Halve steps after a defect above 0.01, else make them longer."""

    limits = cp.pace.Limits(first=0.01, smallest=1e-4, largest=0.1)

    def start(self):
        self.asked = []

    def next_step(self, step):
        self.asked.append(step)
        worst = max((a.defect for a in step.arrivals), default=0.0)
        return (step.length / 2 if worst > 0.01 else 1.2 * step.length or 0.01), worst / 0.01


@pytest.mark.parametrize("threads", [1, 2])
def test_a_pace_written_in_python_is_told_what_arrived(threads):
    pace = Halving()
    result = masses().run(until=1.0, scheme="parallel", pace=pace, threads=threads)
    assert pace.asked[0].length == 0.0
    assert pace.asked[0].outputs == {"left.x": 1.0, "left.v": 0.0, "right.x": 0.0, "right.v": 0.0}
    assert {a.connection for a in pace.asked[3].arrivals} == {"left.x -> right.u", "right.x -> left.u"}
    assert pace.asked[3].t == pytest.approx(result.steps["left"].t[3])
    assert "python" in set(result.steps["left"].rule)
    assert np.isfinite(result.steps["left"].estimate).any()


def test_a_function_is_a_pace():
    system = masses(pace=lambda step: 0.05 + 0.05 * step.t)
    result = system.run(until=1.0, scheme="parallel")
    assert result.steps["left"].length[0] == pytest.approx(0.05)
    assert result.steps["right"].length[2] > result.steps["right"].length[1]


@pytest.mark.parametrize("answer", [0.0, -1.0, math.nan, "short", None])
def test_a_python_pace_that_returns_no_length_stops_the_run(answer):
    with pytest.raises(cp.SimulationError, match="positive number of seconds"):
        masses(pace=lambda step: answer if step.t > 0.5 else 0.1).run(until=1.0, scheme="parallel")
