"""What step control is worth: against fixed steps of equal error, and against published numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..claims import Claim
from .runs import Curves, Point

MET = 3.0
"""A tolerance is met when the error is at most so many times larger."""
PUBLISHED_STEPS, PUBLISHED_ERROR = 30720.0, 2.5e-3
"""Steps and error of the force that a published configurator reaches on the three-part network."""
_LINEAR = "Errors of both are those of the whole run, its start included."


def step_control_claims(found: Sequence[Curves]) -> list[Claim]:
    """Return all claims."""
    by_name = {curves.problem.name: curves for curves in found}
    claims = [claim for curves in found for claim in _against_fixed(curves)]
    claims += _tolerance_claims(found)
    if "quarter car" in by_name:
        claims += _quarter_car(by_name["quarter car"])
    if "three parts" in by_name:
        claims += _three_parts(by_name["three parts"])
    return claims


def _against_fixed(curves: Curves) -> list[Claim]:
    """At every tolerance the best pace needs no more work than a fixed step of equal error."""
    problem = curves.problem
    bound = 0.5 if problem.has_phases else 1.0
    tolerances = sorted({point.asked for name, points in curves.points.items() if name != "fixed" for point in points})
    shares = [curves.best_share(tolerance) for tolerance in tolerances]
    usable = [share for share in shares if np.isfinite(share[1])]
    lost = len(shares) - len(usable)
    worst = max(usable, key=lambda share: share[1], default=("none", float("inf")))
    remark = f"Worst at the tolerance where {worst[0]} is the best. {_LINEAR}"
    if lost:
        remark = f"At {lost} of {len(shares)} tolerances no pace stays below 100 % error. {remark}"
    best = min(usable, key=lambda share: share[1], default=("none", float("inf")))
    return [
        Claim.below(f"{problem.name}: work of the best pace over that of a fixed step of equal error, at every "
                    "tolerance", bound, worst[1], slack=0.05, origin="ours", spread=0.2, remark=remark,
                    reason=_reason(curves)),
        Claim.below(f"{problem.name}: the same at its best tolerance", bound, best[1], origin="ours", spread=0.2,
                    remark=f"With {best[0]}.", reason=_reason(curves)),
    ]  # fmt: skip


def _reason(curves: Curves) -> str:
    if curves.problem.has_phases:
        return "A pace that sees an event only when it has passed it pays for it with error, not with work."
    if curves.problem.name == "two FMUs":
        return (
            "The FMUs take a value and a slope at each step: their error is that of straight lines, which defects of "
            "higher approximations do not show."
        )
    return "The motion is much the same throughout, so there is little that unequal steps can save."


def _tolerance_claims(found: Sequence[Curves]) -> list[Claim]:
    """Return whether tolerances are met, by pace."""
    names = dict.fromkeys(name for curves in found for name in curves.points if name != "fixed")
    claims = []
    for name in names:
        points = [point for curves in found for point in curves.points.get(name, [])]
        met = [point.error <= MET * point.asked for point in points]
        missed = [c.problem.name for c in found if any(p.error > MET * p.asked for p in c.points.get(name, []))]
        claims.append(
            Claim.above(f"{name}: share of the runs whose error is at most {MET:g} times the tolerance", 0.9,
                        float(np.mean(met)), slack=1e-9, origin="ours", spread=0.1,
                        remark=f"{len(points)} runs." + (f" Missed on: {', '.join(missed)}." if missed else ""),
                        reason="A pace that repeats nothing notices a contact when it is over; what an FMU does with a "
                        "straight line within a step shows in no difference of passes.")
        )  # fmt: skip
    every = [point for curves in found for name, points in curves.points.items() if name != "fixed" for point in points]
    met = [point.error <= MET * point.asked for point in every]
    claims.append(
        Claim.above(f"all paces: share of the runs whose error is at most {MET:g} times the tolerance", 0.9,
                    float(np.mean(met)), slack=1e-9, origin="ours", spread=0.1, remark=f"{len(every)} runs.")
    )  # fmt: skip
    return claims


def work_at(points: Sequence[Point], error: float) -> float:
    """Return the integrations for an error, lines in logarithms between runs; infinite where none is as good."""
    good = sorted((p.error, p.integrations) for p in points if 0.0 < p.error < 1.0)
    if not good or good[0][0] > error:
        return float("inf")
    errors, work = np.log(np.array(good)).T
    return float(np.exp(np.interp(np.log(error), errors, work)))


def _quarter_car(curves: Curves) -> list[Claim]:
    """Without rollback: defect and gradient alone."""
    free = [curves.points[name] for name in ("defect", "gradient", "energy")]
    claims = []
    for error, bound in ((1e-3, 170.0), (1e-5, 450.0)):
        work = min(work_at(points, error) for points in free)
        claims.append(
            Claim.below(f"quarter car: integrations for an error of {error:g} without rollback", bound, work,
                        slack=0.5, origin="ours", spread=0.1,
                        remark="An independent program with slopes of both signals needs 158 and 446; control by "
                        "energy with held values (Sadjina et al. 2017) 11 032 for 3e-3.",
                        reason="Steps are chosen from the speed alone, which is extrapolated.")
        )  # fmt: skip
    return claims


def _three_parts(curves: Curves) -> list[Claim]:
    work = min(work_at(points, PUBLISHED_ERROR) for name, points in curves.points.items() if name != "fixed")
    return [
        Claim.above("three parts: times fewer steps than a published configurator (30 720 steps, error of the force "
                    "2.5e-3)", 50.0, PUBLISHED_STEPS / work, origin="derived", spread=0.1,
                    remark="sdf4sim 0.6.0, find_configuration with a tolerance of 0.01, run for comparison.")
    ]  # fmt: skip
