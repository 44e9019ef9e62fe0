"""Benchmark `coupling`: what the coupling itself costs, in time and in memory."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import counterpoint as cp
from benchmarks import python_models
from benchmarks.fast_paths import all_but, allowing
from benchmarks.harness import LIMIT, OURS, Bench, best, installed, interleaved
from benchmarks.indicators import indicators
from benchmarks.two_mass import FAST_STEP, hand_written, two_mass_system
from benchmarks.windows import window

RATIOS = (5, 10, 40)
ORDERS = (0, 1, 3)
SPECIALISED = "specialised loop"


def two_mass(bench: Bench) -> None:
    """Against hand-written C++ loops: one with the same arithmetic, and one that knows this problem only."""
    steps, repeats = (100_000, 3) if bench.quick else (2_000_000, 9)
    for ratio in RATIOS:
        for order in ORDERS:
            seconds = interleaved(
                {
                    LIMIT: lambda ratio=ratio, order=order: hand_written(ratio, order, steps),
                    SPECIALISED: lambda ratio=ratio, order=order: hand_written(
                        ratio, order, steps, "two_mass_specialised"
                    ),
                    OURS: lambda ratio=ratio, order=order: two_mass_system(ratio, order).run(
                        until=steps * FAST_STEP, scheme="slowest-first", first_steps="once"
                    ),
                },
                repeats,
            )
            nanoseconds = {who: 1e9 * value / steps for who, value in seconds.items()}
            bench.add("two-mass", f"FR {ratio}, order {order}", nanoseconds, "ns/fast step", "÷ ≤ 1.5")


def uninvolved(bench: Bench) -> None:
    """Cost of a step when the system also holds pairs that hardly ever step; limit: there are none."""
    steps, repeats = (100_000, 3) if bench.quick else (1_000_000, 7)
    counts = (0, 10, 100, 1000)
    seconds = best({str(count): lambda count=count: _stepping_seconds(count, steps) for count in counts}, repeats)
    alone = 1e9 * seconds["0"] / (steps + steps // 10)
    for count in counts:
        total = steps + steps // 10 + 2 * count * IDLE_STEPS
        values = {LIMIT: alone, OURS: 1e9 * seconds[str(count)] / total}
        bench.add("uninvolved", f"{count} idle pairs", values, "ns/step", "÷ ≈ 1")


IDLE_STEPS = 4


def _stepping_seconds(idle_pairs: int, steps: int) -> float:
    """Time the stepping alone: building a system of 2000 subsystems is not what is asked here."""
    until = steps * FAST_STEP
    system = two_mass_system(10, 1)
    for k in range(idle_pairs):
        for name in (f"idle{k}a", f"idle{k}b"):
            integrator = cp.linear([[0.0]], [[1.0]], x0=[0.0])
            system.add(name, integrator, step=until / IDLE_STEPS)
        system.connect(f"idle{k}a.y", f"idle{k}b.u", cp.lagrange(1))
        system.connect(f"idle{k}b.y", f"idle{k}a.u", cp.lagrange(1))
    run = system.start(until=until, scheme="slowest-first")
    start = time.process_time()
    run.step_to(until)
    seconds = time.process_time() - start
    run.finish()
    return seconds


def memory(bench: Bench) -> None:
    """Resident memory while results stream to a file, in the last seven tenths of the run."""
    steps = 1_000_000 if bench.quick else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        # A process of its own: memory that other works have freed would hide growth.
        command = [sys.executable, "-m", "benchmarks.streaming", str(steps), str(Path(folder) / "run.h5")]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    resident = json.loads(done.stdout)
    label = f"{steps:.0e} steps".replace("e+0", "e")
    bench.add("memory", f"{label}: start", {OURS: resident["start"]}, "MB")
    bench.add("memory", f"{label}: end", {OURS: resident["end"]}, "MB")
    bench.add("memory", f"{label}: growth", {OURS: resident["end"] - resident["start"]}, "MB", "flat")


def python_subsystem(bench: Bench) -> None:
    """Models written in Python; limit: the same methods called by a plain Python loop."""
    steps, repeats = (20_000, 3) if bench.quick else (200_000, 7)
    for size, ours, plain in python_models.CASES:
        contestants: dict[str, Callable[[], float]] = {
            LIMIT: lambda plain=plain: plain(steps),
            OURS: lambda ours=ours: ours(steps),
        }
        if size == python_models.CHAIN:
            _add_mosaik(bench, contestants, steps)
        values = {who: 1e6 * value for who, value in best(contestants, repeats).items()}
        overhead = values[OURS] - values[LIMIT]
        bench.add("python-subsystem", size, values, "µs/step")
        bench.add("python-subsystem", f"{size}: overhead", {OURS: overhead}, "µs/step", "< 2")


def _add_mosaik(bench: Bench, contestants: dict[str, Callable[[], float]], steps: int) -> None:
    if not installed("mosaik"):
        bench.skip("mosaik", "python-subsystem")
        return
    from benchmarks.peer_mosaik import chain_seconds

    fewer = steps // 20
    contestants["mosaik"] = lambda: chain_seconds(fewer) / (2 * fewer)


def pace(bench: Bench) -> None:
    """Cost that a pace adds to a step; limit: the same steps at a fixed step, without the rounds of equal steps."""
    steps, repeats = (100_000, 3) if bench.quick else (400_000, 9)
    step = 1e-3
    options = {"first": step, "smallest": step, "largest": step}
    loose = cp.pace.defect(1e3, **options)
    held = cp.pace.table([0.0], [step])
    # Measured as what is added to the limit: a run has the same rows otherwise.
    ways: dict[str, Callable[[], float]] = {
        LIMIT: lambda: _pair_seconds(steps, step=step),
        "table, all": lambda: _pair_seconds(steps, run=held),
        "table, single": lambda: _pair_seconds(steps, step=step, own=held),
        "defect, all": lambda: _pair_seconds(steps, run=loose),
        "defect, single": lambda: _pair_seconds(steps, step=step, own=loose),
    }
    seconds = best(ways, repeats)
    each = {who: 1e9 * value / (2 * steps) for who, value in seconds.items()}
    for who, value in each.items():
        if who != LIMIT:
            bench.add("pace", f"{who}: a step", {LIMIT: each[LIMIT], OURS: value}, "ns/step")
            bench.add("pace", f"{who}: added", {OURS: value - each[LIMIT]}, "ns/step", "< 50")


def _pair_seconds(
    steps: int, step: float | None = None, own: cp.pace.Pace | None = None, run: cp.pace.Pace | None = None
) -> float:
    """Time the stepping of two oscillators that extrapolate each other."""
    system = cp.System()
    for name, x0 in (("a", 1.0), ("b", 0.0)):
        model = cp.linear([[0, 1], [-15, -0.3]], [[0], [5]], [[1, 0]], x0=[x0, 0], inputs="u", outputs="x")
        system.add(name, model, step=step, pace=own)
    system.connect("a.x", "b.u", cp.lagrange(1))
    system.connect("b.x", "a.u", cp.lagrange(1))
    with allowing(all_but("rounds")):
        going = system.start(until=steps * 1e-3, scheme="parallel", pace=run)
        begin = time.process_time()
        going.step_to(steps * 1e-3)
        seconds = time.process_time() - begin
        going.finish()
    return seconds


def start_up(bench: Bench) -> None:
    """`counterpoint --help`; limit: the same interpreter doing nothing."""
    script = Path(sys.executable).with_name("counterpoint")
    commands = {LIMIT: [sys.executable, "-c", "pass"], OURS: [sys.executable, str(script), "--help"]}
    seconds = interleaved(
        {
            who: lambda command=command: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            for who, command in commands.items()
        },
        repeats=5 if bench.quick else 20,
        clock=time.perf_counter,
    )
    bench.add("start-up", "--help", seconds, "s", "< 0.3")


WORKS: dict[str, Callable[[Bench], None]] = {
    "two-mass": two_mass,
    "uninvolved": uninvolved,
    "memory": memory,
    "python-subsystem": python_subsystem,
    "pace": pace,
    "window": window,
    "indicators": indicators,
    "start-up": start_up,
}
