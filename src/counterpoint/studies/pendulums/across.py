"""The controller and its plant in one process, and across a socket in two."""

from __future__ import annotations

import sys
import tempfile
from math import pi
from pathlib import Path
from time import perf_counter

from ...adapters.mbdyn import MBDyn
from ...results import Result
from .inverted import Inverted, controller, coupled, plant

STEP, SPAN = 0.01, 5.0
"""Single rate as in the source, and the time shown, s."""


def in_process(problem: Inverted, step: float = STEP, span: float = SPAN) -> Result:
    """Run both here; the plant steps first, the controller then sees where it is."""
    return coupled(plant(problem), controller(problem), step).run(until=span, scheme="sequential", first_steps="once")


def across_socket(problem: Inverted, step: float = STEP, span: float = SPAN) -> tuple[Result, float]:
    """Run the plant as a program of its own, behind MBDyn's streams; also return the seconds without its start."""
    with tempfile.TemporaryDirectory(prefix="pendulum-") as folder:
        motion, drive = Path(folder, "motion"), Path(folder, "drive")
        module = "counterpoint.studies.pendulums.streamed_plant"
        streamed = MBDyn(
            f"unix://{motion}",
            f"unix://{drive}",
            step=step,
            outputs=("angle", "rate", "place"),
            inputs=("force",),
            sends_first=False,
            initial={"angle": pi / 2.0 - problem.start},
            command=[sys.executable, "-m", module, str(motion), str(drive), repr(step), repr(span)],
        )
        run = coupled(streamed, controller(problem), step).start(until=span, scheme="sequential", first_steps="once")
        began = perf_counter()
        run.step_to(span)
        return run.finish(), perf_counter() - began
