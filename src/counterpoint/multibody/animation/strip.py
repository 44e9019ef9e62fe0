"""Frames of an animation side by side, drawn with matplotlib: far things first, near things over them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import OutputError
from .rotations import Array
from .scene import Scene, camera, colours, measure, round_length
from .shape import Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .animation import Animation

_INK = "#3d444d"
_LINE_WIDTHS = {"line": 2.6, "spring": 1.2, "arrow": 1.6}
"""In points."""
_PIECES = 12
"""Parts of a straight line, so that it can pass between bodies."""
_LONGEST_TRACE = 500
_PAGE_WIDTH, _TALLEST, _NARROWEST = 12.0, 4.0, 1.6
"""Of all frames in a row, and of one frame; inches."""


class _Item(NamedTuple):
    """A polygon, or a line if it has no face, in the plane of the picture."""

    depth: float
    corners: Array
    face: Array | None
    edge: Array
    width: float


class _Frame(NamedTuple):
    """One moment seen from one place: `rows` are right, up and towards the viewer."""

    rows: Array
    scene: Scene
    dot: float
    planar: bool


def draw(animation: Animation, path: Path, times: Array, *, view: str, columns: int, dpi: float) -> Path:
    """Write the picture; `times` lie within those of the animation."""
    from matplotlib.figure import Figure as PlainFigure

    scene = measure(animation.shapes, animation.up, animation.planar)
    rows = camera(scene.axes, view)
    low, high = _window(scene, rows)
    slope = float((high[1] - low[1]) / (high[0] - low[0]))
    width = max(min(_PAGE_WIDTH / columns, _TALLEST / slope), _NARROWEST)
    height = width * slope
    lines = ceil(len(times) / columns)
    figure = PlainFigure(
        figsize=(width * columns, (height + 0.3) * lines + 0.35 * bool(animation.title)), layout="constrained"
    )
    grid = figure.subplots(lines, columns, squeeze=False)
    shown = animation.shapes_at(times)
    frame = _Frame(rows, scene, 0.014 * float(np.linalg.norm(high - low)), animation.planar)
    for place, ax in enumerate(grid.flat):
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        ax.axis("off")
        if place < len(times):
            _ground(ax, frame, low, high)
            now = [_still(shape, place) for shape in shown]
            _traces(ax, animation, times[place], now, rows)
            _shapes(ax, now, frame)
            _caption(ax, times[place], times)
    if animation.title:
        figure.suptitle(animation.title, fontsize=11, fontweight="bold", color=_INK).set_parse_math(False)
    _save(figure, path, dpi)
    return path


def _window(scene: Scene, rows: Array) -> tuple[Array, Array]:
    """Return the corners of a picture that shows everything, with some room around, never flat."""
    corners = np.array([[x, y, z] for x, y, z in np.ndindex(2, 2, 2)])
    seen = (scene.low + corners * (scene.high - scene.low)) @ rows[:2].T
    low, high = seen.min(axis=0), seen.max(axis=0)
    size = max(float((high - low).max()), 1e-9)
    half = np.maximum((high - low) / 2 + 0.06 * size, 0.2 * size)
    return (low + high) / 2 - half, (low + high) / 2 + half


def _caption(ax: Axes, time: float, times: Array) -> None:
    spacing = float(np.diff(np.unique(times)).min()) if len(np.unique(times)) > 1 else max(abs(time), 1e-3)
    digits = int(np.clip(ceil(-np.log10(spacing)) + 1, 0, 9))
    ax.text(0.5, -0.02, f"{time:.{digits}f} s", transform=ax.transAxes, ha="center", va="top", fontsize=9, color=_INK)


def _ground(ax: Axes, frame: _Frame, low: Array, high: Array) -> None:
    """Draw the grid below, or for planar motion behind, at round lengths."""
    from matplotlib.collections import LineCollection

    scene, rows = frame.scene, frame.rows
    if abs(rows[2] @ scene.normal) < 0.05:
        return
    across, along = scene.axes[0], scene.axes[1] if frame.planar else scene.axes[2]
    reach = (1.0 if frame.planar else 0.5) * float(np.linalg.norm(high - low))
    spacing = round_length(reach / 5)
    (left, right), (near, far) = (
        (np.floor((axis @ scene.centre - reach) / spacing), np.ceil((axis @ scene.centre + reach) / spacing))
        for axis in (across, along)
    )
    base = scene.level * scene.normal

    def place(i: float, j: float) -> Array:
        return np.asarray((base + spacing * (i * across + j * along)) @ rows[:2].T)

    bars = [[place(i, near), place(i, far)] for i in np.arange(left, right + 1)]
    bars += [[place(left, j), place(right, j)] for j in np.arange(near, far + 1)]
    ax.add_collection(
        LineCollection(np.array(bars).tolist(), colors="#e3e6ea", linewidths=0.6, zorder=0), autolim=False
    )


def _traces(ax: Axes, animation: Animation, until: float, now: Sequence[Shape], rows: Array) -> None:
    """Draw where traced points have been, as far as where they are `now`."""
    past = animation.times < until
    for shape, still, colour in zip(animation.shapes, now, colours(now), strict=True):
        if shape in animation.traced and len(shape.positions) > 1:
            path = shape.positions[past, -1]
            path = np.vstack([path[:: max(1, len(path) // _LONGEST_TRACE)], still.positions[0, -1:]]) @ rows[:2].T
            ax.plot(*path.T, color=colour, linewidth=0.9, alpha=0.7, zorder=1)


def _still(shape: Shape, place: int) -> Shape:
    """Return a shape with one frame only."""
    positions, rotations = shape.positions, shape.rotations
    return replace(
        shape,
        positions=positions[place if len(positions) > 1 else 0][None],
        rotations=None if rotations is None else rotations[place if len(rotations) > 1 else 0][None],
    )


def _shapes(ax: Axes, shown: Sequence[Shape], frame: _Frame) -> None:
    from matplotlib.collections import PolyCollection

    items: list[_Item] = []
    for order, (shape, colour) in enumerate(zip(shown, colours(shown), strict=True)):
        lift = 1e-6 * frame.dot * order  # of things at one depth the later is in front
        maker = _lines if shape.solid is None else _faces
        items += [item._replace(depth=item.depth + lift) for item in maker(shape, np.array(colour), frame)]
    items.sort(key=lambda item: item.depth)
    ax.add_collection(
        PolyCollection(
            [item.corners for item in items],
            facecolors=[(0, 0, 0, 0) if item.face is None else (*item.face, 1) for item in items],
            edgecolors=[tuple(item.edge) for item in items],
            linewidths=[item.width for item in items],
            closed=False,
            capstyle="round",
            joinstyle="round",
            zorder=2,
        ),
        autolim=False,
    )


def _faces(shape: Shape, colour: Array, frame: _Frame) -> Iterator[_Item]:
    """Yield the triangles of a solid, lit from above left as in the page."""
    solid = shape.solid
    assert solid is not None
    turn = np.eye(3) if shape.rotations is None else shape.rotations[0]
    world = (np.asarray(shape.scale) * solid.vertices) @ turn.T + shape.positions[0, 0]
    corners = (world @ frame.rows.T)[solid.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    visible = (lengths > 0) & ((normals[:, 2] > 0) | (shape.kind == "mesh"))
    normals = normals[visible] / lengths[visible, None]
    normals *= np.where(normals[:, 2] < 0, -1, 1)[:, None]  # the inside of an open mesh is lit too
    light = np.array([-0.45, 0.75, 0.6]) / np.linalg.norm([-0.45, 0.75, 0.6])
    strength = 0.58 + 0.11 * (1 + normals[:, 1]) + 0.36 * np.maximum(normals @ light, 0)
    if shape.marked:
        eighth = solid.vertices[solid.faces[visible]].mean(axis=1).prod(axis=1)
        strength = strength * np.where(eighth < 0, 0.7, 1.0)
    tints = np.clip(strength[:, None] * colour, 0, 1)
    for triangle, tint in zip(corners[visible], tints, strict=True):
        yield _Item(float(triangle[:, 2].mean()), triangle[[0, 1, 2, 0], :2], tint, tint, 0.4)


def _lines(shape: Shape, colour: Array, frame: _Frame) -> Iterator[_Item]:
    points = shape.positions[0] @ frame.rows.T
    if shape.kind == "point":
        yield from _ring(points[0], colour, frame)
        return
    if shape.kind == "spring":
        radius = shape.size[0] if shape.size else 0.035 * float(np.linalg.norm(frame.scene.high - frame.scene.low)) / 2
        points = _coil(points[0], points[1], radius, frame.planar)
    if shape.kind == "arrow":
        length = float(np.linalg.norm(points[1] - points[0]))
        if length == 0:
            return
        neck = points[1] + min(2.5 * frame.dot / length, 0.6) * (points[0] - points[1])
        yield _head(neck, points[1], colour, frame)
        points = np.array([points[0], neck])
    pieces = 1 if frame.planar or shape.kind == "spring" else _PIECES
    for start, end in pairwise(points):
        ends = start + np.linspace(0, 1, pieces + 1)[:, None] * (end - start)
        for piece in pairwise(ends):
            part = np.array(piece)
            yield _Item(float(part[:, 2].mean()), part[:, :2], None, colour, _LINE_WIDTHS[shape.kind])


def _ring(centre: Array, colour: Array, frame: _Frame) -> Iterator[_Item]:
    angles = np.linspace(0, 2 * np.pi, 25)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    near = float(centre[2]) + frame.dot  # in front of the lines that meet in it
    yield _Item(near, centre[:2] + frame.dot * circle, colour, colour, 0.0)
    yield _Item(near, centre[:2] + 0.45 * frame.dot * circle, np.ones(3), np.ones(3), 0.0)


def _head(neck: Array, tip: Array, colour: Array, frame: _Frame) -> _Item:
    along = tip[:2] - neck[:2]
    across = np.array([-along[1], along[0]]) / max(float(np.linalg.norm(along)), 1e-30) * 0.8 * frame.dot
    corners = np.array([neck[:2] + across, tip[:2], neck[:2] - across])
    return _Item(float(tip[2]), corners, colour, colour, 0.3)


def _coil(start: Array, end: Array, radius: float, planar: bool) -> Array:
    """Return points along a coil, or along its outline for planar motion; as in the page."""
    turns, per_turn = 7, 2 if planar else 16
    along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-30)
    side = np.cross([0.0, 0.0, 1.0] if planar else np.eye(3)[np.abs(along).argmin()], along)
    side /= max(float(np.linalg.norm(side)), 1e-30)
    steps = np.arange(turns * per_turn + 1)
    wide = radius * np.minimum(1, np.minimum(2 * steps / per_turn, 2 * (turns - steps / per_turn)))[:, None]
    angle = (2 * np.pi * steps / per_turn)[:, None]
    middle = start + (0.1 + 0.8 * steps[:, None] / steps[-1]) * (end - start)
    turned = wide * (np.cos(angle) * side + np.sin(angle) * np.cross(along, side))
    return np.vstack([start, middle + turned, end])


def _save(figure: Figure, path: Path, dpi: float) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        try:
            figure.savefig(path, dpi=dpi)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise OutputError(f"{path}: the picture cannot be saved: {reason}", str(path)) from error
