"""MBDyn's streams, spoken to a stand-in that was written from the protocol."""

from __future__ import annotations

import importlib.util
import socket
import sys
from pathlib import Path

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.adapters.mbdyn import MBDyn

STANDIN = Path(__file__).with_name("mbdyn_standin.py")
_spec = importlib.util.spec_from_file_location("mbdyn_standin", STANDIN)
standin = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(standin)
STEP = 0.01


def plant(tmp_path, *options, deadline=20.0, **changed):
    places = [str(tmp_path / name) for name in ("motion", "drive")]
    command = [sys.executable, "-S", STANDIN, *places, *options]
    ports = {"outputs": ("x", "v"), "inputs": ("force",)}
    addresses = [f"unix://{place}" for place in places]
    return MBDyn(*addresses, step=STEP, **ports, command=command, deadline=deadline, **changed)


def run(subsystem, until=0.5):
    system = cp.System("oscillator")
    system.add("mbdyn", subsystem)
    system.add("force", cp.source(lambda t: np.sin(3.0 * t), outputs="f"), step=STEP / 4)
    system.connect("force.f", "mbdyn.force", cp.lagrange(1))
    return system.run(until=until, scheme="fastest-first")


def expected(steps, first=0.0):
    """What the stand-in's formula gives when it gets the force at the end of each step."""
    rows, before = [standin.START], first
    for step in range(1, steps + 1):
        after = np.sin(3.0 * (step * STEP))
        rows.append(standin.advance(*rows[-1], before, after, STEP))
        before = after
    return np.array(rows)


@pytest.mark.parametrize("order", ["drive,motion", "motion,drive"])
@pytest.mark.parametrize(("created_by", "create"), [("mbdyn", "yes"), ("counterpoint", "no")])
def test_whoever_makes_the_sockets_in_whatever_order_the_motion_is_the_same(tmp_path, order, created_by, create):
    result = run(plant(tmp_path, "--order", order, "--create", create, created_by=created_by))
    made = np.column_stack([result["mbdyn.x"].values, result["mbdyn.v"].values])
    assert result["mbdyn.x"].time == pytest.approx(STEP * np.arange(51), abs=1e-12)
    # The source is interpolated at the end of a step, where a sample of it is, up to rounding of times.
    assert np.abs(made - expected(50)).max() < 1e-13
    assert list(tmp_path.iterdir()) == []


def test_the_oscillator_moves_as_the_closed_form_says(tmp_path):
    """x'' + 4 x = sin 3t: x = cos 2t + (3/10) sin 2t - (1/5) sin 3t; second order of the step."""
    x = run(plant(tmp_path), until=2.0)["mbdyn.x"]
    t = x.time
    exact = np.cos(2 * t) + 0.3 * np.sin(2 * t) - 0.2 * np.sin(3 * t)
    assert np.abs(x.values - exact).max() < 3e-4


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        (["--receive-first", "no"], {"receives_first": False}),
        (["--send-first", "no"], {"sends_first": False, "initial": {"x": 1.0}}),
        (["--send-first", "no", "--receive-first", "no"], {"sends_first": False, "receives_first": False, "initial": {"x": 1.0}}),
        ([], {"first_drive": {"force": 0.0}}),
    ],
)  # fmt: skip
def test_who_sends_and_receives_first_does_not_shift_the_motion(tmp_path, options, changed):
    result = run(plant(tmp_path, *options, **changed))
    assert np.abs(result["mbdyn.x"].values - expected(50)[:, 0]).max() < 1e-13


def test_over_tcp(tmp_path):
    free = []
    for _ in range(2):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            free.append(probe.getsockname()[1])
    command = [sys.executable, "-S", STANDIN, *map(str, free)]
    addresses = [f"tcp://127.0.0.1:{port}" for port in free]
    subsystem = MBDyn(*addresses, step=STEP, outputs=("x", "v"), inputs=("force",), command=command, deadline=20.0)
    assert np.abs(run(subsystem)["mbdyn.x"].values - expected(50)[:, 0]).max() < 1e-13


def test_its_death_ends_the_run_and_keeps_the_results(tmp_path):
    with pytest.raises(cp.ComponentDied, match=r"mbdyn: step from t = 0\.2 s .*stream: hung up") as caught:
        run(plant(tmp_path, "--die-at", "20"))
    assert len(caught.value.result["mbdyn.x"].values) == 21
    assert caught.value.exit_code == 4


def test_silence_ends_the_run_at_the_deadline_and_the_program_with_it(tmp_path):
    subsystem = plant(tmp_path, "--stall-at", "5", deadline=0.5)
    with pytest.raises(cp.ComponentDied, match=r"no answer within 0\.5 s"):
        run(subsystem)
    assert subsystem._child is None


def test_a_program_that_is_not_there_is_named(tmp_path):
    absent = plant(tmp_path)
    absent._command = [str(tmp_path / "mbdyn")]
    with pytest.raises(cp.ComponentDied, match=r"start at t = 0 s failed: .*could not be started"):
        run(absent)
    ended = plant(tmp_path, "--no-such-option")
    with pytest.raises(cp.ComponentDied, match="ended with exit code 2"):
        run(ended)
    silent = MBDyn(f"unix://{tmp_path}/a", f"unix://{tmp_path}/b", step=STEP, outputs="x", inputs="force", deadline=0.2)
    with pytest.raises(cp.ComponentDied, match=r"did not answer within 0\.2 s"):
        run(silent)


def test_mistakes_are_told_together(tmp_path):
    with pytest.raises(cp.SetupError) as caught:
        MBDyn("here", "tcp://there", step=STEP, outputs="x", created_by="me", initial={"y": 1.0})
    assert len(caught.value.problems) == 4
    with pytest.raises(cp.SetupError, match=r"MBDyn runs with 0\.01 s"):
        system = cp.System("s")
        system.add("mbdyn", plant(tmp_path), step=0.02)
        system.set("mbdyn.force", 0.0)
        system.run(until=1.0)


def test_a_python_subsystem_is_told_when_its_run_is_over():
    told = []

    class Held(cp.Subsystem):
        outputs = ("y",)

        def step(self, t, t_end, u):
            if t > 0.5:
                raise ValueError("no further")

        def output(self, t, u):
            return t

        def finish(self):
            told.append("finished")

    for until in (0.3, 1.0):
        system = cp.System("s")
        system.add("held", Held(), step=0.1)
        if until < 0.5:
            system.run(until=until)
        else:
            with pytest.raises(cp.ModelError):
                system.run(until=until)
    assert told == ["finished", "finished"]
