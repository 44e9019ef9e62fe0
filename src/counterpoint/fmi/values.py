"""Values that a user gives to variables of an FMU: checked against the description, packed for the core."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import did_you_mean
from .description import FLOATS, ModelDescription, Variable

_BITS = {"Int8": 8, "Int16": 16, "Int32": 32, "Int64": 64, "UInt8": 8, "UInt16": 16, "UInt32": 32, "UInt64": 64}


def core_type(variable: Variable, major: int) -> _core.fmi.Type:
    """Return the type by which the core calls the functions of the FMU."""
    if variable.type == "Enumeration":
        return _core.fmi.Type.int64 if major == 3 else _core.fmi.Type.int32
    made: _core.fmi.Type = getattr(_core.fmi.Type, variable.type.lower())
    return made


def pack(description: ModelDescription, variable: Variable, values: list[Any]) -> _core.fmi.Assignment:
    """Return values, one per element, as the core passes them to the FMU."""
    kind = core_type(variable, description.major)
    if variable.type == "String":
        return _core.fmi.Assignment(kind, variable.reference, b"", [value.encode() for value in values])
    if variable.type == "Binary":
        return _core.fmi.Assignment(kind, variable.reference, b"", values)
    dtype = "bool" if kind == _core.fmi.Type.boolean else kind.name
    numbers = -np.asarray(values) if variable.negated else np.asarray(values)
    return _core.fmi.Assignment(kind, variable.reference, numbers.astype(dtype).tobytes(), [])


class ValueReader:
    """Check values against a description.

    Parameters
    ----------
    description : ModelDescription
        The model description.
    structure : mapping
        Values of structural parameters: they decide about the lengths of arrays.
    """

    def __init__(self, description: ModelDescription, structure: Mapping[str, int]) -> None:
        self.description = description
        self.structure = structure
        self.problems: list[str] = []

    def read(self, where: str, variable: Variable, given: Any) -> list[Any]:
        """Return the elements of a value, converted; problems are noted."""
        shape = self.description.shape(variable, self.structure)
        elements = self._elements(where, given, shape)
        made = []
        for element in elements:
            value, problem = self._convert(variable, element)
            if problem:
                self.problems.append(f"{where}: {element!r}; {problem}")
            made.append(value)
        return made

    def _elements(self, where: str, given: Any, shape: tuple[int, ...]) -> list[Any]:
        if shape == ():
            return [given]
        width = math.prod(shape)
        flat = list(_flattened(given))
        if len(flat) == 1 and not isinstance(given, list | tuple | np.ndarray):
            return flat * width
        got = np.shape(given) if not isinstance(given, str | bytes) else ()
        if len(flat) != width or (len(got) > 1 and tuple(got) != shape):
            text = " x ".join(map(str, shape))
            self.problems.append(f"{where}: {len(flat)} values; expected {text}")
            return []
        return flat

    def _convert(self, variable: Variable, value: Any) -> tuple[Any, str]:
        """Return a value of the variable's type and what is wrong with it."""
        if variable.type == "String":
            return (value, "") if isinstance(value, str) and "\0" not in value else ("", "expected a string")
        if variable.type == "Binary":
            return _to_binary(value)
        if variable.type == "Boolean":
            good = isinstance(value, bool | np.bool_) or value in (0, 1)
            return bool(value) if good else False, "" if good else "expected true or false"
        if variable.type == "Enumeration" and isinstance(value, str):
            items = self._items(variable)
            return items.get(value, 0), "" if value in items else f"no such item{did_you_mean(value, items)}"
        return self._number(variable, value)

    def _items(self, variable: Variable) -> dict[str, int]:
        declared = self.description.types.get(variable.declared_type)
        return dict(declared.items) if declared else {}

    def _number(self, variable: Variable, value: Any) -> tuple[float | int, str]:
        if isinstance(value, bool | str | bytes) or not isinstance(value, int | float | np.number):
            return 0, "expected a number"
        if variable.type in FLOATS:
            number: float | int = float(value)
            if not math.isfinite(number):
                return 0, "expected a finite number"
        else:
            if not math.isfinite(value) or int(value) != value:
                return 0, "expected an integer"
            number = int(value)
            low, high = _range(variable, self.description.major)
            if not low <= number <= high:
                return 0, f"{variable.type} has the range {low} to {high}"
        declared = self.description.types.get(variable.declared_type)
        low_bound = variable.minimum if variable.minimum is not None else declared.minimum if declared else None
        high_bound = variable.maximum if variable.maximum is not None else declared.maximum if declared else None
        if (low_bound is not None and number < low_bound) or (high_bound is not None and number > high_bound):
            return 0, f"the FMU allows min = {low_bound} to max = {high_bound}"
        return number, ""


def _flattened(given: Any) -> Iterator[Any]:
    if isinstance(given, list | tuple | np.ndarray):
        for element in given:
            yield from _flattened(element)
    else:
        yield given


def _to_binary(value: Any) -> tuple[bytes, str]:
    if isinstance(value, bytes | bytearray):
        return bytes(value), ""
    try:
        return bytes.fromhex(value), ""
    except (TypeError, ValueError):
        return b"", 'expected bytes, in a file as hexadecimal digits such as "cafe"'


def _range(variable: Variable, major: int) -> tuple[int, int]:
    if variable.type == "Enumeration":
        bits = 64 if major == 3 else 32
        return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    bits = _BITS[variable.type]
    return (0, 2**bits - 1) if variable.type.startswith("U") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def as_signal(values: tuple[Any, ...], width: int) -> NDArray[np.float64] | None:
    """Return start values as a signal; None when their number does not fit."""
    if len(values) not in (1, width):
        return None
    return np.broadcast_to(np.asarray([float(value) for value in values]), (width,)).copy()


def as_whole(values: NDArray[np.float64], kind: str) -> NDArray[Any]:
    """Return numbers that came as doubles in the type of an integer, boolean or enumeration variable.

    Integers of 64 bits beyond 2**53 have lost digits by then; the largest may have been rounded out of their type.

    >>> as_whole(np.array([2.0**63]), "UInt64")
    array([9223372036854775808], dtype=uint64)
    """
    if kind == "Boolean":
        return values.astype(bool)
    dtype, bits = (np.uint64, 64) if kind == "UInt64" else (np.int64, 63)
    return np.minimum(values, np.nextafter(2.0**bits, 0.0)).astype(dtype)


def wrong_place(key: str, variable: Variable) -> str:
    """Return why a value cannot be given to a variable under this key."""
    is_parameter = variable.causality in ("parameter", "structuralParameter")
    if key == "parameters" and not is_parameter:
        return (
            f"is not a parameter ({variable.causality}); give it in start"
            if not wrong_place("start", variable)
            else "is not a parameter"
        )
    if key == "start" and is_parameter:
        return "is a parameter; give it in parameters"
    if key == "start" and variable.causality != "input" and variable.initial not in ("exact", "approx"):
        return "has no start value; the FMU calculates it"
    if variable.variability == "constant":
        return "is constant"
    return ""
