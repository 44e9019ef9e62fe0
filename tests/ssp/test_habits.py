"""What tools write into system structures: one test for each habit, with the warning that it gets."""

import re
import shutil
import warnings
import zipfile

import numpy as np
import pytest

import counterpoint as cp
from counterpoint import ssp
from counterpoint.fmi import text_of

from ..fmi.building import build
from .conftest import NAMESPACES, OSCILLATOR, PAIR, changed, component, connection, connector, parameters, ssd
from .test_running import assert_same, by_hand

pytestmark = pytest.mark.filterwarnings("default::counterpoint.ssp.StructureWarning")


@pytest.fixture
def told(pack):
    """Read a structure; return the scenario and the one warning that it gets, or all with ``count``."""

    def read(text, files=None, count=1, **options):
        with pytest.warns(ssp.StructureWarning) as caught:
            scenario = ssp.read(pack(text, files), **options)
        assert len(caught) == count, [str(w.message) for w in caught]
        return scenario, "\n".join(str(w.message) for w in caught)

    return read


def annotated(kind, inside):
    return f'<ssd:Annotations><ssc:Annotation type="{kind}">{inside}</ssc:Annotation></ssd:Annotations>'


def with_connector(text, more):
    """Add connectors to the first component."""
    return text.replace("<ssd:Connectors>", f"<ssd:Connectors>{more}", 1)


def test_version_2_with_the_namespaces_of_version_1(pack, fmus):
    text = ssd(PAIR).replace('version="1.0" name="test"', 'version="2.0" name="test"')
    assert_same(ssp.read(pack(text)).run(), by_hand(fmus))


def test_a_version_that_is_none_is_told(told):
    assert 'version = "Draft7"; read as SSP 2.0' in told(ssd(PAIR).replace('version="1.0" n', 'version="Draft7" n'))[1]


def test_connectors_of_drafts_have_a_causality(told, fmus):
    scenario, text = told(ssd(PAIR).replace(" kind=", " causality="))
    assert "causality is read as kind" in text
    assert_same(scenario.run(), by_hand(fmus))


def test_types_and_kinds_of_ssp_2(pack, fmus):
    text = with_connector(PAIR, connector("k", "structuralParameter") + connector("der(x)", "local"))
    text = text.replace("<ssc:Real/>", "<ssc:Float64/>").replace("<ssv:Real ", "<ssv:Float64 ")
    assert_same(ssp.read(pack(ssd(text))).run(), by_hand(fmus))


def test_array_values_of_ssp_2():
    from counterpoint.fmi.attributes import Notes
    from counterpoint.ssp.namespaces import read_xml
    from counterpoint.ssp.structure_reading import read_parameters

    values = (
        '<ssv:Parameter name="A"><ssv:Float64 value="1 2 3 4 5 6"/><ssv:Dimension size="2"/><ssv:Dimension size="3"/>'
        '</ssv:Parameter><ssv:Parameter name="s"><ssv:String><ssv:Value value="a b"/><ssv:Value value="c"/></ssv:String>'
        '<ssv:Dimension size="2"/></ssv:Parameter><ssv:Parameter name="n"><ssv:UInt8 value="7"/></ssv:Parameter>'
        '<ssv:Parameter name="bad"><ssv:Int32 value="1 2"/><ssv:Dimension size="3"/></ssv:Parameter>'
    )
    notes = Notes()
    text = f"<ssv:ParameterSet {NAMESPACES}><ssv:Parameters>{values}</ssv:Parameters></ssv:ParameterSet>"
    found = {p.name: p.value for p in read_parameters(read_xml(text.encode(), notes), notes, "", {})}
    assert found == {"A": [[1, 2, 3], [4, 5, 6]], "s": ["a b", "c"], "n": 7}
    assert [text for _, text in notes.serious] == ["Int32: 2 values; expected 3"]


@pytest.mark.parametrize("kind", ["parameter", "input", "output"])
def test_a_connector_that_the_fmu_does_not_have(told, fmus, kind):
    scenario, warning = told(ssd(with_connector(PAIR, connector("fmi_StartTim", kind))))
    assert 'Connector "fmi_StartTim": the FMU has no such variable' in warning
    assert_same(scenario.run(), by_hand(fmus))


