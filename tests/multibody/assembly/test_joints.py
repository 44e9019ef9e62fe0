"""Joints by constraints: what they leave free, and motions that have a closed form or an equivalent without constraints."""

import numpy as np
import pytest

from counterpoint.multibody import Formulation, Mechanism

AXIS = np.array([0.3, -0.5, 0.8])
ACROSS = np.cross(AXIS, (1.0, 0.2, 0.3))
PLACE = (0.3, 0.2, -0.4)
CORNERS = np.array([[0, 0, 0], [1, 0.1, 0], [0.2, 1, 0.1], [0.1, 0.2, 1]])
INERTIA = np.array([[0.1, 0.01, 0.0], [0.01, 0.12, 0.02], [0.0, 0.02, 0.15]])


def add_block(mechanism, name, at=(0.0, 0.0, 0.0), mass=1.5, **options):
    for k, corner in enumerate(CORNERS):
        mechanism.point(f"{name}{k}", corner + at)
    mechanism.body(name, points=[f"{name}{k}" for k in range(4)], mass=mass, inertia=INERTIA, **options)


def unit(vector):
    return np.asarray(vector) / np.linalg.norm(vector)


@pytest.mark.parametrize("other", ["ground", "second"])
@pytest.mark.parametrize(
    ("kind", "left"),
    [("spherical", 3), ("revolute", 1), ("universal", 2), ("prismatic", 1), ("cylindrical", 2), ("planar", 3), ("angle", 5), ("weld", 0)],
)  # fmt: skip
def test_a_joint_in_space_leaves_the_freedom_it_should(kind, left, other):
    mechanism = Mechanism("m", dimension=3)
    add_block(mechanism, "first")
    if other == "second":
        add_block(mechanism, "second", at=(1.0, -1.0, 0.5))
    second_axis = ACROSS if kind in ("universal", "angle") else None
    mechanism.joint(
        "j", kind, other, "first", at=None if kind == "angle" else PLACE, axis=AXIS, second_axis=second_axis
    )
    assembly = mechanism.assembled()
    assert assembly.degrees_of_freedom == left + (6 if other == "second" else 0)
    assert assembly.redundant == []
    # The same joint, its bodies in the other order.
    swapped = Mechanism("m", dimension=3)
    add_block(swapped, "first")
    if other == "second":
        add_block(swapped, "second", at=(1.0, -1.0, 0.5))
    swapped.joint("j", kind, "first", other, at=None if kind == "angle" else PLACE, axis=AXIS, second_axis=second_axis)
    assert swapped.assembled().degrees_of_freedom == assembly.degrees_of_freedom


@pytest.mark.parametrize(
    ("kind", "left"), [("spherical", 1), ("revolute", 1), ("prismatic", 1), ("angle", 2), ("weld", 0)]
)
def test_a_joint_in_the_plane_leaves_the_freedom_it_should(kind, left):
    mechanism = Mechanism("m", dimension=2)
    mechanism.point("A", (0, 0))
    mechanism.point("B", (1, 0.5))
    mechanism.body("rod", points=["A", "B"], mass=1.0)
    axis = None if kind in ("spherical", "revolute", "weld") else (1, 2)
    second_axis = (1, -0.5) if kind == "angle" else None
    mechanism.joint(
        "j", kind, "ground", "rod", at=None if kind == "angle" else (0.2, 0.1), axis=axis, second_axis=second_axis
    )
    assembly = mechanism.assembled()
    assert (assembly.degrees_of_freedom, assembly.redundant) == (left, [])


