"""FMUs that do not come back: the first signal says what is awaited, the second one abandons it with all rows kept."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import counterpoint as cp

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

PUMP = """
[subsystems.{name}]
type = "fmu"
file = "{file}"
step = 0.001
parameters = {{ fault = {fault}, fault_time = {time} }}
{options}
"""


@pytest.fixture
def hanging(built, version, fault, tmp_path, nothing_left_behind):
    """Start a run of FMUs, of which "pump" hangs in the step to t = 2 s; nothing of it is left after the test."""
    started = []

    def start(*, others=(), options="", arguments=(), **more):
        file = built("misbehaving", version)
        text = 'name = "case"\nuntil = 1e6\n'
        for name in ("pump", *others):
            number = fault("hangs" if name == "pump" else "none")
            text += PUMP.format(name=name, file=file, fault=number, time=1.9995, options=options)
        for name in others:
            text += f'[[connections]]\nfrom = "pump.y"\nto = "{name}.u"\napproximation = {{ kind = "hold" }}\n'
        (tmp_path / "case.toml").write_text(text)
        command = [sys.executable, "-m", "counterpoint", "run", "case.toml", "--no-plot", "--allow-outside", *arguments]
        folder = tmp_path / "temporary"
        folder.mkdir()
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        environment = os.environ | {"TMPDIR": str(folder), "COUNTERPOINT_TEST_HANGS": str(tmp_path / "hangs")}
        started.append(subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes, **more))
        return started[-1]

    yield start
    for process in started:
        with process:
            process.kill()


def child_seconds(process):
    """Return the processor time of the children of a process, s."""
    ticks = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) if int(fields[1]) == process.pid else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def wait_for_the_hang(process, tmp_path):
    """Wait until the FMU says that it hangs; one that may write no file computes longer than all steps before take."""
    while not (tmp_path / "hangs").exists() and child_seconds(process) < 1.0:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def until_said(process, words):
    for line in process.stderr:
        if words in line:
            return line.strip()
    raise AssertionError(f"never said: {words}")


def check_rows(tmp_path, names=("pump",)):
    with cp.load(tmp_path / "case-run" / "case.h5") as result:
        assert result.status == "interrupted"
        assert 'abandoned while waiting for "pump" to finish its step from t = 1.999 s' in result.summary.message
        for name in names:
            stamps = result[f"{name}.y"].time
            assert stamps[-1] == pytest.approx(1.999, abs=1.5e-3)
            np.testing.assert_allclose(np.diff(stamps), 1e-3, rtol=1e-6)  # no hole, and nothing made up


CASES = {
    "alone": {},
    "round of two": {"others": ["other"], "options": 'inputs_at = "start"', "arguments": ["--scheme", "parallel"]},
    "two threads": {"others": ["other"], "arguments": ["--threads", "2", "--scheme", "parallel"]},
    "isolated": {"options": "isolate = true"},
}


@pytest.mark.parametrize("name", CASES)
def test_the_second_ctrl_c_abandons_a_hanging_fmu_and_keeps_all_rows(hanging, tmp_path, name):
    if name == "isolated" and sys.platform != "linux":
        pytest.skip("tests of isolation use what Linux has")
    process = hanging(**CASES[name])
    wait_for_the_hang(process, tmp_path)
    process.send_signal(signal.SIGINT)
    said = until_said(process, "waiting for")
    assert said == 'waiting for "pump" to finish its step from t = 1.999 s; press Ctrl-C again to abandon it'
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert "results up to t = 1.99" in process.stderr.read()
    check_rows(tmp_path, ("pump", *CASES[name].get("others", ())))


@pytest.mark.parametrize(("which", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_sigterm_and_sighup_abandon_a_hanging_fmu_by_themselves(hanging, tmp_path, which, code):
    process = hanging()
    wait_for_the_hang(process, tmp_path)
    process.send_signal(getattr(signal, which))
    assert until_said(process, "waiting for").endswith("it is abandoned in 5 s")
    assert process.wait() == code
    check_rows(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="tests of isolation use what Linux has")
def test_a_deadline_per_step_ends_a_hanging_fmu_without_any_signal(hanging, tmp_path):
    process = hanging(options="isolate = true\ndeadline = 1.0")
    out, err = process.communicate()
    assert process.returncode == 4, err
    assert "pump: step from t = 1.999 s" in err
    assert "kept case-run/case.h5" in out
