"""FMUs that crash or end the process they run in, without isolation: the run fails, its rows are kept, exit code 4."""

import struct
import subprocess
import sys
import threading

import pytest

import counterpoint as cp

from .building import platform_name, suffix
from .models import MISBEHAVING
from .test_faults import failing, scenario_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of crashes are those of POSIX")

CRASHES = [
    ("segfaults", "SIGSEGV, invalid memory access at address 0x0"),
    ("aborts", "SIGABRT, abort()"),
    ("overflows-stack", "SIGSEGV, stack overflow"),
    ("divides-by-zero", "SIGFPE"),
    ("reads-beyond-a-file", "SIGBUS"),
    ("traps", "SIGILL"),
]
EXITS = [
    ("exits", "called exit in fmi{}DoStep: exit code 7"),
    ("exits-with-0", "called exit in fmi{}DoStep: exit code 0"),
    ("exits-at-once", "called exit in fmi{}DoStep: exit code 0"),
    ("exits-quickly", "called exit in fmi{}DoStep: exit code 0"),
]


@pytest.mark.parametrize(("name", "words"), CRASHES)
def test_a_crash_fails_the_run_and_keeps_its_rows(built, version, fault, name, words):
    with pytest.raises(cp.ComponentDied) as failed:
        failing(built("misbehaving", version), fault(name))
    text = str(failed.value)
    assert text.startswith(f"pump: step from t = 0.4 s to 0.5 s failed: the FMU crashed in fmi{version}DoStep: {words}")
    assert "isolate=True (isolate = true in a scenario)" in text
    assert failed.value.exit_code == 4
    assert failed.value.result["pump.y"].time[-1] == pytest.approx(0.4)
    assert failed.value.result.status == "failed"
    assert failing(built("misbehaving", version), 0).status == "finished"  # the next run is as ever


@pytest.mark.skipif(sys.platform != "linux", reason="calls of exit are caught in libraries of ELF")
@pytest.mark.parametrize(("name", "words"), EXITS)
def test_an_fmu_that_ends_the_process_fails_the_run_instead(built, version, fault, name, words):
    with pytest.raises(cp.ComponentDied) as failed:
        failing(built("misbehaving", version), fault(name))
    assert words.format(version) in str(failed.value)
    assert failed.value.result["pump.y"].time[-1] == pytest.approx(0.4)


@pytest.mark.parametrize("name", ["segfaults", "overflows-stack", "exits-with-0"])
def test_the_command_line_reports_a_crash_with_exit_code_4(built, version, fault, name, tmp_path):
    command = scenario_of(built("misbehaving", version), fault(name), tmp_path, 1.0)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "pump: step from t = 0.4 s to 0.5 s failed: the FMU c" in done.stderr
    assert f"fmi{version}DoStep" in done.stderr
    assert "isolate" in done.stderr
    assert len(cp.load(tmp_path / "pump-run" / "pump.h5")["pump.y"].time) == 5


@pytest.mark.parametrize(("inputs_at", "approximation"), [("start", cp.hold()), ("middle", cp.lagrange(1))])
@pytest.mark.parametrize("name", ["segfaults", "exits-with-0"])
def test_a_crash_in_steps_that_are_made_together_names_the_right_one(
    built, version, fault, name, inputs_at, approximation
):
    system = cp.System("ring")
    for member, other, number in (("a", "c", 0), ("b", "a", fault(name)), ("c", "b", 0)):
        model = cp.fmu(
            built("misbehaving", version), parameters={"fault": number, "fault_time": 0.45}, inputs_at=inputs_at
        )
        system.add(member, model, step=1e-3)
        system.connect(f"{other}.y", f"{member}.u", approximation)
    with pytest.raises(
        cp.ComponentDied,
        match=rf"^b: step from t = 0.449 s to 0.45 s failed: the FMU (crashed|called exit) in fmi{version}DoStep",
    ) as failed:
        system.run(until=1.0, scheme="parallel")
    assert failed.value.result["a.y"].time[-1] == pytest.approx(0.45)
    assert failed.value.result["b.y"].time[-1] == pytest.approx(0.449)


def test_a_crash_in_a_thread_of_ours_fails_the_run(built, version, fault):
    system = cp.System("threads")
    for name, number in (("a", 0), ("b", fault("overflows-stack")), ("c", fault("segfaults"))):
        model = cp.fmu(built("misbehaving", version), parameters={"fault": number, "fault_time": 0.45})
        system.add(name, model, step=0.1)
    with pytest.raises(cp.ComponentDied, match="crashed"):
        system.run(until=1.0, threads=3)


