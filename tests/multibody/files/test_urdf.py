"""Robots from URDF files."""

import builtins

import numpy as np
import pytest

from counterpoint.errors import MissingExtraError, SetupError
from counterpoint.multibody import Mechanism, load_urdf

pytest.importorskip("yourdfpy")


def link(name, mass=1.0, centre="0 0 -0.5", inertia=(0.1, 0.1, 0.01), visual=""):
    xx, yy, zz = inertia
    return f"""
      <link name="{name}">
        <inertial><origin xyz="{centre}"/><mass value="{mass}"/>
          <inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial>
        {visual}
      </link>"""


def joint(name, kind, parent, child, xyz="0 0 0", axis="0 1 0", rpy="0 0 0", more=""):
    return f"""
      <joint name="{name}" type="{kind}">
        <parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{more}
      </joint>"""


def robot(*parts, name="robot"):
    return f'<?xml version="1.0"?>\n<robot name="{name}">{"".join(parts)}\n</robot>\n'


@pytest.fixture
def write(write):
    return lambda text, name="robot.urdf": write(text, name)


DOUBLE = robot(
    '<link name="world"/>',
    link("upper", 2.0),
    link("lower", 1.0),
    joint("shoulder", "continuous", "world", "upper"),
    joint("elbow", "revolute", "upper", "lower", "0 0 -1", more='<limit lower="-2" upper="2" effort="30" velocity="5"/><dynamics damping="0.3" friction="0.1"/>'),
    name="double",
)  # fmt: skip


