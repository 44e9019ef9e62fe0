"""The study of linear algebra: measure, compare with chapters 3 and 4, draw the figures, write the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from ..report import Figure, Progress, StudyReport, Table
from . import holding
from .claims import (
    CORE,
    automatic_claim,
    fill_claims,
    holding_claims,
    operation_claims,
    solver_claims,
    speed_up_claims,
    step_claims,
    threaded_claims,
)
from .figures import best_map, curves, phase_bars, speed_up, three_fills, two_threads
from .measuring import Point, grid
from .operations import Fill, Operation, Shares, fills, operations, shares
from .phases import Phases, phase_table, phases
from .solvers import OURS, Library, libraries
from .threads import Threaded, threaded

TITLE = "Linear algebra of a multibody simulator"

INTRODUCTION = (
    "Repeats chapters 3 and 4 of F. J. González Varela's thesis (University of La Coruña, 2010): which implementation "
    "of linear algebra makes a step of the index-3 augmented Lagrangian formulation fast, on a chain of L four-bar "
    "loops (2 L + 2 variables, rods of 1 m and 1 kg, penalty 1e8, steps of 1.25 ms).",
    "Times are elapsed times of one factorisation with a known pattern and of one solution, the best of several, all "
    "solvers in turn. A curve shows one factorisation and four solutions: what one step takes. Solvers of the core are "
    "timed inside it; libraries through Python, which adds about 1 µs a call: below 50 unknowns they look slower than "
    "they are. Threads wait for each other: on a machine with other work they may take a thousand times longer. "
    "Artificial entries lie beside the diagonal.",
    "Compilers (Table 4.4) are not compared: this build has one. WSMP is proprietary and not measured.",
)

TYPICAL = Table(
    "Table 4.2: typical entries per row",
    ["problem and formulation", "NNZ/N, printed"],
    [
        ["rigid bodies, global formulation", "< 10"],
        ["rigid bodies, recursive formulation", "10 to 30"],
        ["flexible bodies, component modes", "10 to 30"],
        ["flexible bodies, finite elements", "30 to 100"],
    ],
)


@dataclass(frozen=True)
class Extent:
    """How much is measured: sizes, shares of entries, s for each solver at each point."""

    seconds: float
    chain: tuple[int, ...]
    fills: tuple[int, ...]
    small: tuple[int, ...]
    shares: tuple[float, ...]
    large: tuple[int, ...]
    repeats: int
    step_loops: tuple[int, ...]
    step_seconds: float
    held_loops: tuple[int, ...]
    thread_rounds: int
    phase_loops: tuple[int, ...]
    phase_seconds: float


PHASE_LOOPS = (10, 40, 499, 3999)
"""Loops of the chains of Table 3.1 (22 and 82 variables) and 4.1 (1000 and 8000)."""
QUICK = Extent(0.004, (4, 10, 22, 50, 100, 322), (0, 12, 50, 100), (10, 30, 100), (0.25, 1.0), (100, 1000), 200,
               (50, 1200), 0.3, (1, 10), 5, PHASE_LOOPS, 0.2)  # fmt: skip
FULL = Extent(0.03, (4, 6, 10, 16, 22, 32, 42, 50, 82, 100, 162, 322, 642, 1002), (0, 8, 12, 20, 30, 50, 70, 100),
              (10, 20, 40, 70, 100, 150, 200, 400), (0.15, 0.3, 0.5, 0.75, 1.0),
              (100, 200, 500, 1000, 2000, 4000, 8000), 2000, (49, 499, 999, 1999, 3999), 3.0,
              (1, 2, 5, 10, 40, 100), 40, PHASE_LOOPS, 3.0)  # fmt: skip
FILLS = (6.0, 20.0, 50.0)


@dataclass(frozen=True)
class Measured:
    """Everything that was measured: the chain, 100 unknowns with more entries, regions, large sizes by fill, steps."""

    chain: list[Point]
    filled: list[Point]
    regions: list[Point]
    large: dict[float, list[Point]]
    operations: list[Operation]
    parts: list[Shares]
    held: dict[str, dict[int, holding.Outcome]]
    threads: list[Threaded]
    fills: list[Fill]
    phases: list[Phases]

    @property
    def at_large(self) -> list[Point]:
        """Return the points at large sizes."""
        return [point for points in self.large.values() for point in points]

    @property
    def everywhere(self) -> list[Point]:
        """Return all points."""
        return [*self.chain, *self.filled, *self.regions, *self.at_large]


def measure_all(extent: Extent, found: Sequence[Library], progress: Progress | None) -> Measured:
    """Measure all that the page shows."""

    def at(places: Sequence[tuple[int, float]], what: str) -> list[Point]:
        return grid(places, found, extent.seconds, progress, what)

    return Measured(
        chain=at([(size, 0.0) for size in extent.chain], "sizes"),
        filled=at([(100, fill) for fill in extent.fills], "fill at 100 unknowns"),
        regions=at([(size, share * size) for size in extent.small for share in extent.shares], "regions"),
        large={fill: at([(size, fill) for size in extent.large], f"NNZ/N = {fill:g}") for fill in FILLS},
        operations=operations(40, extent.repeats),
        parts=[shares(loops, extent.step_seconds) for loops in extent.step_loops],
        held=holding.holding(extent.held_loops, progress),
        threads=[threaded(loops, extent.thread_rounds) for loops in extent.step_loops],
        fills=fills(extent.chain[-1]),
        phases=[phases(loops, extent.phase_seconds) for loops in extent.phase_loops],
    )


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    found, missing = libraries()
    measured = measure_all(QUICK if quick else FULL, found, progress)
    report = StudyReport(
        title=TITLE,
        introduction=[*INTRODUCTION, *_missing(missing), what_holds(measured), *_quick(quick)],
        claims=[
            *operation_claims(measured.operations),
            *solver_claims({point.size: point for point in measured.chain}, measured.filled),
            *threaded_claims(measured.at_large),
            *step_claims(measured.parts),
            *speed_up_claims(measured.threads),
            automatic_claim(measured.everywhere),
            *fill_claims(measured.fills),
            *holding_claims(measured.held),
        ],
        figures=_figures(out / "figures", found, measured),
        folder=out,
        seconds=perf_counter() - began,
        tables=[
            _operations(measured.operations),
            _shares(measured.parts),
            phase_table(measured.phases),
            _threads(measured.threads, measured.parts),
            TYPICAL,
            rules(measured.everywhere),
            holding.table(measured.held),
        ],
    )
    report.write()
    return report


def _quick(quick: bool) -> list[str]:
    return ["This is the quick form: few sizes and short measurements, so the ratios are rough."] if quick else []


def _missing(missing: dict[str, str]) -> list[str]:
    return [f"Not measured here: {', '.join(f'{name} ({why})' for name, why in missing.items())}."]


def what_holds(measured: Measured) -> str:
    """Return in words what still holds of the source's rules, from what was measured."""
    last, biggest = measured.chain[-1], {fill: points[-1] for fill, points in measured.large.items()}
    others = [name for name in last.factor if name not in CORE]
    best = f"Of the libraries, {last.best(others)} is the fastest at {last.size} unknowns; " if others else ""
    winners = ", ".join(f"{point.best()} (NNZ/N {fill:g})" for fill, point in biggest.items())
    share = measured.parts[-1]
    return (
        "What still holds: sparse solvers beat dense ones from a few unknowns on, and places known beforehand beat "
        f"generic sparse operations. What has changed: {best}a solver that lists the operations of one pattern "
        f"({OURS}) is faster than any of them for symmetric matrices with few entries per row, where KLU led. "
        f"At N = {biggest[FILLS[0]].size} the fastest are {winners}. Factorisation and solutions take "
        f"{100 * share.solver:.0f} % of a step (54 % printed): two processors in the solver alone could make it "
        f"at most {share.bound():.2f} times as fast."
    )


