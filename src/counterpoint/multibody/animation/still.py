"""One moment as a picture, with names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import SetupError, did_you_mean
from .rotations import Array
from .scene import VIEWS, camera, measure
from .shape import Shape
from .strip import _INK, _Frame, _ground, _save, _shapes, _window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _TALLEST = 6.0, 5.0
"""Of the picture, inches."""


def picture(
    shapes: Sequence[Shape],
    names: Mapping[str, Array],
    *,
    up: tuple[float, float, float] = (0.0, 0.0, 1.0),
    planar: bool = False,
    view: str | None = None,
    title: str = "",
    path: str | os.PathLike[str] | None = None,
    dpi: float = 150,
) -> Figure:
    """Draw shapes as they are in their first frame.

    Parameters
    ----------
    shapes : sequence of Shape
        What to draw.
    names : mapping from name to array of shape (3,)
        Labels and where they belong, m; labels at one place are written together.
    up, planar, title
        As for :class:`Animation`.
    view : {"front", "side", "top", "iso"}, optional
        Default: "front" for planar pictures and "iso" otherwise.
    path : path, optional
        Where to save it.
    dpi : float
        Dots in an inch of a saved PNG.
    """
    from matplotlib.figure import Figure as PlainFigure

    if view is not None and view not in VIEWS:
        raise SetupError(f'picture "{title}": no view "{view}"' + did_you_mean(view, VIEWS))
    scene = measure(shapes, up, planar)
    rows = camera(scene.axes, view or ("front" if planar else "iso"))
    low, high = _window(scene, rows)
    slope = float((high[1] - low[1]) / (high[0] - low[0]))
    width = min(_WIDTH, _TALLEST / slope)
    figure = PlainFigure(figsize=(width, width * slope + 0.35 * bool(title)), layout="constrained")
    ax = figure.subplots()
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    ax.axis("off")
    frame = _Frame(rows, scene, 0.010 * float(np.linalg.norm(high - low)), planar)
    _ground(ax, frame, low, high)
    _shapes(ax, shapes, frame)
    _labels(ax, names, shapes, frame)
    if title:
        figure.suptitle(title, fontsize=11, fontweight="bold", color=_INK).set_parse_math(False)
    if path is not None:
        _save(figure, Path(path), dpi)
    return figure


def _labels(ax: Axes, names: Mapping[str, Array], shapes: Sequence[Shape], frame: _Frame) -> None:
    """Write names beside their points, away from the lines that meet there."""
    seen = [shape.positions[0] @ frame.rows[:2].T for shape in shapes if shape.kind in ("line", "spring")]
    places = {name: place @ frame.rows[:2].T for name, place in names.items()}
    together: dict[tuple[int, ...], list[str]] = {}
    for name, place in places.items():
        together.setdefault(tuple(int(x) for x in np.round(place / (2 * frame.dot))), []).append(name)
    for group in together.values():
        place = places[group[0]]
        away = _away(place, seen, frame.dot)
        x, y = place + 2.2 * frame.dot * away
        ax.text(
            x, y, ", ".join(group), fontsize=8.5, color=_INK, zorder=3,
            ha="left" if away[0] > 0.3 else "right" if away[0] < -0.3 else "center",
            va="bottom" if away[1] > 0.3 else "top" if away[1] < -0.3 else "center",
        ).set_parse_math(False)  # fmt: skip


def _away(place: Array, lines: Sequence[Array], dot: float) -> Array:
    """Return the direction in the picture in which there is most room beside a point."""
    toward = []
    for line in lines:
        for start, end in (*pairwise(line), *pairwise(line[::-1])):
            along = end - start
            if np.linalg.norm(start - place) < dot and np.linalg.norm(along) > dot:
                toward.append(along / np.linalg.norm(along))
    angles = np.radians(np.arange(90.0, 450.0, 15.0))  # above is preferred where all are equal
    candidates = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if not toward:
        return np.asarray(candidates[0])
    nearest = (candidates @ np.array(toward).T).max(axis=1)
    return np.asarray(candidates[int(np.argmin(np.round(nearest, 6)))])
