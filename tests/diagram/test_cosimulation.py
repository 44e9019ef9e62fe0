"""The co-simulation block: what is stored, who is advanced when, and what happens to attempts that do not count."""

import math
from itertools import pairwise

import numpy as np
import pytest

import counterpoint as cp


class Recorded(cp.Subsystem):
    """x' = u by Euler; notes every step it is asked to make."""

    inputs = ("u",)
    outputs = ("x",)

    def __init__(self, x0=0.0):
        self.x0 = x0
        self.steps = []

    def start(self, t):
        self.x, self.steps = self.x0, []

    def step(self, t, t_end, u):
        self.steps.append((t, t_end))
        self.x += (t_end - t) * u(t)[0]

    def output(self, t, u):
        return self.x


class Restorable(Recorded):
    def __init__(self, x0=0.0):
        super().__init__(x0)
        self.restored = 0

    def save(self):
        return self.x, list(self.steps)

    def restore(self, state):
        self.restored += 1
        self.x, self.steps = state[0], list(state[1])


def others(external, step=0.1, order=1, inputs=("u",), outputs=("y",)):
    system = cp.System("others")
    system.add_host("diagram", inputs=inputs, outputs=outputs)
    system.add("other", external, step=step)
    system.connect("diagram.y", "other.u", cp.lagrange(order))
    system.connect("other.x", "diagram.u", cp.lagrange(order))
    return system


def pulse_driven(external, *, step=0.1, solver="ode45", scheme="slowest-first", **options):
    """A stiff answer to a jump at t = 0.5: a solver of variable step has to try again there."""
    model = cp.Diagram("master", solver=solver, **options)
    x = model.integrator(initial=0.0, name="x")
    block = model.cosimulation(others(external, step), x, scheme=scheme, name="coupled")
    x.connect(200.0 * (model.step(0.5) - x) + 0.1 * block["u"])
    model.output("x", x)
    return model, block


def is_unbroken(steps):
    return all(before[1] == pytest.approx(after[0]) for before, after in pairwise(steps))


@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first"])
def test_what_was_done_for_a_rejected_attempt_is_taken_back(scheme):
    external = Restorable()
    model, _ = pulse_driven(external, step=0.004, scheme=scheme, rtol=1e-6, atol=1e-9)
    model.run(until=1.0, step=1.0)
    assert external.restored > 0
    assert is_unbroken(external.steps)
    assert len(external.steps) == pytest.approx(250, abs=1)


@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first"])
def test_a_subsystem_that_cannot_save_never_makes_a_step_twice(scheme):
    external = Recorded()
    model, _ = pulse_driven(external, step=0.004, scheme=scheme, rtol=1e-6, atol=1e-9)
    x = model.run(until=1.0, step=1.0)["master.x"].values
    assert is_unbroken(external.steps)
    assert len(external.steps) == pytest.approx(250, abs=2)
    twin, _ = pulse_driven(Restorable(), step=0.004, scheme=scheme, rtol=1e-6, atol=1e-9)
    # What is extrapolated over one step instead of interpolated: u' h = 1 x 0.01 at most, a 2000th of it in x.
    assert x[-1] == pytest.approx(twin.run(until=1.0, step=1.0)["master.x"].values[-1], abs=1e-5)


def test_on_common_grids_it_makes_no_difference_whether_the_others_can_save():
    """They advance at an accepted time or at the first stage after it, with the same data."""
    results = []
    for external in (Recorded(1.0), Restorable(1.0)):
        model = cp.Diagram("master")
        x = model.integrator(initial=1.0, name="x")
        block = model.cosimulation(others(external), x)
        x.connect(-3.0 * block["u"])
        model.output("x", x)
        # A crossing that never comes: attempts are tentative all the same.
        model.output("z", model.integrator(1.0, reset=model.integrator(1.0, initial=1.0)))
        results.append(model.run(until=2.0, step=0.02)["master.x"].values)
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("solver", ["ode4", "ode45"])
@pytest.mark.parametrize("saves", [True, False])
def test_steps_that_are_split_by_an_event_advance_the_others_once(solver, saves):
    external = Restorable() if saves else Recorded()
    model = cp.Diagram("master", solver=solver)
    swing = model.sine(7.0, name="swing")
    block = model.cosimulation(others(external, 0.013), swing, name="coupled")
    since = model.integrator(1.0, reset=swing, name="since")
    model.output("since", since)
    model.output("u", block["u"])
    result = model.run(until=3.0, step=0.05)
    last_rise = math.floor(3.0 * 7.0 / (2 * math.pi)) * 2 * math.pi / 7.0
    assert result["master.since"].values[-1] == pytest.approx(3.0 - last_rise, abs=1e-8)
    assert is_unbroken(external.steps)
    assert len(external.steps) == pytest.approx(3.0 / 0.013, abs=2)


