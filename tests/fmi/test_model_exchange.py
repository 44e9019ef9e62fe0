"""FMUs for model exchange: our solvers against closed forms, alone and in a system."""

import numpy as np
import pytest

import counterpoint as cp

from .exchanging import VARIABLE, exchange, impacts
from .models import BOUNCING_BALL, OSCILLATOR, RELAY, ROD, SAMPLER
from .running import alone

# which kind


def test_co_simulation_is_taken_where_both_are_offered(built, version):
    assert cp.fmu(built("oscillator", version)).kind == "co-simulation"
    assert exchange(built("oscillator", version)).kind == "model-exchange"
    only = built("oscillator", version, kinds=("ModelExchange",), file="only.fmu")
    assert cp.fmu(only).kind == "model-exchange"


def test_a_kind_that_is_not_offered_is_told(built, version):
    with pytest.raises(cp.SetupError, match="kind: this FMU supports only co-simulation"):
        exchange(built("pass-through", version))
    with pytest.raises(cp.SetupError, match='kind: "model-exchang"; did you mean "model-exchange"'):
        cp.fmu(built("oscillator", version), kind="model-exchang")


def test_options_of_the_other_kind_are_told(built, version):
    path = built("oscillator", version)
    with pytest.raises(cp.SetupError, match=r"solver, rtol: the FMU has its own solver"):
        cp.fmu(path, solver="ode45", rtol=1e-3)
    with pytest.raises(cp.SetupError) as refused:
        exchange(path, solver="ode4", rtol=1e-3, inputs_at="middle", redo_discarded=True)
    for text in ("rtol: the steps of ode4 are fixed", "inputs_at: only for co-simulation", "redo_discarded: only for"):
        assert text in str(refused.value)
    with pytest.raises(cp.SetupError, match='no solver "ode54" for FMUs; did you mean "ode5"'):
        exchange(path, solver="ode54")
    with pytest.raises(cp.SetupError, match='solver option "beta" is unknown'):
        exchange(path, beta=0.3)
    with pytest.raises(cp.SetupError, match="rtol: -1; expected a positive number"):
        exchange(path, rtol=-1)


def test_a_fixed_step_solver_needs_a_step(built, changed, version):
    model = built(OSCILLATOR.changed(step=None), version)
    path = changed(model, {"modelDescription.xml": lambda data: data.replace(b' stopTime="1"', b"")})
    with pytest.raises(cp.SetupError, match=r"subsystems.fmu.step: is missing"):
        alone(exchange(path, solver="ode4"))


# between events


@pytest.mark.parametrize(("solver", "order"), [("ode1", 1), ("ode2", 2), ("ode3", 3), ("ode4", 4), ("ode5", 5)])
def test_errors_shrink_with_the_order_of_the_solver(built, version, solver, order):
    """x'' = -x from (1, 0), with a ramp as input, which a line of order 1 gives exactly at every minor step."""
    path = built("oscillator", version)

    def error(step):
        system = cp.System()
        system.add("fmu", exchange(path, solver=solver, parameters={"k": 1.0}), step=step)
        system.add("ramp", cp.source(lambda t: 2.0 * t, outputs="u", units={"u": "N"}), step=0.25)
        system.connect("ramp.u", "fmu.force", cp.lagrange(1))
        result = system.run(until=2.0, scheme="slowest-first")
        exact = np.cos(2.0) + 2.0 * (2.0 - np.sin(2.0)), -np.sin(2.0) + 2.0 * (1.0 - np.cos(2.0))
        return np.hypot(result["fmu.x"].values[-1] - exact[0], result["fmu.v"].values[-1] - exact[1])

    steps = (0.1, 0.05) if order < 5 else (0.25, 0.125)
    assert np.log2(error(steps[0]) / error(steps[1])) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize("solver", VARIABLE)
