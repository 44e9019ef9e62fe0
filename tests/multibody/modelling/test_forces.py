"""Springs, dampers, actuators, friction, prescribed forces and torques, reactions: against closed forms."""

import numpy as np
import pytest

from counterpoint.errors import SetupError
from counterpoint.multibody import Formulation, Mechanism

G = 9.81


def bead(**options):
    """A mass of 2 kg on a line, with its displacement ``x``."""
    mechanism = Mechanism("m", dimension=2, gravity=(0, 0), **options)
    mechanism.point("O", (0, 0), fixed=True)
    mechanism.point("P", (1, 0))
    mechanism.point_mass("P", 2.0)
    mechanism.on_line("rail", "P", through="O", axis=(1, 0))
    mechanism.displacement("x", "P", along=(1, 0))
    mechanism.output("x", "x")
    return mechanism


def oscillation(t, stiffness, damping, mass=2.0, amplitude=0.5):
    """Free motion of an oscillator that was let go at ``amplitude``."""
    decay, square = damping / (2 * mass), stiffness / mass
    w = np.sqrt(square - decay**2)
    return amplitude * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))


@pytest.mark.parametrize("damping", [0.0, 3.0])
@pytest.mark.parametrize("between", [False, True])
def test_a_mass_on_a_spring_oscillates_as_it_should(damping, between):
    mechanism = bead()
    where = {"between": ("O", "P")} if between else {"measure": "x"}
    mechanism.spring("spring", **where, stiffness=200.0, damping=damping, natural=0.5)
    mechanism.output("spring", "spring")
    result = mechanism.run(until=3.0, step=5e-4)
    t, x = result["m.x"].time, result["m.x"].values
    # Trapezoidal rule: the frequency is wrong by (w h)² / 12 = 2e-6 of itself.
    np.testing.assert_allclose(x, 0.5 + oscillation(t, 200.0, damping), atol=5e-5)
    force, position, rate = result["m.spring"].values.T
    np.testing.assert_allclose(position, x, atol=1e-9)
    np.testing.assert_allclose(force, -200.0 * (x - 0.5) - damping * rate, atol=1e-9)
    if damping == 0.0:
        np.testing.assert_allclose(result["m.energy"].values, 0.5 * 200.0 * 0.25, rtol=1e-6)
    else:
        assert np.diff(result["m.energy"].values).max() <= 1e-9


def test_the_default_natural_length_is_as_drawn():
    mechanism = bead()
    mechanism.spring("spring", between=("O", "P"), stiffness=200.0)
    np.testing.assert_allclose(mechanism.run(until=0.1, step=1e-2)["m.x"].values, 1.0, atol=1e-12)


def test_a_spring_with_a_curve_stores_its_integral():
    # Hardening in two straight pieces: 100 N/m up to 0.1 m, then 1000 N/m, the same in pressure.
    curve = [(-0.2, -110.0), (-0.1, -10.0), (0.1, 10.0), (0.2, 110.0)]
    mechanism = bead()
    mechanism.spring("spring", "x", natural=0.7, curve=curve)
    result = mechanism.run(until=2.0, step=1e-4)
    stored = result["m.potential_energy"].values
    stretch = np.abs(result["m.x"].values - 0.7)
    exact = np.where(stretch < 0.1, 50 * stretch**2, 0.5 + (stretch - 0.1) * 10 + 500 * (stretch - 0.1) ** 2)
    np.testing.assert_allclose(stored, exact, atol=1e-9)
    # The corners cost the trapezoidal rule a little energy, of order h².
    np.testing.assert_allclose(result["m.energy"].values, exact[0], rtol=1e-5)
    assert result["m.x"].values.min() == pytest.approx(0.4, abs=1e-4)


def test_a_damper_with_a_curve_resists_as_drawn():
    mechanism = bead()
    mechanism.spring("damper", "x", damper_curve=[(-1.0, -4.0), (0.0, 0.0), (1.0, 2.0)])
    mechanism.initial("x", rate=-1.0)
    mechanism.output("v", "x", "velocity")
    result = mechanism.run(until=1.0, step=1e-3)
    np.testing.assert_allclose(result["m.v"].values, -np.exp(-2.0 * result["m.v"].time), atol=1e-6)


