"""What a model file may contain: one pydantic model a table.

Force elements are in :mod:`.model_forces`.
"""

from __future__ import annotations

import functools
import operator
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, WithJsonSchema, create_model
from pydantic_core import PydanticCustomError

from ..._files.tables import FileName, Name, Or, Table, keys_of
from ...errors import did_you_mean
from ..assembly.joints import KINDS as JOINT_KINDS
from ..modelling.formulations import Formulation
from ..modelling.modal_bodies import Mode
from ..modelling.outputs import MOTIONS, STANDARD
from .elements import Element, OfPair, OneOfKinds, Pair
from .forces import FORCES, MagicFormula
from .rotors import Rotor, TowerTable, WakeTable
from .units import Units, role_problem
from .values import Axis, In, InertiaValue, Numbers, Position, Quantity, TimeValue

SHAPES = ("box", "cylinder", "sphere", "lines")
UNITS_HINT = (
    'write units = "SI" (m, kg, s, rad, N), or units = { length = "mm", mass = "kg", force = "N", angle = "deg" }'
)


def _one_of(what: str, known: typing.Iterable[str]) -> AfterValidator:
    names = tuple(known)

    def check(value: str) -> str:
        if value not in names:
            context = {"what": what, "hint": did_you_mean(value, names)}
            raise PydanticCustomError("unknown", "unknown {what}{hint}", context)
        return value

    return AfterValidator(check)


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
    Annotated[UnitsTable, Tag("table")]
    | Annotated[Any, BeforeValidator(_si), WithJsonSchema({"const": "SI"}), Tag("text")],
    Discriminator(lambda value: "table" if isinstance(value, dict) else "text"),
]


class Head(Table):
    """``[mechanism]``."""

    name: Annotated[Name, FileName] | None = None
    dimension: Literal[2, 3]
    units: UnitsValue
    gravity: Annotated[Numbers | None, In("length/time^2")] = None
    step: Annotated[Quantity | None, In("time")] = None
    standard_outputs: list[Annotated[str, _one_of("output", STANDARD)]] | None = None
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
    group: str | None = None


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


class ModeTable(Table):
    """A mode of a modal body."""

    shapes: dict[str, Axis]
    stiffness: Annotated[Quantity, In("force/length")]
    mass: Annotated[Quantity | None, In("mass")] = None
    damping: Annotated[Quantity | None, In("force*time/length")] = None
    rotations: dict[str, Axis] | None = None


class ModalBodyTable(Element):
    """A body that deforms in modes."""

    method = "modal_body"
    points: list[str]
    modes: dict[str, ModeTable]
    mass: Annotated[Quantity | None, In("mass")] = None
    centre: Annotated[Numbers | None, In("length")] = None
    inertia: Annotated[InertiaValue | None, In("mass*length^2")] = None
    shape: ShapeTable | None = None

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Turn the tables of modes to modes; rotations are in the file's angle per length."""
        per_length = units.unit("angle").factor / units.unit("length").factor
        modes = []
        for name, mode in converted.pop("modes").items():
            turned = {p: [per_length * x for x in v] for p, v in mode.pop("rotations", {}).items()}
            modes.append(Mode(name, rotations=turned, **mode))
        return {"modes": modes, **converted}


class JointTable(Element):
    """A joint made by constraints."""

    method = "joint"
    kind: Annotated[str, _one_of("kind", JOINT_KINDS)]
    bodies: Annotated[list[str], Field(min_length=2, max_length=2)]
    at: Annotated[Position | None, In("length")] = None
    axis: Axis | None = None
    second_axis: Axis | None = None
    value: Annotated[Quantity | None, In("angle")] = None

    def arguments(self, converted: dict[str, Any], units: Units) -> dict[str, Any]:
        """Split the bodies."""
        first, second = converted.pop("bodies")
        return {"first": first, "second": second, **converted}


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


class BodyLink(OneOfKinds):
    """A point at its place on a body."""

    method = "on_body"
    kind: Literal["body"]
    point: str
    body: str


class WeightedLink(OneOfKinds):
    """A point at a weighted sum of others."""

    method = "weighted_point"
    kind: Literal["weighted"]
    point: str
    weights: Annotated[dict[str, float], Field(min_length=1)]


