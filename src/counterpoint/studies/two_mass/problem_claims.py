"""Claims about the problem itself: its formulas, their limits, and the solvers without coupling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..claims import Claim
from .experiment import monolithic_error, trapezoidal_error
from .problem import FAST_FREQUENCY, Ratios, TwoMass, masses, stiffness, stiffness_as_printed

PUBLISHED_MONOLITHIC = 1e-8


def problem_claims() -> list[Claim]:
    """Check equations (6.13) to (6.20) and what section 3.2 says about the solvers."""
    return [*_formula_claims(), *_limit_claims(), *_solver_claims()]


def _formula_claims() -> list[Claim]:
    worst = max(_frequency_deviation(fr) for fr in np.arange(1.5, 100.5, 0.5))
    k1, k3 = stiffness_as_printed(Ratios(2.0))
    right1, right3 = stiffness(Ratios(2.0))
    text = "thesis (6.15), (6.16): with the printed signs the spring {} is positive for FR = 2"
    remark = "The sign of the second term is misprinted; with it corrected {} = {:.4g} N/m."
    start = TwoMass.from_ratios(Ratios(30.0)).start
    return [
        Claim.below(
            "thesis (6.13) to (6.16), signs corrected: frequencies are 1 Hz and 1/FR Hz, FR = 1.5 to 100",
            1e-9,
            worst,
            remark="Largest relative deviation of the frequencies.",
            origin="derived",
        ),
        Claim.above(text.format("k1"), 0, k1, unit="N/m", remark=remark.format("k1", right1)),
        Claim.above(text.format("k3"), 0, k3, unit="N/m", remark=remark.format("k3", right3)),
        Claim.near(
            "thesis (6.17): x1(0) for the published ratios", 11.0, start[0], relative=1e-12, unit="m", origin="derived"
        ),
        Claim.near(
            "thesis (6.17): x2(0) for the published ratios", 9.99, start[1], relative=1e-12, unit="m", origin="derived"
        ),
    ]


def _frequency_deviation(frequency_ratio: float) -> float:
    found = np.sort(np.abs(np.linalg.eigvals(TwoMass.from_ratios(Ratios(float(frequency_ratio))).matrix)))
    asked = np.repeat([FAST_FREQUENCY / frequency_ratio, FAST_FREQUENCY], 2)
    return float(np.max(np.abs(found / asked - 1)))


def _limit_claims() -> list[Claim]:
    text = "thesis (6.18) to (6.20): the limits say when all masses and springs are positive, FR {} 1"
    printed = "Ratios out of 4000 drawn at random for which limits and signs of the parameters disagree."
    remark = printed + " (6.18) needs |FR² - 1| where FR² - 1 is printed; it then holds here too."
    return [
        Claim.below(text.format(">"), 1, _disagreements(faster=True), remark=printed),
        Claim.below(text.format("<"), 1, _disagreements(faster=False), remark=remark),
    ]


def _disagreements(faster: bool) -> int:
    """Count drawn ratios where the printed limits and the signs of the parameters differ."""
    random = np.random.default_rng(2010)
    count = 0
    for _ in range(4000):
        fr = random.uniform(1.05, 100) if faster else random.uniform(0.05, 0.95)
        signs = random.choice([-1, 1], 2)
        ratios = Ratios(fr, *(signs * 10 ** random.uniform(-2, 3, 2)))
        limit = ratios.allowed_between()[random.integers(2)]
        ratios = replace(ratios, between=random.choice([-1, 1]) * limit * random.uniform(0.5, 2))
        positive = min(*masses(ratios), *stiffness(ratios)) > 0
        count += positive != _printed_limits_hold(ratios)
    return count


def _printed_limits_hold(r: Ratios) -> bool:
    squared = r.frequency**2
    above = abs(r.between) > (squared - 1) / abs(squared / r.first - r.second)
    below = abs(r.between) < abs((squared - 1 / (r.first * r.second)) / (squared - 1) * r.first)
    signs = (r.a < 0 < r.b) if r.frequency > 1 else (r.b < 0 < r.a)
    return above and below and signs and r.first * r.second < 0


def _solver_claims() -> list[Claim]:
    claims = []
    for fr in (2.0, 10.0, 50.0, 100.0):
        error = monolithic_error(fr)
        claims.append(
            Claim.below(
                f"3.2: ode4 alone, without co-simulation, has dx of the order of 1e-8, FR = {fr:g}",
                10 * PUBLISHED_MONOLITHIC,
                error,
                remark=f"dx grows in proportion to FR by its definition: {error / fr:.2e} FR.",
            )
        )
    floor = trapezoidal_error(10.0)
    claims.append(
        Claim.below(
            "3.2: the steps keep integration errors very low: slow mode alone, trapezoidal rule, dx",
            1e-4,
            floor,
            remark="100 steps a cycle leave a phase error of (w2 H)²/12 a radian, "
            f"which gives {_phase_floor():.2e} for every FR; the coupled runs have it too.",
            origin="derived",
        )
    )
    return claims


def _phase_floor() -> float:
    """Return dx of a cosine whose phase drifts by (w H)²/12 a radian, for 100 steps a cycle."""
    return float(2 * np.pi * (2 * np.pi / 100) ** 2 / 12 / np.sqrt(3))
