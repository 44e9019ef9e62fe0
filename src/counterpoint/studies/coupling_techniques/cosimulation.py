"""Table 5.2: the same linkage and engine, coupled in every way that we have, and not coupled at all."""

from __future__ import annotations

import contextlib
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import Diagram, Subsystem, System, hold
from ...link import remote
from ..report import Progress
from . import monolithic
from .fmpy_master import FmpyMaster
from .linkage import SPAN, STEP, THROTTLE, coupled, drive, linkage

Array = NDArray[np.float64]

LOOPS = (5, 10)
"""Sizes of Table 5.2."""
SIZES = (5, 10, 20, 40, 70, 100, 150)
"""Sizes of the curve; 150 loops have 303 variables."""
REAL_TIME_VARIABLES = 300
"""Up to here the source reports real time."""
SCHEDULER, DIAGRAM, MEMORY, SOCKET, FMPY, BLOCKS, REFERENCE = (
    "our scheduler as master",
    "block diagram as master",
    "shared memory",
    "socket",
    "FMUs in FMPy",
    "one diagram, mechanism inside",
    "one diagram, one degree of freedom",
)
TECHNIQUES = (SCHEDULER, DIAGRAM, MEMORY, SOCKET, FMPY, BLOCKS)
"""In the order that we expect, the cheapest first."""
CURVE = (SCHEDULER, DIAGRAM, SOCKET)
"""What the source calls its co-simulation techniques."""

Outcome = tuple[float, Array]
"""Seconds without set-up, and the crank's speed after each step, rad/s clockwise."""


@dataclass
class Couplings:
    """What came out: seconds for a second simulated, and the speed of the first crank."""

    seconds: dict[tuple[str, int], float] = field(default_factory=dict)
    speed: dict[tuple[str, int], Array] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def ratio(self, technique: str, loops: int) -> float:
        """Return the time over that of the fastest coupling; NaN where the technique is not there."""
        fastest = min(seconds for (name, size), seconds in self.seconds.items() if size == loops and name != REFERENCE)
        return self.seconds.get((technique, loops), np.nan) / fastest

    def curve(self, technique: str) -> tuple[list[int], list[float]]:
        """Return numbers of variables and seconds for a second simulated, for every size that was run."""
        sizes = [size for size in SIZES if (technique, size) in self.seconds]
        return [variables(size) for size in sizes], [self.seconds[technique, size] for size in sizes]

    def deviation(self, technique: str, loops: int) -> float:
        """Return the largest difference of the speed from the exact model, over what both ran, rad/s."""
        ours = self.speed.get((technique, loops))
        if ours is None:
            return float("nan")
        exact = self.speed[REFERENCE, loops][: len(ours)]
        return float(np.abs(ours[: len(exact)] - exact).max())


def variables(loops: int) -> int:
    """Return the number of variables of a linkage, as the source counts.

    >>> variables(5), variables(10)
    (13, 23)
    """
    return 2 * loops + 3


def measure(quick: bool, progress: Progress | None = None) -> Couplings:
    """Run every technique that this machine has, for every size, in turn as in `function_evaluation`."""
    made = Couplings()
    span = 1.0 if quick else SPAN
    work = [
        (turn, loops, name) for turn in range(2 if quick else 5) for loops in LOOPS for name in (*TECHNIQUES, REFERENCE)
    ]
    for done, (turn, loops, name) in enumerate(work):
        if name in made.missing or (name == BLOCKS and turn > 0):  # minutes each, and far behind the others
            continue
        try:
            seconds, speed = _RUNNERS[name](loops, _span(name, span))
        except ImportError as error:
            made.missing[name] = str(error)
            continue
        fastest = made.seconds.get((name, loops), np.inf)
        made.seconds[name, loops] = min(fastest, seconds / _span(name, span))
        made.speed[name, loops] = speed
        if progress:
            progress("co-simulation", done + 1, len(work))
    _measure_curve(made, quick, progress)
    return made


