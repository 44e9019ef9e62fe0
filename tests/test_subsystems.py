"""Ready-made subsystems against closed forms. Tolerances follow from the order of the solver and its step."""

import ctypes
import math

import numpy as np
import pytest

import counterpoint as cp

FIXED = ("ode1", "ode2", "ode3", "ode4", "ode5", "trapezoidal", "bdf2", "newmark")
# Error at t = 2 of q'' = -4 q, q(0) = 1 with h = 0.01: C h^p with C of a few units (ode1: h / 2 * 16).
ACCURACY = {
    "ode1": 0.1,
    "ode2": 1e-3,
    "ode3": 3e-6,
    "ode4": 3e-8,
    "ode5": 1e-9,
    "trapezoidal": 4e-4,
    "bdf2": 2e-3,
    "newmark": 4e-4,
}


def alone(subsystem, until=2.0, step=0.01, **options):
    system = cp.System()
    system.add("model", subsystem, step=step)
    return system.run(until=until, **options)


def driven(subsystem, signal, until=2.0, step=0.01, approximation=None):
    """The model with an input u(t) from a source sampled at its own times."""
    system = cp.System()
    system.add("input", cp.source(signal, outputs="y"), step=step)
    system.add("model", subsystem, step=step)
    system.connect("input.y", "model.u", approximation or cp.lagrange(3))
    return system.run(until=until)


@pytest.mark.parametrize("solver", FIXED)
def test_a_linear_oscillator_follows_the_cosine(solver):
    model = cp.linear([[0, 1], [-4, 0]], np.zeros((2, 0)), x0=[1, 0], inputs=(), outputs=["q", "v"], solver=solver)
    result = alone(model)
    time = result["model.q"].time
    np.testing.assert_allclose(time, 0.01 * np.arange(201), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result["model.q"].values, np.cos(2 * time), rtol=0, atol=ACCURACY[solver])
    np.testing.assert_allclose(result["model.v"].values, -2 * np.sin(2 * time), rtol=0, atol=2 * ACCURACY[solver])


@pytest.mark.parametrize("solver", FIXED)
def test_the_same_oscillator_as_a_python_function_gives_the_same(solver):
    matrix = cp.linear([[0, 1], [-4, 0]], np.zeros((2, 0)), x0=[1, 0], inputs=(), outputs=["q", "v"], solver=solver)
    function = cp.ode(lambda t, x, u: [x[1], -4 * x[0]], [1, 0], outputs=["q", "v"], solver=solver)
    # Explicit: rounding only. Implicit: Newton stops at 1e-11, 200 steps add up.
    np.testing.assert_allclose(alone(matrix)["model.q"].values, alone(function)["model.q"].values, rtol=0, atol=1e-8)


@pytest.mark.parametrize("solver", ["ode23", "ode45"])
@pytest.mark.parametrize("rtol", [1e-4, 1e-7])
def test_variable_steps_keep_the_tolerance_at_their_own_pace(solver, rtol):
    model = cp.ode(
        lambda t, x, u: [x[1], -4 * x[0]], [1, 0], outputs=["q", "v"], solver=solver, rtol=rtol, atol=1e-3 * rtol
    )
    result = alone(model, step=None)
    time = result["model.q"].time
    assert time[-1] == 2.0
    assert np.ptp(np.diff(time)) > 0.0
    np.testing.assert_allclose(result["model.q"].values, np.cos(2 * time), rtol=0, atol=50 * rtol)


def test_max_step_bounds_the_steps_of_a_variable_step_solver():
    result = alone(cp.ode(lambda t, x, u: [-x[0]], [1.0], max_step=0.05), step=None)
    assert np.diff(result["model.x"].time).max() <= 0.05 + 1e-12


def exponential(t, x, u, dx):
    dx[0] = -2.0 * x[0] + u[0]


