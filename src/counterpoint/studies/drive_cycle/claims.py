"""What sections 2.1, 4.1 and 5.2 of the source say, beside what came out."""

from __future__ import annotations

import numpy as np

from ...diagram.library import drive_cycle
from ..claims import TIMED, Claim
from .experiment import consumption, cosimulation_error, discretisation_error, fuel_error
from .runs import FIXED, FIXED_HELD, MEAN_STEP, VARIABLE, VARIABLE_HELD, Runs
from .trace import Sampled

_OTHER_CAR = "Car, thermal system, solver and processor are others than those of the source."
_TIMES = "Processor times of one machine; the ratio depends on how heavy the models are."
EARLY = 30.0
"""The start of the cycle, s, in which figure 14 shows the overshoot."""


def drive_cycle_claims(runs: Runs, traces: list[Sampled]) -> list[Claim]:
    """Return all claims, those that the source prints first."""
    return [
        *_step_claims(runs, traces),
        *_accuracy_claims(runs),
        *_time_claims(runs),
        *_approximation_claims(runs),
        *_plausibility_claims(runs),
        *_other_cycle_claims(runs),
    ]


def _step_claims(runs: Runs, traces: list[Sampled]) -> list[Claim]:
    steps = runs.outcomes[VARIABLE_HELD.label].steps
    whole = "" if runs.until > 1000 else "The quick form runs the first urban cycle only."
    errors = [discretisation_error(o[VARIABLE_HELD.label], runs.reference) for o in (runs.outcomes, runs.matched)]
    held, wrong, right = traces
    return [
        Claim.about("4.1, Figure 12: mean macro step in the NEDC", MEAN_STEP, float(steps.mean()), margin=0.1, unit="s",
                    remark=f"Led by the engine's speed, p0 = 2, p1 = 1. {whole}"),
        Claim.about("Figure 12: smallest macro step", 0.4, float(steps[:-1].min()), margin=1e-6, unit="s"),
        Claim.about("Figure 12: largest macro step", 2.0, float(steps.max()), margin=0.05, unit="s"),
        Claim.below("Table 1: discretisation error of the vehicle's speed, variable over fixed H of the same mean "
                    "(printed 0.036/0.060)", 0.6, errors[0] / errors[1], slack=0.005, remark="Run of the car, led by "
                    "the engine's speed."),
        Claim.magnitude("Table 1: discretisation error of the vehicle's speed, variable H", 0.036, errors[0], factor=3,
                        unit="m/s", reason=_OTHER_CAR),
        Claim.magnitude("Table 1: discretisation error of the vehicle's speed, fixed H", 0.060, errors[1], factor=3,
                        unit="m/s", reason=_OTHER_CAR),
        Claim.below("Table 1 on the prescribed speed alone, held values: error variable over fixed H of the same mean",
                    0.6, held.ratio, origin="derived", remark="Led by the speed, p0 = p1 = 2."),
        Claim.about("mean macro step on the prescribed speed alone", 0.9, held.mean_step, margin=0.05, unit="s",
                    origin="derived"),
        Claim.above("with extrapolation of first order the printed law makes errors larger: variable over fixed", 1.0,
                    wrong.ratio, origin="ours"),
        Claim.below("with the second derivative instead of the first it does not: variable over fixed", 1.0,
                    right.ratio, origin="ours", remark="The derivative that matters is one above the order in use."),
    ]  # fmt: skip


def _accuracy_claims(runs: Runs) -> list[Claim]:
    distance = drive_cycle("nedc").distance
    claims = [
        Claim.below(f"5.2: error of the fuel consumption ≪ 1 %: {case.label}", 0.5,
                    100 * abs(fuel_error(runs.outcomes[case.label], runs.reference)), unit="%",
                    origin="printed" if case is VARIABLE else "ours", spread=0.1)
        for case in (VARIABLE, FIXED, VARIABLE_HELD, FIXED_HELD)
    ]  # fmt: skip
    if runs.until > 1000:
        claims += [
            Claim.about(f"way of the NEDC, {name}", distance, outcome.end("distance"), margin=10.0, unit="m",
                        origin="derived", remark="The regulation's table of operations gives 11 013 m.")
            for name, outcome in (("monolithic", runs.reference), ("co-simulated", runs.outcomes[VARIABLE.label]))
        ]  # fmt: skip
    return claims


