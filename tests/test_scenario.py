"""What a scenario file may say, and what is said to a user whose file is wrong."""

import copy
import math
import textwrap
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterpoint as cp
from counterpoint.errors import ScenarioError, SetupError
from counterpoint.scenario.building import Builder
from counterpoint.scenario.files import Folder
from counterpoint.scenario.problems import Document, Mistakes, line_of, path_of
from counterpoint.scenario.reading import check

GOOD = """\
until = 2.0
scheme = "slowest-first"

[subsystems.fast]
type = "linear"
step = 0.01
A = [[0.0, 1.0], [-40.0, 0.0]]
B = [[0.0], [40.0]]
C = [[1.0, 0.0]]
x0 = [1.0, 0.0]
inputs = ["u"]
outputs = ["x"]

[subsystems.slow]
type = "linear"
step = 0.1
A = [[0.0, 1.0], [-0.8, 0.0]]
B = [[0.0], [0.4]]
C = [[1.0, 0.0]]
x0 = [1.0, 0.0]
inputs = ["u"]
outputs = ["x"]

[[connections]]
from = "slow.x"
to = "fast.u"
approximation = { kind = "lagrange", order = 3 }

[[connections]]
from = "fast.x"
to = "slow.u"
"""

SOURCE = """\
until = 2.0
[subsystems.road]
type = "table"
file = "road.csv"
step = 0.1
"""

PYTHON = """\
until = 2.0
[subsystems.heater]
type = "python"
object = "models.py:Heater"
step = 0.1
"""

