"""What happens when something goes wrong on the way: the run stops, says where, and keeps what was published."""

import math
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

NAN = float("nan")


class Model(cp.Subsystem):
    """Counts its steps; misbehaves from its step number `at` on as told by keywords."""

    inputs = ("u",)
    outputs = ("good", "bad")
    defaults = {"u": 0.0}  # noqa: RUF012

    def __init__(self, at=3, **misbehaviour):
        self.at = at
        self.misbehaviour = misbehaviour
        if "next_step" in misbehaviour:
            self.next_step = lambda: self.act("next_step", 0.1)

    def act(self, what, otherwise):
        """Do what was asked for, once it is time."""
        if what not in self.misbehaviour or self.count < self.at:
            return otherwise
        action = self.misbehaviour[what]
        if isinstance(action, Exception):
            raise action
        return action

    def start(self, t):
        self.count = 0 if self.at else math.inf
        self.act("start", None)
        self.count = 0

    def step(self, t, t_end, u):
        self.count += 1
        u(t_end)
        return self.act("step", t_end)

    def output(self, t, u):
        return self.act("output", (t, self.count))


def run(model, *, until=1.0, step=0.1, **options):
    """The model beside a healthy companion that it feeds."""
    system = cp.System()
    system.add("motor", model, step=step)
    system.add("load", cp.ode(lambda t, x, u: [u[0]], [0.0], inputs="u", outputs="x", solver="ode1"), step=0.05)
    system.connect(f"motor.{next(iter(model.outputs))}", "load.u")
    return system.run(until=until, **options)


def failing(kind, *arguments, **options):
    with pytest.raises(kind) as caught:
        run(*arguments, **options)
    return caught.value


@pytest.mark.parametrize("value", [NAN, math.inf, -math.inf])
def test_a_value_that_is_not_finite_stops_at_its_step_and_names_subsystem_and_output(value):
    error = failing(cp.NotFiniteError, Model(output=(1.0, value)))
    # Step 3 is the first bad one.
    assert "motor: step from t = 0.2 s to 0.3 s failed" in str(error)
    assert 'output "bad"' in str(error)
    assert ("NaN" if math.isnan(value) else "infinite") in str(error)
    assert (error.subsystem, error.time) == ("motor", pytest.approx(0.2))


def test_results_up_to_the_failure_are_kept_in_memory():
    result = failing(cp.NotFiniteError, Model(output=(1.0, NAN))).result
    assert result.status == "failed"
    assert "motor" in result.message
    np.testing.assert_allclose(result["motor.good"].time, [0.0, 0.1, 0.2])
    assert np.all(np.isfinite(result["motor.bad"].values))
    assert len(result["load.x"].time) > 1


def test_results_up_to_the_failure_are_kept_in_the_file(tmp_path):
    path = tmp_path / "run.h5"
    error = failing(cp.ModelError, Model(step=ValueError("seized")), file=path)
    np.testing.assert_allclose(error.result["motor.good"].time, [0.0, 0.1, 0.2])
    error.result.close()
    with cp.load(path) as result:
        assert result.status == "failed"
        assert "seized" in result.message
        np.testing.assert_allclose(result["motor.good"].time, [0.0, 0.1, 0.2])


def test_nan_at_the_very_start_says_so():
    error = failing(cp.NotFiniteError, Model(at=0, output=(1.0, NAN)))
    assert "motor: start at t = 0 s failed" in str(error)


def test_nan_in_one_component_of_a_vector_is_named_with_its_index():
    system = cp.System()
    system.add("body", cp.source(lambda t: [0.0, NAN if t > 0.25 else 1.0, 2.0], outputs={"r": 3}), step=0.1)
    with pytest.raises(cp.NotFiniteError, match=r'output "r\[1\]" is NaN'):
        system.run(until=1.0)


def test_nan_of_a_native_model_is_found_at_its_step():
    # x' = x^2 from 1 blows up at t = 1: overflow in a fixed-step solver a little later.
    system = cp.System()
    system.add(
        "fire", cp.ode(lambda t, x, u: [float(x[0]) * float(x[0])], [1.0], outputs="x", solver="ode4"), step=0.05
    )
    with pytest.raises(cp.NotFiniteError) as caught:
        system.run(until=5.0)
    assert 1.0 < caught.value.time < 2.0
    assert 'output "x"' in str(caught.value)
    assert caught.value.result["fire.x"].time[-1] == pytest.approx(caught.value.time)


