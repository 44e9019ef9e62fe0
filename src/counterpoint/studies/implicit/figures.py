"""Figures of the study of implicit coupling."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..public_benchmarks.oscillator import FIGURE_11
from ..report import Figure
from . import oscillator
from .equation import COUPLINGS
from .outcome import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

COLOURS = ("#4c566a", "#0072b2", "#56b4e9", "#e69f00", "#d55e00", "#009e73", "#cc79a7", "#000000")
CAPTIONS = {
    "test-equation": "Test equation: largest error of both over the large step, ratio 10, trapezoidal rule, with both "
    "signs of the coupling. Missing points: the run left the range of numbers.",
    "two-masses": "Two masses: error of position over the frequency ratio (left) and passes per window (right).",
    "orders": "Partitioned oscillator: error of the left side over the window with the steps of Fig. 11. Dashed: "
    "one-sided stencils. Stars: published.",
    "passes": "Partitioned oscillator: passes per window over its length, tolerance 1e-9, 40 windows.",
    "histories": "Strong coupling (60 N/m, one step of 0.5 s): change by each repeat of one window.",
    "pendulum": "Cut double pendulum: deviation from the whole one over the ratio of the masses (left; missing points: "
    "lost) and integrations of both halves (right).",
}


@dataclass(frozen=True)
class Findings:
    """Everything that was run."""

    equation: dict[tuple[str, float, float], Outcome]
    masses: dict[tuple[str, int], tuple[Outcome, float]]
    orders: dict[tuple[str, str, float], tuple[float, float]]
    passes: dict[tuple[str, str, float], Outcome]
    cases: dict[tuple[str, int], Outcome]
    histories: dict[str, list[float]]
    pendulum: dict[tuple[str, float], Outcome]


def draw_all(found: Findings, folder: Path) -> list[Figure]:
    """Draw every figure into `folder` and return them in order."""
    drawn = (_equation(found), _masses(found), _orders(found), _passes(found), _histories(found), _pendulum(found))
    figures = [Figure(folder / f"{name}.png", caption) for name, caption in CAPTIONS.items()]
    for canvas, figure in zip(drawn, figures, strict=True):
        canvas.savefig(figure.path, dpi=130)
    return figures


def _canvas(height: float = 4.4) -> Canvas:
    from matplotlib.figure import Figure as NewCanvas

    return NewCanvas(figsize=(10.0, height), layout="constrained")


def _names(keys: list[str]) -> dict[str, str]:
    return {name: COLOURS[k % len(COLOURS)] for k, name in enumerate(dict.fromkeys(keys))}


def _equation(found: Findings) -> Canvas:
    canvas = _canvas()
    for axes, beta in zip(canvas.subplots(1, 2, sharey=True), COUPLINGS, strict=True):
        for name, colour in _names([name for name, _, _ in found.equation]).items():
            points = sorted((step, one.error) for (n, b, step), one in found.equation.items() if (n, b) == (name, beta))
            axes.loglog(*zip(*points, strict=True), "o-", ms=4, color=colour, label=name)
        axes.set(title=f"β = {beta:g}", xlabel="large step H in s", ylim=(None, 30.0))
        axes.grid(alpha=0.3)
    canvas.axes[0].set_ylabel("largest error")
    canvas.axes[0].legend(fontsize=8)
    return canvas


def _masses(found: Findings) -> Canvas:
    canvas = _canvas()
    left, right = canvas.subplots(1, 2)
    for name, colour in _names([name for name, _ in found.masses]).items():
        points = sorted((ratio, one) for (n, ratio), (one, _) in found.masses.items() if n == name)
        ratios = [ratio for ratio, _ in points]
        left.semilogy(ratios, [one.error for _, one in points], "o-", ms=4, color=colour, label=name)
        if "explicit" not in name and "reduced" not in name:
            right.plot(ratios, [one.passes for _, one in points], "o-", ms=4, color=colour, label=name)
    left.set(xlabel="frequency ratio", ylabel="error of position", ylim=(1e-3, 3.0))
    right.set(xlabel="frequency ratio", ylabel="passes per window", ylim=(0.0, None))
    left.legend(fontsize=8)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    return canvas


def _orders(found: Findings) -> Canvas:
    canvas = _canvas()
    axes = canvas.subplots()
    for name, colour in _names([name for name, _, _ in found.orders]).items():
        for stencil, style in (("centred", "o-"), ("one-sided", "o--")):
            points = sorted((w, both[0]) for (n, s, w), both in found.orders.items() if (n, s) == (name, stencil))
            label = name if stencil == "centred" else None
            axes.loglog(*zip(*points, strict=True), style, ms=4, color=colour, label=label)
    lengths = sorted({length for _, _, length in found.orders})
    axes.loglog(lengths, [FIGURE_11[w][2] for w in lengths], "k*", ms=10, mfc="none", label="published")
    axes.set(xlabel="window in s (four left steps)", ylabel="error left in m")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return canvas


def _passes(found: Findings) -> Canvas:
    canvas = _canvas()
    for axes, scheme in zip(canvas.subplots(1, 2, sharey=True), ("parallel", "sequential"), strict=True):
        for name, colour in _names(list(oscillator.ACCELERATIONS)).items():
            points = sorted((w, one.passes) for (n, s, w), one in found.passes.items() if (n, s) == (name, scheme))
            axes.loglog(*zip(*points, strict=True), "o-", ms=4, color=colour, label=name)
        axes.set(title=scheme, xlabel="window in s")
        axes.set_yticks([2, 3, 5, 10, 20, 50], ["2", "3", "5", "10", "20", "50"])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    canvas.axes[0].set_ylabel("passes per window")
    canvas.axes[0].legend(fontsize=8)
    return canvas


def _histories(found: Findings) -> Canvas:
    canvas = _canvas(4.0)
    axes = canvas.subplots()
    for name, colour in _names(list(oscillator.ACCELERATIONS)).items():
        changes = [max(change, 1e-17) for change in found.histories.get(name, [])]
        axes.semilogy(range(1, len(changes) + 1), changes, "o-", ms=4, color=colour, label=name)
    axes.set(xlabel="repeat", ylabel="change of the interface, relative")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return canvas


def _pendulum(found: Findings) -> Canvas:
    canvas = _canvas()
    left, right = canvas.subplots(1, 2)
    shown = [name for name, _ in found.pendulum if name.startswith("sequential")]
    for name, colour in _names(shown).items():
        points = sorted((ratio, one) for (n, ratio), one in found.pendulum.items() if n == name)
        kept = [(ratio, one) for ratio, one in points if one.error < 2.0]
        style = "o:" if "order" in name else "o-"
        left.loglog([r for r, _ in kept], [one.error for _, one in kept], style, ms=5, color=colour, label=name)
        right.loglog([r for r, _ in kept], [one.integrations for _, one in kept], style, ms=5, color=colour)
    left.set(xlabel="lower over upper mass", ylabel="largest deviation in m", ylim=(1e-3, 1.0))
    right.set(xlabel="lower over upper mass", ylabel="integrations")
    left.legend(fontsize=8)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    return canvas