def test_a_ctypes_pointer_is_a_right_hand_side():
    kind = ctypes.CFUNCTYPE(
        None,
        ctypes.c_double,
        ctypes.POINTER(ctypes.c_double),
        ctypes.POINTER(ctypes.c_double),
        ctypes.POINTER(ctypes.c_double),
    )
    compiled = driven(cp.ode(kind(exponential), [1.0], inputs="u", solver="ode4"), lambda t: 2.0)
    time = compiled["model.x"].time
    # x' = -2 x + 2 has the fixed point 1; ode4 with h = 0.01 is good to 1e-9.
    np.testing.assert_allclose(compiled["model.x"].values, np.ones_like(time), rtol=0, atol=1e-12)
    python = driven(cp.ode(lambda t, x, u: -2.0 * x + u, [3.0], inputs="u", solver="ode4"), lambda t: 2.0)
    pointer = driven(cp.ode(kind(exponential), [3.0], inputs="u", solver="ode4"), lambda t: 2.0)
    np.testing.assert_array_equal(python["model.x"].values, pointer["model.x"].values)
    np.testing.assert_allclose(pointer["model.x"].values, 1.0 + 2.0 * np.exp(-2.0 * time), rtol=0, atol=1e-8)


def test_a_numba_function_is_a_right_hand_side_and_an_output():
    numba = pytest.importorskip("numba")
    signature = numba.types.void(numba.types.double, *(numba.types.CPointer(numba.types.double) for _ in range(3)))
    rhs = numba.cfunc(signature)(exponential)

    @numba.cfunc(signature)
    def output(t, x, u, y):
        y[0] = 10.0 * x[0]
        y[1] = x[0] + u[0]

    model = cp.ode(
        rhs, [3.0], inputs="u", outputs=["ten", "sum"], output=output, feedthrough=[("sum", "u")], solver="ode4"
    )
    result = driven(model, lambda t: 2.0)
    x = 1.0 + 2.0 * np.exp(-2.0 * result["model.ten"].time)
    np.testing.assert_allclose(result["model.ten"].values, 10.0 * x, rtol=0, atol=1e-7)
    np.testing.assert_allclose(result["model.sum"].values, x + 2.0, rtol=0, atol=1e-8)


def test_an_output_function_sees_time_state_and_input():
    model = cp.ode(
        lambda t, x, u: [u[0]], [0.0], inputs="u", outputs="y", output=lambda t, x, u: t + 10.0 * x[0] + 100.0 * u[0],
        feedthrough=True, solver="ode4",
    )  # fmt: skip
    result = driven(model, lambda t: t)
    time = result["model.y"].time
    np.testing.assert_allclose(result["model.y"].values, time + 5.0 * time**2 + 100.0 * time, rtol=1e-12, atol=1e-12)


def test_a_driven_second_order_model_resonates_as_the_closed_form():
    # q'' + 4 q = cos 2t from rest: q = t sin(2t) / 4.
    model = cp.second_order(1.0, None, 4.0, 1.0, q0=0.0, outputs=["q", "v"])
    result = driven(model, lambda t: math.cos(2.0 * t))
    time = result["model.q"].time
    # The trapezoidal rule has a phase error (w h)^2 / 12 per radian: 4 rad * 3e-5 * amplitude 1/2.
    np.testing.assert_allclose(result["model.q"].values, time * np.sin(2 * time) / 4, rtol=0, atol=2e-4)


