"""Parameters and start values that a user gives to an FMU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ..errors import did_you_mean
from .description import ModelDescription, Variable
from .values import ValueReader, pack, wrong_place


@dataclass
class GivenValues:
    """Values by variable: structural parameters, all packed for the core, those of ports; and what is wrong."""

    structure: dict[str, int]
    assignments: dict[str, _core.fmi.Assignment] = field(default_factory=dict)
    inputs: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read_values(
    description: ModelDescription, parameters: Mapping[str, Any], start: Mapping[str, Any], structure: dict[str, int]
) -> GivenValues:
    """Check and pack values; ``structure`` has the structural parameters of a state to resume from."""
    made = GivenValues(structure)
    known = list(_known(description, parameters, start, made.problems))
    lengths = ValueReader(description, {})
    for where, variable, value in known:
        if variable.causality == "structuralParameter":
            structure[variable.name] = int((lengths.read(where, variable, value) or [1])[0])
    reader = ValueReader(description, structure)
    for where, variable, value in known:
        before = len(reader.problems)
        values = reader.read(where, variable, value)
        if len(reader.problems) == before:
            made.assignments[variable.name] = pack(description, variable, values)
            if variable.causality in ("input", "parameter"):  # a parameter becomes an input where events change it
                made.inputs[variable.name] = tuple(values)
    made.problems += reader.problems
    return made


def _known(
    description: ModelDescription, parameters: Mapping[str, Any], start: Mapping[str, Any], problems: list[str]
) -> list[tuple[str, Variable, Any]]:
    wanted = [("parameters", name, value) for name, value in parameters.items()]
    wanted += [("start", name, value) for name, value in start.items()]
    known: list[tuple[str, Variable, Any]] = []
    for key, name, value in wanted:
        variable = description.by_name.get(name)
        problem = f"no such variable{_hint(description, key, name)}" if variable is None else wrong_place(key, variable)
        if problem:
            problems.append(f'{key}."{name}": {problem}')
        elif variable is not None:
            known.append((f'{key}."{name}"', variable, value))
    return known


def _hint(description: ModelDescription, key: str, name: str) -> str:
    return did_you_mean(name, [v.name for v in description.variables if not wrong_place(key, v)])
