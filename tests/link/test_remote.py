"""Subsystems of other programs: the same bits as local ones, whoever connects to whom."""

import contextlib
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.link.serving import join
from counterpoint.multibody import Mechanism

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tests of links use what Linux has")


@pytest.fixture
def place(tmp_path):
    """Addresses of all kinds."""
    return {"tcp": "tcp://127.0.0.1:0", "unix": f"unix://{tmp_path}/socket", "memory": f"shm://{tmp_path}/memory"}


class Served:
    """A subsystem that is served in a thread, and the remote end of it."""

    def __init__(self, subsystem, address="tcp://127.0.0.1:0", deadline=30.0, **options):
        self.serving = cp.serve(subsystem, address, **options)
        self.endings = []
        self.thread = threading.Thread(target=lambda: self.endings.append(self.serving.session(wait=30.0)))
        self.thread.start()
        self.remote = cp.remote(self.serving.address, token=self.serving.token, deadline=deadline)

    def __enter__(self):
        return self.remote

    def __exit__(self, *error):
        self.remote.close()
        self.thread.join()
        self.serving.close()


def fast():
    return cp.linear([[0, 1], [-400.0, -0.5]], [[0], [400.0]], x0=[1.0, 0.0], outputs=("x", "v"), solver="ode4")


def slow():
    return cp.linear([[0, 1], [-4.0, -0.5]], [[0], [4.0]], x0=[-1.0, 0.0], outputs=("x", "v"), solver="trapezoidal")


def run(first, second, approximation=None, **options):
    system = cp.System("two")
    system.add("fast", first, step=0.003)
    system.add("slow", second, step=0.02)
    system.connect("fast.x", "slow.u", approximation or cp.lagrange(2))
    system.connect("slow.x", "fast.u", approximation or cp.lagrange(1))
    return system.run(until=1.0, **options)


def assert_same(here, there):
    assert here.signals == there.signals
    for name in here.signals:
        assert np.array_equal(here[name].time, there[name].time), name
        assert np.array_equal(here[name].values, there[name].values), name


@pytest.mark.parametrize("kind", ["tcp", "unix", "memory"])
@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first", "parallel"])
def test_a_remote_subsystem_gives_the_same_bits(place, kind, scheme):
    with Served(fast(), place[kind]) as remote:
        assert_same(run(fast(), slow(), scheme=scheme), run(remote, slow(), scheme=scheme))
        assert_same(run(fast(), slow(), scheme=scheme), run(remote, slow(), scheme=scheme))  # once more


def test_derivatives_of_outputs_come_along():
    with Served(fast()) as remote:
        assert_same(run(fast(), slow(), cp.hermite()), run(remote, slow(), cp.hermite()))


def test_windows_are_repeated_with_states_that_the_other_program_keeps():
    windows = cp.window(0.04, repeats=2)
    with Served(fast()) as remote:
        here = run(fast(), slow(), scheme="parallel", window=windows)
        assert_same(here, run(remote, slow(), scheme="parallel", window=windows))


def test_two_remote_subsystems_run_at_the_same_time():
    with Served(fast()) as first, Served(slow()) as second:
        here = run(fast(), slow(), scheme="parallel")
        assert_same(here, run(first, second, scheme="parallel", threads=2))


class Relaxing(cp.Subsystem):
    """Asks for its inputs at three times of a step, and does something else before."""

    inputs = ("u",)
    outputs = ("x",)

    def __init__(self, before_steps=lambda: None):
        self.before_steps = before_steps

    def start(self, t):
        self.x = 1.0

    def step(self, t, t_end, u):
        self.before_steps()
        slope = sum(float(u(t + share * (t_end - t))[0]) - self.x for share in (0.0, 0.37, 1.0))
        self.x += (t_end - t) * slope

    def output(self, t, u):
        return self.x


def together(first, second):
    """In rounds: the step of a remote subsystem is sent off before the other one steps."""
    system = cp.System()
    system.add("first", first, step=0.01)
    system.add("second", second, step=0.01)
    system.connect("first.x", "second.u", cp.lagrange(1), gain=0.5)
    system.connect("second.x", "first.u", cp.lagrange(1), gain=-2.0)
    return system.run(until=0.5, scheme="parallel")


