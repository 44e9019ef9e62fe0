"""What a model file may contain: one pydantic model a table.

A table's fields are the keyword arguments of the method of :class:`Mechanism` that it stands for (an alias is the key in the
file where that differs), so that one loop builds them all. New force elements are a class here and a line in :data:`FORCES`.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, create_model
from pydantic_core import PydanticCustomError

from ..errors import did_you_mean
from ..scenario.models import FileName, Name, Positive, Table, keys_of
from .formulations import Formulation
from .joints import KINDS as JOINT_KINDS
from .model_values import (
    Axis,
    CurveValue,
    In,
    InCurve,
    InertiaValue,
    InPolar,
    InTime,
    Numbers,
    OneOrMore,
    Place,
    PythonObject,
    Quantity,
    TimeValue,
    TimeValues,
)
from .outputs import MOTIONS
from .units import Units, role_problem

HERTZ = 1.5
"""Exponent of a contact that gives none: a sphere after Hertz."""
SHAPES = ("box", "cylinder", "sphere", "lines")
UNITS_HINT = 'write units = "SI" (m, kg, s, rad, N), or units = { length = "mm", mass = "kg", force = "N", angle = "deg" }'


def _one_of(what: str, known: typing.Iterable[str]) -> AfterValidator:
    names = tuple(known)

    def check(value: str) -> str:
        if value not in names:
            raise PydanticCustomError("unknown", "unknown {what}{hint}", {"what": what, "hint": did_you_mean(value, names)})
        return value

    return AfterValidator(check)


class Element(Table):
    """A table that stands for one call of a method of Mechanism, with its name first."""

    method: ClassVar[str]

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Return the keyword arguments of the method from converted fields."""
        return converted

    def measured(self) -> str | None:
        """Return the name of the measure it acts along, if there is one."""
        return None


def _unit_of(role: str) -> AfterValidator:
    def check(text: str) -> str:
        problem = role_problem(role, text)
        if problem is not None:
            raise PydanticCustomError("unit", "{text}", {"text": problem})
        return text

    return AfterValidator(check)


class UnitsTable(Table):
    """Units of bare numbers."""

    length: Annotated[str, _unit_of("length")]
    mass: Annotated[str, _unit_of("mass")]
    force: Annotated[str, _unit_of("force")]
    angle: Annotated[str, _unit_of("angle")]
    time: Annotated[str, _unit_of("time")] = "s"


def _si(value: Any) -> UnitsTable:
    if value != "SI":
        raise PydanticCustomError("units", "{text}", {"text": UNITS_HINT})
    return UnitsTable(length="m", mass="kg", force="N", angle="rad")


UnitsValue = Annotated[
    Annotated[UnitsTable, Tag("table")] | Annotated[Any, BeforeValidator(_si), Tag("text")],
    Discriminator(lambda value: "table" if isinstance(value, dict) else "text"),
]


class Head(Table):
    """``[mechanism]``."""

    name: Annotated[Name, FileName] | None = None
    dimension: Literal[2, 3]
    units: UnitsValue
    gravity: Annotated[Numbers | None, In("length/time^2")] = None
    step: Annotated[Quantity | None, In("time")] = None
    notes: list[str] = Field(default_factory=list)


class PointTable(Element):
    """A point with coordinates of its own."""

    method = "point"
    position: Annotated[Numbers, In("length")] = Field(alias="at")
    fixed: bool = False
    velocity: Annotated[Numbers | None, In("length/time")] = None


class VectorTable(Element):
    """A unit vector with coordinates of its own."""

    method = "vector"
    direction: Axis = Field(alias="along")
    fixed: bool = False


class ShapeTable(Table):
    """How a body is drawn."""

    kind: Annotated[str, _one_of("shape", SHAPES)]
    size: Annotated[Numbers | None, In("length")] = None
    centre: Annotated[Numbers | None, In("length")] = None
    axis: Axis | None = None
    turn: list[Axis] | None = None
    colour: str | None = None


class BodyTable(Element):
    """A rigid body."""

    method = "body"
    points: list[str]
    vectors: list[str] = Field(default_factory=list)
    mass: Annotated[Quantity, In("mass")]
    centre: Annotated[Numbers | None, In("length")] = None
    inertia: Annotated[InertiaValue | None, In("mass*length^2")] = None
    local: dict[str, Numbers] | None = None
    shape: ShapeTable | None = None


