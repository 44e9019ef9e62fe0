"""Pictures of what the verdict is made from, over time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from ..quality import UNUSABLE
from .bonds import residuals_over_time
from .plot_style import COLOURS, figure_of, literal, plain_numbers, save, style
from .store import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .result import Result

Curve = tuple[str, Array, Array]
MOST_CURVES = len(COLOURS)
SMALLEST = 1e-12
"""Below this a relative number is drawn as this: a logarithmic axis has no zero."""
SHOWN = 1e-3
"""Of each curve so much is shown, from its largest value down: what passes through zero has no smallest one."""


def draw_quality(result: Result, path: Path | None) -> list[Axes]:
    """Draw one axis for each indicator that has something to show."""
    panels = [(title, found) for title, curves in _panels(result).items() if (found := list(curves))]
    figure = figure_of((8.0, 1.7 * max(len(panels), 1) + 1.0), keep=path is None)
    rows = figure.subplots(max(len(panels), 1), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (title, curves) in zip(rows, panels, strict=False):
        _draw(ax, title, curves, result)
    rows[-1].set_xlabel("t [s]")
    literal(figure.suptitle(fill(f"{result.name}: {result.quality}", 105), fontsize="small", ha="left", x=0.02))
    if path is not None:
        save(figure, path)
    return list(rows)


def _panels(result: Result) -> dict[str, Iterable[Curve]]:
    quality = result.quality
    return {
        "estimated error of signals [%]": ((d.signal, d.time, 100 * d.values) for d in quality.differences),
        "interface defect [% of the signal]": _defects(result),
        "highest resolvable band [% of the signal]": (
            (one.connection, one.oscillation.time, 100 * one.oscillation.values)
            for one in quality.connections
            if len(one.oscillation.time)
        ),
        "energy created at bonds [J]": residuals_over_time(result),
    }


def _defects(result: Result) -> Iterable[Curve]:
    for k, (one, defect) in enumerate(zip(result.quality.connections, result.defect_summaries, strict=True)):
        if defect.count and not one.sampled and defect.scale > 0:
            time, assumed, arrived = result.defect_rows(k).T
            yield one.connection, time, 100 * np.abs(assumed - arrived) / defect.scale


def _draw(ax: Axes, title: str, curves: list[Curve], result: Result) -> None:
    style(ax)
    is_energy = title.endswith("[J]")
    for colour, (label, time, values) in zip(COLOURS, curves[:MOST_CURVES], strict=False):
        shown = values if is_energy else np.maximum(values, 100 * SMALLEST)
        ax.plot(time, shown, color=colour, linewidth=1.0, label=label)
    if not is_energy:
        ax.set_yscale("log")
        plain_numbers(ax.yaxis)
        least = SHOWN * min((float(np.max(v, initial=0.0)) for *_, v in curves[:MOST_CURVES]), default=0.0)
        if least > ax.get_ylim()[0]:
            ax.set_ylim(bottom=least)
    if title.startswith("estimated"):
        for limit in (1.0, UNUSABLE):
            ax.axhline(100 * limit * result.quality.tolerance, color="#8a929b", linewidth=0.8, linestyle="--")
    ax.set_title(title, fontsize="small", loc="left")
    legend = ax.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    for text in legend.get_texts():
        literal(text)
