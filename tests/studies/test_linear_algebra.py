"""The study of linear algebra: matrices are those of the chain, solvers solve, every claim is decided, files are there."""

import csv

import numpy as np
import pytest

from counterpoint.multibody.library import four_bar
from counterpoint.studies import run_study
from counterpoint.studies.linear_algebra.chain import tangent
from counterpoint.studies.linear_algebra.holding import CASES, SECONDS, reference, run_case
from counterpoint.studies.linear_algebra.measuring import measure
from counterpoint.studies.linear_algebra.operations import operations
from counterpoint.studies.linear_algebra.solvers import core_solver, libraries
from counterpoint.studies.linear_algebra.study import Extent, measure_all


def test_the_matrix_has_the_printed_entries_and_is_positive_definite():
    matrix = tangent(82)
    assert matrix.size == 82
    assert len(matrix.values) == 12 * 40 + 4
    np.testing.assert_array_equal(matrix.dense(), matrix.dense().T)
    assert np.linalg.eigvalsh(matrix.dense()).min() > 0


def test_the_mass_matrix_is_that_of_the_library():
    assert four_bar(3).assembled().free == tangent(8).size


@pytest.mark.parametrize("per_row", [12, 50, 100])
def test_artificial_entries_are_as_many_as_asked_for(per_row):
    matrix = tangent(100, per_row)
    assert matrix.per_row == pytest.approx(per_row, rel=0.15)
    assert np.linalg.eigvalsh(matrix.dense()).min() > 0


def test_solvers_of_the_core_solve():
    matrix = tangent(42, 8)
    rows, columns, values = matrix.lower()
    b = np.arange(1.0, matrix.size + 1)
    expected = np.linalg.solve(matrix.dense(), b)
    for name in ("static-ldlt", "static-lu", "dense-llt", "sparse-lu"):
        found = core_solver(name, matrix).solve(values.tolist(), b.tolist())
        np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert len(rows) == len(columns)


def test_every_library_is_measured_and_missing_ones_are_named():
    found, missing = libraries()
    point = measure(tangent(22), found, 0.001)
    assert set(point.factor) == {library.name for library in found}
    assert all(0 < point.step(name) < 1 for name in point.factor)
    assert "WSMP" in missing


def test_places_known_beforehand_are_measured():
    assert [operation.planned > 0 for operation in operations(5, 10)] == [True] * 3


def test_the_reference_is_that_of_an_exact_integration():
    # DOP853, relative tolerance 2e-14
    np.testing.assert_allclose(reference(10)[-1], (0.477803196, 0.878466907), atol=2e-7)


def test_a_formulation_that_fails_says_when():
    outcome = run_case(10, CASES["index-3 as printed, penalty 1e8"], reference(10))
    assert outcome.failed_at < SECONDS
    assert str(outcome).startswith("fails at 0.7")


def test_small_extents_are_measured_as_a_whole():
    extent = Extent(0.0005, (4, 10), (0, 20), (10,), (1.0,), (30,), 5, (5,), 0.01, (1,), (5,), 1)
    measured = measure_all(extent, libraries()[0][:2], None)
    assert {len(points) for points in measured.large.values()} == {1}
    assert len(measured.everywhere) == 8
    assert 1.0 <= measured.parts[0].bound() <= 2.0


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    return folder, run_study("linear-algebra", folder, quick=True)


def test_the_quick_form_decides_every_claim_and_writes_its_files(study):
    folder, report = study
    with (folder / "claims.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(report.claims)
    assert {row["holds"] for row in rows} <= {"yes", "no", "not measured"}
    assert all(row["holds"] == "yes" for row in rows if "holds for" in row["claim"])
    assert all(figure.path.stat().st_size > 5000 for figure in report.figures)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "What still holds" in page
    assert "Amdahl" in page