def test_a_connector_that_the_fmu_does_not_have_cannot_be_connected(pack):
    text = with_connector(PAIR, connector("y", "output")).replace(
        connection("a.x", "b.x_other"), connection("a.y", "b.x_other")
    )
    with pytest.raises(cp.ScenarioError, match=r'Connection "a.y" to "b.x_other": "a" has no connector "y"'):
        ssp.read(pack(ssd(text)))


def test_a_connector_of_type_binary_on_a_number(told, fmus):
    scenario, warning = told(ssd(with_connector(PAIR, connector("k", "parameter", '<ssc:Binary mime-type="x/y"/>'))))
    assert 'Connector "k": type Binary; the variable of the FMU is of type Float64, which counts' in warning
    assert_same(scenario.run(), by_hand(fmus))


def test_a_connector_of_another_kind_than_the_variable(told, fmus):
    scenario, warning = told(
        ssd(with_connector(PAIR, connector("force", "parameter") + connector("m", "inputs"))), count=2
    )
    assert "kind = parameter; the variable of the FMU has the causality input, which counts" in warning
    assert 'kind = "inputs"; did you mean "input"' in warning
    assert_same(scenario.run(), by_hand(fmus))


def test_a_unit_of_the_file_replaces_that_of_the_fmu(told, fmus):
    """The connectors say that a's position is in mm: b, in m, gets a thousandth of its numbers."""
    units = '<ssd:Units><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit></ssd:Units>'
    text = PAIR.replace(connector("x", "output"), connector("x", "output", '<ssc:Real unit="mm"/>'), 1)
    scenario, warning = told(ssd(text, after=units))
    assert "unit = mm; the FMU says m; its numbers are taken as mm" in warning
    assert scenario.tables()["connections"][0]["gain"] == pytest.approx(1e-3, rel=1e-15)
    assert scenario.tables()["connections"][0]["convert"] is False


def test_a_unit_that_is_defined_in_two_ways(told, fmus):
    units = '<ssd:Units><ssc:Unit name="N/m"><ssc:BaseUnit kg="1" m="-1" s="-2"/></ssc:Unit></ssd:Units>'
    text = PAIR.replace('<ssv:Real value="40"', '<ssv:Real unit="N/m" value="40"', 1)
    scenario, warning = told(ssd(text, after=units))
    assert 'Parameter "kc": the unit N/m is defined in two different ways; the numbers are used unchanged' in warning
    assert_same(scenario.run(), by_hand(fmus))


def test_units_that_do_not_match_run_when_asked_to(told):
    text = ssd(PAIR.replace(connection("a.v", "b.v_other"), connection("a.v", "b.force")))
    scenario, warning = told(text, lenient=True)
    assert "units do not match: m/s (m s-1) cannot be converted to N" in warning
    assert scenario.run().status == "finished"
    assert scenario.tables()["subsystems"]["a"]["lenient"] is True


def test_annotations_of_other_tools(told, fmus):
    note = annotated("com.example.canvas", '<ex:Box xmlns:ex="urn:example" width="3"/>')
    scenario, warning = told(ssd(PAIR.replace("<ssd:Connectors>", f"{note}<ssd:Connectors>")))
    assert 'annotations of the type "com.example.canvas" are ignored' in warning  # once, although there are two
    assert_same(scenario.run(), by_hand(fmus))


def test_a_prefix_that_is_not_declared(told, fmus):
    note = annotated("com.opensimulationplatform", "<osp:Anything/>")
    scenario, warning = told(ssd(PAIR.replace("<ssd:Connectors>", f"{note}<ssd:Connectors>", 1)))
    assert 'the prefix "osp" is not declared; it is taken as it is written' in warning
    assert_same(scenario.run(), by_hand(fmus))


def test_a_parameter_file_without_namespaces(told, fmus):
    binding = '<ssd:ParameterBinding source="resources/p.ssv"/>'
    text = PAIR.replace(parameters(kc=40, dc=0.5), binding)
    values = (
        '<ssv:ParameterSet version="1.0" name="p"><ssv:Parameters><ssv:Parameter name="kc"><ssv:Real value="40"/>'
        '</ssv:Parameter><ssv:Parameter name="dc"><ssv:Real value="0.5"/></ssv:Parameter></ssv:Parameters>'
        "</ssv:ParameterSet>"
    )
    scenario, warning = told(ssd(text), {"resources/p.ssv": values})
    assert 'p.ssv line 1: the prefix "ssv" is not declared' in warning
    assert_same(scenario.run(), by_hand(fmus))


