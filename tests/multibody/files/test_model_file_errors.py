"""Mistakes in TOML files of mechanisms: all of them, with file, key and what to do."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint._cases.registry import read_case
from counterpoint._files.problems import Document
from counterpoint.errors import ScenarioError, SetupError
from counterpoint.multibody import load
from counterpoint.multibody.files.reading import ModelFile

from .model_files import EVERYTHING, PENDULUM


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
    assert found[0].startswith("joints.j.bodies: has 1; expected at least 2")
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
    assert found == ["mechanism.units.angle: missing; give a value (line 4)"]


def test_bare_gravity_in_millimetres_is_refused(problems):
    units = '{ length = "mm", mass = "kg", force = "N", angle = "deg" }'
    (found,) = problems(PENDULUM.replace('"SI"', units + "\ngravity = [0, -9.81]"))
    assert found == 'mechanism.gravity: would be in mm/s^2; give its unit: [0, -9.81, "m/s^2"] (line 5)'


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
    assert "expected 2 finite numbers" in found[0]
    assert found[0].endswith("(line 9)")
    assert '"2 m": the unit does not fit; expected a value in kg' in found[1]
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
        ('[point_masses]\nB = "1 m"\n', 'point_masses.B: "1 m": the unit does not fit; expected a value in kg'),
        ('[outputs]\nx = "rood"\n', 'outputs.x: there is no "rood"'),
        ('[outputs]\nx = { of = "B", motion = "velocty" }\n', 'outputs.x.motion: "velocty": unknown motion; did you mean "velocity"?'),
        ('[measures.m]\nkind = "angel"\nbodies = ["rod"]\n', 'measures.m.kind: "angel": unknown kind; did you mean "angle"?'),
        ('[measures.m]\nbodies = ["rod"]\n', "measures.m.kind: missing; must be one of angle, displacement, distance, rotation"),
        ('[measures.m]\nkind = "angle"\nbodies = ["rod"]\nlength = 3\n', 'measures.m.length: unknown key; known: "axis", "bodies", "kind"'),
        ('[measures.B]\nkind = "angle"\nbodies = ["rod"]\n', 'measures.B: a point has this name already'),
        ('[spring.s]\nmeasure = "phi"\n', 'spring: unknown key; did you mean "springs"?'),
        ('[springs.s]\nmeasure = "phi"\nstiffness = "3 N/m"\n', 'springs.s.stiffness: "3 N/m": the unit does not fit; expected a value in N m/rad'),
        ('[springs.s]\nmeasure = "phi"\nstiffness = "3 N/mmm"\n', 'springs.s.stiffness: "3 N/mmm": unit "mmm" is unknown; did you mean "mm"?'),
        ('[springs.s]\nmeasure = "phi"\nstiffness = -3\n', "springs.s.stiffness: -3.0; expected a number of at least 0"),
        ('[springs.s]\nmeasure = "phi"\nstiffness = true\n', "springs.s.stiffness: true: must be a number, or text with a unit"),
        ('[springs.s]\nmeasure = "phi"\nstiffness = nan\n', "springs.s.stiffness: nan: must be a finite number"),
        ('[springs.s]\nmeasure = "phi"\nbetween = ["A", "B"]\n', "springs.s: give either a measure or between = two points"),
        ('[springs.s]\nbetween = ["A"]\n', "springs.s.between: "),
        ('[springs.s]\nmeasure = "phi"\ncurve = [[0, 0], [0, 1]]\n', "springs.s.curve: expected pairs (deflection, force) with increasing deflection"),
        ('[springs.s]\nmeasure = "phi"\ncurve = [0, 1]\n', "springs.s.curve: must be pairs of numbers"),
        ('[actuators.a]\nmeasure = "phi"\n', "actuators.a.force: missing; give a value"),
        ('[actuators.a]\nmeasure = "phi"\nforce = { sinus = {} }\n', 'did you mean "sine"?'),
        ('[actuators.a]\nmeasure = "phi"\nforce = { sine = { amplitud = 3 } }\n', 'sine: unknown key "amplitud"; did you mean "amplitude"?'),
        ('[actuators.a]\nmeasure = "phi"\nforce = { python = "no.py:f" }\n', 'actuators.a.force: "no.py": no such file'),
        ('[actuators.a]\nmeasure = "phi"\nforce = "inputs:x"\n', "actuators.a.force: "),
        ('[contacts.c]\npoint = "B"\nplane = [0, 0]\nnormal = [0, 1]\nfriction_sped = 3\n', 'did you mean "friction_speed"?'),
        ('[contacts.c]\npoint = "B"\nplane = [0, 0]\nnormal = [0, 0]\n', "contacts.c.normal: has no length"),
        ('[tyres.t]\nbody = "rod"\ncentre = "B"\naxis = [1, 0]\nlateral = { b = 3 }\n', "tyres.t.lateral.b: unknown key"),
        ('[guides]\nphi = { step = { start = 1 } }\n', "step: end, before, after: missing"),
        ('[guides]\nphi = { table = { times = [0, 0], values = [0, 1] } }\n', "increasing times"),
        ('[start_position]\nX = [0, 0]\n', 'start_position.X: no point, vector or coordinate "X"'),
        ('[start_position]\nB = [0, 0, 0]\n', "expected 2 finite numbers"),
        ('[formulation]\nsolver = "lu"\n', 'formulation.solver: "lu"'),
        ('[formulation]\nname = "index-3"\nintegrator = "rk4"\n', "formulation.integrator: "),
        ('[formulation]\npenalti = 3\n', 'formulation.penalti: unknown key; did you mean "penalty"?'),
        ('[bodies.b]\npoints = ["A", "B"]\nmass = 1\nshape = { kind = "bx" }\n', 'bodies.b.shape.kind: "bx": unknown shape; did you mean "box"?'),
        ('[bodies.b]\npoints = ["A", "B"]\nmass = 1\nlocal = { A = [0, 0], B = [1, 0], C = [1, 0] }\n', "bodies.b.local.C: is not a point or vector of the body"),
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
    assert "is a scenario; expected a mechanism; use counterpoint run or counterpoint.Scenario.read" in str(found)
    found = problems("until = 3\n")
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
