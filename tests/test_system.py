"""Systems from the user's side: ports, laws, initial values, loops, paces, the incremental form, and setup mistakes."""

import math

import numpy as np
import pytest

import counterpoint as cp


def integrator(x0=0.0, **options):
    """x' = u by ode4: exact for inputs that are cubic over a step."""
    return cp.linear([[0.0]], [[1.0]], x0=[x0], outputs="x", **options)


def fed_by(*signals, step=0.1, until=1.0, initial=None, **connection):
    """An integrator whose input comes from sources through one connection."""
    system = cp.System()
    for k, signal in enumerate(signals):
        system.add(f"in{k}", cp.source(signal), step=step)
    system.add("sum", integrator(), step=step)
    system.connect([f"in{k}.y" for k in range(len(signals))], "sum.u", **connection)
    return system.run(until=until)["sum.x"].values[-1]


def test_several_outputs_into_one_input_are_added_with_their_gains_and_one_offset():
    # Integral over [0, 1] of 2 t - 3 * 1 + 10.
    assert fed_by(lambda t: t, lambda t: 1.0, gain=[2.0, -3.0], offset=10.0) == pytest.approx(8.0, abs=1e-12)


def test_one_gain_serves_all_sources():
    assert fed_by(lambda t: t, lambda t: 1.0, gain=2.0) == pytest.approx(3.0, abs=1e-12)


def test_a_law_makes_the_input_from_the_scaled_signals():
    # (2 t) * (t) = 2 t^2, whose integral is 2/3; order 1 gives chords of t, so the product is exact.
    assert fed_by(lambda t: t, lambda t: t, gain=[2.0, 1.0], law=lambda a, b: a * b) == pytest.approx(
        2.0 / 3.0, abs=1e-12
    )


def test_the_offset_of_a_law_enters_its_first_signal():
    assert fed_by(lambda t: 1.0, lambda t: 5.0, offset=2.0, law=lambda a, b: a) == pytest.approx(3.0, abs=1e-12)


def test_a_law_takes_and_returns_vectors():
    system = cp.System()
    system.add("p", cp.source(lambda t: [1.0, 2.0, 3.0], outputs={"r": 3}), step=0.1)
    system.add("w", cp.source(lambda t: [0.0, 0.0, 1.0], outputs={"w": 3}), step=0.1)
    system.add(
        "body", cp.linear(np.zeros((3, 3)), np.eye(3), x0=np.zeros(3), inputs={"v": 3}, outputs={"x": 3}), step=0.1
    )
    system.connect(["w.w", "p.r"], "body.v", law=np.cross)
    np.testing.assert_allclose(system.run(until=1.0)["body.x"].values[-1], np.cross([0, 0, 1], [1, 2, 3]), atol=1e-12)


def test_each_source_may_have_its_own_approximation():
    held = fed_by(lambda t: t, lambda t: t, approximation=[cp.hold("behind"), cp.lagrange(1)], gain=[1.0, 0.0])
    ahead = fed_by(lambda t: t, lambda t: t, approximation=[cp.hold("behind"), cp.lagrange(1)], gain=[0.0, 1.0])
    # Held behind: the stages at the end of a step see the next sample with weight 1/6.
    assert held == pytest.approx(0.5 - 0.1 * (0.5 - 1.0 / 6.0), abs=1e-12)
    assert ahead == pytest.approx(0.5, abs=1e-12)


def test_vector_ports_arrive_in_order_and_are_named_with_an_index():
    system = cp.System()
    system.add("many", cp.source(lambda t: [1.0, 2.0, 3.0], outputs={"a": 1, "b": 2}), step=0.5)
    system.add(
        "sink",
        cp.linear(np.zeros((3, 3)), np.eye(3), x0=np.zeros(3), inputs={"p": 2, "q": 1}, outputs={"x": 3}),
        step=0.1,
    )
    system.connect("many.b", "sink.p")
    system.connect("many.a", "sink.q", gain=10.0)
    result = system.run(until=1.0)
    np.testing.assert_allclose(result["sink.x"].values[-1], [2.0, 3.0, 10.0], atol=1e-12)
    assert result["many.b[1]"].values[-1] == 3.0
    assert "many.b[0] -> sink.p[0]" in list(result.defects["connection"])


