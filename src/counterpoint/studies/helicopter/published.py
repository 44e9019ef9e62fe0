"""Numbers of the source, and those of an independent prototype with the same public data."""

from __future__ import annotations

#: Table 6.2, s for a flight of 6 s: case -> main rotor, tail rotor.
COSTS = {1: (299.0, 57.0), 2: (340.0, 55.0), 3: (62.0, 42.0)}
#: Section 6.2: equations of the two models.
EQUATIONS = {"helicopter": 689, "tail": 77}
#: Section 6.4: frequency of the tail rotor's force, Hz; bound of the relative error of the multirate layout.
FORCE_FREQUENCY = 75.0
ERROR = 0.003
#: Table 6.1, Hz.
FREQUENCIES = {"flight dynamics": 1.0, "main rotor dynamics": 7.0, "tail rotor dynamics": 37.0}

#: Hover of a prototype with Padfield's data, rigid blades and blade elements: kW, deg at 0.75 R, deg, N, deg, kW.
PROTOTYPE = {
    "power": 319.0, "collective": 8.28, "coning": 2.06, "tail_thrust": 1195.0, "tail_pitch": 8.46, "tail_power": 22.0,
    "thrust": 22250.0,
}  # fmt: skip
#: Padfield: square of the flap frequency ratio.
FLAP_RATIO_SQUARED = 1.248


def ratio(case: int, rotor: int) -> float:
    """Return how many times more case 2 costs than a case: rotor 0 is the main one.

    >>> round(ratio(3, 0), 2)
    5.48
    """
    return COSTS[2][rotor] / COSTS[case][rotor]
