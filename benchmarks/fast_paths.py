"""Benchmark `fast-paths`: what each fast path of the coupling saves, in a run that it serves.

Three ways: with all paths, with all but the one in question, and the definition alone. All give the same bits
(tests/core/test_fast_paths.cpp).
"""

import contextlib
import time
from collections.abc import Callable, Iterator

import numpy as np

import counterpoint as cp
from benchmarks.fmu_ring import INPUTS, OUTPUTS, archive, parameters
from benchmarks.harness import OURS, Bench, interleaved
from counterpoint import _core

DEFINITION = "definition"
WITHOUT = "without this path"


@contextlib.contextmanager
def allowing(paths: _core.FastPaths) -> Iterator[None]:
    """Let runs use these fast paths only."""

    class Restricted(_core.RunSpec):
        def __init__(self, *args: float, **options: float) -> None:
            super().__init__(*args, **options)
            self.fast_paths = paths

    kept = _core.RunSpec
    _core.RunSpec = Restricted  # type: ignore[misc]
    try:
        yield
    finally:
        _core.RunSpec = kept  # type: ignore[misc]


def all_but(path: str) -> _core.FastPaths:
    """Return all fast paths but one."""
    paths = _core.FastPaths()
    setattr(paths, path, False)
    return paths


def _oscillators(steps: tuple[float, ...], approximation: cp.Approximation, solver: str = "ode4") -> cp.System:
    system = cp.System("ring")
    for k, step in enumerate(steps):
        model = cp.linear(
            [[0, 1], [-15 - k, -3.0]], [[0], [5]], x0=[1, 0], inputs="u", outputs=["x", "v"], solver=solver
        )
        system.add(f"m{k}", model, step=step)
    for k in range(len(steps)):
        # The offset keeps the motion from dying away: numbers near zero are slow to compute with.
        system.connect(f"m{k - 1 if k else len(steps) - 1}.x", f"m{k}.u", approximation, offset=1.0)
    return system


def _fmus(approximation: cp.Approximation, count: int = 20) -> cp.System:
    system = cp.System("fmus")
    for k in range(count):
        model = cp.fmu(archive(2), parameters=parameters(k), inputs=INPUTS, outputs=OUTPUTS, inputs_at="start")
        system.add(f"m{k}", model, step=1e-3)
    for k in range(count):
        for output, target in zip(OUTPUTS, INPUTS, strict=True):
            system.connect(f"m{(k - 1) % count}.{output}", f"m{k}.{target}", approximation)
    return system


