"""Table 2 of the source, and what follows from it."""

from __future__ import annotations

import numpy as np

from ..claims import Claim
from .experiment import APPROXIMATED, CUBIC, FLOW_FLOW, HELD, LINEAR_TARGET, STEP, TABLE_2, Case
from .problem import TwoMassOscillator

PRINTED = dict(zip(TABLE_2, (4.43e-1, 2.90e-3, 1.38e-3), strict=True))
"""Co-simulation error of the left angle after 20 s with H = 5 ms, rad."""
STEPS = (10e-3, 5e-3, 2.5e-3, 1.25e-3)
Errors = dict[tuple[Case, float], float]
_FITTED = "The source prints no parameters: amplitude and spring are fitted to this table."


def table_claims(errors: Errors) -> list[Claim]:
    """Check the three rows of Table 2 and the text beside it."""
    rows = [
        Claim.near(
            f"Table 2: error of the left angle, {case.label}", printed, errors[case, STEP], relative=0.1, unit="rad",
            remark=_FITTED,
        )
        for case, printed in PRINTED.items()
    ]  # fmt: skip
    gain = errors[HELD, STEP] / errors[FLOW_FLOW, STEP]
    text = Claim.above("5.1: approximation reduces the error by more than two orders; ratio of the rows", 100.0, gain)
    return [*rows, text]


def variable_claims(errors: Errors, variable: dict[Case, tuple[float, float]]) -> list[Claim]:
    """Check the rows of Table 2 with variable macro steps; `variable` holds mean step in s and error of each row."""
    rows = [
        Claim.near(
            f"Table 2 with variable macro steps of the same mean: {case.label}", PRINTED[case], variable[case][1],
            relative=0.1, unit="rad", origin="derived", remark="4.1 says that it was applied, and prints no number.",
        )
        for case in TABLE_2
    ]  # fmt: skip
    mean, error = variable[HELD]
    fixed = errors[HELD, STEP] * mean / STEP  # of first order in H
    return [
        *rows,
        Claim.about("mean of the variable macro steps", 1e3 * STEP, 1e3 * mean, margin=0.1, unit="ms", origin="ours"),
        Claim.below("variable macro steps, order 0: error over that of fixed steps of the same mean", 1.0,
                    error / fixed, origin="derived"),
    ]  # fmt: skip


def further_claims(errors: Errors) -> list[Claim]:
    """Check what the source does not print: orders in H, and what each choice is worth."""
    order = {case: _order(errors, case) for case in TABLE_2}
    problem = TwoMassOscillator()
    return [
        Claim.near("frequency of the fast mode", 1.999, float(problem.frequencies()[1]), relative=1e-3, unit="Hz",
                   origin="ours"),
        Claim.about("order in H from 10 to 1.25 ms, order 0", 1.0, order[HELD], margin=0.15, origin="ours"),
        Claim.about("order in H, transition and 4-point Lagrange", 2.3, order[APPROXIMATED], margin=0.4,
                    origin="ours", remark="A line cannot follow the curvature: second order."),
        Claim.about("order in H, flow-flow", 2.2, order[FLOW_FLOW], margin=0.4, origin="ours"),
        Claim.above("a linear instead of a quadratic target of the transition: error times", 5.0,
                    errors[LINEAR_TARGET, STEP] / errors[APPROXIMATED, STEP], origin="ours"),
        Claim.above("4-point Lagrange on both signals beats the best row of Table 2: error divided by", 10.0,
                    errors[FLOW_FLOW, STEP] / errors[CUBIC, STEP], origin="ours"),
    ]  # fmt: skip


def _order(errors: Errors, case: Case) -> float:
    found = [errors[case, step] for step in STEPS]
    return float(np.polyfit(np.log(STEPS), np.log(found), 1)[0])
