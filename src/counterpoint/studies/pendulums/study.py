"""The pendulums study: run both, check every claim, draw the figures, write the page."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from ..report import Progress, StudyReport
from .figures import draw_all
from .inverted import Inverted
from .inverted_claims import inverted_claims, run_inverted
from .split_claims import run_split, split_claims

TITLE = "Two pendulums: a controller across a socket, and a double pendulum cut at its joint"

INTRODUCTION = (
    "Repeats section 4.3 of T. Solcia's thesis (Politecnico di Milano, 2010): an inverted pendulum on a cart, "
    "simulated by a multibody program, is stabilised by a PD controller in a block diagram; the two programs "
    "exchange doubles over blocking sockets once per step. Here the plant is our multibody program "
    "in a separate process behind MBDyn's stream protocol, the controller our block diagram.",
    "What the source prints: the layout of both programs, the single rate, and figure 4.3, which shows that the "
    "pendulum comes to rest upright. It prints no number. Ours are cart 1 kg, thin rod 0.2 kg and 1 m, start 10°, "
    "force 40 N/rad and 8 N s/rad, steps of 10 ms, and all other claims below.",
    "The second pendulum is not in the thesis; it is a stress test for such a coupling. A double pendulum "
    "(1 m rods, 1 kg above, released level) is cut at its middle joint into two programs. With a rigid hinge "
    "the upper one sends the position and the lower one the force. That force depends on the acceleration of the "
    "hinge, so errors are multiplied by m2/m1 sin²φ in each pass of the loop (φ is the angle between the rods). They "
    "grow if the lower mass is heavier and the rods are nearly perpendicular. A spring in the hinge breaks the "
    "loop, at the cost of its compliance.",
)


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    problem = Inverted()
    inverted, split = run_inverted(problem), run_split(quick, progress)
    seconds_a_step = inverted.socket_seconds / (len(inverted.socket["plant.angle"].time) - 1)
    told = f"A step across the socket, both programs in Python, took {1e6 * seconds_a_step:.0f} µs here."
    report = StudyReport(
        title=TITLE,
        introduction=[*INTRODUCTION, told],
        claims=[*inverted_claims(problem, inverted), *split_claims(split)],
        figures=draw_all(inverted, split, out / "figures"),
        folder=out,
        seconds=perf_counter() - began,
    )
    report.write()
    return report
