"""Whole steps with one thread and with two, in turn, beside what two copies at once reach on this machine."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from math import inf
from time import perf_counter

from ...multibody import Formulation
from ...multibody.library import four_bar
from ...system import System

THREADS = 2
STEP = 1e-3
COPY = """
import sys
from counterpoint.studies.linear_algebra.threads import Chain
loops, steps = map(int, sys.argv[1:])
chain = Chain(loops, 1)
for _ in iter(sys.stdin.readline, ""):
    print(chain.seconds(steps), flush=True)
"""
"""A process that makes steps of a chain whenever it is told to."""


@dataclass(frozen=True)
class Threaded:
    """Elapsed time of one step of a chain of `size` variables, s, and what the machine could give.

    Attributes
    ----------
    size : int
    one, two : float
        s with one thread and with two.
    machine : float
        How many times faster two copies of the chain in processes of their own are at once than one after the other.
    """

    size: int
    one: float
    two: float
    machine: float

    @property
    def speed_up(self) -> float:
        """Return how many times faster two threads are."""
        return self.one / self.two


class Chain:
    """A chain of four-bars that makes steps."""

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
        """Return s for one step, mean of `steps`."""
        self._steps += steps
        began = perf_counter()
        self._run.step_to(self._steps * STEP)
        return (perf_counter() - began) / steps


def threaded(loops: int, rounds: int) -> Threaded:
    """Measure a chain; the best of `rounds` counts."""
    steps = max(20, 4000 // loops)  # threads that have waited for a millisecond sleep, and must be woken
    chains = [Chain(loops, threads) for threads in (1, THREADS)]
    copies = [_copy(loops, steps) for _ in range(THREADS)]
    best = [inf, inf, inf, inf]
    for _ in range(rounds):
        found = [*(chain.seconds(steps) for chain in chains), _slowest(copies[:1]), _slowest(copies)]
        best = [min(pair) for pair in zip(best, found, strict=True)]
    for copy in copies:
        copy.communicate()
    return Threaded(2 * loops + 2, best[0], best[1], THREADS * best[2] / best[3])


def _copy(loops: int, steps: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", COPY, str(loops), str(steps)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _slowest(copies: list[subprocess.Popen[str]]) -> float:
    """Let copies make their steps at once; return s of the slowest."""
    pipes = [(copy.stdin, copy.stdout) for copy in copies]
    for to, _ in pipes:
        assert to is not None
        to.write("\n")
        to.flush()
    return max(float(back.readline()) for _, back in pipes if back is not None)
