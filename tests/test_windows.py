"""Windows: a stretch of time is repeated with what the pass before has published."""

import itertools
import math
import os
import signal
import time

import numpy as np
import pytest
from scipy.linalg import expm

import counterpoint as cp

MATRIX = np.array([[0, 1, 0, 0], [-15, -0.3, 5, 0], [0, 0, 0, 1], [5, 0, -15, -0.3]])
"""Two masses, each with a spring to the wall, a damper and a spring between them: x1, v1, x2, v2."""
START = np.array([1.0, 0.0, 0.0, 0.0])


def pair(approximation=None, steps=(0.01, 0.01), **options):
    """Two masses that exchange their positions; the solver's own error is far below that of the coupling."""
    system = cp.System("pair")
    for name, x0, step in (("a", 1.0, steps[0]), ("b", 0.0, steps[1])):
        mass = cp.linear(
            [[0, 1], [-15, -0.3]], [[0], [5]], x0=[x0, 0], inputs="u", outputs=["x", "v"],
            solver=options.get("solver", "ode4"),
        )  # fmt: skip
        system.add(name, mass, step=step)
    system.connect("a.x", "b.u", approximation)
    system.connect("b.x", "a.u", approximation)
    return system


def error(result, until=2.0):
    """Norm of the error of all four states at the end."""
    exact = expm(until * MATRIX) @ START
    ends = [result[name].values[-1] for name in ("a.x", "a.v", "b.x", "b.v")]
    return float(np.linalg.norm(ends - exact))


class Chatty(cp.Subsystem):
    """Publishes what it is told, writes down what it is given, and can save: one step is one pass through `step`."""

    inputs = ("u",)
    outputs = ("y",)
    defaults = {"u": 0.0}  # noqa: RUF012

    def __init__(self, publish=lambda calls, t: t, act=lambda calls, t: None):
        self.publish = publish
        self.act = act
        self.calls = 0  # never taken back: tells passes apart
        self.seen = []
        self.state = None

    def start(self, t):
        self.state = 0

    def step(self, t, t_end, u):
        self.calls += 1
        self.state += 1
        self.seen.append([float(u(time)[0]) for time in (t, 0.5 * (t + t_end), t_end)])
        self.act(self.calls, t_end)

    def output(self, t, u):
        return self.publish(self.calls, t)

    def save(self):
        return self.state

    def restore(self, state):
        self.state = state


def two(first, second, approximation=None, steps=(0.1, 0.1)):
    system = cp.System("two")
    system.add("first", first, step=steps[0])
    system.add("second", second, step=steps[1])
    system.connect("first.y", "second.u", approximation)
    system.connect("second.y", "first.u", approximation)
    return system


# --- what a pass reads ------------------------------------------------------------------------------------------


def test_a_repeat_interpolates_what_the_pass_before_has_published():
    """Each call of step publishes its own number, so what is read tells from which pass it came."""
    first = Chatty(lambda calls, t: 10.0 * calls)
    second = Chatty(lambda calls, t: 100.0 * calls)
    two(first, second, cp.lagrange(1)).run(until=0.2, scheme="parallel", window=cp.window(0.1, repeats=2))
    # Window 1: one sample is held; then a line to the end of pass 1; then to that of pass 2.
    # Window 2: the line through the samples at 0 and 0.1 (of the last pass, number 3) goes on; then 4 and 5.
    expected = [[0, 0, 0], [0, 5, 10], [0, 10, 20], [30, 45, 60], [30, 35, 40], [30, 40, 50]]
    np.testing.assert_allclose(second.seen, expected, rtol=1e-12)
    np.testing.assert_allclose(first.seen, 10.0 * np.array(expected), rtol=1e-12)


def test_a_repeat_of_a_sequence_reads_what_the_earlier_publishes_now():
    first = Chatty(lambda calls, t: 10.0 * calls)
    second = Chatty(lambda calls, t: 100.0 * calls)
    two(first, second, cp.lagrange(1)).run(until=0.1, scheme="sequential", window=cp.window(0.1, repeats=2))
    np.testing.assert_allclose(second.seen, [[0, 5, 10], [0, 10, 20], [0, 15, 30]])  # waits for first: the same pass
    np.testing.assert_allclose(first.seen, [[0, 0, 0], [0, 50, 100], [0, 100, 200]])  # does not: the pass before


