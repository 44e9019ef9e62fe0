from dataclasses import replace

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.linearisation import linearise
from counterpoint.stability_analysis.prober import Prober
from counterpoint.studies.stability.growth import measured_growth

from .two_mass import two_mass

SCHEMES = ("slowest-first", "fastest-first", "parallel")
APPROXIMATIONS = {
    "hold": cp.hold(),
    "lagrange 1": cp.lagrange(1),
    "lagrange 2": cp.lagrange(2),
    "hermite": cp.hermite(),
    "taylor 2": cp.taylor(2),
    "least squares": cp.least_squares(1, 4),
    "mean": cp.mean(),
    "transition": cp.transition(1),
}


def radius(system, scheme, **options):
    prober = Prober(linearise(system), scheme, **options)
    return prober, np.max(np.abs(np.linalg.eigvals(prober.matrix())))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("approximation", APPROXIMATIONS)
def test_the_spectral_radius_is_the_growth_of_a_direct_simulation(scheme, approximation):
    system = two_mass(7.5, APPROXIMATIONS[approximation])
    prober, found = radius(system, scheme)
    assert prober.period == pytest.approx(0.15)
    assert found == pytest.approx(measured_growth(system, scheme, prober.period), abs=1e-6)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_multistep_solvers_remember_earlier_states(scheme):
    system = two_mass(10, cp.lagrange(1), "bdf2", "bdf2")
    prober, found = radius(system, scheme)
    assert any(entry.kind == "earlier state" for entry in prober.entries)
    assert found == pytest.approx(measured_growth(system, scheme, prober.period), abs=1e-6)


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("stencil", ["one-sided", "centred"])
def test_windows_are_probed_as_they_run(repeats, stencil):
    system = two_mass(10, cp.lagrange(2))
    window = cp.window(length=0.2, repeats=repeats, stencil=stencil)
    prober, found = radius(system, "fastest-first", window=window)
    assert found == pytest.approx(measured_growth(system, "fastest-first", prober.period, window=window), abs=1e-6)


def test_one_column_at_a_time_gives_the_same_matrix():
    class Line(cp.Approximation):
        points = 2

        def evaluate(self, times, values, t):
            if len(times) == 1:
                return values[0]
            return values[0] + (values[1] - values[0]) * (t - times[0]) / (times[1] - times[0])

    alone, together = (
        Prober(linearise(two_mass(5, approximation)), "fastest-first") for approximation in (Line(), cp.lagrange(1))
    )
    assert (alone.linear, together.linear) == (False, True)
    np.testing.assert_allclose(alone.matrix(), together.matrix(), rtol=0, atol=1e-13)


def test_older_samples_than_those_of_the_map_change_nothing():
    system = two_mass(5, cp.transition(2))  # its line starts where the last one ended: older samples matter
    prober = Prober(linearise(system), "parallel")
    samples = [entry.back for entry in prober.entries if entry.kind == "sample" and entry.subsystem == "slow"]
    assert max(samples) >= 3
    _, found = radius(system, "parallel")
    assert found == pytest.approx(measured_growth(system, "parallel", prober.period), abs=1e-6)


def test_grids_without_a_common_period_are_refused():
    with pytest.raises(cp.SetupError, match="no common period"):
        Prober(linearise(two_mass(2**0.5 * 3, cp.hold())), "parallel")


@pytest.mark.parametrize(
    "window",
    [
        cp.compound_fast(tolerance=1e-11),
        cp.compound_fast(share="mixed", tolerance=1e-11),
        cp.window(tolerance=1e-11, acceleration="newton"),
        "repeat-once",
    ],
    ids=str,
)
@pytest.mark.parametrize("solver", ["trapezoidal", "bdf2"])
def test_implicit_couplings_are_probed_as_they_run(window, solver):
    system = two_mass(7.5, cp.lagrange(1), solver, solver)
    prober, found = radius(system, "slowest-first", window=window)
    grown = measured_growth(system, "slowest-first", prober.period, window=window)
    assert found == pytest.approx(grown, abs=1e-9)


