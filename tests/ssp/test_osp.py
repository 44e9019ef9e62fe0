"""System structures of OSP: the numbers of the same system built by hand."""

import shutil
import warnings

import numpy as np
import pytest

import counterpoint as cp
from counterpoint import ssp

from .conftest import changed

pytestmark = pytest.mark.filterwarnings("default::counterpoint.ssp.StructureWarning")


def structure(simulators, connections="", functions="", head="<EndTime>1</EndTime><BaseStepSize>0.01</BaseStepSize>"):
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<OspSystemStructure version="0.1" '
        f'xmlns="http://opensimulationplatform.com/MSMI/OSPSystemStructure">\n{head}\n<Simulators>\n{simulators}\n'
        f"</Simulators>\n<Functions>{functions}</Functions>\n<Connections>\n{connections}\n</Connections>\n"
        "</OspSystemStructure>\n"
    )


def simulator(name, source="oscillator.fmu", step="", **values):
    inside = "".join(
        f'<InitialValue variable="{key}"><Real value="{value}"/></InitialValue>' for key, value in values.items()
    )
    size = f' stepSize="{step}"' if step else ""
    return f'<Simulator name="{name}" source="{source}"{size}><InitialValues>{inside}</InitialValues></Simulator>\n'


def ends(kind, *pairs):
    return "".join(f'<{kind} simulator="{a}" name="{b}"/>' for a, b in (pair.split(".") for pair in pairs))


def connected(*pairs):
    return f"<VariableConnection>{ends('Variable', *pairs)}</VariableConnection>\n"


def grouped(*pairs):
    return f"<VariableGroupConnection>{ends('VariableGroup', *pairs)}</VariableGroupConnection>\n"


def signal(variable, port):
    name, _, signal_name = port.partition(".")
    inside = f'{ends("Variable", variable)}<Signal function="{name}" name="{signal_name}"/>'
    return f"<SignalConnection>{inside}</SignalConnection>\n"


PAIR = simulator("a", kc=40, dc=0.5) + simulator("b", kc=40, dc=0.5, m=2, x=0.5)
WIRES = "".join(connected(f"{one}.{y}", f"{other}.{y}_other") for one, other in ("ab", "ba") for y in ("x", "v"))
GROUPS = """<OspModelDescription version="1.0" xmlns="https://open-simulation-platform.com/OspModelDescription/1.0.1">
<VariableGroups>
<Generic name="both ways">
 <Generic name="motion"><Variable ref="x"/><Variable ref="v"/></Generic>
 <Generic name="motion of the other"><Variable ref="x_other"/><Variable ref="v_other"/></Generic>
</Generic>
<Generic name="turned round">
 <Generic name="first"><Variable ref="x_other"/><Variable ref="v_other"/></Generic>
 <Generic name="second"><Variable ref="x"/><Variable ref="v"/></Generic>
</Generic>
</VariableGroups></OspModelDescription>"""


@pytest.fixture
def folder(tmp_path, fmus):
    """Write a structure into a folder with the FMU; return the folder."""

    def write(text, **files):
        made = tmp_path / "case"
        made.mkdir(exist_ok=True)
        shutil.copy(fmus["oscillator"], made / "oscillator.fmu")
        (made / "OspSystemStructure.xml").write_text(text)
        for name, content in files.items():
            (made / f"{name}_OspModelDescription.xml").write_text(content)
        return made

    return write


@pytest.fixture
def expected(fmus):
    """The pair of oscillators, coupled as OSP does: all at once, with held values."""
    system = cp.System("by hand")
    system.add("a", cp.fmu(fmus["oscillator"], parameters={"kc": 40, "dc": 0.5}), step=0.01)
    system.add("b", cp.fmu(fmus["oscillator"], parameters={"kc": 40, "dc": 0.5, "m": 2}, start={"x": 0.5}), step=0.01)
    for one, other in ("ab", "ba"):
        for name in ("x", "v"):
            system.connect(f"{one}.{name}", f"{other}.{name}_other", cp.hold())
    return system.run(until=1.0, scheme="parallel", check="off")


def assert_same(result, expected):
    for name in ("a.x", "a.v", "b.x", "b.v"):
        assert np.array_equal(expected[name].values, result[name].values), name


def test_variables_are_connected_in_either_direction(folder, expected):
    case = folder(structure(PAIR, WIRES))
    for path in (case / "OspSystemStructure.xml", case):
        assert_same(ssp.read(path).run(), expected)
        assert_same(cp.Scenario.read(path).run(), expected)
    turned = "".join(connected(f"{a}.{y}_other", f"{b}.{y}") for a, b in ("ab", "ba") for y in ("x", "v"))
    assert_same(ssp.read(folder(structure(PAIR, turned))).run(), expected)


