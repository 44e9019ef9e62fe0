"""Redundant equations and freedom of a mechanism, against the rank that NumPy finds."""

import numpy as np
import pytest
import scipy.io

from counterpoint.multibody import Mechanism, write_matrices


def truss(cells, braces, seed):
    """Return a row of square cells of rods between moved-about points, of which `braces` have both diagonals; a free mass."""
    made = Mechanism("truss", dimension=2)
    random = np.random.default_rng(seed)
    for column in range(cells + 1):
        for row in range(2):
            place = np.array([column, row]) + random.uniform(-0.2, 0.2, 2)
            made.point(f"{column}-{row}", place)
            made.point_mass(f"{column}-{row}", 1.0)
    made.point("free", (0.3, 5.0))
    made.point_mass("free", 2.0)
    rods = [(f"{c}-0", f"{c}-1") for c in range(cells + 1)]
    rods += [(f"{c}-{r}", f"{c + 1}-{r}") for c in range(cells) for r in range(2)]
    rods += [pair for c in range(braces) for pair in ((f"{c}-0", f"{c + 1}-1"), (f"{c}-1", f"{c + 1}-0"))]
    for k in random.permutation(len(rods)):
        made.distance_constraint(f"rod {k}", *rods[k])
    return made


def jacobian(mechanism, folder):
    write_matrices(mechanism, folder)
    return np.asarray(scipy.io.mmread(folder / "jacobian.mtx").todense())


def net(size):
    """Return a net of rods in space with both diagonals in every mesh, its knots moved about."""
    made = Mechanism("net", dimension=3)
    random = np.random.default_rng(0)
    knots = [(i, j) for i in range(size) for j in range(size)]
    for i, j in knots:
        made.point(f"{i}-{j}", np.array([i, j, 0.0]) + random.uniform(-0.2, 0.2, 3))
        made.point_mass(f"{i}-{j}", 1.0)
    for i, j in knots:
        for other in ((i + 1, j), (i, j + 1), (i + 1, j + 1), (i + 1, j - 1)):
            if other in knots:
                made.distance_constraint(f"{i}-{j} to {other[0]}-{other[1]}", f"{i}-{j}", f"{other[0]}-{other[1]}")
    return made


def ladder(cells):
    """Return two chains of plates that turn about the same hinges, every third pair of them welded."""
    made = Mechanism("ladder", dimension=3)
    for side in range(2):
        for k in range(cells):
            places = {
                f"p{side}-{k}": (k, side, 0),
                f"q{side}-{k}": (k + 0.5, side, 0.3),
                f"r{side}-{k}": (k + 0.9, side, 0),
            }
            for name, place in places.items():
                made.point(name, place)
            made.body(f"plate {side}-{k}", points=list(places), mass=1.0, inertia=(0.1, 0.1, 0.1))
            if k > 0:
                plates = (f"plate {side}-{k - 1}", f"plate {side}-{k}")
                made.joint(f"hinge {side}-{k}", "revolute", *plates, at=(k, side, 0), axis=(0, 1, 0))
    for k in range(0, cells, 3):
        made.joint(f"weld {k}", "weld", f"plate 0-{k}", f"plate 1-{k}", at=f"p0-{k}")
    return made


def chain(rods):
    """Return a chain of rods that hangs on one end: as many free motions as rods."""
    made = Mechanism("chain", dimension=2)
    made.point("0", (0, 0), fixed=True)
    for k in range(rods):
        made.point(f"{k + 1}", (k + 1.0, 0))
        made.body(f"rod {k}", points=[f"{k}", f"{k + 1}"], mass=1.0)
    return made


@pytest.mark.parametrize(("cells", "braces"), [(1, 0), (1, 1), (6, 3), (12, 12)])
@pytest.mark.parametrize("seed", range(3))
def test_freedom_and_redundancy_agree_with_the_rank_that_numpy_finds(cells, braces, seed, tmp_path):
    mechanism = truss(cells, braces, seed)
    made = mechanism.assembled()
    matrix = jacobian(mechanism, tmp_path)
    rank = int(np.linalg.matrix_rank(matrix, tol=1e-8))
    assert made.degrees_of_freedom == matrix.shape[1] - rank
    assert len(made.redundant) == len(matrix) - rank == braces  # the second diagonal of a cell follows from the first
    names = [made.model.equation_name(k) for k in range(len(matrix))]
    kept = [k for k, name in enumerate(names) if name not in made.redundant]
    assert np.linalg.matrix_rank(matrix[kept], tol=1e-8) == rank  # those that are named really follow from the others


def test_a_net_with_many_redundant_rods_keeps_the_six_motions_of_a_rigid_body():
    made = net(20).assembled()
    assert made.degrees_of_freedom == 6
    assert len(made.redundant) == made.model.equations - (3 * 20 * 20 - 6)


def test_redundant_equations_in_a_long_row_of_loops_are_all_found():
    # Between two welds three hinges on each side, their axes in one plane: four motions; and six of the whole. Factors that
    # grow from loop to loop would hide some of the redundant equations.
    assert ladder(250).assembled().degrees_of_freedom == 4 * 83 + 6


def test_more_equations_than_coordinates_leave_no_motion_and_no_negative_number_of_them():
    made = Mechanism("stuck", dimension=2)
    for k in range(5):
        made.point(f"wall {k}", (np.cos(k), np.sin(k)), fixed=True)
    made.point("P", (0.1, 0.2))
    made.point_mass("P", 1.0)
    for k in range(5):
        made.distance_constraint(f"rod {k}", "P", f"wall {k}")
    assembly = made.assembled()
    assert assembly.degrees_of_freedom == 0
    assert len(assembly.redundant) == 3


def test_half_of_the_cells_of_a_long_row_braced_twice_are_all_found():
    """How the time grows is measured by ``python -m benchmarks multibody --work assembly``."""
    assembly = truss(1600, 800, 0).assembled()
    assert len(assembly.redundant) == 800


def test_many_free_motions_are_all_counted():
    assert chain(1600).assembled().degrees_of_freedom == 1600
