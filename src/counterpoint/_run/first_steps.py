"""The first steps of a run, which are repeated until they agree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._common.numbers import is_number
from ..errors import SetupError
from ..pace._kinds import Fixed, RealTime
from .approximation_choice import chosen_approximation
from .options import FIRST_STEPS, RunOptions
from .problem import Problem

if TYPE_CHECKING:
    from ..system import System

TOLERANCE = 1e-9
"""First steps agree when a repeat changes the interface less, relative to the size of each signal."""
MOST_UNASKED = 0.2
"""Largest share of the run that is repeated without a request; more would be costly."""
MOST_LONGER = 4
"""To end where all steps end, so many times the steps needed are repeated at most."""


@dataclass(frozen=True)
class PlannedStart:
    """What is done with the first steps.

    Attributes
    ----------
    end : float or None
        The steps up to here (s) are repeated; None: none are.
    steps : int
        How many of the largest steps these are.
    reason : str
        Why none are repeated.
    """

    end: float | None = None
    steps: int = 0
    reason: str = ""


def first_steps_problems(options: RunOptions) -> Iterator[Problem]:
    """Say what is wrong with how the first steps shall be made."""
    if options.first_steps not in FIRST_STEPS:
        allowed = ", ".join(f'"{word}"' for word in FIRST_STEPS)
        yield Problem("first_steps", f"{options.first_steps!r}; expected one of {allowed}")
    elif options.first_steps == "repeat" and options.window is not None:
        yield Problem("first_steps", "a window repeats all steps; use one of the two")
    elif options.first_steps == "repeat" and _is_paced(options.pace):
        yield Problem("first_steps", 'a pace begins with short steps instead; use "once"')
    elif options.first_steps == "repeat" and options.host is not None:
        yield Problem("first_steps", 'a host cannot be restored; use "once"')


def _is_paced(pace: object) -> bool:
    """Whether a pace chooses unequal steps."""
    given = pace.pace if isinstance(pace, RealTime) else pace
    return given is not None and not isinstance(given, Fixed)


def plan_first_steps(
    system: System,
    options: RunOptions,
    waits: dict[str, list[str]],
    steps: dict[str, float],
    slopes: frozenset[str],
) -> PlannedStart:
    """Return which steps are repeated; raise SetupError where they must be and cannot.

    Parameters
    ----------
    system : System
        The system.
    options : RunOptions
        How it runs.
    waits : dict
        For each subsystem those it waits for.
    steps : dict
        Step of each subsystem, typical for those at their own pace, s.
    slopes : frozenset of str
        Subsystems that provide slopes of their outputs.
    """
    if options.first_steps == "once" or options.window is not None or options.host is not None:
        return PlannedStart(reason="not asked for")
    if options.first_steps == "auto" and options.driven:
        return PlannedStart(reason="inputs may be set between the steps of an incremental run")
    if _is_paced(options.pace):
        return PlannedStart(reason="a pace begins with short steps instead")
    planned = _planned(system, options, _steps_needed(system, options, waits, slopes), steps)
    if planned.end is None and options.first_steps == "repeat":
        raise SetupError(f'first_steps: "repeat" is not possible: {planned.reason}; use "once"')
    return planned


def _planned(system: System, options: RunOptions, count: int, steps: dict[str, float]) -> PlannedStart:
    fixed = {name: float(part.step) for name, part in system.subsystems.items() if part.step is not None}
    known = [step for step in steps.values() if is_number(step) and step > 0.0]
    largest = max(fixed.values(), default=max(known, default=0.0))
    made = _common_count(count, largest, fixed)
    reason = next(_obstacles(system, options, made, largest, fixed), "")
    return PlannedStart(reason=reason) if reason else PlannedStart(float(options.start) + made * largest, made)


def _obstacles(
    system: System, options: RunOptions, made: int, largest: float, fixed: dict[str, float]
) -> Iterator[str]:
    """Say why ``made`` steps of the largest length (s) cannot be repeated."""
    if options.real_time is not None or isinstance(options.pace, RealTime):
        yield "a real-time run has no time for repeats"
    if made == 0:
        yield "no input is extrapolated from more than one sample"
    for name, part in system.subsystems.items():
        if _is_paced(part.pace):
            yield f'"{name}" has a pace, which begins with short steps instead'
    cannot = [f'"{name}"' for name, part in system.subsystems.items() if not part.subsystem.can_save]
    if cannot:
        yield f"{', '.join(cannot)} cannot save and restore the state"
    if options.first_steps == "auto":
        yield from _objections(system, options, made * largest)
    if largest == 0.0:
        yield "no subsystem has a step whose length is known"
    length = made * largest
    if options.until is not None and length > (options.until - options.start) * (1.0 + 1e-9):
        yield f"the run has fewer than {made} steps of {largest:g} s"
    refusing = [f'"{name}"' for name, step in fixed.items() if not _may_end_at(system, name, step, length)]
    if refusing:
        yield f"{', '.join(refusing)} cannot shorten a step, and none of its multiples is close to {length:g} s"


def _objections(system: System, options: RunOptions, length: float) -> Iterator[str]:
    """Return why first steps of a length (s) are repeated on request only."""
    foreign = [f'"{name}"' for name, part in system.subsystems.items() if not part.subsystem.repeats_unasked]
    if foreign:
        yield f"{', '.join(foreign)}: states of other programs are restored only on request (first_steps='repeat')"
    if options.until is not None and length > MOST_UNASKED * (options.until - options.start) * (1.0 + 1e-9):
        yield f"{length:g} s are more than {100 * MOST_UNASKED:g} % of the run"


def _steps_needed(system: System, options: RunOptions, waits: dict[str, list[str]], slopes: frozenset[str]) -> int:
    """Return the steps until every approximation has its samples; 0 when only held inputs are extrapolated."""
    extrapolated = needed = 0
    for connection in system.connections:
        target = connection.target.partition(".")[0]
        for k, source in enumerate(connection.sources):
            owner = source.partition(".")[0]
            count = chosen_approximation(system, connection, k, options)._first_steps(owner in slopes)
            needed = max(needed, count)
            if owner not in waits[target]:
                extrapolated = max(extrapolated, count)
    return needed if extrapolated > 0 else 0


def _common_count(count: int, largest: float, fixed: dict[str, float]) -> int:
    """At least ``count`` of the largest steps, so many that all fixed steps end together, if that is soon."""
    for made in range(count, MOST_LONGER * count + 1):
        if all(_is_multiple(made * largest, step) for step in fixed.values()):
            return made
    return count


def _is_multiple(length: float, step: float) -> bool:
    return math.isclose(round(length / step) * step, length, rel_tol=1e-9)


def _may_end_at(system: System, name: str, step: float, length: float) -> bool:
    if _is_multiple(length, step):
        return True
    model = system.subsystems[name].subsystem
    always = set(model.step_problems(step, math.inf))
    return not (set(model.step_problems(step, length)) | set(model.step_problems(length, math.inf))) - always
