"""Which linear solver and which form of the system are fastest for one mechanism: measured, on this machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ... import _core
from ...errors import CounterpointError, SetupError

if TYPE_CHECKING:
    from ..modelling.mechanism import Mechanism

DENSE_UP_TO = 1000
"""Unknowns up to which dense solvers are tried."""
AGREES = 1e-6
"""How far positions may differ from those of the first candidate, relative to the largest coordinate."""


@dataclass(frozen=True)
class Candidate:
    """What one choice costs.

    Attributes
    ----------
    system, solver : str
        As in :class:`counterpoint.multibody.Formulation`.
    microseconds : float
        Processor time per step, the best of several spans; nan if it failed.
    problem : str
        Why it cannot be taken; empty if it can.
    """

    system: str
    solver: str
    microseconds: float = float("nan")
    problem: str = ""


@dataclass(frozen=True)
class Tuning:
    """Candidates for a mechanism, the fastest first; those that cannot be taken last.

    Attributes
    ----------
    candidates : tuple of Candidate
    automatic : Candidate
        What ``solver = "auto"`` takes with the mechanism's own system.
    steps : int
        Steps of each span that was timed.
    """

    candidates: tuple[Candidate, ...]
    automatic: Candidate
    steps: int

    @property
    def best(self) -> Candidate:
        """Return the fastest candidate that gives the same motion."""
        return self.candidates[0]

    @property
    def gain(self) -> float:
        """Return how many times faster the best one is than what ``"auto"`` takes."""
        return self.automatic.microseconds / self.best.microseconds


class _Runner:
    """A run of the mechanism with one choice, stepped span by span."""

    def __init__(self, mechanism: Mechanism, candidate: Candidate, step: float) -> None:
        from ...system import System

        given = mechanism.formulation, mechanism.standard_outputs
        try:
            mechanism.formulation = replace(given[0], system=candidate.system, solver=candidate.solver)
            mechanism.standard_outputs = ("q",)
            system = System("tuning")
            system.add("m", mechanism.subsystem(), step=step, record=False)
            self._run = system.start()
            self.solver = mechanism.assembled().solver
        finally:
            mechanism.formulation, mechanism.standard_outputs = given
        self._step, self._steps = step, 0
        self.seconds = float("inf")

    def span(self, steps: int) -> None:
        """Take steps and keep the best time of one."""
        self._steps += steps
        began = time.process_time()
        self._run.step_to(self._steps * self._step)
        self.seconds = min(self.seconds, (time.process_time() - began) / steps)

    def positions(self) -> np.ndarray:
        """Return all coordinates now."""
        return np.asarray(self._run.value("m.q"), dtype=float)


def tune(mechanism: Mechanism, step: float | None = None, seconds: float = 2.0) -> Tuning:
    """Measure every linear solver on a mechanism; the candidates take turns, so that other work disturbs all alike.

    Parameters
    ----------
    mechanism : Mechanism
        Left as it is.
    step : float, optional
        s; the mechanism's own if not given.
    seconds : float
        Processor time to spend, about.

    Returns
    -------
    Tuning

    Examples
    --------
    >>> from counterpoint.multibody.library import four_bar
    >>> tune(four_bar(2), step=1e-3, seconds=0.1).best.problem
    ''
    """
    step = step or mechanism.step
    if step is None:
        raise SetupError(f"{mechanism.name}: tune needs a step; give step, or set the mechanism's")
    candidates = list(_candidates(mechanism))
    runners: dict[Candidate, _Runner] = {}
    failed: list[Candidate] = []
    for candidate in candidates:
        try:
            runner = _Runner(mechanism, candidate, step)
            runner.span(2)
        except CounterpointError as error:
            failed.append(replace(candidate, problem=str(error)))
        else:
            runners[candidate] = runner
    steps = _measure(runners, failed, seconds)
    found = _verdicts(runners)
    good = sorted((c for c in found if not c.problem), key=lambda c: c.microseconds)
    if not good:
        told = "; ".join(f"{c.solver}: {c.problem}" for c in failed[:1])
        raise SetupError(f"{mechanism.name}: no candidate runs {steps} steps of {step} s; {told}")
    own, chosen = mechanism.formulation.system, _Runner(mechanism, replace(candidates[0], solver="auto"), step).solver
    automatic = next(c for c in good if (c.system, c.solver) == (own, chosen))
    return Tuning((*good, *(c for c in found if c.problem), *failed), automatic, steps)


def _candidates(mechanism: Mechanism) -> Iterator[Candidate]:
    """Yield the mechanism's own system with every solver, the other one with the sparse ones."""
    unknowns = mechanism.assembled().free
    own = mechanism.formulation.system
    dense = unknowns <= DENSE_UP_TO
    for solver in _core.multibody.solver_names():
        if solver == "automatic" or (solver.startswith("klu") and not _core.multibody.has_klu()):
            continue
        if (solver.startswith("dense") and not dense) or (solver == "dense-llt" and own == "kkt"):
            continue
        yield Candidate(own, solver)
    if not mechanism.formulation.printed:
        yield Candidate("kkt" if own == "condensed" else "condensed", "static-ldlt")


def _measure(runners: dict[Candidate, _Runner], failed: list[Candidate], seconds: float) -> int:
    """Let all take spans in turn until the time is spent; return the steps of a span."""
    slowest = max((runner.seconds for runner in runners.values()), default=1.0)
    rounds = 5
    total = sum(runner.seconds for runner in runners.values()) or slowest
    steps = max(5, min(2000, round(seconds / rounds / total)))
    for _ in range(rounds):
        for candidate, runner in list(runners.items()):
            try:
                runner.span(steps)
            except CounterpointError as error:
                failed.append(replace(candidate, problem=str(error)))
                runners.pop(candidate)
    return steps


def _verdicts(runners: dict[Candidate, _Runner]) -> list[Candidate]:
    """Return the candidates with their times; those that moved elsewhere than the first one with the problem."""
    found, first = [], None
    for candidate, runner in runners.items():
        positions = runner.positions()
        first = positions if first is None else first
        off = np.abs(positions - first).max(initial=0.0) / max(1.0, np.abs(first).max(initial=0.0))
        problem = "" if off <= AGREES else f"positions differ by {off:.1e} of the size"
        found.append(replace(candidate, microseconds=1e6 * runner.seconds, problem=problem))
    return found
