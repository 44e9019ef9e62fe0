"""Figures 6.1 to 6.7 of the source, its tables as bars, and what it does not show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...multibody.animation import Animation
from ..report import Figure
from . import published
from .data import TAIL
from .experiment import Flight
from .findings import Findings, peak, spectrum
from .fuselage import ELEMENTS, NODES, stick_modes
from .scheme import draw_scheme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

GREY, BLUE, GREEN, ORANGE, PINK = "#4c566a", "#0072b2", "#009e73", "#d55e00", "#cc79a7"

CAPTIONS = {
    "figure-6-1-helicopter": "Figure 6.1. The model: main rotor with four blades on flap springs, fuselage with four "
    "modes, teetering tail rotor.",
    "figure-6-2-views": "Figure 6.2. The model from the left, from above and from the front, in m.",
    "figure-6-3-scheme": "Figure 6.3. Subsystems, what they exchange, and their steps in the multirate layout.",
    "figure-6-4-altitude": "Figure 6.4. Relative altitude after a command of 0.5 m at 0.5 s; lower panel: multirate "
    "minus single rate.",
    "figure-6-5-yaw": "Figure 6.5. Yaw angle after a command of 5 degrees at 0.5 s; lower panel: multirate minus "
    "single rate.",
    "figure-6-6-pitch": "Figure 6.6. Collective pitch of the tail rotor; lower panel: multirate minus single rate.",
    "figure-6-7-force": "Figure 6.7. Reaction force between tail rotor and fuselage, to the right; below, some turns "
    "of the rotor: twice per turn a blade is across the downwash of the main rotor.",
    "table-6-2-costs": "Table 6.2 as bars: processor time of each subsystem for a simulated second; right: the "
    "source, scaled to its case 2.",
    "spectrum": "Amplitudes in the tail rotor's force. Dotted: multiples of two per turn.",
    "hover": "Hover: thrust, power of the shaft and coning of the main rotor. Dotted: momentum theory.",
    "modes": "The four modes of the fuselage, from a stick of beams, seen where they move most.",
    "motion": "The helicopter at the start, in the turn and at the end; animation.html shows it move.",
}


def draw_all(found: Findings, animation: Animation, folder: Path) -> list[Figure]:
    """Draw every figure into `folder` and return them in order."""
    draw: dict[str, Callable[[], Canvas]] = {
        "figure-6-2-views": lambda: draw_views(animation),
        "figure-6-3-scheme": draw_scheme,
        "figure-6-4-altitude": lambda: draw_pair(found, "altitude", "altitude in m"),
        "figure-6-5-yaw": lambda: draw_pair(found, "yaw", "yaw in °"),
        "figure-6-6-pitch": lambda: draw_pair(found, "pitch", "pitch in °"),
        "figure-6-7-force": lambda: draw_force(found),
        "table-6-2-costs": lambda: draw_costs(found),
        "spectrum": lambda: draw_spectrum(found),
        "hover": lambda: draw_hover(found),
        "modes": draw_modes,
    }
    figures = []
    for name, caption in CAPTIONS.items():
        path = folder / f"{name}.png"
        if name == "figure-6-1-helicopter":
            animation.strip(path, times=(0.0,), dpi=130)
        elif name == "motion":
            animation.strip(path, times=(0.0, float(animation.times[-1]) / 2, float(animation.times[-1])), dpi=130)
        else:
            draw[name]().savefig(path, dpi=130)
        figures.append(Figure(path, caption))
    return figures


def draw_pair(found: Findings, name: str, label: str) -> Canvas:
    """Draw a signal of single rate and multirate, and their difference."""
    canvas, (panel, below) = _grid(2, columns=1, height=4.6)
    for flight, colour, style in ((found.single, BLUE, "-"), (found.multi, ORANGE, "--")):
        time, values = flight.signals[name]
        panel.plot(time, values, style, color=colour, lw=1.4, label=flight.case.name)
    if name == "yaw":
        panel.plot(*found.multi.signals["yaw_command"], ":", color="black", lw=1, label="command")
    panel.set(ylabel=label)
    panel.legend(fontsize=8)
    time, values = found.multi.signals[name]
    below.plot(time, values - np.interp(time, *found.single.signals[name]), color=GREY, lw=0.8)
    below.set(xlabel="time t in s", ylabel=f"difference, {label.rpartition(' in ')[2]}")
    return canvas


def draw_force(found: Findings) -> Canvas:
    """Draw the force at the cut, and some turns of it."""
    canvas, (panel, below) = _grid(2, columns=1, height=5.0, share=False)
    for flight, colour, width in ((found.single, BLUE, 0.7), (found.multi, ORANGE, 0.7)):
        time, values = flight.signals["tail_force"]
        panel.plot(time, values, color=colour, lw=width, label=flight.case.name)
        near = (time > 0.6 * flight.until) & (time < 0.6 * flight.until + 0.15)
        below.plot(time[near], values[near], ".-", ms=2, color=colour, lw=0.9)
    panel.set(ylabel="force in N")
    panel.legend(fontsize=8)
    below.set(xlabel="time t in s", ylabel="force in N")
    return canvas


def draw_costs(found: Findings) -> Canvas:
    """Draw the costs of the layouts beside those of the source."""
    canvas, (left, right) = _grid(2, height=3.6)
    places = np.arange(len(found.layouts))
    bottom = np.zeros(len(places))
    for name, colour, label in (("helicopter", BLUE, "main rotor with fuselage"), ("tail", ORANGE, "tail rotor"),
                                ("control", GREEN, "control")):  # fmt: skip
        heights = np.array([f.seconds.get(name, 0.0) / f.until for f in found.layouts])
        left.bar(places, heights, 0.6, bottom=bottom, color=colour, label=label)
        bottom += heights
    left.axhline(1.0, color="black", ls=":", lw=1)
    left.set(ylabel="processor time in s per simulated s")
    scale = sum(published.COSTS[2])
    mains, tails = (np.array([published.COSTS[k][rotor] for k in (1, 2, 3)]) / scale for rotor in (0, 1))
    right.bar(places, mains, 0.6, color=BLUE)
    right.bar(places, tails, 0.6, bottom=mains, color=ORANGE)
    right.set(ylabel="source: time relative to case 2")
    for panel in (left, right):
        panel.set_xticks(places, [f"case {k + 1}\n{f.case.name}" for k, f in enumerate(found.layouts)])
    left.legend(fontsize=8)
    return canvas


def draw_spectrum(found: Findings) -> Canvas:
    """Draw the amplitudes of the force over frequency."""
    canvas, (panel,) = _grid(1, height=3.2)
    for flight, colour, style in ((found.single, BLUE, "-"), (found.multi, ORANGE, "--")):
        frequency, amplitude = spectrum(flight)
        panel.semilogy(frequency, amplitude + 1e-9, style, color=colour, lw=0.9, label=flight.case.name)
    for k in (1, 2, 3):
        panel.axvline(k * 2 * TAIL.speed / (2 * np.pi), color="black", ls=":", lw=0.8)
    at, _ = peak(found.single)
    panel.set(xlim=(0, 260), ylim=(1e-4, None), xlabel="frequency in Hz", ylabel="amplitude in N",
              title=f"largest above 30 Hz at {at:.1f} Hz")  # fmt: skip
    panel.legend(fontsize=8)
    return canvas


def draw_hover(found: Findings) -> Canvas:
    """Draw how thrust, power and coning settle."""
    canvas, panels = _grid(3, columns=1, height=6.0)
    theory = found.theory()
    flight: Flight = found.still
    rows = (("thrust", "thrust in N", None), ("power", "power in kW", 1e-3 * theory.power),
            ("coning", "coning in °", float(np.degrees(theory.coning))))  # fmt: skip
    for panel, (name, label, closed) in zip(panels, rows, strict=True):
        panel.plot(*flight.signals[name], color=BLUE, lw=0.9)
        if closed is not None:
            panel.axhline(closed, color="black", ls=":", lw=1)
        panel.set(ylabel=label)
    panels[-1].set(xlabel="time t in s")
    return canvas


def draw_modes() -> Canvas:
    """Draw the stick and its modes, amplified."""
    canvas, panels = _grid(4, columns=2, height=5.6, share=False)
    for k, (panel, mode) in enumerate(zip(panels, stick_modes(), strict=True)):
        across = 1 if max(abs(d[1]) for d in mode.displacements.values()) > 0.3 else 2
        for first, second in ELEMENTS:
            for factor, colour in ((0.0, "#c0c6d0"), (0.8, BLUE)):
                ends = np.array([NODES[n] + factor * mode.displacements[n] for n in (first, second)])
                panel.plot(ends[:, 0], ends[:, across], "o-", ms=3, color=colour, lw=1.5)
        panel.set(title=f"mode {k + 1}: {mode.frequency:.1f} Hz, {mode.mass:.0f} kg", xlabel="x in m",
                  ylabel="yz"[across - 1] + " in m", aspect="equal")  # fmt: skip
    return canvas


def draw_views(animation: Animation) -> Canvas:
    """Draw the shapes of the first frame from three sides."""
    canvas, panels = _grid(3, height=4.2, share=False)
    for panel, (a, b), title in zip(panels, ((0, 2), (0, 1), (1, 2)), ("left", "top", "front"), strict=True):
        for shape in animation.shapes:
            colour = shape.colour or (BLUE if "main" in shape.key else ORANGE if "tail" in shape.key else GREY)
            solid = shape.solid
            if solid is None:
                panel.plot(shape.positions[0, :, a], shape.positions[0, :, b], color=colour, lw=1)
                continue
            turn = np.eye(3) if shape.rotations is None else shape.rotations[0]
            corners = (np.asarray(shape.scale) * solid.vertices) @ turn.T + shape.positions[0, 0]
            for face in solid.faces:
                panel.fill(corners[face][:, a], corners[face][:, b], color=colour, lw=0.2, alpha=0.35)
        panel.set(xlabel=f"{'xyz'[a]} in m", ylabel=f"{'xyz'[b]} in m", title=title, aspect="equal")
    canvas.set_size_inches(13.0, 4.0)
    return canvas


def _grid(panels: int, *, columns: int | None = None, height: float, share: bool = True) -> tuple[Canvas, list[Axes]]:
    """Return a canvas of `height` inches with panels side by side, or below each other with ``columns=1``."""
    from matplotlib.figure import Figure as NewCanvas

    wide = columns or panels
    canvas = NewCanvas(figsize=(8.0 if wide == 1 else 5.0 * wide, height), layout="constrained")
    axes = canvas.subplots(panels // wide, wide, squeeze=False, sharex=share and wide == 1)
    for panel in axes.flat:
        panel.grid(visible=True, alpha=0.3)
    return canvas, list(axes.flat)
