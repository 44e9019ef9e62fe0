"""Outputs that jump at events: no approximation reaches across a jump, whoever publishes it and whoever listens.

A saw tooth of slope 1 that falls to zero whenever it has reached 0.3 is piecewise linear: whoever interpolates it by lines
(or anything better) must integrate it exactly, to rounding, as long as nothing reaches across.
"""

import sys
import threading

import numpy as np
import pytest

import counterpoint as cp

PERIOD = 0.3
STEP = 0.05  # six steps of the listener are one tooth


class SawTooth(cp.Subsystem):
    """Rises with slope 1; falls to zero at each multiple of the period, where its step ends."""

    outputs = ("y",)
    stops_early = True

    def __init__(self, tells=True, step=0.04):
        self.tells = tells
        self.length = step

    def start(self, t):
        self.y = 0.0
        self.teeth = 0
        self.before = None

    def next_step(self):
        return self.length

    def step(self, t, t_end, u):
        self.before = None
        fall = (self.teeth + 1) * PERIOD
        if t_end < fall - 1e-12:
            self.y = t_end - self.teeth * PERIOD
            return t_end
        self.before = PERIOD
        self.y = 0.0
        self.teeth += 1
        return fall

    def output(self, t, u):
        return self.y

    def output_before_event(self):
        return self.before if self.tells else None

    def save(self):
        return self.y, self.teeth

    def restore(self, state):
        self.y, self.teeth = state
        self.before = None


class Integral(cp.Subsystem):
    """Integrates its input exactly where it is a polynomial of degree 3 in each step; keeps what it saw at both ends."""

    inputs = ("u",)
    outputs = ("x",)

    def start(self, t):
        self.x = 0.0
        self.seen = []

    def step(self, t, t_end, u):
        first, middle, last = (float(u(time)[0]) for time in (t, 0.5 * (t + t_end), t_end))
        self.x += (t_end - t) * (first + 4.0 * middle + last) / 6.0
        self.seen.append((t, first, last))

    def output(self, t, u):
        return self.x

    def save(self):
        return self.x, list(self.seen)

    def restore(self, state):
        self.x, self.seen = state[0], list(state[1])


class Sampled(Integral):
    """Shows what it has seen in the middle of its last step."""

    def step(self, t, t_end, u):
        self.x = float(u(0.5 * (t + t_end))[0])


def area(t):
    """Integral of the saw tooth from 0 to t."""
    teeth = np.floor(t / PERIOD + 1e-9)
    rest = np.maximum(t - teeth * PERIOD, 0.0)
    return teeth * PERIOD**2 / 2 + rest**2 / 2


WAITING = cp.custom({"listener": ["source"]})


def run(approximation, source=None, listener=None, until=3.0, scheme=WAITING, step=STEP, **options):
    system = cp.System("jumps")
    system.add("source", source or SawTooth())
    system.add("listener", listener or Integral(), step=step)
    system.connect("source.y", "listener.u", approximation)
    return system.run(until=until, scheme=scheme, **options)


def worst(result):
    x = result["listener.x"]
    return float(np.abs(x.values - area(x.time)).max())


APPROXIMATIONS = {
    **{f"lagrange {order}": cp.lagrange(order) for order in (1, 2, 3, 4)},
    "hermite": cp.hermite(),
    "taylor": cp.taylor(1),
    "least squares": cp.least_squares(1, 3),
    "mean": cp.mean("time-weighted"),
}


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_who_waits_integrates_a_saw_tooth_exactly(name):
    assert worst(run(APPROXIMATIONS[name])) < 1e-12


def test_the_exactness_comes_from_the_value_before_the_jump():
    assert worst(run(cp.lagrange(1), SawTooth(tells=False))) > 1e-3


@pytest.mark.parametrize("order", [1, 2])
def test_who_extrapolates_forgets_what_was_before_the_jump(order):
    """In the first step of each tooth its first sample is held, and h² / 2 is missing; from then on a line is exact."""
    options = {"scheme": cp.custom({}), "first_steps": "once"}
    result = run(cp.lagrange(order), **options)
    assert worst(result) == pytest.approx(10 * STEP**2 / 2, rel=1e-9)
    assert worst(run(cp.lagrange(order), SawTooth(tells=False), **options)) > 2 * worst(result)
    assert worst(run(cp.lagrange(order), scheme=cp.custom({}))) == pytest.approx(9 * STEP**2 / 2, rel=1e-9)


def test_a_step_that_ends_at_a_jump_sees_what_was_before_and_one_that_begins_there_what_comes_after():
    listener = Integral()
    run(cp.lagrange(1), listener=listener)
    seen = np.array(listener.seen)
    begins = seen[np.isclose(seen[:, 0] % PERIOD, 0.0) | np.isclose(seen[:, 0] % PERIOD, PERIOD)]
    ends = seen[np.isclose((seen[:, 0] + STEP) % PERIOD, 0.0) | np.isclose((seen[:, 0] + STEP) % PERIOD, PERIOD)]
    assert len(begins) == len(ends) == 10
    assert np.abs(begins[:, 1]).max() < 1e-12
    assert np.abs(ends[:, 2] - PERIOD).max() < 1e-12


def test_a_jump_is_no_defect_of_who_foresaw_the_rest():
    """The tooth goes on as it was foreseen; that it ends could not be foreseen, and is not held against the listener."""
    defects = run(cp.lagrange(1), scheme=cp.custom({})).defects
    assert 0.0 < defects.maximum.max() < 0.1


def test_both_sides_of_a_jump_are_recorded_and_nothing_is_drawn_through_it():
    y = run(cp.lagrange(1))["source.y"]
    at_jump = y.values[np.isclose(y.time, PERIOD)]
    assert np.allclose(at_jump, [PERIOD, 0.0])
    for kind in ("linear", "cubic"):
        asked = np.array([PERIOD - 0.001, PERIOD, PERIOD + 0.001])
        assert np.allclose(y.at(asked, kind=kind), [PERIOD - 0.001, 0.0, 0.001], atol=1e-12)