def _measure_curve(made: Couplings, quick: bool, progress: Progress | None) -> None:
    """Run the source's techniques with larger linkages; speeds are kept for Table 5.2 only."""
    sizes = [size for size in SIZES if size not in LOOPS]
    sizes = [sizes[0], sizes[-1]] if quick else sizes
    span, work = 0.2 if quick else 1.0, [(size, name) for size in sizes for name in (*CURVE, REFERENCE)]
    for done, (size, name) in enumerate(work):
        made.seconds[name, size] = min(_RUNNERS[name](size, span)[0] for _ in range(1 if quick else 3)) / span
        if progress:
            progress("larger linkages", done + 1, len(work))


def _span(name: str, span: float) -> float:
    return min(span, 0.2 if span < SPAN else 3.0) if name == BLOCKS else span


def _scheduled(loops: int, span: float) -> Outcome:
    return _run(coupled(linkage(loops), drive()), span)


def _diagram_master(loops: int, span: float) -> Outcome:
    others = System("linkage")
    others.add_host("engine", inputs=["speed"], outputs=["torque"])
    others.add("linkage", linkage(loops), step=STEP)
    others.connect("engine.torque", "linkage.torque", hold(), gain=-1.0)
    others.connect("linkage.speed", "engine.speed", hold(), gain=-1.0)
    model = Diagram("whole", step=STEP)
    block = model.cosimulation(others, name="linkage")
    angle = model.table(*THROTTLE, name="throttle")
    engine = model.superblock(drive(), throttle=angle, wheel_speed=block["speed"], name="engine")
    # As in the source, a memory breaks the loop: the torque reaches the linkage one step later.
    block.connect(torque=model.memory(engine["axle_torque"], name="memory"))
    model.output("speed", block["speed"], unit="rad/s")
    return _run_diagram(model, span)


def _in_one_diagram(make: Callable[[int], Diagram]) -> Callable[[int, float], Outcome]:
    return lambda loops, span: _run_diagram(make(loops), span)


def _linked(scheme: str) -> Callable[[int, float], Outcome]:
    def run(loops: int, span: float) -> Outcome:
        with _served(scheme, loops) as mechanism:
            return _run(coupled(mechanism, drive()), span, perf_counter)

    return run


@contextlib.contextmanager
def _served(scheme: str, loops: int) -> Iterator[Subsystem]:
    """Yield the linkage of a process of its own."""
    with tempfile.TemporaryDirectory(prefix="linkage-") as folder:
        token = secrets.token_hex(16)
        address = f"{scheme}://{Path(folder, 'linkage')}"
        code = (
            "from counterpoint.link import serve\n"
            "from counterpoint.studies.coupling_techniques.linkage import linkage\n"
            f"with serve(linkage({loops}).subsystem(), {address!r}, token={token!r}) as offer: offer.session()"
        )
        with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL) as server:
            try:
                with remote(address, token=token, wait=60.0) as mechanism:
                    yield mechanism
            finally:
                server.terminate()


def _fmpy(loops: int, span: float) -> Outcome:
    with FmpyMaster(linkage(loops), drive()) as master:
        began = process_time()
        speed = master.run(span)
        return process_time() - began, speed


def _run(system: System, span: float, clock: Callable[[], float] = process_time) -> Outcome:
    """Run without counting the set-up: processor time in one process, elapsed time across processes."""
    with system.start(until=span, scheme="sequential") as run:
        began = clock()
        run.step_to(span)
        seconds = clock() - began
        return seconds, -np.asarray(run.finish()["linkage.speed"].values)


def _run_diagram(model: Diagram, span: float) -> Outcome:
    system = System("one diagram")
    system.add("whole", model, step=STEP)
    with system.start(until=span) as run:
        began = process_time()
        run.step_to(span)
        seconds = process_time() - began
        return seconds, np.asarray(run.finish()["whole.speed"].values)


_RUNNERS: dict[str, Callable[[int, float], Any]] = {
    SCHEDULER: _scheduled,
    DIAGRAM: _diagram_master,
    MEMORY: _linked("shm"),
    SOCKET: _linked("unix"),
    FMPY: _fmpy,
    BLOCKS: _in_one_diagram(monolithic.by_blocks),
    REFERENCE: _in_one_diagram(monolithic.by_hand),
}