def test_a_namespace_that_is_misspelt(told, fmus):
    text = ssd(PAIR).replace("/SSP1/SystemStructureParameterValues", "/SSP1/ParameterValues")
    scenario, warning = told(text)
    assert (
        'the namespace "http://ssp-standard.org/SSP1/ParameterValues" is not that of the standard; read as ssv'
        in warning
    )
    assert_same(scenario.run(), by_hand(fmus))


def test_the_same_about_many_connectors_is_said_once(pack):
    more = "".join(connector(f"fmi_{name}", "parameter") for name in ("Start", "Stop", "Step", "Solver", "rTol", "Pre"))
    with pytest.warns(ssp.StructureWarning) as caught:
        ssp.read(pack(ssd(with_connector(PAIR, more))))
    (text,) = [str(one.message) for one in caught]
    assert re.search(r"SystemStructure.ssd line \d+ and 5 other lines: Connector ", text)
    assert text.endswith(
        '"fmi_Pre", "fmi_Solver", "fmi_Start", "fmi_Step", "fmi_Stop", ...: the FMU has no such variable; ignored'
    )


def test_a_connector_that_is_there_twice(told, fmus):
    scenario, warning = told(ssd(with_connector(PAIR, connector("x", "output"))))
    assert 'Connector "x": is the same connector as in line' in warning
    assert_same(scenario.run(), by_hand(fmus))


STEP = '<osp:Algorithm xmlns:osp="http://opensimulationplatform.com/SSP/OSPAnnotations"><osp:FixedStepAlgorithm baseStepSize="0.02"/></osp:Algorithm>'


def test_the_step_in_an_annotation_of_osp(pack):
    note = annotated("com.opensimulationplatform", STEP)
    experiment = f'<ssd:DefaultExperiment startTime="0" stopTime="1">{note}</ssd:DefaultExperiment>'
    hint = annotated("com.opensimulationplatform", '<osp:StepSizeHint xmlns:osp="urn:any" value="0.04"/>')
    text = PAIR.replace("</ssd:Component>", f"{hint}</ssd:Component>", 1)
    result = ssp.read(pack(ssd(text, experiment=experiment))).run()
    assert [result[name].time[1] for name in ("a.x", "b.x")] == [0.04, 0.02]


MASTER = '<osp:FixedStepMaster xmlns:osp="urn:any" description="FixedStepAlgorithm" stepSize="0.02"/>'
DEEP = f'<osp:SimulationInformation xmlns:osp="urn:any">{MASTER}</osp:SimulationInformation>'


@pytest.mark.parametrize(
    "place",
    [annotated("org.example", DEEP), annotated("org.example", MASTER), DEEP.replace("osp:Sim", "ssd:Sim")],
    ids=["in an annotation", "straight in an annotation", "in the system itself"],
)
def test_the_step_of_a_master_in_the_words_of_another_tool(pack, place):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = ssp.read(pack(ssd(place + PAIR))).tables()["subsystems"]
    assert [table[name]["step"] for name in "ab"] == [0.02, 0.02]


@pytest.mark.parametrize("name", ["plant/SystemStructure.ssd", "plant.ssd", "systemstructure.ssd"])
def test_an_archive_whose_structure_is_not_where_it_should_be(pack, fmus, tmp_path, name):
    """Archives of a folder instead of its content, and other names of the only structure."""
    made = tmp_path / "made.ssp"
    with zipfile.ZipFile(pack(ssd(PAIR))) as old, zipfile.ZipFile(made, "w") as new:
        for member in old.namelist():
            folder = name.rpartition("/")[0]
            new.writestr(name if member.endswith(".ssd") else f"{folder}/{member}".lstrip("/"), old.read(member))
    with pytest.warns(ssp.StructureWarning) as caught:
        scenario = ssp.read(made)
    (text,) = [str(one.message) for one in caught]
    assert text.endswith(
        f"{name} line 1: SystemStructure.ssd is not at the top level of the archive; this file is used"
    )
    assert_same(scenario.run(), by_hand(fmus))


