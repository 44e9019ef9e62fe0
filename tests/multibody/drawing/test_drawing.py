"""Pictures and animations of mechanisms."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.multibody import Mechanism
from counterpoint.multibody.drawing.mechanisms import animate

from ..examples import bricard, four_bar, pendulum, slider_crank, spring_pendulum


def shape(animation, name):
    return next(s for s in animation.shapes if s.name == name)


def test_rods_follow_the_run():
    bar = four_bar()
    result = bar.run(until=1.0, step=1e-2)
    crank = shape(bar.animation(result), "crank")
    assert crank.positions[:, 1, :2] == pytest.approx(result["fourbar.A"].values)
    assert crank.positions[:, 0] == pytest.approx(np.zeros((101, 3)))


def test_planar_mechanisms_are_planar_and_spatial_ones_have_gravity_down():
    assert four_bar().animation(four_bar().run(until=0.1, step=1e-2)).planar
    loop = bricard()
    shown = loop.animation(loop.run(until=0.1, step=1e-2))
    assert not shown.planar
    assert shown.up == pytest.approx((0.0, 1.0, 0.0))


def test_springs_and_supports_are_drawn_and_points_leave_traces():
    bungee = spring_pendulum()
    shown = bungee.animation(bungee.run(until=0.5, step=1e-2), traces=["mass"])
    assert shape(shown, "cord").kind == "spring"
    assert shape(shown, "ceiling").frames == 1
    assert [s.name for s in shown.traced] == ["mass"]


def test_a_solid_turns_with_its_body_in_space():
    top = Mechanism("top", dimension=3, gravity=(0, 0, 0))
    top.point("C", (0, 0, 0), fixed=True)
    top.point("X", (1, 0, 0))
    top.body(
        "brick",
        points=["C", "X"],
        mass=1.0,
        centre=(0, 0, 0),
        inertia=(1, 1, 1),
        shape={"kind": "box", "size": (1, 2, 3)},
    )
    top.angle("spin", "brick", axis=(0, 0, 1))
    top.joint("axle", "revolute", "ground", "brick", at="C", axis=(0, 0, 1))
    top.guide("spin", [0.0, 1.0])
    brick = shape(top.animation(top.run(until=1.0, step=1e-2)), "brick")
    c, s = np.cos(1.0), np.sin(1.0)
    assert brick.rotations[-1] == pytest.approx(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), abs=1e-6)
    assert brick.size == (1, 2, 3)


def test_a_solid_turns_with_its_body_in_the_plane_and_sits_at_its_centre():
    rod = pendulum(angle=0.0)
    rod.bodies["rod"].shape = {"kind": "box", "size": (1.0, 0.1, 0.1), "colour": "teal"}
    result = rod.run(until=0.5, step=1e-2)
    drawn = shape(rod.animation(result), "rod")
    tip = result["pendulum.B"].values
    assert drawn.positions[:, 0, :2] == pytest.approx(tip / 2)
    assert drawn.rotations[:, :2, 0] == pytest.approx(tip, abs=1e-6)
    assert drawn.colour == "teal"


def test_a_cylinder_of_two_points_lies_along_them_and_a_rod_turns_the_shortest_way():
    rod = Mechanism("rod", dimension=3)
    rod.point("A", (0, 0, 0), fixed=True)
    rod.point("B", (1, 0, 0))
    rod.body("rod", points=["A", "B"], mass=1.0, shape={"kind": "cylinder", "size": (0.05, 1.0)})
    result = rod.run(until=1.0, step=1e-2)
    axis = shape(rod.animation(result), "rod").rotations[:, :, 2]
    assert axis == pytest.approx(result["rod.B"].values, abs=1e-6)


def test_a_body_of_many_points_is_an_outline_in_the_plane_and_a_star_in_space():
    plate = Mechanism("plate", dimension=2)
    for name, place in (("a", (0, 0)), ("b", (1, 1)), ("c", (1, 0)), ("d", (0, 1))):
        plate.point(name, place)
    plate.body("plate", points=list("abcd"), mass=1.0, inertia=1.0)
    outline = shape(plate.animation(plate.run(until=0.1, step=0.05)), "plate").positions[0, :, :2]
    assert np.linalg.norm(np.diff(outline, axis=0), axis=1) == pytest.approx(np.ones(4))  # no diagonal
    star = Mechanism("star", dimension=3)
    for k in range(5):
        star.point(f"p{k}", (np.cos(k), np.sin(k), 0.1 * k))
    star.body("star", points=[f"p{k}" for k in range(5)], mass=1.0, inertia=(1, 1, 1))
    assert shape(star.animation(star.run(until=0.1, step=0.05)), "star").positions.shape[1] == 11


def test_bodies_of_a_group_are_drawn_as_one_thing_without_joints():
    chain = four_bar()
    for body in chain.bodies.values():
        body.shape = {"group": "chain"}
    shown = chain.animation(chain.run(until=0.1, step=1e-2))
    assert {s.group for s in shown.shapes if s.kind == "line"} == {"chain"}
    assert [s.name for s in shown.shapes if s.kind == "point"] == ["O", "D"]


def test_a_mechanism_within_a_system_is_found_by_its_name_there():
    bar = four_bar()
    system = cp.System("press")
    system.add("linkage", bar.subsystem(), step=1e-2)
    result = system.run(until=0.1)
    assert len(animate(bar, result, "linkage").times) == 11
    with pytest.raises(cp.SetupError, match=r'no signal "fourbar.q".*linkage'):
        animate(bar, result)


def test_an_unknown_trace_is_named():
    bar = four_bar()
    with pytest.raises(cp.SetupError, match='traces: no point "C"'):
        bar.animation(bar.run(until=0.1, step=1e-2), traces=["C"])


def test_kinematics_can_be_watched():
    engine = slider_crank()
    assert len(engine.animation(engine.kinematics(np.linspace(0, 1, 21))).times) == 21


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_assembled_position_is_drawn_to_a_file(ending, tmp_path):
    target = tmp_path / f"bar.{ending}"
    four_bar().draw(target)
    assert target.stat().st_size > 2000
    if ending == "svg":
        assert "<svg" in target.read_text()


def test_a_notebook_shows_picture_and_summary_or_what_is_wrong():
    shown = four_bar()._repr_html_()
    assert "<svg" in shown
    assert "1 degree of freedom" in shown
    broken = Mechanism("broken", dimension=2)
    broken.point("A", (0, 0))
    assert "moves but has no mass" in broken._repr_html_()


def test_a_description_counts_and_names():
    text = slider_crank().describe()
    assert text.splitlines()[0] == "engine: mechanism in the plane, 2.3 kg, 0 degrees of freedom"
    assert "2 bodies: crank, rod" in text
    assert "1 guide: turn" in text


def test_a_description_advises_on_redundant_equations():
    door = Mechanism("door", dimension=3)
    door.point("A", (0, 0, 0), fixed=True)
    door.point("B", (0, 0, 1))
    door.body("leaf", points=["A", "B"], mass=1.0, centre=(0.5, 0, 0.5), inertia=(1, 1, 1))
    door.joint("lower", "revolute", "ground", "leaf", at=(0, 0, 0), axis=(0, 0, 1))
    door.joint("upper", "revolute", "ground", "leaf", at=(0, 0, 1), axis=(0, 0, 1))
    text = door.describe()
    assert "1 degree of freedom" in text
    assert "redundant: " in text
    assert "more freedom" in text