def test_an_interface_that_is_restored_gives_the_same_bits():
    def walk(interface, detour):
        values = []
        for k in range(60):
            t, y = 0.03 * k, math.cos(0.03 * k)
            values += interface.evaluate(t, [y], True)
            if detour:
                state = interface.save()
                for ahead in (0.01, 0.2, 0.9):
                    interface.evaluate(t + ahead, [99.0], False)
                interface.restore(state)
            values += interface.evaluate(t + 0.02, [0.0], False)
        return values

    for scheme in ("slowest-first", "fastest-first"):
        slow = [cp.linear([[-1.0]], [[1.0]], x0=[1.0], outputs="x", solver="trapezoidal") for _ in range(2)]
        plain, busy = (others(model, order=3).embed("diagram", scheme) for model in slow)
        assert walk(plain, detour=False) == walk(busy, detour=True)


def test_an_interface_whose_subsystem_cannot_save_says_which():
    with pytest.raises(cp.SetupError, match='"other" cannot save'):
        others(Recorded()).embed("diagram").save()


def test_accepted_only_leaves_the_others_where_the_host_has_been():
    interface = others(Recorded(), step=0.5).embed("diagram")
    interface.evaluate(0.0, [1.0], True)
    interface.evaluate(0.4, [0.0], False, accepted_only=True)
    assert interface.time("other") == 0.5  # from t = 0 on: what it needs is known
    interface.evaluate(3.0, [0.0], False, accepted_only=True)
    assert interface.time("other") == 0.5
    interface.evaluate(0.7, [1.0], True)
    assert interface.time("other") == 1.0


def test_a_signal_that_jumps_at_an_event_is_stored_as_it_is_after_it():
    """A saw-tooth: at the reset the block is evaluated before and after the jump."""
    system = cp.System("others")
    system.add_host("diagram", inputs=["u"], outputs=["y"])
    system.add("other", cp.linear([[0.0]], [[1.0]], x0=[0.0], outputs="x", solver="ode4"), step=0.1)
    system.connect("diagram.y", "other.u", cp.lagrange(0))
    system.connect("other.x", "diagram.u", cp.lagrange(1))
    model = cp.Diagram("master")
    clock = model.integrator(1.0, initial=-0.55, name="clock")
    tooth = model.integrator(1.0, reset=clock, name="tooth")
    block = model.cosimulation(system, tooth, scheme="fastest-first", name="coupled")
    model.output("u", block["u"])
    model.run(until=1.0, step=0.1)
    stored = block.result()["diagram.y"]
    at_event = np.argmin(np.abs(stored.time - 0.55))
    assert stored.values[at_event] == pytest.approx(0.0, abs=1e-9)


def loop(direct):
    model = cp.Diagram("master")
    total = model.sum(signs="++", name="total")
    block = model.cosimulation(
        others(cp.linear([[-1.0]], [[1.0]], x0=[1.0], outputs="x")), total, direct=direct, name="coupled"
    )
    total.connect(model.sine(1.0), block["u"])
    model.output("total", total)
    return model


def test_an_algebraic_loop_through_the_block_is_named_with_its_remedy():
    with pytest.raises(cp.SetupError, match=r"algebraic loop: .*coupled.*direct = False"):
        loop(direct=True).run(until=1.0, step=0.01)


