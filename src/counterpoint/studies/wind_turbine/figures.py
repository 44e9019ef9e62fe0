"""The figures of chapter 5, and those of the AWT-27."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...diagram.drawing.svg import lay_out
from ...diagram.library import generator_torque_law, inverter_generator, pitch_controller, turbine_controller
from ...multibody.library import cart
from ..report import Figure
from .cart_runs import RPM, SEGMENTS
from .internal import internal_loads
from .outcome import Outcome
from .performance import power_over_wind

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from ...diagram import Diagram

COLOURS = ("#4c566a", "#0072b2", "#d55e00", "#009e73")
CAPTIONS = {
    "figure-5-2-model": "Figure 5.2. The CART as a mechanism: tower and blades of rigid segments, nacelle, shaft, "
    "teetering hub.",
    "figure-5-3-torque-law": "Figure 5.3. Torque of the generator over the rotor speed.",
    "figure-5-4-controller": "Figure 5.4. Controller: wind, pitch controller, torque law, generator.",
    "figure-5-5-pitch-controller": "Figure 5.5. Pitch controller: start-up, PID with scheduled gains, pitch engine.",
    "figure-5-6-generator": "Figure 5.6. Generator: current of the torque axis behind its inverter.",
    "figure-5-7-power": "Figure 5.7. Power over wind at 41.7 rpm for several pitch angles.",
    "figure-5-8-run": "Figure 5.8. Wind, pitch and rotor speed over time.",
    "figure-5-9-pid": "Figure 5.9. Parts of the PID controller.",
    "figure-5-10-forces": "Figure 5.10. Internal forces of blade 1 over its radius and time.",
    "figure-5-11-moments": "Figure 5.11. Internal moments of blade 1 over its radius and time.",
    "figure-5-12-steps": "Figure 5.12. Steps of the wind: rotor speed, pitch, power.",
    "power-coefficient": "Power coefficient over tip speed ratio and pitch (NACA 0012): ours (lines) and an "
    "independent blade-element code (points).",
    "awt27-time": "AWT-27, nacelle 15° off the wind: ours and the record of OpenFAST over the azimuth of blade 1.",
    "uae": "UAE Phase VI, rigid rotor at 71.9 rpm: torque and thrust over the wind, ours and the record of OpenFAST.",
    "awt27-cases": "AWT-27, cases without a reference here: free yaw (left) and start from rest, generator on the grid "
    "from 6 to 12 s, brake from 13 s (right).",
    "rates": "One rate (2 ms) and two (10 ms and 2 ms): rotor speed, power, and their difference.",
}


def draw_all(outcome: Outcome, folder: Path) -> list[Figure]:
    """Draw every figure into `folder` and return them in order."""
    folder.mkdir(parents=True, exist_ok=True)
    painters: dict[str, Callable[[], Canvas]] = {
        "figure-5-3-torque-law": _torque_law,
        "figure-5-4-controller": lambda: _diagram(turbine_controller()),
        "figure-5-5-pitch-controller": lambda: _diagram(pitch_controller()),
        "figure-5-6-generator": lambda: _diagram(inverter_generator()),
        "figure-5-7-power": lambda: _power(outcome),
        "figure-5-8-run": lambda: _run(outcome),
        "figure-5-9-pid": lambda: _pid(outcome),
        "figure-5-10-forces": lambda: _internal(outcome, "forces"),
        "figure-5-11-moments": lambda: _internal(outcome, "moments"),
        "figure-5-12-steps": lambda: _steps(outcome),
        "power-coefficient": lambda: _coefficients(outcome),
        "awt27-time": lambda: _awt(outcome),
        "uae": lambda: _uae(outcome),
        "awt27-cases": lambda: _other_cases(outcome),
        "rates": lambda: _rates(outcome),
    }
    figures = [
        Figure(folder / f"{name}.png", caption)
        for name, caption in CAPTIONS.items()
        if name != "awt27-cases" or outcome.others
    ]
    for figure in figures:
        painter = painters.get(figure.path.stem)
        if painter is None:
            _model(outcome, figure.path)
        else:
            painter().savefig(figure.path, dpi=120)
    return figures


def _canvas(width: float, height: float) -> Canvas:
    from matplotlib.figure import Figure as NewCanvas

    return NewCanvas(figsize=(width, height), layout="constrained")


def _model(outcome: Outcome, path: Path) -> None:
    run = outcome.pictured
    run.model.animation(run.result, "turbine").strip(path, times=[0.0, 0.3, 0.6], dpi=110)


def _torque_law() -> Canvas:
    canvas = _canvas(7, 3.6)
    axes = canvas.subplots()
    speed = np.linspace(0, 46, 231)
    torque = [_law_at(w * RPM) for w in speed]
    axes.plot(speed, torque, color=COLOURS[1])
    axes.set(xlabel="rotor speed in rpm", ylabel="torque on the fast shaft in N m", xlim=(0, 46))
    axes.grid(alpha=0.3)
    return canvas


def _law_at(speed: float) -> float:
    law = generator_torque_law()
    law.defaults["rotor_speed"][:] = speed
    return float(law.run(until=0.01, step=0.01)["torque_law.torque"].values[-1])


def _diagram(model: Diagram) -> Canvas:
    """Draw the top level of a diagram as boxes and lines."""
    from matplotlib.patches import FancyBboxPatch

    blocks, layout = lay_out(model)
    canvas = _canvas(max(8.0, layout.width / 110), max(2.5, layout.height / 110))
    axes = canvas.subplots()
    for line in layout.lines:
        axes.plot(*np.array(line).T, color="0.35", lw=0.9)
    for block, node in zip(blocks, layout.nodes, strict=True):
        face = "#eef3f8" if block is not None else "#f8f1e7"
        axes.add_patch(FancyBboxPatch((node.x, node.y), node.width, node.height, boxstyle="round,pad=1,rounding_size=3",
                                      fc=face, ec=COLOURS[0], lw=1.0, zorder=3))  # fmt: skip
        axes.text(node.x + node.width / 2, node.y + node.height / 2, node.name.replace("_", "\n"), ha="center",
                  va="center", fontsize=6.5, zorder=4)  # fmt: skip
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.axis("off")
    return canvas


def _power(outcome: Outcome) -> Canvas:
    canvas = _canvas(8, 4.4)
    axes = canvas.subplots()
    winds = np.linspace(5, 20, 7 if outcome.quick else 31)
    pitches = np.radians([-1, 1, 3, 5, 7, 9, 12, 15])
    power = power_over_wind(winds, pitches) / 1e3
    for column, pitch in zip(power.T, pitches, strict=True):
        axes.plot(winds, column, lw=1.2, label=f"{np.degrees(pitch):.0f}°")
    axes.axhline(600.0 / (0.93 * 0.98), color="0.5", ls="--", lw=0.8)
    axes.text(5.1, 600.0 / (0.93 * 0.98) + 12, "rated", fontsize=8, color="0.4")
    axes.set(xlabel="wind in m/s", ylabel="power of the rotor in kW", ylim=(0, 1400), xlim=(5, 20))
    axes.legend(title="pitch", fontsize=8, ncols=2)
    axes.grid(alpha=0.3)
    return canvas


def _three(outcome: Outcome, start: float, stop: float, rows: list[tuple[str, str, float]]) -> Canvas:
    canvas = _canvas(9, 2.0 * len(rows) + 0.6)
    time = np.linspace(start, stop, 2000)
    for k, (name, label, factor) in enumerate(rows):
        axes = canvas.add_subplot(len(rows), 1, k + 1)
        axes.plot(time, factor * outcome.run.at(name, time), color=COLOURS[1], lw=1.0)
        axes.set(ylabel=label, xlim=(start, stop))
        axes.grid(alpha=0.3)
        if k == len(rows) - 1:
            axes.set_xlabel("time in s")
    return canvas


_SPEED = ("turbine.rotor_speed", "rotor speed in rpm", 1 / RPM)
_PITCH = ("control.pitch", "pitch in °", 180 / np.pi)
_WIND = ("control.wind", "wind in m/s", 1.0)
_POWER = ("control.power", "power in kW", 1e-3)


def _run(outcome: Outcome) -> Canvas:
    return _three(outcome, 0.0, outcome.run.until, [_WIND, _PITCH, _SPEED])


def _pid(outcome: Outcome) -> Canvas:
    rows = [(f"control.{part}", f"{part} in °", 180 / np.pi) for part in ("proportional", "integral", "derivative")]
    return _three(outcome, 0.0, outcome.run.until, rows)


def _steps(outcome: Outcome) -> Canvas:
    start = 100.0 if outcome.run.until > 150 else 0.0
    return _three(outcome, start, outcome.run.until, [_WIND, _SPEED, _PITCH, _POWER])


def _internal(outcome: Outcome, what: str) -> Canvas:
    loads = internal_loads(cart(), outcome.run, SEGMENTS)
    canvas = _canvas(9, 5.6)
    panels = loads.forces if what == "forces" else loads.moments
    unit = "kN" if what == "forces" else "kN m"
    for k, (label, values) in enumerate(panels.items()):
        axes = canvas.add_subplot(len(panels), 1, k + 1)
        shown = axes.pcolormesh(loads.time, loads.radius, values.T / 1e3, cmap="viridis", shading="gouraud")
        canvas.colorbar(shown, ax=axes, label=f"{label} in {unit}")
        axes.set(ylabel="radius in m")
        if k == len(panels) - 1:
            axes.set_xlabel("time in s")
    return canvas


def _coefficients(outcome: Outcome) -> Canvas:
    canvas = _canvas(8, 4.4)
    axes = canvas.subplots()
    table = outcome.maps[0].table
    for k, pitch in enumerate((-2, -1, 1, 3, 5, 8)):
        rows = table[table["pitch_deg"] == pitch].sort_values("tip_speed_ratio")
        axes.plot(rows["tip_speed_ratio"], rows["ours"], color=f"C{k}", lw=1.3, label=f"{pitch}°")
        axes.plot(rows["tip_speed_ratio"], rows["Cp"], "o", color=f"C{k}", ms=3)
    axes.set(xlabel="tip speed ratio", ylabel="power coefficient", ylim=(-0.1, 0.5))
    axes.legend(title="pitch", fontsize=8)
    axes.grid(alpha=0.3)
    return canvas


def _awt(outcome: Outcome) -> Canvas:
    rows = (
        ("teeter_deg", "teeter in °"), ("root_out_of_plane_moment_b1_kNm", "root out of plane in kN m"),
        ("root_in_plane_moment_b1_kNm", "root in plane in kN m"), ("shaft_torque_kNm", "shaft torque in kN m"),
        ("tip_flap_deflection_b2_m", "tip flap, blade 2, in m"), ("yaw_bearing_moment_kNm", "yaw bearing in kN m"),
    )  # fmt: skip
    canvas = _canvas(9.5, 7.0)
    for k, (channel, label) in enumerate(rows):
        axes = canvas.add_subplot(3, 2, k + 1)
        for table, colour, name in (
            (outcome.awt.reference, "0.55", "OpenFAST"),
            (outcome.awt.ours, COLOURS[2], "ours"),
        ):
            last = table[table["time_s"] > table["time_s"].iloc[-1] - 2.3]
            turn = last["azimuth_deg"].to_numpy() % 360.0
            order = np.argsort(turn)
            axes.plot(turn[order], last[channel].to_numpy()[order], ".", ms=2, color=colour, label=name)
        axes.set(ylabel=label, xlim=(0, 360), xticks=range(0, 361, 90))
        axes.grid(alpha=0.3)
        if k >= len(rows) - 2:
            axes.set_xlabel("azimuth of blade 1 in °")
    canvas.axes[0].legend(fontsize=8, markerscale=4)
    return canvas


def _uae(outcome: Outcome) -> Canvas:
    canvas, run = _canvas(9, 3.4), outcome.uae
    for axes, what, label in zip(
        canvas.subplots(1, 2), ("torque", "thrust"), ("torque in kN m", "thrust in kN"), strict=True
    ):
        axes.plot(run.wind, getattr(run, f"reference_{what}") / 1e3, "o", ms=4, color=COLOURS[0], label="OpenFAST")
        axes.plot(run.wind, getattr(run, what) / 1e3, color=COLOURS[2], lw=1.2, label="ours")
        axes.set(xlabel="wind in m/s", ylabel=label)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    return canvas


def _other_cases(outcome: Outcome) -> Canvas:
    rows = (
        (("yaw_deg", "yaw in °"), ("rotor_speed_rpm", "rotor speed in rpm")),
        (("teeter_deg", "teeter in °"), ("shaft_torque_kNm", "shaft torque in kN m")),
        (("root_out_of_plane_moment_b2_kNm", "root out of plane in kN m"), ("brake_torque_kNm", "brake in kN m")),
    )
    canvas = _canvas(10, 6)
    for axes, pair in zip(canvas.subplots(3, 2, sharex=True), rows, strict=True):
        for panel, (channel, label), table in zip(axes, pair, outcome.others.values(), strict=True):
            panel.plot(table["time_s"], table[channel], color=COLOURS[1], lw=0.9)
            panel.set_ylabel(label, fontsize=8)
            panel.grid(alpha=0.3)
    for panel in canvas.axes[-2:]:
        panel.set_xlabel("time in s")
    return canvas


def _rates(outcome: Outcome) -> Canvas:
    canvas = _canvas(9, 5.5)
    time = np.linspace(0.0, outcome.costs.compared, 3000)
    for k, (name, label, factor) in enumerate((_SPEED, _POWER)):
        axes = canvas.add_subplot(2, 2, 2 * k + 1)
        one, two = outcome.single.at(name, time) * factor, outcome.multirate.at(name, time) * factor
        axes.plot(time, one, color="0.6", lw=3, label="one rate")
        axes.plot(time, two, color=COLOURS[2], lw=1, label="two rates")
        axes.set(ylabel=label, xlabel="time in s")
        axes.legend(fontsize=8)
        apart = canvas.add_subplot(2, 2, 2 * k + 2)
        apart.plot(time, 100 * (two - one) / np.abs(one).max(), color=COLOURS[1], lw=1)
        apart.set(ylabel="difference in %", xlabel="time in s")
        for each in (axes, apart):
            each.grid(alpha=0.3)
    return canvas
