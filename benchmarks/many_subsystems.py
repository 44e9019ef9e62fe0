"""Systems of many subsystems: a ring, a star, and a hierarchical grid; as a program, what one of them costs."""

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import counterpoint as cp

STEP = 0.01
FAN = 10
"""Members of each level below one of the level above, in the hierarchical grid."""


def _mass(inputs: int, start: float) -> cp.Subsystem:
    """Return a damped oscillator that other positions pull at: x'' = -3 x - 0.1 x' + 0.1 (u1 + u2 + ...)."""
    names = [f"u{k}" for k in range(inputs)]
    load = [[0.0] * inputs, [0.1] * inputs]
    return cp.linear(
        [[0, 1], [-3, -0.1]], load, [[1.0, 0.0]], x0=[start, 0.0], inputs=names, outputs="x", solver="ode4"
    )


def ring(count: int) -> cp.System:
    """Connect each to both of its neighbours."""
    system = cp.System("ring")
    for k in range(count):
        system.add(f"m{k}", _mass(2, float(k % 7)), step=STEP)
    for k in range(count):
        system.connect(f"m{k}.x", f"m{(k + 1) % count}.u0")
        system.connect(f"m{k}.x", f"m{(k - 1) % count}.u1")
    return system


def star(count: int) -> cp.System:
    """Connect one in the middle to all others in both directions."""
    system = cp.System("star")
    system.add("hub", _mass(1, 1.0), step=STEP)
    others = [f"m{k}" for k in range(1, count)]
    for k, name in enumerate(others):
        system.add(name, _mass(1, float(k % 7)), step=STEP)
        system.connect("hub.x", f"{name}.u0")
    system.connect([f"{name}.x" for name in others], "hub.u0", gain=1.0 / count)
    return system


def grid(count: int) -> cp.System:
    """Make a tree of grids: each is connected to the one above it, and to its neighbour."""
    system = cp.System("hierarchical grid")
    for k in range(count):
        system.add(f"m{k}", _mass(3, float(k % 7)), step=STEP)
        system.set(f"m{k}.u2", 0.0)
        if k == 0:
            system.set("m0.u0", 0.0)
            system.set("m0.u1", 0.0)
            continue
        above, neighbour = (k - 1) // FAN, k - 1 if (k - 1) % FAN else min(k + FAN - 1, count - 1)
        system.connect(f"m{above}.x", f"m{k}.u0")
        if neighbour == k:
            system.set(f"m{k}.u1", 0.0)
        else:
            system.connect(f"m{neighbour}.x", f"m{k}.u1")
    return system


SHAPES: dict[str, Callable[[int], cp.System]] = {"ring": ring, "star": star, "grid": grid}


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e3


def main(shape: str, count: int, rounds: int) -> None:
    """Print processor time to build and to start (us), memory (kB) and processor time of a step (us), per subsystem."""
    SHAPES[shape](50).run(until=0.1, scheme="parallel", check="off")
    memory, clock = _resident(), time.process_time()
    system = SHAPES[shape](count)
    build, clock = time.process_time() - clock, time.process_time()
    run = system.start(until=1e3, scheme="parallel", check="off", record_every=1000)
    start = time.process_time() - clock
    run.step_to(3 * STEP)
    memory = _resident() - memory
    steps, end, took = 20, 3, []
    for _ in range(rounds):
        end += steps
        clock = time.process_time()
        run.step_to(end * STEP)
        took.append((time.process_time() - clock) / steps)
    print(1e6 * build / count, 1e6 * start / count, memory / count, 1e6 * min(took) / count)
    run.finish()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
