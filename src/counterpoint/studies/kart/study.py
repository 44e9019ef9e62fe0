"""The kart study: run all cases, check what the source says, draw the figures, write the page and the animation."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from ..report import Progress, StudyReport
from .claims import kart_claims, pitch_plane_references
from .costs import measure
from .figures import draw_all
from .motion import animate, save
from .runs import Runs, run_all
from .tables import all_tables

TITLE = "A kart and its engine: multirate co-simulation of a multiphysics vehicle model"

INTRODUCTION = (
    "Repeats section 4 of F. González, M. Á. Naya, A. Luaces, M. González, “On the effect of multirate "
    "co-simulation techniques in the efficiency and accuracy of multibody system dynamics”, Multibody "
    "System Dynamics 25 (2011): a kart with steering, tyres and four suspensions (163 natural coordinates, "
    "index-3 augmented Lagrangian formulation with projections, trapezoidal rule) is driven by a "
    "four-cylinder engine with automatic gearbox (block diagram, ode4, steps of 1e-4 s). FR is the step "
    "of the vehicle divided by that of the drive.",
    "The diagram is master, as in figure 12 of the paper: engine and gearbox of our library, the vehicle behind a "
    "co-simulation block, and a memory block that breaks the loop of the torque. The other direction, the vehicle as "
    "host of an embedded interface, is a variant.",
    "The paper gives no parameters of the vehicle, the gearbox or the throttle. All of these are "
    "ours; see the table of parameters. They describe a light tubular-frame vehicle and were chosen so that "
    "pitch and gear changes match the description in the paper; the engine is "
    "the published one. So elapsed times and differences in pitch can agree in order of magnitude and in "
    "their trend over FR, but not in every digit.",
    "SF is slowest-first, FF fastest-first; O0 to O3 is the polynomial order for the outputs of the vehicle; "
    "the drive's torque is held (order 0), as in the paper. Δψ is the largest difference in "
    "pitch from the case FR = 1. It is computed from the pitch that the diagram records at each of its steps, "
    "through the polynomial; the difference at the vehicle's own steps is also given. A drive that shifts by a clock, "
    "or by a speed of the vehicle, is kept as a counter-example: it shows what events that cross the interface cost.",
)


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png``, ``animation.html`` and ``report.html`` below `out`."""
    began = perf_counter()
    runs = run_all(quick, progress)
    costs = measure(runs)
    animation = animate(runs.until)
    page = save(animation, out)
    report = StudyReport(
        title=TITLE,
        introduction=[*INTRODUCTION, _extent(runs, quick)],
        claims=kart_claims(runs),
        references=pitch_plane_references(runs),
        figures=draw_all(runs, costs, animation, out / "figures"),
        folder=out,
        seconds=perf_counter() - began,
        tables=all_tables(runs, costs),
        files={page: "animation of the vehicle; rotate and zoom with the mouse"},
    )
    report.write()
    return report


def _extent(runs: Runs, quick: bool) -> str:
    text = f"{len(runs.outcomes)} runs of {runs.until:g} s."
    if not quick:
        return text
    return text + " This is the quick form: the manoeuvre up to the first gear change, and fewer cases."
