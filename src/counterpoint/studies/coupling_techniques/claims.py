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
from .linkage import STEP

T = TypeVar("T")

PUBLISHED_EVALUATION = {f.PYTHON: (12.7, 14.3), f.POINTER: (110.8, 127.4), f.OCTAVE: (361.0, 395.2)}
"""Ratios of Table 5.1 for steps of 1 and 10 ms: MEX functions (the host's language in the same process), the MATLAB
Compiler (compiled, called by pointer) and the MATLAB Engine (another process that interprets)."""

PUBLISHED_NATIVE_STEP = 5.02
"""Of 1 ms, µs: 5.02e-2 s for 10 s."""

PUBLISHED_COUPLING = {c.SCHEDULER: (1.0, 1.0), c.DIAGRAM: (4.1, 2.9), c.SOCKET: (8.9, 6.3), c.BLOCKS: (29.5, 43.2)}
"""Ratios of Table 5.2 for 5 and 10 loops: MBS as master, Simulink as master, network connection, SimMechanics."""

RATIO = 2.0
"""Factor within which a ratio of times counts as met."""


def evaluation_claims(made: Evaluations) -> list[Claim]:
    """Return Table 5.1 and what the text says of it."""
    crossing = [made.seconds.get((name, f.STEPS[0]), np.nan) for name in _CROSSING]
    worst = min(b / a for a, b in pairwise(crossing))
    pointer, python = (made.ratio(name, f.STEPS[0]) for name in (f.POINTER, f.PYTHON))
    missing = " ".join(made.missing.values())
    return [
        *_table_5_1(made),
        Claim.above("Table 5.1, order: compiled code by pointer (the Compiler) takes longer than the host's language "
                    "in the same process (MEX); ratio of both, 1 ms", 1.0, _measured(pointer / python), spread=TIMED,
                    remark=missing, reason=_COMPILED),
        Claim.above(f"Table 5.1, order: {', '.join(_CROSSING)}; smallest ratio of neighbours, 1 ms", 1.0,
                    _measured(worst), spread=TIMED, origin="derived",
                    remark=missing or "The source has no socket; its Engine is another process, as Octave is."),
        Claim.above("5.5: another process that interprets (Engine) is two orders of magnitude slower than the native "
                    "model; ratio, 1 ms", 100.0, _measured(made.ratio(f.OCTAVE, f.STEPS[0])),
                    spread=TIMED, remark=made.missing.get(f.OCTAVE, "")),
        *_same_results(made),
    ]  # fmt: skip


def _same_results(made: Evaluations) -> list[Claim]:
    others = [name for name in f.TECHNIQUES[1:] if (name, f.STEPS[0]) in made.places]
    between = max(made.distance(name, f.PYTHON, step) for name in others for step in f.STEPS)
    from_native = max(made.distance(f.NATIVE, f.PYTHON, step) / made.own_error[step] for step in f.STEPS)
    return [
        Claim.about("5.3: the terms are evaluated once in each of the iterations (10 000 for 10 s with steps of 1 ms); "
                    "evaluations over iterations, both steps", 1.0,
                    max(made.calls[step] / f.ITERATIONS[step] for step in f.STEPS), margin=0.0, origin="derived"),
        Claim.below("5.3.4: results are the same wherever the terms come from; largest distance between two techniques",
                    1e-6, between, unit="m", origin="derived", spread=TIMED,
                    remark="The source says identical; here each writes its sums its own way."),
        Claim.below("5.3.4: results are those of the native model; largest distance over the native run's own error "
                    "(from steps ten times finer)", 0.01, from_native, origin="derived", spread=0.1,
                    remark="The native model finds c of Φ'' = Φq a + c where its last correction leads; here the "
                           "projections take it from the last iteration, in which the terms were evaluated."),
    ]  # fmt: skip


def _table_5_1(made: Evaluations) -> list[Claim]:
    """Return its ratios: the techniques are others, so that only the order can be compared."""
    claims = []
    for technique, published in PUBLISHED_EVALUATION.items():
        for step, ratio in zip(f.STEPS, published, strict=True):
            claim = Claim.magnitude(
                f"Table 5.1, {1e3 * step:g} ms: {_EVALUATED[technique]} over the native model; ours {technique}", ratio,
                _measured(made.ratio(technique, step)), factor=RATIO, spread=TIMED,
                remark=made.missing.get(technique, ""),
            )  # fmt: skip
            claims.append(claim if technique in made.missing else claim.not_comparable(_other(made, step)))
    return claims


_CROSSING = (f.NATIVE, f.PYTHON, f.SOCKET, f.OCTAVE)
_COMPILED = (
    "The source's time goes into converting data structures for MATLAB's library; our pointer gets plain arrays."
)
_EVALUATED = {f.PYTHON: "MEX functions", f.POINTER: "MATLAB Compiler", f.OCTAVE: "MATLAB Engine"}


def _measured(value: float) -> float | None:
    return None if np.isnan(value) else value


def _other(made: Evaluations, step: float) -> str:
    native = 1e6 * step * made.seconds[f.NATIVE, step]
    return (
        f"Another technique over another native model, whose step takes {native:.2g} µs here (1 ms in the source: "
        f"{PUBLISHED_NATIVE_STEP:.2g} µs). Both evaluate the terms {f.ITERATIONS[step]} time"
        f"{'s' if f.ITERATIONS[step] > 1 else ''} per step."
    )