def rules(points: Sequence[Point]) -> Table:
    """Return the decision rule, Table 3.3: what is fastest and what ``auto`` takes, by size and fill."""
    rows: list[list[str | float]] = [
        [float(point.size), point.per_row, point.best(CORE), point.automatic,
         point.step(point.automatic) / point.step(point.best(CORE)), point.best()]
        for point in sorted(points, key=lambda p: (p.size, p.per_row))
    ]  # fmt: skip
    columns = ["N", "NNZ/N", "fastest in the core", "auto takes", "auto ÷ fastest", "fastest of all"]
    return Table("Table 3.3: the decision rule, measured", columns, rows, "Symmetric positive definite matrices.")


def _operations(found: Sequence[Operation]) -> Table:
    rows: list[list[str | float]] = [[o.name, 1e6 * o.generic, 1e6 * o.planned, o.ratio] for o in found]
    columns = ["operation", "generic, µs", "places known, µs", "ratio"]
    return Table("Table 3.2: operations, L = 40 (82 variables)", columns, rows, "Printed ratios: 269, 74, 3.")


def _shares(found: Sequence[Shares]) -> Table:
    rows: list[list[str | float]] = [
        [float(s.size), 1e6 * s.step, 100 * s.factor / s.step, 100 * s.solutions / s.step,
         100 * (1 - s.solver), 1e9 * s.step / s.size, s.bound()]
        for s in found
    ]  # fmt: skip
    columns = [
        "N",
        "step, µs",
        "factorisation, %",
        "solutions, %",
        "all else, %",
        "ns per variable",
        "Amdahl's bound, 2 processors",
    ]
    note = "Trapezoidal rule, one iteration a step. Printed for N = 1000 and 8000: 37 % factorisation, 17 % solutions."
    return Table("Tables 3.1, 4.1 and 4.3: parts of a step", columns, rows, note)


