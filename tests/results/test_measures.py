"""Measures of a run: Günther et al. (2012), costs, and the energy at bonds."""

from __future__ import annotations

import io
import math
from itertools import pairwise

import numpy as np
import pytest
from rich.console import Console

import counterpoint as cp
from counterpoint.results.information import show_file

STIFFNESS = 10.0


def ramp(approximation, signal=lambda t: t):
    system = cp.System("ramp")
    system.add("ramp", cp.source(signal, outputs="y"), step=0.1)
    system.add("tank", cp.ode(lambda t, x, u: u, [0.0], inputs="u", outputs="x", solver="ode4"), step=0.1)
    system.connect("ramp.y", "tank.u", approximation, gain=2.0)
    return system


def disk(angle):
    return cp.linear([[0, 1], [0, 0]], [[0], [1]], x0=[angle, 0], inputs="torque", outputs=["angle", "speed"])


def disks(approximation, step=0.01):
    system = cp.System("disks")
    system.add("left", disk(1.0), step=step)
    system.add("right", disk(0.0), step=step)
    law = cp.bonds.spring_damper(STIFFNESS)
    system.bond("rotational", "left", "right", causality="flow-flow", law=law, approximation=approximation)
    return system


def energy(result):
    angles, speeds = ([result[f"{side}.{word}"].values for side in ("left", "right")] for word in ("angle", "speed"))
    return 0.5 * (speeds[0] ** 2 + speeds[1] ** 2) + 0.5 * STIFFNESS * (angles[0] - angles[1]) ** 2


def test_the_mean_difference_of_a_held_ramp_is_half_a_step():
    result = ramp(cp.hold()).run(until=1.0, scheme=cp.custom({}))
    assert result.measures().connections["tau"][0] == pytest.approx(2.0 * 0.05)


@pytest.mark.parametrize(("order", "power"), [(0, 1), (1, 2), (2, 3)])
def test_the_mean_difference_is_that_of_the_extrapolation_within_steps(order, power):
    """Against the extrapolation made again at many times within each step."""
    result = ramp(cp.lagrange(order), lambda t: t**power).run(until=5.0, scheme=cp.custom({}))
    time = np.arange(0.0, 5.05, 0.1)
    errors = []
    for k in range(order, 50):
        within = np.linspace(time[k], time[k + 1], 101)
        known = cp.approximate(cp.lagrange(order), time[: k + 1], time[: k + 1] ** power, within)
        errors.append(2.0 * np.trapezoid(np.abs(known - within**power), within))
    started = result.measures().connections["tau"][0]
    assert started == pytest.approx(sum(errors) / 5.0, rel=0.01 if order == 0 else 0.08)


@pytest.mark.parametrize(
    ("source_step", "step"), [(0.1, 0.03), (0.13, 0.05), (0.05, 0.13), (0.1, "table"), (0.1, "defect")]
)
@pytest.mark.parametrize(
    ("approximation", "within"), [(cp.hold(), 0.02), (cp.lagrange(1), 0.05), (cp.lagrange(2), 0.1)]
)
def test_the_mean_difference_counts_the_age_of_the_samples(approximation, within, source_step, step):
    """Against the extrapolation made again in every step; 23 to 50 % were missing where it begins with an old sample."""
    paces = {"table": cp.pace.table([0, 1, 2], [0.05, 0.17, 0.02]), "defect": cp.pace.defect(1e-2)}
    system = cp.System("uneven")
    system.add("source", cp.source(lambda t: math.sin(3 * t) + 0.2 * t * t, outputs="y"), step=source_step)
    tank = cp.ode(lambda t, x, u: u - x, [0.0], inputs="u", outputs="x", solver="ode4")
    system.add("tank", tank, step=0.05 if step in paces else step, pace=paces.get(step))
    system.connect("source.y", "tank.u", approximation, gain=3.0, offset=0.5)
    result = system.run(until=4.0, scheme=cp.custom({}), first_steps="once", check="off")
    samples, ends = result["source.y"].time, result["tank.x"].time
    total = 0.0
    for begin, end in pairwise(ends):
        known = samples[samples < begin + 1e-9]
        at = np.linspace(begin, end, 41)
        values = np.sin(3 * known) + 0.2 * known**2
        held = approximation.name.startswith("hold")
        used = values[-1] if held else cp.approximate(approximation, known, values, at)
        total += np.trapezoid(3.0 * np.abs(used - np.sin(3 * at) - 0.2 * at**2), at)
    assert result.measures().connections["tau"][0] == pytest.approx(total / 4.0, rel=within)


def test_an_interpolated_connection_has_no_difference():
    assert ramp(cp.lagrange(1)).run(until=1.0).measures().connections["tau"][0] == 0.0


