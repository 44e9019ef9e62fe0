"""What is wrong with a mechanism is said by name, with what is allowed; nothing bad passes silently."""

import re

import numpy as np
import pytest

from counterpoint import SetupError, SimulationError
from counterpoint.multibody import Formulation, Mechanism
from counterpoint.multibody.library import four_bar

NAN, INF = float("nan"), float("inf")


def two_points(dimension=2):
    mechanism = Mechanism("m", dimension=dimension)
    mechanism.point("A", (0, 0, 0)[:dimension], fixed=True)
    mechanism.point("B", (1, 0, 0)[:dimension])
    return mechanism


def rod(dimension=2):
    mechanism = two_points(dimension)
    mechanism.body("rod", points=["A", "B"], mass=1.0)
    mechanism.distance("d", "A", "B")
    return mechanism


def turning_rod():
    mechanism = rod()
    mechanism.angle("phi", "rod")
    return mechanism


def guided_rod():
    mechanism = turning_rod()
    mechanism.guide("phi", [0.0, 1.0])
    return mechanism


def light_and_heavy():
    mechanism = Mechanism("scale", dimension=2)
    for k, name in enumerate("ABC"):
        mechanism.point(name, (k, 0), fixed=k == 0)
    mechanism.body("heavy", points=["A", "B"], mass=1e3)
    mechanism.body("light", points=["B", "C"], mass=1e-12)
    return mechanism


def started_rod():
    mechanism = turning_rod()
    mechanism.initial("phi", 1.0)
    mechanism.initial("phi", rate=3.0)
    return mechanism


def strip(mechanism, **changed):
    options = {"polar": [(-1, -1, 0), (1, 1, 0)], "span": 1.0, "chord_length": 1.0, **changed}
    mechanism.aerodynamic_strip("s", "rod", point="B", chord=(1, 0), normal=(0, 1), **options)