def double_by_hand():
    m = Mechanism("double", dimension=3)
    m.point("A", (0, 0, 0), fixed=True)
    m.point("B", (0, 0, -1))
    m.vector("y", (0, 1, 0), fixed=True)
    m.body("upper", points=["A", "B"], vectors=["y"], mass=2.0, centre=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    m.body("lower", points=["B"], vectors=["y"], mass=1.0, centre=(0, 0, -1.5), inertia=(0.1, 0.1, 0.01))
    m.angle("shoulder", "ground", "upper", axis=(0, 1, 0))
    m.angle("elbow", "upper", "lower", axis=(0, 1, 0))
    m.spring("damping", "elbow", damping=0.3)
    m.friction("friction", "elbow", sliding=0.1)
    m.output("shoulder", "shoulder")
    m.output("elbow", "elbow")
    return m


def started(m):
    m.initial("shoulder", 1.0)
    m.initial("elbow", -0.4, rate=2.0)
    return m.run(until=1.0, step=1e-3)


def test_a_double_pendulum_moves_as_the_same_one_by_hand(write):
    urdf, hand = started(load_urdf(write(DOUBLE))), started(double_by_hand())
    for name in ("shoulder", "elbow"):
        np.testing.assert_allclose(urdf[f"double.{name}"].values, hand[f"double.{name}"].values, atol=1e-7)


def test_every_joint_has_an_angle_a_speed_and_a_drive(write):
    m = load_urdf(write(DOUBLE))
    assert list(m.measures) == ["shoulder", "elbow"]
    assert m.inputs == {"shoulder_torque": 0.0, "elbow_torque": 0.0}
    assert list(m.outputs) == ["shoulder", "shoulder_velocity", "elbow", "elbow_velocity"]
    assert m.assembled().degrees_of_freedom == 2


def test_limits_are_noted(write):
    assert load_urdf(write(DOUBLE)).notes == ["elbow: from -2 to 2 rad, at most 5 rad/s, at most 30 N m; not enforced"]


def test_a_drive_turns_its_joint(write):
    m = load_urdf(
        write(robot('<link name="base"/>', link("wheel", 1.0, "0 0 0"), joint("axle", "continuous", "base", "wheel")))
    )
    m.input("axle_torque", 0.3)
    result = m.run(until=1.0, step=1e-3)
    # 0.3 N m on 0.1 kg m² for 1 s; the trapezoidal rule turns a finite angle with (omega h)²/12.
    assert result["robot.axle_velocity"].values[-1] == pytest.approx(3.0, rel=1e-5)
    assert result["robot.axle"].values[-1] == pytest.approx(1.5, rel=1e-5)


def test_a_slider_falls_along_its_axis(write):
    m = load_urdf(write(robot('<link name="base"/>', link("mass"), joint("rail", "prismatic", "base", "mass", "1 2 3", "0 0 1", more='<limit lower="0" upper="1" effort="1" velocity="1"/>'))))  # fmt: skip
    assert m.assembled().degrees_of_freedom == 1
    result = m.run(until=0.5, step=1e-3)
    assert result["robot.rail"].values[-1] == pytest.approx(-0.5 * 9.81 * 0.25, rel=1e-6)
    assert list(m.inputs) == ["rail_force"]


def test_fixed_links_become_one_body_with_the_inertia_of_all(write):
    text = robot(
        '<link name="base"/>', link("arm", 1.0, "0 0 0", (1, 2, 2.5)), link("tool", 3.0, "0 0 0", (1, 2, 2.5)),
        joint("axle", "continuous", "base", "arm"), joint("weld", "fixed", "arm", "tool", "1 0 0", rpy="0 0 1.5707963267948966"),
    )  # fmt: skip
    body = load_urdf(write(text)).bodies
    assert list(body) == ["arm"]
    assert body["arm"].mass == 4.0
    np.testing.assert_allclose(body["arm"].centre, [0.75, 0, 0], atol=1e-12)
    # Turned by 90 degrees about z the tool's x and y inertia change places; the masses lie 1 m apart: 0.75 kg reduced mass.
    np.testing.assert_allclose(body["arm"].inertia, np.diag([1 + 2, 2 + 1 + 0.75, 5 + 0.75]), atol=1e-12)


def test_floating_and_planar_joints_leave_their_motions(write):
    base = '<link name="base"/>'
    assert (
        load_urdf(write(robot(base, link("a"), joint("j", "floating", "base", "a")))).assembled().degrees_of_freedom
        == 6
    )
    planar = load_urdf(write(robot(base, link("a"), joint("j", "planar", "base", "a", axis="0 0 1"))))
    assert planar.assembled().degrees_of_freedom == 3


def test_a_floating_base_falls(write):
    text = robot(link("hull"), link("arm"), joint("axle", "continuous", "hull", "arm"))
    assert load_urdf(write(text)).assembled().degrees_of_freedom == 1
    assert load_urdf(write(text), base="floating").assembled().degrees_of_freedom == 7


def test_a_mimic_joint_follows(write):
    text = robot(
        '<link name="base"/>', link("a"), link("b"), joint("j1", "continuous", "base", "a"),
        joint("j2", "continuous", "a", "b", "0 0 -1", more='<mimic joint="j1" multiplier="-2" offset="0.1"/>'),
    )  # fmt: skip
    m = load_urdf(write(text))
    m.initial("j1", 0.3)
    result = m.run(until=0.2, step=1e-3)
    first, second = result["robot.j1"].values.ravel(), result["robot.j2"].values.ravel()
    np.testing.assert_allclose(second, 0.1 - 2 * first, atol=1e-8)
    assert list(m.inputs) == ["j1_torque"]


def arm():
    """A six-axis arm with a spherical wrist."""
    axes = ("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0")
    places = ("0 0 0.4", "0.1 0 0.3", "0 0 0.6", "0.5 0 0.1", "0.2 0 0", "0 0 0")
    visual = '<visual><origin xyz="0 0 0.1" rpy="0.3 0 0"/><geometry><box size="0.1 0.2 0.3"/></geometry><material name="m"><color rgba="1 0.5 0 1"/></material></visual>'
    links = [link(f"l{k}", 10.0 / k, "0.1 0.02 0.1", (0.1, 0.12, 0.08), visual) for k in range(1, 7)]
    names = ["base", *(f"l{k}" for k in range(1, 7))]
    joints = [joint(f"j{k + 1}", "revolute", names[k], names[k + 1], places[k], axes[k]) for k in range(6)]
    return robot('<link name="base"/>', *links, *joints, name="arm")


def test_a_six_axis_arm_has_six_degrees_of_freedom_and_keeps_its_energy(write):
    m = load_urdf(write(arm()))
    assembly = m.assembled()
    assert assembly.degrees_of_freedom == 6
    for k in range(1, 7):
        m.initial(f"j{k}", 0.1 * k)
    result = m.run(until=0.5, step=1e-3)
    energy = result["arm.energy"].values.ravel()
    swing = np.ptp(result["arm.kinetic_energy"].values)
    assert swing > 10.0
    # Order 2 in a step of 1 ms: 1e-4 of the energy that is exchanged.
    assert np.abs(energy - energy[0]).max() < 1e-3 * swing
    assert result["arm.violation"].values.max() < 1e-8


def test_the_tip_of_an_arm_is_where_forward_kinematics_puts_it(write):
    m = load_urdf(write(arm()))
    angles = [0.3, -0.5, 0.8, 0.4, -0.7, 0.2]
    for k, angle in enumerate(angles):
        m.initial(f"j{k + 1}", angle)
    assembly = m.assembled()
    entities = {name: assembly.q[first : first + 3] for name, first in assembly.offsets.items()}
    tip = assembly.place("j6 origin").at(entities)
    axes = np.array([[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]], dtype=float)
    places = np.array([[0, 0, 0.4], [0.1, 0, 0.3], [0, 0, 0.6], [0.5, 0, 0.1], [0.2, 0, 0], [0, 0, 0]])
    place, turn = np.zeros(3), np.eye(3)
    for axis, step, angle in zip(axes, places, angles, strict=True):
        place = place + turn @ step
        skew = np.cross(np.eye(3), axis)
        turn = turn @ (np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew)
    np.testing.assert_allclose(tip, place, atol=1e-9)


def test_simple_visuals_are_drawn(write):
    shape = load_urdf(write(arm())).bodies["l2"].shape
    assert shape["kind"] == "box"
    assert shape["size"] == [0.1, 0.2, 0.3]
    np.testing.assert_allclose(shape["centre"], [0.1, 0, 0.8])
    assert shape["colour"] == "#ff8000"
    cylinder = '<visual><origin rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.1" length="2"/></geometry></visual>'
    text = robot('<link name="base"/>', link("a", visual=cylinder), joint("j", "continuous", "base", "a"))
    shape = load_urdf(write(text)).bodies["a"].shape
    assert (shape["kind"], shape["size"]) == ("cylinder", [0.1, 2.0])
    np.testing.assert_allclose(shape["axis"], [0, -1, 0], atol=1e-12)


def test_meshes_are_not_read(write, tmp_path):
    visual = '<visual><geometry><mesh filename="/etc/passwd"/></geometry></visual>'
    text = robot('<link name="base"/>', link("a", visual=visual), joint("j", "continuous", "base", "a"))
    assert load_urdf(write(text)).bodies["a"].shape == {}


def test_names_of_links_and_joints_may_be_the_same(write):
    text = robot('<link name="base"/>', link("ground"), link("a.b"), joint("ground", "continuous", "base", "ground"), joint("a.b", "continuous", "ground", "a.b", "0 0 -1"))  # fmt: skip
    m = load_urdf(write(text))
    assert m.assembled().degrees_of_freedom == 2
    assert len(m.measures) == 2


# What is wrong


def refused(path, match):
    with pytest.raises(SetupError, match=match) as caught:
        load_urdf(path)
    assert str(path) in str(caught.value)
    return caught.value.problems


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "b">]><robot name="r"/>', "DOCTYPE"),
        ('<!doctype r SYSTEM "file:///etc/passwd"><robot name="r"/>', "DOCTYPE"),
        ("<robot", "not well-formed"),
        ("<sdf/>", "begins with <sdf>"),
        ('<robot name="r"/>', "no links"),
        ('<robot name="r"><link/></robot>', "cannot be read as URDF"),
        (robot('<link name="a"/>', '<joint name="j" type="fixed"/>'), "cannot be read as URDF"),
        (robot('<link name="a"/>', '<link name="b"/>'), 'expected one link that is not a child.*"a", "b"'),
        (robot('<link name="a"/>', '<link name="a"/>'), 'link "a": named twice'),
        (robot('<link name="a"/>', link("b"), joint("j", "hinge", "a", "b")), 'type "hinge"'),
        (robot('<link name="a"/>', link("b"), joint("j", "fixed", "a", "c")), 'no link "c"'),
        (robot('<link name="a"/>', link("b"), joint("j", "continuous", "a", "b", axis="0 0 0")), "not all zero"),
        (robot('<link name="a"/>', link("b"), joint("j", "continuous", "a", "b", axis="0 nan 0")), "not all zero"),
        (
            robot('<link name="a"/>', '<link name="b"/>', joint("j", "continuous", "a", "b")),
            'link "b": moves but has no mass',
        ),
        (robot('<link name="a"/>', link("b", -1.0), joint("j", "continuous", "a", "b")), "negative"),
        (
            robot('<link name="a"/>', link("b"), joint("j", "continuous", "a", "b", more='<dynamics damping="x"/>')),
            "damping 'x'",
        ),
        (
            robot('<link name="a"/>', link("b"), joint("j", "continuous", "a", "b", more='<mimic joint="k"/>')),
            'no moving joint "k"',
        ),
    ],
)
def test_a_mistake_is_told(write, text, match):
    refused(write(text), match)


