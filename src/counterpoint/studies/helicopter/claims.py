"""What the source says about the helicopter, what follows from theory, and what a prototype had."""

from __future__ import annotations

import numpy as np

from ..claims import TIMED, Claim
from . import published
from .data import MAIN, TAIL
from .experiment import fuselage_model, tail_model
from .findings import COMPARED, Findings, peak

_PLAUSIBLE = "Plausible, not validated: no measurement of this hover is public."
_SMALL = 0.1
"""Spread of differences of nearly equal numbers."""
_SHORT = "The quick flight ends before the signal is at its largest."
_NOT_SETTLED = "The quick flight ends before the hover has settled."


def helicopter_claims(found: Findings) -> list[Claim]:
    """Return every claim."""
    return [
        *_model_claims(),
        *_multirate_claims(found),
        *_cost_claims(found),
        *_hover_claims(found),
        *_speed_claims(found),
    ]


def _model_claims() -> list[Claim]:
    made = [
        Claim.near(f"Section 6.2: equations of the {what}", published.EQUATIONS[name], model.assembled().model.equations
                   + model.assembled().free, relative=0.0).not_comparable(
            "MBDyn counts coordinates, momenta and multipliers, and its blades are beams; ours counts natural "
            "coordinates and multipliers, and the blades are rigid on flap springs.")
        for what, name, model in (("main rotor with fuselage", "helicopter", fuselage_model()),
                                  ("tail rotor", "tail", tail_model()))
    ]  # fmt: skip
    turns = MAIN.speed / (2 * np.pi), TAIL.speed / (2 * np.pi)
    made += [
        Claim.about(f"Table 6.1: {name}", published.FREQUENCIES[name], turn, margin=0.2, unit="Hz",
                    remark="A turn of the rotor, from public data.")
        for name, turn in zip(("main rotor dynamics", "tail rotor dynamics"), turns, strict=True)
    ]  # fmt: skip
    made.append(
        Claim.near("Padfield: square of the flap frequency ratio of the main rotor", published.FLAP_RATIO_SQUARED,
                   1 + MAIN.flap_stiffness / (MAIN.flap_inertia * MAIN.speed**2), relative=1e-3, origin="derived",
                   remark="The model flaps so: see the tests of the rotor hub.")
    )  # fmt: skip
    return made


def _multirate_claims(found: Findings) -> list[Claim]:
    bound = 100 * published.ERROR
    made = [
        Claim.below(f"Figures 6.4-6.6: {name}, multirate against single rate", bound,
                    100 * found.multi.difference(name, found.single), unit="%", spread=_SMALL,
                    remark="Largest difference over the largest value of the signal; over its range "
                    f"{100 * found.multi.over_range(name, found.single):.2f} %.",
                    reason=_SHORT if found.quick else "")
        for name in COMPARED
    ]  # fmt: skip
    made += [
        Claim.below(f"One mechanism against the cut one, single rate: {name}", 1.0,
                    100 * found.single.difference(name, found.one), unit="%", origin="ours", spread=_SMALL,
                    remark="What cutting the tail rotor off costs in accuracy, with steps of 2.2e-4 s.")
        for name in COMPARED
    ]  # fmt: skip
    frequency, amplitude = peak(found.single)
    remark = f"Twice per turn would be {2 * TAIL.speed / (2 * np.pi):.1f} Hz; amplitude {amplitude:.2g} N."
    made.append(Claim.about("Figure 6.7: frequency of the tail rotor's force", published.FORCE_FREQUENCY, frequency,
                            margin=1.5, unit="Hz", remark=remark))  # fmt: skip
    return made


