"""What chapter 5 of Solcia (2010) and the record of the AWT-27 say, beside what came out here."""

from __future__ import annotations

import numpy as np

from ..claims import TIMED, Claim
from .cart_runs import RPM, difference, settling_time
from .outcome import Outcome

_TIMES = "Processor times of one run after the other on this machine."
_LUMPED = (
    "Ours are finite segments; the reference lumps the blade at the middles of ten elements and describes it by modes."
)
_AWT_MEANS = (
    ("rotor speed", "rotor_speed_rpm", "rpm", 0.001),
    ("generator power", "generator_power_kW", "kW", 0.05),
    ("shaft torque", "shaft_torque_kNm", "kN m", 0.05),
    ("root out-of-plane moment, blade 1", "root_out_of_plane_moment_b1_kNm", "kN m", 0.05),
    ("root in-plane moment, blade 1", "root_in_plane_moment_b1_kNm", "kN m", 0.05),
    ("root out-of-plane force, blade 2", "root_out_of_plane_force_b2_kN", "kN", 0.05),
    ("root in-plane force, blade 2", "root_in_plane_force_b2_kN", "kN", 0.05),
    ("tip flap deflection, blade 2", "tip_flap_deflection_b2_m", "m", 0.05),
    ("tip edge deflection, blade 2", "tip_edge_deflection_b2_m", "m", 0.05),
)


def wind_turbine_claims(outcome: Outcome) -> list[Claim]:
    """Return all claims."""
    return [
        *_awt_claims(outcome),
        *_uae_claims(outcome),
        *_frequency_claims(outcome),
        *_power_claims(outcome),
        *_control_claims(outcome),
        *_rate_claims(outcome),
        *_cost_claims(outcome),
    ]


def _awt_claims(outcome: Outcome) -> list[Claim]:
    run = outcome.awt
    claims = []
    short = "The quick form has six segments per blade and ends at 12 s, before the start has died away."
    remark = short if outcome.quick else ""
    for label, channel, unit, tolerance in _AWT_MEANS:
        ours, theirs = run.harmonics(channel)
        claims.append(Claim.near(f"AWT-27, fixed yaw: mean {label}", theirs.mean, ours.mean, relative=tolerance,
                                 unit=unit, origin="printed", remark=remark, spread=0.02, reason=_LUMPED))  # fmt: skip
    ours, theirs = run.harmonics("teeter_deg")
    claims += [
        Claim.near("AWT-27: teeter amplitude", theirs.amplitudes[0], ours.amplitudes[0], relative=0.1, unit="deg",
                   origin="printed", remark=remark, spread=0.02),
        Claim.about("AWT-27: azimuth of the largest teeter angle", theirs.azimuth, ours.azimuth, margin=15.0,
                    unit="deg", origin="printed", remark=remark, spread=0.02),
    ]  # fmt: skip
    ours, theirs = run.harmonics("root_in_plane_moment_b1_kNm")
    claims.append(Claim.near("AWT-27: root in-plane moment at the rotor frequency (gravity)", theirs.amplitudes[0],
                             ours.amplitudes[0], relative=0.05, unit="kN m", origin="printed",
                             spread=0.02))  # fmt: skip
    for label, channel, unit in (("root out-of-plane moment", "root_out_of_plane_moment_b1_kNm", "kN m"),
                                 ("shaft torque", "shaft_torque_kNm", "kN m"),
                                 ("yaw-bearing moment", "yaw_bearing_moment_kNm", "kN m")):  # fmt: skip
        ours, theirs = run.harmonics(channel)
        claims.append(Claim.magnitude(f"AWT-27: {label} at twice the rotor frequency", theirs.amplitudes[1],
                                      ours.amplitudes[1], factor=1.5, unit=unit, origin="printed",
                                      remark="Tower shadow and dynamic stall.", spread=0.05))  # fmt: skip
    return claims


def _uae_claims(outcome: Outcome) -> list[Claim]:
    """Return the blade elements alone: a rigid rotor in a wind that rises into deep stall."""
    return [
        Claim.below(f"UAE Phase VI, rigid, wind from 5 to {until} m/s: largest difference of the {what} from OpenFAST",
                    bound, outcome.uae.largest(what, until), origin="printed", remark=remark, spread=0.2)
        for until, bound, remark in ((18, 0.015, "Attached flow and the begin of stall."), (25, 0.02, "Deep stall."))
        for what in ("torque", "thrust")
    ]  # fmt: skip


