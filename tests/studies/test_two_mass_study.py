"""The quick form of the study, from the command to the files."""

import math

from counterpoint.studies.two_mass.sweep import frequency_ratios

from .reading import read_claims

STUDY = "two-mass"


def test_every_row_has_a_value_of_ours_and_a_verdict(quick):
    folder, report, _ = quick
    rows = read_claims(folder)
    assert len(rows) == len(report.claims) + len(report.references)
    for row in rows:
        assert row["claim"] and row["published"] and row["tolerance"] and row["unit"], row
        assert math.isfinite(float(row["ours"])), row
        assert row["holds"] in ("yes", "no")
        assert row["origin"] in ("printed", "derived", "ours")


def test_the_numbers_are_those_that_are_committed(quick, committed):
    assert committed["changes"](quick[1], "two-mass") == []


def test_every_reference_number_is_met(quick):
    assert [claim.claim for claim in quick[1].references if not claim.holds] == []


def test_a_claim_that_fails_is_explained(quick):
    failed = [claim for claim in quick[1].claims if not claim.holds]
    assert failed
    assert [claim.claim for claim in failed if not claim.remark] == []


def test_the_figures_of_the_source_are_drawn(quick):
    names = sorted(path.stem.split("-")[1] for path in (quick[0] / "figures").glob("*.png"))
    assert names == ["04", "07", "08", "08b", "09", "10"]


def test_the_page_holds_all_figures_and_says_where_ours_differs(quick):
    page = (quick[0] / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 6
    assert "What does not hold, and why" in page


def test_progress_is_told_to_the_end(quick):
    what, done, total = quick[2][-1]
    assert (what, done) == ("two-mass runs", total)
    assert [call[1] for call in quick[2]] == list(range(1, total + 1))


def test_both_sweeps_span_the_published_range_and_leave_the_integers():
    for quick_form in (True, False):
        ratios = frequency_ratios(quick_form)
        assert (ratios[0], ratios[-1]) == (1.5, 99.5)
        assert (ratios % 1 != 0).any()
