"""Which variables of an FMU are ports."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import did_you_mean
from .description import ModelDescription, Variable
from .texts import can_be_signal


def waits_for_connection(variable: Variable) -> bool:
    """Return whether an input or output is a port only where it is connected or set.

    Strings and binaries are, and inputs without a start value: only the FMU knows the value that it has when
    nothing writes it.
    """
    if not variable.is_numeric:
        return True
    return variable.causality == "input" and variable.start is None


def choose_ports(
    description: ModelDescription, names: Iterable[str] | None, key: str, problems: list[str]
) -> list[Variable]:
    """Return the variables named, or all that are ports from the start; ``key``: "inputs" or "outputs".

    Adds to the problems.
    """
    if names is None:
        return [v for v in description.with_causality(key[:-1]) if not waits_for_connection(v)]
    chosen: list[Variable] = []
    for name in [names] if isinstance(names, str) else names:
        variable = description.by_name.get(name)
        if variable is None or (key == "inputs" and variable.causality != "input"):
            fitting = [v.name for v in description.with_causality(key[:-1])]
            problems.append(f'{key}: "{name}": no such {key[:-1]}{did_you_mean(name, fitting)}')
        elif not can_be_signal(variable):
            problems.append(f'{key}: "{name}" is a {variable.type}, which cannot be a signal; use read() and start')
        elif variable in chosen:
            problems.append(f'{key}: "{name}" is named twice')
        else:
            chosen.append(variable)
    return chosen
