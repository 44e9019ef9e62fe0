"""The study of stability: regions in closed form, the same from the scheduler, convergence, growth of simulations."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from ..report import Progress, StudyReport, Table
from .claims import Effort, all_claims
from .closed_forms import SCHEMES
from .convergence import Curve, curves
from .figures import draw_all

TITLE = "Stability and convergence of multirate schemes"

INTRODUCTION = (
    "Repeats sections 3.5 and 3.6 of T. Solcia's thesis (Politecnico di Milano, 2010): a fast and a slow "
    "variable, y' = λ y + μ z and z' = ε y + α λ z, each integrated with BDF2 and its own step, h and H = r h. "
    "The slow variable is interpolated in slowest-first and extrapolated by a parabola in fastest-first and double "
    "extrapolation; the fast variable is held, except in fastest-first. A scheme is stable at hλ if the spectral "
    "radius of its compound matrix is at most 1. The coupling is β = με / ((1 - α) Im λ / 2)².",
    "The printed formulas have nine misprints, which are put right here: most of all the sign in (I - B)⁻¹, and the "
    "time from which the fast variable is held. A coupling with με > 0, as the text has it, does not conserve energy; "
    "both signs are shown. The regions are drawn from the corrected closed forms; the scheduler, probed with unit "
    "states and unit histories, gives the same spectral radii to rounding, and direct simulations grow as fast.",
)


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    told = ["This is the quick form: coarser regions and fewer points that are probed."] if quick else []
    effort = Effort(axis=60, probed=1) if quick else Effort(axis=200, probed=6)
    stages = 3
    found = curves((100, 200, 400, 800) if quick else (50, 100, 200, 400, 800, 1600))
    _tell(progress, "convergence", 1, stages)
    claims = all_claims(found, effort)
    _tell(progress, "claims", 2, stages)
    figures = draw_all(found, 41 if quick else 121, out / "figures")
    _tell(progress, "figures", 3, stages)
    report = StudyReport(
        title=TITLE, introduction=[*INTRODUCTION, *told], claims=claims, figures=figures, folder=out,
        seconds=perf_counter() - began, tables=[_table(found)],
    )  # fmt: skip
    report.write()
    return report


def _tell(progress: Progress | None, what: str, done: int, total: int) -> None:
    if progress:
        progress(what, done, total)


def _table(found: list[Curve]) -> Table:
    steps = found[0].steps
    columns = ["scheme", "β", *(f"H = {20 / count:g} s" for count in steps)]
    rows: list[list[str | float]] = [
        [SCHEMES[curve.setting.scheme], f"{curve.setting.beta:g}", *curve.errors] for curve in found
    ]
    return Table("Largest error over 20 s", columns, rows, "λ = j, α = 0.1, r = 10.")