@pytest.mark.parametrize("name", ["Oscillator", "OSCILLATOR"], ids=["named after the model", "with other capitals"])
def test_variable_groups_become_connections(folder, expected, name):
    case = folder(structure(PAIR, grouped("a.both ways", "b.turned round")), **{name: GROUPS})
    assert_same(ssp.read(case).run(), expected)


def test_groups_inside_groups_can_be_connected(folder, expected):
    wires = grouped("a.motion", "b.motion of the other") + grouped("a.motion of the other", "b.motion")
    assert_same(ssp.read(folder(structure(PAIR, wires), Oscillator=GROUPS)).run(), expected)


def test_a_linear_transformation_is_a_gain_and_an_offset(folder):
    functions = '<LinearTransformation name="scale" factor="0.1" offset="3"/>'
    wires = signal("a.x", "scale.in") + signal("b.x_other", "scale.out")
    table = ssp.read(folder(structure(PAIR, wires, functions))).tables()["connections"]
    assert [(c["from"], c["to"], c["gain"], c["offset"]) for c in table] == [(["a.x"], "b.x_other", 0.1, 3.0)]


def test_a_sum_adds_outputs(folder, fmus):
    three = PAIR + simulator("c", kc=40)
    wires = signal("a.x", "sum.in[0]") + signal("b.x", "sum.in[1]") + signal("c.x_other", "sum.out")
    result = ssp.read(folder(structure(three, wires, '<Sum name="sum" inputCount="2"/>'))).run()
    system = cp.System("by hand")
    for name, values, start in (
        ("a", {"kc": 40, "dc": 0.5}, 1.0),
        ("b", {"kc": 40, "dc": 0.5, "m": 2}, 0.5),
        ("c", {"kc": 40}, 1.0),
    ):
        system.add(name, cp.fmu(fmus["oscillator"], parameters=values, start={"x": start}), step=0.01)
    system.connect(["a.x", "b.x"], "c.x_other", cp.hold(), gain=[1.0, 1.0])
    assert np.array_equal(result["c.x"].values, system.run(until=1.0, scheme="parallel")["c.x"].values)


def test_a_vector_sum_adds_groups(folder):
    def to(group, port):
        inside = f'{ends("VariableGroup", group)}<SignalGroup function="sum" name="{port}"/>'
        return f"<SignalGroupConnection>{inside}</SignalGroupConnection>"

    wires = to("a.motion", "in[0]") + to("b.motion", "in[1]") + to("c.motion of the other", "out")
    functions = '<VectorSum name="sum" inputCount="2" dimension="2"/>'
    case = folder(structure(PAIR + simulator("c", kc=40), wires, functions), Oscillator=GROUPS)
    table = ssp.read(case).tables()["connections"]
    assert [(c["from"], c["to"]) for c in table] == [
        (["a.x", "b.x"], "c.x_other"),
        (["a.v", "b.v"], "c.v_other"),
    ]


def test_steps_are_multiples_of_the_base_step(folder):
    text = structure(simulator("a", step="0.02") + simulator("b", step="0.0203") + simulator("c"))
    with pytest.warns(
        ssp.StructureWarning, match="stepSize = 0.0203 is not a multiple of BaseStepSize; 0.02 s is used"
    ):
        tables = ssp.read(folder(text)).tables()
    assert [tables["subsystems"][name]["step"] for name in "abc"] == [0.02, 0.02, 0.01]
    assert (tables["scheme"], tables["until"], tables["approximation"]) == ("parallel", 1.0, {"kind": "hold"})


def test_start_and_algorithm_are_read(folder):
    head = "<StartTime>0.5</StartTime><EndTime>1</EndTime><BaseStepSize>0.01</BaseStepSize><Algorithm>ecco</Algorithm>"
    with pytest.warns(ssp.StructureWarning, match='Algorithm: "ecco" is not supported; fixed steps are used'):
        assert ssp.read(folder(structure(PAIR, head=head))).begin == 0.5


def test_an_end_that_is_missing_is_that_of_the_fmus(folder):
    with pytest.warns(ssp.StructureWarning, match="the run ends at 1 s, as the FMUs suggest"):
        assert ssp.read(folder(structure(PAIR, head=""))).until == 1.0


