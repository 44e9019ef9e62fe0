import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from counterpoint.results import (
    DefectSummary,
    FileStore,
    MemoryStore,
    Result,
    RunLayout,
    RunSummary,
    SubsystemLayout,
)

os.environ["MPLBACKEND"] = "Agg"

LAYOUT = RunLayout(
    subsystems=(
        SubsystemLayout("fast", ("x", "v"), ("m", "m/s")),
        SubsystemLayout("slow", ("x", "p[0]", "p[1]"), ("m", "N", "N")),
        SubsystemLayout("idle", ("level",)),
    ),
    connections=("fast.x -> slow.u", "slow.x -> fast.u"),
)


def fast_rows():
    t = np.linspace(0.0, 2.0, 201)
    return np.column_stack([t, np.sin(t), np.cos(t)])


def slow_rows():
    t = np.linspace(0.0, 2.0, 21)
    return np.column_stack([t, t**2, t**3, -t])


def defect_rows(size):
    t = np.linspace(0.0, 2.0, 21)
    return np.column_stack([t, np.sin(t) + size, np.sin(t)])


def fill(store):
    """Give a store three subsystems with axes of different lengths; the third only has its first row."""
    store.append(0, fast_rows())
    store.append(1, slow_rows())
    store.append(2, np.array([[0.0, 7.0]]))
    store.append_defects(0, defect_rows(0.0))
    store.append_defects(1, defect_rows(0.25))


def finished(**changes):
    facts = {
        "status": "finished",
        "end": 2.0,
        "until": 2.0,
        "wall_seconds": 0.5,
        "scheme": "slowest-first",
        "steps": [200, 20, 0],
        "seconds": [0.3, 0.1, 0.0],
        "defects": [
            DefectSummary("fast.x -> slow.u", "interpolates", 21, 0.0, 0.0, 0.0, 0.6, 1.0),
            DefectSummary("slow.x -> fast.u", "extrapolates", 21, 0.25, 0.0, 0.25, 0.5, 1.0),
        ],
    }
    return RunSummary(**(facts | changes))


def memory_result(summary=None):
    store = MemoryStore(LAYOUT, {"name": "two-mass"})
    fill(store)
    return Result(store.view(), LAYOUT, summary or finished())


def file_result(path):
    store = FileStore(path, LAYOUT, {"name": "two-mass", "until": 2.0})
    fill(store)
    store.close(finished())
    return Result(store.view(), LAYOUT, finished())


@pytest.fixture(params=["memory", "file"])
def result(request, tmp_path):
    """The same run, kept in memory and in a file: a user must not notice which."""
    made = memory_result() if request.param == "memory" else file_result(tmp_path / "run.h5")
    with made:
        yield made


@pytest.fixture
def python(spawn):
    """Start a Python process that can import the package; text goes to its program."""

    def start(program, *arguments):
        import counterpoint

        source = str(Path(counterpoint.__file__).parents[1])
        paths = os.pathsep.join(p for p in (source, os.environ.get("PYTHONPATH", "")) if p)
        return spawn(
            [sys.executable, "-W", "error", "-c", program, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": paths},
        )

    return start
