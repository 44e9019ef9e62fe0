"""Mechanisms from TOML files, and back."""

import inspect
import textwrap
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterpoint as cp
from counterpoint.cases import read_case
from counterpoint.errors import OutputError, ScenarioError, SetupError
from counterpoint.multibody import Formulation, Mechanism, forces, load, save
from counterpoint.multibody.elements import CONTACT_KEYS, TYRE_KEYS
from counterpoint.multibody.model_file import ModelFile
from counterpoint.multibody.model_forces import FORCES
from counterpoint.multibody.model_writing import dumps
from counterpoint.scenario.problems import Document

PENDULUM = """\
[mechanism]
name = "pendulum"
dimension = 2
units = "SI"
step = 1e-3

[points]
A = { at = [0, 0], fixed = true }
B = { at = [1, 0] }

[bodies.rod]
points = ["A", "B"]
mass = 2.0

[measures.phi]
kind = "angle"
bodies = ["rod"]
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="case.toml"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


@pytest.fixture
def problems(write):
    """Load a text with mistakes; return them without the name of the file."""

    def problems(text):
        path = write(text)
        with pytest.raises(ScenarioError) as caught:
            load(path)
        assert all(problem.startswith(f"{path}: ") for problem in caught.value.problems), caught.value.problems
        return [problem.removeprefix(f"{path}: ") for problem in caught.value.problems]

    return problems


def by_hand():
    m = Mechanism("pendulum", dimension=2)
    m.point("A", (0, 0), fixed=True)
    m.point("B", (1, 0))
    m.body("rod", points=["A", "B"], mass=2.0)
    m.angle("phi", "rod")
    m.step = 1e-3
    return m


def positions(mechanism, until=0.5, step=1e-3):
    return mechanism.run(until=until, step=step)[f"{mechanism.name}.q"].values


# What can be said


def test_a_file_moves_as_the_same_mechanism_by_hand(write):
    assert np.array_equal(positions(load(write(PENDULUM))), positions(by_hand()))


def test_the_name_of_a_file_names_a_mechanism_without_one(write):
    assert load(write(PENDULUM.replace('name = "pendulum"\n', ""), "my rig.v2.toml")).name == "my rig_v2"


def test_the_same_mechanism_in_other_units_moves_the_same(write):
    text = PENDULUM.replace('"SI"', '{ length = "mm", mass = "g", force = "N", angle = "deg" }')
    text = text.replace("[1, 0] }", "[1000, 0] }").replace("mass = 2.0", "mass = 2000")
    text += '\n[springs.s]\nmeasure = "phi"\nstiffness = "2 N m/rad"\nnatural = 30\n'
    m = by_hand()
    m.spring("s", "phi", stiffness=2.0, natural=np.pi / 6)
    np.testing.assert_allclose(positions(load(write(text))), positions(m), atol=1e-12)


def test_bare_stiffness_along_an_angle_is_in_the_angle_of_the_file(write):
    text = PENDULUM.replace('"SI"', '{ length = "cm", mass = "kg", force = "N", angle = "deg" }')
    text += '\n[springs.s]\nmeasure = "phi"\nstiffness = 3\ndamping = "1 N m s/rad"\n'
    spring = load(write(text)).forces["s"].options
    assert spring["stiffness"] == pytest.approx(3 * 0.01 * 180 / np.pi)
    assert spring["damping"] == pytest.approx(1.0)


def test_a_list_may_end_with_the_unit_of_its_numbers(write):
    m = load(write(PENDULUM.replace("at = [1, 0]", 'at = [50, "2 cm", "mm"], velocity = [1, 2]')))
    np.testing.assert_allclose(m.points["B"].position, [0.05, 0.02])
    np.testing.assert_allclose(m.points["B"].velocity, [1, 2])


EVERYTHING = """\
[mechanism]
dimension = 3
units = { length = "mm", mass = "kg", force = "N", angle = "deg" }
gravity = [0, 0, -9.81, "m/s^2"]
step = "1 ms"
standard_outputs = ["q", "energy"]
notes = ["a test"]

[points]
A = { at = [0, 0, 0], fixed = true }
B = { at = [1000, 0, 0] }
C = { at = [1000, 500, 0] }
D = { at = [2000, 0, 0], velocity = [0, 1, 0] }
E = { at = [0, 0, 500], fixed = true }

