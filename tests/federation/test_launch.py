"""Real federations: processes, a broker, HELICS over TCP on this computer."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._run.flushing import FLUSH_SECONDS, FLUSH_SHARE
from counterpoint._run.run import SLICE_SECONDS
from counterpoint.federation.broker import free_port
from counterpoint.federation.launching import launch, runner_file
from counterpoint.federation.plan_file import LaunchPlan
from counterpoint.federation.session import Broker

pytest.importorskip("helics", reason="the extra helics is not installed")

SCENARIO = """
    name = "pair"
    until = {until}
    scheme = "{scheme}"
    [subsystems.fast]
    type = "linear"
    step = {fast}
    A = [[0.0, 1.0], [-39.1, 0.0]]
    B = [[0.0], [38.7]]
    C = [[1.0, 0.0]]
    x0 = [1.0, 0.0]
    inputs = ["u"]
    outputs = ["x"]
    units = {{ x = "m", u = "m" }}
    [subsystems.slow]
    step = {slow}
    {model}
    [[connections]]
    from = "slow.x"
    to = "fast.u"
    approximation = {{ kind = "lagrange", order = 2 }}
    [[connections]]
    from = "fast.x"
    to = "slow.u"
    approximation = {{ kind = "hermite" }}
"""
LINEAR = """type = "linear"
    A = [[0.0, 1.0], [-0.8, 0.0]]
    B = [[0.0], [0.4]]
    C = [[1.0, 0.0]]
    x0 = [1.0, 0.0]
    inputs = ["u"]
    outputs = ["x"]
    units = { x = "m", u = "m" }"""
PYTHON = 'type = "python"\n    object = "models.py:Slow"'
PLAN = """
    scenario = "pair.toml"
    grant_timeout = {limit}
    [parts.a]
    subsystems = ["fast"]
    [parts.b]
    subsystems = ["slow"]
"""


@pytest.fixture
def pair(write):
    """Write a scenario of two parts; return its plan."""

    def pair(*, until=2.0, scheme="parallel", fast=0.01, slow=0.1, model=LINEAR, limit=30.0):
        write(SCENARIO.format(until=until, scheme=scheme, fast=fast, slow=slow, model=model), "pair.toml")
        return LaunchPlan.read(write(PLAN.format(limit=limit), "plan.toml"))

    return pair


def run(plan, tmp_path):
    lines = []
    return launch(plan, tmp_path / "out", say=lines.append), lines


@pytest.mark.parametrize("scheme", ["slowest-first", "parallel"])
def test_a_federation_over_tcp_has_the_bits_of_one_process(pair, tmp_path, scheme):
    plan = pair(scheme=scheme, fast=0.03)
    outcome, lines = run(plan, tmp_path)
    assert outcome.exit_code == 0, lines
    whole = cp.Scenario.read(plan.scenario).run(first_steps="once", check="off")
    for part, name in (("a", "fast.x"), ("b", "slow.x")):
        with cp.load(tmp_path / "out" / f"pair-{part}.h5") as result:
            assert np.array_equal(result[name].time, whole[name].time)
            assert np.array_equal(result[name].values, whole[name].values)
            assert result.summary.status == "finished"


class Running:
    """A federation that goes on until something is done to it; its parts can be found by name."""

    def __init__(self, plan, tmp_path, spawn, broker=None):
        self.address = broker or f"tcp://127.0.0.1:{free_port()}"
        self.out = tmp_path / "out"
        self.broker = None
        if broker is None:
            command = [sys.executable, "-m", "counterpoint.federation.broker", self.address, "2"]
            self.broker = spawn(command, stdout=subprocess.PIPE, text=True)
            assert self.broker.stdout.readline() == "ready\n"
        self.plan, self.spawn = plan, spawn
        self.parts = {}

    def start(self, part, *more):
        command = [
            sys.executable, "-m", "counterpoint", "federate", str(self.plan.scenario), "--plan", str(self.plan.path),
            "--part", part, "--broker", self.address, "--out", str(self.out), "--overwrite",
            *more,
        ]  # fmt: skip
        self.parts[part] = self.spawn(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return self.parts[part]


SLOW_MODEL = """
    import os
    import time
    import counterpoint as cp

    class Slow(cp.Subsystem):
        inputs = ("u",)
        outputs = ("x",)
        units = {"x": "m", "u": "m"}

        def start(self, t):
            self.x = 1.0

        def step(self, t, t_end, u):
            {what}
            self.x += (t_end - t) * (u(t)[0] - self.x)

        def output(self, t, u):
            return self.x