def test_a_variable_step_solver_keeps_its_tolerance_at_its_own_pace(built, version, solver):
    model = exchange(built("oscillator", version), solver=solver, rtol=1e-6, parameters={"k": 4.0})
    result = alone(model, until=10.0)
    steps = np.diff(result["fmu.x"].time)
    # errors of single steps add up: about a thousand of them with the solvers of low order
    assert np.allclose(result["fmu.x"].values, np.cos(2.0 * result["fmu.x"].time), rtol=0, atol=1e-3)
    assert steps.max() > 2.0 * steps.min()
    assert model.statistics["steps"] >= len(steps)


def test_max_step_limits_the_pace(built, version):
    result = alone(exchange(built("oscillator", version), max_step=0.01, parameters={"k": 0.0}), until=1.0)
    assert np.diff(result["fmu.x"].time).max() == pytest.approx(0.01)


def test_a_stiff_model_takes_few_steps_with_the_stiff_solver(built, version):
    """Van der Pol, mu = 1000: an explicit solver would need millions of steps; SciPy's Radau method as second opinion."""
    from scipy.integrate import solve_ivp

    mu = 1000.0
    model = exchange(built("van-der-pol", version), solver="ode23s", rtol=1e-6, parameters={"mu": mu})
    result = alone(model, until=1000.0)
    exact = solve_ivp(
        lambda t, x: [x[1], mu * (1.0 - x[0] ** 2) * x[1] - x[0]],
        (0.0, 1000.0), [2.0, 0.0], method="Radau", rtol=1e-9, atol=1e-12,
    )  # fmt: skip
    assert result["fmu.x"].values[-1] == pytest.approx(exact.y[0, -1], rel=1e-3)
    assert model.statistics["steps"] < 5000


def test_without_a_solver_a_stiff_phase_is_found_and_left_again(built, version):
    """Van der Pol, mu = 100: slow, stiff phases of some 80 s, and jumps that are not stiff between them.

    ode45 makes 12 000 steps, most of them at the border of its stability (3.3 over |lambda| of up to 300 per s).
    """
    parameters = {"mu": 100.0}
    chosen = exchange(built("van-der-pol", version), parameters=parameters)
    stiff = exchange(built("van-der-pol", version), solver="ode23s", parameters=parameters, rtol=1e-8, atol=1e-11)
    explicit = exchange(built("van-der-pol", version), solver="ode45", parameters=parameters)
    result, reference, _ = (alone(model, until=200.0, step=1.0) for model in (chosen, stiff, explicit))
    assert chosen.statistics["steps"] < explicit.statistics["steps"] / 4
    assert chosen.statistics["evaluations"] < explicit.statistics["evaluations"] / 4
    # rtol of 1e-6 moves a jump by about 1e-3 s: the samples, at least 1 s from a jump, hardly change
    assert np.allclose(result["fmu.x"].values, reference["fmu.x"].values, rtol=0, atol=1e-3)


def test_a_model_that_is_not_stiff_is_solved_by_ode45_to_the_bit(built, version):
    path = built("van-der-pol", version)
    chosen, explicit = (alone(exchange(path, solver=solver), until=20.0) for solver in ("auto", "ode45"))
    assert np.array_equal(chosen["fmu.x"].time, explicit["fmu.x"].time)
    assert np.array_equal(chosen["fmu.x"].values, explicit["fmu.x"].values)


def test_a_stiff_model_that_refuses_states_beside_its_solution_goes_on_with_ode45(built, version):
    """Its Jacobian cannot be found: x is at its limit for the first step, and every shift of it is beyond that."""
    model = exchange(built("van-der-pol", version), parameters={"mu": 50.0, "limit": 2.0})
    free = exchange(built("van-der-pol", version), parameters={"mu": 50.0})
    result, expected = alone(model, until=30.0, step=1.0), alone(free, until=30.0, step=1.0)
    assert np.allclose(result["fmu.x"].values, expected["fmu.x"].values, rtol=0, atol=1e-4)


