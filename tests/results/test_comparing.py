"""Two results side by side."""

import numpy as np
import pytest

import counterpoint as cp
from counterpoint.results import MemoryStore, Result, RunLayout, RunSummary, SubsystemLayout


def result(times, values, *, columns=("y",), units=("m",), held=(), name="a"):
    layout = RunLayout((SubsystemLayout("model", columns, units, held),))
    store = MemoryStore(layout, {"name": name})
    store.append(0, np.column_stack([times, values]).astype(float))
    return Result(store, layout, RunSummary("finished", end=float(times[-1]), until=float(times[-1])))


def test_results_on_different_time_axes_are_compared_at_the_times_of_both():
    t, s = np.linspace(0, 1, 11), np.linspace(0, 1, 16)
    difference = cp.compare(result(t, 2 * t), result(s, 2 * s + 0.5))["model.y"]
    np.testing.assert_allclose(difference.time, np.unique(np.round(np.concatenate([t, s]), 12)), atol=1e-12)
    np.testing.assert_allclose(difference.values, -0.5, atol=1e-12)
    assert (difference.maximum, difference.rms, difference.relative) == pytest.approx((0.5, 0.5, 0.25))


def test_the_largest_difference_comes_first_with_its_time():
    t = np.linspace(0, 1, 101)
    bump = np.where(np.isclose(t, 0.5), 0.2, 0.0)
    units = ("m", "")
    one = result(t, np.column_stack([t, t]), columns=("y", "z"), units=units)
    two = result(t, np.column_stack([t, t + bump]), columns=("y", "z"), units=units)
    table = cp.compare(one, two).table
    assert table["signal"].tolist() == ["model.z", "model.y"]
    assert table["time_of_maximum"][0] == pytest.approx(0.5)
    assert table["maximum"].tolist() == pytest.approx([0.2, 0.0])


def test_smooth_signals_are_compared_beyond_the_accuracy_of_lines():
    t, s = np.linspace(0, 1, 41), np.linspace(0, 1, 81)
    largest = cp.compare(result(t, np.sin(6 * t)), result(s, np.sin(6 * s))).table["maximum"][0]
    assert largest < 6e-5  # (6 h)^4 / 43; lines would differ by (6 h)^2 / 8 = 3e-3


def test_held_signals_are_compared_as_stairs():
    one = result([0, 1, 2], [0, 1, 1], held=("y",))
    two = result([0, 0.5, 1, 2], [0, 0, 1, 1], held=("y",))
    assert cp.compare(one, two).relative == 0.0


def test_signals_that_one_lacks_are_named():
    t = np.linspace(0, 1, 3)
    one = result(t, np.column_stack([t, t]), columns=("y", "z"), units=("m", "m"))
    comparison = cp.compare(one, result(t, t))
    assert comparison.only_first == ["model.z"]
    assert "the second result lacks model.z" in str(comparison)
    assert not comparison.within(1.0)
    with pytest.raises(cp.SetupError, match="no such signal"):
        cp.compare(one, result(t, t), ["model.z"])


def test_other_units_are_an_error():
    t = np.linspace(0, 1, 3)
    with pytest.raises(cp.SetupError, match="units differ: m and mm"):
        cp.compare(result(t, t), result(t, t, units=("mm",)))


def test_results_without_a_common_signal_or_time_are_an_error():
    t = np.linspace(0, 1, 3)
    with pytest.raises(cp.SetupError, match="no signal in common"):
        cp.compare(result(t, t), result(t, t, columns=("other",)))
    with pytest.raises(cp.SetupError, match="share no time"):
        cp.compare(result(t, t), result(t + 5, t)).table  # noqa: B018 - computed when asked


def test_a_comparison_is_drawn(tmp_path):
    t = np.linspace(0, 1, 30)
    comparison = cp.compare(result(t, t), result(t, t**2, name="b"))
    axes = comparison.plot(path=tmp_path / "two.png")
    assert (tmp_path / "two.png").read_bytes().startswith(b"\x89PNG")
    assert len(axes) == 2
    assert axes[0].get_title(loc="left") == "a and b"


def test_halved_steps_halve_the_error_of_a_first_order_method():
    system = cp.System("decay")
    system.add("tank", cp.ode(lambda t, x, u: -x, [1.0], outputs="level", solver="ode1"), step="10 ms")
    coarse, fine = system.run(until=1.0), system.halved().run(until="1 s")
    error = np.abs(coarse["tank.level"].values[-1] - np.exp(-1.0))
    # e(h) - e(h/2) = e(h) / 2 for order 1, up to e''/e h.
    last = cp.compare(coarse, fine)["tank.level"].values[-1]
    assert abs(last) == pytest.approx(error / 2, rel=0.02)


@pytest.mark.parametrize("parts", [1, 0, 2.0, "two"])
def test_steps_are_divided_by_whole_numbers(parts):
    with pytest.raises(cp.SetupError, match="parts"):
        cp.System().halved(parts)
