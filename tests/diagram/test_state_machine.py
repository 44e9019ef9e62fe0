"""State machines: a thermostat against its closed form, a gear selector with confirmation, sampled ones, mistakes."""

import math

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.errors import SetupError


def thermostat(locate_events: bool = True, solver: str = "ode4") -> cp.Diagram:
    """T' = 2 q - 0.1 (T - 10): with the heater on it goes to 30, without to 10."""
    model = cp.Diagram("m", locate_events=locate_events, solver=solver)
    temperature = model.integrator(initial=18.0, name="temperature")
    machine = model.state_machine(
        temperature=temperature,
        outputs={"heater": 0.0},
        variables={"count": 0.0},
        low=19.0,
        high=21.0,
        name="thermostat",
    )
    machine.state("off", entry="heater = 0").state("on", entry="heater = 1; count = count + 1")
    machine.transition("off", "on", "temperature < low").transition("on", "off", "temperature > high")
    model.expression("2 * heater - 0.1 * (temperature - 10)", machine["heater"], temperature) >> temperature
    model.output("temperature", temperature)
    model.output("state", machine["state"])
    return model


def exact_temperature(t: float) -> float:
    """Follow the switching by its closed form."""
    temperature, target, now = 18.0, 30.0, 0.0
    while True:
        limit = 21.0 if target == 30.0 else 19.0
        duration = 10.0 * math.log((temperature - target) / (limit - target))
        if now + duration >= t:
            return target + (temperature - target) * math.exp(-0.1 * (t - now))
        now, temperature, target = now + duration, limit, 40.0 - target


@pytest.mark.parametrize("solver", ["ode4", "ode45"])
def test_a_thermostat_follows_its_closed_form(solver: str) -> None:
    result = thermostat(solver=solver).run(until=50.0, step=0.5)["m.temperature"]
    exact = [exact_temperature(t) for t in result.time]
    # ode4 with 0.1 * 0.5 = 0.05: 0.05^5/120 a step times the distance 12 is 3e-8, over 100 steps; ode45 by its tolerance.
    assert np.max(np.abs(result.values - exact)) < (3.1e-6 if solver == "ode4" else 2e-3)


def test_without_location_a_transition_waits_for_the_end_of_the_step() -> None:
    model = thermostat(locate_events=False)
    temperature = model.run(until=50.0, step=0.5)["m.temperature"].values
    assert 21.0 < temperature.max() < 21.0 + 0.5 * 0.9


def test_the_number_of_the_state_is_its_place() -> None:
    model = thermostat()
    machine = model.blocks["thermostat"]
    assert machine.states == ["off", "on"]
    state = model.run(until=1.0, step=0.5)["m.state"].values
    assert state.tolist() == [1.0, 1.0, 1.0], "18 degrees are below 19, so it is on from the start"


def gearbox(sample_time: float | None) -> cp.Diagram:
    """Shift up when the speed has been above 10 for 0.08 s, without interruption."""
    model = cp.Diagram("m")
    speed = model.expression("9 + 2 * (t >= 0.1) - 2 * (0.15 <= t and t < 0.2)")
    machine = model.state_machine(speed=speed, outputs={"gear": 1.0}, sample_time=sample_time)
    machine.state("steady").state("confirming")
    machine.transition("steady", "confirming", "speed > 10 and gear < 4")
    machine.transition("confirming", "steady", "speed <= 10")
    machine.transition("confirming", "steady", "after(0.08)", action="gear = gear + 1")
    model.output("gear", machine["gear"])
    return model


def shift_times(sample_time: float | None, step: float) -> list[float]:
    gear = gearbox(sample_time).run(until=0.6, step=step)["m.gear"]
    return [float(t) for t in gear.time[1:][np.diff(gear.values) > 0]]


def test_a_shift_waits_for_its_confirmation() -> None:
    """Above at 0.1, interrupted at 0.15, above at 0.2: confirmed at 0.28, then every 0.08 s up to the fourth gear."""
    assert shift_times(None, step=0.01) == pytest.approx([0.28, 0.36, 0.44], abs=1e-12)


def test_a_shift_takes_place_where_it_is_due_within_a_step() -> None:
    gear = gearbox(None)
    total = gear.integrator(gear.blocks["state_machine1"]["gear"])
    gear.output("total", total)
    # Sum of the gears over time: 1 until 0.28, 2 until 0.36, 3 until 0.44, 4 until 0.6.
    exact = 0.28 + 2 * 0.08 + 3 * 0.08 + 4 * 0.16
    assert gear.run(until=0.6, step=0.03)["m.total"].values[-1] == pytest.approx(exact, abs=1e-9)


def test_a_sampled_machine_acts_at_its_samples_once_each() -> None:
    """Samples of 0.04 s: above is seen at 0.12, lost at 0.16, seen at 0.2, confirmed at 0.28, then 0.32 + 0.08 ..."""
    assert shift_times(0.04, step=0.01) == pytest.approx([0.28, 0.4, 0.52], abs=1e-12)


