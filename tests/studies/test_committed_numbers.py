"""The page of all studies is made of the committed numbers, and a number that changes is seen."""

import csv

import pytest

from counterpoint.studies import STUDIES
from counterpoint.studies.claims import TIMED, UNEXPLAINED, Claim, write_csv
from counterpoint.studies.report import StudyReport


@pytest.fixture
def changes(committed, tmp_path, monkeypatch):
    """Return what is said of claims when others are committed."""
    function = committed["changes"]
    monkeypatch.setitem(function.__globals__, "NUMBERS", tmp_path)

    def compare(before, after):
        write_csv(before, tmp_path / "any-quick.csv")
        return function(StudyReport(title="", introduction=[], claims=after, figures=[], folder=tmp_path), "any")

    return compare


def test_the_page_is_made_of_the_committed_numbers(committed):
    shown = committed["PAGE"].read_text(encoding="utf-8")
    assert shown == committed["page"](), "run: python docs/make_studies.py --page"


@pytest.mark.parametrize("form", ["", "-quick"])
@pytest.mark.parametrize("name", sorted(STUDIES))
def test_every_committed_claim_is_there_once_and_each_no_has_its_reason(committed, name, form):
    found = committed["rows"](name, form)
    assert len({row["claim"] for row in found}) == len(found)
    assert [row["claim"] for row in found if row["holds"] != "yes" and row["remark"] in ("", UNEXPLAINED)] == []


def test_a_number_that_stays_within_its_spread_has_not_changed(changes):
    assert changes([Claim.below("a", 1, 0.500)], [Claim.below("a", 1, 0.504)]) == []


def test_a_number_a_verdict_or_a_claim_that_changes_is_said(changes):
    before = [Claim.below("a", 1, 0.5), Claim.below("b", 1, 0.999), Claim.below("c", 1, 0.5)]
    after = [Claim.below("a", 1, 0.6), Claim.below("b", 1, 1.001), Claim.below("d", 1, 0.5)]
    assert changes(before, after) == [
        "a: 0.5 (yes) has become 0.6 (yes)",
        "b: 0.999 (yes) has become 1.001 (no)",
        "gone: c",
        "new: d",
    ]


def test_computing_times_are_not_compared(changes):
    assert changes([Claim.above("a", 1, 5, spread=TIMED)], [Claim.above("a", 1, 0.5, spread=TIMED)]) == []


def test_what_was_not_measured_stays_so(changes):
    missing = Claim.below("a", 1, None, remark="not there")
    assert changes([missing], [missing]) == []
    assert len(changes([missing], [Claim.below("a", 1, 0.5)])) == 1


def test_cells_of_the_page_keep_their_signs(committed):
    assert committed["_cell"]("|FR² - 1| < 2*x_1") == r"\|FR² - 1\| \< 2\*x\_1"


def test_the_committed_tables_have_the_agreed_columns(committed):
    for path in committed["NUMBERS"].glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as stream:
            assert tuple(next(csv.reader(stream))) == (
                "claim", "published", "ours", "unit", "tolerance", "origin", "holds", "remark",
            )  # fmt: skip
