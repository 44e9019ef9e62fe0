"""Energy correction of bonds: what it gains, where it is turned off, and bonds that follow from units."""

import json

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.scenario import Scenario

STIFFNESS = 10.0
COUPLED = np.array([[0, 1, 0, 0], [-4 - STIFFNESS, 0, STIFFNESS, 0], [0, 0, 0, 1], [STIFFNESS, 0, -4 - STIFFNESS, 0]])


def exact(time):
    """Position of the left mass: closed form of two equal masses, each on its own spring, with one between them."""
    slow, fast = 2.0, np.sqrt(4 + 2 * STIFFNESS)
    return 0.5 * (np.cos(slow * time) + np.cos(fast * time))


def masses(order, *, units=True, left_step=0.01, right_step=0.01):
    """Left gives its speed and takes a force; right has the spring between them and gives the force."""
    known = {"units": {"x": "m", "v": "m/s", "f": "N"}} if units else {}
    left = cp.linear(
        [[0, 1], [-4, 0]], [[0], [1]], [[1, 0], [0, 1]], x0=[1, 0], inputs="f", outputs=["x", "v"], **known
    )
    known = {"units": {"v": "m/s", "f": "N"}} if units else {}
    right = cp.linear(
        [[0, 1, 0], [-4 - STIFFNESS, 0, STIFFNESS], [0, 0, 0]], [[0], [0], [1]], [[STIFFNESS, 0, -STIFFNESS]],
        x0=[0, 0, 1], inputs="v", outputs="f", **known,
    )  # fmt: skip
    system = cp.System("two masses")
    system.add("left", left, step=left_step)
    system.add("right", right, step=right_step)
    system.connect("left.v", "right.v", cp.lagrange(order))
    system.connect("right.f", "left.f", cp.lagrange(order))
    return system


def error(result):
    signal = result["left.x"]
    return np.sqrt(np.mean((signal.values - exact(signal.time)) ** 2)) / np.std(exact(signal.time))


def told(result):
    return [text for text in result.events["text"] if "energy correction" in text]


def test_the_closed_form_is_that_of_the_coupled_matrix():
    frequencies = np.sort(np.abs(np.linalg.eigvals(COUPLED).imag))
    assert frequencies == pytest.approx([2, 2, np.sqrt(24), np.sqrt(24)])


@pytest.mark.parametrize(("order", "gain"), [(0, 50), (1, 10), (2, 10)])
def test_preserving_energy_makes_the_error_of_parallel_runs_much_smaller(order, gain):
    runs = {
        word: masses(order).run(until=50, scheme="parallel", first_steps="once", energy_correction=word, check="off")
        for word in ("off", "preserve")
    }
    assert error(runs["preserve"]) < error(runs["off"]) / gain
    assert told(runs["preserve"]) == ["energy correction of bond left and right (inferred): preserve"]


@pytest.mark.parametrize("steps", [(0.002, 0.02), (0.02, 0.002), (0.006, 0.01)])
def test_the_slower_side_sets_the_interval_that_is_made_good(steps):
    options = {"until": 50, "scheme": "parallel", "first_steps": "once", "check": "off"}
    runs = [
        masses(1, left_step=steps[0], right_step=steps[1]).run(**options, energy_correction=word)
        for word in ("off", "preserve")
    ]
    assert error(runs[1]) < error(runs[0]) / 3


def test_dissipation_takes_out_what_the_coupling_created_and_gives_nothing_back():
    options = {"until": 50, "scheme": "parallel", "first_steps": "once", "check": "off"}
    off, taken = (masses(0).run(**options, energy_correction=word) for word in ("off", "dissipate"))
    amplitude = [np.abs(run["left.x"].values[-500:]).max() for run in (off, taken)]
    assert amplitude[0] > 5  # without it, energy grows without bound
    assert amplitude[1] < 1.0


def test_a_correction_that_would_do_harm_is_off_and_says_why():
    options = {"until": 50, "scheme": "sequential", "first_steps": "once", "check": "off"}
    plain, corrected = (masses(0).run(**options, energy_correction=word) for word in ("off", "preserve"))
    assert np.array_equal(plain["left.x"].values, corrected["left.x"].values)
    (text,) = told(corrected)
    assert text.startswith("energy correction of bond left and right (inferred) is off: with it an amplitude would be")
    assert corrected.events.set_index("text").loc[text, "level"] == "warning"


