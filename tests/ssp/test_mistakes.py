"""Mistakes in system structures: all at once, with file, line and element; hostile archives are refused whole."""

import zipfile

import pytest

import counterpoint as cp

from .conftest import OSCILLATOR, PAIR, component, connection, connector, parameters, ssd


@pytest.fixture
def problems(pack):
    """Return what is wrong with a structure."""

    def get(text, files=None):
        with pytest.raises(cp.ScenarioError) as caught:
            cp.Scenario.read(pack(text, files))
        return caught.value.problems

    return get


def two(**changes):
    parts = {
        "a": component("a", "resources/oscillator.fmu", OSCILLATOR),
        "b": component("b", "resources/oscillator.fmu", OSCILLATOR),
        "joint": connection("a.x", "b.x_other"),
    } | changes
    return f"<ssd:Elements>{parts['a']}{parts['b']}</ssd:Elements><ssd:Connections>{parts['joint']}</ssd:Connections>"


def test_all_mistakes_are_told_at_once_with_their_lines(problems):
    found = problems(
        ssd(
            two(
                a=component("a", "resources/oscilator.fmu", OSCILLATOR),
                b=component("b", "resources/oscillator.fmu", connector("x", "output") + connector("x", "input")),
                joint=connection("a.x", "c.x_other") + connection("b.y", "a.x_other"),
            )
        )
    )
    assert all("plant.ssp: SystemStructure.ssd line " in text for text in found)
    assert any('Component "a": source: "resources/oscilator.fmu": no such file' in text for text in found)
    assert any('Connector "x": another connector has the same name' in text for text in found)
    assert any('Connection "a.x" to "c.x_other": no element "c"' in text for text in found)
    assert any('"b" has no connector "y"' in text for text in found)
    lines = [int(text.split(" line ")[1].partition(":")[0]) for text in found]
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"joint": connection("a.x", "b.x")}, "both connectors are outputs; expected one output and one input"),
        ({"joint": connection("a.x_other", "b.x_other")}, "both connectors are inputs"),
        ({"joint": connection("a.x", "b.x_other") + connection("a.v", "b.x_other")}, '"x_other" has a second connection'),
        ({"joint": connection("a.v", "b.x_other")}, r"units do not match: m/s \(m s-1\) cannot be converted to m \(m\)"),
        ({"b": component("a", "resources/oscillator.fmu")}, "another element has the same name"),
        ({"b": component("b", "http://example.org/x.fmu")}, "expected a file next to the SSD"),
        ({"b": component("b", "file:///x.fmu")}, "is not in the archive, which has to hold all files that it uses"),
        ({"b": component("b", "../x.fmu")}, "is not in the archive, which has to hold all files that it uses"),
        ({"b": component("b", "x", "").replace("x-fmu-sharedlibrary", "x-lookup")}, 'type = "application/x-lookup"; expected an FMU'),
        ({"b": component("b", "resources/oscillator.fmu", OSCILLATOR, parameters(k="stiff"))},
         'Real: value = "stiff"; expected a value of type Real'),
        ({"b": component("b", "resources/oscillator.fmu", OSCILLATOR, '<ssd:ParameterBinding type="text/csv"/>')},
         'ParameterBinding: type = "text/csv"; application/x-ssp-parameter-set is supported'),
        ({"b": component("b", "resources/oscillator.fmu", OSCILLATOR, "<ssd:ParameterBinding/>")},
         "neither a source nor <ssv:ParameterSet>"),
        ({"b": component("b", "resources/oscillator.fmu", OSCILLATOR, '<ssd:ParameterBinding source="p.ssv"/>')},
         'ParameterBinding: source: "p.ssv": no such file'),
        ({"joint": connection("a.x", "b.x_other", attributes='startIndices="1"')}, "parts of arrays cannot be connected"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(problems, changes, expected):
    found = problems(ssd(two(**changes)))
    import re

    assert any(re.search(expected, text) for text in found), found


TABLE = (
    '<ssc:IntegerMappingTransformation><ssc:MapEntry source="0" target="5"/><ssc:MapEntry source="1" target="7"/>'
    '<ssc:MapEntry source="2" target="LAST"/></ssc:IntegerMappingTransformation>'
)


def counting(table):
    return (
        "<ssd:Elements>" + component("ball", "resources/ball.fmu", connector("bounces", "output", "<ssc:Integer/>"))
        + component("pass", "resources/pass.fmu", connector("int32_in", "input", "<ssc:Integer/>"))
        + "</ssd:Elements><ssd:Connections>" + connection("ball.bounces", "pass.int32_in", table) + "</ssd:Connections>"
    )  # fmt: skip


def test_a_table_of_values_in_a_connection_must_be_a_line(pack, problems):
    scenario = cp.Scenario.read(pack(ssd(counting(TABLE.replace("LAST", "9")))))
    assert scenario.tables()["connections"][0]["gain"] == 2.0
    assert scenario.tables()["connections"][0]["offset"] == 5.0
    found = problems(ssd(counting(TABLE.replace("LAST", "8"))))
    assert "IntegerMappingTransformation 0 -> 5, 1 -> 7, 2 -> 8: a table of values in a connection" in found[0]


def test_a_truth_value_may_be_turned_round(pack):
    table = (
        '<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/>'
        '<ssc:MapEntry source="false" target="true"/></ssc:BooleanMappingTransformation>'
    )
    text = (
        counting(table).replace("bounces", "at_rest").replace("int32_in", "boolean_in").replace("Integer/", "Boolean/")
    )
    result = cp.Scenario.read(pack(ssd(text))).run()
    assert result["pass.boolean_out"].values[-1] == 1.0 - result["ball.at_rest"].values[-1] == 1.0


def test_mistakes_in_files_that_are_referred_to_name_those_files(problems):
    text = two(
        b=component("b", "resources/oscillator.fmu", OSCILLATOR, '<ssd:ParameterBinding source="resources/p.ssv"/>')
    )
    found = problems(ssd(text), {"resources/p.ssv": "<a>\n<b></a>"})
    assert any("plant.ssp: resources/p.ssv line 2: " in text and "not well-formed XML" in text for text in found), found
    found = problems(ssd(text), {"resources/p.ssv": "<a/>"})
    assert any("plant.ssp: resources/p.ssv line 1: <a>: expected <ssv:ParameterSet>" in text for text in found), found


def test_what_the_fmu_does_not_take_is_said_with_the_component(problems, pack):
    wrong = parameters(mode_in=("Enumeration", 'value="idel"'))
    text = two(b=component("b", "resources/pass.fmu", "", wrong), joint="")
    scenario = cp.Scenario.read(pack(ssd(text)))
    with pytest.raises(cp.ScenarioError) as caught:
        scenario.build()
    assert caught.value.problems[0].startswith(str(scenario.path))
    assert "SystemStructure.ssd line " in caught.value.problems[0]
    assert 'Component "b"' in caught.value.problems[0]
    assert "/counterpoint-fmu-" not in str(caught.value)  # where it was unpacked is of no use to anybody


def test_a_setting_is_checked_like_a_key_of_a_scenario(problems):
    note = (
        '<ssd:Annotations><ssc:Annotation type="org.counterpoint"><cp:Settings xmlns:cp="urn:counterpoint:settings:1">'
        '<cp:Setting key="KEY" value="VALUE"/></cp:Settings></ssc:Annotation></ssd:Annotations>'
    )

    def of(key, value):
        changed = note.replace("KEY", key).replace("VALUE", value)
        return problems(ssd(two(b=component("b", "resources/oscillator.fmu", OSCILLATOR, more=changed))))

    assert 'Setting: key = "stepp"; did you mean "step"?' in of("stepp", "0.1")[0]
    assert "must be greater than 0" in of("step", "-0.1")[0]
    assert 'Setting: key = "file"' in of("file", "&quot;x.fmu&quot;")[0]  # that is the source of the component
    assert 'Setting "step": value = "fast"; expected a value as in TOML' in of("step", "fast")[0]
    assert "expected a value as in TOML" in of("step", "1.0&#10;file = 2")[0]


def test_code_is_not_run_from_a_structure(problems):
    note = (
        '<ssd:Annotations><ssc:Annotation type="org.counterpoint"><cp:Settings xmlns:cp="urn:counterpoint:settings:1">'
        '<cp:Setting key="approximation" value="{ kind = &quot;python&quot;, object = &quot;x.py:f&quot; }"/>'
        "</cp:Settings></ssc:Annotation></ssd:Annotations>"
    )
    assert (
        "code in Python files is not run from an SSP"
        in problems(ssd(two(joint=connection("a.x", "b.x_other", note))))[0]
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<ssd:System", "not well-formed XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "a DOCTYPE is not allowed"),
        ("<a/>", "expected a system structure description of SSP 1.0"),
        (ssd(""), "contains no component"),
        (ssd(PAIR).replace("SSP1", "SSP9"), "expected a system structure description of SSP 1.0"),
    ],
)
def test_a_document_that_is_none_is_refused(problems, text, expected):
    assert expected in problems(text)[0]


