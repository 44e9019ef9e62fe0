"""Runs of the work `window`: the same system without windows and with each window repeated once."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import counterpoint as cp
from benchmarks.fmu_ring import INPUTS, OUTPUTS, STEP, archive, parameters
from benchmarks.two_mass import FAST_STEP, two_mass_system

LONG = 20
"""Steps of the slowest subsystem in a long window."""


@dataclass(frozen=True)
class Case:
    """A system, its scheme, its longest step in s, and how many of these steps a run has."""

    name: str
    make: Callable[[], cp.System]
    scheme: str
    step: float
    steps: int

    def seconds(self, window: cp.Window | None) -> float:
        """Time the stepping alone, s."""
        until = self.steps * self.step
        run = self.make().start(until=until, scheme=self.scheme, first_steps="once", window=window)
        begin = time.process_time()
        run.step_to(until)
        seconds = time.process_time() - begin
        run.finish()
        return seconds


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
        Case("two FMUs (FMI 2), held", partial(two_fmus, 2, False), "parallel", STEP, 100_000 // few),
        Case("two FMUs (FMI 2), lines", partial(two_fmus, 2, True), "parallel", STEP, 100_000 // few),
        Case("two FMUs (FMI 3), lines", partial(two_fmus, 3, True), "parallel", STEP, 100_000 // few),
    ]
    made += [
        Case(f"two mechanisms of {links} rods", partial(two_mechanisms, links), "parallel", 1e-3, 20_000 // few)
        for links in (1, 3)
    ]
    return made
