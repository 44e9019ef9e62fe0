"""Windows that are iterated until they agree: acceleration, convergence over the whole window, what is done without it."""

import math
import warnings

import numpy as np
import pytest

import counterpoint as cp


def spring_between(stiffness, step, solver="ode4", approximation=None, steps=None):
    """Two masses of 1 kg, each with a spring to the wall, that exchange their positions."""
    system = cp.System("pair")
    for k, (name, x0) in enumerate((("a", 1.0), ("b", 0.0))):
        mass = cp.linear(
            [[0, 1], [-1 - stiffness, 0]], [[0], [stiffness]], x0=[x0, 0], inputs="u", outputs=["x", "v"], solver=solver
        )
        system.add(name, mass, step=step if steps is None else steps[k])
    system.connect("a.x", "b.u", approximation)
    system.connect("b.x", "a.u", approximation)
    return system


def force_on_mass(stiffness, step, rate=20.0):
    """A mass and a spring with a damper in series, which gets the position and returns the force: a pass multiplies an
    error by stiffness step² / 4 and more, so that plain repeats diverge."""
    system = cp.System("stiff")
    mass = cp.linear([[0, 1], [-1, -0.1]], [[0], [1]], x0=[1, 0], inputs="f", outputs=["x", "v"], solver="trapezoidal")
    spring = cp.linear([[-rate]], [[rate]], [[-stiffness]], x0=[1], inputs="x", outputs="f", solver="trapezoidal")
    system.add("mass", mass, step=step)
    system.add("spring", spring, step=step)
    system.connect("mass.x", "spring.x", cp.lagrange(1))
    system.connect("spring.f", "mass.f", cp.lagrange(1))
    return system


def implicit(stiffness, step, count, rate=20.0):
    """The trapezoidal rule on the whole of `force_on_mass`."""
    matrix = np.array([[0, 1, 0], [-1, -0.1, -stiffness], [rate, 0, -rate]])
    one = np.linalg.solve(np.eye(3) - 0.5 * step * matrix, np.eye(3) + 0.5 * step * matrix)
    return np.linalg.matrix_power(one, count) @ [1.0, 0.0, 1.0]


def passes(result):
    return result.summary.windows.passes / result.summary.windows.count


# --- acceleration ---------------------------------------------------------------------------------------------------

DIVERGING = [
    (stiffness, step, scheme)
    for stiffness, step in ((20.0, 1.0), (60.0, 0.5), (200.0, 0.5), (1000.0, 0.2), (1000.0, 1.0))
    for scheme in ("parallel", "sequential")
]


@pytest.mark.parametrize(("stiffness", "step", "scheme"), DIVERGING)
def test_iqn_ils_converges_where_plain_repeats_diverge(stiffness, step, scheme):
    count = 40
    plain = cp.window(step, repeats=30, tolerance=1e-9, when_not_converged="stop")
    with pytest.raises((cp.SolverError, cp.NotFiniteError)):
        force_on_mass(stiffness, step).run(until=count * step, scheme=scheme, window=plain)
    window = cp.window(step, tolerance=1e-10, acceleration="iqn-ils")
    result = force_on_mass(stiffness, step).run(until=count * step, scheme=scheme, window=window)
    assert result.summary.windows.not_converged == 0
    assert result["mass.x"].values[-1] == pytest.approx(implicit(stiffness, step, count)[0], abs=1e-6)
    assert passes(result) < 7


@pytest.mark.parametrize("acceleration", ["anderson", "newton"])
def test_other_accelerations_converge_to_the_same(acceleration):
    window = cp.window(0.5, tolerance=1e-10, acceleration=acceleration)
    result = force_on_mass(60.0, 0.5).run(until=20.0, scheme="parallel", window=window)
    assert result.summary.windows.not_converged == 0
    assert result["mass.x"].values[-1] == pytest.approx(implicit(60.0, 0.5, 40)[0], abs=1e-6)


