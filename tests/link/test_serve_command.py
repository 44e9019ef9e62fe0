"""``counterpoint serve``: a model in one process, its master in another."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._cli.main import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tests of links use what Linux has")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Server:
    """A process that serves; what it prints line by line."""

    def __init__(self, *arguments, **options):
        command = [sys.executable, "-m", "counterpoint", "serve", *map(str, arguments)]
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **options
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def wait_for(self, word):
        for line in self.process.stdout:
            if line.startswith(word):
                return line.removeprefix(word).strip()
        raise AssertionError(self.process.stderr.read())

    def remote(self):
        return cp.remote(self.wait_for("address"), token=self.wait_for("token"))

    def end(self):
        out, err = self.process.communicate()
        return self.process.returncode, out, err


def run_alone(model, step, until, **inputs):
    system = cp.System()
    system.add("model", model, step=step)
    for name, value in inputs.items():
        system.set(f"model.{name}", value)
    return system.run(until=until)


def assert_same(here, there):
    assert here.signals == there.signals
    for name in here.signals:
        assert np.array_equal(here[name].values, there[name].values), name


def test_a_subsystem_of_a_scenario_is_served_with_its_step_and_constants(tmp_path):
    scenario = cp.Scenario.read(EXAMPLES / "two_mass.toml")
    name = next(iter(scenario.build().subsystems))
    with Server(EXAMPLES / "two_mass.toml", "--subsystem", name) as server:
        with server.remote() as remote:
            entry = scenario.build().subsystems[name]
            assert remote.name == name
            assert remote.preferred_step == entry.step
            inputs = dict.fromkeys(remote.input_widths, 0.5)
            assert_same(run_alone(entry.subsystem, entry.step, 1.0, **inputs), run_alone(remote, None, 1.0, **inputs))
        code, out, _ = server.end()
        assert code == 0
        assert "closed the connection" in out


def test_a_mechanism_is_served(tmp_path):
    address = f"unix://{tmp_path}/mechanism"
    with Server(EXAMPLES / "four-bar.toml", "--listen", address, "--token-file", tmp_path / "token") as server:
        assert server.wait_for("address") == address
        server.wait_for("token")
        with cp.remote(address, token_file=tmp_path / "token") as remote:
            from counterpoint._cases.registry import read_case

            (entry,) = read_case(EXAMPLES / "four-bar.toml").build().subsystems.values()
            assert_same(run_alone(entry.subsystem, 1e-3, 0.2), run_alone(remote, 1e-3, 0.2))


def test_an_fmu_is_served(tmp_path):
    import runpy

    tools = runpy.run_path(str(EXAMPLES.parent / "tests" / "fmi" / "building.py"))
    path = tools["build"]("oscillator", 3, tmp_path)
    with Server(path) as server, server.remote() as remote:
        inputs = dict.fromkeys(remote.input_widths, 0.0)
        assert remote.units["x"] == "m"
        assert_same(run_alone(cp.fmu(path), None, 0.3, **inputs), run_alone(remote, None, 0.3, **inputs))


DIAGRAM = """\
[diagram]
name = "lag"
step = 0.01
[inputs]
demand = { default = 20.0, unit = "m/s" }
[blocks]
error = { kind = "sum", signs = "+-", inputs = ["demand", "speed"] }
speed = { kind = "integrator", inputs = ["error"] }
[outputs]
speed = { signal = "speed", unit = "m/s" }
[run]
until = 1.0
"""


def test_a_diagram_is_served_over_shared_memory(tmp_path):
    from counterpoint._cases.registry import read_case

    path = tmp_path / "lag.toml"
    path.write_text(DIAGRAM)
    with Server(path, "--listen", f"shm://{tmp_path}/memory") as server, server.remote() as remote:
        (entry,) = read_case(path).build().subsystems.values()
        assert remote.defaults == {"demand": [20.0]}
        here = run_alone(entry.subsystem, 0.01, 1.0)
        assert here["model.speed"].values[-1] == pytest.approx(20.0 * (1.0 - np.exp(-1.0)), rel=1e-6)
        assert_same(here, run_alone(remote, 0.01, 1.0))


def test_the_master_may_wait_and_the_server_connect(tmp_path):
    (tmp_path / "token").write_text("secret\n")
    with cp.listen(f"unix://{tmp_path}/master", token_file=tmp_path / "token") as place:
        arguments = ("--connect", place.address, "--token-file", tmp_path / "token", "--subsystem", "fast")
        with Server(write_linear(tmp_path), *arguments) as server:
            with place.remote(wait=30.0) as remote:
                assert run_alone(remote, 0.1, 1.0, u=1.0).status == "finished"
            assert server.end()[0] == 0


def write_linear(folder):
    path = folder / "two.toml"
    path.write_text(
        'until = 1.0\n[subsystems.fast]\ntype = "linear"\nA = [[-1.0]]\nB = [[1.0]]\nx0 = [0.0]\nstep = 0.1\n'
        '[subsystems.source]\ntype = "table"\ntimes = [0.0, 1.0]\nvalues = [0.0, 1.0]\noutputs = "y"\n'
        '[[connections]]\nfrom = "source.y"\nto = "fast.u"\n'
    )
    return path


def test_with_keep_one_master_after_another_is_served_with_a_new_token(tmp_path):
    with Server(write_linear(tmp_path), "--subsystem", "fast", "--keep") as server:
        address, first = server.wait_for("address"), server.wait_for("token")
        cp.remote(address, token=first).close()
        second = server.wait_for("token")
        assert re.fullmatch("[0-9a-f]{32}", second)
        assert first != second
        with pytest.raises(cp.SetupError, match="refuses the connection: wrong token"):
            cp.remote(address, token=first)
        cp.remote(address, token=second).close()
        server.wait_for("token")
        server.process.send_signal(signal.SIGINT)
        code, _, err = server.end()
        assert code == 130
        assert "wrong token" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "contains several subsystems; choose one with --subsystem: fast, source"),
        (["--subsystem", "fats"], 'no subsystem "fats"; did you mean "fast"?'),
        (["--subsystem", "fast", "--listen", "tcp://0.0.0.0:0"], "can be reached from other computers"),
        (["--subsystem", "fast", "--listen", "a"], "not the address of a link"),
        (["--subsystem", "fast", "--listen", "tcp://127.0.0.1:0", "--connect", "tcp://127.0.0.1:1"], "choose one"),
    ],
)
def test_mistakes_are_told_before_anything_is_served(arguments, words, tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        main(["serve", str(write_linear(tmp_path)), *arguments])
    assert end.value.code == 2
    assert words in capsys.readouterr().err


def test_a_port_in_use_gives_exit_code_2(tmp_path, capsys):
    with cp.listen() as place:
        with pytest.raises(SystemExit) as end:
            main(["serve", str(write_linear(tmp_path)), "--subsystem", "fast", "--listen", place.address])
        assert end.value.code == 2
        assert "cannot listen there" in capsys.readouterr().err


def test_an_address_beyond_this_computer_needs_insistence_and_warns(tmp_path):
    arguments = ("--subsystem", "fast", "--listen", "tcp://0.0.0.0:0", "--insecure")
    with Server(write_linear(tmp_path), *arguments) as server:
        port = server.wait_for("address").rpartition(":")[2]
        cp.remote(f"tcp://127.0.0.1:{port}", token=server.wait_for("token")).close()
        code, _, err = server.end()
        assert code == 0
        assert (
            "warning: tcp://0.0.0.0:0: this link is not encrypted; others can read everything, including the token"
            in err
        )


PYTHON = """
until = 1000.0
[subsystems.model]
type = "python"
object = "models.py:Model"
step = 0.01
"""
MODEL = """
import time
import counterpoint as cp