def test_a_stiff_model_goes_on_from_a_state_with_the_same_solver(built, version):
    def fmu(**more):
        return exchange(built("van-der-pol", version), parameters={"mu": 1000.0}, **more)

    model = fmu()
    system = cp.System("first")
    system.add("fmu", model, step=1.0)
    with system.start(until=20.0) as run:
        run.step_to(10.0)
        state = model.save_state()
    resumed = exchange(built("van-der-pol", version), state=state)
    system = cp.System("second")
    system.add("fmu", resumed, step=1.0)
    result = system.run(start=10.0, until=20.0)
    assert resumed.statistics["steps"] < 100  # ode45 would need 900 for it to be seen again
    whole = alone(fmu(), until=20.0, step=1.0)
    assert np.array_equal(result["fmu.x"].values, whole["fmu.x"].values[10:])


def test_states_are_measured_in_their_nominal_values(built, version):
    """A million times larger states with nominal values to match: the same steps, bit for bit."""
    path = built("van-der-pol", version)
    unit = 2.0**20
    plain = alone(exchange(path, atol=1e-3), until=10.0)
    large = exchange(path, atol=1e-3, parameters={"unit": unit}, start={"x": 2.0 * unit})
    scaled = alone(large, until=10.0)
    assert np.array_equal(plain["fmu.x"].time, scaled["fmu.x"].time)
    assert np.array_equal(plain["fmu.x"].values * unit, scaled["fmu.x"].values)


def test_an_evaluation_that_the_fmu_discards_is_tried_again_with_a_smaller_step(built, version):
    model = exchange(built("van-der-pol", version), first_step=10.0, parameters={"limit": 2.1, "mu": 0.5})
    result = alone(model, until=5.0)
    free = alone(exchange(built("van-der-pol", version), parameters={"mu": 0.5}, rtol=1e-9), until=5.0)
    assert result["fmu.x"].values[-1] == pytest.approx(free["fmu.x"].values[-1], abs=1e-4)


def test_an_evaluation_that_is_discarded_at_every_step_says_so(built, version):
    parameters = {"limit": 1.0}
    with pytest.raises(cp.SolverError, match='the derivative of state "x" cannot be evaluated at t = 0 s'):
        alone(exchange(built("van-der-pol", version), parameters=parameters))
    with pytest.raises(cp.SolverError, match=r'state "." became NaN .* the FMU could not evaluate its equations there'):
        alone(exchange(built("van-der-pol", version), solver="ode4", parameters={"limit": 2.0}, start={"v": 1.0}))


@pytest.mark.parametrize("n", [4, 9])
def test_a_state_may_be_an_array_whose_length_is_a_parameter(built, n):
    """The slowest mode of the rod, sin(i pi / (n + 1)), decays as exp(-4 k sin^2(pi / 2 (n + 1)) t)."""
    mode = np.sin(np.arange(1, n + 1) * np.pi / (n + 1))
    rate = 4.0 * 2.0 * np.sin(0.5 * np.pi / (n + 1)) ** 2
    model = exchange(built(ROD, 3), rtol=1e-9, parameters={"n": n, "k": 2.0}, start={"T": mode.tolist()})
    assert (model.outputs, model.offers_derivatives) == ({"T": n, "mean": 1}, True)
    system = cp.System()
    system.add("rod", model, step=0.1)
    system.add("sum", cp.ode(lambda t, x, u: u, [0.0], inputs="mean", outputs="x", solver="ode4"), step=0.1)
    system.connect("rod.mean", "sum.mean", cp.taylor(1))  # with derivatives by the chain rule
    result = system.run(until=1.0, scheme="parallel")
    assert result["rod.T"].values[-1] == pytest.approx(mode * np.exp(-rate), abs=1e-7)
    integral = mode.mean() * (1.0 - np.exp(-rate)) / rate
    assert result["sum.x"].values[-1] == pytest.approx(integral, abs=0.01 * rate**2)


# in a system


def pair(path, approximation=None, **options):
    parameters = {"m": 1.0, "k": 10.0, "c": 0.1, "kc": 5.0, "dc": 0.2}
    system = cp.System("pair")
    system.add("a", exchange(path, parameters=parameters, outputs=["x", "v"], **options))
    system.add("b", exchange(path, parameters=parameters, outputs=["x", "v"], start={"x": 0.0}, **options))
    for source, target in (("a", "b"), ("b", "a")):
        system.connect(f"{source}.x", f"{target}.x_other", approximation)
        system.connect(f"{source}.v", f"{target}.v_other", approximation)
    return system