def test_against_a_reference_the_error_of_the_source_counts_too():
    reference = disks(cp.lagrange(2), 0.0005).run(until=2.0)
    result = disks(cp.lagrange(1)).run(until=2.0, scheme="parallel")
    found = result.measures(reference)
    exact = 0.5 + 0.5 * np.cos(math.sqrt(2 * STIFFNESS) * result["left.angle"].time)
    error = np.abs(result["left.angle"].values - exact)
    expected = np.trapezoid(error, result["left.angle"].time) / 2.0
    by_signal = found.signals.set_index("signal")["tau_reference"]
    assert by_signal["left.angle"] == pytest.approx(expected, rel=0.01)
    assert (found.connections["tau_reference"] > found.connections["tau"]).all()
    assert found.speed_up == pytest.approx(reference.wall_seconds / result.wall_seconds)
    assert "S_CS = " in str(found)


def test_the_reference_may_have_other_names():
    whole = cp.linear([[0, 1], [-20, 0]], [[0], [0]], [[0.5, 0]], x0=[1, 0], inputs="u", outputs="half")
    system = cp.System("whole")
    system.add("whole", whole, step=0.001)
    system.set("whole.u", 0.0)
    reference = system.run(until=1.0)
    result = disks(cp.lagrange(2)).run(until=1.0)
    found = result.measures(reference, names={"left.angle": "whole.half"})
    assert found.signals["signal"].tolist() == ["left.angle"]
    assert found.signals["tau_reference"][0] == pytest.approx(0.5, abs=1e-3)  # it is measured from the middle
    with pytest.raises(cp.SetupError, match=r'names: "whole.hafl": no such signal in the reference; did you mean'):
        result.measures(reference, names={"left.angle": "whole.hafl"})


def test_costs_are_counted_per_subsystem():
    system = ramp(cp.hold())
    system.at(0.5, "tank.u", 1.0, until=0.7)
    table = system.run(until=1.0).measures().subsystems.set_index("subsystem")
    assert table.loc["tank", "steps"] == 10
    assert table.loc["tank", "events"] == 2
    assert table.loc["tank", "rejections"] == 0
    assert table.loc["tank", "evaluations"] == 4 * 10  # ode4
    assert np.isnan(table.loc["ramp", "evaluations"])
    assert table.loc["tank", "seconds"] >= 0.0


def test_repeated_steps_count_as_evaluations():
    system = ramp(cp.hold())
    result = system.run(until=1.0, scheme=cp.custom({}), window=cp.window(0.1, repeats=2))
    assert result.measures().subsystems["evaluations"][1] == 3 * 4 * 10


@pytest.mark.parametrize("approximation", [cp.hold(), cp.lagrange(2)], ids=str)
def test_the_residual_of_a_bond_is_the_energy_that_the_coupling_created(approximation):
    result = disks(approximation).run(until=5.0, scheme="parallel")
    bond = result.bonds.iloc[0]
    created = energy(result)[-1] - energy(result)[0]
    assert bond["residual"] == pytest.approx(created, rel=0.01)
    assert bond["exchanged"] > 10.0
    assert "bond left-right: the coupling " in str(result.quality)


def test_a_law_that_is_a_function_has_no_residual():
    system = disks(cp.hold())
    system.connections.clear()
    system.bonds.clear()
    law = lambda a, v, b, w: STIFFNESS * (b - a)  # noqa: E731
    system.bond("rotational", "left", "right", causality="flow-flow", law=law)
    assert math.isnan(system.run(until=1.0).bonds["residual"][0])


def test_a_file_keeps_the_measures(tmp_path):
    system = disks(cp.hold())
    system.at(0.5, "left.torque", 0.0, until=0.6)
    made = system.run(until=1.0, scheme="parallel", file=tmp_path / "run.h5")
    with cp.load(tmp_path / "run.h5") as read:
        assert read.measures().connections.equals(made.measures().connections)
        assert read.measures().subsystems.equals(made.measures().subsystems)
        assert read.bonds.equals(made.bonds)
        console = Console(file=io.StringIO(), width=140)
        show_file(read, console)
    shown = console.file.getvalue()
    for text in ("θ_A = ", "τ_CUM = ", "Energy at bonds", "left: 100 steps, 0 rejected, 2 events"):
        assert text in shown


def test_a_bond_whose_speed_both_sides_integrate_with_changing_steps_is_warned_of():
    def system(step, **ports):
        made = cp.System("shaft")
        made.add("left", cp.ode(lambda t, x, u: [x[1], u[0]], [0.0, 1.0], inputs="torque", outputs=["angle", "speed"],
                                solver="ode45"), step=step)  # fmt: skip
        spring = cp.linear([[0.0]], [[1.0]], [[-10.0]], x0=[0.0], inputs="speed", outputs="torque")
        made.add("right", spring, step=0.01)
        made.bond("rotational", "left", "right")
        return made

    system(0.01).run(until=0.1)
    with pytest.warns(cp.BondWarning, match='"left-right" exchanges the speed, which both sides integrate'):
        system(None).run(until=0.1)
