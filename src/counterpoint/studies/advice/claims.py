"""What is asked of the advice, and what came out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from ..claims import TIMED, Claim, Origin
from .sweeps import Compared
from .two_mass_family import Family

OURS = Origin.OURS


@dataclass(frozen=True)
class Regret:
    """Advice on one problem of the family: error of the recommended scheme and order, and of the best one."""

    family: Family
    label: str
    error: float
    best: float
    seconds: float

    @property
    def ratio(self) -> float:
        """Error of the recommended one over the smallest."""
        return self.error / self.best


def advice_claims(
    regrets: Sequence[Regret],
    classes: Sequence[tuple[bool, bool]],
    search: tuple[int, float, float],
    sweeps: Sequence[Compared],
) -> list[Claim]:
    """Return the claims; classes: stable as predicted and as measured; search: steps, error, seconds of three parts."""
    linear = [r for r in regrets if r.family.hardening == 0]
    cubic = [r for r in regrets if r.family.hardening > 0]
    found = [
        Claim.below(
            "two masses, linear springs: error of the recommended scheme and order over the best of 16, worst problem",
            1.3, max(r.ratio for r in linear), origin=OURS, spread=0.2, remark=f"{len(linear)} problems",
        ),
        Claim.below(
            "two masses, hardening springs: the same, geometric mean", 1.5,
            exp(float(np.mean([log(r.ratio) for r in cubic]))), origin=OURS, spread=0.2,
            remark=f"{len(cubic)} problems",
        ),
        Claim.above(
            "two masses: share of schemes and orders whose stability is predicted rightly", 0.97,
            float(np.mean([said == true for said, true in classes])), origin=OURS, spread=0.02,
            remark=f"{len(classes)} couplings", reason="Its growth is near the limit.",
        ),
        Claim.below(
            "two masses: wall time of an advice, longest", 10.0, max(r.seconds for r in regrets), unit="s", origin=OURS,
            spread=TIMED,
        ),
    ]  # fmt: skip
    steps, error, seconds = search
    found += [
        Claim.below(
            "three parts: largest error of F with the recommended strategy; a search with held inputs and one step for "
            "all reaches 2.5e-3", 2.5e-3, error, unit="N", origin=OURS, spread=0.2,
        ),
        Claim.above(
            "three parts: steps of that search, 30 720, over those of the recommended strategy", 50.0, 30_720 / steps,
            origin=OURS, spread=0.2,
        ),
        Claim.below("three parts: wall time of the advice", 5.0, seconds, unit="s", origin=OURS, spread=TIMED),
    ]  # fmt: skip
    return found + [claim for one in sweeps for claim in _sweep_claims(one)]


def _sweep_claims(one: Compared) -> list[Claim]:
    name = one.plant.name
    return [
        Claim.below(
            f"{name}: error of the recommended strategy", one.plant.tolerance * 1.0001, one.error, origin=OURS,
            spread=0.5, remark=one.label,
        ),
        Claim.below(
            f"{name}: cost of the recommended strategy over the cheapest of the sweep that keeps the tolerance", 1.3,
            one.cost_ratio, origin=OURS, spread=TIMED, remark=f"best of the sweep: {one.best_label}",
        ),
        Claim.below(
            f"{name}: processor time of the advice over that of the sweep", 0.1, one.advice_seconds / one.sweep_seconds,
            origin=OURS, spread=TIMED, remark=f"{one.runs} runs, advice {one.advice_seconds:.2g} s",
            reason="Where a run takes milliseconds, the fixed costs of the advice (about a second) count.",
        ),
    ]  # fmt: skip
