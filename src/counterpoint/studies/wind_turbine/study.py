"""The wind-turbine study: run both machines, check what is said of them, draw the figures, write the page."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from ..report import Progress, StudyReport, Table
from .awt import CASE, AwtRun
from .claims import wind_turbine_claims
from .figures import draw_all
from .outcome import Outcome, compute

TITLE = "A controlled wind turbine: mechanism and diagram at one rate and two, and the AWT-27"

INTRODUCTION = (
    "Repeats chapter 5 of the thesis of T. Solcia (Politecnico di Milano, 2010): the CART, a two-bladed teetering "
    "turbine of 600 kW at the National Wind Technology Center, as a multibody model (there MBDyn, here natural "
    "coordinates and rigid segments with springs) beside a block diagram with wind, pitch controller and generator "
    "(there Scicos). The mechanism steps by 10 ms, a detailed generator needs 2 ms: at one rate the whole pays for the "
    "generator.",
    "Tables of mass and stiffness are those of the source's own model (Stol 2004); teeter damping and stops, "
    "structural damping and the gains of the controller are ours. Blade-element momentum theory has Prandtl's losses; "
    "the polar is that of the NACA 0012.",
    "The same building blocks make the AWT-27, a stall-regulated downwind turbine whose data and reference run are "
    "public (regression test AWT_YFix_WSt of OpenFAST): the nacelle is held 15° off a sheared wind of 12 m/s. These "
    "are comparisons between programs, not with a machine. So is the rotor of the UAE Phase VI, rigid, in a wind that "
    "rises from 5 to 25 m/s: blade elements alone.",
)
_CHANNELS = (
    "rotor_speed_rpm", "generator_power_kW", "shaft_torque_kNm", "teeter_deg", "root_out_of_plane_moment_b1_kNm",
    "root_in_plane_moment_b1_kNm", "root_out_of_plane_force_b2_kN", "root_in_plane_force_b2_kN",
    "tip_flap_deflection_b2_m", "tip_edge_deflection_b2_m", "yaw_bearing_moment_kNm",
)  # fmt: skip


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png``, ``animation.html`` and ``report.html`` below `out`."""
    began = perf_counter()
    outcome = compute(quick, progress)
    told = (
        ["This is the quick form: shorter runs, fewer segments, no start-up and no steps of the wind."] if quick else []
    )
    figures = draw_all(outcome, out / "figures")
    _animate(outcome, out)
    tables = _write_channels(outcome, out)
    report = StudyReport(
        title=TITLE,
        introduction=[*INTRODUCTION, *told, "The motion is in animation.html beside this page."],
        claims=wind_turbine_claims(outcome),
        figures=figures,
        folder=out,
        seconds=perf_counter() - began,
        tables=[_awt_table(outcome.awt), _cost_table(outcome)],
        files=tables,
    )
    report.write()
    return report


def _animate(outcome: Outcome, out: Path) -> None:
    seen = outcome.pictured.model.animation(outcome.pictured.result, "turbine")
    seen.save(out / "animation.html")


def _write_channels(outcome: Outcome, out: Path) -> dict[Path, str]:
    """Write the channels of all cases of the AWT-27 that were run, as OpenFAST names them."""
    made = {}
    for name, table in {CASE: outcome.awt.ours, **outcome.others}.items():
        path = out / f"{name}.csv"
        table.to_csv(path, index=False)
        made[path] = f"channels of the case {name} of the AWT-27"
    return made


def _awt_table(run: AwtRun) -> Table:
    rows: list[list[str | float]] = []
    for channel in _CHANNELS:
        ours, theirs = run.harmonics(channel)
        rows.append([channel, theirs.mean, ours.mean, theirs.amplitudes[0], ours.amplitudes[0], theirs.amplitudes[1],
                     ours.amplitudes[1]])  # fmt: skip
    columns = ["channel", "mean, record", "mean, ours", "1P, record", "1P, ours", "2P, record", "2P, ours"]
    return Table("AWT-27, last six revolutions", columns, rows, "1P, 2P: amplitudes at once and twice the rotor speed.")


def _cost_table(outcome: Outcome) -> Table:
    costs = outcome.costs
    rows: list[list[str | float]] = [
        ["CART, one rate, processor time over simulated time", costs.single / costs.timed],
        ["CART, two rates, processor time over simulated time", costs.multirate / costs.timed],
        ["CART, saving", costs.saving],
        ["CART, coordinates", float(costs.coordinates)],
        ["CART, macro step in µs (one step of the mechanism, five of the controller)", costs.step],
        ["four-bar chain, coordinates", float(costs.four_bar_coordinates)],
        ["four-bar chain, step in µs", costs.four_bar_step],
        ["step cost per coordinate, CART over four-bar chain", costs.per_coordinate],
        ["AWT-27, processor time over simulated time", outcome.awt.cpu / outcome.awt.duration],
    ]
    return Table("Costs", ["", "value"], rows)
