"""One thing to draw, and what it must be like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import SetupError, did_you_mean
from .rotations import Array
from .solids import Solid, unit_solid

LINES = ("line", "spring", "arrow", "point")
SIZES = {"box": "(x, y, z) edges", "cylinder": "(radius, length)", "sphere": "(radius,)"}
KINDS = (*LINES, *SIZES, "mesh")

_SIZE_LENGTHS = {"box": (3,), "cylinder": (2,), "sphere": (1,), "spring": (0, 1)}


@dataclass(frozen=True, eq=False)
class Shape:
    """One thing to draw: where it is and how it is turned in every frame.

    Parameters
    ----------
    name : str
        Shown when the mouse is over it.
    kind : str
        "line" (through all points), "spring" (between two points), "arrow" (from the first point to the second),
        "point", "box", "cylinder" (its axis is the local z), "sphere" or "mesh".
    positions : array
        World positions in m, shape ``(frames, points, 3)``, or ``(1, points, 3)`` for what does not move. The one point
        of a box, cylinder or sphere is its centre, that of a mesh the origin of its vertices.
    rotations : array, optional
        Shape ``(frames, 3, 3)`` or ``(1, 3, 3)``; the columns are the body axes in the world. None: not turned.
    size : tuple of float
        In m. Box: (x, y, z) edges; cylinder: (radius, length); sphere: (radius,); spring: (radius,) of its coil, or
        empty. Lines, arrows and points have the same width on the screen at every distance.
    colour : str, optional
        ``"#1f6feb"`` or a CSS name. None: from a colour-blind safe palette, the same for all shapes of a group.
    vertices, faces : array, optional
        Of a mesh: local positions in m, shape ``(n, 3)``, and the indices of the triangles' corners, shape ``(m, 3)``.
    group : str
        Shapes of a group, such as those of a body, are hidden and highlighted together.

    Examples
    --------
    A box of 0.4 m × 0.2 m × 0.1 m that moves along x:

    >>> x = np.linspace(0.0, 1.0, 11)
    >>> Shape("slider", "box", np.stack([x, 0 * x, 0 * x], axis=1)[:, None, :], size=(0.4, 0.2, 0.1))
    <Shape "slider": box, 11 frames>
    """

    name: str
    kind: str
    positions: Array
    rotations: Array | None = None
    size: tuple[float, ...] = ()
    colour: str | None = None
    vertices: Array | None = None
    faces: NDArray[np.int64] | None = None
    group: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SetupError(f'{self.where}.kind: no kind "{self.kind}"' + did_you_mean(str(self.kind), KINDS))
        self._set("positions", _numbers(self.positions, f"{self.where}.positions"))
        if self.rotations is not None:
            self._set("rotations", _numbers(self.rotations, f"{self.where}.rotations"))
        self._set("size", tuple(float(edge) for edge in self.size))
        problems = [*self._wrong_arrays(), *self._wrong_size(), *self._wrong_colour(), *self._wrong_mesh()]
        if problems:
            raise SetupError(problems)

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)

    def __repr__(self) -> str:
        return f'<Shape "{self.name}": {self.kind}, {self.frames} frame{"s" * (self.frames != 1)}>'

    @property
    def where(self) -> str:
        """How messages name this shape."""
        return f'shapes."{self.name}"'

    @property
    def frames(self) -> int:
        """Number of frames; 1 for a shape that neither moves nor turns."""
        return max(len(self.positions), 1 if self.rotations is None else len(self.rotations))

    @property
    def key(self) -> str:
        """What is hidden and coloured together: the group, or the shape alone."""
        return self.group or self.name

    @property
    def solid(self) -> Solid | None:
        """The triangles to scale, turn and move; None for lines and points."""
        if self.vertices is not None and self.faces is not None:
            return Solid(self.vertices, self.faces)
        return unit_solid(self.kind) if self.kind in SIZES else None

    @property
    def scale(self) -> tuple[float, float, float]:
        """How much the solid is stretched along its axes."""
        if self.kind == "box":
            return self.size[0], self.size[1], self.size[2]
        if self.kind == "cylinder":
            return self.size[0], self.size[0], self.size[1]
        return (self.size[0],) * 3 if self.kind == "sphere" else (1.0, 1.0, 1.0)

    @property
    def marked(self) -> bool:
        """Whether opposite eighths are shaded, so that one sees a round body turn."""
        return self.kind in ("cylinder", "sphere") and self.rotations is not None

    def _wrong_arrays(self) -> list[str]:
        problems = []
        count = 2 if self.kind in ("line", "spring", "arrow") else 1
        needed = f"{count} point{'s' * (count > 1)}" + " or more" * (self.kind == "line")
        shape = self.positions.shape
        if self.positions.ndim != 3 or shape[2] != 3 or shape[0] == 0:
            problems.append(
                f"{self.where}.positions: has the shape {shape}; "
                f"expected (frames, points, 3), with {needed} for a {self.kind}"
            )
        elif shape[1] < count or (shape[1] > count and self.kind != "line"):
            problems.append(f"{self.where}.positions: has {shape[1]} in a frame; a {self.kind} needs {needed}")
        if self.rotations is not None and self.kind in LINES:
            problems.append(f"{self.where}.rotations: a {self.kind} cannot be turned; move its points instead")
        elif self.rotations is not None and (self.rotations.shape[1:] != (3, 3) or not len(self.rotations)):
            problems.append(f"{self.where}.rotations: has the shape {self.rotations.shape}; expected (frames, 3, 3)")
        return problems

    def _wrong_size(self) -> list[str]:
        if len(self.size) not in _SIZE_LENGTHS.get(self.kind, (0,)):
            needed = SIZES.get(self.kind, "(radius,) or nothing" if self.kind == "spring" else "nothing")
            return [f"{self.where}.size: is {self.size}; a {self.kind} takes {needed}"]
        if not all(np.isfinite(edge) and edge > 0 for edge in self.size):
            return [f"{self.where}.size: is {self.size} m; every length must be greater than 0"]
        return []

    def _wrong_colour(self) -> list[str]:
        if self.colour is None:
            return []
        from matplotlib.colors import is_color_like, to_rgba

        if not is_color_like(self.colour):
            return [f'{self.where}.colour: "{self.colour}" is not a colour; "#1f6feb" or a CSS name such as "teal" is']
        if to_rgba(self.colour)[3] < 1:
            return [f'{self.where}.colour: "{self.colour}" is transparent; only opaque colours are drawn']
        return []

    def _wrong_mesh(self) -> list[str]:
        if self.kind != "mesh":
            unwanted = self.vertices is not None or self.faces is not None
            return [f"{self.where}: only a mesh has vertices and faces, not a {self.kind}"] if unwanted else []
        if self.vertices is None or self.faces is None:
            return [f"{self.where}: a mesh needs vertices, shape (n, 3), and faces, shape (m, 3)"]
        self._set("vertices", _numbers(self.vertices, f"{self.where}.vertices"))
        faces = np.asarray(self.faces)
        self._set("faces", faces.astype(np.int64))
        problems = []
        if self.vertices.ndim != 2 or self.vertices.shape[1] != 3 or not np.isfinite(self.vertices).all():
            problems.append(f"{self.where}.vertices: expected finite numbers of the shape (n, 3)")
        if faces.ndim != 2 or faces.shape[1] != 3 or not len(faces) or faces.dtype.kind not in "iu":
            problems.append(f"{self.where}.faces: expected integers of the shape (m, 3)")
        elif faces.min() < 0 or faces.max() >= len(self.vertices):
            problems.append(
                f"{self.where}.faces: index {faces.max() if faces.min() >= 0 else faces.min()} does not exist; "
                f"there are {len(self.vertices)} vertices, counted from 0"
            )
        return problems


def _numbers(values: ArrayLike | Any, where: str) -> Array:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SetupError(f"{where}: is not an array of numbers: {error}") from error