@pytest.mark.parametrize("source", ["../fmus/oscillator.fmu", "resources/fmus/oscillator.fmu"])
def test_an_ssd_in_a_folder_of_the_archive(pack, fmus, source):
    """Its sources are relative to itself; some tools write them as seen from the top of the archive."""
    outer = '<ssd:Elements><ssd:Component name="inner" source="resources/inner/pair.ssd" type="application/x-ssp-definition"/></ssd:Elements>'
    inner = ssd(PAIR).replace("resources/oscillator.fmu", source)
    files = {"resources/inner/pair.ssd": inner, "resources/fmus/oscillator.fmu": fmus["oscillator"].read_bytes()}
    path = pack(ssd(outer), files)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = ssp.read(path).run()
    expected = by_hand(fmus)
    assert np.array_equal(result["inner/a.x"].values, expected["a.x"].values)
    path = pack(ssd(outer), files | {"resources/inner/pair.ssd": inner.replace(source, "../../../oscillator.fmu")})
    with pytest.raises(cp.ScenarioError, match="is not in the archive"):
        ssp.read(path)


def test_a_component_without_a_source(told, fmus):
    """A place for a model to come: a system with nothing in it. Its connectors may have values."""
    ports, held = connector("wish", "output"), parameters(wish=3)
    empty = component("later", "", ports, held).replace('source=""', "")
    text = PAIR.replace("</ssd:Elements>", f"{empty}</ssd:Elements>")
    text = text.replace("</ssd:Connections>", connection("later.wish", "a.force") + "</ssd:Connections>")
    scenario, warning = told(ssd(text))
    assert 'Component "later": has no source; inputs that it drives keep their own values' in warning
    assert scenario.tables()["subsystems"]["a"]["start"] == {"force": 3.0}
    assert scenario.run().status == "finished"


def test_a_component_that_is_connected_to_itself(pack, fmus):
    text = f"<ssd:Elements>{component('a', 'resources/oscillator.fmu', OSCILLATOR, parameters(kc=40))}</ssd:Elements>"
    text += f"<ssd:Connections>{connection('a.x', 'a.x_other')}</ssd:Connections>"
    result = ssp.read(pack(ssd(text)), step=0.001).run()
    alone = cp.System("alone")
    alone.add("a", cp.fmu(fmus["oscillator"]), step=0.001)  # kc (x - x) = 0: as if there were no coupling spring
    alone.set("a.x_other", 0.0)
    expected = alone.run(until=1.0)["a.x"].values
    assert result["a.x"].values == pytest.approx(expected, abs=1e-3)  # the extrapolation is of first order


def test_a_connection_that_is_there_twice(told, fmus):
    scenario, warning = told(ssd(PAIR.replace(connection("a.x", "b.x_other"), connection("a.x", "b.x_other") * 2)))
    assert "is the same connection as in line" in warning
    assert_same(scenario.run(), by_hand(fmus))


@pytest.mark.parametrize(
    "source",
    ["resources\\oscillator.fmu", "oscillator.fmu", "resources/Oscillator.FMU", "C:/models/oscillator.fmu"],
    ids=["backslash", "without its folder", "other capitals", "of another computer"],
)
def test_a_source_that_names_its_file_in_another_way(told, fmus, source):
    text = ssd(PAIR).replace('source="resources/oscillator.fmu"', f'source="{source}"', 1)
    scenario, warning = told(text)
    assert 'no such file; "resources/oscillator.fmu" is used' in warning
    assert_same(scenario.run(), by_hand(fmus))


def test_a_component_whose_type_is_not_that_of_its_file(told, fmus):
    text = ssd(PAIR).replace('type="application/x-fmu-sharedlibrary"', 'type="application/x-fmu"', 1)
    scenario, warning = told(text)
    assert 'type = "application/x-fmu"; taken as application/x-fmu-sharedlibrary' in warning
    assert_same(scenario.run(), by_hand(fmus))


@pytest.mark.parametrize("scheme", ["proxyfmu://localhost?", "fmu-proxy://localhost:9090?", "proxy-fmu://"])
def test_a_source_that_asks_for_a_process_of_its_own(pack, fmus, scheme):
    text = ssd(PAIR).replace('source="resources', f'source="{scheme}file=resources', 1)
    scenario = ssp.read(pack(text))
    assert scenario.tables()["subsystems"]["a"]["isolate"] is True
    assert_same(scenario.run(), by_hand(fmus))


