"""The two-mass oscillator: Table 2 of the source, the measure, and the files of the study."""

import numpy as np
import pytest

from counterpoint.studies.two_mass_oscillator.experiment import (
    APPROXIMATED,
    HELD,
    TABLE_2,
    assumed_angle,
    coupled,
    error,
)
from counterpoint.studies.two_mass_oscillator.problem import TwoMassOscillator

from .reading import read_claims

STUDY = "two-mass-oscillator"


def test_the_three_rows_of_table_2_are_met(quick):
    rows = [claim for claim in quick[1].claims if claim.claim.startswith("Table 2:")]
    assert [claim.published for claim in rows] == [4.43e-1, 2.90e-3, 1.38e-3]
    assert all(claim.holds for claim in rows)


def test_each_claim_is_decided(quick):
    rows = read_claims(quick[0])
    assert len(rows) == len(quick[1].claims)
    assert {row["holds"] for row in rows} == {"yes"}
    assert {row["origin"] for row in rows} == {"printed", "derived", "ours"}


def test_the_figures_are_drawn_and_on_the_page(quick):
    assert {path.stem for path in (quick[0] / "figures").glob("*.png")} >= {"errors-over-step", "assumed-angle"}
    assert (quick[0] / "report.html").read_text(encoding="utf-8").count("data:image/png") == len(quick[1].figures)


def test_the_exact_angle_solves_the_equations():
    problem, h = TwoMassOscillator(), 1e-4
    left = problem.left_angle(np.array([0.0, 1.0 - h, 1.0, 1.0 + h]))
    assert left[0] == pytest.approx(problem.start)
    values, vectors = np.linalg.eig(problem.matrix())
    state = (vectors * np.exp(values)) @ np.linalg.solve(vectors, [problem.start, 0, problem.start, 0])
    assert (left[3] - 2 * left[2] + left[1]) / h**2 == pytest.approx((problem.matrix() @ state)[1].real, rel=1e-4)


def test_held_values_are_assumed_over_the_whole_step_and_a_transition_has_no_jump():
    for case in TABLE_2[:2]:
        result = coupled(case).run(until=0.1, scheme="parallel")
        time, assumed = assumed_angle(case, result)
        same = np.flatnonzero(np.diff(time) == 0.0)
        jumps = np.abs(assumed[same + 1] - assumed[same])
        assert len(same) == 19
        assert jumps.max() > 1e-3 if case is HELD else jumps.max() == 0.0


def test_halving_the_step_of_a_held_angle_halves_the_error():
    errors = [error(HELD, coupled(HELD, h).run(until=5.0, scheme="parallel")) for h in (5e-3, 2.5e-3)]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


def test_a_second_run_gives_the_same_bits():
    one, two = (coupled(APPROXIMATED).run(until=1.0, scheme="parallel")["left.angle"].values for _ in range(2))
    assert np.array_equal(one, two)


def test_the_numbers_are_those_that_are_committed(quick, committed):
    assert committed["changes"](quick[1], "two-mass-oscillator") == []
