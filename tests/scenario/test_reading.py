"""What a scenario file may say: keys, types, times, names."""

import math
import tomllib
from pathlib import Path

import pytest

import counterpoint as cp
from counterpoint._files.tables import keys_of
from counterpoint.errors import ScenarioError, SetupError
from counterpoint.scenario import models

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "scenario.md"


def test_a_change_leaves_the_file_alone(write, good):
    scenario = cp.Scenario.read(write(good))
    changed = scenario.changed(until=1.0, scheme="parallel", threads=2)
    assert (changed.until, changed.scheme, changed.threads) == (1.0, "parallel", 2)
    assert (scenario.until, scenario.scheme) == (2.0, "slowest-first")


@pytest.mark.parametrize("until", [0.0, -1.0, math.nan, math.inf])
def test_a_change_to_a_bad_end_is_refused(write, good, until):
    with pytest.raises(SetupError, match="until"):
        cp.Scenario.read(write(good)).changed(until=until)


def test_a_change_to_an_unknown_scheme_is_refused(write, good):
    with pytest.raises(SetupError, match='did you mean "parallel"'):
        cp.Scenario.read(write(good)).changed(scheme="paralel")


def test_a_syntax_error_names_line_and_column(write):
    path = write("until = 1\nstart = = 2\n")
    with pytest.raises(ScenarioError, match=r"case\.toml: line 2, column 9: not valid TOML"):
        cp.Scenario.read(path)


def test_single_brackets_among_double_ones_are_named_with_their_line(write, good):
    path = write(good + "\n[events]\nat = 1.0\n\n[[events]]\nat = 2.0\n")
    line = (good + "\n").count("\n") + 1
    with pytest.raises(ScenarioError, match=rf"write \[\[events\]\] with double brackets in line {line}"):
        cp.Scenario.read(path)


def test_an_unfinished_file_says_so(write):
    with pytest.raises(ScenarioError, match=r"end of document|line 1"):
        cp.Scenario.read(write("plot = ["))


def test_deep_nesting_is_an_error_not_a_crash(write):
    with pytest.raises(ScenarioError, match="nested"):
        cp.Scenario.read(write("a = " + "[" * 100_000))


def test_a_missing_file_gets_a_suggestion(write, good):
    path = write(good)
    with pytest.raises(ScenarioError, match=r'no such file; did you mean "case\.toml"'):
        cp.Scenario.read(path.with_name("cse.toml"))


def test_a_directory_is_no_scenario(tmp_path):
    with pytest.raises(ScenarioError, match="directory"):
        cp.Scenario.read(tmp_path)


def test_latin_1_text_is_refused_with_its_place(tmp_path):
    path = tmp_path / "case.toml"
    path.write_bytes("name = 'für'".encode("latin-1"))
    with pytest.raises(ScenarioError, match="not UTF-8 text \\(byte 9\\)"):
        cp.Scenario.read(path)


def test_a_byte_order_mark_and_windows_lines_are_no_mistake(good, tmp_path):
    path = tmp_path / "case.toml"
    path.write_bytes(b"\xef\xbb\xbf" + good.replace("\n", "\r\n").encode())
    assert cp.Scenario.read(path).until == 2.0


def test_an_unknown_key_gets_a_suggestion_and_its_line(write, good, problems):
    path = write(good.replace("scheme =", "schema ="))
    assert problems(path) == ['schema: unknown key; did you mean "scheme"? (line 2)']


def test_an_unknown_key_of_a_subsystem_gets_a_suggestion(write, good, problems):
    found = problems(write(good.replace("outputs =", "output =", 1)))
    assert 'subsystems.fast.output: unknown key; did you mean "outputs"? (line 12)' in found


def test_an_unknown_type_gets_a_suggestion(write, good, problems):
    path = write(good.replace('type = "linear"', 'type = "linaer"', 1))
    assert problems(path) == ['subsystems.fast.type: "linaer": unknown type; did you mean "linear"? (line 5)']


def test_a_missing_type_lists_the_types(write, good, problems):
    (found,) = problems(write(good.replace('type = "linear"\n', "", 1)))
    assert found.startswith(
        "subsystems.fast.type: missing; must be one of diagram, fmu, linear, multibody, ode, python, remote, second-order, "
        "table"
    )


def test_an_unknown_approximation_gets_a_suggestion(write, good, problems):
    (found,) = problems(write(good.replace('"lagrange"', '"lagrnge"')))
    assert found.startswith('connections[0].approximation.kind: "lagrnge": unknown kind; did you mean "lagrange"?')


def test_an_order_out_of_range_is_refused(write, good, problems):
    (found,) = problems(write(good.replace("order = 3", "order = 5")))
    assert found.startswith("connections[0].approximation.order: 5: must be less than or equal to 4")


def test_an_unknown_scheme_gets_a_suggestion(write, good, problems):
    (found,) = problems(write(good.replace('"slowest-first"', '"slowest first"')))
    assert found == 'scheme: "slowest first": no such scheme; did you mean "slowest-first"? (line 2)'


def test_missing_keys_are_named(write, problems):
    assert problems(write("start = 0.0\n")) == [
        "until: missing; give a value",
        "subsystems: missing; give a value",
    ]


