"""Matrices of a mechanism as files."""

import csv

import numpy as np
import pytest
import scipy.io

from counterpoint.errors import OutputError, SetupError
from counterpoint.multibody import Mechanism, write_matrices
from counterpoint.multibody.files.matrices import FILES, write_matrix_market


@pytest.fixture
def mechanism():
    m = Mechanism("two bars", dimension=2)
    m.point("A", (0, 0), fixed=True)
    m.point("B", (1, 0))
    m.point("=C", (2, 0.5), velocity=(0, 1))
    m.body("crank", points=["A", "B"], mass=3.0)
    m.body("rod", points=["B", "=C"], mass=6.0)
    m.spring("s", between=("A", "=C"), stiffness=100.0, damping=7.0)
    return m


def matrix(path):
    return np.asarray(scipy.io.mmread(path).todense())


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_file_is_written_and_read_by_another_program(mechanism, tmp_path):
    written = write_matrices(mechanism, tmp_path / "out")
    assert [path.name for path in written] == list(FILES)
    shapes = {path.stem: matrix(path).shape for path in written if path.suffix == ".mtx"}
    assert shapes == {"mass": (4, 4), "jacobian": (2, 4), "stiffness": (4, 4), "damping": (4, 4)}


def test_the_mass_matrix_is_that_of_two_rods(mechanism, tmp_path):
    write_matrices(mechanism, tmp_path)
    # A rod of mass m has m/3 at each end and m/6 between them.
    expected = np.kron([[1.0 + 2.0, 1.0], [1.0, 2.0]], np.eye(2))
    np.testing.assert_allclose(matrix(tmp_path / "mass.mtx"), expected, rtol=1e-14)


def test_stiffness_and_damping_are_those_of_the_spring(mechanism, tmp_path):
    write_matrices(mechanism, tmp_path)
    line = np.array([2, 0.5]) / np.hypot(2, 0.5)
    stiffness, damping = matrix(tmp_path / "stiffness.mtx"), matrix(tmp_path / "damping.mtx")
    np.testing.assert_allclose(damping[2:, 2:], 7.0 * np.outer(line, line), rtol=1e-12)
    np.testing.assert_allclose(line @ stiffness[2:, 2:] @ line, 100.0, rtol=1e-9)
    assert not stiffness[:2].any()


def test_the_jacobian_is_the_derivative_of_the_equations(mechanism, tmp_path):
    assembly = mechanism.assembled()
    write_matrices(assembly, tmp_path)
    jacobian = matrix(tmp_path / "jacobian.mtx")

    def phi(q):
        return np.array(assembly.model.constraints(0.0, q.tolist(), assembly.v.tolist(), [], [], [])[0])

    h = 1e-6
    columns = [(phi(assembly.q + h * e) - phi(assembly.q - h * e)) / (2 * h) for e in np.eye(len(assembly.q))[:4]]
    np.testing.assert_allclose(jacobian, np.transpose(columns), atol=1e-8)


def test_states_and_names_go_with_the_matrices(mechanism, tmp_path):
    write_matrices(mechanism, tmp_path)
    coordinates = table(tmp_path / "coordinates.csv")
    assert [row["coordinate"] for row in coordinates] == ["B.x", "B.y", "'=C.x", "'=C.y", "A.x", "A.y"]
    assert [row["free"] for row in coordinates] == list("111100")
    assembly = mechanism.assembled()
    np.testing.assert_array_equal([float(row["q_in_m"]) for row in coordinates], assembly.q)
    np.testing.assert_array_equal([float(row["v_in_m_per_s"]) for row in coordinates], assembly.v)
    equations = table(tmp_path / "equations.csv")
    assert len(equations) == 2
    assert "crank" in equations[0]["equation"]


def test_another_state_can_be_asked_for(mechanism, tmp_path):
    q = mechanism.assembled().q.copy()
    q[:4] = [0, 1, 0, 2.5]
    write_matrices(mechanism, tmp_path, q=q)
    np.testing.assert_allclose(matrix(tmp_path / "damping.mtx")[3, 3], 7.0)


def test_a_state_of_the_wrong_size_is_refused(mechanism, tmp_path):
    with pytest.raises(SetupError, match="q: expected 6 finite numbers"):
        write_matrices(mechanism, tmp_path / "out", q=[1.0])
    assert not (tmp_path / "out").exists()


def test_files_that_are_there_are_kept(mechanism, tmp_path):
    write_matrices(mechanism, tmp_path)
    with pytest.raises(OutputError, match="already exists"):
        write_matrices(mechanism, tmp_path)
    write_matrices(mechanism, tmp_path, overwrite=True)


def test_a_folder_that_cannot_be_made_is_an_error(mechanism, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be made"):
        write_matrices(mechanism, tmp_path / "file" / "out")


def test_numbers_are_written_with_every_digit(tmp_path):
    write_matrix_market(tmp_path / "m.mtx", (1, 2), ([0, 0], [0, 1]), [0.1 + 0.2, 1e-300], remarks=["a\nb"])
    assert np.array_equal(matrix(tmp_path / "m.mtx"), [[0.1 + 0.2, 1e-300]])
