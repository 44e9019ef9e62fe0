"""The helicopter study: fly the layouts, check what the source says, draw the figures, write page and animation."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from ..report import Progress, StudyReport
from .claims import helicopter_claims
from .figures import draw_all
from .findings import find
from .motion import animate, save
from .tables import all_tables

TITLE = "A helicopter in hover: main rotor, tail rotor and their control at two rates"

INTRODUCTION = (
    "Repeats chapter 6 of T. Solcia, “Multidisciplinary Multirate Co-simulations in Multibody Dynamics” (Politecnico "
    "di Milano, 2010): a Bo105 in two multibody models, main rotor with fuselage and tail rotor, joined by a control "
    "diagram that holds the yaw angle. Three layouts: both in one mechanism, both apart at one rate (2.2e-4 s), and "
    "the main rotor five times slower.",
    "The source prints no data of the aircraft. Those of G. D. Padfield's “Helicopter Flight Dynamics” are used, as "
    "they are quoted publicly; the table of parameters names what is ours: modes of the fuselage, gains of the "
    "controllers, downwash at the tail. The source's blades are beams; ours are rigid on the flap springs of "
    "Padfield's model. So the shape of the signals, frequencies, ratios of cost and the agreement of the layouts can "
    "be compared, not every digit. The numbers of the hover are plausible, not validated.",
    "The cut between fuselage and tail rotor carries six coordinates one way and six forces the other: the hub of the "
    "tail rotor and two points a metre from it fix place and attitude, and each force does work on its own coordinate.",
)


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png``, ``animation.html`` and ``report.html`` below `out`."""
    began = perf_counter()
    if progress:
        progress("helicopter", 0, 2)
    found = find(quick)
    if progress:
        progress("helicopter", 1, 2)
    animation = animate(0.5 if quick else 3.0)
    page = save(animation, out)
    report = StudyReport(
        title=TITLE,
        introduction=[*INTRODUCTION, _extent(found.multi.until, quick)],
        claims=helicopter_claims(found),
        figures=draw_all(found, animation, out / "figures"),
        folder=out,
        seconds=perf_counter() - began,
        tables=all_tables(found),
        files={page: "animation of the helicopter; rotate and zoom with the mouse"},
    )
    report.write()
    if progress:
        progress("helicopter", 2, 2)
    return report


def _extent(until: float, quick: bool) -> str:
    text = f"Flights of {until:g} s."
    return text + " This is the quick form: the hover has not settled and the turn has only begun." * quick
