"""What a scenario file may contain, one pydantic model a table.

The models check what can be said about a value on its own: keys, types, ranges. Whether a port exists or two
shapes fit is known only once the subsystems are built, and is the business of :class:`counterpoint.System`.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from .._common.numbers import MOST_REPEATS, MOST_THREADS
from .._files.tables import (
    Duration,
    FileName,
    Matrix,
    Name,
    Names,
    Numbers,
    OneOrMore,
    Positive,
    Table,
    Time,
    Vector,
    same_row_shapes,
    shape_of,
)
from .._run.options import FIRST_STEPS
from .._run.precedence import NAMED_SCHEMES
from ..errors import did_you_mean
from ..windows import MOST_ORDER
from .approximation_models import AnyApproximation, Approximation
from .interface_models import AnyLaw, BondTable, Event
from .pace_models import AnyPace, Pace

NO_END = sys.float_info.max
"""End of the run in s where the file says none: a missing end must not bring up problems with steps."""


def _known_scheme(scheme: str) -> str:
    if scheme not in NAMED_SCHEMES:
        raise PydanticCustomError(
            "unknown_scheme", "no such scheme{hint}", {"hint": did_you_mean(scheme, NAMED_SCHEMES)}
        )
    return scheme


class SubsystemTable(Table):
    """Base of all subsystems: ``step`` in s, or its own pace when it is left out; ``pace`` chooses its steps."""

    step: Duration | None = None
    pace: Pace | None = None


class Model(SubsystemTable):
    """What all models with a solver share; tolerances and steps (s) are for variable-step solvers."""

    inputs: Names | None = None
    outputs: Names | None = None
    solver: str | None = None
    defaults: dict[str, Numbers] | None = None
    units: dict[str, str] | None = None
    rtol: Positive | None = None
    atol: Positive | None = None
    first_step: Duration | None = None
    max_step: Duration | None = None


class Linear(Model):
    """State space: x' = A x + B u, y = C x + D u; C is the identity when left out."""

    type: Literal["linear"]
    A: Matrix
    B: Matrix
    C: Matrix | None = None
    D: Matrix | None = None
    x0: Vector
    beta: float | None = None
    gamma: float | None = None


class SecondOrder(Model):
    """A mechanical system: M q'' + C q' + K q = B u; undamped and at rest when C and v0 are left out."""

    type: Literal["second-order"]
    M: Matrix
    C: Matrix | None = None
    K: Matrix
    B: Matrix
    q0: Vector
    v0: Vector | None = None
    beta: float | None = None
    gamma: float | None = None


class Ode(Model):
    """An ordinary differential equation: ``rhs = "file.py:function"`` of (t, x, u)."""

    type: Literal["ode"]
    rhs: str
    output: str | None = None
    x0: Vector
    feedthrough: bool | None = None


class PythonSubsystem(SubsystemTable):
    """A class or factory of the user: ``object = "file.py:Class"``, called with ``arguments``."""

    type: Literal["python"]
    object: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class TableSource(SubsystemTable):
    """A source: values over times (s), from a CSV file or written here."""

    type: Literal["table"]
    file: str | None = None
    separator: Annotated[str, Field(min_length=1, max_length=1)] = ","
    decimal: Literal[".", ","] = "."
    times: Annotated[Vector, Field(min_length=1)] | None = None
    values: Annotated[list[Numbers], AfterValidator(same_row_shapes)] | None = None
    outputs: OneOrMore | None = None
    kind: Literal["linear", "hold"] | None = None
    units: dict[str, str] | None = None

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if self.file is not None and (self.times is not None or self.values is not None):
            raise PydanticCustomError("two_origins", "has both a file and times or values; keep one")
        if self.file is None and (self.times is None or self.values is None):
            raise PydanticCustomError("no_origin", "needs either a file, or times and values")
        if self.separator == self.decimal:
            raise PydanticCustomError("same_signs", "separator and decimal are the same character")
        return self


class Multibody(SubsystemTable):
    """A mechanism from a model file; without ``step`` it takes the step that the file prefers.

    ``set`` replaces values of the file, by the path of their keys.
    """

    type: Literal["multibody"]
    file: str
    set: dict[str, Any] | None = None


class DiagramSubsystem(SubsystemTable):
    """A block diagram from a file; without ``step`` it takes the step that the file prefers.

    ``set`` replaces values of the file, by the path of their keys.
    """

    type: Literal["diagram"]
    file: str
    set: dict[str, Any] | None = None


class Isolation(Table):
    """How an FMU is kept in a process of its own: deadline and processor time in s, memory in bytes."""

    deadline: Duration | None = None
    memory: Positive | None = None
    processor_time: Duration | None = None
    processes: bool | None = None
    environment: OneOrMore | None = None


class Fmu(SubsystemTable):
    """An FMU; without ``step`` it takes the step that it suggests, or that of a variable-step solver."""

    type: Literal["fmu"]
    file: str
    parameters: dict[str, Any] | None = None
    start: dict[str, Any] | None = None
    inputs: OneOrMore | None = None
    outputs: OneOrMore | None = None
    name: str | None = None
    inputs_at: str | None = None
    tolerance: Positive | None = None
    visible: bool | None = None
    logging: bool | list[str] | None = None
    events: bool | None = None
    redo_discarded: bool | None = None
    kind: str | None = None
    solver: str | None = None
    rtol: Positive | None = None
    atol: Positive | None = None
    first_step: Duration | None = None
    max_step: Duration | None = None
    state: str | None = None
    isolate: (
        Annotated[
            Annotated[Isolation, Tag("table")] | Annotated[bool, Tag("single")] | Annotated[bool, Tag("list")],
            Discriminator(shape_of),
        ]
        | None
    ) = None
    deadline: Duration | None = None
    lenient: bool | None = None


