"""The pendulums study: physics against closed forms, the same bits across a socket, every claim decided."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from counterpoint.studies import run_study
from counterpoint.studies.pendulums.across import across_socket, in_process
from counterpoint.studies.pendulums.inverted import Inverted, controller, coupled, plant
from counterpoint.studies.pendulums.inverted_claims import in_one_model, lean
from counterpoint.studies.pendulums.split import GRAVITY, Hinge, Pendulum, deviation, elastic, loop_gain, rigid, whole

from .reading import read_claims


def test_poles_are_those_of_the_closed_form():
    """Thin rod on a cart: the facts give +4.10 uncontrolled and -5.71 ± 2.77i with F = 40 θ + 8 θ'."""
    problem = Inverted()
    assert np.linalg.eigvals(problem.linear(controlled=False)).max() == pytest.approx(4.10, abs=2e-3)
    closed = np.linalg.eigvals(problem.linear())
    assert closed.real == pytest.approx([-5.71, -5.71], abs=5e-3)
    assert np.abs(closed.imag) == pytest.approx([2.77, 2.77], abs=5e-3)


def test_the_equation_in_one_model_is_linear_about_upright_as_derived():
    problem = Inverted()
    small = 1e-6
    columns = [(np.array(problem.derivatives(0, x, None)) / small)[[1, 3]] for x in small * np.eye(4)[[1, 3]]]
    np.testing.assert_allclose(np.array(columns).T, problem.linear(), rtol=1e-6)


def test_the_coupled_pendulum_converges_to_the_one_model_with_the_first_order_of_held_values():
    problem = Inverted()
    reference = in_one_model(problem)

    def error(step):
        result = in_process(problem, step)
        exact = np.interp(result["plant.angle"].time, reference["whole.lean"].time, reference["whole.lean"].values)
        return np.abs(lean(result) - exact).max()

    assert error(1e-2) / error(5e-3) == pytest.approx(2.0, rel=0.1)


def test_a_gain_below_the_least_lets_it_fall():
    problem = Inverted(proportional=9.0)
    result = coupled(plant(problem), controller(problem), 0.01).run(until=5.0, scheme="sequential")
    assert np.abs(lean(result)).max() > np.deg2rad(45)


def test_across_a_socket_the_bits_are_the_same():
    problem = Inverted()
    result, _ = across_socket(problem, span=1.0)
    here = in_process(problem, span=1.0)
    for name in ("plant.angle", "plant.place", "controller.force"):
        assert np.array_equal(result[name].values, here[name].values)


def test_the_whole_double_pendulum_moves_as_its_equations_say():
    """Point masses of 1 kg at 1 m, both rods level at the start, angles from the vertical."""

    def rates(t, z):
        a, b, da, db = z
        d = a - b
        matrix = [[2.0, np.cos(d)], [np.cos(d), 1.0]]
        right = [-(db**2) * np.sin(d) - 2 * GRAVITY * np.sin(a), da**2 * np.sin(d) - GRAVITY * np.sin(b)]
        return [da, db, *np.linalg.solve(matrix, right)]

    times, places = whole(Pendulum())
    z = solve_ivp(rates, (0, times[-1]), [np.pi / 2, np.pi / 2, 0, 0], rtol=1e-10, atol=1e-12, t_eval=times).y
    exact = np.column_stack([np.sin(z[0]) + np.sin(z[1]), -np.cos(z[0]) - np.cos(z[1])])
    assert np.abs(places - exact).max() < 1e-4  # index 3, trapezoidal, 1 ms


@pytest.mark.parametrize(("ratio", "gain", "stays"), [(1.0, 0.6, True), (2.0, 2.0, False), (3.5, 0.6, True)])
def test_a_rigid_hinge_is_lost_where_the_rods_stand_across_each_other_not_where_the_lower_mass_is_heavy(
    ratio, gain, stays
):
    pendulum = Pendulum(lower=ratio)
    assert loop_gain(pendulum) == pytest.approx(gain, abs=0.05)
    assert (deviation(rigid(pendulum, 1), "parallel", whole(pendulum)) < 0.05) == stays


def test_a_cut_pendulum_comes_nearer_with_smaller_steps():
    pendulum = Pendulum(lower=0.2)
    reference = whole(pendulum, step=2e-4)
    coarse, fine = (deviation(rigid(pendulum, 1, step), "sequential", reference) for step in (2e-3, 5e-4))
    assert fine < 0.5 * coarse


def test_a_stiffer_hinge_is_nearer_to_a_rigid_one():
    reference = whole(Pendulum())
    soft, stiff = (deviation(elastic(Pendulum(), Hinge(k, 1e-3 * k), 2), "sequential", reference) for k in (1e3, 1e5))
    assert stiff < 0.2 * soft


def test_the_study_writes_its_claims_figures_and_page(tmp_path, committed):
    report = run_study("pendulums", tmp_path, quick=True)
    assert committed["changes"](report, "pendulums") == []
    rows = read_claims(tmp_path)
    assert [row["claim"] for row in rows if row["holds"] != "yes"] == []
    assert len(rows) == len(report.claims) == 15
    # The source shows one figure and prints no number.
    assert [row["origin"] for row in rows].count("printed") == 0
    assert [row["claim"][:3] for row in rows if row["origin"] == "derived"] == ["4.3"]
    assert all(path.stat().st_size > 1000 for path in report.written)