def test_a_torsional_spring_winds_up_over_many_turns():
    mechanism = Mechanism("m", dimension=2, gravity=(0, 0))
    mechanism.point("A", (0, 0), fixed=True)
    mechanism.point("B", (1, 0))
    mechanism.body("rod", points=["A", "B"], mass=3.0)  # 1 kg m² about A
    mechanism.angle("phi", "rod")
    mechanism.spring("spring", "phi", stiffness=0.25)
    mechanism.initial("phi", rate=10.0)
    mechanism.output("phi", "phi")
    result = mechanism.run(until=15.0, step=2e-3)
    # Amplitude 20 rad: more than three turns each way.
    np.testing.assert_allclose(result["m.phi"].values, 20.0 * np.sin(0.5 * result["m.phi"].time), atol=5e-3)
    np.testing.assert_allclose(result["m.energy"].values, 50.0, rtol=1e-4)


def test_small_rotations_carry_a_beam_joint_on_three_axes():
    # A body on a ball joint with a rotational spring for each axis: three oscillators.
    inertia, stiffness = np.array([0.1, 0.2, 0.25]), np.array([10.0, 20.0, 40.0])
    for k, axis in enumerate(np.eye(3)):
        mechanism = Mechanism("m", dimension=3, gravity=(0, 0, 0))
        mechanism.point("O", (0, 0, 0), fixed=True)
        omega = 0.1 * axis
        for name, place in zip("XYZ", np.eye(3), strict=True):
            mechanism.point(name, place, velocity=np.cross(omega, place))
        mechanism.body("body", points=["O", "X", "Y", "Z"], mass=1.0, centre=(0, 0, 0), inertia=inertia)
        for j, about in enumerate(np.eye(3)):
            mechanism.rotation(f"r{j}", "ground", "body", axis=about)
            mechanism.spring(f"s{j}", f"r{j}", stiffness=stiffness[j])
            mechanism.output(f"r{j}", f"r{j}")
        result = mechanism.run(until=1.0, step=1e-3)
        w = np.sqrt(stiffness[k] / inertia[k])
        exact = 0.1 / w * np.sin(w * result["m.r0"].time)
        np.testing.assert_allclose(result[f"m.r{k}"].values, exact, atol=1e-5)


def test_an_actuator_pushes_both_ends():
    mechanism = Mechanism("m", dimension=2, gravity=(0, 0))
    for name, x, mass in (("P", 0.0, 1.0), ("Q", 1.0, 3.0)):
        mechanism.point(name, (x, 0))
        mechanism.point_mass(name, mass)
    mechanism.actuator("push", between=("P", "Q"), force=6.0)
    result = mechanism.run(until=1.0, step=0.1)
    t = result["m.P"].time
    np.testing.assert_allclose(result["m.P"].values[:, 0], -3.0 * t**2, atol=1e-9)
    np.testing.assert_allclose(result["m.Q"].values[:, 0], 1.0 + t**2, atol=1e-9)


def test_friction_stops_a_sliding_mass_and_holds_it():
    mechanism = bead()
    mechanism.friction("friction", "x", sliding=4.0)
    mechanism.initial("x", rate=1.0)
    mechanism.output("v", "x", "velocity")
    result = mechanism.run(until=1.0, step=1e-4)
    x, v = result["m.x"].values, result["m.v"].values
    # Stops after v² / (2 a) = 0.25 m at 0.5 s; the viscous part below 1e-3 m/s adds little.
    assert x[-1] == pytest.approx(1.25, abs=1e-3)
    assert np.abs(v[6000:]).max() < 1e-4


def test_breakaway_friction_holds_until_it_is_overcome():
    def moved(force):
        mechanism = bead()
        mechanism.friction("friction", "x", sliding=4.0, breakaway=6.0)
        mechanism.actuator("pull", "x", force=force)
        return mechanism.run(until=0.5, step=1e-3)["m.x"].values[-1] - 1.0

    assert moved(5.5) < 2e-3  # creeps at the rate of the viscous part
    assert moved(7.0) == pytest.approx(0.5 * 1.5 * 0.25, rel=0.05)