def coupling_claims(made: Couplings) -> list[Claim]:
    """Return Table 5.2, the curve over the size, and what the text says of them."""
    return [*_table_5_2(made), *_order(made), *_real_time(made), *_one_diagram(made)]


def _table_5_2(made: Couplings) -> list[Claim]:
    claims = []
    for technique, published in PUBLISHED_COUPLING.items():
        for loops, ratio in zip(c.LOOPS, published, strict=True):
            claim = Claim.magnitude(
                f"Table 5.2, L = {loops}: {COUPLED_IN_THE_SOURCE[technique]} over the fastest; ours {technique}", ratio,
                _measured(made.ratio(technique, loops)), factor=RATIO, spread=TIMED,
                remark=made.missing.get(technique, ""), reason=_reason(made, technique, loops),
            )  # fmt: skip
            claims.append(claim.not_comparable(_BLOCKS) if technique == c.BLOCKS else claim)
    return claims


_BLOCKS = "The mechanism is a Python function here, SimMechanics there."


def _reason(made: Couplings, technique: str, loops: int) -> str:
    ours, fastest = (1e6 * STEP * made.seconds.get((name, loops), np.nan) for name in (technique, c.SCHEDULER))
    return (
        f"A step of both takes {fastest:.1f} µs with our scheduler (19 to 30 µs in the source) and {ours:.1f} µs with "
        "this technique: whatever it adds weighs more or less beside another base."
    )


def _order(made: Couplings) -> list[Claim]:
    claims = []
    for loops in c.LOOPS:
        order = [made.seconds[name, loops] for name in _ORDER if (name, loops) in made.seconds]
        worst = min(b / a for a, b in pairwise(order))
        worst_speed = max(made.deviation(name, loops) for name in c.TECHNIQUES if (name, loops) in made.speed)
        claims += [
            Claim.above(f"Table 5.2, L = {loops}: the order is {', '.join(_ORDER)}; smallest ratio of neighbours", 1.0,
                        worst, spread=TIMED, reason="The two masters differ by less than the noise of this machine."),
            Claim.below(f"5.4.4, L = {loops}: results show no significant variation between the techniques; largest "
                        "difference of the crank's speed from the exact model", 1.0, worst_speed, unit="rad/s",
                        origin="derived", spread=TIMED,
                        remark="Of some 60 rad/s; held values, and events that fall into another step, make it."),
        ]  # fmt: skip
    return claims


_ORDER = (c.SCHEDULER, c.DIAGRAM, c.SOCKET, c.BLOCKS)


def _real_time(made: Couplings) -> list[Claim]:
    """Return the curve over the number of variables."""
    claims = []
    for technique in c.CURVE:
        counts, seconds = made.curve(technique)
        largest = max((n for n, each in zip(counts, seconds, strict=True) if each < 1.0), default=0)
        told = ", ".join(f"{n}: {each:.2g} s" for n, each in zip(counts, seconds, strict=True))
        claims.append(
            Claim.above(f"5.4.4: real time up to 300 variables: most variables with less than 1 s for a second, "
                        f"{technique}", c.REAL_TIME_VARIABLES, largest, spread=TIMED,
                        remark=f"Variables: time: {told}.")
        )  # fmt: skip
    return claims


def _one_diagram(made: Couplings) -> list[Claim]:
    """Return what is not coupled at all: a general mechanism inside a diagram, and one equation."""
    small, large = (made.ratio(c.BLOCKS, loops) for loops in c.LOOPS)
    claims = [
        Claim.above("5.4.4: the advantage over one model in a diagram grows with the variables: ratio for L = 10 over "
                    "that for L = 5", 1.0, _measured(large / small), origin="derived", spread=TIMED,
                    reason="Our function costs mostly calls of NumPy, which do not grow with the linkage.")
    ]  # fmt: skip
    for loops in c.LOOPS:
        claims.append(
            Claim.below(f"one equation, compiled in one diagram, L = {loops}: time over the fastest coupling", 1.0,
                        made.ratio(c.REFERENCE, loops), origin="ours", spread=TIMED,
                        remark="Who sees that all cranks turn alike needs no multibody program; a general one cannot.")
        )  # fmt: skip
    return claims


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
    """Return both tables with everything that was measured, in the order of the source, and the curve."""
    note = "Ratios of the best times in one run to {}; an empty cell was not printed or not measured."
    coupled = _rows(COUPLED_IN_THE_SOURCE, c.LOOPS, PUBLISHED_COUPLING, couplings.ratio)
    coupled.insert(-2, ["", "SimMechanics, generated C code", 19.3, "", 27.7, ""])
    return [
        Table(
            "Table 5.1, where dynamic terms are evaluated",
            _columns(*(f"{1e3 * step:g} ms" for step in f.STEPS)),
            _rows(EVALUATED_IN_THE_SOURCE, f.STEPS, PUBLISHED_EVALUATION, evaluations.ratio),
            note.format("the native model, with one evaluation per iteration as in the source"),
        ),
        Table(
            "Table 5.2, how linkage and engine are coupled",
            _columns(*(f"L = {loops}" for loops in c.LOOPS)),
            coupled,
            note.format("the fastest coupling"),
        ),
        _curve_table(couplings),
    ]


def _curve_table(made: Couplings) -> Table:
    sizes = [size for size in c.SIZES if (c.SCHEDULER, size) in made.seconds]
    names = (*c.CURVE, c.REFERENCE)
    rows = [[float(size), float(c.variables(size)), *(made.seconds[name, size] for name in names)] for size in sizes]
    return Table("Seconds for a second simulated, over the size", ("loops", "variables", *names), rows)


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