CASES: dict[str, tuple[str, Callable[[], cp.System], str, float]] = {
    "a fast one interpolates: batches": (
        "batches",
        lambda: _oscillators((0.01, 0.4), cp.lagrange(1)),
        "slowest-first",
        0.01,
    ),
    "a fast one interpolates: batches on one polynomial": (
        "polynomial_batches",
        lambda: _oscillators((0.01, 0.4), cp.lagrange(1)),
        "slowest-first",
        0.01,
    ),
    "a fast one interpolates: single scalar": (
        "single_scalar",
        lambda: _oscillators((0.01, 0.4), cp.lagrange(1)),
        "slowest-first",
        0.01,
    ),
    "all extrapolate: newest points": (
        "newest_points",
        lambda: _oscillators((0.01, 0.013), cp.lagrange(1)),
        "parallel",
        0.0057,
    ),
    "equal steps, order 3: rounds": (
        "rounds",
        lambda: _oscillators((0.01,) * 4, cp.lagrange(3)),
        "parallel",
        0.0025,
    ),
    "equal steps, order 1: rounds": (
        "rounds",
        lambda: _oscillators((0.01,) * 4, cp.lagrange(1)),
        "parallel",
        0.0025,
    ),
    "equal steps, order 1: lines": (
        "lines",
        lambda: _oscillators((0.01,) * 4, cp.lagrange(1)),
        "parallel",
        0.0025,
    ),
    "equal steps, order 1: sampled rounds": (
        "sampled_rounds",
        lambda: _oscillators((0.01,) * 4, cp.lagrange(1)),
        "parallel",
        0.0025,
    ),
    "200, equal steps, order 1: sampled rounds": (
        "sampled_rounds",
        lambda: _oscillators((0.01,) * 200, cp.lagrange(1)),
        "parallel",
        0.01 / 200,
    ),
    "equal steps, held: derived comparisons": (
        "derived_comparisons",
        lambda: _oscillators((0.01,) * 4, cp.hold()),
        "parallel",
        0.0025,
    ),
    "equal steps, held: derived rows": (
        "derived_rows",
        lambda: _oscillators((0.01,) * 4, cp.hold()),
        "parallel",
        0.0025,
    ),
    "a pace for both: joint steps": (
        "joint_steps",
        lambda: _oscillators((0.01,) * 2, cp.lagrange(1)),
        "parallel",
        0.005,
    ),
    "windows of 20 slow steps, repeated once: joint passes": (
        "joint_passes",
        lambda: _oscillators((0.01, 0.1), cp.lagrange(1)),
        "slowest-first",
        0.01 / 1.1,
    ),
    "a pace for both that listens: newest comparisons": (
        "newest_comparisons",
        lambda: _oscillators((0.01,) * 2, cp.lagrange(1)),
        "parallel",
        0.005,
    ),
    "20 FMUs, held: held rounds": (
        "held_rounds",
        lambda: _fmus(cp.hold()),
        "parallel",
        1e-3 / 20,
    ),
}
"""Path, system, scheme and time between two steps of any of its subsystems, in s."""
PACES = {
    "joint_steps": cp.pace.table([0.0], [0.01]),
    "newest_comparisons": cp.pace.defect(1e3, first=0.01, smallest=0.01, largest=0.01),
}
WINDOWS = {"joint_passes": cp.window(2.0, repeats=1)}


def savings(bench: Bench) -> None:
    """Time per step with all fast paths, with all but one, and without any."""
    steps, repeats = (100_000, 2) if bench.quick else (1_000_000, 7)
    for name, (path, make, scheme, between) in CASES.items():

        def run(
            paths: _core.FastPaths,
            make: Callable[[], cp.System] = make,
            path: str = path,
            scheme: str = scheme,
            between: float = between,
        ) -> None:
            with allowing(paths):
                make().run(until=steps * between, scheme=scheme, pace=PACES.get(path), window=WINDOWS.get(path))

        contestants = {
            OURS: lambda run=run: run(_core.FastPaths()),
            WITHOUT: lambda run=run, path=path: run(all_but(path)),
            DEFINITION: lambda run=run: run(_core.FastPaths.none()),
        }
        seconds = interleaved(contestants, repeats)
        bench.add("savings", name, {who: 1e9 * value / steps for who, value in seconds.items()}, "ns/step")


def _chains(states: int = 300, count: int = 4) -> cp.System:
    chain = np.diag(np.full(states, -2.0)) + np.diag(np.ones(states - 1), 1) + np.diag(np.ones(states - 1), -1)
    first = np.eye(states, 1)
    system = cp.System("chains")
    for k in range(count):
        model = cp.linear(chain, first, first.T, x0=first[:, 0], inputs="u", outputs="y")
        system.add(f"m{k}", model, step=0.01)
    for k in range(count):
        system.connect(f"m{k - 1 if k else count - 1}.y", f"m{k}.u", cp.lagrange(1))
    return system


def threads(bench: Bench) -> None:
    """Wall time of four subsystems with much work per step in two threads, against one thread."""
    steps, repeats = (500, 2) if bench.quick else (5_000, 5)

    def run(count: int) -> None:
        _chains().run(until=steps * 0.01, scheme="parallel", threads=count)

    contestants = {OURS: lambda: run(2), "one thread": lambda: run(1)}
    seconds = interleaved(contestants, repeats, clock=time.perf_counter)
    bench.add(
        "threads", "4 chains of 300 states", {who: 1e6 * s / (4 * steps) for who, s in seconds.items()}, "µs/step"
    )


WORKS: dict[str, Callable[[Bench], None]] = {"savings": savings, "threads": threads}
