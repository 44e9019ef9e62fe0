"""Warnings of outputs that did not change in a run although they should have.

A constant output is nothing unusual. It is suspicious where the model itself says otherwise: models are asked about
outputs that are the same bit for bit at the end as at the start, before they end, and the answer counts only if no
row of the result differs.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from operator import eq
from typing import TYPE_CHECKING

import numpy as np

from .._common.ports import offsets
from ..errors import StandstillWarning
from .connection_units import level_of_the_caller

if TYPE_CHECKING:
    from ..results import Result
    from ..system import System
    from .plan import Plan
    from .recording import Driver

_FEWEST_ROWS = 20
"""Rows below which a standstill says nothing."""


class Standstill:
    """The outputs at the start of a run, to find those that have not changed at its end."""

    def __init__(self, system: System, plan: Plan, driver: Driver) -> None:
        self._models = {
            (number, name): system.subsystems[name].subsystem
            for number, name in enumerate(plan.names)
            if system.subsystems[name].subsystem.can_tell_standstill
        }
        self._first = {number: list(driver.values(number)) for number, _ in self._models}

    def unchanged(self, driver: Driver) -> dict[str, list[str]]:
        """Return the outputs that are as they were, per subsystem."""
        found = {}
        for (number, name), model in self._models.items():
            first, last = self._first[number], list(driver.values(number))
            if any(map(eq, first, last)) and (still := _unchanged(model.output_widths, first, last)):
                found[name] = still
        return found

    def problems(self, unchanged: dict[str, list[str]], t: float) -> dict[str, str]:
        """Return what models say at ``t`` (s) against outputs that are as they were: ``subsystem.output`` -> reason."""
        models = {name: model for (_, name), model in self._models.items()}
        reasons = {name: models[name].standstill_problems(outputs, t) for name, outputs in unchanged.items()}
        return {f"{name}.{output}": reason for name, found in reasons.items() for output, reason in found.items()}


def _unchanged(widths: dict[str, int], first: Sequence[float], last: Sequence[float]) -> list[str]:
    begins = offsets(widths)
    return [name for name, n in widths.items() if first[(k := begins[name]) : k + n] == last[k : k + n]]


def warn_about_standstill(result: Result, problems: dict[str, str]) -> None:
    """Warn of outputs that are the same in all rows of a result."""
    for port, reason in problems.items():
        if port not in result.signals:
            continue
        values = np.asarray(result[port].values)
        if len(values) >= _FEWEST_ROWS and np.ptp(values, axis=0).max(initial=0.0) == 0.0:
            name, _, output = port.partition(".")
            value = np.ravel(values[0])[0]
            warnings.warn(
                f'{name}: output "{output}" stayed at {value:g} in all {len(values)} rows, but {reason}; '
                "do not trust this run: try another step, kind or version of the model",
                StandstillWarning,
                stacklevel=level_of_the_caller(),
            )
