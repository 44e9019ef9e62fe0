"""The quick form of the kart study, from the command to the files, and what its parts compute."""

import csv

import numpy as np
import pytest

from counterpoint.studies import run_study
from counterpoint.studies.kart import published
from counterpoint.studies.kart.claims import shift_times
from counterpoint.studies.kart.experiment import Case, Outcome, simulate
from counterpoint.studies.kart.runs import LARGEST, REFERENCE, cases
from counterpoint.studies.kart.tables import parameters

pytestmark = pytest.mark.timeout(600)  # the first test runs the study


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    calls = []
    report = run_study("kart", folder, quick=True, progress=lambda *call: calls.append(call))
    return folder, report, calls


def claim(report, beginning):
    return next(c for c in report.claims if c.claim.startswith(beginning))


def test_every_row_has_a_value_of_ours_and_a_verdict(quick):
    folder, report, *_ = quick
    with (folder / "claims.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(report.claims) + len(report.references)
    for row in rows:
        assert row["claim"] and row["published"] and row["tolerance"] and row["unit"], row
        assert not np.isnan(float(row["ours"])), row
        assert row["holds"] in ("yes", "no")
        assert row["origin"] in ("printed", "derived", "ours")


def test_the_pitch_is_within_what_was_asked(quick):
    assert -2.6 < claim(quick[1], "Figure 14: lowest pitch").ours < -2.4


@pytest.mark.parametrize("ratio", [10, 100])
def test_differences_in_pitch_are_of_the_size_of_table_2(quick, ratio):
    assert claim(quick[1], f"Table 2: largest difference in pitch, FR = {ratio},").holds


def test_every_reference_number_is_met(quick):
    assert [c.claim for c in quick[1].references if not c.holds] == []


def test_what_fails_are_the_high_orders_alone_and_it_is_explained(quick):
    failed = [c for c in quick[1].claims if not c.holds and "times faster" not in c.claim]  # times are not tested
    assert {c.claim[-6:] for c in failed} == {"FF, O2", "FF, O3"}
    assert all("unstable" in c.remark for c in failed)


def test_the_figures_of_the_source_are_drawn(quick):
    names = {path.stem for path in (quick[0] / "figures").glob("*.png")}
    assert {f"figure-{k}" for k in (11, 13, 14, 15, 16)} <= {name[:9] for name in names}
    assert {"table-2-ratio", "table-3-orders", "drive", "located-events", "costs", "motion"} <= names


def test_the_page_holds_figures_tables_and_a_way_to_the_animation(quick):
    page = (quick[0] / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == len(quick[1].figures) == 11
    for table in quick[1].tables:
        assert table.title in page
    assert 'href="animation.html"' in page
    assert (quick[0] / "animation.html").stat().st_size > 50_000


def test_progress_is_told_to_the_end(quick):
    what, done, total = quick[2][-1]
    assert (what, done) == ("kart runs", total)


# Parts


def test_every_parameter_says_whose_it_is():
    rows = parameters().rows
    assert all(row[3] for row in rows)
    assert {"source", "ours"} < {row[3] for row in rows}


def test_the_full_study_has_all_cases_of_both_tables():
    wanted = set(cases(quick=False))
    assert {Case(ratio) for ratio in published.ELAPSED} <= wanted
    assert {Case(LARGEST, *curve) for curve in published.TABLE_3} <= wanted
    assert set(cases(quick=True)) - wanted == {Case(5, vehicle_order=1, drive_order=1, located=True)}


def test_waiting_for_the_vehicle_the_drive_has_its_value_ahead_and_otherwise_the_one_behind():
    time, pitch = np.array([0.0, 5e-4, 1e-3]), np.array([0.0, 1.0, 3.0])

    def seen(scheme, order):
        empty = np.zeros(0)
        return Outcome(Case(5, scheme, order), time, pitch, empty, {}, 0.0, 0.0, {}, 0.0).seen()[1]

    assert seen("slowest-first", 0) == pytest.approx([0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3])
    assert seen("fastest-first", 0) == pytest.approx([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    assert seen("slowest-first", 1) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1, 1.4, 1.8, 2.2, 2.6, 3])
    assert seen("fastest-first", 1) == pytest.approx([0, 0, 0, 0, 0, 0, 1.2, 1.4, 1.6, 1.8, 2])


def test_gear_changes_begin_where_a_whole_gear_is_left():
    drive = {"time": np.linspace(0.0, 4.0, 5), "gear": np.array([1.0, 1.0 + 1e-12, 1.5, 2.0, 2.5])}
    assert shift_times(Outcome(REFERENCE, *[np.zeros(1)] * 3, drive, 0.0, 0.0, {}, 0.0)) == [2.0, 4.0]


def test_runs_are_the_same_to_the_last_bit():
    first, second = (simulate(Case(LARGEST), until=0.3) for _ in range(2))
    assert np.array_equal(first.pitch, second.pitch)


def test_smaller_steps_of_the_vehicle_come_nearer_to_the_same_motion():
    # Slowest-first with order 0 both ways is of first order: the difference grows as the step.
    fine = simulate(Case(5), until=1.0)
    errors = [simulate(Case(ratio), until=1.0).error_at_steps(fine) for ratio in (20, 40)]
    assert errors[1] / errors[0] == pytest.approx(35 / 15, rel=0.3)
