"""Figures 11 and 13 to 16 of the source, its tables as curves, and what it does not show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...multibody.animation import Animation
from ..report import Figure
from . import published
from .costs import Costs
from .experiment import FINE_STEP, Case, vehicle
from .runs import CURVES, HOSTED, LARGEST, LOCATED, RATIOS, REFERENCE, TABLE_2, UNSTABLE, Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

GREY, BLUE, GREEN, ORANGE, PINK, SKY = "#4c566a", "#0072b2", "#009e73", "#d55e00", "#cc79a7", "#56b4e9"
STYLES = dict(
    zip(CURVES, ((BLUE, "-"), (SKY, "-"), (GREY, "--"), (ORANGE, "-"), (PINK, "--"), (GREEN, ":")), strict=True)
)

CAPTIONS = {
    "figure-11-vehicle": "Figure 11. The vehicle: 163 natural coordinates, 14 degrees of freedom with guided steering.",
    "figure-13-throttle": "Figure 13. Throttle, ours: the source's figure has no numbers to be read here.",
    "figure-14-pitch": "Figure 14. Pitch in the reference case, both steps 1e-4 s. Nose up is negative; the angle "
    "swings where the gearbox shifts, at 4.4 and 8 s, and falls back as the throttle closes. Dotted: the range that "
    "the source names.",
    "figure-15-difference": "Figure 15. Difference in pitch to the reference case, FR = 100, slowest-first, order 0.",
    "figure-16-difference": "Figure 16. Difference in pitch to the reference case, FR = 100, fastest-first, order 1 "
    "for what the vehicle publishes. Same scale as figure 15.",
    "table-2-ratio": "Table 2 as curves: processor time relative to FR = 1, and largest difference in pitch; "
    "slowest-first, order 0. Dashed: the source.",
    "table-3-orders": "Table 3 for every FR: largest difference in pitch as the drive has it (left) and at the "
    "vehicle's own steps (right). Black: the source, orders 0 to 3. Crosses at the upper edge: unstable.",
    "drive": "The drive in the reference case: engine speed, torque at the axle, manifold; speed of the vehicle.",
    "located-events": "Engine events located or waiting for the end of their step: error of the engine speed over the "
    "first seconds, and largest difference in pitch over the processor time that it costs.",
    "costs": "Where the processor time goes, per simulated second: no step of the vehicle makes the drive cheaper.",
    "motion": "The vehicle at the start, at its largest pitch and in the first gear change; "
    "animation.html shows it move.",
}


def draw_all(runs: Runs, costs: Costs, animation: Animation, folder: Path) -> list[Figure]:
    """Draw every figure into `folder` and return them in order."""
    draw: dict[str, Callable[[], Canvas]] = {
        "figure-11-vehicle": draw_vehicle,
        "figure-13-throttle": lambda: draw_throttle(runs),
        "figure-14-pitch": lambda: draw_pitch(runs),
        "figure-15-difference": lambda: draw_difference(runs, Case(LARGEST)),
        "figure-16-difference": lambda: draw_difference(runs, Case(LARGEST, "fastest-first", 1)),
        "table-2-ratio": lambda: draw_ratios(runs),
        "table-3-orders": lambda: draw_orders(runs),
        "drive": lambda: draw_drive(runs),
        "located-events": lambda: draw_located(runs),
        "costs": lambda: draw_costs(runs, costs),
    }
    figures = []
    for name, caption in CAPTIONS.items():
        path = folder / f"{name}.png"
        if name == "motion":
            animation.strip(path, times=(0.0, 2.3, 4.6), dpi=130)
        else:
            draw[name]().savefig(path, dpi=130)
        figures.append(Figure(path, caption))
    return figures


def draw_vehicle() -> Canvas:
    """Draw the vehicle as assembled."""
    canvas = vehicle().draw(labels=False)
    canvas.set_size_inches(8.0, 4.6)
    return canvas


def draw_throttle(runs: Runs) -> Canvas:
    """Draw the throttle over time."""
    canvas, (panel,) = _grid(1, height=2.8)
    drive = runs[REFERENCE].drive
    panel.plot(drive["time"], drive["throttle"], color=BLUE, lw=1.5)
    panel.set(xlabel="time t in s", ylabel="throttle angle in °", ylim=(0, 95))
    return canvas


def draw_pitch(runs: Runs) -> Canvas:
    """Draw the pitch of the reference case."""
    canvas, (panel,) = _grid(1, height=3.6)
    panel.plot(runs[REFERENCE].time, runs[REFERENCE].pitch, color=BLUE, lw=1.3)
    for limit in published.PITCH:
        panel.axhline(limit, color="black", ls=":", lw=1)
    panel.set(xlabel="time t in s", ylabel="pitch ψ in °")
    return canvas


def draw_difference(runs: Runs, case: Case) -> Canvas:
    """Draw the difference in pitch of a case to the reference, on a scale that figures 15 and 16 share."""
    canvas, (panel,) = _grid(1, height=3.2)
    time, difference = runs[case].difference(runs[REFERENCE])
    panel.plot(time, difference, color=BLUE, lw=0.6)
    limit = 1.1 * runs.error(Case(LARGEST))
    panel.set(xlabel="time t in s", ylabel="Δψ in °", ylim=(-limit, limit), title=case.label)
    return canvas


def draw_ratios(runs: Runs) -> Canvas:
    """Draw relative time and difference over FR beside the source's."""
    canvas, (left, right) = _grid(2, height=3.8)
    cases = runs.present(Case(ratio) for ratio in RATIOS)
    ratios = [case.ratio for case in cases]
    left.loglog(list(published.ELAPSED), [1 / published.speed_up(fr) for fr in published.ELAPSED], "o--", color=GREY)
    left.loglog([1, *ratios], [1.0, *(1 / runs.speed_up(case) for case in cases)], "o-", color=BLUE)
    hosted = [case for case in runs.present(HOSTED[1:]) if runs.reference(case).case != case]
    left.set(xlabel="FR", ylabel="time relative to FR = 1")
    right.loglog(list(published.DIFFERENCE), list(published.DIFFERENCE.values()), "o--", color=GREY, label="source")
    right.loglog(ratios, [runs.error(case) for case in cases], "o-", color=BLUE, label="ours")
    at_steps = [runs[case].error_at_steps(runs.reference(case)) for case in hosted]
    right.loglog([case.ratio for case in hosted], at_steps, "s:", color=ORANGE, label="vehicle as host, at its steps")
    right.set(xlabel="FR", ylabel="largest Δψ in °")
    right.legend(fontsize=8)
    return canvas


