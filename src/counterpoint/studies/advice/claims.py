"""What is asked of the advice, and what came out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from ..claims import TIMED, Claim, Origin
from .drawn import Drawn
from .sweeps import Compared
from .two_mass_family import TwoMasses

OURS = Origin.OURS


@dataclass(frozen=True)
class Regret:
    """Advice on one problem: error of the recommended scheme and order, and of the best one."""

    problem: TwoMasses
    label: str
    error: float
    best: float
    seconds: float

    @property
    def ratio(self) -> float:
        """Error of the recommended one over the smallest."""
        return self.error / self.best


@dataclass(frozen=True)
class TwoMassOutcome:
    """What the two-mass problems gave.

    Attributes
    ----------
    regrets : list of Regret
    classes : list
        Problem, and whether a scheme and order is stable: as predicted and as measured.
    """

    regrets: list[Regret]
    classes: list[tuple[TwoMasses, bool, bool]]

    def only(self, drawn: bool) -> TwoMassOutcome:
        """Return what those gave that were drawn at random, or the others."""
        return TwoMassOutcome(
            [r for r in self.regrets if isinstance(r.problem, Drawn) == drawn],
            [c for c in self.classes if isinstance(c[0], Drawn) == drawn],
        )


def advice_claims(
    two_masses: TwoMassOutcome, search: tuple[int, float, float], sweeps: Sequence[Compared]
) -> list[Claim]:
    """Return the claims; search: steps, error, seconds of three parts."""
    found = [
        *_two_mass_claims("two masses", two_masses.only(drawn=False)),
        *_two_mass_claims("two masses drawn at random", two_masses.only(drawn=True)),
        Claim.below(
            "two masses: processor time of an advice, longest", 10.0, max(r.seconds for r in two_masses.regrets),
            unit="s", origin=OURS, spread=TIMED,
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
        Claim.below("three parts: processor time of the advice", 5.0, seconds, unit="s", origin=OURS, spread=TIMED),
    ]  # fmt: skip
    return found + [claim for one in sweeps for claim in _sweep_claims(one)]


def _two_mass_claims(name: str, outcome: TwoMassOutcome) -> list[Claim]:
    straight = [r.ratio for r in outcome.regrets if r.problem.hardening == 0]
    cubic = [r.ratio for r in outcome.regrets if r.problem.hardening > 0]
    return [
        Claim.below(
            f"{name}, linear springs: error of the recommended scheme and order over the best of 16, worst problem",
            1.3, max(straight), origin=OURS, spread=0.2, remark=f"{len(straight)} problems",
        ),
        Claim.below(
            f"{name}, hardening springs: the same, geometric mean", 1.5, exp(float(np.mean(np.log(cubic)))),
            origin=OURS, spread=0.2, remark=f"{len(cubic)} problems",
        ),
        Claim.above(
            f"{name}: share of schemes and orders whose stability is predicted rightly", 0.97,
            float(np.mean([said == true for _, said, true in outcome.classes])), origin=OURS, spread=0.02,
            remark=f"{len(outcome.classes)} couplings", reason="Its growth is near the limit.",
        ),
    ]  # fmt: skip


def _sweep_claims(one: Compared) -> list[Claim]:
    name = one.plant.name
    return [
        Claim.below(
            f"{name}: error of the recommended strategy", one.plant.tolerance * 1.0001, one.recommended.error,
            origin=OURS, spread=TIMED, remark=one.recommended.label,
        ),
        Claim.below(
            f"{name}: processor time of the recommended strategy over the least of the sweep that keeps the tolerance",
            1.3, one.cost_ratio, origin=OURS, spread=TIMED, remark=f"best of the sweep: {one.best.label}",
        ),
        Claim.below(
            f"{name}: processor time of the advice over that of the sweep", 0.1, one.advice_seconds / one.sweep_seconds,
            origin=OURS, spread=TIMED,
            remark=f"{one.runs} runs, all made: {one.sweep_seconds:.3g} s; advice {one.advice_seconds:.2g} s",
        ),
    ]  # fmt: skip