def test_derivatives_of_the_models_take_the_place_of_passes_to_measure_them():
    """The systems are linear, so that one Newton step solves a window up to what powers of time and the midpoint rule
    leave: passes one and two find the residual, the third takes the step, and few more confirm it."""
    for stiffness, step, scheme in DIVERGING:
        system = force_on_mass(stiffness, step)
        window = cp.window(step, tolerance=1e-10, acceleration="newton", derivatives=cp.linearise(system))
        result = system.run(until=step, scheme=scheme, window=window)
        assert result.summary.windows.not_converged == 0
        assert result["mass.x"].values[-1] == pytest.approx(implicit(stiffness, step, 1)[0], abs=1e-8)
        assert passes(result) <= 5, (stiffness, step, scheme)


@pytest.mark.parametrize("scheme", ["parallel", "slowest-first"])
@pytest.mark.parametrize("approximation", [cp.lagrange(1), cp.lagrange(3), cp.hermite()], ids=str)
def test_newton_with_derivatives_of_models_converges_to_the_same_in_fewer_passes(scheme, approximation):
    runs = {}
    for name in ("none", "newton"):
        system = spring_between(5.0, 0.02, approximation=approximation)
        derivatives = cp.linearise(system) if name == "newton" else None
        window = cp.window(1.0, tolerance=1e-9, acceleration=name, derivatives=derivatives)
        runs[name] = system.run(until=10.0, scheme=scheme, window=window)
    assert runs["newton"]["a.x"].values[-1] == pytest.approx(runs["none"]["a.x"].values[-1], abs=1e-7)
    assert passes(runs["newton"]) < min(3.7, passes(runs["none"]))


def test_newton_takes_derivatives_of_mechanisms_and_functions():
    """A pendulum whose torque is a stiff spring to an inertia: both tell their derivatives at the start."""

    def coupled():
        pendulum = cp.multibody.Mechanism("pendulum", dimension=2)
        pendulum.point("O", (0, 0), fixed=True)
        pendulum.point("A", (0.1, -1.0))
        pendulum.body("rod", points=["O", "A"], mass=1.0)
        pendulum.angle("turn", "rod")
        pendulum.actuator("motor", "turn", force="input:torque")
        pendulum.output("angle", "turn")

        def inertia(t, x, u):
            return [x[1], 400.0 * (u[0] + math.pi / 2 - x[0])]

        spring = cp.ode(inertia, [0.0, 0.0], inputs="u", outputs=["a", "w"])
        system = cp.System("swing", convert=False)
        system.add("pendulum", pendulum, step=0.005)
        system.add("inertia", spring, step=0.005)
        system.connect("pendulum.angle", "inertia.u", cp.lagrange(1))
        system.connect("inertia.a", "pendulum.torque", cp.lagrange(1), gain=-4.0)
        return system

    counts = {}
    for name in ("none", "newton"):
        system = coupled()
        derivatives = cp.linearise(system) if name == "newton" else None
        window = cp.window(0.25, tolerance=1e-8, acceleration=name, derivatives=derivatives)
        result = system.run(until=1.0, scheme="parallel", window=window)
        assert result.summary.windows.not_converged == 0
        counts[name] = passes(result)
    assert counts["newton"] < counts["none"]


def test_derivatives_of_another_system_are_refused():
    other = cp.System("other")
    other.add("x", cp.linear([[-1.0]], [[1.0]], x0=[1], inputs="u", outputs="y"), step=0.1)
    window = cp.window(0.1, acceleration="newton", derivatives=cp.linearise(other))
    with pytest.raises(cp.SetupError, match=r"window\.derivatives: of the subsystems x; expected those of this system"):
        spring_between(5.0, 0.01).run(until=1.0, window=window)


def test_aitken_converges_where_one_factor_is_enough():
    """In a sequence one signal is iterated for, and in windows of one step it is one number."""
    plain = cp.window(0.2, repeats=20, tolerance=1e-9, when_not_converged="stop")
    with pytest.raises((cp.SolverError, cp.NotFiniteError)):
        force_on_mass(500.0, 0.2).run(until=8.0, scheme="sequential", window=plain)
    window = cp.window(0.2, tolerance=1e-10, acceleration="aitken")
    result = force_on_mass(500.0, 0.2).run(until=8.0, scheme="sequential", window=window)
    assert result.summary.windows.not_converged == 0
    assert result["mass.x"].values[-1] == pytest.approx(implicit(500.0, 0.2, 40)[0], abs=1e-6)


