"""The verdict on runs whose error is known."""

import re
import typing
from types import SimpleNamespace

import numpy as np
import pytest

import counterpoint as cp
from counterpoint._run import second_run
from counterpoint._run.expected_time import expected_seconds, usual_seconds
from counterpoint._run.inner_solvers import inside
from counterpoint.quality.errors import relative_rms_error
from counterpoint.studies.two_mass.experiment import Case, Driver, build


def two_mass(frequency_ratio, scheme, order, **options):
    case = Case(frequency_ratio, scheme, order, driver=Driver.PRECEDENCE)
    result = build(case).run(until=100.0, scheme=scheme, first_steps="once", **options)
    x = result["fast.x1"]
    return result, relative_rms_error(x.values[1:], case.problem().exact(x.time[1:])[0])


def test_a_fast_motion_that_is_amplified_is_called_amplified_and_not_to_be_used():
    quality = two_mass(40, "fastest-first", 3)[0].quality
    assert quality.verdict == "do not use"
    assert re.search(r"near 0\.99\d Hz is amplified [4-9]", str(quality))
    assert 'reduce the step of "slow"' in quality.remedy
    assert quality.worst == "fast.x1 -> slow.x1"
    assert quality.span[1] == pytest.approx(100.0)


def test_a_fast_motion_that_is_gone_is_not_hidden_by_its_small_error():
    result, error = two_mass(70, "fastest-first", 3)
    assert error < 0.1
    assert result.quality.verdict == "do not use"
    assert "attenuated" in str(result.quality)


@pytest.mark.parametrize(
    ("frequency_ratio", "scheme", "order"),
    [(20, "slowest-first", 0), (10, "slowest-first", 1), (5, "parallel", 0), (40, "slowest-first", 0)],
)
def test_the_estimated_error_is_near_the_true_one(frequency_ratio, scheme, order):
    result, error = two_mass(frequency_ratio, scheme, order)
    assert result.quality.error == pytest.approx(error, rel=0.3)


def test_a_run_with_a_small_error_is_trustworthy():
    quality = two_mass(20, "slowest-first", 0)[0].quality
    assert quality.verdict == "trustworthy"
    assert quality.remedy == ""
    assert two_mass(20, "slowest-first", 0)[0].assess(1e-3).verdict == "do not use"


def test_without_a_second_run_nothing_is_called_trustworthy():
    quality = two_mass(5, "slowest-first", 2, check="off")[0].quality
    assert quality.verdict in ("cannot tell", "look here")
    assert "check='off'" in str(quality)


class Controller(cp.Subsystem):
    """A proportional controller that works at its sample times only."""

    inputs = ("position", "speed")
    outputs = ("force",)

    def start(self, t):
        self.force = 0.0
        self.calls = 0

    def step(self, t, t_end, u):
        position, speed = u(t)
        self.force = -4.0 * (position - 1.0) - 2.0 * speed
        self.calls += 1

    def output(self, t, u):
        return self.force


def controlled(controller):
    system = cp.System("controlled cart")
    system.add(
        "cart", cp.linear([[0, 1], [0, 0]], [[0], [1]], x0=[0, 0], inputs="force", outputs=["x", "v"]), step=1e-3
    )
    system.add("controller", controller, step=0.05)
    system.connect("cart.x", "controller.position")
    system.connect("cart.v", "controller.speed")
    system.connect("controller.force", "cart.force", cp.hold("behind"))
    return system


def test_holding_a_sampled_controller_is_its_meaning_and_no_defect():
    controller = Controller()
    result = controlled(controller).run(until=10.0)
    quality = result.quality
    assert quality.verdict == "trustworthy"
    assert "controller.force counts as sampled" in str(quality)
    held = quality.indicators.set_index("connection").loc["controller.force -> cart.force"]
    assert held["sampled"]
    assert np.isnan(held["defect"])
    assert controller.calls == 200  # the second run has worked on a copy


class Broken(Controller):
    def __deepcopy__(self, memo):
        raise TypeError("a socket cannot be copied")


def test_a_model_that_cannot_be_copied_is_left_alone_and_named():
    quality = controlled(Broken()).run(until=2.0).quality
    assert quality.verdict in ("cannot tell", "look here")
    assert "a socket cannot be copied" in str(quality)


