"""Tables of a scenario file for bonds and events."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from .._files.tables import Duration, Name, Numbers, OneOrMore, Positive, Table, Time, shape_of
from ..events import MOST_SEED

ACTIONS = ("override", "scale", "offset", "stuck", "noise", "release")


class Noise(Table):
    """Normally distributed numbers: standard deviation in units of the target, drawn anew after ``every`` s."""

    deviation: Numbers
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)]
    every: Duration | None = None


class Event(Table):
    """What happens to an input, a connection or a parameter: at a time, or when a condition begins to hold."""

    target: str
    at: Time | None = None
    when: str | None = None
    of: OneOrMore | None = None
    until: Time | None = None
    lasting: Duration | None = None
    override: Numbers | None = None
    scale: Numbers | None = None
    offset: Numbers | None = None
    stuck: Literal[True] | None = None
    noise: Noise | None = None
    release: Literal[True] | None = None

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if (self.at is None) == (self.when is None):
            raise PydanticCustomError("no_time", "needs either at, a time in s, or when, a condition")
        if self.at is not None and (self.lasting is not None or self.of is not None):
            raise PydanticCustomError("at_a_time", "lasting and of require when; with at use until")
        if sum(getattr(self, action) is not None for action in ACTIONS) != 1:
            raise PydanticCustomError("no_action", "needs exactly one of {all}", {"all": ", ".join(ACTIONS)})
        return self


class Side(Table):
    """One side of a bond: the subsystem and its ports, where they are not called like the signals."""

    subsystem: str
    sign: Literal[1, -1] = 1
    angle: str | None = None
    position: str | None = None
    speed: str | None = None
    torque: str | None = None
    force: str | None = None
    voltage: str | None = None
    current: str | None = None
    temperature: str | None = None
    heat_flow: str | None = None


class SpringDamper(Table):
    """A spring and a damper, SI units."""

    kind: Literal["spring-damper"]
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0


class Conductance(Table):
    """A conductance in A/V or W/K."""

    kind: Literal["conductance"]
    value: float


class Inertia(Table):
    """An inertia (kg m²) or a mass (kg) with its own step (s)."""

    kind: Literal["inertia"]
    value: Positive
    step: Duration
    potential: float = 0.0
    rate: float = 0.0
    damping: float = 0.0


class Capacity(Table):
    """A capacitance (F) or heat capacity (J/K) with its own step (s)."""

    kind: Literal["capacity"]
    value: Positive
    step: Duration
    potential: float = 0.0


class PythonLaw(Table):
    """A function of the user: ``object = "file.py:function"`` of the potentials of left and right, SI units."""

    kind: Literal["python"]
    object: str


AnyLaw = SpringDamper | Conductance | Inertia | Capacity | PythonLaw
OneSide = Annotated[
    Annotated[str, Tag("single")] | Annotated[Side, Tag("table")] | Annotated[str, Tag("list")],
    Discriminator(shape_of),
]


class BondTable(Table):
    """A physical interface between two subsystems."""

    name: Name | None = None
    interface: Literal["rotational", "translational", "electrical", "thermal"]
    causality: Literal["potential-flow", "flow-flow", "potential-potential"] = "potential-flow"
    left: OneSide
    right: OneSide
    law: Annotated[AnyLaw, Field(discriminator="kind")] | None = None
    initial: float | None = None
