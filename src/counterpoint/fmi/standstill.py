"""What a running FMU says against outputs that do not change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SetupError
from .core_setup import is_continuous
from .description import Variable
from .options import MODEL_EXCHANGE

if TYPE_CHECKING:
    from .imported_fmu import Fmu


def standstill_problems(fmu: Fmu, still: Sequence[str], t: float) -> dict[str, str]:
    """Return what speaks against continuous outputs that have not changed up to ``t`` (s): output -> reason."""
    continuous = [v.name for v in fmu.ports[1] if is_continuous(v)]
    suspects = [name for name in continuous if name in still]
    if fmu.kind == MODEL_EXCHANGE or not suspects:
        return {}
    found = {}
    for variable in fmu.description.variables:
        if variable.derivative_of in suspects and (rate := _first_value(fmu, variable, 0.0)) != 0.0:
            found[variable.derivative_of] = f'its derivative "{variable.name}" is {rate:g}'
    if found or suspects != continuous:
        return found
    for clock in fmu.description.with_causality("independent"):
        if abs((own := _first_value(fmu, clock, t)) - t) > 1e-6 * max(abs(t), 1.0):
            found = {name: f'its own time "{clock.name}" is {own:g} s at t = {t:g} s' for name in suspects}
    return found


def _first_value(fmu: Fmu, variable: Variable, otherwise: float) -> float:
    """Return a value of the running FMU, or another one where it cannot be read."""
    try:
        return float(np.ravel(fmu.read(variable.name))[0])
    except (SetupError, IndexError, ValueError):
        return otherwise