def law_system(law=None, approximation=None):
    system = cp.System()
    system.add("clock", cp.source(lambda t: t), step=0.1)
    system.add("load", cp.ode(lambda t, x, u: [u[0]], [0.0], inputs="u", outputs="x", solver="ode1"), step=0.1)
    system.connect("clock.y", "load.u", approximation, law=law)
    return system


class Naughty(cp.Approximation):
    def __init__(self, action):
        self.action = action

    def evaluate(self, times, values, t):
        if t < 0.35:
            return values[-1]
        if isinstance(self.action, Exception):
            raise self.action
        return self.action


def test_nan_from_a_coupling_law_is_not_blamed_on_the_model():
    with pytest.raises(cp.SimulationError) as caught:
        law_system(law=lambda a: NAN if a > 0.35 else a).run(until=1.0)
    assert "coupling law" in str(caught.value) and "t = 0.4 s" in str(caught.value)
    assert '"u"' in str(caught.value) or "load.u" in str(caught.value)


def test_nan_from_an_approximation_is_not_blamed_on_the_model():
    with pytest.raises(cp.SimulationError) as caught:
        law_system(approximation=Naughty(NAN)).run(until=1.0)
    assert "Naughty" in str(caught.value) and "t = 0.4 s" in str(caught.value)
    assert '"u"' in str(caught.value) or "load.u" in str(caught.value)


@pytest.mark.parametrize(
    ("system", "cause"),
    [
        (lambda error: law_system(law=lambda a: throw(error) if a > 0.35 else a), "law"),
        (lambda error: law_system(approximation=Naughty(error)), "approximation"),
    ],
    ids=["law", "approximation"],
)
def test_an_exception_on_the_way_to_an_input_names_the_consumer_and_keeps_the_cause(system, cause):
    error = LookupError("no such road")
    with pytest.raises(cp.ModelError) as caught:
        system(error).run(until=1.0)
    assert caught.value.__cause__ is error
    assert caught.value.subsystem == "load"
    assert "LookupError: no such road" in str(caught.value)
    assert caught.value.result["load.x"].time[-1] == pytest.approx(caught.value.time)


def throw(error):
    raise error


@pytest.mark.parametrize(
    ("model", "step", "where"),
    [
        (lambda e: Model(at=0, start=e), 0.1, "start at t = 0 s"),
        (lambda e: Model(step=e), 0.1, "step from t = 0.2 s to 0.3 s"),
        (lambda e: Model(output=e), 0.1, "step from t = 0.2 s to 0.3 s"),
        (lambda e: Model(at=0, start=e, next_step=0.1), None, "start at t = 0 s"),
        (lambda e: Model(next_step=e), None, "t = 0.3 s"),
        (lambda e: Model(at=0, next_step=e), None, "start at t = 0 s"),
        (lambda e: cp.ode(lambda t, x, u: throw(e) if t > 0.15 else [1.0], [0.0], solver="ode1"), 0.1, "step from t = 0.2 s to 0.3 s"),
        (lambda e: cp.ode(lambda t, x, u: throw(e) if t > 0.15 else [1.0], [0.0], solver="ode45", max_step=0.1), None, "step from t = "),
        (
            lambda e: cp.ode(
                lambda t, x, u: [1.0], [0.0], outputs="y", output=lambda t, x, u: throw(e) if t > 0.25 else 0.0, solver="ode1"
            ),
            0.1,
            "step from t = 0.2 s to 0.3 s",
        ),
        (lambda e: cp.source(lambda t: throw(e) if t > 0.25 else 0.0), 0.1, "step from t = 0.2 s to 0.3 s"),
    ],
    ids=["start", "step", "output", "own-pace start", "next_step", "first next_step", "rhs", "rhs ode45", "output function", "source"],
)  # fmt: skip
def test_an_exception_is_a_model_error_with_name_time_cause_and_results(model, step, where):
    error = ZeroDivisionError("no oil")
    caught = failing(cp.ModelError, model(error), step=step)
    assert caught.__cause__ is error
    assert caught.subsystem == "motor"
    assert f"motor: {where}" in str(caught) or ("motor: " in str(caught) and where in str(caught))
    assert "ZeroDivisionError: no oil" in str(caught)
    assert ("start" in str(caught)) == ("start" in where)
    if step is None and "start" in where:
        assert caught.result is None  # found while the run was being set up: nothing had begun
    else:
        assert caught.result.status == "failed"
    if "start" not in where:
        assert caught.result.rows("motor") >= 3


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_failure_is_reported_also_with_threads(threads):
    error = failing(cp.ModelError, Model(step=ValueError("seized")), threads=threads)
    assert error.subsystem == "motor"
    assert isinstance(error.__cause__, ValueError)
    np.testing.assert_allclose(error.result["motor.good"].time, [0.0, 0.1, 0.2])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ((1.0,), "output returned 1 value; expected 2"),
        ((1.0, 2.0, 3.0), "output returned 3 values; expected 2"),
        (np.zeros(5), "output returned 5 values; expected 2"),
        (1.0, "output returned 1 value; expected 2"),
        (None, "output returned None"),
        (("a", "b"), "TypeError"),
    ],
)
def test_a_wrong_number_or_kind_of_outputs_is_counted_in_the_message(value, words):
    model = Model()
    model.output = lambda t, u: value if t > 0.25 else (0.0, 0.0)
    error = failing(cp.ModelError, model)
    assert "motor: step from t = 0.2 s to 0.3 s failed" in str(error)
    assert words in str(error)


