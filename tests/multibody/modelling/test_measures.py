"""Measures: angles over many turns, guides, gears, racks, small rotations, values at the start."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.multibody import Mechanism


def crank(at=(1.0, 0.0), **options):
    """A rod from the origin with its angle ``phi`` and the rates of it as outputs."""
    mechanism = Mechanism("m", dimension=2, **options)
    mechanism.point("A", (0, 0), fixed=True)
    mechanism.point("B", at)
    mechanism.body("rod", points=["A", "B"], mass=1.0)
    mechanism.angle("phi", "rod")
    for name, of, motion in (
        ("phi", "phi", "position"),
        ("w", "phi", "velocity"),
        ("a", "phi", "acceleration"),
        ("B", "B", "position"),
    ):
        mechanism.output(name, of, motion)
    return mechanism


GUIDES = {
    "polynomial": ([0.2, 1.0, 3.0], lambda t: 0.2 + t + 3 * t**2, lambda t: 1 + 6 * t, lambda t: 6.0 + 0 * t),
    "sine": (
        {"sine": {"amplitude": 0.5, "frequency": 2.0, "phase": 0.3, "offset": 0.1}},
        lambda t: 0.1 + 0.5 * np.sin(4 * np.pi * t + 0.3),
        lambda t: 2 * np.pi * np.cos(4 * np.pi * t + 0.3),
        lambda t: -8 * np.pi**2 * np.sin(4 * np.pi * t + 0.3),
    ),
    "function": (lambda t: np.exp(t) - 1, lambda t: np.exp(t) - 1, np.exp, np.exp),
}


@pytest.mark.parametrize("kind", GUIDES)
def test_a_guided_angle_follows_with_its_derivatives(kind):
    value, angle, rate, acceleration = GUIDES[kind]
    mechanism = crank()
    mechanism.guide("phi", value)
    result = mechanism.run(until=2.0, step=1e-3)
    t = result["m.phi"].time
    np.testing.assert_allclose(result["m.phi"].values, angle(t), atol=1e-9)
    np.testing.assert_allclose(result["m.w"].values, rate(t), atol=1e-6)
    # Projected with the directions of the last iteration but one: an error of order h², 1e-3 at 13 rad/s.
    np.testing.assert_allclose(result["m.a"].values, acceleration(t), atol=2e-3)


@pytest.mark.parametrize(
    ("drawn", "start"),
    [(4.0, 4.0), (-2.5, -2.5), (np.pi, np.pi), (-np.pi + 0.1, np.pi), (-np.pi + 1e-13, np.pi), (0.0, 20.0 * np.pi)],
)
def test_an_angle_may_be_guided_from_any_turn(drawn, start):
    mechanism = crank((np.cos(drawn), np.sin(drawn)))
    mechanism.guide("phi", [start, 1.0])
    result = mechanism.run(until=10.0, step=1e-2)
    np.testing.assert_allclose(result["m.phi"].values, start + result["m.phi"].time, atol=1e-9)
    np.testing.assert_allclose(result["m.B"].values[-1], (np.cos(start + 10), np.sin(start + 10)), atol=1e-8)


@pytest.mark.parametrize("value", [-0.7, 2.0, 4.0])
def test_an_angle_starts_where_it_is_said_to(value):
    mechanism = crank()
    mechanism.initial("phi", value, rate=1.5)
    result = mechanism.run(until=0.1, step=1e-2)
    assert result["m.phi"].values[0] == pytest.approx(value, abs=1e-9)
    assert result["m.w"].values[0] == pytest.approx(1.5, abs=1e-9)
    np.testing.assert_allclose(result["m.B"].values[0], (np.cos(value), np.sin(value)), atol=1e-9)


def test_an_initial_value_alone_leaves_the_velocities_that_were_given():
    mechanism = Mechanism("m", dimension=2)
    mechanism.point("A", (0, 0), fixed=True)
    mechanism.point("B", (1, 0), velocity=(0, 2))
    mechanism.body("rod", points=["A", "B"], mass=1.0)
    mechanism.angle("phi", "rod")
    mechanism.initial("phi", 0.1)
    mechanism.output("w", "phi", "velocity")
    assert mechanism.run(until=0.01, step=1e-2)["m.w"].values[0] == pytest.approx(2.0, rel=0.01)


def test_turns_are_counted_in_both_directions():
    mechanism = crank(gravity=(0, 0))
    mechanism.initial("phi", rate=-30.0)
    result = mechanism.run(until=5.0, step=1e-2)
    np.testing.assert_allclose(result["m.phi"].values, -30.0 * result["m.phi"].time, rtol=1e-2)
    assert result["m.phi"].values[-1] < -140.0


def test_the_angle_of_a_body_is_that_of_its_first_and_second_point():
    mechanism = Mechanism("m", dimension=2)
    for name, place in {"A": (0, 0), "B": (1, 0), "C": (0, 1), "X": (-1, 1)}.items():
        mechanism.point(name, place, fixed=name in "AX")
    mechanism.body("other", points=["X", "C"], mass=1.0)
    mechanism.body("plate", points=["A", "B", "C"], mass=1.0, inertia=0.1)
    mechanism.angle("phi", "plate")
    mechanism.output("phi", "phi")
    assert mechanism.run(until=0.01, step=1e-2)["m.phi"].values[0] == pytest.approx(0.0, abs=1e-12)


def gear_train(ratio):
    mechanism = Mechanism("m", dimension=2, gravity=(0, 0))
    for k, x in enumerate((0.0, 3.0)):
        mechanism.point(f"O{k}", (x, 0), fixed=True)
        mechanism.point(f"P{k}", (x + 1, 0))
        mechanism.body(f"wheel{k}", points=[f"O{k}", f"P{k}"], mass=1.0, centre=(x, 0), inertia=0.5 * (k + 1))
        mechanism.angle(f"phi{k}", f"wheel{k}")
        mechanism.output(f"phi{k}", f"phi{k}")
    mechanism.gear("gear", "phi0", "phi1", ratio)
    return mechanism


@pytest.mark.parametrize("ratio", [-0.5, 3.0])
def test_a_gear_turns_its_second_wheel_over_many_turns_and_adds_its_inertia(ratio):
    mechanism = gear_train(ratio)
    assert mechanism.assembled().degrees_of_freedom == 1
    mechanism.torque("motor", "wheel0", 2.0)
    mechanism.output("tooth", "gear")
    result = mechanism.run(until=5.0, step=2e-3)
    t, phi0, phi1 = result["m.phi0"].time, result["m.phi0"].values, result["m.phi1"].values
    acceleration = 2.0 / (0.5 + 1.0 * ratio**2)
    np.testing.assert_allclose(phi1, ratio * phi0, atol=1e-8)
    np.testing.assert_allclose(phi0, acceleration * t**2 / 2, rtol=1e-3, atol=1e-6)
    # The multiplier of phi1 - ratio phi0: the torque that the second wheel gets.
    np.testing.assert_allclose(np.abs(result["m.tooth"].values[1:]), abs(ratio) * acceleration, rtol=1e-3)


def test_a_gear_keeps_its_teeth_when_a_wheel_is_drawn_near_half_a_turn():
    mechanism = Mechanism("m", dimension=2, gravity=(0, 0))
    for k, end in enumerate(((-1.0, -1e-17), (4.0, 0.0))):
        mechanism.point(f"O{k}", (3.0 * k, 0), fixed=True)
        mechanism.point(f"P{k}", end)
        mechanism.body(f"wheel{k}", points=[f"O{k}", f"P{k}"], mass=1.0)
        mechanism.angle(f"phi{k}", f"wheel{k}")
        mechanism.output(f"phi{k}", f"phi{k}")
    mechanism.gear("gear", "phi0", "phi1", -2.0)
    mechanism.initial("phi0", rate=1.0)
    result = mechanism.run(until=4.0, step=1e-2)
    turned0, turned1 = (result[f"m.phi{k}"].values - result[f"m.phi{k}"].values[0] for k in (0, 1))
    np.testing.assert_allclose(turned1, -2.0 * turned0, atol=1e-8)
    np.testing.assert_allclose(turned0, result["m.phi0"].time, atol=1e-3)


def test_a_rack_moves_as_far_as_the_pinion_rolls():
    mechanism = crank(gravity=(0, 0))
    mechanism.point("R", (0, -0.2))
    mechanism.point_mass("R", 3.0)
    mechanism.point("bed-start", (0, -0.2), fixed=True)
    mechanism.on_line("bed", "R", through="bed-start", axis=(1, 0))
    mechanism.displacement("x", "R", along=(1, 0))
    mechanism.rack("rack", "phi", "x", 0.2)
    mechanism.output("x", "x")
    mechanism.actuator("motor", "phi", force=1.0)
    result = mechanism.run(until=8.0, step=1e-2)
    assert result["m.phi"].values[-1] > 4 * np.pi
    np.testing.assert_allclose(result["m.x"].values, 0.2 * result["m.phi"].values, atol=1e-8)
    inertia = 1 / 3 + 3.0 * 0.2**2
    np.testing.assert_allclose(result["m.phi"].values, result["m.phi"].time ** 2 / (2 * inertia), rtol=2e-3, atol=1e-6)


def test_an_angle_in_space_is_zero_as_drawn_and_counts_turns_about_its_axis():
    axis = np.array([0.2, -0.4, 0.7])
    mechanism = Mechanism("m", dimension=3, gravity=(0, 0, 0))
    mechanism.point("O", (0, 0, 0), fixed=True)
    mechanism.vector("axis", axis, fixed=True)
    mechanism.point("P", (1, 0.2, 0))
    mechanism.body("rotor", points=["O", "P"], vectors=["axis"], mass=1.0, centre=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
    mechanism.angle("phi", "rotor", axis=axis)
    mechanism.angle("back", "rotor", "ground", axis=axis)
    mechanism.initial("phi", rate=4.0)
    for name in ("phi", "back", "P"):
        mechanism.output(name, name)
    result = mechanism.run(until=5.0, step=1e-3)
    t = result["m.phi"].time
    np.testing.assert_allclose(result["m.phi"].values, 4.0 * t, atol=1e-4)
    np.testing.assert_allclose(result["m.back"].values, -result["m.phi"].values, atol=1e-9)
    e, p = axis / np.linalg.norm(axis), np.array([1, 0.2, 0])
    angle = result["m.phi"].values[:, None]
    rodrigues = p * np.cos(angle) + np.cross(e, p) * np.sin(angle) + e * (e @ p) * (1 - np.cos(angle))
    np.testing.assert_allclose(result["m.P"].values, rodrigues, atol=1e-8)


def test_small_rotations_have_the_sign_of_a_right_handed_turn():
    for k, axis in enumerate(np.eye(3)):
        mechanism = Mechanism("m", dimension=3, gravity=(0, 0, 0))
        mechanism.point("O", (0, 0, 0), fixed=True)
        mechanism.vector("axis", axis, fixed=True)
        mechanism.body("rotor", points=["O"], vectors=["axis"], mass=1.0, inertia=(0.1, 0.1, 0.1))
        mechanism.angle("phi", "rotor", axis=axis)
        mechanism.guide("phi", {"sine": {"amplitude": 0.8, "frequency": 0.5}})
        for j, other in enumerate(np.eye(3)):
            mechanism.rotation(f"r{j}", "ground", "rotor", axis=other)
            mechanism.output(f"r{j}", f"r{j}")
        result = mechanism.run(until=2.0, step=1e-2)
        for j in range(3):
            exact = 0.8 * np.sin(np.pi * result["m.r0"].time) if j == k else 0.0
            np.testing.assert_allclose(result[f"m.r{j}"].values, exact, atol=1e-8)


def test_a_distance_and_a_displacement_along_a_moving_body():
    mechanism = crank(gravity=(0, 0))
    mechanism.point("C", (0.5, 0))
    mechanism.point_mass("C", 1.0)
    mechanism.on_line("slot", "C", through="A", axis=(1, 0), body="rod")
    mechanism.displacement("s", "C", along=(1, 0), origin="A", body="rod")
    mechanism.distance("d", "A", "C")
    mechanism.guide("phi", [0.0, 2.0])
    for name in ("s", "d"):
        mechanism.output(name, name)
        mechanism.output(f"{name}-rate", name, "velocity")
        mechanism.output(f"{name}-acceleration", name, "acceleration")
    result = mechanism.run(until=1.0, step=1e-3)
    t = result["m.s"].time
    # A bead in a slot that turns: s'' = w² s.
    for name in ("s", "d"):
        np.testing.assert_allclose(result[f"m.{name}"].values, 0.5 * np.cosh(2 * t), rtol=1e-5)
        np.testing.assert_allclose(result[f"m.{name}-rate"].values, np.sinh(2 * t), atol=1e-4)
        np.testing.assert_allclose(result[f"m.{name}-acceleration"].values, 2 * np.cosh(2 * t), rtol=1e-4)


def test_an_angle_guided_by_an_input_follows_it():
    mechanism = crank()
    mechanism.guide("phi", "input:target")
    system = cp.System()
    system.add("driver", cp.source(lambda t: np.sin(3 * t)), step=1e-2)
    system.add("m", mechanism.subsystem(), step=1e-2)
    system.connect("driver.y", "m.target")
    result = system.run(until=2.0)
    t = result["m.phi"].time
    np.testing.assert_allclose(result["m.phi"].values, np.sin(3 * t), atol=1e-9)