"""


@pytest.fixture
def running(pair, write, tmp_path, spawn):
    """Start a federation whose part b runs a Python model that does something at each step."""

    def running(what, *, limit=30.0, until=1000.0, start=True):
        write(SLOW_MODEL.replace("{what}", what), "models.py")
        plan = pair(until=until, model=PYTHON, limit=limit)
        made = Running(plan, tmp_path, spawn)
        for part in "ab" if start else "":
            made.start(part)
        return made

    return running


def wait_for_file(made, part, wait_for_rows, name):
    wait_for_rows(made.out / f"pair-{part}.h5", name, made.parts[part], rows=3)


def test_a_killed_federate_is_told_and_the_results_of_all_are_kept(running, wait_for_rows):
    made = running("time.sleep(0.02)")
    wait_for_file(made, "b", wait_for_rows, "slow.x")
    made.parts["b"].kill()
    _, told = made.parts["a"].communicate()
    assert made.parts["a"].returncode == 4, told
    assert '"a" at t = ' in told
    assert 'waits for "slow" (last sample at t = ' in told
    for part, name in (("a", "fast.x"), ("b", "slow.x")):
        with cp.load(made.out / f"pair-{part}.h5") as result:
            assert len(result[name].time) > 3


def test_a_killed_federate_loses_no_more_than_what_waited_for_the_next_flush(running, tmp_path, wait_for_rows):
    """Half a second of steps; more only where one flush took so long that it shows between two steps."""
    log = tmp_path / "steps.txt"
    made = running(f"time.sleep(0.01); open({str(log)!r}, 'a').write(f'{{time.monotonic()}} {{t_end}}\\n')")
    wait_for_rows(made.out / "pair-b.h5", "slow.x", made.parts["b"], rows=50)
    seen = len(log.read_text().splitlines())
    while len(log.read_text().splitlines()) < seen + 250:  # 2.5 s and more after a flush
        time.sleep(0.05)
    made.parts["b"].kill()
    made.parts["b"].communicate()
    made.parts["a"].communicate()
    steps = np.array([line.split() for line in log.read_text().splitlines()], dtype=float)
    with cp.load(made.out / "pair-b.h5") as result:
        lost = steps[steps[:, 1] > result.end + 1e-9, 0]
    longest = np.diff(steps[:, 0]).max()
    between = max(FLUSH_SECONDS, longest / FLUSH_SHARE)
    assert len(lost) < 2 or lost[-1] - lost[0] <= between + SLICE_SECONDS + 2 * longest


def test_a_killed_broker_is_told_and_the_results_of_all_are_kept(running, wait_for_rows):
    made = running("time.sleep(0.02)")
    wait_for_file(made, "b", wait_for_rows, "slow.x")
    made.broker.kill()
    for part in "ab":
        _, told = made.parts[part].communicate()
        assert made.parts[part].returncode == 4, told
        assert "waits for" in told
        assert f"kept {made.out / f'pair-{part}.h5'}" in told


def test_a_federate_that_stalls_is_named_before_and_when_the_others_give_up(running):
    made = running("time.sleep(15.0 if t > 0.5 else 0.0)", limit=2.0)
    _, told = made.parts["a"].communicate()
    assert made.parts["a"].returncode == 4, told
    assert 'waits for "slow" (last sample at t = 0.6 s); waited 2 s so far' in told
    assert "no grant within 2 s of wall time" in told


def test_a_failing_model_ends_all_parts_and_its_message_reaches_all(running):
    made = running("assert t < 0.5, 'the tank is empty'")
    _, told = made.parts["b"].communicate()
    assert made.parts["b"].returncode == 3, told
    assert "the tank is empty" in told
    _, told = made.parts["a"].communicate()
    assert made.parts["a"].returncode == 4, told
    assert '"b" stopped: ' in told
    assert "the tank is empty" in told


def test_a_federate_that_comes_again_is_refused(running, wait_for_rows):
    made = running("time.sleep(0.02)", limit=4.0)
    wait_for_file(made, "b", wait_for_rows, "slow.x")
    made.parts["b"].kill()
    made.parts["b"].communicate()
    _, told = made.start("b").communicate()
    assert made.parts["b"].returncode == 4, told


def test_parts_with_other_settings_do_not_run_together(pair, tmp_path, spawn):
    made = Running(pair(), tmp_path, spawn)
    one, other = made.start("a"), made.start("b", "--until", "3")
    told = [process.communicate()[1] for process in (one, other)]
    assert {one.returncode, other.returncode} == {4}, told
    assert any("runs another scenario than" in text for text in told)


def test_a_part_that_never_comes_is_named(pair, tmp_path, spawn):
    made = Running(pair(limit=2.0), tmp_path, spawn)
    _, told = made.start("a").communicate()
    assert made.parts["a"].returncode == 4
    assert f'"a" waits for "b" to join the federation at {made.address}; gave up after 2 s' in told
    assert "kept" not in told  # nothing ran


def test_launch_tells_which_part_died_and_leaves_no_process_behind(pair, tmp_path):
    plan = pair(until=1e5)
    lines = []

    def kill_part():
        """When part b has begun to write."""
        file = tmp_path / "out" / "pair-b.h5"
        while not file.exists():
            time.sleep(0.05)
        listed = subprocess.run(["ps", "-wweo", "pid,args"], capture_output=True, text=True, check=True).stdout
        mine = [line for line in listed.splitlines() if str(plan.path) in line and "--part b" in line]
        os.kill(int(mine[0].split()[0]), signal.SIGKILL)

    killing = threading.Thread(target=kill_part)
    killing.start()
    outcome = launch(plan, tmp_path / "out", say=lines.append)
    killing.join()
    assert outcome.exit_code == 4
    assert [part.exit_code for part in outcome.parts] == [4, -signal.SIGKILL], lines
    assert '"b" ended with signal SIGKILL; the other parts stop' in lines
    listed = subprocess.run(["ps", "-wweo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(plan.path) not in listed


FOREIGN = """
    import sys
    import helics as h

    info = h.helicsCreateFederateInfo()
    h.helicsFederateInfoSetCoreTypeFromString(info, "tcp")
    h.helicsFederateInfoSetCoreInitString(
        info, f"--federates=1 --broker_address=127.0.0.1 --brokerport={sys.argv[1]} --tick=1s --loglevel=no_print"
    )
    h.helicsFederateInfoSetFlagOption(info, h.HELICS_FLAG_UNINTERRUPTIBLE, True)
    fed = h.helicsCreateValueFederate("plain", info)
    out = h.helicsFederateRegisterGlobalPublication(fed, "plain/height", h.HELICS_DATA_TYPE_DOUBLE, "cm")
    read = h.helicsFederateRegisterSubscription(fed, "ours/level", "mm")
    h.helicsInputSetDefaultDouble(read, 0.0)
    h.helicsFederateEnterExecutingMode(fed)
    h.helicsPublicationPublishDouble(out, 250.0)
    for k in range(1, 11):
        h.helicsFederateRequestTime(fed, 0.1 * k)
        print(repr(h.helicsInputGetDouble(read)), flush=True)
        h.helicsPublicationPublishDouble(out, 250.0 + 100.0 * k)
    h.helicsFederateDisconnect(fed)
    h.helicsFederateFree(fed)
    h.helicsCloseLibrary()
