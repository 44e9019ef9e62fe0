"""What a scenario from another source may not decide: which secrets leave, who is connected to, what runs unasked."""

import contextlib
import os
import socket
import sys
import threading

import pytest

import counterpoint as cp
from counterpoint._cli.main import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tests of links use what Linux has")

REMOTE = """\
until = 1.0
[subsystems.engine]
type = "remote"
address = "{address}"
{more}
wait = 0.5
step = 0.1
[subsystems.model]
type = "python"
object = "models.py:Model"
step = 0.1
[[connections]]
from = "engine.torque"
to = "model.u"
"""

MODELS = """\
import pathlib
import counterpoint as cp
pathlib.Path(__file__).with_name("ran").touch()

class Model(cp.Subsystem):
    inputs = ("u",)
    outputs = ("y",)
    def step(self, t, t_end, u): pass
    def output(self, t, u): return t
"""


class Stranger:
    """A program that listens and keeps what it is sent."""

    def __enter__(self):
        self.heard = []
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self.listening.getsockname()[1]}"
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()
        return self

    def listen(self):
        with contextlib.suppress(OSError):
            while True:
                visitor = self.listening.accept()[0]
                with visitor:
                    visitor.settimeout(2.0)
                    self.heard.append(visitor.recv(1000))

    def __exit__(self, *error):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        self.thread.join()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A directory with a secret, and a scenario's directory below, in which we are."""
    (tmp_path / "secret").write_text("s3cret\n")
    made = tmp_path / "scenario"
    made.mkdir()
    (made / "models.py").write_text(MODELS)
    monkeypatch.chdir(made)
    monkeypatch.delenv("COUNTERPOINT_TOKEN", raising=False)
    return made


