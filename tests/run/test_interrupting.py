"""Signals while native code is at work: its loops end, a call that does not come back is abandoned."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._common.signals import is_in_native_code


@pytest.fixture
def interrupt():
    """Send signals to ourselves a little later; Python's own handler of Ctrl-C is in place."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threads, ended = [], threading.Event()

    def send(which, seconds, native):
        while native and not is_in_native_code() and not ended.wait(0.01):
            pass  # on a busy machine the call may begin later
        if not ended.wait(seconds):
            os.kill(os.getpid(), which)

    def later(which=signal.SIGINT, seconds=0.3, native=True):
        threads.append(threading.Thread(target=send, args=(which, seconds, native)))
        threads[-1].start()

    yield later
    ended.set()
    for thread in threads:
        thread.join()
    signal.signal(signal.SIGINT, before)


def stiff():
    """A variable-step solver that needs 1e12 internal steps for one of its steps."""
    model = cp.linear([[-1e12]], [[1e12]], x0=[0.0], inputs="u", outputs="x", defaults={"u": 1.0}, solver="ode45")
    system = cp.System()
    system.add("model", model, step=1.0)
    return system


def diagram_system(sample_time=0.5, **settings):
    diagram = cp.Diagram("diagram", **settings)
    diagram.output("y", diagram.unit_delay(diagram.constant(1.0), sample_time=sample_time))
    system = cp.System()
    system.add("diagram", diagram, step=1.0)
    return system


def pair(step=0.1):
    system = cp.System()
    for name in ("a", "b"):
        system.add(name, cp.linear([[-1.0]], [[1.0]], x0=[1.0], inputs="u", outputs="x"), step=step)
    system.connect("a.x", "b.u")
    system.connect("b.x", "a.u")
    return system


def beside(first):
    """The same with another subsystem, for two threads."""
    first.add("other", cp.source(lambda t: t, outputs="y"), step=1.0)
    return first