def test_during_runs_at_every_sample_and_exit_when_leaving() -> None:
    model = cp.Diagram("m")
    machine = model.state_machine(outputs={"count": 0.0, "left": 0.0}, sample_time=0.1)
    machine.state("counting", during="count = count + 1", exit="left = t").state("done")
    machine.transition("counting", "done", "count >= 3")
    model.output("count", machine["count"])
    model.output("left", machine["left"])
    result = model.run(until=1.0, step=0.1)
    assert result["m.count"].values[-1] == 3.0
    # Entered at the sample at 0, counts at 0.1, 0.2, 0.3, leaves at 0.4; times of samples carry 1e-9 of the period.
    assert result["m.left"].values[-1] == pytest.approx(0.4, abs=1e-9)


def test_of_several_true_guards_the_first_is_taken() -> None:
    model = cp.Diagram("m")
    machine = model.state_machine(outputs={"y": 0.0})
    machine.state("start").state("first", entry="y = 1").state("second", entry="y = 2")
    machine.transition("start", "second", "t > 0.5").transition("start", "first", "t > 0.5")
    model.output("y", machine["y"])
    assert model.run(until=1.0, step=0.1)["m.y"].values[-1] == 2.0


def test_a_machine_can_be_given_as_text() -> None:
    text = """
    state low
      entry: y = 1
      u[1] > 0.5 -> high : y = y + 10
    state high
      entry: y = y + 100
    """
    model = cp.Diagram("m")
    machine = model.state_machine(model.constant([0.0, 1.0]), inputs=["u"], outputs={"y": 0.0}, machine=text)
    model.output("y", machine["y"])
    model.output("x", model.integrator(0.0))
    assert machine.states == ["low", "high"]
    assert model.run(until=0.1, step=0.1)["m.y"].values[-1] == 111.0


def test_statements_see_what_was_assigned_before_them() -> None:
    model = cp.Diagram("m")
    machine = model.state_machine(outputs={"a": 1.0, "b": 2.0})
    machine.state("one", entry="a = a + b; b = a - b; a = a - b")
    model.output("a", machine["a"])
    model.output("b", machine["b"])
    model.output("x", model.integrator(0.0))
    result = model.run(until=0.1, step=0.1)
    assert (result["m.a"].values[-1], result["m.b"].values[-1]) == (2.0, 1.0)


def test_a_machine_that_never_rests_is_stopped() -> None:
    model = cp.Diagram("m")
    machine = model.state_machine(outputs={"y": 0.0})
    machine.state("a").state("b").transition("a", "b", "true").transition("b", "a", "true")
    model.output("y", machine["y"])
    with pytest.raises(cp.errors.SimulationError, match="event iteration did not converge"):
        model.run(until=1.0, step=0.1)


def test_mistakes_are_named() -> None:
    model = cp.Diagram("m")
    machine = model.state_machine(u=model.constant(1.0), outputs={"y": 0.0}, name="machine")
    model.output("y", machine["y"])
    with pytest.raises(SetupError, match="has no states"):
        model.subsystem()
    machine.state("a", entry="y = u")
    with pytest.raises(SetupError, match='"a" already exists'):
        machine.state("a")
    with pytest.raises(SetupError, match='no state "b" to leave'):
        machine.transition("b", "a", "u > 0")
    machine.transition("a", "c", "u > 0")
    with pytest.raises(SetupError, match='state "a": no state "c"'):
        model.subsystem()


@pytest.mark.parametrize("line, message", [
    ("y = uu", r'state "a", entry: no name "uu"; did you mean "u"\?'),
    ("z = 1", r'no output or variable "z"; did you mean "y"\?|no output or variable "z"'),
    ("u > 1", "assigns nothing"),
])  # fmt: skip
def test_a_mistake_in_an_action_names_the_state(line: str, message: str) -> None:
    model = cp.Diagram("m")
    with pytest.raises(SetupError, match=message):
        model.state_machine(u=model.constant(1.0), outputs={"y": 0.0}, machine=f"state a\nentry: {line}")


def test_after_needs_a_constant() -> None:
    with pytest.raises(SetupError, match='"after" takes one constant'):
        cp.Diagram("m").state_machine(inputs=["u"], machine="state a\nafter(u) -> a")


def test_a_machine_and_an_expression_are_the_same_after_being_written_to_a_file(tmp_path) -> None:
    model = thermostat()
    cp.diagram.save(model, tmp_path / "model.toml")
    again = cp.diagram.load(tmp_path / "model.toml")
    once, twice = (m.run(until=20.0, step=0.5)["m.temperature"].values for m in (model, again))
    assert np.array_equal(once, twice)
