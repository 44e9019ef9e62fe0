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
    assert claim.holds is holds


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
    assert rows == [list(COLUMNS), ["3.4: größer, “so”", "< 0.1", "0.25", "1", "bound", "false", "a, b"]]


def test_the_page_embeds_its_figures_and_escapes_text(tmp_path):
    (tmp_path / "f.png").write_bytes(b"picture")
    report = StudyReport(
        title="<T>",
        introduction=["a < b"],
        claims=[Claim.below("x < y", 1, 2, remark="<b>no</b>"), Claim.below("z", 1, 0)],
        references=[],
        figures=[Figure(tmp_path / "f.png", "F & G")],
        folder=tmp_path,
    )
    report.write()
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "data:image/png;base64,cGljdHVyZQ==" in page
    assert "&lt;T&gt;" in page
    assert "<b>no</b>" not in page
    assert "1 of 2 published claims hold." in page
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