def test_mass_damping_and_stiffness_matrices_enter_where_they_belong():
    mass, damping, stiffness = np.diag([2.0, 4.0]), np.diag([0.4, 0.0]), np.array([[8.0, 0.0], [0.0, 16.0]])
    model = cp.second_order(mass, damping, stiffness, np.zeros((2, 0)), q0=[1.0, 1.0], inputs=(), solver="ode5")
    result = alone(model)
    q = result["model.q"].values
    time = result["model.q"].time
    w = math.sqrt(4.0 - 0.01)
    np.testing.assert_allclose(
        q[:, 0], np.exp(-0.1 * time) * (np.cos(w * time) + 0.1 / w * np.sin(w * time)), rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(q[:, 1], np.cos(2.0 * time), rtol=0, atol=1e-9)


def test_positions_alone_can_be_the_outputs_of_a_second_order_model():
    model = cp.second_order(1.0, None, 4.0, 1.0, q0=1.0, outputs="q")
    assert model.outputs == {"q": 1}


def test_newmark_damping_takes_energy_out():
    kept = alone(cp.second_order(1.0, None, 400.0, np.zeros((1, 0)), q0=1.0, inputs=(), outputs=["q", "v"]))
    lost = alone(
        cp.second_order(1.0, None, 400.0, np.zeros((1, 0)), q0=1.0, inputs=(), outputs=["q", "v"], gamma=0.7, beta=0.36)
    )

    def energy(result):
        return 0.5 * result["model.v"].values[-1] ** 2 + 200.0 * result["model.q"].values[-1] ** 2

    assert energy(kept) == pytest.approx(200.0, rel=1e-9)  # the trapezoidal rule keeps it
    assert energy(lost) < 100.0


def test_a_table_at_its_own_pace_is_reproduced_exactly_by_lines():
    result = driven_by_table(cp.table([0.0, 0.3, 1.0, 2.0], [0.0, 3.0, 3.0, -1.0]), solver="ode4")
    # x' = u: the integral of the lines; a step of the model may straddle a corner, off by h^2 |jump of slope| / 8.
    exact = {0.3: 0.45, 1.0: 2.55, 2.0: 3.55}
    for time, value in exact.items():
        assert result["model.x"].at([time])[0] == pytest.approx(value, abs=2e-4)
    np.testing.assert_array_equal(result["input.y"].time, [0.0, 0.3, 1.0, 2.0])


@pytest.mark.parametrize("kind", ["linear", "hold"])
def test_rows_of_the_same_time_are_a_jump_of_a_table(kind):
    system = cp.System()
    system.add("table", cp.table([0, 1, 1, 2], [0.0, 0.0, 5.0, 5.0], outputs="y", kind=kind))
    system.add("sum", cp.ode(lambda t, x, u: u, [0.0], inputs="u", outputs="x", solver="ode4"), step=0.25)
    system.connect("table.y", "sum.u")
    result = system.run(until=2.0, scheme=cp.sequential(["table", "sum"]))
    assert list(zip(result["table.y"].time, result["table.y"].values, strict=True)) == [(0, 0), (1, 0), (1, 5), (2, 5)]
    assert result["sum.x"].values[-1] == pytest.approx(5.0, abs=1e-12)


def test_a_held_table_is_held():
    result = driven_by_table(cp.table([0.0, 0.5, 1.0], [1.0, 5.0, 0.0], kind="hold"), solver="ode1")
    assert result["model.x"].at([0.5, 1.0, 2.0]) == pytest.approx([0.5, 3.0, 3.0], abs=1e-12)


def driven_by_table(table, solver):
    system = cp.System()
    system.add("input", table)
    system.add("model", cp.ode(lambda t, x, u: [u[0]], [0.0], inputs="u", outputs="x", solver=solver), step=0.01)
    system.connect("input.y", "model.u")
    return system.run(until=2.0)


def test_a_table_with_several_columns_fills_several_ports():
    table = cp.table([0.0, 1.0], [[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]], outputs={"a": 1, "b": 2})
    result = alone(table, until=1.0, step=0.5)
    np.testing.assert_allclose(result["model.a"].values, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(result["model.b"].values, [[2.0, 3.0], [3.0, 4.0], [4.0, 5.0]])


class Tank(cp.Subsystem):
    """A model that steps itself: level' = inflow - level / 2 by the exact solution for the inflow at the start."""

    inputs = ("inflow",)
    outputs = ("level", "outflow")
    units = {"level": "m"}  # noqa: RUF012

    def start(self, t):
        self.level = 4.0

    def step(self, t, t_end, u):
        steady = 2.0 * u(t)[0]
        self.level = steady + (self.level - steady) * math.exp(-(t_end - t) / 2.0)

    def output(self, t, u):
        return self.level, self.level / 2.0


def test_a_python_class_steps_itself():
    system = cp.System()
    system.add("tank", Tank(), step=0.1)
    system.set("tank.inflow", 1.0)
    result = system.run(until=3.0)
    time = result["tank.level"].time
    np.testing.assert_allclose(result["tank.level"].values, 2.0 + 2.0 * np.exp(-time / 2.0), rtol=1e-13)
    np.testing.assert_allclose(result["tank.outflow"].values, result["tank.level"].values / 2.0, rtol=1e-15)
    assert result["tank.level"].unit == "m"


def test_a_python_class_can_run_twice_and_gives_the_same():
    system = cp.System()
    system.add("tank", Tank(), step=0.1)
    system.set("tank.inflow", 1.0)
    first, second = system.run(until=3.0), system.run(until=3.0)
    np.testing.assert_array_equal(first["tank.level"].values, second["tank.level"].values)


def test_a_python_class_that_says_so_may_stop_before_the_end_of_its_step():
    class Hasty(cp.Subsystem):
        outputs = ("y",)
        stops_early = True

        def start(self, t):
            self.stops = iter([0.15, 0.25, 0.3])

        def step(self, t, t_end, u):
            return min(t_end, next(self.stops, t_end))

        def output(self, t, u):
            return t

    result = alone(Hasty(), until=1.0, step=0.25)
    np.testing.assert_allclose(result["model.y"].time, [0.0, 0.15, 0.25, 0.3, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(result["model.y"].values, result["model.y"].time)


@pytest.mark.parametrize("value", [2, np.float64(2.0), np.float32(2.0), [2.0], (2,), np.array([2.0]), np.array(2)])
def test_an_output_may_be_any_kind_of_number_or_sequence(value):
    class Constant(cp.Subsystem):
        outputs = ("y",)

        def step(self, t, t_end, u):
            pass

        def output(self, t, u):
            return value

    assert alone(Constant(), step=0.5)["model.y"].values[-1] == 2.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: cp.linear([[1, 2]], [[1]], x0=[1]), ["A", "(1, 2)", "(1, 1)"]),
        (lambda: cp.linear([[1]], [[1], [2]], x0=[1]), ["B", "(2, 1)"]),
        (lambda: cp.linear([[1]], [[1]], [[1, 2]], x0=[1]), ["C", "(1, 2)"]),
        (lambda: cp.linear([[1]], [[1]], [[1]], [[1, 2]], x0=[1]), ["D", "(1, 2)"]),
        (lambda: cp.linear([[np.nan]], [[1]], x0=[1]), ["A", "NaN"]),
        (lambda: cp.linear([[1]], [[1]], x0=[np.inf]), ["x0", "infinity"]),
        (lambda: cp.linear([["a"]], [[1]], x0=[1]), ["A", "not an array of numbers"]),
        (lambda: cp.linear([[1]], [[1]], x0=[1], outputs=["a", "b"]), ["outputs", "2 values", "has 1"]),
        (lambda: cp.linear([[1]], [[1]], x0=[1], inputs=["a", "b"]), ["inputs", "2 values", "has 1"]),
        (lambda: cp.linear([[1]], [[1]], x0=[1], solver="od4"), ['"od4"', 'did you mean "ode4"']),
        (lambda: cp.linear([[1]], [[1]], x0=[1], solver="newmark"), ["newmark", "1 states"]),
        (lambda: cp.linear([[1]], [[1]], x0=[1], rtoll=1.0), ['"rtoll"', 'did you mean "rtol"']),
        (lambda: cp.linear([[1]], [[1]], x0=[1], rtol=-1.0), ["rtol", "-1.0", "positive"]),
        (lambda: cp.linear([[1]], [[1]], x0=[]), ["x0"]),
        (lambda: cp.ode(3.5, [1.0]), ["rhs", "3.5", "neither a function"]),
        (lambda: cp.ode(lambda t, x: -x, [1.0]), ["rhs", "<lambda>(t, x)", "cannot be called with (t, x, u)"]),
        (lambda: cp.ode(lambda t, x, u: x, [1.0], output=lambda t, x, u: x), ["outputs", "expected the names"]),
        (lambda: cp.ode(lambda t, x, u: x, [1.0], output=7.5, outputs="y"), ["output", "7.5"]),
        (lambda: cp.ode(lambda t, x, u: x, [1.0], feedthrough=True), ["feedthrough", "output function"]),
        (
            lambda: cp.ode(lambda t, x, u: x, [1.0], inputs="u", outputs="y", output=lambda t, x, u: x, feedthrough=[("z", "w")]),
            ["feedthrough", '"z"', '"w"'],
        ),
        (lambda: cp.second_order([[0.0]], None, 1.0, 1.0, q0=1.0), ["M", "singular"]),
        (lambda: cp.second_order(1.0, None, 1.0, 1.0, q0=1.0, v0=[1.0, 2.0]), ["v0", "2 velocities for 1"]),
        (lambda: cp.table([0, 1], [1]), ["2 times for 1 rows"]),
        (lambda: cp.table([1, 0], [1, 2]), ["row 2", "is before"]),
        (lambda: cp.table([0, np.nan], [1, 2]), ["row 2", "finite"]),
        (lambda: cp.table([0, 1], [1, np.nan]), ["row 2", "t = 1.0", "NaN"]),
        (lambda: cp.table([0, 1], [1, 2], kind="cubic"), ["cubic", "linear", "hold"]),
        (lambda: cp.table([0, 1], [1, 2], outputs=["a", "b"]), ["outputs", "2 values", "has 1"]),
        (lambda: cp.source(lambda t: t, outputs=".b"), ["'.b'", "without blanks or a dot in front"]),
        (lambda: cp.source(lambda t: t, outputs={"a": 0}), ["width 0", "'a'"]),
        (lambda: cp.source(lambda t: t, outputs=["a", "a"]), ["'a'", "twice"]),
    ],
)  # fmt: skip
def test_a_model_that_cannot_be_is_refused_with_the_key_and_the_value(make, words):
    with pytest.raises(cp.SetupError) as caught:
        make()
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("options", [{"gamma": 0.4}, {"beta": 0.9}, {"gamma": 1.2}])
def test_newmark_parameters_out_of_range_are_refused_with_the_value_and_the_range(options):
    ((name, value),) = options.items()
    with pytest.raises(cp.SetupError, match=rf"{name}: {value}; expected a number from 0\.\d to"):
        alone(cp.second_order(1.0, None, 1.0, np.zeros((1, 0)), q0=1.0, inputs=(), **options))


def test_inputs_beyond_the_step_are_refused():
    """They would be extrapolated silently, and differently by each scheme."""

    class Curious(cp.Subsystem):
        inputs = ("u",)
        outputs = ("y",)

        def start(self, t):
            self.y = 0.0

        def step(self, t, t_end, u):
            self.y = u(t_end + 5.0)[0]

        def output(self, t, u):
            return self.y

    system = cp.System()
    system.add("curious", Curious(), step=0.1)
    system.set("curious.u", 1.0)
    with pytest.raises(cp.ModelError, match=r"curious: .*u\(5\.1\): inputs are known from t = 0 s to 0\.1 s only"):
        system.run(until=1.0)


def test_an_output_that_reads_inputs_without_saying_so_is_told_how():
    model = cp.ode(lambda t, x, u: -x, [1.0], inputs="u", outputs="y", output=lambda t, x, u: x + u)
    system = cp.System()
    system.add("model", model, step=0.1)
    system.set("model.u", 1.0)
    with pytest.raises(cp.NotFiniteError, match="if it reads u, pass feedthrough=True"):
        system.run(until=1.0)


def run_alone(model, until=10.0, **add):
    system = cp.System()
    system.add("model", model, **add)
    return system.run(until=until)


@pytest.mark.parametrize("scaled", [lambda t, x: math.sin(3.0 * t), lambda t, x: x * math.sin(3.0 * t)])
def test_an_output_that_is_a_function_of_time_is_sampled_as_densely_as_it_is_drawn(scaled):
    """The solver looks at the states only: it needs 43 steps, between which three waves would be lost."""
    model = cp.ode(lambda t, x, u: -x, [1.0], outputs="y", output=lambda t, x, u: [scaled(t, x[0])])
    y = run_alone(model)["model.y"]
    assert 500 <= len(y.time) - 1 <= 520
    expected = [scaled(t, math.exp(-t)) for t in y.time]
    assert np.allclose(y.values, expected, atol=1e-6)
    assert len(run_alone(model, step=0.5)["model.y"].time) == 21  # a step that is given stays


def test_an_output_of_the_states_has_the_samples_that_the_solver_needs():
    model = cp.ode(lambda t, x, u: -x, [1.0], outputs="y", output=lambda t, x, u: 3.0 * x)
    states = cp.ode(lambda t, x, u: -x, [1.0], outputs="y")
    y, x = run_alone(model)["model.y"], run_alone(states)["model.y"]
    assert np.array_equal(y.time, x.time)
    assert np.array_equal(y.values, 3.0 * x.values)


def test_an_output_that_makes_no_sense_at_other_times_is_left_alone():
    """It is looked at over the whole run before it begins; what it does then is no failure."""

    def only_forward(t, x, u):
        if abs(x[0] - math.exp(-t)) > 0.1:
            raise ValueError("not on the way")
        return x

    y = run_alone(cp.ode(lambda t, x, u: -x, [1.0], outputs="y", output=only_forward))["model.y"]
    assert y.values[-1] == pytest.approx(math.exp(-10.0), abs=1e-6)
