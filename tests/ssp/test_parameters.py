"""Parameters of system structures: sets, mappings, prefixes, units, and who has the last word."""

import zipfile

import pytest

import counterpoint as cp
from counterpoint.ssp import StructureWarning

from .conftest import NAMESPACES, component, connection, connector, parameter_set, parameters, ssd


def binding(inside="", **attributes):
    given = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return f"<ssd:ParameterBinding {given}>{inside}</ssd:ParameterBinding>"


def inline(**values):
    return f"<ssd:ParameterValues>{parameter_set(**values)}</ssd:ParameterValues>"


def mapping(*entries):
    return (
        f'<ssm:ParameterMapping version="1.0" {NAMESPACES}>'
        + "".join(f'<ssm:MappingEntry source="{a}" target="{b}" {c}>{d}</ssm:MappingEntry>' for a, b, c, d in entries)
        + "</ssm:ParameterMapping>"
    )


def one(bindings="", outer="", fmu="oscillator"):
    """A system with one component, bindings on it and on the system."""
    outer = f"<ssd:ParameterBindings>{outer}</ssd:ParameterBindings>" if outer else ""
    return outer + "<ssd:Elements>" + component("body", f"resources/{fmu}.fmu", "", bindings) + "</ssd:Elements>"


@pytest.fixture
def values(pack):
    """Return parameters and start values that a structure gives its component."""

    def get(text, files=None, name="body"):
        table = cp.Scenario.read(pack(ssd(text), files)).tables()["subsystems"][name]
        return table.get("parameters", {}) | table.get("start", {})

    return get


def test_parameters_and_start_values_are_told_apart(pack):
    table = cp.Scenario.read(pack(ssd(one(parameters(k=50, x=0.25, force=3))))).tables()["subsystems"]["body"]
    assert table["parameters"] == {"k": 50.0}
    assert table["start"] == {"x": 0.25, "force": 3.0}


def test_values_of_every_type_arrive(values):
    bound = parameters(
        gain=2.5, int32_in=("Integer", 'value="7"'), boolean_in=("Boolean", 'value="true"'),
        string_in=("String", 'value="a &lt; b"'), mode_in=("Enumeration", 'value="idle"'),
    )  # fmt: skip
    expected = {"gain": 2.5, "int32_in": 7, "boolean_in": True, "string_in": "a < b", "mode_in": "idle"}
    assert values(one(bound, fmu="pass")) == expected


def test_later_bindings_and_outer_ones_have_the_last_word(values):
    inner = parameters(k=1, c=1, m=1) + parameters(c=2, m=2)
    assert values(one(inner, outer=parameters(**{"body.m": 3}))) == {"k": 1.0, "c": 2.0, "m": 3.0}


def test_a_prefix_lets_a_set_of_a_component_be_given_to_the_system(values):
    assert values(one(outer=binding(inline(k=9), prefix="body."))) == {"k": 9.0}


def test_a_set_may_be_a_file(values):
    text = one(binding(source="resources/stiff.ssv", type="application/x-ssp-parameter-set"))
    assert values(text, {"resources/stiff.ssv": parameter_set(k=77)}) == {"k": 77.0}


def test_a_mapping_renames_and_changes_values(values):
    entries = [
        ("stiffness", "k", "", '<ssc:LinearTransformation factor="2" offset="1"/>'),
        ("stiffness", "kc", "", ""),
    ]
    mapped = f"<ssd:ParameterMapping>{mapping(*entries)}</ssd:ParameterMapping>"
    assert values(one(binding(inline(stiffness=10) + mapped))) == {"k": 21.0, "kc": 10.0}


