"""Files that a scenario names, and Python objects in them."""

import pytest

import counterpoint as cp
from counterpoint.errors import ScenarioError

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


def test_a_missing_table_gets_a_suggestion(write, problems):
    write("time,z\n0,1\n", "raod.csv")
    (found,) = problems(write(SOURCE))
    assert found.startswith('subsystems.road.file: "road.csv": no such file; did you mean "raod.csv"?')


@pytest.mark.parametrize("name", ["../road.csv", "sub/../../road.csv"])
def test_files_outside_of_the_directory_need_leave(problems, tmp_path, name):
    (tmp_path / "road.csv").write_text("time,z\n0,1\n")
    (tmp_path / "case" / "sub").mkdir(parents=True)
    path = tmp_path / "case" / "case.toml"
    path.write_text(SOURCE.replace("road.csv", name))
    (found,) = problems(path)
    assert "outside of the scenario's directory" in found
    assert "--allow-outside" in found
    assert "road" in cp.Scenario.read(path, allow_outside=True).build().subsystems


def test_an_absolute_path_and_a_link_lead_outside_as_well(problems, tmp_path):
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
def test_a_python_object_that_cannot_be_had_is_explained(write, problems, source, reference, expected):
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


def test_an_unknown_argument_of_a_class_is_explained(write, problems):
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
