"""Tables of force elements; a new one is a class here and a line in :data:`FORCES`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from ..._files.tables import Positive, Table
from .elements import Element, OfPair, Pair
from .units import Units
from .values import (
    Axis,
    CurveValue,
    In,
    InCurve,
    InPolar,
    InTime,
    Numbers,
    OneOrMore,
    PythonObject,
    Quantity,
    TimeValue,
    TimeValues,
)

HERTZ = 1.5
"""Exponent of a contact that gives none: a sphere after Hertz."""


class Along(Element):
    """A force element along a measure or between two points."""

    measure: str | None = None
    between: Pair | None = None

    def measured(self) -> str | None:
        """Return the measure."""
        return self.measure


class Spring(Along):
    """A spring-damper."""

    method = "spring"
    stiffness: Annotated[Quantity | None, In("load/measure")] = None
    damping: Annotated[Quantity | None, In("load*time/measure")] = None
    natural: Annotated[Quantity | None, In("measure")] = None
    curve: Annotated[CurveValue | None, InCurve("measure", "load")] = None
    damper_curve: Annotated[CurveValue | None, InCurve("measure/time", "load")] = None


class Actuator(Along):
    """A force or torque with its reaction."""

    method = "actuator"
    force: Annotated[TimeValue, InTime("load")]


class Friction(Element):
    """Dry friction along a measure."""

    method = "friction"
    measure: str
    sliding: Annotated[Quantity, In("load")]
    breakaway: Annotated[Quantity | None, In("load")] = None
    rate: Annotated[Quantity | None, In("measure/time")] = None
    stribeck: Annotated[Quantity | None, In("measure/time")] = None

    def measured(self) -> str | None:
        """Return the measure."""
        return self.measure


class PointForce(Element):
    """A force on a point."""

    method = "force"
    point: str
    components: Annotated[TimeValues, InTime("force")]
    body: str | None = None


def _one_or_three(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


class Torque(Element):
    """A torque on a body."""

    method = "torque"
    body: str
    components: Annotated[Annotated[TimeValues, BeforeValidator(_one_or_three)], InTime("force*length")]
    turning: bool | None = None


class RotationalSpring(OfPair):
    """A spring about three axes between two bodies."""

    method = "rotational_spring"
    pair = "bodies"
    bodies: Pair
    stiffness: Annotated[OneOrMore, In("force*length/angle")]
    damping: Annotated[OneOrMore | None, In("force*length*time/angle")] = None
    axes: list[Axis] | None = None


class Contact(Element):
    """The contact of a point with a plane."""

    method = "contact"
    point: str
    plane: Annotated[Numbers, In("length")]
    normal: Axis
    stiffness: Positive | None = None
    exponent: Annotated[float, Field(ge=1, le=10)] | None = None
    damping: Annotated[Quantity | None, In("time/length")] = None
    friction: float | None = None
    friction_speed: Annotated[Quantity | None, In("length/time")] = None
    radius: Annotated[Quantity | None, In("length")] = None

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Convert the stiffness, whose unit depends on the exponent."""
        if self.stiffness is not None:
            exponent = HERTZ if self.exponent is None else self.exponent
            unit = units.unit("force").factor / units.unit("length").factor ** exponent
            converted["stiffness"] = self.stiffness * unit
        return converted


class MagicFormula(Table):
    """Coefficients of the magic formula."""

    B: float | None = None
    C: float | None = None
    E: float | None = None
    mu: float | None = None


class Tyre(Element):
    """A tyre on a flat road."""

    method = "tyre"
    body: str
    centre: str
    axis: Axis
    angle: str | None = None
    road: Annotated[Numbers | None, In("length")] = None
    normal: Axis | None = None
    longitudinal: MagicFormula | None = None
    lateral: MagicFormula | None = None
    radius: Annotated[Quantity | None, In("length")] = None
    stiffness: Annotated[Quantity | None, In("force/length")] = None
    damping: Annotated[Quantity | None, In("force*time/length")] = None
    longitudinal_relaxation: Annotated[Quantity | None, In("length")] = None
    lateral_relaxation: Annotated[Quantity | None, In("length")] = None
    nominal_load: Annotated[Quantity | None, In("force")] = None
    load_sensitivity: float | None = None
    camber_slip: float | None = None
    rolling_resistance: float | None = None
    rolling_speed: Annotated[Quantity | None, In("length/time")] = None
    trail: Annotated[Quantity | None, In("length")] = None
    trail_fall: float | None = None
    standstill_damping: Annotated[Quantity | None, In("force*time/length")] = None
    standstill_speed: Annotated[Quantity | None, In("length/time")] = None
    largest_slip: float | None = None
    gyroscopic_inertia: Annotated[Quantity | None, In("mass*length^2")] = None


class AerodynamicStrip(Element):
    """A strip of a blade or wing."""

    method = "aerodynamic_strip"
    body: str
    point: str
    chord: Axis
    normal: Axis
    span: Annotated[Quantity, In("length")]
    chord_length: Annotated[Quantity, In("length")]
    polar: Annotated[list[Annotated[list[float], Field(min_length=3, max_length=4)]], InPolar()]
    wind: Annotated[TimeValues | None, InTime("length/time")] = None
    density: Annotated[Quantity | None, In("mass/length^3")] = None
    reference_height: Annotated[Quantity | None, In("length")] = None
    shear_exponent: float | None = None


class UserForce(Element):
    """Forces on points by a Python function."""

    method = "user_force"
    function: Annotated[str, PythonObject()]
    points: list[str]
    position_difference: Annotated[Quantity | None, In("length")] = None
    velocity_difference: Annotated[Quantity | None, In("length/time")] = None


FORCES: dict[str, type[Element]] = {
    "springs": Spring,
    "actuators": Actuator,
    "frictions": Friction,
    "forces": PointForce,
    "torques": Torque,
    "rotational_springs": RotationalSpring,
    "contacts": Contact,
    "tyres": Tyre,
    "aerodynamic_strips": AerodynamicStrip,
    "user_forces": UserForce,
}
"""Sections of force elements."""
