"""Units of the variables of an FMU."""

from __future__ import annotations

from dataclasses import replace

from .description import ModelDescription, Unit, Variable


def unit_of(description: ModelDescription, variable: Variable) -> Unit | None:
    """Return the unit of a variable as the FMU defines it; None when it does not."""
    unit = description.units.get(unit_name(description, variable))
    declared = description.types.get(variable.declared_type)
    difference = variable.relative or (declared is not None and declared.relative)
    return replace(unit, difference=True) if unit is not None and difference else unit


def unit_name(description: ModelDescription, variable: Variable) -> str:
    """Return the name of the unit of a variable, its own or that of its type; empty when there is none."""
    declared = description.types.get(variable.declared_type)
    return variable.unit or (declared.unit if declared else "")
