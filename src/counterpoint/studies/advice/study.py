"""The study of the advice: two masses with given steps, three parts, and plants against sweeps."""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np

from ...approximations import lagrange
from ..report import Figure, Progress, StudyReport, Table
from ..verdict.linear_trials import three_parts
from .claims import Regret, TwoMassOutcome, advice_claims
from .drawn import Drawn
from .sweeps import Compared, Plant, car, compare, crane, kart, turbine, two_fmus
from .two_mass_family import Family, TwoMasses, chosen_order

TITLE = "How good the advice is"

INTRODUCTION = (
    "Two masses (González et al. 2011) with linear and with hardening springs, over ratios of frequencies and masses: "
    "advice with given steps is compared with all sixteen schemes and orders, run over the whole span. The predicted "
    "stability of each is compared with the fast motion that the run shows. More problems are drawn at random: "
    "frequencies, masses, the share of the coupling spring, damping, hardening, steps and the start. Nothing of the "
    "advice was chosen with these in view.",
    "Three parts (a public network): steps and error of the recommended strategy beside what a search with held inputs "
    "and one step for all subsystems finds. Plants: a kart with its drive, a car in a drive cycle, a wind turbine with "
    "its control, a mechanism with a hydraulic drive, and two FMUs, against an exhaustive sweep with the real models: "
    "three schemes, orders 0 to 3, and for each subsystem steps from 16 times to a quarter of the given one. All runs "
    "of the sweeps are made. Times are processor times; the recommended strategy and the ten cheapest of the sweep "
    "that keep the tolerance are run four more times in turn, and the least time of each counts.",
)
RATIOS = (2, 5, 10, 20, 30, 40, 3, 7, 13, 17.5, 25, 35, 45)
QUICK_RATIOS = (5, 30, 17.5)
SEED = 20
DRAWN, QUICK_DRAWN = (24, 12), (3, 2)
"""Problems drawn at random: with linear, and with hardening springs."""


def families(quick: bool) -> list[TwoMasses]:
    """Return the problems."""
    ratios = QUICK_RATIOS if quick else RATIOS
    masses = [] if quick else [Family(ratio, second=-300.0) for ratio in (5, 12, 25)]
    hard = [Family(r, hardening=h, until=50.0) for h in ((0.2,) if quick else (0.1, 0.3)) for r in ratios if r <= 40]
    rng = np.random.default_rng(SEED)
    straight, cubic = QUICK_DRAWN if quick else DRAWN
    drawn = [Drawn.by(rng, hardening=k >= straight) for k in range(straight + cubic)]
    return [*(Family(ratio) for ratio in ratios), *masses, *hard, *drawn]


def plants(folder: Path, quick: bool) -> list[Plant]:
    """Return the plants that are swept; FMUs and mechanisms are written to `folder`. Another one is another entry."""
    return [two_fmus(folder)] if quick else [two_fmus(folder), crane(folder), turbine(), kart(), car()]


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        two_masses = _two_masses(families(quick), progress)
        search = _three_parts()
        sweeps = [compare(plant, progress) for plant in plants(Path(folder), quick)]
    regrets = two_masses.regrets
    report = StudyReport(
        title=TITLE,
        introduction=INTRODUCTION,
        claims=advice_claims(two_masses, search, sweeps),
        figures=[_figure(regrets, out / "figures" / "regrets.png")],
        folder=out,
        seconds=perf_counter() - began,
        tables=[_regrets(regrets), _sweeps(sweeps)],
    )
    report.write()
    return report


def _two_masses(problems: list[TwoMasses], progress: Progress | None) -> TwoMassOutcome:
    made = TwoMassOutcome([], [])
    for k, problem in enumerate(problems):
        if progress is not None:
            progress("two masses", k, len(problems))
        advice, seconds = problem.advice()
        errors = problem.errors()
        chosen, best = errors[advice.best.name, chosen_order(advice)], min(errors.values())
        made.regrets.append(Regret(problem, advice.recommended.label, chosen, best, seconds))
        if problem.hardening == 0:
            made.classes.extend((problem, said, true) for said, true in problem.stable())
    return made


def _three_parts() -> tuple[int, float, float]:
    network = three_parts()
    system = network.system(dict.fromkeys(network.parts, 0.1), lagrange(0))
    began = process_time()
    advice = system.advise(20.0, 1e-2)
    seconds = process_time() - began
    result = advice.run(check="off")
    force = result.signal("middle.F")
    exact = network.solution()["middle.F"](np.asarray(force.time))
    return sum(result.summary.steps), float(np.abs(np.asarray(force.values) - exact).max()), seconds


def _figure(regrets: list[Regret], path: Path) -> Figure:
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(8.0, 4.2), layout="constrained")
    ax = canvas.subplots()
    for words, colour, some in (
        ("linear springs", "#0072b2", [r for r in regrets if r.problem.hardening == 0]),
        ("hardening springs", "#d55e00", [r for r in regrets if r.problem.hardening > 0]),
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
    rows: list[list[str | float]] = [[r.problem.name, r.label, r.error, r.best, r.ratio, r.seconds] for r in regrets]
    return Table("Two masses", ["problem", "recommended", "its error", "best error", "ratio", "advice s"], rows)


def _sweeps(sweeps: list[Compared]) -> Table:
    rows: list[list[str | float]] = [
        [
            s.plant.name, s.recommended.label, s.recommended.error, s.recommended.seconds, s.best.label, s.best.error,
            s.best.seconds, s.advice_seconds, s.sweep_seconds,
        ]
        for s in sweeps
    ]  # fmt: skip
    columns = [
        "plant", "recommended", "error", "processor s", "best of the sweep", "error", "processor s", "advice s",
        "sweep s",
    ]  # fmt: skip
    return Table("Plants", columns, rows)
