"""Figures 11 to 14 of the source, and what the car does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..assumed import assumed
from ..report import Figure
from .experiment import APPROXIMATIONS, Outcome
from .runs import FIXED_HELD, VARIABLE, VARIABLE_HELD, Runs
from .trace import Sampled

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

COLOURS = ("#4c566a", "#0072b2", "#d55e00", "#009e73")
CAPTIONS = {
    "cycle": "The car in the NEDC: speed, engine speed and gear; temperatures; fuel used. Monolithic run.",
    "figure-11-smallest-step": "Figure 11. Smallest macro step varied: number of macro steps, speed-up and error "
    "of the vehicle's speed, equation (4).",
    "figure-12-macro-steps": "Figure 12. Macro steps of the printed law over the cycle, led by the acceleration "
    "of the car.",
    "figure-13-engine-speed": "Figure 13. Engine speed in an acceleration: monolithic, and as the thermal system "
    "assumes it with held values, fixed and variable H.",
    "figure-14-oil": "Figure 14. Oil temperature as the powertrain assumes it, at the start and over the whole "
    "run: monolithic, held with fixed and variable H, 4-point Lagrange with variable H.",
    "trace": "The law alone on the prescribed speed: error of the sampled speed, variable over fixed H of the "
    "same mean. Below 1 the law helps.",
}
_CASES = (FIXED_HELD, VARIABLE_HELD, VARIABLE)


def draw_all(runs: Runs, traces: list[Sampled], folder: Path) -> list[Figure]:
    """Draw every figure into `folder` and return them in order."""
    canvases = (_cycle(runs), _batch(runs), _steps(runs), _engine_speed(runs), _oil(runs), _trace(traces))
    figures = [Figure(folder / f"{name}.png", caption) for name, caption in CAPTIONS.items()]
    for canvas, figure in zip(canvases, figures, strict=True):
        canvas.savefig(figure.path, dpi=130)
    return figures


def _canvas(height: float) -> Canvas:
    from matplotlib.figure import Figure as NewCanvas

    return NewCanvas(figsize=(9.5, height), layout="constrained")


def _cycle(runs: Runs) -> Canvas:
    canvas = _canvas(8.5)
    speed, engine, heat, fuel = canvas.subplots(4, 1, sharex=True)
    time, v = runs.reference.signal("speed")
    speed.plot(time, 3.6 * runs.reference.at("target", time), color="0.7", lw=3, label="prescribed")
    speed.plot(time, 3.6 * v, color=COLOURS[1], lw=1, label="driven")
    speed.set(ylabel="speed in km/h")
    engine.plot(time, runs.reference.at("engine_speed", time) * 30 / np.pi, color=COLOURS[1], lw=0.8)
    engine.set(ylabel="engine speed in rpm")
    gears = engine.twinx()
    gears.plot(time, runs.reference.at("gear", time), color=COLOURS[2], lw=0.8)
    gears.set(ylabel="gear", ylim=(-0.2, 12), yticks=range(6))
    for name, colour in zip(("head", "block", "coolant", "oil"), COLOURS, strict=True):
        heat.plot(time, runs.reference.at(f"{name}_temperature", time), color=colour, lw=1.2, label=name)
    heat.set(ylabel="temperature in °C")
    fuel.plot(time, 1e3 * runs.reference.at("fuel", time), color="0.6", lw=3, label="monolithic")
    outcome = runs.outcomes[VARIABLE.label]
    fuel.plot(outcome.signal("fuel")[0], 1e3 * outcome.signal("fuel")[1], "--", color=COLOURS[2], label=VARIABLE.label)
    fuel.set(ylabel="fuel in g", xlabel="time in s", xlim=(0, runs.until))
    for axes in (speed, heat, fuel):
        axes.legend(fontsize=8, loc="upper left")
    for axes in (speed, engine, heat, fuel):
        axes.grid(alpha=0.3)
    return canvas


def _batch(runs: Runs) -> Canvas:
    canvas = _canvas(3.6)
    steps, speed, error = canvas.subplots(1, 3)
    x = [point.smallest for point in runs.batch]
    for axes, values, label in (
        (steps, [point.steps for point in runs.batch], "macro steps"),
        (speed, [runs.reference.cpu / point.cpu for point in runs.batch], "speed-up"),
        (error, [point.error for point in runs.batch], "error of the speed in m/s"),
    ):
        axes.plot(x, values, "o-", color=COLOURS[1])
        axes.set(xlabel="smallest macro step in s", ylabel=label, ylim=(0, None))
        axes.grid(alpha=0.3)
    return canvas


def _steps(runs: Runs) -> Canvas:
    canvas = _canvas(4.2)
    top, bottom = canvas.subplots(2, 1, sharex=True)
    time, _ = runs.outcomes[VARIABLE_HELD.label].signal("speed")
    top.plot(*runs.reference.signal("speed"), color=COLOURS[0], lw=1)
    top.set(ylabel="speed in m/s")
    lengths = np.diff(time)
    bottom.plot(time[:-1], lengths, ".", ms=3, color=COLOURS[1])
    bottom.axhline(float(lengths.mean()), color=COLOURS[2], lw=1, label=f"mean {lengths.mean():.2f} s")
    bottom.set(ylabel="macro step in s", xlabel="time in s", ylim=(0, 2.2), xlim=(0, runs.until))
    bottom.legend(fontsize=8)
    for axes in (top, bottom):
        axes.grid(alpha=0.3)
    return canvas


def _assumed(outcome: Outcome, kind: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    return assumed(APPROXIMATIONS[kind][name], *outcome.signal(name))


def _engine_speed(runs: Runs) -> Canvas:
    canvas = _canvas(4.0)
    axes = canvas.subplots()
    time, values = runs.reference.signal("engine_speed")
    axes.plot(time, values * 30 / np.pi, color="0.7", lw=3, label="monolithic")
    for case, colour in zip((FIXED_HELD, VARIABLE_HELD), COLOURS[1:], strict=False):
        at, seen = _assumed(runs.outcomes[case.label], case.approximations, "engine_speed")
        axes.plot(at, seen * 30 / np.pi, color=colour, lw=1, label=case.label)
    axes.set(xlabel="time in s", ylabel="engine speed in rpm", xlim=(115, 146), ylim=(700, 2700))
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    return canvas


def _oil(runs: Runs) -> Canvas:
    canvas = _canvas(4.2)
    start, whole = canvas.subplots(1, 2)
    for axes in (start, whole):
        axes.plot(*runs.reference.signal("oil_temperature"), color="0.7", lw=3, label="monolithic")
        for case, colour in zip(_CASES, COLOURS[1:], strict=True):
            at, seen = _assumed(runs.outcomes[case.label], case.approximations, "oil_temperature")
            axes.plot(at, seen, color=colour, lw=0.9, label=case.label)
        axes.set(xlabel="time in s", ylabel="oil temperature in °C")
        axes.grid(alpha=0.3)
    early = float(runs.reference.at("oil_temperature", 20.0))
    start.set(xlim=(0, 20), ylim=(24.95, early + 0.1 * (early - 25)), title="start")
    whole.set(xlim=(0, runs.until), title="whole run")
    start.legend(fontsize=8)
    return canvas


def _trace(traces: list[Sampled]) -> Canvas:
    canvas = _canvas(2.6)
    axes = canvas.subplots()
    places = np.arange(len(traces))
    axes.barh(places, [trace.ratio for trace in traces], color=COLOURS[1], height=0.5)
    axes.axvline(1.0, color="black", lw=1)
    axes.axvline(0.6, color=COLOURS[2], lw=1, ls=":", label="Table 1")
    axes.set_yticks(places, [f"{trace.label}, mean H {trace.mean_step:.2f} s" for trace in traces])
    axes.invert_yaxis()
    axes.set(xlabel="error, variable over fixed H")
    axes.legend(fontsize=8)
    return canvas
