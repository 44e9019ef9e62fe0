"""FMUs that fail: the message says where, when and what the FMU said; results are kept; nothing is left behind."""

import math
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import counterpoint as cp

from .building import compiler, platform_name, suffix
from .models import MISBEHAVING, OSCILLATOR


def failing(path, number, step=0.1, until=1.0, **options):
    system = cp.System("faults")
    parameters = {"fault": number, "fault_time": 0.45}
    system.add("pump", cp.fmu(path, parameters=parameters, **options), step=step)
    system.add("other", cp.source(lambda t: t, outputs="y"), step=step)
    return system.run(until=until)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        (
            "errs",
            cp.ComponentError,
            ["DoStep returned the status error", "the FMU said: the valve is stuck at t = 0.45"],
        ),
        ("dies-fatally", cp.ComponentError, ["DoStep returned the status fatal", "memory is corrupt"]),
        ("returns-42", cp.ComponentError, ["returned the status 42, which FMI does not define", "treated as fatal"]),
        ("discards", cp.ComponentError, ["discarded the step", "could continue to t = 0.45 s", "redo_discarded=True"]),
        ("gives-nan", cp.NotFiniteError, ['output "y" is NaN']),
        ("gives-infinity", cp.NotFiniteError, ['output "y" is infinite']),
    ],
)
def test_a_failure_says_what_happened_and_keeps_the_results(built, version, fault, name, kind, words):
    with pytest.raises(kind) as failed:
        failing(built("misbehaving", version), fault(name))
    text = str(failed.value)
    assert text.startswith("pump: step from t = 0.4 s to 0.5 s failed: ")
    for word in words:
        assert word in text
    assert failed.value.exit_code == 3
    assert failed.value.subsystem == "pump"
    assert failed.value.result["pump.y"].time[-1] == pytest.approx(0.4)
    assert failed.value.result.status == "failed"


