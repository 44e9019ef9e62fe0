"""Benchmarks of the community: the problems are those that were published, and every claim is decided."""

import numpy as np
import pytest
from scipy.linalg import expm

import counterpoint as cp
from counterpoint.studies import run_study
from counterpoint.studies.public_benchmarks import dual_mass, network, oscillator, quarter_car
from counterpoint.studies.public_benchmarks.exact import propagated


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return run_study("public-benchmarks", tmp_path_factory.mktemp("study"), quick=True)


@pytest.mark.parametrize("problem", [network, quarter_car, dual_mass])
def test_the_exact_motion_is_that_of_the_exponential(problem):
    expected = expm(problem.WHOLE * 1.7) @ problem.START
    assert propagated(problem.WHOLE, problem.START, [1.7])[0] == pytest.approx(expected, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize(
    ("problem", "scheme"),
    [
        (network, cp.sequential(["left", "right", "middle"])),
        (quarter_car, quarter_car.SCHEMES["sequential"]),
        (dual_mass, "sequential"),
    ],
)
def test_the_coupled_problem_converges_to_it_with_the_order_of_its_approximation(problem, scheme):
    coarse, fine = (
        problem.error(problem.build(step, cp.lagrange(1)).run(until=problem.UNTIL, scheme=scheme))
        for step in (0.02, 0.01)
    )
    assert coarse / fine == pytest.approx(4.0, rel=0.15)


def test_the_quarter_car_has_the_published_modes():
    modes = np.linalg.eigvals(quarter_car.WHOLE)
    assert sorted(np.abs(modes.imag))[::2] == pytest.approx([5.7812, 62.5581], abs=1e-4)


def test_windows_of_piecewise_linear_signals_give_the_published_error():
    """Figure 10 of the source, where method and signals are the same; printed to three digits."""
    for length, (straight, _) in list(oscillator.FIGURE_10.items())[:3]:
        assert oscillator.iterated(length, length / 5, length / 100, cp.lagrange(1))[0] == pytest.approx(
            straight, rel=5e-3
        )


def test_the_numbers_are_those_that_are_committed(report, committed):
    assert committed["changes"](report, "public-benchmarks") == []


def test_everything_printed_is_met(report):
    assert [claim.claim for claim in report.claims if claim.origin == "printed" and not claim.holds] == []


def test_every_benchmark_has_a_figure_and_a_table_over_schemes_and_approximations(report):
    assert len(report.figures) == 4
    assert all(path.stat().st_size > 1000 for path in report.written)
    assert [table.title for table in report.tables][::2] == [
        "Partitioned oscillator without windows", "Three-part network", "Dual mass oscillator",
    ]  # fmt: skip
