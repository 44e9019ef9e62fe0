"""Work against precision of every benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..report import Figure
from .setting import Point

COLOURS = {
    "hold": "#4c566a", "lagrange(1)": "#0072b2", "lagrange(2)": "#009e73", "lagrange(3)": "#56b4e9",
    "hermite": "#d55e00", "taylor(2) for v, hermite for F": "#cc79a7",
}  # fmt: skip
STYLES = ("o-", "s--", "^:")


def draw(
    name: str, points: Sequence[Point], unit: str, folder: Path, published: Mapping[str, tuple[float, float]]
) -> Figure:
    """Draw the error of all settings over the steps of all subsystems, and published numbers (work, error) as stars."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(8.6, 4.4), layout="constrained")
    axes = canvas.subplots()
    schemes = list(dict.fromkeys(point.scheme for point in points))
    for scheme, style in zip(schemes, STYLES, strict=False):
        for words, colour in COLOURS.items():
            curve = [p for p in points if p.scheme == scheme and p.approximation == words and p.error < 1e3]
            if curve:
                axes.loglog([p.work for p in curve], [p.error for p in curve], style, color=colour, ms=4, lw=1.2,
                            label=f"{scheme}, {words}")  # fmt: skip
    for k, (label, (work, error)) in enumerate(published.items()):
        axes.loglog([work], [error], "k*", ms=10, label="published" if k == 0 else None)
        above = k % 2 == 0  # neighbours would write over each other
        axes.annotate(label, (work, error), textcoords="offset points", xytext=(0, 7 if above else -7), ha="center",
                      va="bottom" if above else "top", fontsize=7)  # fmt: skip
    axes.margins(x=0.1)
    axes.set(title=name, xlabel="steps of all subsystems", ylabel=f"largest error in {unit}")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    path = folder / f"{name.replace(' ', '-')}.png"
    canvas.savefig(path, dpi=130)
    stars = " Stars: published numbers." if published else ""
    return Figure(path, f"{name[0].upper()}{name[1:]}: largest error over the steps of all subsystems.{stars}")