[vectors]
u = { along = [0, 1, 0], fixed = true }

[bodies.arm]
points = ["A", "B", "C"]
vectors = ["u"]
mass = 2
centre = [500, 100, 0]
inertia = [1, 2, 2.5, "kg m^2"]
shape = { kind = "box", size = [1000, 500, 10], colour = "teal", group = "arms", turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]] }

[bodies.rod]
points = ["B", "D"]
mass = "500 g"
local = { B = [0, 0, 0], D = [1, 0, 0, "m"] }

[bodies.plate]
points = ["D", "P"]
mass = 1
inertia = [[2e6, 0, 0], [0, 2e6, 0], [0, 0, 3e6]]

[points.P]
at = [2000, 300, 0]

[point_masses]
D = 0.25

[joints.hinge]
kind = "universal"
bodies = ["arm", "plate"]
at = "D"
axis = [1, 0, 0]
second_axis = [0, 1, 0]

[links]
bar = { kind = "distance", points = ["E", "P"], length = "2.2 m" }

[measures]
swing = { kind = "angle", bodies = ["ground", "arm"], axis = [0, 1, 0] }
twist = { kind = "rotation", bodies = ["arm", "plate"], axis = [1, 0, 0] }
reach = { kind = "distance", points = ["E", "D"] }
height = { kind = "displacement", point = "B", along = [0, 0, 1], origin = "A" }

[relations]
tie = { kind = "linear", factors = { swing = 2, height = 0.5 }, constant = 3 }
rack = { kind = "rack", angle = "swing", displacement = "height", radius = 20 }
gear = { kind = "gear", first = "swing", second = "twist", ratio = -2 }

[springs]
s1 = { between = ["E", "D"], stiffness = 20, damping = "3 N s/m", natural = "1 m" }
s2 = { measure = "twist", curve = { points = [[-10, -1], [10, 1]], units = ["deg", "N m"] } }

[actuators]
a1 = { measure = "swing", force = "input:torque" }
a2 = { between = ["E", "B"], force = { sine = { amplitude = "2 kN", frequency = 3, phase = 90 } } }

[frictions]
f1 = { measure = "height", sliding = 3, breakaway = "4 N", rate = 2, stribeck = "1 cm/s" }

[forces]
wind = { point = "P", components = [1, [0, 2], "input:gust"], body = "arm" }

[torques]
t1 = { body = "plate", components = ["1 N m", 0, "input:twist_torque"], turning = true }

[rotational_springs]
r1 = { bodies = ["arm", "plate"], stiffness = [1, 2, 3, "N m/deg"], damping = "2 N m s/rad" }

[contacts]
c1 = { point = "D", plane = [0, 0, -500], normal = [0, 0, 1], stiffness = 1000, exponent = 2, friction = 0.3, radius = 10 }

[tyres]
w1 = { body = "plate", centre = "D", axis = [0, 1, 0], road = [0, 0, -2, "m"], radius = 300, stiffness = 200, lateral = { B = 9, mu = 1.1 } }

[aerodynamic_strips]
b1 = { body = "plate", point = "P", chord = [1, 0, 0], normal = [0, 0, 1], span = 500, chord_length = "20 cm", polar = [[-10, -1, 0.02], [10, 1, 0.02]], wind = [{ step = { start = 1, end = 2, before = "1 m/s", after = "36 km/h" } }, 0, "input:gust"] }

[inputs]
gust = "1 kN"
spare = 2

[outputs]
swing = "swing"
tip = { of = "D", motion = "acceleration" }
ground = "support:A"
bar = "bar"
spring = "s1"

[initial]
swing = { rate = "3 rpm" }
height = 0

[start_position]
B = [1, 0.1, 0, "m"]
u = [0, 1, 0]
"plate~1" = [0, 1, 0]