def chain(first_steps="once"):
    """Three parts of a public network: left and right masses, and what is between them."""
    system = cp.System("network")
    for name, d, x in (("left", 1.0, 0.1), ("right", 2.0, 0.2)):
        model = cp.linear([[0, 1], [-0.1, -d / 10]], [[0], [0.1]], x0=[x, 0.1], inputs="F", outputs=["x", "v"])
        system.add(name, model, step=0.25)
    middle = cp.linear(
        [[0]], [[-1, -1]], [[1]], [[-2, -2]], x0=[1], inputs=["vl", "vr"], outputs=["F"],
    )  # fmt: skip
    system.add("middle", middle, step=0.25)
    system.connect("left.v", "middle.vl", cp.lagrange(2))
    system.connect("right.v", "middle.vr", cp.lagrange(2))
    system.connect("middle.F", "left.F", cp.lagrange(2))
    system.connect("middle.F", "right.F", cp.lagrange(2))
    return system.run(until=20.0, scheme=cp.sequential(["left", "right", "middle"]), first_steps=first_steps)


def test_an_error_made_at_the_start_is_named_and_repeating_the_first_steps_removes_it():
    quality = chain().assess(1e-3)
    assert quality.verdict != "trustworthy"
    assert "made in the first steps" in str(quality)
    assert 'first_steps="repeat"' in quality.remedy
    assert chain("repeat").assess(1e-3).error < 0.2 * quality.error


def test_steps_that_a_solver_chooses_are_divided_too():
    system = cp.System()
    fast = cp.ode(lambda t, x, u: [x[1], -40 * x[0] + 40 * u[0]], [1.0, 0.0], inputs="u", outputs=["x", "v"])
    slow = cp.linear([[0, 1], [-0.8, 0]], [[0], [0.4]], x0=[1, 0], inputs="u", outputs=["x", "v"])
    system.add("fast", fast)
    system.add("slow", slow, step=0.05)
    system.connect("fast.x", "slow.u", cp.lagrange(2))
    system.connect("slow.x", "fast.u", cp.lagrange(2))
    result = system.run(until=10.0)
    quality = result.quality
    assert quality.verdict == "trustworthy"
    assert quality.second.parts == 4
    assert len(quality.second.result["fast.x"]) > 3 * len(result["fast.x"])


def test_the_verdict_speaks_of_the_system_as_it_was_run():
    system = build(Case(40, "fastest-first", 3, driver=Driver.PRECEDENCE))
    result = system.run(until=100.0, scheme="fastest-first")
    system.subsystems.clear()
    system.connections.clear()
    assert result.quality.verdict == "do not use"


def test_what_a_caller_has_set_by_hand_is_not_repeated():
    system = cp.System()
    system.add("tank", cp.ode(lambda t, x, u: u - x, [0.0], inputs="flow", outputs="level"), step=0.1)
    system.set("tank.flow", 1.0)
    run = system.start(until=1.0)
    run.set("tank.flow", 2.0)
    run.step_to(1.0)
    assert run.finish().quality.verdict == "cannot tell"


def test_the_indicators_are_drawn_over_time(tmp_path):
    axes = two_mass(40, "fastest-first", 3)[0].plot_quality(tmp_path / "quality.png")
    assert [ax.get_title(loc="left").partition(" [")[0] for ax in axes] == [
        "estimated error of signals",
        "interface defect",
        "highest resolvable band",
    ]
    assert (tmp_path / "quality.png").stat().st_size > 10_000


def test_the_modes_of_the_linearised_system_tell_what_the_coupling_does_to_each():
    quality = two_mass(40, "fastest-first", 3)[0].quality
    fast, slow = quality.modes.sort_values("frequency", ascending=False).itertuples(index=False)
    assert fast.amplitude == pytest.approx(9.29, rel=0.01)
    assert slow.amplitude == pytest.approx(1.0, abs=1e-3)
    assert quality.margin < 0
    assert "linearised at its start, the mode at 1 Hz is amplified 9.3 times" in str(quality)
    good = two_mass(20, "slowest-first", 0)[0].quality
    assert good.modes.amplitude.tolist() == pytest.approx([1.0, 1.0], abs=1e-3)


