"""The stability study: closed forms against the scheduler, claims, files."""

import numpy as np
import pytest

from counterpoint.studies.stability.closed_forms import EXTRAPOLATIONS, Setting, bdf2_radius, radius
from counterpoint.studies.stability.growth import growth_cases
from counterpoint.studies.stability.measures import needed_damping, sector, slope
from counterpoint.studies.stability.scheduler import error, error_from_exact_history, probed_radius

from .reading import read_claims

STUDY = "stability"
pytestmark = pytest.mark.timeout(600)  # the first test runs the study


def test_each_claim_that_fails_has_its_reason(quick):
    rows = read_claims(quick[0])
    assert {row["origin"] for row in rows} == {"printed", "derived", "ours"}
    assert all(row["remark"] and "not known" not in row["remark"] for row in rows if row["holds"] == "no")
    assert [row["claim"] for row in rows if row["holds"] == "no" and row["origin"] != "printed"] == []


def test_every_figure_of_the_source_is_drawn(quick):
    names = {path.stem for path in (quick[0] / "figures").glob("*.png")}
    assert names == {f"figure-3-{number}" for number in range(4, 11)}


@pytest.mark.parametrize("scheme", ["SF", "FF", "DE"])
@pytest.mark.parametrize("ratio", [1, 5, 10])
@pytest.mark.parametrize("beta", [0.1, -0.1])
def test_the_scheduler_makes_the_closed_forms(scheme, ratio, beta):
    for name in EXTRAPOLATIONS:
        setting = Setting(scheme, ratio, beta=beta, extrapolation=name)
        assert probed_radius(-0.1 + 1.5j, setting) == pytest.approx(float(radius(-0.1 + 1.5j, setting)), abs=1e-12)


def test_direct_simulations_grow_as_their_maps_do():
    cases = growth_cases()
    assert len(cases) >= 30
    assert max(abs(case.probed() - case.measured()) for case in cases) < 1e-6


@pytest.mark.parametrize(("scheme", "expected"), [("SF", 5.06e-2), ("DE", 5.05e-2), ("FF", 1.35e-3)])
def test_errors_are_those_of_an_independent_program(scheme, expected):
    assert error_from_exact_history(Setting(scheme, 10), 200) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("scheme", "order"), [("SF", 1.0), ("DE", 1.0), ("FF", 2.0)])
def test_orders_of_convergence(scheme, order):
    setting = Setting(scheme, 10, extrapolation="value, slope, slope before")
    assert slope([error(setting, count) for count in (400, 800, 1600)]) == pytest.approx(order, abs=0.02)


def test_the_sign_of_the_print_is_wrong():
    assert bdf2_radius(-1.0) == pytest.approx(1 / np.sqrt(5))
    assert bdf2_radius(-1.0, printed=True) > 3.7


def test_sectors_and_damping_of_an_uncoupled_pair_are_those_of_bdf2():
    uncoupled = Setting("DE", 5, beta=0.0)
    assert sector(uncoupled) == 90
    assert needed_damping(uncoupled, 20) == 0.0


def test_the_numbers_are_those_that_are_committed(quick, committed):
    assert committed["changes"](quick[1], "stability") == []