"""


TANK = """
    until = 1.0
    [subsystems.tank]
    type = "linear"
    step = 0.1
    solver = "ode4"
    A = [[0.0]]
    B = [[1.0]]
    C = [[1.0]]
    x0 = [0.0]
    inputs = ["u"]
    outputs = ["x"]
    [set]
    "tank.u" = 0.0
"""
TANK_PLAN = """
    scenario = "pair.toml"
    federates_beside = 1
    grant_timeout = 20.0
    [parts.ours]
    subsystems = ["tank"]
    subscribe = [{{ key = "{key}", to = "tank.u", unit = "{unit}", initial = 0.0 }}]
    publish = [{{ from = "tank.x", key = "ours/level", unit = "m" }}]
"""


@pytest.fixture
def beside_plain(write, tmp_path, spawn):
    """Run a part beside a plain program for HELICS; return the federation, the program, and what the part said."""

    def beside_plain(key="plain/height", unit="m"):
        write(TANK, "pair.toml")
        plan = LaunchPlan.read(write(TANK_PLAN.format(key=key, unit=unit), "plan.toml"))
        made = Running(plan, tmp_path, spawn)
        port = Broker.read(made.address).port
        other = spawn(
            [sys.executable, write(FOREIGN, "plain.py"), str(port)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        _, told = made.start("ours").communicate()
        return made, other, told

    return beside_plain


def test_a_plain_helics_program_exchanges_values_with_units(beside_plain, tmp_path):
    """Ours integrates x' = u with u in m, published by the other in cm; it reads x in mm."""
    made, other, told = beside_plain()
    assert made.parts["ours"].returncode == 0, told
    seen = [float(line) for line in other.communicate()[0].splitlines()]
    with cp.load(tmp_path / "out" / "pair-ours.h5") as result:
        x = result["tank.x"].values
    # The first step has the initial value; what is published at 0.1 s, 3.5 m, is seen by the step that begins there.
    assert np.diff(x) == pytest.approx([0.0, *(0.1 * (3.5 + np.arange(9)))], abs=1e-12)
    # It sees at k tenths what we had at k - 1 tenths, in mm.
    assert seen == pytest.approx([0.0, *(1000.0 * x[1:10])], abs=1e-9)


