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


@pytest.mark.parametrize("pace", [None, cp.pace.defect(1e-5, first=1e-3, smallest=1e-5, largest=5e-3)])
@pytest.mark.parametrize(("left", "right"), [("deg", "rad"), ("rad", "deg"), ("deg", "deg")])
def test_a_potential_flow_bond_between_degrees_and_radians_moves_as_the_closed_form(left, right, pace):
    """Whichever side counts in degrees: the motion is that of radians, and no power is made of the unit."""
    per_radian = {"rad": 1.0, "deg": 180.0 / math.pi}
    given, taken = per_radian[left], STIFFNESS / per_radian[right]
    system = cp.System("shaft")
    disk_in_unit = cp.linear([[0, 1], [0, 0]], [[0], [1]], [[given, 0], [0, given]], x0=[1, 0], inputs="torque",
                             outputs=["angle", "speed"], units={"angle": left, "speed": f"{left}/s"})  # fmt: skip
    end = cp.linear([[0, 1], [-STIFFNESS, 0]], [[0], [taken]], [[STIFFNESS, 0]], [[-taken]], x0=[0, 0], inputs="angle",
                    outputs="torque", units={"angle": right})  # fmt: skip
    system.add("left", disk_in_unit, step=0.001)
    system.add("right", end, step=0.001)
    system.bond("rotational", "left", "right", approximation={"angle": cp.lagrange(2), "torque": cp.lagrange(1)})
    result = system.run(until=1.0, pace=pace)
    # Torque as lines over 1 ms: an error of some 1e-6; a unit left out would be one of 57.
    assert result["left.angle"].values[-1] / given == pytest.approx(EXACT, abs=2e-5)
    assert abs(result.bonds["relative"][0]) < 1e-4


@pytest.mark.parametrize(
    ("options", "bound"),
    [
        ({}, 1e-6),
        ({"window": cp.window(0.01)}, 1e-6),
        ({"pace": cp.pace.defect(1e-5, first=1e-3, smallest=1e-5, largest=5e-3)}, 3e-5),  # three times its tolerance
    ],
    ids=["fixed", "window", "defect"],
)
def test_a_damped_inertia_in_the_master_moves_as_the_closed_form(options, bound):
    """Two springs, one in degrees and counted the other way, act on an inertia of 2 kg m² with 0.8 N m s/rad."""
    turned = STIFFNESS * math.pi / 180.0
    system = cp.System("shaft")
    for name, gain, unit in (("left", -STIFFNESS, "rad"), ("right", turned, "deg")):
        spring = cp.linear([[0.0]], [[0.0]], [[0.0]], [[gain]], x0=[0], inputs="angle", outputs="torque",
                           units={"angle": unit})  # fmt: skip
        system.add(name, spring, step=0.001)
    law = inertia(2.0, step=0.001, potential=1.0, damping=0.8)
    system.bond("rotational", "left", side("right", sign=-1), causality="potential-potential", law=law, name="disk",
                approximation=cp.lagrange(2))  # fmt: skip
    decay = 0.8 / (2 * 2.0)
    turns = math.sqrt(2 * STIFFNESS / 2.0 - decay**2)
    exact = math.exp(-decay) * (math.cos(turns) + decay / turns * math.sin(turns))
    assert last(system, "disk.angle", **options) == pytest.approx(exact, abs=bound)


@pytest.mark.parametrize(
    ("own", "options"),
    [
        (None, {"scheme": "parallel"}),
        (None, {"window": cp.window(0.01, repeats=2)}),
        (None, {"pace": cp.pace.gradient(tolerance=1e-5, first=1e-3, smallest=1e-5, largest=2e-2)}),
        (None, {"pace": cp.pace.predictor_corrector(1e-5, first=1e-3, smallest=1e-5, largest=2e-2)}),
        (cp.pace.defect(1e-5, first=1e-3, smallest=1e-5, largest=2e-2), {}),
    ],
    ids=["parallel", "window", "gradient", "predictor-corrector", "single defect"],
)
def test_a_connection_that_feeds_its_own_subsystem_through_a_law_follows_every_pace(own, options):
    """Flow-flow without a third subsystem: each torque follows from the angles of both."""
    system = cp.System("shaft")
    for name, at in (("left", 1.0), ("right", 0.0)):
        system.add(name, disk(at), step=0.001, pace=own)
    angles = ["left.angle", "right.angle"]
    system.connect(angles, "left.torque", cp.lagrange(2), law=lambda left, right: STIFFNESS * (right - left))
    system.connect(angles, "right.torque", cp.lagrange(2), law=lambda left, right: STIFFNESS * (left - right))
    assert last(system, **options) == pytest.approx(EXACT, abs=3e-5)  # three times the tolerance of the paces
