"""Pictures of stability: multipliers on the unit circle, regions in the complex plane."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .bisection import LargestStep
    from .regions import Region
    from .result import Stability

GREEN, GREY, RED, BLUE = "#8fc98f", "#555555", "#c0392b", "#1f5fa8"


def draw_multipliers(found: Stability, path: str | Path | None) -> Any:
    """Draw where the multipliers are, those of motions beside the exact ones, and the unit circle."""
    figure = _figure(5.2, 5.0)
    axes = figure.subplots()
    angle = np.linspace(0.0, 2.0 * np.pi, 361)
    axes.plot(np.cos(angle), np.sin(angle), color=GREY, linewidth=1, label="unit circle")
    exact = np.array([np.exp(mode.exact * mode.period) for mode in found.modes])
    made = np.array([mode.multiplier for mode in found.modes])
    axes.plot(exact.real, exact.imag, "+", color=GREY, markersize=11, label="exact motion")
    axes.plot(made.real, made.imag, "o", color=BLUE, markersize=5, label="motion in the scheme")
    axes.plot(found.parasitic.real, found.parasitic.imag, "x", color=RED, markersize=6, label="parasitic")
    axes.set_aspect("equal")
    axes.set_xlabel("real part")
    axes.set_ylabel("imaginary part")
    axes.set_title(f"{found.name}, {found.scheme}: spectral radius {found.radius:.6g}", fontsize=10)
    figure.legend(fontsize=8, loc="outside lower center", ncols=2)
    return _written(figure, path)


def draw_bisection(found: LargestStep, path: str | Path | None) -> Any:
    """Draw the spectral radius over the steps that were tried, and the largest stable one."""
    figure = _figure(6.0, 3.6)
    axes = figure.subplots()
    factors, radii = np.array(found.tried).T
    axes.semilogx(factors, radii, "o-", color=BLUE, markersize=4, linewidth=1)
    axes.axhline(1.0, color=GREY, linewidth=1)
    if 0.0 < found.factor < np.inf:
        axes.axvline(found.factor, color=RED, linewidth=1, linestyle="--")
    low, high = float(np.min(radii)), min(2.0, float(np.max(radii)))
    axes.set_ylim(low - 0.05 * max(high - low, 0.01), high + 0.05 * max(high - low, 0.01))
    axes.set_xlabel("steps, relative to those given")
    axes.set_ylabel("spectral radius")
    axes.set_title(str(found), fontsize=9)
    return _written(figure, path)


def draw_region(region: Region, path: str | Path | None) -> Any:
    """Draw where a scheme is stable."""
    figure = _figure(5.2, 4.2)
    fill_region(figure.subplots(), region)
    return _written(figure, path)


def fill_region(axes: Any, region: Region) -> None:
    """Draw a region into axes: stable in green, its edge as a line."""
    excess = np.where(np.isfinite(region.radius), region.radius, 1e6) - 1.0
    tolerance = region.tolerance
    axes.contourf(region.real, region.imag, excess, levels=[-10.0, tolerance], colors=[GREEN])
    axes.contour(region.real, region.imag, excess, levels=[tolerance], colors=[GREY], linewidths=1)
    axes.axvline(0.0, color="black", linewidth=0.7)
    axes.axhline(0.0, color="black", linewidth=0.7)
    axes.set_xlabel("Re hλ")
    axes.set_ylabel("Im hλ")
    axes.set_title(region.title, fontsize=9)


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _written(figure: Any, path: str | Path | None) -> Any:
    if path is not None:
        figure.savefig(path, dpi=120)
    return figure
