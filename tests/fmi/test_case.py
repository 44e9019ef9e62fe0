"""An FMU file is a case of its own on the command line."""

import re
import warnings
import zipfile

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._cases.case import CaseSettings
from counterpoint._cases.registry import read_case
from counterpoint._cli.main import main
from counterpoint.fmi.case import StepWarning


@pytest.fixture
def command(capsys, tmp_path, monkeypatch):
    """Run a command in a directory of its own; return the exit code and what was printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        return ended.value.code, *capsys.readouterr()

    return run


def test_an_fmu_runs_alone(built, version):
    case = read_case(built("oscillator", version), settings=CaseSettings(until=1.0, step=0.01))
    result = case.run()
    assert (case.is_coupled, result.status, result.end) == (False, "finished", 1.0)
    assert list(case.build().subsystems) == [case.name]


def test_an_fmu_runs_with_its_default_experiment_and_leaves_a_run_file_and_a_picture(command, built, version, tmp_path):
    code, out, _ = command("run", built("oscillator", version))
    assert code == 0
    assert "finished at t = 1 s" in out
    result = cp.load(tmp_path / "Oscillator-run" / "Oscillator.h5")
    assert (result.end, result["Oscillator.x"].time[1]) == (1.0, 0.01)
    assert (tmp_path / "Oscillator-run" / "Oscillator.png").stat().st_size > 1000


def test_values_step_end_and_outputs_are_given(command, built, version, tmp_path):
    options = ("--until", "0.5", "--step", "0.02", "--set", "k=50", "--set", "x=2", "--output", "x,der(v)", "--no-plot")
    assert command("run", built("oscillator", version), *options)[0] == 0
    result = cp.load(tmp_path / "Oscillator-run" / "Oscillator.h5")
    assert [str(name) for name in result.signals] == ["Oscillator.x", "Oscillator.der(v)"]
    assert (result.end, result["Oscillator.x"].time[1], result["Oscillator.x"].values[0]) == (0.5, 0.02, 2.0)
    assert result["Oscillator.der(v)"].values[0] == pytest.approx(-50 * 2.0, rel=1e-12)  # m = 1


def test_inputs_come_from_a_table(command, built, version, tmp_path):
    """A force that rises along the table's line gives the run of a system with the same ramp."""
    (tmp_path / "table.csv").write_text("time,force\n0,0\n1,10\n")
    assert command("run", built("oscillator", version), "--input", "table.csv", "--no-plot")[0] == 0
    system = cp.System("by hand")
    system.add("Oscillator", cp.fmu(built("oscillator", version)))
    system.add("ramp", cp.table([0, 1], [0, 10], outputs="force"))
    system.connect("ramp.force", "Oscillator.force", cp.lagrange(1), convert=False)
    expected = system.run(until=1.0)["Oscillator.x"].values
    result = cp.load(tmp_path / "Oscillator-run" / "Oscillator.h5")
    assert np.array_equal(result["Oscillator.x"].values, expected)


def test_options_of_an_fmu_are_given_like_its_values(command, built, version, fault, tmp_path):
    """A step that is discarded ends the run; the message names the option that repeats it, which is then typed."""
    given = ("--set", f"fault={fault('discards-long-steps')}", "--set", "fault_time=0.45", "--step", "0.1", "--no-plot")
    code, _, told = command("run", built("misbehaving", version), *given, "--until", "1")
    assert (code, "--set redo_discarded=true" in " ".join(told.split())) == (3, True)
    options = (*given, "--set", "redo_discarded=true", "--overwrite", "--until", "1")
    assert command("run", built("misbehaving", version), *options)[0] == 0


def test_the_solver_of_model_exchange_is_given_like_a_value(built):
    given = {"kind": "model-exchange", "solver": "ode45", "rtol": 1e-9, "max_step": 1}
    case = read_case(built("van-der-pol", 2), settings=CaseSettings(until=1.0, set=given))
    assert case.model.kind == "model-exchange"
    assert case.model.options.solver_options == {"rtol": 1e-9, "max_step": 1.0}


def test_discrete_inputs_of_a_table_are_held(built, tmp_path):
    (tmp_path / "table.csv").write_text("time,int32_in\n0,1\n0.5,4\n1,4\n")
    case = read_case(built("pass-through", 3), settings=CaseSettings(until=1.0, step=0.1, input=tmp_path / "table.csv"))
    assert set(case.run()[f"{case.name}.int32_out"].values) <= {0.0, 1.0, 4.0}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--set", "kk=5"), 'set: "kk": no such variable; did you mean "k'),
        (("--set", "k"), "--set k: expected NAME=VALUE"),
        (("--set", "redo_discarded=5"), "set: redo_discarded: 5.0; expected true or false"),
        (("--set", "inputs=middle"), 'set: "inputs": no such variable'),
        (("--step", "fast"), "--step fast: expected a time such as 1e-3 or 1ms, or NAME=TIME"),
        (("--step", "engine=0.1"), "--step engine: "),
        (("--output", "xx"), "xx"),
        (("--input", "wrong.csv"), 'wrong.csv: no input "forc"; did you mean "force"?'),
    ],
)
def test_a_name_that_is_not_there_is_told(command, built, tmp_path, options, expected):
    (tmp_path / "wrong.csv").write_text("time,forc\n0,0\n1,10\n")
    code, _, errors = command("run", built("oscillator", 2), *options)
    assert code == 2
    assert expected in errors
    assert not (tmp_path / "Oscillator-run" / "Oscillator.h5").exists()


