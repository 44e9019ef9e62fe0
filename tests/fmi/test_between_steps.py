"""What is seen of an FMU for model exchange between the steps of its solver, which may be as long as the run."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._cases.case import CaseSettings
from counterpoint._cases.registry import read_case

WAVE_ERROR = 0.125 * (2.0 * np.pi / 500) ** 2  # of lines between 500 samples of one period


def lines(signal, times):
    return np.interp(times, signal.time, signal.values)


def test_outputs_without_states_are_drawn_as_they_are(built, version):
    """A solver without states has no error to keep small: its steps would grow to the length of the run."""
    system = cp.System("source")
    system.add("wave", cp.fmu(built("wave", version)))
    result = system.run(until=1.0)
    times = np.linspace(0.0, 1.0, 3001)
    assert np.abs(lines(result["wave.y"], times) - np.sin(2 * np.pi * times)).max() < 1.01 * WAVE_ERROR


def test_outputs_without_states_are_read_as_they_are(built, version):
    """Both choose their steps; the integral is 1/pi after half a period."""
    system = cp.System("source")
    system.add("wave", cp.fmu(built("wave", version)))
    system.add("sum", cp.ode(lambda t, x, u: u, [0.0], inputs="u", outputs="y", solver="ode45"))
    system.connect("wave.y", "sum.u")
    result = system.run(until=0.5)
    assert result["sum.y"].values[-1] == pytest.approx(1 / np.pi, rel=1e-4)


def test_a_smooth_solution_is_drawn_as_it_is(built, version):
    """A parabola is one step for ode45; the height of the arc over a line of 1/500 of the run is 1e-5 m."""
    system = cp.System("fall")
    system.add("ball", cp.fmu(built("bouncing-ball", version), kind="model-exchange"))
    result = system.run(until=0.4)
    times = np.linspace(0.0, 0.4, 1001)
    assert np.abs(lines(result["ball.h"], times) - (1.0 - 4.905 * times**2)).max() < 1e-5


def test_a_run_from_the_command_line_is_drawn_as_it_is(built, version):
    case = read_case(built("wave", version), settings=CaseSettings(until=2.0))
    result = case.build().run(until=case.until)
    assert len(result["Wave.y"].time) > 500


def test_a_longest_step_that_is_given_is_kept(built, version):
    system = cp.System("source")
    system.add("wave", cp.fmu(built("wave", version), max_step=0.25))
    assert len(system.run(until=1.0)["wave.y"].time) < 20


def test_a_step_that_is_given_says_when_samples_are_taken(built, version):
    system = cp.System("source")
    system.add("wave", cp.fmu(built("wave", version)), step=0.1)
    assert np.allclose(system.run(until=1.0)["wave.y"].time, np.linspace(0.0, 1.0, 11))


@pytest.mark.parametrize("listened", [False, True], ids=["alone", "listened to"])
def test_the_verdict_sees_what_lines_between_steps_hide(built, version, listened):
    """A wave with a period per sample is a slow one where it is read: nothing at the samples themselves is wrong."""
    system = cp.System("source")
    system.add("wave", cp.fmu(built("wave", version), parameters={"frequency": 505.0}))
    if listened:
        system.add("sum", cp.ode(lambda t, x, u: u, [0.0], inputs="u", outputs="y", solver="ode45"))
        system.connect("wave.y", "sum.u")
    quality = system.run(until=1.0, check="on").quality
    assert quality.verdict == "do not use"
    worst = {one.signal for one in quality.differences}
    assert "wave.y" in worst or "sum.y" in worst  # what reads it is wrong as well, and more


def test_the_verdict_on_samples_that_are_close_enough_is_good(built, version):
    system = cp.System("source")
    system.add("wave", cp.fmu(built("wave", version)))
    assert system.run(until=1.0, check="on").quality.verdict == "trustworthy"


def test_the_verdict_does_not_take_jumps_for_errors(built, version):
    """Both runs find the impacts, each at its own steps; the number of bounces is held, the speed jumps."""
    system = cp.System("jumps")
    system.add("ball", cp.fmu(built("bouncing-ball", version), kind="model-exchange"))
    assert system.run(until=1.0, check="on").quality.verdict == "trustworthy"
