"""Signals as arrays."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.results import Samples

T = np.linspace(0.0, 2.0, 5)


def speed():
    return Samples("speed", T, 2 * T, "m/s")


def test_a_series_is_an_array_of_its_values():
    assert np.asarray(speed()).tolist() == (2 * T).tolist()
    assert np.max(speed()) == 4.0
    assert speed().shape == (5,)
    assert list(speed()) == (2 * T).tolist()


def test_samples_are_selected_by_position_mask_and_time():
    assert speed()[1] == 1.0
    assert speed()[-1] == 4.0
    assert speed()[1:3].time.tolist() == [0.5, 1.0]
    assert speed()[speed() > 2.0].values.tolist() == [3.0, 4.0]
    assert speed().between(0.5, 1.0).time.tolist() == [0.5, 1.0]
    assert speed().between(end=0.4).time.tolist() == [0.0]


@pytest.mark.parametrize(
    ("make", "values", "unit"),
    [
        (lambda v: v + 1, 2 * T + 1, "m/s"),
        (lambda v: 1 - v, 1 - 2 * T, "m/s"),
        (lambda v: -v, -2 * T, "m/s"),
        (lambda v: v * 3, 6 * T, "m/s"),
        (lambda v: np.float64(3) * v, 6 * T, "m/s"),
        (lambda v: v / 2, T, "m/s"),
        (lambda v: v * v, 4 * T**2, "m/s*m/s"),
        (lambda v: v**2, 4 * T**2, ""),
        (lambda v: np.abs(-v), 2 * T, "m/s"),
        (np.sin, np.sin(2 * T), ""),
    ],
)
def test_arithmetic_keeps_the_time_axis_and_the_unit_where_it_is_known(make, values, unit):
    made = make(speed())
    np.testing.assert_allclose(made.values, values)
    assert (made.time.tolist(), made.unit) == (T.tolist(), unit)


def test_two_series_meet_at_the_times_of_both():
    other = Samples("limit", np.array([0.25, 3.0]), np.array([1.0, 1.0]), "m/s")
    made = other - speed()
    assert made.time.tolist() == [0.25, 0.5, 1.0, 1.5, 2.0]
    np.testing.assert_allclose(made.values, 1 - 2 * made.time)
    assert made.label == "(limit - speed) [m/s]"


def test_sums_of_different_units_are_refused():
    with pytest.raises(cp.SetupError, match="units differ"):
        speed() + Samples("length", T, T, "m")


def test_a_held_series_is_drawn_as_stairs():
    held = Samples("switch", T, T, is_held=True)
    assert held.plot().lines[0].get_drawstyle() == "steps-post"
    assert speed().plot().lines[0].get_drawstyle() == "default"


def test_plots_take_axes_a_span_and_options_of_lines():
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1]
    speed().plot(ax, span=(0.5, 1.5), color="black", label="v")
    (line,) = ax.lines
    assert line.get_xdata().tolist() == [0.5, 1.0, 1.5]
    assert (line.get_color(), line.get_label()) == ("black", "v")
    plt.close("all")
