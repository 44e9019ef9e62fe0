"""The step-control study: run every problem with every pace, compare with fixed steps, draw, write the page."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from ..report import Progress, StudyReport, Table
from .claims import step_control_claims
from .figures import draw_all
from .pair import pair_claims, run_pair
from .phases import ball_on_plate, two_fmus, urban_cycle
from .problems import Problem, oscillator, quarter_car, three_parts, two_mass_oscillator
from .runs import Curves, run_all

TITLE = "Step control: work against precision of all paces"

INTRODUCTION = (
    "Every pace is run on seven problems over three decades of tolerances, and fixed steps beside them: the two- "
    "mass oscillator of Günther et al. (2012), the partitioned oscillator of Rodenberg and Uekermann (2025), the "
    "quarter car of the papers on energy-conserving co-simulation (Sadjina et al. 2017), the network of three parts "
    "of Glumac's configurator, the dual-mass oscillator of OMSimulator's tests as two FMUs, a ball that bounces on "
    "a sprung plate, and the car with its thermal system in the first urban cycle of the NEDC.",
    "Work is the number of subsystem integrations: how often a subsystem is advanced over a step, repeated passes "
    "and rejected steps included. The error is the largest one at the ends of steps, relative to the size of the "
    "motion; for the car it is the mean error of the exchanged signals. Subsystems integrate practically exactly, "
    "so that the coupling alone makes errors. Approximations are the same for all paces of a problem. Most of these "
    "comparisons are ours: the sources print few numbers.",
)


def problems(folder: Path) -> list[Problem]:
    """Return all problems; the FMUs are made in `folder`."""
    return [
        two_mass_oscillator(),
        oscillator(),
        quarter_car(),
        three_parts(),
        two_fmus(folder),
        ball_on_plate(),
        urban_cycle(),
    ]


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    with TemporaryDirectory() as folder:
        found = run_all(problems(Path(folder)), quick, progress)
        pair = run_pair(Path(folder))
    told = ["This is the quick form: three tolerances and every other fixed step."] if quick else []
    report = StudyReport(
        title=TITLE,
        introduction=[*INTRODUCTION, *told],
        claims=[*step_control_claims(found), *pair_claims(pair)],
        figures=draw_all(found, out / "figures"),
        folder=out,
        seconds=perf_counter() - began,
        tables=[_table(curves) for curves in found],
    )
    report.write()
    return report


def _table(curves: Curves) -> Table:
    columns = [
        "pace",
        "tolerance or step in s",
        "error",
        "integrations",
        "rejected steps",
        "processor time in s",
        "remark",
    ]
    rows: list[list[str | float]] = [
        [name, p.asked, p.error, float(p.integrations), float(p.rejected), p.seconds, p.failure]
        for name, points in curves.points.items()
        for p in points
    ]
    return Table(curves.problem.name, columns, rows)
