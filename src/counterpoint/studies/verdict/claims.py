"""What is asked of the verdict, and what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, nan

import numpy as np

from ..claims import Claim, Origin
from .trial import Outcome

OURS = Origin.OURS


def right(outcomes: Sequence[Outcome], verdict: str) -> float:
    """Return in which share of the runs with a verdict it was true; NaN when there are none."""
    said = [o for o in outcomes if o.verdict == verdict]
    return sum(o.truth == verdict for o in said) / len(said) if said else nan


def verdict_claims(outcomes: Sequence[Outcome], subsets: Mapping[str, Sequence[Outcome]], quick: bool) -> list[Claim]:
    """Return the claims, for all runs and for some of them by name."""
    found = [_number_of_runs(outcomes, quick)]
    for words, some in subsets.items():
        for verdict in ("trustworthy", "do not use"):
            found.append(
                Claim.above(
                    f"{words}: share of the runs called {verdict} that are", 0.95, right(some, verdict), origin=OURS,
                    spread=0.03, remark=f"{sum(o.verdict == verdict for o in some)} runs",
                )
            )  # fmt: skip
        unknown = sum(o.verdict == "cannot tell" for o in some) / len(some)
        found.append(Claim.below(f"{words}: share of cannot tell", 0.15, unknown, origin=OURS, spread=0.05))
    found += [_dangerous(outcomes), _factor(outcomes), *_named(outcomes), *_families(outcomes)]
    return found


def _number_of_runs(outcomes: Sequence[Outcome], quick: bool) -> Claim:
    wanted = 30 if quick else 300
    return Claim.above("runs with known solutions", wanted - 1, len(outcomes), origin=OURS, unit="runs")


def _dangerous(outcomes: Sequence[Outcome]) -> Claim:
    wrong = [o for o in outcomes if o.verdict == "trustworthy" and o.truth == "do not use"]
    return Claim.below("runs called trustworthy that must not be used", 1, len(wrong), origin=OURS, unit="runs")


def _factor(outcomes: Sequence[Outcome]) -> Claim:
    known = [o for o in outcomes if 1e-6 < o.error < 1 and isfinite(o.estimated)]
    near = [1 / 1.5 < o.estimated / o.error < 1.5 for o in known]
    return Claim.above(
        "share of the runs with errors of 1e-6 to 1 whose estimate is within a factor of 1.5", 0.9,
        float(np.mean(near)) if near else nan, origin=OURS, spread=0.03,
        reason="Not in the range where the error falls as a power of the step.",
    )  # fmt: skip


NAMED = {
    "FR 40, fastest-first, order 3": "do not use",
    "FR 70, fastest-first, order 3": "do not use",
    "FR 20, slowest-first, order 0": "trustworthy",
}
"""Runs of the two masses about which verdicts from defects alone mislead."""


def _named(outcomes: Sequence[Outcome]) -> list[Claim]:
    by_name = {o.trial.name: o for o in outcomes}
    return [
        Claim.near(
            f"two masses, {name}: called {word}", 1.0,
            float(by_name[name].verdict == word) if name in by_name else None, relative=0.0, origin=OURS,
            remark="" if name in by_name else "not among the runs of the quick form",
        )
        for name, word in NAMED.items()
    ]  # fmt: skip


def _families(outcomes: Sequence[Outcome]) -> list[Claim]:
    found = []
    for family in dict.fromkeys(o.trial.family for o in outcomes):
        some = [o for o in outcomes if o.trial.family == family and o.verdict in ("trustworthy", "do not use")]
        share = sum(o.verdict == o.truth for o in some) / len(some) if some else None
        found.append(
            Claim.above(
                f"{family}: share of trustworthy and do not use that is right", 0.95, share, origin=OURS, spread=0.05,
                remark=f"{len(some)} runs" if some else "none of these verdicts was given",
                reason="Its estimated error lies near a limit.",
            )
        )  # fmt: skip
    return found