LONG = {
    "variable step": (stiff, {}),
    "tiny sample times": (lambda: diagram_system(1e-12), {}),
    "tiny inner steps": (lambda: diagram_system(inner_step=1e-12), {}),
    "two threads": (lambda: beside(stiff()), {"threads": 2}),
    "endless windows": (
        lambda: pair(1e-3),
        {"scheme": "parallel", "window": cp.window(1.0, repeats=10**6, tolerance=None)},
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_one_long_native_step(interrupt, name):
    make, options = LONG[name]
    run = make().start(until=10.0, **options)
    interrupt()
    with pytest.raises(cp.RunInterrupted, match="interrupted at t = 0 s") as caught:
        run.step_to(10.0)
    assert caught.value.result.status == "interrupted"
    assert all(caught.value.result.rows(part) <= 2 for part in caught.value.result.subsystems)


def test_a_run_after_an_interrupted_one_is_not_interrupted(interrupt):
    run = stiff().start(until=10.0)
    interrupt()
    with pytest.raises(cp.RunInterrupted):
        run.step_to(10.0)
    assert pair().run(until=10.0).status == "finished"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.set_wakeup_fd(-1) == -1


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.usefixtures("interrupt")
def test_ctrl_c_ends_a_long_call_of_the_embedded_interface():
    system = stiff()
    system.add_host("host", inputs=["x"], outputs=["y"])
    system.connect("model.x", "host.x")
    interface = system.embed("host")
    interface.evaluate(0.0, [0.0], is_major=True)
    # From another process: the call keeps Python's lock, and no thread of this one could send it.
    with (
        subprocess.Popen(["sh", "-c", f"sleep 0.3; kill -INT {os.getpid()}"]),
        pytest.raises(KeyboardInterrupt),
    ):
        interface.evaluate(1.0, [0.0], is_major=False)


def test_a_handler_of_the_program_is_called_within_a_native_step(interrupt):
    """Its exception ends the run; without one the run continues."""
    calls = []

    def handler(number, frame):
        calls.append(number)
        if len(calls) == 2:
            raise TimeoutError("enough")

    before = signal.signal(signal.SIGTERM, handler)
    try:
        run = stiff().start(until=10.0)
        interrupt(signal.SIGTERM, 0.2)
        interrupt(signal.SIGTERM, 0.6)
        with pytest.raises(TimeoutError, match="enough") as caught:
            run.step_to(10.0)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert calls == [signal.SIGTERM] * 2
    assert caught.value.result.status == "failed"


def test_the_wakeup_descriptor_of_the_program_still_gets_its_numbers(interrupt):
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing)
    try:
        run = stiff().start(until=10.0)
        interrupt()
        with pytest.raises(cp.RunInterrupted):
            run.step_to(10.0)
        assert os.read(reading, 10) == bytes([signal.SIGINT])
        assert signal.set_wakeup_fd(-1) == writing
    finally:
        signal.set_wakeup_fd(before)
        os.close(reading)
        os.close(writing)


def test_a_run_in_another_thread_is_left_alone(interrupt):
    """Ctrl-C is the main thread's."""
    results, done = [], threading.Event()

    def work():
        results.append(pair(1e-5).run(until=20.0))
        done.set()

    threading.Thread(target=work).start()
    interrupt(seconds=0.05, native=False)
    with pytest.raises(KeyboardInterrupt):
        time.sleep(30.0)
    done.wait()
    assert results[0].status == "finished"


class Nesting(cp.Subsystem):
    """A model that runs another system in its step."""

    outputs = ("y",)

    def step(self, t, t_end, u):
        stiff().run(until=10.0)

    def output(self, t, u):
        return 0.0


def test_ctrl_c_ends_a_run_inside_of_a_step_of_another_one(interrupt):
    system = cp.System()
    system.add("model", Nesting(), step=1.0)
    run = system.start(until=10.0)
    interrupt()
    with pytest.raises(cp.RunInterrupted, match="interrupted at t = 0 s"):
        run.step_to(10.0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("error::DeprecationWarning")
def test_a_forked_process_has_signals_of_its_own(interrupt):
    """Nor does a fork find a thread of ours; newer versions of Python would warn."""
    assert pair().run(until=1.0).status == "finished"
    child = os.fork()
    if child == 0:
        try:
            run = stiff().start(until=10.0)
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            try:
                run.step_to(10.0)
            except cp.RunInterrupted:
                os._exit(7)
        finally:
            os._exit(1)
    assert pair(1e-4).run(until=20.0).status == "finished"
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def scripted(script, tmp_path):
    """Start a script that prints "ready" before what cannot be interrupted."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    return process


STUCK = """
    import ctypes, time
    import counterpoint as cp

    class Stuck(cp.Subsystem):
        outputs = ("y",)
        y = 0.0
        def step(self, t, t_end, u):
            if t_end > 4.95:
                print("ready", flush=True)
                {body}
            self.y = t_end
        def output(self, t, u):
            return self.y

    system = cp.System()
    system.add("pump", Stuck(), step=0.1)
    system.run(until=10.0, file="run.h5")
"""
RELEASED = "mutex = ctypes.create_string_buffer(64); [ctypes.CDLL(None).pthread_mutex_lock(mutex) for k in (1, 2)]"
"""A mutex that its owner locks once more: no signal ends that."""
HELD = RELEASED.replace("CDLL", "PyDLL")


def until_said(process, words):
    """Read what a process prints until a line contains the words."""
    for line in process.stderr:
        if words in line:
            return line
    raise AssertionError(f"never said: {words}")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("body", [RELEASED, HELD], ids=["lock released", "lock held"])
def test_the_second_ctrl_c_abandons_a_python_model_in_an_endless_c_call(tmp_path, body):
    """Rows are kept; where the call holds Python's lock, those that had been flushed."""
    with scripted(STUCK.format(body=body), tmp_path) as process:
        try:
            process.send_signal(signal.SIGINT)
            line = until_said(process, "waiting for")
            assert (
                line.strip() == 'waiting for "pump" to finish its step from t = 4.9 s; press Ctrl-C again to abandon it'
            )
            process.send_signal(signal.SIGINT)
            assert process.wait() == 130
        finally:
            process.kill()
    with cp.load(tmp_path / "run.h5") as result:
        if body is HELD:
            assert result.signals == ["pump.y"]
            return
        assert result.status == "interrupted"
        assert 'abandoned while waiting for "pump"' in result.summary.message
        np.testing.assert_allclose(result["pump.y"].time, np.arange(50) * 0.1, atol=1e-9)


def test_the_second_ctrl_c_ends_a_step_in_python_with_an_exception(tmp_path):
    """The program keeps its result, as after the first one."""
    script = STUCK.format(body="time.sleep(100.0)").replace(
        'system.run(until=10.0, file="run.h5")',
        "try:\n        system.run(until=10.0)\n"
        "    except cp.RunInterrupted as stop:\n        print(stop.result['pump.y'].time[-1], flush=True)",
    )
    with scripted(script, tmp_path) as process:
        try:
            process.send_signal(signal.SIGINT)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate()
        finally:
            process.kill()
    assert (process.returncode, err) == (0, "")
    assert float(out) == pytest.approx(4.9)
