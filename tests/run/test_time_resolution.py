"""Steps near the resolution of time: right where doubles tell the times apart, refused with the numbers elsewhere."""

import math

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.errors import SetupError

EPOCH = 1.7e9
SCHEMES = ["slowest-first", "fastest-first", "parallel"]


def pair(fast, slow):
    """Two masses that drive each other, each on its own grid."""
    system = cp.System("pair")
    for name, step in (("fast", fast), ("slow", slow)):
        system.add(name, cp.linear([[-1.0]], [[1.0]], [[1.0]], x0=[1.0], inputs="u", outputs="x"), step=step)
    system.connect("fast.x", "slow.u")
    system.connect("slow.x", "fast.u")
    return system


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("ratio", [1, 2, 3, 5, 10])
def test_microseconds_at_epoch_times_are_all_made(scheme, ratio):
    steps = 1000 - 1000 % ratio
    system = pair(1e-6, ratio * 1e-6)
    result = system.run(start=EPOCH, until=EPOCH + steps * 1e-6, scheme=scheme)
    assert result.status == "finished"
    assert abs(len(result["fast.x"].time) - 1 - steps) <= 1  # the end is rounded to the resolution there
    assert abs(len(result["slow.x"].time) - 1 - steps // ratio) <= 1
    np.testing.assert_allclose(np.diff(result["fast.x"].time), 1e-6, atol=2.0 * math.ulp(EPOCH))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_instants_of_two_grids_meet_at_epoch_times(scheme):
    result = pair(1e-6, 2e-6).run(start=EPOCH, until=EPOCH + 400e-6, scheme=scheme)
    fast, slow = result["fast.x"].time, result["slow.x"].time
    assert max(np.abs(fast - t).min() for t in slow) <= math.ulp(EPOCH)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("spacings", [4, 5, 7, 16, 40, 63, 64, 65, 1000])
def test_the_values_do_not_depend_on_where_time_begins(scheme, spacings):
    step = spacings * math.ulp(EPOCH)
    near = pair(step, 3 * step).run(until=300 * step, scheme=scheme)
    far = pair(step, 3 * step).run(start=EPOCH, until=EPOCH + 300 * step, scheme=scheme)
    for signal in ("fast.x", "slow.x"):
        np.testing.assert_array_equal(far[signal].time - EPOCH, near[signal].time)
        np.testing.assert_allclose(far[signal].values, near[signal].values, rtol=1e-9)


@pytest.mark.parametrize("spacings", [4, 10, 64])
def test_windows_at_epoch_times_are_all_made(spacings):
    step = spacings * math.ulp(EPOCH)
    window = cp.window(6 * step)
    result = pair(step, 3 * step).run(start=EPOCH, until=EPOCH + 60 * step, scheme="parallel", window=window)
    assert result.summary.windows.count == 10
    assert len(result["fast.x"].time) == 61


@pytest.mark.parametrize(
    ("start", "until", "step", "words"),
    [
        (0.0, 1e12, 1e-4, ["subsystems.fast.step", "0.0001 s", "1e+16 steps", "at most 1e+15"]),
        (0.0, 1e300, 1e-3, ["subsystems.fast.step", "1e+303 steps", "1e+300 s"]),
        (0.0, 1.0, 1e-320, ["subsystems.fast.step", "1e-320 s", "more than 1e308 steps"]),
        (1.7e9, 1.7e9 + 1.0, 5e-7, ["5e-07 s is too small at t = 1700000001.0 s", "2.38e-07 s apart", "9.54e-07 s"]),
        (-1e12, -1e12 + 1.0, 1e-4, ["0.0001 s is too small at t = 1000000000000.0 s", "0.000122 s apart"]),
    ],
)
def test_steps_that_time_cannot_tell_apart_are_refused_with_the_numbers(start, until, step, words):
    with pytest.raises(SetupError) as caught:
        pair(step, step).run(start=start, until=until)
    assert [word for word in words if word not in str(caught.value)] == []


def test_a_window_that_time_cannot_tell_apart_is_refused():
    system = cp.System()
    system.add("fine", cp.linear([[-1.0]], [[0.0]], x0=[1.0], solver="ode45", defaults={"u": 0.0}, inputs="u"))
    with pytest.raises(SetupError, match=r"window\.length: 1e-300 s means 1e\+300 steps"):
        system.run(until=1.0, window=cp.window(1e-300))


def test_a_run_without_end_stops_where_its_steps_become_too_small():
    system = cp.System()
    system.add("clock", cp.source(lambda t: t, outputs="t"), step=1e-3)
    with system.start() as run:
        run.step_to(0.01)
        with pytest.raises(SetupError, match=r"step_to: a step of 0\.001 s is too small at t = 100000000000000\.0 s"):
            run.step_to(1e14)
        run.step_to(0.02)


def lag(**options):
    model = cp.linear([[-1.0]], [[1.0]], x0=[1.0], inputs="u", outputs="x", defaults={"u": 0.0}, **options)
    system = cp.System()
    system.add("model", model, step=1.0)
    return system


def sampled(sample_time=0.5, **settings):
    diagram = cp.Diagram("model", **settings)
    diagram.output("y", diagram.unit_delay(diagram.constant(1.0), sample_time=sample_time))
    system = cp.System()
    system.add("model", diagram, step=1.0)
    return system


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda tiny: lag(solver="ode45", max_step=tiny), "max_step"),
        (lambda tiny: sampled(solver="ode45", max_step=tiny), "max_step"),
        (lambda tiny: sampled(inner_step=tiny), "inner_step"),
        (sampled, "sample_time"),
    ],
)
@pytest.mark.parametrize(
    ("start", "tiny", "words"),
    [
        (0.0, 1e-18, r"it means \d+(\.\d+)?e\+1\d steps, and at most 1e15 are possible"),
        (EPOCH, 1e-8, r"times there are 2.38418579e-07 s apart"),
    ],
)
def test_what_is_too_small_inside_of_a_step_is_refused_with_the_numbers(make, name, start, tiny, words):
    with pytest.raises(cp.SolverError, match=rf"model: step from t = .*: {name} = {tiny!r} s is too small .*: {words}"):
        make(tiny).run(start=start, until=start + 10.0)


