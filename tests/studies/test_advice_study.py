"""The study of the advice: its quick form has the committed numbers."""

import pytest

from counterpoint.studies.advice.two_mass_family import Family

from .reading import read_claims

STUDY = "advice"
pytestmark = pytest.mark.timeout(600)  # the first test runs the study


def test_each_claim_has_an_origin_and_a_reason_where_it_fails(quick):
    rows = read_claims(quick[0])
    assert {row["origin"] for row in rows} == {"ours"}
    assert all(row["remark"] and "not known" not in row["remark"] for row in rows if row["holds"] == "no")


def test_the_quick_form_has_the_committed_numbers(quick, committed):
    assert committed["changes"](quick[1], "advice") == []


def test_without_hardening_the_family_is_the_published_problem():
    from counterpoint.studies.two_mass.experiment import Case, Driver, build

    ours = Family(10).system(2).run(until=5.0, first_steps="once", check="off")
    published = build(Case(10, "slowest-first", 2, driver=Driver.PRECEDENCE))
    theirs = published.run(until=5.0, first_steps="once", check="off")
    assert ours["fast.x"].values[-1] == pytest.approx(theirs["fast.x1"].values[-1], rel=1e-6)