def test_every_pass_begins_in_the_same_state():
    states = []
    model = Chatty(act=lambda calls, t: states.append(model.state))
    two(model, Chatty()).run(until=0.4, scheme="parallel", window=cp.window(0.2, repeats=1))
    assert states == [1, 2, 1, 2, 3, 4, 3, 4]


def test_where_no_input_is_extrapolated_one_pass_is_enough():
    system = cp.System()
    source, sink = Chatty(), Chatty()
    system.add("source", source, step=0.1)
    system.add("sink", sink, step=0.1)
    system.connect("source.y", "sink.u")
    result = system.run(until=1.0, scheme="sequential", window=cp.window(0.5, repeats=9, tolerance=1e-9))
    assert (source.calls, sink.calls) == (10, 10)
    assert result.summary.windows.passes == result.summary.windows.count == 2


# --- accuracy ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("approximation", "gain"),
    [(cp.lagrange(1), 5.0), (cp.lagrange(2), 9.0)],
    ids=["order 1", "order 2"],
)
def test_a_repeat_gains_what_adams_moulton_gains_over_adams_bashforth(approximation, gain):
    """The mean error of the input over a step is that of these methods: 5/12 against 1/12, 3/8 against 1/24."""
    errors = [
        error(pair(approximation, solver="ode5").run(until=2.0, scheme="parallel", window=window, first_steps="once"))
        for window in (None, cp.window(0.01))
    ]
    # The constants hold for small steps and long histories; 20 % are left for a step of 1/160 of a period and the start.
    assert errors[0] / errors[1] == pytest.approx(gain, rel=0.2)


@pytest.mark.parametrize("scheme", ["parallel", "sequential"])
@pytest.mark.parametrize(
    "window", [{"repeats": 1}, {"repeats": 30, "tolerance": 1e-13}], ids=["one repeat", "converged"]
)
@pytest.mark.parametrize(
    ("approximation", "order"), [(cp.lagrange(1), 2), (cp.lagrange(2), 3), (cp.hermite(), 4)], ids=str
)
def test_the_order_of_a_window_is_that_of_the_interpolation(scheme, approximation, order, window):
    """Without derivatives the first window has two samples only: its line, once of order 3, is the limit of all orders."""
    errors = []
    for step in (0.02, 0.01):
        system = pair(approximation, (step, step), solver="ode5")
        errors.append(error(system.run(until=2.0, scheme=scheme, window=cp.window(step, **window))))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_a_repeat_raises_the_order_where_derivatives_are_known():
    """From its one sample at the start a line is extrapolated; a repeat has two samples and their slopes."""
    errors = [
        [
            error(
                pair(cp.hermite(), (h, h), solver="ode5").run(
                    until=2.0, scheme="parallel", window=window(h), first_steps="once"
                )
            )
            for h in (0.01, 0.005)
        ]
        for window in (lambda h: None, cp.window)
    ]
    orders = [math.log2(coarse / fine) for coarse, fine in errors]
    assert orders == pytest.approx([3.0, 4.0], abs=0.15)
    assert errors[1][0] < errors[0][0] / 500


@pytest.mark.parametrize("scheme", ["parallel", "sequential", "slowest-first"])
def test_centred_stencils_give_order_4_from_values_alone(scheme):
    """One-sided ones begin with a line over the first step, which leaves order 3."""
    errors = []
    for step in (0.02, 0.01):
        system = pair(cp.lagrange(3), (step, step), solver="ode5")
        window = cp.window(10 * step, repeats=50, tolerance=1e-13, stencil="centred")
        errors.append(error(system.run(until=2.0, scheme=scheme, window=window)))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.2)


