"""Benchmark `link`: what a subsystem in another process costs, beside a bare ping-pong of the same transport."""

import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import counterpoint as cp
from benchmarks.compiled import library
from benchmarks.harness import LIMIT, OURS, Bench

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fmi"))

TRANSPORTS = {"shared memory": (0, "shm", "≤ 15 µs"), "Unix socket": (1, "unix", "≤ 40 µs"), "TCP": (2, "tcp", "")}
SERVER = """\
import sys, counterpoint as cp
model = cp.linear([[-1.0]], [[1.0]], x0=[1.0], outputs="x", solver="ode4")
with cp.serve(model, sys.argv[1], token="bench") as serving:
    print(serving.address, flush=True)
    serving.session()
"""


@contextmanager
def served(scheme: str) -> Iterator[cp.link.Remote]:
    """Serve a small linear model in another process."""
    with tempfile.TemporaryDirectory() as folder:
        address = "tcp://127.0.0.1:0" if scheme == "tcp" else f"{scheme}://{folder}/link"
        process = subprocess.Popen([sys.executable, "-c", SERVER, address], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        with process, cp.remote(process.stdout.readline().strip(), token="bench") as remote:
            yield remote


def best_batch(batches: int, work: Callable[[], object]) -> float:
    """Return the seconds of the fastest batch: the time without other load."""
    best = float("inf")
    for _ in range(batches):
        begun = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begun)
    return best


def bare(kind: int, batches: int, trips: int) -> float:
    """Return the seconds of a round trip of eight bytes between two processes."""
    function = library("ping_pong").ping_pong
    function.restype = ctypes.c_double
    return float(function(kind, batches, trips))


def round_trip(bench: Bench) -> None:
    """Measure a frame there and one back, without work, from Python."""
    batches, trips = (20, 100) if bench.quick else (200, 200)
    for name, (kind, scheme, target) in TRANSPORTS.items():
        with served(scheme) as remote:

            def pings(remote: cp.link.Remote = remote) -> None:
                for _ in range(trips):
                    remote.ping()

            values = {LIMIT: 1e6 * bare(kind, batches, trips), OURS: 1e6 * best_batch(batches, pings) / trips}
        bench.add("round-trip", name, values, "µs", target)


def step(bench: Bench) -> None:
    """Measure a macro step of a remote linear model with input and output, in a run that keeps its results."""
    batches, steps = (20, 100) if bench.quick else (200, 200)
    for name, (kind, scheme, target) in TRANSPORTS.items():
        with served(scheme) as remote:
            seconds = _step_seconds(remote, batches, steps)
        bench.add("step", name, {LIMIT: 1e6 * bare(kind, batches, steps), OURS: 1e6 * seconds}, "µs", target)


def isolated_fmu(bench: Bench) -> None:
    """Measure a step of an FMU in a process of its own; the limit is the same FMU in this process."""
    import building  # type: ignore[import-not-found]  # of tests/fmi

    batches, steps = (20, 100) if bench.quick else (200, 200)
    with tempfile.TemporaryDirectory() as folder:
        for version in (2, 3):
            path = building.build("oscillator", version, Path(folder))
            values = {
                who: 1e6 * _step_seconds(cp.fmu(path, inputs=["force"], isolate=who == OURS), batches, steps)
                for who in (LIMIT, OURS)
            }
            bench.add("isolated-fmu", f"FMI {version}", values, "µs", "< 15 µs")


def start(bench: Bench) -> None:
    """Measure start and end of a run of one step, isolated; the limit is the same FMU in this process."""
    import building

    repeats = 3 if bench.quick else 20
    with tempfile.TemporaryDirectory() as folder:
        path = building.build("oscillator", 2, Path(folder))
        values = {}
        for who in (LIMIT, OURS):
            system = cp.System()
            system.add("fmu", cp.fmu(path, isolate=who == OURS), step=1e-3)
            values[who] = 1e3 * best_batch(repeats, lambda system=system: system.run(until=1e-3))
        bench.add("start", "one FMU", values, "ms")


def _step_seconds(model: cp.Subsystem, batches: int, steps: int) -> float:
    """Return the seconds of a step of a model with one input, driven by a ramp."""
    system = cp.System()
    system.add("model", model, step=1e-3)
    port = next(iter(model.input_widths))
    system.add("ramp", cp.table([0.0, 1e9], [0.0, 1e9], outputs="y", units={"y": model.units.get(port, "")}))
    system.connect("ramp.y", f"model.{port}")
    with system.start() as run:
        run.step_to(1e-3 * steps)
        count = iter(range(2, batches + 3))
        return best_batch(batches, lambda: run.step_to(1e-3 * steps * next(count))) / steps


WORKS = {"round-trip": round_trip, "step": step, "isolated-fmu": isolated_fmu, "start": start}
