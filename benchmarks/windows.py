"""Work `window` of the benchmark `coupling`: what it costs to repeat each window of a run once.

The limit is what cannot be saved: two runs without windows, and the FMUs' own calls that save and restore their states.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import counterpoint as cp
from benchmarks.fmu_ring import INPUTS, OUTPUTS, STEP, HandWritten, archive, parameters
from benchmarks.harness import LIMIT, OURS, Bench, best
from benchmarks.two_mass import FAST_STEP, two_mass_system

LENGTHS = (1, 5, 20, 100)
"""Steps of the slowest subsystem in a window."""


@dataclass(frozen=True)
class Case:
    """A system, its scheme, its longest step in s, and how many of these steps a run has."""

    name: str
    make: Callable[[], cp.System]
    scheme: str
    step: float
    steps: int
    version: int = 0
    """Of FMI; 0: the states of these subsystems cost no call."""

    def seconds(self, window: cp.Window | None) -> float:
        """Time the stepping alone, s."""
        until = self.steps * self.step
        run = self.make().start(until=until, scheme=self.scheme, first_steps="once", window=window)
        begin = time.process_time()
        run.step_to(until)
        seconds = time.process_time() - begin
        run.finish()
        return seconds

    def states_seconds(self, windows: int) -> float:
        """Time the FMUs' own calls that save and restore all states at each window, s."""
        if not self.version:
            return 0.0
        ring = HandWritten(2, 1, self.version)
        begin = time.process_time()
        ring.save_and_restore(windows)
        seconds = time.process_time() - begin
        ring.close()
        return seconds


def window(bench: Bench) -> None:
    """Repeat each window once; limit: two runs without windows, and the FMUs' own saving and restoring."""
    repeats = 2 if bench.quick else 7
    for case in cases(bench.quick):
        ways: dict[str, Callable[[], float]] = {LIMIT: lambda case=case: case.seconds(None)}
        for length in LENGTHS:
            made = cp.window(length * case.step, repeats=1)
            ways[str(length)] = lambda case=case, made=made: case.seconds(made)
            ways[f"states {length}"] = lambda case=case, length=length: case.states_seconds(case.steps // length)
        seconds = best(ways, repeats)
        plain = seconds[LIMIT]
        for length in LENGTHS:
            size = f"{case.name}, {length} step{'s' if length > 1 else ''}"
            values = {LIMIT: 2.0 + seconds[f"states {length}"] / plain, OURS: seconds[str(length)] / plain}
            bench.add("window", size, values, "plain runs", "< 2.2")


def two_fmus(version: int, lines: bool) -> cp.System:
    """Return the ring of two FMUs that can save and restore; inputs held, or as lines."""
    system = cp.System("two FMUs")
    for i in range(2):
        model = cp.fmu(
            archive(version, states=True),
            parameters=parameters(i),
            inputs=INPUTS,
            outputs=OUTPUTS,
            inputs_at="auto" if lines else "start",
        )
        system.add(f"mass{i}", model, step=STEP)
    for i in range(2):
        for output, target in zip(OUTPUTS, INPUTS, strict=True):
            system.connect(f"mass{1 - i}.{output}", f"mass{i}.{target}", None if lines else cp.hold())
    return system


def two_mechanisms(links: int) -> cp.System:
    """Return two hanging chains of so many rods; each turns the other one by its own angle, 1 N m/rad."""
    system = cp.System("two mechanisms")
    for name, angle in (("left", 0.3), ("right", 0.0)):
        system.add(name, _chain(name, links, angle), step=1e-3)
    for source, target in (("left", "right"), ("right", "left")):
        system.connect(f"{source}.angle", f"{target}.torque", cp.lagrange(1), offset=math.pi / 2, convert=False)
    return system


def _chain(name: str, links: int, tilt: float) -> cp.multibody.Mechanism:
    made = cp.multibody.Mechanism(name, dimension=2)
    made.point("P0", (0.0, 0.0), fixed=True)
    for k in range(links):
        made.point(f"P{k + 1}", ((k + 1) * tilt, -(k + 1.0)))
        made.body(f"rod{k}", points=[f"P{k}", f"P{k + 1}"], mass=1.0)
    made.angle("first", "rod0")
    made.actuator("spring", "first", force="input:torque")
    made.output("angle", "first")
    return made


def cases(quick: bool) -> list[Case]:
    """Return what is measured."""
    few = 10 if quick else 1
    made = [
        Case(
            f"two-mass, FR {ratio}, order {order}",
            partial(two_mass_system, ratio, order),
            "slowest-first",
            FAST_STEP * ratio,
            200_000 // ratio // few,
        )
        for ratio, order in ((5, 1), (10, 1), (40, 1), (10, 3))
    ]
    made += [
        Case("two FMUs (FMI 2), held", partial(two_fmus, 2, False), "parallel", STEP, 100_000 // few, 2),
        Case("two FMUs (FMI 2), lines", partial(two_fmus, 2, True), "parallel", STEP, 100_000 // few, 2),
        Case("two FMUs (FMI 3), lines", partial(two_fmus, 3, True), "parallel", STEP, 100_000 // few, 3),
    ]
    made += [
        Case(f"two mechanisms of {links} rods", partial(two_mechanisms, links), "parallel", 1e-3, 20_000 // few)
        for links in (1, 3)
    ]
    return made
