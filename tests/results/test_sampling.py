import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.errors import SetupError
from counterpoint.results.sampling import sample

T = np.array([0.0, 0.1, 0.35, 0.4, 0.9, 1.0])


@pytest.mark.parametrize(("kind", "power"), [("hold", 0), ("linear", 1), ("cubic", 3)])
def test_a_kind_is_exact_for_polynomials_of_its_order(kind, power):
    x = np.linspace(0.0, 1.0, 101)
    assert sample(x, T, (T - 0.3) ** power, kind, "y") == pytest.approx((x - 0.3) ** power, abs=1e-14)


@pytest.mark.parametrize(("kind", "order"), [("hold", 1), ("linear", 2), ("cubic", 4)])
def test_the_error_falls_with_the_order_of_the_kind(kind, order):
    def error(n):
        t = np.linspace(0.0, 1.0, n + 1) ** 1.3
        x = np.linspace(0.0, 1.0, 1001)
        return np.abs(sample(x, t, np.sin(6 * t), kind, "y") - np.sin(6 * x)).max()

    assert np.log2(error(100) / error(200)) == pytest.approx(order, abs=0.15)


@given(
    steps=st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=30),
    kind=st.sampled_from(["hold", "linear", "cubic"]),
)
def test_every_kind_returns_the_samples_at_their_own_times(steps, kind):
    t = np.cumsum([0.0, *steps])
    y = np.cos(np.arange(len(t)))
    assert np.array_equal(sample(t, t, y, kind, "y"), y)


def test_hold_is_the_last_sample_at_or_before():
    assert sample([0.0, 0.099, 0.1, 0.36], T, np.arange(6.0), "hold", "y").tolist() == [0.0, 0.0, 1.0, 2.0]


@pytest.mark.parametrize("kind", ["linear", "hold", "cubic"])
@pytest.mark.parametrize("time", [-0.01, 1.01, np.nan, np.inf])
def test_outside_the_samples_is_an_error_that_names_the_range(kind, time):
    with pytest.raises(SetupError, match=r"engine\.speed: t = \S+ s is outside .* from 0 s to 1 s"):
        sample([0.5, time], T, T, kind, "engine.speed")


def test_an_end_missed_by_rounding_is_inside():
    t = np.cumsum([0.0] + [0.1] * 10)
    assert t[-1] != 1.0
    assert sample(1.0, t, t, "linear", "y") == t[-1]


@pytest.mark.parametrize("kind", ["linear", "hold", "cubic"])
def test_one_sample_is_known_at_its_time_only(kind):
    assert sample(3.0, np.array([3.0]), np.array([7.0]), kind, "y") == 7.0
    with pytest.raises(SetupError, match="from 3 s to 3 s"):
        sample(3.1, np.array([3.0]), np.array([7.0]), kind, "y")


@pytest.mark.parametrize("kind", ["linear", "hold", "cubic"])
def test_of_two_samples_at_one_time_the_later_counts(kind):
    t, y = np.array([0.0, 1.0, 1.0, 2.0, 2.0]), np.array([0.0, 1.0, 5.0, 5.0, 9.0])
    assert sample([1.0, 2.0], t, y, kind, "y").tolist() == [5.0, 9.0]


def calls_for_jumps(kind, count):
    """Return how many functions are called to sample a signal with so many jumps."""
    t = np.repeat(np.arange(count) * 1e-4, 2)
    times, y = np.linspace(0.0, t[-1], count), np.arange(len(t)) % 2.0
    calls = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, argument: calls.append(event))
    try:
        sample(times, t, y, kind, "y")
    finally:
        sys.setprofile(before)
    return calls.count("call") + calls.count("c_call")


@pytest.mark.parametrize("kind", ["linear", "hold", "cubic"])
def test_many_jumps_cost_no_more_than_as_many_samples(kind):
    """No loop over the stretches between jumps: ten times as many take the same number of function calls.

    Up to a few: what other tests have left is cleared away at any time, and calls functions, too.
    """
    assert calls_for_jumps(kind, 10_000) < 1.5 * calls_for_jumps(kind, 1000)


def test_no_samples_and_unknown_kinds_are_errors():
    with pytest.raises(SetupError, match="y: has no samples"):
        sample(0.0, np.empty(0), np.empty(0), "linear", "y")
    with pytest.raises(SetupError, match='unknown kind "spline"'):
        sample(0.0, T, T, "spline", "y")


def test_the_shape_of_the_times_is_kept():
    assert sample(np.full((2, 3), 0.5), T, T, "linear", "y").shape == (2, 3)
    assert sample(np.full((2, 3), 0.5), T, np.column_stack([T, T]), "cubic", "y").shape == (2, 3, 2)
    assert sample([], T, T, "linear", "y").shape == (0,)
