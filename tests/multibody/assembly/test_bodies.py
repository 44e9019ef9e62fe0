"""Rigid bodies in natural coordinates against rigid-body mechanics: mass matrix, free rotation, tops, local geometry."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint import SetupError
from counterpoint.multibody import Formulation, Mechanism

INERTIA = np.array([[0.4, 0.05, -0.02], [0.05, 0.3, 0.03], [-0.02, 0.03, 0.2]])
CENTRE = np.array([0.3, 0.2, 0.1])
PLACES = {"P": (0.1, 0.2, -0.3), "Q": (1.1, 0.3, 0.0), "R": (0.3, 1.2, 0.1), "S": (0.0, 0.4, 0.8)}


def dense_mass(assembly):
    """Mass matrix over the free coordinates, kg."""
    rows, columns = assembly.model.mass_places()
    matrix = np.zeros((assembly.free, assembly.free))
    np.add.at(matrix, (rows, columns), assembly.model.mass(0.0, *assembly._state()))
    return matrix


def kinetic_energy(assembly):
    v = assembly.v[: assembly.free]
    return 0.5 * v @ dense_mass(assembly) @ v


def runge_kutta(f, y, until, steps):
    """Integrate y' = f(y) by the classical rule."""
    h = until / steps
    for _ in range(steps):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


@cache
def euler_rotation(omega, until):
    """Rotation matrix after a free rotation that starts with omega in the axes of the body."""
    inverse = np.linalg.inv(INERTIA)

    def rates(y):
        turn, w = y[:9].reshape(3, 3), y[9:]
        spin = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([(turn @ spin).ravel(), inverse @ -np.cross(w, INERTIA @ w)])

    return runge_kutta(rates, np.concatenate([np.eye(3).ravel(), omega]), until, 400)[:9].reshape(3, 3)


def thrown_body(points, velocity, omega):
    mechanism = Mechanism("body", dimension=3, gravity=(0, 0, 0))
    for name in points:
        place = np.array(PLACES[name])
        mechanism.point(name, place, velocity=velocity + np.cross(omega, place - CENTRE))
    mechanism.body("body", points=points, mass=2.0, centre=CENTRE, inertia=INERTIA)
    return mechanism


@pytest.mark.parametrize("points", [["P", "Q", "R", "S"], ["P", "Q", "R"], ["S", "R", "Q"]])
@pytest.mark.parametrize(("integrator", "order"), [("trapezoidal", 2), ("hermite", 4)])
def test_an_asymmetric_body_turns_freely_as_eulers_equations_say(points, integrator, order):
    velocity, omega, until = np.array([0.1, -0.2, 0.3]), np.array([0.3, 2.0, 0.5]), 2.0
    turn = euler_rotation(tuple(omega), until)
    mechanism = thrown_body(points, velocity, omega)
    mechanism.formulation = Formulation(integrator=integrator)
    assert mechanism.assembled().degrees_of_freedom == 6
    assert kinetic_energy(mechanism.assembled()) == pytest.approx(velocity @ velocity + omega @ INERTIA @ omega / 2)
    errors = []
    for step in (0.02, 0.01):
        result = mechanism.run(until=until, step=step)
        places = {n: CENTRE + velocity * until + turn @ (np.array(PLACES[n]) - CENTRE) for n in points}
        errors.append(max(np.abs(result[f"body.{n}"].values[-1] - p).max() for n, p in places.items()))
    assert errors[1] < 2e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


