"""The command line under test, in this process or in one of its own, and a scenario to run."""

import subprocess
import sys
from pathlib import Path

import pytest

from counterpoint._cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = [sys.executable, "-c", "from counterpoint._cli import start; start()"]

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


@pytest.fixture(scope="session")
def scenario_text():
    """A scenario with one Python model."""
    return SCENARIO


@pytest.fixture(scope="session")
def model_text():
    """The Python model, with a place for what its step does."""
    return MODEL


@pytest.fixture(scope="session")
def examples():
    """The directory of the examples."""
    return EXAMPLES


@pytest.fixture(scope="session")
def command():
    """The command line as the arguments of a process."""
    return COMMAND


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
def start(spawn):
    """Start the command line as a process of its own; none is left after the test."""

    def start(*arguments, **options):
        pipe = subprocess.PIPE
        return spawn([*COMMAND, *map(str, arguments)], stdout=pipe, stderr=pipe, text=True, **options)

    return start
