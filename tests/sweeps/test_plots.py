import matplotlib
import numpy as np
import pandas as pd
import pytest

import counterpoint as cp
from counterpoint.sweeps.plots import front

matplotlib.use("agg")


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    steps, orders = np.repeat([0.01, 0.02, 0.05, 0.2], 3), np.tile([0, 1, 2], 4)
    error = steps ** (1 + orders)
    words = np.where(orders == 0, "held", "smooth")
    status = ["done"] * 11 + ["failed"]
    return pd.DataFrame(
        {
            "step": steps,
            "order": orders,
            "word": words,
            "error": error,
            "cost": 1 / steps + rng.random(12),
            "status": status,
        }
    )


def test_a_surface_has_the_points_and_logarithmic_axes_where_values_span_decades(table, tmp_path):
    ax = cp.sweeps.response_surface(table, "step", "order", "error")
    assert ax.get_xscale() == "log" and ax.get_yscale() == "linear"
    assert len(ax.lines[0].get_xdata()) == 11  # the failed one is left out
    ax.figure.savefig(tmp_path / "surface.png")


def test_parallel_coordinates_have_a_line_per_point_and_take_words(table):
    ax = cp.sweeps.parallel_coordinates(table, ["step", "word", "error"])
    (lines,) = ax.collections
    heights = np.array([segment[:, 1] for segment in lines.get_segments()])
    assert heights.shape == (11, 3) and heights.min() == 0.0 and heights.max() == 1.0
    assert [label.get_text() for label in ax.get_xticklabels()] == ["step", "word", "error"]


def test_the_front_has_the_points_that_no_other_beats(table):
    ax = cp.sweeps.pareto(table, "error", "cost", label="order")
    done = table[table["status"] == "done"]
    better = [
        any(
            (done["error"] <= row.error)
            & (done["cost"] <= row.cost)
            & ((done["error"] < row.error) | (done["cost"] < row.cost))
        )
        for row in done.itertuples()
    ]
    np.testing.assert_array_equal(front(done["error"].to_numpy(), done["cost"].to_numpy()), ~np.array(better))
    drawn = next(line for line in ax.lines if line.get_label() == "no other is better")
    assert len(drawn.get_xdata()) == (~np.array(better)).sum()


def test_what_cannot_be_drawn_is_explained(table):
    with pytest.raises(cp.SetupError, match='did you mean "error"'):
        cp.sweeps.pareto(table, "eror", "cost")
    with pytest.raises(cp.SetupError, match="needs two values"):
        cp.sweeps.response_surface(table.assign(order=1), "step", "order", "error")
    with pytest.raises(cp.SetupError, match="no point of the sweep is done"):
        cp.sweeps.pareto(table.assign(status="failed"), "error", "cost")
    with pytest.raises(cp.SetupError, match="\"word\": 'held' is not a number"):
        cp.sweeps.response_surface(table, "word", "order", "error")


def test_times_with_units_are_drawn_as_seconds(table):
    table["step"] = [f"{1000 * step:g} ms" for step in table["step"]]
    ax = cp.sweeps.response_surface(table, "step", "order", "error")
    assert ax.get_xlim() == pytest.approx((0.01, 0.2), rel=0.2)


def test_a_front_is_labelled_by_tables(table):
    """Values of a parameter that is a whole table, as kept in memory."""
    table["kind"] = [{"kind": word} for word in table["word"]]
    ax = cp.sweeps.pareto(table, "error", "cost", label="kind")
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["{'kind': 'held'}", "{'kind': 'smooth'}", "no other is better"]
