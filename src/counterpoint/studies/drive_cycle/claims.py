"""What sections 2.1, 4.1 and 5.2 of the source say, beside what came out."""

from __future__ import annotations

import numpy as np

from ...diagram.library import drive_cycle
from ..assumed import assumed
from ..claims import TIMED, Claim
from .experiment import (
    APPROXIMATIONS,
    MEAN_STEP,
    Array,
    Case,
    consumption,
    cosimulation_error,
    discretisation_error,
    fuel_error,
)
from .runs import FIXED, FIXED_HELD, OF_SAMPLES, VARIABLE, VARIABLE_HELD, Runs
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
    errors, late = (
        [discretisation_error(found[case.label], runs.reference) for found in (runs.outcomes, runs.matched)]
        for case in (VARIABLE_HELD, OF_SAMPLES)
    )
    text = "Table 1: discretisation error of the vehicle's speed"
    return [
        Claim.about("4.1, Figure 12: mean macro step in the NEDC", MEAN_STEP, float(steps.mean()), margin=0.1,
                    unit="s", remark=f"Led by the acceleration of the car, p0 = 2, p1 = 2.5. {whole}".strip()),
        Claim.about("Figure 12: smallest macro step", 0.4, float(steps[:-1].min()), margin=1e-6, unit="s"),
        Claim.about("Figure 12: largest macro step", 2.0, float(steps.max()), margin=0.05, unit="s"),
        Claim.below(f"{text}, variable over fixed H of the same mean (printed 0.036/0.060)", 0.6, errors[0] / errors[1],
                    slack=0.01, remark=whole),
        Claim.magnitude(f"{text}, variable H", 0.036, errors[0], factor=2.5, unit="m/s", reason=_OTHER_CAR),
        Claim.magnitude(f"{text}, fixed H", 0.060, errors[1], factor=2.5, unit="m/s", reason=_OTHER_CAR),
        Claim.below("differences of samples instead of the acceleration are late, and still better than fixed H: error "
                    "variable over fixed", 1.0, late[0] / late[1], origin="ours"),
        *_trace_claims(traces),
    ]  # fmt: skip


def _trace_claims(traces: list[Sampled]) -> list[Claim]:
    held, late, wrong, right = traces
    return [
        Claim.below("Table 1 on the prescribed speed alone, held values: error variable over fixed H of the same mean",
                    0.6, held.ratio, origin="derived", remark="p0 = p1 = 2."),
        Claim.about("mean macro step on the prescribed speed alone", 0.9, held.mean_step, margin=0.05, unit="s",
                    origin="derived"),
        Claim.below("the same with differences of samples: error variable over fixed", 0.65, late.ratio, origin="ours"),
        Claim.above("with extrapolation of first order the printed law makes errors larger: variable over fixed", 1.0,
                    wrong.ratio, origin="ours"),
        Claim.below("with the second derivative it does not: variable over fixed", 1.0, right.ratio, origin="ours",
                    remark="The derivative that matters is one above the order in use."),
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
    """Figures 13 and 14: what the other side assumes."""
    speeds = {
        case.label: cosimulation_error(case, runs.outcomes[case.label], runs.reference, "engine_speed")
        for case in (FIXED, FIXED_HELD, VARIABLE, VARIABLE_HELD)
    }
    smooth, held = (_temperature(runs, case) for case in (VARIABLE, VARIABLE_HELD))
    return [
        Claim.above("Figure 14: at the start, with large steps, 4-point extrapolation of the oil's temperature goes "
                    "astray: its largest error in the first 30 s over its mean error", 5.0,
                    float(smooth[1][smooth[0] < EARLY].max() / smooth[1].mean()), origin="derived",
                    remark="Against the temperature itself, which the other side has a step later."),
        Claim.below("Figure 14: otherwise it is nearer than held values: mean error over mean error", 1.0,
                    float(smooth[1].mean() / held[1].mean()), origin="derived"),
        Claim.below("Figure 13: engine speed, order 0: error with variable over fixed H", 1.0,
                    speeds[VARIABLE_HELD.label] / speeds[FIXED_HELD.label], origin="derived"),
        Claim.below("engine speed that the thermal system assumes, fixed H: error with a transition over order 0", 1.0,
                    speeds[FIXED.label] / speeds[FIXED_HELD.label], origin="ours",
                    reason="Each shift takes 0.4 s and is over before the next macro step: a line drawn on from it is "
                    "further away than the last value."),
    ]  # fmt: skip


def _temperature(runs: Runs, case: Case) -> tuple[Array, Array]:
    """Return times and errors of the oil temperature that the powertrain assumes."""
    samples = runs.outcomes[case.label].signal("oil_temperature")
    time, values = assumed(APPROXIMATIONS[case.approximations]["oil_temperature"], *samples)
    return time, np.abs(values - np.interp(time, *samples))


def _plausibility_claims(runs: Runs) -> list[Claim]:
    if runs.until < 1000:
        return []
    reference = runs.reference
    return [
        Claim.near("fuel consumption of the car in the NEDC after a cold start, between that of cars of this class",
                   6.7, consumption(reference), relative=0.1, unit="l/100 km", origin="ours"),
        Claim.about("coolant at the end of the NEDC: the thermostat holds it", 90.0,
                    reference.end("coolant_temperature"), margin=5.0, unit="degC", origin="ours"),
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
