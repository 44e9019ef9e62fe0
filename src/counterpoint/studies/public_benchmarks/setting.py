"""A setting of a benchmark, what it costs and how far it is from the exact solution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import NotFiniteError, Scheme, System
from ...approximations import Approximation
from ..report import Table

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Point:
    """One run: its scheme and approximation in words, step in s, steps of all subsystems together, largest error."""

    scheme: str
    approximation: str
    step: float
    work: int
    error: float


@dataclass(frozen=True)
class Problem:
    """A benchmark: how to couple it, and how far a run is from the exact solution.

    Attributes
    ----------
    build : callable
        ``build(step, approximation) -> System``.
    error : callable
        ``error(result) -> float``, largest over the samples.
    until : float
        s
    """

    build: Callable[[float, Approximation], System]
    error: Callable[..., float]
    until: float

    def run(self, step: float, scheme: str | Scheme, approximation: Approximation, names: tuple[str, str]) -> Point:
        """Run one setting; one that leaves the range of numbers has an infinite error."""
        try:
            result = self.build(step, approximation).run(until=self.until, scheme=scheme, first_steps="once")
        except NotFiniteError as failure:
            if failure.result is None:
                raise
            return Point(*names, step, sum(failure.result.summary.steps), np.inf)
        return Point(*names, step, sum(result.summary.steps), self.error(result))


def sweep(
    problem: Problem,
    steps: Iterable[float],
    schemes: Mapping[str, str | Scheme],
    approximations: Mapping[str, Approximation],
) -> list[Point]:
    """Run every scheme with every approximation and step."""
    return [
        problem.run(step, scheme, approximation, (name, words))
        for name, scheme in schemes.items()
        for words, approximation in approximations.items()
        for step in steps
    ]


def work_table(title: str, points: Sequence[Point], unit: str, note: str) -> Table:
    """Return errors over scheme, approximation and step."""
    steps = sorted({point.step for point in points}, reverse=True)
    work = {point.step: point.work for point in points if np.isfinite(point.error)}
    rows: dict[tuple[str, str], list[str | float]] = {}
    for point in points:
        cells = rows.setdefault((point.scheme, point.approximation), [point.scheme, point.approximation])
        cells.append("unstable" if not point.error < 1e3 else point.error)
    columns = (
        "scheme",
        "approximation",
        *(f"{step:g} s, {work.get(step, 0)} steps, error in {unit}" for step in steps),
    )
    return Table(title, columns, list(rows.values()), note)
