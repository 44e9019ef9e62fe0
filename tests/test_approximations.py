"""Approximations from the user's side: orders of convergence, a user's own, bad arguments."""

import math

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.errors import SetupError


def uneven_grid(h: float, count: int) -> np.ndarray:
    """Steps of about h that are nowhere equal, ending at t = 1."""
    steps = h * (1.0 + 0.35 * np.sin(1.7 * np.arange(count)))
    return 1.0 + np.concatenate([[0.0], np.cumsum(steps)]) - steps.sum()


def signal(t):
    """A signal none of whose derivatives is small where it is looked at."""
    return np.exp(2.0 * t)


def slope(t):
    return 2.0 * np.exp(2.0 * t)


def largest_error(approximation, h, *, beyond, derivatives):
    times = uneven_grid(h, 16)
    low, high = (times[-1], times[-1] + h) if beyond else (times[8], times[-1])
    at = np.linspace(low, high, 101)
    slopes = slope(times) if derivatives else None
    return np.abs(cp.approximate(approximation, times, signal(times), at, derivatives=slopes) - signal(at)).max()


def observed_order(approximation, *, beyond, derivatives=False):
    """Slope of log error over log step between two refinements; the finest errors stay above rounding."""
    coarse = largest_error(approximation, 0.02, beyond=beyond, derivatives=derivatives)
    fine = largest_error(approximation, 0.005, beyond=beyond, derivatives=derivatives)
    return math.log(coarse / fine, 4.0)


