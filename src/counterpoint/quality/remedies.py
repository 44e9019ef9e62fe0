"""What would make a run better, in words."""

from __future__ import annotations

from math import isfinite

from .._common.numbers import number_text
from .difference import Motion
from .indicators import ConnectionIndicator

FEW_STEPS = 8.0
"""Steps per period below which a side cannot follow a motion."""

OTHER_SOLVER = (
    "compare with a run of the same model with another solver, which shows the error of its internal steps: an "
    'FMU for model exchange with kind="model-exchange" (command line: --set kind=model-exchange)'
)

FITTING_STEPS = (
    "use FMUs whose solvers make smaller steps, or communication steps of four times the steps of the solvers inside, "
    "or a multiple of that"
)


def remedy(connection: ConnectionIndicator | None, motion: Motion | None, from_start: bool, signal: str = "") -> str:
    """Return the change that is likely to help where none was tried, as a sentence without its full stop.

    Without a connection it is the step of the subsystem of the signal, which nothing reads.
    """
    if connection is None:
        return f'halve the step of "{signal.partition(".")[0]}"' if signal else "halve the steps"
    slower = _slower(connection)
    if motion is not None and isfinite(connection.step) and motion.frequency * connection.step > 1 / FEW_STEPS:
        per_period = 1 / (motion.frequency * connection.step)
        return (
            f'reduce the step of "{slower}": {connection.step:.3g} s is {number_text(per_period)} steps per period of '
            "this motion; at least 8 are needed"
        )
    if connection.starts_wrong and from_start:
        return 'repeat the first steps (first_steps="repeat"), or start with smaller ones'
    if motion is not None and motion.ratio > 1.25 and connection.order > 1:
        return f"use a lower order for {connection.connection} (lagrange(1)), another scheme, or smaller steps"
    if connection.order == 0 and connection.kind == "extrapolates":
        return f"use lagrange(1) or higher for {connection.connection}, or smaller steps"
    return f'halve the step of "{slower}"'


def _slower(connection: ConnectionIndicator) -> str:
    return connection.slower or connection.target.partition(".")[0]