def test_the_partitioned_oscillator_is_at_or_below_the_published_errors():
    """Rodenberg and Uekermann (2025), Fig. 11: cubic B-splines through the values of a window, order 4 in the left step."""
    stiff, between = 4 * math.pi**2, 16 * math.pi**2
    published = {0.1: (2.5e-2, 3.125e-3, 1.2255e-3), 0.05: (1.25e-2, 7.8125e-4, 7.7173e-5)}
    for length, (left, right, most) in published.items():
        system = cp.System("oscillator")
        for name, x0, step in (("left", 1.0, left), ("right", 0.0, right)):
            mass = cp.linear(
                [[0, 1], [-stiff - between, 0]], [[0], [between]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x"
            )
            system.add(name, mass, step=step)
        system.connect("left.x", "right.u", cp.lagrange(3))
        system.connect("right.x", "left.u", cp.lagrange(3))
        window = cp.window(length, repeats=50, tolerance=1e-10, stencil="centred")
        found = system.run(until=1.0, scheme="slowest-first", window=window)["left.x"]
        exact = 0.5 * (np.cos(2 * math.pi * found.time) + np.cos(6 * math.pi * found.time))
        assert np.abs(found.values - exact).max() <= most


def test_a_converged_window_is_the_coupled_solution_whatever_the_scheme():
    """Cubics leave 1.3e-8 at this step; what is left of the iteration is below its tolerance."""
    results = {
        scheme: pair(cp.hermite(), solver="ode5").run(
            until=2.0, scheme=scheme, window=cp.window(0.05, repeats=50, tolerance=1e-13)
        )
        for scheme in ("parallel", "sequential")
    }
    assert all(error(result) < 2e-8 for result in results.values())
    ends = [result["a.x"].values[-1] for result in results.values()]
    assert ends[0] == pytest.approx(ends[1], abs=1e-11)


def test_repeats_make_a_coupling_stable_that_extrapolation_makes_unstable():
    """Two masses with a very stiff spring between them: held over 0.1 s the force feeds energy in without end."""
    system = cp.System("stiff")
    for name, x0 in (("a", 1.0), ("b", 0.0)):
        mass = cp.linear(
            [[0, 1], [-101, -1]], [[0], [100]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x", solver="ode4"
        )
        system.add(name, mass, step=0.1)
    system.connect("a.x", "b.u", cp.lagrange(2))
    system.connect("b.x", "a.u", cp.lagrange(2))
    peaks = [
        np.abs(system.run(until=40.0, scheme="parallel", window=window)["a.x"].values[-50:]).max()
        for window in (None, cp.window(0.1, repeats=20, tolerance=1e-9))
    ]
    assert peaks[0] > 1e3
    assert peaks[1] < 1.0


def test_steps_without_a_common_multiple_gain_as_well():
    errors = [
        error(pair(cp.lagrange(2), (0.001, 0.0073)).run(until=2.0, scheme="parallel", window=window))
        for window in (None, cp.window(0.02), cp.window(0.02, repeats=10, tolerance=1e-12))
    ]
    assert errors[1] < errors[0] / 4
    assert errors[2] < errors[0] / 4


# --- steps and times --------------------------------------------------------------------------------------------


def test_a_step_that_would_go_beyond_a_window_ends_there():
    result = pair(steps=(0.01, 0.0073)).run(until=0.05, scheme="parallel", window=cp.window(0.02))
    grid = [0.0073 * k for k in range(7)]
    np.testing.assert_allclose(result["b.x"].time, sorted([*grid, 0.02, 0.04, 0.05]), atol=1e-12)
    np.testing.assert_allclose(result["a.x"].time, 0.01 * np.arange(6), atol=1e-12)


def test_windows_and_steps_that_meet_make_no_splinters():
    """Multiples of 0.1 and of 0.3 are not the same doubles."""
    result = pair(steps=(0.1, 0.3)).run(until=30.0, scheme="parallel", window=cp.window(0.3))
    assert len(result["a.x"].time) == 301
    assert len(result["b.x"].time) == 101
    assert result.summary.windows.count == 100


def test_a_last_window_is_as_long_as_what_is_left():
    result = pair().run(until=0.25, scheme="parallel", window=cp.window(0.1))
    assert result.summary.windows.count == 3
    assert result["a.x"].time[-1] == 0.25


def test_a_solver_with_its_own_steps_takes_part():
    system = cp.System()
    system.add(
        "a", cp.linear([[0, 1], [-15, -0.3]], [[0], [5]], x0=[1, 0], inputs="u", outputs=["x", "v"], solver="ode45")
    )
    system.add("b", cp.linear([[0, 1], [-15, -0.3]], [[0], [5]], x0=[0, 0], inputs="u", outputs=["x", "v"]), step=0.01)
    system.connect("a.x", "b.u", cp.lagrange(3))
    system.connect("b.x", "a.u", cp.lagrange(3))
    window = cp.window(0.05, repeats=20, tolerance=1e-12)
    result = system.run(until=2.0, scheme="parallel", window=window)
    assert result.summary.windows.not_converged == 0
    assert error(result) < 2e-4  # the solver's own tolerance is 1e-3
    assert {0.05, 0.1, 2.0} <= {round(t, 12) for t in result["a.x"].time}


def test_a_window_may_hold_more_samples_than_a_history_begins_with():
    """256 samples fit at first; here there are a thousand in each window and nothing of them may be forgotten."""
    result = pair(cp.hermite(), (1e-4, 0.01), solver="ode5").run(
        until=0.3, scheme="parallel", window=cp.window(0.1, 20, 1e-12)
    )
    assert len(result["a.x"].time) == 3001
    assert result.summary.windows.not_converged == 0
    assert error(result, 0.3) < 1e-8


# --- the result -------------------------------------------------------------------------------------------------


def test_only_the_last_pass_is_in_the_result(tmp_path):
    window = cp.window(0.02, repeats=3)
    kept = pair(cp.lagrange(2), (0.001, 0.0073)).run(until=1.0, scheme="parallel", window=window)
    assert np.all(np.diff(kept["a.x"].time) > 0.0)
    assert kept.summary.steps == [len(kept[name].time) - 1 for name in ("a.x", "b.x")]
    assert all(np.all(np.diff(kept.defect(label).time) > 0.0) for label in kept.layout.connections)
    path = tmp_path / "run.h5"
    pair(cp.lagrange(2), (0.001, 0.0073)).run(until=1.0, scheme="parallel", window=window, file=path).close()
    with cp.load(path) as filed:
        assert np.array_equal(filed["b.v"].values, kept["b.v"].values)
        assert filed.summary.windows == kept.summary.windows
        assert np.array_equal(filed.defect("a.x -> b.u").values, kept.defect("a.x -> b.u").values)


def test_the_defect_is_what_the_last_pass_assumed_against_what_it_published():
    first = Chatty(lambda calls, t: 10.0 * calls)
    second = Chatty()
    result = two(first, second, cp.lagrange(1)).run(until=0.2, scheme="parallel", window=cp.window(0.1, repeats=1))
    # Pass 1 published 10 and 30 at the ends of the windows; pass 2 assumed that and published 20 and 40.
    defect = result.defect("first.y -> second.u")
    np.testing.assert_allclose(defect.time, [0.1, 0.2])
    np.testing.assert_allclose(defect.assumed, [10.0, 30.0])
    np.testing.assert_allclose(defect.arrived, [20.0, 40.0])


def test_the_defect_of_steps_without_a_common_multiple_vanishes_when_windows_converge():
    window = cp.window(0.05, repeats=30, tolerance=1e-13)
    result = pair(cp.lagrange(3), (0.001, 0.0073)).run(until=1.0, scheme="parallel", window=window)
    assert all(defect.count >= 100 and defect.maximum < 1e-6 for defect in result.summary.defects)
    assert result.quality.verdict == "trustworthy"


@pytest.mark.parametrize("stencil", ["one-sided", "centred"])
@pytest.mark.parametrize("scheme", ["parallel", "sequential", "slowest-first", "fastest-first"])
def test_threads_change_no_bit(scheme, stencil):
    def run(threads):
        system = pair(cp.lagrange(2), (0.001, 0.0073))
        system.add("c", cp.ode(lambda t, x, u: u - x, [0.0], inputs="u", outputs="y", solver="ode45"))
        system.connect("b.x", "c.u")
        return system.run(until=0.5, scheme=scheme, window=cp.window(0.03, 5, 1e-9, stencil=stencil), threads=threads)

    results = [run(threads) for threads in (1, 2, 4)]
    for name, other in itertools.product(("a.x", "b.v", "c.y"), results[1:]):
        assert np.array_equal(results[0][name].values, other[name].values)
    assert results[0].summary.windows == results[1].summary.windows
    assert results[0].summary.defects == results[2].summary.defects


def test_a_window_that_does_not_converge_is_told():
    with pytest.warns(cp.WindowWarning) as told:
        result = pair().run(until=2.0, scheme="parallel", window=cp.window(1.0, repeats=2, tolerance=1e-10))
    text = str(told[0].message)
    assert "2 of 2 windows did not converge to 1e-10 with 2 repeats" in text
    assert 'its repeats changed the interface by 0.00025, 0.00015, "b.x" most' in text
    assert result.summary.windows.changes == pytest.approx([2.5e-4, 1.5e-4], rel=0.1)
    windows = result.summary.windows
    assert (windows.count, windows.passes, windows.not_converged) == (2, 6, 2)
    assert windows.largest_change > 1e-4
    assert result.quality.verdict != "trustworthy"
    assert "2 of 2 windows did not converge to 1e-10 with 2 repeats" in str(result.quality)
    assert "2 windows of 1 s with 3 passes each" in str(result)


def test_a_window_that_converges_early_is_repeated_no_more():
    result = pair(cp.lagrange(3)).run(until=1.0, scheme="parallel", window=cp.window(0.01, 50, tolerance=1e-6))
    assert result.summary.windows.not_converged == 0
    assert result.summary.windows.passes < 4 * result.summary.windows.count
    assert result.summary.windows.largest_change <= 1e-6
    assert "windows" not in str(result.quality)


def test_a_signal_that_is_zero_counts_as_converged():
    result = two(Chatty(lambda calls, t: 0.0), Chatty(lambda calls, t: 0.0)).run(
        until=0.2, scheme="parallel", window=cp.window(0.1, 5, 1e-9)
    )
    assert result.summary.windows.passes == 4


# --- step by step -----------------------------------------------------------------------------------------------


def test_step_to_finishes_the_window_that_it_enters():
    with pair().start(until=1.0, scheme="parallel", window=cp.window(0.1)) as run:
        run.step_to(0.05)
        assert run.time == pytest.approx(0.1)
        run.step_to(0.1)
        assert run.time == pytest.approx(0.1)
        run.step_to(0.31)
        assert run.time == pytest.approx(0.4)
    whole = pair().run(until=0.4, scheme="parallel", window=cp.window(0.1))
    assert np.array_equal(run.finish()["a.x"].values, whole["a.x"].values)


def test_a_run_with_an_open_end_goes_on_window_by_window():
    with pair().start(scheme="parallel", window=cp.window(0.1)) as run:
        run.step_to(0.95)
        assert run.time == pytest.approx(1.0)


def test_an_input_that_is_set_between_windows_acts_in_all_passes_of_the_next():
    model = Chatty()
    system = two(model, Chatty())
    system.add("free", Chatty(), step=0.1)
    with system.start(until=0.4, scheme="parallel", window=cp.window(0.2)) as run:
        run.step_to(0.2)
        run.set("free.u", 5.0)
        run.step_to(0.4)
    assert system.subsystems["free"].subsystem.seen == [[0.0] * 3] * 4 + [[5.0] * 3] * 4


# --- when something goes wrong ----------------------------------------------------------------------------------


@pytest.mark.parametrize("bad_call", [7, 9], ids=["first pass", "repeat"])
def test_nan_inside_a_window_names_its_step_and_keeps_whole_windows(tmp_path, bad_call):
    """Windows of two steps, two passes: calls 5 and 6 begin the second window, 7 and 8 repeat it, 9 is the third."""
    model = Chatty(lambda calls, t: math.nan if calls >= bad_call else t)
    path = tmp_path / "run.h5"
    with pytest.raises(cp.NotFiniteError) as caught:
        two(model, Chatty()).run(until=1.0, scheme="parallel", window=cp.window(0.2), file=path)
    begin = 0.2 if bad_call == 7 else 0.4
    assert f"first: step from t = {begin:g} s to {begin + 0.1:g} s failed" in str(caught.value)
    caught.value.result.close()
    with cp.load(path) as result:
        assert result.status == "failed"
        assert result.end == pytest.approx(begin)
        for name in ("first.y", "second.y"):
            np.testing.assert_allclose(result[name].time, 0.1 * np.arange(round(begin / 0.1) + 1))
            assert np.all(np.isfinite(result[name].values))
        assert result.summary.steps == [round(begin / 0.1)] * 2
        assert result.summary.windows.count == round(begin / 0.2)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_in_a_repeat_keeps_whole_windows(threads):
    def act(calls, t):
        if calls == 8:
            raise ValueError("seized")

    with pytest.raises(cp.ModelError, match="seized") as caught:
        two(Chatty(act=act), Chatty()).run(until=1.0, scheme="parallel", window=cp.window(0.2), threads=threads)
    np.testing.assert_allclose(caught.value.result["second.y"].time, [0.0, 0.1, 0.2])


@pytest.mark.parametrize("call", [6, 8], ids=["first pass", "repeat"])
def test_ctrl_c_inside_a_window_leaves_whole_windows(tmp_path, call):
    def act(calls, t):
        if calls == call:
            os.kill(os.getpid(), signal.SIGINT)
        if calls >= call:
            time.sleep(0.03)  # longer than a slice: the run comes back to Python within the window

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        path = tmp_path / "run.h5"
        with pytest.raises(cp.RunInterrupted, match=r"interrupted at t = 0\.2 s") as caught:
            two(Chatty(act=act), Chatty()).run(until=10.0, scheme="parallel", window=cp.window(0.2), file=path)
    finally:
        signal.signal(signal.SIGINT, before)
    caught.value.result.close()
    with cp.load(path) as result:
        assert result.status == "interrupted"
        assert result.end == pytest.approx(0.2)
        np.testing.assert_allclose(result["first.y"].time, [0.0, 0.1, 0.2])
        np.testing.assert_allclose(result["second.y"].time, [0.0, 0.1, 0.2])


def test_what_whole_windows_published_reaches_the_file_while_the_next_is_under_way(tmp_path):
    """Slices end within windows that take longer; rows must still get out."""
    path = tmp_path / "run.h5"
    seen = []

    def act(calls, t):
        time.sleep(0.015)
        if calls % 60 == 0:
            with cp.load(path) as sofar:
                seen.append(len(sofar["first.y"].time))

    two(Chatty(act=act), Chatty()).run(until=4.0, scheme="parallel", window=cp.window(0.2), file=path).close()
    assert seen[0] > 1  # 60 calls are 15 windows and 0.9 s; rows are written twice a second


def test_a_block_that_ends_the_run_keeps_whole_windows():
    """x = t reaches 0.35 in the window from 0.2 to 0.4, the first pass of which does not count."""
    diagram = cp.Diagram("inside")
    x = diagram.integrator(1.0, name="x")
    diagram.stop(x - 0.35)
    diagram.output("x", x + 0.0 * diagram.input("u"))
    system = cp.System()
    system.add("inside", diagram, step=0.1)
    system.add("other", Chatty(), step=0.1)
    system.connect("inside.x", "other.u", initial=0.0)
    system.connect("other.y", "inside.u")
    result = system.run(until=1.0, scheme="parallel", window=cp.window(0.2))
    assert result.status == "finished"
    assert "results are kept up to the end of the last whole window, t = 0.2 s" in result.message
    np.testing.assert_allclose(result["inside.x"].time, [0.0, 0.1, 0.2])


# --- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"length": 0.0}, r"window.length: 0.0; expected a positive number of seconds"),
        ({"length": math.nan}, r"window.length: nan"),
        ({"length": "long"}, r'window.length: "long": is not a time'),
        ({"length": 1.0, "repeats": 0}, r"window.repeats: 0; expected an integer of at least 1"),
        ({"length": 1.0, "repeats": 1.5}, r"window.repeats: 1.5"),
        ({"length": 1.0, "repeats": True}, r"window.repeats: True"),
        ({"length": 1.0, "stencil": "central"}, r"window.stencil: 'central'; expected \"one-sided\" or \"centred\""),
        ({"length": 1.0, "tolerance": 0.0}, r"window.tolerance: 0.0; expected a positive number or None"),
        ({"length": -1.0, "repeats": -1, "tolerance": -1.0}, r"(?s)length.*repeats.*tolerance"),
    ],
)
def test_windows_that_cannot_be_are_refused(arguments, complaint):
    with pytest.raises(cp.SetupError, match=complaint):
        cp.window(**arguments)


