"""An animation as one HTML page: markup, the viewer and the motion, nothing from elsewhere."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from .rotations import Array, to_quaternions
from .scene import VIEWS, colours, measure
from .shape import Shape
from .solids import Solid

if TYPE_CHECKING:
    from .animation import Animation

Reference = int | list[float]
"""Where the viewer finds a coordinate: the number of a column, or its value in a list if it never changes."""


class _Columns:
    """Coordinates over the frames; those of shared points are kept once, and those that never change not at all.

    A joint is the end of several bars and a planar mechanism has one z: that makes a file some times smaller.
    """

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}

    def reference(self, values: Array) -> Reference:
        """Return where the viewer finds one coordinate, shape ``(frames,)``."""
        column = values.astype("<f4")
        if (column == column[0]).all():
            return [float(f"{values[0]:.7g}")]
        return self._places.setdefault(column.tobytes(), len(self._places))

    def references(self, table: Array) -> list[Reference]:
        """Return the references of a table's columns, shape ``(frames, columns)``."""
        return [self.reference(column) for column in table.T]

    def encoded(self) -> str:
        return _base64(b"".join(self._places))


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def page(animation: Animation) -> str:
    """Return the page; names and titles are data in it, never markup or script."""
    parts = {
        "title": escape(animation.title or "Animation").encode("ascii", "xmlcharrefreplace").decode("ascii"),
        "drawing": _part("drawing.js"),
        "controls": _part("controls.js"),
        # No "<" may end the element early; JSON has another way to write it.
        "scene": json.dumps(scene(animation), separators=(",", ":")).replace("<", "\\u003c"),
    }
    return re.sub(r"@@(\w+)@@", lambda found: parts[found[1]], _part("viewer.html"))


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def scene(animation: Animation) -> dict[str, Any]:
    """Return what the viewer reads: everything relative to the middle, so that 32 bits are enough far from zero."""
    room = measure(animation.shapes, animation.up, animation.planar)
    columns, solids = _Columns(), _Solids()
    groups = {key: place for place, key in enumerate(dict.fromkeys(shape.key for shape in animation.shapes))}
    shapes = [
        {
            "name": shape.name,
            "kind": shape.kind,
            "group": groups[shape.key],
            "colour": [round(part, 4) for part in colour],
            "points": [columns.references(point) for point in np.moveaxis(shape.positions - room.centre, 1, 0)],
            **_solid_fields(shape, columns, solids),
        }
        for shape, colour in zip(animation.shapes, colours(animation.shapes), strict=True)
    ]
    return {
        "title": animation.title,
        "planar": animation.planar,
        "speed": animation.speed,
        "frames": len(animation.times),
        "times": _base64(animation.times.astype("<f8").tobytes()),
        "jumps": np.flatnonzero(~animation.is_smooth).tolist(),
        "views": VIEWS,
        "axes": room.axes.tolist(),
        "centre": room.centre.tolist(),
        "half": ((room.high - room.low) / 2).tolist(),
        "normal": room.normal.tolist(),
        "level": float(room.level - room.normal @ room.centre),
        "groups": list(groups),
        "traces": [place for place, shape in enumerate(animation.shapes) if shape in animation.traced],
        "shapes": shapes,
        "solids": solids.encoded(),
        "columns": columns.encoded(),
    }


class _Solids:
    """The triangles of all bodies, each kept once."""

    def __init__(self) -> None:
        self._places: dict[tuple[bytes, bytes], int] = {}

    def place(self, solid: Solid) -> int:
        key = solid.vertices.astype("<f4").tobytes(), solid.faces.astype("<u4").tobytes()
        return self._places.setdefault(key, len(self._places))

    def encoded(self) -> list[dict[str, str]]:
        return [{"vertices": _base64(vertices), "faces": _base64(faces)} for vertices, faces in self._places]


def _solid_fields(shape: Shape, columns: _Columns, solids: _Solids) -> dict[str, Any]:
    solid = shape.solid
    if solid is None:
        return {"radius": shape.size[0]} if shape.size else {}
    rotations = np.eye(3)[None] if shape.rotations is None else shape.rotations
    return {
        "solid": solids.place(solid),
        "scale": shape.scale,
        "turn": columns.references(to_quaternions(rotations)),
        "marked": shape.marked,
    }
