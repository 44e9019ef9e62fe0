"""Threads, forks, the end of the program, models that call their own system, and what Python collects."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref

import pytest

import counterpoint as cp
from counterpoint.errors import ModelError, SetupError

STEPS = 10


class Counter(cp.Subsystem):
    """A model with a state that another run of the same object would spoil."""

    inputs = ("u",)
    outputs = ("y",)

    def __init__(self, act=None):
        self.defaults = {"u": 0.0}
        self.act = act

    def start(self, t):
        self.count = 0

    def step(self, t, t_end, u):
        self.count += 1
        if self.act is not None and self.count == 3:
            self.act()

    def output(self, t, u):
        return float(self.count)


def system_of(model, name="counting"):
    system = cp.System(name)
    system.add("model", model, step=0.1)
    return system


def linear_system():
    system = cp.System("native")
    for name in ("a", "b"):
        system.add(name, cp.linear([[-1.0]], [[1.0]], [[1.0]], x0=[1.0], inputs="u", outputs="x"), step=0.1)
    system.connect("a.x", "b.u")
    system.connect("b.x", "a.u")
    return system


# Models that call back


@pytest.mark.parametrize("call", ["run", "start"])
def test_a_model_cannot_run_the_system_that_steps_it(call):
    model = Counter()
    system = system_of(model)
    model.act = lambda: getattr(system, call)(until=0.5)
    with pytest.raises(
        ModelError, match=r'subsystems.model: Counter is being stepped by a run of the system "counting"'
    ):
        system.run(until=1.0)


def test_a_model_may_run_another_system():
    seen = []
    model = Counter(act=lambda: seen.append(system_of(Counter()).run(until=1.0)["model.y"].values[-1]))
    result = system_of(model).run(until=1.0)
    assert (result["model.y"].values[-1], seen) == (STEPS, [STEPS])


@pytest.mark.parametrize(
    "act",
    [
        lambda system: system.subsystems.clear(),
        lambda system: system.add("late", Counter(), step=0.1),
        lambda system: system.connections.clear(),
        lambda system: gc.collect(),
    ],
)
def test_a_run_goes_on_as_it_was_planned_whatever_a_model_does_to_the_system(act):
    model = Counter()
    system = system_of(model)
    system.add("other", cp.linear([[-1.0]], [[1.0]], [[1.0]], x0=[1.0], inputs="u", outputs="x"), step=0.1)
    system.connect("model.y", "other.u")
    model.act = lambda: act(system)
    result = system.run(until=1.0)
    assert result.status == "finished"
    assert result["model.y"].values[-1] == STEPS


def test_a_model_cannot_use_the_interface_that_steps_it():
    model = Counter()
    system = cp.System("embedded")
    system.add_host("host", inputs=["x"], outputs=["y"])
    system.add("model", model, step=0.1)
    system.connect("host.y", "model.u")
    system.connect("model.y", "host.x")
    interface = system.embed("host")
    model.act = lambda: interface.evaluate(0.9, [0.0], is_major=False)
    interface.evaluate(0.0, [0.0], is_major=True)
    with pytest.raises(ModelError, match="the interface is advancing"):
        interface.evaluate(0.9, [0.0], is_major=False)


# One object in two runs


def test_a_newer_run_takes_a_model_over_and_the_older_one_says_so():
    model = Counter()
    older = system_of(model, "older").start(until=1.0)
    older.step_to(0.5)
    newer = system_of(model, "newer").start(until=1.0)
    with pytest.raises(
        SetupError, match=r"subsystem 'model' is now used by a newer one, a run of the system \"newer\""
    ):
        older.step_to(1.0)
    newer.step_to(1.0)
    assert newer.finish()["model.y"].values[-1] == STEPS
    assert older.finish()["model.y"].values[-1] == STEPS // 2


def test_models_of_the_core_serve_several_runs_at_once():
    system = linear_system()
    alone = system.run(until=1.0)["a.x"].values
    one, two = system.start(until=1.0), system.start(until=1.0)
    for t in (0.3, 0.7, 1.0):
        one.step_to(t)
        two.step_to(t)
    assert one.finish()["a.x"].values.tolist() == two.finish()["a.x"].values.tolist() == alone.tolist()


def test_threads_run_one_system_of_core_models_at_once():
    system = linear_system()
    alone = system.run(until=1.0)["a.x"].values.tolist()
    results = []
    threads = [threading.Thread(target=lambda: results.append(system.run(until=1.0))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result["a.x"].values.tolist() for result in results] == 8 * [alone]


def test_a_second_thread_is_refused_a_model_that_is_being_stepped():
    inside, go_on = threading.Event(), threading.Event()

    def act():
        inside.set()
        go_on.wait()

    system = system_of(Counter(act))
    results = []
    thread = threading.Thread(target=lambda: results.append(system.run(until=1.0)))
    thread.start()
    inside.wait()
    try:
        with pytest.raises(SetupError, match="Counter is being stepped by a run"):
            system.run(until=1.0)
    finally:
        go_on.set()
        thread.join()
    assert results[0]["model.y"].values[-1] == STEPS


# Garbage


def test_a_run_whose_system_was_dropped_goes_on():
    run = system_of(Counter()).start(until=1.0)
    gc.collect()
    run.step_to(1.0)
    assert run.finish()["model.y"].values[-1] == STEPS


def test_a_finished_run_that_its_model_refers_to_is_collected():
    model = Counter()
    model.system = system_of(model)
    model.run = model.system.start(until=1.0)
    model.run.step_to(0.5)
    model.run.finish()
    assert model.run.value("model.y") == STEPS / 2
    assert model.run.time == pytest.approx(0.5)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_a_finished_run_refuses_what_would_change_it():
    run = system_of(Counter()).start(until=1.0)
    run.finish()
    for use in (lambda: run.step_to(1.0), lambda: run.set("model.u", 1.0)):
        with pytest.raises(SetupError, match="the run has ended; start another one"):
            use()


# Forks and the end of the program


def python(code):
    """Run a program; return its exit code and what it printed."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("leave", ["os._exit(0)", "sys.exit(0)"])
