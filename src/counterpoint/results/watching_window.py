"""A run as it goes on, in a window."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..errors import SetupError
from .plot import draw
from .watching import headline_of, opened, shown_signals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .result import Result

HEADLINE_SIZE = "medium"


def check_display() -> None:
    """Raise SetupError where no window can be opened."""
    import matplotlib.pyplot as plt

    figure = plt.figure()
    toolkit = getattr(figure.canvas, "required_interactive_framework", None)
    plt.close(figure)
    if toolkit is None:
        raise SetupError(
            "--window: there is no display, or matplotlib has no toolkit for windows (its backend here is "
            f"{plt.get_backend()}); leave --window out to watch in the terminal"
        )


def watch_in_window(path: Path, names: Sequence[str], *, interval: float, wait: float) -> None:
    """Draw a run again and again until it has ended or the window is closed; then leave the window open.

    Parameters
    ----------
    path : Path
        The run file.
    names : sequence of str
        Signals or subsystems.
    interval, wait : float
        Seconds between two looks, and to wait for the file.
    """
    import matplotlib.pyplot as plt

    with opened(path, wait) as result:
        window = LiveFigure(result, shown_signals(result, names))
        while window.is_open:
            window.update()
            if result.status != "unfinished":
                break
            plt.pause(interval)
            result.refresh()
        plt.show()


class LiveFigure:
    """The signals of a run in a figure that is drawn anew after each look at the file.

    Parameters
    ----------
    result : Result
        Of a run that may go on.
    names : list of str
        Signals.
    """

    def __init__(self, result: Result, names: list[str]) -> None:
        self.result = result
        self._names = names
        self._headline = headline_of(result, time.monotonic)
        self._axes: list[Axes] = draw(result, names, None)

    @property
    def figure(self) -> Figure:
        """What is shown."""
        return cast("Figure", self._axes[0].figure)

    @property
    def is_open(self) -> bool:
        """Whether the window has not been closed."""
        import matplotlib.pyplot as plt

        return bool(plt.fignum_exists(cast(Any, self.figure).number))

    def update(self) -> None:
        """Draw what has been read."""
        for ax in self._axes:
            ax.clear()
        draw(self.result, self._names, None, axes=self._axes)
        self._axes[-1].set_xlabel("time in s")
        title = self._axes[0].set_title(self._headline(), loc="left", fontsize=HEADLINE_SIZE)
        title.set_parse_math(False)
        self.figure.canvas.draw_idle()