def test_several_mistakes_are_told_at_once(write):
    text = robot('<link name="a"/>', link("b"), joint("j", "hinge", "a", "x"), joint("k", "fixed", "y", "b"))
    assert len(refused(write(text), "hinge")) == 3


def test_a_loop_is_told(write):
    text = robot(
        '<link name="r"/>', link("a"), link("b"), joint("j", "continuous", "a", "b"), joint("k", "continuous", "b", "a")
    )
    refused(write(text), "loop")


def test_another_encoding_cannot_hide_a_doctype(write, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_bytes('<?xml version="1.0" encoding="utf-16"?><!DOCTYPE r><robot name="r"/>'.encode("utf-16"))
    refused(path, "not UTF-8")
    path = write('<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE r+AD4-<robot name="r"/>')
    refused(path, "not well-formed")


def test_a_file_that_is_not_there_is_told(tmp_path):
    refused(tmp_path / "no.urdf", "no such file")


def test_an_unknown_base_is_refused(write):
    with pytest.raises(SetupError, match='did you mean "floating"'):
        load_urdf(write(DOUBLE), base="floatin")


def test_without_the_extra_the_command_to_install_it_is_told(write, monkeypatch):
    path, find = write(DOUBLE), builtins.__import__

    def missing(name, *arguments, **options):
        if name == "yourdfpy":
            raise ImportError(name)
        return find(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingExtraError, match=r"counterpoint\[urdf\]"):
        load_urdf(path)