def test_a_forked_child_is_refused_the_run_and_can_begin_its_own(threads, leave):
    code, out, err = python(
        f"""
        import os, sys, warnings
        import counterpoint as cp

        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of every fork beside threads

        def system():
            made = cp.System("forked")
            for name in "ab":
                model = cp.linear([[-1.0]], [[1.0]], [[1.0]], x0=[1.0], inputs="u", outputs="x")
                made.add(name, model, step=0.1)
                made.set(name + ".u", 0.0)
            return made

        run = system().start(until=1.0, threads={threads})
        run.step_to(0.5)
        child = os.fork()
        if child == 0:
            try:
                run.step_to(1.0)
            except cp.SetupError as error:
                print(error, flush=True)
            print("child", system().run(until=1.0, threads={threads}).status, flush=True)
            {leave}
        assert os.waitpid(child, 0)[1] == 0
        run.step_to(1.0)
        print("parent", run.finish().status)
        """
    )
    assert (code, err) == (0, "")
    assert "belongs to the process" in out
    assert "start another run here" in out
    assert out.endswith("child finished\nparent finished\n")


DAEMON = """
import sys, threading, time
import counterpoint as cp

inside = threading.Event()

class Model(cp.Subsystem):
    outputs = ("y",)
    def step(self, t, t_end, u):
        if t > 0.02:
            inside.set()
        {step}
    def output(self, t, u):
        return t

system = cp.System("long")
system.add("a", Model(), step=1e-3)
system.add("b", Model(), step=1e-3)
run = lambda: system.run(until=1e6, threads={threads}, file={file!r})
threading.Thread(target=run, daemon=True).start()
inside.wait()
print("the program ends")
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_in_a_daemon_thread_ends_in_order_when_the_program_does(tmp_path, threads):
    path = tmp_path / "run.h5"
    assert python(DAEMON.format(step="pass", threads=threads, file=str(path))) == (0, "the program ends\n", "")
    with cp.load(path) as result:
        assert result.status == "interrupted"
        assert result.message.startswith("the program ended when the run was at t = ")
        assert max(len(result[f"{name}.y"].time) for name in "ab") > 20


@pytest.mark.parametrize("threads", [1, 2])
def test_a_step_that_does_not_return_does_not_bring_the_program_down(threads):
    """Python then ends its thread, inside of which the core is."""
    program = "from counterpoint._run import program_end; program_end.WAIT_SECONDS = 0.3\n" + DAEMON.format(
        step="time.sleep(0.6 if inside.is_set() else 0)", threads=threads, file=None
    )
    assert python(program + "import atexit; atexit.register(time.sleep, 0.1)\n") == (0, "the program ends\n", "")
