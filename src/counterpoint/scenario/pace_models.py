"""Tables of paces in a scenario file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .._files.tables import (
    Duration,
    OneOrMore,
    Positive,
    Table,
    Time,
)


class FixedPace(Table):
    """Equal steps."""

    kind: Literal["fixed"]
    step: Duration


class PaceRange(Table):
    """What most paces share: lengths in s, largest growth from step to step, a time whose multiples steps meet."""

    first: Duration | None = None
    smallest: Duration | None = None
    largest: Duration | None = None
    growth: Positive | None = None
    align: Duration | None = None


class TablePace(Table):
    """Steps over time, both in s or with units."""

    kind: Literal["table"]
    times: Annotated[list[Time], Field(min_length=1)]
    steps: Annotated[list[Duration], Field(min_length=1)]
    between: Literal["hold", "linear"] | None = None
    align: Duration | None = None


class GradientPace(PaceRange):
    """Long steps while leading signals change little."""

    kind: Literal["gradient"]
    signals: OneOrMore | None = None
    p0: Positive | None = None
    p1: Positive | None = None
    derivative: Annotated[int, Field(ge=1, le=5)] | None = None
    tolerance: Positive | None = None
    absolute: float | dict[str, float] | None = None
    reject: bool | None = None


class ControlledPace(PaceRange):
    """Steps by an estimated error."""

    kind: Literal["predictor-corrector", "doubling"]
    tolerance: Positive | None = None
    absolute: float | dict[str, float] | None = None
    scale: dict[str, Positive] | None = None


class DefectPace(PaceRange):
    """Steps by what was assumed against what arrived; ``reject``: steps that met something unforeseen."""

    kind: Literal["defect"]
    tolerance: Positive | None = None
    absolute: float | dict[str, float] | None = None
    scale: dict[str, Positive] | None = None
    reject: bool | None = None


class EnergyPace(PaceRange):
    """Steps by the power that the interface creates or destroys: pairs of inputs that take effort and flow."""

    kind: Literal["energy"]
    tolerance: Positive | None = None
    bonds: list[list[str]] | None = None
    absolute: float | None = None


class PythonPace(Table):
    """A pace of the user: ``object = "file.py:Class"``, called with ``arguments``."""

    kind: Literal["python"]
    object: str
    arguments: dict[str, Any] = Field(default_factory=dict)


AnyPace = FixedPace | TablePace | GradientPace | DefectPace | ControlledPace | EnergyPace | PythonPace
Pace = Annotated[AnyPace, Field(discriminator="kind")]
