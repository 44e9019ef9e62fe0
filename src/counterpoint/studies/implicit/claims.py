"""What implicit coupling is said to do, and what it does here."""

from __future__ import annotations

from math import log2

import numpy as np

from ..claims import Claim
from ..public_benchmarks.oscillator import FIGURE_11, SOURCE
from . import masses, oscillator, strong
from .equation import COUPLINGS
from .outcome import Outcome

STAYS = 0.05
"""A cut pendulum that is nearer than this to the whole one, m, at all times is called stable."""
LARGEST = 1e3
"""Stands for a run that fails."""


def equation_claims(found: dict[tuple[str, float, float], Outcome]) -> list[Claim]:
    """Return orders in H of the compound steps and of the iterated scheme."""
    fine, coarse = sorted({step for _, _, step in found})[:2]
    return [
        Claim.about(
            f"test equation, β = {beta:g}: order of {name} in H", 2.0,
            log2(found[name, beta, coarse].error / found[name, beta, fine].error), margin=0.3, origin="ours",
        )
        for beta in COUPLINGS
        for name in ("iterated", "compound-fast", "generalised, share 0.5", "mixed")
    ]  # fmt: skip


def mass_claims(found: dict[tuple[str, int], tuple[Outcome, float]]) -> list[Claim]:
    """Return position and energy of the two masses against an independent program."""
    made = []
    for ratio, (position, energy) in masses.CONVERGED.items():
        if ("converged", ratio) not in found:
            continue
        one, ours = found["converged", ratio]
        made += [
            Claim.near(f"two masses, FR = {ratio}: error of position, windows converged", position, one.error,
                       relative=0.02, origin="derived"),
            Claim.near(f"two masses, FR = {ratio}: error of energy, windows converged", energy, ours, relative=0.03,
                       origin="derived"),
        ]  # fmt: skip
    for ratio, position in masses.TWO_SWEEPS.items():
        if ("one repeat", ratio) in found:
            made.append(
                Claim.near(f"two masses, FR = {ratio}: error of position after one repeat", position,
                           found["one repeat", ratio][0].error, relative=0.15, origin="derived",
                           remark="The first pass of the other program predicts the mean in another way.")
            )  # fmt: skip
    for ratio, position in masses.REDUCED.items():
        if ("reduced interface", ratio) in found:
            made.append(
                Claim.near(f"two masses, FR = {ratio}: error of position with the reduced interface model", position,
                           found["reduced interface", ratio][0].error, relative=0.03, origin="derived")
            )  # fmt: skip
    gain = found["one repeat", 40][0].error / found["converged", 40][0].error
    made.append(
        Claim.below("two masses, FR = 40: one repeat has the whole benefit: error over that of convergence", 1.05, gain,
                    origin="derived")
    )  # fmt: skip
    explicit = min(found[f"explicit, order {k}", 40][0].error for k in (0, 2))
    made.append(
        Claim.below("two masses, FR = 40: error of the iterated scheme over that of the better explicit one", 1.0,
                    found["converged", 40][0].error / explicit, origin="ours")
    )  # fmt: skip
    return made


def order_claims(found: dict[tuple[str, str, float], tuple[float, float]]) -> list[Claim]:
    """Return errors at or below the published ones from values alone, and orders."""
    made = []
    for name in ("lagrange(3)", "spline"):
        for length, (*_, left, right) in FIGURE_11.items():
            if (name, "centred", length) not in found:
                continue
            for side, theirs, mine in zip(
                ("left", "right"), (left, right), found[name, "centred", length], strict=True
            ):
                made.append(
                    Claim.below(f"{SOURCE}, Fig. 11: error {side}, window of {length:g} s; ours {name}, centred",
                                theirs, mine, unit="m")
                )  # fmt: skip
        made.append(
            Claim.above(f"partitioned oscillator: order from values alone, {name}, centred", 4.0,
                        oscillator.order(found, name, "centred"), slack=0.2, origin="ours")
        )  # fmt: skip
    made.append(
        Claim.below("partitioned oscillator: order of lagrange(3) with one-sided stencils", 3.3,
                    oscillator.order(found, "lagrange(3)", "one-sided"), origin="ours")
    )  # fmt: skip
    return made


def acceleration_claims(
    oscillators: dict[tuple[str, str, float], Outcome], cases: dict[tuple[str, int], Outcome]
) -> list[Claim]:
    """Return passes of IQN-ILS where plain repeats need many, and convergence where they diverge."""
    shares = {
        (scheme, length): oscillators["iqn-ils", scheme, length].passes / one.passes
        for (kind, scheme, length), one in oscillators.items()
        if kind == "none" and one.passes > 6.0
    }
    numbers = range(len(strong.CASES))
    lost = sum(cases["none", k].not_converged > 0 for k in numbers)
    held = sum(cases["iqn-ils", k].not_converged == 0 and cases["iqn-ils", k].error < 1e-6 for k in numbers)
    return [
        Claim.below("partitioned oscillator: passes of IQN-ILS over those of plain repeats where these need more than "
                    "6, largest", 0.5, max(shares.values()), origin="ours"),
        Claim.near("strong coupling: cases in which plain repeats diverge", 10, lost, relative=0.0, origin="ours"),
        Claim.near("strong coupling: those in which IQN-ILS converges to the implicit step of the whole", 10, held,
                   relative=0.0, origin="ours"),
        Claim.below("strong coupling: passes per window of IQN-ILS, largest", 7.0,
                    max(cases["iqn-ils", k].passes for k in numbers), origin="ours"),
    ]  # fmt: skip


def pendulum_claims(found: dict[tuple[str, float], Outcome]) -> list[Claim]:
    """Return what is said of a pendulum that every explicit scheme loses, and iteration holds."""
    explicit = [one.error for (name, ratio), one in found.items() if ratio == strong.HEAVY and "order" in name]
    iterated = [one.error for (name, _), one in found.items() if "iqn-ils" in name]
    return [
        Claim.above(f"cut double pendulum, m2/m1 = {strong.HEAVY:g}: deviation of the best explicit scheme of order 0, "
                    "1 and 2", STAYS, min(*explicit, LARGEST), unit="m", origin="ours",
                    remark="1000 m stands for a run that fails.", spread=np.inf),
        Claim.below("cut double pendulum: deviation of windows with IQN-ILS, largest over all masses", STAYS,
                    max(iterated), unit="m", origin="ours"),
        Claim.below(f"cut double pendulum, m2/m1 = {strong.HEAVY:g}: passes per step with IQN-ILS, sequential", 5.0,
                    found["sequential, iqn-ils", strong.HEAVY].passes, origin="ours"),
    ]  # fmt: skip