class Model(cp.Subsystem):
    inputs = ("u",)
    outputs = ("y",)
    defaults = {"u": 0.0}
    y = 0.0

    def step(self, t, t_end, u):
        time.sleep(SECONDS)
        self.y = t_end

    def output(self, t, u):
        return self.y
"""


def write_python(folder, seconds):
    (folder / "models.py").write_text(MODEL.replace("SECONDS", str(seconds)))
    path = folder / "python.toml"
    path.write_text(PYTHON)
    return path


ENDINGS = [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)]


@pytest.mark.parametrize(("which", "code"), ENDINGS)
def test_a_signal_ends_a_server_that_waits_for_a_master(which, code, tmp_path):
    with Server(write_python(tmp_path, 0.0)) as server:
        server.wait_for("token")
        server.process.send_signal(getattr(signal, which))
        assert server.end()[0] == code


@pytest.mark.parametrize(("which", "code"), ENDINGS)
def test_a_signal_ends_a_server_whose_master_is_idle(which, code, tmp_path):
    with Server(write_python(tmp_path, 0.0)) as server, server.remote():
        server.process.send_signal(getattr(signal, which))
        ended, _, err = server.end()
        assert ended == code
        assert "Traceback" not in err


@pytest.mark.parametrize("keep", [[], ["--keep"]])
@pytest.mark.parametrize(("which", "code"), ENDINGS)
def test_a_signal_ends_a_server_of_a_python_model_whose_master_is_busy(which, code, keep, tmp_path):
    """Neither the model nor the answer to the master may swallow it."""
    with Server(write_python(tmp_path, 0.01), *keep) as server, server.remote() as remote:
        threading.Timer(0.5, lambda: server.process.send_signal(getattr(signal, which))).start()
        with pytest.raises(cp.ComponentDied):
            run_alone(remote, 0.01, 1000.0)
        ended, _, err = server.end()
        assert ended == code
        assert "interrupted" in err
        assert "Traceback" not in err


def test_a_signal_ends_a_server_in_a_native_step_of_many_internal_ones(tmp_path):
    path = tmp_path / "stiff.toml"
    path.write_text(
        'until = 10.0\n[subsystems.stiff]\ntype = "linear"\nA = [[-1e12]]\nB = [[1e12]]\nx0 = [0.0]\n'
        'solver = "ode45"\nstep = 1.0\ndefaults = { u = 1.0 }\n'
    )
    with Server(path) as server, server.remote() as remote:
        threading.Timer(0.5, lambda: server.process.send_signal(signal.SIGTERM)).start()
        with pytest.raises(cp.ComponentDied, match="the program that serves it was interrupted"):
            run_alone(remote, 1.0, 10.0)
        assert server.end()[0] == 143


def test_a_server_whose_model_does_not_come_back_is_abandoned_at_the_second_signal(tmp_path):
    with Server(write_python(tmp_path, 1000.0)) as server, server.remote() as remote:
        caught = []

        def run():
            with contextlib.suppress(cp.ComponentDied):
                run_alone(remote, 0.01, 1.0)
            caught.append(True)

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(0.5)
        server.process.send_signal(signal.SIGTERM)
        line = server.process.stderr.readline()
        assert 'waiting for "model" to answer' in line
        server.process.send_signal(signal.SIGTERM)
        assert server.end()[0] == 143
        thread.join()
        assert caught
