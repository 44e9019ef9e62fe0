"""Coordinates that belong to no point, points kept on bodies and at weighted sums, inputs with a minus."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.multibody import Mechanism


def flywheels():
    """Two flywheels on a gear 1 : 3, the first driven by an input."""
    mechanism = Mechanism("m", gravity=(0, 0, 0))
    mechanism.coordinate("slow", inertia=9.0)
    mechanism.coordinate("fast", inertia=1.0)
    mechanism.gear("gear", "slow", "fast", 3.0)
    mechanism.actuator("motor", "slow", force="input:torque")
    mechanism.output("slow", "slow")
    mechanism.output("rate", "fast", "velocity")
    return mechanism


def test_geared_flywheels_turn_as_their_reduced_inertia_says():
    mechanism = flywheels()
    mechanism.input("torque", 36.0)
    result = mechanism.run(until=1.0, step=1e-2)
    # 9 + 1 * 3^2 = 18 kg m2; the trapezoidal rule is exact for a constant acceleration.
    assert result["m.slow"].at(1.0) == pytest.approx(1.0, abs=1e-9)
    assert result["m.rate"].at(1.0) == pytest.approx(6.0, abs=1e-9)
    assert result.signal("m.rate").unit == "rad/s"


def test_minus_before_an_input_turns_it_round():
    ahead, back = Mechanism("m", gravity=(0, 0, 0)), Mechanism("m", gravity=(0, 0, 0))
    for mechanism, force in ((ahead, "input:torque"), (back, "-input:torque")):
        mechanism.coordinate("turn", inertia=2.0)
        mechanism.actuator("motor", "turn", force=force)
        mechanism.input("torque", 3.0)
        mechanism.output("turn", "turn")
    first, second = (m.run(until=1.0, step=0.1)["m.turn"].values for m in (ahead, back))
    assert np.array_equal(first, -second)
    assert list(back.inputs) == ["torque"]


def test_a_coordinate_starts_with_its_value_and_rate_and_may_be_a_length():
    mechanism = Mechanism("m", gravity=(0, 0, 0))
    mechanism.coordinate("rack", kind="displacement", inertia=2.0, value=0.5, rate=-1.0)
    mechanism.output("rack", "rack")
    result = mechanism.run(until=1.0, step=0.1)
    assert result["m.rack"].values[0] == 0.5
    assert result["m.rack"].at(1.0) == pytest.approx(-0.5, abs=1e-12)
    assert result.signal("m.rack").unit == "m"


def test_a_point_kept_on_a_body_moves_as_one_that_belongs_to_it():
    runs = []
    for own in (False, True):
        mechanism = Mechanism("m")
        mechanism.point("A", (0, 0, 0), fixed=True)
        mechanism.vector("y", (0, 1, 0), fixed=True)
        mechanism.point("B", (1, 0, 0))
        mechanism.point("C", (0.5, 0.2, 0.1))
        points = ["A", "B"] if own else ["A", "B", "C"]
        mechanism.body("arm", points=points, vectors=["y"], mass=1.0, centre=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        mechanism.point_mass("C", 2.0)
        if own:
            mechanism.on_body("C on arm", "C", "arm")
        mechanism.output("C", "C")
        if own:
            mechanism.output("reaction", "C on arm")
        runs.append(mechanism)
    given, kept = (m.run(until=1.0, step=1e-3) for m in runs)
    assert runs[1].assembled().free == runs[0].assembled().free + 3
    assert runs[1].assembled().degrees_of_freedom == runs[0].assembled().degrees_of_freedom == 1
    assert kept["m.C"].values == pytest.approx(given["m.C"].values, abs=1e-7)
    assert kept["m.reaction"].values.shape[1] == 3


def test_a_weighted_point_stays_on_the_line_of_two_others():
    mechanism = Mechanism("m", dimension=2)
    for name, x in (("A", 0), ("B", 2), ("C", 0.5)):
        mechanism.point(name, (x, 0))
        mechanism.point_mass(name, 1.0)
    mechanism.distance_constraint("bar", "A", "B")
    mechanism.weighted_point("C on bar", "C", {"A": 0.75, "B": 0.25})
    mechanism.force("push", "B", (0.0, 30.0))
    mechanism.output("C", "C")
    result = mechanism.run(until=0.3, step=1e-3)
    mechanism.outputs.clear()
    assembly = mechanism.assembled()
    assert assembly.degrees_of_freedom == 3
    q = result["m.q"].values[-1]
    places = {name: q[at : at + 2] for name, at in assembly.offsets.items()}
    assert places["C"] == pytest.approx(0.75 * places["A"] + 0.25 * places["B"], abs=1e-10)


def test_coordinates_and_such_links_survive_a_model_file(tmp_path):
    mechanism = flywheels()
    mechanism.coordinate("rack", kind="displacement", inertia=2.0, value=0.5)
    mechanism.actuator("brake", "fast", force="-input:torque")
    for name, x in (("A", 0), ("B", 2), ("C", 0.5), ("D", 1)):
        mechanism.point(name, (x, 0, 0))
        mechanism.point_mass(name, 1.0)
    mechanism.vector("z", (0, 0, 1))
    mechanism.body("bar", points=["A", "B"], vectors=["z"], mass=1.0, inertia=(0.1, 0.2, 0.2))
    mechanism.weighted_point("C on bar", "C", {"A": 0.75, "B": 0.25})
    mechanism.on_body("D on bar", "D", "bar")
    first = cp.multibody.save(mechanism, tmp_path / "first.toml")
    second = cp.multibody.save(cp.multibody.load(first), tmp_path / "second.toml")
    assert first.read_text() == second.read_text()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.coordinate("c", inertia=0.0), "inertia 0.0; expected a positive number"),
        (lambda m: m.coordinate("c", inertia=1.0, kind="angel"), 'did you mean "angle"'),
        (lambda m: m.coordinate("A", inertia=1.0), "a point has this name already"),
        (lambda m: m.on_body("l", "A", "rod"), '"A" belongs to "rod" already'),
        (lambda m: m.weighted_point("l", "C", {"A": 1.0, "B": 1.0}), "sum to 2; they must sum to 1"),
        (lambda m: m.tyre("t", "rod", centre="A", axis=(0, 1, 0), angle="wheel"), 'no coordinate "wheel"'),
    ],
)
def test_mistakes_are_told(call, message):
    mechanism = Mechanism("m")
    for name, x in (("A", 0), ("B", 2), ("C", 0.5)):
        mechanism.point(name, (x, 0, 0))
    mechanism.body("rod", points=["A", "B"], mass=1.0)
    with pytest.raises(cp.errors.SetupError) as caught:
        call(mechanism)
    assert message in str(caught.value)