def exact_pair(t):
    from scipy.linalg import expm

    matrix = np.array([[0, 1, 0, 0], [-15, -0.3, 5, 0.2], [0, 0, 0, 1], [5, 0.2, -15, -0.3]])
    return expm(t * matrix) @ [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("approximation", [cp.lagrange(2), cp.taylor(1), cp.hermite()], ids=str)
def test_two_coupled_fmus_follow_the_exact_solution(built, version, approximation):
    """States are outputs, so that their derivatives are known: Taylor and Hermite have what they need."""
    result = pair(built("oscillator", version), approximation, solver="ode4", step=0.01).run(until=5.0)
    exact = exact_pair(5.0)
    assert result["a.x"].values[-1] == pytest.approx(exact[0], abs=2e-4)
    assert result["b.v"].values[-1] == pytest.approx(exact[3], abs=2e-3)


def test_two_fmus_at_their_own_pace_are_coupled(built, version):
    result = pair(built("oscillator", version), cp.lagrange(2), solver="ode45", max_step=0.02).run(until=5.0)
    assert result["a.x"].values[-1] == pytest.approx(exact_pair(5.0)[0], abs=1e-3)


def test_others_see_a_solver_with_long_steps_as_well_as_they_see_anything(built, version):
    """A parabola is one step for ode45; seen as one line it would be off by its height. Seen every 10 ms, by 1.2e-4."""

    def oscillator(**options):
        system = cp.System("ball")
        system.add("ball", cp.fmu(built("bouncing-ball", version), kind="model-exchange", **options))
        system.add("mass", cp.fmu(built("oscillator", version), parameters={"kc": 10.0}), step=0.01)
        system.connect("ball.h", "mass.x_other")
        return system.run(until=1.5)["mass.x"].values

    assert np.abs(oscillator() - oscillator(max_step=1e-3)).max() < 1e-4
    assert np.abs(oscillator(max_step=10.0) - oscillator(max_step=1e-3)).max() > 1e-2


def test_threads_change_no_bit(built, version):
    runs = [pair(built("oscillator", version), step=0.01).run(until=1.0, scheme="parallel", threads=n) for n in (1, 2)]
    assert np.array_equal(*(run["a.x"].values for run in runs))


def test_a_neighbour_sees_an_event_when_it_happens(built, version):
    """The time integral of the number of bounces until 1 s, by trapezia between samples that stand at the impacts."""
    system = cp.System()
    system.add("ball", exchange(built("bouncing-ball", version)))
    system.add("count", cp.ode(lambda t, x, u: u, [0.0], inputs="n", outputs="integral"), step=0.01)
    system.connect("ball.bounces", "count.n", cp.hold())
    result = system.run(until=1.0, scheme=cp.sequential(["ball", "count"]))
    first = impacts(1)[0]
    assert result["count.integral"].values[-1] == pytest.approx(1.0 - first, abs=2e-2)


def test_outputs_follow_inputs_at_once_where_the_description_says_so(built, version):
    model = exchange(built("oscillator", version))
    assert set(model.feedthrough) == {
        ("a", "force"), ("a", "x_other"), ("a", "v_other"), ("f", "x_other"), ("f", "v_other"),
    }  # fmt: skip
    system = cp.System()
    system.add("fmu", model, step=0.1)
    system.add("push", cp.source(lambda t: 10.0 * t, outputs="y", units={"y": "N"}), step=0.1)
    system.connect("push.y", "fmu.force", cp.lagrange(1))
    result = system.run(until=0.5, scheme=cp.sequential(["push", "fmu"]))
    x, a = result["fmu.x"], result["fmu.a"]
    assert a.values == pytest.approx(10.0 * a.time - 100.0 * x.values, abs=1e-9)


def test_a_loop_of_feedthrough_is_named(built, version):
    system = cp.System()
    for name in ("left", "right"):
        system.add(name, exchange(built("oscillator", version), outputs=["a"]), step=0.01)
    system.connect("left.a", "right.force", convert=False)
    system.connect("right.a", "left.force", convert=False)
    with pytest.raises(cp.AlgebraicLoopError, match=r"left.a -> right.force -> right.a -> left.force"):
        system.run(until=1.0)


def test_derivatives_of_outputs_are_offered_only_where_they_are_known(built, changed, version):
    """Of states they are; the acceleration depends on inputs, whose derivatives are unknown; f here on states alone."""
    path = built("oscillator", version)
    assert exchange(path, outputs=["x", "v"]).offers_derivatives
    assert not exchange(path, outputs=["x", "a"]).offers_derivatives
    assert exchange(changed(path, {"modelDescription.xml": force_of_states}), outputs=["f", "v"]).offers_derivatives
    assert not exchange(built("relay", version), outputs=["switches"]).offers_derivatives


def force_of_states(data):
    """Leave the inputs out of what the coupling force f depends on."""
    old, new = (b'index="14" dependencies="9 10 11 12"', b'index="14" dependencies="11 12"')
    if b'fmiVersion="3.0"' in data:
        old, new = (b'valueReference="13" dependencies="8 9 10 11"', b'valueReference="13" dependencies="10 11"')
    assert old in data
    return data.replace(old, new)


def test_partial_derivatives_are_those_of_the_equations(built, version):
    model = exchange(built("oscillator", version), parameters={"m": 2.0, "k": 50.0}, step=0.01)
    system = cp.System()
    system.add("fmu", model)
    with system.start() as run:
        run.step_to(0.05)
        assert model.jacobian(["der(x)", "der(v)"], ["x", "v", "force"]).tolist() == [[0, 1, 0], [-25, 0, 0.5]]


def test_an_fmu_fails_with_the_name_of_the_state(built, version):
    model = exchange(built("oscillator", version), parameters={"m": 0.0}, step=0.1, outputs="x")
    with pytest.raises(
        cp.SolverError, match=r'fmu: step from t = 0 s .* the derivative of state "v" is NaN or infinite at t = 0 s'
    ):
        alone(model)


@pytest.mark.parametrize("model", [BOUNCING_BALL, RELAY, SAMPLER], ids=lambda m: m.name)
def test_a_run_may_be_repeated_with_the_same_bits(built, version, model):
    fmu = exchange(built(model, version))
    runs = [alone(fmu, until=0.9)["fmu." + ("h" if model is BOUNCING_BALL else "x")] for _ in range(2)]
    assert np.array_equal(runs[0].values, runs[1].values)
    assert np.array_equal(runs[0].time, runs[1].time)


@pytest.mark.parametrize(
    ("name", "signal", "step"), [("bouncing-ball", "h", None), ("sampler", "x", 0.07), ("relay", "x", None)]
)
def test_an_isolated_fmu_gives_the_same_bits(built, version, name, signal, step):
    """In a process of its own, at its own pace or not."""
    path = built(name, version)
    here, apart = exchange(path), exchange(path, isolate=True)
    runs = [alone(model, until=0.9, step=step)[f"fmu.{signal}"] for model in (here, apart)]
    assert np.array_equal(runs[0].time, runs[1].time)
    assert np.array_equal(runs[0].values, runs[1].values)
    assert here.statistics == apart.statistics


def test_an_isolated_fmu_hands_out_its_state_and_derivatives(built, version):
    path = built("oscillator", version)
    states = []
    for isolate in (False, True):
        model = exchange(path, isolate=isolate)
        system = cp.System()
        system.add("fmu", model, step=0.01)
        with system.start(until=1.0) as run:
            run.step_to(0.5)
            states.append(model.save_state())
            assert model.jacobian("der(v)", ["x", "force"]).tolist() == [[-100.0, 1.0]]
    assert states[0] == states[1]
    result = alone(exchange(path, state=states[1], isolate=True), step=0.01, start=0.5)
    unbroken = alone(exchange(path), step=0.01)
    # steps from 0.5 s on are counted from there: their ends differ in the last bits
    assert result["fmu.x"].values[-1] == pytest.approx(unbroken["fmu.x"].values[-1], abs=1e-12)
