"""Figures 4, 7, 8, 9 and 10 of the source, and one it has only in words: the fast mode's amplitude."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..report import Figure
from .experiment import Case, simulate
from .measures import energy_deviation
from .problem import Ratios, TwoMass
from .sweep import DAMPED_ORDERS, DAMPING, ORDERS, SCHEMES, Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLOURS = ("#4c566a", "#0072b2", "#009e73", "#d55e00", "#cc79a7")
TITLES = {"slowest-first": "(a) slowest-first", "fastest-first": "(b) fastest-first"}
RATIO_LABEL = "frequency ratio FR"


CAPTIONS = {
    "figure-04-response": "Figure 4. Exact motion of m1 for FR = 30.",
    "figure-07-energy": "Figure 7. Energy error over time, FR = 30, slowest-first with cubic polynomials: "
    "it oscillates, so a mean over the run says more than a comparison of first and last value.",
    "figure-08-orders": "Figure 8. Position error of x1 (left) and energy error (right) over FR for "
    "polynomial orders 0 to 4. Dotted: the 10 % below which the source calls a result good.",
    "figure-08b-amplitude": "Beyond the source: amplitude of the fast mode at the end of the same runs; "
    "1 is right. Order 2 and above lose the fast motion around FR = 70, which dx and dE do not show.",
    "figure-09-smoothing": "Figure 9. Motion of m1 at FR = 90 in the first and the last 20 cycles: "
    "co-simulated (colour) and exact (grey).",
    "figure-10-damping": "Figure 10. Position error of x1 over FR for damping ratios ζ = 0 to 0.5.",
}


def draw_all(sweep: Sweep, folder: Path) -> list[Figure]:
    """Draw every figure into `folder` and return them in order."""
    canvases = (
        draw_response(),
        draw_energy_history(),
        draw_orders(sweep),
        draw_amplitude(sweep),
        draw_smoothing(),
        draw_damping(sweep),
    )
    figures = [Figure(folder / f"{name}.png", caption) for name, caption in CAPTIONS.items()]
    for canvas, figure in zip(canvases, figures, strict=True):
        canvas.savefig(figure.path, dpi=130)
    return figures


def draw_response() -> Canvas:
    """Draw the exact x1 for FR = 30."""
    canvas, (axes,) = _grid(1, 1, height=3.2)
    t = np.linspace(0, 60, 6001)
    axes[0].plot(t, TwoMass.from_ratios(Ratios(30.0)).exact(t)[0], color=COLOURS[1], lw=1)
    axes[0].set(xlabel="time t in s", ylabel="displacement x1 in m", title="FR = 30, AR1 = AR12 = 0.1, AR2 = -1000")
    return canvas


def draw_energy_history() -> Canvas:
    """Draw (E - E0)/E0 over time of slowest-first, order 3, FR = 30."""
    case = Case(30.0, "slowest-first", 3)
    run = simulate(case)
    canvas, (axes,) = _grid(1, 1, height=3.2)
    axes[0].plot(
        run.t1[run.together], 100 * energy_deviation(case.problem(), run.on_fast_grid()), color=COLOURS[3], lw=0.8
    )
    axes[0].set(xlabel="time t in s", ylabel="energy error (E - E₀)/E₀ in %", title="FR = 30, slowest-first, order 3")
    return canvas


def draw_orders(sweep: Sweep) -> Canvas:
    """Draw dx and dE over FR for both schemes and all orders."""
    canvas, axes = _grid(2, 2, height=8)
    for row, scheme in zip(axes, SCHEMES, strict=True):
        for panel, name, label in zip(row, ("dx", "dE"), ("position error Δx", "energy error ΔE"), strict=True):
            for order in ORDERS:
                curve = sweep.curve(Case(0.0, scheme, order), name)
                panel.semilogy(sweep.ratios, curve, color=COLOURS[order], lw=1.3, label=f"order {order}")
            _finish(panel, TITLES[scheme], label)
        row[0].axhline(0.1, color="black", ls=":", lw=1)
        row[0].set_ylim(5e-4, 20)
        row[1].set_ylim(5e-6, 2e3)
    return canvas


def draw_amplitude(sweep: Sweep) -> Canvas:
    """Draw the amplitude of the fast mode over FR for both schemes and all orders."""
    canvas, (row,) = _grid(1, 2, height=4.2)
    for panel, scheme in zip(row, SCHEMES, strict=True):
        for order in ORDERS:
            curve = sweep.curve(Case(0.0, scheme, order), "amplitude")
            panel.semilogy(sweep.ratios, curve, color=COLOURS[order], lw=1.3, label=f"order {order}")
        panel.axhline(1, color="black", ls=":", lw=1)
        panel.set_ylim(1e-4, 1e3)
        _finish(panel, TITLES[scheme], "amplitude of the fast mode, 1 = exact")
    return canvas


def draw_smoothing() -> Canvas:
    """Draw x1 at FR = 90 for hold, cubic extrapolation and smoothing, with the exact motion."""
    cases = {
        "(a) slowest-first, order 0": Case(90.0, "slowest-first", 0),
        "(b) fastest-first, order 3": Case(90.0, "fastest-first", 3),
        "(c) smoothing, order 3": Case(90.0, "fastest-first", 3, smoothing=True),
    }
    canvas, axes = _grid(3, 2, height=8)
    for (title, case), row in zip(cases.items(), axes, strict=True):
        run = simulate(case)
        exact = case.problem().exact(run.t1)[0]
        for panel, (start, end) in zip(row, ((0, 20), (80, 100)), strict=True):
            shown = (run.t1 >= start) & (run.t1 <= end)
            panel.plot(run.t1[shown], exact[shown], color="0.55", lw=1, label="exact")
            panel.plot(run.t1[shown], run.x1[shown], color=COLOURS[3], lw=1.2, ls="--", label="co-simulated")
            panel.set(title=title, xlabel="time t in s", ylabel="x1 in m", xlim=(start, end))
        row[0].legend(loc="lower left", fontsize=8)
    return canvas


def draw_damping(sweep: Sweep) -> Canvas:
    """Draw dx over FR for every damping ratio, both schemes, orders 0 and 3."""
    canvas, axes = _grid(2, 2, height=8)
    for row, scheme in zip(axes, SCHEMES, strict=True):
        for panel, order in zip(row, DAMPED_ORDERS, strict=True):
            for zeta, colour in zip(DAMPING, COLOURS, strict=True):
                curve = sweep.curve(Case(0.0, scheme, order, damping_ratio=zeta))
                panel.semilogy(sweep.ratios, curve, color=colour, lw=1.3, label=f"ζ = {zeta:g}")
            panel.set_ylim(1e-5, 20)
            _finish(panel, f"{TITLES[scheme]}, order {order}", "position error Δx")
    return canvas


def _grid(rows: int, columns: int, height: float) -> tuple[Canvas, list[list[Axes]]]:
    """Return a canvas of `height` inches with fixed margins: a layout engine would draw everything twice."""
    from matplotlib.figure import Figure as NewCanvas

    width = 5.2 * columns if columns > 1 else 8.0
    canvas = NewCanvas(figsize=(width, height))
    axes = canvas.subplots(rows, columns, squeeze=False)
    canvas.subplots_adjust(
        left=0.75 / width,
        right=1 - 0.3 / width,
        bottom=0.55 / height,
        top=1 - 0.35 / height,
        wspace=0.2,
        hspace=0.45,
    )
    return canvas, [list(row) for row in axes]


def _finish(panel: Axes, title: str, label: str) -> None:
    panel.set(title=title, xlabel=RATIO_LABEL, ylabel=label, xlim=(0, 100))
    panel.minorticks_off()
    panel.grid(visible=True, alpha=0.3)
    panel.legend(fontsize=8, loc="upper left")