def test_constants_and_defaults_feed_inputs_that_nothing_drives():
    system = cp.System()
    system.add("a", integrator(defaults={"u": 2.0}), step=0.1)
    system.add("b", integrator(), step=0.1)
    system.add("c", cp.linear(np.zeros((2, 2)), np.eye(2), x0=[0, 0], inputs={"u": 2}, outputs={"x": 2}), step=0.1)
    system.set("b.u", 3.0)
    system.set("c.u", [1.0, -1.0])
    result = system.run(until=1.0)
    assert result["a.x"].values[-1] == pytest.approx(2.0, abs=1e-12)
    assert result["b.x"].values[-1] == pytest.approx(3.0, abs=1e-12)
    np.testing.assert_allclose(result["c.x"].values[-1], [1.0, -1.0], atol=1e-12)


def gain_block(factor):
    """y = factor u, with a state that is not needed."""
    return cp.linear([[0.0]], [[0.0]], [[0.0]], [[factor]], x0=[0.0], outputs="y")


def test_initial_outputs_follow_a_chain_of_feedthrough_in_any_order_of_adding():
    for order in (["a", "b", "c", "d"], ["d", "c", "b", "a"], ["c", "a", "d", "b"]):
        system = cp.System()
        models = {"a": cp.source(lambda t: 1.0 + t), "b": gain_block(2.0), "c": gain_block(3.0), "d": gain_block(5.0)}
        for name in order:
            system.add(name, models[name], step=0.1)
        for source, target in (("a", "b"), ("b", "c"), ("c", "d")):
            system.connect(f"{source}.y", f"{target}.u")
        result = system.run(until=1.0, scheme=cp.sequential(["a", "b", "c", "d"]))
        assert result["d.y"].values[0] == 30.0
        np.testing.assert_allclose(result["d.y"].values, 30.0 * (1.0 + result["d.y"].time), rtol=1e-12)


def test_an_algebraic_loop_is_found_and_named_port_by_port():
    system = cp.System()
    system.add("left", gain_block(0.5), step=0.1)
    system.add("right", gain_block(0.5), step=0.1)
    system.connect("left.y", "right.u")
    system.connect("right.y", "left.u")
    with pytest.raises(cp.AlgebraicLoopError) as caught:
        system.run(until=1.0)
    assert set(caught.value.loop) == {"left.y", "right.u", "right.y", "left.u"}
    assert caught.value.loop[0] == caught.value.loop[-1]
    assert "left.y -> right.u -> right.y -> left.u -> left.y" in str(caught.value) * 2
    assert "initial=" in str(caught.value)


def test_inputs_and_outputs_of_the_same_name_are_no_loop():
    def rooms(into, out):
        system = cp.System("two rooms")
        for name, start in (("left", 20.0), ("right", 10.0)):
            room = cp.ode(lambda t, x, u: [u[0] - x[0]], [start], inputs=into, outputs=out, solver="ode4")
            system.add(name, room, step=0.1)
        system.connect(f"left.{out}", f"right.{into}")
        system.connect(f"right.{out}", f"left.{into}")
        return system.run(until=1.0)[f"left.{out}"].values.tolist()

    assert rooms("T", "T") == rooms("u", "y")


def test_an_initial_value_breaks_the_loop():
    system = cp.System()
    system.add("left", gain_block(0.5), step=0.1)
    system.add("right", gain_block(0.5), step=0.1)
    system.connect("left.y", "right.u")
    system.connect("right.y", "left.u", initial=8.0)
    result = system.run(until=1.0)
    assert result["left.y"].values[0] == 4.0
    assert result["right.y"].values[0] == 2.0


