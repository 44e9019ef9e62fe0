"""The commands info and study."""

import os


def test_info_shows_ports_steps_connections_and_who_waits(counterpoint, examples):
    code, out, _ = counterpoint("info", examples / "two_mass.toml")
    assert code == 0
    for expected in ("fast", "slow", "linear", "0.01", "slow.x", "fast.u", "fast waits for slow"):
        assert expected in out


def test_info_of_a_parallel_scenario_says_that_no_subsystem_waits(tmp_path, counterpoint, examples):
    text = (examples / "two_mass.toml").read_text().replace('"slowest-first"', '"parallel"')
    (tmp_path / "parallel.toml").write_text(text)
    code, out, _ = counterpoint("info", tmp_path / "parallel.toml")
    assert code == 0
    assert "no subsystem waits" in out


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


def test_a_reader_that_goes_away_is_no_error_message(start, examples):
    process = start("info", examples / "two_mass.toml", env=os.environ | {"PYTHONUNBUFFERED": "1"})
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


def test_info_of_an_fmu_shows_what_it_is_and_can(counterpoint, tmp_path):
    import runpy
    from pathlib import Path

    builder = runpy.run_path(str(Path(__file__).parents[1] / "fmi" / "building.py"))
    path = builder["build"]("oscillator", 2, tmp_path)
    code, out, _ = counterpoint("info", path)
    assert code == 0
    for expected in ("Oscillator, FMI 2.0", "linux64", "saves and restores its state", "N.s/m", "x_other", "step in s"):
        assert expected in out


def test_info_of_something_that_is_called_an_fmu_exits_with_2(counterpoint, tmp_path):
    (tmp_path / "x.fmu").write_bytes(b"hello")
    code, _, err = counterpoint("info", tmp_path / "x.fmu")
    assert code == 2
    assert "not a valid ZIP archive" in err


def test_info_of_a_scenario_tells_its_windows(tmp_path, counterpoint, examples):
    text = (examples / "two_mass.toml").read_text()
    (tmp_path / "windows.toml").write_text("window = { length = 1.0, repeats = 3, tolerance = 1e-6 }\n" + text)
    code, out, _ = counterpoint("info", tmp_path / "windows.toml")
    assert code == 0
    assert "In windows of 1 s, repeated 3 times, or until it changes less than 1e-06" in out
