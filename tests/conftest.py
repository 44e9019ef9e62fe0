"""What tests of several rooms use."""

import contextlib
import os
import signal
import subprocess
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import counterpoint as cp
from counterpoint import _core

with contextlib.suppress(ImportError):  # on a busy machine everything takes long
    from hypothesis import HealthCheck, settings

    settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("unhurried")

# A shell starts programs in the background with Ctrl-C ignored, nohup with SIGHUP ignored, and child processes would
# inherit that. A handler that does nothing is not inherited, and the tests still survive the end of the terminal.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for _name in ("SIGHUP", "SIGTERM", "SIGQUIT"):
    if (_which := getattr(signal, _name, None)) and signal.getsignal(_which) is signal.SIG_IGN:
        signal.signal(_which, lambda number, frame: None)
if hasattr(signal, "pthread_sigmask"):
    signal.pthread_sigmask(signal.SIG_SETMASK, ())

_SESSION = f"{os.getpid()}-{time.time_ns()}"
os.environ["COUNTERPOINT_TEST_SESSION"] = _SESSION  # inherited by all processes that tests start


def _left_processes():
    """Return the processes that tests of this session have started, and those that these have started: pid -> command."""
    mark = f"COUNTERPOINT_TEST_SESSION={_SESSION}".encode()
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return {pid: command for pid, command in found.items() if "multiprocessing.resource_tracker" not in command}


@pytest.fixture(scope="module", autouse=True)
def no_process_is_left():
    """After the tests of a module, passed or failed, none of their processes is running."""
    yield
    end = time.monotonic() + 60.0  # what has been told to end may need a moment
    while (left := _left_processes()) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert not left, "processes of tests were still running"


@pytest.fixture
def spawn():
    """Start a process as ``subprocess.Popen`` does; it does not outlive the test, passed or failed."""
    started = []

    def spawn(*arguments, **options):
        started.append(subprocess.Popen(*arguments, **options))
        return started[-1]

    yield spawn
    for process in started:
        process.kill()
        process.wait()
        for stream in filter(None, (process.stdin, process.stdout, process.stderr)):
            with contextlib.suppress(OSError):
                stream.close()


@pytest.fixture(scope="session")
def wait_for():
    """Wait until a condition holds, however busy the machine is; the time limit of the test ends a wait in vain."""

    def wait_for(condition):
        while not condition():
            time.sleep(0.02)

    return wait_for


@pytest.fixture
def wait_for_rows():
    """Wait until a run in another process has written rows of a signal; the first come after half a second."""

    def wait_for_rows(file, signal_name, process, rows=100):
        while True:
            assert process.poll() is None, process.communicate()
            with contextlib.suppress(cp.OutputError, KeyError), cp.load(file) as result:
                if len(result[signal_name].time) > rows:
                    return
            time.sleep(0.05)

    return wait_for_rows


@pytest.fixture
def write(tmp_path):
    """Write a file, its text without the indent of the test; return its path."""

    def write(text, name="case.toml"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


def recorded(result):
    """Return all bits of a result: rows of all subsystems, rows and figures of all defects."""
    frames = result.to_pandas()
    parts = [array.tobytes() for frame in frames.values() for array in (frame.index.to_numpy(), frame.to_numpy())]
    for label in result.defects["connection"]:
        defect = result.defect(label)
        parts += [np.ascontiguousarray(column).tobytes() for column in (defect.time, defect.assumed, defect.arrived)]
    return [*parts, result.defects.select_dtypes("number").to_numpy().tobytes()]


class DefinedRun(_core.RunSpec):
    """A run without fast paths: inputs as they are defined, one step after the other."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.fast_paths = _core.FastPaths.none()


@pytest.fixture
def without_fast_paths(monkeypatch):
    """Return a context in which runs use the definition alone."""

    @contextlib.contextmanager
    def context():
        with monkeypatch.context() as patch:
            patch.setattr(_core, "RunSpec", DefinedRun)
            yield

    return context


@pytest.fixture
def bits_of():
    """Return the function that gives all bits of a result."""
    return recorded


@pytest.fixture
def check_fast_paths(without_fast_paths):
    """Run a system, made anew each time, with fast paths and without; every bit is the same."""

    def check(make, **options):
        fast = recorded(make().run(**options))
        with without_fast_paths():
            defined = recorded(make().run(**options))
        assert fast == defined
        assert sum(map(len, fast)) > 500

    return check