@pytest.mark.parametrize(
    ("connections", "functions", "expected"),
    [
        (connected("a.x", "c.x_other"), "", 'no simulator "c"'),
        (connected("a.y", "b.x_other"), "", '"a" has no connector "y"'),
        (connected("a.x", "b.x"), "", "both connectors are outputs"),
        (grouped("a.motion", "b.missing"), "", '"b" has no variable group "missing"'),
        (grouped("a.motion", "b.both ways"), "", "the groups have 2 and 4 variables"),
        (signal("a.x", "sum.in[0]"), "", 'no function "sum"'),
        (signal("a.x", "sum.in[7]"), '<Sum name="sum" inputCount="2"/>', r'no signal "in\[7\]"'),
        (signal("a.x_other", "sum.out"), '<Sum name="sum" inputCount="2"/>', r'Sum "sum": "in\[0\]" is not connected'),
        ("", '<Product name="p"/>', "no such function; LinearTransformation, Sum and VectorSum are known"),
    ],
)
def test_a_mistake_is_named(folder, connections, functions, expected):
    case = folder(structure(PAIR, connections, functions), Oscillator=GROUPS)
    with pytest.raises(cp.ScenarioError, match=r"OspSystemStructure.xml line \d+: .*" + expected):
        ssp.read(case)


def test_a_missing_fmu_is_one_mistake_however_many_connections_name_its_groups(folder):
    simulators = simulator("a") + simulator("b", source="missing.fmu")
    connections = "".join(grouped("a.motion", f"b.{name}") for name in ("motion", "first", "second"))
    case = folder(structure(simulators, connections), Oscillator=GROUPS)
    with pytest.raises(cp.ScenarioError) as caught:
        ssp.read(case)
    assert len(caught.value.problems) == 1
    assert '"missing.fmu": no such file' in caught.value.problems[0]


def test_groups_in_the_words_of_the_first_version(folder, expected):
    old = GROUPS.replace('Variable ref="', 'Variable unit="" name="')
    assert_same(
        ssp.read(folder(structure(PAIR, grouped("a.both ways", "b.turned round")), Oscillator=old)).run(), expected
    )


def test_a_step_of_zero_is_the_base_step(folder, expected):
    text = structure(PAIR.replace('source="oscillator.fmu"', 'source="oscillator.fmu" stepSize="0"'), WIRES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(ssp.read(folder(text)).run(), expected)


def test_a_structure_beside_the_folder_of_its_fmus(folder, expected, tmp_path):
    """The usual layout: ``config/OspSystemStructure.xml`` with FMUs and their groups in ``fmus``."""
    text = structure(PAIR, grouped("a.both ways", "b.turned round"))
    case = folder(text.replace('"oscillator.fmu"', '"../fmus/oscillator.fmu"'), Oscillator=GROUPS)
    (tmp_path / "fmus").mkdir()
    for file in (case / "oscillator.fmu", case / "Oscillator_OspModelDescription.xml"):
        file.rename(tmp_path / "fmus" / file.name)
    assert_same(ssp.read(case).run(), expected)


@pytest.mark.parametrize(("base", "end"), [(0.01, 1.0), (0.5, 5.0)], ids=["a second", "ten long steps"])
def test_a_structure_without_an_end_runs_for(folder, fmus, tmp_path, base, end):
    endless = changed(fmus["oscillator"], tmp_path, lambda data: data.replace(b' stopTime="1" stepSize="0.01"', b""))
    case = folder(structure(PAIR, WIRES, head=f"<BaseStepSize>{base}</BaseStepSize>"))
    shutil.copy(endless, case / "oscillator.fmu")
    with pytest.warns(ssp.StructureWarning, match=f"the run ends at {end:g} s; --until 10 sets another end"):
        assert ssp.read(case).run().end == end


def test_groups_without_their_file_are_told(folder):
    with pytest.raises(cp.ScenarioError, match=r"its variable groups are in Oscillator_OspModelDescription.xml"):
        ssp.read(folder(structure(PAIR, grouped("a.motion", "b.motion"))))


def test_a_structure_is_run_and_shown_from_the_command_line(folder, tmp_path, monkeypatch, capsys):
    from counterpoint._cli.main import main

    monkeypatch.chdir(tmp_path)
    case = folder(structure(PAIR, WIRES))
    for arguments in (["run", case, "--no-plot", "--set", "a.k=90", "--until", "0.1"], ["info", case]):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        assert ended.value.code == 0
    assert "a.x   b.x_other" in capsys.readouterr().out
    assert cp.load(tmp_path / "case-run" / "case.h5").end == 0.1