def _cost_claims(found: Findings) -> list[Claim]:
    single, multi = found.single.seconds, found.multi.seconds
    return [
        Claim.above("Table 6.2: cost of the main rotor, case 2 over case 3", 4.5,
                    single["helicopter"] / multi["helicopter"], spread=TIMED,
                    remark=f"The source has {published.ratio(3, 0):.2f} with a ratio of steps of 5."),
        Claim.magnitude("Table 6.2: cost of the tail rotor, case 2 over case 3", round(published.ratio(3, 1), 2),
                        single["tail"] / multi["tail"], factor=1.6, spread=TIMED,
                        remark="The source saves by fewer communications, which cost next to nothing here."),
        Claim.magnitude("Table 6.2: cost of both models, case 2 over case 1",
                        round(sum(published.COSTS[2]) / sum(published.COSTS[1]), 2),
                        (single["helicopter"] + single["tail"]) / found.one.seconds["helicopter"], factor=1.6,
                        spread=TIMED, remark="Case 1 is one mechanism here."),
    ]  # fmt: skip


def _hover_claims(found: Findings) -> list[Claim]:
    late = not found.quick
    theory, tail = found.theory(), found.tail_theory()
    values = {
        "power": (found.hover("power"), "kW", "power of the main rotor"),
        "collective": (found.hover("collective") + np.degrees(0.75 * MAIN.twist), "deg",
                       "collective pitch at 0.75 R"),
        "coning": (found.hover("coning"), "deg", "coning"),
        "thrust": (found.hover("thrust"), "N", "thrust of the main rotor"),
        "tail_thrust": (found.hover("tail_thrust"), "N", "thrust of the tail rotor"),
        "tail_pitch": (found.hover("pitch"), "deg", "pitch of the tail rotor"),
        "tail_power": (found.hover("tail_power"), "kW", "power of the tail rotor"),
    }  # fmt: skip
    made = [
        Claim.near(f"Hover: {what}", published.PROTOTYPE[name], value, relative=0.1 if "tail" in name else 0.05,
                   unit=unit, origin="ours", spread=0.02,
                   remark=f"An independent prototype with the same public data. {_PLAUSIBLE}",
                   reason="" if late else _NOT_SETTLED)
        for name, (value, unit, what) in values.items()
    ]  # fmt: skip
    flow = "Momentum theory with uniform inflow and blade elements, at the thrust found."
    pairs = (
        ("induced velocity", theory.induced, found.hover("inflow"), "m/s", 0.02),
        ("power of the main rotor", 1e-3 * theory.power, found.hover("power"), "kW", 0.02),
        ("collective pitch at 0.75 R", np.degrees(theory.pitch), values["collective"][0], "deg", 0.03),
        ("coning", np.degrees(theory.coning), found.hover("coning"), "deg", 0.03),
        ("power of the tail rotor", 1e-3 * tail.power, found.hover("tail_power"), "kW", 0.05),
    )
    made += [
        Claim.near(f"Hover in closed form: {what}", round(float(closed), 4), value, relative=within, unit=unit,
                   origin="derived", spread=0.02, remark=flow, reason="" if late else _NOT_SETTLED)
        for what, closed, value, unit, within in pairs
    ]  # fmt: skip
    return made


def _speed_claims(found: Findings) -> list[Claim]:
    made = [
        Claim.above("Multirate, one core: simulated seconds per second of processor time", 1.0,
                    found.multi.until / found.multi.cpu, origin="ours", spread=TIMED,
                    remark="With all that a run does; recording of all outputs included.")
    ]  # fmt: skip
    for own, other in zip(found.steps[::2], found.steps[1::2], strict=True):
        remark = (
            f"{own.microseconds:.0f} µs per step of {own.coordinates} coordinates with air; {other.microseconds:.1f} "
            f"µs of {other.coordinates} of the four-bar, which is plane, without forces and needs one iteration."
        )
        made.append(
            Claim.below(f"Step of {own.model} per coordinate, over that of the four-bar of the same size", 60.0,
                        own.per_coordinate / other.per_coordinate, origin="ours", spread=TIMED, remark=remark)
        )  # fmt: skip
    return made
