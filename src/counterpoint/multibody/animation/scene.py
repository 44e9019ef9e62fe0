"""Common to the page and the strip of frames: colours, the extent of the motion, the position of the viewer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .rotations import Array
from .shape import Shape

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f")
"""Colours that stay apart for colour-blind eyes (after Okabe and Ito, 2008), without yellow: it is lost on white."""

VIEWS = {"front": (0.0, 0.0), "side": (90.0, 0.0), "top": (0.0, 90.0), "iso": (35.0, 24.0)}
"""How far the viewer has gone round (to the right) and up from the front, in degrees."""

_MOST_FRAMES_MEASURED = 200


class Scene(NamedTuple):
    """Where everything is.

    Attributes
    ----------
    axes : array
        Rows: to the right, up, and towards a viewer in front.
    low, high : array
        Corners of the box, parallel to the world axes, that holds every frame, m.
    normal : array
        Of the ground; towards the viewer for planar motion, which has a grid behind it.
    level : float
        Where the ground is along its normal, m.
    """

    axes: Array
    low: Array
    high: Array
    normal: Array
    level: float

    @property
    def centre(self) -> Array:
        """Middle of the box, m."""
        return (self.low + self.high) / 2


def colours(shapes: Sequence[Shape]) -> list[tuple[float, float, float]]:
    """Return red, green and blue of every shape; those of a group agree unless a shape says otherwise."""
    from matplotlib.colors import to_rgb

    places = {key: place for place, key in enumerate(dict.fromkeys(s.key for s in shapes if s.colour is None))}
    return [
        to_rgb(shape.colour if shape.colour is not None else PALETTE[places[shape.key] % len(PALETTE)])
        for shape in shapes
    ]


def measure(shapes: Sequence[Shape], up: Sequence[float], planar: bool) -> Scene:
    """Return the room that shapes take over all their frames, and the ground below or behind them."""
    axes = _axes(np.asarray(up, dtype=np.float64))
    normal = axes[2] if planar else axes[1]
    extents = np.array([_extent(shape, np.vstack([np.eye(3), normal])) for shape in shapes])
    low, high = extents[:, 0].min(axis=0), extents[:, 1].max(axis=0)
    lowest, reach = low[3], float(np.linalg.norm(high[:3] - low[:3])) / 2
    near_zero = -0.02 * reach <= lowest <= 0.5 * reach  # then the zero of the model is its floor
    return Scene(axes, low[:3], high[:3], normal, 0.0 if near_zero and not planar else float(lowest))


def _axes(up: Array) -> Array:
    """Return right, up and towards the viewer; right is the world's x axis as far as `up` allows."""
    up = up / np.linalg.norm(up)
    x = np.eye(3)[0 if abs(up[0]) < 0.9 else 1]
    right = x - (x @ up) * up
    right /= np.linalg.norm(right)
    return np.array([right, up, np.cross(right, up)])


def _extent(shape: Shape, directions: Array) -> tuple[Array, Array]:
    """Return the least and the greatest that a shape reaches along each direction, over all frames."""
    along = shape.positions @ directions.T
    solid = shape.solid
    if solid is None:
        return along.min(axis=(0, 1)), along.max(axis=(0, 1))
    local = np.asarray(shape.scale) * solid.vertices
    rotations = np.eye(3)[None] if shape.rotations is None else shape.rotations
    count = min(shape.frames, _MOST_FRAMES_MEASURED)
    lows, highs = [], []
    for share in np.linspace(0.0, 1.0, count):
        rotation = rotations[round(share * (len(rotations) - 1))]
        reached = directions @ rotation @ local.T + along[round(share * (len(along) - 1)), 0][:, None]
        lows.append(reached.min(axis=1))
        highs.append(reached.max(axis=1))
    return np.min(lows, axis=0), np.max(highs, axis=0)


def camera(axes: Array, view: str) -> Array:
    """Return the rows right, up and towards the viewer of a picture taken from one of the `VIEWS`."""
    around, above = np.radians(VIEWS[view])
    right, up, front = axes
    outward = np.sin(around) * right + np.cos(around) * front
    return np.array(
        [
            np.cos(around) * right - np.sin(around) * front,
            np.cos(above) * up - np.sin(above) * outward,
            np.cos(above) * outward + np.sin(above) * up,
        ]
    )


def round_length(length: float) -> float:
    """Return the greatest of 1, 2, 5, 10, ... that is not greater than `length`.

    >>> [round_length(x) for x in (0.7, 30.0, 1.0)]
    [0.5, 20.0, 1.0]
    """
    power = 10.0 ** np.floor(np.log10(length) + 1e-9)
    return float(power * max(step for step in (1, 2, 5) if step * power <= length * (1 + 1e-9)))
