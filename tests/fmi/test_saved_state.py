"""States of FMUs as bytes: a run continues where another one was."""

import numpy as np
import pytest

import counterpoint as cp

from .models import OSCILLATOR

KINDS = ("co-simulation", "model-exchange")


def system_of(model, step=0.01):
    system = cp.System()
    system.add("fmu", model, step=step)
    return system


def state_after(model, time):
    with system_of(model).start(until=2.0) as run:
        run.step_to(time)
        return model.save_state()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "signal"), [("oscillator", "x"), ("bouncing-ball", "h"), ("sampler", "x")])
def test_a_run_goes_on_from_a_state_with_the_same_bits(built, version, kind, name, signal):
    path = built(name, version)
    given = {"start": {"u": 2.0}} if name == "sampler" else {}
    unbroken = system_of(cp.fmu(path, kind=kind, **given)).run(until=2.0)
    state = state_after(cp.fmu(path, kind=kind, **given), 0.73)
    result = system_of(cp.fmu(path, kind=kind, state=state, **given)).run(start=0.73, until=2.0)
    assert result[f"fmu.{signal}"].values[-1] == pytest.approx(unbroken[f"fmu.{signal}"].values[-1], abs=1e-10)
    k = int(np.argmin(abs(unbroken[f"fmu.{signal}"].time - 0.73)))
    assert result[f"fmu.{signal}"].values[0] == unbroken[f"fmu.{signal}"].values[k]


def test_parameters_and_lengths_are_part_of_a_state(built):
    model = cp.fmu(built("pass-through", 3), parameters={"n": 5, "gain": 2.0}, start={"vector_in": [5, 4, 3, 2, 1]})
    state = state_after(model, 0.5)
    again = cp.fmu(built("pass-through", 3), state=state, start={"vector_in": [1, 2, 3, 4, 5], "float64_in": 3.0})
    assert again.outputs["vector_out"] == 5
    result = system_of(again).run(start=0.5, until=0.6)
    assert result["fmu.vector_out"].values[0].tolist() == [5, 4, 3, 2, 1]
    assert result["fmu.vector_out"].values[-1].tolist() == [1, 2, 3, 4, 5]
    assert result["fmu.float64_out"].values[-1] == 6.0


def test_a_state_may_be_a_file_named_in_a_scenario(built, version, tmp_path):
    import shutil

    shutil.copy(built("oscillator", version), tmp_path / "oscillator.fmu")
    (tmp_path / "warm.state").write_bytes(state_after(cp.fmu(built("oscillator", version)), 0.5))
    text = 'start = 0.5\nuntil = 1.0\n[subsystems.fmu]\ntype = "fmu"\nfile = "oscillator.fmu"\nstate = "warm.state"\n'
    (tmp_path / "case.toml").write_text(text)
    assert cp.Scenario.read(tmp_path / "case.toml").run()["fmu.x"].time[0] == 0.5
    (tmp_path / "case.toml").write_text(text.replace("warm.state", "wamr.state"))
    with pytest.raises(cp.ScenarioError, match=r'"wamr.state": no such file; did you mean "warm.state"'):
        cp.Scenario.read(tmp_path / "case.toml").build()


def test_a_state_that_does_not_fit_is_told(built, version, tmp_path):
    path = built("oscillator", version)
    state = state_after(cp.fmu(path), 0.5)
    for wrong, text in {
        b"hello": "not a state saved by",
        state[:-1]: "bytes of the FMU's state; expected",
        state[:60]: "is damaged",
    }.items():
        with pytest.raises(cp.SetupError, match=text):
            cp.fmu(path, state=wrong)
    with pytest.raises(cp.SetupError, match="cannot be read: No such file"):
        cp.fmu(path, state=tmp_path / "nothing")
    with pytest.raises(cp.SetupError) as refused:
        cp.fmu(built("bouncing-ball", version), kind="model-exchange", state=state, parameters={"g": -1.0})
    for text in (
        "state: belongs to another FMU",
        "saved in co-simulation; expected model-exchange",
        "parameters: g: already part of the state",
    ):
        assert text in str(refused.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_must_begin_at_the_time_of_the_state(built, version, kind):
    model = cp.fmu(built("oscillator", version), kind=kind)
    state = state_after(model, 0.5)
    system = system_of(cp.fmu(built("oscillator", version), kind=kind, state=state))
    with pytest.raises(cp.ComponentError, match=r"was saved at t = 0.5 s, and the run begins at t = 0 s"):
        system.run(until=1.0)


def test_there_is_no_state_without_a_run_or_where_the_fmu_has_none(built, version):
    model = cp.fmu(built("oscillator", version))
    with pytest.raises(cp.SetupError, match="the state is available only during a run; no run has started"):
        model.save_state()
    system_of(model).run(until=0.1)
    with pytest.raises(cp.SetupError, match="not running"):
        model.save_state()
    plain = OSCILLATOR.changed(co_simulation={"canHandleVariableCommunicationStepSize": "true"})
    with pytest.raises(cp.SetupError, match="cannot serialise its state"):
        state_after(cp.fmu(built(plain, version)), 0.5)
