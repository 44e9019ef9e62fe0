"""Runs that reach their end."""

import subprocess

import numpy as np
import pytest

import counterpoint as cp


def test_a_run_prints_tables_quality_and_paths(tmp_path, monkeypatch, counterpoint, examples):
    monkeypatch.chdir(tmp_path)
    code, out, err = counterpoint("run", examples / "two_mass.toml", "--until", "2")
    assert code == 0
    assert err == ""
    for expected in ("slow.x -> fast.u", "fast.x -> slow.u", "Time per subsystem", "µs per step", "real time"):
        assert expected in out
    assert out.splitlines()[-2:] == ["wrote two-mass-run/two-mass.h5", "wrote two-mass-run/two-mass.png"]
    assert (tmp_path / "two-mass-run" / "two-mass.png").read_bytes().startswith(b"\x89PNG")


def test_the_two_mass_example_swings_as_it_should(tmp_path, monkeypatch, counterpoint, examples):
    monkeypatch.chdir(tmp_path)
    assert counterpoint("run", examples / "two_mass.toml", "--no-plot", "--quiet")[:2] == (0, "")
    slow = cp.load(tmp_path / "two-mass-run" / "two-mass.h5")["slow.x"]
    exact = 10 * np.cos(0.2 * np.pi * slow.time) - 0.01 * np.cos(2 * np.pi * slow.time)
    # The trapezoidal rule lags by (w h)^2/12 of the phase: 0.02 rad after 100 s, 0.21 m on 10 m.
    assert np.abs(slow.values.ravel() - exact).max() < 0.3


def test_the_heater_example_keeps_the_room_warm(tmp_path, monkeypatch, counterpoint, examples):
    monkeypatch.chdir(tmp_path)
    code, out, _ = counterpoint("run", examples / "heater.toml", "--out", "results")
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


def test_a_picture_that_cannot_be_drawn_leaves_a_finished_run_finished(case, counterpoint, tmp_path):
    (tmp_path / "case-run" / "case.png").mkdir(parents=True)
    code, out, err = counterpoint("run", case(), "--overwrite")
    assert code == 0
    assert "wrote case-run/case.h5" in out
    assert "warning: plots are incomplete: " in err
    assert "the results are in case-run/case.h5" in err
    assert cp.load(tmp_path / "case-run" / "case.h5").status == "finished"


@pytest.mark.parametrize("name", ["a name with blanks", "Prüfstand", "日本", "[red]x[/red]", "=1+1"])
def test_names_and_folders_may_be_any_text(tmp_path, monkeypatch, counterpoint, name, scenario_text, model_text):
    folder = tmp_path / name.replace("/", "_")
    folder.mkdir()
    monkeypatch.chdir(folder)
    file = name.replace("/", "_")
    (folder / "models.py").write_text(model_text.format(body="pass"))
    text = scenario_text.replace('"case"', f'"{file}"').replace("subsystems.model", f'subsystems."{name}"')
    (folder / f"{file}.toml").write_text(text, encoding="utf-8")
    code, out, _ = counterpoint("run", folder / f"{file}.toml")
    assert code == 0
    assert name in out
    assert (folder / f"{file}-run" / f"{file}.h5").exists()


def test_a_deleted_working_directory_is_a_clear_error(tmp_path, command):
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    process = subprocess.run(
        ["sh", "-c", script, "sh", gone, *command, "run", "case.toml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert "Traceback" not in process.stderr


def test_verbose_twice_logs_what_happens(case, counterpoint):
    code, _, err = counterpoint("run", case(), "--no-plot", "--no-progress", "-vv")
    assert code == 0
    assert " INFO case at t = 0 s: begins with 1 subsystem" in err
    assert " DEBUG case.model: 10 steps in " in err
    code, _, err = counterpoint("run", case(), "--no-plot", "--no-progress", "--overwrite")
    assert "DEBUG" not in err
