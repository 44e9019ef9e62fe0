"""How long the steps of a solver may be where its outputs move between them.

Pictures and other subsystems read the samples of a subsystem and draw lines between them. A solver chooses its steps
by its states; an output that is a function of time, as that of a source, may do anything between two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from .base import Subsystem

_PROBES = (500, 431, 365, 307, 251, 191, 113, 61, 17, 3)
"""Where an output is looked at, in samples before the end of the run: at no regular distance."""


def with_longest_step(options: Mapping[str, float], subsystem: Subsystem) -> dict[str, float]:
    """Return the options of a solver with ``max_step`` (s): the shortest step of those that read it, and 500 samples.

    >>> from counterpoint import Subsystem
    >>> source = Subsystem()
    >>> source.drawn_step = 0.02
    >>> with_longest_step({"rtol": 1e-6}, source)
    {'rtol': 1e-06, 'max_step': 0.02}
    """
    given = dict(options)
    limits = [step for step in (subsystem.listeners_step, subsystem.drawn_step) if step is not None]
    if limits:
        given.setdefault("max_step", min(limits))
    if "max_step" in given:
        given["max_step"] /= subsystem.step_parts
    return given


def follows_time(
    output: Callable[[float, list[float], list[float]], ArrayLike],
    states: Sequence[float],
    inputs: int,
    subsystem: Subsystem,
) -> bool:
    """Return whether ``output(t, x, u)`` changes while x and u do not; False where the times of the run are not known.

    >>> import math
    >>> from counterpoint import Subsystem
    >>> source = Subsystem()
    >>> source.run_until, source.drawn_step = 10.0, 0.02
    >>> follows_time(lambda t, x, u: [math.sin(t)], [0.0], 0, source)
    True
    >>> follows_time(lambda t, x, u: [2.0 * x[0]], [0.0], 0, source)
    False
    """
    until, drawn = subsystem.run_until, subsystem.drawn_step
    if until is None or drawn is None:
        return False
    times = [until - drawn * k for k in _PROBES]
    held = [0.0] * inputs
    return any(_changes(output, times, [x + beside for x in states], held) for beside in (0.0, 1.0))


def _changes(
    output: Callable[[float, list[float], list[float]], ArrayLike],
    times: Sequence[float],
    x: list[float],
    u: list[float],
) -> bool:
    """Whether the output differs at one of the times; no if it cannot be computed, which a run reports."""
    try:
        with np.errstate(all="ignore"):
            found = [np.array(output(t, list(x), list(u)), dtype=np.float64) for t in times]
    except Exception:  # a function of the user, at a state that may make no sense to it
        return False
    return any(not np.array_equal(found[0], other, equal_nan=True) for other in found)