PARTS = {
    "an unknown point": (two_points, lambda m: m.body("b", points=["A", "Bb"], mass=1.0), 'body "b": no point "Bb"; did you mean "B"?'),
    "an unknown vector": (two_points, lambda m: m.body("b", points=["A"], vectors=["x"], mass=1.0), 'body "b": no vector "x"'),
    "no points": (two_points, lambda m: m.body("b", points=[], mass=1.0), 'body "b": no points; expected at least one'),
    "a mass in words": (two_points, lambda m: m.body("b", points=["A", "B"], mass="heavy"), "'heavy'; expected a number in kg"),
    "an inertia number in space": (
        lambda: two_points(3), lambda m: m.body("b", points=["A", "B"], mass=1.0, inertia=2.0), "3 numbers or 3 x 3 numbers in kg m²"
    ),
    "local geometry without a point": (
        two_points, lambda m: m.body("b", points=["A", "B"], mass=1.0, local={"A": (0, 0)}), 'local: "B" is missing'
    ),
    "a name that exists": (two_points, lambda m: m.point("A", (1, 1)), 'point "A": a point has this name already'),
    "a name of another kind": (two_points, lambda m: m.body("A", points=["A", "B"], mass=1.0), 'body "A": a point has this name already'),
    "a name with a dot": (two_points, lambda m: m.point("C.x", (1, 2)), "expected a word without dots and colons"),
    "a name of a standard output": (two_points, lambda m: m.point("energy", (1, 2)), "reserved: q, kinetic_energy"),
    "a position in space": (two_points, lambda m: m.point("C", (1, 2, 3)), "(1, 2, 3); expected 2 finite numbers"),
    "a position that is no number": (two_points, lambda m: m.point("C", (1, float("nan"))), "expected 2 finite numbers"),
    "a fixed point that moves": (
        two_points, lambda m: m.point("C", (1, 2), fixed=True, velocity=(1, 0)), "it is fixed and has a velocity"
    ),
    "a direction without length": (two_points, lambda m: m.vector("v", (0, 0)), 'vector "v": has no length'),
    "a negative point mass": (two_points, lambda m: m.point_mass("B", -1.0), 'point_mass at "B": -1.0 kg; expected a number of at least 0'),
    "a negative length": (two_points, lambda m: m.distance_constraint("l", "A", "B", -1.0), "expected a positive number"),
    "a distance of one point": (two_points, lambda m: m.distance("l", "A", "A"), '"A" twice; expected two points'),
    "a bar of one point": (two_points, lambda m: m.distance_constraint("l", "A", "A"), '"A" twice; expected two points'),
    "an unknown kind of joint": (rod, lambda m: m.joint("j", "revolut", "ground", "rod", at="A"), 'did you mean "revolute"?'),
    "a joint without an axis": (rod, lambda m: m.joint("j", "prismatic", "ground", "rod", at="A"), "axis: missing"),
    "a joint without a place": (rod, lambda m: m.joint("j", "revolute", "ground", "rod"), "missing position"),
    "a joint for space": (
        rod, lambda m: m.joint("j", "planar", "ground", "rod", at="A", axis=(1, 0)), "this kind is for space only"
    ),
    "a joint with an unknown body": (rod, lambda m: m.joint("j", "weld", "ground", "rob", at="A"), 'no body "rob"; did you mean "rod"?'),
    "an angle without axis in space": (lambda: rod(3), lambda m: m.angle("phi", "rod"), "axis: missing; expected one in space"),
    "a guide of nothing": (rod, lambda m: m.guide("phi", 1.0), 'guide: no measure "phi"'),
    "a guide by a word": (rod, lambda m: m.guide("d", "inputs:x"), "\"input:NAME\" or a function of t"),
    "a guide by a wrong table": (rod, lambda m: m.guide("d", {"sin": {}}), "or a function of t"),
    "a sine with a wrong key": (rod, lambda m: m.guide("d", {"sine": {"ampltude": 1}}), "'ampltude' is not known"),
    "an initial value of nothing": (rod, lambda m: m.initial("e", 1.0), 'initial: no measure "e"'),
    "a gear of nothing": (rod, lambda m: m.gear("g", "x", "y", 2.0), 'relation "g": no measure "y"'),
    "a spring nowhere": (rod, lambda m: m.spring("s", stiffness=1.0), "give either a measure or between = two points"),
    "a spring of negative stiffness": (rod, lambda m: m.spring("s", "d", stiffness=-1.0), "stiffness -1.0; expected a number of at least 0"),
    "a curve that goes back": (rod, lambda m: m.spring("s", "d", curve=[(0, 0), (-1, 1)]), "with increasing deflection"),
    "a curve in words": (rod, lambda m: m.spring("s", "d", curve="steep"), "pairs (deflection, force)"),
    "a spring of one point": (rod, lambda m: m.spring("s", between=("A", "A")), 'between: "A" twice; expected two points'),
    "a rotational spring of no number": (
        lambda: rod(3), lambda m: m.rotational_spring("s", "ground", "rod", stiffness=(1, 2, NAN)), "one or three numbers from 0"
    ),
    "a rotational spring in words": (
        lambda: rod(3), lambda m: m.rotational_spring("s", "ground", "rod", stiffness="soft"), "stiffness 'soft'; expected one or three numbers"
    ),
    "a contact that pulls": (
        rod, lambda m: m.contact("c", "B", plane=(0, 0), normal=(0, 1), stiffness=-1.0), 'contact "c": stiffness -1.0; expected a number above 0'
    ),
    "friction that drives": (
        rod, lambda m: m.contact("c", "B", plane=(0, 0), normal=(0, 1), friction=-0.1), 'contact "c": friction -0.1; expected a number from 0'
    ),
    "a tyre without a radius": (
        lambda: rod(3), lambda m: m.tyre("t", "rod", centre="B", axis=(0, 1, 0), radius=0.0), 'tyre "t": radius 0.0; expected a number above 0'
    ),
    "a magic formula without a shape": (
        lambda: rod(3), lambda m: m.tyre("t", "rod", centre="B", axis=(0, 1, 0), lateral={"C": 0.0}), 'tyre "t": lateral: C 0.0; expected a number above 0'
    ),
    "wind in words": (rod, lambda m: strip(m, wind=("strong", 0.0)), "wind 0: 'strong'; expected a number, polynomial"),
    "wind measured below the ground": (rod, lambda m: strip(m, reference_height=-1.0), "reference_height -1.0; expected a positive number"),
    "a polar with no number": (rod, lambda m: strip(m, polar=[(0, 0, 0), (1, 1, NAN)]), "polar: expected rows of angle"),
    "a difference of no number": (
        rod, lambda m: m.user_force("u", print, ["B"], position_difference=NAN), "position_difference nan; expected a number of at least 0"
    ),
    "a user force nowhere": (rod, lambda m: m.user_force("u", print, []), 'user force "u": no points; expected at least one'),
    "a force of one component": (rod, lambda m: m.force("F", "B", (1.0,)), 'force "F": 1 components; expected 2'),
    "a torque of one component in space": (lambda: rod(3), lambda m: m.torque("T", "rod", 1.0), "expected three components in space"),
    "an output of nothing": (rod, lambda m: m.output("y", "Bx"), 'output "y": there is no "Bx"; did you mean "B"?'),
    "an output of an unknown motion": (rod, lambda m: m.output("y", "B", "speed"), 'motion "speed"; known:'),
    "a support of a free point": (rod, lambda m: m.output("y", "support:B"), 'no fixed point "B"; known: "A"'),
    "an output called as a standard one": (rod, lambda m: m.output("energy", "B"), "every mechanism already has an output of this name"),
    "an initial value that is no number": (turning_rod, lambda m: m.initial("phi", NAN), 'initial of "phi": value nan; expected a finite number'),
    "an initial rate without end": (turning_rod, lambda m: m.initial("phi", rate=INF), 'initial of "phi": rate inf; expected a finite number'),
    "a second initial value": (
        started_rod, lambda m: m.initial("phi", 2.0), 'initial of "phi": it has a value already; one is allowed'
    ),
    "a relation by no number": (turning_rod, lambda m: m.relation("x", {"phi": NAN}), 'relation "x": factor of "phi" nan; expected a finite number'),
    "a relation to no number": (
        turning_rod, lambda m: m.relation("x", {"phi": 1.0}, INF), 'relation "x": constant inf; expected a finite number'
    ),
    "a gear ratio in words": (turning_rod, lambda m: m.gear("g", "phi", "d", "two"), "factor of \"phi\" 'two'; expected a finite number"),
    "a length without end": (two_points, lambda m: m.distance_constraint("l", "A", "B", INF), 'distance "l": length inf; expected a positive number'),
    "a length in words": (two_points, lambda m: m.distance_constraint("l", "A", "B", "1"), "length '1'; expected a positive number"),
    "an angle that is no number": (
        rod, lambda m: m.joint("j", "angle", "ground", "rod", axis=(1, 0), second_axis=(0, 1), value=NAN), 'joint "j": value nan; expected a finite number'
    ),
    "a natural length that is no number": (rod, lambda m: m.spring("s", "d", natural=NAN), 'spring "s": natural nan; expected a finite number'),
    "a curve with no number": (rod, lambda m: m.spring("s", "d", curve=[(0, 0), (1, NAN)]), "pairs (deflection, force)"),
    "an input that is no number": (rod, lambda m: m.input("u", NAN), 'input "u": default nan; expected a finite number'),
    "friction at no rate": (rod, lambda m: m.friction("f", "d", sliding=1.0, rate=0.0), 'friction "f": rate 0.0; expected a positive number'),
    "friction over no rate": (rod, lambda m: m.friction("f", "d", sliding=1.0, stribeck=0.0), "stribeck 0.0; expected a positive number"),
    "a point mass in words": (two_points, lambda m: m.point_mass("B", "x"), "point_mass at \"B\": 'x' kg; expected a number of at least 0"),
    "a polynomial with no number": (rod, lambda m: m.guide("d", [1.0, NAN]), 'guide of "d": [1.0, nan]; expected a number, polynomial'),
    "a polynomial without coefficients": (rod, lambda m: m.guide("d", []), 'guide of "d": []; expected a number, polynomial'),
    "a sine with no number": (rod, lambda m: m.guide("d", {"sine": {"amplitude": NAN}}), "sine: amplitude nan; expected a finite number"),
    "a second guide": (guided_rod, lambda m: m.guide("phi", 2.0), 'guide of "phi": this measure is guided already; one guide is allowed'),
    "a run without a step": (rod, lambda m: m.run(until=1.0), "no step; pass run(until, step=...)"),
}  # fmt: skip


