"""Clocks of FMI 3 tick at their times, and what belongs to them is read and set only then (the test FMU sees to that)."""

import numpy as np
import pytest

import counterpoint as cp

from .models import CLOCKED, OSCILLATOR

KINDS = ("co-simulation", "model-exchange")
#: ticks until 1 s, as the source of the model describes them
TICKS = {
    "a": 0.05 + 0.1 * np.arange(10),
    "b": 0.25 * np.arange(5),
    "c": [0.1, 0.3, 0.6, 1.0],
    "d": [0.27, 0.57, 0.87],
}


def clocked(built, kind, **options):
    return cp.fmu(built(CLOCKED, 3), kind=kind, **options)


def run(model, until=1.0, step=0.01, **options):
    system = cp.System()
    system.add("fmu", model, step=step)
    return system.run(until=until, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("step", [0.01, 0.03, 0.4])
def test_every_clock_ticks_as_often_as_it_should(built, kind, step):
    result = run(clocked(built, kind), step=step, until=1.0)
    for clock, times in TICKS.items():
        assert result[f"fmu.ticks_{clock}"].values[-1] == len(times), clock
        assert result[f"fmu.last_{clock}"].values[-1] == pytest.approx(times[-1], abs=1e-9)
    assert result["fmu.ticks_e"].values[-1] == 2  # an output clock, with every second tick of b


@pytest.mark.parametrize("kind", KINDS)
def test_a_clocked_input_is_sampled_at_the_ticks_of_its_clock(built, kind):
    system = cp.System()
    system.add("fmu", clocked(built, kind, outputs=["held", "ticks_a"]), step=0.02)
    system.add("ramp", cp.source(lambda t: t, outputs="y"), step=0.5)
    system.connect("ramp.y", "fmu.u", cp.lagrange(1))
    result = system.run(until=0.5, scheme=cp.sequential(["ramp", "fmu"]))
    ticks, held = result["fmu.ticks_a"], result["fmu.held"]
    assert ticks.values[-1] == 5
    # outputs that belong to a clock are read while it ticks: what was sampled by the tick before
    assert held.values[-1] == pytest.approx(0.35, abs=1e-9)


def test_in_model_exchange_ticks_are_published_when_they_happen(built):
    result = run(clocked(built, "model-exchange"), step=0.4)
    assert set(np.round(TICKS["c"], 9)) <= set(np.round(result["fmu.ticks_c"].time, 9))


def test_the_interval_of_a_fixed_clock_follows_a_parameter(built):
    result = run(clocked(built, "co-simulation", parameters={"interval_b": 0.2}))
    assert result["fmu.ticks_b"].values[-1] == 6


@pytest.mark.parametrize("kind", KINDS)
def test_ticks_go_on_after_a_state_was_taken_over(built, kind):
    model = clocked(built, kind)
    system = cp.System()
    system.add("fmu", model, step=0.01)
    with system.start(until=1.0) as under_way:
        under_way.step_to(0.5)
        state = model.save_state()
    system = cp.System()
    system.add("fmu", clocked(built, kind, state=state), step=0.01)
    result = system.run(start=0.5, until=1.0)
    for clock, times in TICKS.items():
        assert result[f"fmu.ticks_{clock}"].values[-1] == len(times), clock
    assert result["fmu.ticks_a"].values[0] == 5


def with_clock(attributes):
    clock = f'<Clock name="tick" valueReference="99" causality="input" variability="discrete" {attributes}/></ModelVariables>'
    return {"modelDescription.xml": lambda data: data.replace(b"</ModelVariables>", clock.encode())}


@pytest.mark.parametrize("kind", KINDS)
def test_a_clock_that_other_models_would_trigger_never_ticks_which_is_told(built, changed, kind):
    """Models of buses have them: data arrives with a tick. Alone, without a bus, they run."""
    path = changed(built(CLOCKED, 3), with_clock('intervalVariability="triggered"'))
    with pytest.warns(cp.fmi.ClockWarning, match='"tick" is a triggered input clock: .* it never ticks'):
        model = cp.fmu(path, kind=kind)
    assert "never ticks" in model.remarks[0]
    assert run(model)["fmu.ticks_a"].values[-1] == len(TICKS["a"])


def test_a_triggered_clock_needs_no_event_mode(built, changed):
    path = changed(built("oscillator", 3), with_clock('intervalVariability="triggered"'))
    with pytest.warns(cp.fmi.ClockWarning):
        assert run(cp.fmu(path)).status == "finished"


def test_a_clock_without_event_mode_is_refused(built, changed):
    path = changed(built("oscillator", 3), with_clock('intervalVariability="constant" intervalDecimal="0.1"'))
    with pytest.raises(cp.SetupError, match=r'"tick" is an input clock.* this FMU has no event mode \(hasEventMode\)'):
        cp.fmu(path)
    with pytest.raises(cp.SetupError, match="with events=False it would never tick"):
        clocked(built, "co-simulation", events=False)


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ("", "intervalVariability is missing"),
        ('intervalVariability="constnat"', 'did you mean "constant"'),
        ('intervalVariability="constant"', "a constant clock needs intervalDecimal"),
    ],
)
def test_mistakes_in_clocks_are_told(built, changed, attributes, text):
    with pytest.raises(cp.SetupError, match=text):
        cp.fmu(changed(built(OSCILLATOR, 3), with_clock(attributes)))


def test_counters_give_intervals_as_fractions(built, changed):
    clock = 'intervalVariability="constant" intervalCounter="3" shiftCounter="1" resolution="8"'
    from counterpoint.fmi import read_description

    ticks = read_description(changed(built("oscillator", 3), with_clock(clock))).find("tick").ticks
    assert (ticks.interval, ticks.shift) == (0.375, 0.125)


def test_info_lists_the_clocks(built, capsys):
    from counterpoint._cli.main import main

    with pytest.raises(SystemExit) as end:
        main(["info", str(built(CLOCKED, 3))])
    assert end.value.code == 0
    shown = capsys.readouterr().out
    for expected in ("Clocks", "constant", "0.1", "countdown", "output"):
        assert expected in shown