class JointTable(Element):
    """A joint made by constraints."""

    method = "joint"
    kind: Annotated[str, _one_of("kind", JOINT_KINDS)]
    bodies: Annotated[list[str], Field(min_length=2, max_length=2)]
    at: Annotated[Place | None, In("length")] = None
    axis: Axis | None = None
    second_axis: Axis | None = None
    value: Annotated[Quantity | None, In("angle")] = None

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Split the bodies."""
        first, second = converted.pop("bodies")
        return {"first": first, "second": second, **converted}


Pair = Annotated[list[str], Field(min_length=2, max_length=2)]


class OneOfKinds(Element):
    """A table whose ``kind`` chooses the method."""

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Leave out the kind."""
        return {key: value for key, value in converted.items() if key != "kind"}


class OfPair(OneOfKinds):
    """Something of two points or bodies, which the method takes as first and second."""

    pair: ClassVar[str] = "points"

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Split the pair."""
        first, *second = converted.pop(self.pair)
        return {"first": first, **({"second": second[0]} if second else {}), **super().arguments(converted, units)}


class DistanceLink(OfPair):
    """Two points at a constant distance."""

    method = "distance_constraint"
    kind: Literal["distance"]
    points: Pair
    length: Annotated[Quantity | None, In("length")] = None


class LineLink(OneOfKinds):
    """A point on a line."""

    method = "on_line"
    kind: Literal["line"]
    point: str
    through: str
    axis: Axis
    body: str | None = None


class PlaneLink(OneOfKinds):
    """A point on a plane."""

    method = "on_plane"
    kind: Literal["plane"]
    point: str
    through: str
    normal: Axis
    body: str | None = None


class DistanceMeasure(OfPair):
    """The distance of two points."""

    method = "distance"
    kind: Literal["distance"]
    points: Pair


class AngleMeasure(OfPair):
    """The angle by which a body has turned."""

    method = "angle"
    pair = "bodies"
    kind: Literal["angle"]
    bodies: Annotated[list[str], Field(min_length=1, max_length=2)]
    axis: Axis | None = None


class RotationMeasure(OfPair):
    """A small rotation between two bodies."""

    method = "rotation"
    pair = "bodies"
    kind: Literal["rotation"]
    bodies: Pair
    axis: Axis | None = None

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Give the axis, also when there is none."""
        return {"axis": None, **super().arguments(converted, units)}


class DisplacementMeasure(OneOfKinds):
    """How far a point has gone along a direction."""

    method = "displacement"
    kind: Literal["displacement"]
    point: str
    along: Axis
    origin: str | None = None
    body: str | None = None


class Gear(OneOfKinds):
    """Two angles coupled by a ratio."""

    method = "gear"
    kind: Literal["gear"]
    first: str
    second: str
    ratio: float


class Rack(OneOfKinds):
    """An angle coupled with a displacement."""

    method = "rack"
    kind: Literal["rack"]
    angle: str
    displacement: str
    radius: Annotated[Quantity, In("length")]


