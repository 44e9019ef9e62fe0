"""The benchmark ``diagram``: what a step of a block diagram costs."""

import time
from functools import partial

import numpy as np

import counterpoint as cp
from benchmarks import engine
from benchmarks.harness import LIMIT, OURS, Bench, best, installed, interleaved

STEPS = 100_000
PATHSIM_STEPS = 400


def measure_engine(bench: Bench) -> None:
    """Cost of an RK4 step of the 36-block engine: by hand, with blocks, with expressions, in PathSim."""
    steps = STEPS // 10 if bench.quick else STEPS
    peer = installed("pathsim")
    speeds: dict[str, float] = {}

    def run(who: str, with_expressions: bool) -> float:
        subsystem = engine.diagram(with_expressions).subsystem()
        system = cp.System("benchmark")
        system.add("engine", subsystem, step=engine.STEP)
        start = time.process_time()
        result = system.run(until=steps * engine.STEP)
        seconds = time.process_time() - start
        speeds[who] = float(result["engine.speed"].values[-1])
        return seconds / steps

    def limit() -> float:
        start = time.process_time()
        speeds[LIMIT] = float(engine.by_hand(steps)[-1])
        return (time.process_time() - start) / steps

    def pathsim() -> float:
        simulation, speed = engine.pathsim_simulation()
        start = time.process_time()
        for _ in range(PATHSIM_STEPS):
            simulation.timestep(engine.STEP)
        seconds = time.process_time() - start
        speeds["pathsim"] = float(speed.outputs[0])
        return seconds / PATHSIM_STEPS

    contestants = {
        LIMIT: limit,
        OURS: lambda: run(OURS, False),
        "expressions": lambda: run("expressions", True),
    }
    if peer:
        contestants["pathsim"] = pathsim
    else:
        bench.skip("pathsim", "engine")
    engine.by_hand(1)  # compiled before anything is timed
    seconds = best(contestants, 2 if bench.quick else 5)
    _check(speeds, steps)
    values = {who: 1e6 * value for who, value in seconds.items()}
    bench.add("engine", "36 blocks", values, "µs/step", "÷ limit ≤ 6, ÷ pathsim ≤ 0.002, expressions ≤ 2.5")
    bench.notes.append(f"engine: expressions cost {values['expressions'] / values[OURS]:.2f} times compiled functions")


def _check(speeds: dict[str, float], steps: int) -> None:
    """All must have computed the same thing; the loop by hand meets the jumps of the load one stage early."""
    by_hand = engine.by_hand(steps)
    for who, speed in speeds.items():
        expected = by_hand[PATHSIM_STEPS] if who == "pathsim" else by_hand[-1]
        if not np.isclose(speed, expected, rtol=1e-7, atol=0):
            raise RuntimeError(f"engine: {who} ends at {speed:.9g} rad/s, by hand it is {expected:.9g}")
    low, high = engine.SPEED_AFTER_10_S
    if steps == STEPS and not low <= speeds[OURS] <= high:
        raise RuntimeError(f"engine: {speeds[OURS]:.9g} rad/s after 10 s; {low} to {high} are known")


def chain(blocks: int) -> cp.Diagram:
    """Return rings of ten blocks, each with one integrator, coupled to their neighbours."""
    model = cp.Diagram("chain", solver="ode4", step=1e-3)
    before = model.sine(1.0)
    for _ in range(max(1, blocks // 10)):
        x = model.integrator(initial=0.1)
        error = before - x
        limited = model.saturation(error * 0.5 + 0.1 * x, lower=-1.0, upper=1.0)
        squared = x * x
        (limited + model.expression("0.1*u - 0.2*u**2", squared) - 0.05 * squared) >> x
        before = x
    model.output("last", before)
    return model


def measure_growth(bench: Bench) -> None:
    """Cost per block: of a step, and of compiling, for 10 to 10 000 blocks."""
    sizes = (10, 100, 1000) if bench.quick else (10, 100, 1000, 10_000)
    step_cost = {}
    for size in sizes:
        steps = max(400, 1_000_000 // size)
        model = chain(size)
        count = len(model.blocks)
        subsystem = model.subsystem()
        contestants = {
            "compile": model.subsystem,
            "short": partial(_run, subsystem, 1),  # what a run costs besides its steps
            "long": partial(_run, subsystem, steps + 1),
        }
        seconds = interleaved(contestants, 2 if bench.quick else 5)
        step_cost[size] = 1e9 * (seconds["long"] - seconds["short"]) / steps / count
        bench.add("growth", f"{size} blocks", {OURS: step_cost[size]}, "ns/block/step")
        bench.add("compile", f"{size} blocks", {OURS: 1e6 * seconds["compile"] / count}, "µs/block")
    ratio = step_cost[sizes[-1]] / step_cost[100]
    bench.add("growth", f"{sizes[-1]} over 100 blocks", {OURS: ratio}, "", "≈ 1")


def _run(subsystem: object, steps: int) -> None:
    system = cp.System("benchmark")
    system.add("chain", subsystem, step=1e-3)
    system.run(until=steps * 1e-3)


WORKS = {"engine": measure_engine, "growth": measure_growth}
