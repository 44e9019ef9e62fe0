"""Figures of the study: estimated against true errors, and the table of verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...quality import TOLERANCE, UNUSABLE
from ..report import Figure
from .trial import VERDICTS, Outcome

COLOURS = {"trustworthy": "#1a7f37", "look here": "#c98a00", "do not use": "#cf222e", "cannot tell": "#59636e"}
TRUTHS = VERDICTS[:3]


def draw_all(outcomes: Sequence[Outcome], folder: Path) -> list[Figure]:
    """Draw both figures into `folder`."""
    from matplotlib.figure import Figure as Canvas

    errors = Figure(
        folder / "estimated-errors.png",
        "Estimated against true error of each run, in the colour of its verdict. Dashed: the limits of the verdicts; "
        "grey band: a factor of 1.5. Points of do not use at small errors have lost or amplified a motion.",
    )
    table = Figure(folder / "confusion.png", "How often each verdict was given, by what was true.")
    canvas = Canvas(figsize=(7.5, 6.0), layout="constrained")
    _errors(canvas.subplots(), outcomes)
    canvas.savefig(errors.path, dpi=110)
    canvas = Canvas(figsize=(6.4, 3.4), layout="constrained")
    _confusion(canvas.subplots(), outcomes)
    canvas.savefig(table.path, dpi=110)
    return [errors, table]


def _errors(ax: object, outcomes: Sequence[Outcome]) -> None:
    from matplotlib.axes import Axes

    assert isinstance(ax, Axes)
    for verdict, colour in COLOURS.items():
        shown = [o for o in outcomes if o.verdict == verdict and np.isfinite(o.estimated) and np.isfinite(o.error)]
        x = np.clip([o.error for o in shown], 1e-8, 10.0)
        y = np.clip([o.estimated for o in shown], 1e-8, 10.0)
        ax.loglog(x, y, "o", color=colour, markersize=4, alpha=0.7, label=f"{verdict} ({len(shown)})")
    line = np.array([1e-8, 10.0])
    ax.fill_between(line, line / 1.5, line * 1.5, color="#8a929b", alpha=0.2, linewidth=0)
    for limit in (TOLERANCE, UNUSABLE * TOLERANCE):
        ax.axvline(limit, color="#8a929b", linestyle="--", linewidth=0.8)
        ax.axhline(limit, color="#8a929b", linestyle="--", linewidth=0.8)
    ax.set(xlabel="true relative error", ylabel="estimated relative error")
    ax.grid(alpha=0.3)
    ax.legend(loc="upper left", fontsize="small")


def _confusion(ax: object, outcomes: Sequence[Outcome]) -> None:
    from matplotlib.axes import Axes

    assert isinstance(ax, Axes)
    found = Counter((o.verdict, o.truth) for o in outcomes)
    numbers = np.array([[found[verdict, truth] for truth in TRUTHS] for verdict in VERDICTS])
    ax.imshow(numbers, cmap="Blues", aspect="auto")
    for i, row in enumerate(numbers):
        for j, number in enumerate(row):
            ax.text(
                j, i, str(number), ha="center", va="center", color="white" if number > numbers.max() / 2 else "#222"
            )
    ax.set_xticks(range(3), [f"true: {word}" for word in TRUTHS])
    ax.set_yticks(range(4), [f"said: {word}" for word in VERDICTS])
