"""Work `indicators` of the benchmark `coupling`: what it costs that every result knows its interface defects.

Each run is made twice, with indicators and without, in turn. Without: nothing is compared, during the run and at its
end. What is found when it is asked for is not part of either.
"""

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import counterpoint as cp
from benchmarks import python_models
from benchmarks.fmu_ring import STEP
from benchmarks.harness import LIMIT, OURS, Bench, best
from benchmarks.two_mass import FAST_STEP, two_mass_system
from benchmarks.windows import two_fmus, two_mechanisms
from counterpoint import _core
from counterpoint._run.recording import Recorder


@contextlib.contextmanager
def without_indicators() -> Iterator[None]:
    """Let runs compare nothing."""

    class Blind(_core.RunSpec):
        def __init__(self, *args: float, **options: float) -> None:
            super().__init__(*args, **options)
            self.compares = False

    kept = _core.RunSpec, Recorder._defects, Recorder._defer
    _core.RunSpec = Blind  # type: ignore[misc]
    Recorder._defects = lambda self: []  # type: ignore[method-assign]
    Recorder._defer = lambda self: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        _core.RunSpec, Recorder._defects, Recorder._defer = kept  # type: ignore[misc, method-assign]


@dataclass(frozen=True)
class Case:
    """A system, how it runs, and how long (s)."""

    name: str
    make: Callable[[], cp.System]
    until: float
    options: dict[str, Any] = field(default_factory=dict)
    to_file: bool = False

    def seconds(self) -> float:
        """Time the run from the system to its result, s."""
        system = self.make()
        with tempfile.TemporaryDirectory() as folder:
            file = {"file": Path(folder) / "run.h5"} if self.to_file else {}
            begin = time.process_time()
            result = system.run(until=self.until, **self.options, **file)
            seconds = time.process_time() - begin
            result.close()
        return seconds

    def blind_seconds(self) -> float:
        """Time it without indicators, s."""
        with without_indicators():
            return self.seconds()


def indicators(bench: Bench) -> None:
    """Measure runs with indicators; limit: the same runs without."""
    repeats = 2 if bench.quick else 15
    for case in cases(0.02 if bench.quick else 1.0):
        seconds = best({LIMIT: case.blind_seconds, OURS: case.seconds}, repeats)
        bench.add("indicators", case.name, {who: 1e3 * value for who, value in seconds.items()}, "ms", "÷ < 1.03")


def cases(share: float) -> list[Case]:
    """Return a run of each work of the benchmark; `share`: how long they are."""
    once = {"scheme": "slowest-first", "first_steps": "once"}
    made = [
        Case(f"two-mass, FR {ratio}, order {order}", partial(two_mass_system, ratio, order), share * 5000, once)
        for ratio in (5, 10, 40)
        for order in (0, 1, 3)
    ]
    made += [
        Case(f"two-mass, FR 5, order 1, {scheme}", partial(two_mass_system, 5, 1), share * 5000, {"scheme": scheme})
        for scheme in ("slowest-first", "fastest-first", "parallel")
    ]
    made += [Case("two-mass, FR 10, order 1, to a file", partial(two_mass_system, 10, 1), share * 5000, once, True)]
    equal = {"scheme": "parallel"}
    made += [
        Case("python-subsystem", python_models.chain_system, share * 200, equal),
        Case("two FMUs, held", partial(two_fmus, 2, False), share * 200, equal),
        Case("two FMUs, lines", partial(two_fmus, 2, True), share * 200, equal),
        Case("two mechanisms", partial(two_mechanisms, 1), share * 20, equal),
    ]
    one = {"first": 1e-3, "smallest": 1e-3, "largest": 1e-3}
    for name, pace in {"table": cp.pace.table([0.0], [1e-3]), "defect": cp.pace.defect(1e3, **one)}.items():
        made += [Case(f"pace: {name}, all", partial(pair, None), share * 100, {**equal, "pace": pace})]
        made += [Case(f"pace: {name}, single", partial(pair, pace), share * 100, equal)]
    made += [
        Case(
            f"window: two-mass, FR 5, {length} steps",
            partial(two_mass_system, 5, 1),
            share * 500,
            {**once, "window": cp.window(length * 5 * FAST_STEP, repeats=1)},
        )
        for length in (5, 100)
    ]
    repeated = {**equal, "window": cp.window(20 * STEP, repeats=1)}
    made += [Case("window: two FMUs, 20 steps", partial(two_fmus, 2, False), share * 50, repeated)]
    return made


def pair(pace: cp.pace.Pace | None) -> cp.System:
    """Return two oscillators that extrapolate each other."""
    system = cp.System()
    for name, x0 in (("a", 1.0), ("b", 0.0)):
        model = cp.linear([[0, 1], [-15, -0.3]], [[0], [5]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x")
        system.add(name, model, step=None if pace is None else 1e-3, pace=pace)
    system.connect("a.x", "b.u", cp.lagrange(1))
    system.connect("b.x", "a.u", cp.lagrange(1))
    return system
