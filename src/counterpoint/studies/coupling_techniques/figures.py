"""Figures 5.10 and 5.11 of the source, and Table 5.1 as bars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..report import Figure
from . import cosimulation as c
from . import function_evaluation as f
from .linkage import STEP, THROTTLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

COLOURS = ("#0072b2", "#d55e00")
CAPTIONS = {
    "table-5-1-evaluation": "Table 5.1. Time for a second of the double pendulum, for each place where its dynamic "
    "terms are evaluated, once in each iteration (one per step of 1 ms, two per step of 10 ms).",
    "figure-5-10-motion": "Figure 5.10. Throttle and speed of the linkage; all techniques over the exact model.",
    "figure-5-11-cosimulation": "Figure 5.11. Time for a second of the linkage with its engine, for each technique.",
    "figure-5-11-variables": "Figure 5.11 over the number of variables. Below the dotted line the simulation is faster "
    "than real time; the vertical line marks the 300 variables up to which the source reports it.",
}


def draw_all(evaluations: f.Evaluations, couplings: c.Couplings, folder: Path) -> list[Figure]:
    """Draw every figure into `folder` and return them in order."""
    figures = [Figure(folder / f"{name}.png", caption) for name, caption in CAPTIONS.items()]
    canvases = (_evaluation(evaluations), _motion(couplings), _cosimulation(couplings), _variables(couplings))
    for canvas, figure in zip(canvases, figures, strict=True):
        canvas.savefig(figure.path, dpi=130)
    return figures


def _canvas(height: float) -> Canvas:
    from matplotlib.figure import Figure as NewCanvas

    return NewCanvas(figsize=(9.0, height), layout="constrained")


def _evaluation(made: f.Evaluations) -> Canvas:
    names = [name for name in f.TECHNIQUES if (name, f.STEPS[0]) in made.seconds]
    series = {f"steps of {1e3 * step:g} ms": [made.seconds[name, step] for name in names] for step in f.STEPS}
    return _bars(names, series)


def _cosimulation(made: c.Couplings) -> Canvas:
    names = [name for name in (*c.TECHNIQUES, c.REFERENCE) if (name, c.LOOPS[0]) in made.seconds]
    series = {f"{loops} loops": [made.seconds[name, loops] for name in names] for loops in c.LOOPS}
    return _bars(names, series)


def _variables(made: c.Couplings) -> Canvas:
    canvas = _canvas(4.2)
    axes = canvas.subplots()
    styles = (("o-", "#0072b2"), ("s-", "#d55e00"), ("^-", "#009e73"), (":", "black"))
    for name, (style, colour) in zip((*c.CURVE, c.REFERENCE), styles, strict=True):
        axes.loglog(*made.curve(name), style, color=colour, label=name)
    axes.axhline(1.0, color="black", ls=":", lw=1)
    axes.axvline(c.REAL_TIME_VARIABLES, color="black", ls=":", lw=1)
    axes.set(xlabel="variables of the linkage", ylabel="computing time for one simulated second in s")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return canvas


def _bars(names: list[str], series: dict[str, list[float]]) -> Canvas:
    canvas = _canvas(1.0 + 0.55 * len(names))
    axes = canvas.subplots()
    rows = np.arange(len(names), dtype=float)
    for k, (label, values) in enumerate(series.items()):
        axes.barh(rows + 0.38 * k, values, height=0.36, color=COLOURS[k], label=label)
    axes.set_yticks(rows + 0.19, names)
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="computing time for one simulated second in s")
    axes.grid(axis="x", alpha=0.3)
    axes.legend()
    return canvas


def _motion(made: c.Couplings) -> Canvas:
    canvas = _canvas(5.0)
    top, bottom = canvas.subplots(2, 1, sharex=True)
    loops = c.LOOPS[0]
    end = STEP * (len(made.speed[c.REFERENCE, loops]) - 1)
    top.plot(*THROTTLE, color=COLOURS[0])
    top.set(ylabel="throttle in °", xlim=(0, end), title=f"{loops} loops")
    for name in (*c.TECHNIQUES, c.REFERENCE):
        speed = made.speed.get((name, loops))
        if speed is not None:
            style = {"color": "black", "ls": ":", "lw": 1.5} if name == c.REFERENCE else {"lw": 1.0}
            bottom.plot(STEP * np.arange(len(speed)), speed, label=name, **style)
    bottom.set(xlabel="time in s", ylabel="crank speed in rad/s")
    bottom.legend(fontsize=8)
    for axes in (top, bottom):
        axes.grid(alpha=0.3)
    return canvas