@pytest.mark.parametrize("beyond", [False, True], ids=["interpolation", "extrapolation"])
@pytest.mark.parametrize(
    ("approximation", "order"),
    [
        (cp.hold("behind"), 1),
        (cp.hold("ahead"), 1),
        *[(cp.lagrange(p), p + 1) for p in range(5)],
        *[(cp.taylor(p), p + 1) for p in range(5)],
        *[(cp.least_squares(p, p + 3), p + 1) for p in range(5)],
        (cp.hermite(), 3),
        *[(cp.variable_order(p), p + 1) for p in range(4)],
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_error_falls_with_the_order_promised(approximation, order, beyond):
    assert observed_order(approximation, beyond=beyond) == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("order", [1, 2])
def test_in_the_middle_between_samples_taylor_expands_about_the_later_one(order):
    """A Runge-Kutta stage is there in every step; where rounding chose, equal steps were of two kinds."""
    system = cp.System("oscillation and its integral")
    states = dict(inputs="u", solver="ode4")
    system.add("source", cp.linear([[0, 9], [-9, 0]], [[0], [0]], [[1, 0]], x0=[1, 0], outputs="y", **states), step=0.1)
    system.set("source.u", 0.0)
    system.add("sink", cp.linear([[0]], [[1]], [[1]], x0=[0], outputs="x", **states), step=0.1)
    system.connect("source.y", "sink.u", cp.taylor(order))
    result = system.run(until=20.0, scheme="sequential", first_steps="once", check="off")
    z = 0.9j
    factor = 1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24  # of the source in one step
    grown = np.diff(result["sink.x"].values)[3:]
    left = grown[2:] - 2 * factor.real * grown[1:-1] + abs(factor) ** 2 * grown[:-2]
    assert np.abs(left).max() < 1e-12


@pytest.mark.parametrize("beyond", [False, True], ids=["interpolation", "extrapolation"])
@pytest.mark.parametrize(
    ("approximation", "order"),
    [(cp.hermite(), 4), *[(cp.taylor(p), p + 1) for p in range(5)]],
    ids=lambda value: getattr(value, "name", value),
)
def test_slopes_from_the_subsystem_give_the_order_promised(approximation, order, beyond):
    assert observed_order(approximation, beyond=beyond, derivatives=True) == pytest.approx(order, abs=0.3)


def test_slopes_make_hermite_better_than_divided_differences():
    with_slopes = largest_error(cp.hermite(), 0.02, beyond=False, derivatives=True)
    without = largest_error(cp.hermite(), 0.02, beyond=False, derivatives=False)
    assert with_slopes < 0.1 * without


@pytest.mark.parametrize("order", range(5))
def test_vectors_are_approximated_component_by_component(order):
    times = uneven_grid(0.1, 6)
    values = np.column_stack([signal(times), -2.0 * signal(times), np.ones_like(times)])
    at = [0.7, 0.95, 1.2]
    together = cp.approximate(cp.lagrange(order), times, values, at)
    alone = np.column_stack([cp.approximate(cp.lagrange(order), times, column, at) for column in values.T])
    assert together.shape == (3, 3)
    np.testing.assert_array_equal(together, alone)


class Quadratic(cp.Approximation):
    """What lagrange(2) does, written by a user."""

    points = 3

    def evaluate(self, times, values, t):
        return np.array([np.polyval(np.polyfit(times, column, len(times) - 1), t) for column in values.T])


def coupled_oscillators(approximation):
    system = cp.System()
    system.add("fast", cp.linear([[0, 1], [-40, -1]], [[0], [40]], x0=[1, 0], outputs=["x", "v"]), step=0.02)
    system.add("slow", cp.linear([[0, 1], [-1, 0]], [[0], [0.4]], x0=[1, 0], outputs=["x", "v"]), step=0.07)
    system.connect("fast.x", "slow.u", approximation)
    system.connect("slow.x", "fast.u", approximation)
    return system


@pytest.mark.parametrize("scheme", ["slowest-first", "fastest-first", "parallel"])
def test_a_users_own_approximation_runs_in_a_system_like_a_built_in_one(scheme):
    own = coupled_oscillators(Quadratic()).run(until=1.0, scheme=scheme, first_steps="once")
    ours = coupled_oscillators(cp.lagrange(2)).run(
        until=1.0, scheme=scheme, first_steps="once"
    )  # built-in: centred repeats
    # The same polynomial through another formula: polyfit is good to about 1e-10.
    np.testing.assert_allclose(own["fast.x"].values, ours["fast.x"].values, rtol=0, atol=1e-8)
    np.testing.assert_allclose(own["slow.x"].values, ours["slow.x"].values, rtol=0, atol=1e-8)


def test_a_users_own_approximation_gets_the_newest_samples_oldest_first():
    asked = []

    class Recording(cp.Approximation):
        points = 3

        def evaluate(self, times, values, t):
            asked.append((times.copy(), values.copy(), t))
            return values[-1]

    system = cp.System()
    system.add("clock", cp.source(lambda t: [t, 10.0 * t], outputs={"y": 2}), step=0.5)
    system.add("sink", cp.ode(lambda t, x, u: [u[0]], [0.0], inputs={"u": 2}, solver="ode1"), step=0.25)
    system.connect("clock.y", "sink.u", Recording())
    system.run(until=2.0)
    assert asked
    for times, values, t in asked:
        assert 1 <= len(times) <= 3
        assert values.shape == (len(times), 2)
        assert np.all(np.diff(times) > 0.0)
        np.testing.assert_allclose(values[:, 1], 10.0 * times)
        # The newest sample is the closest one ahead of t: the source steps by 0.5.
        assert t < times[-1] <= t + 0.5 or t == times[-1] == 2.0
    assert max(len(times) for times, _, _ in asked) == 3


def test_a_users_own_approximation_has_a_name_for_tables():
    assert Quadratic().name == "Quadratic"
    assert repr(Quadratic()) == "<Quadratic>"
    assert not Quadratic().depends_on_step


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: cp.lagrange(5), ["lagrange", "5", "0 to 4"]),
        (lambda: cp.lagrange(-1), ["lagrange", "-1", "0 to 4"]),
        (lambda: cp.taylor(7), ["taylor", "7", "0 to 4"]),
        (lambda: cp.transition(9), ["transition", "9", "0 to 4"]),
        (lambda: cp.least_squares(2, 2), ["least squares", "2", "3 to 64"]),
        (lambda: cp.least_squares(5, 9), ["least squares", "5", "0 to 4"]),
        (lambda: cp.least_squares(1, 100), ["least squares", "100", "2 to 64"]),
        (lambda: cp.lagrange(10**12), ["lagrange", "order 1000000000000", "integer"]),
        (lambda: cp.taylor(1.5), ["taylor", "order 1.5", "integer"]),
        (lambda: cp.least_squares(1, "4"), ["least squares", "points '4'", "integer"]),
        (lambda: cp.hold("left"), ["hold", "left", "behind", "ahead"]),
        (lambda: cp.mean("geometric"), ["mean", "geometric", "arithmetic", "time-weighted"]),
    ],
)
def test_a_bad_argument_is_named_with_what_is_allowed(make, words):
    with pytest.raises(SetupError) as caught:
        make()
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("times", "values", "derivatives", "word"),
    [
        ([], [], None, "non-empty"),
        ([0.0, 0.0], [1.0, 2.0], None, "strictly increasing"),
        ([1.0, 0.0], [1.0, 2.0], None, "strictly increasing"),
        ([[0.0, 1.0]], [[1.0, 2.0]], None, "strictly increasing"),
        ([0.0, 1.0], [1.0], None, "1 rows for 2 times"),
        ([0.0, 1.0], [1.0, 2.0], [1.0], "derivatives of the same shape"),
    ],
)
def test_samples_that_do_not_fit_are_refused(times, values, derivatives, word):
    with pytest.raises(ValueError, match=word):
        cp.approximate(cp.lagrange(1), times, values, [0.5], derivatives=derivatives)


def test_no_times_asked_is_no_values():
    assert cp.approximate(cp.lagrange(1), [0.0, 1.0], [0.0, 1.0], []).shape == (0,)


def test_an_approximation_without_points_is_refused():
    class Pointless(cp.Approximation):
        points = 0

        def evaluate(self, times, values, t):
            return 0.0

    with pytest.raises(SetupError, match="at least one point"):
        cp.approximate(Pointless(), [0.0], [1.0], [0.0])


def test_an_approximation_without_evaluate_says_what_is_missing():
    class Empty(cp.Approximation):
        pass

    with pytest.raises(NotImplementedError, match=r"Empty must define evaluate"):
        cp.approximate(Empty(), [0.0], [1.0], [0.0])


def test_an_approximation_that_returns_too_many_values_is_named():
    class Generous(cp.Approximation):
        def evaluate(self, times, values, t):
            return [1.0, 2.0]

    with pytest.raises(ValueError, match=r"Generous returned 2 values; expected 1"):
        cp.approximate(Generous(), [0.0], [1.0], [0.0])