def test_a_spinning_top_precesses_steadily():
    # Lagrange's top: I1 W² cos - I3 w3 W + m g l = 0 keeps the nutation angle (I1 about the fixed point).
    mass, arm, slender, spin_inertia, tilt, precession = 1.5, 0.4, 0.02, 0.03, 0.6, 2.0
    about_foot = slender + mass * arm**2
    w3 = (about_foot * precession**2 * np.cos(tilt) + mass * 9.81 * arm) / (spin_inertia * precession)
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    omega = precession * np.array([0, 0, 1]) + (w3 - precession * np.cos(tilt)) * axis
    top = Mechanism("top", dimension=3)
    top.point("foot", (0, 0, 0), fixed=True)
    side = np.array([-np.cos(tilt), 0.0, np.sin(tilt)])
    for name, place in {"tip": 2 * arm * axis, "rim": arm * axis + 0.2 * side}.items():
        top.point(name, place, velocity=np.cross(omega, place))
    inertia = slender * np.eye(3) + (spin_inertia - slender) * np.outer(axis, axis)
    top.body("top", points=["foot", "tip", "rim"], mass=mass, centre=arm * axis, inertia=inertia)
    top.formulation = Formulation(integrator="hermite")
    result = top.run(until=np.pi, step=5e-4)  # one turn of precession, 56 of spin
    tip = result["top.tip"].values
    np.testing.assert_allclose(tip[:, 2], 2 * arm * np.cos(tilt), atol=5e-6)
    angle = np.unwrap(np.arctan2(tip[:, 1], tip[:, 0]))
    np.testing.assert_allclose(angle, precession * result["top.tip"].time, atol=3e-4)


numbers = st.floats(-1.0, 1.0).map(lambda x: round(x, 3))
triples = st.tuples(numbers, numbers, numbers).map(np.array)


@settings(max_examples=40, deadline=None)
@given(points=st.lists(triples, min_size=1, max_size=5), vectors=st.lists(triples, max_size=2), axes=triples,
       centre=triples, velocity=triples, omega=triples)  # fmt: skip