def test_a_first_step_below_the_resolution_of_time_grows():
    far = lag(solver="ode45", first_step=1e-9).run(start=EPOCH, until=EPOCH + 10.0)
    assert far["model.x"].values[-1] == pytest.approx(math.exp(-10.0), rel=1e-4)


def test_more_inner_steps_than_an_int_counts_are_not_taken_for_one():
    """Ten steps of 1 s with inner steps of 1e-10 s would take minutes: that they begin is enough."""
    import os
    import signal
    import threading

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    run = sampled(inner_step=1e-10).start(until=10.0)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(cp.RunInterrupted, match="interrupted at t = 0 s"):
            run.step_to(10.0)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


POSITIVE = "expected a positive number of seconds"
FINITE = "expected a finite time in s"


def alone(step):
    system = cp.System("alone")
    system.add("model", cp.linear([[-1.0]], [[1.0]], [[1.0]], x0=[1.0], inputs="u", outputs="x"), step=step)
    system.set("model.u", 0.0)
    return system


@pytest.mark.parametrize(
    ("step", "message"),
    [(value, POSITIVE) for value in (0, 0.0, -1.0, math.nan, math.inf, -math.inf, True)]
    + [
        (5.0, "5.0 s is longer than the run of 1.0 s; use at most 1.0 s"),
        (1e-320, "means more than 1e308 steps from 0.0 s until 1.0 s; at most 1e"),
        (None, "is missing; give a step in s"),
    ],
)
def test_a_step_that_cannot_be_made_is_refused_before_the_run(step, message):
    with pytest.raises(SetupError) as caught:
        alone(step).run(until=1.0)
    assert str(caught.value).startswith("subsystems.model.step: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("span", "message"),
    [({"until": value}, f"until: {value!r}; {FINITE}") for value in (math.nan, math.inf, -math.inf, True, None)]
    + [({"until": 1.0, "start": value}, f"start: {value!r}; {FINITE}") for value in (math.nan, math.inf, None)]
    + [
        ({"until": 0.0}, "until: 0.0 s; it must come after the start, 0.0 s"),
        ({"until": 1.0, "start": 2.0}, "until: 1.0 s; it must come after the start, 2.0 s"),
        ({"until": 1e300}, "means 1e+301 steps from 0.0 s until 1e+300 s"),
    ],
)
def test_a_span_that_has_no_end_or_ends_too_early_is_refused_before_the_run(span, message):
    with pytest.raises(SetupError) as caught:
        alone(0.1).run(**span)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["step", "inner_step", "max_step", "first_step", "rtol"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_lengths_of_a_diagram_that_make_no_sense_are_refused(name, value):
    model = cp.Diagram("d", solver="ode45", **{name: value})
    model.output("y", model.integrator(1.0))
    with pytest.raises(SetupError, match=f"{name} = {value}; expected a finite number greater than 0"):
        model.run(until=1.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda model, period: model.unit_delay(1.0, sample_time=period),
        lambda model, period: model.pulse(period=period, width=0.5),
    ],
)
@pytest.mark.parametrize("period", [0.0, -1.0, math.nan, math.inf])
def test_periods_that_make_no_sense_are_refused(make, period):
    with pytest.raises(SetupError, match=r"greater than 0|a positive number|must be finite"):
        make(cp.Diagram("d"), period)


@pytest.mark.parametrize(("span", "name"), [({"until": "x"}, "until"), ({"until": 1.0, "start": "x"}, "start")])
def test_a_text_that_is_no_time_is_refused_with_an_example(span, name):
    with pytest.raises(SetupError, match=f'{name}: "x": is not a time; write it as "0.1 ms"'):
        alone(0.1).run(**span)
    with pytest.raises(SetupError, match=r'subsystems\.model\.step: "x": is not a time'):
        alone("x")


@pytest.mark.parametrize("text", ["0.1 parsec", "3 N"])
def test_a_unit_that_is_none_of_time_is_refused_with_those_that_are(text):
    with pytest.raises(SetupError, match="is not a unit of time; use s, ms, us, min or h"):
        alone(text)
