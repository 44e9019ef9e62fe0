"""What the thesis says of its techniques, beside what comes out here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from ..claims import TIMED, Claim
from ..report import Table
from . import cosimulation as c
from . import function_evaluation as f
from .cosimulation import Couplings
from .function_evaluation import Evaluations

T = TypeVar("T")

PUBLISHED_EVALUATION = {f.PYTHON: (12.7, 14.3), f.POINTER: (110.8, 127.4), f.OCTAVE: (361.0, 395.2)}
"""Ratios of Table 5.1 for steps of 1 and 10 ms: MEX functions (the host's language in the same process), the MATLAB
Compiler (compiled, called by pointer) and the MATLAB Engine (another process that interprets)."""

PUBLISHED_NATIVE_STEP = 5.02
"""Of 1 ms, µs: 5.02e-2 s for 10 s."""

PUBLISHED_COUPLING = {c.SCHEDULER: (1.0, 1.0), c.DIAGRAM: (4.1, 2.9), c.SOCKET: (8.9, 6.3), c.BLOCKS: (29.5, 43.2)}
"""Ratios of Table 5.2 for 5 and 10 loops: MBS as master, Simulink as master, network connection, SimMechanics."""


def evaluation_claims(made: Evaluations) -> list[Claim]:
    """Return Table 5.1 and what the text says of it."""
    claims = []
    for technique, published in PUBLISHED_EVALUATION.items():
        for step, ratio in zip(f.STEPS, published, strict=True):
            claims.append(
                Claim.magnitude(
                    f"Table 5.1, {1e3 * step:g} ms: {technique} over the native model",
                    ratio,
                    _measured(made.ratio(technique, step)),
                    factor=10.0,
                    spread=TIMED,
                    remark=made.missing.get(technique, _COMPILED if technique == f.POINTER else _crossing(made)),
                )
            )
    crossing = [made.seconds[name, f.STEPS[0]] for name in _CROSSING if (name, f.STEPS[0]) in made.seconds]
    worst = min((b / a for a, b in pairwise(crossing)), default=np.nan)
    distance = max(made.distance.values())
    return [
        *claims,
        Claim.above("Table 5.1, order: compiled code by pointer (the Compiler) takes longer than the host's language "
                    "in the same process (MEX); ratio of both, 1 ms", 1.0,
                    _measured(made.ratio(f.POINTER, f.STEPS[0]) / made.ratio(f.PYTHON, f.STEPS[0])), spread=TIMED,
                    remark=_COMPILED),
        Claim.above(f"Table 5.1, order: {', '.join(_CROSSING)}; smallest ratio of neighbours, 1 ms", 1.0, worst,
                    spread=TIMED, remark="the source has no socket here; its Engine is another process, as Octave is"),
        Claim.below("5.3.4: results are the same wherever the terms come from; largest distance from the native run",
                    1e-6, distance, unit="m", origin="derived", spread=TIMED,
                    remark="the source says identical; here each writes its sums its own way"),
    ]  # fmt: skip


_CROSSING = (f.NATIVE, f.PYTHON, f.SOCKET, f.OCTAVE)
_COMPILED = "the source's time goes into converting data structures for MATLAB's library; our pointer gets plain arrays"


def _measured(value: float) -> float | None:
    return None if np.isnan(value) else value


def _crossing(made: Evaluations) -> str:
    step = 1e6 * f.STEPS[0] * made.seconds[f.NATIVE, f.STEPS[0]]
    return (
        f"a native step of 1 ms takes {step:.2g} µs here and {PUBLISHED_NATIVE_STEP:.2g} µs in the source, and terms "
        f"are asked for {made.calls:.0f} times in it, in the source once: whatever crosses a border weighs more"
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
                    _measured(made.ratio(technique, loops)),
                    factor=10.0,
                    spread=TIMED,
                    remark=made.missing.get(technique, _REMARKS.get(technique, "")),
                )
            )
    for loops in c.LOOPS:
        order = [made.seconds[name, loops] for name in _ORDER if (name, loops) in made.seconds]
        worst = min(b / a for a, b in pairwise(order))
        claims.append(
            Claim.above(
                f"Table 5.2, L = {loops}: the order is {', '.join(_ORDER)}; smallest ratio of neighbours",
                1.0,
                worst,
                spread=TIMED,
            )
        )
        worst_speed = max(made.deviation(name, loops) for name in c.TECHNIQUES if (name, loops) in made.speed)
        claims.append(
            Claim.below(f"5.4.4, L = {loops}: results show no significant variation between the techniques; largest "
                        "difference of the crank's speed from the exact model", 1.0, worst_speed, unit="rad/s",
                        origin="derived", spread=TIMED,
                        remark="of some 60 rad/s; held values, and events that fall into another step, make it")
        )  # fmt: skip
    return claims


_ORDER = (c.SCHEDULER, c.DIAGRAM, c.SOCKET, c.BLOCKS)
_REMARKS = {
    c.BLOCKS: "the mechanism is a Python function here, SimMechanics there",
    c.SOCKET: "a Unix socket and two processes on one machine",
}


EVALUATED_IN_THE_SOURCE = {
    f.NATIVE: "its own program",
    f.PYTHON: "MEX functions",
    f.POINTER: "MATLAB Compiler",
    f.SOCKET: "",
    f.OCTAVE: "MATLAB Engine",
}
COUPLED_IN_THE_SOURCE = {
    c.SCHEDULER: "its own program as master",
    c.DIAGRAM: "Simulink as master",
    c.MEMORY: "",
    c.SOCKET: "network connection",
    c.FMPY: "",
    c.BLOCKS: "SimMechanics, one model",
    c.REFERENCE: "",
}


def ratio_tables(evaluations: Evaluations, couplings: Couplings) -> list[Table]:
    """Return both tables with everything that was measured, in the order of the source."""
    note = "Ratios of the best times in one run to {}; an empty cell was not printed or not measured."
    coupled = _rows(COUPLED_IN_THE_SOURCE, c.LOOPS, PUBLISHED_COUPLING, couplings.ratio)
    coupled.insert(-2, ["", "SimMechanics, generated C code", 19.3, "", 27.7, ""])
    return [
        Table(
            "Table 5.1, where dynamic terms are evaluated",
            _columns(*(f"{1e3 * step:g} ms" for step in f.STEPS)),
            _rows(EVALUATED_IN_THE_SOURCE, f.STEPS, PUBLISHED_EVALUATION, evaluations.ratio),
            note.format("the native model"),
        ),
        Table(
            "Table 5.2, how linkage and engine are coupled",
            _columns(*(f"L = {loops}" for loops in c.LOOPS)),
            coupled,
            note.format("the fastest coupling"),
        ),
    ]


def _columns(first: str, second: str) -> list[str]:
    return ["here", "in the source", *(f"{size}, {whose}" for size in (first, second) for whose in ("source", "ours"))]


def _rows(
    names: Mapping[str, str],
    sizes: Sequence[T],
    published: Mapping[str, tuple[float, float]],
    ratio: Callable[[str, T], float],
) -> list[list[str | float]]:
    rows = []
    for name, counterpart in names.items():
        pairs = zip(published.get(name, (np.nan, np.nan)), (ratio(name, size) for size in sizes), strict=True)
        numbers = ["" if np.isnan(number) else number for pair in pairs for number in pair]
        rows.append([name, counterpart, *numbers])
    return rows
