"""Figure 4.3 of the source, and what it does not show: sampling, and the cut double pendulum."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..report import Figure
from .inverted_claims import InvertedRuns, lean
from .split_claims import STAYS, STIFFNESSES, SplitRuns

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

COLOURS = ("#4c566a", "#0072b2", "#d55e00")
CAPTIONS = {
    "figure-4-3-inverted": "Figure 4.3. Lean of the pendulum and force of the controller, both programs across a "
    "socket (line) and in one process (dots, every 10th step).",
    "cut-rigid": "Beyond the source: the double pendulum cut at its joint, rigid hinge. Largest distance of the lower "
    "mass from where the whole pendulum has it, over 2 s, for m2/m1 from 0.05 to 5, over the largest gain of the loop "
    "on the way (φ is the angle between the rods). Crosses at the upper edge: runs that fail. Dotted: what we call "
    "stable.",
    "cut-elastic": "Beyond the source: the same with a spring and damper in the hinge, m2/m1 = 1.",
}


def draw_all(inverted: InvertedRuns, split: SplitRuns, folder: Path) -> list[Figure]:
    """Draw every figure into `folder` and return them in order."""
    figures = [Figure(folder / f"{name}.png", caption) for name, caption in CAPTIONS.items()]
    for canvas, figure in zip((_inverted(inverted), _rigid(split), _elastic(split)), figures, strict=True):
        canvas.savefig(figure.path, dpi=130)
    return figures


def _canvas(height: float) -> Canvas:
    from matplotlib.figure import Figure as NewCanvas

    return NewCanvas(figsize=(9.0, height), layout="constrained")


def _inverted(runs: InvertedRuns) -> Canvas:
    canvas = _canvas(5.0)
    top, bottom = canvas.subplots(2, 1, sharex=True)
    t = runs.socket["plant.angle"].time
    top.plot(t, np.rad2deg(lean(runs.socket)), color=COLOURS[1], label="across a socket")
    top.plot(t[::10], np.rad2deg(lean(runs.here))[::10], ".", color=COLOURS[2], label="in one process")
    top.set(ylabel="lean in °", title="inverted pendulum, PD controller, single rate 10 ms")
    top.legend()
    force = runs.socket["controller.force"]
    bottom.plot(force.time, force.values, color=COLOURS[1])
    bottom.set(xlabel="time in s", ylabel="force in N", xlim=(0, 3))
    for axes in (top, bottom):
        axes.grid(alpha=0.3)
    return canvas


def _rigid(runs: SplitRuns) -> Canvas:
    canvas = _canvas(4.2)
    panels = canvas.subplots(1, 2, sharey=True)
    for axes, scheme in zip(panels, ("sequential", "parallel"), strict=True):
        for order, colour in enumerate(COLOURS):
            values = runs.rigid[scheme, order]
            fails = ~np.isfinite(values)
            axes.loglog(runs.gains[~fails], values[~fails], "o", ms=4, color=colour, label=f"force of order {order}")
            edge = np.full(int(fails.sum()), 7.0 / 1.4**order)
            axes.plot(runs.gains[fails], edge, "x", ms=5, color=colour)
        axes.axhline(STAYS, color="black", ls=":", lw=1)
        axes.set(title=scheme, xlabel="largest loop gain m2/m1 sin²φ", ylim=(5e-4, 10.0))
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("deviation in m")
    panels[0].legend()
    return canvas


def _elastic(runs: SplitRuns) -> Canvas:
    canvas = _canvas(3.8)
    axes = canvas.subplots()
    for (scheme, order), values in runs.elastic.items():
        style = "-" if scheme == "sequential" else "--"
        shown = np.where(np.isfinite(values), values, np.nan)
        axes.loglog(STIFFNESSES, shown, "o" + style, color=COLOURS[order], label=f"{scheme}, order {order}")
    axes.axhline(STAYS, color="black", ls=":", lw=1)
    axes.set(xlabel="stiffness of the hinge in N/m", ylabel="deviation in m")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, ncols=2)
    return canvas
