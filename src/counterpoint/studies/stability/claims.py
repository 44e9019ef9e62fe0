"""What the source says of its schemes, the numbers that follow, and what the scheduler makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from ...approximations import lagrange
from ...linearisation import linearise
from ...stability_analysis import Prober
from ..claims import TIMED, Claim
from .closed_forms import EXTRAPOLATIONS, SCHEMES, Setting, bdf2_radius, radius
from .convergence import Curve
from .growth import growth_cases, two_masses
from .measures import axis_growth, needed_damping, sector, slope
from .scheduler import error, error_from_exact_history, probed_radius

#: Damping -Re(hλ) that each scheme needs, by sign of the coupling; r = 1, 5, 10. An independent program.
NEEDED = {
    ("SF", -1): (0.0005, 0.0026, 0.0026), ("FF", -1): (0.0004, 0.0, 0.013), ("DE", -1): (0.0004, 0.011, 0.90),
    ("SF", 1): (0.39, 0.11, 0.054), ("FF", 1): (0.0, 0.001, 1.26), ("DE", 1): (0.36, 1.0, 0.97),
}  # fmt: skip
RATIOS = (1, 5, 10)
#: Largest error at H = 20 s / 200, r = 10, β = 0.1. An independent program.
ERRORS = {"SF": 5.06e-2, "DE": 5.05e-2, "FF": 1.35e-3}
PLOTTED = 0.02
"""Strips thinner than this cannot be seen in the figures of the source."""
_CONSERVED = "με > 0 is not a conservative coupling; with με < 0 the statement holds to plotting accuracy."


@dataclass(frozen=True)
class Effort:
    """How much is computed: points on the axis, points that are probed beside each closed form."""

    axis: int
    probed: int


def all_claims(found: Sequence[Curve], effort: Effort) -> list[Claim]:
    """Return all claims."""
    needed = {
        (scheme, sign, r): needed_damping(Setting(scheme, r, beta=0.1 * sign), effort.axis)
        for scheme in SCHEMES
        for sign in (1, -1)
        for r in RATIOS
    }
    return [
        *_regions(needed), *_falling_alpha(effort), *_orders(found), *_misprints(), *_numbers(needed),
        *_sectors(), *_near_the_origin(), *_errors(), *_scheduler(effort), *_candidates(),
    ]  # fmt: skip


def _regions(needed: dict[tuple[str, int, int], float]) -> list[Claim]:
    real, imag = np.linspace(-6.0, 0.0, 61), np.linspace(0.0, 6.0, 61)
    made = [
        Claim.below("Fig. 3.4: BDF2 is A-stable: largest ρ - 1 in the left half plane", 1e-9,
                    float(np.max(bdf2_radius(real + 1j * imag[:, None]))) - 1.0, spread=np.inf),
    ]  # fmt: skip
    for r in (1, 5):
        made += [
            Claim.below(f"3.5.2: double extrapolation does not lose stability on the imaginary axis, r = {r}, β = 0.1: "
                        "damping needed", PLOTTED, needed["DE", 1, r], reason=_CONSERVED, spread=0.05),
            Claim.below(f"3.5.2: the same with με < 0, r = {r}: damping needed", PLOTTED, needed["DE", -1, r],
                        origin="derived", spread=0.05, remark="Within what can be seen in the figure."),
        ]  # fmt: skip
    for sign, word in ((1, "με > 0"), (-1, "με < 0")):
        origin = "printed" if sign > 0 else "derived"
        made += [
            Claim.above(f"3.5.2: for r = 10 double extrapolation needs damping, {word}", PLOTTED,
                        needed["DE", sign, 10], origin=origin, spread=0.05),
            Claim.above(f"3.5.2: fastest-first loses stability before slowest-first, r = 10, {word}: damping needed, "
                        "ratio", 1.0, needed["FF", sign, 10] / needed["SF", sign, 10], origin=origin, spread=0.1),
            Claim.above(f"3.5.2: double extrapolation is less stable than fastest-first, r = 10, {word}: damping "
                        "needed, ratio", 1.0, needed["DE", sign, 10] / needed["FF", sign, 10], origin=origin,
                        spread=0.1, reason="Fastest-first needs less damping only for ωh <= 2. "
                        "Statements in words are about με < 0, where they hold."),
        ]  # fmt: skip
    return made


def _falling_alpha(effort: Effort) -> list[Claim]:
    """Fig. 3.8, with the reading of (3.5.13a) that the print has, and energy conserved."""
    made = []
    remark = "με < 0, and the fast variable one small step before the end, as (3.5.13a) has it."
    for alpha in (0.1, 0.05):
        growth = axis_growth(Setting("DE", 10, alpha, -0.05, late=True), 40.0, 4 * effort.axis)
        made.append(
            Claim.below(f"Fig. 3.8: α = {alpha:g}: no limit of the step without damping: largest ρ - 1 for ωh <= 40",
                        0.05, growth, remark=remark + " A sliver near the origin is unstable; it cannot be seen.",
                        spread=0.1)
        )  # fmt: skip
    for alpha in (0.01, 0.001):
        growth = float(radius(40j, Setting("DE", 10, alpha, -0.05, late=True))) - 1.0
        made.append(Claim.above(f"Fig. 3.8: α = {alpha:g}: stable for a finite interval of steps: ρ - 1 at ωh = 40",
                                0.5, growth, remark=remark))  # fmt: skip
    literal = axis_growth(Setting("DE", 10, 0.05, -0.05), 40.0, 4 * effort.axis)
    made.append(Claim.above("Fig. 3.8 at α = 0.05 when the fast variable is held from the start of the large step, as "
                            "(3.5.12b) has it: ρ - 1", 0.05, literal, origin="derived", spread=0.1,
                            remark="Both cannot be meant: the figure follows (3.5.13a)."))  # fmt: skip
    return made


def _orders(found: Sequence[Curve]) -> list[Claim]:
    made = []
    for curve in found:
        scheme, beta = curve.setting.scheme, curve.setting.beta
        expected = 2.0 if beta == 0.0 or scheme == "FF" else 1.0
        made.append(Claim.about(f"order of convergence, {SCHEMES[scheme]}, β = {beta:g}", expected,
                                slope(curve.errors, len(curve.errors) - 3), margin=0.1, origin="derived"))  # fmt: skip
    strong = {curve.setting.scheme: slope(curve.errors, 1) for curve in found if curve.setting.beta == 0.8}
    for scheme, order in strong.items():
        made.append(
            Claim.about(f"Fig. 3.10: the order falls from 2 to about 1 for strong coupling, {SCHEMES[scheme]}, β = 0.8",
                        1.0, order, margin=0.3,
                        reason="It falls where the fast variable is held, for any coupling; fastest-first does not "
                        "hold it and keeps order 2.")
        )  # fmt: skip
    return made


def _misprints() -> list[Claim]:
    return [
        Claim.near("(3.5.11) with (I - B)⁻¹: ρ of BDF2 at hλ = -1", 0.447214, float(bdf2_radius(-1.0)), relative=1e-5,
                   origin="derived"),
        Claim.near("(3.5.11) as printed, with (I + B)⁻¹: ρ of BDF2 at hλ = -1", 3.732051,
                   float(bdf2_radius(-1.0, printed=True)), relative=1e-5, origin="derived",
                   remark="BDF2 is stable there: the sign is a misprint."),
    ]  # fmt: skip


def _numbers(needed: dict[tuple[str, int, int], float]) -> list[Claim]:
    made = []
    for (scheme, sign), values in NEEDED.items():
        for r, value in zip(RATIOS, values, strict=True):
            word = "με > 0" if sign > 0 else "με < 0"
            made.append(Claim.about(f"damping needed for 0 < ωh <= 4, {SCHEMES[scheme]}, r = {r}, {word}", value,
                                    needed[scheme, sign, r], margin=max(0.06 * value, 2e-4), origin="derived",
                                    spread=0.05))  # fmt: skip
    return made


def _sectors() -> list[Claim]:
    first, second, line = EXTRAPOLATIONS
    known = (("FF", 1, (62, 54, 85)), ("DE", -1, (60, 51, 88)))
    return [
        Claim.about(f"stable sector of {SCHEMES[scheme]}, r = 10, β = {0.1 * sign:g}, slow variable by {name}", value,
                    sector(Setting(scheme, 10, beta=0.1 * sign, extrapolation=name)), margin=1.0, unit="°",
                    origin="derived")
        for scheme, sign, values in known
        for name, value in zip((first, second, line), values, strict=True)
    ]  # fmt: skip


def _near_the_origin() -> list[Claim]:
    """Where the fast variable is held, ρ - 1 grows with the square of the large step."""
    alpha, beta, coupled, z = 0.1, 0.1, 0.123, 0.004
    law = beta * (1 - alpha) * coupled * z**2 / (4 * np.sqrt(1 - beta))
    return [
        Claim.near(f"near the origin ρ - 1 = β (1 - α) α' (ωH)² / (4 √(1 - β)), {SCHEMES[scheme]}, ratio to it", 1.0,
                   (float(radius(1j * z, Setting(scheme, 1))) - 1.0) / law, relative=0.02, origin="derived",
                   spread=0.05, remark="α' = 0.123 is the ratio of the coupled frequencies.")
        for scheme in ("SF", "DE")
    ]  # fmt: skip


def _errors() -> list[Claim]:
    made = []
    for scheme, value in ERRORS.items():
        setting = Setting(scheme, 10)
        made += [
            Claim.near(f"largest error at H = 0.1 s, r = 10, β = 0.1, {SCHEMES[scheme]}, exact history", value,
                       error_from_exact_history(setting, 200), relative=0.01, origin="derived"),
            Claim.near(f"the same with the start of a run, {SCHEMES[scheme]}", value, error(setting, 200),
                       relative=0.1, origin="ours",
                       remark="The first step is made with the trapezoidal rule; first steps are repeated until they "
                       "agree."),
        ]  # fmt: skip
    return made


def _scheduler(effort: Effort) -> list[Claim]:
    """Compare the scheduler with the closed forms, and direct simulations with its map."""
    random = np.random.default_rng(3)
    points = -0.5 * random.random(effort.probed) + 4.0j * random.random(effort.probed)
    settings = [
        Setting(scheme, r, beta=0.1 * sign, extrapolation=name)
        for scheme in SCHEMES for r in RATIOS for sign in (1, -1) for name in EXTRAPOLATIONS
    ]  # fmt: skip
    away = max(abs(probed_radius(complex(z), s) - float(radius(z, s))) for s in settings for z in points)
    cases = growth_cases()
    differences = [abs(case.probed() - case.measured()) for case in cases]
    return [
        Claim.below(f"probed and closed spectral radius: largest difference, {len(settings) * len(points)} points",
                    1e-9, away, origin="ours", spread=np.inf,
                    remark="All schemes, ratios, signs and extrapolations; the schedule is the real one."),
        Claim.below(f"probed spectral radius and growth of direct simulations: largest difference, {len(cases)} cases",
                    1e-6, max(differences), origin="ours", spread=np.inf,
                    remark="Two masses; eight approximations, BDF2, repeated and converged windows, the "
                    "compound-fast family."),
    ]  # fmt: skip


def _candidates() -> list[Claim]:
    """Time for 100 candidates of the two-mass family."""
    systems = [linearise(two_masses(ratio, lagrange(order))) for ratio in (2, 5, 10, 20, 30, 40, 60, 90)
               for order in range(4)]  # fmt: skip
    candidates = [(system, s) for system in systems for s in ("slowest-first", "fastest-first", "parallel")]
    began = perf_counter()
    for system, scheme in candidates:
        np.linalg.eigvals(Prober(system, scheme).matrix())
    seconds = (perf_counter() - began) * 100.0 / len(candidates)
    return [
        Claim.below("time to analyse 100 candidates of the two-mass family", 5.0, seconds, unit="s", origin="ours",
                    spread=TIMED, remark=f"{len(candidates)} were analysed: eight ratios, four orders, three schemes.",
                    reason="Elapsed time: on a machine with other work it takes longer."),
    ]  # fmt: skip
