"""The error measures against motions whose error is known by hand."""

import numpy as np
import pytest

from counterpoint.studies.two_mass.measures import Trajectory, measure
from counterpoint.studies.two_mass.problem import Ratios, TwoMass


def exact_run(problem, h=0.01, ratio=10):
    t1, t2 = np.arange(10001) * h, np.arange(10001 // ratio + 1) * h * ratio
    x1, v1, _, _ = problem.exact(t1)
    _, _, x2, v2 = problem.exact(t2)
    return Trajectory(t1, x1, v1, t2, x2, v2)


def test_the_exact_motion_has_no_error():
    problem = TwoMass.from_ratios(Ratios(10.0))
    found = measure(problem, exact_run(problem))
    assert found.dx == 0
    assert found.dx2 == 0
    assert found.dE < 1e-3  # v2 is linear between slow steps
    assert found.amplitude == pytest.approx(1.0, rel=1e-2)


def test_the_position_error_carries_the_factor_of_equation_7():
    problem = TwoMass.from_ratios(Ratios(10.0))
    run = exact_run(problem)
    longer = Trajectory(run.t1, 1.01 * run.x1, run.v1, run.t2, run.x2, run.v2)
    assert measure(problem, longer).dx == pytest.approx(10 / 100 * 0.01)


def test_a_lost_fast_mode_shows_as_amplitude_zero():
    problem = TwoMass.from_ratios(Ratios(10.0))
    w2, (_, (_, slow)) = problem.slow_frequency, problem.modes
    run = exact_run(problem)
    shape = problem.modes[0, 1]
    x1, v1 = shape * np.cos(w2 * run.t1), -shape * w2 * np.sin(w2 * run.t1)
    x2, v2 = slow * np.cos(w2 * run.t2), -slow * w2 * np.sin(w2 * run.t2)
    lost = Trajectory(run.t1, x1, v1, run.t2, x2, v2)
    assert measure(problem, lost).amplitude < 1e-2


def test_energy_and_amplitude_are_not_given_for_damped_motion():
    problem = TwoMass.from_ratios(Ratios(10.0), damping_ratio=0.1)
    found = measure(problem, exact_run(problem))
    assert np.isnan(found.dE)
    assert np.isnan(found.amplitude)


def test_energy_is_measured_only_where_both_masses_are_known():
    """With fastest-first the slow mass ends a step behind; what came after would be made up."""
    problem = TwoMass.from_ratios(Ratios(10.0))
    run = exact_run(problem)
    short = Trajectory(run.t1, run.x1, run.v1, run.t2[:-1], run.x2[:-1], run.v2[:-1])
    assert short.on_fast_grid().shape[1] == short.together.sum() == 9991
    assert measure(problem, short).dE == pytest.approx(measure(problem, run).dE, rel=1e-2)
