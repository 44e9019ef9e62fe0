"""The two-mass problem against closed forms and an independent integrator."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from counterpoint.errors import SetupError
from counterpoint.studies.two_mass.problem import (
    FAST_FREQUENCY,
    Ratios,
    TwoMass,
    masses,
    stiffness,
    stiffness_as_printed,
)

amplitude_ratio = st.floats(1e-3, 1e4).flatmap(lambda x: st.sampled_from([x, -x]))


@pytest.mark.parametrize("frequency_ratio", [1.5, 2.0, 7.3, 30.0, 100.0])
def test_the_natural_frequencies_are_those_asked_for(frequency_ratio):
    problem = TwoMass.from_ratios(Ratios(frequency_ratio))
    frequencies = np.sort(np.abs(np.linalg.eigvals(problem.matrix)))
    expected = np.repeat([FAST_FREQUENCY / frequency_ratio, FAST_FREQUENCY], 2)
    np.testing.assert_allclose(expected, frequencies, rtol=1e-9)


def test_the_published_ratios_have_the_short_closed_form():
    problem = TwoMass.from_ratios(Ratios(30.0))
    difference = FAST_FREQUENCY**2 * (1 - 1 / 900)
    expected = [1.01 / difference, 101 / difference, 1.01 / 899, 1.0, 101 / 899]
    np.testing.assert_allclose(expected, [problem.m1, problem.m2, problem.k1, problem.k2, problem.k3], rtol=1e-12)
    np.testing.assert_allclose([11.0, 9.99], problem.start, rtol=1e-14)


def test_the_printed_signs_would_give_negative_springs():
    np.testing.assert_allclose([-0.336667, -33.6667], stiffness_as_printed(Ratios(2.0)), rtol=1e-5)
    np.testing.assert_allclose([+0.336667, +33.6667], stiffness(Ratios(2.0)), rtol=1e-5)


frequency_ratio = st.floats(0.05, 100.0).filter(lambda x: abs(x - 1) > 1e-3)


@given(
    frequency_ratio,
    amplitude_ratio,
    amplitude_ratio,
    st.sampled_from([0, 1]),
    st.floats(0.2, 5.0),
    st.booleans(),
)
def test_the_limits_are_exactly_that_all_masses_and_springs_are_positive(
    frequency, first, second, limit, scale, negative
):
    assume(first * second < 0)
    assume(abs(scale - 1) > 1e-6)  # on the limit itself rounding decides
    size = Ratios(frequency, first, second, 1.0).allowed_between()[limit] * scale
    ratios = Ratios(frequency, first, second, -size if negative else size)
    other = Ratios(frequency, first, second, 1.0).allowed_between()[1 - limit]
    assume(abs(size / other - 1) > 1e-6)
    values = (*masses(ratios), *stiffness(ratios))
    assert (min(values) > 0) == (ratios.problems() == [])


@given(frequency_ratio, amplitude_ratio, amplitude_ratio, amplitude_ratio)
def test_amplitude_ratios_of_equal_sign_never_make_a_system(frequency, first, second, between):
    ratios = Ratios(frequency, first, abs(second) if first > 0 else -abs(second), between)
    assert min(masses(ratios)) <= 0
    assert any("(6.20)" in problem for problem in ratios.problems())


@pytest.mark.parametrize(
    ("ratios", "message"),
    [
        (
            Ratios(30.0, between=0.2),
            r"AR12 = 0.2 breaks limit \(6.19\), k1 > 0; allowed for FR = 30: 0.0899 < \|AR12\| < 0.1001",
        ),
        (Ratios(30.0, between=0.05), r"AR12 = 0.05 breaks limit \(6.18\), k3 > 0; allowed"),
        (
            Ratios(30.0, second=1000.0),
            r"AR12·AR2 = 100 breaks limit \(6.20\), m1, m2 > 0; allowed for FR > 1: AR12·AR2 < 0",
        ),
        (Ratios(1.0), "FR = 1; must be positive and not 1"),
        (Ratios(float("nan")), "FR = nan; must be finite"),
    ],
)
def test_impossible_ratios_name_the_limit_and_the_allowed_range(ratios, message):
    with pytest.raises(SetupError, match=message):
        TwoMass.from_ratios(ratios)


def test_a_negative_damping_ratio_is_refused():
    with pytest.raises(SetupError, match="damping ratio = -1"):
        TwoMass.from_ratios(Ratios(10.0), damping_ratio=-1)


def test_dampers_follow_equation_9():
    problem = TwoMass.from_ratios(Ratios(20.0), damping_ratio=0.5)
    assert problem.c3 == pytest.approx(problem.m2 * FAST_FREQUENCY / 20)
    assert problem.c1 == pytest.approx(problem.m1 * FAST_FREQUENCY / 20)


@pytest.mark.parametrize("damping_ratio", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("frequency_ratio", [2.0, 12.5])
def test_the_exact_motion_is_what_a_tight_integrator_finds(frequency_ratio, damping_ratio):
    problem = TwoMass.from_ratios(Ratios(frequency_ratio), damping_ratio)
    start = [problem.start[0], 0.0, problem.start[1], 0.0]
    times = np.linspace(0.0, 20.0, 101)
    found = solve_ivp(
        lambda _, y: problem.matrix @ y,
        (0.0, 20.0),
        start,
        method="DOP853",
        t_eval=times,
        rtol=1e-12,
        atol=1e-12,
    )
    np.testing.assert_allclose(found.y, problem.exact(times), rtol=0, atol=1e-8)


def test_energy_is_constant_without_damping_and_falls_with_it():
    times = np.linspace(0.0, 100.0, 1001)
    free = TwoMass.from_ratios(Ratios(30.0))
    energy = free.energy(free.exact(times))
    np.testing.assert_allclose(energy, energy[0], rtol=1e-11)
    damped = TwoMass.from_ratios(Ratios(30.0), damping_ratio=0.1)
    assert np.all(np.diff(damped.energy(damped.exact(times))) < 0)
