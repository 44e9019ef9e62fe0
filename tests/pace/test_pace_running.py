"""Paces during a run: the wall clock, paces that are stuck, stable steps of explicit solvers."""

import time

import numpy as np
import pytest

import counterpoint as cp

from .models import Black, masses, rows

SECOND = 1.0


@pytest.mark.filterwarnings("ignore::counterpoint.PaceWarning")  # the machine may be busy
@pytest.mark.parametrize("pace", [None, cp.pace.defect(1e-3, first=1e-3)])
def test_a_run_keeps_to_the_wall_clock_and_gives_the_same_bits(pace):
    options = {"until": 0.2, "scheme": "parallel", "pace": pace, "first_steps": "once"}
    step = {"step": 0.01} if pace is None else {}
    plain = masses(**step).run(**options)
    timed = masses(**step).run(**options, real_time=2.0)
    assert rows(timed) == rows(plain)
    assert timed.wall_seconds > 0.08  # a lower bound: it cannot be faster, however busy the machine
    assert timed.overruns.steps.sum() == sum(timed.summary.steps)


class Slow(Black):
    """A black box that takes longer than its step."""

    def step(self, t, t_end, u):
        import time

        time.sleep(0.004)
        super().step(t, t_end, u)


def test_overruns_are_counted_and_said():
    system = cp.System()
    system.add("box", Slow(), step=0.001)
    system.set("box.u", 0.0)
    with pytest.warns(cp.PaceWarning, match='later than the wall clock.*"box" at t = .*use longer steps'):
        result = system.run(until=0.02, pace=cp.pace.real_time(1.0))
    assert result.overruns.overruns[0] == 20
    assert result.overruns.latest[0] > 0.01


def test_a_stuck_pace_is_told_while_the_run_goes_on():
    """Results are written after a pause, with a part of the run still to come."""
    paused: list[float] = []

    def rhs(t, x, u):
        if t > 0.5 and not paused:
            paused.append(t)
            time.sleep(0.6)
        return u - x

    system = masses()
    system.add("sink", cp.ode(rhs, [0.0], inputs="u", outputs="x", solver="ode4"), step=0.01)
    system.connect("left.x", "sink.u")
    pace = cp.pace.defect(1e-9, first=0.01, smallest=0.005, largest=0.02)
    with pytest.warns(cp.PaceWarning, match="as short as allowed"):
        result = system.run(until=1.0, scheme="parallel", pace=pace)
    told = [event.time for event in result.summary.events if "as short as allowed" in event.text]
    assert len(told) == 2
    assert 0.5 < told[0] < 0.9 < told[1]


def test_a_leading_signal_that_never_changes_is_told():
    """That a mass at rest stays there is not known before the run."""
    system = cp.System()
    system.add("rest", cp.linear([[0, 1], [-1, 0]], [[0], [1]], [[1, 0]], x0=[0, 0], inputs="u", outputs="x"))
    system.add("moving", cp.linear([[0, 1], [-1, 0]], [[0], [1]], [[1, 0]], x0=[1, 0], inputs="u", outputs="x"))
    system.connect("rest.x", "moving.u", cp.lagrange(1))
    system.set("rest.u", 0.0)
    law = cp.pace.gradient("rest.x", smallest=0.01, largest=0.1)
    with pytest.warns(cp.PaceWarning, match='"rest.x" never changed in this run'):
        system.run(until=5.0, scheme="parallel", pace=law)


def car(solver="ode4", step=None):
    """Return a quarter car after a step of the road; the wheel turns 64 rad in a second and dies away soon."""
    system = cp.System("quarter car")
    a, c = [[0, 1, 0], [-4125.0, -25.0, 375.0], [0, 0, 0]], [[15e3, 1e3, -15e3]]
    wheel = cp.linear(a, [[0], [25.0], [1]], c, [[-1e3]], x0=[-0.1, 0, -0.1], inputs="v", outputs="force",
                      solver=solver)  # fmt: skip
    chassis = cp.linear([[0, 1], [0, 0]], [[0], [1 / 400.0]], x0=[-0.1, 0], inputs="force", outputs=["z", "v"])
    system.add("wheel", wheel, step=step)
    system.add("chassis", chassis, step=step)
    system.connect("wheel.force", "chassis.force", cp.lagrange(3))
    system.connect("chassis.v", "wheel.v", cp.hermite())
    return system


@pytest.mark.parametrize("tolerance", [1e-1, 1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("kind", ["defect", "gradient", "energy"])
def test_a_tolerance_is_kept_where_long_steps_would_make_a_fixed_step_solver_unstable(kind, tolerance):
    scheme = cp.sequential(["wheel", "chassis"])
    exact = car(step=1e-4).run(until=2.0, scheme=scheme)["chassis.z"]
    pace = {
        "defect": lambda: cp.pace.defect(tolerance, first=1e-3),
        "gradient": lambda: cp.pace.gradient(tolerance=tolerance, first=1e-3),
        "energy": lambda: cp.pace.energy(tolerance, first=1e-3, bonds=[("chassis.force", "wheel.v")]),
    }[kind]()
    found = car().run(until=2.0, scheme=scheme, pace=pace)["chassis.z"]
    assert np.abs(found.values - exact.at(found.time)).max() / 0.1 <= 3.0 * tolerance


def longest(system, **options):
    return system.run(until=2.0, pace=cp.pace.defect(1e-1, first=1e-3, **options)).steps["wheel"].length.max()


def test_a_pace_stays_within_the_stable_steps_of_explicit_solvers_unless_it_is_given_a_largest_step():
    limit = 0.9 * 2.94 / np.sqrt(4125.0)  # of ode4 for this damping
    assert longest(car()) == pytest.approx(limit, rel=0.01)
    assert longest(car(), largest=0.1) > 1.5 * limit
    assert longest(car(solver="trapezoidal")) > 1.5 * limit
