"""The study of the two-mass oscillator: run all cases, check Table 2, draw the figures, write the page."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np

from ..report import Progress, StudyReport, Table
from .claims import STEPS, Errors, further_claims, table_claims, variable_claims
from .experiment import BEYOND, STEP, TABLE_2, Case, error, simulate, variable_steps
from .figures import draw_all

TITLE = "Two-mass oscillator: causality and approximation at a flange"

INTRODUCTION = (
    "Repeats section 5.1 of F. Günther, G. Mallebrein, H. Ulbrich, “A Modular Technique for Automotive System "
    "Simulation”, 9th International Modelica Conference, Munich 2012: an undamped oscillator of two rotating masses, "
    "the left one fast and the right one slow, is cut at the spring between them and co-simulated in parallel for 20 "
    "s with macro steps of 5 ms. Potential-flow: the left angle goes to the right side, which has the spring, and its "
    "torque comes back. Flow-flow: both angles go to a coupling law in the master, which gives a torque to each side.",
    "The paper prints no parameters. Ours give modes of 2.0 and 0.4 Hz; the amplitude and the spring between the "
    "masses were fitted to the three numbers of Table 2, so their agreement says that one set of parameters explains "
    "all three, not more. The ranking does not depend on the fit. Errors are those of equation (4): the mean of the "
    "difference between the angle that the other side assumes and the exact one. Outputs with feedthrough are those "
    "of the input valid in the elapsed step; a first-order transition is a line from the old end value to a quadratic "
    "prediction.",
)


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    pairs = [(case, step) for case in (*TABLE_2, *BEYOND) for step in STEPS]
    errors: Errors = {}
    results = {}
    for done, (case, step) in enumerate(pairs):
        result = simulate(case, step)
        errors[case, step] = error(case, result)
        if step == STEP:
            results[case] = result
        if progress:
            progress("two-mass oscillator runs", done + 1, len(pairs))
    variable = {case: _mean_and_error(case) for case in TABLE_2}
    report = StudyReport(
        title=TITLE,
        introduction=[*INTRODUCTION, *(["The quick form is the same."] if quick else [])],
        claims=[*table_claims(errors), *variable_claims(errors, variable), *further_claims(errors)],
        figures=draw_all(errors, results, out / "figures"),
        folder=out,
        seconds=perf_counter() - began,
        tables=[_table(errors)],
    )
    report.write()
    return report


def _mean_and_error(case: Case) -> tuple[float, float]:
    result = simulate(case, pace=variable_steps())
    return float(np.mean(np.diff(result["left.angle"].time))), error(case, result)


def _table(errors: Errors) -> Table:
    columns = ["coupling", *(f"H = {1e3 * step:g} ms" for step in STEPS)]
    rows: list[list[str | float]] = [
        [case.label, *(errors[case, step] for step in STEPS)] for case in (*TABLE_2, *BEYOND)
    ]
    return Table("Co-simulation error of the left angle, rad", columns, rows)
