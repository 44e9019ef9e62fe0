"""The two-mass study: run the sweeps, check every published claim, draw the figures, write the page."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from ..report import Progress, StudyReport
from . import references, variant_claims
from .diagram_claims import diagram_claims, diagram_table, run_diagrams
from .figures import draw_all
from .polynomial_claims import polynomial_claims
from .problem_claims import problem_claims
from .sweep import Sweep, accurate_cases, damped_cases, frequency_ratios, polynomial_cases, run_cases

TITLE = "Two masses, three springs: multirate co-simulation over the frequency ratio"

INTRODUCTION = (
    "Repeats section 3 of F. González, M. Á. Naya, A. Luaces, M. González, “On the effect of multirate "
    "co-simulation techniques in the efficiency and accuracy of multibody system dynamics”, Multibody "
    "System Dynamics 25 (2011), and section 6.3 of F. J. González Varela's thesis (University of La Coruña, "
    "2010). A fast mass (ode4, 100 steps per cycle) is coupled by a spring to a slow mass (trapezoidal "
    "rule, 100 steps per cycle) for 100 fast cycles; FR is the ratio of their frequencies and of their "
    "steps.",
    "Runs use the embedded interface of the paper: the fast side is master and requests the slow "
    "displacement at every stage of ode4. SF is slowest-first, FF fastest-first, O0 to O4 the polynomial "
    "order in both directions. dx is the relative position error of x1, equation (7), dE the relative "
    "energy error, equation (8); the amplitude is that of the fast mode over the last 5 s.",
    "The start acceleration of a slow step is evaluated with the inputs known now, not taken from the end"
    " of the last step; with the stored one the ranking of the methods is different. Smoothing "
    "gives the slow side the mean of all samples of x1 in its step, both ends included. The models of figures "
    "5 and 6 are built as drawn: a block diagram as master, the slow mass as mechanism or linear model behind its "
    "co-simulation block, memory blocks on force and time. The reference numbers are not published: they come from "
    "independent implementations of the same algorithm.",
)


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    ratios = frequency_ratios(quick)
    cases = [*polynomial_cases(ratios), *damped_cases(ratios), *accurate_cases(ratios)]
    cases += [*variant_claims.cases(), *references.cases()]
    sweep = Sweep(ratios, run_cases(cases, progress, "two-mass runs"))
    models = run_diagrams()
    claims = [
        *problem_claims(), *polynomial_claims(sweep), *variant_claims.variant_claims(sweep),
        *diagram_claims(models, sweep),
    ]  # fmt: skip
    figures = draw_all(sweep, out / "figures")
    introduction = [*INTRODUCTION, _extent(sweep, quick)]
    report = StudyReport(
        title=TITLE,
        introduction=introduction,
        claims=claims,
        references=references.reference_claims(sweep.results),
        figures=figures,
        folder=out,
        seconds=perf_counter() - began,
        tables=[diagram_table(models)],
    )
    report.write()
    return report


def _extent(sweep: Sweep, quick: bool) -> str:
    text = f"{len(sweep.results)} runs; {sweep.ratios.size} frequency ratios from 1.5 to 99.5."
    if not quick:
        return text
    return text + " This is the quick form: peaks and crossings are only as fine as these points."
