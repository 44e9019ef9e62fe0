"""Which linear solver is fastest for a mechanism: all are tried, and those that cannot be taken say why."""

import pytest

from counterpoint import SetupError
from counterpoint.multibody import Formulation
from counterpoint.multibody.analysis import tune
from counterpoint.multibody.library import four_bar


def test_all_solvers_are_measured_and_the_mechanism_stays_as_it_was():
    mechanism = four_bar(3)
    given = mechanism.formulation = Formulation(integrator="hermite")
    found = tune(mechanism, step=1e-3, seconds=0.1)
    assert mechanism.formulation is given
    solvers = {c.solver for c in found.candidates if c.system == "condensed"}
    assert {"static-ldlt", "static-lu", "sparse-ldlt", "sparse-lu", "dense-ldlt", "dense-llt", "dense-lu"} <= solvers
    assert [c.problem for c in found.candidates] == [""] * len(found.candidates)
    times = [c.microseconds for c in found.candidates]
    assert times == sorted(times)
    assert found.automatic in found.candidates
    assert found.gain >= 1.0


def test_a_mechanism_without_a_step_needs_one():
    with pytest.raises(SetupError, match="tune needs a step"):
        tune(four_bar(1))


def test_a_run_that_fails_is_told_for_each_candidate():
    mechanism = four_bar(10)
    mechanism.formulation = Formulation(max_iterations=1, tolerance=1e-15)
    with pytest.raises(SetupError, match="no candidate"):
        tune(mechanism, step=5e-2, seconds=0.1)
