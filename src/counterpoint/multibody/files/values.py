"""Values of a model file: numbers with or without units, vectors, curves, functions of time.

Reading keeps a value as it is written (:class:`~.units.Given`); its unit depends on its place in the file,
and for springs and guides on the measure they act along. Fields of tables say that by what they are annotated with.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from ...errors import did_you_mean
from .units import Given, Unit, UnitProblem, Units, given, unit

_MOST_NUMBERS = 100_000
"""Most numbers in one value."""


# What fields are annotated with


@dataclass(frozen=True)
class In:
    """A number, or numbers, of this role; ``measure`` and ``load`` are those of the measure an element acts along."""

    role: str


@dataclass(frozen=True)
class InCurve:
    """Pairs of numbers of these two roles."""

    x: str
    y: str


@dataclass(frozen=True)
class InTime:
    """A function of time whose values have this role."""

    role: str


@dataclass(frozen=True)
class InPolar:
    """Rows of an angle and plain numbers."""


@dataclass(frozen=True)
class PythonObject:
    """The reference of a Python function, ``"file.py:name"``."""


# What values are when they have been read


@dataclass(frozen=True)
class Curve:
    """Pairs, and units of their own or None for those of the file."""

    pairs: list[tuple[float, float]]
    units: tuple[Unit, Unit] | None


@dataclass(frozen=True)
class Polynomial:
    """Coefficients of a polynomial of time."""

    coefficients: list[Given]


@dataclass(frozen=True)
class Keyed:
    """A sine, a step, a table or a polygon with its options."""

    kind: str
    options: dict[str, Given | list[Given]]


@dataclass(frozen=True)
class Input:
    """An input of the subsystem, or its negative."""

    name: str
    sign: str = ""


@dataclass(frozen=True)
class Python:
    """A Python function of time."""

    reference: str


Time = Given | Polynomial | Keyed | Input | Python

KEYED: dict[str, dict[str, str]] = {
    "sine": {"amplitude": "value", "frequency": "frequency", "phase": "angle", "offset": "value"},
    "step": {"start": "time", "end": "time", "before": "value", "after": "value"},
    "table": {"times": "time", "values": "value"},
    "linear": {"times": "time", "values": "value"},
}
"""Functions of time with options, and the role of each option; ``value`` is that of what the function is for."""
_OPTIONAL = ("sine",)
"""Those whose options all have defaults."""


def _wrong(message: str) -> PydanticCustomError:
    return PydanticCustomError("value", "{message}", {"message": message})


def _number(value: Any) -> Given:
    if isinstance(value, str):
        try:
            return given(value)
        except UnitProblem as problem:
            raise _wrong(str(problem)) from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong('must be a number, or text with a unit such as "12 mm"')
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _wrong("must be a finite number")
    return Given(number)


def _unit_alone(text: str) -> Unit | None:
    """Return the unit that a text is, if it is one without a number."""
    if not text or text[0] in "+-.0123456789":
        return None
    try:
        return unit(text)
    except UnitProblem as problem:
        raise _wrong(str(problem)) from None


def _numbers(value: Any) -> list[Given]:
    """Read numbers; a unit alone at the end is that of all that have none."""
    if not isinstance(value, list) or not value:
        raise _wrong("must be a list of numbers")
    if len(value) > _MOST_NUMBERS:
        raise _wrong(f"has {len(value)} numbers; at most {_MOST_NUMBERS} are read")
    common = _unit_alone(value[-1].strip()) if isinstance(value[-1], str) else None
    items = [_number(item) for item in (value[:-1] if common else value)]
    return [Given(item.value, item.unit or common) for item in items]


def _inertia(value: Any) -> Given | list[Given] | list[list[Given]]:
    if not isinstance(value, list):
        return _number(value)
    rows = [item for item in value if isinstance(item, list)]
    if not rows:
        return _numbers(value)
    common = [item for item in value[-1:] if isinstance(item, str)]
    if len(rows) + len(common) != len(value):
        raise _wrong("must be one number, three numbers, or three lists of three numbers")
    return [_numbers(row + common) for row in rows]


def _curve(value: Any) -> Curve:
    units = None
    if isinstance(value, dict):
        if set(value) != {"points", "units"} or not isinstance(value["units"], list) or len(value["units"]) != 2:
            raise _wrong('must be pairs of numbers, or { points = [[0, 0], [10, 200]], units = ["mm", "N"] }')
        texts = [str(text) for text in value["units"]]
        try:
            units = (unit(texts[0]), unit(texts[1]))
        except UnitProblem as problem:
            raise _wrong(str(problem)) from None
        value = value["points"]
    if not isinstance(value, list) or not value or any(not isinstance(p, list) or len(p) != 2 for p in value):
        raise _wrong("must be pairs of numbers, [[0, 0], [10, 200]]")
    if len(value) > _MOST_NUMBERS:
        raise _wrong(f"has {len(value)} pairs; at most {_MOST_NUMBERS} are read")
    if any(isinstance(x, str) for pair in value for x in pair):
        raise _wrong('must be pairs of bare numbers; for other units write { points = [...], units = ["mm", "N"] }')
    return Curve([(_number(x).value, _number(y).value) for x, y in value], units)


def _time(value: Any) -> Time:
    if isinstance(value, str) and value.startswith(("input:", "-input:")):
        sign, _, name = value.partition("input:")
        if not name.strip() or "." in name:
            raise _wrong('must name an input, as in "input:torque"')
        return Input(name, sign)
    if isinstance(value, list):
        return Polynomial(_numbers(value))
    if isinstance(value, dict):
        return _time_table(value)
    return _number(value)


def _time_table(value: dict[str, Any]) -> Time:
    known = (*KEYED, "python")
    if len(value) != 1 or next(iter(value)) not in known:
        other = next((key for key in value if key not in known), "")
        hint = did_you_mean(other, known) if other else ""
        forms = '{ sine = ... }, { step = ... }, { table = ... }, { linear = ... }, { python = "file.py:function" }'
        raise _wrong(f"must be one of {forms}{hint}")
    kind, content = next(iter(value.items()))
    if kind == "python":
        if not isinstance(content, str):
            raise _wrong('python: must name a file and a function, as in "motor.py:torque"')
        return Python(content)
    if not isinstance(content, dict):
        raise _wrong(f"{kind}: must be a table with {', '.join(KEYED[kind])}")
    for key in content:
        if key not in KEYED[kind]:
            raise _wrong(f'{kind}: unknown key "{key}"{did_you_mean(key, KEYED[kind])}')
    missing = [key for key in KEYED[kind] if key not in content and kind not in _OPTIONAL]
    if missing:
        raise _wrong(f"{kind}: {', '.join(missing)}: missing; give a value")
    read = _numbers if kind in ("table", "linear") else _number
    return Keyed(kind, {key: read(number) for key, number in content.items()})


def _time_list(value: Any) -> list[Time]:
    if not isinstance(value, list) or not value:
        raise _wrong("must be a list with a value for each component")
    return [_time(item) for item in value]


def _one_or_more(value: Any) -> Given | list[Given]:
    return _numbers(value) if isinstance(value, list) else _number(value)


def _place(value: Any) -> str | list[Given]:
    return value if isinstance(value, str) else _numbers(value)


def _axis(value: Any) -> list[float]:
    if not isinstance(value, list) or not value or any(isinstance(x, str) for x in value):
        raise _wrong("must be a list of bare numbers: a direction has no unit")
    return [_number(x).value for x in value]


Quantity = Annotated[Any, BeforeValidator(_number)]
"""A number, or text with a unit: :class:`Given`."""
Numbers = Annotated[Any, BeforeValidator(_numbers)]
"""A list of numbers; its last item may be the unit of all: list of :class:`Given`."""
InertiaValue = Annotated[Any, BeforeValidator(_inertia)]
CurveValue = Annotated[Any, BeforeValidator(_curve)]
TimeValue = Annotated[Any, BeforeValidator(_time)]
"""A function of time: a number, polynomial, sine, input or Python function."""
TimeValues = Annotated[Any, BeforeValidator(_time_list)]
OneOrMore = Annotated[Any, BeforeValidator(_one_or_more)]
"""A number, or a list of numbers."""
Position = Annotated[Any, BeforeValidator(_place)]
"""The name of a point, or numbers."""
Axis = Annotated[Any, BeforeValidator(_axis)]
"""A direction: numbers without units."""


class Reference:
    """A Python function with the text that names it in a model file, so that it can be written again.

    Parameters
    ----------
    reference : str
        ``"file.py:name"``.
    function : callable
        What that is.
    """

    def __init__(self, reference: str, function: Callable[..., Any]) -> None:
        self.reference = reference
        self.function = function
        if hasattr(function, "address"):  # a compiled function
            self.address = function.address

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        return self.function(*arguments)


MeasureUnit = Literal["length", "angle"]


@dataclass(frozen=True)
class Converter:
    """Turns values into what a Mechanism takes: SI numbers.

    Parameters
    ----------
    units : Units
        Of bare numbers.
    function : callable
        Returns the Python function that a reference names.
    measure : {"length", "angle"}
        What the element acts along.
    """

    units: Units
    function: Callable[[str], Callable[..., Any]]
    measure: MeasureUnit = "length"

    def value(self, value: Any, kind: object) -> Any:
        """Return a value in the form of the Python interface; ``kind`` is what its field is annotated with."""
        if isinstance(kind, In):
            return self._tree(value, self._role(kind.role))
        if isinstance(kind, InCurve):
            return self._curve(value, self._role(kind.x), self._role(kind.y))
        if isinstance(kind, InTime):
            role = self._role(kind.role)
            return [self.time(v, role) for v in value] if isinstance(value, list) else self.time(value, role)
        if isinstance(kind, InPolar):
            return [[self.units.si(Given(row[0]), "angle"), *row[1:]] for row in value]
        if isinstance(kind, PythonObject):
            return self.function(value)
        return value

    def time(self, value: Time, role: str) -> Any:
        """Return a function of time as :meth:`Mechanism.guide` takes it."""
        if isinstance(value, Input):
            return f"{value.sign}input:{value.name}"
        if isinstance(value, Python):
            return self.function(value.reference)
        if isinstance(value, Polynomial):
            rates = [role, *(f"{role}/time{k}" for k in range(1, len(value.coefficients)))]
            return [self.units.si(c, r) for c, r in zip(value.coefficients, rates, strict=True)]
        if isinstance(value, Keyed):
            roles = KEYED[value.kind]
            return {value.kind: {key: self._option(number, roles[key], role) for key, number in value.options.items()}}
        return self.units.si(value, role)

    def _option(self, number: Given | list[Given], role: str, own: str) -> Any:
        if role == "frequency":  # Hz, whatever the unit of time of the file
            return replace(self, units=Units())._tree(number, "1/time")
        return self._tree(number, own if role == "value" else role)

    def _role(self, role: str) -> str:
        load = "force" if self.measure == "length" else "force*length"
        return role.replace("load", load).replace("measure", self.measure)

    def _tree(self, value: Any, role: str) -> Any:
        if isinstance(value, list):
            return [self._tree(item, role) for item in value]
        return value if isinstance(value, str) else self.units.si(value, role)

    def _curve(self, curve: Curve, x: str, y: str) -> list[list[float]]:
        own = curve.units or (None, None)
        return [[self.units.si(Given(a, own[0]), x), self.units.si(Given(b, own[1]), y)] for a, b in curve.pairs]
