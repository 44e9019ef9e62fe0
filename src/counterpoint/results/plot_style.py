"""What all pictures of results look like."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import OutputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLOURS = (
    "#1f6feb",
    "#e3612b",
    "#2a9d5c",
    "#8e44ad",
    "#c9a20c",
    "#d6336c",
    "#0b9eb3",
    "#7a5c3e",
    "#5c6b7a",
    "#86a817",
)


def caption_of(name: str, unit: str) -> str:
    """Return a name with its unit."""
    return f"{name} [{unit}]" if unit else name


def figure_of(size: tuple[float, float], *, keep: bool) -> Figure:
    """Make a figure; one that is only saved stays out of pyplot, which would never release it."""
    if keep:
        import matplotlib.pyplot as plt

        return plt.figure(figsize=size, layout="constrained")
    from matplotlib.figure import Figure as PlainFigure

    return PlainFigure(figsize=size, layout="constrained")


def literal(text: Any) -> None:
    """Show text as it is: a name with dollar signs is not mathematics."""
    text.set_parse_math(False)


def style(ax: Axes) -> None:
    """Draw a light grid and few frames."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#8a929b")
    ax.grid(True, color="#e3e6ea", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors="#3d444d", labelsize="small")
    ax.margins(x=0.01)
    ax.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useMathText=True)


def plain_numbers(axis: Axis) -> None:
    """Label a logarithmic axis with 0.6 instead of 6 × 10⁻¹, all labels of one size."""
    from matplotlib.ticker import LogFormatter

    class Plain(LogFormatter):
        """Labels the same ticks, with plain numbers."""

        def __call__(self, x: float, pos: int | None = None) -> str:
            return f"{x:g}" if super().__call__(x, pos) else ""

    axis.set_major_formatter(Plain())
    axis.set_minor_formatter(Plain(minor_thresholds=(1.0, 0.4)))
    axis.set_tick_params(which="both", labelsize="small", labelcolor="#3d444d")


def save(figure: Figure, path: Path) -> None:
    """Write a picture; raise OutputError with the reason if that fails."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        try:
            figure.savefig(path, dpi=150)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise OutputError(f"{path}: the picture cannot be saved: {reason}", str(path)) from error
