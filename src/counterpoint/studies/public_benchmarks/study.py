"""The study of public benchmarks: run every problem over schemes and approximations, compare, draw, write the page."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from ..report import Progress, StudyReport
from . import dual_mass, network, oscillator, quarter_car
from .figures import draw
from .setting import work_table

TITLE = "Benchmarks of the community: ours beside the published numbers"

INTRODUCTION = (
    "Four small linear problems that others use to compare coupling methods, each with its exact solution. Partitioned "
    "oscillator: B. Rodenberg and B. Uekermann (2025), section 4.1, preCICE; numbers of the authors' data files. "
    "Three-part network: S. Glumac, sdf4sim 0.6.0, whose configurator was run, since it prints no numbers. Quarter "
    "car: Open Simulation Platform, demo case quarter-truck, and the papers on ECCO (arXiv 1602.06434, 2406.17353), "
    "whose methods were programmed again, since they print figures. Dual mass oscillator: OMSimulator, whose tests "
    "print results.",
    "A claim is printed where the source prints the number, derived where the source's method or program was run for "
    "it. Errors may be twice those of the source; numbers of steps must be smaller at equal error. Every problem is "
    "also run over schemes, approximations and steps, without windows and without step control.",
)


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began, parts = perf_counter(), 5
    claims, tables, figures = [], [], []

    def tell(done: int) -> None:
        if progress:
            progress("public benchmarks", done, parts)

    folder = out / "figures"
    points = oscillator.run(quick)
    figures.append(draw("partitioned oscillator", points, "m", folder, {}))
    tables.append(
        work_table("Partitioned oscillator without windows", points, "m", "The right side has a fifth of the step.")
    )
    tell(1)
    claims += oscillator.claims(quick)
    tables.append(oscillator.table(quick))
    tell(2)
    points = network.run(quick)
    configured = {f"tolerance {tol:g}": numbers for tol, numbers in network.CONFIGURED.items()}
    figures.append(draw("three-part network", points, "N", folder, configured))
    tables.append(work_table("Three-part network", points, "N", "Error of the force."))
    claims += network.claims(points)
    tell(3)
    points = quarter_car.run(quick)
    stars = {"ECCO": quarter_car.ECCO, **{f"Gauss-Seidel, slopes, {n}": (n, e) for n, e in quarter_car.HERMITE.items()}}
    figures.append(draw("quarter car", points, "parts of 0.1 m", folder, stars))
    tables.append(work_table("Quarter car", points, "0.1 m", "Error of the chassis' place."))
    claims += quarter_car.claims(points)
    tell(4)
    points = dual_mass.run(quick)
    figures.append(draw("dual mass oscillator", points, "m", folder, {"OMSimulator, 1e-4 s": (200_000, 3.7e-4)}))
    tables.append(work_table("Dual mass oscillator", points, "m", "Largest error of both places."))
    claims += dual_mass.claims(points)
    tell(5)
    report = StudyReport(
        title=TITLE, introduction=INTRODUCTION, claims=claims, figures=figures, folder=out,
        seconds=perf_counter() - began, tables=tables,
    )  # fmt: skip
    report.write()
    return report