@pytest.mark.parametrize("scheme", ["parallel", "sequential"])
@pytest.mark.parametrize(("length", "step"), [(0.5, 0.02), (1.0, 0.02), (1.0, 0.1), (2.0, 0.1)])
def test_iqn_ils_takes_at_most_half_of_the_plain_repeats(scheme, length, step):
    runs = {
        acceleration: spring_between(100.0, step, approximation=cp.lagrange(3)).run(
            until=40 * length, scheme=scheme,
            window=cp.window(length, 100, 1e-9, "centred", acceleration=acceleration),
        )
        for acceleration in ("none", "iqn-ils")
    }  # fmt: skip
    plain, fast = (passes(result) for result in runs.values())
    assert plain >= 7
    assert fast <= 0.5 * plain
    ends = [result["a.x"].values[-1] for result in runs.values()]
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def test_passes_of_earlier_windows_serve_the_next():
    counts = [
        passes(spring_between(100.0, 0.02, approximation=cp.lagrange(3)).run(
            until=20.0, scheme="sequential", window=cp.window(0.5, acceleration="iqn-ils", reuse=reuse)))
        for reuse in (0, 8)
    ]  # fmt: skip
    assert counts[1] < 0.7 * counts[0]


@pytest.mark.parametrize("acceleration", ["aitken", "anderson", "iqn-ils", "newton"])
@pytest.mark.parametrize(
    "approximation", [cp.lagrange(3), cp.hermite(), cp.spline(), cp.mean("time-weighted")], ids=str
)
def test_every_acceleration_goes_with_every_approximation(acceleration, approximation):
    """Slopes are part of what is iterated for, where they are published."""
    system = spring_between(5.0, 0.01, approximation=approximation, steps=(0.01, 0.02))
    plain, fast = (
        system.run(until=2.0, scheme="parallel", window=cp.window(0.1, 60, 1e-11, "centred", acceleration=kind))
        for kind in ("none", acceleration)
    )
    assert plain["a.x"].values[-1] == pytest.approx(fast["a.x"].values[-1], abs=1e-8)


@pytest.mark.parametrize("acceleration", ["aitken", "anderson", "iqn-ils", "newton"])
@pytest.mark.parametrize("scheme", ["parallel", "slowest-first"])
def test_threads_change_no_bit(acceleration, scheme):
    def run(threads):
        system = spring_between(5.0, 0.01, approximation=cp.lagrange(2), steps=(0.001, 0.0073))
        system.add("c", cp.ode(lambda t, x, u: u - x, [0.0], inputs="u", outputs="y", solver="ode45"))
        system.connect("b.x", "c.u")
        window = cp.window(0.03, 40, 1e-9, "centred", acceleration=acceleration)
        return system.run(until=0.5, scheme=scheme, window=window, threads=threads)

    one, three = run(1), run(3)
    assert all(np.array_equal(one[name].values, three[name].values) for name in ("a.x", "b.v", "c.y"))
    assert one.summary.windows == three.summary.windows


def test_a_solver_with_its_own_steps_is_accelerated():
    """Its passes publish at other times; they are compared by interpolation."""
    system = cp.System()
    for name, x0, options in (("a", 1.0, {"solver": "ode45", "relative": 1e-8}), ("b", 0.0, {})):
        options.pop("relative", None)
        mass = cp.linear([[0, 1], [-21, 0]], [[0], [20]], x0=[x0, 0], inputs="u", outputs=["x", "v"], **options)
        system.add(name, mass, **({} if options else {"step": 0.01}))
    system.connect("a.x", "b.u", cp.lagrange(3))
    system.connect("b.x", "a.u", cp.lagrange(3))
    counts = {}
    for acceleration in ("none", "iqn-ils"):
        window = cp.window(0.5, 60, 1e-4, "centred", acceleration=acceleration)
        result = system.run(until=5.0, scheme="parallel", window=window)
        assert result.summary.windows.not_converged == 0
        counts[acceleration] = passes(result)
    assert counts["iqn-ils"] <= counts["none"]