def test_one_program_may_have_python_models_at_both_ends():
    """The remote one waits for inputs while the master runs Python: neither may keep the other from it."""
    with Served(Relaxing(), deadline=5.0) as remote:
        assert_same(together(Relaxing(), Relaxing()), together(Relaxing(), remote))


def test_what_is_said_while_a_step_is_on_its_way_does_not_repeat_it():
    with Served(Relaxing()) as remote:
        assert_same(together(Relaxing(), Relaxing()), together(Relaxing(remote.ping), remote))


def test_an_error_that_came_while_something_else_was_said_is_told():
    class Failing(Relaxing):
        def step(self, t, t_end, u):
            if t > 0.1:
                raise ValueError("too hot")
            super().step(t, t_end, u)

    with Served(Failing()) as remote, pytest.raises(cp.ComponentError, match=r"second: step from .* too hot"):
        together(Relaxing(remote.ping), remote)


def test_models_with_feedthrough_and_their_own_pace_work_remotely():
    def filtered(source, model):
        system = cp.System()
        system.add("source", source)
        system.add("model", model)
        system.connect("source.y", "model.u")
        return system.run(until=2.0)

    def table():
        return cp.table([0.0, 0.5, 0.7, 2.0], [0.0, 1.0, -1.0, 3.0], outputs="y", kind="hold")

    def model():
        return cp.linear([[-3.0]], [[1.0]], [[1.0]], [[0.5]], x0=[0.0], solver="ode45")

    here = filtered(table(), model())
    assert len(here["model.y"].time) > 5
    with Served(table()) as source, Served(model()) as remote:
        assert remote.feedthrough == [("y", "u")]
        assert source.own_pace
        assert_same(here, filtered(source, remote))


class Heater(cp.Subsystem):
    inputs = ("power",)
    outputs = ("temperature",)
    units = {"power": "W", "temperature": "K"}  # noqa: RUF012
    defaults = {"power": 100.0}  # noqa: RUF012
    stops_early = True

    def start(self, t):
        self.temperature = 293.0

    def step(self, t, t_end, u):
        if t > 0.75:
            raise ValueError("too hot")
        self.temperature += (t_end - t) * u(0.25 * t + 0.75 * t_end)[0] / 500.0
        return min(t_end, t + 0.07)

    def output(self, t, u):
        return self.temperature

    def save(self):
        return self.temperature

    def restore(self, state):
        self.temperature = state


def test_names_units_and_abilities_arrive():
    with Served(Heater(), name="heater", step=0.1, constants={"power": 70.0}) as remote:
        assert (remote.name, remote.inputs, remote.outputs) == ("heater", {"power": 1}, {"temperature": 1})
        assert remote.units == {"power": "W", "temperature": "K"}
        assert remote.defaults == {"power": [70.0]}
        assert (remote.preferred_step, remote.stops_early, remote.can_save, remote.own_pace) == (0.1, True, True, False)
        remote.ping()
        assert repr(remote).startswith("<remote heater at tcp://127.0.0.1:")


def test_an_exception_of_a_remote_model_is_told_and_the_results_are_kept():
    with Served(Heater(), step=0.1) as remote:
        system = cp.System()
        system.add("heater", remote)
        with pytest.raises(
            cp.ComponentError, match=r"^heater: step from t = 0.\d+ s to 0.\d+ s failed: ValueError: too hot"
        ) as failed:
            system.run(until=1.0)
        assert failed.value.exit_code == 3
        assert failed.value.result["heater.temperature"].time[-1] == pytest.approx(0.77, abs=0.03)
        assert failed.value.result["heater.temperature"].unit == "K"
        assert system.run(until=0.7).status == "finished"  # the other program is still there


def test_the_master_may_be_the_one_that_listens(place):
    for address in place.values():
        with cp.listen(address) as open_place:
            thread = threading.Thread(
                target=join, args=(fast(), open_place.address), kwargs={"token": open_place.token, "name": "guest"}
            )
            thread.start()
            with open_place.remote(wait=30.0) as remote:
                assert_same(run(fast(), slow()), run(remote, slow()))
            thread.join()


