"""The study of linear algebra: matrices are those of the chain, solvers solve, every claim is decided, files are there."""

from pathlib import Path

import numpy as np
import pytest

from counterpoint.multibody import Formulation
from counterpoint.multibody.library import four_bar
from counterpoint.studies import run_study
from counterpoint.studies.linear_algebra.chain import tangent
from counterpoint.studies.linear_algebra.holding import CASES, SECONDS, reference, run_case
from counterpoint.studies.linear_algebra.measuring import measure
from counterpoint.studies.linear_algebra.operations import fills, operations
from counterpoint.studies.linear_algebra.phases import GROUPS, TASKS, ProfiledChain, phase_table, phases
from counterpoint.studies.linear_algebra.solvers import core_solver, libraries
from counterpoint.studies.linear_algebra.study import Extent, measure_all

from .reading import read_claims

DOCS = Path(__file__).resolve().parents[2] / "docs"


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
    extent = Extent(0.0005, (4, 10), (0, 20), (10,), (1.0,), (30,), 5, (5,), 0.01, (1,), 1, (2, 3), 0.001)
    measured = measure_all(extent, libraries()[0][:2], None)
    assert {len(points) for points in measured.large.values()} == {1}
    assert len(measured.everywhere) == 8
    assert 1.0 <= measured.parts[0].bound() <= 2.0
    assert [found.size for found in measured.phases] == [6, 8]


@pytest.mark.parametrize("loops", [10, 1000])  # from 2000 coordinates on, steps are compiled for domains
def test_a_profile_changes_no_bit_and_counts_the_phases_of_every_step(loops):
    profiled, plain = ProfiledChain(loops), ProfiledChain(loops, Formulation)
    assert {count for _, count in profiled.profile().values()} == {0}
    elapsed = profiled.advance(20)
    plain.advance(20)
    assert plain.profile() == {}
    assert profiled.core.state == plain.core.state
    counts = {name: count for name, (_, count) in profiled.profile().items()}
    done = profiled.core.statistics
    assert done.steps == 20
    for name in ("prediction", "projection terms", "projection solutions", "acceptance"):
        assert counts[name] == 20
    for name in ("tangent", "factorisation", "correction"):
        assert counts[name] == done.iterations
    assert counts["dynamic terms"] == counts["residual"] >= done.iterations
    # Nothing of a step is counted twice.
    assert 0 < sum(seconds for seconds, _ in profiled.profile().values()) <= elapsed


def test_every_phase_is_in_one_group_and_in_one_task_and_shares_add_up():
    found = [phases(loops, 0.001) for loops in (2, 3, 4, 5)]
    names = sorted(found[0].seconds)
    for known in (GROUPS, TASKS):
        assert sorted(name for members, _ in known.values() for name in members) == names
        assert sum(found[0].percent(members) for members, _ in known.values()) == pytest.approx(100)
    assert found[0].reading > 0
    for column in (0, 1):
        assert sum(printed[column] for _, printed in GROUPS.values()) == pytest.approx(100, abs=1)
        assert sum(printed[column] for _, printed in TASKS.values()) == pytest.approx(100, abs=0.5)
    rows = phase_table(found).rows
    assert len(rows) == len(GROUPS) + len(TASKS) + 2
    assert {len(row) for row in rows} == {5}


def test_factors_of_the_chain_have_the_entries_of_the_matrix_and_no_more():
    chain, longer, *_ = fills(1002)
    assert chain.ratio == pytest.approx(1.0, abs=0.01)
    assert longer.ratio == pytest.approx(1.0, abs=0.001)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    return folder, run_study("linear-algebra", folder, quick=True)


def test_the_quick_form_decides_every_claim_and_writes_its_files(study):
    folder, report = study
    rows = read_claims(folder)
    assert len(rows) == len(report.claims)
    assert {row["holds"] for row in rows} <= {"yes", "no", "not measured"}
    assert all(row["holds"] == "yes" for row in rows if "holds for" in row["claim"])
    assert all(figure.path.stat().st_size > 5000 for figure in report.figures)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "What still holds" in page
    assert "Amdahl" in page


def test_what_is_not_a_time_has_the_committed_numbers(study, committed):
    assert committed["changes"](study[1], "linear-algebra") == []


def _documented():
    """Yield formulation, loops and entry of the table of formulations in the documentation."""
    text = (DOCS / "explanation" / "multibody.md").read_text(encoding="utf-8")
    lines = text.split("| formulation | integrator | L = 1 |", 1)[1].split("\n\n", 1)[0].splitlines()
    loops = [1, *map(int, lines[0].strip(" |").split(" | "))]
    for line in lines[2:]:
        formulation, integrator, *entries = line.strip("| ").split(" | ")
        name, *penalty = f"{formulation}, {integrator}".split(", penalty 1e8")
        case = f"{name}{''.join(penalty)}{', penalty 1e8' if penalty else ''}"
        for count, entry in zip(loops, entries, strict=True):
            yield case.replace("index-3, printed, trapezoidal", "index-3 as printed"), count, entry


def test_the_table_of_formulations_in_the_documentation_is_what_the_study_makes(study):
    """Errors are printed with two digits, and scatter by rounding where singular positions are passed: within 20 %."""
    table = next(table for table in study[1].tables if table.title.startswith("Formulation and integrator"))
    made = {(row[0], int(column.removeprefix("L = "))): entry
            for row in table.rows for column, entry in zip(table.columns[1:], row[1:], strict=True)}  # fmt: skip
    documented = {(case, loops): entry for case, loops, entry in _documented()}
    assert {case for case, _ in documented} == set(CASES)
    for place, entry in made.items():
        failed = entry.startswith("fails"), documented[place].startswith("fails")
        assert failed[0] == failed[1], place
        number = [float(text.removeprefix("fails at ").split()[0]) for text in (entry, documented[place])]
        assert number[0] == pytest.approx(number[1], rel=0.2), place
