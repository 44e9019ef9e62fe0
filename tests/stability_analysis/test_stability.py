from dataclasses import replace

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.stability_analysis import Pattern, Prober, changing_pace, coupled_pair, largest_step, long_run, region

from .two_mass import two_mass


def test_modes_tell_what_happens_to_amplitude_and_phase():
    found = cp.stability(two_mass(40, cp.lagrange(3)), "fastest-first")
    fast = next(mode for mode in found.modes if mode.exact.imag > 1.0)
    result = two_mass(40, cp.lagrange(3)).run(until=100.0, scheme="fastest-first")
    x = result["fast.x"]
    late = np.max(np.abs(x.values[x.time > 98.0] - x.values[x.time > 98.0].mean()))
    assert fast.frequency == pytest.approx(1.0)
    assert fast.amplitude(100.0) == pytest.approx(9.287, rel=1e-3)
    assert late / 1.0 == pytest.approx(fast.amplitude(100.0), rel=0.25)  # the start has a shorter history


def test_a_growing_parasite_is_told_from_a_growing_motion():
    found = cp.stability(two_mass(60, cp.lagrange(3)), "parallel")
    assert found.parasitic_growth == pytest.approx(found.growth_rate)
    assert found.parasitic_growth > 0.05
    assert next(iter(found.causes())) == "fast.x across the cut"
    assert sum(share.share for share in found.shares) == pytest.approx(1.0)


def test_the_text_names_steps_growth_and_cause():
    text = str(cp.stability(two_mass(60, cp.lagrange(3)), "parallel"))
    for part in (
        "two masses, parallel",
        "slow 0.6 s",
        "unstable, grows tenfold in",
        "parasitic",
        "fast.x across the cut",
    ):
        assert part in text


def test_the_table_has_a_row_for_each_oscillation():
    table = cp.stability(two_mass(10, cp.lagrange(2))).table(span=100.0)
    assert sorted(table["frequency_Hz"].round(6)) == [0.1, 1.0]


def test_a_large_map_is_not_formed_and_gives_the_same_radius():
    system = two_mass(10, cp.mean())
    dense, sparse = cp.stability(system), cp.stability(system, largest_matrix=5)
    assert sparse.matrix is None
    assert sparse.radius == pytest.approx(dense.radius, abs=1e-9)


def chain(parts, masses):
    """A closed chain of equal masses with hardly any damping, cut into parts: many multipliers near 1."""
    system = cp.System("chain")
    places = np.arange(masses)
    for part in range(parts):
        a, b, c = np.zeros((2 * masses, 2 * masses)), np.zeros((2 * masses, 2)), np.zeros((2, 2 * masses))
        a[places, masses + places] = 1.0
        a[masses + places, places], a[masses + places, masses + places] = -81.0, -0.02
        a[masses + places[1:], places[:-1]] = a[masses + places[:-1], places[1:]] = 40.0
        b[masses, 0] = b[-1, 1] = 40.0
        c[0, 0] = c[1, masses - 1] = 1.0
        model = cp.linear(a, b, c, x0=[0.1] * 2 * masses, inputs=["left", "right"], outputs=["first", "last"])
        system.add(f"p{part}", model, step=0.02)
    for part in range(parts):
        system.connect(f"p{part - 1 if part else parts - 1}.last", f"p{part}.left", cp.lagrange(2))
        system.connect(f"p{(part + 1) % parts}.first", f"p{part}.right", cp.lagrange(2))
    return system


def test_multipliers_that_are_too_close_for_an_iteration_are_told_and_leave_the_growth():
    system = chain(4, 26)
    formed, found = (cp.stability(system, "parallel", largest_matrix=rows) for rows in (600, 20))
    assert formed.matrix is not None
    rows = len(formed.entries)
    assert f"did not converge on the map of {rows} rows" in found.remarks[-1]
    assert f"give largest_matrix={rows} to form it" in found.remarks[-1]
    assert found.growth_rate == pytest.approx(formed.growth_rate, abs=found.tolerance / found.period)


def test_grids_that_never_meet_are_analysed_by_a_long_run():
    near, apart = (cp.stability(two_mass(ratio, cp.lagrange(1)), "fastest-first") for ratio in (20.02, 20.0200002))
    assert apart.matrix is None
    assert "no common period" in apart.remarks[-1]
    assert apart.growth_rate == pytest.approx(near.growth_rate, rel=0.01)
    assert not apart.stable


def test_the_long_run_survives_an_overflow(caplog):
    found = long_run(cp.linearise(two_mass(90, cp.lagrange(3))), "parallel", steps=4000)
    assert found.growth_rate == pytest.approx(
        cp.stability(two_mass(90, cp.lagrange(3)), "parallel").growth_rate, rel=0.01
    )
    assert not caplog.records  # nobody's run has failed