def test_a_force_acts_in_space_or_along_the_axes_of_a_body():
    def thrown(body):
        mechanism = Mechanism("m", dimension=2, gravity=(0, 0))
        mechanism.point("A", (-0.5, 0))
        mechanism.point("B", (0.5, 0))
        mechanism.point("C", (0.0, 0.0))
        mechanism.body("rod", points=["A", "B", "C"], mass=2.0, inertia=0.1)
        mechanism.force("thrust", "C", (4.0, 0.0), body=body)
        mechanism.angle("phi", "rod")
        mechanism.initial("phi", rate=3.0)
        return mechanism.run(until=2.0, step=1e-3)

    straight = thrown(None)
    np.testing.assert_allclose(straight["m.C"].values[:, 0], straight["m.C"].time ** 2, atol=1e-7)
    # The thrust turns with the rod at 3 rad/s: x'' = 2 cos 3t, y'' = 2 sin 3t.
    turning = thrown("rod")
    t = turning["m.C"].time
    exact = np.stack([2 / 9 * (1 - np.cos(3 * t)), 2 / 9 * (3 * t - np.sin(3 * t))], axis=1)
    np.testing.assert_allclose(turning["m.C"].values, exact, atol=1e-5)


@pytest.mark.parametrize("turning", [False, True])
def test_a_torque_spins_a_body_up_about_a_principal_axis(turning):
    mechanism = Mechanism("m", dimension=3, gravity=(0, 0, 0))
    mechanism.point("O", (0, 0, 0), fixed=True)
    mechanism.point("P", (1, 0, 0))
    mechanism.point("Q", (0, 1, 0))
    mechanism.body("body", points=["O", "P", "Q"], mass=1.0, centre=(0, 0, 0), inertia=(0.2, 0.3, 0.4))
    mechanism.torque("motor", "body", (0.0, 0.0, 0.8), turning=turning)
    result = mechanism.run(until=3.0, step=1e-3)
    angle = np.unwrap(np.arctan2(result["m.P"].values[:, 1], result["m.P"].values[:, 0]))
    np.testing.assert_allclose(angle, 0.5 * 2.0 * result["m.P"].time ** 2, atol=1e-4)


def test_a_torque_about_an_axis_of_the_body_turns_with_it():
    # A disc (flat: 0.4 = 0.2 + 0.2) spinning about z at 5 rad/s with a torque about its own x, from Euler's equations.
    inertia = np.array([0.2, 0.2, 0.4])
    mechanism = Mechanism("m", dimension=3, gravity=(0, 0, 0))
    mechanism.point("O", (0, 0, 0), fixed=True)
    omega = np.array([0.0, 0.0, 5.0])
    for name, place in zip("XYZ", np.eye(3), strict=True):
        mechanism.point(name, place, velocity=np.cross(omega, place))
    mechanism.body("body", points=["O", "X", "Y", "Z"], mass=1.0, centre=(0, 0, 0), inertia=inertia)
    mechanism.torque("motor", "body", (0.5, 0.0, 0.0), turning=True)
    result = mechanism.run(until=2.0, step=2e-3)

    turn, w, h = np.eye(3), omega.copy(), 2e-3
    for _ in range(1000):  # midpoint rule

        def rate(w):
            return (np.array([0.5, 0, 0]) - np.cross(w, inertia * w)) / inertia

        middle = w + h / 2 * rate(w)
        angle = np.linalg.norm(middle) * h
        k = np.cross(np.eye(3), middle / np.linalg.norm(middle))
        turn = turn @ (np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k)
        w = w + h * rate(middle)
    for column, name in enumerate("XYZ"):
        np.testing.assert_allclose(result[f"m.{name}"].values[-1], turn[:, column], atol=1e-3)


# Reactions


def swinging_rod(**options):
    """A point mass of 1 kg on a massless bar of 1 m; the angle from the bottom is known from x and y."""
    mechanism = Mechanism("m", dimension=2)
    mechanism.point("A", (0, 0), fixed=True)
    mechanism.point("B", (1, 0))
    mechanism.distance_constraint("bar", "A", "B")
    mechanism.point_mass("B", 1.0)
    mechanism.output("bar", "bar")
    mechanism.output("support", "support:A")
    mechanism.output("B", "B")
    mechanism.formulation = Formulation(**options)
    return mechanism


