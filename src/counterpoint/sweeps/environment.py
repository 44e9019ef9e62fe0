"""A system as an environment for learning: episodes that are reset and stepped."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common.numbers import is_number
from ..errors import SetupError
from ..units import time_at

if TYPE_CHECKING:
    from .._run.run import Run
    from .functions import Function


class Environment:
    """Episodes of a system: ``reset`` begins one, ``step`` acts and goes on; made by :meth:`Function.environment`.

    Subsystems, checked tables, unpacked FMUs and their instances are used again from episode to episode.

    Examples
    --------
    >>> import counterpoint as cp
    >>> system = cp.System()
    >>> tank = cp.linear([[-1.0]], [[1.0]], x0=[0.0], inputs="flow", outputs="level", solver="ode4")
    >>> system.add("tank", tank, step=0.1)
    >>> system.set("tank.flow", 0.0)
    >>> f = cp.function(system, "tank.x0[0]", "last(tank.level)", until=1.0)
    >>> tanks = f.environment("tank.level", "tank.flow", interval=0.5)
    >>> tanks.reset(1.0)
    array([1.])
    >>> level, ended = tanks.step(1.0)
    >>> level.round(3), ended
    (array([1.]), False)
    """

    def __init__(
        self, function: Function, observations: str | Sequence[str], actions: str | Sequence[str], interval: float | str
    ) -> None:
        interval = time_at("interval", interval)
        if not is_number(interval) or interval <= 0:
            raise SetupError(f"interval: {interval!r}; expected a positive number of seconds")
        self.observations = (observations,) if isinstance(observations, str) else tuple(observations)
        self.actions = (actions,) if isinstance(actions, str) else tuple(actions)
        self.interval = float(interval)
        self._function = function
        self._run: Run | None = None
        self._steps = 0

    def reset(self, *values: ArrayLike, **named: ArrayLike) -> NDArray[np.float64]:
        """Begin an episode with these values of the inputs; return the observations at its start, shape (n,)."""
        self.close()
        (row,) = self._function._points(values, named).reshape(-1, len(self._function.inputs)).tolist()
        self._run = self._function.worker.start(row)
        self._steps = 0
        return self._observe(self._run)

    def step(self, action: ArrayLike) -> tuple[NDArray[np.float64], bool]:
        """Hold the actions for one interval; return the observations at its end and whether the episode has ended."""
        if self._run is None:
            raise SetupError("no episode has begun; call reset")
        given = np.atleast_1d(np.asarray(action, dtype=np.float64))
        if given.shape != (len(self.actions),):
            raise SetupError(f"action: shape {given.shape}; expected one number for each of {', '.join(self.actions)}")
        for port, value in zip(self.actions, given.tolist(), strict=True):
            self._run.set(port, value)
        self._steps += 1
        begin, end = self._run.span
        until = min(begin + self._steps * self.interval, end)
        self._run.step_to(until)
        return self._observe(self._run), until >= end - 1e-9 * self.interval if end < inf else False

    def _observe(self, run: Run) -> NDArray[np.float64]:
        return np.hstack([np.atleast_1d(run.value(port)) for port in self.observations])

    def close(self) -> None:
        """End the episode."""
        if self._run is not None:
            self._run.finish()
            self._run = None

    def __enter__(self) -> Environment:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