def _time_claims(runs: Runs) -> list[Claim]:
    simulated = runs.until
    coupled = runs.outcomes[VARIABLE.label].cpu
    return [
        Claim.above("Table 1: speed-up over the monolithic run, variable H", 4.5, runs.speed_up(VARIABLE), spread=TIMED,
                    remark=_TIMES),
        Claim.above("Table 1: speed-up over the monolithic run, fixed H", 4.5, runs.speed_up(FIXED), spread=TIMED,
                    remark=_TIMES),
        Claim.magnitude("2.1: processor time of the whole over the sum of its parts alone", 12.1,
                        runs.assembling_factor(), factor=2, spread=TIMED, remark=_TIMES),
        Claim.below("5.2: the co-simulation is faster than real time: processor time over simulated time", 1.0,
                    coupled / simulated, spread=TIMED),
        Claim.below("5.2: computing time of the monolithic run (printed 1400 s)", 1400.0, runs.reference.cpu, unit="s",
                    spread=TIMED).not_comparable(_OTHER_CAR),
    ]  # fmt: skip


def _approximation_claims(runs: Runs) -> list[Claim]:
    """Figure 14: 4-point extrapolation of the oil's temperature overshoots at the start, and is nearer afterwards."""
    early, late = (_temperature_errors(runs, *span) for span in ((0.0, EARLY), (EARLY, runs.until)))
    speeds = {
        case.label: cosimulation_error(case, runs.outcomes[case.label], runs.reference, "engine_speed")
        for case in (FIXED, FIXED_HELD, VARIABLE, VARIABLE_HELD)
    }
    return [
        Claim.above("Figure 14: at the start the 4-point extrapolation of the oil's temperature is worse than held "
                    "values: largest error over largest error, variable H", 1.0, early[0] / early[1],
                    reason="Here the first samples lie on a smooth curve: the oil warms from rest, so there is no kink "
                    "that a cubic could overshoot."),
        Claim.below("Figure 14: later it is mostly nearer to the reference than held values: mean error over mean "
                    "error", 1.0, late[2] / late[3]),
        Claim.below("Figure 13: engine speed that the thermal system assumes, variable H: error with approximation "
                    "over order 0", 1.0, speeds[VARIABLE.label] / speeds[VARIABLE_HELD.label], origin="ours"),
        Claim.below("Figure 13: engine speed, order 0: error with variable over fixed H", 1.0,
                    speeds[VARIABLE_HELD.label] / speeds[FIXED_HELD.label], origin="derived"),
    ]  # fmt: skip


def _temperature_errors(runs: Runs, begin: float, end: float) -> tuple[float, float, float, float]:
    """Return largest and mean errors of the oil's temperature as assumed, approximated and held, between two times."""
    from ..assumed import assumed
    from .experiment import APPROXIMATIONS

    found = []
    for case in (VARIABLE, VARIABLE_HELD):
        time, values = assumed(
            APPROXIMATIONS[case.approximations]["oil_temperature"],
            *runs.outcomes[case.label].signal("oil_temperature"),
        )
        there = (time >= begin) & (time <= end)
        error = np.abs(values - runs.reference.at("oil_temperature", time))[there]
        found.append((float(error.max()), float(error.mean())))
    return found[0][0], found[1][0], found[0][1], found[1][1]


def _plausibility_claims(runs: Runs) -> list[Claim]:
    if runs.until < 1000:
        return []
    reference = runs.reference
    return [
        Claim.near("fuel consumption of the car in the NEDC after a cold start, between that of cars of this class",
                   6.7, consumption(reference), relative=0.1, unit="l/100 km", origin="ours"),
        Claim.about("coolant at the end of the NEDC: the thermostat holds it", 90.0, reference.end("coolant_temperature"),
                    margin=5.0, unit="degC", origin="ours"),
    ]  # fmt: skip


def _other_cycle_claims(runs: Runs) -> list[Claim]:
    claims = []
    for name, (whole, outcome) in runs.others.items():
        distance = drive_cycle(name).distance
        claims += [
            Claim.about(f"way of the {name.upper()}, co-simulated", distance, outcome.end("distance"), margin=20.0,
                        unit="m", origin="derived", remark="UN GTR No. 15."),
            Claim.below(f"error of the fuel consumption in the {name.upper()}, variable H", 0.5,
                        100 * abs(fuel_error(outcome, whole)), unit="%", origin="ours", spread=0.1),
            Claim.above(f"speed-up in the {name.upper()}, variable H", 4.5, whole.cpu / outcome.cpu, origin="ours",
                        spread=TIMED, remark=_TIMES),
        ]  # fmt: skip
    return claims