def draw_orders(runs: Runs) -> Canvas:
    """Draw the difference over FR for schemes and orders, as the drive has it and at the vehicle's steps."""
    canvas, panels = _grid(2, height=4.4)
    names = {"slowest-first": "SF", "fastest-first": "FF"}
    for panel, at_steps in zip(panels, (False, True), strict=True):
        for (scheme, order), (colour, style) in STYLES.items():
            cases = runs.present(Case(ratio, scheme, order) for ratio in RATIOS)
            errors = [_error(runs, case, at_steps) for case in cases]
            fine = [(c.ratio, e) for c, e in zip(cases, errors, strict=True) if e < UNSTABLE]
            label = f"{names[scheme]}, order {order}"
            panel.loglog(*zip(*fine, strict=True) if fine else ([], []), "o", ls=style, color=colour, label=label, ms=4)
            wild = [c.ratio for c, e in zip(cases, errors, strict=True) if e >= UNSTABLE]
            panel.loglog(wild, [0.4 + 0.1 * order] * len(wild), "x", color=colour, ms=8)
        if not at_steps:
            _mark_source(panel)
        panel.set(xlabel="FR", ylabel="largest Δψ in °", ylim=(2e-4, 1.0), xlim=(4, 190))
        panel.set_title("as the drive has it" if not at_steps else "at the vehicle's steps", fontsize=10)
    panels[0].legend(fontsize=7, loc="lower right")
    return canvas


def _mark_source(panel: Axes) -> None:
    """Mark what the source has at the largest FR, with the order beside it."""
    theirs = {order: e for (scheme, order), e in published.TABLE_3.items() if scheme == "fastest-first"}
    panel.loglog([LARGEST * 1.2] * len(theirs), list(theirs.values()), "k_", ms=9, label="source, FF")
    for order, error in theirs.items():
        below = order == 1  # next to order 2
        panel.annotate(f"{order}", (LARGEST * 1.3, error), fontsize=7, va="top" if below else "center_baseline")


