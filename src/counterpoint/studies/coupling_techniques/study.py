"""The study of coupling techniques: measure, compare with both tables, draw the figures, write the page."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from ..report import Progress, StudyReport
from . import cosimulation, function_evaluation
from .claims import coupling_claims, evaluation_claims, ratio_tables
from .figures import draw_all

TITLE = "Ways to couple a multibody program and a numerical package"

INTRODUCTION = (
    "Repeats chapter 5 of F. J. González Varela's thesis (University of La Coruña, 2010). First, function "
    "evaluation: the multibody program integrates a double pendulum (1 kg, 1 m, 10 s), and another program evaluates "
    "the dynamic terms M, Φ, Φq, Q. The thesis used MATLAB in three ways; this study uses a compiled function, a "
    "Python function, another process over a Unix socket, and GNU Octave running .m files.",
    "Second, co-simulation: an engine drives an L-loop four-bar linkage (rods 1 m, 1 kg, damping 3.18 N m s/rad) "
    "through a gearbox, 30 s, both with steps of 1 ms and held inputs. The thesis compared Simulink and "
    "its own program as master, a network connection, and everything in one Simulink model; this study uses our "
    "scheduler and our block diagram as master, shared memory, a Unix socket, exported FMUs run by "
    "FMPy, and everything in one diagram. The thesis does not give the gearbox and the throttle law; these are ours.",
    "Times are the best of five, measured in turn in one run, without set-up: processor time in "
    "one process, elapsed time across processes. They are compared only as ratios. The "
    "ratios of the source were measured with a computer and programs of 2010. Where a technique here is another one, "
    "the row says that it cannot be compared; where a program is missing, that it was not measured. Table 5.1 is "
    "computed with the source's iterations, one per step of 1 ms and two of 10 ms, and each iteration evaluates "
    "the terms once: c of Φ'' = Φq a + c is one of them. The curve over the number of variables goes to L = 150 with "
    "303 variables.",
)


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    evaluations = function_evaluation.measure(quick, progress)
    couplings = cosimulation.measure(quick, progress)
    missing = {**evaluations.missing, **couplings.missing}
    told = [f"Not measured here: {name} ({reason})." for name, reason in missing.items()]
    if quick:
        told.append("This is the quick form: the best of two short runs, so the ratios are rough.")
    report = StudyReport(
        title=TITLE,
        introduction=[*INTRODUCTION, *told],
        claims=[*evaluation_claims(evaluations), *coupling_claims(couplings)],
        figures=draw_all(evaluations, couplings, out / "figures"),
        folder=out,
        seconds=perf_counter() - began,
        tables=ratio_tables(evaluations, couplings),
    )
    report.write()
    return report
