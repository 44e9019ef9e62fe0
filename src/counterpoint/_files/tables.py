"""Tables of a file: the base of the pydantic models, and values that several kinds of files have."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    Tag,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from ..units import UnitProblem, seconds


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def shape_of(value: Any) -> str:
    """Tell tables, lists and single values apart."""
    return "table" if isinstance(value, dict | BaseModel) else "list" if isinstance(value, list) else "single"


def same_row_shapes(rows: list[float | list[float]]) -> list[float | list[float]]:
    """Check that all rows have as many numbers as the first."""
    _same_row_lengths([row if isinstance(row, list) else [row] for row in rows])
    return rows


def _same_row_lengths(rows: list[list[float]]) -> list[list[float]]:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise PydanticCustomError(
                "ragged",
                "row {number} has {count} numbers, row 1 has {first}; all rows need the same",
                {"number": number, "count": len(row), "first": len(rows[0])},
            )
    return rows


def _usable_name(name: str) -> str:
    if not name.strip() or not name.isprintable() or "." in name:
        raise PydanticCustomError(
            "bad_name", 'not a usable name; write letters, digits or blanks, without "." and line breaks'
        )
    return name


def _usable_file_name(name: str) -> str:
    bad = set('/\\:*?"<>|') & set(name)
    if bad or not name.strip() or not name.isprintable() or name.startswith(".") or len(name.encode()) > 200:
        raise PydanticCustomError(
            "bad_file_name",
            "result files are named after it: write at most 200 letters, digits, blanks or dashes, "
            'without / \\ : * ? " < > | and no dot in front',
        )
    return name


class Or:
    """Tell the JSON schema of a value which other types a file may write instead, such as ``"string"``."""

    def __init__(self, *types: str) -> None:
        self.types = types

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return either."""
        return {"anyOf": [{"type": name} for name in self.types] + [handler(schema)]}


def _seconds(value: Any) -> Any:
    """Return a time written with its unit in s; other values as they are."""
    if not isinstance(value, str):
        return value
    try:
        return seconds(value)
    except UnitProblem as problem:
        text = str(problem).removeprefix(f'"{value}": ')  # which the message begins with anyway
        raise PydanticCustomError("time", "{text}", {"text": text}) from None


Name = Annotated[str, AfterValidator(_usable_name)]
FileName = Annotated[str, AfterValidator(_usable_file_name)]
"""A name that result files can have."""
Positive = Annotated[float, Field(gt=0)]
Time = Annotated[float, BeforeValidator(_seconds), Or("string")]
"""A time in s, or with its unit: ``"0.1 ms"``."""
Duration = Annotated[float, Field(gt=0), BeforeValidator(_seconds), Or("string")]
"""A time greater than 0 in s, or with its unit."""
Vector = list[float]
Matrix = Annotated[list[list[float]], AfterValidator(_same_row_lengths)]
Names = Annotated[
    Annotated[list[Name], Tag("list")]
    | Annotated[dict[Name, Annotated[int, Field(gt=0)]], Tag("table")]
    | Annotated[Name, Tag("single")],
    Discriminator(shape_of),
]
"""Port names, ``["u", "v"]``, names with widths, ``{position = 3}``, or one name for all."""
Numbers = Annotated[
    Annotated[list[float], Tag("list")] | Annotated[float, Tag("single")] | Annotated[float, Tag("table")],
    Discriminator(shape_of),
]
"""Numbers, or a vector."""
OneOrMore = Annotated[list[str], BeforeValidator(_as_list), Field(min_length=1), Or("string")]


class Table(BaseModel):
    """Base of all tables of a file: no unknown keys, no guessing of types, no NaN."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


def keys_of(table: type[Table]) -> list[str]:
    """Return the keys that may be written in a table, as they are spelled in the file."""
    return [field.alias or name for name, field in table.model_fields.items()]


def bad_span(start: float, until: float) -> str | None:
    """Say what is wrong with a run from ``start`` to ``until`` (s), if anything is."""
    if not math.isfinite(until):
        return f"{until}: must be a finite time in s"
    if until == start:
        return f"{until}: the run ends where it begins; must be later than start = {start} s"
    if until < start:
        return f"{until}: the run ends before it begins; must be later than start = {start} s"
    return None
