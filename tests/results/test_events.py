"""The event log of a run."""

import logging
from math import isnan

import pytest

import counterpoint as cp
from counterpoint.results import Event, RunSummary
from counterpoint.results.format import summary_from, summary_text


def system():
    made = cp.System("tank")
    made.add("tank", cp.ode(lambda t, x, u: -x, [1.0], outputs="level"), step=0.1)
    return made


@pytest.mark.parametrize("kept", ["memory", "file"])
def test_a_run_that_begins_later_says_that_initial_states_hold_there(tmp_path, kept):
    file = None if kept == "memory" else tmp_path / "tank.h5"
    result = system().run(until=2.0, start=1.0, file=file)
    first, last = result.events.to_dict("records")
    assert first["time"] == 1.0
    assert "initial state at this time" in first["text"]
    assert (last["time"], last["text"]) == (2.0, "finished")


def test_events_go_to_the_logger_of_the_package(caplog):
    with caplog.at_level(logging.INFO, logger="counterpoint"):
        system().run(until=1.0)
    assert any("tank at t = 0 s: begins with 1 subsystem" in record.getMessage() for record in caplog.records)


def test_below_info_the_logger_is_told_the_plan_and_what_a_run_took(caplog):
    made = system()
    made.add("sink", cp.ode(lambda t, x, u: u - x, [0.0], inputs="u", outputs="x"), step=0.05)
    made.connect("tank.level", "sink.u")
    with caplog.at_level(logging.DEBUG, logger="counterpoint"):
        result = made.run(until=1.0)
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.DEBUG]
    assert "tank.plan: tank.level -> sink.u: waits and interpolates" in told
    assert any(text.startswith("tank.sink: 20 steps in ") for text in told)
    assert set(result.events["level"]) == {"info"}  # not kept


def test_a_failure_is_an_event():
    made = cp.System("bad")
    made.add("model", cp.source(lambda t: 1.0 / (0.5 - t) if t < 0.45 else float("nan"), outputs="y"), step=0.1)
    with pytest.raises(cp.SimulationError) as failed:
        made.run(until=1.0)
    last = failed.value.result.events.iloc[-1]
    assert last["level"] == "error"
    assert "is NaN" in last["text"]


def test_jumps_are_events():
    class Switch(cp.Subsystem):
        outputs = ("y", "z")
        stops_early = True

        def start(self, t):
            self.y, self.before = 0.0, None

        def step(self, t, t_end, u):
            self.before = None
            if t < 0.25 <= t_end:
                self.before, self.y = (0.0, 2.0), 1.0
                return 0.25
            return t_end

        def output(self, t, u):
            return self.y, 2.0

        def output_before_event(self):
            return self.before

    made = cp.System("switching")
    made.add("switch", Switch(), step=0.1)
    events = made.run(until=0.5).events
    (jump,) = events[events["text"].str.startswith("jump")].to_dict("records")
    assert (jump["time"], jump["source"], jump["text"]) == (0.25, "switch", "jump of y")


def test_more_events_than_there_is_room_for_are_counted():
    many = [Event(float(k), "fmu", "warning", "x" * 100) for k in range(1000)]
    text = summary_text(RunSummary("finished", events=many), 20_000)
    kept = summary_from(text).events
    assert len(text) == 20_000
    assert 10 < len(kept) < 200
    assert kept[-1].text == f"{1000 - len(kept) + 1} more events are not kept"
    assert isnan(kept[-1].time)


def test_a_result_of_kinematics_has_events():
    press = cp.multibody.Mechanism("press", dimension=2)
    press.point("O", (0, 0), fixed=True)
    press.point("A", (0.1, 0))
    press.body("crank", points=["O", "A"], mass=1.0)
    press.angle("turn", "crank")
    press.guide("turn", [0.0, 30.0])
    assert len(press.kinematics([0.0, 0.1, 0.2]).events) == 0