HEATER = """\
import counterpoint as cp

class Heater(cp.Subsystem):
    outputs = ("temperature",)

    def __init__(self, power=1.0):
        self.power = 1.0 / power

    def step(self, t, t_end, u):
        pass

    def output(self, t, u):
        return self.power

not_callable = 3
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="case.toml"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


def problems(path, **options):
    with pytest.raises(ScenarioError) as caught:
        cp.Scenario.read(path, **options).build()
    for problem in caught.value.problems:
        assert problem.startswith(f"{path}: ")
    return [problem.removeprefix(f"{path}: ") for problem in caught.value.problems]


def test_a_good_scenario_is_built(write):
    scenario = cp.Scenario.read(write(GOOD, "two mass.toml"))
    assert scenario.name == "two mass"
    assert (scenario.start, scenario.until, scenario.threads) == (0.0, 2.0, 1)
    system = scenario.build()
    assert list(system.subsystems) == ["fast", "slow"]
    assert system.subsystems["slow"].step == 0.1
    assert len(system.connections) == 2


def test_a_good_scenario_runs(write):
    result = cp.Scenario.read(write(GOOD)).run()
    assert result.status == "finished"
    assert result.end == pytest.approx(2.0)


def test_a_change_leaves_the_file_alone(write):
    scenario = cp.Scenario.read(write(GOOD))
    changed = scenario.changed(until=1.0, scheme="parallel", threads=2)
    assert (changed.until, changed.scheme, changed.threads) == (1.0, "parallel", 2)
    assert (scenario.until, scenario.scheme) == (2.0, "slowest-first")


@pytest.mark.parametrize("until", [0.0, -1.0, math.nan, math.inf])
def test_a_change_to_a_bad_end_is_refused(write, until):
    with pytest.raises(SetupError, match="until"):
        cp.Scenario.read(write(GOOD)).changed(until=until)


def test_a_change_to_an_unknown_scheme_is_refused(write):
    with pytest.raises(SetupError, match='did you mean "parallel"'):
        cp.Scenario.read(write(GOOD)).changed(scheme="paralel")


# Syntax and keys


def test_a_syntax_error_names_line_and_column(write):
    path = write("until = 1\nstart = = 2\n")
    with pytest.raises(ScenarioError, match=r"case\.toml: line 2, column 9: not valid TOML"):
        cp.Scenario.read(path)


def test_an_unfinished_file_says_so(write):
    with pytest.raises(ScenarioError, match=r"end of document|line 1"):
        cp.Scenario.read(write("plot = ["))


def test_deep_nesting_is_an_error_not_a_crash(write):
    with pytest.raises(ScenarioError, match="nested"):
        cp.Scenario.read(write("a = " + "[" * 100_000))


def test_a_missing_file_gets_a_suggestion(write):
    path = write(GOOD)
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


def test_a_byte_order_mark_and_windows_lines_are_no_mistake(tmp_path):
    path = tmp_path / "case.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert cp.Scenario.read(path).until == 2.0


def test_an_unknown_key_gets_a_suggestion_and_its_line(write):
    path = write(GOOD.replace("scheme =", "schema ="))
    assert problems(path) == ['schema: unknown key; did you mean "scheme"? (line 2)']


def test_an_unknown_key_of_a_subsystem_gets_a_suggestion(write):
    found = problems(write(GOOD.replace("outputs =", "output =", 1)))
    assert 'subsystems.fast.output: unknown key; did you mean "outputs"? (line 12)' in found


def test_an_unknown_type_gets_a_suggestion(write):
    path = write(GOOD.replace('type = "linear"', 'type = "linaer"', 1))
    assert problems(path) == ['subsystems.fast.type: "linaer": unknown type; did you mean "linear"? (line 5)']


def test_a_missing_type_lists_the_types(write):
    (found,) = problems(write(GOOD.replace('type = "linear"\n', "", 1)))
    assert found.startswith(
        "subsystems.fast.type: missing; must be one of linear, ode, python, second-order, table"
    )


def test_an_unknown_approximation_gets_a_suggestion(write):
    (found,) = problems(write(GOOD.replace('"lagrange"', '"lagrnge"')))
    assert found.startswith(
        'connections[0].approximation.kind: "lagrnge": unknown kind; did you mean "lagrange"?'
    )


def test_an_order_out_of_range_is_refused(write):
    (found,) = problems(write(GOOD.replace("order = 3", "order = 5")))
    assert found.startswith("connections[0].approximation.order: 5: must be less than or equal to 4")


def test_an_unknown_scheme_gets_a_suggestion(write):
    (found,) = problems(write(GOOD.replace('"slowest-first"', '"slowest first"')))
    assert found == 'scheme: "slowest first": no such scheme; did you mean "slowest-first"? (line 2)'


def test_missing_keys_are_named(write):
    assert problems(write("start = 0.0\n")) == [
        "until: missing; it has to be given",
        "subsystems: missing; it has to be given",
    ]


def test_single_brackets_around_connections_get_a_hint(write):
    found = problems(
        write(GOOD.partition("[[connections]]")[0] + "[connections]\nfrom = 'slow.x'\nto = 'fast.u'\n")
    )
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
def test_a_wrong_type_is_named_with_its_key(write, old, new, key):
    found = problems(write(GOOD.replace(old, new, 1)))
    assert any(problem.startswith(f"{key}: ") for problem in found), found


# Time


@pytest.mark.parametrize("step", ["0.0", "-0.1", "nan", "inf", "-inf"])
def test_a_step_that_is_no_step_is_refused(write, step):
    (found,) = problems(write(GOOD.replace("step = 0.01", f"step = {step}")))
    assert found.startswith(f"subsystems.fast.step: {step}: must be ")


def test_a_step_larger_than_the_run_is_refused(write):
    (found,) = problems(write(GOOD.replace("step = 0.01", "step = 20.0")))
    assert found.startswith("subsystems.fast.step: ")
    assert found.endswith("(line 6)")


@pytest.mark.parametrize("until", ["0.0", "-1.0"])
def test_a_run_that_ends_before_it_begins_is_refused(write, until):
    found = problems(write(GOOD.replace("until = 2.0", f"until = {until}")))
    assert found[0].startswith(f"until: {until}: the run ends before it begins")


def test_a_start_after_the_end_is_refused(write):
    found = problems(write("start = 5\n" + GOOD))
    assert found[0].startswith("until: 2.0: the run ends before it begins; must be later than start = 5.0 s")


@pytest.mark.parametrize("until", ["nan", "inf"])
def test_an_end_that_never_comes_is_refused(write, until):
    (found,) = problems(write(GOOD.replace("until = 2.0", f"until = {until}")))
    assert found.startswith(f"until: {until}: must be a finite number")


# Names and shapes: what the system finds, with the place in the file


def test_an_unknown_subsystem_in_a_connection_gets_a_suggestion(write):
    found = problems(write(GOOD.replace('from = "slow.x"', 'from = "slwo.x"')))
    assert any(p.startswith("connections[0].from: ") and 'did you mean "slow"?' in p for p in found), found


def test_an_unknown_port_is_named(write):
    found = problems(write(GOOD.replace('to = "slow.u"', 'to = "slow.v"')))
    assert any(
        p.startswith("connections[1].to: ") and "slow.v" in p and p.endswith("(line 31)") for p in found
    ), found


def test_an_open_input_is_refused(write):
    found = problems(write(GOOD[: GOOD.rindex("[[connections]]")]))
    assert len(found) == 1
    assert "slow" in found[0]
    assert "u" in found[0]


def test_a_constant_closes_an_input(write):
    text = GOOD[: GOOD.rindex("[[connections]]")] + '[set]\n"slow.u" = 0.5\n'
    cp.Scenario.read(write(text)).build()


def test_a_constant_for_an_unknown_input_is_refused(write):
    found = problems(write(GOOD + '[set]\n"slow.brake" = 0.5\n'))
    assert any(p.startswith('set."slow.brake"') for p in found), found


def test_an_input_driven_twice_is_refused(write):
    found = problems(write(GOOD + '[[connections]]\nfrom = "slow.x"\nto = "slow.u"\n'))
    assert any(p.startswith("connections[2].to: ") and "slow.u" in p for p in found), found


def test_matrices_that_do_not_fit_are_refused(write):
    found = problems(write(GOOD.replace("x0 = [1.0, 0.0]", "x0 = [1.0]", 1)))
    assert any(p.startswith("subsystems.fast") and "x0" in p for p in found), found


def test_a_vector_does_not_enter_a_scalar_input(write):
    text = GOOD.replace("C = [[1.0, 0.0]]\n", "C = [[1.0, 0.0], [0.0, 1.0]]\n", 1)
    found = problems(write(text.replace('outputs = ["x"]', "outputs = { x = 2 }", 1)))
    assert any(p.startswith("connections[1]") for p in found), found


def test_an_unknown_signal_to_plot_gets_a_suggestion(write):
    found = problems(write('plot = ["fast.x", "fast.xx"]\n' + GOOD))
    assert found == ['plot[1]: "fast.xx": no such output; did you mean "fast.x"? (line 1)']


def test_unknown_subsystems_in_a_custom_scheme_are_refused(write):
    text = GOOD.replace('"slowest-first"', '{ waits_for = { fast = ["slwo"] } }')
    assert any(p.startswith("scheme") for p in problems(write(text)))


@pytest.mark.parametrize(
    "scheme", ['{ waits_for = { fast = ["slow"] } }', '{ sequential = ["slow", "fast"] }']
)
def test_an_order_of_ones_own_runs(write, scheme):
    scenario = cp.Scenario.read(write(GOOD.replace('"slowest-first"', scheme)))
    assert scenario.run().status == "finished"


def test_mistakes_of_all_kinds_are_reported_in_one_go(write):
    text = (
        GOOD.replace("until", "unitl")
        .replace("step = 0.1", "step = -0.1")
        .replace("order = 3", "order = 9")
        .replace("[subsystems.fast]", SOURCE.partition("\n")[2] + "[subsystems.fast]")
    )
    found = "\n".join(problems(write(text)))
    for expected in (
        "unitl: unknown key",
        "until: missing",
        "slow.step: -0.1",
        "order: 9",
        'file: "road.csv": no such file',
    ):
        assert expected in found
    assert "not connected" not in found


def test_mistakes_come_in_the_order_of_the_file(write):
    text = GOOD.replace("step = 0.1", "step = -0.1").replace("step = 0.01", "step = nan")
    lines = [int(problem.rpartition("(line ")[2].rstrip(")")) for problem in problems(write(text))]
    assert lines == sorted(lines)


def test_a_wrong_part_does_not_bring_up_mistakes_that_follow_from_it(write):
    (found,) = problems(write(GOOD.replace("step = 0.1", "step = -0.1")))
    assert found.startswith("subsystems.slow.step: -0.1")


def test_a_connection_keeps_its_number_when_another_is_wrong(write):
    text = GOOD.replace("order = 3", "order = 9").replace('to = "slow.u"', 'to = "slow.v"')
    found = problems(write(text))
    assert [p.partition(":")[0] for p in found] == ["connections[0].approximation.order", "connections[1].to"]


@pytest.mark.parametrize("name", ["my car", "Räder", "日本", "<script>", "=cmd|x", "[red]"])
def test_names_may_be_any_readable_text(write, name):
    text = GOOD.replace("[subsystems.fast]", f'[subsystems."{name}"]').replace("fast.", f"{name}.")
    scenario = cp.Scenario.read(
        write(text, f"{name.replace('|', '').replace('<', '').replace('>', '')}.toml")
    )
    assert name in scenario.build().subsystems


@pytest.mark.parametrize("name", ["", " ", "a.b", "a\\nb"])
def test_names_that_cannot_be_told_apart_in_a_message_are_refused(write, name):
    found = problems(write(GOOD.replace("[subsystems.fast]", f'[subsystems."{name}"]')))
    assert any("not a usable name" in p for p in found), found


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".hidden", "a\\u0000b", "x" * 300])
def test_a_scenario_name_that_is_no_file_name_is_refused(write, name):
    (found,) = problems(write(f'name = "{name}"\n' + GOOD))
    assert found.startswith("name: ")


# Tables


def test_columns_of_a_table_are_chosen_by_the_outputs(write):
    write("time,left,right\n0,1,2\n1,3,4\n", "road.csv")
    system = cp.Scenario.read(write(SOURCE + 'outputs = ["right"]\n')).build()
    assert dict(system.subsystems["road"].subsystem.outputs) == {"right": 1}


def test_a_table_may_be_written_in_the_scenario(write):
    text = SOURCE.replace(
        'file = "road.csv"', 'times = [0.0, 1.0]\nvalues = [2.0, 3.0]\noutputs = ["height"]'
    )
    system = cp.Scenario.read(write(text)).build()
    assert list(system.subsystems["road"].subsystem.outputs) == ["height"]


def test_a_table_needs_one_origin(write):
    (found,) = problems(write(SOURCE + "times = [0.0]\n"))
    assert found.startswith("subsystems.road: has both a file and times or values")
    (found,) = problems(write(SOURCE.replace('file = "road.csv"\n', "")))
    assert found.startswith("subsystems.road: needs either a file, or times and values")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("time,z\n0,1\n1,x\n", 'row 3: "x": not a number'),
        ("time,z\n0,1\n\n1,\n", 'row 4: "": not a number'),
        ("time,z\n0,1\n2,1\n1,3\n", "row 4: time 1.0 s is not later than 2.0 s of row 3"),
        ("time,z\n0,1\n1,1\n1,3\n", "row 4: time 1.0 s is not later than 1.0 s of row 3"),
        ("time,z\n0,1\nnan,1\n", 'row 3: "nan": must be finite'),
        ("time,z\n0,1\n1,inf\n", 'row 3: "inf": must be finite'),
        ("time,z\n0,0\n0,5,1,2\n", 'row 3: "0,5,1,2": 4 cells where row 1 names 2 columns; a decimal comma?'),
        ("time;z\n0;1\n", 'row 1: "time;z": one column only; set separator = ";"'),
        ("0,1\n1,2\n", 'row 1: "0,1": has to name the columns'),
        ("time,z\n", "has no rows below the names"),
        ("", "is empty"),
    ],
)
def test_a_bad_table_names_row_and_value(write, table, expected):
    write(table, "road.csv")
    (found,) = problems(write(SOURCE))
    assert found.startswith(f"subsystems.road.file: road.csv: {expected}")


def test_a_decimal_comma_in_a_semicolon_file_gets_a_hint(write):
    write("time;z\n0;1\n0,5;1,25\n", "road.csv")
    (found,) = problems(write(SOURCE + 'separator = ";"\n'))
    assert 'row 3: "0,5": not a number; for a decimal comma set decimal = ","' in found


def test_a_spreadsheet_with_decimal_commas_is_read_when_told(write):
    from counterpoint.scenario.tables import read_csv

    path = write("time;z\n0;1\n0,5;1,25\n", "road.csv")
    data = read_csv(path, separator=";", decimal=",")
    assert data.times.tolist() == [0.0, 0.5]
    assert data.values.tolist() == [[1.0], [1.25]]


def test_a_byte_order_mark_in_a_table_is_no_mistake(tmp_path):
    from counterpoint.scenario.tables import read_csv

    path = tmp_path / "road.csv"
    path.write_bytes(b"\xef\xbb\xbftime,z\r\n0,1\r\n1,2\r\n")
    assert read_csv(path).names == ["z"]
    path.write_bytes("time,z\n0,1\n".encode("utf-16"))
    with pytest.raises(SetupError, match="UTF-16"):
        read_csv(path)


def test_several_bad_rows_are_listed_but_not_thousands(write):
    write("time,z\n" + "x,y\n" * 10_000, "road.csv")
    found = problems(write(SOURCE))
    assert len(found) == 6
    assert "row 2" in found[0]
    assert "perhaps more" in found[-1]


def test_a_missing_column_gets_a_suggestion(write):
    write("time,height\n0,1\n", "road.csv")
    (found,) = problems(write(SOURCE + 'outputs = ["heigth"]\n'))
    assert 'no column "heigth"; did you mean "height"?' in found


def test_a_missing_table_gets_a_suggestion(write):
    write("time,z\n0,1\n", "raod.csv")
    (found,) = problems(write(SOURCE))
    assert found.startswith('subsystems.road.file: "road.csv": no such file; did you mean "raod.csv"?')


# Files and Python objects


@pytest.mark.parametrize("name", ["../road.csv", "sub/../../road.csv"])
def test_files_outside_of_the_directory_need_leave(tmp_path, name):
    (tmp_path / "road.csv").write_text("time,z\n0,1\n")
    (tmp_path / "case" / "sub").mkdir(parents=True)
    path = tmp_path / "case" / "case.toml"
    path.write_text(SOURCE.replace("road.csv", name))
    (found,) = problems(path)
    assert "outside of the scenario's directory" in found
    assert "--allow-outside" in found
    assert "road" in cp.Scenario.read(path, allow_outside=True).build().subsystems


def test_an_absolute_path_and_a_link_lead_outside_as_well(tmp_path):
    table = tmp_path / "road.csv"
    table.write_text("time,z\n0,1\n")
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "link.csv").symlink_to(table)
    for name in (str(table), "link.csv"):
        path = folder / "case.toml"
        path.write_text(SOURCE.replace("road.csv", name))
        (found,) = problems(path)
        assert "outside of the scenario's directory" in found


def test_a_python_class_gets_its_arguments(write):
    write(HEATER, "models.py")
    system = cp.Scenario.read(write(PYTHON + "arguments = { power = 4.0 }\n")).build()
    assert list(system.subsystems["heater"].subsystem.outputs) == ["temperature"]


def test_reading_runs_no_code_of_the_scenario(write, tmp_path):
    write(f"open({str(tmp_path / 'ran')!r}, 'w')\nraise RuntimeError\n", "models.py")
    cp.Scenario.read(write(PYTHON))
    with pytest.raises(ScenarioError):
        cp.Scenario.read(write(PYTHON + "stpe = 1\n"))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("source", "reference", "expected"),
    [
        (None, "models.py:Heater", '"models.py": no such file'),
        (HEATER, "models.py:Heatr", 'models.py has no "Heatr"; did you mean "Heater"?'),
        (HEATER, "models.py:not_callable", "is int, not a class or function"),
        (HEATER, "models.py", 'must name a file and an object, as in "models.py:Heater"'),
        ("x = 1 / 0\n", "models.py:Heater", "models.py line 1 raised ZeroDivisionError: division by zero"),
        ("\ndef f(:\n", "models.py:Heater", "models.py line 2 raised SyntaxError"),
        ("import sys\nsys.exit(3)\n", "models.py:Heater", "models.py line 2 raised SystemExit"),
        ("import no_such_module\n", "models.py:Heater", "raised ModuleNotFoundError"),
    ],
)
def test_a_python_object_that_cannot_be_had_is_explained(write, source, reference, expected):
    if source is not None:
        write(source, "models.py")
    (found,) = problems(write(PYTHON.replace("models.py:Heater", reference)))
    assert found.startswith("subsystems.heater.object: ")
    assert expected in found


def test_a_constructor_that_raises_is_quoted_and_kept_as_cause(write):
    write(HEATER, "models.py")
    path = write(PYTHON + "arguments = { power = 0.0 }\n")
    with pytest.raises(ScenarioError) as caught:
        cp.Scenario.read(path).build()
    assert "Heater(power=0.0): models.py line 7 raised ZeroDivisionError: " in str(caught.value)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_an_unknown_argument_of_a_class_is_explained(write):
    write(HEATER, "models.py")
    (found,) = problems(write(PYTHON + "arguments = { pwer = 1.0 }\n"))
    assert "raised TypeError" in found
    assert "pwer" in found


def test_a_model_may_import_its_neighbour(write):
    write("VALUE = 2\n", "neighbour_of_models.py")
    write("from neighbour_of_models import VALUE\n" + HEATER, "models.py")
    cp.Scenario.read(write(PYTHON)).build()


def test_two_builds_share_no_model(write):
    write(HEATER, "models.py")
    scenario = cp.Scenario.read(write(PYTHON))
    first, second = (scenario.build().subsystems["heater"].subsystem for _ in range(2))
    assert first is not second


# Lines


def test_lines_are_found_through_multi_line_values_and_comments():
    text = 'a = 1\n# b = 2\nm = [\n  1,\n  2,\n]\n\n[t]\nx = """\nb = 7\n"""\nb = 3\n[[c]]\nd = 1\n[[c]]\nd = 2\n'
    assert line_of(text, ("a",)) == 1
    assert line_of(text, ("m",)) == 3
    assert line_of(text, ("m", 1)) == 3
    assert line_of(text, ("t",)) == 8
    assert line_of(text, ("t", "x")) == 9
    assert line_of(text, ("t", "b")) == 12
    assert line_of(text, ("c", 1, "d")) == 16
    assert line_of(text, ("c", 1, "missing")) == 15
    assert line_of(text, ("nowhere",)) is None


@pytest.mark.parametrize(
    ("where", "path"),
    [
        ("connections[0].to", ("connections", 0, "to")),
        ("subsystems.my car.step", ("subsystems", "my car", "step")),
        ('subsystems."my car".step', ("subsystems", "my car", "step")),
        ("set.my car.u", ("set", "my car.u")),
        ("subsystems.my car.inputs.u", ("subsystems", "my car", "inputs", "u")),
        ("scheme", ("scheme",)),
    ],
)
def test_a_place_is_found_however_its_names_are_written(where, path):
    values = {
        "connections": [{"to": "my car.u"}],
        "subsystems": {"my": {}, "my car": {"step": 1, "inputs": ["u"]}},
        "set": {"my car.u": 3},
    }
    assert path_of(where, values) == path


def test_more_mistakes_than_one_reads_are_counted(write):
    extra = '[[connections]]\nfrom = "slow.x"\n' * 200
    found = problems(write(GOOD + extra))
    assert len(found) == 41
    assert found[-1] == "... and 160 more"


# Anything at all


VALUES = st.recursive(
    st.one_of(
        st.integers(),
        st.floats(),
        st.booleans(),
        st.text(max_size=5),
        st.dates(),
        st.sampled_from(
            ["linear", "table", "python", "ode", "lagrange", "fast.x", "slow.u", "slow", "x.csv"]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["type", "kind", "object", "file", "step", "waits_for", "a"]), inner),
    ),
    max_leaves=5,
)


def places(values, path=()):
    yield path
    inside = (
        values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    )
    for key, value in inside:
        yield from places(value, (*path, key))


@given(st.data())
def test_whatever_stands_in_a_scenario_it_is_right_or_explained(data):
    values = tomllib.loads(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        *parents, key = data.draw(st.sampled_from([path for path in places(values) if path]))
        table = values
        for parent in parents:
            table = table[parent]
        table[key] = copy.deepcopy(data.draw(VALUES))
    mistakes = Mistakes(Document("case.toml", "", values))
    table, indices = check(mistakes.document, mistakes)
    if table is not None:
        Builder(table, indices, Folder(Path(__file__).parent), mistakes, run_code=False).system("case")
    assert table is not None or mistakes
    if mistakes:
        with pytest.raises(ScenarioError, match=r"^case\.toml: "):
            mistakes.raise_if_any()


@given(st.binary(max_size=200))
def test_whatever_bytes_a_file_holds_the_error_is_ours(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "bytes.toml"
    path.write_bytes(content)
    with pytest.raises(ScenarioError):
        cp.Scenario.read(path)
