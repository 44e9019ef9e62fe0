"""How long a run takes again, from its work: so that what is made of a run does not depend on how busy the machine was.

Steps and evaluations are the same whenever a run is repeated; wall time is not. It counts only where it is so much
longer than the work suggests that the models must be slow ones.
"""

from __future__ import annotations

from math import floor, isfinite, log10
from typing import TYPE_CHECKING

from ..subsystems import NativeSubsystem

if TYPE_CHECKING:
    from ..results import Result
    from ..system import Participant, System

START = 1e-3
"""Usual time of what a run does once, s."""
NATIVE_STEP, OTHER_STEP = 2e-7, 2e-5
"""Usual time of a step of equations in the core, and of FMUs, mechanisms and models with a step method, s."""
NATIVE_EVALUATION, PYTHON_EVALUATION = 2e-7, 2e-6
"""Usual time of an evaluation of equations in the core, and in Python, s."""
SLOWER = 8.0
"""Where a run has taken so many times the usual time, its models are slower than usual."""


def expected_seconds(system: System, first: Result) -> float:
    """Return how long a run is expected to take when it is repeated, s."""
    usual, measured = usual_seconds(system, first), first.wall_seconds
    return measured if isfinite(measured) and measured > SLOWER * usual else usual


def usual_seconds(system: System, first: Result) -> float:
    """Return the time that the work of a run usually takes, s."""
    summary = first.summary
    evaluations = summary.evaluations if len(summary.evaluations) == len(summary.steps) else [-1] * len(summary.steps)
    counts = dict(zip(first.subsystems, zip(summary.steps, evaluations, strict=True), strict=False))
    return START + sum(_usual(part, *counts.get(name, (0, -1))) for name, part in system.subsystems.items())


def _usual(part: Participant, steps: int, evaluations: float) -> float:
    subsystem = part.subsystem
    equations = isinstance(subsystem, NativeSubsystem) and subsystem.is_smooth
    if not (equations or evaluations >= 0):
        return steps * OTHER_STEP
    each = PYTHON_EVALUATION if subsystem.runs_python else NATIVE_EVALUATION
    own = NATIVE_STEP if equations or subsystem.runs_python else OTHER_STEP
    return steps * own + max(evaluations, 0.0) * each


def rounded_share(share: float) -> float:
    """Return a share of a run rounded down to 1, 0.5, 0.2, 0.1 and so on: a little more time changes nothing.

    >>> rounded_share(0.7), rounded_share(0.11), rounded_share(3.0), rounded_share(0.049)
    (0.5, 0.1, 1.0, 0.02)
    """
    if share >= 1.0:
        return 1.0
    decade = 10.0 ** floor(log10(share))
    leading = next(n for n in (5, 2, 1) if share >= n * decade * (1 - 1e-9))
    return float(f"{leading * decade:.1g}")
