"""The command line as a user meets it: exit codes, what is printed, what is left on the disk."""

import errno
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.cli import main
from counterpoint.errors import OutputError, SimulationError

EXAMPLES = Path(__file__).parents[1] / "examples"
COMMAND = [sys.executable, "-c", "from counterpoint.cli import main; main()"]

SCENARIO = """\
name = "case"
until = 1.0

[subsystems.model]
type = "python"
object = "models.py:Model"
step = 0.1
"""

MODEL = """\
import time
import counterpoint as cp

class Model(cp.Subsystem):
    outputs = ("y",)
    y = 0.0

    def step(self, t, t_end, u):
        {body}
        self.y = t_end

    def output(self, t, u):
        return self.y
"""


@pytest.fixture
def case(tmp_path, monkeypatch):
    """Write a scenario with one Python model whose step does ``body``; work in its directory."""
    monkeypatch.chdir(tmp_path)

    def write(body="pass", text=SCENARIO):
        (tmp_path / "models.py").write_text(MODEL.format(body=body))
        path = tmp_path / "case.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def counterpoint(capsys):
    """Run the command line in this process; return exit code, standard output, standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err or "--traceback" in arguments
        return end.value.code, printed.out, printed.err

    return run


@pytest.fixture
def start():
    """Start the command line as a process of its own; none is left after the test."""
    started = []

    def start(*arguments, **options):
        pipe = subprocess.PIPE
        command = [*COMMAND, *map(str, arguments)]
        started.append(subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options))
        return started[-1]

    yield start
    for process in started:
        with process:
            process.kill()


def wait_for(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


# Before anything runs


def test_help_is_there_at_once():
    def seconds():
        begin = time.perf_counter()
        subprocess.run([*COMMAND, "--help"], check=True, capture_output=True)
        return time.perf_counter() - begin

    assert min(seconds() for _ in range(5)) < 0.3


def test_the_command_line_loads_nothing_heavy():
    code = "import sys, counterpoint.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert not {"numpy", "pandas", "h5py", "matplotlib", "rich", "pydantic"} & set(loaded)


def test_the_version_is_told(counterpoint):
    code, out, _ = counterpoint("--version")
    assert code == 0
    assert out.startswith("counterpoint 0.")


@pytest.mark.parametrize(
    "arguments", [["rnu"], ["run"], ["run", "x.toml", "--threads", "0"], ["run", "x.toml", "--untl", "3"]]
)
def test_bad_usage_exits_with_2(counterpoint, arguments):
    code, _, err = counterpoint(*arguments)
    assert code == 2
    assert "Usage: counterpoint" in err


def test_a_missing_scenario_exits_with_2(case, counterpoint):
    case()
    code, _, err = counterpoint("run", "cas.toml")
    assert code == 2
    assert 'cas.toml: no such file; did you mean "case.toml"?' in err


def test_all_mistakes_of_a_scenario_are_printed_and_nothing_is_written(case, counterpoint, tmp_path):
    path = case(text=SCENARIO.replace("step = 0.1", "stpe = 0.1").replace("until = 1.0", "until = nan"))
    code, out, err = counterpoint("run", path)
    assert code == 2
    assert out == ""
    assert "case.toml: until: nan: must be a finite number (line 2)" in err
    assert "case.toml: subsystems.model.stpe: unknown key" in err
    assert not (tmp_path / "case-run").exists()


@pytest.mark.parametrize("until", ["nan", "inf", "0", "-1"])
def test_a_bad_end_on_the_command_line_exits_with_2(case, counterpoint, until):
    code, _, err = counterpoint("run", case(), f"--until={until}")
    assert code == 2
    assert "until: " in err


def test_an_unknown_scheme_on_the_command_line_exits_with_2(case, counterpoint):
    code, _, err = counterpoint("run", case(), "--scheme", "paralel")
    assert code == 2
    assert 'did you mean "parallel"?' in err


def test_a_traceback_is_shown_when_asked(case, counterpoint):
    case(body="pass")
    for arguments in (["--traceback", "run", "no.toml"], ["run", "no.toml", "--traceback"]):
        code, _, err = counterpoint(*arguments)
        assert code == 2
        assert "Traceback" in err
        assert "error: no.toml: no such file" in err


def test_results_already_there_are_not_replaced_unless_told(case, counterpoint, tmp_path):
    path = case()
    assert counterpoint("run", path)[0] == 0
    before = (tmp_path / "case-run" / "case.h5").stat().st_mtime_ns
    code, _, err = counterpoint("run", path)
    assert code == 2
    assert "case.h5" in err
    assert "--overwrite" in err
    assert (tmp_path / "case-run" / "case.h5").stat().st_mtime_ns == before
    assert counterpoint("run", path, "--overwrite")[0] == 0


def test_an_unwritable_place_exits_with_2_before_the_run(case, counterpoint, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = counterpoint("run", case(), "--out", tmp_path / "file" / "sub")
    assert code == 2
    assert "cannot write results there" in err
    assert "--out" in err


def test_a_full_disk_exits_with_5(case, counterpoint, monkeypatch):
    def full(**options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    code, _, err = counterpoint("run", case())
    assert code == 5
    assert "No space left on device" in err


def test_files_outside_need_leave(tmp_path, case, counterpoint, monkeypatch):
    path = case(text=SCENARIO.replace("models.py", "../models.py"))
    inner = tmp_path / "inner"
    inner.mkdir()
    path = path.rename(inner / "case.toml")
    code, _, err = counterpoint("run", path)
    assert code == 2
    assert "--allow-outside" in err
    assert counterpoint("run", path, "--allow-outside")[0] == 0


# Runs


def test_a_run_prints_tables_quality_and_paths(tmp_path, monkeypatch, counterpoint):
    monkeypatch.chdir(tmp_path)
    code, out, err = counterpoint("run", EXAMPLES / "two_mass.toml", "--until", "2")
    assert code == 0
    assert err == ""
    for expected in ("slow.x -> fast.u", "fast.x -> slow.u", "Time per subsystem", "µs a step", "real time"):
        assert expected in out
    assert out.splitlines()[-2:] == ["wrote two-mass-run/two-mass.h5", "wrote two-mass-run/two-mass.png"]
    assert (tmp_path / "two-mass-run" / "two-mass.png").read_bytes().startswith(b"\x89PNG")


def test_the_two_mass_example_swings_as_it_should(tmp_path, monkeypatch, counterpoint):
    monkeypatch.chdir(tmp_path)
    assert counterpoint("run", EXAMPLES / "two_mass.toml", "--no-plot", "--quiet")[:2] == (0, "")
    slow = cp.load(tmp_path / "two-mass-run" / "two-mass.h5")["slow.x"]
    exact = 10 * np.cos(0.2 * np.pi * slow.time) - 0.01 * np.cos(2 * np.pi * slow.time)
    # The trapezoidal rule lags by (w h)^2/12 of the phase: 0.02 rad after 100 s, 0.21 m on 10 m.
    assert np.abs(slow.values.ravel() - exact).max() < 0.3


def test_the_heater_example_keeps_the_room_warm(tmp_path, monkeypatch, counterpoint):
    monkeypatch.chdir(tmp_path)
    code, out, _ = counterpoint("run", EXAMPLES / "heater.toml", "--out", "results")
    assert code == 0
    assert "wrote results/heater.png" in out
    room = cp.load(tmp_path / "results" / "heater.h5")["room.temperature"]
    evening = room.values.ravel()[room.time > 40_000]
    assert 19.0 < evening.min() < evening.max() < 21.0


def test_quiet_prints_nothing(case, counterpoint):
    assert counterpoint("run", case(), "--quiet") == (0, "", "")


def test_progress_is_drawn_on_standard_error_when_forced(case, counterpoint):
    code, out, err = counterpoint("run", case(body="time.sleep(0.05)"), "--progress")
    assert code == 0
    assert "real time" in err
    assert "left" in err
    assert "left" not in out


def test_no_picture_when_not_wanted(case, counterpoint, tmp_path):
    assert counterpoint("run", case(), "--no-plot")[0] == 0
    assert not (tmp_path / "case-run" / "case.png").exists()


@pytest.mark.parametrize("name", ["a name with blanks", "Prüfstand", "日本", "[red]x[/red]", "=1+1"])
def test_names_and_folders_may_be_any_text(tmp_path, monkeypatch, counterpoint, name):
    folder = tmp_path / name.replace("/", "_")
    folder.mkdir()
    monkeypatch.chdir(folder)
    file = name.replace("/", "_")
    (folder / "models.py").write_text(MODEL.format(body="pass"))
    text = SCENARIO.replace('"case"', f'"{file}"').replace("subsystems.model", f'subsystems."{name}"')
    (folder / f"{file}.toml").write_text(text, encoding="utf-8")
    code, out, _ = counterpoint("run", folder / f"{file}.toml")
    assert code == 0
    assert name in out
    assert (folder / f"{file}-run" / f"{file}.h5").exists()


def test_a_deleted_working_directory_is_a_clear_error(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    process = subprocess.run(
        ["sh", "-c", script, "sh", gone, *COMMAND, "run", "case.toml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert "Traceback" not in process.stderr


# Runs that do not reach their end


def test_a_failing_model_exits_with_3_and_keeps_the_results(case, counterpoint, tmp_path):
    path = case(body="assert t < 0.55, 'too hot'")
    code, out, err = counterpoint("run", path)
    assert code == 3
    assert "error: " in err
    assert "model" in err
    assert "too hot" in err
    assert "kept case-run/case.h5" in out
    kept = cp.load(tmp_path / "case-run" / "case.h5")
    assert kept.status == "failed"
    assert kept["model.y"].values.ravel()[-1] == pytest.approx(0.6)


def test_a_dead_component_exits_with_its_code(case, counterpoint, monkeypatch):
    class Died(SimulationError):
        exit_code = 4

    def run(self, **options):
        raise Died('component "pump" died (SIGSEGV)', "pump", 1.0)

    monkeypatch.setattr(cp.Scenario, "run", run)
    code, _, err = counterpoint("run", case())
    assert code == 4
    assert 'component "pump" died' in err


@pytest.mark.parametrize(
    "error", [MemoryError(), OutputError("case.h5: no room", "case.h5", during_run=True)]
)
def test_no_room_and_no_memory_exit_with_5(case, counterpoint, monkeypatch, error):
    def run(self, **options):
        raise error

    monkeypatch.setattr(cp.Scenario, "run", run)
    code, _, err = counterpoint("run", case())
    assert code == 5
    assert err.startswith("error: ")


@pytest.mark.parametrize(("which", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_keeps_the_results_and_says_where(case, start, tmp_path, which, expected):
    path = case(body="open('began', 'w').close(); time.sleep(0.05)", text=SCENARIO.replace("1.0", "1000.0"))
    process = start("run", path, cwd=tmp_path)
    wait_for((tmp_path / "began").exists)
    time.sleep(0.5)
    process.send_signal(which)
    out, err = process.communicate(timeout=30)
    assert process.returncode == expected, err
    assert "Traceback" not in err
    assert "kept case-run/case.h5" in out
    kept = cp.load(tmp_path / "case-run" / "case.h5")
    assert kept.status == "interrupted"
    assert len(kept["model.y"].time) > 1


def test_a_second_interrupt_exits_at_once(case, start, tmp_path):
    path = case(body="open('began', 'w').close(); time.sleep(60)")
    process = start("run", path, cwd=tmp_path)
    wait_for((tmp_path / "began").exists)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert cp.load(tmp_path / "case-run" / "case.h5").signals == ["model.y"]


def test_an_interrupt_before_the_run_exits_with_130(case, start, tmp_path):
    path = case()
    models = tmp_path / "models.py"
    models.write_text("open('began', 'w').close()\nimport time\ntime.sleep(60)\n" + models.read_text())
    process = start("run", path, cwd=tmp_path)
    wait_for((tmp_path / "began").exists)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert err.strip() == "interrupted"


# info and study


def test_info_shows_ports_steps_connections_and_who_waits(counterpoint):
    code, out, _ = counterpoint("info", EXAMPLES / "two_mass.toml")
    assert code == 0
    for expected in ("fast", "slow", "linear", "0.01", "slow.x", "fast.u", "fast waits for slow"):
        assert expected in out


def test_info_of_a_parallel_scenario_says_that_nobody_waits(tmp_path, counterpoint):
    text = (EXAMPLES / "two_mass.toml").read_text().replace('"slowest-first"', '"parallel"')
    (tmp_path / "parallel.toml").write_text(text)
    code, out, _ = counterpoint("info", tmp_path / "parallel.toml")
    assert code == 0
    assert "nobody waits" in out


def test_info_of_a_run_file_shows_its_summary(case, counterpoint):
    counterpoint("run", case())
    code, out, _ = counterpoint("info", "case-run/case.h5")
    assert code == 0
    assert "finished at t = 1 s of 1 s" in out
    assert "signals: model.y" in out


def test_info_of_a_damaged_run_file_exits_with_2(tmp_path, counterpoint):
    path = tmp_path / "damaged.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    code, _, err = counterpoint("info", path)
    assert code == 2
    assert "damaged.h5" in err


def test_a_reader_that_goes_away_is_no_error_message(start):
    process = start("info", EXAMPLES / "two_mass.toml", env=os.environ | {"PYTHONUNBUFFERED": "1"})
    process.stdout.close()
    assert process.stderr.read() == ""


def test_study_lists_the_studies(counterpoint):
    code, out, _ = counterpoint("study")
    assert code == 0
    assert "two-mass" in out


def test_an_unknown_study_gets_a_suggestion(counterpoint):
    code, _, err = counterpoint("study", "two-mas")
    assert code == 2
    assert 'did you mean "two-mass"?' in err


def test_a_study_writes_where_it_is_told(counterpoint, monkeypatch, tmp_path):
    asked = []

    class Report:
        written = (tmp_path / "out" / "claims.csv",)

        def summary(self):
            return "3 of 4 published claims hold."

    def run_study(name, out, quick, progress):
        asked.append((name, out, quick))
        progress("runs", 1, 2)
        return Report()

    monkeypatch.setattr("counterpoint.studies.run_study", run_study)
    code, out, _ = counterpoint("study", "two-mass", "--out", tmp_path / "out", "--quick")
    assert code == 0
    assert asked == [("two-mass", tmp_path / "out", True)]
    assert out.splitlines() == ["3 of 4 published claims hold.", f"wrote {tmp_path / 'out' / 'claims.csv'}"]
