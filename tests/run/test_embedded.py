"""The embedded interface: a host integrates by itself and asks `evaluate(t, y, is_major)`; facts/coupling.md A.2."""

import math

import numpy as np
import pytest

import counterpoint as cp


def interface(scheme="slowest-first", step=0.5, approximation=None, external=None, **options):
    system = cp.System()
    system.add_host("host", inputs=["u"], outputs=["y"])
    system.add("slow", external or cp.source(lambda t: t * t, outputs="x"), step=step)
    system.connect("slow.x", "host.u", approximation or cp.lagrange(1))
    if external is not None:
        system.connect("host.y", "slow.u", cp.lagrange(1))
    return system.embed("host", scheme, **options)


def test_slowest_first_advances_the_other_beyond_the_time_asked_and_interpolates():
    host = interface()
    assert host.evaluate(0.0, [0.0], True) == [0.0]
    assert host.time("slow") == 0.0  # at t = t_e nothing is advanced
    assert host.evaluate(0.2, [0.0], False) == pytest.approx([0.1])  # chord 0 .. 0.25
    assert host.time("slow") == 0.5
    assert host.evaluate(0.5, [0.0], True) == pytest.approx([0.25])
    assert host.time("slow") == 0.5
    assert host.evaluate(0.6, [0.0], True) == pytest.approx([0.25 + 0.2 * 0.75])
    assert host.values("slow") == [1.0]


def test_fastest_first_extrapolates_until_the_host_has_passed_the_others_step():
    host = interface(
        "fastest-first", external=cp.ode(lambda t, x, u: [2.0 * t], [0.0], inputs="u", outputs="x", solver="ode4")
    )
    host.evaluate(0.0, [0.0], True)
    assert host.evaluate(0.4, [0.0], True) == [0.0]
    assert host.time("slow") == 0.0
    assert host.evaluate(0.6, [0.0], True) == pytest.approx([0.3])  # line 0 .. 0.25 continued
    assert host.time("slow") == 0.5


def test_lagrange_zero_takes_the_value_ahead():
    host = interface(approximation=cp.lagrange(0))
    host.evaluate(0.0, [0.0], True)
    assert host.evaluate(0.1, [0.0], False) == [0.25]


def test_minor_calls_leave_no_trace():
    """Stages, Newton iterations and rejected steps of the host must not enter its history."""
    integrator = [cp.linear([[0.0]], [[1.0]], x0=[0.0], outputs="x", solver="ode4") for _ in range(2)]
    plain, busy = (interface("fastest-first", external=model) for model in integrator)
    for k in range(40):
        t, y = 0.1 * k, math.sin(0.1 * k)
        for minor in (0.01, 0.05, 0.09):
            busy.evaluate(t + minor - 0.1 if k else 0.0, [99.0], False)
        assert plain.evaluate(t, [y], True) == busy.evaluate(t, [y], True)


def test_a_coupled_host_is_near_the_closed_form():
    # x1' = -x1 + x2 (host, ode4 at 0.01), x2' = x1 - x2 (ours, step 0.1): x1 = 1/2 + exp(-2t)/2.
    host = interface(
        step=0.1,
        approximation=cp.lagrange(3),
        external=cp.linear([[-1.0]], [[1.0]], x0=[0.0], outputs="x", solver="ode4"),
    )
    x, h = 1.0, 0.01
    for k in range(200):
        t = h * k

        def slope(time, state, major=False):
            return -state + host.evaluate(time, [state], major)[0]

        k1 = slope(t, x, True)
        k2 = slope(t + h / 2, x + h / 2 * k1)
        k3 = slope(t + h / 2, x + h / 2 * k2)
        k4 = slope(t + h, x + h * k3)
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    # The slow side sees the host through straight lines extrapolated over 0.1: 2 * (0.1)^2 / 2 at worst.
    assert x == pytest.approx(0.5 + 0.5 * math.exp(-4.0), abs=1e-2)