def test_steps_grow_until_the_coupling_is_unstable():
    """Two first-order systems by Euler's rule, held and in parallel: 1 - h ± 3 i h has the size 1 at h = 0.2 s."""
    system = cp.System()
    for name, gain in (("a", 3.0), ("b", -3.0)):
        system.add(name, cp.linear([[-1]], [[gain]], x0=[1], inputs="u", outputs="x", solver="ode1"), step=0.1)
    system.connect("a.x", "b.u", cp.hold())
    system.connect("b.x", "a.u", cp.hold())
    assert largest_step(system, "parallel", accuracy=1e-7).factor == pytest.approx(2.0, rel=1e-6)
    one = largest_step(system, "parallel", only="a")
    assert one.steps["b"] == 0.1
    assert 1.0 < one.factor < 10.0


def test_a_step_limit_is_told_when_every_step_is_stable():
    system = cp.System()
    for name in "ab":
        system.add(name, cp.linear([[-1]], [[0.5]], x0=[1], inputs="u", outputs="x", solver="trapezoidal"), step=0.1)
    system.connect("a.x", "b.u", cp.hold())
    system.connect("b.x", "a.u", cp.hold())
    found = largest_step(system, "sequential", limits=(0.5, 4.0))
    assert found.factor == np.inf
    assert "stable up to 4 times" in str(found)


def test_an_unknown_subsystem_is_named():
    with pytest.raises(cp.SetupError, match='no subsystem "fats"; there are fast, slow'):
        largest_step(two_mass(5, cp.hold()), only="fats")


def test_a_constant_pattern_of_steps_is_the_map_of_fixed_steps():
    linear = cp.linearise(two_mass(5, cp.lagrange(2)))
    fixed = Prober(linear, "parallel").matrix()
    twice = Prober(linear, "parallel", pattern=Pattern((1.0, 1.0), (1.0, 1.0))).matrix()
    np.testing.assert_allclose(twice, fixed @ fixed, atol=1e-12)


def test_steps_that_alternate_can_grow_though_each_of_them_is_stable():
    system = cp.System()
    for name in "ab":
        system.add(name, cp.linear([[-2]], [[1]], x0=[1], inputs="u", outputs="x"), step=0.8)
    system.connect("a.x", "b.u", cp.lagrange(1))
    system.connect("b.x", "a.u", cp.lagrange(1))
    found = changing_pace(system, "parallel", factors=(0.5, 1.8))
    assert found.worst == (0.5, 1.8)
    assert not found.proven_stable
    assert str(found).startswith("worst when steps alternate between 0.5 and 1.8 times: ")
    gentle = changing_pace(system.halved(8), "parallel", factors=(1.0, 1.5))
    assert str(gentle).startswith(f"worst with {gentle.worst[0]:g} times the steps throughout: ")
    assert gentle.proven_stable
    assert max(gentle.growth.values()) < 0.0


def test_a_picture_of_the_multipliers_is_written(tmp_path):
    cp.stability(two_mass(5, cp.lagrange(1))).plot(tmp_path / "multipliers.png")
    assert (tmp_path / "multipliers.png").stat().st_size > 5000


def test_a_system_without_states_has_nothing_to_analyse():
    system = cp.System("clock")
    system.add("clock", cp.source(lambda t: t, outputs="t"), step=0.1)
    with pytest.raises(cp.SetupError, match='"clock" has no states'):
        cp.stability(system)


def test_unit_histories_are_no_signals_that_windows_are_reported_for():
    """A repeat changes what follows from one number of a history by any amount; the map is right all the same."""
    system = cp.System()
    for name, stiffness, step in (("a", 6.0, 0.01), ("b", 11.0, 0.02), ("c", 6.0, 0.05)):
        mass = cp.linear([[0, 1], [-stiffness, 0]], [[0], [5]], [[1, 0]], x0=[1, 0], inputs="u", outputs="x")
        system.add(name, mass, step=step)
    system.connect(["a.x", "c.x"], "b.u", cp.lagrange(1), law=lambda a, c: a + c)
    system.connect("b.x", "a.u", cp.lagrange(1))
    system.connect("b.x", "c.u", cp.lagrange(1))
    for window in ("repeat-once", cp.window(0.1, repeats=2)):
        assert not cp.stability(system, "parallel", window=window).radius > 1.1


def test_steps_that_change_are_analysed_without_windows():
    with pytest.raises(cp.SetupError, match="changing_pace: window: steps that change are analysed without windows"):
        changing_pace(two_mass(5, cp.lagrange(1)), "parallel", window="repeat-once")


def test_estimated_responses_have_no_map_of_a_period():
    with pytest.raises(cp.SetupError, match="estimated responses are fitted to earlier samples"):
        cp.stability(two_mass(5, cp.lagrange(1)), "parallel", window=cp.estimated_response())


