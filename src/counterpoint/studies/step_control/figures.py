"""Work-precision diagrams: error over subsystem integrations and over processor time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..axes import count_plainly
from ..report import Figure
from .runs import Curves, Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = {
    "fixed": ("#4c566a", "o-"),
    "gradient": ("#0072b2", "s-"),
    "defect": ("#d55e00", "^-"),
    "energy": ("#e69f00", "v-"),
    "predictor-corrector": ("#009e73", "D-"),
    "doubling": ("#cc79a7", "P-"),
}


def draw_all(found: Sequence[Curves], folder: Path) -> list[Figure]:
    """Draw one figure for each problem, and one of errors over tolerances."""
    figures = [_work_precision(curves, folder) for curves in found]
    return [*figures, _tolerances(found, folder)]


def _work_precision(curves: Curves, folder: Path) -> Figure:
    from matplotlib.figure import Figure as NewCanvas

    canvas = NewCanvas(figsize=(9.5, 4.0), layout="constrained")
    left, right = canvas.subplots(1, 2, sharey=True)
    for name, points in curves.points.items():
        good = [point for point in points if point.error < 1.0]
        _curve(left, name, [point.integrations for point in good], good)
        _curve(right, name, [point.seconds for point in good], good)
    left.set(xlabel="subsystem integrations", ylabel="error", title=curves.problem.name)
    right.set(xlabel="processor time in s")
    for axes in (left, right):
        count_plainly(axes.xaxis)
    left.legend(fontsize=8)
    path = folder / f"{curves.problem.name.replace(' ', '-').lower()}.png"
    canvas.savefig(path, dpi=130)
    caption = f"{curves.problem.name}: largest error over work, for all tolerances and fixed steps."
    lost = sorted({n for n, points in curves.points.items() if any(point.error >= 1.0 for point in points)})
    hidden = f" Runs with errors of 100 % and more are not shown: {', '.join(lost)}." if lost else ""
    return Figure(path, caption + hidden)


def _curve(axes: Axes, name: str, x: Sequence[float], points: Sequence[Point]) -> None:
    colour, style = STYLES[name]
    axes.loglog(x, [max(point.error, 1e-12) for point in points], style, color=colour, ms=4, lw=1.1, label=name)
    axes.grid(alpha=0.3)


def _tolerances(found: Sequence[Curves], folder: Path) -> Figure:
    from matplotlib.figure import Figure as NewCanvas

    canvas = NewCanvas(figsize=(9.5, 4.4), layout="constrained")
    names = [name for name in STYLES if name != "fixed"]
    panels = canvas.subplots(1, len(names), sharey=True)
    markers = "osv^DPX"
    for axes, name in zip(panels, names, strict=True):
        for curves, marker in zip(found, markers, strict=False):
            points = [point for point in curves.points.get(name, []) if point.error < 10.0]
            axes.loglog([p.asked for p in points], [p.error for p in points], marker + "-", ms=4, lw=0.8,
                        label=curves.problem.name)  # fmt: skip
        axes.loglog([1e-5, 1e-2], [1e-5, 1e-2], color="black", lw=1)
        axes.loglog([1e-5, 1e-2], [3e-5, 3e-2], color="black", lw=0.8, ls=":")
        axes.set(title=name, xlabel="tolerance")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("error")
    canvas.legend(*panels[1].get_legend_handles_labels(), fontsize=8, loc="outside lower center", ncols=4)
    path = folder / "tolerances.png"
    canvas.savefig(path, dpi=130)
    return Figure(path, "Error reached over the tolerance asked for. Line: equal; dotted: three times the tolerance.")