def test_modes_alone_can_say_that_a_run_is_not_to_be_used():
    system = build(Case(40, "fastest-first", 3, driver=Driver.PRECEDENCE))
    system.subsystems["fast"].subsystem.repeatable = False
    quality = system.run(until=100.0, scheme="fastest-first").quality
    assert quality.verdict == "do not use"
    assert '"fast" is another program, which may not be started again' in str(quality)
    assert "the mode at 1 Hz is amplified 9.3 times" in str(quality)


def test_the_second_run_is_not_logged(caplog):
    with caplog.at_level("DEBUG", logger="counterpoint"):
        result = two_mass(5, "slowest-first", 1)[0]
        told = len(caplog.records)
        assert result.quality.verdict == "trustworthy"
    assert len(caplog.records) == told > 0


def test_the_violation_of_constraints_is_no_part_of_the_solution():
    result = cp.multibody.library.four_bar(1).run(until=0.5, step=1e-3)
    assert "four-bar.violation" in result.signals
    assert result.quality.verdict == "trustworthy"


def test_models_that_are_known_by_their_steps_only_are_not_tried_for_the_verdict():
    """Some hundred steps for each input would cost many times the run."""

    class Counted(cp.Subsystem):
        inputs = ("u",)
        outputs = ("y",)
        calls = 0

        def start(self, t):
            self.x = 0.0

        def step(self, t, t_end, u):
            Counted.calls += 1
            self.x += (t_end - t) * (u(t)[0] - self.x)
            return t_end

        def output(self, t, u):
            return [self.x]

        def linear_model(self, t, u, at=None):
            return None  # as an FMU without directional derivatives

    system = cp.System()
    for name in "ab":
        system.add(name, Counted(), step=0.1)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    result = system.run(until=1.0)
    made = Counted.calls
    assert result.quality.modes.empty
    assert Counted.calls - made <= 6 * made  # of the second runs, with a quarter and with half the steps


def test_a_large_system_is_not_probed_for_its_verdict(monkeypatch):
    """Arnoldi's method on the map of a period takes seconds from 60 states on: too long for a run of milliseconds."""
    from counterpoint.stability_analysis import analysis

    iterated = []
    monkeypatch.setattr(analysis, "_largest", iterated.append)
    system = cp.System("ring")
    for k in range(60):
        system.add(f"s{k}", cp.linear([[-1.0]], [[0.5]], [[1.0]], x0=[1.0 + k]), step=0.05 if k % 2 else 0.01)
    for k in range(60):
        system.connect(f"s{k}.y", f"s{(k + 1) % 60}.u")
    quality = system.run(until=1.0).quality
    assert quality.second.result is not None
    assert (quality.second.modes, iterated) == (None, [])


def test_an_event_behind_the_part_that_is_repeated_does_not_keep_the_error_from_being_estimated(monkeypatch):
    """Of a long run only the beginning is repeated."""
    monkeypatch.setattr(second_run.Checker, "_extent", lambda self, first: (2, 0.4))
    monkeypatch.setattr(second_run.Checker, "_has_time_for", lambda self, first, times: False)
    system = build(Case(5, "slowest-first", 1, driver=Driver.PRECEDENCE))
    system.at(80.0, "fast.x1 -> slow.x1", cp.events.scale(0.9))
    quality = system.run(until=100.0, scheme="slowest-first").quality
    assert quality.second.covered == pytest.approx(0.4)
    assert "failed" not in str(quality)


def end_of_a_chain(solver, step):
    """A wave that drives a wheel, from which nothing comes back."""
    system = cp.System("road and wheel")
    system.add("road", cp.source(lambda t: np.cos(0.7 * t), outputs="height"), step=0.01)
    wheel = cp.linear([[0, 1], [-25, -0.2]], [[0], [25]], [[1, 0]], x0=[1, 0], inputs="u", outputs="x", solver=solver)
    system.add("wheel", wheel, step=step)
    system.connect("road.height", "wheel.u")
    return system


def test_a_subsystem_that_sends_nothing_is_judged_by_its_outputs():
    unstable = end_of_a_chain("ode1", 0.2).run(until=10.0)
    assert np.abs(unstable["wheel.x"].values).max() > 1e3
    assert unstable.quality.verdict == "do not use"
    assert unstable.quality.worst == "wheel.x"
    assert 'the step of "wheel"' in unstable.quality.remedy
    assert end_of_a_chain("ode4", 0.05).run(until=10.0).quality.verdict == "trustworthy"


