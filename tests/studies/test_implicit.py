"""The study of implicit coupling: its claims hold, its figures are there, its problems are what they say."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.studies.implicit import equation, strong
from counterpoint.studies.implicit.outcome import outcome

from .reading import read_claims

STUDY = "implicit"
pytestmark = pytest.mark.timeout(600)  # the first test runs the study


def test_every_claim_holds(quick):
    rows = read_claims(quick[0])
    assert [row["claim"] for row in rows if row["holds"] != "yes"] == []
    assert {row["origin"] for row in rows} == {"printed", "derived", "ours"}


def test_the_files_are_there(quick):
    names = {path.stem for path in (quick[0] / "figures").glob("*.png")}
    assert names == {"test-equation", "two-masses", "orders", "passes", "histories", "pendulum"}
    assert "cut double pendulum" in (quick[0] / "report.html").read_text(encoding="utf-8").lower()


def test_the_numbers_are_those_that_are_committed(quick, committed):
    assert committed["changes"](quick[1], "implicit") == []


@pytest.mark.parametrize("coupling", equation.COUPLINGS)
def test_the_test_equation_is_neither_damped_nor_excited(coupling):
    values = np.linalg.eigvals(equation.matrix(coupling))
    assert np.abs(values.real).max() < 1e-12


def test_cost_counts_every_integration():
    """A pass integrates both; a compound step integrates the fast side once in every pass but the last."""
    step = 0.5

    def of(window):
        return outcome(equation.build(0.1, step), lambda result: 0.0, 2.0, "slowest-first", window)

    assert of(None).integrations == 4 + 40
    assert of(cp.window(step, 1)).integrations == 2 * (4 + 40)
    compound = of(cp.compound_fast(step))
    assert compound.integrations == pytest.approx(2 * 4 * (compound.passes - 1.0) + 40)


def test_strong_couplings_multiply_an_error_by_more_than_one():
    assert all(stiffness * step**2 / 4.0 > 1.0 for stiffness, step, _ in strong.CASES)