FORMULATIONS = [
    {},
    {"integrator": "hermite"},
    {"system": "kkt"},
    {"integrator": "generalised-alpha"},
    {"name": "augmented-lagrangian"},
    {"name": "augmented-lagrangian", "integrator": "rk4"},
    {"name": "penalty", "integrator": "rk4"},
    {"name": "penalty"},
]


@pytest.mark.parametrize("options", FORMULATIONS, ids=lambda o: "-".join(o.values()) or "default")
def test_the_force_in_the_bar_of_a_pendulum(options):
    result = swinging_rod(**options).run(until=2.0, step=1e-3)
    height = -result["m.B"].values[1:, 1]
    # Energy gives v² = 2 g h; the bar carries the weight along it and the turn: m g h + m v² = 3 m g h.
    tension = 3 * G * height
    np.testing.assert_allclose(-result["m.bar"].values[1:], tension, atol=2e-3)
    along = -result["m.B"].values[1:]
    # The support holds the bar: the force of the ground on A points away from B.
    np.testing.assert_allclose(result["m.support"].values[1:], along * tension[:, None], atol=2e-3)


def test_supports_carry_the_weight_of_all_bodies_at_rest():
    mechanism = Mechanism("m", dimension=2)
    mechanism.point("A", (0, 0), fixed=True)
    mechanism.point("B", (2, 0), fixed=True)
    mechanism.point("C", (0.5, -1))
    mechanism.body("left", points=["A", "C"], mass=1.0)
    mechanism.body("right", points=["B", "C"], mass=2.0)
    mechanism.output("A", "support:A")
    mechanism.output("B", "support:B")
    result = mechanism.run(until=0.1, step=1e-2)
    total = result["m.A"].values + result["m.B"].values
    np.testing.assert_allclose(total, np.broadcast_to((0, 3 * G), total.shape), atol=1e-6)


def test_a_hinge_by_constraints_carries_a_compound_pendulum():
    mechanism = Mechanism("m", dimension=2)
    mechanism.point("A", (0, 0))
    mechanism.point("B", (1, 0))
    mechanism.body("rod", points=["A", "B"], mass=1.0)
    mechanism.joint("hinge", "revolute", "ground", "rod", at="A")
    mechanism.output("hinge", "hinge")
    result = mechanism.run(until=1.0, step=1e-3)
    # Let go flat: the end goes down with 3 g / 2, the hinge carries a quarter of the weight.
    np.testing.assert_allclose(result["m.hinge"].values[0], (0, G / 4), atol=1e-6)
    # At the bottom: m g + m (l/2) w², w² = 3 g.
    assert result["m.hinge"].values[:, 1].max() == pytest.approx(2.5 * G, rel=1e-4)


def test_the_reaction_of_a_guide_is_the_torque_of_its_motor():
    mechanism = Mechanism("m", dimension=2)
    mechanism.point("A", (0, 0), fixed=True)
    mechanism.point("B", (1, 0))
    mechanism.body("rod", points=["A", "B"], mass=3.0)
    mechanism.angle("phi", "rod")
    mechanism.guide("phi", [0.0, 0.0, 1.0])
    mechanism.output("torque", "guide:phi")
    result = mechanism.run(until=2.0, step=1e-3)
    t = result["m.torque"].time
    np.testing.assert_allclose(result["m.torque"].values, 2.0 + 1.5 * G * np.cos(t**2), atol=1e-3)


def test_gravity_acts_on_the_centre_of_mass():
    mechanism = Mechanism("m", dimension=3, gravity=(0, 0, -9.81))
    for k, place in enumerate(((0, 0, 0), (1, 0, 0), (0, 1, 0))):
        mechanism.point(f"P{k}", place)
    mechanism.body("body", points=["P0", "P1", "P2"], mass=2.0, centre=(0.3, 0.1, -0.5), inertia=(0.3, 0.3, 0.3))
    result = mechanism.run(until=1.0, step=0.1)
    assert result["m.potential_energy"].values[0] == pytest.approx(2.0 * G * -0.5)
    np.testing.assert_allclose(result["m.P1"].values[-1], (1, 0, -G / 2), atol=1e-9)


