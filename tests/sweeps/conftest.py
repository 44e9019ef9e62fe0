import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import counterpoint as cp

ROOT = Path(__file__).parents[2]

TWO_MASS = (ROOT / "examples" / "two_mass.toml").read_text()

FRAGILE = """
import ctypes, os, signal, time
import counterpoint as cp

class Fragile(cp.Subsystem):
    outputs = ("y",)
    def __init__(self, level=1.0, act="nothing"):
        self.level, self.act = level, act
    def start(self, t):
        self.y = self.level
    def step(self, t, t_end, u):
        if self.act == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.act == "exit":
            os._exit(7)
        if self.act == "raise":
            raise ValueError("too much")
        if self.act == "hang":
            time.sleep(60)
        if self.act == "print":
            print("said by a model")
        self.y = 0.5 * self.y
    def output(self, t, u):
        return self.y
"""
SCENARIO = """
    until = 1.0
    [subsystems.model]
    type = "python"
    object = "fragile.py:Fragile"
    step = 0.5
"""


@pytest.fixture
def two_mass(tmp_path):
    """The two-mass example as a file that a test may change."""
    path = tmp_path / "two_mass.toml"
    path.write_text(TWO_MASS)
    return path


@pytest.fixture
def fragile(write, tmp_path):
    """A scenario with a model in Python that does what it is told: die, exit, raise, hang, print."""
    (tmp_path / "fragile.py").write_text(FRAGILE)
    return write(SCENARIO, "fragile.toml")


@pytest.fixture
def tank():
    """A system of one tank that empties, exp(-t)."""
    system = cp.System("tank")
    system.add("tank", cp.linear([[-1.0]], [[1.0]], x0=[1.0], inputs="flow", outputs="level", solver="ode4"), step=0.1)
    system.set("tank.flow", 0.0)
    return system


@pytest.fixture
def run_python(tmp_path, spawn):
    """Start a script with the package of the tests; return the process."""

    def run(text, *arguments):
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(text))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        return spawn(
            [sys.executable, str(path), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment, cwd=tmp_path,
        )  # fmt: skip

    return run


@pytest.fixture(scope="module")
def dask_cluster(tmp_path_factory):
    """A scheduler and two workers of Dask on the loopback device: (address of the scheduler, workers)."""
    pytest.importorskip("distributed", reason="needs the extra sweep")
    folder = tmp_path_factory.mktemp("dask")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        "DASK_DISTRIBUTED__WORKER__DAEMON": "True",
    }
    file = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment, "cwd": folder}
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    started = [
        subprocess.Popen(
            [*dask, "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)], **quiet
        )
    ]
    while not file.exists():
        time.sleep(0.05)
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1",
             "--no-nanny", "--no-dashboard", "--host", "127.0.0.1", "--name", f"w{k}"],
            **quiet,
        )
        for k in range(2)
    ]  # fmt: skip
    started += workers
    try:
        while not file.read_text():
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"], workers
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