def test_initial_is_the_value_of_the_input_also_when_several_signals_enter_it():
    system = cp.System()
    system.add("block", gain_block(1.0), step=0.1)
    system.add("a", gain_block(0.1), step=0.1)
    system.add("b", gain_block(0.1), step=0.1)
    system.connect(["a.y", "b.y"], "block.u", initial=8.0)
    system.connect("block.y", "a.u")
    system.connect("block.y", "b.u")
    assert system.run(until=1.0)["block.y"].values[0] == 8.0


def test_a_loop_through_states_is_no_algebraic_loop():
    system = cp.System()
    system.add("a", integrator(1.0), step=0.1)
    system.add("b", gain_block(-1.0), step=0.1)
    system.connect("a.x", "b.u", cp.lagrange(3))
    system.connect("b.y", "a.u", cp.lagrange(3))
    assert system.problems(until=1.0) == []
    result = system.run(until=1.0, scheme=cp.sequential(["a", "b"]))
    # x' = -x with an extrapolated input: error of order H^3 after a start-up of lower order.
    assert result["a.x"].values[-1] == pytest.approx(math.exp(-1.0), abs=5e-3)


def test_a_loop_is_found_through_python_models_that_declare_their_feedthrough():
    class Mirror(cp.Subsystem):
        inputs = ("u",)
        outputs = ("y",)
        feedthrough = (("y", "u"),)

        def step(self, t, t_end, u):
            pass

        def output(self, t, u):
            return u(t)[0]

    system = cp.System()
    for name in "abc":
        system.add(name, Mirror(), step=0.1)
    for source, target in ("ab", "bc", "ca"):
        system.connect(f"{source}.y", f"{target}.u")
    with pytest.raises(cp.AlgebraicLoopError) as caught:
        system.run(until=1.0)
    assert len(caught.value.loop) == 7


def two_masses(**models):
    system = cp.System()
    system.add(
        "fast",
        cp.linear([[0, 1], [-41, 0]], [[0], [40]], x0=[1, 0], outputs=["x", "v"], **models.get("fast", {})),
        step=models.get("step", 0.01),
    )
    system.add("slow", cp.linear([[0, 1], [-1.4, 0]], [[0], [0.4]], x0=[1, 0], outputs=["x", "v"]), step=0.05)
    system.connect("fast.x", "slow.u", cp.lagrange(3))
    system.connect("slow.x", "fast.u", cp.lagrange(3))
    return system


def exact_two_masses(t):
    a = np.array([[0, 1, 0, 0], [-41, 0, 40, 0], [0, 0, 0, 1], [0.4, 0, -1.4, 0]], dtype=float)
    values, vectors = np.linalg.eig(a)
    return (vectors @ np.diag(np.exp(values * t)) @ np.linalg.solve(vectors, [1, 0, 1, 0])).real


@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first", "parallel", "sequential"])
def test_a_coupled_run_is_near_the_monolithic_solution(scheme):
    result = two_masses().run(until=2.0, scheme=scheme)
    exact = exact_two_masses(2.0)
    # Cubic coupling with H = 0.05 and w = 6.4: a few times (w H)^4 / 24 = 4e-4.
    assert result["fast.x"].values[-1] == pytest.approx(exact[0], abs=5e-3)
    assert result["slow.x"].values[-1] == pytest.approx(exact[2], abs=5e-3)


@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first", "parallel"])
def test_a_variable_step_solver_runs_at_its_own_pace_in_a_coupled_system(scheme):
    result = two_masses(fast={"solver": "ode45"}, step=None).run(until=2.0, scheme=scheme)
    steps = np.diff(result["fast.x"].time)
    assert steps.max() > 1.1 * np.median(steps)
    assert result["fast.x"].time[-1] == 2.0
    assert result["fast.x"].values[-1] == pytest.approx(exact_two_masses(2.0)[0], abs=0.05)


def test_who_waits_for_whom_follows_the_scheme():
    system = two_masses()
    assert system.waits_for("slowest-first") == {"fast": ["slow"], "slow": []}
    assert system.waits_for("fastest-first") == {"fast": [], "slow": ["fast"]}
    assert system.waits_for("parallel") == {"fast": [], "slow": []}
    assert system.waits_for(cp.sequential(["slow", "fast"])) == {"fast": ["slow"], "slow": []}
    assert system.waits_for(cp.custom({"slow": ["fast"]})) == {"fast": [], "slow": ["fast"]}