def test_remote_can_wait_for_a_program_at_a_known_place(place):
    thread = threading.Thread(target=join, args=(fast(), place["unix"]), kwargs={"token": "known", "wait": 30.0})
    thread.start()
    with cp.remote(place["unix"], token="known", listening=True, wait=30.0) as remote:
        assert remote.outputs == {"x": 1, "v": 1}
    thread.join()


def test_after_goodbye_nothing_runs():
    with Served(fast()) as remote:
        remote.close()
        system = cp.System()
        system.add("fast", remote, step=0.1)
        system.set("fast.u", 0.0)
        with pytest.raises(cp.ComponentDied, match="the connection was closed"):
            system.run(until=1.0)
        with pytest.raises(cp.SetupError, match="the connection was closed"):
            remote.ping()


def test_a_step_beyond_the_deadline_ends_the_run_with_exit_code_4():
    class Sleepy(Heater):
        def step(self, t, t_end, u):
            time.sleep(0.6 if t > 0.25 else 0.0)

    with Served(Sleepy(), deadline=0.3) as remote:
        system = cp.System()
        system.add("heater", remote, step=0.1)
        with pytest.raises(
            cp.ComponentDied, match=r"tcp://.*: did not answer within 0.3 s; a longer deadline"
        ) as failed:
            system.run(until=1.0)
        assert failed.value.exit_code == 4
        assert failed.value.result["heater.temperature"].time[-1] == pytest.approx(0.3)


def test_a_program_that_ends_without_closing_its_place_ends_well():
    """The interpreter takes its time to end: whoever waits for visitors would wake up meanwhile."""
    script = """
import time
import counterpoint as cp

class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.5)

slow, place = Slow(), cp.listen()
"""
    ended = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_mistake_in_an_address_or_token_is_told(tmp_path, monkeypatch):
    monkeypatch.delenv("COUNTERPOINT_TOKEN", raising=False)
    with pytest.raises(cp.SetupError, match="not the address of a link; write tcp://host:port"):
        cp.remote("localhost:4711", token="x")
    with pytest.raises(cp.SetupError, match="token: missing"):
        cp.remote("tcp://127.0.0.1:4711")
    with pytest.raises(cp.SetupError, match="without blanks"):
        cp.remote("tcp://127.0.0.1:4711", token="a b")
    with pytest.raises(cp.SetupError, match=r"can be reached from other computers.*ssh -L"):
        cp.remote("tcp://192.0.2.1:4711", token="x")
    with pytest.raises(cp.SetupError, match=r"can be reached from other computers.*--insecure"):
        cp.serve(fast(), "tcp://0.0.0.0:0")
    with pytest.raises(cp.SetupError, match="is the other program listening"):
        cp.remote(f"unix://{tmp_path}/nobody", token="x", wait=0.0)
    with pytest.raises(cp.SetupError, match=r"no program connected within 0\.1 s"):
        cp.remote(f"unix://{tmp_path}/nobody", token="x", listening=True, wait=0.1)
    with pytest.raises(cp.SetupError, match="cannot read the token: No such file"):
        cp.remote("tcp://127.0.0.1:4711", token_file=tmp_path / "none")
    with pytest.raises(cp.SetupError, match="deadline: 0; expected a positive"):
        cp.remote("tcp://127.0.0.1:4711", token="x", deadline=0)


def test_the_token_may_come_from_a_file_or_the_environment(tmp_path, monkeypatch):
    file = tmp_path / "token"
    with cp.serve(fast(), token_file=file) as serving:
        assert file.read_text().strip() == serving.token
        assert file.stat().st_mode & 0o777 == 0o600
        for way in ("file", "environment"):  # the token of a file lasts
            thread = threading.Thread(target=serving.session)
            thread.start()
            monkeypatch.setenv("COUNTERPOINT_TOKEN", serving.token if way == "environment" else "wrong")
            cp.remote(serving.address, token_file=file if way == "file" else None).close()
            thread.join()