def pair(first, second, solver="ode4"):
    """Two masses with damping between springs; the exact motions decay with 0.15 1/s."""
    system = cp.System("pair")
    for name, x0, step in (("left", 1.0, first), ("right", 0.0, second)):
        mass = cp.linear(
            [[0, 1], [-15, -0.3]], [[0], [5]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x", solver=solver
        )
        system.add(name, mass, step=step)
    system.connect("left.x", "right.u", cp.lagrange(2))
    system.connect("right.x", "left.u", cp.lagrange(2))
    return system


@pytest.mark.parametrize("factor", [1.0, 0.03, 0.003])
def test_a_long_run_is_long_enough_for_the_slowest_oscillation(factor):
    """5000 steps were less than a turn of it: "unstable", 1.2 1/s, for a decay with 0.15 1/s."""
    found = cp.stability(pair(factor * 1e-2 * 2**0.5, factor * 0.1))
    assert found.stable
    assert found.growth_rate == pytest.approx(-0.15, abs=0.005)
    assert "is known to" in found.remarks[-1]


def test_the_largest_step_of_grids_that_never_meet_is_found_by_long_runs():
    meeting, never = (
        largest_step(pair(step, 0.1), accuracy=0.02).factor for step in (1.5e-2, 1.5e-2 * 2.0001**0.5 / 2**0.5)
    )
    assert never == pytest.approx(meeting, rel=0.05)


@pytest.mark.parametrize("only", ["left", "right"])
def test_a_window_keeps_its_length_where_only_some_steps_change(only):
    window = cp.window(0.1, repeats=1)
    found = largest_step(pair(0.01, 0.1), only=only, window=window, limits=(0.25, 16.0), accuracy=0.02)
    assert found.factor > 1.0
    radius = cp.stability(pair(0.005, 0.1), window=window).radius if only == "left" else None
    assert radius is None or dict(found.tried)[0.5] == pytest.approx(radius, abs=1e-12)


def test_a_single_factor_is_the_growth_of_fixed_steps():
    found = changing_pace(pair(0.05, 0.1), "parallel", factors=(1.5,))
    fixed = cp.stability(pair(0.075, 0.15), "parallel")
    assert found.growth == {(1.5, 1.5): pytest.approx(fixed.growth_rate, abs=1e-9)}
    assert fixed.radius - 1e-9 <= found.bound < 1.01


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda s: cp.stability(s, pace=cp.pace.fixed(0.1)), r"stability: pace=.*; expected energy_correction, threads"),
        (lambda s: cp.stability(s, real_time=1.0), "stability: real_time=1.0: the wall clock does not change"),
        (lambda s: cp.stability(s, until=3.0), "stability: until=3.0: not an option of stability"),
        (lambda s: cp.stability(s, at=-1.0), "at: -1.0; expected a time of a run in s, from 0"),
        (lambda s: cp.stability(s, at=float("nan")), "at: nan; expected a time"),
        (lambda s: cp.stability(s, approximation="lagrange"), "approximation: 'lagrange'; expected an approximation"),
        (lambda s: cp.stability("plant.toml"), "'plant.toml'; expected a System"),
        (lambda s: cp.stability(cp.System("empty")), '"empty" has no subsystems'),
        (lambda s: cp.stability(s, largest_matrix="a"), "largest_matrix: 'a'; expected an integer"),
        (lambda s: changing_pace(s, factors=()), "factors: none are given"),
        (lambda s: changing_pace(s, factors=(0.0, 1.0)), "factors: 0.0; expected a positive number"),
        (lambda s: changing_pace(s, factors="1,2"), "factors: '1,2'; expected a positive number"),
        (lambda s: largest_step(s, span=0.0), "span: 0.0; expected a positive number"),
        (lambda s: largest_step(s, amplification=0.5), "amplification: 0.5; expected a number from 1"),
        (lambda s: largest_step(s, accuracy=0.0), "accuracy: 0.0; expected a positive number"),
        (lambda s: largest_step(s, limits=(4.0, 0.5)), r"limits: \(4.0, 0.5\); expected two positive factors"),
        (lambda s: region(lambda z: s, [], [1.0]), "real, imag: no points"),
        (lambda s: coupled_pair(1j, ratio=0), "ratio: 0; expected a positive number"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_told(ask, text):
    with pytest.raises(cp.SetupError, match=text):
        ask(pair(0.05, 0.1))


def test_a_time_may_have_a_unit():
    assert cp.stability(pair(0.05, 0.1), at="500 ms").radius == cp.stability(pair(0.05, 0.1), at=0.5).radius


def test_paces_that_choose_other_steps_are_told():
    system = pair(0.05, 0.1)
    assert cp.stability(system).remarks == ()
    system.subsystems["left"] = replace(system.subsystems["left"], pace=cp.pace.defect(1e-3))
    assert "left: its pace, defect, tolerance 0.001, chooses other steps than those given" in str(cp.stability(system))
