"""Claims about smoothing, damping and the other ratios."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..claims import Claim
from . import references
from .diagram_claims import MEMORY
from .experiment import Case, simulate
from .measures import Measures, energy_deviation
from .sweep import DAMPED_ORDERS, DAMPING, SCHEMES, Sweep

Array = NDArray[np.float64]

SLOW_FIRST, FAST_FIRST = SCHEMES
SMOOTHED = (30.0, 35.0, 40.0, 90.0)
WIDE_FIT = references.smoothed(3, 8)
SECOND_RATIOS = (-1e4, -1e3, -1e2, -30.0)


def cases() -> list[Case]:
    """Return the cases of these claims beyond the sweeps and the reference numbers."""
    found = [_smooth(fr) for fr in SMOOTHED]
    found += [Case(fr, scheme, order) for fr in SMOOTHED for scheme, order in ((SLOW_FIRST, 0), (FAST_FIRST, 3))]
    found += [Case(fr, SLOW_FIRST, order) for fr, order in MEMORY]
    found += [Case(30.0, FAST_FIRST, 3, second_ratio=ratio) for ratio in SECOND_RATIOS]
    return [*found, WIDE_FIT]


def variant_claims(sweep: Sweep) -> list[Claim]:
    """Check what sections 3.2 and 3.4 say about everything that is not a polynomial order."""
    return [
        _energy_oscillates(),
        *_smoothing(sweep),
        *_damping(sweep),
        *_critical_ratio(sweep),
        _other_ratios(sweep),
    ]


def _energy_oscillates() -> Claim:
    case = Case(30.0, SLOW_FIRST, 3)
    deviation = energy_deviation(case.problem(), simulate(case).on_fast_grid())
    change = abs(float(deviation[-500:].mean()))
    return Claim.above(
        "3.2, Fig. 7: the energy oscillates: range of its error over its change in 100 s, SF-O3, FR = 30",
        1,
        float(np.ptp(deviation)) / change,
        remark=f"Range {100 * float(np.ptp(deviation)):.1f} %, mean of the last 5 s {100 * change:.1f} %.",
        origin="derived",
    )


def _smooth(frequency_ratio: float) -> Case:
    return Case(frequency_ratio, FAST_FIRST, 3, smoothing=True)


def _smoothing(sweep: Sweep) -> list[Claim]:
    hold, cubic = sweep.at(Case(90.0, SLOW_FIRST, 0)), sweep.at(Case(90.0, FAST_FIRST, 3))
    smooth, fitted = sweep.at(_smooth(90.0)), sweep.at(references.smoothed(3, 5))
    wide = sweep.at(WIDE_FIT)
    worse = [fr for fr in SMOOTHED[:3] if sweep.at(_smooth(fr)).dx > sweep.at(Case(fr, SLOW_FIRST, 0)).dx]
    return [
        Claim.below(
            "3.4, Fig. 9: smoothing with order 3 tracks best at FR = 90: dx over that of the better other",
            1,
            smooth.dx / min(hold.dx, cubic.dx),
            remark=f"dx {smooth.dx:.3g}, amplitude ×{smooth.amplitude:.2g}; SF-O0 {hold.dx:.3g}; "
            f"FF-O3 {cubic.dx:.3g}, amplitude ×{cubic.amplitude:.3g}.",
        ),
        Claim.below(
            "3.4: least squares help smoothing: dE of order 3 over 5 points to that of interpolation",
            1,
            fitted.dE / smooth.dE,
            remark=f"dE {fitted.dE:.3g} against {smooth.dE:.3g}; dx {fitted.dx:.3g} against {smooth.dx:.3g}.",
        ),
        Claim.above(
            "3.4: smoothing works only for some FR: FR out of 30, 35, 40 where it is worse than SF-O0 in dx",
            1,
            len(worse),
            remark=", ".join(_pair(sweep, fr) for fr in SMOOTHED[:3]),
            origin="derived",
        ),
        Claim.above(
            "3.4: ... and for some approximations: amplitude with least squares over 8 points, FR = 90",
            2,
            wide.amplitude,
            remark=f"dx = {wide.dx:.3g}.",
            origin="derived",
        ),
    ]


def _pair(sweep: Sweep, fr: float) -> str:
    smooth, hold = sweep.at(_smooth(fr)).dx, sweep.at(Case(fr, SLOW_FIRST, 0)).dx
    return f"FR = {fr:g}: {smooth:.3g} smoothed, {hold:.3g} SF-O0"


def _damping(sweep: Sweep) -> list[Claim]:
    claims, falling, low = [], [], sweep.ratios < 50
    for scheme in SCHEMES:
        for order in DAMPED_ORDERS:
            curves = [sweep.curve(Case(0.0, scheme, order, damping_ratio=zeta)) for zeta in DAMPING]
            gain = curves[0] / curves[-1]
            falling += [sweep.share(later < earlier) for earlier, later in pairwise(curves)]
            text = f"3.4: ζ = 0.5 reduces dx about tenfold: {scheme}, order {order}, geometric mean over FR"
            mean_gain = sweep.geometric_mean(gain)
            below, above = _median(gain, low), _median(gain, ~low)
            reason = f"The gain falls with FR: its median is {below:.1f} below FR = 50 and {above:.1f} above."
            claims.append(
                Claim.magnitude(text, 10, mean_gain, factor=2, remark=_range(sweep.ratios, gain), reason=reason)
            )
    text = "3.4: the larger ζ, the smaller dx: share of pairs of neighbouring ζ for which it is"
    return [*claims, Claim.about(text, 1, float(np.mean(falling)), margin=0.1, origin="derived")]


def _median(values: Array, mask: NDArray[np.bool_]) -> float:
    return float(np.median(values[mask]))


def _range(ratios: Array, values: Array) -> str:
    low, high = int(values.argmin()), int(values.argmax())
    return f"From {values[low]:.2g} (FR = {ratios[low]:g}) to {values[high]:.3g} (FR = {ratios[high]:g})."


def _critical_ratio(sweep: Sweep) -> list[Claim]:
    window = sweep.between(29, 51)
    ratios = sweep.ratios[window]
    claims, undamped = [], 0.0
    for zeta in DAMPING:
        curve = sweep.curve(Case(0.0, FAST_FIRST, 3, damping_ratio=zeta))[window]
        top = int(np.argmax(curve))
        if zeta == 0:
            undamped = float(ratios[top])
            continue
        fall = curve[top] / curve[top:].min()
        seen = f"falls by a factor {fall:.3g} behind it" if fall > 1.1 else "does not fall behind it: no peak is left"
        text = f"3.4: damping does not move the critical FR: FR of the peak of FF-O3 near 40, ζ = {zeta:g}"
        remark = f"dx = {curve[top]:.3g} there, and {seen}."
        claims.append(Claim.about(text, undamped, float(ratios[top]), margin=3, remark=remark, origin="derived"))
    return claims


def _other_ratios(sweep: Sweep) -> Claim:
    base = Case(30.0, FAST_FIRST, 3)
    found: dict[float, Measures] = {r: sweep.at(replace(base, second_ratio=r)) for r in SECOND_RATIOS}
    values = [m.dx for m in found.values()]
    listed = ", ".join(f"{m.dx:.2g} (AR2 = {ratio:g})" for ratio, m in found.items())
    return Claim.below(
        "3.2: only FR matters, not the other ratios: largest over smallest dx, AR2 varied, FF-O3, FR = 30",
        2,
        max(values) / min(values),
        remark=f"AR2 sets the mass ratio m2/m1 = -AR12²·AR2/AR1, the strength of the coupling: {listed}.",
        origin="derived",
    )