def hidden_motion(step):
    """Two parts that exchange slow signals; what is fast inside of one of them is an output that nothing reads."""
    system = cp.System("hidden motion")
    a = [[0, 1, 0, 0], [-4, -0.2, 0, 0], [0, 0, 0, 1], [400, 0, -400, -0.5]]
    carrier = cp.linear(
        a, [[0], [1], [0], [0]], [[1, 0, 0, 0], [0, 0, 1, 0]], x0=[1, 0, 0, 0], inputs="u", outputs=["x", "inner"]
    )
    system.add("carrier", carrier, step=step)
    system.add("lag", cp.linear([[-1.0]], [[1.0]], x0=[0.0], inputs="u", outputs="y"), step=step)
    system.connect("carrier.x", "lag.u", cp.lagrange(2))
    system.connect("lag.y", "carrier.u", cp.lagrange(2))
    return system


def test_an_output_that_nothing_reads_and_that_means_nothing_is_named():
    quality = hidden_motion(0.15).run(until=10.0).quality
    assert quality.error < 0.05
    assert quality.verdict == "look here"
    assert "carrier.inner, which nothing reads" in quality.reason
    assert 'the step of "carrier"' in quality.remedy
    assert hidden_motion(0.01).run(until=10.0).quality.verdict == "trustworthy"


def test_errors_of_outputs_that_nothing_reads_are_kept_with_the_run(tmp_path):
    quality = hidden_motion(0.15).run(until=10.0, file=tmp_path / "run.h5").quality
    again = cp.load(tmp_path / "run.h5").quality
    assert again.text == quality.text
    assert again.unread == quality.unread


def test_a_subsystem_with_a_pace_of_its_own_and_no_first_step_is_checked_too():
    system = cp.System("two masses")
    for name, x0 in (("left", 1.0), ("right", 0.0)):
        mass = cp.linear([[0, 1], [-15, -0.3]], [[0], [5]], x0=[x0, 0], inputs="u", outputs=["x", "v"])
        system.add(name, mass, **({"step": 0.02} if name == "left" else {"pace": cp.pace.defect(1e-3)}))
    system.connect("left.x", "right.u", cp.lagrange(2))
    system.connect("right.x", "left.u", cp.lagrange(2))
    assert system.run(until=10.0, scheme="parallel").quality.verdict == "trustworthy"


def test_a_run_that_ends_because_its_numbers_have_exploded_is_not_to_be_used():
    system = cp.System("two masses")
    for name, x0 in (("left", 1.0), ("right", 0.0)):
        mass = cp.ode(lambda t, x, u: [x[1], 40 * (u[0] - 2 * x[0])], [x0, 0], inputs="u", outputs=["x", "v"])
        system.add(name, mass, step=0.3)
    system.connect("left.x", "right.u", cp.lagrange(3))
    system.connect("right.x", "left.u", cp.lagrange(3))
    with pytest.raises(cp.SimulationError) as failed:
        system.run(until=1000.0, scheme="parallel")
    quality = failed.value.result.quality
    assert quality.verdict == "do not use"
    assert "has grown" in quality.reason
    assert "constant signal" not in quality.reason
    assert quality.remedy


def test_a_run_that_fails_without_growing_is_not_condemned():
    def fails(t, x, u):
        return [float("nan") if t > 5.0 else -x[0] + u[0]]

    system = cp.System("a model that fails")
    system.add("first", cp.ode(fails, [1.0], inputs="u", outputs="x", solver="ode4"), step=0.01)
    system.add("second", cp.linear([[-1.0]], [[0.5]], x0=[0.0], inputs="u", outputs="x"), step=0.01)
    system.connect("first.x", "second.u")
    system.connect("second.x", "first.u")
    with pytest.raises(cp.SimulationError) as failed:
        system.run(until=10.0)
    assert failed.value.result.quality.verdict in ("cannot tell", "look here")


class Ball(cp.Subsystem):
    """A falling ball whose steps end when it hits the ground, where its speed jumps."""

    outputs = ("height", "speed")
    stops_early = True
    next_step = staticmethod(lambda: 0.1)

    def start(self, t):
        self.height, self.speed, self.before = 1.0, 0.0, None

    def step(self, t, t_end, u):
        h, self.before = t_end - t, None
        if self.height + h * self.speed < 4.905 * h * h:
            h = (self.speed + (self.speed**2 + 19.62 * self.height) ** 0.5) / 9.81
            self.before = 0.0, self.speed - 9.81 * h
            self.height, self.speed = 0.0, 0.8 * (9.81 * h - self.speed)
            return t + h
        self.height, self.speed = self.height + h * self.speed - 4.905 * h * h, self.speed - 9.81 * h
        return None

    def output(self, t, u):
        return self.height, self.speed

    def output_before_event(self):
        return self.before