class Remote(SubsystemTable):
    """A subsystem that another program has; without ``step`` it takes the step that it prefers."""

    type: Literal["remote"]
    address: str
    token: str | None = None
    token_file: str | None = None
    listening: bool | None = None
    deadline: Duration | None = None
    wait: Duration | None = None
    insecure: bool | None = None


AnySubsystem = Linear | SecondOrder | Ode | PythonSubsystem | TableSource | Multibody | DiagramSubsystem | Fmu | Remote
Subsystem = Annotated[AnySubsystem, Field(discriminator="type")]


class Connection(Table):
    """One or more outputs that enter one input."""

    sources: OneOrMore = Field(alias="from")
    to: str
    approximation: Approximation | None = None
    gain: Numbers | None = None
    offset: float | None = None
    initial: float | None = None
    law: str | None = None
    convert: bool | None = None


class Bond(BondTable):
    """A bond with the approximation of its connections, or by signal, ``{angle = {...}, torque = {...}}``."""

    approximation: Approximation | None = None
    approximations: dict[str, Approximation] | None = None


class WaitsFor(Table):
    """A custom precedence: for each subsystem those it waits for."""

    waits_for: dict[str, list[str]]


class Sequential(Table):
    """A sequence: the later waits for the earlier."""

    sequential: list[str]


class Window(Table):
    """Stretches of time (s) that are repeated."""

    length: Duration | None = None
    repeats: Annotated[int, Field(ge=1, le=MOST_REPEATS)] | None = None
    tolerance: Positive | None = None
    stencil: Literal["one-sided", "centred"] = "one-sided"
    acceleration: Literal["none", "aitken", "anderson", "iqn-ils", "newton"] | None = None
    relaxation: Annotated[float, Field(gt=0, le=2)] = 1.0
    reuse: Annotated[int, Field(ge=0, le=MOST_REPEATS)] = 8
    when_not_converged: Literal["warn", "cut", "stop"] = "warn"
    derivatives: Literal["measured", "models"] = "measured"
    compound: Annotated[float, Field(gt=0, le=1)] | Literal["mixed"] | None = None
    fast: list[str] = Field(default_factory=list)
    estimate: Annotated[int, Field(ge=1, le=MOST_ORDER)] | None = None


Windows = Annotated[
    Annotated[Window, Tag("table")] | Annotated[Literal["repeat-once"], Tag("word")],
    Discriminator(lambda value: "word" if isinstance(value, str) else "table"),
]


def _scheme_of(value: Any) -> str:
    if isinstance(value, WaitsFor | Sequential):  # when the tables are written again
        return next(iter(type(value).model_fields))
    if isinstance(value, dict):
        return "sequential" if "sequential" in value else "waits_for"
    return "name"


Scheme = Annotated[
    Annotated[str, AfterValidator(_known_scheme), Tag("name")]
    | Annotated[WaitsFor, Tag("waits_for")]
    | Annotated[Sequential, Tag("sequential")],
    Discriminator(_scheme_of),
]


class ScenarioTable(Table):
    """A whole scenario file."""

    name: FileName | None = None
    until: Time
    start: Time = 0.0
    first_steps: Literal["once", "repeat", "auto"] = "auto"
    scheme: Scheme = "slowest-first"
    window: Windows | None = None
    pace: Pace | None = None
    real_time: Positive | None = None
    threads: Annotated[int, Field(ge=1, le=MOST_THREADS)] = 1
    approximation: Approximation | None = None
    convert: bool | None = None
    plot: list[str] | None = None
    record: OneOrMore | None = None
    record_every: int | Duration | None = None
    compress: bool = False
    check: Literal["auto", "on", "off"] = "auto"
    energy_correction: Literal["off", "preserve", "dissipate"] = "off"
    adapt: bool = False
    subsystems: Annotated[dict[Name, Subsystem], Field(min_length=1)]
    connections: list[Connection] = Field(default_factory=list)
    constants: dict[str, Numbers] = Field(default_factory=dict, alias="set")
    bonds: list[Bond] = Field(default_factory=list)
    events: list[Event] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _start_in_one_word(cls, values: Any) -> Any:
        """Take ``start = "repeat"`` for a start at 0 s whose first steps are repeated."""
        if not isinstance(values, dict) or values.get("start") not in FIRST_STEPS:
            return values
        return {"first_steps": values["start"], **{key: value for key, value in values.items() if key != "start"}}


def _tables_by(key: str, tables: Any) -> dict[str, type[Table]]:
    return {tag: table for table in tables.__args__ for tag in table.model_fields[key].annotation.__args__}


SUBSYSTEMS = _tables_by("type", AnySubsystem)
APPROXIMATIONS = _tables_by("kind", AnyApproximation)
PACES = _tables_by("kind", AnyPace)
LAWS = _tables_by("kind", AnyLaw)