@pytest.mark.parametrize("case", PARTS)
def test_it_is_refused_where_it_is_written(case):
    make, act, message = PARTS[case]
    mechanism = make()
    with pytest.raises(SetupError, match=re.escape(message)):
        act(mechanism)


def test_a_dimension_may_be_any_number_that_is_two():
    mechanism = Mechanism("m", dimension=2.0)
    mechanism.point("A", (0, 0))
    mechanism.point_mass("A", 1.0)
    assert mechanism.assembled().degrees_of_freedom == 2


def test_all_problems_of_a_part_are_told_at_once():
    with pytest.raises(SetupError) as caught:
        rod().joint("j", "prismatic", "ground", "rob", axis=(0, 0))
    text = str(caught.value)
    for part in ('no body "rob"', "missing position", "axis has no length"):
        assert part in text


def impossible():
    mechanism = rod()
    mechanism.point("C", (5, 0), fixed=True)
    mechanism.distance_constraint("link", "B", "C", 1.0)
    return mechanism


def body(**options):
    dimension = options.pop("dimension", 2)
    mechanism = two_points(dimension)
    mechanism.body("b", points=["A", "B"], **options)
    return mechanism


def without_inertia():
    mechanism = two_points()
    mechanism.point("C", (2, 0))
    mechanism.body("plate", points=["A", "B", "C"], mass=1.0)
    return mechanism