def test_runs_in_several_threads_of_python_crash_one_by_one(built, version, fault):
    errors = []

    def work(name):
        try:
            failing(built("misbehaving", version), fault(name))
        except cp.ComponentDied as error:
            errors.append(str(error))

    threads = [threading.Thread(target=work, args=(name,)) for name in ("segfaults", "aborts", "overflows-stack") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 9


def test_a_crash_in_model_exchange_fails_the_run(built, version):
    """The test FMU aborts in an evaluation; the solver is in between."""
    model = cp.fmu(built("van-der-pol", version), solver="ode45", parameters={"limit": -1.9, "status": 5})
    system = cp.System()
    system.add("pump", model)
    with pytest.raises(cp.ComponentError, match=r"Derivatives returned the status 5, which FMI does not define"):
        system.run(until=3.0)


def test_nothing_is_called_on_an_fmu_that_crashed(built, version, fault, capfd):
    system = cp.System()
    model = cp.fmu(built("misbehaving", version), parameters={"fault": fault("segfaults"), "fault_time": 0.45})
    system.add("pump", model, step=0.1)
    with pytest.raises(cp.ComponentDied):
        system.run(until=1.0)
    with pytest.raises(cp.SetupError, match="not running"):
        model.read("y")
    assert capfd.readouterr().err == ""


def test_a_status_below_zero_is_fatal(built, version, fault, capfd):
    """The test FMU aborts when it is called after a fatal status."""
    with pytest.raises(
        cp.ComponentError, match="returned the status -1, which FMI does not define; it is treated as fatal"
    ):
        failing(built("misbehaving", version), fault("returns-minus-1"))
    assert capfd.readouterr().err == ""


def test_a_crash_at_the_end_of_a_run_is_told_and_its_results_are_there(built, version, fault, capfd):
    result = failing(built("misbehaving", version), fault("crashes-when-freed"))
    assert result.status == "finished"
    assert f"at the end of the run: the FMU crashed in fmi{version}FreeInstance: SIGSEGV" in capfd.readouterr().err


def script(path, number, *, before="", after=""):
    return f"""
import counterpoint as cp
{before}
system = cp.System()
system.add("pump", cp.fmu({str(path)!r}, parameters={{"fault": {number}, "fault_time": 0.45}}), step=0.1)
try:
    system.run(until=1.0, file="pump.h5")
except cp.ComponentDied as error:
    print(error)
{after}
"""


def run_script(text, folder):
    return subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are found by their addresses in ELF")
def test_a_crash_in_a_thread_of_the_fmu_ends_the_process_with_a_word(built, version, fault, tmp_path):
    done = run_script(script(built("misbehaving", version), fault("crashes-in-a-thread")), tmp_path)
    assert done.returncode == 4
    assert f"misbehaving{suffix()}: the FMU crashed in a thread of its own: SIGSEGV" in done.stderr
    assert "isolate=True" in done.stderr


def test_a_second_crash_outside_of_the_fmu_ends_the_process_with_a_word(built, version, fault, tmp_path):
    after = "import ctypes; ctypes.string_at(0)"
    done = run_script(script(built("misbehaving", version), fault("segfaults"), after=after), tmp_path)
    assert "step from t = 0.4 s to 0.5 s failed" in done.stdout
    assert done.returncode == 4
    assert f"fmi{version}DoStep at t = 0.4 s: the FMU crashed, and now this process does (SIGSEGV)" in done.stderr


@pytest.mark.parametrize("before", ["", "import faulthandler; faulthandler.enable()"])
def test_crashes_outside_of_fmus_are_left_to_others(built, version, tmp_path, before):
    after = "import ctypes; ctypes.string_at(0)"
    done = run_script(script(built("misbehaving", version), 0, before=before, after=after), tmp_path)
    assert done.returncode == -11
    assert ("Fatal Python error: Segmentation fault" in done.stderr) == bool(before)
    assert "counterpoint:" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_handlers_are_as_they_were_when_no_fmu_is_loaded(built, version, tmp_path):
    """Python cannot see handlers of C, but the kernel lists the signals that are caught."""
    before = """
import signal
crashes = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT)
def caught():
    line, = (line for line in open("/proc/self/status") if line.startswith("SigCgt"))
    return [bool(int(line.split()[1], 16) >> (number - 1) & 1) for number in crashes]
print(any(caught()))
"""
    after = "print(all(caught()))\ndel system\nimport gc; gc.collect()\nprint(any(caught()))"
    done = run_script(script(built("misbehaving", version), 0, before=before, after=after), tmp_path)
    assert done.stdout.split() == ["False", "True", "False"]


def test_a_crash_that_leaves_the_heap_locked_ends_the_process_with_a_word(built, version, fault, tmp_path):
    """The C library finds the second `free` out while it holds a lock, at least with several threads."""
    before = "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()"
    done = run_script(script(built("misbehaving", version), fault("frees-twice"), before=before), tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode in (0, 4)
    assert (done.returncode == 4) == ("the FMU crashed while it held a lock" in done.stderr)
    assert f"fmi{version}DoStep" in said
    assert "isolate=True" in said


def test_pointers_of_an_fmu_are_not_followed_blindly(built, version, fault):
    model = cp.fmu(built("misbehaving", version), parameters={"fault": fault("logs-with-bad-pointers")})
    system = cp.System()
    system.add("pump", model, step=0.1)
    assert system.run(until=1.0).status == "finished"
    assert [(message.category, message.text) for message in model.messages] == [
        ("logStatusError", "from an environment that is none"),
        ("", "without an environment and a category"),
        ("(unreadable)", "with a category that cannot be read"),
        (r"\xff", ""),
        ("logStatusError", "(unreadable)"),
    ]


def test_messages_of_an_fmu_that_was_freed_go_nowhere(built, version, fault, tmp_path):
    after = "del system\nimport gc; gc.collect()\nprint('still here')"
    done = run_script(script(built("misbehaving", version), fault("logs-after-it-was-freed"), after=after), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "still here" in done.stdout


def test_states_are_said_to_come_back_only_where_they_may(built, version, fault):
    """This FMU stays where it is as long as it is told that earlier states may be set."""
    number = fault("stays-while-states-may-come-back")
    assert failing(built("misbehaving", version), number)["pump.y"].values[-1] == pytest.approx(1.0)
    result = failing(built("misbehaving", version), number, redo_discarded=True)
    assert result["pump.y"].values[-1] == 0.0


def test_states_may_come_back_in_a_window(built, version, fault):
    system = cp.System("window")
    parameters = {"fault": fault("stays-while-states-may-come-back")}
    system.add("pump", cp.fmu(built("misbehaving", version), parameters=parameters), step=0.1)
    system.add("tank", cp.linear([[0.0]], [[1.0]], x0=[0.0], inputs="u", outputs="y"), step=0.1)
    system.connect("pump.y", "tank.u", convert=False)
    window = cp.window(length=0.2, repeats=2)
    assert system.run(until=1.0, scheme="parallel", window=window)["pump.y"].values[-1] == 0.0


def binary(version):
    return f"binaries/{platform_name(version)}/misbehaving{suffix()}"


@pytest.mark.skipif(sys.platform != "linux", reason="the library is one of ELF")
@pytest.mark.parametrize("share", [0.01, 0.1, 0.3, 0.5, 0.9, 0.999])
def test_a_library_that_is_cut_short_is_refused_before_it_is_loaded(built, changed, version, share):
    path = changed(built("misbehaving", version), {binary(version): lambda data: data[: int(len(data) * share)]})
    system = cp.System()
    system.add("fmu", cp.fmu(path))
    with pytest.raises(cp.SetupError, match=r"cannot be loaded: .*misbehaving\.so: the file is damaged or cut short"):
        system.run(until=1.0)


@pytest.mark.skipif(sys.platform != "linux", reason="the library is one of ELF")
@pytest.mark.parametrize(
    ("beginning", "words"), [(b"MZ\x90\x00", r"Windows \(PE\)"), (b"\xcf\xfa\xed\xfe", r"macOS \(Mach-O\)")]
)
def test_a_library_of_another_system_is_named(built, changed, version, beginning, words):
    path = changed(built("misbehaving", version), {binary(version): beginning + bytes(1000)})
    system = cp.System()
    system.add("fmu", cp.fmu(path))
    with pytest.raises(cp.SetupError, match=rf"misbehaving\.so: this library is for {words}"):
        system.run(until=1.0)


def with_broken_relocation(data):
    """Change the kind of the first relative relocation; the loader would end the process by itself."""
    (start,), (count,) = struct.unpack_from("<Q", data, 32), struct.unpack_from("<H", data, 56)
    segments = [struct.unpack_from("<IIQQQQQQ", data, start + 56 * k) for k in range(count)]
    place, size = next((offset, length) for kind, _, offset, _, _, length, _, _ in segments if kind == 2)
    entries = dict(struct.unpack_from("<QQ", data, place + 16 * k) for k in range(size // 16))
    table = next(
        offset + entries[7] - address
        for kind, _, offset, address, _, length, _, _ in segments
        if kind == 1 and address <= entries[7] < address + length
    )
    changed_bytes = bytearray(data)
    changed_bytes[table + 8] ^= 3
    return bytes(changed_bytes)


@pytest.mark.skipif(sys.platform != "linux", reason="the library is one of ELF")
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (with_broken_relocation, r"the file is damaged: its relative relocations \(ELF\) are none"),
        (lambda data: data.replace(b"\0abort\0", b"\0\x8bbort\0"), r"undefined symbol: \\x8bbort"),
    ],
    ids=["relocation", "name of a symbol"],
)
def test_damage_inside_a_library_is_told_before_it_is_used(built, changed, version, damage, words):
    path = changed(built("misbehaving", version), {binary(version): damage})
    system = cp.System()
    system.add("pump", cp.fmu(path), step=0.1)
    with pytest.raises(cp.CounterpointError, match=words):
        system.run(until=1.0)


def test_an_output_that_stands_still_against_its_derivative_is_a_warning(built, version, fault):
    with pytest.warns(cp.StandstillWarning, match=r'pump: output "y" stayed at 0 .* its derivative "der\(y\)" is 1'):
        failing(built("misbehaving", version), fault("stands-still"), step=0.01)


def test_a_constant_output_alone_is_no_warning(built, version):
    """The derivative is zero as well: warnings are errors in these tests."""
    system = cp.System()
    system.add("pump", cp.fmu(built(MISBEHAVING, version), start={"u": -1.0}), step=0.01)
    assert system.run(until=1.0)["pump.y"].values.max() == 0.0