# --- order ----------------------------------------------------------------------------------------------------------


def error(result, stiffness, until):
    """Largest error of the position of mass a over its steps."""
    x = result["a.x"]
    modes = 1.0, math.sqrt(1.0 + 2.0 * stiffness)
    return np.abs(x.values - 0.5 * sum(np.cos(w * x.time) for w in modes)).max()


@pytest.mark.parametrize(
    ("approximation", "order"), [(cp.lagrange(3), 4), (cp.spline(), 4), (cp.hermite(), 5)], ids=str
)
@pytest.mark.parametrize("scheme", ["parallel", "sequential"])
def test_centred_stencils_reach_their_order(approximation, order, scheme):
    """Values give 4; slopes give 6, of which the solver (order 5) leaves 5."""
    errors = []
    for step in (0.04, 0.02):
        system = spring_between(5.0, step, "ode5", approximation)
        result = system.run(until=4.0, scheme=scheme, window=cp.window(10 * step, 60, 1e-13, "centred"))
        errors.append(error(result, 5.0, 4.0))
    assert order - 0.3 < math.log2(errors[0] / errors[1]) < order + 0.8


def test_a_spline_has_a_smaller_error_than_the_cubic_through_four_samples():
    errors = [
        error(spring_between(5.0, 0.04, "ode5", approximation).run(
            until=4.0, scheme="parallel", window=cp.window(0.8, 60, 1e-12, "centred")), 5.0, 4.0)
        for approximation in (cp.lagrange(3), cp.spline())
    ]  # fmt: skip
    assert errors[1] < errors[0] / 3


def test_a_spline_is_the_spline():
    """Not-a-knot, as scipy makes it, on unequal steps."""
    from scipy.interpolate import CubicSpline

    times = np.array([0.0, 0.1, 0.25, 0.3, 0.45, 0.6, 0.7, 0.9, 1.0])
    seen = {}

    class Listener(cp.Subsystem):
        inputs, outputs, defaults = ("u",), ("y",), {"u": 0.0}
        passes = 0

        def start(self, t): ...
        def step(self, t, t_end, u):
            self.passes += 1
            seen[self.passes] = [float(u(s)[0]) for s in np.linspace(0.0, 1.0, 41)]

        def output(self, t, u):
            return 0.0

        def save(self):
            return 0

        def restore(self, state): ...

    system = cp.System()
    system.add("table", cp.ode(lambda t, x, u: 0.0 * x, [0.0], inputs="u", outputs="y", solver="ode4",
                               output=lambda t, x, u: np.sin(3.0 * t)), pace=cp.pace.table(times[:-1], np.diff(times)))  # fmt: skip
    system.add("listener", Listener(), step=1.0)
    system.connect("table.y", "listener.u", cp.spline())
    system.connect("listener.y", "table.u")
    scheme = cp.custom({"table": ["listener"]})
    system.run(until=1.0, scheme=scheme, window=cp.window(1.0, 1, stencil="centred"))
    expected = CubicSpline(times, np.sin(3.0 * times))(np.linspace(0.0, 1.0, 41))
    np.testing.assert_allclose(seen[2], expected, atol=1e-12)


# --- the named cheap default ------------------------------------------------------------------------------------------


def test_repeat_once_is_a_window_of_the_longest_step():
    system = spring_between(5.0, None, approximation=cp.lagrange(2), steps=(0.01, 0.02))
    short = system.run(until=1.0, scheme="parallel", window="repeat-once")
    whole = system.run(until=1.0, scheme="parallel", window=cp.window(0.02, 1, stencil="centred"))
    assert short.summary.windows == whole.summary.windows
    assert (short.summary.windows.length, short.summary.windows.passes) == (0.02, 100)
    assert np.array_equal(short["a.x"].values, whole["a.x"].values)


def test_a_length_that_is_left_out_needs_a_fixed_step():
    system = cp.System()
    system.add("a", cp.ode(lambda t, x, u: u - x, [0.0], inputs="u", outputs="y", solver="ode45"))
    with pytest.raises(cp.SetupError, match="no subsystem has a fixed step"):
        system.run(until=1.0, window=cp.window())