def test_a_value_that_no_program_publishes_is_refused(beside_plain):
    """HELICS would leave the input at its initial value."""
    made, _, told = beside_plain(key="plain/hight")
    assert made.parts["ours"].returncode == 2, told
    assert 'no program of the federation publishes "plain/hight"; did you mean "plain/height"?' in told


def test_a_unit_of_a_plain_value_that_cannot_be_converted_names_the_input(beside_plain):
    made, _, told = beside_plain(unit="kg")
    assert made.parts["ours"].returncode == 4, told
    assert "tank.u" in told and "cm is not convertible to kg" in told


def test_a_part_that_waits_for_a_plain_program_names_what_that_publishes(write, tmp_path, spawn):
    write(TANK.replace("until = 1.0", "until = 1e6"), "pair.toml")
    plan = LaunchPlan.read(write(TANK_PLAN.format(key="plain/height", unit="m"), "plan.toml"))
    made = Running(plan, tmp_path, spawn)
    port = Broker.read(made.address).port
    text = FOREIGN.replace("import sys", "import sys, time").replace("range(1, 11)", "range(1, 10**7)")
    other = spawn([sys.executable, write(text, "plain.py"), str(port)], stdout=subprocess.PIPE, text=True)
    part = made.start("ours")
    for _ in range(5):
        other.stdout.readline()
    other.kill()
    _, told = part.communicate()
    assert part.returncode == 4, told
    assert 'waits for the program that publishes "plain/height"' in told


