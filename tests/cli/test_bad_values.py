"""Values that no run can use: one line that names key, value and what is allowed, and exit code 2."""

import os
import signal
import subprocess
import sys

import pytest

TWO = """\
name = "case"
until = 1.0
{run}

[subsystems.fast]
type = "linear"
A = [[-1.0]]
B = [[1.0]]
x0 = [1.0]
inputs = "u"
outputs = "x"
step = 0.1

[subsystems.slow]
type = "linear"
A = [[-1.0]]
B = [[1.0]]
x0 = [1.0]
inputs = "u"
outputs = "x"
step = 0.2

[[connections]]
from = "fast.x"
to = "slow.u"
{approximation}

[[connections]]
from = "slow.x"
to = "fast.u"
"""


@pytest.mark.parametrize(
    ("run", "approximation", "words"),
    [
        ("", '{ kind = "lagrange", order = 7 }', ["connections[0].approximation.order: 7", "4"]),
        ("", '{ kind = "taylor", order = 5 }', ["connections[0].approximation.order: 5", "4"]),
        ("", '{ kind = "transition", order = 6 }', ["connections[0].approximation.order: 6", "4"]),
        ("", '{ kind = "least-squares", order = 5, points = 9 }', ["connections[0].approximation.order: 5", "4"]),
        (
            "",
            '{ kind = "least-squares", order = 2, points = 2 }',
            ["connections[0].approximation", "2 points; order 2 needs 3 to 64"],
        ),
        ("", '{ kind = "least-squares", order = 1, points = 99 }', ["connections[0].approximation.points: 99", "64"]),
        ("threads = 99999999999", "", ["threads: 99999999999", "1024"]),
        ("window = { length = 0.2, repeats = 99999999999 }", "", ["window.repeats: 99999999999", "1000000"]),
    ],
)
def test_a_value_that_is_not_offered_exits_with_2(tmp_path, monkeypatch, counterpoint, run, approximation, words):
    monkeypatch.chdir(tmp_path)
    line = approximation and f"approximation = {approximation}"
    (tmp_path / "case.toml").write_text(TWO.format(run=run, approximation=line))
    code, _, err = counterpoint("run", "case.toml", "--no-plot")
    assert code == 2, err
    assert [word for word in words if word not in err] == []


@pytest.mark.parametrize("command", ["run", "info"])
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("until = 1.0", "until = 1e300", ["subsystems.fast.step", "1e+301 steps", "at most 1e+15"]),
        ("step = 0.1", "step = 1e-320", ["subsystems.fast.step", "1e-320 s", "more than 1e308 steps"]),
        ("until = 1.0", "start = 1.7e9\nuntil = 1700000001.0\nthreads = 1", []),
        ("step = 0.1", "step = 1e-16", ["subsystems.fast.step", "1e+16 steps"]),
    ],
)
def test_steps_that_never_end_exit_with_2(tmp_path, monkeypatch, counterpoint, command, old, new, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.toml").write_text(TWO.format(run="", approximation="").replace(old, new))
    code, _, err = counterpoint(command, "case.toml", *(["--no-plot"] if command == "run" else []))
    assert code == (2 if words else 0), err
    assert [word for word in words if word not in err] == []


def test_an_end_on_the_command_line_that_never_comes_exits_with_2(counterpoint, examples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = counterpoint("run", examples / "two_mass.toml", "--until", "1e300", "--no-plot")
    assert code == 2
    assert "steps from 0.0 s until 1e+300 s; at most 1e+15 are possible" in err


def test_threads_on_the_command_line_have_a_limit(counterpoint, examples):
    code, _, err = counterpoint("run", examples / "two_mass.toml", "--threads", "99999999999")
    assert code == 2
    assert "1<=x<=1024" in err


@pytest.mark.parametrize("key", ["name", "make", "named_inputs", "block_type"])
def test_a_key_of_a_block_that_is_no_parameter_exits_with_2(tmp_path, monkeypatch, counterpoint, key):
    monkeypatch.chdir(tmp_path)
    text = f"""\
[diagram]
step = 0.1
[run]
until = 1.0
[blocks.level]
kind = "constant"
value = 1.0
{key} = "other"
[outputs]
y = "level"
"""
    (tmp_path / "plain.toml").write_text(text)
    code, _, err = counterpoint("run", "plain.toml", "--no-plot")
    assert code == 2, err
    assert f'"{key}": no such parameter of constant' in err
    assert ('the block is named by its table, "level"' in err) == (key == "name")


@pytest.mark.parametrize("arguments", [["run", "case.toml", "--no-plot"], ["info", "case.toml"]])
def test_an_ascii_terminal_shows_what_it_can(case, command, tmp_path, arguments):
    case()
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run([*command, *arguments], check=False, cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert b"UnicodeEncodeError" not in done.stderr
    assert done.stdout.isascii()
    if arguments[0] == "run":
        assert b"?s per step" in done.stdout


@pytest.mark.parametrize("how", [["-m", "counterpoint"], ["-c", "from counterpoint._cli import start; start()"]])
def test_an_interrupt_while_the_command_line_is_loading_exits_with_130(tmp_path, wait_for, how, spawn):
    slow = "import pathlib, time\npathlib.Path('began').touch()\ntime.sleep(60)\n"
    (tmp_path / "click.py").write_text(slow)  # what is imported first, made slow
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = spawn(
        [sys.executable, *how, "--help"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for((tmp_path / "began").exists)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert err == "interrupted\n"
