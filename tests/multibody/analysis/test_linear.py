"""Linear models and modes against closed forms and against short runs."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.multibody import Mechanism
from counterpoint.multibody.analysis import differences

from ..examples import bricard, double_pendulum, four_bar, pendulum, spring_pendulum

G = 9.81


def double_pendulum_frequencies(l1=1.0, l2=0.7, m1=2.0, m2=1.5):
    mass = np.array([[(m1 + m2) * l1**2, m2 * l1 * l2], [m2 * l1 * l2, m2 * l2**2]])
    stiffness = np.diag([(m1 + m2) * G * l1, m2 * G * l2])
    return np.sort(np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real))


@pytest.mark.parametrize("angle", [-np.pi / 2, np.pi / 2])
def test_the_poles_of_a_pendulum_are_those_of_the_closed_form(angle):
    poles = pendulum(angle=angle).linearise().poles
    expected = np.sqrt(complex(1.5 * G * np.sin(angle)))
    assert np.sort_complex(poles**2) == pytest.approx([expected**2] * 2, rel=1e-13)


def test_the_modes_of_a_double_pendulum_are_those_of_the_closed_form():
    found = double_pendulum().modes()
    assert 2 * np.pi * found.frequencies == pytest.approx(double_pendulum_frequencies(), rel=1e-13)
    assert found.damping_ratios == pytest.approx([0.0, 0.0], abs=1e-12)


def test_measures_as_coordinates_give_the_textbook_matrices():
    rod = pendulum()
    rod.actuator("motor", "swing", force="input:torque")
    rod.spring("friction", "swing", damping=0.4)
    model = rod.linearise(coordinates=["swing"], outputs=["swing"])
    assert pytest.approx(np.array([[0, 1], [-1.5 * G, -0.4 * 3]]), abs=1e-9) == model.A
    assert pytest.approx(np.array([[0], [3.0]]), abs=1e-9) == model.B
    assert pytest.approx(np.array([[1.0, 0.0]]), abs=1e-9) == model.C
    assert model.states == ("swing", "swing_rate")
    assert model.inputs == ("torque",)
    assert model.outputs == ("swing",)


def test_an_accelerating_point_has_feedthrough_from_the_force():
    rod = pendulum()
    rod.force("push", "B", ["input:f", 0.0])
    rod.output("a", of="B", motion="acceleration")
    model = rod.linearise()
    assert pytest.approx(3.0) == model.D[0, 0]  # f L / (m L²/3) * L


def test_a_guiding_input_comes_with_its_rate_and_acceleration():
    """A pendulum on a trolley whose place is given: the acceleration of the trolley drives it."""
    made = Mechanism("trolley", dimension=2)
    made.point("O", (0, 0), fixed=True)
    made.point("T", (0, 0))
    made.point("B", (0, -1))
    made.point_mass("T", 1.0)
    made.body("rod", points=["T", "B"], mass=1.0)
    made.on_line("rail", "T", through="O", axis=(1, 0))
    made.displacement("place", "T", along=(1, 0))
    made.angle("swing", "rod")
    made.guide("place", "input:x")
    model = made.linearise(coordinates=["swing"], outputs=["swing", "place", "guide:place"])
    assert model.inputs == ("x", "x_rate", "x_acceleration")
    assert pytest.approx(np.array([[0, 1], [-1.5 * G, 0]]), abs=1e-9) == model.A
    assert pytest.approx(np.array([[0, 0, 0], [0, 0, -1.5]]), abs=1e-9) == model.B
    assert pytest.approx(np.array([1.0, 0, 0]), abs=1e-9) == model.D[1]
    # Force on the trolley: 2 kg accelerated less what the rod's swing takes over.
    assert pytest.approx(2.0 - 0.5 * 1.5, abs=1e-9) == model.D[2, 2]


@pytest.mark.parametrize("t", [0.0, 0.35])
def test_a_linear_model_foretells_a_short_run_about_a_moving_state(t):
    """Runs from disturbed states differ by exp(A t) of the disturbance, while it and the time are small."""
    rod = Mechanism("double", dimension=2)
    rod.point("O", (0, 0), fixed=True)
    rod.point("P", (1, 0))
    rod.point("R", (1.5, 0.5))
    rod.body("upper", points=["O", "P"], mass=1.0)
    rod.body("lower", points=["P", "R"], mass=2.0)
    rod.angle("a", "upper")
    rod.angle("b", "lower")
    rod.output("a", of="a")
    rod.output("da", of="a", motion="velocity")
    rod.output("b", of="b")
    rod.output("db", of="b", motion="velocity")
    rod.spring("damper", "b", damping=0.3)
    run = rod.run(until=0.5, step=1e-4)
    state = rod.state(run, t)
    model = rod.linearise(state, coordinates=["a", "b"], outputs=["a", "b", "da", "db"])
    h, eps = 1e-3, 1e-4
    for column in range(4):
        disturbance = eps * np.eye(4)[column]
        ends = []
        for sign in (1.0, -1.0):
            x = model.y0 + sign * disturbance
            ends.append(_run_from(rod, state, x, h))
        change = (ends[0] - ends[1]) / (2 * eps)
        expected = np.eye(4) + h * model.A + 0.5 * h**2 * model.A @ model.A
        # Next to A h itself (1e-2), what is left: h² dA/dt and h³ A³.
        assert change == pytest.approx(expected[:, column], abs=2e-4)


def _run_from(mechanism, state, x, h):
    """Return (a, b, da, db) a time h after a state in these coordinates."""
    import copy

    made = copy.copy(mechanism)
    made.initial_values = []
    made.start_position = {"P": state.q[:2], "R": state.q[2:4]}
    turned = copy.copy(made)
    turned._changed()
    turned.initial("a", float(x[0]), rate=float(x[2]))
    turned.initial("b", float(x[1]), rate=float(x[3]))
    end = turned.run(until=h, step=h / 20).to_pandas("double").iloc[-1]
    return end[["a", "b", "da", "db"]].to_numpy()


@pytest.mark.parametrize("dimension", [2, 3])
def test_forces_know_how_they_change(dimension):
    """Exact derivatives of springs, dampers, friction and torques against differences of the forces."""
    rng = np.random.default_rng(3)
    made = Mechanism("mixed", dimension=dimension)
    made.point("A", rng.normal(size=dimension), fixed=True)
    for name in "BCD":
        made.point(name, rng.normal(size=dimension), velocity=rng.normal(size=dimension))
    inertia = 1.0 if dimension == 2 else (1.0, 1.0, 1.0)
    made.body("one", points=["A", "B"], mass=1.0, inertia=inertia)
    made.body("two", points=["C", "D"], mass=2.0, inertia=inertia)
    axis = None if dimension == 2 else (1.0, 2.0, -1.0)
    made.angle("angle", "one", "two", axis=axis)
    made.distance("distance", "B", "D")
    made.displacement("along", "C", along=np.eye(dimension)[0], body="one", origin="A")
    made.rotation("bend", "one", "two", axis=axis if axis else (1.0, 0.0))
    made.spring("s1", "angle", stiffness=5.0, damping=0.2, natural=0.3)
    made.spring("s2", "distance", curve=[(-1, -40), (0.1, 3), (1, 90)], damper_curve=[(-9, -9), (0.3, 1), (9, 20)])
    made.friction("s3", "along", sliding=4.0, breakaway=7.0, rate=0.8, stribeck=1.7)
    made.spring("s4", "bend", stiffness=9.0, damping=3.0)
    made.force("push", "D", [1.0] * dimension, body="one")
    made.torque("turn", "two", 2.0 if dimension == 2 else (1.0, 2.0, 3.0), turning=True)
    problem = made.problem()
    for _ in range(5):
        direction = problem.still()
        direction.q[: problem.n], direction.v[: problem.n] = rng.normal(size=(2, problem.n))
        exact = problem.force_change(problem.start, direction, 1e-4)
        expected = differences.along(problem, problem.forces, problem.start, direction)
        assert exact == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_friction_that_slides_fast_damps_nothing():
    made = Mechanism("slider", dimension=2, gravity=(0, 0))
    made.point("O", (0, 0), fixed=True)
    made.point("B", (1, 0), velocity=(5.0, 0))
    made.point_mass("B", 2.0)
    made.displacement("x", "B", along=(1, 0), origin="O")
    made.friction("rub", "x", sliding=4.0, rate=0.8)
    expected = -4.0 / 0.8 * (1.0 - np.tanh(5.0 / 0.8) ** 2) / 2.0
    assert made.linearise().A[2, 2] == pytest.approx(expected, rel=1e-6)


def test_redundant_constraints_do_not_disturb_the_linear_model():
    loop = bricard()
    assert loop.assembled().redundant
    model = loop.linearise()
    assert model.A.shape == (2, 2)
    assert model.drift[1] != 0.0


def test_a_damped_spring_has_the_damping_ratio_of_its_closed_form():
    found = spring_pendulum().modes()
    vertical = np.argmin(np.abs(2 * np.pi * found.frequencies - 10.0))
    assert found.frequencies[vertical] == pytest.approx(10.0 / (2 * np.pi), rel=1e-9)
    assert found.damping_ratios[vertical] == pytest.approx(0.5 / (2 * np.sqrt(200.0 * 2.0)), rel=1e-8)
    # The two swinging modes: length in equilibrium.
    swinging = np.sqrt(G / (1.0 + 2.0 * G / 200.0)) / (2 * np.pi)
    assert np.sort(found.frequencies)[:2] == pytest.approx([swinging] * 2, rel=1e-9)


def test_a_free_body_has_rigid_modes_of_frequency_zero():
    sled = Mechanism("sled", dimension=2, gravity=(0, 0))
    for name, x in (("a", 0.0), ("b", 1.0)):
        sled.point(name, (x, 0))
        sled.point_mass(name, 1.0)
    sled.spring("coil", between=("a", "b"), stiffness=50.0, damping=0.1)
    found = sled.modes()
    assert found.frequencies == pytest.approx([0, 0, 0, 10.0 / (2 * np.pi)], abs=1e-6)


def test_overdamped_motions_have_real_eigenvalues():
    rod = pendulum()
    rod.spring("brake", "swing", damping=50.0)
    found = rod.modes()
    inertia, restoring = 1.0 / 3.0, 0.5 * G
    expected = np.sort(np.roots([inertia, 50.0, restoring]).real)
    assert np.sort(found.eigenvalues.real) == pytest.approx(expected, rel=1e-7)
    assert found.damping_ratios == pytest.approx([1.0, 1.0])


def test_modes_of_a_four_bar_agree_with_the_oscillation_of_a_run():
    bar = four_bar()
    rest = bar.equilibrium()
    frequency = bar.modes(rest).frequencies[0]
    settled = bar.settled()
    settled.initial("turn", rate=1e-3)
    run = settled.run(until=10 / frequency, step=1e-3 / frequency)
    x = run["fourbar.B"].values[:, 0] - rest["B"][0]
    t = run["fourbar.B"].time
    places = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    crossings = t[places] - x[places] * (t[places + 1] - t[places]) / (x[places + 1] - x[places])
    # 1000 steps of the trapezoidal rule in a period lengthen it by (2 pi / 1000)² / 12 = 3e-6.
    assert 1 / np.diff(crossings).mean() == pytest.approx(frequency, rel=2e-5)


def test_the_frequency_response_at_rest_is_the_static_deflection():
    rod = pendulum()
    rod.actuator("motor", "swing", force="input:torque")
    model = rod.linearise(coordinates=["swing"], outputs=["swing"])
    assert model.response([0.0])[0, 0, 0] == pytest.approx(1.0 / (0.5 * G), rel=1e-9)


def test_a_linear_model_runs_as_a_subsystem():
    rod = pendulum()
    rod.actuator("motor", "swing", force="input:torque")
    model = rod.linearise(coordinates=["swing"], outputs=["swing"])
    system = cp.System("linear")
    system.add("rod", model.subsystem(x0=[0.01, 0.0]), step=1e-3)
    result = system.run(until=1.0)
    assert result["rod.swing"].values[-1] == pytest.approx(0.01 * np.cos(np.sqrt(1.5 * G)), abs=1e-8)


def test_wrong_coordinates_are_refused_with_the_right_count():
    rod = pendulum()
    with pytest.raises(cp.SetupError, match='no measure "swig"') as caught:
        rod.linearise(coordinates=["swig", "swing"])
    assert "there are 1 degrees of freedom" in str(caught.value)


def test_a_mode_can_be_watched():
    shown = double_pendulum().modes().animation(1)
    rods = [shape for shape in shown.shapes if shape.name == "upper"]
    lengths = np.linalg.norm(np.diff(rods[0].positions, axis=1), axis=2)
    assert lengths == pytest.approx(np.ones_like(lengths), abs=1e-9)
    assert "mode 1" in shown.title


def test_a_mode_that_is_not_there_is_named():
    with pytest.raises(cp.SetupError, match="no mode 3; there are 2"):
        double_pendulum().modes().animation(3)