def test_a_runner_file_starts_the_same_processes(pair, tmp_path):
    import json

    written = json.loads(runner_file(pair(), tmp_path / "out", "tcp://127.0.0.1:23404"))
    assert [one["name"] for one in written["federates"]] == ["a", "b", "broker"]
    assert "--part a --broker tcp://127.0.0.1:23404" in written["federates"][0]["exec"]
    assert "helics_broker -t tcp -f 2" in written["federates"][2]["exec"]


def test_a_runner_file_has_the_options_of_the_command(pair, tmp_path, spawn):
    import json

    plan, runner = pair(), tmp_path / "runner.json"
    command = [sys.executable, "-m", "counterpoint", "launch", str(plan.path), "--runner", str(runner)]
    process = spawn([*command, "--until", "5 s", "--scheme", "sequential"], cwd=tmp_path)
    assert process.wait(60) == 0
    started = json.loads(runner.read_text())["federates"][0]["exec"]
    assert started.endswith("--until 5.0 --scheme sequential")


def test_an_interrupted_launch_ends_as_after_a_signal(running, spawn, wait_for_rows, tmp_path):
    plan = running("time.sleep(0.02)", start=False).plan
    command = [sys.executable, "-m", "counterpoint", "launch", str(plan.path), "--out", str(tmp_path / "out")]
    process = spawn(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_rows(tmp_path / "out" / "pair-b.h5", "slow.x", process, rows=3)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130


def test_a_launch_that_did_not_start_leaves_no_results_of_its_own(pair, tmp_path):
    plan = pair()
    outcome, lines = run(plan, tmp_path)
    assert all(part.has_results for part in outcome.parts), lines
    broken = pair(model=PYTHON)  # there is no models.py
    failed = launch(broken, tmp_path / "out", say=lines.append, overwrite=True)
    assert failed.exit_code == 2, lines
    assert not any(part.has_results for part in failed.parts)


def test_results_that_are_there_are_replaced_only_if_asked(pair, tmp_path):
    plan, out = pair(until=0.2), tmp_path / "out"
    assert launch(plan, out, say=lambda line: None).exit_code == 0
    with pytest.raises(cp.OutputError, match=r"pair-b\.h5: already exists; add --overwrite"):
        launch(plan, out)
    assert cp.load(out / "pair-b.h5").end == pytest.approx(0.2)
    assert launch(plan, out, overwrite=True, more=["--until", "0.4"], say=lambda line: None).exit_code == 0
    assert cp.load(out / "pair-b.h5").end == pytest.approx(0.4)


def test_a_plan_without_its_scenario_is_refused(write):
    with pytest.raises(cp.ScenarioError, match=r'scenario: "gone\.toml": no such file'):
        LaunchPlan.read(write('scenario = "gone.toml"\n[parts.a]\nsubsystems = ["b"]\n', "gone-plan.toml"))


def test_a_plan_names_all_its_mistakes(write):
    with pytest.raises(cp.ScenarioError) as caught:
        LaunchPlan.read(write('scenario = "x.toml"\ncor = "tcp"\n[parts.a]\nsubsystem = ["b"]\n'))
    told = str(caught.value)
    assert "cor:" in told
    assert "parts.a.subsystem" in told


def test_a_missing_extra_names_the_command(monkeypatch):
    from counterpoint.federation.session import load_helics

    monkeypatch.setitem(sys.modules, "helics", None)
    with pytest.raises(cp.MissingExtraError, match=r"pip install 'counterpoint\[helics\]'"):
        load_helics()


@pytest.mark.parametrize("text", ["tcp://", "127.0.0.1:99", "udp://host:1", "tcp://host:0", "tcp://host:99999"])
def test_an_address_that_is_none_is_refused(text):
    with pytest.raises(cp.SetupError, match="expected CORE://HOST:PORT"):
        Broker.read(text)