def test_without_direct_feedthrough_there_is_no_loop():
    # x' = -x + sin t + x: x = 2 - cos t, and the sum is x + sin t.
    total = loop(direct=False).run(until=1.0, step=0.001)["master.total"].values[-1]
    # Straight lines over 0.1 s on a signal with curvature 1: 0.1^2 / 2 a second.
    assert total == pytest.approx(2.0 - math.cos(1.0) + math.sin(1.0), abs=1e-2)


def test_direct_or_not_is_a_matter_of_one_sample():
    answers = []
    for direct in (True, False):
        model = cp.Diagram("master")
        block = model.cosimulation(
            others(cp.linear([[-1.0]], [[1.0]], x0=[1.0], outputs="x")), model.sine(1.0), direct=direct
        )
        model.output("u", block["u"])
        answers.append(model.run(until=1.0, step=0.01)["master.u"].values)
    np.testing.assert_allclose(*answers, atol=1e-2)


def test_vectors_pass_and_scalars_serve_every_component():
    system = cp.System("others")
    system.add_host("diagram", inputs={"u": 2}, outputs={"y": 2, "z": 2})
    matrix = [[0.0, 0.0], [0.0, 0.0]]
    identity = [[1.0, 0.0], [0.0, 1.0]]
    for name in ("one", "two"):
        system.add(name, cp.linear(matrix, identity, x0=[0.0, 0.0], inputs={"u": 2}, outputs={"x": 2}), step=0.1)
    system.connect("diagram.y", "one.u")
    system.connect("diagram.z", "two.u")
    system.connect(["one.x", "two.x"], "diagram.u", gain=[1.0, 10.0])
    model = cp.Diagram("master")
    block = model.cosimulation(system, [1.0, 2.0], z=3.0)
    model.output("u", block["u"])
    result = model.run(until=1.0, step=0.05)
    np.testing.assert_allclose([result["master.u[0]"].values[-1], result["master.u[1]"].values[-1]], [31.0, 32.0])


def test_a_width_that_does_not_fit_names_both_ends():
    system = cp.System("others")
    system.add_host("diagram", inputs=[], outputs={"y": 2})
    model = cp.Diagram("master")
    model.cosimulation(system, model.constant([1.0, 2.0, 3.0], name="three"), name="coupled")
    model.output("t", 1.0)
    with pytest.raises(cp.SetupError, match=r'coupled: .*"y" has width 2.*three\.y.*width 3'):
        model.run(until=1.0, step=0.1)


def failing(error):
    class Failing(Recorded):
        def step(self, t, t_end, u):
            if t > 0.35:
                raise error
            super().step(t, t_end, u)

    model = cp.Diagram("master")
    block = model.cosimulation(others(Failing()), model.sine(1.0), name="coupled")
    model.output("u", block["u"])
    return model


def test_an_exception_inside_names_diagram_block_subsystem_and_times():
    with pytest.raises(cp.SimulationError) as caught:
        failing(OverflowError("too full")).run(until=1.0, step=0.05)
    text = str(caught.value)
    for part in ("master", '"coupled"', '"other"', "t = 0.4 s to 0.5 s", "OverflowError: too full"):
        assert part in text, text
    assert "Traceback" not in text


def test_not_a_number_inside_names_the_output():
    external = cp.ode(lambda t, x, u: [math.nan if t > 0.4 else 0.0], [0.0], inputs="u", outputs="x", solver="ode1")
    model = cp.Diagram("master")
    block = model.cosimulation(others(external), model.sine(1.0), name="coupled")
    model.output("u", block["u"])
    with pytest.raises(cp.SimulationError, match=r'"coupled".*"other".*(output "x" is NaN|nan|NaN)'):
        model.run(until=1.0, step=0.05)


def test_results_of_the_others_are_there_after_the_run_and_belong_to_the_latest():
    model, block = pulse_driven(Restorable(), solver="ode4")
    with pytest.raises(cp.SetupError, match="has not run yet"):
        block.result()
    for until in (1.0, 0.5):
        model.run(until=until, step=0.05)
        result = block.result()
        assert result["other.x"].time[-1] == pytest.approx(until)
        assert result["diagram.y"].time[-1] == pytest.approx(until)
        assert len(result["diagram.y"].time) == round(until / 0.05) + 1
        assert block.result()["other.x"].values.tolist() == result["other.x"].values.tolist()