def test_both_sides_of_a_jump_are_no_error():
    system = cp.System("drop")
    system.add("ball", Ball())
    system.add("way", cp.ode(lambda t, x, speed: speed, [1.0], inputs="speed", outputs="height"), step=0.01)
    system.connect("ball.speed", "way.speed")
    quality = system.run(until=2.0).quality
    assert {one.signal: one.error < 1e-3 for one in quality.differences} == {"ball.speed": True, "way.height": True}
    assert quality.verdict == "trustworthy"


def test_what_is_lost_between_the_steps_of_a_model_without_inputs_is_an_error():
    def swing(t, x, u):
        return [x[1], -9.81 * np.sin(x[0])]

    def follow(t, x, u):
        return [*swing(t, x[:2], u), 3.0 * (x[0] - x[2])]

    system = cp.System("pendulum and its filter")
    system.add("pendulum", cp.ode(swing, [2.5, 0.0], outputs=["angle", "speed"], rtol=1e-6))
    system.add("filter", cp.linear([[-3.0]], [[3.0]], x0=[0.0], inputs="u", outputs="y"), step=0.005)
    system.connect("pendulum.angle", "filter.u", cp.lagrange(1))
    result = system.run(until=8.0)
    one = cp.System("both in one")
    one.add("both", cp.ode(follow, [2.5, 0.0, 0.0], outputs=["angle", "speed", "y"], rtol=1e-10, atol=1e-12))
    y, exact = result["filter.y"], one.run(until=8.0, check="off")["both.y"]
    true = np.std(y.values - exact.at(y.time)) / np.std(y.values)
    errors = {found.signal: found.error for found in result.quality.differences}
    assert errors["filter.y"] == pytest.approx(true, rel=0.5)


def aliased(step):
    """A hum of 50 Hz that its samples may not show."""
    system = cp.System("hum")
    system.add("hum", cp.source(lambda t: np.cos(2 * np.pi * 50 * t), outputs="y"), step=step)
    system.add("filter", cp.linear([[-5.0]], [[5.0]], x0=[0], inputs="u", outputs="y", solver="ode45"), step=step)
    system.connect("hum.y", "filter.u")
    return system.run(until=10.0)


def test_a_source_that_no_run_resolves_is_named():
    result = aliased(0.08)
    assert result["filter.y"].values[-1] > 0.9  # it takes the hum for a constant
    assert result.quality.verdict == "cannot tell"
    assert '"hum" changes faster' in result.quality.reason
    assert result.quality.remedy == 'reduce the step of "hum"'
    assert aliased(0.0005).quality.verdict == "trustworthy"


def test_fmus_that_keep_their_steps_inside_are_not_called_trustworthy(tmp_path):
    def run(inner):
        system = cp.System("two FMUs")
        for name, spring, x0 in (("left", 30.0, 1.0), ("right", 18.0, 0.0)):
            mass = cp.linear(
                [[0, 1], [-spring, -0.3]], [[0], [8]], x0=[x0, 0], inputs="u", outputs=["x", "v"], solver="ode1"
            )
            file = cp.export_fmu(mass, tmp_path / f"{name}-{inner:g}.fmu", version=2, step=inner)
            system.add(name, cp.fmu(file), step=0.02)
        system.connect("left.x", "right.u")
        system.connect("right.x", "left.u")
        return system.run(until=8.0, scheme="parallel").quality

    coarse = run(0.02)
    assert coarse.verdict == "cannot tell"
    assert "steps of their own" in coarse.reason
    fine = run(1e-4)
    assert 'the solvers inside "left", "right"' in fine.reason or fine.verdict != "trustworthy"
    assert fine.confidence != "high" or fine.verdict != "trustworthy"


