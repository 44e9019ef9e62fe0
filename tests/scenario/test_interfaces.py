"""Bonds and events in scenario files."""

import io
import math

import numpy as np
import pytest
from rich.console import Console

import counterpoint as cp
from counterpoint.scenario.models import ScenarioTable

DISKS = """\
until = 1.0

[subsystems.left]
type = "linear"
step = 0.001
A = [[0.0, 1.0], [0.0, 0.0]]
B = [[0.0], [1.0]]
x0 = [1.0, 0.0]
inputs = ["torque"]
outputs = ["angle", "speed"]

[subsystems.right]
type = "linear"
step = 0.001
A = [[0.0, 1.0], [0.0, 0.0]]
B = [[0.0], [1.0]]
x0 = [0.0, 0.0]
inputs = ["tau"]
outputs = ["phi", "w"]

"""
BOND = """\
[[bonds]]
interface = "rotational"
causality = "flow-flow"
left = "left"
right = { subsystem = "right", angle = "phi", speed = "w", torque = "tau" }
law = { kind = "spring-damper", stiffness = 10.0, damping = 0.1 }
approximations = { angle = { kind = "lagrange", order = 2 }, speed = { kind = "lagrange", order = 1 } }
"""
EVENTS = """
[[events]]
at = "500 ms"
until = 0.7
target = "left.torque"
scale = 0.0

[[events]]
when = "right.phi > 0.5"
target = "right.phi -> left.torque"
noise = { deviation = 0.1, seed = 1 }
lasting = 0.1

[[events]]
at = 0.9
target = "left.torque"
release = true
"""


def by_hand():
    system = cp.System("disks")
    for name, at, ports in (("left", 1.0, ("torque", "angle", "speed")), ("right", 0.0, ("tau", "phi", "w"))):
        disk = cp.linear([[0, 1], [0, 0]], [[0], [1]], x0=[at, 0], inputs=ports[0], outputs=list(ports[1:]))
        system.add(name, disk, step=0.001)
    system.bond(
        "rotational",
        "left",
        cp.bonds.side("right", angle="phi", speed="w", torque="tau"),
        causality="flow-flow",
        law=cp.bonds.spring_damper(10.0, 0.1),
        approximation={"angle": cp.lagrange(2), "speed": cp.lagrange(1)},
    )
    system.at(0.5, "left.torque", cp.events.scale(0.0), until=0.7)
    noise = cp.events.noise(0.1, seed=1)
    system.when("right.phi > 0.5", "right.phi -> left.torque", noise, lasting=0.1)
    system.at(0.9, "left.torque", cp.events.release())
    return system


def test_a_file_gives_the_same_as_python(write):
    result, expected = cp.Scenario.read(write(DISKS + BOND + EVENTS)).run(), by_hand().run(until=1.0)
    assert result["left.angle"].values.tolist() == expected["left.angle"].values.tolist()
    assert result.events["text"].tolist() == expected.events["text"].tolist()


def test_a_law_that_is_a_function_is_loaded(write, tmp_path):
    (tmp_path / "laws.py").write_text("def spring(a, v, b, w):\n    return 10.0 * (b - a)\n")
    law = 'law = { kind = "python", object = "laws.py:spring" }'
    text = DISKS + BOND.replace('law = { kind = "spring-damper", stiffness = 10.0, damping = 0.1 }', law)
    assert cp.Scenario.read(write(text)).run().status == "finished"


def test_a_function_of_outputs_is_a_condition(write, tmp_path):
    (tmp_path / "when.py").write_text("def far(a, b):\n    return abs(a - b) < 0.5\n")
    event = '[[events]]\nwhen = "when.py:far"\nof = ["left.angle", "right.phi"]\ntarget = "left.torque"\nstuck = true\n'
    result = cp.Scenario.read(write(DISKS + BOND + event)).run()
    assert "left.torque: stuck, for far" in result.events["text"].tolist()


def test_info_lists_bonds_and_events(write):
    console = Console(file=io.StringIO(), width=120)
    cp.Scenario.read(write(DISKS + BOND + EVENTS)).info(console)
    shown = console.file.getvalue()
    assert "Bond left-right: rotational, flow-flow, left – right" in shown
    assert "Event at t = 0.5 s until t = 0.7 s: left.torque: scale 0" in shown


def test_the_schema_knows_bonds_and_events():
    assert {"bonds", "events"} <= set(ScenarioTable.model_json_schema(by_alias=True)["properties"])


