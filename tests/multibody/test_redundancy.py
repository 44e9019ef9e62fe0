"""Redundant equations and freedom of a mechanism, against the rank that NumPy finds; how building it grows."""

from time import process_time

import numpy as np
import pytest
import scipy.io

from counterpoint.multibody import Mechanism, library, write_matrices


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


def test_building_a_mechanism_takes_time_that_grows_with_its_size():
    def seconds(loops):
        times = []
        for _ in range(3):
            began = process_time()
            library.four_bar(loops).assembled()
            times.append(process_time() - began)
        return min(times)

    seconds(10)
    # Linear would be 8; quadratic 64.
    assert seconds(1600) < 20 * seconds(200)
