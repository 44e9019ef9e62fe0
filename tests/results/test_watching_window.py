"""A run that is watched in a window, here without a display."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import counterpoint as cp
from counterpoint.results import load
from counterpoint.results.watching_window import LiveFigure, check_display, watch_in_window


def clock():
    system = cp.System("clock")
    system.add("clock", cp.source(lambda t: [t, -t], outputs={"up": 1, "down": 1}, units={"up": "m"}), step=0.1)
    return system


@pytest.fixture(autouse=True)
def no_figures_left():
    before = mpl.get_backend()
    plt.switch_backend("agg")
    yield
    plt.close("all")
    plt.switch_backend(before)


def ends(figure):
    return [line.get_xdata()[-1] for ax in figure.axes for line in ax.lines]


def test_the_figure_follows_a_run_that_goes_on(tmp_path):
    with clock().start(until=2.0, file=tmp_path / "run.h5") as run:
        run.step_to(0.5)
        run._recorder.drain()
        run._store.flush()
        with load(tmp_path / "run.h5") as result:
            window = LiveFigure(result, ["clock.up", "clock.down"])
            window.update()
            first = ends(window.figure)
            assert "unfinished" in window.figure.axes[0].get_title(loc="left")
            run.step_to(2.0)
            run.finish()
            result.refresh()
            window.update()
            assert np.allclose(first, 0.5)
            assert np.allclose(ends(window.figure), 2.0)
            assert len(window.figure.axes) == 2
            assert "finished" in window.figure.axes[0].get_title(loc="left")


def test_a_run_without_rows_is_an_empty_figure(tmp_path):
    with clock().start(file=tmp_path / "run.h5"), load(tmp_path / "run.h5") as result:
        LiveFigure(result, ["clock.up"]).update()


def test_watching_ends_with_the_run_or_with_the_window(tmp_path, monkeypatch):
    clock().run(until=1.0, file=tmp_path / "done.h5")
    drawn = []
    real = LiveFigure.update
    monkeypatch.setattr(LiveFigure, "update", lambda self: (real(self), drawn.append(self)))
    monkeypatch.setattr(plt, "show", lambda: None)  # would wait for the window
    watch_in_window(tmp_path / "done.h5", (), interval=0.05, wait=0.0)
    assert len(drawn) == 1
    with clock().start(file=tmp_path / "open.h5"):
        monkeypatch.setattr(plt, "pause", lambda interval: plt.close("all"))
        watch_in_window(tmp_path / "open.h5", ("clock.up",), interval=0.05, wait=0.0)
    assert len(drawn) == 2


def test_without_a_display_the_terminal_is_named(tmp_path):
    with pytest.raises(cp.SetupError, match=r"--window: there is no display.*agg.*terminal"):
        check_display()


def test_a_toolkit_for_windows_is_enough(monkeypatch):
    monkeypatch.setattr(FigureCanvasAgg, "required_interactive_framework", "tk")
    check_display()
