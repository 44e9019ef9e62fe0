"""Paces and what is not smooth: corners that sources know, contacts that nobody foresees, conditions, slopes."""

import numpy as np
import pytest

import counterpoint as cp


def follower():
    return cp.linear([[-2.0]], [[2.0]], x0=[0.0], inputs="u", outputs="y", solver="ode4")


def driven(source, **options):
    """The source reads the follower, too, so that there is something to extrapolate."""
    system = cp.System("driven")
    system.add("source", source, **options)
    system.add("follower", follower())
    system.connect("source.y", "follower.u", cp.lagrange(1))
    system.connect("follower.y", "source.back", cp.lagrange(1))
    return system


def ramp(times=(0.0, 1.0, 1.3, 4.0), values=(0.0, 0.0, 1.0, 1.0)):
    model = cp.Diagram("source", solver="ode4", step=0.01)
    model.output("y", model.table(list(times), list(values)))
    model.output("echo", model.input("back", 0.0))
    return model


def ends(result, name):
    rows = result.steps[name]
    return (rows.t + rows.length).to_numpy()


@pytest.mark.parametrize("pace", [cp.pace.defect(1e-2, first=0.01), cp.pace.gradient(tolerance=1e-2, first=0.01)])
def test_steps_end_at_corners_that_a_source_knows_beforehand(pace):
    result = driven(ramp(), step=0.01).run(until=4.0, scheme="parallel", pace=pace)
    found = ends(result, "follower")
    assert [np.abs(found - corner).min() for corner in (1.0, 1.3)] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert "event" in set(result.steps["follower"].rule)


def test_after_an_event_the_errors_before_it_do_not_shorten_steps():
    """Before the corner nothing moves; a step behind it that is well within its tolerance is not followed by less."""
    pace = cp.pace.defect(1e-1, first=0.01)
    rows = driven(ramp(), step=0.01).run(until=4.0, scheme="parallel", pace=pace).steps["follower"]
    corners = rows.index[(rows.rule == "first") & (rows.t > 0.5)]
    assert len(corners) > 0
    for k in corners:
        assert rows.accepted[k]
        assert 0.0 < rows.estimate[k] < 0.8
        assert rows.length[k + 1] >= rows.length[k]


def test_few_short_steps_after_an_event_count_with_the_root_of_their_length():
    """What a step leaves behind is its error times its length; elsewhere short steps are no more wrong than others."""
    scale = {"source.y": 1.0, "follower.y": 1.0}
    pace = cp.pace.defect(1e-2, first=0.01, absolute=0.0, scale=scale, reject=False)
    result = driven(ramp(), step=0.01).run(until=4.0, scheme="parallel", pace=pace)
    rows = result.steps["follower"]
    defects = [np.asarray(result._view.defects(k)) for k in range(2)]
    lengths = rows.length.to_numpy()
    corners = [int(rows.index[np.abs(rows.t - corner) < 1e-9][0]) for corner in (1.0, 1.3)]
    roots = 0
    for corner, k in ((c, c + n) for c in corners for n in range(10)):
        if k >= len(rows) - 1 or (k > corners[1] > corner):
            continue
        end = rows.t[k] + lengths[k]
        error = max(np.abs(d[:, 1] - d[:, 2])[np.abs(d[:, 0] - end) < 1e-9].max() for d in defects) / 1e-2
        share = lengths[k] / lengths[: k + 1].mean()
        few = share < 1.0 and k - corner < 8
        roots += few
        assert rows.estimate[k] == pytest.approx(error * (share**0.5 if few else max(share, 1.0)), rel=1e-6)
    assert roots >= 4


def test_the_pace_of_one_subsystem_meets_the_corners_of_its_source():
    system = cp.System("driven")
    system.add("source", ramp(), step=0.05)
    system.add("follower", follower(), pace=cp.pace.defect(1e-2, first=0.01))
    system.connect("source.y", "follower.u", cp.lagrange(1))
    system.connect("follower.y", "source.back", cp.lagrange(1))
    found = ends(system.run(until=4.0, scheme="parallel"), "follower")
    assert np.abs(found - 1.3).min() == pytest.approx(0.0, abs=1e-12)


def test_rows_of_a_dense_table_do_not_shorten_steps():
    times = np.linspace(0.0, 4.0, 401)
    dense = ramp(times, 0.1 * np.sin(times))
    result = driven(dense, step=0.01).run(until=4.0, scheme="parallel", pace=cp.pace.defect(1e-2, first=0.01))
    assert result.steps["follower"].length.max() > 0.05


def test_a_law_that_is_printed_keeps_its_own_steps():
    pace = cp.pace.gradient("source.y", smallest=0.3, largest=0.7)
    found = ends(driven(ramp(), step=0.3).run(until=4.0, scheme="parallel", pace=pace), "follower")
    assert np.abs(found - 1.3).min() > 1e-3


