"""Claims are decided by numbers, and the page of a study stands alone."""

import csv
import math

import pytest

from counterpoint.errors import OutputError, SetupError
from counterpoint.studies import DESCRIPTIONS, STUDIES, run_study
from counterpoint.studies.claims import COLUMNS, Claim, write_csv
from counterpoint.studies.report import Figure, StudyReport


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        (Claim.near("c", 2.0, 2.19, relative=0.1), True),
        (Claim.near("c", 2.0, 2.21, relative=0.1), False),
        (Claim.about("c", 40, 43.0, margin=4), True),
        (Claim.about("c", 40, 45.0, margin=4), False),
        (Claim.magnitude("c", 10, 4.0, factor=3), True),
        (Claim.magnitude("c", 10, 3.0, factor=3), False),
        (Claim.above("c", 1, 1.5), True),
        (Claim.above("c", 1, 0.5), False),
        (Claim.above("c", 1, 0.5, slack=0.6), True),
        (Claim.below("c", 1, 0.5), True),
        (Claim.below("c", 50, 53, slack=5), True),
        (Claim.below("c", 50, 55, slack=5), False),
    ],
)
def test_a_claim_holds_when_the_numbers_say_so(claim, holds):
    assert (claim.holds == "yes") is holds
    assert bool(claim.holds) is holds


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_nothing_holds_that_is_not_a_number(value):
    claims = [
        Claim.near("c", 1, value, relative=9),
        Claim.about("c", 1, value, margin=9),
        Claim.magnitude("c", 1, value, factor=9),
        Claim.above("c", 1, value),
        Claim.below("c", 1, value),
    ]
    assert not any(claim.holds for claim in claims)


def test_the_table_has_the_agreed_columns(tmp_path):
    write_csv([Claim.below("3.4: größer, “so”", 0.1, 0.25, remark="a, b")], tmp_path / "claims.csv")
    with (tmp_path / "claims.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows == [list(COLUMNS), ["3.4: größer, “so”", "< 0.1", "0.25", "1", "bound", "printed", "no", "a, b"]]
    assert COLUMNS == ("claim", "published", "ours", "unit", "tolerance", "origin", "holds", "remark")


def test_what_was_not_measured_and_what_cannot_be_compared_is_neither_yes_nor_no():
    missing = Claim.near("c", 1, None, relative=0.1, remark="no compiler is installed")
    other = Claim.near("c", 1, 5, relative=0.1, origin="derived").not_comparable("another processor")
    assert missing.row()[2:] == ("", "1", "0.1 relative", "printed", "not measured", "no compiler is installed")
    assert other.row()[2:] == ("5", "1", "0.1 relative", "derived", "cannot be compared", "another processor")
    assert not missing.holds
    assert not other.holds


def test_a_reason_is_shown_only_where_the_claim_does_not_hold():
    assert Claim.below("c", 1, 0, reason="misprinted", remark="seen").remark == "seen"
    assert Claim.below("c", 1, 2, reason="misprinted", remark="seen").remark == "misprinted seen"
    assert Claim.below("c", 1, 2).remark == "The reason is not known."


def test_an_origin_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="guessed"):
        Claim.below("c", 1, 0, origin="guessed")


def test_the_summary_counts_printed_derived_and_ours_apart(tmp_path):
    claims = [
        Claim.below("a", 1, 0),
        Claim.below("b", 1, 2),
        Claim.below("c", 1, None),
        Claim.below("d", 1, 0, origin="derived"),
        Claim.below("e", 1, 2, origin="ours").not_comparable("why"),
    ]
    report = StudyReport(title="T", introduction=[], claims=claims, figures=[], folder=tmp_path)
    assert report.summary() == (
        "Printed in the source: 1 of 3 hold, 1 does not, 1 not measured; derived from it: 1 of 1 hold; "
        "ours: 0 of 1 hold, 1 cannot be compared."
    )
    page = report.html()
    assert page.index("What does not hold") < page.index("What was not measured") < page.index("What cannot be comp")


def test_the_page_embeds_its_figures_and_escapes_text(tmp_path):
    (tmp_path / "f.png").write_bytes(b"picture")
    report = StudyReport(
        title="<T>",
        introduction=["a < b"],
        claims=[Claim.below("x < y", 1, 2, remark="<b>no</b>"), Claim.below("z", 1, 0)],
        figures=[Figure(tmp_path / "f.png", "F & G")],
        folder=tmp_path,
    )
    report.write()
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "data:image/png;base64,cGljdHVyZQ==" in page
    assert "&lt;T&gt;" in page
    assert "<b>no</b>" not in page
    assert "Printed in the source: 1 of 2 hold, 1 does not." in page
    assert report.written == [tmp_path / "claims.csv", tmp_path / "report.html", tmp_path / "f.png"]


def test_every_study_has_a_description():
    assert STUDIES.keys() == DESCRIPTIONS.keys()


def test_an_unknown_study_is_refused_with_a_suggestion(tmp_path):
    with pytest.raises(SetupError, match='"two-mas" is not a study; did you mean "two-mass"'):
        run_study("two-mas", tmp_path)


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        run_study("two-mass", tmp_path / "out", quick=True)