def _threads(found: Sequence[Threaded], parts: Sequence[Shares]) -> Table:
    rows: list[list[str | float]] = [
        [float(t.size), 1e6 * t.one, 1e6 * t.two, t.speed_up, share.shared_bound(), t.machine]
        for t, share in zip(found, parts, strict=True)
    ]
    columns = ["N", "one, µs", "two, µs", "speed-up", "Amdahl's bound", "two copies at once"]
    note = (
        "Elapsed times of whole steps, trapezoidal rule: predictions, elements, factorisation, solutions, projections. "
        "Mechanisms of less than 2000 coordinates take one thread either way. All of a step is shared, but one thread "
        "eliminates the chain from both ends in turn, and two eliminate one end each, in the same time: the bound "
        "counts the factorisation as not shared. The last column is the speed-up of two processes that share nothing: "
        "what this machine gives."
    )
    return Table("Whole steps with two threads, as in figure 4.7", columns, rows, note)


def _figures(folder: Path, found: Sequence[Library], measured: Measured) -> list[Figure]:
    dense = [library.name for library in found if library.dense]
    sparse = [library.name for library in found if not library.dense]
    everyone = [library.name for library in found]
    sequential = [library.name for library in found if library.threads == 1]
    without_refactor = [name for name in sequential if name != "klu"]
    chain, regions, large = measured.chain, measured.regions, measured.at_large
    figures = [
        curves(folder / "dense.png", [p for p in chain if p.size <= 42], [*dense, OURS], "size",
               "Figure 3.2: dense solvers over the size; static-ldlt for comparison."),
        curves(folder / "sparse.png", chain, sparse, "size", "Figure 3.4: sparse solvers over the size."),
        curves(folder / "fill.png", measured.filled, everyone, "per_row",
               "Figure 3.5: solvers over the entries per row, 100 unknowns."),
        best_map(folder / "best.png", regions, sequential, "Figure 3.6: fastest solver by size and entries per row."),
        best_map(folder / "best-with-pivoting.png", regions, without_refactor,
                 "Figure 3.7: the same without factorisations by KLU that keep their pivots."),
        three_fills(folder / "large.png", measured.large, sparse, "Figure 4.4: solvers over the size for three fills."),
        best_map(folder / "best-large.png", large, everyone, "Figure 4.5: the fastest, threaded solvers among them."),
    ]  # fmt: skip
    threaded = [library.name for library in found if library.threads > 1]
    if threaded:
        caption = "Figure 4.6: threaded Pardiso against the best sequential solver."
        figures.append(speed_up(folder / "speed-up.png", large, threaded[0], sequential, caption))
    caption = "Figure 4.7: whole steps with two threads."
    figures.append(two_threads(folder / "threads.png", measured.threads, measured.parts, caption))
    caption = "Tables 3.1 and 4.1: shares of a step, printed and ours."
    figures.append(phase_bars(folder / "phases.png", measured.phases, caption))
    return figures