def test_sources_are_waited_for_in_every_named_scheme():
    system = cp.System()
    system.add("road", cp.table([0, 1], [0, 1]))
    system.add("car", integrator(), step=0.1)
    system.connect("road.y", "car.u")
    for scheme in ("slowest-first", "fastest-first", "parallel", "sequential"):
        assert system.waits_for(scheme)["car"] == ["road"]


def test_typical_step_ranks_a_subsystem_at_its_own_pace():
    def pair(typical):
        system = cp.System()
        system.add("a", integrator(solver="ode45"), typical_step=typical)
        system.add("b", integrator(), step=0.1)
        system.connect("a.x", "b.u")
        system.connect("b.x", "a.u")
        return system.waits_for("slowest-first")

    assert pair(0.01) == {"a": ["b"], "b": []}
    assert pair(1.0) == {"a": [], "b": ["a"]}


def test_a_run_may_start_anywhere_also_before_zero():
    system = cp.System()
    system.add("clock", cp.source(lambda t: t), step=0.25)
    system.add("sum", integrator(), step=0.1)
    system.connect("clock.y", "sum.u")
    result = system.run(until=-1.0, start=-3.0)
    assert result["sum.x"].time[0] == -3.0
    assert result["sum.x"].values[-1] == pytest.approx((1.0 - 9.0) / 2.0, abs=1e-12)


def test_what_is_not_recorded_is_not_in_the_result():
    system = two_masses()
    entry = system.subsystems["fast"]
    other = cp.System()
    other.add("fast", entry.subsystem, step=0.01, record=False)
    other.add("slow", system.subsystems["slow"].subsystem, step=0.05)
    other.connect("fast.x", "slow.u", cp.lagrange(3))
    other.connect("slow.x", "fast.u", cp.lagrange(3))
    result = other.run(until=1.0)
    assert len(result["fast.x"].time) == 0
    np.testing.assert_array_equal(result["slow.x"].values, system.run(until=1.0)["slow.x"].values)


def test_a_run_can_be_driven_step_by_step_and_inputs_set_on_the_way():
    system = cp.System()
    system.add("sum", integrator(), step=0.1)
    system.set("sum.u", 1.0)
    with system.start() as run:
        run.step_to(1.0)
        assert run.value("sum.x") == pytest.approx(1.0, abs=1e-12)
        run.set("sum.u", -2.0)
        run.step_to(2.0)
        assert run.time == pytest.approx(2.0)
        assert run.value("sum.x") == pytest.approx(-1.0, abs=1e-12)
    with pytest.raises(cp.SetupError, match="has ended"):
        run.step_to(3.0)


def test_a_table_that_has_ended_holds_its_last_value_in_a_run_without_end():
    system = cp.System()
    system.add("road", cp.table([0.0, 1.0], [0.0, 2.0]))
    system.add("sum", integrator(), step=0.25)
    system.connect("road.y", "sum.u")
    with system.start() as run:
        run.step_to(3.0)
        assert run.value("sum.x") == pytest.approx(1.0 + 4.0, abs=1e-12)


def test_only_free_inputs_can_be_set_and_only_within_the_run():
    run = two_masses().start(until=1.0)
    with pytest.raises(cp.SetupError, match=r'"fast\.u" is driven'):
        run.set("fast.u", 1.0)
    with pytest.raises(cp.SetupError, match=r"beyond the end of the run, 1\.0 s"):
        run.step_to(2.0)
    with pytest.raises(cp.SetupError, match="nan"):
        run.step_to(float("nan"))
    with pytest.raises(cp.SetupError, match=r'did you mean "fast"'):
        run.value("fst.x")
    run.finish()


# --- what is wrong before anything runs -----------------------------------------------------------------------