[formulation]
name = "index-3"
integrator = "generalised-alpha"
spectral_radius = 0.7
penalty = 1e8
"""


def test_every_kind_of_thing_arrives_in_si_units(write):
    m = load(write(EVERYTHING, "every.toml"))
    assert (m.name, m.dimension, m.step, m.notes) == ("every", 3, 1e-3, ["a test"])
    np.testing.assert_allclose(m.bodies["arm"].inertia, np.diag([1, 2, 2.5]))
    np.testing.assert_allclose(m.bodies["plate"].inertia, np.diag([2, 2, 3]))
    assert m.bodies["arm"].shape["size"] == pytest.approx([1, 0.5, 0.01])
    assert m.bodies["rod"].mass == 0.5
    np.testing.assert_allclose(m.bodies["rod"].local["D"], [1, 0, 0])
    assert m.point_masses[0].mass == 0.25
    assert m.links["bar"].value == pytest.approx(2.2)
    # 2 swing/deg + 0.5 height/mm = 3
    assert m.relations["tie"].factors["height"] / m.relations["tie"].factors["swing"] == pytest.approx(
        0.25 * np.pi / 180 * 1e3
    )
    assert m.relations["tie"].constant / m.relations["tie"].factors["swing"] == pytest.approx(1.5 * np.pi / 180)
    assert m.relations["rack"].factors["swing"] == pytest.approx(0.02)
    assert m.forces["s1"].options["stiffness"] == pytest.approx(20e3)
    assert m.forces["s2"].options["curve"][1] == pytest.approx([np.pi / 18, 1.0])
    assert m.forces["a2"].options["force"]["sine"] == pytest.approx(
        {"amplitude": 2e3, "frequency": 3.0, "phase": np.pi / 2}
    )
    assert m.forces["f1"].options["rate"] == pytest.approx(2e-3)
    assert m.forces["f1"].options["stribeck"] == pytest.approx(1e-2)
    np.testing.assert_allclose(m.forces["r1"].options["stiffness"], np.array([1, 2, 3]) * 180 / np.pi)
    assert m.forces["c1"].options["law"] == pytest.approx(
        {"stiffness": 1e9, "exponent": 2.0, "friction": 0.3, "radius": 0.01}
    )
    assert m.forces["w1"].options["law"] == pytest.approx({"radius": 0.3, "stiffness": 2e5})
    assert m.forces["w1"].options["lateral"] == {"B": 9.0, "mu": 1.1}
    np.testing.assert_allclose(m.forces["b1"].options["polar"][1], [np.pi / 18, 1, 0.02])
    assert m.forces["b1"].options["wind"][0]["step"] == pytest.approx(
        {"start": 1.0, "end": 2.0, "before": 1.0, "after": 10.0}
    )
    np.testing.assert_allclose(m.start_position["B"], [1, 0.1, 0])
    assert m.inputs == {"torque": 0.0, "gust": 1000.0, "twist_torque": 0.0, "spare": 2.0}
    assert m.outputs["tip"].motion == "acceleration"
    assert m.initial_values[0].rate == pytest.approx(0.1 * np.pi)
    assert m.formulation == Formulation(integrator="generalised-alpha", spectral_radius=0.7, penalty=1e8)


def test_planar_torques_are_single_values(write):
    text = PENDULUM + '\n[torques]\nt = { body = "rod", components = [0, "2 N m/s"] }\n'
    with pytest.raises(ScenarioError, match="components"):
        load(write(text))
    m = load(write(PENDULUM + '\n[torques]\nt = { body = "rod", components = "2 N m" }\n'))
    assert m.forces["t"].options["components"] == [2.0]
    m = load(write(PENDULUM + '\n[torques]\nt = { body = "rod", components = [[0, "2 N m/s"]] }\n'))
    assert m.forces["t"].options["components"] == [[0.0, 2.0]]


def test_a_polynomial_guide_may_give_its_speed_in_rpm(write):
    m = load(write(PENDULUM + '\n[guides]\nphi = ["90 deg", "30 rpm"]\n'))
    assert m.guides[0].value == pytest.approx([np.pi / 2, np.pi])


def test_a_python_function_is_named_as_in_scenarios(write):
    write("def torque(t):\n    return 3.0 * t\n", "motor.py")
    text = PENDULUM + '\n[actuators.a]\nmeasure = "phi"\nforce = { python = "motor.py:torque" }\n'
    m = by_hand()
    m.actuator("a", "phi", force=[0.0, 3.0])
    np.testing.assert_allclose(positions(load(write(text))), positions(m), atol=1e-9)


def test_a_user_force_is_a_python_function(write, tmp_path):
    write("import numpy as np\ndef push(t, x, v, u):\n    return np.array([[0.0, 2 * 9.81 / 2]])\n", "push.py")
    m = load(write(PENDULUM + '\n[user_forces.f]\nfunction = "push.py:push"\npoints = ["B"]\n'))
    assert np.abs(positions(m) - m.assembled().q[:2]).max() < 1e-9  # half of the weight at the tip holds the rod
    assert 'function = "push.py:push"' in save(m, tmp_path / "again.toml").read_text()


def test_a_table_of_time_is_converted(write):
    m = load(write(PENDULUM + '\n[guides]\nphi = { table = { times = [0, 1, 2], values = [0, 90, 45, "deg"] } }\n'))
    assert m.guides[0].value["table"] == {"times": [0, 1, 2], "values": pytest.approx([0, np.pi / 2, np.pi / 4])}


def test_reading_does_not_run_code_and_building_does(write, tmp_path):
    write(f"open({str(tmp_path / 'ran')!r}, 'w').close()\ndef f(t):\n    return 0.0\n", "motor.py")
    text = PENDULUM + '\n[guides]\nphi = { python = "motor.py:f" }\n'
    model = ModelFile.read(write(text))
    assert model.runs_code
    with pytest.raises(ScenarioError):
        load(write(text + "[run]\nuntil = true\n", "other.toml"))
    assert not (tmp_path / "ran").exists()
    model.build()
    assert (tmp_path / "ran").exists()


def test_python_files_outside_of_the_directory_are_refused(write, tmp_path):
    (tmp_path / "in").mkdir()
    write("def f(t):\n    return 0.0\n", "motor.py")
    path = write(PENDULUM + '\n[guides]\nphi = { python = "../motor.py:f" }\n', "in/case.toml")
    with pytest.raises(ScenarioError, match="outside"):
        load(path)
    load(path, allow_outside=True)


# What is wrong


def test_a_file_without_its_first_table_is_still_read_as_a_mechanism(write):
    path = write(PENDULUM[PENDULUM.index("[points") :])
    with pytest.raises(ScenarioError) as caught:
        read_case(path)
    assert caught.value.problems == [f"{path}: mechanism: missing; a model file begins with [mechanism]"]


def test_an_empty_file_says_what_could_be_in_it(write):
    with pytest.raises(ScenarioError, match="is empty; a mechanism begins with"):
        read_case(write("# to be written\n"))


def test_mistakes_of_the_run_are_reported_with_the_others(problems):
    found = problems(PENDULUM.replace("mass = 2.0", 'mass = "2 m"') + '[run]\nuntil = "2 kg"\n')
    assert [line.partition(":")[0] for line in found] == ["bodies.rod.mass", "run.until"]


def test_lists_that_are_too_short_or_too_long_say_how_many_are_needed(problems):
    joints = '[joints]\nj = { kind = "weld", bodies = ["rod"], at = "A" }\nk = { kind = "weld", bodies = ["rod", "rod", "rod"] }\n'
    found = problems(PENDULUM + joints)
    assert found[0].startswith("joints.j.bodies: has 1; at least 2 are needed")
    assert found[1].startswith("joints.k.bodies: has 3; at most 2 are allowed")


def test_missing_units_say_what_to_write(problems):
    found = problems(PENDULUM.replace('units = "SI"\n', ""))
    assert found == [
        'mechanism.units: missing; write units = "SI" (m, kg, s, rad, N), or units = { length = "mm", mass = "kg", '
        'force = "N", angle = "deg" } (line 1)'
    ]


def test_units_of_the_wrong_kind_are_refused(problems):
    (found,) = problems(PENDULUM.replace('"SI"', '{ length = "kg", mass = "kg", force = "N", angle = "deg" }'))
    assert found.startswith('mechanism.units.length: "kg": "kg" is not a unit of length; known: "m", "mm"')


@pytest.mark.parametrize("units", ['"si"', "3", '["mm"]'])
def test_other_units_get_the_same_advice(problems, units):
    (found,) = problems(PENDULUM.replace('"SI"', units))
    assert 'write units = "SI"' in found


def test_a_missing_unit_is_named(problems):
    found = problems(PENDULUM.replace('"SI"', '{ length = "mm", mass = "kg", force = "N" }'))
    assert found == ["mechanism.units.angle: missing; it has to be given (line 4)"]


def test_bare_gravity_in_millimetres_is_refused(problems):
    units = '{ length = "mm", mass = "kg", force = "N", angle = "deg" }'
    (found,) = problems(PENDULUM.replace('"SI"', units + "\ngravity = [0, -9.81]"))
    assert found == 'mechanism.gravity: would be in mm/s^2; say which unit it has: [0, -9.81, "m/s^2"] (line 5)'


def test_several_problems_are_told_at_once_in_the_order_of_the_file(problems):
    text = PENDULUM.replace("at = [1, 0]", "at = [1, 0, 0]").replace("mass = 2.0", 'mass = "2 m"')
    text += '\n[springs.s]\nmesure = "phi"\n[joints.j]\nkind = "revolut"\nbodies = ["rod", "ground"]\nat = "A"\n'
    found = problems(text)
    assert [line.split(": ")[0] for line in found] == [
        "points.B.at",
        "bodies.rod.mass",
        "springs.s.mesure",
        "joints.j.kind",
    ]
    assert "2 finite numbers are needed" in found[0]
    assert found[0].endswith("(line 9)")
    assert '"2 m": the unit does not fit; a value in kg is needed' in found[1]
    assert 'unknown key; did you mean "measure"?' in found[2]
    assert 'did you mean "revolute"?' in found[3]


def test_what_follows_from_a_mistake_is_not_told(problems):
    text = (
        PENDULUM.replace("B = { at = [1, 0] }", 'B = { at = "here" }')
        + '\n[outputs]\nx = "B"\nphi = "phi"\n[guides]\nphi = 0\n'
    )
    found = problems(text)
    assert len(found) == 1
    assert found[0].startswith('points.B.at: "here": must be a list of numbers')


@pytest.mark.parametrize(
    ("addition", "expected"),
    [
        ('[bodies.b]\npoints = ["A", "X"]\nmass = 1\n', 'bodies.b: no point "X"; known: "A", "B" (line'),
        ('[guides]\nphy = 0\n', 'guides.phy: no measure "phy"; did you mean "phi"?'),
        ('[initial]\nphy = 0\n', 'initial.phy: no measure "phy"; did you mean "phi"?'),
        ('[point_masses]\nX = 1\n', 'point_masses.X: no point "X"'),
        ('[point_masses]\nB = "1 m"\n', 'point_masses.B: "1 m": the unit does not fit; a value in kg is needed'),
        ('[outputs]\nx = "rood"\n', 'outputs.x: there is no "rood"'),
        ('[outputs]\nx = { of = "B", motion = "velocty" }\n', 'outputs.x.motion: "velocty": unknown motion; did you mean "velocity"?'),
        ('[measures.m]\nkind = "angel"\nbodies = ["rod"]\n', 'measures.m.kind: "angel": unknown kind; did you mean "angle"?'),
        ('[measures.m]\nbodies = ["rod"]\n', "measures.m.kind: missing; must be one of angle, displacement, distance, rotation"),
        ('[measures.m]\nkind = "angle"\nbodies = ["rod"]\nlength = 3\n', 'measures.m.length: unknown key; known: "axis", "bodies", "kind"'),
        ('[measures.B]\nkind = "angle"\nbodies = ["rod"]\n', 'measures.B: a point has this name already'),
        ('[spring.s]\nmeasure = "phi"\n', 'spring: unknown key; did you mean "springs"?'),
        ('[springs.s]\nmeasure = "phi"\nstiffness = "3 N/m"\n', 'springs.s.stiffness: "3 N/m": the unit does not fit; a value in N m/rad'),
        ('[springs.s]\nmeasure = "phi"\nstiffness = "3 N/mmm"\n', 'springs.s.stiffness: "3 N/mmm": unit "mmm" is not known; did you mean "mm"?'),
        ('[springs.s]\nmeasure = "phi"\nstiffness = -3\n', "springs.s.stiffness: -3.0; a number from 0 is needed"),
        ('[springs.s]\nmeasure = "phi"\nstiffness = true\n', "springs.s.stiffness: true: must be a number, or text with a unit"),
        ('[springs.s]\nmeasure = "phi"\nstiffness = nan\n', "springs.s.stiffness: nan: must be a finite number"),
        ('[springs.s]\nmeasure = "phi"\nbetween = ["A", "B"]\n', "springs.s: give either a measure or between = two points"),
        ('[springs.s]\nbetween = ["A"]\n', "springs.s.between: "),
        ('[springs.s]\nmeasure = "phi"\ncurve = [[0, 0], [0, 1]]\n', "springs.s.curve: pairs (deflection, force) with growing deflection"),
        ('[springs.s]\nmeasure = "phi"\ncurve = [0, 1]\n', "springs.s.curve: must be pairs of numbers"),
        ('[actuators.a]\nmeasure = "phi"\n', "actuators.a.force: missing; it has to be given"),
        ('[actuators.a]\nmeasure = "phi"\nforce = { sinus = {} }\n', 'did you mean "sine"?'),
        ('[actuators.a]\nmeasure = "phi"\nforce = { sine = { amplitud = 3 } }\n', 'sine: unknown key "amplitud"; did you mean "amplitude"?'),
        ('[actuators.a]\nmeasure = "phi"\nforce = { python = "no.py:f" }\n', 'actuators.a.force: "no.py": no such file'),
        ('[actuators.a]\nmeasure = "phi"\nforce = "inputs:x"\n', "actuators.a.force: "),
        ('[contacts.c]\npoint = "B"\nplane = [0, 0]\nnormal = [0, 1]\nfriction_sped = 3\n', 'did you mean "friction_speed"?'),
        ('[contacts.c]\npoint = "B"\nplane = [0, 0]\nnormal = [0, 0]\n', "contacts.c.normal: has no length"),
        ('[tyres.t]\nbody = "rod"\ncentre = "B"\naxis = [1, 0]\nlateral = { b = 3 }\n', "tyres.t.lateral.b: unknown key"),
        ('[guides]\nphi = { step = { start = 1 } }\n', "step: end, before, after: missing"),
        ('[guides]\nphi = { table = { times = [0, 0], values = [0, 1] } }\n', "growing times"),
        ('[start_position]\nX = [0, 0]\n', 'start_position.X: no point, vector or coordinate "X"'),
        ('[start_position]\nB = [0, 0, 0]\n', "2 finite numbers are needed"),
        ('[formulation]\nsolver = "lu"\n', 'formulation.solver: "lu"'),
        ('[formulation]\nname = "index-3"\nintegrator = "rk4"\n', "formulation.integrator: "),
        ('[formulation]\npenalti = 3\n', 'formulation.penalti: unknown key; did you mean "penalty"?'),
        ('[bodies.b]\npoints = ["A", "B"]\nmass = 1\nshape = { kind = "bx" }\n', 'bodies.b.shape.kind: "bx": unknown shape; did you mean "box"?'),
        ('[bodies.b]\npoints = ["A", "B"]\nmass = 1\nlocal = { A = [0, 0], B = [1, 0], C = [1, 0] }\n', "bodies.b.local.C: is no point or vector of the body"),
        ('[points.ground]\nat = [0, 0]\n', "points.ground: point name 'ground'"),
        ('[links.l]\nkind = "line"\npoint = "B"\nthrough = "A"\naxis = [0, 0]\n', "links.l: the axis has no length"),
        ('[links.l]\nkind = "line"\npoint = "B"\nthrough = "A"\naxis = ["1 m", 0]\n', "links.l.axis: must be a list of bare numbers"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_key_and_remedy(problems, addition, expected):
    if addition.startswith("[points.ground]"):
        found = problems(PENDULUM + addition)
    else:
        found = problems(PENDULUM + "\n" + addition)
    assert len(found) == 1, found
    assert expected in found[0]
    assert "(line " in found[0]


def test_a_key_twice_is_told_with_its_line(problems):
    (found,) = problems(PENDULUM.replace("[bodies.rod]", "B = { at = [2, 0] }\n\n[bodies.rod]"))
    assert found.startswith("line 11")


def test_dimension_must_be_two_or_three(problems):
    (found,) = problems(PENDULUM.replace("dimension = 2", "dimension = 4"))
    assert found.startswith("mechanism.dimension: 4: must be 2 or 3")


def test_a_scenario_is_no_model_file(problems):
    found = problems("until = 3\n[subsystems.x]\ntype = 'linear'\n")
    assert "mechanism: missing; a model file begins with [mechanism]" in found


def test_a_file_that_is_too_large_is_refused(write, tmp_path):
    path = write("x" * 9_000_000)
    with pytest.raises(ScenarioError, match="more than 8 MB"):
        load(path)


def test_a_mechanism_that_cannot_be_assembled_names_its_bodies(write):
    path = write(PENDULUM.replace("mass = 2.0", "mass = 0.0"))
    with pytest.raises(SetupError, match="has no mass"):
        load(path).assembled()


def test_a_file_of_a_mechanism_without_parts_is_refused_with_its_name(write):
    path = write(PENDULUM.split("[points", maxsplit=1)[0])
    model = ModelFile.read(path)
    mechanism = model.build()
    with pytest.raises(SetupError, match="nothing in it moves; give it a body, or a point that is not fixed"):
        mechanism.assembled()
    with pytest.raises(ScenarioError, match=r"case\.toml: nothing in it moves"), model.naming(mechanism):
        mechanism.assembled()


def leaves(value, path=()):
    if isinstance(value, dict | list):
        yield path
        for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inside, (*path, key))
    else:
        yield path


ANYTHING = st.one_of(
    st.booleans(), st.integers(-(10**400), 10**400), st.floats(), st.text(max_size=8), st.just([]), st.just({}),
    st.sampled_from(["A", "arm", "swing", "ground", "input:x", "3 mm", "3 N m", "mm", [1, 2], [1, 2, 3, "mm"], {"sine": {}}, [[1]]]),
)  # fmt: skip


@given(st.data())
@settings(deadline=None, max_examples=300)
def test_whatever_a_file_holds_it_is_built_or_refused_with_its_name(data):
    values = tomllib.loads(EVERYTHING)
    path = data.draw(st.sampled_from([place for place in leaves(values) if place]))
    inside = values
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = data.draw(ANYTHING)
    try:
        ModelFile.of(Path("any.toml"), Document("any.toml", "", values)).build()
    except ScenarioError as error:
        assert all(problem.startswith("any.toml: ") for problem in error.problems)


# Writing


def same(first, second):
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        np.testing.assert_allclose(np.asarray(first, float), np.asarray(second, float), rtol=1e-15)
        return
    if isinstance(first, dict):
        assert list(first) == list(second)
        for key in first:
            same(first[key], second[key])
    elif isinstance(first, list | tuple):
        assert len(first) == len(second)
        for a, b in zip(first, second, strict=True):
            same(a, b)
    elif hasattr(first, "__dataclass_fields__"):
        same(vars(first), vars(second))
    elif isinstance(first, float):
        assert first == pytest.approx(second, rel=1e-15)
    else:
        assert first == second


PARTS = (
    "name", "dimension", "gravity", "points", "vectors", "bodies", "point_masses", "joints", "links", "measures", "guides",
    "relations", "forces", "outputs", "initial_values", "start_position", "inputs", "formulation", "step", "notes", "standard_outputs",
)  # fmt: skip


def test_what_is_written_is_read_again(write, tmp_path):
    before = load(write(EVERYTHING, "every.toml"))
    after = load(save(before, tmp_path / "again.toml", until=3.0))
    for part in PARTS:
        same(getattr(before, part), getattr(after, part))
    assert ModelFile.read(tmp_path / "again.toml").run_settings.until == 3.0
    assert dumps(after) == dumps(before)


def test_a_written_mechanism_moves_the_same(tmp_path):
    m = by_hand()
    m.output("x y", "B", "velocity")
    m.guide("phi", {"sine": {"amplitude": 0.3, "frequency": 2.0}})
    again = load(save(m, tmp_path / "p.toml"))
    assert np.array_equal(positions(m), positions(again))


def test_a_python_function_of_a_file_is_written_by_its_name(write, tmp_path):
    write("def f(t):\n    return 0.1 * t\n", "motor.py")
    m = load(write(PENDULUM + '\n[guides]\nphi = { python = "motor.py:f" }\n'))
    assert 'phi = { python = "motor.py:f" }' in save(m, tmp_path / "again.toml").read_text()


def test_another_python_function_cannot_be_written(tmp_path):
    m = by_hand()
    m.guide("phi", lambda t: 0.1 * t)
    with pytest.raises(SetupError, match="cannot be written"):
        save(m, tmp_path / "p.toml")
    assert not (tmp_path / "p.toml").exists()


def test_a_file_that_is_there_is_kept(write):
    path = write("precious")
    with pytest.raises(OutputError, match="already there"):
        save(by_hand(), path)
    assert path.read_text() == "precious"
    save(by_hand(), path, overwrite=True)
    assert load(path).name == "pendulum"


def test_any_name_can_be_written(tmp_path):
    names = ['left "wheel"', "Prüfstand", "back\\slash", "[x]", "a=b # c"]
    m = Mechanism("names", dimension=2)
    for k, name in enumerate(names):
        m.point(name, (k, 0))
    m.body("all", points=names, mass=1.0, inertia=1.0)
    assert list(load(save(m, tmp_path / "n.toml")).points) == names


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    m = Mechanism("names", dimension=2)
    m.point("a\nb", (0, 0))
    with pytest.raises(SetupError, match="cannot be written"):
        save(m, tmp_path / "n.toml")


def test_every_force_method_of_a_mechanism_has_a_table():
    methods = {table.method for table in FORCES.values()}
    assert methods == {kind.replace(" ", "_") for kind in forces._BUILDERS}
    for section, table in FORCES.items():
        taken = inspect.signature(getattr(Mechanism, table.method)).parameters
        laws = {"contact": CONTACT_KEYS, "tyre": TYRE_KEYS}.get(table.method, ())
        keys = {*taken, *laws} - {"self", "name", "law"}
        keys = (keys - {"first", "second"}) | {"bodies"} if "first" in keys else keys
        assert set(table.model_fields) == keys, section


# In a system and in a scenario


def test_a_mechanism_can_be_added_to_a_system():
    system = cp.System("s")
    system.add("rig", by_hand())
    system.add("other", by_hand(), step=2e-3)
    result = system.run(until=0.1)
    assert len(result["rig.B"].time) == 101
    assert len(result["other.B"].time) == 51


def test_a_scenario_couples_a_mechanism(write):
    write(
        PENDULUM + '\n[actuators.motor]\nmeasure = "phi"\nforce = "input:torque"\n[outputs]\nphi = "phi"\n', "rig.toml"
    )
    scenario = """\
        until = 0.5
        [subsystems.rig]
        type = "multibody"
        file = "rig.toml"
        step = 5e-3
        [subsystems.motor]
        type = "linear"
        A = [[-1.0]]
        B = [[1.0]]
        x0 = [0.0]
        inputs = ["angle"]
        outputs = ["torque"]
        step = 1e-3
        [[connections]]
        from = "rig.phi"
        to = "motor.angle"
        [[connections]]
        from = "motor.torque"
        to = "rig.torque"
        """
    result = cp.Scenario.read(write(scenario, "s.toml")).run()
    assert result.status == "finished"
    assert len(result["rig.phi"].time) == 101


def test_a_mistake_in_a_mechanism_of_a_scenario_names_both_files(write):
    write(PENDULUM.replace("mass = 2.0", "mas = 2.0"), "rig.toml")
    path = write('until = 1\n[subsystems.rig]\ntype = "multibody"\nfile = "rig.toml"\n', "s.toml")
    with pytest.raises(ScenarioError) as caught:
        cp.Scenario.read(path).build()
    text = str(caught.value)
    assert f"{path}: subsystems.rig.file: " in text
    assert 'rig.toml: bodies.rod.mas: unknown key; did you mean "mass"?' in text


def test_a_scenario_with_other_mistakes_does_not_run_the_code_of_its_mechanism(write, tmp_path):
    write(f"open({str(tmp_path / 'ran')!r}, 'w').close()\ndef f(t):\n    return 0.0\n", "motor.py")
    write(PENDULUM + '\n[guides]\nphi = { python = "motor.py:f" }\n', "rig.toml")
    path = write('unti = 1\n[subsystems.rig]\ntype = "multibody"\nfile = "rig.toml"\n', "s.toml")
    with pytest.raises(ScenarioError):
        cp.Scenario.read(path)
    assert not (tmp_path / "ran").exists()
