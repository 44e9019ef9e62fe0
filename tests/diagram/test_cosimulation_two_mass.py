"""The two-mass problem with the fast mass as a diagram: master of the slow one, or a subsystem beside it."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.studies.two_mass import references
from counterpoint.studies.two_mass.experiment import Case, Driver, build, run_case
from counterpoint.studies.two_mass.measures import Trajectory, measure

STABLE = [key for key in references.EMBEDDED if key[0] <= 60]


def fast_diagram(case, **options):
    """The fast mass without what drives it: diagram, x, and the function that connects x2."""
    a = case.problem().matrix
    model = cp.Diagram("fast", **options)
    x = model.integrator(initial=float(case.problem().start[0]), name="x")
    v = model.integrator(name="v")
    v >> x

    def drive(x2):
        v.connect(a[1, 0] * x + a[1, 2] * x2)
        model.output("x1", x)
        model.output("v1", v)

    return model, x, drive


def slow_mass(case):
    return build(case).subsystems["slow"].subsystem


def master(case, *, solver="ode4", event=None, **options):
    """The diagram with the slow mass in a co-simulation block."""
    others = cp.System("others")
    others.add_host("diagram", inputs=["x2"], outputs=["x1"])
    others.add("slow", slow_mass(case), step=case.slow_step)
    others.connect("slow.x2", "diagram.x2", cp.lagrange(case.order))
    others.connect("diagram.x1", "slow.x1", cp.lagrange(case.order))
    model, x, drive = fast_diagram(case, solver=solver, **options)
    block = model.cosimulation(others, x, scheme=case.scheme, name="slow_side")
    drive(block["x2"])
    if event is not None:
        clock = model.integrator(1.0, initial=-event, name="clock")
        model.output("since_event", model.integrator(1.0, reset=clock, name="since_event"))
    return model, block


def trajectory(fast, slow):
    return Trajectory(
        fast.index.to_numpy(), fast["x1"].to_numpy(), fast["v1"].to_numpy(),
        slow.index.to_numpy(), slow["x2"].to_numpy(), slow["v2"].to_numpy(),
    )  # fmt: skip


def position_error(case, **options):
    model, block = master(case, **options)
    fast = model.run(until=100.0, step=0.01)["fast"]
    return measure(case.problem(), trajectory(fast, block.result()["slow"])).dx


@pytest.mark.parametrize(("key", "expected"), references.EMBEDDED.items(), ids=str)
def test_the_block_meets_the_reference_position_errors_of_the_embedded_interface(key, expected):
    for order, dx in enumerate(expected):
        assert position_error(Case(*key, order)) == pytest.approx(dx, rel=references.tolerance(key[0], dx)), order


@pytest.mark.parametrize("key", [key for key in STABLE if key[1] == "slowest-first"], ids=str)
def test_a_variable_step_diagram_meets_them_where_stages_do_not_matter(key):
    """In slowest-first every stage of a step sees the same interpolant, so only the solver differs: 3e-4.

    With order 0 (value ahead from the second stage on) and in fastest-first the weights of the stages enter.
    """
    for order, dx in list(enumerate(references.EMBEDDED[key]))[1:4]:
        # Tolerances so wide that every step is the whole communication step of 0.01 s.
        assert position_error(Case(*key, order), solver="ode45", rtol=1e-3, atol=1.0) == pytest.approx(dx, rel=3e-4)


@pytest.mark.parametrize("key", [key for key in STABLE if key[0] <= 30], ids=str)
def test_an_event_inside_a_step_does_not_spoil_them(key):
    """An attempt is taken back and there is one sample more, at t = 50.0037 s: other polynomials in one slow step.

    That moves the error by up to 1.5e-4 of itself; order 0 holds values and sees more of it.
    """
    for order, dx in list(enumerate(references.EMBEDDED[key]))[1:]:
        assert position_error(Case(*key, order), event=50.0037) == pytest.approx(dx, rel=3e-4), order


DORMAND_PRINCE = (
    (0.0, ()),
    (1 / 5, (1 / 5,)),
    (3 / 10, (3 / 40, 9 / 40)),
    (4 / 5, (44 / 45, -56 / 15, 32 / 9)),
    (8 / 9, (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729)),
    (1.0, (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656)),
    (1.0, (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)),
)


@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first"])
@pytest.mark.parametrize("order", [0, 2])
def test_ode45_in_a_diagram_is_a_hand_written_host_with_the_same_stages(scheme, order):
    case = Case(10.0, scheme, order)
    model, block = master(case, solver="ode45", rtol=1e-3, atol=1.0, first_step=0.01)
    found = model.run(until=5.0, step=0.01)["fast.x1"].values
    interface = block.coupling.system.embed("diagram", scheme)
    a = case.problem().matrix
    state = np.array([case.problem().start[0], 0.0])
    expected = [state[0]]
    for n in range(500):
        slopes = []
        for stage, (c, weights) in enumerate(DORMAND_PRINCE):
            x = state + 0.01 * sum((w * k for w, k in zip(weights, slopes, strict=True)), np.zeros(2))
            (x2,) = interface.evaluate((n + c) * 0.01, [x[0]], stage == 0)
            slopes.append(np.array([x[1], a[1, 0] * x[0] + a[1, 2] * x2]))
        state = x
        expected.append(state[0])
    # The same algorithm in other arithmetic: rounding only.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def beside(case, until=100.0, **options):
    """The diagram as one of two subsystems."""
    model, _, drive = fast_diagram(case)
    drive(model.input("x2"))
    system = cp.System("two masses")
    system.add("fast", model, step=0.01)
    system.add("slow", slow_mass(case), step=case.slow_step)
    system.connect("slow.x2", "fast.x2", cp.lagrange(case.order))
    system.connect("fast.x1", "slow.x1", cp.lagrange(case.order))
    result = system.run(until=until, scheme=case.scheme, first_steps="once", **options)
    return trajectory(result["fast"], result["slow"])


@pytest.mark.parametrize(("key", "expected"), references.PRECEDENCE.items(), ids=str)
def test_a_diagram_as_a_subsystem_meets_the_reference_errors_of_the_precedence_rule(key, expected):
    for order, dx in enumerate(expected):
        case = Case(*key, order)
        assert measure(case.problem(), beside(case)).dx == pytest.approx(dx, rel=references.RELATIVE_PRECEDENCE), order


def test_a_diagram_as_a_subsystem_is_as_good_as_a_compiled_linear_model():
    case = Case(10.0, "slowest-first", 3, driver=Driver.PRECEDENCE)
    assert measure(case.problem(), beside(case)).dx == pytest.approx(run_case(case).dx, rel=1e-6)


@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first", "parallel"])
def test_threads_change_no_bit(scheme):
    case = Case(7.3, scheme, 2)
    one, four = beside(case, until=5.0), beside(case, until=5.0, threads=4)
    np.testing.assert_array_equal(one.x1, four.x1)
    np.testing.assert_array_equal(one.x2, four.x2)
