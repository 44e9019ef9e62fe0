"""Whole steps with one thread and with two, in turn: the speed-up beside Amdahl's bound."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from ...multibody import Formulation
from ...multibody.library import four_bar
from ...system import System

THREADS = 2
STEP = 1e-3


@dataclass(frozen=True)
class Threaded:
    """Elapsed time of one step of a chain of `size` variables, s: with one thread and with two."""

    size: int
    one: float
    two: float

    @property
    def speed_up(self) -> float:
        """Return how many times faster two threads are."""
        return self.one / self.two


class _Chain:
    def __init__(self, loops: int, threads: int) -> None:
        mechanism = four_bar(loops)
        mechanism.formulation = Formulation(threads=threads)
        mechanism.standard_outputs = ()
        mechanism.output("B0", "B0")
        system = System("chain")
        system.add("chain", mechanism.subsystem(), step=STEP, record=False)
        self._run = system.start()
        self._steps = 0

    def seconds(self, steps: int) -> float:
        self._steps += steps
        began = perf_counter()
        self._run.step_to(self._steps * STEP)
        return (perf_counter() - began) / steps


def threaded(loops: int, rounds: int) -> Threaded:
    """Measure a chain; the best of `rounds` counts."""
    chains = [_Chain(loops, threads) for threads in (1, THREADS)]
    steps = max(2, 4000 // loops)
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        best = [min(least, chain.seconds(steps)) for least, chain in zip(best, chains, strict=True)]
    return Threaded(2 * loops + 2, *best)
