"""The state in which a run was at some time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import SetupError
from ...results import Result
from .problem import Problem, State


def state_of(problem: Problem, result: Result, t: float, subsystem: str) -> State:
    """Return a consistent state; velocities are the slope of the cubic through the four samples around ``t``."""
    if f"{subsystem}.q" not in result and f"{subsystem}.q[0]" not in result:
        raise SetupError(
            f'"{problem.name}": the result has no signal "{subsystem}.q"; subsystems: {", ".join(result.subsystems)}'
        )
    signal = result.signal(f"{subsystem}.q")
    times = np.asarray(signal.time)
    values = np.asarray(signal.values).reshape(len(times), -1)
    if not times[0] <= t <= times[-1]:
        raise SetupError(f'"{problem.name}": t = {t:g} s is outside the result, {times[0]:g} to {times[-1]:g} s')
    first = int(np.clip(np.searchsorted(times, t) - 2, 0, max(len(times) - 4, 0)))
    around = slice(first, min(first + 4, len(times)))
    scale = max(float(times[around][-1] - times[around][0]), 1e-300)
    cubic = np.polyfit((times[around] - t) / scale, values[around], len(times[around]) - 1)
    q, v = problem.start.q.copy(), np.zeros_like(problem.start.v)
    q[: problem.n], v[: problem.n] = cubic[-1], cubic[-2] / scale if len(cubic) > 1 else 0.0
    return problem.consistent(replace(problem.start, t=t, q=q, v=v, memory=_turns(problem, times, values, t)))


def _turns(problem: Problem, times: np.ndarray, values: np.ndarray, t: float) -> tuple[float, ...]:
    """Return the turns of angles, counted along the run."""
    state = problem.start
    if not state.memory:
        return ()
    for row in values[times <= t]:
        q = state.q.copy()
        q[: problem.n] = row
        state = problem.remembered(replace(state, q=q))
    return state.memory