def test_a_subsystem_that_cannot_save_is_named_before_anything_runs():
    forgetful = Chatty()
    forgetful.save = None
    with pytest.raises(cp.SetupError, match=r"subsystems\.second: cannot save and restore its state") as caught:
        two(Chatty(), forgetful).run(until=1.0, window=cp.window(0.1))
    assert "give it save and restore, use cp.estimated_response, or run without window" in str(caught.value)
    assert forgetful.calls == 0


def test_a_window_shorter_than_a_step_is_refused():
    with pytest.raises(cp.SetupError, match=r'window\.length: 0.05 s is shorter than the step of "b", 0.1 s'):
        pair(steps=(0.01, 0.1)).run(until=1.0, window=cp.window(0.05))


def test_a_window_of_another_kind_is_refused():
    with pytest.raises(cp.SetupError, match=r"window: 0.1; write cp.window\(length, repeats\)"):
        pair().run(until=1.0, window=0.1)


def test_a_host_and_windows_exclude_each_other():
    with pytest.raises(cp.SetupError, match="window: a host makes its own steps and cannot be restored"):
        pair().run(until=1.0, host="a", window=cp.window(0.1))


def test_windows_say_what_they_are():
    assert str(cp.window(0.01)) == "windows of 0.01 s, repeated once"
    assert str(cp.window(0.5, 3, 1e-6)) == "windows of 0.5 s, repeated 3 times, or until it changes less than 1e-06"
