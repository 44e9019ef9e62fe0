"""The quick form of the kart study, from the command to the files, and what its parts compute."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.studies.kart import published
from counterpoint.studies.kart.claims import shift_times
from counterpoint.studies.kart.experiment import Case, master_diagram, simulate
from counterpoint.studies.kart.gearbox import SHIFT_SPEEDS, gearbox_drive
from counterpoint.studies.kart.outcome import Outcome
from counterpoint.studies.kart.runs import LARGEST, REFERENCE, cases
from counterpoint.studies.kart.tables import parameters

from .reading import claim, read_claims

STUDY = "kart"
pytestmark = pytest.mark.timeout(600)  # the first test runs the study


def test_every_row_has_a_value_of_ours_and_a_verdict(quick):
    folder, report, *_ = quick
    rows = read_claims(folder)
    assert len(rows) == len(report.claims) + len(report.references)
    for row in rows:
        assert row["claim"] and row["published"] and row["tolerance"] and row["unit"], row
        assert not np.isnan(float(row["ours"])), row
        assert row["holds"] in ("yes", "no")
        assert row["origin"] in ("printed", "derived", "ours")


def test_the_pitch_is_that_of_the_source(quick):
    assert claim(quick[1], "Figure 14: lowest pitch").holds


@pytest.mark.parametrize("order", [0, 1, 2])
def test_high_orders_are_stable_and_of_the_size_of_table_3(quick, order):
    assert claim(quick[1], f"Table 3: largest difference in pitch, FR = 100, FF, O{order}").holds


def test_the_gearbox_shifts_when_the_source_says(quick):
    assert claim(quick[1], "Figure 14: first gear change").holds


def test_both_directions_of_mastership_give_the_same_motion(quick):
    assert claim(quick[1], "the vehicle as host: difference in pitch").holds


def test_the_numbers_are_those_that_are_committed(quick, committed):
    assert committed["changes"](quick[1], "kart") == []


def test_every_reference_number_is_met(quick):
    assert [c.claim for c in quick[1].references if not c.holds] == []


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
    other = set(cases(quick=True)) - wanted
    assert {(case.ratio, case.master) for case in other} == {(20, "scheduler"), (20, "vehicle")}  # of variants alone


def test_a_case_of_the_source_is_a_diagram_with_a_memory_block_that_is_master_of_the_vehicle():
    model, block = master_diagram(Case(LARGEST))
    assert model.blocks["memory"].kind == "memory"
    assert block.coupling.system.subsystems["vehicle"].step == pytest.approx(0.01)


def test_the_gearbox_shifts_where_the_wheels_reach_the_speed_of_the_shift_map():
    system = cp.System("test")
    reached = SHIFT_SPEEDS[0] / 0.28
    system.add("drive", gearbox_drive(), step=1e-3)
    system.add("wheel", cp.source(lambda t: reached * t, outputs="speed"), step=1e-3)
    system.connect("wheel.speed", "drive.wheel_speed", cp.lagrange(1))
    result = system.run(until=1.5)
    gear, time = result["drive.gear"].values, result["drive.gear"].time
    # The logic samples every 0.04 s and wants to see it three times.
    assert 1.08 - 1e-6 <= time[np.flatnonzero(gear > 1.5)[0]] <= 1.12 + 1e-6


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
