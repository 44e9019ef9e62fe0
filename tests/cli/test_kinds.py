"""A file of the wrong kind: every command says what it is, what it expected, and what takes it."""

import shutil

import pytest

from counterpoint._cases.registry import LAUNCH_PLAN, RUN_FILE, SWEEP_PLAN

DIAGRAM = """\
[diagram]
name = "rise"
step = 0.1

[blocks]
one = { kind = "constant", value = 1.0 }
rise = { kind = "integrator", inputs = ["one"] }

[outputs]
y = "rise"

[run]
until = 1.0
"""

FILES = {
    "two_mass.toml": "a scenario",
    "two_mass_sweep.toml": SWEEP_PLAN,
    "two_mass_launch.toml": LAUNCH_PLAN,
    "four-bar.toml": "a mechanism",
    "rise.toml": "a diagram",
    "Oscillator2.fmu": "an FMU",
    "pair.ssp": "a system structure",
    "run.h5": RUN_FILE,
    "data.csv": "a table",
    "model.py": "a Python file",
    "picture.png": "a picture",
    "folder": "a folder",
}
CASES = {"a scenario", "a mechanism", "a diagram", "an FMU", "a system structure", RUN_FILE}
"""What can be run; a run file stands for what it ran."""
READ = {"an FMU", "a system structure", RUN_FILE}
"""Of these, what has to be read before a command knows whether it has what it needs."""

COMMANDS = {
    ("run",): CASES,
    ("info",): CASES,
    ("stability",): CASES,
    ("export",): CASES,
    ("serve",): CASES,
    ("plan",): CASES,
    ("federate", "--part", "fast", "--broker", "tcp://127.0.0.1:1"): CASES,
    ("advise",): {"a scenario", *READ},
    ("tune",): {"a mechanism", *READ},
    ("doctor",): {"an FMU", "a folder"},
    ("sweep",): {SWEEP_PLAN},
    ("launch",): {LAUNCH_PLAN},
    ("plot",): {RUN_FILE},
    ("watch", "--once"): {RUN_FILE},
    ("animate",): {RUN_FILE},
    ("compare", "run.h5"): {RUN_FILE},
}
WRONG = [(command, name) for command, taken in COMMANDS.items() for name, kind in FILES.items() if kind not in taken]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, examples):
    """One file of each kind. What is not read is not made: an FMU and a system structure are known by their names."""
    made = tmp_path_factory.mktemp("kinds")
    for name in ("two_mass.toml", "two_mass_sweep.toml", "four-bar.toml", "federation/two_mass_launch.toml"):
        shutil.copy(examples / name, made)
    shutil.copy(examples / "heater_weather.csv", made / "data.csv")
    (made / "rise.toml").write_text(DIAGRAM)
    (made / "model.py").write_text("import math\n")
    (made / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (made / "run.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    for name in ("Oscillator2.fmu", "pair.ssp"):
        (made / name).write_bytes(b"PK\x03\x04")
    (made / "folder").mkdir()
    return made


@pytest.mark.parametrize(("command", "name"), WRONG)
def test_a_file_of_the_wrong_kind_is_called_what_it_is(command, name, folder, counterpoint, monkeypatch):
    monkeypatch.chdir(folder)
    code, out, err = counterpoint(*command, name)
    assert code == 2
    assert err.startswith(f"error: {name}: is {FILES[name]}"), err
    assert len(err.splitlines()) == 1
    assert "expected" in err or command[0] == "advise"
    assert out == ""


def test_toml_is_read_whatever_its_name(folder, counterpoint, monkeypatch, tmp_path):
    shutil.copy(folder / "two_mass.toml", tmp_path / "two_mass.txt")
    monkeypatch.chdir(tmp_path)
    code, out, _ = counterpoint("info", "two_mass.txt")
    assert code == 0
    assert "fast.x" in out


def test_plans_are_told_where_they_go(folder, counterpoint, monkeypatch):
    monkeypatch.chdir(folder)
    for name, command in (("two_mass_sweep.toml", "sweep"), ("two_mass_launch.toml", "launch")):
        assert f"; use counterpoint {command}" in counterpoint("run", name)[2]