def test_prefixes_may_be_any(pack):
    text = ssd(PAIR).replace("ssd:", "").replace("xmlns:ssd=", "xmlns=").replace('xmlns="', 'xmlns="', 1)
    text = text.replace('xmlns:ssd="', 'xmlns="').replace("<ssc:", "<common:").replace("xmlns:ssc", "xmlns:common")
    assert cp.Scenario.read(pack(text)).run().status == "finished"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("../evil.txt", "leads out of the archive's folder"),
        ("/evil.txt", "the file name is absolute, which is not allowed"),
        ("resources\\..\\..\\evil.txt", "leads out of the archive's folder"),
        ("systemstructure.SSD", "is the same file as"),
    ],
)
def test_a_hostile_archive_is_refused_and_nothing_written(tmp_path, name, expected, nothing_left_behind):
    path = tmp_path / "evil.ssp"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("SystemStructure.ssd", ssd(PAIR))
        archive.writestr(name, "evil")
    with pytest.raises(cp.ScenarioError, match=expected):
        cp.Scenario.read(path)
    assert list(nothing_left_behind.iterdir()) == []


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    (tmp_path / "plain.ssp").write_text("hello")
    with pytest.raises(cp.ScenarioError, match="not a valid ZIP archive"):
        cp.Scenario.read(tmp_path / "plain.ssp")
    with pytest.raises(cp.ScenarioError, match=r'no such file; did you mean "plain.ssp"'):
        cp.Scenario.read(tmp_path / "plan.ssp")


def test_an_archive_without_a_structure_says_what_is_there(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.ssp", "w") as archive:
        archive.writestr("inner/SystemStructure.ssd", ssd(PAIR))
        archive.writestr("other/plant.ssd", ssd(PAIR))
    with pytest.raises(cp.ScenarioError, match=r"but at inner/SystemStructure.ssd"):
        cp.Scenario.read(tmp_path / "x.ssp")