@pytest.mark.filterwarnings("default")
def test_a_mapping_leaves_out_what_it_does_not_name(values):
    """SSP 1.0.1 and 2.0, section on mappings: such parameters "will not be applied"; told where they could have been."""
    mapped = f"<ssd:ParameterMapping>{mapping(('stiffness', 'k', '', ''))}</ssd:ParameterMapping>"
    with pytest.warns(StructureWarning, match='Parameter "c": the mapping has no entry for it') as told:
        assert values(one(binding(inline(stiffness=10, c=0.1, other=1) + mapped))) == {"k": 10.0}
    assert len(told) == 1


def test_a_name_that_means_two_variables_sets_both(pack):
    """Names may have dots: m of the component "inner.body", and body.m of the system "inner"."""
    outer = f"<ssd:ParameterBindings>{parameters(**{'inner.body.m': 3})}</ssd:ParameterBindings>"
    inner = f'<ssd:System name="inner"><ssd:Elements>{component("body", "resources/oscillator.fmu")}</ssd:Elements></ssd:System>'
    text = f"{outer}<ssd:Elements>{inner}{component('inner.body', 'resources/oscillator.fmu')}</ssd:Elements>"
    tables = cp.Scenario.read(pack(ssd(text))).tables()["subsystems"]
    assert {name: table["parameters"] for name, table in tables.items()} == {
        "inner/body": {"m": 3.0}, "inner_body": {"m": 3.0},
    }  # fmt: skip


def test_a_mapping_may_be_a_file_and_see_the_prefix(values):
    mapped = '<ssd:ParameterMapping source="resources/names.ssm"/>'
    text = one(binding(inline(stiffness=10) + mapped, prefix="all."))
    assert values(text, {"resources/names.ssm": mapping(("all.stiffness", "k", "", ""))}) == {"k": 10.0}


def test_tables_of_values_work_in_mappings(values):
    entries = [
        ("i", "int32_in", "", '<ssc:IntegerMappingTransformation><ssc:MapEntry source="1" target="10"/>'
                              '<ssc:MapEntry source="2" target="99"/></ssc:IntegerMappingTransformation>'),
        ("b", "boolean_in", "", '<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/>'
                                "</ssc:BooleanMappingTransformation>"),
        ("e", "mode_in", "", '<ssc:EnumerationMappingTransformation><ssc:MapEntry source="Aus" target="off"/>'
                             "</ssc:EnumerationMappingTransformation>"),
    ]  # fmt: skip
    given = inline(i=("Integer", 'value="2"'), b=("Boolean", 'value="1"'), e=("Enumeration", 'value="Aus"'))
    mapped = f"<ssd:ParameterMapping>{mapping(*entries)}</ssd:ParameterMapping>"
    assert values(one(binding(given + mapped), fmu="pass")) == {"int32_in": 99, "boolean_in": False, "mode_in": "off"}


UNITS = (
    '<ssv:Units><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit>'
    '<ssc:Unit name="V"><ssc:BaseUnit kg="1" m="2" s="-3" A="-1"/></ssc:Unit></ssv:Units>'
)


def with_unit(unit):
    made = parameter_set(x=("Real", f'value="250" unit="{unit}"'))
    return made.replace("</ssv:ParameterSet>", f"{UNITS}</ssv:ParameterSet>")


def test_a_value_with_a_unit_is_converted_to_that_of_the_variable(values):
    assert values(one(binding(f"<ssd:ParameterValues>{with_unit('mm')}</ssd:ParameterValues>"))) == {"x": 0.25}
    as_it_is = mapping(("x", "x", 'suppressUnitConversion="true"', ""))
    mapped = f"<ssd:ParameterMapping>{as_it_is}</ssd:ParameterMapping>"
    text = one(binding(f"<ssd:ParameterValues>{with_unit('mm')}</ssd:ParameterValues>{mapped}"))
    assert values(text) == {"x": 250.0}


def test_a_value_of_another_dimension_is_refused(values):
    with pytest.raises(
        cp.ScenarioError, match=r'Parameter "x": units do not match: V .* cannot be converted to m \(m\)'
    ):
        values(one(binding(f"<ssd:ParameterValues>{with_unit('V')}</ssd:ParameterValues>")))


