"""The step-control study: problems have the solutions they claim, work is counted in full, the files are there."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.studies.step_control.claims import work_at
from counterpoint.studies.step_control.exact import linear_solution
from counterpoint.studies.step_control.phases import ball_on_plate, two_fmus
from counterpoint.studies.step_control.problems import oscillator, quarter_car, three_parts, two_mass_oscillator
from counterpoint.studies.step_control.runs import Curves, Point, integrations, paces, run_once

from .reading import read_claims

STUDY = "step-control"
pytestmark = pytest.mark.timeout(600)  # the first test runs the study


def test_each_claim_has_an_origin_a_verdict_and_a_reason_where_it_fails(quick):
    rows = read_claims(quick[0])
    assert len(rows) == len(quick[1].claims)
    assert {row["origin"] for row in rows} == {"derived", "ours"}
    assert all(row["remark"] and "not known" not in row["remark"] for row in rows if row["holds"] == "no")


def test_every_problem_has_a_work_precision_diagram(quick):
    names = {path.stem for path in (quick[0] / "figures").glob("*.png")}
    assert names == {
        "two-mass-oscillator", "partitioned-oscillator", "quarter-car", "three-parts", "two-fmus", "ball-on-a-plate",
        "urban-drive-cycle", "tolerances",
    }  # fmt: skip


def test_the_network_needs_far_fewer_steps_than_the_published_configuration(quick):
    assert next(c for c in quick[1].claims if c.claim.startswith("three parts: times fewer")).holds


@pytest.mark.parametrize("make", [two_mass_oscillator, oscillator, quarter_car, three_parts])
def test_small_fixed_steps_come_to_the_exact_solution(make):
    problem = make()
    coarse, fine = (
        run_once(problem, "fixed", cp.pace.fixed(step), step).error for step in (problem.fixed[2], problem.fixed[-1])
    )
    assert fine < 0.05 * coarse
    assert fine < 1e-3


def test_a_pair_of_fmus_comes_to_the_exact_solution(tmp_path):
    problem = two_fmus(tmp_path)
    coarse, fine = (run_once(problem, "fixed", cp.pace.fixed(step), step).error for step in (0.05, 0.0125))
    assert fine < 0.3 * coarse < 0.03


def test_the_quarter_car_moves_as_published():
    exact = linear_solution(
        [[0, 1, 0, 0], [-37.5, -2.5, 37.5, 2.5], [0, 0, 0, 1], [375, 25, -4125, -25]], [-0.1, 0, -0.1, 0], [1, 0, 0, 0]
    )
    assert exact(np.array([0.1, 0.5, 1.0, 2.0])) + 0.1 == pytest.approx(
        [0.0327569032, 0.1614685880, 0.0652894398, 0.0912337754], abs=1e-9
    )


def test_repeated_passes_and_rejected_steps_are_counted():
    problem = quarter_car()
    chosen = paces(problem)
    for name, least in (("predictor-corrector", 2), ("doubling", 3)):
        result = problem.build().run(until=0.2, scheme=problem.scheme, pace=chosen[name](1e-4))
        accepted = int(result.steps["wheel"].accepted.sum())
        assert integrations(result, name) >= 2 * least * accepted
    result = problem.build().run(until=0.2, scheme=problem.scheme, pace=chosen["defect"](1e-3))
    assert integrations(result, "defect") == sum(result.summary.steps)


def test_a_ball_that_meets_the_plate_needs_short_steps_only_there():
    problem = ball_on_plate()
    result = problem.build().run(
        until=0.3, scheme=problem.scheme, pace=cp.pace.predictor_corrector(1e-4, first=1e-4, largest=2e-3)
    )
    steps = result.steps["ball"]
    accepted = steps[steps.accepted]
    assert accepted.length[accepted.t < 0.2].max() == pytest.approx(2e-3)
    assert accepted.length.min() < 2e-4


def test_work_for_an_error_is_read_between_runs():
    points = [Point(1, 1e-2, 100, 0.0), Point(2, 1e-4, 1000, 0.0), Point(3, float("inf"), 0, 0.0)]
    assert work_at(points, 1e-3) == pytest.approx(np.sqrt(100 * 1000))
    assert work_at(points, 1e-5) == np.inf
    curves = Curves(two_mass_oscillator(), {"fixed": points, "defect": [Point(1e-3, 1e-3, 158, 0.0)]})
    assert curves.best_share(1e-3) == ("defect", pytest.approx(0.5, rel=1e-2))


def test_the_numbers_are_those_that_are_committed(quick, committed):
    assert committed["changes"](quick[1], "step-control") == []