@pytest.mark.parametrize("count", [0, 2])
def test_a_right_hand_side_with_a_wrong_number_of_derivatives_is_counted(count):
    error = failing(cp.ModelError, cp.ode(lambda t, x, u: [0.0] * count, [0.0], solver="ode4"))
    assert f"the right-hand side returned {count} values; expected 1" in str(error)


def test_an_input_of_one_value_may_stand_among_the_derivatives_as_it_comes():
    system = cp.System("fall")
    model = cp.ode(lambda t, x, force: [x[1], force - 9.81], [0.0, 0.0], inputs="force", outputs=["z", "v"])
    system.add("ball", model, step=0.1)
    system.set("ball.force", 1.0)
    np.testing.assert_allclose(system.run(until=1.0)["ball.v"].values[-1], -8.81, rtol=1e-12)


@pytest.mark.parametrize("value", [np.array([3]), np.float32(3), np.array(3.0), 3, True])
def test_every_number_is_taken_as_a_derivative(value):
    system = cp.System("clock")
    system.add("ball", cp.ode(lambda t, x, u: [value, 0.0], [0.0, 0.0], outputs=["z", "v"]), step=0.1)
    np.testing.assert_allclose(
        system.run(until=1.0)["ball.z"].values[-1], 3.0 if value is not True else 1.0, rtol=1e-12
    )


def test_an_array_among_the_derivatives_is_named_with_its_place():
    system = cp.System("fall")
    system.add("ball", cp.ode(lambda t, x, u: [x[1], np.zeros(3)], [0.0, 0.0], outputs=["z", "v"]), step=0.1)
    with pytest.raises(cp.ModelError) as caught:
        system.run(until=1.0)
    assert "returned an array of 3 values as value 2 of 2; expected a number, such as u[0]" in str(caught.value)


@pytest.mark.parametrize("reached", [0.0, -1.0, 0.2, 0.31, 9.0, NAN, math.inf])
def test_a_step_that_returns_a_time_outside_itself_is_refused_with_the_time(reached):
    error = failing(cp.ModelError, Model(step=reached))
    assert "motor: step from t = 0.2 s to 0.3 s failed: step returned time" in str(error)
    assert "it must reach the end of the step, 0.3 s" in str(error)


def test_only_a_model_that_says_so_may_stop_early():
    model = Model(step=0.25)
    error = failing(cp.ModelError, model)
    assert "step returned time 0.25 s" in str(error)
    assert "stops early" in str(error)
    model = Model(step=0.25)
    model.stops_early = True
    error = failing(cp.ModelError, model)  # from 0.25 on the same answer is no progress
    assert "step from t = 0.25 s" in str(error)


@pytest.mark.parametrize("reached", ["later", [0.3], {}])
def test_a_step_that_returns_no_time_is_refused_with_what_it_returned(reached):
    error = failing(cp.ModelError, Model(step=reached))
    assert "bad_cast" not in str(error)
    assert "step" in str(error)


@pytest.mark.parametrize("wish", [0.0, -0.1, NAN])
def test_a_proposal_that_is_not_positive_is_refused_with_its_value(wish):
    error = failing(cp.ModelError, Model(next_step=wish), step=None)
    assert "motor" in str(error) and "proposes a step of" in str(error) and "positive" in str(error)


@pytest.mark.parametrize("wish", [None, "soon"])
def test_a_proposal_that_is_no_number_is_refused_with_the_name_of_the_model(wish):
    error = failing(cp.ModelError, Model(next_step=wish), step=None)
    assert "motor" in str(error) and "bad_cast" not in str(error)