def _frequency_claims(outcome: Outcome) -> list[Claim]:
    rows = (
        ("AWT-27: first flap frequency of the blade", 2.46, outcome.awt.blade[0]),
        ("AWT-27: first edge frequency of the blade", 6.95, outcome.awt.blade[1]),
        ("AWT-27: second flap frequency of the blade", 8.16, outcome.awt.blade[2]),
        ("AWT-27: first frequency of the tower (0.98 Hz in the record)", 0.98, outcome.awt.tower[0]),
        ("CART: first flap frequency of the blade", 2.02, outcome.blade[0]),
        ("CART: first edge frequency of the blade", 4.19, outcome.blade[1]),
        ("CART: first frequency of the tower", 0.965, outcome.tower[0]),
    )
    remark = "Beam finite elements from the same table; ours: eight rigid segments."
    return [Claim.near(label, published, ours, relative=0.05, unit="Hz", origin="derived", remark=remark)
            for label, published, ours in rows]  # fmt: skip


def _power_claims(outcome: Outcome) -> list[Claim]:
    claims = []
    for made in outcome.maps:
        claims.append(Claim.below(f"power coefficient, {made.aerofoil}: largest difference from an independent "
                                  "blade-element code where attached", 0.05, made.largest_error, origin="derived",
                                  remark=f"{len(made.attached)} points."))  # fmt: skip
    power, ratio, pitch = outcome.maps[0].best
    remark = f"At tip speed ratio {ratio:g} and pitch {pitch:g}°; the independent code has 8.5 and -2°."
    claims.append(Claim.near("largest power coefficient, NACA 0012", 0.4456, power, relative=0.05, origin="derived",
                             remark=remark))  # fmt: skip
    return claims


def _control_claims(outcome: Outcome) -> list[Claim]:
    run = outcome.run
    end = run.until
    last = np.linspace(end - min(5.0, end / 2), end, 200)
    power, speed = run.at("control.power", last).mean() / 1e3, run.at("turbine.rotor_speed", last).mean() / RPM
    remark = "Mean of the last 5 s at 15 m/s." if not outcome.quick else "Mean of the last 3 s at 13.5 m/s."
    claims = [
        Claim.near("5.1: rated power", 600.0, power, relative=0.02, unit="kW", remark=remark),
        Claim.near("5.1: rated rotor speed", 41.7, speed, relative=0.005, unit="rpm", remark=remark),
    ]
    steps = [] if outcome.quick else [(120.0, 200.0, "13.5"), (200.0, 280.0, "15")]
    for start, stop, wind in steps:
        claims.append(Claim.below(f"5.7: time to damp out the speed error after the step to {wind} m/s", 40.0,
                                  settling_time(run, start, stop), unit="s",
                                  remark="Until the speed stays within 1 % of 41.7 rpm."))  # fmt: skip
    if outcome.quick:
        claims.append(Claim.below("5.7: time to damp out the speed error after the step to 15 m/s", 40.0, None,
                                  unit="s", remark="Not in the quick form."))  # fmt: skip
    return claims


def _rate_claims(outcome: Outcome) -> list[Claim]:
    claims = []
    remark = f"From {outcome.plan.after:g} s on; the source compares costs only."
    for label, name in (("rotor speed", "turbine.rotor_speed"), ("pitch", "control.pitch"),
                        ("electrical power", "control.power")):  # fmt: skip
        made = difference(outcome.single, outcome.multirate, name, outcome.plan.after)
        claims.append(Claim.below(f"5.6: {label}, two rates against one: largest difference", 0.005, made,
                                  origin="ours", remark=remark, spread=0.2))  # fmt: skip
    return claims


def _cost_claims(outcome: Outcome) -> list[Claim]:
    costs, run = outcome.costs, outcome.run
    return [
        Claim.above("5.6: processor time at one rate (2 ms) over that at two (10 ms and 2 ms), printed 4.1", 3.5,
                    costs.saving, spread=TIMED, remark=f"Source: 934.96 s over 227.81 s. {_TIMES}"),
        Claim.below("processor time over simulated time, two rates", 1.0, run.cpu / run.until, origin="ours",
                    spread=TIMED, remark="The source needs about 0.8 on a processor of 2 GHz of 2004."),
        Claim.below("AWT-27: processor time over simulated time", 1.0, outcome.awt.cpu / outcome.awt.duration,
                    origin="ours", spread=TIMED, remark=f"{outcome.awt.coordinates} coordinates at 4 ms."),
        Claim.magnitude("step cost per coordinate over that of a four-bar chain of equal size", 60.0,
                        costs.per_coordinate, factor=4.0, origin="ours", spread=TIMED,
                        remark=f"{costs.coordinates} coordinates, {costs.step:.0f} µs; chain {costs.four_bar_step:.0f} "
                        "µs: plane, one iteration, no forces but gravity; the turbine has flexible blades in wind."),
    ]  # fmt: skip
