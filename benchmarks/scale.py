"""Benchmark `scale`: many runs, and runs of many subsystems."""

import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import counterpoint as cp
from benchmarks.compiled import library
from benchmarks.harness import LIMIT, OURS, Bench, best
from benchmarks.many_subsystems import SHAPES

ROOT = Path(__file__).parents[1]
TWO_MASS = ROOT / "examples" / "two_mass.toml"
MEASURES = ["last(fast.x)", "max(slow.x)"]


def _vary(points: int) -> dict[str, object]:
    return {"fast.x0[0]": cp.sweeps.span(10.0, 12.0, points)}


def _plain_loop(points: int, until: float | None = None) -> float:
    """Return the processor time of a loop that a user would write: one system, its initial state changed, run."""
    from counterpoint.sweeps.worker import quiet_runs

    scenario = cp.Scenario.read(TWO_MASS)
    system = scenario.build()
    options = {"check": "off", "record": ["fast.x", "slow.x"], "until": until or scenario.until}
    scenario.run(system=system, **options)
    with quiet_runs():
        began = time.process_time()
        for _ in range(points):
            result = scenario.run(system=system, **options)
            result["fast.x"].values[-1], result["slow.x"].values.max()
    return time.process_time() - began


def _swept(points: int, **options: object) -> float:
    began = time.process_time()
    cp.sweep(TWO_MASS, _vary(points), MEASURES, workers=1, **options)
    return time.process_time() - began


FLUSHED = 250
"""Rows that a worker with runs of 2 ms makes between two files of the table."""


def _written(folder: Path) -> float:
    """Return the processor time of writing so many rows to the table on disk."""
    from counterpoint.sweeps.plan import make_plan
    from counterpoint.sweeps.table import Table
    from counterpoint.sweeps.worker import Row

    table = Table(folder, make_plan(_vary(FLUSHED)), MEASURES)
    rows = [Row(k, "done", "", 2e-3, [1.0, 2.0]) for k in range(FLUSHED)]
    began = time.process_time()
    table.add(rows)
    table.flush()
    spent = time.process_time() - began
    table.clear()
    return spent


def overhead(bench: Bench) -> None:
    """Processor time of a sweep per point beyond that of the run itself (limit: a loop of runs that changes nothing).

    What happens once, such as reading the scenario, is measured with two points and subtracted. Short batches, often
    repeated: on a busy machine the smallest time of a long batch is still that of a busy machine.
    """
    points, repeats = (20, 5) if bench.quick else (20, 60)
    with tempfile.TemporaryDirectory() as folder:
        seconds = best(
            {
                LIMIT: lambda: _plain_loop(points),
                "few": lambda: _swept(2),
                "many": lambda: _swept(points + 2),
                "table": lambda: _written(Path(folder)),
            },
            repeats,
        )
    run, swept = (1e3 * value / points for value in (seconds[LIMIT], seconds["many"] - seconds["few"]))
    bench.add("overhead", "run", {LIMIT: run, OURS: swept}, "ms/point")
    bench.add("overhead", "in process", {OURS: swept - run}, "ms/point", "≤ 0.1")
    more = 1e3 * seconds["table"] / FLUSHED
    bench.add("overhead", "in process, table on disk", {OURS: swept - run + more}, "ms/point", "≤ 0.1")


def episodes(bench: Bench) -> None:
    """Time of ``reset`` and of ``step`` of a learning environment; limit: building the scenario for each episode."""
    count = 50 if bench.quick else 300
    system = cp.System("tank")
    system.add("tank", cp.linear([[-1.0]], [[1.0]], x0=[1.0], inputs="flow", outputs="level", solver="ode4"), step=0.01)
    system.set("tank.flow", 0.0)
    tanks = cp.function(system, "tank.x0[0]", "last(tank.level)", until=1e6).environment(
        "tank.level", "tank.flow", 0.01
    )
    tanks.reset(1.0)
    began = time.process_time()
    for k in range(count):
        tanks.reset(float(k))
    resets = time.process_time() - began
    began = time.process_time()
    for k in range(count):
        tanks.step(float(k % 2))
    steps = time.process_time() - began
    tanks.close()
    bench.add("episodes", "reset", {OURS: 1e6 * resets / count}, "us")
    bench.add("episodes", "step", {OURS: 1e6 * steps / count}, "us")


_DASK = ("distributed.cli.dask_scheduler", "distributed.cli.dask_worker")