def test_forces_and_torques_show_what_they_are_in_space():
    quarter = np.pi / 2
    plane = Mechanism("m", dimension=2, gravity=(0, 0))
    plane.point("A", (0, 0), fixed=True)
    plane.point("B", (1, 0))
    plane.body("rod", points=["A", "B"], mass=1.0)
    plane.angle("phi", "rod")
    plane.guide("phi", [0.0, quarter])
    plane.force("push", "B", [2.0, [0.0, 3.0]])
    plane.force("thrust", "B", [2.0, 0.0], body="rod")
    plane.torque("drive", "rod", 5.0)
    for name in ("push", "thrust", "drive"):
        plane.output(name, name)
    result = plane.run(until=1.0, step=1e-2)
    np.testing.assert_allclose(result["m.push"].values[-1], [2.0, 3.0])
    np.testing.assert_allclose(result["m.thrust"].values[-1], [0.0, 2.0], atol=1e-9)  # turned by a quarter
    assert result["m.drive"].values[-1] == 5.0


def test_a_torque_along_the_axes_of_a_body_shows_its_components_in_space():
    body = Mechanism("m", dimension=3, gravity=(0, 0, 0))
    body.point("O", (0, 0, 0), fixed=True)
    body.point("A", (1, 0, 0))
    body.point("B", (0, 1, 0))
    body.body("b", points=["O", "A", "B"], mass=1.0, inertia=(1, 1, 1))
    body.joint("hinge", "revolute", "ground", "b", at="O", axis=(0, 0, 1))
    body.angle("phi", "b", axis=(0, 0, 1))
    body.guide("phi", [0.0, np.pi / 2])
    body.torque("still", "b", (1.0, 2.0, 3.0))
    body.torque("turning", "b", (1.0, 2.0, 3.0), turning=True)
    body.output("still", "still")
    body.output("turning", "turning")
    result = body.run(until=1.0, step=1e-2)
    np.testing.assert_allclose(result["m.still"].values[-1], [1.0, 2.0, 3.0])
    np.testing.assert_allclose(result["m.turning"].values[-1], [-2.0, 1.0, 3.0], atol=1e-9)


def spinning_wheel(**law):
    """Return a carrier that is held at one end of a level arm of 0.5 m, 2 kg at the other, where a wheel spins."""
    model = Mechanism("top")
    model.point("O", (0, 0, 1.0), fixed=True)
    model.point("C", (0, 0.5, 1.0))
    model.vector("u", (1, 0, 0))
    model.vector("w", (0, 0, 1))
    small = (0.01, 0.01, 0.01)
    model.body("carrier", points=["O", "C"], vectors=["u", "w"], mass=2.0, centre=(0, 0.5, 1.0), inertia=small)
    model.coordinate("wheel", inertia=0.5, rate=300.0)
    model.tyre("tyre", "carrier", centre="C", axis=(0, 1, 0), angle="wheel", radius=0.1, **law)
    for name, direction in (("x", (1, 0, 0)), ("z", (0, 0, 1))):
        model.displacement(name, "C", along=direction)
        model.output(name, name)
    return model


def test_a_wheel_with_gyroscopic_inertia_precesses_instead_of_falling():
    result = spinning_wheel(gyroscopic_inertia=0.5).run(until=1.0, step=1e-3)
    rate = 2.0 * 9.81 * 0.5 / (0.5 * 300.0)  # moment of the weight over the spin
    # It nods by some tenths of a millimetre: it is let go at rest.
    assert result["top.x"].values[-1] == pytest.approx(-0.5 * np.sin(rate), rel=2e-3)
    assert result["top.z"].values.min() > 0.9995
    assert spinning_wheel().run(until=0.4, step=1e-3)["top.z"].values[-1] < 0.6


def test_gyroscopic_inertia_of_a_wheel_that_is_a_body_is_refused():
    model = Mechanism("wheel")
    model.point("C", (0, 0, 0.3))
    with pytest.raises(SetupError, match="a body that turns has it already"):
        model.tyre("tyre", "wheel", centre="C", axis=(0, 1, 0), gyroscopic_inertia=0.5)