def two_fmus_with_a_stiff_side(folder, rate, inner):
    """Two FMUs that integrate with explicit Euler inside; one of them has a motion of this rate, 1/s."""
    system = cp.System("two FMUs")
    stiff = cp.linear([[-rate]], [[rate]], [[1.0]], x0=[1.0], inputs="u", outputs="y", solver="ode1")
    slow = cp.linear([[-1.0]], [[0.5]], [[1.0]], x0=[0.5], inputs="u", outputs="y", solver="ode1")
    for name, model in (("stiff", stiff), ("slow", slow)):
        file = cp.export_fmu(model, folder / f"{name}-{rate:g}.fmu", version=3, step=inner)
        system.add(name, cp.fmu(file), step=0.04)
    system.connect("stiff.y", "slow.u", cp.lagrange(1))
    system.connect("slow.y", "stiff.u", cp.lagrange(1))
    return system.run(until=4.0)


def test_fmus_whose_solver_inside_is_unstable_are_not_called_trustworthy(tmp_path):
    """Euler with 10 ms and 205 per second: a factor of -1.05 per inner step, whatever the communication step is."""
    quality = two_fmus_with_a_stiff_side(tmp_path, 205.0, 0.01).quality
    assert quality.verdict in ("cannot tell", "do not use")
    fine = two_fmus_with_a_stiff_side(tmp_path, 20.0, 0.0005).assess(0.2)
    assert fine.verdict == "trustworthy"
    assert 'the solvers inside "stiff", "slow" were not examined' in fine.reason


class Box:
    """A black box that tells its derivatives and the step of its solver."""

    input_widths: typing.ClassVar = {"u": 1}

    def __init__(self, rates, inner_step):
        self.inner_step = inner_step
        self.linear_model = lambda t, u, x=None: SimpleNamespace(A=np.array(rates, dtype=float))


@pytest.mark.parametrize(
    ("rates", "step", "unstable", "words"),
    [
        ([[-300.0]], 0.01, True, "any explicit Runge-Kutta rule up to order 4 inside"),
        ([[0.0, 1.0], [-39.5, 0.0]], 0.01, False, "explicit Euler inside \"box\" would amplify its motion near 1 Hz"),
        ([[0.0, 1.0], [-39.5, -0.8]], 1e-4, False, ""),
        ([[2.0]], 0.01, False, ""),  # a model that grows by itself
        ([[-300.0]], None, False, ""),
    ],
)  # fmt: skip
def test_a_declared_inner_step_that_does_not_suit_the_motions_of_an_fmu_is_named(rates, step, unstable, words):
    system = SimpleNamespace(subsystems={"box": SimpleNamespace(subsystem=Box(rates, step))})
    found = inside(system, 10.0)
    assert found.unstable == (("box",) if unstable else ())
    assert words in found.text
    assert bool(words) == bool(found.text)


def test_how_long_a_run_takes_again_follows_from_its_work_not_from_how_busy_the_machine_was():
    system = build(Case(5, "slowest-first", 1, driver=Driver.PRECEDENCE))
    result = system.run(until=100.0, scheme="slowest-first", check="off")
    usual = usual_seconds(system, result)

    def expected(wall):
        return expected_seconds(system, SimpleNamespace(
            wall_seconds=wall, summary=result.summary, subsystems=result.subsystems
        ))  # fmt: skip

    assert expected(0.1 * usual) == expected(5 * usual) == usual
    assert expected(50 * usual) == 50 * usual  # its models are slower than usual


def test_where_there_is_no_time_for_trials_the_text_says_so(monkeypatch):
    monkeypatch.setattr(second_run, "LATE", 0.0)
    quality = build(Case(40, "fastest-first", 3, driver=Driver.PRECEDENCE)).run(
        until=100.0, scheme="fastest-first"
    ).quality  # fmt: skip
    assert quality.verdict == "do not use"
    assert "not tried" in quality.remedy


class _SaysItsStepIsLong(cp.Subsystem):
    outputs = ("y",)

    def start(self, t):
        self.y = 0.0

    def step(self, t, t_end, u):
        self.y = float(t_end - t > 0.09)
        return t_end

    def output(self, t, u):
        return [self.y]


def test_an_error_of_a_signal_that_should_be_zero_is_not_an_infinite_percentage():
    system = cp.System("alone")
    system.add("relay", _SaysItsStepIsLong(), step=0.1)
    told = str(system.run(until=1.0, check="on").quality)
    assert "its error is more than 1000 %" in told
    assert "inf" not in told