def two_lengths():
    mechanism = rod()
    mechanism.body("other", points=["A", "B"], mass=1.0, local={"A": (0, 0), "B": (2, 0)})
    return mechanism


def one_place():
    mechanism = two_points()
    mechanism.body("b", points=["A", "A"], mass=1.0)
    return mechanism


def two_guides():
    mechanism = guided_rod()
    mechanism.angle("psi", "rod")
    mechanism.guide("psi", [0.0, 2.0])
    return mechanism


def guided_rod_length():
    mechanism = rod()
    mechanism.guide("d", [1.0, 1.0])
    return mechanism


def fixed_hinge():
    mechanism = rod()
    mechanism.joint("hinge", "revolute", "ground", "rod", at="A")
    mechanism.output("load", "hinge")
    return mechanism


def shared_hinge():
    mechanism = light_and_heavy()
    mechanism.joint("hinge", "revolute", "heavy", "light", at="B")
    mechanism.point_mass("C", 1.0)
    mechanism.output("load", "hinge")
    return mechanism


def mirrored(depth=-1.0):
    mechanism = Mechanism("part", dimension=3)
    local = {"A": (0, 0, 0), "B": (1, 0, 0), "C": (0, 1, 0), "D": (0, 0, 1)}
    for name, place in local.items():
        mechanism.point(name, (*place[:2], depth * place[2]))
    mechanism.body("b", points=list(local), mass=1.0, inertia=(0.1, 0.1, 0.1), local=local)
    return mechanism


def test_a_local_geometry_may_be_drawn_flat_or_with_points_in_one_place():
    assert mirrored(1e-6).assembled().degrees_of_freedom == 6
    mechanism = mirrored(0.0)
    mechanism.start_position["D"] = np.array([0.0, 0.0, 0.5])
    assert mechanism.assembled().degrees_of_freedom == 6


