"""Events of FMUs for model exchange, against closed forms and against another tool."""

import numpy as np
import pytest

import counterpoint as cp

from .exchanging import FIXED, VARIABLE, E, G, changes, exchange, impacts, theirs
from .running import alone

# state events


@pytest.mark.parametrize("solver", [*VARIABLE, *FIXED])
def test_impacts_happen_at_their_exact_times(built, version, solver):
    step = None if solver in VARIABLE else 0.01
    result = alone(exchange(built("bouncing-ball", version), solver=solver, step=step), until=3.0)
    # parabolas are exact for all of them; what is left is the place of the floor, a rounding error an impact
    assert changes(result["fmu.bounces"]) == pytest.approx(impacts(11), abs=1e-9)
    assert result["fmu.at_rest"].values[-1] == 1.0
    assert result["fmu.h"].values.min() > -1e-9


def test_euler_locates_what_it_calculates(built, version):
    """Euler's ball falls otherwise, but its impact is on its own line: h = 0 there to rounding."""
    result = alone(exchange(built("bouncing-ball", version), solver="ode1", step=0.01), until=0.6)
    k = int(np.flatnonzero(result["fmu.bounces"].values)[0]) - 2  # before it, and before the sample right before it
    before, first = result["fmu.h"].values[k], changes(result["fmu.bounces"])[0]
    speed = result["fmu.v"].values[k]
    assert before > 1e-3
    assert first == pytest.approx(result["fmu.h"].time[k] - before / speed, abs=1e-10)


def test_outputs_right_before_and_after_an_event_are_published_at_its_time(built, version):
    result = alone(exchange(built("bouncing-ball", version), solver="ode4", step=0.05), until=0.5)
    k = int(np.flatnonzero(result["fmu.bounces"].values)[0])
    first = impacts(1)[0]
    assert result["fmu.h"].time[k - 1] == result["fmu.h"].time[k] == pytest.approx(first, abs=1e-11)
    assert result["fmu.v"].values[k - 1] == pytest.approx(-G * first, abs=1e-9)
    assert result["fmu.v"].values[k] == pytest.approx(E * G * first, abs=1e-9)
    assert result["fmu.h"].time[k + 1] == 0.5  # back on its own grid


def test_events_that_are_not_published_are_located_all_the_same(built, version):
    result = alone(exchange(built("bouncing-ball", version), events=False, step=0.1), until=1.0)
    assert np.allclose(result["fmu.h"].time, np.linspace(0.0, 1.0, 11))
    since = 1.0 - impacts(1)[0]
    speed = E * np.sqrt(2.0 * G)
    assert result["fmu.h"].values[-1] == pytest.approx(since * (speed - 0.5 * G * since), abs=1e-9)


@pytest.mark.parametrize("solver", [*VARIABLE, *FIXED])
@pytest.mark.parametrize("e", [0.7, 0.05])
def test_a_ball_that_stays_a_little_below_the_floor_does_not_fall_through(built, version, solver, e):
    step = None if solver in VARIABLE else 0.1
    parameters = {"careless": True, "e": e, "v_min": 0.001}
    result = alone(
        exchange(built("bouncing-ball", version), solver=solver, step=step, parameters=parameters), until=3.0
    )
    assert result["fmu.h"].values.min() > -1e-9
    assert changes(result["fmu.bounces"])[:2] == pytest.approx(impacts(2, e), abs=1e-8)


def test_another_tool_sees_the_same_bounces(built, version):
    path = built("bouncing-ball", version)
    result = alone(exchange(path, step=0.01), until=1.5)
    expected = theirs(path, stop_time=1.5, output_interval=0.01, relative_tolerance=1e-9, record_events=False)
    grid = expected["time"]
    ours = np.array([result["fmu.h"].values[np.argmin(abs(result["fmu.h"].time - t))] for t in grid])
    # the other tool does not locate its events closer than that
    assert np.allclose(expected["h"], ours, rtol=0, atol=2e-5)