class LinearRelation(OneOfKinds):
    """A weighted sum of measures, each in the units of the file, that stays constant."""

    method = "relation"
    kind: Literal["linear"]
    factors: Annotated[dict[str, float], Field(min_length=1)]
    constant: float | None = None


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
    exponent: Positive | None = None
    damping: Annotated[Quantity | None, In("time/length")] = None
    friction: float | None = None
    friction_speed: Annotated[Quantity | None, In("length/time")] = None
    radius: Annotated[Quantity | None, In("length")] = None

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Convert the stiffness, whose unit depends on the exponent."""
        if self.stiffness is not None:
            exponent = HERTZ if self.exponent is None else self.exponent
            converted["stiffness"] = self.stiffness * units.unit("force").factor / units.unit("length").factor ** exponent
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


class Output(Element):
    """Something to show."""

    method = "output"
    of: str
    motion: Annotated[str, _one_of("motion", MOTIONS)] | None = None


class Initial(Element):
    """What a measure has at the start."""

    method = "initial"
    value: Annotated[Quantity | None, In("measure")] = None
    rate: Annotated[Quantity | None, In("measure/time")] = None


class RunTable(Table):
    """``[run]``: what ``counterpoint run`` does with the file."""

    until: Annotated[Quantity | None, In("time")] = None
    start: Annotated[Quantity | None, In("time")] = None
    step: Annotated[Quantity | None, In("time")] = None
    plot: list[str] | None = None
    traces: list[str] = Field(default_factory=list)


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

UNIONS: dict[str, dict[str, type[Element]]] = {
    "links": {"distance": DistanceLink, "line": LineLink, "plane": PlaneLink},
    "measures": {
        "distance": DistanceMeasure,
        "angle": AngleMeasure,
        "displacement": DisplacementMeasure,
        "rotation": RotationMeasure,
    },
    "relations": {"gear": Gear, "rack": Rack, "linear": LinearRelation},
}
"""Sections whose tables have a ``kind``."""

SIMPLE: dict[str, type[Element]] = {
    "points": PointTable,
    "vectors": VectorTable,
    "bodies": BodyTable,
    "joints": JointTable,
    **FORCES,
}
"""Sections with one kind of table."""

ORDER = ("points", "vectors", "bodies", "joints", "links", "measures", "relations", *FORCES)
"""Order in which elements are made: each knows only those before it."""


def _formulation_table() -> type[Table]:
    """Return the table of the options of a Formulation."""
    hints = typing.get_type_hints(Formulation)
    keys: dict[str, Any] = {}
    for field in fields(Formulation):
        default = field.default if field.default is not MISSING else None
        keys[field.name] = (hints[field.name], default)
    return create_model("FormulationTable", __base__=Table, __doc__="``[formulation]``.", **keys)


FormulationTable = _formulation_table()


def _short_output(value: Any) -> Any:
    return {"of": value} if isinstance(value, str) else value


def _short_initial(value: Any) -> Any:
    return value if isinstance(value, dict) else {"value": value}


def _section(table: Any) -> Any:
    return (dict[Name, table], Field(default_factory=dict))


def _file_table() -> type[Table]:
    sections: dict[str, Any] = {"mechanism": (Head, ...)}
    sections |= {name: _section(table) for name, table in SIMPLE.items()}
    for name, kinds in UNIONS.items():
        union = typing.Union[tuple(kinds.values())]  # noqa: UP007
        sections[name] = _section(Annotated[union, Field(discriminator="kind")])
    sections |= {
        "point_masses": _section(Annotated[Quantity, In("mass")]),
        "guides": _section(TimeValue),
        "inputs": _section(Quantity),
        "outputs": _section(Annotated[Output, BeforeValidator(_short_output)]),
        "initial": _section(Annotated[Initial, BeforeValidator(_short_initial)]),
        "formulation": (FormulationTable | None, None),
        "run": (RunTable, Field(default_factory=RunTable)),
    }
    return create_model("FileTable", __base__=Table, __doc__="A whole model file.", **sections)


FileTable: Any = _file_table()


_INNER: dict[tuple[str, str], type[Table]] = {
    ("bodies", "shape"): ShapeTable,
    ("tyres", "longitudinal"): MagicFormula,
    ("tyres", "lateral"): MagicFormula,
}
"""Tables inside of tables."""


def table_at(path: tuple[str | int, ...], values: Mapping[str, Any]) -> type[Table] | None:
    """Return the table that stands at a path of a document."""
    if not path:
        return typing.cast(type[Table], FileTable)
    section = str(path[0])
    if len(path) == 1:
        return {"mechanism": Head, "run": RunTable, "formulation": FormulationTable}.get(section)
    if path == ("mechanism", "units"):
        return UnitsTable
    if len(path) == 3:
        return _INNER.get((section, str(path[2])))
    if len(path) != 2:
        return None
    if section in UNIONS:
        entry = values.get(section, {}).get(path[1])
        return UNIONS[section].get(str(entry.get("kind"))) if isinstance(entry, dict) else None
    return {**SIMPLE, "outputs": Output, "initial": Initial}.get(section)


def keys_at(path: tuple[str | int, ...], values: Mapping[str, Any]) -> list[str]:
    """Return the keys allowed in the table at ``path``."""
    table = table_at(path, values)
    return keys_of(table) if table is not None else []


def tags_at(path: tuple[str | int, ...], key: str) -> list[str]:
    """Return the values that the ``kind`` of the table at ``path`` may have."""
    return list(UNIONS.get(str(path[0]), ())) if path else []