def test_a_set_may_lie_inside_the_fmu(pack, fmus, tmp_path):
    packed = tmp_path / "with-set.fmu"
    packed.write_bytes(fmus["oscillator"].read_bytes())
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("resources/own.ssv", parameter_set(k=123))
    text = one(binding(source="resources/own.ssv", sourceBase="component")).replace(
        "resources/oscillator.fmu", "own.fmu"
    )
    table = cp.Scenario.read(pack(ssd(text), {"own.fmu": packed.read_bytes()})).tables()["subsystems"]["body"]
    assert table["parameters"] == {"k": 123.0}


def test_a_value_that_nothing_takes_is_ignored_with_a_warning(pack):
    path = pack(ssd(one(parameters(stiffness=1))))
    with pytest.warns(
        StructureWarning, match=r'SystemStructure.ssd line \d+: Parameter "stiffness": no variable or connector'
    ):
        cp.Scenario.read(path)


OUTER = (
    "<ssd:Connectors>" + connector("stiffness", "parameter") + connector("push", "input") + "</ssd:Connectors>"
    + "<ssd:ParameterBindings>" + parameters(stiffness=4, push=2) + "</ssd:ParameterBindings><ssd:Elements>"
    + component("body", "resources/oscillator.fmu", connector("k", "parameter") + connector("force", "input"), parameters(k=1, c=2))
    + "</ssd:Elements><ssd:Connections>" + connection("stiffness", "body.k", '<ssc:LinearTransformation factor="100"/>')
    + connection("push", "body.force") + "</ssd:Connections>"
)  # fmt: skip


def test_values_of_outer_connectors_reach_what_they_are_connected_to(values):
    assert values(OUTER) == {"k": 400.0, "c": 2.0, "force": 2.0}


def test_an_outer_connector_without_a_value_leaves_the_component_its_own(values):
    assert values(OUTER.replace(parameters(stiffness=4, push=2), parameters(push=2))) == {
        "k": 1.0,
        "c": 2.0,
        "force": 2.0,
    }


def test_an_input_of_the_system_that_nothing_drives_is_warned_of(pack):
    path = pack(ssd(OUTER.replace(parameters(stiffness=4, push=2), parameters(stiffness=4))))
    with pytest.warns(StructureWarning, match='Connector "push": is not connected'):
        cp.Scenario.read(path)


def test_a_calculated_parameter_may_be_a_signal_but_no_parameter_of_another(pack):
    bias = connector("bias", "calculatedParameter")
    parts = component("a", "resources/pass.fmu", bias) + component(
        "b", "resources/pass.fmu", connector("gain", "parameter") + connector("float64_in", "input")
    )
    text = f"<ssd:Elements>{parts}</ssd:Elements><ssd:Connections>{connection('a.bias', 'b.TARGET')}</ssd:Connections>"
    scenario = cp.Scenario.read(pack(ssd(text.replace("TARGET", "float64_in"))))
    assert scenario.run()["b.float64_out"].values[-1] == scenario.run()["a.bias"].values[-1]
    with pytest.raises(cp.ScenarioError, match=r'"bias" of an FMU is connected to the parameter "gain" of another'):
        cp.Scenario.read(pack(ssd(text.replace("TARGET", "gain"))))


def test_only_inputs_that_a_parameter_set_gives_are_written(pack):
    """The FMU declares a force of 20 N and has 0."""
    ends = {}
    for fmu in ("oscillator", "pushed"):
        for given in ({}, {"force": 20.0}):
            case = cp.Scenario.read(pack(ssd(one(parameters(k=50, **given), fmu=fmu))))
            ends[fmu, bool(given)] = case.run()["body.x"].values[-1]
    assert ends["pushed", False] == ends["oscillator", False]
    assert ends["pushed", True] == ends["oscillator", True] != ends["oscillator", False]