class LoopbackCluster:
    """A Dask scheduler and workers on the loopback device, as programs; a context."""

    def __init__(self, workers: int) -> None:
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name) / "scheduler.json"
        paths = os.pathsep.join(path for path in sys.path if path)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": {**os.environ, "PYTHONPATH": paths}}
        more = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
        self.started = [subprocess.Popen([sys.executable, "-m", _DASK[0], "--port", "0", *more], **quiet)]
        while not file.exists() or not file.read_text():
            time.sleep(0.05)
        arguments = [sys.executable, "-m", _DASK[1], "--nthreads", "1", "--no-nanny", *more]
        self.started += [subprocess.Popen(arguments, **quiet) for _ in range(workers)]

    def __enter__(self):
        from distributed import Client

        self.client = Client(scheduler_file=Path(self._folder.name) / "scheduler.json", set_as_default=False)
        self.client.wait_for_workers(len(self.started) - 1, timeout=60)
        return self

    def __exit__(self, *error: object) -> None:
        self.client.close()
        for process in reversed(self.started):
            process.kill()
            process.wait()
        self._folder.cleanup()


def on_dask(bench: Bench) -> None:
    """Wall time per point on one Dask worker beyond that of the runs themselves; and what a killed worker costs."""
    points = 200 if bench.quick else 2000
    with LoopbackCluster(1) as cluster:
        cp.sweep(TWO_MASS, _vary(20), MEASURES, cluster=cluster.client)
        began = time.perf_counter()
        found = cp.sweep(TWO_MASS, _vary(points), MEASURES, cluster=cluster.client)
        wall = time.perf_counter() - began
        runs = float(found.table["wall_seconds"].sum())
    bench.add("dask", "overhead", {OURS: 1e3 * (wall - runs) / points}, "ms/point", "≤ 2")
    with LoopbackCluster(2) as cluster:
        _with_a_killed_worker(bench, cluster, points)


def _with_a_killed_worker(bench: Bench, cluster: LoopbackCluster, points: int) -> None:
    def kill(progress: cp.sweeps.SweepProgress) -> None:
        if progress.ended >= points // 4:
            cluster.started[1].kill()

    found = cp.sweep(TWO_MASS, _vary(points), MEASURES, cluster=cluster.client, progress=kill)
    bench.add("dask", "points lost with a killed worker", {OURS: float(points - found.progress.done)}, "points", "≤ 1")


RUN_SECONDS = 2e-3
"""Work of a point: that of the two-mass run on the machine for which the figure was asked."""


