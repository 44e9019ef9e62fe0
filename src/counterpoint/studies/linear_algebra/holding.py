"""Where each formulation holds: the chain for 20 s through its singular positions, error and cost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, inf, pi, sin
from typing import Any

import numpy as np

from ...errors import SimulationError
from ...multibody import Formulation
from ...multibody.library import four_bar
from ...system import System
from ..report import Progress, Table

SECONDS = 20
STEP = 1e-3
GRAVITY = 9.81

CASES: dict[str, dict[str, Any]] = {
    "index-3, trapezoidal": {},
    "index-3, hermite": {"integrator": "hermite"},
    "index-3, generalised-alpha": {"integrator": "generalised-alpha"},
    "index-3, trapezoidal, penalty 1e8": {"penalty": 1e8},
    "index-3 as printed, penalty 1e8": {"penalty": 1e8, "printed": True},
    **{
        f"{name}, {integrator}": {"name": name, "integrator": integrator}
        for name in ("augmented-lagrangian", "penalty")
        for integrator in ("trapezoidal", "generalised-alpha", "rk2", "rk4")
    },
    **{
        f"{name}, trapezoidal, fixed-point": {"name": name, "iteration": "fixed-point"}
        for name in ("augmented-lagrangian", "penalty")
    },
}


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes
    ----------
    error : float
        Largest distance of B0 from the reference at whole seconds, m; infinite if the run failed.
    failed_at : float
        s; 20 if it did not fail.
    microseconds : float
        Processor time per step.
    """

    error: float
    failed_at: float
    microseconds: float

    def __str__(self) -> str:
        if self.failed_at < SECONDS:
            return f"fails at {self.failed_at:.2f} s"
        return f"{self.error:.1e} m, {self.microseconds:.3g} µs"


def reference(loops: int) -> list[tuple[float, float]]:
    """Return B0 after 1, 2, ... s from the cranks' angle: ((L+1)/3 + L) θ″ = -g ((L+1)/2 + L) cos θ, RK4, 1 ms."""
    factor = GRAVITY * ((loops + 1) / 2 + loops) / ((loops + 1) / 3 + loops)
    angle, rate, h, found = pi / 2, -1.0, 1e-3, []
    for step in range(1, 1000 * SECONDS + 1):
        a1 = -factor * cos(angle)
        a2 = -factor * cos(angle + h / 2 * rate)
        a3 = -factor * cos(angle + h / 2 * (rate + h / 2 * a1))
        a4 = -factor * cos(angle + h * (rate + h / 2 * a2))
        angle, rate = angle + h * rate + h * h / 6 * (a1 + a2 + a3), rate + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        if step % 1000 == 0:
            found.append((cos(angle), sin(angle)))
    return found


def run_case(loops: int, options: dict[str, Any], exact: Sequence[tuple[float, float]]) -> Outcome:
    """Run one formulation on one chain."""
    mechanism = four_bar(loops)
    mechanism.formulation = Formulation(**options)
    mechanism.standard_outputs = ()
    mechanism.output("B0", "B0")
    system = System("chain")
    system.add("chain", mechanism.subsystem(), step=STEP, record=False)
    error, began = 0.0, time.process_time()
    run = system.start()
    try:
        for second, (x, y) in enumerate(exact, start=1):
            run.step_to(float(second))
            tip = np.asarray(run.value("chain.B0"))
            error = max(error, hypot(tip[0] - x, tip[1] - y))
    except SimulationError:
        return Outcome(inf, run.time, 0.0)
    return Outcome(error, SECONDS, 1e6 * (time.process_time() - began) / (SECONDS / STEP))


def holding(loops: Sequence[int], progress: Progress | None) -> dict[str, dict[int, Outcome]]:
    """Run all formulations on chains of so many loops."""
    exact = {count: reference(count) for count in loops}
    found: dict[str, dict[int, Outcome]] = {}
    for k, (name, options) in enumerate(CASES.items()):
        if progress is not None:
            progress("formulations", k, len(CASES))
        found[name] = {count: run_case(count, options, exact[count]) for count in loops}
    return found


def table(found: dict[str, dict[int, Outcome]]) -> Table:
    """Return the table formulation × L."""
    loops = list(next(iter(found.values())))
    rows = [[name, *(str(outcome) for outcome in outcomes.values())] for name, outcomes in found.items()]
    return Table(
        "Formulation and integrator on the chain of L loops",
        ["formulation", *(f"L = {count}" for count in loops)],
        rows,
        f"{SECONDS} s with steps of 1 ms; largest error of B0 at whole seconds, processor time per step.",
    )
