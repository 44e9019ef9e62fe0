"""modelDescription.xml: what is read, and what is said about mistakes."""

import re

import pytest

from counterpoint.fmi import DescriptionError, read_description
from counterpoint.fmi.description_reading import parse_description

from .building import description
from .models import MODELS, model_of

GOOD2 = description(model_of("oscillator", 2), 2, ("CoSimulation",))
GOOD3 = description(model_of("pass-through", 3), 3, ("CoSimulation",))


def mistakes(text, **options):
    with pytest.raises(DescriptionError) as refused:
        parse_description(text.encode(), "x.fmu: modelDescription.xml", **options)
    return refused.value.problems


@pytest.mark.parametrize("name", MODELS)
def test_variables_are_read_as_another_tool_reads_them(built, version, name):
    fmpy = pytest.importorskip("fmpy")
    theirs = fmpy.read_model_description(str(built(name, version)))
    ours = read_description(built(name, version))
    names = {"Real": "Float64", "Integer": "Int32"}
    expected = [
        (v.name, v.valueReference, names.get(v.type, v.type), v.causality, v.variability, v.unit or "")
        for v in theirs.modelVariables
    ]
    assert expected == [(v.name, v.reference, v.type, v.causality, v.variability, v.unit) for v in ours.variables]
    assert [u.variable.name for u in theirs.outputs] == [u.name for u in ours.outputs]
    assert [[d.name for d in u.dependencies] for u in theirs.outputs] == [list(u.depends_on) for u in ours.outputs]
    assert [u.variable.name for u in theirs.initialUnknowns] == [u.name for u in ours.initial_unknowns]


def test_units_have_their_exponents_and_display_units():
    units = parse_description(GOOD2.encode()).units
    assert units["N"].exponents == (1, 1, -2, 0, 0, 0, 0, 0)
    assert units["N"].factor == 1.0
    assert (units["m"].display_units[0].name, units["m"].display_units[0].factor) == ("mm", 1000.0)


def test_arrays_know_their_shape_for_any_structure():
    read = parse_description(GOOD3.encode())
    vector, matrix = read.find("vector_in"), read.find("matrix_in")
    assert (read.shape(vector), read.shape(vector, {"n": 7}), read.shape(matrix)) == ((3,), (7,), (2, 2))
    assert vector.start == (1.0, 2.0, 3.0)
    assert read.find("binary_in").start == (b"\xca\xfe",)
    assert dict(read.types["Mode"].items) == {"off": 1, "idle": 2, "on": 3}


def test_feedthrough_at_the_start_follows_the_listed_dependencies():
    pairs = parse_description(GOOD2.encode()).initial_feedthrough()
    assert {y for y, _ in pairs} == {"a", "f"}
    assert ("f", "force") not in pairs


def test_an_output_without_listed_dependencies_depends_on_all_inputs():
    text = re.sub(r'(<Unknown index="13") dependencies="[^"]*"', r"\1", GOOD2)
    pairs = parse_description(text.encode()).initial_feedthrough()
    assert {u for y, u in pairs if y == "a"} == {"force", "x_other", "v_other"}


def test_malformed_xml_is_told_with_line_and_column():
    assert mistakes("<fmiModelDescription>\n<a></b>")[0].startswith("x.fmu: modelDescription.xml line 2 column ")


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE a>",
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE a [<!ENTITY a0 "ha"><!ENTITY a1 "&a0;&a0;&a0;"><!ENTITY a2 "&a1;&a1;&a1;">]>',
    ],
)
def test_a_doctype_is_not_allowed(doctype):
    assert "a DOCTYPE is not allowed" in mistakes(f"{doctype}<fmiModelDescription/>")[0]


def test_deep_nesting_is_refused():
    assert "nested deeper than 64" in mistakes("<fmiModelDescription>" + "<a>" * 100 + "</a>" * 100)[0]


@pytest.mark.parametrize(
    ("version", "text"),
    [("1.1", 'FMI "1.1" is not supported; expected 1.0, 2.0 or 3.0'), ("4.0", "or 3.0"), (None, "is missing")],
)
def test_an_unknown_version_is_refused(version, text):
    attribute = "" if version is None else f'fmiVersion="{version}"'
    assert text in mistakes(f"<fmiModelDescription {attribute}/>")[0]


@pytest.mark.parametrize("identifier", ["../../evil", "a/b", "a\\\\b", "", "..", "a:b"])
def test_an_identifier_that_is_none_is_refused(identifier):
    found = mistakes(GOOD2.replace('modelIdentifier="oscillator"', f'modelIdentifier="{identifier}"'), lenient=True)
    assert any("modelIdentifier" in problem for problem in found)


def test_all_mistakes_are_told_with_their_lines():
    text = GOOD2.replace('name="v_other"', 'name="x_other"').replace('variability="fixed"', 'variability="fixd"', 1)
    text = text.replace('start="100"', 'start="abc"').replace('index="14"', 'index="99"')
    found = mistakes(text)
    for expected in (
        '"x_other": a variable on line',
        '"fixd"; did you mean "fixed"?',
        '"k": start = "abc" is not a valid Float64',
        "index = 99",
    ):
        assert any(expected in problem and re.search(r"line \d+: ", problem) for problem in found), expected


def test_broken_rules_that_do_no_harm_pass_when_lenient():
    text = GOOD2.replace(' start="100"', "")
    assert any('"k": the start value is missing' in problem and "lenient" in problem for problem in mistakes(text))
    assert any(
        '"k": the start value is missing' in c for c in parse_description(text.encode(), lenient=True).complaints
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('unit="N"', 'unit="Nm"', 'unit "Nm" is not defined'),
        ('causality="input"', 'causality="imput"', 'did you mean "input"?'),
        ('variability="continuous"', 'variability="constant"', "with variability constant"),
        ("<Outputs>", "<Outputs/><Nothing>", "not well-formed"),
        ('valueReference="7"', 'valueReference="-7"', "a number from 0"),
        ('valueReference="7"', 'valueReference="seven"', "expected an integer"),
        ('fmiVersion="2.0"', 'fmiVersion="2.0" numberOfEventIndicators2="x"', None),
        ("CoSimulation", "Simulation", "neither CoSimulation nor ModelExchange"),
    ],
)
def test_mistakes_of_all_kinds_are_named(old, new, expected):
    if expected is None:
        parse_description(GOOD2.replace(old, new, 1).encode())
    else:
        assert any(expected in problem for problem in mistakes(GOOD2.replace(old, new)))


def test_fmi_3_wants_every_value_reference_once():
    text = GOOD3.replace('valueReference="5"', 'valueReference="3"', 1)
    assert any("belongs to" in problem for problem in mistakes(text))


def test_cutting_a_description_anywhere_is_an_error_and_nothing_else():
    data = GOOD3.encode()
    for end in range(0, len(data) - 1, 97):
        with pytest.raises(DescriptionError):
            parse_description(data[:end])
