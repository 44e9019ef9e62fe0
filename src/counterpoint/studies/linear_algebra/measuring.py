"""Times of factorisations and solutions over sizes and fills; all solvers take turns, the best of several counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

from ..report import Progress
from .chain import Matrix, tangent
from .solvers import Call, Library, core_solver

SOLUTIONS = 4
"""Right-hand sides a factorisation: one correction and three projections."""
DENSE_UP_TO = 420
LIMIT = 0.3
"""s: a solver that needs longer for one factorisation is left out of larger sizes."""


@dataclass(frozen=True)
class Point:
    """What all solvers took for one matrix.

    Attributes
    ----------
    size : int
    per_row : float
        Entries divided by the size.
    automatic : str
        What ``solver = "auto"`` takes.
    factor, solution : dict from str to float
        s for one, by name of the solver.
    """

    size: int
    per_row: float
    automatic: str
    factor: dict[str, float] = field(default_factory=dict)
    solution: dict[str, float] = field(default_factory=dict)

    def step(self, name: str) -> float:
        """Return s for one factorisation and `SOLUTIONS` solutions."""
        return self.factor[name] + SOLUTIONS * self.solution[name]

    def best(self, names: Sequence[str] | None = None) -> str:
        """Return the fastest of those named, or of all."""
        return min((name for name in names or self.factor if name in self.factor), key=self.step)


def measure(matrix: Matrix, libraries: Sequence[Library], seconds: float) -> Point:
    """Measure every solver on one matrix for about `seconds` each."""
    point = Point(matrix.size, matrix.per_row, core_solver("automatic", matrix).name)
    made = {}
    for library in libraries:
        if library.dense and matrix.size > DENSE_UP_TO:
            continue
        made[library.name] = library.make(matrix)
    for name, (factorise, _) in list(made.items()):
        point.factor[name] = point.solution[name] = float("inf")
        if _timed(factorise) > LIMIT:
            del made[name], point.factor[name], point.solution[name]
    began = perf_counter()
    rounds = 0
    while rounds < 8 or perf_counter() - began < seconds * len(made):
        for name, (factorise, solve) in made.items():
            point.factor[name] = min(point.factor[name], _timed(factorise))
            point.solution[name] = min(point.solution[name], _timed(solve))
        rounds += 1
    return point


def _timed(call: Call) -> float:
    """Return s of one call; solvers of the core time themselves."""
    began = perf_counter()
    own = call()
    taken = perf_counter() - began
    return own if isinstance(own, float) else taken


def grid(
    places: Sequence[tuple[int, float]],
    libraries: Sequence[Library],
    seconds: float,
    progress: Progress | None,
    what: str,
) -> list[Point]:
    """Measure at sizes and entries per row."""
    found = []
    for k, (size, per_row) in enumerate(places):
        if progress is not None:
            progress(what, k, len(places))
        found.append(measure(tangent(size, per_row), libraries, seconds))
    return found
