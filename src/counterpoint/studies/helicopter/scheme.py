"""Figure 6.3: which subsystem sends what to which, and how often each steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .experiment import COARSE, FINE

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

_BOXES = {
    "control": (0.5, 0.82, f"control diagram\nyaw and altitude\nevery {FINE:g} s"),
    "main": (0.17, 0.25, f"main rotor and fuselage\nmultibody\nevery {COARSE:g} s"),
    "tail": (0.83, 0.25, f"tail rotor\nmultibody\nevery {FINE:g} s"),
}
_ARROWS = (
    ("main", "control", (0.20, 0.42), (0.36, 0.78), "altitude, yaw\nand rates", (0.11, 0.63)),
    ("control", "main", (0.43, 0.70), (0.29, 0.42), "collective", (0.43, 0.54)),
    ("control", "tail", (0.64, 0.78), (0.80, 0.42), "tail pitch", (0.80, 0.63)),
    ("main", "tail", (0.34, 0.31), (0.66, 0.31), "six coordinates of the tail", (0.50, 0.35)),
    ("tail", "main", (0.66, 0.19), (0.34, 0.19), "six reaction forces", (0.50, 0.12)),
)


def draw_scheme() -> Canvas:
    """Draw the three subsystems and their connections."""
    from matplotlib.figure import Figure as NewCanvas

    canvas = NewCanvas(figsize=(8.0, 3.8), layout="constrained")
    panel = canvas.subplots()
    panel.set_axis_off()
    panel.set(xlim=(0, 1), ylim=(0, 1))
    for x, y, text in _BOXES.values():
        style = {"boxstyle": "round,pad=0.6", "facecolor": "#eef3fa", "edgecolor": "#0072b2"}
        panel.text(x, y, text, ha="center", va="center", fontsize=10, bbox=style)
    for _, _, start, end, text, place in _ARROWS:
        panel.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "color": "#4c566a", "lw": 1.3})
        panel.text(*place, text, ha="center", va="center", fontsize=9, color="#4c566a")
    return canvas