def test_connections_that_are_no_list_are_refused(write, good, problems):
    text = "connections = 0\n" + good.partition("[[connections]]")[0]
    assert any("connections: 0: must be a valid list" in line for line in problems(write(text)))


def test_single_brackets_around_connections_get_a_hint(write, good, problems):
    found = problems(write(good.partition("[[connections]]")[0] + "[connections]\nfrom = 'slow.x'\nto = 'fast.u'\n"))
    assert any("double brackets" in problem for problem in found)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("step = 0.01", 'step = "0.01"', "subsystems.fast.step"),
        ("step = 0.01", "step = true", "subsystems.fast.step"),
        ("x0 = [1.0, 0.0]", "x0 = 1.0", "subsystems.fast.x0"),
        ("x0 = [1.0, 0.0]", 'x0 = [1.0, "0"]', "subsystems.fast.x0[1]"),
        ("B = [[0.0], [40.0]]", "B = [0.0, 40.0]", "subsystems.fast.B[0]"),
        ("B = [[0.0], [40.0]]", "B = [[0.0], [nan]]", "subsystems.fast.B[1][0]"),
        ("B = [[0.0], [40.0]]", "B = [[0.0], [40.0, 1.0]]", "subsystems.fast.B"),
        ('inputs = ["u"]', "inputs = [1]", "subsystems.fast.inputs[0]"),
        ('from = "slow.x"', "from = 3", "connections[0].from"),
        ("until = 2.0", "until = 1979-05-27", "until"),
        ("until = 2.0", f"until = {10**400}", "until"),
    ],
)
def test_a_wrong_type_is_named_with_its_key(write, good, problems, old, new, key):
    found = problems(write(good.replace(old, new, 1)))
    assert any(problem.startswith(f"{key}: ") for problem in found), found


@pytest.mark.parametrize("step", ["0.0", "-0.1", "nan", "inf", "-inf"])
def test_a_step_that_is_no_step_is_refused(write, good, problems, step):
    (found,) = problems(write(good.replace("step = 0.01", f"step = {step}")))
    assert found.startswith(f"subsystems.fast.step: {step}: must be ")


def test_a_step_larger_than_the_run_is_refused(write, good, problems):
    (found,) = problems(write(good.replace("step = 0.01", "step = 20.0")))
    assert found.startswith("subsystems.fast.step: ")
    assert found.endswith("(line 6)")


@pytest.mark.parametrize(("until", "where"), [("0.0", "where"), ("-1.0", "before")])
def test_a_run_that_ends_before_it_begins_is_refused(write, good, problems, until, where):
    found = problems(write(good.replace("until = 2.0", f"until = {until}")))
    assert found[0].startswith(f"until: {until}: the run ends {where} it begins; must be later than start = 0.0 s")


def test_a_start_after_the_end_is_refused(write, good, problems):
    found = problems(write("start = 5\n" + good))
    assert found[0].startswith("until: 2.0: the run ends before it begins; must be later than start = 5.0 s")


@pytest.mark.parametrize("until", ["nan", "inf"])
def test_an_end_that_never_comes_is_refused(write, good, problems, until):
    (found,) = problems(write(good.replace("until = 2.0", f"until = {until}")))
    assert found.startswith(f"until: {until}: must be a finite number")


@pytest.mark.parametrize("name", ["my car", "Räder", "日本", "<script>", "=cmd|x", "[red]"])
def test_names_may_be_any_readable_text(write, good, name):
    text = good.replace("[subsystems.fast]", f'[subsystems."{name}"]').replace("fast.", f"{name}.")
    scenario = cp.Scenario.read(write(text, f"{name.replace('|', '').replace('<', '').replace('>', '')}.toml"))
    assert name in scenario.build().subsystems


@pytest.mark.parametrize("name", ["", " ", "a.b", "a\\nb"])
def test_names_that_cannot_be_told_apart_in_a_message_are_refused(write, good, problems, name):
    found = problems(write(good.replace("[subsystems.fast]", f'[subsystems."{name}"]')))
    assert any("not a usable name" in p for p in found), found


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".hidden", "a\\u0000b", "x" * 300])
def test_a_scenario_name_that_is_no_file_name_is_refused(write, good, problems, name):
    (found,) = problems(write(f'name = "{name}"\n' + good))
    assert found.startswith("name: ")


def test_the_reference_page_names_every_key():
    text = REFERENCE.read_text(encoding="utf-8")
    tables = [
        models.ScenarioTable,
        models.Connection,
        *models.SUBSYSTEMS.values(),
        *models.APPROXIMATIONS.values(),
        models.Bond,
        models.Event,
        *models.LAWS.values(),
    ]
    keys = {key for table in tables for key in keys_of(table)}
    names = {*keys, *models.SUBSYSTEMS, *models.APPROXIMATIONS, *models.LAWS} - {"kind"}
    assert [name for name in sorted(names) if f"`{name}`" not in text and f"`{name} = " not in text] == []


def test_the_connection_of_the_reference_page_is_one():
    example = REFERENCE.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    (connection,) = tomllib.loads(example)["connections"]
    assert models.Connection.model_validate(connection).to == "body.force"