def strong_pair(fast_step):
    """Two oscillators with a strong coupling, which every scheme lets grow."""
    system = cp.System("pair")
    for name, rate, gain, step in (("slow", 7.0, -0.6, 0.1), ("fast", 9.0, 0.5, fast_step)):
        part = cp.linear(
            [[0, 1], [-(rate**2), 0.2]], [[0], [gain * rate**2]], [[1, 0]], x0=[1, 0.3], inputs="u", outputs="y",
            solver="ode4",
        )  # fmt: skip
        system.add(name, part, step=step)
    system.connect("slow.y", "fast.u", cp.lagrange(2))
    system.connect("fast.y", "slow.u", cp.lagrange(2))
    return system


@pytest.mark.parametrize("fast_step", [0.06, 0.075])
@pytest.mark.parametrize(
    "window", [cp.window(0.1, 1), cp.window(0.2, 2, stencil="centred"), "repeat-once", cp.compound_fast(tolerance=1e-12)],
    ids=str,
)  # fmt: skip
def test_windows_that_cut_steps_are_probed_as_they_run(window, fast_step):
    system = strong_pair(fast_step)
    prober, found = radius(system, "slowest-first", window=window)
    grown = measured_growth(system, "slowest-first", prober.period, window=window)
    assert found == pytest.approx(grown, rel=1e-8)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("approximation", [cp.hold("behind"), cp.hold("ahead")], ids=lambda value: value.name)
def test_multistep_solvers_have_made_a_step_before_where_one_sample_is_enough(scheme, approximation):
    """Without a step before, the first one was by the trapezoidal rule: 1.188 for 1.112 in a period."""
    system = cp.System("pair")
    for name, rate, gain in (("a", 9.0, 0.5), ("b", 7.0, -0.6)):
        matrix = [[0, 1], [-(rate**2), 0.02 * rate]]
        part = cp.linear(matrix, [[0], [gain * rate**2]], [[1, 0]], x0=[1, 0.3], inputs="u", outputs="y", solver="bdf2")
        system.add(name, part, step=0.1)
    system.connect("a.y", "b.u", approximation)
    system.connect("b.y", "a.u", approximation)
    prober, found = radius(system, scheme)
    assert found == pytest.approx(measured_growth(system, scheme, prober.period), rel=1e-9)


def test_a_transition_in_windows_is_analysed_by_a_long_run():
    """Its line begins with what the pass before the last one has read: no number of the map."""
    system = strong_pair(0.05)
    for number, connection in enumerate(system.connections):
        system.connections[number] = replace(connection, approximations=(cp.transition(2),))
    window = cp.window(0.1, repeats=1)
    found = cp.stability(system, "slowest-first", window=window)
    assert "what a transition begins with in a window" in found.remarks[-1]
    grown = np.log(measured_growth(system, "slowest-first", 0.1, window=window)) / 0.1
    assert found.growth_rate == pytest.approx(grown, abs=0.05)
    converged = cp.window(0.1, tolerance=1e-12)
    prober, of_map = radius(system, "slowest-first", window=converged)
    assert of_map == pytest.approx(measured_growth(system, "slowest-first", prober.period, window=converged), rel=1e-8)


def test_a_variable_order_is_analysed_by_a_long_run():
    """It chooses by the samples: unit histories give 0.9975 in a period, where the coupling grows."""
    system = cp.System("pair")
    for name, rate, gain in (("a", 3.0, 0.5), ("b", 5.0, -0.3)):
        matrix = [[0, 1], [-(rate**2), -0.05 * rate]]
        part = cp.linear(matrix, [[0], [gain * rate**2]], [[1, 0]], x0=[1, 0.3], inputs="u", outputs="y")
        system.add(name, part, step=0.05)
    system.connect("a.y", "b.u", cp.variable_order())
    system.connect("b.y", "a.u", cp.variable_order())
    found = cp.stability(system, "parallel")
    assert "a variable order is chosen by the samples themselves" in found.remarks[-1]
    values = system.run(until=400.0, scheme="parallel", check="off")["b.y"].values
    early, late = (np.max(np.abs(values[begin : begin + 800])) for begin in (3000, 7000))
    assert found.growth_rate == pytest.approx(np.log(late / early) / 200.0, abs=found.tolerance / found.period)
    converged = cp.window(0.1, tolerance=1e-12, stencil="centred")
    assert cp.stability(system, "parallel", window=converged).matrix is not None
