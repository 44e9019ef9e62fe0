"""Figures: times over sizes and fills, the best solver as a map, and speed-ups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..axes import count_plainly
from ..report import Figure
from .measuring import Point
from .operations import Shares
from .phases import GROUPS, TASKS, Phases
from .threads import Threaded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4c566a", "#8b1a1a", "#6b8e23")


def _canvas(width: float = 8.0, height: float = 4.6) -> Any:
    from matplotlib.figure import Figure as NewCanvas

    return NewCanvas(figsize=(width, height), layout="constrained")


def _label(axes: Axes, x: str, y: str) -> None:
    """Name the axes; logarithmic ones count 1, 2, 5, 10 in plain numbers."""
    axes.set(xlabel=x, ylabel=y)
    for axis, scale in ((axes.xaxis, axes.get_xscale()), (axes.yaxis, axes.get_yscale())):
        if scale == "log":
            count_plainly(axis)
    axes.grid(alpha=0.3)


def curves(path: Path, points: Sequence[Point], names: Sequence[str], over: str, caption: str) -> Figure:
    """Draw µs of a factorisation and four solutions over the size or the entries per row."""
    canvas = _canvas()
    axes = canvas.subplots()
    draw(axes, points, names, over)
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    canvas.savefig(path, dpi=130)
    return Figure(path, caption)


def draw(axes: Axes, points: Sequence[Point], names: Sequence[str], over: str) -> None:
    """Draw one curve for each solver."""
    known = [name for name in names if any(name in point.factor for point in points)]
    for k, name in enumerate(known):
        there = [point for point in points if name in point.factor]
        style = ("o-", "s--", "^:")[k // len(COLOURS)]
        x = [getattr(point, over) for point in there]
        axes.loglog(x, [1e6 * point.step(name) for point in there], style, ms=3.5, lw=1.1, label=name,
                    color=COLOURS[k % len(COLOURS)])  # fmt: skip
    _label(axes, {"size": "unknowns N", "per_row": "entries per row, NNZ/N"}[over], "µs")


def three_fills(path: Path, parts: Mapping[float, Sequence[Point]], names: Sequence[str], caption: str) -> Figure:
    """Draw times over sizes for three fills beside each other."""
    canvas = _canvas(12.0, 4.4)
    for axes, (per_row, points) in zip(canvas.subplots(1, len(parts), sharey=True), parts.items(), strict=True):
        draw(axes, points, names, "size")
        axes.set(title=f"NNZ/N ≈ {per_row:g}")
        axes.label_outer()
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    canvas.savefig(path, dpi=130)
    return Figure(path, caption)


def best_map(path: Path, points: Sequence[Point], names: Sequence[str], caption: str) -> Figure:
    """Mark the fastest solver at each size and fill."""
    canvas = _canvas()
    axes = canvas.subplots()
    winners = [point.best(names) for point in points]
    for k, name in enumerate(sorted(set(winners), key=winners.count, reverse=True)):
        there = [point for point, winner in zip(points, winners, strict=True) if winner == name]
        axes.loglog([p.size for p in there], [p.per_row for p in there], "s", ms=11, label=name,
                    color=COLOURS[k % len(COLOURS)])  # fmt: skip
    _label(axes, "unknowns N", "entries per row, NNZ/N")
    axes.legend(fontsize=8, markerscale=0.6, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    canvas.savefig(path, dpi=130)
    return Figure(path, caption)


def speed_up(path: Path, points: Sequence[Point], threaded: str, others: Sequence[str], caption: str) -> Figure:
    """Draw the speed-up of a threaded solver against the best of the others over the fill, one curve a size."""
    canvas = _canvas()
    axes = canvas.subplots()
    for k, size in enumerate(sorted({point.size for point in points})):
        there = sorted((p for p in points if p.size == size and threaded in p.factor), key=lambda p: p.per_row)
        ratios = [point.step(point.best(others)) / point.step(threaded) for point in there]
        axes.semilogx(
            [p.per_row for p in there], ratios, "o-", ms=4, label=f"N = {size}", color=COLOURS[k % len(COLOURS)]
        )
    axes.axhline(1.0, color="#888", lw=0.8)
    _label(axes, "entries per row, NNZ/N", "speed-up against the best sequential one")
    axes.legend(fontsize=8)
    canvas.savefig(path, dpi=130)
    return Figure(path, caption)


def two_threads(path: Path, found: Sequence[Threaded], parts: Sequence[Shares], caption: str) -> Figure:
    """Draw the speed-up of whole steps with two threads over the size, with the bounds of the step and the machine."""
    canvas = _canvas()
    axes = canvas.subplots()
    sizes = [each.size for each in found]
    bounds = [share.shared_bound() for share in parts]
    axes.semilogx(sizes, [t.machine for t in found], "^:", ms=5, color=COLOURS[6], label="two copies at once")
    axes.semilogx(sizes, bounds, "s--", ms=5, color=COLOURS[1], label="Amdahl's bound")
    axes.semilogx(sizes, [t.speed_up for t in found], "o-", ms=5, color=COLOURS[0], label="two threads")
    axes.axhline(1.0, color="#888", lw=0.8)
    axes.set_ylim(bottom=0.0)
    _label(axes, "variables N", "speed-up against one thread")
    axes.legend(fontsize=8)
    canvas.savefig(path, dpi=130)
    return Figure(path, caption)


def phase_bars(path: Path, found: Sequence[Phases], caption: str) -> Figure:
    """Draw shares of a step as bars, printed and ours: groups for the two smallest chains, tasks for the others."""
    canvas = _canvas(10.0, 5.6)
    halves = [(known, chains) for known, chains in ((GROUPS, found[:2]), (TASKS, found[2:])) if chains]
    for axes, (known, chains) in zip(canvas.subplots(len(halves), 1, squeeze=False)[:, 0], halves, strict=True):
        rows = [(f"N = {p.size}, {whose}", k, p) for k, p in enumerate(chains) for whose in ("printed", "ours")]
        ends = [0.0] * len(rows)
        for colour, (name, (names, printed)) in zip(COLOURS, known.items(), strict=False):
            shares = [p.percent(names) if label.endswith("ours") else printed[k] for label, k, p in rows]
            axes.barh([label for label, _, _ in rows], shares, left=ends, color=colour, label=name, height=0.7)
            ends = [end + share for end, share in zip(ends, shares, strict=True)]
        axes.invert_yaxis()
        axes.set(xlim=(0.0, 101.0), xlabel="% of a step")
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    canvas.savefig(path, dpi=130)
    return Figure(path, caption)