def test_a_tolerance_brings_enough_repeats():
    assert cp.window(0.1).repeats == 1
    assert cp.window(0.1, tolerance=1e-6).repeats == 50
    assert cp.window(0.1, acceleration="aitken").tolerance == 1e-8


# --- without convergence ----------------------------------------------------------------------------------------------


def test_the_whole_window_has_to_agree_not_its_end_alone():
    """A signal that differs inside the window only, from pass to pass."""

    class Bump(cp.Subsystem):
        inputs, outputs, defaults = ("u",), ("y",), {"u": 0.0}
        passes = 0

        def start(self, t): ...
        def step(self, t, t_end, u):
            self.passes += t == 0.0

        def output(self, t, u):
            return 1.0 / (1 + self.passes) if 0.1 < t < 0.9 else 1.0

        def save(self):
            return 0

        def restore(self, state): ...

    system = cp.System()
    system.add("bump", Bump(), step=0.1)
    system.add("other", Bump(), step=1.0)
    system.connect("bump.y", "other.u")
    system.connect("other.y", "bump.u")
    with pytest.warns(cp.WindowWarning, match=r'changed the interface by 0.17, 0.083, .*"bump.y" most'):
        result = system.run(until=1.0, scheme="parallel", window=cp.window(1.0, 5, 1e-6))
    assert result.summary.windows.not_converged == 1


def test_repeats_that_grow_are_told_without_a_tolerance():
    with pytest.warns(cp.WindowWarning, match="windows were changed more and more by their repeats"):
        result = force_on_mass(60.0, 0.5).run(until=2.0, scheme="parallel", window=cp.window(0.5, 6))
    assert result.summary.windows.growing > 0
    assert result.quality.verdict != "good"


def test_an_only_repeat_that_changes_all_there_is_is_told():
    """One change has none to be compared with; but one that is larger than the signal says enough."""
    text = (
        r'9 of 10 windows were changed by their repeat by more than .* use .*, more repeats or acceleration="iqn-ils"$'
    )
    with pytest.warns(cp.WindowWarning, match=text):
        result = force_on_mass(200.0, 0.5).run(until=5.0, scheme="parallel", window="repeat-once")
    assert result.summary.windows.growing == 9
    assert result.summary.windows.largest_change > 1.0


def test_a_window_that_does_not_converge_may_stop_the_run():
    window = cp.window(1.0, 3, 1e-10, when_not_converged="stop")
    with pytest.raises(cp.SolverError) as caught:
        spring_between(5.0, 0.01).run(until=2.0, scheme="parallel", window=window)
    text = str(caught.value)
    assert "the window that ends at t = 1 s did not converge to 1e-10 with 3 repeats" in text
    assert "its repeats changed the interface by" in text
    assert 'acceleration="iqn-ils"' in text
    assert caught.value.result.end == 0.0


def test_a_window_that_does_not_converge_may_be_cut():
    system = spring_between(100.0, 0.01, approximation=cp.hermite())
    window = cp.window(1.6, 6, 1e-9, when_not_converged="cut")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = system.run(until=3.2, scheme="parallel", window=window)
    windows = result.summary.windows
    assert windows.cuts > 0
    assert windows.count > 2
    assert windows.not_converged == 0
    assert error(result, 100.0, 3.2) < 1e-3
    assert len(result["a.x"].time) == 321


def test_numbers_that_fail_in_a_window_make_it_shorter():
    """Plain repeats over 0.5 s diverge to infinity before the repeats are used up; those over 0.05 s converge."""
    system = force_on_mass(200.0, 0.05)
    window = cp.window(1.6, 400, 1e-9, when_not_converged="cut")
    result = system.run(until=3.2, scheme="parallel", window=window)
    assert result.summary.windows.not_converged == 0
    assert result.end == pytest.approx(3.2)