def test_an_implementation_that_the_fmu_does_not_have(told):
    text = f"<ssd:Elements>{component('p', 'resources/pass.fmu')}</ssd:Elements>"
    text = text.replace("<ssd:Component ", '<ssd:Component implementation="ModelExchange" ')
    scenario, warning = told(ssd(text))
    assert "implementation = ModelExchange; the FMU supports only the other one" in warning
    assert scenario.run().status == "finished"


def test_a_value_for_a_variable_that_the_fmu_calculates(told, fmus):
    scenario, warning = told(ssd(PAIR.replace(parameters(kc=40, dc=0.5), parameters(kc=40, dc=0.5, a=3))))
    assert 'Component "a": the value of "a" is ignored: has no start value' in warning
    assert_same(scenario.run(), by_hand(fmus))


def test_values_in_another_type_than_the_variable(pack):
    bound = parameters(
        int32_in=("Real", 'value="7.0"'), boolean_in=("Boolean", 'value="True"'), mode_in=("Enumeration", 'value="2"'),
        gain=("Integer", 'value="2"'),
    )  # fmt: skip
    text = f"<ssd:Elements>{component('p', 'resources/pass.fmu', '', bound)}</ssd:Elements>"
    table = ssp.read(pack(ssd(text))).tables()["subsystems"]["p"]
    assert table["start"] == {"int32_in": 7, "boolean_in": True, "mode_in": 2}
    assert table["parameters"] == {"gain": 2}


def test_a_step_that_is_longer_than_the_run(told):
    text = ssd(PAIR, experiment='<ssd:DefaultExperiment startTime="0" stopTime="0.004"/>')
    scenario, warning = told(text, count=2)
    assert "the step of 0.01 s is longer than the run; 0.004 s is used" in warning
    assert scenario.run().end == 0.004


@pytest.mark.parametrize("until", [None, 0.505])
def test_a_run_that_is_no_multiple_of_equal_steps(told, fmus, tmp_path, until):
    """Where FMUs need equal steps, whatever says the end: the run covers it and ends with whole steps of them all."""
    fixed = changed(fmus["oscillator"], tmp_path, lambda data: data.replace(b"canHandleVariable", b"canRunOther"))
    text = ssd(PAIR, experiment='<ssd:DefaultExperiment startTime="0" stopTime="0.505"/>')
    text = text.replace("resources/oscillator.fmu", "fixed.fmu")
    scenario, warning = told(text, {"fixed.fmu": fixed.read_bytes()}, until=until, step={"b": 0.04}, lenient=True)
    assert (
        "the run of 0.505 s is not a multiple of the steps of FMUs that need equal ones; it ends at 0.52 s" in warning
    )
    assert scenario.run().end == pytest.approx(0.52)


@pytest.mark.parametrize("isolate", [False, True])
def test_strings_and_binary_values_are_connected(pack, tmp_path, isolate):
    path = build("pass-through", 3, tmp_path)
    kinds = {"string": "<ssc:String/>", "binary": '<ssc:Binary mime-type="x/y"/>'}
    ways = {"in": "input", "out": "output"}
    ports = "".join(connector(f"{n}_{way}", ways[way], inside) for n, inside in kinds.items() for way in ways)
    given = parameters(string_in=("String", 'value="slow"'))
    elements = component("a", "p.fmu", ports, given) + component("b", "p.fmu", ports) + component("c", "p.fmu", ports)
    joined = "".join(connection(f"{x}.{n}_out", f"{y}.{n}_in") for n in kinds for x, y in ("ab", "bc"))
    text = ssd(f"<ssd:Elements>{elements}</ssd:Elements><ssd:Connections>{joined}</ssd:Connections>")
    scenario = ssp.read(pack(text, {"p.fmu": path.read_bytes()}), step=0.1, isolate=isolate)
    result = scenario.run(until=0.5)
    assert text_of(result["b.string_out"].values[-1]) == b"slow"


def test_components_without_steps_take_the_shortest_of_the_others(told, fmus, tmp_path):
    bare = changed(fmus["oscillator"], tmp_path, lambda data: data.replace(b' stepSize="0.01"', b""))
    text = ssd(PAIR).replace("resources/oscillator.fmu", "bare.fmu", 1)
    scenario, warning = told(text, {"bare.fmu": bare.read_bytes()})
    assert "no step is given; 0.01 s is used, the shortest of the others" in warning
    assert_same(scenario.run(), by_hand(fmus))


