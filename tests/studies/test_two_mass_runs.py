"""Runs of the two-mass experiment against numbers of independent programs."""

import numpy as np
import pytest

from counterpoint.studies.two_mass import references
from counterpoint.studies.two_mass.diagram import DiagramCase, Loop, run_diagram
from counterpoint.studies.two_mass.experiment import (
    Case,
    Driver,
    monolithic_error,
    run_case,
    simulate,
    trapezoidal_error,
)

# dx for orders 0 to 3 of a prototype in Python, written from the published algorithm before the core existed.
UNSYNCHRONISED = {
    (2.5, "slowest-first"): (1.38099e-03, 1.30305e-03, 1.17580e-03, 1.17515e-03),
    (2.5, "fastest-first"): (3.34462e-03, 1.37331e-03, 1.17424e-03, 1.17495e-03),
    (7.3, "slowest-first"): (4.01133e-03, 2.03590e-03, 1.25486e-03, 1.26882e-03),
    (7.3, "fastest-first"): (2.32821e-02, 2.78531e-03, 1.26617e-03, 1.33674e-03),
    (12.25, "slowest-first"): (6.69402e-03, 3.29712e-03, 2.30384e-03, 2.55239e-03),
    (12.25, "fastest-first"): (5.75744e-02, 6.59875e-03, 2.11707e-03, 3.28807e-03),
    (100 / 3, "slowest-first"): (2.78162e-02, 3.38832e-02, 2.67434e-02, 4.33767e-02),
    (100 / 3, "fastest-first"): (2.59972e-01, 8.85366e-02, 9.63533e-02, 9.21992e-02),
}
# The same prototype with damping: FR, ζ, scheme, order.
DAMPED = {
    (30.0, 0.5, "slowest-first", 0): 1.51438e-3,
    (30.0, 0.5, "fastest-first", 3): 3.14976e-3,
    (10.0, 0.2, "slowest-first", 3): 1.82647e-4,
}
# The same prototype with smoothing of order 3 on grids that are not synchronised.
SMOOTHED = {85.5: 0.142994, 88.3: 0.131546}


@pytest.mark.parametrize(("key", "expected"), references.EMBEDDED.items(), ids=str)
def test_the_embedded_interface_meets_the_reference_position_errors(key, expected):
    for order, dx in enumerate(expected):
        assert run_case(Case(*key, order)).dx == pytest.approx(dx, rel=references.tolerance(key[0], dx)), order


@pytest.mark.parametrize(("key", "expected"), references.PRECEDENCE.items(), ids=str)
def test_the_precedence_rule_meets_the_reference_position_errors(key, expected):
    for order, dx in enumerate(expected):
        found = run_case(Case(*key, order, driver=Driver.PRECEDENCE)).dx
        assert found == pytest.approx(dx, rel=references.RELATIVE_PRECEDENCE), order


@pytest.mark.parametrize(("key", "expected"), references.ENERGY.items(), ids=str)
def test_the_embedded_interface_meets_the_reference_energy_errors(key, expected):
    for order, dE in enumerate(expected):
        assert run_case(Case(*key, order)).dE == pytest.approx(dE, rel=references.RELATIVE_ENERGY[key[1]]), order


@pytest.mark.parametrize(("key", "expected"), UNSYNCHRONISED.items(), ids=str)
def test_ratios_that_are_no_integers_work_the_same_way(key, expected):
    for order, dx in enumerate(expected):
        assert run_case(Case(*key, order)).dx == pytest.approx(dx, rel=1e-4), order


@pytest.mark.parametrize(("key", "expected"), DAMPED.items(), ids=str)
def test_damped_runs_agree_with_the_prototype(key, expected):
    fr, zeta, scheme, order = key
    assert run_case(Case(fr, scheme, order, damping_ratio=zeta)).dx == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(("key", "expected"), references.SMOOTHING.items(), ids=str)
def test_smoothing_and_least_squares_at_fr_90(key, expected):
    assert run_case(references.smoothed(*key)).dx == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize(("fr", "expected"), SMOOTHED.items())
def test_smoothing_on_unsynchronised_grids(fr, expected):
    found = run_case(Case(fr, "fastest-first", 3, smoothing=True))
    assert found.dx == pytest.approx(expected, rel=1e-3)


def test_smoothing_keeps_three_quarters_of_the_fast_motion_at_fr_90():
    assert run_case(references.smoothed(3, 0)).amplitude == pytest.approx(0.742, rel=2e-3)


@pytest.mark.parametrize(("scheme", "order"), [("slowest-first", 3), ("fastest-first", 1)])
def test_the_diagram_with_a_mechanism_is_the_linear_form(scheme, order):
    """Figure 5 as drawn: the same numbers as the embedded interface with linear models."""
    expected = run_case(Case(20.0, scheme, order))
    found = run_diagram(DiagramCase(20.0, scheme, order, mechanism=True))
    assert found.dx == pytest.approx(expected.dx, rel=1e-6)
    assert found.dE == pytest.approx(expected.dE, rel=1e-4)


def test_a_memory_on_the_force_costs_nothing_and_one_on_the_time_delays_the_answer():
    dx = {loop: run_diagram(DiagramCase(10.0, loop=loop)).dx for loop in Loop}
    assert dx[Loop.FORCE] == pytest.approx(dx[Loop.NONE], rel=0.01)
    # Two independent programs of an interface whose clock is one step late: 6.2e-3.
    assert dx[Loop.FORCE_AND_TIME] == pytest.approx(6.2e-3, rel=0.05)
    assert dx[Loop.FORCE] < dx[Loop.UNIT_DELAY] < dx[Loop.FORCE_AND_TIME]


def test_one_model_with_ode4_is_almost_exact():
    assert monolithic_error(10.0) == pytest.approx(4.7e-7, rel=2e-2)
    assert monolithic_error(100.0) == pytest.approx(4.7e-6, rel=2e-2)


@pytest.mark.parametrize("fr", [2.0, 10.0, 50.0])
def test_the_trapezoidal_rule_alone_has_the_same_floor_for_every_ratio(fr):
    assert trapezoidal_error(fr) == pytest.approx(1.17e-3, rel=3e-2)


def test_both_masses_reach_the_end_on_their_own_grids():
    run = simulate(Case(12.25, "slowest-first", 3))
    np.testing.assert_allclose(run.t1, 0.01 * np.arange(10001), rtol=0, atol=1e-9)
    np.testing.assert_allclose(np.diff(run.t2)[:-1], 0.1225, rtol=1e-9)
    assert run.t2[-1] >= 100 - 0.1225
