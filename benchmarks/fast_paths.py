"""Benchmark `fast-paths`: what the fast paths of the coupling save, against its definition.

Every case is served by the path it is named after; the definition gives the same bits (tests/core/test_fast_paths.cpp).
"""

import contextlib
from collections.abc import Callable, Iterator

import counterpoint as cp
from benchmarks.fmu_ring import INPUTS, OUTPUTS, archive, parameters
from benchmarks.harness import OURS, Bench, interleaved
from counterpoint import _core

DEFINITION = "definition"


class _Defined(_core.RunSpec):
    def __init__(self, *args: float, **options: float) -> None:
        super().__init__(*args, **options)
        self.fast_paths = False


@contextlib.contextmanager
def _without_fast_paths() -> Iterator[None]:
    kept = _core.RunSpec
    _core.RunSpec = _Defined  # type: ignore[misc]
    try:
        yield
    finally:
        _core.RunSpec = kept  # type: ignore[misc]


def _oscillators(steps: tuple[float, ...], approximation: cp.Approximation, solver: str = "ode4") -> cp.System:
    system = cp.System("ring")
    for k, step in enumerate(steps):
        model = cp.linear(
            [[0, 1], [-15 - k, -0.3]], [[0], [5]], x0=[1, 0], inputs="u", outputs=["x", "v"], solver=solver
        )
        system.add(f"m{k}", model, step=step)
    for k in range(len(steps)):
        system.connect(f"m{k - 1 if k else len(steps) - 1}.x", f"m{k}.u", approximation)
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


CASES: dict[str, tuple[Callable[[], cp.System], str, float]] = {
    "batches (a fast one interpolates)": (lambda: _oscillators((0.01, 0.4), cp.lagrange(1)), "slowest-first", 0.01),
    "newest points (all extrapolate)": (lambda: _oscillators((0.01, 0.013), cp.lagrange(1)), "parallel", 0.0057),
    "rounds, lines": (lambda: _oscillators((0.01,) * 4, cp.lagrange(1)), "parallel", 0.0025),
    "rounds, held": (lambda: _oscillators((0.01,) * 4, cp.hold()), "parallel", 0.0025),
    "rounds, order 3": (lambda: _oscillators((0.01,) * 4, cp.lagrange(3)), "parallel", 0.0025),
    "held rounds of FMUs": (lambda: _fmus(cp.hold()), "parallel", 1e-3 / 20),
}
"""System, scheme and time between two steps of any of its subsystems, in s."""


def savings(bench: Bench) -> None:
    """Time for a step with fast paths and without."""
    steps, repeats = (300_000, 3) if bench.quick else (2_000_000, 7)
    for name, (make, scheme, between) in CASES.items():

        def fast(make: Callable[[], cp.System] = make, scheme: str = scheme, between: float = between) -> None:
            make().run(until=steps * between, scheme=scheme)

        def defined(fast: Callable[[], None] = fast) -> None:
            with _without_fast_paths():
                fast()

        seconds = interleaved({OURS: fast, DEFINITION: defined}, repeats)
        bench.add("savings", name, {who: 1e9 * value / steps for who, value in seconds.items()}, "ns/step")


WORKS: dict[str, Callable[[Bench], None]] = {"savings": savings}