def test_a_run_with_one_of_ours_as_host_streams_results_like_any_other():
    system = cp.System()
    system.add("fast", cp.linear([[0, 1], [-41, 0]], [[0], [40]], x0=[1, 0], outputs=["x", "v"]), step=0.01)
    system.add(
        "slow",
        cp.linear([[0, 1], [-1.4, 0]], [[0], [0.4]], x0=[1, 0], outputs=["x", "v"], solver="trapezoidal"),
        step=0.1,
    )
    system.connect("fast.x", "slow.u", cp.lagrange(2))
    system.connect("slow.x", "fast.u", cp.lagrange(2))
    embedded = system.run(until=1.0, host="fast")
    scheduled = system.run(until=1.0)
    np.testing.assert_allclose(embedded["fast.x"].time, scheduled["fast.x"].time)
    # A.5: advancing slow at stages or at major steps differs little at this frequency ratio.
    np.testing.assert_allclose(embedded["fast.x"].values, scheduled["fast.x"].values, atol=0.02)


def test_a_start_time_is_respected():
    host = interface(start=10.0)
    assert host.evaluate(10.0, [0.0], True) == [100.0]
    assert host.time("slow") == 10.0


@pytest.mark.parametrize("scheme", ["parallel", "sequential"])
def test_a_host_works_with_two_schemes(scheme):
    with pytest.raises(cp.SetupError, match='"slowest-first" or "fastest-first"'):
        interface(scheme)


def test_an_unknown_host_is_named():
    system = cp.System()
    system.add_host("host", inputs=[], outputs=["y"])
    with pytest.raises(cp.SetupError, match='no subsystem "hots"'):
        system.embed("hots")


def test_a_host_cannot_run_by_itself():
    system = cp.System()
    system.add_host("host", inputs=[], outputs=["y"])
    with pytest.raises(cp.SetupError, match=r'call embed\("host"\)'):
        system.run(until=1.0)


def test_approximations_that_need_the_consumers_step_are_refused():
    with pytest.raises(cp.SetupError, match="which a host does not provide"):
        interface(approximation=cp.transition(1))


@pytest.mark.parametrize("outputs", [[], [1.0, 2.0]])
def test_a_wrong_number_of_outputs_is_counted(outputs):
    with pytest.raises(ValueError, match=f"{len(outputs)} outputs given; the host has 1"):
        interface().evaluate(0.0, outputs, True)


def test_nan_from_the_host_names_it_its_output_and_the_time():
    host = interface()
    host.evaluate(0.0, [0.0], True)
    with pytest.raises(cp.SimulationError) as caught:
        host.evaluate(0.25, [float("nan")], True)
    text = str(caught.value)
    assert "host" in text and '"y"' in text and "NaN" in text and "0.25" in text


def test_an_earlier_failure_does_not_colour_a_later_one():
    host = interface()
    host.evaluate(0.0, [0.0], True)
    with pytest.raises(cp.SimulationError):
        host.evaluate(0.25, [float("nan")], True)
    with pytest.raises(ValueError, match="2 outputs given"):
        host.evaluate(0.3, [0.0, 1.0], True)


def test_a_major_step_back_in_time_is_refused_with_both_times():
    host = interface()
    host.evaluate(0.0, [0.0], True)
    host.evaluate(0.4, [0.0], True)
    with pytest.raises(cp.SimulationError, match=r"0\.2.*before.*0\.4") as caught:
        host.evaluate(0.2, [0.0], True)
    assert not isinstance(caught.value, cp.NotFiniteError)


@pytest.mark.parametrize("time", [float("nan"), float("inf"), -float("inf")])
def test_a_time_that_is_no_time_is_refused(time):
    host = interface()
    host.evaluate(0.0, [0.0], True)
    with pytest.raises((ValueError, cp.CounterpointError), match="finite"):
        host.evaluate(time, [0.0], False)


def test_an_exception_of_an_external_names_it_and_keeps_the_cause():
    def tank(t, x, u):
        if t > 0.7:
            raise OverflowError("too full")
        return [0.0]

    host = interface(external=cp.ode(tank, [0.0], inputs="u", outputs="x", solver="ode1"))
    host.evaluate(0.0, [0.0], True)
    host.evaluate(0.6, [0.0], True)
    with pytest.raises(cp.SimulationError) as caught:
        host.evaluate(1.6, [0.0], True)
    assert caught.value.subsystem == "slow"
    assert isinstance(caught.value.__cause__, OverflowError)
    assert "slow: step from t = 1 s to 1.5 s failed" in str(caught.value)


@pytest.mark.parametrize("ask", ["values", "time"])
def test_an_unknown_name_is_answered_with_a_hint(ask):
    with pytest.raises(cp.SetupError, match="slow"):
        getattr(interface(), ask)("slwo")
