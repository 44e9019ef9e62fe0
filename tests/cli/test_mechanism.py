"""Mechanism files on the command line."""

import numpy as np
import pytest

import counterpoint as cp

MODEL = """\
[mechanism]
name = "rig"
dimension = 2
units = "SI"

[points]
A = { at = [0, 0], fixed = true }
B = { at = [1, 0] }
C = { at = [1, 1] }
D = { at = [0, 1], fixed = true }

[bodies]
ab = { points = ["A", "B"], mass = 1.0 }
bc = { points = ["B", "C"], mass = 1.0 }
cd = { points = ["C", "D"], mass = 1.0 }

[links]
brace = { kind = "distance", points = ["B", "C"] }

[measures]
phi = { kind = "angle", bodies = ["ab"] }

[actuators]
motor = { measure = "phi", force = "input:torque" }
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text=MODEL):
        path = tmp_path / "rig.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_run_writes_results_and_pictures(model, counterpoint, tmp_path):
    code, out, err = counterpoint("run", model(), "--until", "0.5", "--step", "1e-3")
    assert (code, err) == (0, "")
    for name in ("rig.h5", "rig.png", "rig-checks.png", "rig.html"):
        assert f"wrote rig-run/{name}" in out
        assert (tmp_path / "rig-run" / name).stat().st_size > 1000
    result = cp.load(tmp_path / "rig-run" / "rig.h5")
    assert len(result["rig.B"].time) == 501


def test_settings_of_the_file_are_used_and_can_be_changed(model, counterpoint, tmp_path):
    path = model(
        MODEL.replace('units = "SI"', 'units = "SI"\nstep = "2 ms"') + '[run]\nuntil = "100 ms"\nplot = ["C"]\n'
    )
    assert counterpoint("run", path, "--quiet")[:2] == (0, "")
    assert np.ptp(cp.load(tmp_path / "rig-run" / "rig.h5")["rig.C"].time) == pytest.approx(0.1)
    assert counterpoint("run", path, "--until", "0.05", "--step", "0.01", "--overwrite", "--quiet")[0] == 0
    assert len(cp.load(tmp_path / "rig-run" / "rig.h5")["rig.C"].time) == 6


def test_a_mechanism_that_shows_less_has_fewer_pictures(model, counterpoint, tmp_path):
    path = model(MODEL.replace('"SI"', '"SI"\nstandard_outputs = []'))
    assert counterpoint("run", path, "--until", "0.1", "--step", "0.01")[0] == 0
    assert sorted(file.name for file in (tmp_path / "rig-run").iterdir()) == ["rig.h5", "rig.png"]


def test_nothing_is_overwritten_unasked(model, counterpoint):
    arguments = ("run", model(), "--until", "0.1", "--step", "0.01", "--quiet")
    assert counterpoint(*arguments)[0] == 0
    code, _, err = counterpoint(*arguments)
    assert code == 2
    assert "already exists; add --overwrite" in err


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--step", "0.01"), "run.until: missing; write [run] with until = 10, or use --until 10"),
        (("--until", "1"), "mechanism.step: missing; write step = 1e-3 (s), or use --step 1e-3"),
        (("--until", "-1", "--step", "0.01"), "until: -1.0: the run ends before it begins"),
        (("--until", "1", "--step", "-0.01"), "step: -0.01: must be greater than 0"),
        (("--until", "1", "--step", "0.01", "--scheme", "slow-first"), 'did you mean "slowest-first"?'),
    ],
)
def test_what_is_missing_or_wrong_is_told_before_anything_runs(model, counterpoint, options, expected, tmp_path):
    code, _, err = counterpoint("run", model(), *options)
    assert code == 2
    assert expected in err
    assert not (tmp_path / "rig-run" / "rig.h5").exists()


@pytest.mark.parametrize(
    ("addition", "expected"),
    [
        ('[run]\nplot = ["E"]\n', "run.plot: no output 'E'"),
        ('[run]\ntraces = ["E"]\n', "run.traces: no point 'E'"),
        ('[run]\nuntil = "10 m"\n', 'run.until: "10 m": the unit does not fit; expected a value in s (line'),
        ("[run]\nuntil = -1\n", "run.until: must be greater than 0 (line"),
        ("[run]\nuntill = 1\n", 'run.untill: unknown key; did you mean "until"?'),
        ("[points.loose]\nat = [5, 5]\n", 'point "loose" moves but has no mass'),
    ],
)
def test_mistakes_of_the_file_are_told_with_its_name(model, counterpoint, addition, expected):
    path = model(MODEL + addition)
    for command in ("run", "info"):
        code, _, err = counterpoint(command, path)
        assert code == 2
        assert f"error: {path}: " in err
        assert expected in err


def test_a_step_is_refused_for_a_scenario(counterpoint, examples):
    code, _, err = counterpoint("run", examples / "two_mass.toml", "--step", "0.1")
    assert code == 2
    assert "in a scenario each subsystem has its own step; name the subsystem: --step engine=1e-4" in err


def test_info_shows_what_a_mechanism_is_made_of(model, counterpoint):
    code, out, _ = counterpoint("info", model(MODEL.replace('"SI"', '"SI"\nnotes = ["hand-made"]')))
    assert code == 0
    text = " ".join(out.split())
    for expected in (
        "rig: mechanism in the plane", "1 degree of freedom", "3 bodies: ab, bc, cd", "4 coordinates, 4 equations",
        "inputs torque", "note: hand-made", "index-3", "linear solver", "redundant: b",
    ):  # fmt: skip
        assert expected in text, text


def test_info_writes_matrices(model, counterpoint, tmp_path):
    code, out, _ = counterpoint("info", model(), "--matrices", "out")
    assert code == 0
    assert "wrote out/mass.mtx" in out
    assert (tmp_path / "out" / "mass.mtx").read_text().startswith("%%MatrixMarket matrix coordinate real symmetric\n")
    code, _, err = counterpoint("info", model(), "--matrices", "out")
    assert code == 2
    assert "already exists" in err
    assert counterpoint("info", model(), "--matrices", "out", "--overwrite")[0] == 0


def test_matrices_are_for_mechanisms(counterpoint, examples):
    code, _, err = counterpoint("info", examples / "two_mass.toml", "--matrices", "out")
    assert code == 2
    assert "--matrices is for mechanism files" in err


def test_a_run_that_fails_keeps_its_results(model, counterpoint, tmp_path):
    (tmp_path / "motor.py").write_text(
        "def torque(t):\n    if t > 0.05:\n        raise ValueError('burnt')\n    return 0.0\n"
    )
    path = model(MODEL.replace('"input:torque"', '{ python = "motor.py:torque" }'))
    code, _, err = counterpoint("run", path, "--until", "1", "--step", "0.001")
    assert code == 3
    assert "burnt" in err
    assert cp.load(tmp_path / "rig-run" / "rig.h5").end == pytest.approx(0.05, abs=2e-3)


def test_tune_measures_the_solvers_and_says_what_auto_takes(model, counterpoint):
    code, out, err = counterpoint("tune", model(), "--step", "1ms", "--seconds", "0.1")
    assert (code, err) == (0, "")
    assert "static-ldlt" in out
    assert "dense-lu" in out
    assert 'solver = "auto" takes' in out


def test_tune_asks_for_a_step(model, counterpoint):
    code, _, err = counterpoint("tune", model())
    assert code == 2
    assert "tune needs a step" in err
