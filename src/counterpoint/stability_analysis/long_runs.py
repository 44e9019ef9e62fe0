"""Growth on grids that never meet: from a long run of the linear system, since there is no map of a period."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SimulationError
from ..linearisation import LinearisedSystem
from ..results import Result
from .prober import without_window_remarks

#: Steps of the slowest subsystem, at least; a growth rate is known to about the inverse of their time.
STEPS = 5000
#: Steps of all subsystems, at most.
MOST_STEPS = 2_000_000
#: Blocks in which the largest value is taken; the first ones are left out: there other motions are still as large.
BLOCKS, FIRST = 24, 12
#: Turns of the slowest oscillation in a block: in less than one its largest value is that of a moment.
TURNS = 2.0


@dataclass(frozen=True)
class LongRun:
    """Growth over a long run.

    Attributes
    ----------
    growth_rate : float
        Of the output that grows fastest, 1/s.
    span : float
        Length of the run, s.
    known_to : float
        Uncertainty of the growth rate, 1/s.
    """

    growth_rate: float
    span: float
    known_to: float


def long_run(system: LinearisedSystem, scheme: Any, steps: int | None = None, **options: Any) -> LongRun:
    """Run a linear system from a random state for many steps and return how fast it grows.

    ``steps``: of the slowest subsystem; default: 5000, or as many as the slowest oscillation needs for 48 turns, as far
    as all subsystems together make no more than two million.

    >>> import counterpoint as cp
    >>> system = cp.System()
    >>> system.add("a", cp.linear([[-0.1]], [[1]], x0=[1], inputs="u", outputs="x"), step=0.1)
    >>> system.add("b", cp.linear([[-0.1]], [[0.01]], x0=[1], inputs="u", outputs="x"), step=0.1 * 2**0.5)
    >>> system.connect("a.x", "b.u")
    >>> system.connect("b.x", "a.u")
    >>> round(long_run(cp.linearise(system), "parallel").growth_rate, 4)  # the exact system: 0 and -0.2 1/s
    0.0
    """
    random = np.random.default_rng(1)
    start = {name: random.standard_normal(len(model.A)) for name, model in system.models.items()}
    span = (steps_needed(system) if steps is None else steps) * max(system.steps.values())
    result: Result | None
    try:
        with without_window_remarks(options.get("window")), _without_log():
            result = system.system(start).run(until=span, scheme=scheme, **options)
    except SimulationError as error:  # grown beyond the largest number: what came before is enough
        result = getattr(error, "result", None)
        if result is None:
            raise
    rate, scatter = max(_rates(system, result), default=(-np.inf, 0.0))
    return LongRun(rate, span, max(1.0 / span, scatter))


@contextmanager
def _without_log() -> Iterator[None]:
    """Keep what this thread does out of the log: that a growing motion leaves the range of numbers is no failure."""
    logger, thread = logging.getLogger("counterpoint"), threading.get_ident()

    def is_of_another(record: logging.LogRecord) -> bool:
        return record.thread != thread

    logger.addFilter(is_of_another)
    try:
        yield
    finally:
        logger.removeFilter(is_of_another)


def steps_needed(system: LinearisedSystem) -> int:
    """Return how many steps of the slowest subsystem a long run has."""
    longest = max(system.steps.values())
    most = MOST_STEPS / sum(longest / step for step in system.steps.values())
    turning = np.abs(system.coupled.poles.imag)
    slowest = float(np.min(turning[turning > 1e-9 * np.max(turning, initial=0.0)], initial=np.inf))
    return max(STEPS, int(min(most, BLOCKS * TURNS * 2.0 * np.pi / slowest / longest)))


def _rates(system: LinearisedSystem, result: Result) -> list[tuple[float, float]]:
    made = []
    for name, outputs in system.outputs.items():
        for output in outputs:
            signal = result[f"{name}.{output}"]
            values = np.abs(np.asarray(signal.values)).reshape(len(signal.time), -1).max(axis=1)
            made.append(_rate(np.asarray(signal.time), values))
    return made


def _rate(time: NDArray[np.float64], size: NDArray[np.float64]) -> tuple[float, float]:
    """Fit a line to the logarithm of the largest values in blocks of equal length; return its slope and what is left.

    What is left is the distance of the values from the line over the length of the line, 1/s.
    """
    usable = np.isfinite(size) & (size > 1e-250) & (size < 1e250)
    time, size = time[usable], size[usable]
    if len(time) < 2 * BLOCKS:
        return -np.inf, 0.0
    blocks = np.array_split(np.arange(len(time)), BLOCKS)[FIRST:]
    places = [block[np.argmax(size[block])] for block in blocks]
    line = np.polyfit(time[places], np.log(size[places]), 1)
    left = np.log(size[places]) - np.polyval(line, time[places])
    return float(line[0]), float(np.ptp(left) / np.ptp(time[places]))
