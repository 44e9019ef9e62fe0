"""Tables of approximations in a scenario file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .._files.tables import (
    Table,
)


class Hold(Table):
    """The last sample (behind), or the next one where it is known (ahead)."""

    kind: Literal["hold"]
    side: Literal["behind", "ahead"] = "behind"


class Lagrange(Table):
    """The polynomial through the nearest ``order + 1`` samples."""

    kind: Literal["lagrange"]
    order: Annotated[int, Field(ge=0, le=4)]


class Hermite(Table):
    """The cubic through two samples and their derivatives."""

    kind: Literal["hermite"]


class Spline(Table):
    """The cubic spline through the samples of a window, in its repeats."""

    kind: Literal["spline"]


class Taylor(Table):
    """A Taylor series from the last sample."""

    kind: Literal["taylor"]
    order: Annotated[int, Field(ge=0, le=4)]


class LeastSquares(Table):
    """The polynomial that fits the last ``points`` samples best."""

    kind: Literal["least-squares"]
    order: Annotated[int, Field(ge=0, le=4)]
    points: Annotated[int, Field(ge=1, le=64)]


class Mean(Table):
    """The mean of the samples in the consumer's last step."""

    kind: Literal["mean"]
    weighting: Literal["arithmetic", "time-weighted"] = "arithmetic"


class Transition(Table):
    """A jump of the signal is blended in over the step."""

    kind: Literal["transition"]
    order: Annotated[int, Field(ge=0, le=4)] = 2


class EnergyCorrected(Table):
    """A polynomial whose error in one interval is made good in the next."""

    kind: Literal["energy-corrected"]
    order: Annotated[int, Field(ge=0, le=4)] = 1


class VariableOrder(Table):
    """The polynomial of the order that would have predicted the newest samples best."""

    kind: Literal["variable-order"]
    highest: Annotated[int, Field(ge=0, le=4)] = 3
    lowest: Annotated[int, Field(ge=0, le=4)] = 0


class PythonApproximation(Table):
    """An approximation of the user: ``object = "file.py:Class"``."""

    kind: Literal["python"]
    object: str
    arguments: dict[str, Any] = Field(default_factory=dict)


AnyApproximation = (
    Hold
    | Lagrange
    | Hermite
    | Spline
    | Taylor
    | LeastSquares
    | Mean
    | Transition
    | VariableOrder
    | EnergyCorrected
    | PythonApproximation
)
Approximation = Annotated[AnyApproximation, Field(discriminator="kind")]