SCENARIO = """\
name = "two"
until = 1.0
[subsystems.fast]
type = "remote"
address = "{address}"
token_file = "token"
step = 0.003
[subsystems.slow]
type = "linear"
A = [[0, 1], [-4.0, -0.5]]
B = [[0], [4.0]]
x0 = [-1.0, 0.0]
outputs = ["x", "v"]
solver = "trapezoidal"
step = 0.02
[[connections]]
from = "fast.x"
to = "slow.u"
approximation = {{kind = "lagrange", order = 2}}
[[connections]]
from = "slow.x"
to = "fast.u"
"""


def test_a_scenario_may_have_a_remote_subsystem(tmp_path):
    (tmp_path / "two.toml").write_text(SCENARIO.format(address=f"unix://{tmp_path}/socket"))
    with cp.serve(fast(), f"unix://{tmp_path}/socket", token_file=tmp_path / "token") as serving:
        thread = threading.Thread(target=serving.session)
        thread.start()
        system = cp.Scenario.read(tmp_path / "two.toml").build()
        assert_same(run(fast(), slow()), system.run(until=1.0))
        system.subsystems["fast"].subsystem.close()
        thread.join()


def test_mistakes_of_a_remote_subsystem_are_told_with_file_and_line(tmp_path):
    (tmp_path / "token").write_text("x")
    (tmp_path / "two.toml").write_text(SCENARIO.format(address="udp://somewhere"))
    with pytest.raises(cp.ScenarioError, match=r"subsystems.fast.address: .*not the address of a link.*\(line 5\)"):
        cp.Scenario.read(tmp_path / "two.toml").build()


def test_a_host_that_does_not_answer_at_all_is_told_as_such():
    # A full queue of visitors drops who else wants to come, as a firewall does.
    with contextlib.ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            visitor = stack.enter_context(socket.socket())
            visitor.setblocking(False)
            visitor.connect_ex(full.getsockname())
        with pytest.raises(cp.SetupError, match="no program answers there: Connection timed out"):
            cp.remote(f"tcp://127.0.0.1:{full.getsockname()[1]}", token="secret", wait=1.0)


class Switch(cp.Subsystem):
    """A ramp, and whether it is above one half."""

    outputs = ("ramp", "above")

    def __init__(self):
        self.output_approximations = {"above": cp.hold("behind")}

    def start(self, t):
        self.t = t

    def step(self, t, t_end, u):
        self.t = t_end

    def output(self, t, u):
        return self.t, float(self.t > 0.5)


def test_how_single_outputs_are_approximated_comes_over_the_link():
    def seen(switch):
        system = cp.System("switch")
        system.add("switch", switch, step=0.1)
        system.add("seen", cp.ode(lambda t, x, u: u, [0.0, 0.0], inputs=("ramp", "above")), step=0.03)
        system.connect("switch.ramp", "seen.ramp")
        system.connect("switch.above", "seen.above")
        return system.run(until=1.0)

    with Served(Switch(), name="switch") as remote:
        assert_same(seen(Switch()), seen(remote))
        assert repr(remote.approximation_of("above")) == repr(cp.hold("behind"))
        assert remote.approximation_of("ramp") is None


def test_what_an_input_needs_comes_over_the_link():
    """The torque that makes a crank follow an input needs a parabola: lines have no second derivative."""

    def crank():
        made = Mechanism("crank", dimension=2)
        made.point("A", (0, 0), fixed=True)
        made.point("B", (1, 0))
        made.body("rod", points=["A", "B"], mass=1.0)
        made.angle("phi", "rod")
        made.input("target", 0.5)
        made.guide("phi", "input:target")
        made.output("torque", "guide:phi")
        return made.subsystem()

    def torque(model):
        system = cp.System("led")
        system.add("plan", cp.source(lambda t: 0.5 * np.cos(2 * t), outputs="phi"), step=0.01)
        system.add("crank", model, step=0.01)
        system.connect("plan.phi", "crank.target", convert=False)
        return system.run(until=1.0)["crank.torque"].values

    here = torque(crank())
    with Served(crank()) as remote:
        assert np.array_equal(torque(remote), here)
    assert here[50] == pytest.approx(-2 / 3 * np.cos(1.0) + 9.81 / 2 * np.cos(0.5 * np.cos(1.0)), abs=0.05)
