"""What the thesis says of its techniques, beside what comes out here."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..claims import Claim
from . import cosimulation as c
from . import function_evaluation as f
from .cosimulation import Couplings
from .function_evaluation import Evaluations

PUBLISHED_EVALUATION = {f.PYTHON: (12.7, 14.3), f.POINTER: (110.8, 127.4), f.OCTAVE: (361.0, 395.2)}
"""Ratios of Table 5.1 for steps of 1 and 10 ms: MEX functions (the host's language in the same process), the MATLAB
Compiler (compiled, called by pointer) and the MATLAB Engine (another process that interprets)."""

PUBLISHED_COUPLING = {c.SCHEDULER: (1.0, 1.0), c.DIAGRAM: (4.1, 2.9), c.SOCKET: (8.9, 6.3), c.BLOCKS: (29.5, 43.2)}
"""Ratios of Table 5.2 for 5 and 10 loops: MBS as master, Simulink as master, network connection, SimMechanics."""


def evaluation_claims(made: Evaluations) -> list[Claim]:
    """Return Table 5.1 and what the text says of it."""
    claims = []
    for technique, published in PUBLISHED_EVALUATION.items():
        for step, ratio in zip(f.STEPS, published, strict=True):
            remark = "the source's compiled code still calls MATLAB's run-time for every operation; ours does not"
            claims.append(
                Claim.magnitude(
                    f"Table 5.1, {1e3 * step:g} ms: {technique} over the native model",
                    ratio,
                    made.ratio(technique, step),
                    factor=100.0,
                    remark=made.missing.get(technique, remark if technique == f.POINTER else _FASTER_NATIVE),
                )
            )
    order = [made.seconds[name, f.STEPS[0]] for name in f.TECHNIQUES if (name, f.STEPS[0]) in made.seconds]
    worst = min((b / a for a, b in pairwise(order)), default=np.nan)
    distance = max(made.distance.values())
    return [
        *claims,
        Claim.above(f"5.3.4: the order is {', '.join(f.TECHNIQUES)}; smallest ratio of neighbours, 1 ms", 1.0, worst,
                    remark="the source has MEX before the Compiler, see above"),
        Claim.below("5.3.4: results are the same wherever the terms come from; largest distance from the native run",
                    1e-6, distance, unit="m",
                    remark="the source says identical; here each writes its sums its own way"),
    ]  # fmt: skip


_FASTER_NATIVE = (
    "the native model is some 50 times faster than the source's, so that whatever crosses a border weighs more"
)


def coupling_claims(made: Couplings) -> list[Claim]:
    """Return Table 5.2 and what the text says of it."""
    claims = []
    for technique, published in PUBLISHED_COUPLING.items():
        for loops, ratio in zip(c.LOOPS, published, strict=True):
            claims.append(
                Claim.magnitude(
                    f"Table 5.2, L = {loops}: {technique} over the fastest",
                    ratio,
                    made.ratio(technique, loops),
                    factor=10.0,
                    remark=made.missing.get(technique, _REMARKS.get(technique, "")),
                )
            )
    for loops in c.LOOPS:
        order = [made.seconds[name, loops] for name in _ORDER if (name, loops) in made.seconds]
        worst = min(b / a for a, b in pairwise(order))
        claims.append(
            Claim.above(
                f"Table 5.2, L = {loops}: the order is {', '.join(_ORDER)}; smallest ratio of neighbours", 1.0, worst
            )
        )
        worst_speed = max(made.deviation(name, loops) for name in c.TECHNIQUES if (name, loops) in made.speed)
        claims.append(
            Claim.below(f"5.4.4, L = {loops}: results show no significant variation between the techniques; largest "
                        "difference of the crank's speed from the exact model", 1.0, worst_speed, unit="rad/s",
                        remark="of some 60 rad/s; held values, and events that fall into another step, make it")
        )  # fmt: skip
    return claims


_ORDER = (c.SCHEDULER, c.DIAGRAM, c.SOCKET, c.BLOCKS)
_REMARKS = {
    c.BLOCKS: "the mechanism is a Python function here, SimMechanics there",
    c.SOCKET: "a Unix socket and two processes on one machine",
}