class AngleCoordinate(Element):
    """An angle with a moment of inertia."""

    method = "coordinate"
    kind: Literal["angle"]
    inertia: Annotated[Quantity, In("mass*length^2")]
    value: Annotated[Quantity | None, In("angle")] = None
    rate: Annotated[Quantity | None, In("angle/time")] = None


class DisplacementCoordinate(Element):
    """A length with a mass."""

    method = "coordinate"
    kind: Literal["displacement"]
    inertia: Annotated[Quantity, In("mass")]
    value: Annotated[Quantity | None, In("length")] = None
    rate: Annotated[Quantity | None, In("length/time")] = None


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
    reference: Axis | None = None


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


UNIONS: dict[str, dict[str, type[Element]]] = {
    "coordinates": {"angle": AngleCoordinate, "displacement": DisplacementCoordinate},
    "links": {
        "distance": DistanceLink,
        "line": LineLink,
        "plane": PlaneLink,
        "body": BodyLink,
        "weighted": WeightedLink,
    },
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
    "modal_bodies": ModalBodyTable,
    "joints": JointTable,
    **FORCES,
    "rotors": Rotor,
}
"""Sections with one kind of table."""

ORDER = (
    "points",
    "vectors",
    "coordinates",
    "modal_bodies",
    "bodies",
    "joints",
    "links",
    "measures",
    "relations",
    *FORCES,
    "rotors",
)
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


def _file_table() -> Any:
    sections: dict[str, Any] = {"mechanism": (Head, ...)}
    sections |= {name: _section(table) for name, table in SIMPLE.items()}
    for name, kinds in UNIONS.items():
        union: Any = functools.reduce(operator.or_, kinds.values())
        sections[name] = _section(Annotated[union, Field(discriminator="kind")])
    sections |= {
        "point_masses": _section(Annotated[Quantity, In("mass")]),
        "guides": _section(TimeValue),
        "start_position": _section(Numbers),
        "inputs": _section(Quantity),
        "outputs": _section(Annotated[Output, BeforeValidator(_short_output), Or("string")]),
        "initial": _section(Annotated[Initial, BeforeValidator(_short_initial), Or("string", "number")]),
        "formulation": (FormulationTable | None, None),
        "run": (RunTable, Field(default_factory=RunTable)),
    }
    return create_model("FileTable", __base__=Table, __doc__="A whole model file.", **sections)


FileTable: Any = _file_table()


_NAMED: dict[str, type[Table]] = {**SIMPLE, "outputs": Output, "initial": Initial}
_INNER: dict[tuple[str, str], type[Table]] = {
    ("mechanism", ""): Head,
    ("mechanism", "units"): UnitsTable,
    ("run", ""): RunTable,
    ("formulation", ""): FormulationTable,
    ("bodies", "shape"): ShapeTable,
    ("modal_bodies", "shape"): ShapeTable,
    ("tyres", "longitudinal"): MagicFormula,
    ("tyres", "lateral"): MagicFormula,
    ("rotors", "wake"): WakeTable,
    ("rotors", "tower"): TowerTable,
}
"""Tables that are no element: by section and last key."""


def table_at(path: tuple[str | int, ...], values: Mapping[str, Any]) -> type[Table] | None:
    """Return the table at a path of a document."""
    if not path:
        return typing.cast(type[Table], FileTable)
    section = str(path[0])
    if section in UNIONS and len(path) == 2:
        entry = values.get(section, {}).get(path[1])
        return UNIONS[section].get(str(entry.get("kind"))) if isinstance(entry, dict) else None
    if len(path) == 2 and section != "mechanism":
        return _NAMED.get(section)
    return _INNER.get((section, str(path[-1]) if len(path) > 1 else ""))


def keys_at(path: tuple[str | int, ...], values: Mapping[str, Any]) -> list[str]:
    """Return the keys allowed in the table at ``path``."""
    table = table_at(path, values)
    return keys_of(table) if table is not None else []


def tags_at(path: tuple[str | int, ...], key: str) -> list[str]:
    """Return the values that the ``kind`` of the table at ``path`` may have."""
    return list(UNIONS.get(str(path[0]), ())) if path else []
