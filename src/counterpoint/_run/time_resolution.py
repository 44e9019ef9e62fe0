"""What steps the numbers can tell apart: times are doubles, whose spacing grows with the time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

MOST_STEPS = 1e15
"""Steps of a subsystem in one run. More could neither be counted exactly for long nor made in a lifetime."""
SPACINGS_A_STEP = 4
"""A step has to span so many spacings of time: instants on two grids may differ by one, next steps by more."""
TIME_TOLERANCE = 1e-6
"""Times closer than this share of the smallest step are the same time."""


def latest_time(start: float, until: float) -> float:
    """Return the largest absolute time of a run, s; for an open-ended run, that of its start."""
    return max(abs(start), abs(until) if math.isfinite(until) else 0.0)


def step_problems(step: float, start: float, until: float) -> Iterator[str]:
    """Say why a run cannot make steps of this length (s)."""
    count = (until - start) / step if math.isfinite(until) else 0.0
    latest = latest_time(start, until)
    if count > MOST_STEPS:
        many = f"{count:.3g}" if math.isfinite(count) else "more than 1e308"
        yield (
            f"{step!r} s means {many} steps from {start!r} s until {until!r} s; at most {MOST_STEPS:g} are possible: "
            "use larger steps, or an earlier end of the run"
        )
    elif is_too_small(step, latest):
        yield resolution_text(step, latest)


def is_too_small(step: float, time: float) -> bool:
    """Whether steps at a time (s) are too small for its resolution."""
    return step < SPACINGS_A_STEP * math.ulp(time)


def resolution_text(step: float, time: float) -> str:
    """Say that a step is too small at a time (s), and what to do."""
    return (
        f"{step!r} s is too small at t = {time!r} s, where times are {math.ulp(time):.3g} s apart; use steps of at "
        f"least {SPACINGS_A_STEP * math.ulp(time):.3g} s, or times nearer to 0"
    )


def time_tolerance(steps: Iterable[float], fixed: Iterable[float], start: float, until: float) -> float:
    """Return up to which distance two times are the same, s.

    A share of the smallest step, but not below the rounding of times; where steps are so small that rounding comes
    near, a quarter of the smallest fixed step still tells any two instants apart.
    """
    smallest = min((step for step in steps if 0.0 < step < math.inf), default=0.0)
    rounding = 16.0 * math.ulp(max(latest_time(start, until), 1e-300))
    return max(TIME_TOLERANCE * smallest, min(rounding, 0.25 * min(fixed, default=math.inf)))