def broken(**change):
    """A system that would run but for one change."""
    system = cp.System()
    system.add("engine", integrator(), step=change.get("step", 0.1))
    system.add(
        "chassis", cp.linear(np.zeros((2, 2)), np.eye(2), x0=[0, 0], inputs={"force": 2}, outputs={"v": 2}), step=0.1
    )
    system.set("engine.u", 0.0)
    if change.get("force", True):
        system.set("chassis.force", [0.0, 0.0])
    return system


@pytest.mark.parametrize("step", [0.0, -0.1, math.nan, math.inf, 5.0, "fast", None])
def test_a_step_that_cannot_be_is_named_with_its_subsystem_and_value(step):
    with pytest.raises(cp.SetupError) as caught:
        broken(step=step).run(until=1.0)
    assert "subsystems.engine.step" in str(caught.value)
    assert ("is missing" if step is None else str(step)) in str(caught.value)


@pytest.mark.parametrize("step", [np.float64(0.1), np.float32(0.125), np.int64(1), 1])
def test_any_kind_of_number_is_a_step(step):
    assert broken(step=step).run(until=1.0).status == "finished"


@pytest.mark.parametrize(
    ("until", "start"), [(0.0, 0.0), (-1.0, 0.0), (2.0, 3.0), (math.nan, 0.0), (math.inf, 0.0), (1.0, math.nan)]
)
def test_an_end_that_does_not_come_after_the_start_is_named(until, start):
    with pytest.raises(cp.SetupError, match=r"until|start"):
        broken().run(until=until, start=start)


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("engin.x", "chassis.force", ["connections[0].from", '"engin"', 'did you mean "engine"']),
        ("engine.y", "chassis.force", ["connections[0].from", '"engine" has no output "y"', '"x"']),
        ("engine.x", "chasis.force", ["connections[0].to", '"chasis"', 'did you mean "chassis"']),
        ("engine.x", "chassis.forc", ["connections[0].to", "no input", 'did you mean "force"']),
        ("engine.x", "chassis.force", ["connections[0]", '"engine.x" has 1 values', "takes 2"]),
        ("chassis", "engine.u", ["connections[0].from", '"chassis"']),
    ],
)
def test_a_connection_that_does_not_fit_is_named_with_both_ends(source, target, words):
    system = broken()
    system.constants.pop(target, None)
    system.connect(source, target)
    with pytest.raises(cp.SetupError) as caught:
        system.run(until=1.0)
    assert [word for word in words if word not in str(caught.value)] == []


def test_a_subsystem_may_be_connected_to_itself():
    """x' = -3 x, of which -2 x comes back from the output: an extrapolation of order k adds an error of order k + 1."""
    errors = []
    for step in (0.02, 0.01):
        system = cp.System("loop")
        system.add("tank", cp.linear(A=[[-1.0]], B=[[-2.0]], x0=[1.0], inputs=["u"], outputs=["x"]), step=step)
        system.connect("tank.x", "tank.u", cp.lagrange(1))
        errors.append(abs(system.run(until=1.0)["tank.x"].values[-1] - np.exp(-3.0)))
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)


def test_an_input_driven_twice_names_both_drivers():
    system = broken()
    system.add("second", integrator(), step=0.1)
    system.set("second.u", 0.0)
    del system.constants["engine.u"]
    system.connect("second.x", "engine.u")
    system.connect("chassis.v", "engine.u")
    with pytest.raises(cp.SetupError) as caught:
        system.run(until=1.0)
    text = str(caught.value)
    assert '"engine.u" is driven twice' in text and '"second.x"' in text and '"chassis.v"' in text


def test_a_constant_for_a_driven_input_is_refused():
    system = broken()
    system.add("second", integrator(), step=0.1)
    system.set("second.u", 0.0)
    system.connect("second.x", "engine.u")
    with pytest.raises(cp.SetupError, match=r'set\."engine\.u": is driven by "second\.x" already'):
        system.run(until=1.0)


def test_an_input_that_nothing_feeds_is_named():
    with pytest.raises(cp.SetupError, match=r'"chassis\.force" is not connected; connect it or set'):
        broken(force=False).run(until=1.0)


