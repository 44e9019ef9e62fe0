"""Every problem with every pace: error against subsystem integrations and processor time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np

from ... import pace
from ...errors import CounterpointError, PaceWarning
from ...results import Result
from ..report import Progress
from .problems import Problem

PASSES = {"doubling": 3}
"""Integrations of each subsystem in a step that is tried: the step and its two halves."""


@dataclass(frozen=True)
class Point:
    """One run.

    Attributes
    ----------
    asked : float
        Tolerance, or the fixed step in s.
    error : float
        Infinite when the run failed.
    integrations : int
        How often a subsystem was advanced over a step, rejected and repeated ones included.
    seconds : float
        Processor time.
    rejected : int
        Steps.
    failure : str
        Why the run ended early.
    """

    asked: float
    error: float
    integrations: int
    seconds: float
    rejected: int = 0
    failure: str = ""


@dataclass
class Curves:
    """What each pace gave on a problem; ``"fixed"`` among them."""

    problem: Problem
    points: dict[str, list[Point]] = field(default_factory=dict)

    def work_of_fixed(self, error: float) -> float:
        """Return the integrations that the best fixed step needs for an error: lines in logarithms, also beyond."""
        good = sorted((p.error, p.integrations) for p in self.points["fixed"] if 0 < p.error < 1.0)
        errors, work = np.log([e for e, _ in good]), np.log([n for _, n in good])
        if len(errors) < 2:
            return float("nan")
        if errors[0] <= np.log(error) <= errors[-1]:
            return float(np.exp(np.interp(np.log(error), errors, work)))
        ends = slice(0, 2) if np.log(error) < errors[0] else slice(-2, None)
        slope = np.diff(work[ends])[0] / np.diff(errors[ends])[0]
        return float(np.exp(work[ends][0] + slope * (np.log(error) - errors[ends][0])))

    def best_share(self, tolerance: float) -> tuple[str, float]:
        """Return the pace that needs least work compared with a fixed step of its error, and that ratio."""
        shares = {
            name: point.integrations / self.work_of_fixed(point.error)
            for name, points in self.points.items()
            if name != "fixed"
            for point in points
            if point.asked == tolerance and 0 < point.error < 1.0
        }
        name = min(shares, key=lambda key: shares[key], default="")
        return name, shares.get(name, float("inf"))


def paces(problem: Problem) -> dict[str, Callable[[float], pace.Pace]]:
    """Return the paces that a problem allows, as functions of the tolerance."""
    limits: dict[str, Any] = {"first": problem.first, "smallest": problem.smallest, "largest": problem.largest}
    found: dict[str, Callable[[float], pace.Pace]] = {
        "gradient": lambda tolerance: pace.gradient(tolerance=tolerance, **limits),
        "defect": lambda tolerance: pace.defect(tolerance, **limits),
    }
    if problem.bonds:
        found["energy"] = lambda tolerance: pace.energy(tolerance, bonds=problem.bonds, **limits)
    if problem.saves:
        found["predictor-corrector"] = lambda tolerance: pace.predictor_corrector(tolerance, **limits)
        found["doubling"] = lambda tolerance: pace.doubling(tolerance, **limits)
    return found


def run_problem(problem: Problem, quick: bool) -> Curves:
    """Run a problem with every pace and tolerance, and with fixed steps."""
    curves = Curves(problem)
    steps = problem.fixed[::2] if quick else problem.fixed
    curves.points["fixed"] = [run_once(problem, "fixed", pace.fixed(step), step) for step in steps]
    for name, make in paces(problem).items():
        tolerances = problem.tolerances[:: 3 if quick else 1]
        curves.points[name] = [run_once(problem, name, make(tolerance), tolerance) for tolerance in tolerances]
    return curves


def run_once(problem: Problem, name: str, chosen: pace.Pace, asked: float) -> Point:
    """Run a problem with one pace; one that fails is a point, too."""
    system, began = problem.build(), process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PaceWarning)  # steps at the smallest length: the error tells
            result = system.run(until=problem.until, scheme=problem.scheme, pace=chosen)
    except CounterpointError as error:
        return Point(asked, float("inf"), 0, process_time() - began, failure=str(error))
    seconds = process_time() - began
    return Point(asked, problem.error(result), integrations(result, name), seconds, result.rejected)


def integrations(result: Result, name: str) -> int:
    """Return how often subsystems were advanced over a step, repetitions and rejected steps included."""
    parts = len(result.subsystems)
    common = [one for one in result.summary.paces if not one.name]
    if name == "doubling" and common:
        return PASSES[name] * (common[0].accepted + common[0].rejected) * parts
    if common and common[0].passes:
        return int(common[0].passes * parts)
    first = result.summary.first_steps
    repeats = first.steps * (first.passes - 1) * parts if first is not None and first.passes else 0
    return int(sum(result.summary.steps)) + repeats


def run_all(problems: Sequence[Problem], quick: bool, progress: Progress | None = None) -> list[Curves]:
    """Run every problem."""
    found = []
    for done, problem in enumerate(problems):
        found.append(run_problem(problem, quick))
        if progress:
            progress("step-control problems", done + 1, len(problems))
    return found