@pytest.mark.parametrize("name", ["prints", "rounds-up", "enables-traps", "changes-directory", "takes-signals"])
def test_bad_manners_do_no_harm(built, version, fault, name, monkeypatch, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    result = failing(built("misbehaving", version), fault(name))
    assert result.status == "finished"
    assert result["pump.y"].values[-1] == pytest.approx(1.0)
    assert os.getcwd() == str(inside)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def scenario_of(path, number, folder, until):
    (folder / "pump.toml").write_text(f"""
until = {until}
[subsystems.pump]
type = "fmu"
file = "{path}"
step = 0.1
parameters = {{ fault = {number}, fault_time = 0.45 }}
""")
    return [sys.executable, "-m", "counterpoint", "run", "pump.toml", "--no-plot", "--allow-outside"]


@pytest.mark.parametrize("name", ["closes-stdout", "changes-directory"])
def test_the_command_line_reports_as_ever_on_an_fmu_with_bad_manners(built, version, fault, name, tmp_path):
    command = scenario_of(built("misbehaving", version), fault(name), tmp_path, 1.0)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "finished at t = 1 s" in done.stdout
    assert "wrote pump-run/pump.h5" in done.stdout


def test_ctrl_c_ends_a_run_although_an_fmu_ignores_it(built, version, fault, tmp_path, spawn, wait_for_rows):
    command = scenario_of(built("misbehaving", version), fault("takes-signals"), tmp_path, 1e9)
    running = spawn(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_rows(tmp_path / "pump-run" / "pump.h5", "pump.y", running)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate()
    assert running.returncode == 130
    assert "results up to there are kept" in errors


def test_rounding_is_as_it_was_after_an_fmu_changed_it(built, version, fault):
    exact = np.float64(1.0) / np.float64(3.0)
    failing(built("misbehaving", version), fault("rounds-up"))
    assert exact == np.float64(1.0) / np.float64(3.0)
    assert math.fsum([1.0, 1e-17]) == 1.0
    assert 1.0 + 1e-17 == 1.0


def test_an_fmu_that_begins_to_round_up_does_not_change_other_subsystems(built, version, fault):
    """FMUs that step together are watched now and then: others may be off by roundings of a few dozen steps, no more."""

    def pair(number):
        system = cp.System("pair")
        parameters = {"fault": number, "fault_time": 0.45}
        system.add("pump", cp.fmu(built("misbehaving", version), parameters=parameters, inputs_at="start"), step=1e-3)
        oscillator = cp.fmu(built("oscillator", version), outputs=["x", "v"], inputs_at="start")
        system.add("mass", oscillator, step=1e-3)
        system.connect("pump.y", "mass.force", cp.hold(), convert=False)
        return system.run(until=2.0, scheme="parallel")["mass.x"].values

    good, bad = pair(fault("none")), pair(fault("rounds-up"))
    assert np.array_equal(good[:450], bad[:450])
    assert np.abs(good - bad).max() < 100 * np.finfo(float).eps
    assert 1.0 + 1e-17 == 1.0


def test_traps_that_an_fmu_has_enabled_do_not_go_off_elsewhere(built, version, fault):
    failing(built("misbehaving", version), fault("enables-traps"))
    with np.errstate(all="ignore"):
        assert np.isinf(np.float64(1.0) / np.float64(0.0))


def test_an_fmu_that_closes_the_standard_output_loses_no_results(built, version, fault, tmp_path):
    """In a process of its own: the output that is closed is that of the process."""
    script = f"""
import counterpoint as cp
system = cp.System()
system.add("pump", cp.fmu({str(built("misbehaving", version))!r}, parameters={{"fault": {fault("closes-stdout")}}}), step=0.1)
result = system.run(until=1.0, file="pump.h5")
assert result.status == "finished"
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert cp.load(tmp_path / "pump.h5")["pump.y"].values[-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (3, "returned the status error; the FMU said: x = 1.89"),
        (4, "returned the status fatal"),
        (42, "returned the status 42, which FMI does not define; it is treated as fatal"),
    ],
)
def test_a_failure_in_model_exchange_names_the_function_and_keeps_the_results(built, version, status, words):
    """The FMU fails where x has fallen below 1.9; after a fatal status the test FMU aborts whoever calls it again."""
    model = cp.fmu(built("van-der-pol", version), solver="ode4", parameters={"limit": -1.9, "status": status})
    system = cp.System()
    system.add("pump", model, step=0.01)
    with pytest.raises(cp.ComponentError, match=r"pump: step from .* fmi.Get\w*Derivatives") as failed:
        system.run(until=3.0)
    assert words in str(failed.value)
    assert failed.value.result["pump.x"].values[-1] == pytest.approx(1.9, abs=0.02)


def test_an_fmu_that_needs_its_tool_says_so_when_it_does_not_start(built, version, monkeypatch):
    monkeypatch.setenv("TEST_FMU_LICENCE", "refuse")
    model = MISBEHAVING.changed(co_simulation={"needsExecutionTool": "true"})
    with pytest.raises(cp.ComponentDied, match="needs the program that made it, test, on this computer"):
        failing(built(model, version), 0)


def test_a_step_that_is_discarded_without_progress_names_no_time_to_go_to(built, version, fault):
    """Some FMUs discard every step and have no status: the start of the step is no time that could be reached."""
    system = cp.System()
    parameters = {"fault": fault("counts-nanoseconds"), "fault_time": 1.0}
    system.add("pump", cp.fmu(built("misbehaving", version), parameters=parameters), step=0.3)
    with pytest.raises(cp.ComponentError, match="discarded the step and does not say how far it could go; redo"):
        system.run(until=3.0)


def test_a_discarded_step_is_made_again_in_smaller_ones(built, version, fault):
    """They end where the FMU could go, and the next ones begin there."""
    result = failing(built("misbehaving", version), fault("discards-long-steps"), redo_discarded=True)
    assert result["pump.y"].values == pytest.approx(result["pump.y"].time)
    assert result["pump.y"].time == pytest.approx(np.linspace(0.0, 1.0, 101))


def test_steps_that_are_always_discarded_end_the_run(built, version, fault):
    with pytest.raises(cp.ComponentError, match="a thousand times smaller do not help"):
        failing(built("misbehaving", version), fault("discards"), redo_discarded=True)


def test_a_state_that_cannot_be_saved_is_told(built, version, fault):
    with pytest.raises(
        cp.ComponentError,
        match=r"Get(FMUstate|FMUState) returned the status error; the FMU said: the state cannot be saved now",
    ):
        failing(built("misbehaving", version), fault("refuses-state"), redo_discarded=True)


NO_STATE = MISBEHAVING.changed(co_simulation={"canHandleVariableCommunicationStepSize": "true"})


@pytest.mark.parametrize("isolate", [False, True], ids=["in process", "isolated"])
@pytest.mark.parametrize(
    ("model", "version", "name"),
    [
        (MISBEHAVING, 2, "stops-on-its-own-grid"),
        (NO_STATE, 1, "stops-on-its-own-grid"),
        (NO_STATE, 2, "stops-on-its-own-grid"),
        (MISBEHAVING, 3, "refuses-ends-off-its-grid"),
        (NO_STATE, 3, "refuses-ends-off-its-grid"),
    ],
    ids=["FMI 2 set back", "FMI 1", "FMI 2", "FMI 3 set back", "FMI 3"],
)
def test_steps_go_on_from_the_time_that_an_fmu_could_reach(built, fault, model, version, name, isolate):
    """One with steps of its own discards what is left of a step: the next one has the full length again.

    FMI 1 and 2: it has gone that far unless it is set back. FMI 3: it is as before, and needs no saved state.
    """
    system = cp.System("own grid")
    parameters = {"fault": fault(name), "fault_time": 0.1}
    pump = cp.fmu(built(model, version), parameters=parameters, redo_discarded=True, isolate=isolate)
    system.add("pump", pump, step=0.25)
    system.add("tank", cp.ode(lambda t, x, u: [u[0]], x0=[0.0], inputs="u", outputs="x"), step=0.05)
    system.connect("pump.y", "tank.u", cp.hold())
    result = system.run(until=1.0)
    assert result["pump.y"].time == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert result["pump.y"].values == pytest.approx(result["pump.y"].time)
    told = [message for message in pump.messages if "the run continues from there" in message.text]
    assert len(told) == (model is NO_STATE and version < 3)


def test_an_fmu_that_cannot_be_set_back_and_did_not_move_ends_the_run(built, fault):
    with pytest.raises(cp.ComponentError, match="discarded the step and does not say how far it could go"):
        system = cp.System()
        parameters = {"fault": fault("stops-on-its-own-grid"), "fault_time": 0.1}
        system.add("pump", cp.fmu(built(NO_STATE, 2), parameters=parameters, redo_discarded=True), step=0.05)
        system.run(until=1.0)


def logged(path, number):
    model = cp.fmu(path, parameters={"fault": number})
    system = cp.System()
    system.add("pump", model, step=0.1)
    assert system.run(until=1.0).status == "finished"
    return model


def test_formats_in_messages_are_not_followed_blindly(built, version, fault):
    """FMI 2 messages are printf formats; this one has conversions without arguments, and one that writes."""
    texts = [message.text for message in logged(built("misbehaving", version), fault("logs-formats")).messages]
    assert len(texts) == 1
    assert texts[0].startswith("100 ")
    assert texts[0].endswith("of %n %d")


def test_messages_are_printable_whatever_bytes_they_have(built, version, fault):
    message = logged(built("misbehaving", version), fault("logs-bad-utf8")).messages[0]
    assert message.text == r"bad \xff\xfe bytes \x1b[31m and   lines"
    assert (message.status, message.category, message.time) == ("error", "logStatusError", pytest.approx(0.4))


def test_messages_have_the_time_of_the_step_also_in_rounds(built, version, fault):
    """Two FMUs that step together make many steps in a row: what one of them says belongs to the step it was said in."""
    path, parameters = built("misbehaving", version), {"fault": fault("logs-bad-utf8"), "fault_time": 0.4505}
    system = cp.System("round")
    for name, other in (("left", "right"), ("right", "left")):
        system.add(name, cp.fmu(path, parameters=parameters, name=name, inputs_at="start"), step=0.001)
        system.connect(f"{other}.y", f"{name}.u", cp.hold())
    system.run(until=1.0, scheme="parallel")
    for name in ("left", "right"):
        message = system.subsystems[name].subsystem.messages[0]
        assert message.time == pytest.approx(0.45, abs=1e-9)


def test_a_flood_of_messages_is_cut_off(built, version, fault):
    model = logged(built("misbehaving", version), fault("floods-log"))
    assert len(model.messages) == 1000
    assert model._made.dropped_messages == 99_000
    assert model.messages[0].text == "message 0 of a flood"


def test_a_licence_that_is_refused_passes_on_what_the_fmu_said(built, version, monkeypatch):
    monkeypatch.setenv("TEST_FMU_LICENCE", "refuse")
    with pytest.raises(cp.ComponentDied, match="no licence for this model at port@server") as failed:
        failing(built("misbehaving", version), 0)
    assert failed.value.exit_code == 4
    assert str(failed.value).startswith("pump: start at t = 0 s failed: fmi")


@pytest.mark.parametrize("logging", [False, True], ids=["not asked", "asked"])
def test_an_fmu_that_does_not_start_and_says_nothing_may_say_why_when_asked(built, version, monkeypatch, logging):
    monkeypatch.setenv("TEST_FMU_LICENCE", "refuse silently")
    words = "no licence for this model" if logging else "the FMU said nothing .logging=True asks for its messages"
    with pytest.raises(cp.ComponentDied, match=words):
        failing(built("misbehaving", version), 0, logging=logging)


def test_an_fmu_that_fails_and_says_nothing_may_say_why_when_asked(built, version, fault):
    with pytest.raises(cp.ComponentError, match=r"the FMU said nothing .logging=True asks for its messages"):
        failing(built("misbehaving", version), fault("returns-42"))


def test_a_binary_of_another_description_is_told(built, changed, version):
    path = changed(
        built("oscillator", version),
        {"modelDescription.xml": lambda data: data.replace(b"{counterpoint-test", b"{another")},
    )
    system = cp.System()
    system.add("fmu", cp.fmu(path))
    with pytest.raises(cp.ComponentDied, match="the binary does not belong to this description") as failed:
        system.run(until=1.0)
    assert "wrong" in str(failed.value)


def binary(version, model="oscillator"):
    return f"binaries/{platform_name(version)}/{model}{suffix()}"


def test_a_missing_binary_names_the_platforms_there_are(built, changed, version):
    path = changed(
        built("oscillator", version),
        {binary(version): None, "binaries/amiga/oscillator.library": b"", "sources/a.c": b""},
    )
    with pytest.raises(cp.SetupError, match="no binary for this platform; available: amiga; it contains its sources"):
        cp.fmu(path)


@pytest.mark.parametrize("data", [b"", b"garbage", b"\x7fELF" + bytes(100)])
def test_a_damaged_binary_is_told_in_the_words_of_the_loader(built, changed, version, data):
    system = cp.System()
    system.add("fmu", cp.fmu(changed(built("oscillator", version), {binary(version): data})))
    with pytest.raises(cp.SetupError, match=r"binaries/.*: cannot be loaded: .*(too short|header|ELF|not valid)"):
        system.run(until=1.0)


def compiled(folder, source, *options):
    """Return the bytes of a shared library."""
    (folder / "source.c").write_text(source)
    made = folder / f"made{suffix()}"
    subprocess.run([compiler(), "-shared", "-fPIC", str(folder / "source.c"), "-o", str(made), *options], check=True)
    return made.read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="in the words of the loader of Linux")
def test_a_library_that_is_missing_is_told_with_the_file_that_needs_it(built, changed, version, tmp_path):
    (tmp_path / "libmissing.so").write_bytes(compiled(tmp_path, "int missing(void) { return 0; }"))
    needs = "int missing(void); int needs(void) { return missing(); }"
    data = compiled(tmp_path, needs, f"-L{tmp_path}", "-lmissing", "-Wl,--no-as-needed")
    system = cp.System()
    system.add("fmu", cp.fmu(changed(built("oscillator", version), {binary(version): data})))
    with pytest.raises(cp.SetupError, match=r"libmissing\.so: .*; needed by .*oscillator\.so"):
        system.run(until=1.0)


@pytest.mark.skipif(sys.platform != "linux", reason="in the words of the loader of Linux")
def test_a_binary_for_another_processor_is_not_said_to_be_missing(built, changed, version):
    def for_another(data):
        return data[:18] + bytes([data[18] ^ 0xFF]) + data[19:]  # the machine in the header of ELF

    system = cp.System()
    system.add("fmu", cp.fmu(changed(built("oscillator", version), {binary(version): for_another})))
    with pytest.raises(cp.SetupError, match="the file is there, but not for this kind of processor"):
        system.run(until=1.0)


def test_a_library_without_the_functions_says_which_are_missing(built, changed, version):
    """The library of the other version of FMI has functions of other names."""
    import zipfile

    other = 5 - version
    with zipfile.ZipFile(built("oscillator", other)) as archive:
        data = archive.read(binary(other))
    system = cp.System()
    system.add("fmu", cp.fmu(changed(built("oscillator", version), {binary(version): data})))
    with pytest.raises(cp.SimulationError, match=f"has no fmi{version}Instantiate"):
        system.run(until=1.0)


def test_a_second_run_of_a_once_only_fmu_at_the_same_time_is_refused_with_the_reason(built, version):
    model = OSCILLATOR.changed(
        co_simulation={"canHandleVariableCommunicationStepSize": "true", "canBeInstantiatedOnlyOncePerProcess": "true"}
    )
    system = cp.System()
    system.add("a", cp.fmu(built(model, version)))
    assert system.run(until=0.1).status == "finished"
    with system.start(until=0.1), pytest.raises(cp.ComponentError, match="one instance per process"):
        system.run(until=0.1)
    assert system.run(until=0.1).status == "finished"  # the first run has given it back


def test_a_failure_while_initial_outputs_are_found_is_one_of_the_start(built):
    system = cp.System()
    system.add(
        "fmu", cp.fmu(built("pass-through", 3), parameters={"n": 20}, inputs="float64_in", outputs="float64_out")
    )
    with pytest.raises(cp.ComponentError, match=r"fmu: start at t = 0 s failed: .* the FMU said: n = 20; at most 8"):
        system.run(until=1.0)


def test_nothing_is_unpacked_before_a_run(built, version, nothing_left_behind):
    model = cp.fmu(built("oscillator", version))
    assert list(nothing_left_behind.iterdir()) == []
    system = cp.System()
    system.add("fmu", model)
    run = system.start(until=1.0)
    assert len(list(nothing_left_behind.iterdir())) == 1
    run.finish()