def _error(runs: Runs, case: Case, at_steps: bool) -> float:
    return runs[case].error_at_steps(runs[REFERENCE]) if at_steps else runs.error(case)


def draw_drive(runs: Runs) -> Canvas:
    """Draw what the drive does."""
    canvas, panels = _grid(4, columns=1, height=7.5)
    outcome = runs[REFERENCE]
    time = outcome.drive["time"]
    for panel, name, label in zip(
        panels,
        ("rpm", "axle_torque", "pressure"),
        ("engine in rpm", "axle torque in N m", "manifold in bar"),
        strict=False,
    ):
        panel.plot(time, outcome.drive[name], color=BLUE, lw=0.8)
        panel.set_ylabel(label)
    panels[3].plot(outcome.time, outcome.speed, color=BLUE, lw=1.2)
    panels[3].set(xlabel="time t in s", ylabel="vehicle in m/s")
    return canvas


def draw_located(runs: Runs) -> Canvas:
    """Draw errors with located and unlocated events."""
    canvas, (left, right) = _grid(2, height=3.8)
    truth = runs.truth
    located = runs.present(LOCATED)[-1:]
    for case, colour in zip([REFERENCE, *located], (GREY, ORANGE), strict=False):
        early = runs[case].drive["time"] <= 4.0
        time, speed = (runs[case].drive[name][early] for name in ("time", "rpm"))
        error = speed - np.interp(time, truth.drive["time"], truth.drive["rpm"])
        left.plot(time, error, color=colour, lw=0.8, label=_step_label(case))
    left.set(xlabel="time t in s", ylabel="error of the engine speed in rpm")
    left.legend(fontsize=7)
    colours, markers = (GREY, BLUE, SKY, GREEN, ORANGE, PINK, "black", "#e69f00"), "sosDv^*p"
    for case, colour, marker in zip(runs.present([REFERENCE, *LOCATED]), colours, markers, strict=False):
        label = f"{_step_label(case)}, O{case.vehicle_order}"
        right.loglog(
            [runs[case].cpu], [runs[case].error_at_steps(truth)], marker, color=colour, label=label, ms=7, ls=""
        )
    right.set(xlabel="processor time in s", ylabel="largest Δψ in °")
    right.margins(x=0.15, y=0.15)
    right.legend(
        fontsize=7, title="steps of drive/vehicle", title_fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5)
    )
    canvas.set_size_inches(12.0, 3.8)
    return canvas


def _step_label(case: Case) -> str:
    return f"{case.drive_step:.0e}/{case.vehicle_step:.0e} s, {'located' if case.located else 'not located'}"


def draw_costs(runs: Runs, costs: Costs) -> Canvas:
    """Draw the processor time of both subsystems, per simulated second."""
    canvas, (panel,) = _grid(1, height=3.4)
    cases = runs.present(TABLE_2)
    places = np.arange(len(cases))
    drive = costs.drive * 1e-6 / FINE_STEP
    vehicles = [costs.vehicle[case.ratio] * 1e-6 / case.vehicle_step for case in cases]
    panel.bar(places, vehicles, 0.6, bottom=drive, color=BLUE, label="vehicle")
    panel.bar(places, [drive] * len(cases), 0.6, color=ORANGE, label="drive")
    for x, each in zip(places, vehicles, strict=True):
        panel.annotate(f"{each + drive:.3f}", (x, each + drive), ha="center", va="bottom", fontsize=8)
    panel.set_xticks(places, [f"FR = {case.ratio}" for case in cases])
    panel.set(ylabel="processor time in s for one simulated second")
    panel.legend(fontsize=8)
    return canvas


def _grid(panels: int, *, columns: int | None = None, height: float) -> tuple[Canvas, list[Axes]]:
    """Return a canvas of `height` inches with panels side by side, or below each other with ``columns=1``."""
    from matplotlib.figure import Figure as NewCanvas

    across = columns or panels
    canvas = NewCanvas(figsize=(8.0 if across == 1 else 5.0 * across, height), layout="constrained")
    axes = canvas.subplots(panels // across, across, squeeze=False, sharex=across == 1)
    for panel in axes.flat:
        panel.grid(visible=True, alpha=0.3)
    return canvas, list(axes.flat)