@pytest.fixture
def counterpoint(capsys):
    """Run the command line in this process; return exit code, standard output, standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return end.value.code, printed.out, " ".join(printed.err.split())

    return run


def write(folder, address, more=""):
    path = folder / "case.toml"
    path.write_text(REMOTE.format(address=address, more=more))
    return path


@pytest.mark.parametrize("command", [("info", "--build"), ("run",), ("serve", "--subsystem", "engine")])
@pytest.mark.parametrize("way", ["outside", "absolute", "link"])
def test_a_token_outside_of_the_directory_is_not_sent(folder, counterpoint, command, way):
    os.symlink("../secret", folder / "token")
    name = {"outside": "../secret", "absolute": str(folder.parent / "secret"), "link": "token"}[way]
    with Stranger() as stranger:
        path = write(folder, stranger.address, f'token_file = "{name}"')
        code, _, err = counterpoint(*command, path)
    assert stranger.heard == []
    assert code == 2
    assert f"{folder.parent / 'secret'} lies outside of the scenario's directory" in err
    assert "copy it there, or remove token_file and set COUNTERPOINT_TOKEN" in err
    assert not (folder / "ran").exists()


def test_serving_one_subsystem_touches_no_other(folder):
    """Nothing is connected to for a model, and no Python file runs for one that has none."""
    from counterpoint._cli.serving import read_offer

    with Stranger() as stranger:
        path = write(folder, stranger.address, 'token_file = "../secret"')
        plain = '[subsystems.plain]\ntype = "table"\ntimes = [0, 1]\nvalues = [0, 1]\noutputs = ["y"]\n[set]\n"model.x" = 1\n'
        path.write_text(path.read_text() + plain)
        assert read_offer(path, "plain", allow_outside=False).name == "plain"
        assert not (folder / "ran").exists()
        assert read_offer(path, "model", allow_outside=False).constants == {"x": 1}
    assert (folder / "ran").exists()
    assert stranger.heard == []


def test_a_remote_subsystem_is_not_connected_to_for_an_export(folder, counterpoint):
    with Stranger() as stranger:
        code, _, err = counterpoint("export", write(folder, stranger.address, 'token = "x"'))
    assert (code, stranger.heard) == (2, [])
    assert '"engine": an FMU cannot contain subsystems in other programs; export what they serve' in err
    assert not (folder / "ran").exists()


def test_a_token_outside_is_not_even_read_where_other_files_may_be(folder, counterpoint):
    with Stranger() as stranger:
        code, _, err = counterpoint(
            "run", "--allow-outside", write(folder, stranger.address, 'token_file = "../secret"')
        )
    assert (code, stranger.heard) == (2, [])
    assert "not even with --allow-outside" in err


def test_a_token_below_the_directory_or_of_the_environment_is_sent(folder, counterpoint, monkeypatch):
    (folder / "token").write_text("mine")
    with Stranger() as stranger:
        counterpoint("run", write(folder, stranger.address, 'token_file = "token"'))
        monkeypatch.setenv("COUNTERPOINT_TOKEN", "ours")
        counterpoint("run", write(folder, stranger.address))
    assert [data[8:] for data in stranger.heard] == [b"counterpoint-link 1 mine", b"counterpoint-link 1 ours"]


def test_one_remote_that_is_refused_keeps_all_from_being_connected_to(folder, counterpoint):
    with Stranger() as stranger:
        path = write(folder, stranger.address, 'token = "x"')
        path.write_text(path.read_text() + '[subsystems.other]\ntype = "remote"\naddress = "tcp://192.0.2.1:1"\n')
        code, _, err = counterpoint("run", path)
    assert (code, stranger.heard) == (2, [])
    assert "subsystems.other.address" in err


@pytest.mark.parametrize("more", ['token = "x"', 'token = "x"\ninsecure = true', 'token = "x"\nlistening = true'])
def test_an_address_of_another_computer_needs_the_word_of_the_user(folder, counterpoint, more):
    path = write(folder, "tcp://192.0.2.1:4711", more)
    for arguments in (("run", path), ("info", "--build", path), ("serve", "--insecure", "--subsystem", "engine", path)):
        code, _, err = counterpoint(*arguments)
        assert code == 2
        assert "a scenario cannot allow this; use an ssh tunnel" in err
        assert "or type --allow-remote tcp://192.0.2.1:4711" in err
    with pytest.raises(cp.ScenarioError, match=r"allow_remote='tcp://192\.0\.2\.1:4711'"):
        cp.Scenario.read(path, allow_remote="tcp://192.0.2.1:4712").build()


def test_a_scenario_does_not_allow_itself_anything(folder):
    path = write(folder, "tcp://127.0.0.1:1", 'token = "x"\ninsecure = true')
    with pytest.raises(
        cp.ScenarioError, match=r"subsystems\.engine\.insecure: a scenario cannot allow this; remove it"
    ):
        cp.Scenario.read(path).build()


def test_the_user_may_allow_an_address(folder, counterpoint):
    with Stranger() as stranger:
        name = stranger.address.replace("127.0.0.1", "0x7f.1")  # the same place, but not told as such
        path = write(folder, name, 'token = "x"')
        counterpoint("run", path)
        assert stranger.heard == []
        counterpoint("run", path, "--allow-remote", name)
        with pytest.raises(cp.ScenarioError):
            cp.Scenario.read(path, allow_remote=[name]).build()
    assert [data[8:] for data in stranger.heard] == [b"counterpoint-link 1 x"] * 2


@pytest.mark.parametrize("host", ["127.evil.example", "127.0.0.1.evil.example", "127.1", "0x7f.1", "0177.0.0.1", "localhost.",
    "localhost.evil.example", "0.0.0.0", "[::]", "[::ffff:192.0.2.1]", "2130706433", "127.0.0.256"])  # fmt: skip
def test_only_numbers_of_the_loopback_interface_are_this_computer(host):
    with pytest.raises(cp.SetupError, match="can be reached from other computers"):
        cp.remote(f"tcp://{host}:1", token="x", wait=0.0)


@pytest.mark.parametrize("host", ["user@127.0.0.1", "127.0.0.1@evil", "127.0.0.1/x", "127.0.0.1#", "127.0.0.1 ", "a b"])  # fmt: skip
def test_what_could_be_read_in_two_ways_is_no_host(host):
    with pytest.raises(cp.SetupError, match="expected a host and a port"):
        cp.remote(f"tcp://{host}:1", token="x", wait=0.0, insecure=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.255.0.9", "localhost", "[::1]", "[0:0::1]", "[::ffff:127.0.0.1]"])
def test_this_computer_has_several_numbers(host):
    from counterpoint.link.connecting import is_local

    assert is_local(f"tcp://{host}:1")


def test_an_evaluation_of_terms_takes_no_user_in_an_address():
    from counterpoint._common.byte_streams import socket_address

    with pytest.raises(cp.SetupError, match="expected"):
        socket_address("tcp://127.0.0.1@evil.example:80")


def test_info_runs_nothing_and_connects_to_nothing_unless_asked(folder, counterpoint):
    with Stranger() as stranger:
        path = write(folder, stranger.address, 'token_file = "../secret"')
        code, out, _ = counterpoint("info", path)
    assert (code, stranger.heard) == (0, [])
    assert not (folder / "ran").exists()
    for expected in ("engine", "remote", "torque …", "model", "python", "engine.torque", "model.u", "slowest-first"):
        assert expected in out
    assert f"left out: {stranger.address}, models.py:Model; info runs no Python files and connects to no other" in out
    assert "add --build" in out


def test_info_shows_all_of_a_scenario_with_python_files_when_asked(folder, counterpoint):
    path = folder / "case.toml"
    path.write_text(
        'until = 1\n[subsystems.model]\ntype = "python"\nobject = "models.py:Model"\nstep = 0.1\n[set]\n"model.u" = 1.0\n'
    )
    assert "left out: models.py:Model" in counterpoint("info", path)[1]
    assert not (folder / "ran").exists()
    code, out, _ = counterpoint("info", "--build", path)
    assert code == 0
    assert "no subsystem waits" in out
    assert "left out" not in out
    assert (folder / "ran").exists()


DIAGRAM = """\
[diagram]
name = "inner"
[inputs]
u = {}
[blocks.twice]
kind = "function"
function = "functions.py:twice"
inputs = ["u"]
[outputs]
y = "twice"
"""
OUTER = '[diagram]\nname = "outer"\n[inputs]\nu = {}\n[blocks.inside]\nfile = "inner.toml"\ninputs = ["u"]\n[outputs]\ny = "inside"\n'
FUNCTIONS = "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\ndef twice(t, u): return 2 * u\n"


@pytest.mark.parametrize("name", ["inner", "outer", "scenario"])
def test_info_runs_no_function_of_a_diagram_also_in_a_file_inside(folder, counterpoint, name):
    (folder / "functions.py").write_text(FUNCTIONS)
    (folder / "inner.toml").write_text(DIAGRAM)
    (folder / "outer.toml").write_text(OUTER)
    (folder / "scenario.toml").write_text(
        'until = 1\n[subsystems.d]\ntype = "diagram"\nfile = "outer.toml"\nstep = 0.1\n[set]\n"d.u" = 1.0\n'
    )
    code, out, err = counterpoint("info", folder / f"{name}.toml")
    assert code == 0, err
    assert "left out" in out
    assert "add --build" in out
    assert not (folder / "ran").exists()
    code, out, err = counterpoint("info", "--build", folder / f"{name}.toml")
    assert code == 0, err
    assert "left out" not in out
    assert (folder / "ran").exists()


MECHANISM = """\
[mechanism]
name = "arm"
dimension = 2
gravity = [0, -9.81]
units = { length = "m", mass = "kg", time = "s", angle = "rad", force = "N" }
step = 0.01
[points]
A = { at = [0, 0], fixed = true }
B = { at = [1, 0] }
[bodies.rod]
points = ["A", "B"]
mass = 1.0
[coordinates.phi]
kind = "angle"
inertia = 1.0
[guides]
phi = { python = "functions.py:twice" }
"""


def test_info_runs_no_function_of_a_mechanism(folder, counterpoint):
    (folder / "functions.py").write_text(FUNCTIONS)
    path = folder / "arm.toml"
    path.write_text(MECHANISM)
    code, out, err = counterpoint("info", path)
    assert code == 0, err
    assert "left out" in out
    assert "rod" in out
    assert counterpoint("info", "--matrices", folder / "m", path)[2].endswith(
        "names Python files; add --build to run them"
    )
    assert not (folder / "ran").exists()
