"""Rules of FMI for a description as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..errors import did_you_mean
from .attributes import Notes
from .description import FLOATS, ModelDescription, Variable
from .xml_reading import Element

_VARIABILITIES = {
    "structuralParameter": ("fixed", "tunable"),
    "parameter": ("fixed", "tunable"),
    "calculatedParameter": ("fixed", "tunable"),
    "input": ("discrete", "continuous"),
    "output": ("constant", "discrete", "continuous"),
    "local": ("constant", "fixed", "tunable", "discrete", "continuous"),
    "independent": ("continuous",),
}


def check(description: ModelDescription, root: Element, notes: Notes) -> None:
    """Note every violated rule."""
    if description.co_simulation is None and description.model_exchange is None:
        other = "; scheduled execution is not supported" if root.child("ScheduledExecution") is not None else ""
        notes.wrong(root, f"contains neither CoSimulation nor ModelExchange; expected at least one of them{other}")
    _check_uniqueness(description, notes)
    for variable in description.variables:
        for text in _variable_problems(description, variable):
            notes.complain(variable.line, f'"{variable.name}": {text}')
    if description.major > 1:
        _check_structure(description, root, notes)


def _check_uniqueness(description: ModelDescription, notes: Notes) -> None:
    names: dict[str, Variable] = {}
    references: dict[int, str] = {}
    for v in description.variables:
        for name in (v.name, *v.aliases):
            if name in names:
                ports = {v.causality, names[name].causality} & {"input", "output", "parameter", "structuralParameter"}
                note = notes.wrong if ports else notes.complain  # which of two local ones is meant matters little
                note(v.line, f'"{name}": a variable on line {names[name].line} has the same name')
            names[name] = v
        if description.major == 3 and v.reference in references:
            notes.wrong(v.line, f'"{v.name}": valueReference {v.reference} belongs to "{references[v.reference]}"')
        references[v.reference] = v.name


def _variable_problems(description: ModelDescription, v: Variable) -> Iterator[str]:
    allowed = _VARIABILITIES.get(v.causality, ())
    if allowed and v.variability not in allowed:
        yield f"causality {v.causality} with variability {v.variability}; allowed: {', '.join(allowed)}"
    if v.variability == "continuous" and v.type not in FLOATS:
        yield f"a variable of type {v.type} cannot be continuous"
    yield from _start_problems(description, v)
    if v.declared_type and v.declared_type not in description.types:
        yield f'declaredType "{v.declared_type}" is not defined{did_you_mean(v.declared_type, description.types)}'
    if v.unit and v.unit not in description.units and description.major > 1:
        yield f'unit "{v.unit}" is not defined{did_you_mean(v.unit, description.units)}'
    if v.minimum is not None and v.maximum is not None and v.minimum > v.maximum:
        yield f"min = {v.minimum:g} is larger than max = {v.maximum:g}"


def _start_problems(description: ModelDescription, v: Variable) -> Iterator[str]:
    needs = description.major > 1 and v.type != "Clock" and (v.initial in ("exact", "approx") or v.causality == "input")
    if needs and v.start is None:
        yield "the start value is missing"
    if v.start is not None and (v.initial == "calculated" or v.causality == "independent"):
        yield "has a start value although the FMU calculates it"
    if v.start is None:
        return
    width = description.width(v)
    if len(v.start) not in (1, width):
        yield f"{len(v.start)} start values for {width} elements"
    for value in v.start:
        if isinstance(value, float) and v.type in FLOATS and not math.isfinite(value):
            yield f"start = {value}; expected a finite number"
        if isinstance(value, int | float) and not isinstance(value, bool):
            below = v.minimum is not None and value < v.minimum
            above = v.maximum is not None and value > v.maximum
            if below or above:
                yield f"start = {value:g} is outside the range from min = {v.minimum} to max = {v.maximum}"


def _check_structure(description: ModelDescription, root: Element, notes: Notes) -> None:
    part = root.child("ModelStructure")
    if part is None:
        return
    listed = {unknown.name for unknown in description.outputs}
    outputs = {v.name for v in description.with_causality("output")}
    for name in sorted(
        v.name for v in description.with_causality("output") if v.ticks is None and v.name not in listed
    ):
        notes.complain(part, f'output "{name}" is not listed in ModelStructure')
    for name in sorted(listed - outputs - {""}):
        notes.complain(part, f'"{name}" is listed as an output in ModelStructure, but is not an output')
    derivatives = {unknown.name for unknown in description.derivatives} - {""}
    for name in sorted(derivatives):
        if name in description.by_name and not description.by_name[name].derivative_of:
            notes.complain(part, f'"{name}" is listed as a derivative, but has no attribute derivative')
