"""FMUs in processes of their own: whatever they do, the run ends with a message, keeps its results and leaves nothing."""

import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._cli.main import main
from counterpoint.fmi.isolation import shared_python

from .models import OSCILLATOR

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tests of isolation use what Linux has")


def children():
    """Processes of ours that run isolated FMUs."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and "counterpoint" in (entry / "cmdline").read_text():
                found.append(int(entry.name))
        except (OSError, ValueError, IndexError):
            continue
    return found


@pytest.fixture(autouse=True)
def no_process_left():
    yield
    assert children() == []


def failing(path, number, until=1.0, **options):
    system = cp.System("faults")
    parameters = {"fault": number, "fault_time": 0.45}
    system.add("pump", cp.fmu(path, parameters=parameters, **{"isolate": True} | options), step=0.1)
    system.add("other", cp.source(lambda t: t, outputs="y"), step=0.1)
    return system.run(until=until)


def pair(path, **options):
    system = cp.System("pair")
    for name, other in (("left", "right"), ("right", "left")):
        system.add(name, cp.fmu(path, parameters={"kc": 20.0, "dc": 0.1}, name=name, **options))
        system.connect(f"{other}.x", f"{name}.x_other", cp.hermite())
        system.connect(f"{other}.v", f"{name}.v_other", cp.lagrange(1))
    system.subsystems["left"].subsystem.preferred_step = 0.01
    return system


@pytest.mark.parametrize("inputs_at", ["auto", "start", "middle"])
def test_an_isolated_fmu_gives_the_same_bits(built, version, inputs_at):
    path = built("oscillator", version)
    here = pair(path, inputs_at=inputs_at).run(until=1.0, scheme="parallel")
    apart = pair(path, inputs_at=inputs_at, isolate=True).run(until=1.0, scheme="parallel")
    for signal_name in here.signals:
        assert np.array_equal(here[signal_name].values, apart[signal_name].values), signal_name
        assert np.array_equal(here[signal_name].time, apart[signal_name].time), signal_name


def test_windows_are_repeated_with_states_in_the_other_process(built, version):
    options = {"until": 0.4, "scheme": "parallel", "window": cp.window(0.04, repeats=2)}
    here = pair(built("oscillator", version)).run(**options)
    apart = pair(built("oscillator", version), isolate=True).run(**options)
    for signal_name in here.signals:
        assert np.array_equal(here[signal_name].values, apart[signal_name].values), signal_name


@pytest.mark.parametrize("solver", ["ode45", "ode4"])
def test_model_exchange_gives_the_same_bits(built, version, solver):
    options = {"kind": "model-exchange", "solver": solver} | ({"step": 0.01} if solver == "ode4" else {})

    def run(**more):
        system = cp.System()
        system.add("fmu", cp.fmu(built("oscillator", version), **options, **more))
        system.add("wave", cp.source(np.sin, outputs="y", units={"y": "N"}), step=0.013)
        system.connect("wave.y", "fmu.force", cp.lagrange(2))
        return system.run(until=0.5)

    here, apart = run(), run(isolate=True)
    assert np.array_equal(here["fmu.x"].time, apart["fmu.x"].time)
    assert np.array_equal(here["fmu.x"].values, apart["fmu.x"].values)


def test_events_happen_at_the_same_times(built):
    def run(**options):
        system = cp.System()
        system.add("ball", cp.fmu(built("bouncing-ball", 3), **options), step=0.05)
        return system.run(until=1.5)

    here, apart = run(), run(isolate=True)
    assert len(here["ball.h"].time) > 31
    assert np.array_equal(here["ball.h"].time, apart["ball.h"].time)
    assert np.array_equal(here["ball.v"].values, apart["ball.v"].values)


def test_loops_at_the_start_are_solved_in_the_same_way(built, version):
    def run(**options):
        system = cp.System()
        for name, other in (("a", "b"), ("b", "a")):
            model = cp.fmu(
                built("pass-through", version), inputs=["float64_in"], outputs=["float64_out"], name=name, **options
            )
            system.add(name, model, step=0.1)
            system.connect(f"{other}.float64_out", f"{name}.float64_in", gain=0.5, offset=1.0)
        return system.run(until=0.5)

    here, apart = run(), run(isolate=True)
    assert here["a.float64_out"].values[0] == pytest.approx(2.0)  # a = b / 2 + 1 = a / 4 + 3 / 2
    assert np.array_equal(here["a.float64_out"].values, apart["a.float64_out"].values)


def test_variables_of_all_types_can_be_read_while_a_run_is_under_way(built, version):
    model = cp.fmu(
        built("pass-through", version), isolate=True, start={"string_in": "grüß dich"}, outputs=["float64_out"]
    )
    system = cp.System()
    system.add("fmu", model, step=0.1)
    with system.start(until=1.0) as run:
        run.step_to(0.5)
        assert model.read("string_out") == "grüß dich"
        assert model.read("float64_out") == 0.0
        assert model.read("mode_out") == 1
        if version == 3:
            assert model.read("binary_out") == b"\xca\xfe"
            assert model.read("matrix_out").tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(cp.SetupError, match="not running"):
        model.read("string_out")


def test_states_are_saved_and_restored_in_the_other_process(built, version):
    path = built("oscillator", version)
    native = cp.fmu(path, isolate=True, redo_discarded=True)
    system = cp.System()
    system.add("fmu", native, step=0.01)
    assert system.run(until=0.5).status == "finished"
    plain = cp.System()
    plain.add("fmu", cp.fmu(path, redo_discarded=True), step=0.01)
    assert np.array_equal(system.run(until=0.5)["fmu.x"].values, plain.run(until=0.5)["fmu.x"].values)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("segfaults", r"died \(SIGSEGV: Segmentation fault\)"),
        ("aborts", r"died \(SIGABRT: Aborted\)"),
        ("overflows-stack", r"died \(SIGSEGV: Segmentation fault\)"),
        ("exits", "ended itself with exit code 7"),
        ("hangs", r"did not answer within 0\.5 s; a longer deadline can be given; it was killed"),
        ("sleeps", r"did not answer within 0\.5 s; a longer deadline can be given; it was killed"),
        (
            "prints-and-segfaults",
            "the FMU said: something is wrong with the pointer; it printed: about to touch address 0",
        ),
    ],
)
def test_death_is_told_and_the_results_are_kept(built, version, fault, name, words):
    with pytest.raises(cp.ComponentDied, match=words) as failed:
        failing(built("misbehaving", version), fault(name), deadline=0.5 if name in ("hangs", "sleeps") else 15.0)
    assert str(failed.value).startswith("pump: step from t = 0.4 s to 0.5 s failed: the process of the FMU ")
    assert failed.value.exit_code == 4
    assert failed.value.result["pump.y"].time[-1] == pytest.approx(0.4)
    assert failed.value.result.status == "failed"


def in_a_round(path, faults, isolate):
    """Run FMUs that step together; steps of isolated ones are sent off before any subsystem steps."""
    system = cp.System("round")
    for k, (number, alone) in enumerate(zip(faults, isolate, strict=True)):
        parameters = {"fault": number, "fault_time": 0.45}
        system.add(f"pump{k}", cp.fmu(path, parameters=parameters, name=f"pump{k}", isolate=alone), step=0.1)
    for k in range(len(faults)):
        system.connect(f"pump{k}.y", f"pump{(k + 1) % len(faults)}.u", cp.hold())
    return system.run(until=1.0, scheme="parallel")


@pytest.mark.parametrize("failed", [0, 1, 2])
def test_in_a_round_who_died_is_told_and_the_others_are_not_left_behind(built, version, fault, failed):
    faults = [fault("segfaults") if k == failed else 0 for k in range(3)]
    with pytest.raises(cp.ComponentDied) as death:
        in_a_round(built("misbehaving", version), faults, isolate=[True, True, True])
    assert str(death.value).startswith(f"pump{failed}: step from t = 0.4 s to 0.5 s failed: the process of the FMU ")
    times = [death.value.result[f"pump{k}.y"].time[-1] for k in range(3)]
    assert times == pytest.approx([0.5] * failed + [0.4] * (3 - failed))


def test_an_error_of_one_leaves_no_step_of_another_unanswered(built, version, fault):
    """The FMU in this process fails while the answers of the others are on their way."""
    faults = [fault("errs"), 0, 0]
    with pytest.raises(cp.SimulationError, match=r"pump0: step from t = 0\.4 s to 0\.5 s failed") as failure:
        in_a_round(built("misbehaving", version), faults, isolate=[False, True, True])
    assert failure.value.result["pump1.y"].time[-1] == pytest.approx(0.4)


def test_a_round_gives_the_same_bits_isolated_or_not(built, version):
    path = built("misbehaving", version)
    here = in_a_round(path, [0, 0, 0], isolate=[False, False, False])
    far = in_a_round(path, [0, 0, 0], isolate=[True, False, True])
    for name in ("pump0", "pump1", "pump2"):
        assert np.array_equal(here[name], far[name])


def test_who_reads_a_variable_while_a_step_is_on_its_way_does_not_repeat_it(built, version):
    class Reader(cp.Subsystem):
        outputs = ("y",)

        def step(self, t, t_end, u):
            model.read("x")

        def output(self, t, u):
            return t

    def run():
        system = cp.System()
        system.add("reader", Reader(), step=0.01)
        system.add("fmu", model, step=0.01)
        system.connect("reader.y", "fmu.force", cp.hold(), convert=False)
        return system.run(until=0.5, scheme="parallel")

    model = cp.fmu(built("oscillator", version))
    here = run()
    model = cp.fmu(built("oscillator", version), isolate=True)
    assert np.array_equal(run()["fmu"], here["fmu"])


def test_a_leak_ends_at_the_memory_limit(built, version, fault):
    with pytest.raises(cp.ComponentDied, match=r"died \(SIG\w+: .*\); its memory was limited to 200 MB"):
        failing(built("misbehaving", version), fault("leaks"), isolate=cp.fmi.Isolation(memory=200e6))


def test_endless_work_ends_at_the_limit_of_processor_time(built, version, fault):
    with pytest.raises(cp.ComponentDied, match=r"died \(SIGXCPU"):
        failing(
            built("misbehaving", version), fault("hangs"), isolate=cp.fmi.Isolation(processor_time=0.5, deadline=30.0)
        )


def test_a_fork_bomb_does_not_go_off(built, version, fault):
    with pytest.raises(cp.ComponentDied, match=r"did not answer within 0\.5 s"):
        failing(built("misbehaving", version), fault("forks-forever"), deadline=0.5)


def stat_of(process):
    """Return what the kernel says of a process; nothing when it has ended, which it may at any moment."""
    try:
        return Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return ""


def is_running(process):
    said = stat_of(process)
    return said != "" and ") Z" not in said


def test_an_fmu_may_start_processes_only_when_it_is_allowed_to(built, version, fault, wait_for):
    path, number = built("misbehaving", version), fault("starts-a-process")
    assert failing(path, number)["pump.y"].values[5] == -1.0
    process = int(failing(path, number, isolate=cp.fmi.Isolation(processes=True))["pump.y"].values[5])
    assert process > 0
    wait_for(lambda: not is_running(process))


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("errs", cp.ComponentError, "DoStep returned the status error; the FMU said: the valve is stuck at t = 0.45"),
        ("dies-fatally", cp.ComponentError, "DoStep returned the status fatal; .*memory is corrupt"),
        ("discards", cp.ComponentError, "discarded the step; it could continue to t = 0.45 s"),
        ("gives-nan", cp.NotFiniteError, 'output "y" is NaN'),
    ],
)
def test_errors_are_those_of_an_fmu_in_this_process(built, version, fault, name, kind, words):
    with pytest.raises(kind, match=words) as failed:
        failing(built("misbehaving", version), fault(name))
    assert str(failed.value).startswith("pump: step from t = 0.4 s to 0.5 s failed: ")
    assert failed.value.exit_code == 3


@pytest.mark.parametrize("name", ["prints", "rounds-up", "changes-directory", "takes-signals", "closes-stdout"])
def test_bad_manners_stay_in_the_other_process(built, version, fault, name, capfd):
    before = os.getcwd(), signal.getsignal(signal.SIGINT)
    result = failing(built("misbehaving", version), fault(name))
    assert result["pump.y"].values[-1] == pytest.approx(1.0)
    assert (os.getcwd(), signal.getsignal(signal.SIGINT)) == before
    assert capfd.readouterr().out == ""


def test_what_it_printed_and_said_is_kept(built, version, fault):
    model = cp.fmu(built("misbehaving", version), parameters={"fault": fault("prints")}, isolate=True)
    system = cp.System()
    system.add("pump", model, step=0.1)
    system.run(until=1.0)
    assert model.printed == "printed by the model\n"
    flooding = cp.fmu(built("misbehaving", version), parameters={"fault": fault("floods-log")}, isolate=True)
    system = cp.System()
    system.add("pump", flooding, step=0.1)
    system.run(until=1.0)
    assert len(flooding.messages) == 1000
    assert flooding._made.dropped_messages == 99_000
    assert (flooding.messages[0].text, flooding.messages[0].status) == ("message 0 of a flood", "error")
    assert flooding.messages[0].time == pytest.approx(0.4)


def test_its_working_directory_is_its_own_and_the_environment_small(
    built, version, fault, monkeypatch, nothing_left_behind
):
    monkeypatch.setenv("COUNTERPOINT_SECRET", "hidden")
    monkeypatch.setenv("PUMP_LICENSE_FILE", "27000@server")
    monkeypatch.setenv("COUNTERPOINT_SHOWN", "seen")
    system = cp.System()
    isolation = cp.fmi.Isolation(environment=("COUNTERPOINT_SHOWN",))
    system.add("pump", cp.fmu(built("misbehaving", version), isolate=isolation), step=0.1)
    with system.start(until=1.0):
        (child,) = children()
        folder = Path(os.readlink(f"/proc/{child}/cwd"))
        variables = Path(f"/proc/{child}/environ").read_bytes().decode()
        files = [os.readlink(f"/proc/{child}/fd/{number}") for number in os.listdir(f"/proc/{child}/fd")]
    assert nothing_left_behind in folder.parents
    assert "PUMP_LICENSE_FILE" in variables and "COUNTERPOINT_SHOWN" in variables
    assert "COUNTERPOINT_SECRET" not in variables
    assert not [file for file in files if file.startswith("/") and not file.startswith(("/memfd", "/dev/null"))]


def test_when_memory_runs_out_the_kernel_ends_the_fmu_and_not_us(built, version):
    system = cp.System()
    system.add("pump", cp.fmu(built("misbehaving", version), isolate=True), step=0.1)
    with system.start(until=1.0):
        (child,) = children()
        assert Path(f"/proc/{child}/oom_score_adj").read_text() == "1000\n"


def test_a_refused_licence_and_a_damaged_binary_are_told(built, changed, version, monkeypatch):
    from .building import platform_name, suffix

    binary = f"binaries/{platform_name(version)}/misbehaving{suffix()}"
    path = changed(built("misbehaving", version), {binary: b"garbage"})
    with pytest.raises(cp.ComponentDied, match=r"pump: start at t = 0 s failed: cannot be loaded: .*misbehaving"):
        failing(path, 0)
    monkeypatch.setenv("TEST_FMU_LICENCE", "refuse")
    with pytest.raises(cp.ComponentDied, match="no licence for this model at port@server"):
        failing(built("misbehaving", version), 0)


PYTHON_INSIDE = """
extern int Py_IsInitialized(void);
extern void Py_InitializeEx(int);
extern int PyRun_SimpleString(const char *);
extern void abort(void);
__attribute__((constructor)) static void begin(void) {
  if (!Py_IsInitialized()) Py_InitializeEx(0);
  if (PyRun_SimpleString("import numpy, click") != 0) abort();
}
"""


@pytest.fixture
def needing_python(built, changed, version, tmp_path):
    """An FMU as those of PythonFMU: its library expects the symbols of Python in its process, and uses packages."""
    from .building import compiler, platform_name, suffix

    name = f"binaries/{platform_name(version)}/misbehaving{suffix()}"
    with zipfile.ZipFile(built("misbehaving", version)) as archive:
        archive.extract(name, tmp_path)
    (tmp_path / "source.c").write_text(PYTHON_INSIDE)
    inner = tmp_path / name
    made = tmp_path / "made.so"
    linked = (f"-Wl,--no-as-needed,-rpath,{inner.parent}", inner)
    command = [compiler(), "-shared", "-fPIC", tmp_path / "source.c", *linked, "-o", made]
    subprocess.run(list(map(str, command)), check=True)
    return changed(built("misbehaving", version), {name: made.read_bytes()})


@pytest.mark.skipif(not shared_python()[0], reason="this Python has no shared library")
def test_an_fmu_that_needs_python_finds_it_in_its_own_process(needing_python):
    system = cp.System("trial")
    system.add("pump", cp.fmu(needing_python, isolate=True), step=0.1)
    assert system.run(until=1.0).status == "finished"


def test_an_fmu_that_needs_python_says_so_where_python_has_no_library(needing_python, monkeypatch):
    monkeypatch.setattr("counterpoint.fmi.isolation.shared_python", lambda: ("", "", ""))
    with pytest.raises(cp.ComponentDied, match=r"needs Python in its process, and .*: run it without isolate"):
        failing(needing_python, 0)


def test_two_of_a_once_only_fmu_get_their_own_processes(built, version):
    model = OSCILLATOR.changed(
        co_simulation={"canHandleVariableCommunicationStepSize": "true", "canBeInstantiatedOnlyOncePerProcess": "true"}
    )
    path = built(model, version)
    system = cp.System()
    system.add("a", cp.fmu(path))
    with system.start(until=0.1):
        assert children() == []
    system.add("b", cp.fmu(path))
    with system.start(until=0.1) as run:
        assert len(children()) == 2
        run.step_to(0.1)
        assert run.value("a.x") == run.value("b.x")


def test_a_child_dies_with_the_process_that_started_it(built, version, tmp_path, spawn, wait_for):
    script = tmp_path / "master.py"
    script.write_text(
        "import counterpoint as cp, sys, time\n"
        f"system = cp.System(); system.add('fmu', cp.fmu({str(built('oscillator', version))!r}, isolate=True), step=0.1)\n"
        "run = system.start(until=1.0); run.step_to(0.1); print('ready', flush=True); time.sleep(60)\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    master = spawn([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment)
    assert master.stdout.readline() == "ready\n"
    (child,) = (
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and f" {master.pid} " in re.sub(r"^.*\)", "", stat_of(entry.name))[:20]
    )
    master.kill()
    master.wait()
    wait_for(lambda: not is_running(child))


def test_options_of_isolation_are_checked(built):
    path = built("oscillator", 2)
    with pytest.raises(cp.SetupError, match="deadline: a call inside this process cannot be stopped; add isolate=True"):
        cp.fmu(path, deadline=1.0)
    with pytest.raises(
        cp.SetupError, match="deadline: -1; expected a positive number\nmemory: 'much'; expected a positive"
    ):
        cp.fmu(path, isolate=cp.fmi.Isolation(deadline=-1, memory="much"))


SCENARIO = """\
name = "pump"
until = 1.0
[subsystems.pump]
type = "fmu"
file = "pump.fmu"
step = 0.1
parameters = {{fault = {fault}}}
isolate = {isolate}
"""


@pytest.mark.parametrize("isolate", ["true\ndeadline = 0.5", "{deadline = 0.5, memory = 1e9, environment = 'X'}"])
def test_a_dead_fmu_on_the_command_line_gives_exit_code_4(
    built, version, fault, tmp_path, monkeypatch, capsys, isolate
):
    shutil.copy(built("misbehaving", version), tmp_path / "pump.fmu")
    (tmp_path / "pump.toml").write_text(SCENARIO.format(fault=fault("hangs"), isolate=isolate))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["run", "pump.toml", "--no-plot"])
    assert end.value.code == 4
    assert "did not answer within 0.5 s" in capsys.readouterr().err
    assert cp.load(tmp_path / "pump-run" / "pump.h5")["pump.y"].time[-1] == pytest.approx(0.4)


def test_mistakes_in_the_isolation_of_a_scenario_are_told(built, tmp_path):
    shutil.copy(built("misbehaving", 2), tmp_path / "pump.fmu")
    (tmp_path / "pump.toml").write_text(SCENARIO.format(fault=0, isolate="{deadlin = 1.0}"))
    with pytest.raises(cp.ScenarioError, match=r'isolate\.deadlin: unknown key; did you mean "deadline"\?'):
        cp.Scenario.read(tmp_path / "pump.toml").build()
