"""The study of the verdict: its solutions are solutions, and the quick form has the committed numbers."""

import numpy as np
import pytest

from counterpoint.approximations import lagrange
from counterpoint.studies.verdict.linear_trials import chain, chain_ends, random_networks, three_parts, two_masses
from counterpoint.studies.verdict.other_trials import contacts, sampled_controllers
from counterpoint.studies.verdict.trial import Outcome, try_out

from .reading import read_claims

STUDY = "verdict"
pytestmark = pytest.mark.timeout(600)  # the first test runs the study


def test_each_claim_has_an_origin_and_a_reason_where_it_fails(quick):
    rows = read_claims(quick[0])
    assert {row["origin"] for row in rows} == {"ours"}
    assert all(row["remark"] and "not known" not in row["remark"] for row in rows if row["holds"] == "no")


def test_the_quick_form_has_the_committed_numbers(quick, committed):
    assert committed["changes"](quick[1], "verdict") == []


def test_the_figures_are_there(quick):
    assert {path.stem for path in (quick[0] / "figures").glob("*.png")} == {"estimated-errors", "confusion"}


@pytest.mark.parametrize("network", [chain(4, 4.0), three_parts()])
def test_the_closed_form_is_what_tiny_steps_converge_to(network):
    steps = dict.fromkeys(network.parts, 1e-3)
    result = network.system(steps, lagrange(2)).run(until=2.0, check="off")
    for name, solution in network.solution().items():
        found = result[name]
        assert np.abs(found.values - solution(found.time)).max() < 1e-4


@pytest.mark.parametrize("family", [two_masses, random_networks, contacts, sampled_controllers, chain_ends])
def test_the_first_run_of_a_family_is_judged_rightly(family):
    outcome = try_out(next(iter(family())))
    assert outcome.verdict == outcome.truth


def test_a_motion_that_is_gone_counts_as_wrong_however_small_the_error():
    assert Outcome(None, "trustworthy", "high", 0.01, 0.01, 0.2).truth == "do not use"
    assert Outcome(None, "trustworthy", "high", 0.01, 0.1, 1.2).truth == "look here"
