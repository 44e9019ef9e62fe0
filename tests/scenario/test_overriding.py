"""Values of a scenario, mechanism or diagram are replaced by others, given by name."""

from pathlib import Path

import pytest

import counterpoint as cp
from counterpoint._cases.case import CaseSettings
from counterpoint._cases.registry import read_case

EXAMPLES = Path(__file__).parents[2] / "examples"
DIAGRAM = """
[diagram]
step = 0.01

[blocks]
source = { kind = "constant", value = 2.0 }
twice = { kind = "gain", gain = 2.0, inputs = ["source"] }

[outputs]
y = "twice"
"""


def case_of(path, **settings):
    return read_case(path, settings=CaseSettings(**settings))


def test_an_argument_of_a_python_object(tmp_path):
    case = case_of(EXAMPLES / "heater.toml", set={"room.temperature": 25.0}, until=1200.0, steps={"room": 30.0})
    result = case.run()
    assert (result["room.temperature"].values[0], result["room.temperature"].time[1]) == (25.0, 30.0)


def test_a_key_of_a_subsystem_and_one_of_the_scenario(tmp_path):
    (tmp_path / "tank.toml").write_text(
        'until = 1.0\n[subsystems.tank]\ntype = "linear"\nA = [[-1.0]]\nB = [[1.0]]\nx0 = [1.0]\nstep = 0.1\n'
        'inputs = ["u"]\noutputs = ["x"]\ndefaults = { u = 0.0 }\n'
    )
    case = case_of(tmp_path / "tank.toml", set={"tank.x0": [4.0], "tank.defaults.u": 4.0, "threads": 2})
    result = case.run()
    assert result["tank.x"].values == pytest.approx(4.0)
    assert case.threads == 2
    held = case_of(tmp_path / "tank.toml", set={"tank.u": 1.0}).run()  # an input that nothing drives
    assert held["tank.x"].values == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"set": {"rom.temperature": 1}}, 'set: "rom.temperature": no such subsystem; did you mean "room"?'),
        ({"set": {"room.temprature": 1}}, "temprature"),
        ({"steps": {"rom": 1.0}}, 'step: "rom": no such subsystem; did you mean "room"?'),
        ({"step": 1.0}, "name the subsystem: --step engine=1e-4"),
        ({"input": Path("a.csv")}, "--input is for FMUs and system structures"),
    ],
)
def test_what_means_nothing_is_told(settings, expected):
    with pytest.raises(cp.SetupError) as caught:
        case_of(EXAMPLES / "heater.toml", **settings).build()
    assert expected in str(caught.value)


def test_a_value_of_a_mechanism():
    case = case_of(EXAMPLES / "four-bar.toml", set={"crank.mass": 3.0, "bodies.rocker.mass": 5.0}, until=0.1)
    plain = case_of(EXAMPLES / "four-bar.toml", until=0.1)
    ends = [c.run()[f"{c.name}.crank_angle"].values[-1] for c in (case, plain)]
    assert ends[0] != ends[1]
    with pytest.raises(cp.ScenarioError, match=r'set: "crnk\.mass": no such key; did you mean "crank"'):
        case_of(EXAMPLES / "four-bar.toml", set={"crnk.mass": 3.0})
    with pytest.raises(cp.ScenarioError, match=r"bodies\.crank\.mas"):
        case_of(EXAMPLES / "four-bar.toml", set={"crank.mas": 3.0})
    with pytest.raises(cp.SetupError, match="--isolate is for FMUs and system structures; this is a mechanism"):
        case_of(EXAMPLES / "four-bar.toml", isolate=True)


def test_a_table_that_a_mechanism_need_not_have_is_made(tmp_path):
    case = case_of(EXAMPLES / "four-bar.toml", set={"formulation.integrator": "rk4", "formulation.name": "penalty"})
    assert case.mechanism.formulation == cp.multibody.Formulation("penalty", integrator="rk4")
    with pytest.raises(cp.ScenarioError, match=r'formulation\.solver: "klv"; did you mean "klu"'):
        case_of(EXAMPLES / "four-bar.toml", set={"formulation.solver": "klv"})
    with pytest.raises(cp.ScenarioError, match=r'set: "until": no such key; did you mean "run\.until"'):
        case_of(EXAMPLES / "four-bar.toml", set={"until": 3.0})
    (tmp_path / "four-bar.toml").write_text((EXAMPLES / "four-bar.toml").read_text())
    (tmp_path / "s.toml").write_text('until = 0.1\n[subsystems.plant]\ntype = "multibody"\nfile = "four-bar.toml"\n')
    ends = [
        case_of(tmp_path / "s.toml", set=given).run()["plant.crank_speed"].values[-1]
        for given in ({}, {"plant.formulation.integrator": "hermite"})
    ]
    assert ends[0] != ends[1] and ends[0] == pytest.approx(ends[1], rel=1e-4)


def test_a_value_of_a_diagram_alone_and_in_a_scenario(tmp_path):
    (tmp_path / "d.toml").write_text(DIAGRAM)
    case = case_of(tmp_path / "d.toml", set={"twice.gain": 5.0}, until=0.1)
    assert case.run()[f"{case.name}.y"].values[-1] == 10.0
    (tmp_path / "s.toml").write_text('until = 0.1\n[subsystems.plant]\ntype = "diagram"\nfile = "d.toml"\n')
    result = case_of(tmp_path / "s.toml", set={"plant.source.value": 7.0, "plant.step": 0.05}).run()
    assert (result["plant.y"].values[-1], result["plant.y"].time[1]) == (14.0, 0.05)
    assert case_of(tmp_path / "s.toml", set={"plant.twice.gain": 0.5}).run()["plant.y"].values[-1] == 1.0


def test_a_name_that_is_neither_key_nor_input_is_told_once(tmp_path):
    (tmp_path / "tank.toml").write_text(
        'until = 1.0\n[subsystems.tank]\ntype = "linear"\nA = [[-1.0]]\nB = [[1.0]]\nx0 = [1.0]\nstep = 0.1\n'
        'inputs = ["flow"]\noutputs = ["x"]\n[set]\n"tank.flow" = 1.0\n'
    )
    with pytest.raises(cp.ScenarioError) as caught:
        case_of(tmp_path / "tank.toml", set={"tank.flo": 2.0})
    assert str(caught.value) == (
        f'{tmp_path / "tank.toml"}: set: "tank.flo": "tank" has neither a key nor an input "flo"; did you mean "flow"?'
    )
    text = (tmp_path / "tank.toml").read_text().replace("[set]", '[set]\n"tank.flo" = 1.0')
    (tmp_path / "tank.toml").write_text(text)
    with pytest.raises(cp.ScenarioError) as caught:
        cp.Scenario.read(tmp_path / "tank.toml").build()
    assert str(caught.value) == (
        f'{tmp_path / "tank.toml"}: set."tank.flo": "tank" has no input "flo"; did you mean "flow"? (line 11)'
    )


def test_another_kind_of_approximation_leaves_the_keys_of_the_one_before_out(tmp_path):
    file = tmp_path / "two_mass.toml"
    file.write_text((EXAMPLES / "two_mass.toml").read_text())
    settings = CaseSettings(set={"connections[0].approximation.kind": "hold", "until": 1.0})
    result = read_case(file, settings=settings).run()
    assert result.end == 1.0
    both = {**settings.set, "connections[0].approximation.order": 1}
    with pytest.raises(cp.ScenarioError, match=r"approximation.order: unknown key"):
        read_case(file, settings=CaseSettings(set=both))