def compound_pendulum_angle(axis, place, mass, until, steps=2000):
    """Angle of a body on a fixed axis under gravity: I w' = torque about the axis."""
    axis = unit(axis)
    arm = CORNERS.mean(axis=0) - place
    across = arm - axis * (axis @ arm)
    inertia = axis @ INERTIA @ axis + mass * (across @ across)

    def torque(angle):
        turned = across * np.cos(angle) + np.cross(axis, across) * np.sin(angle)
        return axis @ np.cross(turned, (0, 0, -9.81 * mass)) / inertia

    h, y = until / steps, np.zeros(2)

    def rates(y):
        return np.array([y[1], torque(y[0])])

    for _ in range(steps):
        k1 = rates(y)
        k2 = rates(y + h / 2 * k1)
        k3 = rates(y + h / 2 * k2)
        k4 = rates(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[0]


def test_a_body_on_a_skew_hinge_swings_as_a_compound_pendulum():
    mechanism = Mechanism("m", dimension=3)
    add_block(mechanism, "block")
    mechanism.joint("hinge", "revolute", "ground", "block", at=PLACE, axis=AXIS)
    mechanism.angle("phi", "block", axis=AXIS)
    mechanism.output("phi", "phi")
    mechanism.formulation = Formulation(integrator="hermite")
    result = mechanism.run(until=2.0, step=2e-3)
    assert result["m.phi"].values[-1] == pytest.approx(compound_pendulum_angle(AXIS, PLACE, 1.5, 2.0, 500), abs=1e-7)


def test_a_hinge_by_constraints_moves_as_a_shared_point_and_vector():
    def run(by_joint):
        mechanism = Mechanism("m", dimension=3)
        add_block(mechanism, "block")
        part = mechanism.bodies["block"]
        if by_joint:
            mechanism.joint("hinge", "revolute", "ground", "block", at=PLACE, axis=AXIS)
        else:
            del mechanism.bodies["block"]
            mechanism.point("pin", PLACE, fixed=True)
            mechanism.vector("axis", AXIS, fixed=True)
            centre = CORNERS.mean(axis=0)
            mechanism.body(
                "block", points=["pin", *part.points], vectors=["axis"], mass=1.5, centre=centre, inertia=INERTIA
            )
        for corner in part.points:
            mechanism.output(corner, corner)
        mechanism.formulation = Formulation(integrator="hermite")
        return mechanism.run(until=1.0, step=1e-3)

    joint, shared = run(True), run(False)
    for k in range(4):
        np.testing.assert_allclose(joint[f"m.block{k}"].values, shared[f"m.block{k}"].values, atol=1e-7)


@pytest.mark.parametrize("kind", ["prismatic", "cylindrical"])
def test_a_slider_on_an_inclined_axis_falls_with_the_part_of_gravity_along_it(kind):
    mechanism = Mechanism("m", dimension=3)
    add_block(mechanism, "block", centre=PLACE)  # on the axis: gravity does not turn it
    mechanism.joint("guide", kind, "ground", "block", at=PLACE, axis=AXIS)
    result = mechanism.run(until=1.0, step=0.1)
    t = result["m.block2"].time[:, None]
    along = unit(AXIS)
    # Constant acceleration: exact in the trapezoidal rule.
    exact = CORNERS[2] + along * (along @ (0, 0, -9.81)) * t**2 / 2
    np.testing.assert_allclose(result["m.block2"].values, exact, atol=1e-9)


def test_a_block_on_an_inclined_plane_slides_down():
    mechanism = Mechanism("m", dimension=3)
    add_block(mechanism, "block")
    mechanism.joint("plane", "planar", "ground", "block", at=PLACE, axis=AXIS)
    result = mechanism.run(until=1.0, step=0.1)
    t, normal, gravity = result["m.block2"].time[:, None], unit(AXIS), np.array([0, 0, -9.81])
    exact = CORNERS[2] + (gravity - normal * (normal @ gravity)) * t**2 / 2
    np.testing.assert_allclose(result["m.block2"].values, exact, atol=1e-9)


def test_welded_bodies_move_as_one_body():
    def thrown(welded):
        mechanism = Mechanism("m", dimension=3)
        omega = np.array([0.5, 1.5, -0.7])
        for k, corner in enumerate(CORNERS):
            mechanism.point(f"first{k}", corner, velocity=np.cross(omega, corner))
        points = [f"first{k}" for k in range(4)]
        shift = np.array([0.5, 0.7, -0.2])
        if welded:
            mechanism.body("first", points=points, mass=1.5, inertia=INERTIA)
            for k, corner in enumerate(CORNERS):
                mechanism.point(f"second{k}", corner + shift, velocity=np.cross(omega, corner + shift))
            mechanism.body("second", points=[f"second{k}" for k in range(4)], mass=1.0, inertia=INERTIA)
            mechanism.joint("weld", "weld", "first", "second", at=PLACE)
        else:
            one = CORNERS.mean(axis=0)
            centre = (1.5 * one + 1.0 * (one + shift)) / 2.5
            inertia = 2 * INERTIA
            for mass, place in ((1.5, one), (1.0, one + shift)):
                arm = place - centre
                inertia = inertia + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
            mechanism.body("both", points=points, mass=2.5, centre=centre, inertia=inertia)
        mechanism.output("corner", "first3")
        mechanism.formulation = Formulation(integrator="hermite")
        return mechanism.run(until=1.0, step=1e-3)["m.corner"].values

    np.testing.assert_allclose(thrown(True), thrown(False), atol=1e-7)


def test_a_universal_joint_between_shafts_is_unequal_as_hooke_says():
    # tan(second) = tan(first) / cos(bend) when the fork of the first shaft starts across the plane of the bend.
    bend = 0.5
    direction = np.array([np.cos(bend), np.sin(bend), 0.0])
    mechanism = Mechanism("m", dimension=3, gravity=(0, 0, 0))
    mechanism.point("O", (0, 0, 0), fixed=True)
    for name, axis, fork in (("first", (1, 0, 0), (0, 0, 1)), ("second", direction, (-np.sin(bend), np.cos(bend), 0))):
        mechanism.vector(f"axis-{name}", axis, fixed=True)
        mechanism.vector(f"fork-{name}", fork)
        mechanism.body(name, points=["O"], vectors=[f"axis-{name}", f"fork-{name}"], mass=1.0, inertia=(0.1, 0.1, 0.1))
        mechanism.angle(f"{name}-angle", name, axis=axis)
    # Both shafts have the point O: only the right angle of the cross is left to the joint.
    mechanism.joint(
        "hooke", "universal", "first", "second", at="O", axis=(0, 0, 1), second_axis=(-np.sin(bend), np.cos(bend), 0)
    )
    assert mechanism.assembled().redundant == []
    mechanism.guide("first-angle", [0.0, 3.0])
    for name in ("first-angle", "second-angle"):
        mechanism.output(name, name)
    result = mechanism.run(until=4.0, step=1e-2)
    first, second = result["m.first-angle"].values, result["m.second-angle"].values
    np.testing.assert_allclose(first, 3.0 * result["m.first-angle"].time, atol=1e-9)
    # The fork of the first shaft is along the normal of the bend: tan(first) = tan(second) / cos(bend) from there.
    exact = np.unwrap(np.arctan2(np.sin(first) * np.cos(bend), np.cos(first)))
    np.testing.assert_allclose(second, exact, atol=1e-8)


def test_the_piston_of_a_guided_crank_moves_as_trigonometry_says():
    crank, rod = 0.3, 1.0
    mechanism = Mechanism("m", dimension=2)
    mechanism.point("O", (0, 0), fixed=True)
    mechanism.point("P", (crank, 0))
    mechanism.point("Q", (crank + rod, 0))
    mechanism.body("crank", points=["O", "P"], mass=1.0)
    mechanism.body("rod", points=["P", "Q"], mass=1.0)
    mechanism.point_mass("Q", 2.0)
    mechanism.on_line("bore", "Q", through="O", axis=(1, 0))
    mechanism.angle("phi", "crank")
    mechanism.guide("phi", [0.0, 10.0])
    for motion in ("position", "velocity", "acceleration"):
        mechanism.output(motion, "Q", motion)
    result = mechanism.run(until=2.0, step=1e-3)
    phi, w = 10.0 * result["m.position"].time, 10.0
    root = np.sqrt(rod**2 - crank**2 * np.sin(phi) ** 2)
    np.testing.assert_allclose(result["m.position"].values[:, 0], crank * np.cos(phi) + root, atol=1e-9)
    rate = -w * crank * np.sin(phi) * (1 + crank * np.cos(phi) / root)
    np.testing.assert_allclose(result["m.velocity"].values[:, 0], rate, atol=2e-6)
    np.testing.assert_allclose(
        result["m.acceleration"].values[:, 0], np.gradient(rate, phi / w, edge_order=2), atol=2e-2
    )


def test_the_same_slider_by_a_prismatic_joint_and_by_a_point_on_a_line():
    def run(by_joint):
        mechanism = Mechanism("m", dimension=2)
        mechanism.point("O", (0, 0), fixed=True)
        mechanism.point("P", (0.3, 0.1))
        mechanism.point("Q", (1.2, 0))
        mechanism.body("crank", points=["O", "P"], mass=1.0)
        mechanism.body("rod", points=["P", "Q"], mass=1.0)
        if by_joint:
            mechanism.point("R", (1.5, 0))
            mechanism.body("piston", points=["Q", "R"], mass=2.0)
            mechanism.joint("bore", "prismatic", "ground", "piston", at="Q", axis=(1, 0))
        else:
            mechanism.point_mass("Q", 2.0)
            mechanism.on_line("bore", "Q", through="O", axis=(1, 0))
        mechanism.output("Q", "Q")
        return mechanism.run(until=2.0, step=1e-3)["m.Q"].values

    np.testing.assert_allclose(run(True), run(False), atol=1e-8)


def test_a_point_on_a_plane_of_a_moving_body_stays_there():
    mechanism = Mechanism("m", dimension=3)
    add_block(mechanism, "block")
    mechanism.joint("hinge", "revolute", "ground", "block", at=PLACE, axis=AXIS)
    mechanism.point("bead", CORNERS[1] + CORNERS[2])
    mechanism.point_mass("bead", 0.2)
    normal = np.cross(CORNERS[1], CORNERS[2])
    mechanism.on_plane("rest", "bead", through="block0", normal=normal, body="block")
    result = mechanism.run(until=1.0, step=1e-3)
    a, b, c, bead = (result[f"m.{n}"].values for n in ("block0", "block1", "block2", "bead"))
    height = np.einsum("ij,ij->i", np.cross(b - a, c - a), bead - a)
    np.testing.assert_allclose(height, 0.0, atol=1e-8)
    assert np.abs(bead[-1] - bead[0]).max() > 0.1


def test_a_fixed_angle_between_directions_is_kept_while_all_else_moves():
    mechanism = Mechanism("m", dimension=3)
    add_block(mechanism, "block")
    mechanism.joint("ball", "spherical", "ground", "block", at="block0")
    mechanism.joint("tilt", "angle", "ground", "block", axis=(0, 0, 1), second_axis=CORNERS[1])
    edge = mechanism.run(until=1.0, step=1e-3)
    side = edge["m.block1"].values - edge["m.block0"].values
    np.testing.assert_allclose(side[:, 2], 0.0, atol=1e-9)
    assert np.ptp(edge["m.block3"].values, axis=0).max() > 0.1


def test_an_angle_joint_assembles_to_the_angle_it_is_given():
    mechanism = Mechanism("m", dimension=2)
    mechanism.point("A", (0, 0), fixed=True)
    mechanism.point("B", (1, 0.1))
    mechanism.body("rod", points=["A", "B"], mass=1.0)
    mechanism.joint("tilt", "angle", "ground", "rod", axis=(1, 0), second_axis=(1, 0.1), value=0.5)
    length = np.hypot(1, 0.1)
    q = mechanism.assembled().q[:2]
    np.testing.assert_allclose(q, (length * np.cos(0.5), length * np.sin(0.5)), atol=1e-9)
