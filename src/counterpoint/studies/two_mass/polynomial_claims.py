"""Claims of section 3.4 about the polynomial orders and the two schemes, from the sweep over FR."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..claims import Claim
from .experiment import Case
from .sweep import LOW, ORDERS, SCHEMES, Sweep

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SLOW_FIRST, FAST_FIRST = SCHEMES
SHORT = {SLOW_FIRST: "SF", FAST_FIRST: "FF"}
NEAR_BEST = 1.3
"""A method counts as the best when its error is at most this many times the smallest."""
GOOD = 0.1
"""Position error below which the source calls a solution good."""


def polynomial_claims(sweep: Sweep) -> list[Claim]:
    """Check every statement about slowest-first and fastest-first with orders 0 to 4, no damping."""
    return [
        _no_best_method(sweep),
        *_low_ratios(sweep),
        *_fourth_order(sweep),
        *_fastest_first_trade(sweep),
        *_middle_ratios(sweep),
        *_fastest_first_peak(sweep),
        *_high_ratios_slowest_first(sweep),
        *_high_ratios_fastest_first(sweep),
        *_measures_are_not_enough(sweep),
        *_highest_ratios(sweep),
        _growth_in_time(sweep),
    ]


def polynomial(scheme: str, order: int, frequency_ratio: float = 0.0) -> Case:
    """Return the case of one scheme and one order for both directions."""
    return Case(frequency_ratio, scheme, order)


def _span(ratios: Array, mask: Mask) -> str:
    return f"FR = {ratios[mask].min():g} to {ratios[mask].max():g}" if mask.any() else "no FR"


def _no_best_method(sweep: Sweep) -> Claim:
    curves = sweep.polynomials("dx")
    names = [f"{SHORT[scheme]}-O{order}" for scheme, order in curves]
    best = np.argmin(list(curves.values()), axis=0)
    winners = [names[i] for i in np.unique(best)]
    return Claim.above(
        "3.4: no method is the best for every FR: methods with the smallest dx somewhere",
        1,
        len(winners),
        remark=", ".join(winners),
        origin="derived",
    )


def _near_best(sweep: Sweep, case: Case, name: str, mask: Mask) -> tuple[float, str]:
    """Return the share of FR in `mask` at which `case` is (nearly) the best, and words about it."""
    ratio = sweep.curve(case, name) / sweep.best(name)
    exactly = sweep.share(ratio == 1, mask)
    good = _span(sweep.ratios, (ratio <= NEAR_BEST) & mask)
    remark = f"Counted: within 30 % of the smallest of ten ({good}); the smallest at {exactly:.0%} of the FR."
    return sweep.share(ratio <= NEAR_BEST, mask), remark


def _low_ratios(sweep: Sweep) -> list[Claim]:
    low = sweep.between(0, LOW)
    case = polynomial(SLOW_FIRST, 3)
    claims = [_without_solver_error(sweep, low)]
    reason = "The error of the trapezoidal rule hides it: with ode4 on the slow side it holds, see the other row."
    for name, what in (("dx", "position"), ("dE", "energy")):
        share, remark = _near_best(sweep, case, name, low)
        if name == "dx":
            remark += _who_wins(sweep, low)
        else:
            gain = sweep.curve(polynomial(SLOW_FIRST, 0), "dE") / sweep.curve(case, "dE")
            remark += f" Its dE is {gain[low].min():.1f} to {gain[low].max():.0f} times below that of SF-O0."
        text = f"3.4: FR < 25: SF-O3 performs best in {what}: share of FR where it does"
        claims.append(Claim.about(text, 1, share, margin=0.1, remark=remark, reason=reason))
    for name, what in (("dx", "position"), ("dE", "energy")):
        worst = float(sweep.curve(case, name)[low].max())
        claims.append(
            Claim.below(
                f"3.4: FR < 25: SF-O3 attains a good {what} error: largest {name}", GOOD, worst, origin="derived"
            )
        )
    return claims


def _without_solver_error(sweep: Sweep, low: Mask) -> Claim:
    """Check the same with a slow side whose own error is far below that of the coupling."""
    dx = {
        key: np.array(
            [sweep.at(replace(polynomial(*key, float(fr)), slow_solver="ode4")).dx for fr in sweep.ratios[low]]
        )
        for key in _methods()
    }
    ratio = np.ones(low.size)
    ratio[low] = dx[SLOW_FIRST, 3] / np.min(list(dx.values()), axis=0)
    return Claim.about(
        "3.4: FR < 25: SF-O3 performs best in position, slow side with ode4: share of FR where it does", 1,
        sweep.share(ratio <= NEAR_BEST, low), margin=0.1, origin="derived",
        remark="Counted: within 30 % of the smallest of ten. The source has the trapezoidal rule, whose phase error is "
        f"the larger part of dx with it; here the smallest at {sweep.share(ratio == 1, low):.0%} of the FR.",
    )  # fmt: skip


def _who_wins(sweep: Sweep, mask: Mask, name: str = "dx") -> str:
    curves = {f"{SHORT[s]}-O{o}": c[mask] for (s, o), c in sweep.polynomials(name).items()}
    names = list(curves)
    best = np.argmin(list(curves.values()), axis=0)
    counts = sorted(((int(np.sum(best == i)), names[i]) for i in np.unique(best)), reverse=True)
    return f" Smallest {name}: " + ", ".join(f"{name} at {count}" for count, name in counts) + f" of {best.size} FR."


def _fourth_order(sweep: Sweep) -> list[Claim]:
    amplitude = sweep.curve(polynomial(SLOW_FIRST, 4), "amplitude")
    below = sweep.between(0, 25)
    cubic, fourth = (sweep.curve(polynomial(SLOW_FIRST, order)) for order in (3, 4))
    high = sweep.between(25, 100.5)
    values = ", ".join(
        f"{sweep.at(polynomial(SLOW_FIRST, 4, fr)).amplitude:.3g} (FR = {fr:g})" for fr in (30.0, 35.0, 60.0)
    )
    return [
        Claim.above(
            "3.4: SF-O4 is unstable: largest amplitude of the fast mode for FR < 25, exact = 1",
            1.1,
            float(amplitude[below].max()),
            remark=f"At larger FR: {values}.",
            origin="derived",
        ),
        Claim.above(
            "3.4: SF-O4 does not reduce the errors: share of FR > 25 where its dx is above that of SF-O3",
            0.5,
            sweep.share(fourth > cubic, high),
            remark=f"Below FR = 25 the share is {sweep.share(fourth > cubic, below):.0%}: mostly a tie.",
            origin="derived",
        ),
    ]


def _fastest_first_trade(sweep: Sweep) -> list[Claim]:
    slow, fast = polynomial(SLOW_FIRST, 3), polynomial(FAST_FIRST, 3)
    low = sweep.between(9, 25)
    x2 = sweep.curve(slow, "dx2") / sweep.curve(fast, "dx2")
    energy = sweep.curve(fast, "dE") / sweep.curve(slow, "dE")
    x1 = sweep.curve(fast) / sweep.curve(slow)
    at30 = [sweep.at(polynomial(scheme, 3, 30.0)).dx2 for scheme in SCHEMES]
    return [
        Claim.below(
            "3.4: fastest-first has very low errors of x2: dx of x2, FF-O3 over SF-O3, FR = 30",
            0.2,
            at30[1] / at30[0],
            remark=f"{at30[1]:.2e} against {at30[0]:.2e}. "
            f"SF-O3 over FF-O3 for 9 < FR < 25: {x2[low].min():.2g} to {x2[low].max():.2g}.",
            origin="derived",
        ),
        Claim.above(
            "3.4: ... at the cost of energy: dE of FF-O3 over SF-O3, geometric mean for 9 < FR < 25",
            1,
            sweep.geometric_mean(energy, low),
            remark=f"From {energy[low].min():.2g} to {energy[low].max():.3g}.",
        ),
        Claim.above(
            "3.4: ... and of x1: dx of FF-O3 over SF-O3, geometric mean for 9 < FR < 25",
            1,
            sweep.geometric_mean(x1, low),
            remark=f"From {x1[low].min():.2g} to {x1[low].max():.3g}.",
        ),
    ]


def _middle_ratios(sweep: Sweep) -> list[Claim]:
    middle = sweep.between(25, 50)
    claims = []
    for name, what in (("dx", "position"), ("dE", "energy")):
        share, remark = _near_best(sweep, polynomial(SLOW_FIRST, 0), name, middle)
        text = f"3.4: 25 < FR < 50: SF-O0 is the most suitable, {what}: share of FR where it is the best"
        reason = "At both ends of the range others are better in energy, not in position."
        remark += _who_wins(sweep, middle, name)
        claims.append(Claim.about(text, 1, share, margin=0.1, remark=remark, reason=reason))
    return claims


def _fastest_first_peak(sweep: Sweep) -> list[Claim]:
    window = sweep.between(29, 51)
    claims = []
    for order in (2, 3, 4):
        case = polynomial(FAST_FIRST, order)
        dx, amplitude = sweep.curve(case)[window], sweep.curve(case, "amplitude")[window]
        top = int(np.argmax(dx))
        claims.append(
            Claim.about(
                f"3.4: fastest-first is unstable around FR = 40, order {order}: FR of the largest dx",
                40,
                float(sweep.ratios[window][top]),
                margin=4,
                remark=f"dx = {dx[top]:.3g} there, amplitude of the fast mode ×{amplitude[top]:.3g}.",
            )
        )
    return claims


def _crossing(sweep: Sweep, curve: Array, bound: float) -> float:
    """Return the FR from which the curve stays above the bound to the end of the sweep."""
    below = np.flatnonzero(~(curve > bound))
    if below.size == 0:
        return float(sweep.ratios[0])
    return float(sweep.ratios[below[-1] + 1]) if below[-1] + 1 < curve.size else float("inf")


def _high_ratios_slowest_first(sweep: Sweep) -> list[Claim]:
    claims = []
    for order in ORDERS:
        start = _crossing(sweep, sweep.curve(polynomial(SLOW_FIRST, order)), GOOD)
        text = f"3.4: FR > 50: dx of slowest-first is over 10 %, order {order}: FR from which it always is"
        remark = f"dx passes 10 % for good at FR = {start:g}."
        claims.append(Claim.below(text, 50, start, slack=5, remark=remark))
    high = sweep.between(50, 101)
    for name, what in (("dx", "position"), ("dE", "energy")):
        curves = np.array([sweep.curve(polynomial(SLOW_FIRST, order), name) for order in ORDERS])
        text = f"3.4: FR > 50: order 0 is the best of slowest-first in {what}: share of FR where it is"
        ratio = curves[0] / curves.min(axis=0)
        share = sweep.share(ratio <= NEAR_BEST, high)
        others = _span(sweep.ratios, (ratio > NEAR_BEST) & high)
        remark = f"Counted: within 30 % of the smallest; another order is better somewhere in {others}."
        reason = "Around FR = 80 order 3 has lost the fast motion, which dx rewards."
        claims.append(Claim.about(text, 1, share, margin=0.1, remark=remark, reason=reason))
    trend = _rank_correlation(sweep.curve(polynomial(SLOW_FIRST, 0))[sweep.between(50, 95)])
    text = "3.4: FR > 50: errors of slowest-first rise with FR: rank correlation of dx, SF-O0, 50 < FR < 95"
    return [*claims, Claim.about(text, 1, trend, margin=0.1, origin="derived")]


def _high_ratios_fastest_first(sweep: Sweep) -> list[Claim]:
    claims = []
    middle = sweep.between(50, 80)
    for order in (2, 3, 4):
        case = polynomial(FAST_FIRST, order)
        dx, energy = sweep.curve(case), sweep.curve(case, "dE")[middle]
        amplitude = sweep.at(polynomial(FAST_FIRST, order, 70.0)).amplitude
        claims += [
            Claim.about(
                f"3.4: FR > 50: FF-O{order} keeps dx under 10 %: share of 50 < FR < 80 where it does",
                1,
                sweep.share(dx < GOOD, middle),
                margin=0.2,
                remark=f"Median dx {np.median(dx[middle]):.2g}, largest {dx[middle].max():.3g}; "
                f"median dE {np.median(energy):.2g}.",
            ),
            Claim.below(
                f"3.4: ... as the fast motion is lost, order {order}: amplitude at FR = 70, exact = 1",
                0.1,
                amplitude,
                origin="derived",
            ),
        ]
    for order in ORDERS:
        high = sweep.between(79.9, 100.0)
        curve = sweep.curve(polynomial(FAST_FIRST, order), "amplitude")[high]
        amplified = sweep.ratios[high][curve > 1]
        text = f"3.4: FR ≥ 80: FF-O{order} amplifies: largest amplitude of the fast mode for 80 ≤ FR < 100"
        remark = f"From FR = {amplified.min():g} on." if amplified.size else "Nowhere."
        claims.append(Claim.above(text, 1, float(curve.max()), remark=remark, spread=0.1))
    return claims


def _measures_are_not_enough(sweep: Sweep) -> list[Claim]:
    curves = {key: [sweep.curve(polynomial(*key), n) for n in ("dx", "dE", "amplitude")] for key in _methods()}
    lost = sum(int(np.sum((dx < GOOD) & (a < 0.2))) for dx, _, a in curves.values())
    wrong = sum(int(np.sum((energy < 0.2) & (dx > 0.5))) for dx, energy, _ in curves.values())
    return [
        Claim.above(
            "3.4: dx and dE do not tell if a result is valid: runs with dx < 0.1 that lost the fast mode",
            0,
            lost,
            remark="Amplitude of the fast mode below 0.2 of the exact one.",
            origin="derived",
        ),
        Claim.above(
            "3.2: some runs have low energy errors and a wrong motion: runs with dE < 0.2, dx > 0.5",
            0,
            wrong,
            origin="derived",
        ),
    ]


def _methods() -> list[tuple[str, int]]:
    return list(product(SCHEMES, ORDERS))


def _highest_ratios(sweep: Sweep) -> list[Claim]:
    at = {fr: sweep.at(polynomial(SLOW_FIRST, 0, fr)).dx for fr in (80.0, 85.0, 90.0, 94.0)}
    values = ", ".join(f"{value:.2f} (FR = {fr:g})" for fr, value in at.items())
    smallest = sweep.best("dx")[sweep.between(90, 101)]
    return [
        Claim.above(
            "3.4: FR > 90: sudden growth of SF-O0: dx at FR = 94 over dx at FR = 80",
            2,
            at[94.0] / at[80.0],
            remark=values,
            origin="derived",
        ),
        Claim.above(
            "3.4: FR > 90: every order fails to follow the exact motion: smallest dx of all ten methods",
            GOOD,
            float(smallest.min()),
            origin="derived",
        ),
    ]


def _growth_in_time(sweep: Sweep) -> Claim:
    cases = [polynomial(*key) for key in _methods()]
    grows = np.array([sweep.curve(c, "second_half") > sweep.curve(c, "first_half") for c in cases])
    text = "3.4: errors accumulate in most runs: share of runs with more error of x1 in the second half"
    return Claim.above(text, 0.5, float(np.mean([sweep.share(g) for g in grows])))


def _rank_correlation(values: Array) -> float:
    """Return Spearman's correlation of values with their position; 1 for a rising series."""
    ranks = np.argsort(np.argsort(values))
    return float(np.corrcoef(ranks, np.arange(values.size))[0, 1])