@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first", "parallel", "sequential"])
@pytest.mark.parametrize("steps", [(0.01, 0.01), (0.01, 0.02)], ids=["equal steps", "different steps"])
def test_a_window_with_centred_stencils_may_be_cut(steps, scheme):
    """One that waits needs its source up to the new end of the window."""
    system = cp.System("two masses")
    for name, step, x0 in zip("ab", steps, (1.0, 0.0), strict=True):
        mass = cp.linear([[0, 1], [-200, -0.1]], [[0], [180]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x")
        system.add(name, mass, step=step)
    system.connect("a.x", "b.u", cp.spline())
    system.connect("b.x", "a.u", cp.spline())
    cut = cp.window(0.4, 3, 1e-4, "centred", when_not_converged="cut")
    result = system.run(until=0.8, scheme=scheme, window=cut, check="off")
    assert result.summary.windows.cuts > 0
    accurate = system.run(until=0.8, scheme=scheme, window=cp.window(0.04, 20, 1e-10, "centred"), check="off")
    assert result["b.x"].values[-1] == pytest.approx(accurate["b.x"].values[-1], abs=2e-3)


@pytest.mark.parametrize("stencil", ["one-sided", "centred"])
@pytest.mark.parametrize(("scheme", "repeats"), [("slowest-first", 2), ("parallel", 4), ("sequential", 2)])
def test_a_cut_window_ends_the_steps_of_a_pace_too(scheme, repeats, stencil):
    """Steps that the pace chose beyond the new end do not count, and the first one is not left out."""
    system = cp.System("ring")
    for name, step, x0 in (("a", 0.1, 1.0), ("b", 0.01, 0.0), ("c", 0.004, 0.5)):
        mass = cp.linear([[0, 1], [-60, -0.1]], [[0], [54]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x")
        pace = cp.pace.table([0.0, 0.4], [0.1, 0.07]) if name == "a" else None
        system.add(name, mass, step=step, pace=pace)
    for source, target in ("ab", "bc", "ca"):
        system.connect(f"{source}.x", f"{target}.u", cp.lagrange(3))
    span = {"start": 0.1, "until": 0.9, "scheme": scheme, "check": "off"}
    cut = cp.window(0.8, repeats, 1e-4, stencil, when_not_converged="cut")
    result = system.run(window=cut, **span)
    assert result.summary.windows.cuts > 0
    made = result.steps["a"]
    np.testing.assert_allclose(
        result["a.x"].time, [*made["t"], made["t"].iloc[-1] + made["length"].iloc[-1]], atol=1e-9
    )
    np.testing.assert_allclose(np.diff(result["a.x"].time), made["length"], atol=1e-9)
    np.testing.assert_allclose(result["b.x"].time, 0.1 + 0.01 * np.arange(81), atol=1e-9)
    assert np.max(np.diff(result["a.x"].time)) < 0.1 + 1e-9


def test_a_window_that_cannot_be_cut_any_more_stops_the_run():
    window = cp.window(1.0, 20, 1e-9, when_not_converged="cut")
    with pytest.raises(cp.SolverError, match="did not converge"):
        force_on_mass(200.0, 0.5).run(until=4.0, scheme="parallel", window=window)


# --- wrong options ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"acceleration": "fast"}, 'window.acceleration: .*"iqn-ils"'),
        ({"relaxation": 0.0}, "window.relaxation: 0.0; expected a number above 0"),
        ({"reuse": -1}, "window.reuse: -1"),
        ({"when_not_converged": "hope", "tolerance": 1e-3}, 'expected "warn", "cut" or "stop"'),
        ({"when_not_converged": "cut"}, "window.tolerance: is missing"),
        ({"derivatives": 1.0}, 'window.derivatives: no effect with acceleration="none"'),
        ({"derivatives": 1.0, "acceleration": "newton"}, "expected what cp.linearise"),
    ],
    ids=str,
)
def test_wrong_options_are_told(options, text):
    with pytest.raises(cp.SetupError, match=text):
        cp.window(0.1, **options)


def test_a_word_that_is_no_window_is_told():
    with pytest.raises(cp.SetupError, match=r'write cp.window.* or "repeat-once"'):
        spring_between(5.0, 0.01).run(until=1.0, window="twice")
