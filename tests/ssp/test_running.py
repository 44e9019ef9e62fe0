"""System structures run directly: the numbers of the same system built by hand."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint import ssp

from .conftest import OSCILLATOR, PAIR, component, connection, connector, parameters, ssd

SIGNALS = ("a.x", "a.v", "b.x", "b.v")
FREE = 'type="application/x-ssp-definition"'


def by_hand(fmus, **options):
    system = cp.System("by hand")
    system.add("a", cp.fmu(fmus["oscillator"], parameters={"kc": 40, "dc": 0.5}))
    system.add("b", cp.fmu(fmus["oscillator"], parameters={"kc": 40, "dc": 0.5, "m": 2}, start={"x": 0.5}))
    for one, other in ("ab", "ba"):
        system.connect(f"{one}.x", f"{other}.x_other")
        system.connect(f"{one}.v", f"{other}.v_other")
    return system.run(until=1.0, **options)


def assert_same(result, expected, names=None):
    for name in SIGNALS:
        ours = name if names is None else names[name]
        assert np.array_equal(expected[name].time, result[ours].time)
        assert np.array_equal(expected[name].values, result[ours].values)


def test_a_structure_runs_as_the_same_system_built_by_hand(pack, fmus):
    assert_same(cp.Scenario.read(pack(ssd(PAIR))).run(), by_hand(fmus))


def test_connected_initial_outputs_reach_the_inputs_before_the_first_step(pack, fmus):
    """f = kc (x_other - x) + dc (v_other - v) of the oscillator is an output: its first sample needs the inputs."""
    text = PAIR.replace(
        '<ssd:Connector name="v" kind="output">', f'{connector("f", "output")}\n<ssd:Connector name="v" kind="output">'
    )
    result = cp.Scenario.read(pack(ssd(text))).run()
    assert result["a.f"].time[0] == 0.0
    assert abs(result["a.f"].values[0]) == pytest.approx(40 * (1.0 - 0.5), rel=1e-12)
    assert result["a.f"].values[0] == -result["b.f"].values[0]


def test_a_bare_ssd_uses_the_files_beside_it(tmp_path, fmus):
    (tmp_path / "models with blank").mkdir()
    (tmp_path / "models with blank" / "o.fmu").write_bytes(fmus["oscillator"].read_bytes())
    text = ssd(PAIR).replace("resources/oscillator.fmu", "models%20with%20blank/o.fmu")
    (tmp_path / "pair.ssd").write_text(text)
    assert_same(cp.Scenario.read(tmp_path / "pair.ssd").run(), by_hand(fmus))


def test_an_ssd_may_use_files_from_the_top_of_the_file_system_only_if_allowed(tmp_path, fmus):
    (tmp_path / "inside").mkdir()
    (tmp_path / "o.fmu").write_bytes(fmus["oscillator"].read_bytes())
    file = tmp_path / "inside" / "pair.ssd"
    file.write_text(ssd(PAIR).replace("resources/oscillator.fmu", f"{tmp_path}/o.fmu"))
    with pytest.raises(cp.ScenarioError, match=r"pair.ssd line \d+: Component \"a\": source: .* lies outside"):
        cp.Scenario.read(file)
    assert_same(cp.Scenario.read(file, allow_outside=True).run(), by_hand(fmus))
    file.write_text(file.read_text().replace(f"{tmp_path}/o.fmu", f"file://{tmp_path}/o.fmu"))
    assert_same(cp.Scenario.read(file, allow_outside=True).run(), by_hand(fmus))


def test_an_ssd_beside_the_folder_of_its_files(tmp_path, fmus):
    """FMUs in a folder for all structures, as those of OSP have it."""
    for name in ("models", "inside"):
        (tmp_path / name).mkdir()
    (tmp_path / "models" / "o.fmu").write_bytes(fmus["oscillator"].read_bytes())
    file = tmp_path / "inside" / "pair.ssd"
    file.write_text(ssd(PAIR).replace("resources/oscillator.fmu", "../models/o.fmu"))
    assert_same(cp.Scenario.read(file).run(), by_hand(fmus))


HALF = (
    "<ssd:Connectors>"
    + "".join(connector(n, k) for n, k in {"out": "output", "out_v": "output", "in": "input", "in_v": "input"}.items())
    + "</ssd:Connectors>"
)


def half(name, **values):
    """A system around one oscillator, which is called "body" in it."""
    return (
        f'<ssd:System name="{name}">{HALF}<ssd:Elements>'
        + component("body", "resources/oscillator.fmu", OSCILLATOR, parameters(kc=40, dc=0.5, **values))
        + "</ssd:Elements><ssd:Connections>"
        + connection("body.x", "out")
        + connection("body.v", "out_v")
        + connection("in", "body.x_other")
        + connection("body.v_other", "in_v")
        + "</ssd:Connections></ssd:System>"
    )


JOINED = (
    "<ssd:Connections>"
    + connection("a.out", "b.in")
    + connection("a.out_v", "b.in_v")
    + connection("b.out", "a.in")
    + connection("a.in_v", "b.out_v")
    + "</ssd:Connections>"
)
INSIDE = {name: name.replace(".", "/body.") for name in SIGNALS}


def test_nested_systems_are_taken_apart_and_their_components_named_with_slashes(pack, fmus):
    text = ssd(f"<ssd:Elements>{half('a')}{half('b', x=0.5, m=2)}</ssd:Elements>{JOINED}")
    scenario = cp.Scenario.read(pack(text))
    assert list(scenario.build().subsystems) == ["a/body", "b/body"]
    assert_same(scenario.run(), by_hand(fmus), INSIDE)


def inner_ssd(text):
    return ssd("").replace('<ssd:System name="root">\n\n</ssd:System>', text)


@pytest.mark.parametrize("kind", ["ssd", "ssp", "id", "variant"])
def test_a_component_may_be_another_structure(pack, fmus, kind, tmp_path):
    inner = half("whatever", x=1.0)
    files, extra = {}, ""
    if kind == "ssd":
        files["resources/half.ssd"] = inner_ssd(inner).replace('source="resources/', 'source="')
        source = f'{FREE} source="resources/half.ssd"'
    elif kind == "id":
        extra = inner.replace('name="whatever"', 'name="never" id="half"')
        source = f'{FREE} source="#half"'
    else:
        name = "SystemStructure.ssd" if kind == "ssp" else "Other.ssd"
        nested = pack(ssd(""), {name: inner_ssd(inner)}, name="half.ssp")
        files["resources/half.ssp"] = nested.read_bytes()
        source = (
            'type="application/x-ssp-package" source="resources/half.ssp'
            + ("#Other.ssd" if kind == "variant" else "")
            + '"'
        )
    parts = f'<ssd:Component name="a" {source}>{HALF}</ssd:Component><ssd:Component name="b" {source}>{HALF}'
    parts += (
        f"<ssd:ParameterBindings>{parameters(**{'body.x': 0.5, 'body.m': 2})}</ssd:ParameterBindings></ssd:Component>"
    )
    text = ssd(f"<ssd:Elements>{parts}{extra}</ssd:Elements>{JOINED}")
    if kind == "ssd":
        text += "<!-- resources/oscillator.fmu -->"
    result = cp.Scenario.read(pack(text, files)).run()
    assert_same(result, by_hand(fmus), INSIDE)


def test_a_structure_that_contains_itself_is_refused(pack):
    text = ssd(
        '<ssd:Elements><ssd:Component name="a" type="application/x-ssp-definition" source="SystemStructure.ssd"/></ssd:Elements>'
    )
    with pytest.raises(cp.ScenarioError, match="the system would contain itself"):
        cp.Scenario.read(pack(text))


def two(second="oscillator", inside="", attributes="", units=""):
    """Oscillator a drives oscillator b by its position; nothing comes back."""
    return (
        "<ssd:Elements>"
        + component("a", "resources/oscillator.fmu", connector("x", "output", f"<ssc:Real {units}/>"))
        + component("b", f"resources/{second}.fmu", connector("x_other", "input"), parameters(kc=40))
        + "</ssd:Elements><ssd:Connections>"
        + connection("a.x", "b.x_other", inside, attributes)
        + "</ssd:Connections>"
    )


def driven(fmus, gain=1.0, offset=0.0, second="oscillator"):
    system = cp.System("driven")
    system.add("a", cp.fmu(fmus["oscillator"]))
    system.add("b", cp.fmu(fmus[second], parameters={"kc": 40}))
    system.connect("a.x", "b.x_other", gain=gain, offset=offset, convert=False)
    return system.run(until=1.0)["b.x"].values


LINE = '<ssc:LinearTransformation factor="3" offset="0.25"/>'


def test_a_linear_transformation_becomes_gain_and_offset(pack, fmus):
    result = cp.Scenario.read(pack(ssd(two(inside=LINE)))).run()
    assert np.array_equal(result["b.x"].values, driven(fmus, 3.0, 0.25))


def test_units_are_converted_unless_that_is_suppressed(pack, fmus):
    converted = cp.Scenario.read(pack(ssd(two("millimetres")))).run()
    assert np.array_equal(converted["b.x"].values, driven(fmus, 1000.0, second="millimetres"))
    as_it_is = cp.Scenario.read(pack(ssd(two("millimetres", attributes='suppressUnitConversion="true"')))).run()
    assert np.array_equal(as_it_is["b.x"].values, driven(fmus, 1.0, second="millimetres"))


def test_units_are_converted_before_the_transformation(pack, fmus):
    result = cp.Scenario.read(pack(ssd(two("millimetres", inside=LINE)))).run()
    assert np.array_equal(result["b.x"].values, driven(fmus, 3000.0, 0.25, second="millimetres"))


def test_units_of_outer_connectors_count_too(pack, fmus):
    """m -> (cm, times two) -> (no unit) -> mm: 100 x, doubled; then 10 x, and one more."""
    units = '<ssd:Units><ssc:Unit name="cm"><ssc:BaseUnit m="1" factor="0.01"/></ssc:Unit></ssd:Units>'
    first = (
        '<ssd:System name="first"><ssd:Connectors>' + connector("out", "output", '<ssc:Real unit="cm"/>')
        + "</ssd:Connectors>"
        + "<ssd:Elements>" + component("body", "resources/oscillator.fmu", connector("x", "output")) + "</ssd:Elements>"
        + "<ssd:Connections>" + connection("body.x", "out", '<ssc:LinearTransformation factor="2"/>')
        + "</ssd:Connections></ssd:System>"
    )  # fmt: skip
    second = (
        f'<ssd:System name="second"><ssd:Connectors>{connector("in", "input")}</ssd:Connectors><ssd:Elements>'
        + component("body", "resources/millimetres.fmu", connector("x_other", "input"), parameters(kc=40))
        + "</ssd:Elements><ssd:Connections>"
        + connection("in", "body.x_other", '<ssc:LinearTransformation offset="1"/>') + "</ssd:Connections></ssd:System>"
    )  # fmt: skip
    text = f"<ssd:Elements>{first}{second}</ssd:Elements><ssd:Connections>{connection('first.out', 'second.in')}</ssd:Connections>"
    scenario = cp.Scenario.read(pack(ssd(text, after=units)))
    assert scenario.tables()["connections"] == [
        {"from": ["first/body.x"], "to": "second/body.x_other", "gain": 2000.0, "offset": 1.0, "convert": False}
    ]
    assert np.array_equal(scenario.run()["second/body.x"].values, driven(fmus, 2000.0, 1.0, second="millimetres"))


def test_a_signal_dictionary_carries_a_signal(pack, fmus):
    dictionary = (
        '<ssd:SignalDictionaries><ssd:SignalDictionary name="bus"><ssb:SignalDictionary version="1.0">'
        '<ssb:DictionaryEntry name="position"><ssc:Real/></ssb:DictionaryEntry></ssb:SignalDictionary>'
        "</ssd:SignalDictionary></ssd:SignalDictionaries>"
    )

    def reference(name):
        return (
            f'<ssd:SignalDictionaryReference name="{name}" dictionary="bus"><ssd:Connectors>'
            f"{connector('position', 'inout')}</ssd:Connectors></ssd:SignalDictionaryReference>"
        )

    text = two().replace("</ssd:Elements>", f"{reference('write')}{reference('read')}</ssd:Elements>")
    text = text.replace(
        connection("a.x", "b.x_other"),
        connection("a.x", "write.position") + connection("b.x_other", "read.position"),
    )
    result = cp.Scenario.read(pack(ssd(text + dictionary))).run()
    assert np.array_equal(result["b.x"].values, driven(fmus))


def test_whole_numbers_are_held_not_drawn_out(pack):
    text = (
        "<ssd:Elements>"
        + component("ball", "resources/ball.fmu", connector("bounces", "output", "<ssc:Integer/>"))
        + component("pass", "resources/pass.fmu", connector("int32_in", "input", "<ssc:Integer/>"))
        + "</ssd:Elements><ssd:Connections>" + connection("ball.bounces", "pass.int32_in") + "</ssd:Connections>"
    )  # fmt: skip
    scenario = cp.Scenario.read(pack(ssd(text)))
    assert scenario.tables()["connections"][0]["approximation"] == {"kind": "hold"}
    assert set(np.unique(scenario.run()["pass.int32_out"].values)) <= {0.0, 1.0, 2.0, 3.0}


def test_the_step_of_another_master_is_taken_over(pack):
    oms = 'xmlns:oms="https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd"'
    note = (
        f'<ssd:Annotations><ssc:Annotation type="org.openmodelica"><oms:Annotations {oms}><oms:SimulationInformation>'
        '<oms:FixedStepMaster description="oms-ma" stepSize="0.005"/></oms:SimulationInformation></oms:Annotations>'
        "</ssc:Annotation></ssd:Annotations>"
    )
    system = cp.Scenario.read(pack(ssd(PAIR + note))).build()
    assert [entry.step for entry in system.subsystems.values()] == [0.005, 0.005]


def test_a_run_needs_an_end(pack):
    path = pack(ssd(PAIR, experiment=""))
    with pytest.warns(ssp.StructureWarning, match="stopTime is missing; the run ends at 1 s, as the FMUs suggest"):
        assert cp.Scenario.read(path).until == 1.0
    assert ssp.read(path, until=0.5).run().end == 0.5


def test_nothing_is_left_when_the_system_is_gone(pack, nothing_left_behind):
    system = cp.Scenario.read(pack(ssd(PAIR))).build()
    assert system.run(until=0.1).status == "finished"  # the scenario is gone, its files are not
    assert len(list(nothing_left_behind.iterdir())) > 0


def test_a_component_for_model_exchange_is_integrated_by_us(pack):
    text = PAIR.replace("<ssd:Component ", '<ssd:Component implementation="ModelExchange" ')
    text = text.replace("oscillator.fmu", "both.fmu")
    scenario = cp.Scenario.read(pack(ssd(text)))
    result, plain = scenario.run(), cp.Scenario.read(pack(ssd(PAIR))).run()
    assert result["a.x"].values[-1] == pytest.approx(plain["a.x"].values[-1], abs=1e-2)
    assert not np.array_equal(result["a.x"].values, plain["a.x"].values)
