"""Static equilibrium against closed forms."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.multibody import Mechanism

from ..examples import double_pendulum, four_bar, pendulum, spring_pendulum

G = 9.81


@pytest.mark.parametrize("angle", [-0.3, 0.4, 1.2, 3.0])
def test_a_pendulum_settles_hanging_wherever_it_starts(angle):
    found = pendulum(angle=angle).equilibrium()
    assert found["B"] == pytest.approx([0.0, -1.0], abs=1e-9)
    assert found.is_stable


def test_an_inverted_pendulum_is_an_unstable_equilibrium():
    found = pendulum(angle=np.pi / 2).equilibrium()
    assert found["B"] == pytest.approx([0.0, 1.0], abs=1e-9)
    assert not found.is_stable
    assert "unstable" in repr(found)


def test_a_mass_on_a_spring_hangs_where_the_spring_carries_it():
    found = spring_pendulum().equilibrium()
    assert found["mass"] == pytest.approx([0, 0, -1.0 - 2.0 * G / 200.0], abs=1e-9)


def test_reactions_carry_the_load():
    rod = pendulum(mass=3.0)
    rod.output("hook", of="support:A")
    assert rod.equilibrium()["hook"] == pytest.approx([0.0, 3.0 * G], abs=1e-9)


def test_a_torsion_spring_balances_gravity():
    """k (angle - 0) + m g L/2 cos(angle) = 0 for a rod drawn level."""
    rod = pendulum(angle=0.0)
    rod.spring("torsion", "swing", stiffness=20.0)
    found = rod.equilibrium()
    tip = found["B"]
    angle = np.arctan2(tip[1], tip[0])
    assert 20.0 * angle + G / 2 * np.cos(angle) == pytest.approx(0.0, abs=1e-8)


def test_a_four_bar_rests_where_its_energy_is_least():
    bar = four_bar()
    found = bar.equilibrium()
    assert found.is_stable
    here = _energy(found.problem, found.state.q)
    direction = np.linalg.svd(found.problem.constraints(found.state)[1])[2][-1]
    for step in (-1e-3, 1e-3):
        moved = found.problem.state(0.0, found.state.q + found.problem.filled(step * direction), found.state.v)
        assert _energy(found.problem, found.problem.assembled(moved).q) > here


def _energy(problem, q):
    return problem.model.potential_energy(*problem.state(0.0, q, 0 * q).arguments())


def test_a_body_that_nothing_holds_has_no_equilibrium():
    stone = Mechanism("stone", dimension=2)
    stone.point("C", (0, 0))
    stone.point_mass("C", 1.0)
    with pytest.raises(cp.SolverError, match=r"stone.*no equilibrium.*C\.y.*without support falls forever"):
        stone.equilibrium()


def test_a_settled_mechanism_starts_at_rest_and_stays():
    bungee = spring_pendulum()
    result = bungee.settled().run(until=1.0, step=1e-2)
    place = result["bungee.mass"].values
    assert np.ptp(place, axis=0).max() < 1e-8
    assert place[0, 2] == pytest.approx(-1.0 - 2.0 * G / 200.0, abs=1e-9)
    assert bungee.assembled().q[0] == pytest.approx(0.3)  # the first one is not changed


def test_natural_lengths_stay_as_drawn_when_a_mechanism_settles():
    scale = Mechanism("scale", dimension=2)
    scale.point("top", (0, 0), fixed=True)
    scale.point("pan", (0, -1))
    scale.point_mass("pan", 1.0)
    scale.spring("coil", between=("top", "pan"), stiffness=100.0)
    settled = scale.settled()
    assert settled.assembled().q[1] == pytest.approx(-1.0 - G / 100.0)
    assert settled.equilibrium()["pan"][1] == pytest.approx(-1.0 - G / 100.0)


def test_many_degrees_of_freedom_find_a_hanging_chain():
    """Rods of equal length drawn as a zigzag; the tension's horizontal part is the same in all."""
    chain = Mechanism("chain", dimension=2)
    count = 10
    for k in range(count + 1):
        x = 0.7 * k
        chain.point(f"K{k}", (x, 0.3 * (k % 2)), fixed=k in (0, count))
    for k in range(count):
        chain.body(f"link{k}", points=[f"K{k}", f"K{k + 1}"], mass=1.0)
    found = chain.equilibrium()
    points = np.vstack([[0, 0], *(found[f"K{k}"] for k in range(1, count)), [0.7 * count, 0]])
    links = np.diff(points, axis=0)
    slopes = links[:, 1] / links[:, 0]
    assert found.is_stable
    # Moment balance of each pin: the slope grows by the same weight over the same horizontal force.
    assert np.ptp(np.diff(slopes)) < 1e-7 * np.abs(np.diff(slopes)).max()


def test_a_guided_part_stands_still_while_the_rest_settles():
    arm = pendulum(angle=0.0)
    arm.point("C", (1.8, 0.0))
    arm.body("lower", points=["B", "C"], mass=1.0)
    arm.guide("swing", [0.0, 0.5])
    found = arm.equilibrium(at=1.0)
    elbow = np.array([np.cos(0.5), np.sin(0.5)])
    assert found["B"] == pytest.approx(elbow, abs=1e-10)
    assert found["C"] == pytest.approx([elbow[0], elbow[1] - 0.8], abs=1e-8)
    # The guide holds the rod's own weight and all of the hanging one.
    assert found["guide:swing"] == pytest.approx(1.5 * G * np.cos(0.5), rel=1e-9)


def test_two_masses_on_rods_hang_straight():
    pendulum = double_pendulum()
    pendulum.points["R"].position = np.array([0.6, -1.3])
    pendulum.points["P"].position = np.array([0.9, -0.435])
    pendulum.links["upper"].value, pendulum.links["lower"].value = 1.0, 0.7
    found = pendulum.equilibrium()
    assert found["R"] == pytest.approx([0, -1.7], abs=1e-8)
    assert found.reactions["upper: length"] == pytest.approx(-3.5 * G) or found.reactions[
        "upper: length"
    ] == pytest.approx(3.5 * G)
