"""The study of the advice: two masses with given steps, three parts, and plants against sweeps."""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from ...approximations import lagrange
from ..report import Figure, Progress, StudyReport, Table
from ..verdict.linear_trials import three_parts
from .claims import Regret, advice_claims
from .sweeps import FACTORS, Compared, Plant, car, compare, crane, kart, two_fmus
from .two_mass_family import Family, chosen_order, grown

TITLE = "How good the advice is"

INTRODUCTION = (
    "Two masses (González et al. 2011) with linear and with hardening springs, over ratios of frequencies and masses: "
    "advice with given steps is compared with all sixteen schemes and orders, run over the whole span. The predicted "
    "stability of each is compared with the fast motion that the run shows.",
    "Three parts (a public network): steps and error of the recommended strategy beside what a search with held inputs "
    "and one step for all subsystems finds. Plants: a kart with its drive, a car in a drive cycle, a mechanism "
    "with a hydraulic drive, and two FMUs, against a sweep over schemes, orders and steps of each subsystem with the "
    "real models. For small systems the pilots of the advice cover the whole "
    "run, so that its error is known rather than predicted.",
)
RATIOS = (2, 5, 10, 20, 30, 40, 3, 7, 13, 17.5, 25, 35, 45)
QUICK_RATIOS = (5, 30, 17.5)
QUICK_FACTORS = (4.0, 2.0, 1.0)


def families(quick: bool) -> list[Family]:
    """Return the problems."""
    ratios = QUICK_RATIOS if quick else RATIOS
    masses = [] if quick else [Family(ratio, second=-300.0) for ratio in (5, 12, 25)]
    hard = [Family(r, hardening=h, until=50.0) for h in ((0.2,) if quick else (0.1, 0.3)) for r in ratios if r <= 40]
    return [*(Family(ratio) for ratio in ratios), *masses, *hard]


def plants(folder: Path, quick: bool) -> list[Plant]:
    """Return the plants that are swept; FMUs and mechanisms are written to `folder`. Another one is another entry."""
    return [two_fmus(folder)] if quick else [kart(), car(), crane(folder), two_fmus(folder)]


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        regrets, classes = _two_masses(families(quick), progress)
        search = _three_parts()
        factors = QUICK_FACTORS if quick else FACTORS
        sweeps = [compare(plant, factors=factors) for plant in plants(Path(folder), quick)]
    report = StudyReport(
        title=TITLE,
        introduction=INTRODUCTION,
        claims=advice_claims(regrets, classes, search, sweeps),
        figures=[_figure(regrets, out / "figures" / "regrets.png")],
        folder=out,
        seconds=perf_counter() - began,
        tables=[_regrets(regrets), _sweeps(sweeps)],
    )
    report.write()
    return report


def _two_masses(problems: list[Family], progress: Progress | None) -> tuple[list[Regret], list[tuple[bool, bool]]]:
    regrets, classes = [], []
    for k, family in enumerate(problems):
        if progress is not None:
            progress("two masses", k, len(problems))
        advice, seconds = family.advice()
        errors = family.errors()
        chosen = errors[advice.best.name, chosen_order(advice)][0]
        best = min(error for error, _ in errors.values())
        regrets.append(Regret(family, advice.recommended.label, chosen, best, seconds))
        if family.hardening == 0:
            classes += [(stable, not grown(errors[case][1])) for case, stable in family.stable()]
    return regrets, classes


def _three_parts() -> tuple[int, float, float]:
    network = three_parts()
    system = network.system(dict.fromkeys(network.parts, 0.1), lagrange(0))
    began = perf_counter()
    advice = system.advise(20.0, 1e-2)
    seconds = perf_counter() - began
    result = advice.run(check="off")
    force = result.signal("middle.F")
    exact = network.solution()["middle.F"](np.asarray(force.time))
    return sum(result.summary.steps), float(np.abs(np.asarray(force.values) - exact).max()), seconds


def _figure(regrets: list[Regret], path: Path) -> Figure:
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(8.0, 4.2), layout="constrained")
    ax = canvas.subplots()
    for words, colour, some in (
        ("linear springs", "#0072b2", [r for r in regrets if r.family.hardening == 0]),
        ("hardening springs", "#d55e00", [r for r in regrets if r.family.hardening > 0]),
    ):
        ax.loglog([r.best for r in some], [r.error for r in some], "o", color=colour, label=words)
    ends = [0.8 * min(r.best for r in regrets), 1.2 * max(r.error for r in regrets)]
    ax.loglog(ends, ends, "-", color="#8a929b", linewidth=0.8)
    ax.loglog(ends, [1.3 * e for e in ends], "--", color="#8a929b", linewidth=0.8)
    ax.set(xlabel="smallest error of 16 schemes and orders", ylabel="error of the recommended one")
    ax.grid(alpha=0.3)
    ax.legend(loc="upper left", fontsize="small")
    canvas.savefig(path, dpi=110)
    return Figure(path, "Error of the recommended scheme and order over the smallest; dashed: 1.3 times.")


def _regrets(regrets: list[Regret]) -> Table:
    rows: list[list[str | float]] = [[r.family.name, r.label, r.error, r.best, r.ratio, r.seconds] for r in regrets]
    return Table("Two masses", ["problem", "recommended", "its error", "best error", "ratio", "advice s"], rows)


def _sweeps(sweeps: list[Compared]) -> Table:
    rows: list[list[str | float]] = [
        [s.plant.name, s.label, s.error, float(s.steps), s.best_label, s.best_error, float(s.best_steps), s.cost_ratio]
        for s in sweeps
    ]
    columns = ["plant", "recommended", "error", "steps", "best of the sweep", "error", "steps", "cost ratio"]
    return Table("Plants", columns, rows)
