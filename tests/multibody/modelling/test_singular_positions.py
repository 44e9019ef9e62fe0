"""Index-3 steps that end next to singular positions, where the branches of an antiparallelogram and a parallelogram cross."""

import numpy as np
import pytest

from counterpoint import SimulationError
from counterpoint.multibody import Formulation, Mechanism


def antiparallelogram(crank, coupler, angle, masses, rate):
    """Two cranks that turn against each other: twice in a turn all points lie on one line, a singular position."""
    b0, a1 = crank * np.array([np.cos(angle), np.sin(angle)]), np.array([coupler, 0.0])
    # The other point at the distances of a parallelogram's: its fourth corner, mirrored at the diagonal from B0 to A1.
    along = (a1 - b0) / np.linalg.norm(a1 - b0)
    corner = np.array([coupler, 0.0])
    b1 = b0 + 2 * along * (along @ corner) - corner
    v0 = rate * np.array([-b0[1], b0[0]])
    v1 = np.linalg.solve([b1 - b0, b1 - a1], [(b1 - b0) @ v0, 0.0])
    made = Mechanism("linkage", dimension=2)
    made.point("A0", (0, 0), fixed=True)
    made.point("A1", tuple(a1), fixed=True)
    made.point("B0", tuple(b0), velocity=tuple(v0))
    made.point("B1", tuple(b1), velocity=tuple(v1))
    made.body("crank0", points=["A0", "B0"], mass=masses[0])
    made.body("crank1", points=["A1", "B1"], mass=masses[0])
    made.body("coupler", points=["B0", "B1"], mass=masses[1])
    made.output("B0", "B0")
    made.output("B1", "B1")
    return made


def change_of_energy(result):
    """Largest change in one step, relative to the largest kinetic energy."""
    change = np.abs(np.diff(result["linkage.energy"].values))
    return change.max() / result["linkage.kinetic_energy"].values.max()


def goes_against(result, coupler):
    """Whether the cranks always turn against each other, as those of a parallelogram do not."""
    b0, b1 = result["linkage.B0"].values, result["linkage.B1"].values - [coupler, 0.0]
    turns = [np.diff(np.unwrap(np.arctan2(b[:, 1], b[:, 0]))) for b in (b0, b1)]
    return bool(np.all(turns[0] * turns[1] < 0))


FAST = (0.3, 1.52, 0.81, (1.8, 1.2), 21.3)  # goes round in 0.2 s
JUMPS = [
    ({}, FAST, 4e-3),
    ({}, (0.26, 1.93, 1.59, (3.2, 2.3), 16.1), 4e-3),
    ({"integrator": "hermite"}, (0.56, 1.26, 2.25, (3.0, 1.7), 12.3), 4e-3),
    ({"integrator": "hermite"}, (0.27, 1.93, 2.06, (1.6, 0.8), 10.9), 4e-3),
    ({"integrator": "hermite", "system": "kkt"}, (0.93, 1.77, 1.82, (2.2, 1.6), 23.4), 4e-3),
    ({"integrator": "generalised-alpha"}, (0.95, 1.86, 1.12, (4.0, 1.0), 10.5), 8e-3),
    ({"integrator": "generalised-alpha", "spectral_radius": 1.0}, (0.95, 1.86, 1.12, (4.0, 1.0), 10.5), 1e-3),
]


# Up to nine tenths of the energy went in one step and nothing said so, or an iteration failed some steps later.
@pytest.mark.parametrize(("options", "numbers", "step"), JUMPS)
def test_steps_of_index_3_that_end_next_to_a_singular_position_keep_the_energy(options, numbers, step):
    mechanism = antiparallelogram(*numbers)
    mechanism.formulation = Formulation(**options)
    result = mechanism.run(until=10.0, step=step)
    assert change_of_energy(result) < 5e-3
    assert goes_against(result, numbers[1])


def test_a_step_that_is_made_in_halves_counts_once():
    mechanism = antiparallelogram(*FAST)
    mechanism.run(until=5.0, step=4e-3)
    found = mechanism.assembled().statistics
    assert found["steps"] == 1250
    assert 0 < found["halved_steps"] < 400


def test_where_halves_do_not_help_the_run_ends_and_names_the_time():
    mechanism = antiparallelogram(0.2, 0.55, 1.15, (3.7, 3.6), 13.1)
    mechanism.formulation = Formulation(integrator="hermite")
    with pytest.raises(SimulationError, match=r"from t = .* s to .*takes .* % of the energy away.*halved 4.*smaller"):
        mechanism.run(until=10.0, step=16e-3)


def test_a_given_number_of_iterations_is_not_halved():
    mechanism = antiparallelogram(*FAST)
    mechanism.formulation = Formulation(fixed_iterations=3)
    mechanism.run(until=3.0, step=4e-3)
    found = mechanism.assembled().statistics
    assert found["halved_steps"] == 0
    assert found["iterations"] == 3 * found["steps"]


EXPLICIT = [
    {"name": "augmented-lagrangian", "integrator": "rk2"},
    {"name": "penalty", "integrator": "rk4", "penalty": 1e8},
]
SLOW = (0.5, 1.2, 0.8, (1.0, 1.0), 6.0)


# A quarter of the energy went in one step and nothing said so.
@pytest.mark.parametrize("options", EXPLICIT)
def test_steps_of_explicit_rules_that_end_next_to_a_singular_position_keep_the_energy(options):
    mechanism = antiparallelogram(*SLOW)
    mechanism.formulation = Formulation(**options)
    assert change_of_energy(mechanism.run(until=20.0, step=2e-3)) < 1e-2
    assert 0 < mechanism.assembled().statistics["halved_steps"] < 500


@pytest.mark.parametrize("options", [{"penalty": 1e10}, {"fixed_iterations": 3}])
def test_a_run_of_an_index_1_formulation_ends_where_a_step_takes_energy_away(options):
    mechanism = antiparallelogram(*SLOW)
    mechanism.formulation = Formulation("penalty", **options)
    with pytest.raises(SimulationError, match=r"from t = .* s to .*takes .* % of the energy away.*smaller.*index-3"):
        mechanism.run(until=20.0, step=2e-3)
