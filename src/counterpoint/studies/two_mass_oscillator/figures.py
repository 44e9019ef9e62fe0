"""Figures of the two-mass oscillator: errors over the macro step, and over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...results import Result
from ..report import Figure
from .claims import PRINTED, STEPS, Errors
from .experiment import BEYOND, STEP, TABLE_2, Case, assumed_angle
from .problem import Array, TwoMassOscillator

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

COLOURS = ("#4c566a", "#0072b2", "#d55e00", "#cc79a7", "#009e73")
CAPTIONS = {
    "errors-over-step": "Co-simulation error of the left angle over the macro step. Stars: the numbers of Table 2.",
    "assumed-angle": "Left: the left angle as the right side assumes it, in the last half second, and the exact one. "
    "Right: error of the left angle over the whole run.",
}


def draw_all(errors: Errors, results: dict[Case, Result], folder: Path) -> list[Figure]:
    """Draw every figure into `folder` and return them in order."""
    figures = [Figure(folder / f"{name}.png", caption) for name, caption in CAPTIONS.items()]
    for canvas, figure in zip((_over_step(errors), _over_time(results)), figures, strict=True):
        canvas.savefig(figure.path, dpi=130)
    return figures


def _canvas(height: float) -> Canvas:
    from matplotlib.figure import Figure as NewCanvas

    return NewCanvas(figsize=(9.5, height), layout="constrained")


def _over_step(errors: Errors) -> Canvas:
    canvas = _canvas(4.6)
    axes = canvas.subplots()
    for case, colour in zip((*TABLE_2, *BEYOND), COLOURS, strict=True):
        steps = [step for step in STEPS if (case, step) in errors]
        style = "o-" if case in TABLE_2 else "s--"
        axes.loglog([1e3 * h for h in steps], [errors[case, h] for h in steps], style, color=colour, label=case.label)
        if case in PRINTED:
            axes.plot(1e3 * STEP, PRINTED[case], "*", ms=15, mfc="none", color=colour)
    axes.set(xlabel="macro step H in ms", ylabel="error of the left angle in rad", xlim=(1.0, 12.0))
    axes.set_xticks([1.25, 2.5, 5, 10], ["1.25", "2.5", "5", "10"])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return canvas


def _over_time(results: dict[Case, Result]) -> Canvas:
    canvas = _canvas(4.2)
    near, whole = canvas.subplots(1, 2)
    problem = TwoMassOscillator()
    fine = np.linspace(19.5, 20.0, 500)
    near.plot(fine, problem.left_angle(fine), color="0.6", lw=3, label="exact")
    for case, colour in zip(TABLE_2, COLOURS, strict=False):
        time, assumed = assumed_angle(case, results[case])
        shown = time >= 19.5
        near.plot(time[shown], assumed[shown], color=colour, lw=1, label=case.label)
        whole.semilogy(*_largest(time, np.abs(assumed - problem.left_angle(time))), color=colour, lw=1.2)
    near.set(xlabel="time in s", ylabel="left angle in rad")
    whole.set(xlabel="time in s", ylabel="largest error within 0.5 s, in rad")
    for axes in (near, whole):
        axes.grid(alpha=0.3)
    canvas.legend(*near.get_legend_handles_labels(), fontsize=8, loc="outside upper center", ncols=2)
    return canvas


def _largest(time: Array, values: Array, window: float = 0.5) -> tuple[Array, Array]:
    """Return the largest value in each stretch of time, which lasts one cycle of the fast mode, s."""
    places = np.minimum(time / window, time[-1] / window - 0.5).astype(int)
    numbers = np.unique(places)
    return (numbers + 0.5) * window, np.array([values[places == k].max() for k in numbers])
