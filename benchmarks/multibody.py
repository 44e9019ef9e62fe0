"""Benchmark `multibody`: what a step of a multibody system costs, and how accurate it is."""

import importlib
import math
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

from benchmarks.four_bar import STEP, HandWritten, Mechanism, reference
from benchmarks.harness import LIMIT, OURS, Bench, best, installed

LOOPS = (1, 10, 40, 100, 500, 1000, 4000)
QUICK_LOOPS = (1, 10, 40, 100)
ACCURACY_LOOPS = (1, 2, 10, 40, 100)
QUICK_ACCURACY_LOOPS = (1, 2, 10)
SECONDS = 20
WARM_UP = 100
"""Steps before the clock starts: first allocations and cold caches are not what a step costs."""
PEERS = ("mujoco", "exudyn", "pinocchio")
TARGETS = {"mujoco": "1/10", "exudyn": "1/30", "pinocchio": "1/7"}
THREAD_LOOPS = (49, 499, 999, 1999, 3999)
QUICK_THREAD_LOOPS = (49, 999)
GROWTH_LOOPS = (49, 99, 249, 499, 999, 1999, 3999)
QUICK_GROWTH_LOOPS = (49, 499)
MOST_LOOPS = {"pinocchio": 100}
"""Loops up to which a peer is asked, where larger chains take it too long."""

MEMORY_PROGRAM = """
from benchmarks.multibody import Ours
from benchmarks.streaming import resident_mb
Ours(1).run(10)
before = resident_mb()
ours = Ours({loops})
ours.run(100)
ready = resident_mb()
ours.run(1000)
print(ready - before, resident_mb() - ready)
"""

COPY_PROGRAM = """
import sys, time
from benchmarks.multibody import Ours
loops, steps = map(int, sys.argv[1:])
ours = Ours(loops)
ours.run(50)
for _ in iter(sys.stdin.readline, ""):
    began = time.perf_counter()
    ours.run(steps)
    print(time.perf_counter() - began, flush=True)
"""

Maker = Callable[[int], Mechanism]


class Ours:
    """Counterpoint, run as any subsystem; like the others it keeps no path, and is asked where it is in the end."""

    def __init__(self, loops: int, threads: int = 1) -> None:
        import counterpoint as cp
        from counterpoint.multibody import Formulation, library

        mechanism = library.four_bar(loops)
        mechanism.formulation = Formulation(integrator="hermite", threads=threads)
        mechanism.standard_outputs = ()
        mechanism.output("B0", "B0")
        system = cp.System("four-bar")
        system.add("four-bar", mechanism.subsystem(), step=STEP, record=False)
        self._run = system.start()
        self._steps = 0

    def run(self, steps: int) -> None:
        self._steps += steps
        self._run.step_to(self._steps * STEP)

    def each_second(self, seconds: int) -> list[tuple[float, float]]:
        return [self._after_a_second() for _ in range(seconds)]

    def _after_a_second(self) -> tuple[float, float]:
        self.run(round(1 / STEP))
        x, y = self._run.value("four-bar.B0")
        return float(x), float(y)


def four_bar(bench: Bench) -> None:
    """Processor time of a step, against a hand-written C++ step and other multibody programs."""
    makers = contestants(bench, "four-bar")
    for loops in QUICK_LOOPS if bench.quick else LOOPS:
        repeats = 3 if bench.quick or loops > 1000 else 7 if loops > 100 else 15
        asked = {who: make for who, make in makers.items() if loops <= MOST_LOOPS.get(who, loops)}
        values = _microseconds(asked, loops, repeats)
        target = f"≤ {1.4 if loops == 1 else 1.25}, {', '.join(TARGETS[peer] for peer in PEERS)}"
        bench.add("four-bar", f"L {loops}", values, "µs/step", target)


def growth(bench: Bench) -> None:
    """Processor time of a step per loop, from 100 to 8000 variables: it should not grow with the size.

    All sizes take turns, so that whatever else the machine does meets all of them alike.
    """
    makers: dict[str, Maker] = {LIMIT: HandWritten, OURS: Ours}
    sizes = QUICK_GROWTH_LOOPS if bench.quick else GROWTH_LOOPS
    ways = {(who, loops): partial(_stepping_seconds, make, loops) for loops in sizes for who, make in makers.items()}
    seconds = best(ways, 2 if bench.quick else 7)
    per_loop = {(who, loops): 1e9 * value / _steps(loops) / loops for (who, loops), value in seconds.items()}
    for loops in sizes:
        values = {who: per_loop[who, loops] for who in makers}
        bench.add("growth", f"{2 * loops + 2} variables", values, "ns/step/loop")
    for who in makers:
        costs = [per_loop[who, loops] for loops in sizes]
        bench.add("growth", "most ÷ least", {who: max(costs) / min(costs)}, "", "≤ 1.15")


