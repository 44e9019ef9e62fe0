"""What a mechanism is made of so far, and the bookkeeping of every method that adds to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ...errors import SetupError, did_you_mean
from ..assembly.affine import Vector
from .parts import (
    GROUND,
    BodyPart,
    Coordinate,
    Direction,
    ForcePart,
    Guide,
    InitialValue,
    Joint,
    Link,
    MeasurePart,
    OutputPart,
    Point,
    PointMass,
    Relation,
    vector_of,
)

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from .modal_bodies import ModalPart


class Bookkeeping:
    """The parts of a mechanism by name; each name is unique, and all problems are reported together."""

    def __init__(self, name: str, dimension: int) -> None:
        self.name = name
        self.dimension = dimension
        self.points: dict[str, Point] = {}
        self.vectors: dict[str, Direction] = {}
        self.coordinates: dict[str, Coordinate] = {}
        self.bodies: dict[str, BodyPart] = {}
        self.point_masses: list[PointMass] = []
        self.modal_parts: dict[str, ModalPart] = {}
        self.joints: dict[str, Joint] = {}
        self.links: dict[str, Link] = {}
        self.measures: dict[str, MeasurePart] = {}
        self.guides: list[Guide] = []
        self.relations: dict[str, Relation] = {}
        self.forces: dict[str, ForcePart] = {}
        self.outputs: dict[str, OutputPart] = {}
        self.initial_values: list[InitialValue] = []
        self.inputs: dict[str, float] = {}
        self.start_position: dict[str, Vector] = {}
        self._assembly: Assembly | None = None

    def _changed(self) -> None:
        self._assembly = None

    def _raise(self, problems: list[str]) -> None:
        if problems:
            raise SetupError([f"{self.name}: {problem}" for problem in problems])

    def _new_name(self, name: str, kind: str) -> list[str]:
        if not isinstance(name, str) or name in ("", GROUND) or set(name) & {".", ":"} or name != name.strip():
            return [f'{kind} name {name!r}: expected a word without dots and colons, and not "{GROUND}"']
        for other, table in self._tables().items():
            if name in table:
                return [f'{kind} "{name}": a {other} has this name already']
        return []

    def _tables(self) -> dict[str, Mapping[str, Any]]:
        return {
            "point": self.points, "vector": self.vectors, "body": self.bodies, "joint": self.joints, "link": self.links,
            "measure": self.measures, "relation": self.relations, "force": self.forces,
        }  # fmt: skip

    def _unknown(self, where: str, kind: str, names: Sequence[str], known: Mapping[str, Any]) -> list[str]:
        return [f'{where}: no {kind} "{name}"{did_you_mean(str(name), known)}' for name in names if name not in known]

    def _known_bodies(self) -> dict[str, object]:
        return {**self._moving_bodies(), GROUND: None}

    def _moving_bodies(self) -> dict[str, object]:
        """Return bodies, and the frames of the points of modal bodies."""
        frames = {f"{part.body}:{point}": part for part in self.modal_parts.values() for point in part.points}
        return {**self.bodies, **frames}

    def _direction(self, where: str, value: ArrayLike, problems: list[str]) -> Vector:
        made = vector_of(where, value, self.dimension, problems)
        if not made.any() and not problems:
            problems.append(f"{where}: has no length; expected a direction")
        return made

    def _note_input(self, value: Any) -> None:
        from .time_values import input_of

        name = input_of(value)
        if name is not None:
            self.inputs.setdefault(name, 0.0)
