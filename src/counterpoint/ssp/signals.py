"""Values on their way from connector to connector: units are converted, then transformations applied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..units import Conversion, Unit, UnitProblem, conversion
from . import structure as s
from .flattening import Edge, Flat, Key, Value


@dataclass(frozen=True)
class Path:
    """What a chain of connections makes of a signal.

    Attributes
    ----------
    total : Conversion
        All units and transformations in one.
    plain : bool
        Whether one connection does it all between units that the FMUs themselves name, so that nothing is lost when
        the scenario says it in its own words.
    """

    total: Conversion
    plain: bool


def follow(flat: Flat, chain: list[Edge]) -> Path | None:
    """Put the conversions along a chain together; None, and notes, when that is not possible."""
    total = Conversion()
    current = flat.unit(chain[0].source)
    for edge in chain:
        connection = edge.connection
        needed = flat.unit(edge.sink)
        found = _unit_conversion(flat, current, needed, connection.place) if connection.converts else Conversion()
        line = as_line(flat, connection.transformation, edge.source, edge.sink, connection.place)
        if found is None or line is None:
            return None
        total = _after(_after(total, found), line)
        current = needed or (current if connection.converts else None)
    ends = (chain[0].source, chain[-1].sink)
    plain = len(chain) == 1 and all(_said_by_the_fmu(flat, key) for key in ends)
    return Path(total, plain and (not chain[0].connection.converts or _is_plain(flat, *ends)))


def _is_plain(flat: Flat, source: Key, sink: Key) -> bool:
    """Whether the units of two variables are converted as their definitions say."""
    given, needed = flat.unit(source), flat.unit(sink)
    if given is None or needed is None or given.exponents is None or needed.exponents is None:
        return True
    try:
        return conversion(given, needed).is_identity or given.name != needed.name
    except UnitProblem:
        return False


def as_line(
    flat: Flat, transformation: s.Transformation | None, source: Key, sink: Key, place: s.Location
) -> Conversion | None:
    """Return a transformation as a straight line; a table that is none cannot be a connection."""
    if transformation is None:
        return Conversion()
    if isinstance(transformation, s.Linear):
        return transformation.conversion
    points = _points(flat, transformation, source, sink)
    line = _line_through(points) if points is not None else None
    if line is None:
        place.wrong(
            f"{transformation}: a table of values in a connection needs at least two points, all on a straight "
            "line; do the mapping in one of the FMUs"
        )
    return line


@dataclass(frozen=True)
class _Step:
    """One step of a value from key to key."""

    source: Key
    sink: Key
    transformation: s.Transformation | None
    converts: bool
    place: s.Location


def value_of(flat: Flat, given: Value, sink: Key, chain: list[Edge]) -> Any:
    """Return the value that a parameter has at a key, after mapping and connections; None if there is none."""
    parameter = given.parameter
    first = chain[0].source if chain else sink
    steps = [_Step(first, first, given.transformation, given.converts, parameter.place)]
    for edge in chain:
        how = edge.connection
        steps.append(_Step(edge.source, edge.sink, how.transformation, how.converts, how.place))
    value: Any = parameter.value
    current = parameter.unit
    for step in steps:
        needed = flat.unit(step.sink)
        if step.converts and isinstance(value, float):
            found = _unit_conversion(flat, current, needed, step.place)
            if found is None:
                return None
            value = value if found.is_identity else found.gain * value + found.offset
        value = _transformed(flat, value, step)
        if value is None:
            return None
        current = needed or current
    return value


def _transformed(flat: Flat, value: Any, step: _Step) -> Any:
    how = step.transformation
    if how is None:
        return value
    if isinstance(how, s.Linear):
        if isinstance(value, bool) or not isinstance(value, int | float):
            step.place.wrong(f"a LinearTransformation needs numbers, not {value!r}")
            return None
        line = how.conversion
        return line.gain * value + line.offset
    table = dict(how.entries)
    if how.kind == "Enumeration" and isinstance(value, int) and not isinstance(value, bool):
        names = {number: name for name, number in flat.items(step.source).items()}
        value = names.get(value, value)
    if value not in table:
        step.place.wrong(f"{how}: has no entry for {value!r}")
        return None
    return table[value]


def _unit_conversion(flat: Flat, given: Unit | None, needed: Unit | None, place: s.Location) -> Conversion | None:
    if given is None or needed is None or given.exponents is None or needed.exponents is None:
        return Conversion()
    try:
        found = conversion(given, needed)
        if found.is_identity or given.name != needed.name:
            return found
        place.complain(f"the unit {given.name} is defined in two different ways; the numbers are used unchanged")
        return Conversion()
    except UnitProblem as problem:
        if given.name == needed.name:
            place.complain(f"the unit {given.name} is defined in two different ways; the numbers are used unchanged")
            return Conversion()
        remedy = "; correct them, or set suppressUnitConversion, or run it with --lenient, to use the numbers unchanged"
        flat.doubt(place, f"units do not match: {problem}", remedy)
        return Conversion() if flat.lenient else None


def _after(first: Conversion, second: Conversion) -> Conversion:
    return Conversion(second.gain * first.gain, second.gain * first.offset + second.offset)


def _said_by_the_fmu(flat: Flat, key: Key) -> bool:
    """Whether the file adds nothing to what the FMU says about the unit of a variable."""
    own, said = flat.own_unit(key), flat.unit(key)
    return said == own or said is None or said.exponents is None


def _points(flat: Flat, table: s.Mapping, source: Key, sink: Key) -> list[tuple[float, float]] | None:
    if table.kind != "Enumeration":
        return [(float(a), float(b)) for a, b in table.entries]
    before, after = flat.items(source), flat.items(sink)
    if any(a not in before or b not in after for a, b in table.entries):
        return None
    return [(float(before[a]), float(after[b])) for a, b in table.entries]


def _line_through(points: list[tuple[float, float]]) -> Conversion | None:
    """Return the line through all points, of which there must be two different ones."""
    if len({x for x, _ in points}) < 2:
        return None
    (x0, y0), (x1, y1) = points[0], next(point for point in points if point[0] != points[0][0])
    gain = (y1 - y0) / (x1 - x0)
    line = Conversion(gain, y0 - gain * x0)
    return line if all(line.gain * x + line.offset == y for x, y in points) else None