def test_a_superblock_that_is_used_twice_has_two_results():
    inner = cp.Diagram("inner")
    block = inner.cosimulation(others(cp.linear([[0.0]], [[1.0]], x0=[0.0], outputs="x")), inner.input("y"))
    inner.output("u", block["u"])
    model = cp.Diagram("master")
    for k in (1, 2):
        model.output(f"u{k}", model.superblock(inner, model.constant(float(k)), name=f"copy{k}"))
    model.run(until=1.0, step=0.1)
    assert [result["other.x"].values[-1] for result in block.results()] == pytest.approx([1.0, 2.0])


def test_a_start_time_is_respected():
    model = cp.Diagram("master")
    block = model.cosimulation(others(cp.linear([[0.0]], [[1.0]], x0=[0.0], outputs="x")), 1.0)
    model.output("u", block["u"])
    system = cp.System()
    system.add("master", model, step=0.1)
    result = system.run(until=1001.0, start=1000.0)
    np.testing.assert_allclose(result["master.u"].values, np.linspace(0.0, 1.0, 11), atol=1e-9)


@pytest.mark.parametrize("hosts", [[], ["one", "two"]])
def test_a_system_without_a_clear_host_is_refused(hosts):
    system = cp.System("others")
    for host in hosts:
        system.add_host(host, inputs=[], outputs=["y"])
    with pytest.raises(cp.SetupError, match=f"has {len(hosts)} hosts"):
        cp.Diagram("master").cosimulation(system)


def test_an_unknown_host_is_answered_with_a_hint():
    with pytest.raises(cp.SetupError, match='did you mean "diagram"'):
        cp.Diagram("master").cosimulation(others(Recorded()), host="diagramm")


def test_a_mistake_in_the_system_is_found_when_the_block_is_made():
    system = others(Recorded())
    system.connect("other.z", "diagram.u")
    with pytest.raises(cp.SetupError, match=r'diagram "master": cosimulation "coupled".*"z"'):
        cp.Diagram("master").cosimulation(system, name="coupled")


def oscillator(name, **options):
    model = cp.Diagram(name, **options)
    x = model.integrator(initial=1.0, name="x")
    x.connect(model.input("u") - x)
    model.output("x", x)
    return model, x


def test_a_diagram_with_a_block_can_itself_be_inside_a_block():
    """Three levels; the outer solver has variable steps, so the middle ones are saved and restored with all they hold."""

    def run(solver, **options):
        middle, x = oscillator("middle")
        inner = middle.cosimulation(others(cp.linear([[-2.0]], [[1.0]], x0=[0.5], outputs="x"), 0.02, order=3), x)
        middle.output("w", inner["u"])
        outer = cp.Diagram("outer", solver=solver, **options)
        v = outer.integrator(initial=0.0, name="v")
        system = others(middle, 0.01, order=3)
        assert system.subsystems["other"].subsystem.can_save
        block = outer.cosimulation(system, v, name="coupled")
        v.connect(50.0 * (outer.step(0.303) - v) + block["u"])
        outer.output("v", v)
        return outer.run(until=1.0, step=1e-3 if solver == "ode4" else 0.25)["outer.v"].values[-1]

    # ode45 at 1e-8 keeps the jump's answer to 1e-6; the middle's polynomials over 0.01 s add less.
    assert run("ode45", rtol=1e-8, atol=1e-10) == pytest.approx(run("ode4"), abs=2e-5)


def test_a_diagram_that_holds_a_model_without_save_cannot_save_either():
    model = cp.Diagram("master")
    model.output("u", model.cosimulation(others(Recorded()), 1.0)["u"])
    assert not model.subsystem().can_save


def test_a_diagram_inside_can_end_the_run():
    inside = cp.Diagram("inside")
    x = inside.integrator(1.0, name="x")
    x_and_u = x + 0.0 * inside.input("u")
    inside.stop(x - 0.35)
    inside.output("x", x_and_u)
    model = cp.Diagram("master")
    block = model.cosimulation(others(inside, 0.1), 1.0, name="coupled")
    model.output("u", block["u"])
    result = model.run(until=1.0, step=0.05)
    assert result.status == "finished"
    assert "ended the run" in result.message
    assert 0.3 <= result["master.u"].time[-1] <= 0.5