@pytest.mark.parametrize("solver", ["ode45", "ode23s", "ode4"])
def test_a_relay_with_a_band_makes_triangles(built, version, solver):
    """From x = 0 upwards with rate 1 and band 0.1: switches at 0.1, 0.3, 0.5, ..."""
    step = 0.07 if solver == "ode4" else None
    result = alone(exchange(built("relay", version), solver=solver, step=step), until=2.0)
    assert changes(result["fmu.switches"]) == pytest.approx(np.arange(0.1, 2.0, 0.2), abs=1e-9)
    assert np.abs(result["fmu.x"].values).max() == pytest.approx(0.1, abs=1e-9)


@pytest.mark.parametrize("solver", ["ode45", "ode4"])
def test_chattering_ends_the_run_with_the_indicator_and_the_time(built, version, solver):
    model = exchange(built("relay", version), solver=solver, step=0.1, parameters={"band": 0.0}, start={"x": -0.25})
    with pytest.raises(cp.SolverError, match=r"too many events of event indicator 0 of the FMU: 6 between") as failed:
        alone(model)
    assert "between t = 0.25" in str(failed.value)
    assert failed.value.exit_code == 3
    assert failed.value.result["fmu.x"].time[-1] == pytest.approx(0.25)


@pytest.mark.parametrize("step", [None, 0.01])
def test_a_ball_that_never_rests_ends_the_run_when_its_bounces_come_ever_closer(built, version, step):
    """Zeno: with v_min = 0 the impacts pile up at sqrt(2/g) (1 + e) / (1 - e) = 2.5586 s."""
    with pytest.raises(cp.SolverError, match="ever shorter intervals between events") as failed:
        alone(exchange(built("bouncing-ball", version), step=step, parameters={"v_min": 0.0}), until=3.0)
    limit = np.sqrt(2.0 / G) * (1.0 + E) / (1.0 - E)
    assert failed.value.result["fmu.h"].time[-1] == pytest.approx(limit, abs=1e-5)


class Kick(cp.Subsystem):
    """Publishes -5 from 0.05 s on; it has an input, so that its outputs are not known in advance."""

    inputs = ("x",)
    outputs = ("y",)

    def step(self, t, t_end, u):
        pass

    def output(self, t, u):
        return 0.0 if t < 0.049 else -5.0


def test_an_input_that_has_jumped_between_steps_is_an_event(built, version):
    system = cp.System()
    model = exchange(built("relay", version), solver="ode4")
    system.add("relay", model, step=0.02)
    system.add("kick", Kick(), step=0.05)
    system.connect("kick.y", "relay.u", cp.hold())
    system.connect("relay.x", "kick.x", cp.hold())
    result = system.run(until=0.09, scheme="parallel")
    assert (model.statistics["input events"], model.statistics["state events"]) == (1, 0)
    # x rises to 0.06, the start of the first step that knows of the jump, and falls from there on
    assert result["relay.x"].values[-1] == pytest.approx(0.06 - 0.03, abs=1e-12)


def test_an_input_that_jumps_within_a_step_is_located(built, version):
    system = cp.System()
    model = exchange(built("relay", version), solver="ode4")
    system.add("relay", model, step=0.02)
    system.add("kick", cp.source(lambda t: 0.0 if t < 0.049 else -5.0, outputs="y"), step=0.05)
    system.connect("kick.y", "relay.u", cp.hold())
    result = system.run(until=0.09, scheme="slowest-first")
    # samples of others that are nearer than a millionth of the shortest step are taken as here
    assert changes(result["relay.falls"]) == pytest.approx([0.05], abs=3e-8)
    assert result["relay.x"].values[-1] == pytest.approx(0.05 - 0.04, abs=6e-8)


# time events, step events, discrete inputs


def ramp_and(model, step=None, until=1.0, **signals):
    system = cp.System()
    system.add("fmu", model, step=step)
    for name, function in {"u": lambda t: t, **signals}.items():
        system.add(name, cp.source(function, outputs="y"), step=0.05)
        system.connect(f"{name}.y", f"fmu.{name}", cp.lagrange(1) if name == "u" else cp.hold())
    return system.run(until=until, scheme="sequential" if step is None else "slowest-first")


