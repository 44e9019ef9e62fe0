"""Where the time of a step goes: the phases of our step, put together as the tasks of the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from ... import _core
from ...multibody import Formulation
from ...multibody.library import four_bar
from ...system import System
from ..report import Table
from .solvers import OURS

STEP = 1e-3
CHUNKS = 40
"""At most so many runs of steps, of which the median counts."""

GROUPS = {
    "residual and tangent": (("dynamic terms", "residual", "tangent"), (48.0, 15.0)),
    "right-hand sides of projections": (("projection terms",), (4.0, 13.0)),
    "factorisations and back-substitutions": (("factorisation", "projection solutions"), (44.0, 51.0)),
    "other": (("prediction", "correction", "checks", "acceptance"), (4.0, 21.0)),
}
"""Groups of Table 3.1: phases of ours, and % printed for 22 variables (dense) and 82 (sparse)."""

TASKS = {
    "1 update of variables": (("prediction", "correction"), (4.1, 4.0)),
    "2 dynamic terms": (("dynamic terms",), (9.3, 9.8)),
    "3 tangent matrix": (("tangent",), (11.8, 11.8)),
    "4 residual vector": (("residual",), (7.6, 7.6)),
    "5 and 6 factorisation, back-substitution": (("factorisation",), (42.7, 42.5)),
    "7 and 8 projections": (("projection terms", "projection solutions", "acceptance"), (21.7, 21.5)),
    "9 other": (("checks",), (2.8, 2.8)),
}
"""Tasks of Table 4.1: phases of ours, and % printed for 1000 and 8000 variables, summed where ours are one."""

NOTE = (
    "In brackets: % printed. A task that is one piece in ours is not divided: static-ldlt takes the right-hand side "
    "along through the factorisation (printed 36.8 and 5.9 %, 36.7 and 5.8 %), and velocities and accelerations are "
    "projected with one solution for three right-hand sides, of which the trapezoidal rule uses two (printed 9.4 and "
    "12.3 %, 9.3 and 12.2 %). Task 7 and 8 has the right-hand sides of the projections, this solution and its addition "
    "to velocities and accelerations; addition counts as other in Table 3.1. Coordinates are updated twice a step, by "
    "prediction and correction, and nothing is checked where the curvature of the constraints tells that one iteration "
    "is enough. Medians, less what reading the clock takes between phases."
)


class Profiled(Formulation):
    """A formulation whose steps note where their time goes."""

    def native(self, length: float) -> _core.multibody.StepperOptions:
        """Return the core's form; ``length`` is the size of the mechanism, m."""
        made = super().native(length)
        made.profile = True
        return made


@dataclass(frozen=True)
class Phases:
    """The phases of a step of a chain of `size` variables.

    Attributes
    ----------
    size : int
    seconds : mapping of str to float
        s of each phase in one step, without the readings of the clock.
    counts : mapping of str to int
        How often each phase has ended in all steps.
    steps, iterations : int
        How many there were.
    reading : float
        s that one reading of the clock takes.
    plain : float
        s for one step of a run without a profile, with what the run does between steps.
    """

    size: int
    seconds: Mapping[str, float]
    counts: Mapping[str, int]
    steps: int
    iterations: int
    reading: float
    plain: float

    @property
    def step(self) -> float:
        """Return s of all phases in one step."""
        return sum(self.seconds.values())

    def percent(self, names: Sequence[str]) -> float:
        """Return the share of phases in a step, %."""
        return 100 * sum(self.seconds[name] for name in names) / self.step


class ProfiledChain:
    """A chain of four-bars that makes steps, with a profile or without."""

    def __init__(self, loops: int, formulation: type[Formulation] = Profiled) -> None:
        mechanism = four_bar(loops)
        mechanism.formulation = formulation(solver=OURS, threads=1)
        mechanism.standard_outputs = ()
        mechanism.output("B0", "B0")
        system = System("chain")
        system.add("chain", mechanism.subsystem(), step=STEP, record=False)
        self._run = system.start()
        made = mechanism.assembled()._made
        assert made is not None
        self.core: _core.multibody.MultibodySubsystem = made
        self._steps = 0

    def advance(self, steps: int) -> float:
        """Make steps; return elapsed s."""
        self._steps += steps
        began = perf_counter()
        self._run.step_to(self._steps * STEP)
        return perf_counter() - began

    def profile(self) -> dict[str, tuple[float, int]]:
        """Return s and counts of each phase since the start."""
        return _core.multibody.step_profile(self.core)


def phases(loops: int, seconds: float) -> Phases:
    """Measure the phases of a step, for so many s."""
    profiled, plain = ProfiledChain(loops), ProfiledChain(loops, Formulation)
    reading = _core.multibody.seconds_per_reading()
    count = max(25, 8000 // loops)
    chunks: list[dict[str, float]] = []
    without: list[float] = []
    began, before = perf_counter(), profiled.profile()
    while len(chunks) < 3 or (len(chunks) < CHUNKS and perf_counter() - began < seconds):
        profiled.advance(count)
        now = profiled.profile()
        chunks.append({name: _corrected(before[name], now[name], reading) / count for name in now})
        without.append(plain.advance(count) / count)
        before = now
    found = {name: median(chunk[name] for chunk in chunks) for name in before}
    statistics = profiled.core.statistics
    return Phases(
        2 * loops + 2, found, {name: ended for name, (_, ended) in before.items()}, statistics.steps,
        statistics.iterations, reading, median(without),
    )  # fmt: skip


def _corrected(before: tuple[float, int], now: tuple[float, int], reading: float) -> float:
    """Return s between two profiles without the readings of the clock."""
    return max(0.0, now[0] - before[0] - reading * (now[1] - before[1]))


def phase_table(found: Sequence[Phases]) -> Table:
    """Return shares of a step beside those printed: of Table 3.1 for the two smallest chains, of 4.1 for the others."""
    rows: list[list[str | float]] = []
    for known, chains in ((GROUPS, found[:2]), (TASKS, found[2:])):
        for name, (names, printed) in known.items():
            shares = [f"{p.percent(names):.1f} ({shown:g})" for p, shown in zip(chains, printed, strict=False)]
            rows.append([name, *(shares if known is GROUPS else ["", "", *shares])])
    rows.append(["sum of the phases, µs", *(1e6 * p.step for p in found)])
    rows.append(["step of a run without a profile, µs", *(1e6 * p.plain for p in found)])
    columns = ["phase, % of a step", *(f"N = {p.size}" for p in found)]
    width = len(columns)
    return Table("Tables 3.1 and 4.1: phases of a step", columns, [[*row, *[""] * (width - len(row))] for row in rows],
                 NOTE)  # fmt: skip