def wall():
    """A mass that flies to a stiff wall at 1 m: the wall is a diagram that nobody can look into."""
    mass = cp.linear([[0, 1], [0, 0]], [[0], [1.0]], x0=[0.0, 1.0], inputs="force", outputs=["x", "v"], solver="ode4")
    model = cp.Diagram("wall", solver="ode45", rtol=1e-9, atol=1e-12)
    x, v = model.input("x", 0.0), model.input("v", 0.0)
    model.output("force", model.expression("-1e4 * max(x - 1, 0) + 0 * v", x=x, v=v))
    system = cp.System("contact")
    system.add("mass", mass, step=1e-3)
    system.add("wall", model, step=1e-3)
    system.connect("mass.x", "wall.x", cp.lagrange(2))
    system.connect("mass.v", "wall.v", cp.lagrange(2))
    system.connect("wall.force", "mass.force", cp.lagrange(1))
    return system


def test_a_contact_that_is_found_too_late_is_taken_back():
    runs = {
        reject: wall().run(until=1.5, scheme="parallel", pace=cp.pace.defect(1e-3, largest=0.05, reject=reject))
        for reject in (None, False)
    }
    speeds = {reject: abs(abs(run["mass.v"].values[-1]) - 1.0) for reject, run in runs.items()}
    assert runs[None].rejected > 0
    assert runs[False].rejected == 0
    assert speeds[None] < 0.02  # the wall is elastic: the mass goes back as fast as it came
    assert speeds[None] < 0.2 * speeds[False]


def test_linear_models_meet_nothing_unforeseen_unless_a_condition_waits():
    system = cp.System("two")
    for name, x0 in (("a", 1.0), ("b", 0.0)):
        model = cp.linear([[0, 1], [-15, -0.3]], [[0], [5]], x0=[x0, 0], inputs="u", outputs=["x", "v"], solver="ode4")
        system.add(name, model)
    system.connect("a.x", "b.u", cp.lagrange(2))
    system.connect("b.x", "a.u", cp.lagrange(2))
    assert system.run(until=2.0, scheme="parallel", pace=cp.pace.defect(1e-3)).summary.paces[0].rejected == 0


@pytest.mark.parametrize("pace", [cp.pace.defect, cp.pace.predictor_corrector, cp.pace.doubling])
def test_a_step_ends_where_a_condition_begins_to_hold(pace):
    """A tank is filled, x' = 1 - x, until its level is 0.5: at ln 2."""
    system = cp.System("tank")
    tank = cp.linear([[-1.0]], [[1.0]], x0=[0.0], inputs="flow", outputs="level", solver="ode45", rtol=1e-10)
    valve = cp.linear([[-1.0]], [[1.0]], x0=[0.0], inputs="level", outputs="y", solver="ode45", rtol=1e-10)
    system.add("tank", tank, step=1e-2)
    system.add("valve", valve, step=1e-2)
    system.connect("tank.level", "valve.level", cp.lagrange(2))
    system.set("tank.flow", 1.0)
    system.when("tank.level > 0.5", "tank.flow", cp.events.override(0.0))
    result = system.run(until=2.0, scheme="parallel", pace=pace(1e-3))
    begun = result.events[result.events.text.str.contains("override")].iloc[0]
    assert begun.time == pytest.approx(np.log(2.0), abs=1e-5)
    assert result["tank.level"].values[-1] == pytest.approx(0.5 * np.exp(np.log(2.0) - 2.0), rel=1e-4)


def test_slopes_of_output_functions_and_diagrams_serve_as_those_of_linear_models():
    a, b = [[0.0, 1.0], [-15.0, -0.3]], [[0.0], [5.0]]

    def linear_one(x0):
        return cp.linear(a, b, [[2.0, 0.5]], x0=[x0, 0.0], inputs="u", outputs="y", solver="ode4")

    def function_one(x0):
        return cp.ode(
            lambda t, x, u: [x[1], -15.0 * x[0] - 0.3 * x[1] + 5.0 * u[0]], [x0, 0.0], inputs="u", outputs="y",
            output=lambda t, x, u: 2.0 * x[0] + 0.5 * x[1], solver="ode4",
        )  # fmt: skip

    def diagram_one(x0):
        model = cp.Diagram("part", solver="ode4", step=0.01)
        u = model.input("u", 0.0)
        x, v = model.integrator(initial=x0, name="x"), model.integrator(name="v")
        v >> x
        (-15.0 * x - 0.3 * v + 5.0 * u) >> v
        model.output("y", 2.0 * x + 0.5 * v)
        return model

    def run(make):
        system = cp.System("pair")
        for name, x0 in (("left", 1.0), ("right", 0.0)):
            system.add(name, make(x0), step=0.01)
        system.connect("left.y", "right.u", cp.hermite())
        system.connect("right.y", "left.u", cp.hermite())
        return system.run(until=1.0, scheme="parallel", first_steps="once")["left.y"].values

    expected = run(linear_one)
    for make in (function_one, diagram_one):
        # A central difference over 1e-4 of a step is off by its square, rounding by 1e-12 of a step.
        assert np.abs(run(make) - expected).max() < 1e-8


def test_reject_needs_states_and_a_truth_value():
    with pytest.raises(cp.SetupError, match=r"pace\.reject: 'yes'; expected true or false"):
        cp.pace.defect(1e-3, reject="yes")
    with pytest.raises(cp.SetupError, match=r"pace\.reject: without a tolerance the law estimates no error"):
        cp.pace.gradient(smallest=0.1, largest=0.2, reject=True)
