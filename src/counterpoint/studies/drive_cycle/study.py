"""The drive-cycle study: run the car whole and cut, check what the source says, draw the figures, write the page."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from ..report import Progress, StudyReport, Table
from .claims import drive_cycle_claims
from .experiment import cosimulation_error, discretisation_error, fuel_error
from .figures import draw_all
from .runs import CASES, Runs, run_all
from .trace import sample_all

TITLE = "A car and its thermal system in a drive cycle: fixed and variable macro steps"

INTRODUCTION = (
    "Repeats sections 4 and 5.2 of F. Günther, G. Mallebrein, H. Ulbrich, “A Modular Technique for Automotive "
    "System Simulation”, 9th International Modelica Conference, Munich 2012: a conventional passenger car with "
    "driver, gearbox, engine and road is one model, its detailed thermal system another. As one model for one "
    "solver they take long, since the thermal part has to follow each small step of the powertrain; co-simulated in "
    "parallel, each keeps its own steps and they exchange signals every macro step H. H is fixed, or follows the "
    "gradient of the speed of the car, equations (7) and (8).",
    "The paper prints no parameters. The car is a generic one of the C segment with a petrol engine of 1.4 l (fuel "
    "by the extended Willans line of CO2MPAS); the thermal system has engine block and head, coolant with pump, "
    "thermostat, radiator, heater and hoses, the oil circuit with its pressures, and battery with alternator: 80 "
    "states, stiff. Both are in the diagram library. The engine's control unit samples every 20 ms. All runs and "
    "all parts use ode23s with the same tolerances. So times, steps and errors can agree in order of magnitude, not "
    "in every digit. The cycle is that of the regulation, with its gears.",
    "“Per signal” is the choice of the source: 4-point Lagrange for temperatures, a transition of first order for "
    "speeds; torques and the fuel flow are held. Errors of the speed are those of equation (2), sampled against "
    "continuous, and of equation (4), what the other side assumes against the monolithic run. Fixed H means the "
    "same mean step as that of the variable one where they are compared. Times are processor times.",
)


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    traces = sample_all()
    runs = run_all(quick, progress)
    told = ["This is the quick form: the first of the four urban cycles, 195 s, and fewer runs."] if quick else []
    report = StudyReport(
        title=TITLE,
        introduction=[*INTRODUCTION, *told],
        claims=drive_cycle_claims(runs, traces),
        figures=draw_all(runs, traces, out / "figures"),
        folder=out,
        seconds=perf_counter() - began,
        tables=[_table(runs)],
    )
    report.write()
    return report


def _table(runs: Runs) -> Table:
    columns = [
        "run", "macro steps", "mean H in s", "processor time in s", "speed-up", "fuel error in %",
        "speed, eq. (2), m/s", "speed, eq. (4), m/s",
    ]  # fmt: skip
    rows: list[list[str | float]] = [["monolithic", "", "", runs.reference.cpu, 1.0, "", "", ""]]
    for case in CASES:
        outcome = runs.outcomes[case.label]
        rows.append([
            case.label, len(outcome.steps), float(outcome.steps.mean()), outcome.cpu, runs.speed_up(case),
            100 * fuel_error(outcome, runs.reference), discretisation_error(outcome, runs.reference),
            cosimulation_error(case, outcome, runs.reference),
        ])  # fmt: skip
    rows += [[f"{part} alone", "", "", cpu, "", "", "", ""] for part, cpu in runs.alone.items()]
    return Table("Runs of the NEDC", columns, rows)
