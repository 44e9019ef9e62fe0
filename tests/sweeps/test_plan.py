import pickle

import numpy as np
import pytest
from scipy.stats import qmc

import counterpoint as cp
from counterpoint.sweeps.axes import Axis, make_axis
from counterpoint.sweeps.plan import make_plan


def test_a_grid_visits_all_combinations_and_its_last_axis_changes_fastest():
    plan = make_plan({"a": [1, 2], "b": ["x", "y", "z"]})
    assert [plan.point(k) for k in range(plan.count)] == [[a, b] for a in (1, 2) for b in "xyz"]


def test_ranges_have_both_ends():
    assert make_axis("a", cp.sweeps.span(0.0, 1.0, 5)).values == (0.0, 0.25, 0.5, 0.75, 1.0)
    np.testing.assert_allclose(make_axis("a", cp.sweeps.span(1e-3, 1.0, 4, scale="log")).values, [1e-3, 1e-2, 0.1, 1.0])
    assert make_axis("a", {"from": 0.0, "to": 1.0, "step": 0.1}).values[-1] == pytest.approx(1.0)


def test_a_range_of_times_is_written_with_units():
    axis = make_axis("a", cp.sweeps.span("5 ms", "10 ms", 3))
    assert axis.values == (0.005, 0.0075, 0.01)
    assert make_axis("a", {"from": "0 s", "to": "1 min", "step": "20 s"}).values == (0.0, 20.0, 40.0, 60.0)
    plan = make_plan({"a": cp.sweeps.span("1 us", "1 ms", scale="log"), "b": [2]}, "latin-hypercube", points=4)
    assert all(1e-6 <= plan.point(k)[0] <= 1e-3 for k in range(4))
    assert plan.written(0) == [f"{plan.point(0)[0]!r} s", 2]


def test_lists_together_are_visited_side_by_side():
    plan = make_plan({"a": [1, 2], "b": [3, 4]}, "together")
    assert [plan.point(0), plan.point(1)] == [[1, 3], [2, 4]]


@pytest.mark.parametrize("sample", ["latin-hypercube", "sobol"])
def test_samples_fill_their_ranges_evenly(sample):
    plan = make_plan({"a": cp.sweeps.span(0.0, 1.0), "b": cp.sweeps.span(0.0, 1.0)}, sample, points=256, seed=3)
    points = np.array([plan.point(k) for k in range(256)])
    # A random sample of 256 points in two dimensions has a discrepancy of about 2e-3 (4 ÷ 9 ÷ 256).
    assert qmc.discrepancy(points) < 5e-4
    # One point in each of 256 slices is what a Latin hypercube is; a scrambled Sobol net has it, too.
    for column in points.T:
        assert sorted(np.floor(column * 256).astype(int)) == list(range(256))


def test_a_log_range_is_sampled_in_ratios():
    plan = make_plan({"a": cp.sweeps.span(1e-4, 1.0, scale="log")}, "latin-hypercube", points=400)
    below = sum(plan.point(k)[0] < 1e-2 for k in range(400))
    assert below == 200


def test_equal_seeds_draw_equal_points_in_another_process():
    plan = make_plan({"a": cp.sweeps.span(0.0, 1.0)}, "sobol", points=10, seed=5)
    other = pickle.loads(pickle.dumps(plan))
    assert [plan.point(k) for k in range(10)] == [other.point(k) for k in range(10)]
    assert (
        plan.fingerprint == other.fingerprint != make_plan({"a": cp.sweeps.span(0.0, 1.0)}, "sobol", 10, 6).fingerprint
    )


def test_words_can_be_drawn():
    plan = make_plan({"scheme": ["parallel", "sequential"], "x": cp.sweeps.span(0, 1)}, "latin-hypercube", points=10)
    assert sorted(plan.point(k)[0] for k in range(10)) == ["parallel"] * 5 + ["sequential"] * 5


def test_a_large_grid_costs_nothing_until_its_points_are_asked_for():
    plan = make_plan({name: list(range(1000)) for name in "abc"})
    assert plan.count == 10**9
    assert plan.point(10**9 - 1) == [999, 999, 999]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"vary": {}}, "vary: is empty"),
        ({"vary": {"a": []}}, "at least one value"),
        ({"vary": {"a": cp.sweeps.span(0, 1)}}, "a range without count"),
        ({"vary": {"a": {"from": 0, "to": 1, "scale": "log", "count": 3}}}, "greater than 0"),
        ({"vary": {"a": cp.sweeps.span("5 kg", "10 kg", 3)}}, 'a".from: "5 kg": kg is not a unit of time'),
        ({"vary": {"a": {"from": 0, "too": 1}}}, "unknown key 'too'"),
        ({"vary": {"a": [1]}, "sample": "gird"}, 'did you mean "grid"'),
        ({"vary": {"a": [1]}, "sample": "sobol"}, "points: None"),
        ({"vary": {"a": [1, 2], "b": [1]}, "sample": "together"}, "need one length"),
        ({"vary": {"a": [1]}, "points": 5}, "leave it out"),
    ],
)
def test_a_plan_that_cannot_be_is_explained(given, text):
    with pytest.raises(cp.SetupError, match=text):
        make_plan(**given)


def test_the_values_of_an_axis_are_looked_through_once_for_all_rows_of_a_table():
    looks = []

    class Watched(tuple):
        def __iter__(self):
            looks.append(1)
            return super().__iter__()

    axis = Axis("tank.x0[0]", Watched((1.0, 2.0)))
    assert [axis.is_numeric for _ in range(10)] == [True] * 10
    assert len(looks) == 1