@pytest.mark.parametrize(("solver", "step"), [("ode45", None), ("ode45", 0.25), ("ode4", 0.03), ("ode1", 0.03)])
def test_time_events_happen_at_their_times(built, version, solver, step):
    """The FMU samples u = t at 0, 0.1, ... and holds: x(1) = 0.1 (0 + 0.1 + ... + 0.9) = 0.45."""
    system = cp.System()
    model = exchange(built("sampler", version), solver=solver)
    system.add("fmu", model, step=step)
    system.add("u", cp.source(lambda t: t, outputs="y"), step=0.5)
    system.connect("u.y", "fmu.u", cp.lagrange(1))
    result = system.run(until=1.0, scheme=cp.sequential(["u", "fmu"]))
    assert result["fmu.x"].values[-1] == pytest.approx(0.45, abs=1e-12)
    assert result["fmu.samples"].values[-1] == 11
    assert model.statistics["time events"] == 10
    assert changes(result["fmu.samples"])[:9] == pytest.approx(np.arange(1, 10) / 10, abs=1e-12)


def test_both_kinds_sample_alike(built, version):
    runs = [
        alone(cp.fmu(built("sampler", version), kind=kind, start={"u": 3.0, "bias": -1.0}), until=0.95, step=0.05)
        for kind in ("co-simulation", "model-exchange")
    ]
    for run in runs:
        assert run["fmu.x"].values[-1] == pytest.approx(2.0 * 0.95)
        assert run["fmu.samples"].values[-1] == 10


def test_a_time_event_and_the_end_of_a_step_that_differ_by_rounding_are_one(built, version):
    """0.1 summed up and 0.1 counted differ in their last bits; no step of rounding length may come of that."""
    model = exchange(built("sampler", version), solver="ode4")
    result = alone(model, until=100.0, step=0.1)
    assert model.statistics["time events"] == pytest.approx(1000, abs=1)
    assert model.statistics["steps"] == 1000
    assert np.diff(np.unique(result["fmu.x"].time)).min() > 0.09


@pytest.mark.parametrize(("solver", "step"), [("ode4", 0.1), ("ode4", 0.05), ("ode45", None)])
def test_an_fmu_that_knows_a_time_event_only_at_its_very_time_is_there_at_that_time(built, version, solver, step):
    """The end of a step may be later than the event by rounding, and the event happens all the same."""
    model = exchange(built("sampler", version), solver=solver, parameters={"exact": True})
    assert alone(model, until=100.0, step=step)["fmu.samples"].values[-1] in (1000, 1001)  # the last is at the end


def test_discrete_inputs_are_events(built, version):
    for kind in ("model-exchange", "co-simulation"):
        system = cp.System()
        system.add("fmu", cp.fmu(built("sampler", version), kind=kind, start={"u": 1.0}), step=0.02)
        system.add("enable", cp.source(lambda t: float(t < 0.449), outputs="y"), step=0.05)
        system.connect("enable.y", "fmu.enable", cp.hold())
        result = system.run(until=1.0, scheme="parallel")
        # samples from 0.5 s on are zero: the input changes at 0.45 s, and the FMU hears of it in event mode
        assert result["fmu.x"].values[-1] == pytest.approx(0.5, abs=1e-12)


def test_step_events_are_handled_when_the_fmu_asks_for_them(built, version):
    model = exchange(built("van-der-pol", version), solver="ode4", parameters={"every": 4})
    result = alone(model, step=0.01)
    assert result["fmu.completed"].values[-1] == 100
    assert result["fmu.events"].values[-1] == 1 + 25  # one at the start
    assert model.statistics["step events"] == 25


@pytest.mark.parametrize(
    ("parameters", "error", "text"),
    [
        ({"shrink": 0.5}, cp.SolverError, "too many time events of the FMU"),
        ({"late": True}, cp.ComponentError, r"next event at t = 0 s, which does not come after the event at t = 0 s"),
    ],
)
def test_time_events_without_an_end_end_the_run(built, version, parameters, error, text):
    with pytest.raises(error, match=text):
        alone(exchange(built("sampler", version), parameters=parameters), step=0.05)


def test_another_tool_sees_the_same_samples(built, version):
    path = built("sampler", version)
    result = alone(exchange(path, start={"u": 1.5}, step=0.05), until=0.95)
    expected = theirs(path, stop_time=0.95, output_interval=0.05, start_values={"u": 1.5})
    assert expected["x"][-1] == pytest.approx(result["fmu.x"].values[-1], abs=1e-9)
    assert expected["samples"][-1] == result["fmu.samples"].values[-1]