def test_without_the_guard_that_correction_is_harmful():
    system = masses(0)
    system.connections.clear()
    system.connect("left.v", "right.v", cp.energy_corrected(0))
    system.connect("right.f", "left.f", cp.energy_corrected(0))
    result = system.run(until=50, scheme="sequential", first_steps="once", check="off")
    assert error(result) > 5 * error(masses(0).run(until=50, scheme="sequential", first_steps="once", check="off"))


def test_the_verdict_of_a_corrected_run_is_about_the_corrected_coupling():
    result = masses(1).run(until=50, scheme="parallel", first_steps="once", energy_correction="preserve")
    assert result.quality.verdict == "trustworthy"
    assert result.quality.error == pytest.approx(error(result), rel=1.0)


def test_units_and_directions_make_a_bond():
    result = masses(1).run(until=10, scheme="parallel", check="off")
    (bond,) = result.bonds.to_dict("records")
    assert (bond["bond"], bond["interface"]) == ("left and right (inferred)", "translational")
    assert bond["exchanged"] > 10
    assert abs(bond["relative"]) < 0.01
    assert masses(1, units=False).run(until=10, check="off").bonds.empty


def test_a_position_against_a_force_is_a_bond_as_well():
    system = cp.System()
    for name, gain in (("a", 1.0), ("b", -1.0)):
        model = cp.linear([[0, 1], [-9, 0]], [[0], [gain]], [[1, 0]], x0=[1, 0], inputs="u", outputs="y",
                          units={"y": "mm" if name == "a" else "kN"})  # fmt: skip
        system.add(name, model, step=0.01)
    system.connect("a.y", "b.u", convert=False)
    system.connect("b.y", "a.u", convert=False)
    (bond,) = json.loads(str(system.run(until=1, check="off").metadata["bonds"]))
    assert [port["differentiated"] for port in bond["power"]] == ["output", "input"]
    assert [port["sign"] for port in bond["power"]] == [pytest.approx(1.0), pytest.approx(-1.0)]  # kN times mm is J


def test_correction_without_bonds_or_with_another_word_is_refused():
    with pytest.raises(cp.SetupError, match="no bond is extrapolated; declare one"):
        masses(1, units=False).run(until=1, energy_correction="preserve")
    with pytest.raises(cp.SetupError, match='energy_correction: \'on\'; expected "off", "preserve" or "dissipate"'):
        masses(1).run(until=1, energy_correction="on")


def test_the_integral_of_a_corrected_input_follows_that_of_the_signal():
    """A receiver that integrates its input: with hold it falls behind by half a step, corrected it does not."""
    ends = {}
    for approximation in (cp.lagrange(0), cp.energy_corrected(0)):
        system = cp.System()
        system.add("ramp", cp.ode(lambda t, x, u: [1.0], [0.0], inputs="w", outputs="y"), step=0.1)
        system.add("sum", cp.ode(lambda t, x, u: u, [0.0], inputs="u", outputs="x"), step=0.1)
        system.connect("ramp.y", "sum.u", approximation)
        system.connect("sum.x", "ramp.w")  # nobody waits
        result = system.run(until=10, scheme="parallel", first_steps="once", check="off")
        ends[approximation.name] = result["sum.x"].values[-1]
    assert ends["lagrange 0"] == pytest.approx(50 - 0.5)
    assert ends["energy-corrected 0"] == pytest.approx(50, abs=0.5 * 0.1**2 + 1e-9)  # the first step is not made good


def test_a_scenario_may_ask_for_it(tmp_path):
    file = tmp_path / "masses.toml"
    file.write_text("""
until = 1
scheme = "parallel"
energy_correction = "preserve"
[subsystems.a]
type = "linear"
A = [[0, 1], [-9, 0]]
B = [[0], [1]]
C = [[0, 1]]
x0 = [1, 0]
inputs = ["f"]
outputs = ["v"]
units = { f = "N", v = "m/s" }
step = 0.01
[subsystems.b]
type = "linear"
A = [[0, 0], [0, 0]]
B = [[1], [0]]
C = [[-2, 0]]
x0 = [0, 0]
inputs = ["v"]
outputs = ["f"]
units = { f = "N", v = "m/s" }
step = 0.01
[[connections]]
from = "a.v"
to = "b.v"
approximation = { kind = "energy-corrected", order = 1 }
[[connections]]
from = "b.f"
to = "a.f"
""")
    result = Scenario.read(file).run()
    assert told(result) == ["energy correction of bond a and b (inferred): preserve"]