def test_inputs_cannot_be_asked_after_a_step_that_failed():
    kept = []
    model = Model(step=ValueError("seized"))
    plain = model.step

    def keeping(t, t_end, u):
        kept.append(u)
        return plain(t, t_end, u)

    model.step = keeping
    failing(cp.ModelError, model)
    with pytest.raises(RuntimeError, match="only during"):
        kept[-1](0.0)


def test_inputs_cannot_be_asked_after_the_step():
    kept = []
    model = Model()
    model.step = lambda t, t_end, u: kept.append(u)
    run(model)
    with pytest.raises(RuntimeError, match="only during"):
        kept[-1](0.0)


def test_a_model_whose_peer_is_gone_is_a_dead_component():
    with pytest.raises(cp.ComponentDied) as caught:
        run(Model(step=cp.PeerLost("tcp://plant:1: hung up")))
    assert str(caught.value) == "motor: step from t = 0.2 s to 0.3 s failed: tcp://plant:1: hung up"
    assert caught.value.exit_code == 4


def test_a_solver_that_gives_up_says_where_and_what_to_try():
    system = cp.System()
    system.add("fire", cp.ode(lambda t, x, u: [x[0] ** 2], [1.0], outputs="x"))
    with pytest.raises(cp.SolverError) as caught:
        system.run(until=2.0)
    assert caught.value.subsystem == "fire"
    assert caught.value.time == pytest.approx(1.0, abs=0.1)
    assert "the step became" in str(caught.value)
    assert caught.value.result["fire.x"].time[-1] == caught.value.time


def test_newton_that_does_not_converge_is_a_solver_error():
    system = cp.System()
    system.add(
        "switch",
        cp.ode(lambda t, x, u: [-1e9 if x[0] > 0.3 else 1e9], [0.0], outputs="x", solver="trapezoidal"),
        step=0.1,
    )
    with pytest.raises(cp.SolverError, match="try a smaller step"):
        system.run(until=1.0)


def test_the_incremental_form_closes_the_run_after_a_failure():
    system = cp.System()
    system.add("motor", Model(step=ValueError("seized")), step=0.1)
    run = system.start(until=1.0)
    run.step_to(0.15)
    with pytest.raises(cp.ModelError):
        run.step_to(1.0)
    with pytest.raises(cp.SetupError, match="has ended"):
        run.step_to(1.0)
    assert run.finish().status == "failed"


# --- arguments that cannot be ----------------------------------------------------------------------------------


def test_a_feedthrough_pair_that_names_no_port_is_refused():
    model = Model()
    model.feedthrough = [("good", "uu")]
    with pytest.raises(cp.SetupError, match="uu"):
        run(model)


@pytest.mark.parametrize("defaults", [{"w": 1.0}, {"u": NAN}, {"u": [1.0, 2.0]}])
def test_defaults_that_fit_no_input_are_refused(defaults):
    model = Model()
    model.defaults = {"u": 0.0, **defaults}
    with pytest.raises(cp.SetupError, match="motor"):
        run(model)


@pytest.mark.parametrize("typical", [NAN, 0.0, -1.0])
def test_a_typical_step_that_is_not_positive_is_refused(typical):
    system = cp.System()
    with pytest.raises(cp.SetupError, match="typical_step"):
        system.add("motor", Model(next_step=0.1), typical_step=typical)
        system.run(until=1.0)


@pytest.mark.parametrize("approximation", ["lagrange", 1, ["lagrange"]])
def test_what_is_not_an_approximation_is_refused_by_name(approximation):
    system = cp.System()
    system.add("clock", cp.source(lambda t: t), step=0.1)
    system.add("load", Model(), step=0.1)
    with pytest.raises(cp.SetupError, match="approximation"):
        system.connect("clock.y", "load.u", approximation)
        system.run(until=1.0)


# --- Ctrl-C --------------------------------------------------------------------------------------------------


