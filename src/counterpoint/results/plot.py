"""Pictures of signals: readable at any length, because many points are thinned without losing peaks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import SetupError
from .plot_style import COLOURS, caption_of, figure_of, literal, save, style
from .store import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .result import Result
    from .series import Series, Span
    from .signal import Signal

BINS = 2000
MOST_AXES = 8
MOST_LABELS = 12
MOST_LINES = 200
MARKED_SAMPLES = 80
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


def thin(time: Array, values: Array, bins: int = BINS) -> tuple[Array, Array]:
    """Reduce a long signal to the first, least, greatest and last sample of each of `bins` stretches of time.

    A line through these looks the same as one through all samples (Jugel et al., M4, 2014).

    Parameters
    ----------
    time, values : array
        Samples, shape ``(n,)``.
    bins : int
        Number of stretches, about the width of the picture in dots.

    Returns
    -------
    tuple of array
        Times and values of at most ``4 bins`` samples, each one of the given.
    """
    if len(time) <= 4 * bins:
        return time, values
    kept = _extremes(time, values, np.linspace(time[0], time[-1], bins + 1)[1:-1])
    return time[kept], values[kept]


def _extremes(time: Array, values: Array, edges: Array) -> NDArray[np.intp]:
    """Return where the first, least, greatest and last sample between any two edges of time are."""
    inside = edges[np.searchsorted(edges, time[0]) : np.searchsorted(edges, time[-1], side="right")]
    cuts = np.unique([0, *np.searchsorted(time, inside), len(time)])
    kept: list[int] = []
    for first, last in pairwise(cuts.tolist()):
        part = values[first:last]
        kept += sorted({first, first + int(part.argmin()), first + int(part.argmax()), last - 1})
    return np.array(kept, dtype=np.intp)


def thinned(series: Series, bins: int = BINS) -> list[tuple[Array, Array]]:
    """Return what :func:`thin` makes of each component of a signal, without holding all of its samples."""
    if len(series) <= 4 * bins:
        return [(series.time, column) for column in _columns(series.values)]
    first, last = series.ends
    edges = np.linspace(first, last, bins + 1)[1:-1]
    parts: list[list[tuple[Array, Array]]] = [[] for _ in series.components]
    for time, values in series.blocks():
        for part, column in zip(parts, _columns(values), strict=True):
            kept = _extremes(time, column, edges)
            part.append((time[kept], column[kept]))
    lines = []
    for part in parts:
        time, values = (np.concatenate(pieces) for pieces in zip(*part, strict=True))
        kept = _extremes(time, values, edges)
        lines.append((time[kept], values[kept]))
    return lines


def _columns(values: Array) -> list[Array]:
    return [values] if values.ndim == 1 else list(values.T)


def draw_one(series: Series, ax: Axes | None, line: Mapping[str, Any] = NO_OPTIONS) -> Axes:
    """Draw one signal into `ax`, or into a new figure."""
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(8, 3.2), layout="constrained")[1]
        style(ax)
        literal(ax.set_xlabel("time in s"))
        literal(ax.set_ylabel(series.label))
    _lines(ax, series, len(ax.lines), line)
    if series.is_vector or len(ax.lines) > 1:
        _legend(ax)
    return ax


def draw(
    result: Result,
    names: Sequence[str | tuple[str, str]],
    path: str | os.PathLike[str] | None,
    *,
    span: Span | None = None,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw signals of a result, grouped by unit, and save the picture when a path is given."""
    groups = _grouped(result, names)
    shown = dict(list(groups.items())[: MOST_AXES if axes is None else None])
    places = _new_axes(len(shown), keep=path is None) if axes is None else list(axes)
    if not places:
        raise SetupError("axes: expected at least one")
    for number, (caption, signals) in enumerate(shown.items()):
        _draw_group(places[min(number, len(places) - 1)], caption, signals, span)
    if axes is None:
        literal(places[-1].set_xlabel("time in s"))
        title = _title(result, len(groups) - len(shown))
        literal(places[0].set_title(title, loc="left", fontweight="bold"))
    if path is not None:
        save(cast("Figure", places[0].figure), Path(path))
    return places