def test_an_fmu_without_step_or_end(command, built, changed):
    def bare(data):
        start = data.index(b"<DefaultExperiment")
        return data[:start] + data[data.index(b"/>", start) + 2 :]

    path = changed(built("oscillator", 2), {"modelDescription.xml": bare})
    with warnings.catch_warnings():
        warnings.simplefilter("always", StepWarning)  # the command line prints it
        code, _, errors = command("run", path, "--no-plot")
    assert code == 0
    assert "the FMU suggests no stop time; the run ends at 1 s; --until sets another" in errors
    assert "the FMU suggests no step; 0.001 s is used; --step sets another" in errors
    with pytest.warns(StepWarning, match="no stop time; the run ends at 50 s"):  # a hundred steps
        read_case(path, settings=CaseSettings(step=0.5)).build()
    with pytest.warns(StepWarning, match="suggests no step; 0.01 s is used; --step sets another"):
        assert read_case(path, settings=CaseSettings(until=10.0)).build().subsystems["Oscillator"].step == 0.01


def test_a_suggested_end_that_is_not_after_the_start_is_none(built, changed):
    def without_length(data):
        return re.sub(rb'stopTime="[^"]*"', b'stopTime="0"', data)

    path = changed(built("oscillator", 2), {"modelDescription.xml": without_length})
    assert read_case(path, settings=CaseSettings()).until == 1.0


def test_a_suggested_step_of_which_a_run_has_millions_is_told_before_the_run(built):
    path = built("oscillator", 2)
    with pytest.warns(StepWarning, match=r"suggests a step of 0.01 s, 1e\+08 of which are in this run of 1e\+06 s"):
        read_case(path, settings=CaseSettings(until=1e6)).build()
    read_case(path, settings=CaseSettings(until=1e6, step=0.01)).build()


def test_another_kind_of_file_is_named(command, tmp_path, built):
    (tmp_path / "plant.ssp").write_bytes(b"PK\x03\x04")
    (tmp_path / "diagram.toml").write_text("[diagram]\n")
    (tmp_path / "scenario.toml").write_text("until = 1.0\n[subsystems]\n")
    (tmp_path / "mechanism.toml").write_text("[mechanism]\n")
    (tmp_path / "picture.toml").write_bytes(b"\x89PNG\r\n")
    (tmp_path / "run.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        archive.writestr("a", "b")
    cases = [
        (cp.fmu, "plant.ssp", "is a system structure; expected an FMU"),
        (cp.fmu, "scenario.toml", "is a scenario; expected an FMU"),
        (cp.Scenario.read, "diagram.toml", "is a diagram; expected a scenario"),
        (cp.Scenario.read, "mechanism.toml", "is a mechanism; expected a scenario"),
        (cp.Scenario.read, "run.h5", "is a run file, the result of a run; expected a scenario"),
        (cp.Scenario.read, "picture.toml", "is a picture; expected a scenario"),
        (cp.Scenario.read, built("oscillator", 2), "is an FMU; expected a scenario"),
        (cp.multibody.load, "diagram.toml", "is a diagram; expected a mechanism"),
        (cp.diagram.load, "mechanism.toml", "is a mechanism; expected a diagram"),
        (cp.ssp.read, "scenario.toml", "is a scenario; expected a system structure"),
    ]
    for read, name, expected in cases:
        with pytest.raises(cp.SetupError, match=expected):
            read(tmp_path / name)
    code, _, errors = command("doctor", "plant.ssp")
    assert (code, "plant.ssp: is a system structure; expected an FMU" in errors) == (2, True)
    code, _, errors = command("run", "model.zip")
    assert (code, "is a ZIP archive; an FMU ends with .fmu" in errors) == (2, True)


@pytest.mark.parametrize("name", ["Modelica.Blocks.Math.Gain", "bus/nodes", " padded "])
def test_a_model_name_that_is_no_word_becomes_one(command, built, changed, tmp_path, version, name):
    attribute = f'modelName="{name}"'.encode()
    path = changed(
        built("oscillator", version),
        {"modelDescription.xml": lambda data: re.sub(rb'modelName="[^"]*"', attribute, data)},
    )
    assert command("run", path, "--until", 0.1, "--out", tmp_path / "out", "--check", "off")[0] == 0
    word = re.sub(r"[./]", "_", name.strip())
    assert cp.load(tmp_path / "out" / f"{word}.h5")[f"{word}.x"].values[0] == 1.0
    assert (tmp_path / "out" / f"{word}.png").is_file()
