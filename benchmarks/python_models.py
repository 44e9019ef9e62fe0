"""Models written in Python whose step is one addition, stepped by Counterpoint and by a plain loop.

Every function returns the seconds per step; a plain loop calls the same methods and keeps the same results.
"""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import counterpoint as cp

STEP = 0.01
CHAIN = "source → sink"

Input = Callable[[float], NDArray[np.float64]]


class Source(cp.Subsystem):
    """Counts."""

    outputs = ("y",)

    def start(self, t: float, u: Input) -> None:
        self.y = 0.0

    def step(self, t: float, t_end: float, u: Input) -> None:
        self.y += 1.0

    def output(self, t: float, u: Input) -> float:
        return self.y


class Sink(cp.Subsystem):
    """Sums its input."""

    inputs = ("u",)
    outputs = ("y",)

    def start(self, t: float, u: Input) -> None:
        self.y = 0.0

    def step(self, t: float, t_end: float, u: Input) -> None:
        self.y += u(t)[0]

    def output(self, t: float, u: Input) -> float:
        return self.y


def alone(steps: int) -> float:
    system = cp.System("alone")
    system.add("source", Source(), step=STEP)
    return _seconds(system, steps) / steps


def chain(steps: int) -> float:
    system = cp.System("chain")
    system.add("source", Source(), step=STEP)
    system.add("sink", Sink(), step=STEP)
    system.connect("source.y", "sink.u", cp.hold("behind"))
    return _seconds(system, steps) / (2 * steps)


def _seconds(system: cp.System, steps: int) -> float:
    start = time.perf_counter()
    system.run(until=steps * STEP, scheme="parallel")
    return time.perf_counter() - start


def plain_alone(steps: int) -> float:
    source = Source()
    return _plain_seconds([(source, _nothing)], steps) / steps


def plain_chain(steps: int) -> float:
    source, sink = Source(), Sink()
    value = np.zeros(1)

    def held(t: float) -> NDArray[np.float64]:
        value[0] = source.y
        return value

    return _plain_seconds([(source, _nothing), (sink, held)], steps) / (2 * steps)


def _nothing(t: float) -> NDArray[np.float64]:
    return np.empty(0)


def _plain_seconds(models: list[tuple[cp.Subsystem, Input]], steps: int) -> float:
    start = time.perf_counter()
    for model, u in models:
        model.start(0.0, u)
    times: list[float] = []
    kept: list[list[float]] = [[] for _ in models]
    for k in range(steps):
        t, t_end = k * STEP, (k + 1) * STEP
        times.append(t_end)
        for (model, u), values in zip(models, kept, strict=True):
            model.step(t, t_end, u)
            values.append(model.output(t_end, u))
    return time.perf_counter() - start


CASES = (
    ("one source", alone, plain_alone),
    (CHAIN, chain, plain_chain),
)
"""What is measured: size, by Counterpoint, by a plain loop."""
