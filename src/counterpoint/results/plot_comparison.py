"""A picture of two results: both signals, and below them their difference."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .plot import thin
from .plot_style import COLOURS, caption_of, figure_of, literal, save, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .comparing import Comparison, Difference

MOST_SIGNALS = 4


def draw_comparison(comparison: Comparison, signals: Sequence[str], path: str | os.PathLike[str] | None) -> list[Axes]:
    """Draw signals of both results and their differences; those that differ most when none are named."""
    names = list(signals) or comparison.table["signal"].head(MOST_SIGNALS).tolist()
    figure = figure_of((9, 1.0 + 3.2 * len(names)), keep=path is None)
    grid = figure.subplots(2 * len(names), 1, sharex=True, squeeze=False, height_ratios=[2, 1] * len(names))
    axes: list[Axes] = list(grid[:, 0])
    for upper, lower, name in zip(axes[::2], axes[1::2], names, strict=True):
        _draw_pair(upper, lower, comparison[name])
    literal(axes[-1].set_xlabel("time in s"))
    title = f"{comparison.first.name} and {comparison.second.name}"
    literal(axes[0].set_title(title, loc="left", fontweight="bold"))
    figure.align_ylabels(axes)
    if path is not None:
        save(figure, Path(path))
    return axes


def _draw_pair(upper: Axes, lower: Axes, difference: Difference) -> None:
    for ax in (upper, lower):
        style(ax)
    for values, name, line, width in ((difference.first, "first", "-", 2.2), (difference.second, "second", "--", 1.2)):
        time, shown = thin(difference.time, values)
        upper.plot(time, shown, line, color=COLOURS[0] if name == "first" else COLOURS[1], linewidth=width, label=name)
    time, shown = thin(difference.time, difference.values)
    lower.plot(time, shown, color=COLOURS[5], linewidth=1.2)
    upper.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
    literal(upper.set_ylabel(caption_of(difference.name, difference.unit)))
    literal(lower.set_ylabel("difference"))
