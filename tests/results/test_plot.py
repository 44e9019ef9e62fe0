import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.errors import OutputError
from counterpoint.results import MemoryStore, Result, RunLayout, RunSummary, SubsystemLayout
from counterpoint.results.plot import thin

from .conftest import finished, memory_result


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_thinning_keeps_a_single_peak_among_a_million_samples():
    t = np.linspace(0.0, 1.0, 1_000_000)
    y = np.sin(t)
    y[123_456], y[654_321] = 9.0, -9.0
    time, values = thin(t, y, 500)
    assert len(time) <= 2000
    assert (values.max(), values.min()) == (9.0, -9.0)
    assert time[values.argmax()] == t[123_456]


@given(st.lists(st.floats(0.0, 1e6), min_size=50, max_size=300), st.integers(1, 12))
def test_thinning_keeps_order_ends_and_extremes_on_any_axis(times, bins):
    t = np.sort(np.array(times))
    y = np.cos(np.arange(len(t)) * 1.7)
    time, values = thin(t, y, bins)
    assert len(time) <= max(4 * bins, 0) or len(time) == len(t)
    assert (np.diff(time) >= 0).all()
    assert (time[0], time[-1], values[0], values[-1]) == (t[0], t[-1], y[0], y[-1])
    assert (values.min(), values.max()) == (y.min(), y.max())


def test_signals_of_one_unit_share_an_axis(result):
    axes = result.plot()
    assert [ax.get_ylabel() for ax in axes] == ["[m]", "fast.v [m/s]", "[N]", "idle.level"]
    assert legend_of(axes[0]) == ["fast.x", "slow.x"]
    assert axes[0].get_title(loc="left") == "two-mass"


def test_named_signals_vectors_and_subsystems_are_drawn(result):
    (ax,) = result.plot("slow.p")
    assert legend_of(ax) == ["slow.p[0]", "slow.p[1]"]
    assert [legend_of(ax) for ax in result.plot("slow")] == [["slow.x"], ["slow.p[0]", "slow.p[1]"]]
    assert len(result["slow.p"].plot().lines) == 2


def test_a_list_of_names_draws_the_same_as_the_names(result):
    given, listed = result.plot("slow.x", "slow.p"), result.plot(["slow.x", "slow.p"])
    assert [ax.get_ylabel() for ax in listed] == [ax.get_ylabel() for ax in given]
    assert [len(ax.lines) for ax in listed] == [len(ax.lines) for ax in given]


def test_one_signal_can_join_an_axis(result):
    ax = result["fast.x"].plot()
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("fast.x [m]", "time in s")
    assert result["slow.x"].plot(ax) is ax
    assert legend_of(ax) == ["fast.x", "slow.x"]
    assert result.defect("slow.x -> fast.u").plot().get_ylabel() == "slow.x -> fast.u"


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_a_saved_picture_leaves_no_figure_open(tmp_path, ending):
    import matplotlib.pyplot as plt

    memory_result().plot(path=tmp_path / f"p{ending}")
    assert (tmp_path / f"p{ending}").stat().st_size > 5000
    assert plt.get_fignums() == []


def test_an_interrupted_run_says_so_in_the_title():
    (ax, *_) = memory_result(finished(status="interrupted", end=1.25)).plot()
    assert ax.get_title(loc="left") == "two-mass (interrupted at 1.25 s)"


def test_names_are_shown_as_they_are(tmp_path):
    names = ("_hidden", "$x^{2$", "<script>", "重力", "a" * 200)
    layout = RunLayout((SubsystemLayout("_$", names, ("$",) * 5),))
    store = MemoryStore(layout, {"name": "$broken_{"})
    store.append(0, np.arange(6.0)[None, :])
    (ax,) = Result(store, layout, RunSummary("finished")).plot(path=tmp_path / "p.svg")
    assert legend_of(ax)[:4] == [f"_$.{name}" for name in names[:4]]
    assert len(legend_of(ax)[4]) == 36
    assert "<script>" not in (tmp_path / "p.svg").read_text()


def test_many_axes_and_lines_are_limited_and_say_so():
    units = tuple(f"u{i}" for i in range(20)) + ("m",) * 30
    layout = RunLayout((SubsystemLayout("a", tuple(f"y{i}" for i in range(50)), units),))
    store = MemoryStore(layout)
    store.append(0, np.arange(51.0)[None, :])
    result = Result(store, layout, RunSummary("finished"))
    axes = result.plot()
    assert len(axes) == 8
    assert "13 more axes not shown" in axes[0].get_title(loc="left")
    (ax,) = result.plot(*[f"a.y{i}" for i in range(20, 50)])
    assert ax.get_legend().get_title().get_text() == "18 more lines"


@pytest.mark.parametrize("name", ["missing/p.png", "p.nonsense"])
def test_a_picture_that_cannot_be_saved_is_an_error(tmp_path, name):
    with pytest.raises(OutputError, match="the picture cannot be saved"):
        memory_result().plot(path=tmp_path / name)


class Counted:
    """A view of many rows that are made when they are asked for; remembers the most that were asked for at once."""

    layout = RunLayout((SubsystemLayout("a", ("y", "p[0]", "p[1]")),))
    metadata = {"name": "long"}  # noqa: RUF012
    count = 20_000_000

    def __init__(self):
        self.most = 0

    def rows(self, subsystem):
        return self.count

    def times(self, subsystem, rows=slice(None)):
        first, last, _ = rows.indices(self.count)
        self.most = max(self.most, last - first)
        return np.arange(first, last, dtype=float)

    def values(self, subsystem, columns=slice(None), rows=slice(None)):
        y = self.times(subsystem, rows)
        return np.column_stack([np.where(y == 12_345_678.0, 5.0, 0.0), -y, y])[:, columns]


def test_twenty_million_rows_are_drawn_without_holding_them(tmp_path):
    view = Counted()
    result = Result(view, view.layout, RunSummary("finished"))
    (axes,) = result.plot("a.y", path=tmp_path / "long.png")
    (line,) = axes.lines
    assert len(line.get_xdata()) <= 8000
    assert line.get_xdata()[np.argmax(line.get_ydata())] == 12_345_678.0
    assert line.get_xdata()[[0, -1]].tolist() == [0.0, 19_999_999.0]
    assert view.most <= 1 << 18


@pytest.mark.parametrize("count", [9000, 270_000, 600_001])
def test_thinning_in_blocks_keeps_the_same_samples_as_at_once(count):
    t = np.sort(np.random.default_rng(3).uniform(0.0, 1.0, count))
    y = np.sin(1e5 * t)
    store = MemoryStore(RunLayout((SubsystemLayout("a", ("y",)),)))
    store.append(0, np.column_stack([t, y]))
    result = Result(store, store.layout, RunSummary("finished"))
    (line,) = result["a.y"].plot().lines
    time, values = thin(t, y)
    assert time.tolist() == line.get_xdata().tolist()
    assert values.tolist() == line.get_ydata().tolist()


def test_of_very_many_signals_some_are_drawn_and_the_rest_counted():
    store = MemoryStore(RunLayout((SubsystemLayout("a", tuple(f"y{i}" for i in range(1000))),)))
    store.append(0, np.zeros((2, 1001)))
    (axes,) = Result(store, store.layout, RunSummary("finished")).plot()
    assert len(axes.lines) == 200
    assert "988 more signals,\n800 of them not drawn" in axes.get_legend().get_title().get_text()