@pytest.fixture
def ctrl_c():
    """Send SIGINT to ourselves a little later; a handler that raises KeyboardInterrupt is in place."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    yield timer.start
    timer.cancel()
    timer.join()
    signal.signal(signal.SIGINT, before)


def endless_native():
    system = cp.System()
    system.add("a", cp.linear([[0, 1], [-1, 0]], [[0], [1]], x0=[1, 0], outputs=["x", "v"]), step=1e-3)
    system.add("b", cp.linear([[0, 1], [-2, 0]], [[0], [1]], x0=[1, 0], outputs=["x", "v"]), step=1e-2)
    system.connect("a.x", "b.u")
    system.connect("b.x", "a.u")
    return system


class Sleeper(cp.Subsystem):
    outputs = ("y",)

    def step(self, t, t_end, u):
        time.sleep(0.01)

    def output(self, t, u):
        return t


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_during_a_native_run_keeps_the_results(ctrl_c, threads, tmp_path):
    # Before a run is ready, Ctrl-C is Python's own affair (it may even be lost in a destructor).
    run = endless_native().start(until=1e6, threads=threads, file=tmp_path / "run.h5")
    ctrl_c()
    with pytest.raises(cp.RunInterrupted) as caught:
        run.step_to(1e6)
    result = caught.value.result
    assert result.status == "interrupted"
    assert "interrupted at t = " in str(caught.value)
    stamps = result["a.x"].time
    assert len(stamps) > 100
    np.testing.assert_allclose(np.diff(stamps), 1e-3, rtol=1e-6)  # no hole
    result.close()


def test_ctrl_c_during_a_python_model_keeps_the_results(ctrl_c):
    system = cp.System()
    system.add("sleeper", Sleeper(), step=0.1)
    run = system.start(until=1e4)
    ctrl_c()
    with pytest.raises(cp.RunInterrupted) as caught:
        run.step_to(1e4)
    assert isinstance(caught.value, KeyboardInterrupt)
    values = caught.value.result["sleeper.y"]
    assert len(values.time) >= 3
    np.testing.assert_allclose(values.values, values.time)


def test_ctrl_c_in_a_script_leaves_a_readable_file(tmp_path, spawn, wait_for_rows):
    path = tmp_path / "run.h5"
    script = textwrap.dedent(f"""
        import counterpoint as cp, sys
        system = cp.System()
        system.add("a", cp.linear([[0, 1], [-1, 0]], [[0], [1]], x0=[1, 0], outputs=["x", "v"], defaults={{"u": 0.0}}), step=1e-3)
        system.run(until=1e7, file={str(path)!r})
    """)
    process = spawn([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    wait_for_rows(path, "a.x", process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode != 0
    assert "RunInterrupted" in errors
    with cp.load(path) as result:
        assert result.status == "interrupted"
        assert len(result["a.x"].time) > 100


# --- output that cannot be written -----------------------------------------------------------------------------


def test_a_file_that_cannot_be_created_is_said_before_anything_runs(tmp_path):
    started = []
    model = Model()
    model.start = started.append
    for path in (tmp_path / "no" / "such" / "folder.h5", tmp_path):
        with pytest.raises(cp.OutputError) as caught:
            run(model, file=path)
        assert str(path) in str(caught.value)
        assert caught.value.exit_code == 2
    assert started == []


def test_an_existing_file_is_not_overwritten_unasked(tmp_path):
    path = tmp_path / "run.h5"
    run(Model(), file=path).close()
    before = path.read_bytes()
    with pytest.raises(cp.OutputError, match="already exists"):
        run(Model(), file=path, until=2.0)
    assert path.read_bytes() == before
    run(Model(), file=path, until=2.0, overwrite=True).close()
    with cp.load(path) as result:
        assert result.end == 2.0


def test_a_file_that_is_no_run_file_is_never_overwritten(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("precious")
    with pytest.raises(cp.OutputError, match="not overwritten"):
        run(Model(), file=path, overwrite=True)
    assert path.read_text() == "precious"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_device_that_is_no_file_is_refused():
    with pytest.raises(cp.OutputError):
        run(Model(), file="/dev/full")


@pytest.mark.parametrize("lasting", [False, True])
def test_a_run_whose_last_rows_meet_a_full_disk_has_failed(tmp_path, monkeypatch, lasting):
    """The status never says more than the rows: neither of the file nor of the result at hand."""
    from counterpoint.results.disk import Descriptor

    system = cp.System()
    system.add("clock", cp.source(lambda t: 2.0 * t, outputs="twice"), step=0.25)
    run = system.start(until=10.0, file=tmp_path / "run.h5")
    run.step_to(10.0)
    write, calls = Descriptor.write, []

    def full(self, offset, data):
        calls.append(offset)
        if lasting or len(calls) == 1:
            raise OSError(28, "No space left on device")
        return write(self, offset, data)

    with monkeypatch.context() as disk:
        disk.setattr(Descriptor, "write", full)
        with pytest.raises(cp.OutputError, match="No space left on device") as caught:
            run.finish()
    assert caught.value.exit_code == 5
    for result in (caught.value.result, cp.load(tmp_path / "run.h5")):
        assert result.rows("clock") == 0
        assert result.status == ("unfinished" if lasting else "failed")
        assert not result.end > 0.0