@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first"])
def test_microseconds_at_epoch_times_are_all_made(scheme):
    """Times there are 0.24 µs apart; what is one time must stay below a step."""
    start, step, count = 1.7e9, 2e-6, 200
    external = Recorded()
    model = cp.Diagram("master", solver="ode4")
    block = model.cosimulation(others(external, step), model.constant(1.0), scheme=scheme)
    model.output("x", model.gain(1.0, block["u"]))
    model.run(start=start, until=start + count * step, step=step)
    assert abs(len(external.steps) - count) <= 1
    assert is_unbroken(external.steps)
    np.testing.assert_allclose(np.diff(external.steps), step, atol=2.0 * math.ulp(start))


def test_a_step_below_the_resolution_of_time_is_refused_with_the_numbers():
    model = cp.Diagram("master", solver="ode4")
    block = model.cosimulation(others(Recorded(), 1e-7), model.constant(1.0))
    model.output("x", model.gain(1.0, block["u"]))
    with pytest.raises(
        cp.CounterpointError, match=r'subsystem "other": its step of 1e-07 s is too small at t = 17000000'
    ):
        model.run(start=1.7e9, until=1.7e9 + 1.0, step=0.1)


def test_a_start_at_a_late_time_leaves_no_trace_in_the_next_run():
    external = Recorded()
    model = cp.Diagram("master", solver="ode4")
    block = model.cosimulation(others(external, 1e-3), model.constant(1.0))
    model.output("x", model.gain(1.0, block["u"]))
    model.run(start=1e12, until=1e12 + 1.0, step=0.1)
    model.run(until=0.1, step=1e-3)
    assert len(external.steps) == 100


# The time as an input


def timed(make_time, **options):
    """Return a block whose other side integrates what it is given, at times made by `make_time`."""
    model = cp.Diagram("master")
    block = model.cosimulation(
        others(Recorded(), **options), model.clock(), time=make_time(model), scheme="fastest-first", name="coupled"
    )
    model.output("u", block["u"])
    return model, block


def test_time_behind_a_memory_is_that_of_the_step_before():
    model, block = timed(lambda model: model.memory(model.clock()), order=0, step=0.1)
    model.run(until=1.0, step=0.1)
    stored = block.result()["diagram.y"]
    # The clock, too, would pass a memory in a model; here it shows which time each sample was stored under.
    assert stored.time == pytest.approx(np.arange(10) * 0.1)
    assert stored.values[-1] == pytest.approx(1.0)


def test_the_clock_as_time_changes_no_bit():
    plain = cp.Diagram("master")
    block = plain.cosimulation(others(Recorded()), plain.clock(), scheme="fastest-first", name="coupled")
    plain.output("u", block["u"])
    model, _ = timed(lambda model: model.clock())
    expected, found = (each.run(until=2.0, step=0.01)["master.u"].values for each in (plain, model))
    assert np.array_equal(expected, found)


def test_time_that_goes_back_is_refused_with_block_and_time():
    model, _ = timed(lambda model: model.expression("t*(1 - t)", t=model.clock()))
    with pytest.raises(cp.SimulationError, match=r"coupled.*it lies before the last one"):
        model.run(until=1.0, step=0.1)


def test_a_time_of_several_numbers_is_refused():
    with pytest.raises(cp.SetupError, match="the time is one number"):
        timed(lambda model: model.constant([0.0, 1.0]))[0].run(until=1.0, step=0.1)


def test_a_host_output_named_time_does_not_go_with_the_time_port():
    model = cp.Diagram("master")
    system = cp.System("others")
    system.add_host("diagram", inputs=["u"], outputs=["time"])
    system.add("other", Recorded(), step=0.1)
    system.connect("diagram.time", "other.u")
    system.connect("other.x", "diagram.u")
    with pytest.raises(cp.SetupError, match='"time" of host "diagram" has the name of the time port'):
        model.cosimulation(system, model.clock(), time=model.clock())
