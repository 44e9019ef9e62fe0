"""A pair of FMUs over 1 s with a tolerance of 1e-3, for which two other masters were run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..claims import Claim
from .phases import two_fmus
from .runs import Point, paces, run_once

TOLERANCE = 1e-3
PYFMI_STEPS, PYFMI_REJECTED, PYFMI_ERROR = 45, 3, 2.8e-4
OMSIMULATOR_STEPS, OMSIMULATOR_ERROR = 9530, 7e-7
_OTHER_PAIR = (
    "Their pair is an oscillator whose parameters are not printed. Ours is the dual-mass oscillator of OMSimulator's "
    "tests as two FMUs, so that the numbers show the size, not more."
)


def run_pair(folder: Path) -> dict[str, Point]:
    """Run the pair with every pace; the FMUs are made in `folder`."""
    problem = replace(two_fmus(folder), until=1.0)
    return {name: run_once(problem, name, make(TOLERANCE), TOLERANCE) for name, make in paces(problem).items()}


def pair_claims(points: Mapping[str, Point]) -> list[Claim]:
    """Return the fewest steps of a pace that meets the tolerance, beside those of the others."""
    steps = {name: point.integrations / _PASSES[name] / 2 for name, point in points.items() if point.error <= TOLERANCE}
    best = min(steps, key=lambda name: steps[name], default="")
    point = points.get(best)
    told = "" if point is None else f"{best}: error {point.error:.1e}, {point.rejected} rejected steps. "
    fewest = steps.get(best, float("inf"))
    return [
        Claim.below(f"pair of FMUs, 1 s, tolerance 1e-3: steps tried; {name}", theirs, fewest, origin="derived",
                    spread=0.2).not_comparable(f"{told}{name}: {how}. {_OTHER_PAIR}")
        for name, theirs, how in (
            ("PyFMI, step doubling", float(PYFMI_STEPS + PYFMI_REJECTED), f"error {PYFMI_ERROR:g}"),
            ("OMSimulator, mav", float(OMSIMULATOR_STEPS), f"error {OMSIMULATOR_ERROR:g}"),
        )
    ]  # fmt: skip


_PASSES = {"gradient": 1, "defect": 1, "energy": 1, "predictor-corrector": 2, "doubling": 3}
"""Integrations of each subsystem in a step that is tried."""