def accuracy(bench: Bench) -> None:
    """Distance of B0 from the reference, at the end and over the run; limit: the hand-written step's."""
    makers = contestants(bench, "accuracy")
    for loops in QUICK_ACCURACY_LOOPS if bench.quick else ACCURACY_LOOPS:
        exact = reference(loops, SECONDS)
        errors = {who: _errors(make(loops), exact) for who, make in makers.items()}
        at_the_end = {who: each[-1] for who, each in errors.items()}
        # The end alone may be where the error happens to change its sign.
        mean = {who: math.sqrt(sum(error**2 for error in each) / SECONDS) for who, each in errors.items()}
        bench.add("accuracy", f"L {loops}: at {SECONDS} s", at_the_end, "µm", "≤ peers")
        bench.add("accuracy", f"L {loops}: rms", mean, "µm", "≤ peers")


def threads(bench: Bench) -> None:
    """Wall time of a step with one thread over that with two; limit: two copies at once over one after the other.

    Copies share nothing but the machine: its processors may be less than two cores, and its last cache is one.
    """
    for loops in QUICK_THREAD_LOOPS if bench.quick else THREAD_LOOPS:
        rounds, steps = 5 if bench.quick else 60, max(20, 4000 // loops)
        ours = {count: Ours(loops, count) for count in (1, 2)}
        copies = [_copy(loops, steps) for _ in range(2)]
        fewest = {1: math.inf, 2: math.inf}
        alone, beside = math.inf, math.inf
        for _ in range(rounds):
            for count, mechanism in ours.items():
                began = time.perf_counter()
                mechanism.run(steps)
                fewest[count] = min(fewest[count], time.perf_counter() - began)
            alone = min(alone, _slowest(copies[:1]))
            beside = min(beside, _slowest(copies))
        for copy in copies:
            copy.communicate()
        values = {LIMIT: 2.0 * alone / beside, OURS: fewest[1] / fewest[2]}
        target = "≥ 1.5" if loops == max(THREAD_LOOPS) else "≥ 1"
        bench.add("threads", f"{2 * loops + 2} variables", values, "x", target)


def _copy(loops: int, steps: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", COPY_PROGRAM, str(loops), str(steps)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _slowest(copies: list[subprocess.Popen[str]]) -> float:
    """Let copies make their steps at once; return s of the slowest."""
    for copy in copies:
        copy.stdin.write("\n")
        copy.stdin.flush()
    return max(float(copy.stdout.readline()) for copy in copies)


def assembly(bench: Bench) -> None:
    """Processor time per loop to assemble the chain, redundant equations included; it should not grow with the size."""
    from counterpoint.multibody import library

    small, large = (50, 400) if bench.quick else (200, 1600)

    def seconds(loops: int) -> float:
        began = time.process_time()
        library.four_bar(loops).assembled()
        return time.process_time() - began

    found = best({str(loops): lambda loops=loops: seconds(loops) for loops in (small, large)}, 3)
    per_loop = {loops: 1e3 * found[str(loops)] / loops for loops in (small, large)}
    for loops, value in per_loop.items():
        bench.add("assembly", f"L {loops}", {OURS: value}, "ms per loop")
    bench.add("assembly", f"per loop, {large} ÷ {small}", {OURS: per_loop[large] / per_loop[small]}, "", "≈ 1")


def memory(bench: Bench) -> None:
    """Resident memory of a large mechanism: bytes a variable when it is ready to run, and what 1000 steps add."""
    loops = 500 if bench.quick else 5000
    variables = 2 * loops + 2
    code = MEMORY_PROGRAM.format(loops=loops)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ready, more = (1e6 * float(value) for value in done.stdout.split())
    bench.add("memory", f"{variables} variables", {OURS: ready / variables}, "bytes a variable")
    bench.add("memory", f"{variables} variables, 1000 steps more", {OURS: more / variables}, "bytes a variable", "≈ 0")


def _errors(mechanism: Mechanism, exact: list[tuple[float, float]]) -> list[float]:
    """Return the distances in µm after each second."""
    return [1e6 * math.dist(tip, true) for tip, true in zip(mechanism.each_second(SECONDS), exact, strict=True)]


def contestants(bench: Bench, work: str) -> dict[str, Maker]:
    """Return who takes part, by name; a peer that is not installed is noted and left out."""
    makers: dict[str, Maker] = {LIMIT: HandWritten}
    for peer in PEERS:
        if installed(peer):
            makers[peer] = importlib.import_module(f"benchmarks.peer_{peer}").FourBar
        else:
            bench.skip(peer, work)
    makers[OURS] = Ours
    return makers


def _microseconds(makers: dict[str, Maker], loops: int, repeats: int) -> dict[str, float]:
    seconds = best({who: partial(_stepping_seconds, make, loops) for who, make in makers.items()}, repeats)
    return {who: 1e6 * value / _steps(loops) for who, value in seconds.items()}


def _steps(loops: int) -> int:
    """At least 1 s: by then the cranks have passed the horizontal, where the constraints are redundant."""
    return max(1000, 20_000 // loops)


def _stepping_seconds(make: Maker, loops: int) -> float:
    """Time the steps alone, each contestant from the same start: building it is not what is asked here."""
    mechanism = make(loops)
    mechanism.run(WARM_UP)
    start = time.process_time()
    mechanism.run(_steps(loops))
    return time.process_time() - start


WORKS: dict[str, Callable[[Bench], None]] = {
    "four-bar": four_bar,
    "growth": growth,
    "threads": threads,
    "accuracy": accuracy,
    "assembly": assembly,
    "memory": memory,
}
