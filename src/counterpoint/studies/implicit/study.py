"""The study of implicit coupling: run all problems, check the claims, draw the figures, write the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from ..report import Progress, StudyReport, Table
from . import equation, masses, oscillator, strong
from .claims import acceleration_claims, equation_claims, mass_claims, order_claims, pendulum_claims
from .figures import Findings, draw_all
from .outcome import Outcome

TITLE = "Implicit coupling: compound steps, repeated windows, accelerated iterations"

INTRODUCTION = (
    "Chapter 3 of M. Solcia's thesis (Politecnico di Milano, 2010) describes implicit schemes for systems with "
    "two time scales: compound-fast, generalised and mixed compound-fast. In a co-simulation the implicit step is "
    "an iteration over the interface that needs subsystems which can be restored. This study runs them beside "
    "explicit schemes, repeated windows, and accelerated iterations (Aitken, Anderson, IQN-ILS, Newton by "
    "differences).",
    "Problems: the test equation of the thesis with both signs of the coupling; the two masses of González et al. "
    "(2010) over the frequency ratio; the partitioned oscillator of Rodenberg and Uekermann (2025); a strong "
    "coupling in ten settings where plain repeats diverge; and a double pendulum that is cut at a rigid hinge. "
    "The numbers of the two masses are those of an independent program for the same algorithm. Cost is the number "
    "of integrations of subsystems over a step, repeated ones included.",
)


def run(out: Path, quick: bool, progress: Progress | None = None) -> StudyReport:
    """Run the study and write ``claims.csv``, ``figures/*.png`` and ``report.html`` below `out`."""
    began = perf_counter()
    found = _find(quick, progress)
    claims = [
        *equation_claims(found.equation),
        *mass_claims(found.masses),
        *order_claims(found.orders),
        *acceleration_claims(found.passes, found.cases),
        *pendulum_claims(found.pendulum),
    ]
    report = StudyReport(
        title=TITLE,
        introduction=[*INTRODUCTION, *(["This is the quick form: fewer steps, ratios and windows."] if quick else [])],
        claims=claims,
        figures=draw_all(found, out / "figures"),
        folder=out,
        seconds=perf_counter() - began,
        tables=_tables(found),
    )
    report.write()
    return report


def _find(quick: bool, progress: Progress | None) -> Findings:
    parts: dict[str, Callable[[], Any]] = {
        "equation": lambda: equation.run(quick),
        "masses": lambda: masses.run(quick),
        "orders": lambda: oscillator.sweet_spot(quick),
        "passes": lambda: oscillator.accelerated(quick),
        "cases": strong.run_strong,
        "histories": strong.histories,
        "pendulum": lambda: strong.run_pendulum(quick),
    }
    found = {}
    for done, (name, work) in enumerate(parts.items()):
        found[name] = work()
        if progress:
            progress("implicit coupling", done + 1, len(parts))
    return Findings(**found)


def _tables(found: Findings) -> list[Table]:
    equations: list[list[str | float]] = [
        [name, beta, step, one.error, one.integrations, one.passes]
        for (name, beta, step), one in found.equation.items()
    ]
    rows: list[list[str | float]] = [
        [name, float(ratio), one.error, energy, one.integrations, one.passes]
        for (name, ratio), (one, energy) in found.masses.items()
    ]
    cases: list[list[str | float]] = [
        [f"{stiffness:g} N/m, {step:g} s, {scheme}", *(_passes_text(found.cases[kind, k]) for kind in KINDS)]
        for k, (stiffness, step, scheme) in enumerate(strong.CASES)
    ]
    pendulums: list[list[str | float]] = [
        [name, ratio, one.error if one.error < 2.0 else "lost", one.integrations, one.passes]
        for (name, ratio), one in found.pendulum.items()
    ]
    return [
        Table("Test equation", ["method", "β", "H, s", "error", "integrations", "passes per window"], equations),
        Table("Two masses", ["method", "FR", "position", "energy", "integrations", "passes per window"], rows),
        Table("Strong coupling: passes per window", ["case", *KINDS], cases),
        Table("Cut double pendulum", ["method", "m2/m1", "deviation, m", "integrations", "passes"], pendulums),
    ]


KINDS = ("none", "anderson", "iqn-ils", "newton")


def _passes_text(one: Outcome) -> str | float:
    return "diverges" if one.not_converged else one.passes