def test_windows_threads_and_saved_states_know_of_jumps():
    plain = run(cp.lagrange(1))
    assert np.array_equal(run(cp.lagrange(1), threads=2)["listener"], plain["listener"])
    windowed = run(cp.lagrange(1), scheme=cp.custom({}), window=cp.window(length=0.15, repeats=2))
    assert worst(windowed) < 1e-12


def test_a_jump_that_is_not_finite_is_told():
    class Broken(SawTooth):
        def output_before_event(self):
            return None if self.before is None else float("nan")

    with pytest.raises(cp.NotFiniteError, match="y"):
        run(cp.lagrange(1), Broken())


@pytest.mark.skipif(sys.platform != "linux", reason="tests of links use what Linux has")
def test_behind_a_link_jumps_are_the_same():
    plain = run(cp.lagrange(1))
    with cp.serve(SawTooth()) as serving:
        thread = threading.Thread(target=serving.session, args=(30.0,))
        thread.start()
        remote = cp.remote(serving.address, token=serving.token)
        far = run(cp.lagrange(1), remote)
        remote.close()
        thread.join()
    assert np.array_equal(far["listener"], plain["listener"])
    assert np.array_equal(far["source"].reset_index(), plain["source"].reset_index())


def host_of_a_saw_tooth():
    system = cp.System()
    system.add_host("host", inputs=["u"], outputs=[])
    system.add("source", SawTooth())
    system.connect("source.y", "host.u", cp.lagrange(1))
    host = system.embed("host", "slowest-first")
    host.evaluate(0.0, [], True)
    return host


def test_a_host_reads_jumps_of_the_others():
    host = host_of_a_saw_tooth()
    for t in (0.25, 0.295, 0.299):
        assert host.evaluate(t, [], True) == pytest.approx([t])
    assert host.evaluate(0.305, [], True) == pytest.approx([0.005])


def test_a_host_sees_what_was_before_a_jump_until_it_has_accepted_that_time():
    host = host_of_a_saw_tooth()
    assert host.evaluate(PERIOD, [], False) == pytest.approx([PERIOD])  # the last stage of a step
    assert host.evaluate(PERIOD, [], True) == pytest.approx([0.0], abs=1e-12)  # and the first one of the next
    assert host.evaluate(PERIOD, [], False) == pytest.approx([0.0], abs=1e-12)
    assert host.evaluate(PERIOD + 0.01, [], False) == pytest.approx([0.01])


@pytest.mark.parametrize("direct", [True, False])
def test_a_diagram_that_is_master_integrates_a_saw_tooth_exactly(direct):
    """Simpson's rule is exact for lines: the last stage of a step must see the tooth, the first one of the next none."""
    others = cp.System()
    others.add_host("host", inputs=["u"], outputs=["x"])
    others.add("source", SawTooth())
    others.connect("source.y", "host.u", cp.lagrange(1))
    model = cp.Diagram("master", solver="ode4", step=STEP)
    block = model.cosimulation(others, 0.0, direct=direct)
    model.output("x", model.integrator(block))
    system = cp.System()
    system.add("listener", model.subsystem())
    assert worst(system.run(until=3.0)) < 1e-12


def test_a_subsystem_that_is_master_integrates_a_saw_tooth_exactly():
    """It integrates with the samples of the others as they are when it asks."""
    listener = Integral()
    system = cp.System("jumps")
    system.add("source", SawTooth())
    system.add("listener", listener, step=STEP)
    system.connect("source.y", "listener.u", cp.lagrange(1))
    assert worst(system.run(until=3.0, scheme="slowest-first", host="listener")) < 1e-12


def test_an_arithmetic_mean_counts_both_sides_of_a_jump():
    """Each step of the listener is one tooth: it begins at zero, and the samples between lie at 0.12 and 0.24 s."""
    result = run(cp.mean("arithmetic"), SawTooth(step=0.12), listener=Sampled(), step=PERIOD)
    assert result["listener.x"].values[1:] == pytest.approx((0.0 + 0.12 + 0.24 + PERIOD) / 4)


def test_at_the_start_no_subsystem_is_asked_for_earlier_values():
    class Forgetful(SawTooth):
        """Knows of no event until one came, and of the last one of the run before."""

        def start(self, t):
            self.y = 0.0
            self.teeth = 0

    source = Forgetful()
    for _ in range(2):
        y = run(cp.lagrange(1), source)["source.y"]
        assert y.time[:2] == pytest.approx([0.0, 0.04])


def test_a_diagram_tells_what_was_before_a_step_of_a_source():
    """The jump lies on the grid of the listener, and the diagram would make longer steps than that."""
    diagram = cp.Diagram("step", solver="ode45", publish_events=True)
    diagram.output("y", diagram.step(time=0.35, before=1.0, after=3.0))
    result = run(cp.lagrange(1), diagram.subsystem(), until=1.0)
    assert float(result["listener.x"].values[-1]) == pytest.approx(0.35 + 3.0 * 0.65, abs=1e-12)


def test_a_diagram_tells_what_was_before_a_reset():
    """The saw tooth as a diagram: an integrator of one that is reset at each rising zero of a sine."""
    diagram = cp.Diagram("saw", solver="ode45", publish_events=True, max_step=0.1)
    wave = diagram.sin(2.0 * np.pi / PERIOD * diagram.clock())
    tooth = diagram.integrator(1.0, reset=wave)
    diagram.output("y", tooth)
    assert worst(run(cp.lagrange(1), diagram.subsystem())) < 1e-9
