"""Figs 3.4 to 3.10 of the source: regions in the complex plane, convergence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...stability_analysis import Region
from ...stability_analysis.pictures import fill_region
from ..report import Figure
from .closed_forms import SCHEMES, Setting, bdf2_radius, radius
from .convergence import BETAS, Curve

RATIOS = (1, 5, 10)
ALPHAS = (0.1, 0.05, 0.01, 0.001)
COUPLINGS = (0.0, 0.1, 0.4, 0.8)
SIGNS = (1.0, -1.0)
_COLOURS = {"SF": "#0072b2", "DE": "#d55e00", "FF": "#009e73"}
_LINES = dict(zip(BETAS, ("o:", "s--", "^-.", "D-"), strict=True))


def draw_all(found: Sequence[Curve], points: int, folder: Path) -> list[Figure]:
    """Draw the figures with so many points across each region."""
    figures = [_bdf2(points, folder)]
    for number, scheme in zip((5, 6, 7), SCHEMES, strict=True):
        panels = [[Setting(scheme, r, beta=sign * 0.1) for r in RATIOS] for sign in SIGNS]
        caption = (
            f"Fig. 3.{number}: {SCHEMES[scheme]}, α = 0.1, for ratios H / h of 1, 5 and 10; stable where green. Above: "
            "με > 0 as the text has it, below: με < 0, which conserves energy."
        )
        figures.append(_panels(f"figure-3-{number}", panels, points, folder, caption))
    alpha = [[Setting("DE", 10, a, sign * 0.05, late=True) for a in ALPHAS] for sign in SIGNS]
    figures.append(_panels("figure-3-8", alpha, points, folder,
                           "Fig. 3.8: double extrapolation, r = 10, |β| = 0.05, for falling α; the fast variable as in "
                           "(3.5.13a), one small step before the end. Above με > 0, below με < 0.",
                           size=10.0))  # fmt: skip
    beta = [[Setting("DE", 10, beta=sign * b) for b in COUPLINGS] for sign in SIGNS]
    figures.append(_panels("figure-3-9", beta, points, folder,
                           "Fig. 3.9: double extrapolation, r = 10, α = 0.1, for growing coupling. Above με > 0, below "
                           "με < 0."))  # fmt: skip
    return [*figures, _convergence(found, folder)]


def closed_region(setting: Setting, points: int, size: float = 1.0) -> Region:
    """Return the region of a scheme, drawn so many times as large; it is the same above and below the real axis."""
    real, upper = size * np.linspace(-4.0, 2.0, points), size * np.linspace(0.0, 4.5, points // 2 + 1)
    half = radius(real + 1j * upper[:, None], setting)
    sign = {1.0: ", με > 0", -1.0: ", με < 0"}.get(float(np.sign(setting.beta)), "")
    title = f"{setting.scheme}, r = {setting.ratio}, α = {setting.alpha:g}, |β| = {abs(setting.beta):g}{sign}"
    return Region(real, np.concatenate([-upper[:0:-1], upper]), np.concatenate([half[:0:-1], half]), title, 1e-4)


def _bdf2(points: int, folder: Path) -> Figure:
    canvas = _canvas(5.2, 4.4)
    real, imag = np.linspace(-2.0, 6.0, points), np.linspace(-4.0, 4.0, points)
    region = Region(real, imag, bdf2_radius(real + 1j * imag[:, None]), "BDF2 alone")
    fill_region(canvas.subplots(), region)
    return _saved(canvas, folder / "figure-3-4.png", "Fig. 3.4: BDF2, stable where green: A-stable.")


def _panels(
    name: str, settings: list[list[Setting]], points: int, folder: Path, caption: str, *, size: float = 1.0
) -> Figure:
    columns = len(settings[0])
    canvas = _canvas(3.3 * columns, 6.2)
    for axes, setting in zip(canvas.subplots(2, columns).flat, [s for row in settings for s in row], strict=True):
        fill_region(axes, closed_region(setting, points, size))
    return _saved(canvas, folder / f"{name}.png", caption)


def _convergence(found: Sequence[Curve], folder: Path) -> Figure:
    canvas = _canvas(9.0, 4.6)
    panels = canvas.subplots(1, len(_COLOURS), sharey=True)
    for axes, scheme in zip(panels, _COLOURS, strict=True):
        for curve in found:
            if curve.setting.scheme == scheme:
                large = [20.0 / count for count in curve.steps]
                axes.loglog(large, curve.errors, _LINES[curve.setting.beta], color=_COLOURS[scheme], ms=4, lw=1.1,
                            label=f"β = {curve.setting.beta:g}")  # fmt: skip
        axes.set(title=SCHEMES[scheme], xlabel="H in s")
        _guide(axes, large)
        axes.set_xticks(large[::2], [f"{h:g}" for h in large[::2]])
        axes.set_xticks([], minor=True)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    panels[0].set_ylabel("largest error")
    return _saved(canvas, folder / "figure-3-10.png",
                  "Fig. 3.10: largest error over the large step, λ = j, α = 0.1, r = 10. Grey: first and second order. "
                  "Holding the fast variable costs one order as soon as there is a coupling.")  # fmt: skip


def _guide(axes: Any, large: Sequence[float]) -> None:
    ends = np.array([min(large), max(large)])
    for order, at in ((1, 0.4), (2, 4e-2)):
        axes.loglog(ends, at * (ends / ends[1]) ** order, color="#999999", lw=0.8)


def _canvas(width: float, height: float) -> Any:
    from matplotlib.figure import Figure as NewCanvas

    return NewCanvas(figsize=(width, height), layout="constrained")


def _saved(canvas: Any, path: Path, caption: str) -> Figure:
    canvas.savefig(path, dpi=110)
    return Figure(path, caption)