@pytest.fixture
def folder(pack, tmp_path):
    """An SSP that was unpacked."""
    made = tmp_path / "unpacked plant"
    shutil.unpack_archive(pack(ssd(PAIR)), made, "zip")
    return made


def test_a_folder_is_run(folder, fmus):
    scenario = ssp.read(folder)
    assert scenario.name == "unpacked plant"
    assert_same(scenario.run(), by_hand(fmus))
    assert_same(cp.Scenario.read(folder).run(), by_hand(fmus))
    (folder / "SystemStructure.ssd").rename(folder / "other.ssd")
    assert_same(ssp.read(folder).run(), by_hand(fmus))
    (folder / "other.ssd").unlink()
    with pytest.raises(cp.ScenarioError, match=r"is a folder; expected SystemStructure.ssd or OspSystemStructure.xml"):
        ssp.read(folder)


@pytest.mark.parametrize("outside", [False, True])
def test_a_mistake_in_a_file_beside_names_it_once(folder, outside):
    text = (folder / "SystemStructure.ssd").read_text()
    binding = '<ssd:ParameterBinding source="more.ssv"/></ssd:ParameterBindings>'
    (folder / "SystemStructure.ssd").write_text(text.replace("</ssd:ParameterBindings>", binding, 1))
    (folder / "more.ssv").write_text("<no")
    with pytest.raises(cp.SetupError) as told:
        ssp.read(folder / "SystemStructure.ssd", allow_outside=outside)
    (line,) = str(told.value).splitlines()
    assert line.startswith(f"{folder / 'more.ssv'} line 1: ")


def test_values_steps_and_isolation_of_what_is_inside(pack, fmus):
    path = pack(ssd(PAIR))
    scenario = ssp.read(path, step={"b": 0.005}, isolate=True, set={"b.m": 3, "a.x": 2})
    tables = scenario.tables()["subsystems"]
    assert tables["b"]["parameters"]["m"] == 3.0
    assert tables["a"]["start"]["x"] == 2.0
    assert tables["b"]["step"] == 0.005
    assert [tables[name]["isolate"] for name in "ab"] == [True, True]
    result = scenario.run()
    assert [result[f"{name}.x"].values[0] for name in "ab"] == [2.0, 0.5]
    everything = ssp.read(path, step=0.02).tables()["subsystems"]
    assert [everything[name]["step"] for name in "ab"] == [0.02, 0.02]
    with pytest.raises(cp.ScenarioError) as caught:
        ssp.read(path, step={"c": 1.0}, set={"b.kk": 1})
    assert 'step: "c": no such component' in str(caught.value)
    assert 'set: "b.kk": no such variable; did you mean "b.k' in str(caught.value)


def test_options_of_the_fmus_inside_are_given_like_their_values(pack, fmus):
    scenario = ssp.read(pack(ssd(PAIR)), set={"b.redo_discarded": True, "a.inputs_at": "start"})
    tables = scenario.tables()["subsystems"]
    assert (tables["b"]["redo_discarded"], tables["a"]["inputs_at"]) == (True, "start")
    assert scenario.run().status == "finished"
    with pytest.raises(cp.SetupError, match="redo_discarded"):
        ssp.read(pack(ssd(PAIR)), set={"b.redo_discarded": "often"}).run()


def test_inputs_come_from_a_table_and_other_variables_are_recorded(pack, tmp_path, fmus):
    (tmp_path / "in.csv").write_text("time,a.force\n0,0\n1,10\n")
    scenario = ssp.read(pack(ssd(PAIR)), input=tmp_path / "in.csv", outputs=["a.x", "a.der(x)"])
    result = scenario.run()
    assert scenario.plot == ["a.x", "a.der(x)"]
    assert np.array_equal(result["a.der(x)"].values, result["a.v"].values)
    system = by_hand(fmus)
    assert abs(result["a.x"].values[-1] - system["a.x"].values[-1]) > 1e-3
    (tmp_path / "in.csv").write_text("time,a.forc,a.x_other\n0,0,0\n1,10,0\n")
    with pytest.raises(cp.ScenarioError) as caught:
        ssp.read(pack(ssd(PAIR)), input=tmp_path / "in.csv")
    assert '"a.forc": no such input; did you mean "a.force"?' in str(caught.value)
    assert '"a.x_other": is connected already' in str(caught.value)