def speed_up(bench: Bench) -> None:
    """Wall time of one worker over that of two, for threads and for processes; processor time shows the cause.

    Limit: what two plain loops at once gain over one after the other, in processes that share nothing. Two processors
    of a virtual machine may be less than two cores. Both are of many points less that of few, so that starting is left
    out; it is named apart. Runs last as long as to take 2 ms; those of the file take less on a fast machine, so that
    Python, which serves one thread at a time, is more of them.
    """
    points, repeats = (60, 1) if bench.quick else (2000, 3)
    of_file = float(cp.Scenario.read(TWO_MASS).until)
    long = max(of_file, round(of_file * RUN_SECONDS / _run_seconds()))
    for name, until in {"runs of 2 ms": long, "runs as in the file": of_file}.items():
        limit = max(_of_two_loops(points // 2, until) for _ in range(repeats))
        for kind in ("threads", "processes"):
            _speed_up_of(bench, kind, name, until=until, points=points, repeats=repeats, limit=limit)


def _speed_up_of(bench: Bench, kind: str, name: str, *, until: float, points: int, repeats: int, limit: float) -> None:
    few = points // 10
    seconds, processor, start = {}, {}, {}
    for _ in range(repeats):
        for workers in (1, 2):
            short, long = (_timed(count, workers, kind, until) for count in (few, few + points))
            for best_of, value in ((seconds, long[0] - short[0]), (processor, long[1] - short[1]), (start, short[0])):
                best_of[workers] = min(best_of.get(workers, value), value)
    target = "≥ 1.9" if name == "runs of 2 ms" else ""
    gain = seconds[1] / seconds[2]
    bench.add("speed-up", f"two workers, {kind}, {name}", {LIMIT: limit, OURS: gain}, "x", target)
    bench.add("speed-up", f"processor time of two over one, {kind}, {name}", {OURS: processor[2] / processor[1]}, "x")
    begun = start[2] - few * seconds[2] / points
    bench.add("speed-up", f"to start two, {kind}, {name}", {OURS: begun}, "s")


def _timed(points: int, workers: int, kind: str, until: float) -> tuple[float, float]:
    """Return wall and processor time of a sweep, s."""
    before, began = _processor_time(), time.perf_counter()
    cp.sweep(TWO_MASS, _vary(points), MEASURES, workers=workers, kind=kind, until=until)
    return time.perf_counter() - began, _processor_time() - before


def _run_seconds() -> float:
    """Return the processor time of a run of the file, s."""
    return min(_plain_loop(20) for _ in range(5)) / 20


_LOOP = (
    "import sys, time; from benchmarks.scale import _plain_loop; _plain_loop(5); print(flush=True); input(); "
    "began = time.perf_counter(); _plain_loop(int(sys.argv[1]), float(sys.argv[2])); "
    "print(time.perf_counter() - began)"
)


def _of_two_loops(points: int, until: float) -> float:
    """Return how much faster two plain loops at once are than one after the other."""

    def slowest(count: int) -> float:
        command = [sys.executable, "-c", _LOOP, str(points), str(until)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        loops = [subprocess.Popen(command, cwd=ROOT, **pipes) for _ in range(count)]
        for loop in loops:
            loop.stdout.readline()  # ready
        for loop in loops:
            loop.stdin.write("\n")
            loop.stdin.flush()
        return max(float(loop.communicate()[0]) for loop in loops)

    return 2.0 * slowest(1) / slowest(2)


def _processor_time() -> float:
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in (own, children))


def streaming(bench: Bench) -> None:
    """Run a long sweep: time to its first row, and growth of memory while it goes on."""
    points = 2_000 if bench.quick else 100_000
    with tempfile.TemporaryDirectory() as folder:
        out, began = Path(folder) / "out", time.perf_counter()
        seen: dict[str, float] = {}

        def look(progress: cp.sweeps.SweepProgress) -> None:
            if "first" not in seen and progress.ended:
                seen["first"] = time.perf_counter() - began
            if progress.ended >= points // 10:
                seen.setdefault("memory", _resident())
            seen["end"] = _resident()

        cp.sweep(TWO_MASS, _vary(points), MEASURES, until=20.0, out=out, progress=look)
        wall = time.perf_counter() - began
    size = f"{points} points"
    bench.add("streaming", f"{size}: first result", {OURS: seen["first"]}, "s", "≤ 1")
    bench.add("streaming", f"{size}: growth from a tenth to the end", {OURS: seen["end"] - seen["memory"]}, "MB", "≈ 0")
    bench.add("streaming", f"{size}: all", {OURS: wall}, "s")


def _resident() -> float:
    """Return the memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def subsystems(bench: Bench) -> None:
    """Cost per subsystem of 1000 and of 10 000 in one system; the ratio says how linear that is.

    Limit of a step: a plain loop over a ring of the same masses, all numbers of one after those of the one before. What
    it takes longer for many is what the caches of the machine take longer.
    """
    counts = (100, 300) if bench.quick else (1000, 10_000)
    for shape in SHAPES:
        rows = {count: _measured_in_a_process(shape, count, 3 if bench.quick else 12) for count in counts}
        for what, unit in (("build", "us"), ("start", "us"), ("memory", "kB"), ("step", "us")):
            few, many = (rows[count][what] for count in counts)
            values = {f"{counts[0]} subsystems": few, OURS: many}
            bench.add("subsystems", f"{shape}: {what} of {counts[1]}", values, f"{unit}/subsystem", "÷ ≤ 1.3")
        if shape == "ring":
            for count in counts:
                values = {LIMIT: _plain_ring(count), OURS: rows[count]["step"]}
                bench.add("step beside a plain loop", f"{shape} of {count}", values, "us/subsystem")


def _plain_ring(count: int) -> float:
    """Return the time of a step of one mass of the plain loop, us."""
    run = library("ring_loop").seconds_per_step
    run.argtypes, run.restype = (ctypes.c_int64, ctypes.c_int64, ctypes.c_int64), ctypes.c_double
    return 1e6 * min(run(count, 20, 12) for _ in range(2))


def _measured_in_a_process(shape: str, count: int, rounds: int) -> dict[str, float]:
    """Measure in a fresh process, whose memory nothing else has touched."""
    command = [sys.executable, "-m", "benchmarks.many_subsystems", shape, str(count), str(rounds)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = ("build", "start", "memory", "step")
    return dict(zip(names, map(float, done.stdout.split()), strict=True))


WORKS: dict[str, Callable[[Bench], None]] = {
    "overhead": overhead,
    "dask": on_dask,
    "speed-up": speed_up,
    "streaming": streaming,
    "episodes": episodes,
    "subsystems": subsystems,
}