WHOLE = {
    "an assembly that is impossible": (impossible, r'cannot be assembled: constraint "(rod: length of B|link: length)" stays violated by'),
    "a point without mass": (two_points, r'point "B" moves but has no mass: give a body that uses it mass'),
    "a point with too little mass": (light_and_heavy, r'point "C" moves but has only 3\.3e-13 kg beside 3\.3e\+02 kg: give'),
    "a rod without mass": (lambda: body(mass=0.0), r'point "B" moves but has no mass'),
    "a negative mass": (lambda: body(mass=-1.0), r'body "b": mass -1.0 kg; expected a number of at least 0'),
    "a mass that is no number": (lambda: body(mass=float("nan")), r'body "b": mass nan kg'),
    "a negative inertia": (lambda: body(mass=1.0, inertia=-0.1), r'body "b": inertia -0.1 kg m²'),
    "impossible inertias": (
        lambda: body(mass=1.0, inertia=(1, 1, 3), dimension=3), r'body "b": principal inertias 1, 1, 3 kg m² violate the triangle inequality'
    ),
    "an inertia that is not symmetric": (
        lambda: body(mass=1.0, inertia=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], dimension=3), r'body "b": the inertia tensor is not symmetric'
    ),
    "a plate without inertia": (without_inertia, r'body "plate": the inertia is missing'),
    "two lengths of one line": (two_lengths, r"other: length of B: 2 m contradicts 1 m \(rod: length of B\)"),
    "a body in one place": (one_place, r"all in one place; expected a second point or a vector"),
    "the reaction of a joint that needs no equations": (shared_hinge, r'output "load": the bodies of "hinge" share their points'),
    "the reaction of a joint at a fixed point": (fixed_hinge, r'output "load": joint "hinge" is at a fixed point, which carries its force'),
    "a mirror image": (mirrored, r'body "b": drawn as the mirror image of its local geometry'),
    "guides that contradict": (two_guides, r'constraint "guide of (phi|psi)" would change by .* contradict each other'),
    "a guide that cannot move": (guided_rod_length, r"no consistent velocities: .* the mechanism cannot move that way"),
}  # fmt: skip


@pytest.mark.parametrize("case", WHOLE)
def test_it_is_refused_before_anything_runs(case):
    make, message = WHOLE[case]
    with pytest.raises(SetupError, match=message):
        make().assembled()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "index3"}, 'name "index3"; did you mean "index-3"?'),
        ({"solver": "cholesky"}, 'solver "cholesky"; known:'),
        ({"integrator": "rk4"}, "is explicit and index-3 needs an implicit one"),
        ({"name": "penalty", "integrator": "hermite"}, 'works only with name = "index-3"'),
        ({"iteration": "fixed-point"}, "works only with implicit integrators of the index-1 formulations"),
        ({"penalty": -1.0}, "penalty -1.0; expected a positive number"),
        ({"printed": True}, "printed = true needs"),
        ({"spectral_radius": 1.5}, "expected a number from 0 to 1"),
        ({"max_iterations": 0}, "max_iterations 0; expected an integer of at least 1"),
        ({"fixed_iterations": 1.5}, "fixed_iterations 1.5; expected an integer of at least 0"),
        ({"penalty": INF}, "penalty inf; expected a positive number, or None"),
        ({"natural_frequency": -1.0}, "natural_frequency -1.0; expected a number of at least 0"),
        ({"damping_ratio": NAN}, "damping_ratio nan; expected a number of at least 0"),
        ({"tolerance": 0.0}, "tolerance 0.0; expected a positive number"),
    ],
)
def test_contradicting_formulations_are_refused(options, message):
    with pytest.raises(SetupError, match=re.escape(message)):
        Formulation(**options)


def fails(**options):
    mechanism = four_bar(1)
    step = options.pop("step", 0.05)
    mechanism.formulation = Formulation(**options)
    with pytest.raises(SimulationError) as caught:
        mechanism.run(until=20.0, step=step)
    assert caught.value.result is not None, "what was computed before is kept"
    return str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"max_iterations": 1, "tolerance": 1e-15},
        {"system": "kkt", "max_iterations": 1, "tolerance": 1e-15},
        {"name": "penalty", "iteration": "fixed-point", "max_iterations": 2, "tolerance": 1e-15},
    ],
)
def test_a_step_that_does_not_converge_says_when_where_and_what_to_do(options):
    message = fails(**options)
    assert "four-bar: step from t = 0 s to 0.05 s" in message
    assert re.search(r"iteration \d+: the iteration does not converge", message)
    assert re.search(r'worst constraint "\w+: length of B\d" is violated by', message)
    assert "try a smaller step" in message


def test_a_penalty_step_that_does_not_converge_says_so():
    message = fails(name="penalty", max_iterations=1, tolerance=1e-15)
    assert "iteration 1: the iteration does not converge" in message
    assert "try a smaller step" in message


def test_an_error_of_a_users_function_keeps_its_kind_and_text():
    mechanism = rod()
    mechanism.actuator("push", "d", force=lambda t: 1.0 / (0.05 - t))
    with pytest.raises(SimulationError, match="ZeroDivisionError"):
        mechanism.run(until=0.1, step=0.01)