@pytest.mark.parametrize(
    ("wrong", "right", "expected"),
    [
        ("scale = 0.0", "scale = 0.0\noffset = 1.0", "events[0]: needs exactly one of override, scale"),
        ('at = "500 ms"', 'at = "5 s"\n', "events[0].at: 5.0 s; it must come before the end of the run, 1.0 s"),
        ("until = 0.7", "until = 0.2", "events[0].until: 0.2 s; it must come after the event at 0.5 s"),
        ('target = "left.torque"\nscale', 'target = "left.torqe"\nscale', 'events[0].target: "left.torqe"'),
        ('when = "right.phi > 0.5"', 'when = "right.phi = 0.5"', "events[1].when: "),
        ('when = "right.phi > 0.5"', 'when = "right.psi > 0.5"', 'events[1].when: "right.psi": "right" has no output'),
        ("seed = 1", "sed = 1", 'events[1].noise.sed: unknown key; did you mean "seed"?'),
        ("{ deviation = 0.1, seed = 1 }", "0.1", "events[1].noise: 0.1: must be a table, { key = value }"),
        ("release = true", "release = false", "events[2].release: "),
        ('interface = "rotational"', 'interface = "rotary"', "bonds[0].interface: "),
        ('law = { kind = "spring-damper", stiffness = 10.0, damping = 0.1 }', "", "bonds[0].law: None; flow-flow"),
        ("stiffness = 10.0", "stifness = 10.0", 'bonds[0].law.stifness: unknown key; did you mean "stiffness"?'),
        ('angle = "phi"', 'angle = "psi"', 'bonds[0]: angle: "right.psi": "right" has no output "psi"'),
        ('left = "left"', 'left = "lft"', 'bonds[0].left: no subsystem "lft"; did you mean "left"?'),
    ],
)
def test_mistakes_are_named_with_their_key(write, problems, wrong, right, expected):
    text = DISKS + BOND + EVENTS
    assert wrong in text
    found = problems(write(text.replace(wrong, right, 1)))
    assert any(problem.startswith(expected) for problem in found), found


def test_events_are_not_dropped_without_a_word(write, tmp_path):
    scenario = cp.Scenario.read(write(DISKS + BOND + EVENTS))
    with pytest.raises(cp.ScenarioError, match="events: SSP has no words for them"):
        scenario.write(tmp_path / "disks.ssp")
    with pytest.raises(cp.SetupError, match="events cannot be exported in an FMU"):
        cp.export_fmu(scenario.build(), tmp_path / "disks.fmu")


VALVE = """
import counterpoint as cp


class Valve(cp.Subsystem):
    outputs = ("level", "rate")
    parameters = {"opening": 2.0}

    def start(self, t):
        self.level = 0.0

    def step(self, t, t_end, u):
        self.level += self.opening * (t_end - t)

    def output(self, t, u):
        return self.level, self.opening
"""
TANK = """
until = 1.0
scheme = "parallel"
{pace}
[subsystems.valve]
type = "python"
object = "valve.py:Valve"
{step}
[subsystems.tank]
type = "linear"
A = [[-1.0]]
B = [[1.0]]
x0 = [0.0]
outputs = "y"
{step}
[[connections]]
from = "valve.level"
to = "tank.u"
approximation = {{ kind = "lagrange", order = 1 }}

[[events]]
at = 0.5
until = 0.8
target = "valve.opening"
override = 20.0
"""


@pytest.mark.parametrize(
    ("pace", "step"),
    [("", "step = 0.1"), ('pace = { kind = "gradient", tolerance = 1e-4, first = 0.01, largest = 0.3 }', "")],
    ids=["fixed", "gradient"],
)
def test_an_event_changes_a_parameter_and_both_sides_of_the_jump_are_in_the_run_file(tmp_path, pace, step):
    (tmp_path / "valve.py").write_text(VALVE)
    path = tmp_path / "tank.toml"
    path.write_text(TANK.format(pace=pace, step=step))
    cp.Scenario.read(path).run(file=tmp_path / "run.h5").close()
    with cp.load(tmp_path / "run.h5") as result:
        rate = result["valve.rate"]
        for time, sides in ((0.5, [2.0, 20.0]), (0.8, [20.0, 2.0])):
            assert rate.values[np.isclose(rate.time, time, rtol=0, atol=1e-9)].tolist() == sides
        assert result["valve.level"].values[-1] == pytest.approx(2.0 * 0.7 + 20.0 * 0.3)
        ramp = lambda t: 2.0 * (t - 1.0 + math.exp(-t))  # noqa: E731 - of a tank under a level that grows by 2 per s
        exact = ramp(1.0) + 9.0 * (ramp(0.5) - ramp(0.2))
        # Lines meet a level that is made of lines exactly; what is left is the solver's own error.
        assert result["tank.y"].values[-1] == pytest.approx(exact, abs=2e-5)