def _new_axes(count: int, *, keep: bool) -> list[Axes]:
    figure = figure_of((9, 1.0 + 2.3 * max(1, count)), keep=keep)
    axes: list[Axes] = list(figure.subplots(max(1, count), 1, sharex=True, squeeze=False)[:, 0])
    figure.align_ylabels(axes)
    return axes


def _draw_group(ax: Axes, caption: str, signals: Sequence[Signal], span: Span | None) -> None:
    style(ax)
    before = ax.get_ylabel()
    literal(ax.set_ylabel(f"{before}, {caption}" if before else caption))
    for signal in signals[:MOST_LINES]:
        _lines(ax, signal if span is None else signal.between(*span), len(ax.lines))
    _legend(ax, len(signals[MOST_LINES:]))


def _grouped(result: Result, names: Sequence[str | tuple[str, str]]) -> dict[str, list[Signal]]:
    """Sort signals by unit, or by subsystem where the unit is not known; keys are captions."""
    keys: list[str | tuple[str, str]] = []
    for name in names:
        if isinstance(name, str) and name in result.subsystems and not _is_signal(result, name):
            entry = result.layout.subsystems[result.subsystems.index(name)]
            keys += [(name, column) for column in entry.columns]
        else:
            keys.append(name)
    if not names:
        keys = [
            (entry.name, column)
            for entry in result.layout.subsystems
            for column in entry.columns
            if column not in entry.minor
        ]
    groups: dict[tuple[str, str], list[Signal]] = {}
    for signal in map(result.signal, keys):
        owner = "" if signal.unit else signal.subsystem
        groups.setdefault((signal.unit, owner), []).append(signal)
    return _captioned(groups)


def _is_signal(result: Result, name: str) -> bool:
    return name in result.signals


def _captioned(groups: dict[tuple[str, str], list[Signal]]) -> dict[str, list[Signal]]:
    captions: dict[str, list[Signal]] = {}
    for (unit, owner), signals in groups.items():
        caption = caption_of(signals[0].name, unit) if len(signals) == 1 else f"[{unit}]" if unit else owner
        captions[caption] = captions.get(caption, []) + signals
    return captions


def _title(result: Result, hidden: int) -> str:
    title = result.name
    if result.status != "finished":
        title += f" ({result.status}" + (f" at {result.end:.4g} s)" if isfinite(result.end) else ")")
    if hidden > 0:
        title += f", {hidden} more axes not shown: name the signals to plot"
    return title


def _lines(ax: Axes, series: Series, start: int, options: Mapping[str, Any] = NO_OPTIONS) -> None:
    for i, (name, (time, values)) in enumerate(zip(series.components, thinned(series), strict=True)):
        few = len(time) <= MARKED_SAMPLES
        look: dict[str, Any] = {
            "color": COLOURS[(start + i) % len(COLOURS)],
            "linewidth": 1.4,
            "marker": "o" if few else "",
            "markersize": 3,
            "solid_joinstyle": "round",
            "drawstyle": "steps-post" if series.is_held else "default",
        }
        (line,) = ax.plot(time, values, **(look | dict(options)))
        # Not its label: one that starts with "_" would be left out of the legend.
        line.set_gid(str(options.get("label", name)))


def _legend(ax: Axes, not_drawn: int = 0) -> None:
    lines = ax.get_lines()
    shown = lines[:MOST_LABELS]
    if not shown:
        return
    legend = ax.legend(
        shown,
        ["-"] * len(shown),
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize="small",
        handlelength=1.4,
        title=_more_lines(len(lines) - len(shown), not_drawn),
        title_fontsize="x-small",
    )
    for text, line in zip(legend.get_texts(), shown, strict=True):
        name = line.get_gid() or str(line.get_label())
        text.set_text(name if len(name) <= 36 else name[:20] + "…" + name[-15:])
        literal(text)


def _more_lines(not_named: int, not_drawn: int) -> str | None:
    if not_drawn:
        return f"{not_named + not_drawn} more signals,\n{not_drawn} of them not drawn"
    return f"{not_named} more lines" if not_named else None