def test_the_mass_matrix_has_the_kinetic_energy_of_every_motion_in_space(
    points, vectors, axes, centre, velocity, omega
):
    vectors = [v for v in vectors if np.linalg.norm(v) > 0.1]
    turn, _ = np.linalg.qr(np.eye(3) + np.outer(axes, centre) + np.diag(axes))
    inertia = turn @ np.diag([0.3, 0.2, 0.15]) @ turn.T
    mechanism = Mechanism("body", dimension=3, gravity=(0, 0, 0))
    for k, place in enumerate(points):
        mechanism.point(f"P{k}", place)
    for k, direction in enumerate(vectors):
        mechanism.vector(f"v{k}", direction)
    mechanism.body(
        "body", points=[f"P{k}" for k in range(len(points))], vectors=[f"v{k}" for k in range(len(vectors))],
        mass=2.0, centre=centre, inertia=inertia,
    )  # fmt: skip
    assembly = mechanism.assembled()
    assert assembly.degrees_of_freedom == 6
    values = np.concatenate(
        [
            velocity + np.cross(omega, mechanism.points[n].position - centre)
            if n in mechanism.points
            else np.cross(omega, assembly.placing.drawn(n))
            for n in assembly.entities
        ]
    )
    expected = velocity @ velocity + 0.5 * omega @ inertia @ omega
    assert 0.5 * values @ dense_mass(assembly) @ values == pytest.approx(expected, rel=1e-6, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(points=st.lists(triples, min_size=2, max_size=4), centre=triples, velocity=triples, omega=numbers)
def test_the_mass_matrix_has_the_kinetic_energy_of_every_motion_in_the_plane(points, centre, velocity, omega):
    points = [p[:2] for p in points]
    if np.linalg.norm(points[1] - points[0]) < 0.05:
        return
    mechanism = Mechanism("body", dimension=2, gravity=(0, 0))
    for k, place in enumerate(points):
        arm = place - centre[:2]
        mechanism.point(f"P{k}", place, velocity=velocity[:2] + omega * np.array([-arm[1], arm[0]]))
    mechanism.body("body", points=[f"P{k}" for k in range(len(points))], mass=2.0, centre=centre[:2], inertia=0.3)
    assembly = mechanism.assembled()
    assert assembly.degrees_of_freedom == 3
    expected = velocity[:2] @ velocity[:2] + 0.5 * 0.3 * omega**2
    assert kinetic_energy(assembly) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_points_beyond_the_basis_stay_where_they_belong():
    velocity, omega = np.array([0.1, -0.2, 0.3]), np.array([0.3, 2.0, 0.5])
    mechanism = thrown_body(["P", "Q", "R", "S"], velocity, omega)
    extra = np.array([0.7, -0.3, 0.4])
    mechanism.point("X", extra)
    part = mechanism.bodies["body"]
    part.points.append("X")
    assembly = mechanism.assembled()
    assert "X" not in assembly.entities
    result = mechanism.run(until=1.0, step=1e-2)
    for name, place in PLACES.items():
        distance = np.linalg.norm(result["body.X"].values - result[f"body.{name}"].values, axis=1)
        np.testing.assert_allclose(distance, np.linalg.norm(extra - np.array(place)), atol=1e-9)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_body_drawn_roughly_with_its_own_geometry_moves_as_one_drawn_exactly(dimension):
    places = {"A": (0, 0, 0), "B": (1, 0, 0), "C": (0.4, 0.5, 0)}
    # The frame of the body is turned by a quarter against the drawing and begins elsewhere.
    local = {n: (5 - y, 7 + x, z)[:dimension] for n, (x, y, z) in places.items()}
    vectors = ["z"] if dimension == 3 else []
    exactly = {"centre": (0.5, 0.1, 0.1)[:dimension], "inertia": 0.1 if dimension == 2 else (0.05, 0.07, 0.1)}
    roughly = {
        "centre": (4.9, 7.5, 0.1)[:dimension], "inertia": 0.1 if dimension == 2 else (0.07, 0.05, 0.1),
        "local": local | {"z": (0, 0, 1)[:dimension]},
    }  # fmt: skip

    def run(options, shift):
        mechanism = Mechanism("pendulum", dimension=dimension, gravity=(0, -9.81, 0)[:dimension])
        for name, place in places.items():
            mechanism.point(name, np.array(place[:dimension]) + shift * (name == "C"), fixed=name == "A")
        if dimension == 3:
            mechanism.vector("z", (0, 0, 1), fixed=True)
        mechanism.body("body", points=["A", "B", "C"], vectors=vectors, mass=2.0, **options)
        mechanism.displacement("height", "B", along=(0, 1, 0)[:dimension])
        mechanism.initial("height", 0.0)
        return mechanism.run(until=1.0, step=1e-2)

    exact, rough = run(exactly, 0.0), run(roughly, 0.02)
    np.testing.assert_allclose(rough["pendulum.B"].values, exact["pendulum.B"].values, atol=1e-8)
    np.testing.assert_allclose(rough["pendulum.C"].values, exact["pendulum.C"].values, atol=1e-8)


def test_a_rod_in_space_has_no_inertia_about_itself_and_swings_as_a_spherical_pendulum():
    # Conical motion of a uniform rod: w² = 3 g / (2 l cos).
    tilt, length = 0.5, 0.8
    rate = np.sqrt(1.5 * 9.81 / (length * np.cos(tilt)))
    rod = Mechanism("rod", dimension=3)
    rod.point("A", (0, 0, 0), fixed=True)
    radius = length * np.sin(tilt)
    rod.point("B", (radius, 0, -length * np.cos(tilt)), velocity=(0, rate * radius, 0))
    rod.body("rod", points=["A", "B"], mass=3.0)
    rod.formulation = Formulation(integrator="hermite")
    result = rod.run(until=2.0, step=2e-3)
    t, end = result["rod.B"].time, result["rod.B"].values
    exact = np.stack(
        [radius * np.cos(rate * t), radius * np.sin(rate * t), np.full_like(t, -length * np.cos(tilt))], axis=1
    )
    np.testing.assert_allclose(end, exact, atol=1e-7)


def test_two_bodies_on_the_same_points_add_their_masses():
    def pendulum(masses):
        mechanism = Mechanism("pendulum", dimension=2)
        mechanism.point("A", (0, 0), fixed=True)
        mechanism.point("B", (1, 0))
        for k, mass in enumerate(masses):
            mechanism.body(f"rod{k}", points=["A", "B"], mass=mass)
        mechanism.point_mass("B", 0.5)
        return mechanism.run(until=1.0, step=1e-2)["pendulum.B"].values

    np.testing.assert_allclose(pendulum([1.0, 2.0]), pendulum([3.0]), atol=1e-12)


def test_a_rod_has_no_directions_across_itself():
    mechanism = Mechanism("rod", dimension=3)
    mechanism.point("A", (0, 0, 0), fixed=True)
    mechanism.point("B", (1, 0, 0))
    mechanism.body("rod", points=["A", "B"], mass=1.0)
    mechanism.torque("motor", "rod", (0, 0, 1.0))
    with pytest.raises(SetupError, match="is a rod"):
        mechanism.assembled()
