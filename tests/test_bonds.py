"""Bonds: physical interfaces that name their signals once."""

from __future__ import annotations

import math

import pytest

import counterpoint as cp
from counterpoint.bonds import PowerPort, conductance, inertia, side, spring_damper

STIFFNESS = 10.0
EXACT = 0.5 + 0.5 * math.cos(math.sqrt(2 * STIFFNESS))  # angle of the left one of two disks of 1 kg m² after 1 s


def disk(at, **units):
    return cp.linear([[0, 1], [0, 0]], [[0], [1]], x0=[at, 0], inputs="torque", outputs=["angle", "speed"], units=units)


def shaft_end():
    """A disk on a spring whose other end is given: the torque that it exerts there."""
    k = STIFFNESS
    return cp.linear([[0, 1], [-k, 0]], [[0], [k]], [[k, 0]], [[-k]], x0=[0, 0], inputs="angle", outputs="torque")


def two_disks(**units):
    system = cp.System("shaft")
    system.add("left", disk(1.0), step=0.001)
    system.add("right", disk(0.0, **units), step=0.001)
    return system


def last(system, signal="left.angle", **options):
    return float(system.run(until=1.0, **options)[signal].values[-1])


def test_a_spring_between_two_disks_makes_the_torques_of_both_from_both_angles():
    system = two_disks()
    bond = system.bond(
        "rotational", "left", "right", causality="flow-flow", law=spring_damper(STIFFNESS), approximation=cp.lagrange(2)
    )
    assert last(system) == pytest.approx(EXACT, abs=1e-7)
    assert system.bonds == [bond]
    assert bond.power == (PowerPort("left.torque", "left.speed", 1.0), PowerPort("right.torque", "right.speed", 1.0))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("window", [None, cp.window(0.01)])
def test_a_law_that_is_a_function_gives_the_same_as_the_spring(window, threads):
    system = two_disks()
    law = lambda left, left_speed, right, right_speed: STIFFNESS * (right - left)  # noqa: E731
    system.bond("rotational", "left", "right", causality="flow-flow", law=law, approximation=cp.lagrange(2))
    assert last(system, window=window, threads=threads) == pytest.approx(EXACT, abs=1e-6)


def test_units_of_ports_are_converted():
    system = two_disks(angle="deg", speed="deg/s", torque="kN m")  # its numbers now mean other things
    system.bond("rotational", "left", "right", causality="flow-flow", law=spring_damper(2.0, 0.5))
    to_left, to_right = system.connections
    degree = math.pi / 180
    assert to_left.gains == pytest.approx((-2.0, -0.5, 2.0 * degree, 0.5 * degree))
    assert to_right.gains == pytest.approx((2e-3, 0.5e-3, -2e-3 * degree, -0.5e-3 * degree))


def test_a_potential_flow_bond_connects_both_ways():
    system = cp.System("shaft")
    system.add("left", disk(1.0), step=0.001)
    system.add("right", shaft_end(), step=0.001)
    system.bond("rotational", "left", "right", approximation={"angle": cp.lagrange(2), "torque": cp.lagrange(1)})
    assert [(c.sources[0], c.target) for c in system.connections] == [
        ("left.angle", "right.angle"),
        ("right.torque", "left.torque"),
    ]
    assert [str(c.approximations[0]) for c in system.connections] == ["<lagrange 2>", "<lagrange 1>"]
    assert last(system) == pytest.approx(EXACT, abs=1e-4)


def test_the_sign_of_a_side_turns_its_flow():
    system = cp.System("shaft")
    system.add("left", disk(1.0), step=0.001)
    system.add("right", shaft_end(), step=0.001)
    system.bond("rotational", "left", side("right", sign=-1))
    assert system.connections[1].gains == (-1.0,)
    assert system.bonds[0].power[1].sign == 1.0


def test_an_inertia_between_two_sides_becomes_a_subsystem():
    system = cp.System("shaft")
    for name in ("left", "right"):
        spring = cp.linear([[0.0]], [[0.0]], [[0.0]], [[-STIFFNESS]], x0=[0], inputs="angle", outputs="torque")
        system.add(name, spring, step=0.001)
    law = inertia(1.0, step=0.001, potential=1.0)
    system.bond("rotational", "left", "right", causality="potential-potential", law=law, name="disk")
    assert last(system, "disk.angle") == pytest.approx(math.cos(math.sqrt(20.0)), abs=1e-4)


def test_a_thermal_conductance_knows_zeros_of_scales():
    system = cp.System("wall")
    for name, scale, temperature in (("inside", "degC", 20.0), ("outside", "K", 273.15)):
        store = cp.linear(
            [[0.0]], [[1.0]], x0=[temperature], inputs="heat_flow", outputs="temperature", units={"temperature": scale}
        )
        system.add(name, store, step=0.01)
    system.bond("thermal", "inside", "outside", causality="flow-flow", law=conductance(0.5))
    assert last(system, "inside.temperature") == pytest.approx(10.0 + 10.0 * math.exp(-1.0), abs=1e-3)
    assert system.bonds[0].power[0] == PowerPort("inside.heat_flow", "", 1.0)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda s: s.bond("rotationl", "left", "right"), 'no such interface; did you mean "rotational"'),
        (lambda s: s.bond("rotational", "left", "rigth"), 'right: no subsystem "rigth"; did you mean "right"'),
        (lambda s: s.bond("rotational", "left", "left"), "a bond joins two subsystems"),
        (lambda s: s.bond("rotational", "left", "right"), '"right" has no output "torque"; name the port'),
        (lambda s: s.bond("rotational", "left", "right", causality="flow-flow"), "flow-flow needs a law"),
        (lambda s: s.bond("electrical", "left", "right", causality="flow-flow", law=spring_damper(1)), "conductance"),
        (lambda s: s.bond("rotational", side("left", angel="x"), "right"), 'left: rotational has no "angel"'),
        (
            lambda s: s.bond("rotational", "left", side("right", torque="torque")),
            "it is an input: choose another causality",
        ),
    ],
)
def test_what_does_not_fit_is_named(make, text):
    with pytest.raises(cp.SetupError, match=text):
        make(two_disks())


def test_a_unit_of_another_dimension_is_refused():
    with pytest.raises(cp.SetupError, match=r'"right.angle" is in N \(kg m s-2\); angle is in rad'):
        two_disks(angle="N").bond("rotational", "left", "right", causality="flow-flow", law=spring_damper(1.0))