def test_all_problems_are_reported_at_once():
    system = broken(step=-1.0, force=False)
    system.connect("engin.x", "chassis.forc")
    with pytest.raises(cp.SetupError) as caught:
        system.run(until=-1.0, scheme="slowest")
    assert len(caught.value.problems) >= 5
    assert [str(p) for p in system.problems(until=-1.0, scheme="slowest")] == caught.value.problems


@pytest.mark.parametrize(
    ("scheme", "words"),
    [
        ("slowest", ['"slowest"', 'did you mean "slowest-first"']),
        (cp.sequential(["engine"]), ['"chassis" is missing']),
        (cp.sequential(["engine", "chassis", "engine"]), ['"engine" appears twice']),
        (cp.sequential(["engine", "chasis"]), ['"chasis"', 'did you mean "chassis"']),
        (
            cp.custom({"engine": ["chassis"], "chassis": ["engine"]}),
            ["wait for each other", '"engine" waits for "chassis"'],
        ),
        (cp.custom({"engine": ["wheel"]}), ['"wheel"']),
    ],
)
def test_a_scheme_that_cannot_be_is_explained(scheme, words):
    with pytest.raises(cp.SetupError) as caught:
        broken().run(until=1.0, scheme=scheme)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two"])
def test_threads_must_be_a_whole_number(threads):
    with pytest.raises(cp.SetupError, match="threads"):
        broken().run(until=1.0, threads=threads)


@pytest.mark.parametrize("name", ["", "a.b", " a", "engine"])
def test_a_name_must_be_a_new_word_without_dots(name):
    with pytest.raises(cp.SetupError, match="subsystems"):
        broken().add(name, integrator(), step=0.1)


def test_one_object_has_one_place():
    system = cp.System()
    model = integrator()
    system.add("a", model, step=0.1)
    with pytest.raises(cp.SetupError, match="same object"):
        system.add("b", model, step=0.1)


def test_what_is_not_a_subsystem_is_refused():
    with pytest.raises(cp.SetupError, match="dict is not a subsystem"):
        cp.System().add("a", {}, step=0.1)


@pytest.mark.parametrize(
    "change", [{"gain": math.nan}, {"offset": math.inf}, {"initial": math.nan}, {"gain": [1.0, 2.0]}]
)
def test_numbers_of_a_connection_are_checked(change):
    with pytest.raises(cp.SetupError, match=r"connections\[0\]\." + next(iter(change))):
        cp.System().connect("a.y", "b.u", **change)


@pytest.mark.parametrize("value", [math.nan, [1.0, 2.0, 3.0], "much"])
def test_a_constant_must_be_finite_and_of_the_right_shape(value):
    system = broken()
    system.set("chassis.force", value)
    with pytest.raises(cp.SetupError, match=r'set\."chassis\.force"'):
        system.run(until=1.0)


def test_wrong_options_are_listed_together_with_what_is_wrong_with_the_system():
    system = cp.System()
    system.add("a", cp.source(lambda t: t, outputs="y"), step=0.1)
    with pytest.raises(cp.SetupError) as caught:
        system.run(until=-1.0, threads=0, scheme="paralel")
    assert [problem.partition(":")[0] for problem in caught.value.problems] == ["threads", "until", "scheme"]


def test_a_run_needs_an_end():
    system = cp.System()
    system.add("a", cp.source(lambda t: t, outputs="y"), step=0.1)
    with pytest.raises(cp.SetupError, match="until: None; expected a finite time in s"):
        system.run(until=None)


def test_a_name_without_a_port_says_what_is_expected():
    system = cp.System("tank")
    system.add("tank", cp.linear([[-1.0]], [[1.0]], x0=[0.0], inputs="inflow", outputs="level"), step=0.1)
    system.connect("tank", "tank.inflow")
    with pytest.raises(cp.SetupError, match=r'"tank": names no output; expected subsystem\.output; .*"tank\.level"'):
        system.run(until=1.0)
