"""Models written in Python whose step is one addition, stepped by Counterpoint and by a plain loop.

Every function returns the seconds per step. A plain loop calls the same methods and does nothing else.
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

    def start(self, t: float) -> None:
        self.y = 0.0

    def step(self, t: float, t_end: float, u: Input) -> None:
        self.y += 1.0

    def output(self, t: float, u: Input) -> float:
        return self.y


class Sink(cp.Subsystem):
    """Sums its input."""

    inputs = ("u",)
    outputs = ("y",)

    def start(self, t: float) -> None:
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
    return _seconds(chain_system(), steps) / (2 * steps)


def chain_system() -> cp.System:
    system = cp.System("chain")
    system.add("source", Source(), step=STEP)
    system.add("sink", Sink(), step=STEP)
    system.connect("source.y", "sink.u", cp.hold("behind"))
    return system


def _seconds(system: cp.System, steps: int) -> float:
    start = time.process_time()
    system.run(until=steps * STEP, scheme="parallel")
    return time.process_time() - start


def plain_alone(steps: int) -> float:
    source = Source()
    source.start(0.0)
    step, output, nothing = source.step, source.output, np.empty
    start = time.process_time()
    for k in range(steps):
        step(k * STEP, (k + 1) * STEP, nothing)
        output((k + 1) * STEP, nothing)
    return (time.process_time() - start) / steps


def plain_chain(steps: int) -> float:
    source, sink = Source(), Sink()
    source.start(0.0)
    sink.start(0.0)
    value = np.zeros(1)

    def held(t: float) -> NDArray[np.float64]:
        value[0] = source.y
        return value

    start = time.process_time()
    for k in range(steps):
        t, t_end = k * STEP, (k + 1) * STEP
        source.step(t, t_end, held)
        sink.step(t, t_end, held)
        source.output(t_end, held)
        sink.output(t_end, held)
    return (time.process_time() - start) / (2 * steps)


CASES = (
    ("one source", alone, plain_alone),
    (CHAIN, chain, plain_chain),
)
"""What is measured: size, by Counterpoint, by a plain loop."""
