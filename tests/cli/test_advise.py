import tomllib


def test_advice_prints_its_reasons_and_writes_a_report(tmp_path, monkeypatch, counterpoint, examples):
    monkeypatch.chdir(tmp_path)
    code, out, _ = counterpoint("advise", examples / "two_mass.toml", "--tolerance", "0.02")
    assert code == 0
    assert out.startswith("use ")
    assert "strategies were tried" in out
    for ending in ("html", "toml", "png"):
        assert (tmp_path / "two-mass-advice" / f"advice.{ending}").exists()


def test_an_operating_point_is_a_time_within_the_run(tmp_path, monkeypatch, counterpoint, examples):
    monkeypatch.chdir(tmp_path)
    code, _, err = counterpoint("advise", examples / "two_mass.toml", "--operating-point", "1e6")
    assert code == 2
    assert "operating point 1e+06 s; expected times from 0 to before the end" in " ".join(err.split())


def test_the_scenario_with_the_recommended_settings_runs_as_it_is(tmp_path, monkeypatch, counterpoint, examples):
    monkeypatch.chdir(tmp_path)
    code, out, _ = counterpoint("advise", examples / "two_mass.toml", "--tolerance", "0.02", "--write", "advised.toml")
    assert code == 0
    assert "wrote advised.toml" in out
    code, out, err = counterpoint("run", "advised.toml")
    assert code == 0, err
    code, _, err = counterpoint("advise", examples / "two_mass.toml", "--write", "advised.toml")
    assert code == 2
    assert "already exists" in err


def test_a_scenario_that_names_files_is_written_beside_them(tmp_path, monkeypatch, counterpoint, examples):
    monkeypatch.chdir(tmp_path)
    code, _, err = counterpoint("advise", examples / "heater.toml", "--write", "advised.toml")
    assert code == 2
    assert "the scenario names files; write it beside them" in " ".join(err.split())


def test_bonds_events_and_constants_stay_in_the_scenario_with_the_recommended_settings(
    tmp_path, monkeypatch, counterpoint, examples
):
    monkeypatch.chdir(tmp_path)
    given = ("advise", examples / "drive_shaft.toml", "--tolerance", "0.01", "--write", "advised.toml")
    code, _, err = counterpoint(*given)
    assert code == 0, err
    written = tomllib.loads((tmp_path / "advised.toml").read_text(encoding="utf-8"))
    original = tomllib.loads((examples / "drive_shaft.toml").read_text(encoding="utf-8"))
    assert written["events"] == original["events"]
    assert written["set"] == original["set"]
    assert written["bonds"][0]["law"] == original["bonds"][0]["law"]
    code, _, err = counterpoint("run", "advised.toml")
    assert code == 0, err
