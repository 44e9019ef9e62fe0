"""Mechanisms from TOML files, alone, in a system and in a scenario."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.errors import ScenarioError
from counterpoint.multibody import Formulation, load, save
from counterpoint.multibody.files.reading import ModelFile

from .model_files import EVERYTHING, PENDULUM, by_hand, positions

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
