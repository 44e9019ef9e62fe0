"""A mechanism in motion, to be saved, shown in a notebook or printed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OutputError, SetupError, did_you_mean
from .rotations import Array, between, to_matrices, to_quaternions, worst_departure
from .shape import Shape

_NOTEBOOK_FRAMES = 600
_SHRINKS = 0.01
"""Part of its length that a line may lose between two frames; more can be seen."""
_ROTATION_TOLERANCE = 0.01
"""Entries of RᵀR - 1 up to this come from constraints that a solver holds approximately, and cannot be seen."""


@dataclass(frozen=True, eq=False)
class Animation:
    """Shapes in motion.

    Parameters
    ----------
    times : array
        Of the frames in s, shape ``(frames,)``, increasing; of two frames at one time the later counts.
    shapes : tuple of Shape
        Each with as many frames as there are times, or with one if it does not move.
    title : str
    up : tuple of float
        Direction that is up in the picture.
    planar : bool
        Motion in the plane seen from the front: with ``up=(0, 1, 0)`` that is x, y, looked at along -z.
    traces : tuple of str
        Names of points, or of lines whose last point, leave a trace.
    speed : float
        Seconds of motion in a second of watching, at first; the viewer can change it.

    Examples
    --------
    >>> t = np.linspace(0.0, 1.0, 2001)
    >>> path = np.stack([np.cos(t), np.sin(t), t], axis=1)[:, None, :]
    >>> flight = Animation(t, (Shape("ball", "sphere", path, size=(0.1,)),), title="Ball")
    >>> flight
    <Animation "Ball": 2001 frames from 0 to 1 s, 1 shape>
    >>> flight.resampled(60)
    <Animation "Ball": 61 frames from 0 to 1 s, 1 shape>
    """

    times: Array
    shapes: tuple[Shape, ...]
    title: str = ""
    up: tuple[float, float, float] = (0, 0, 1)
    planar: bool = False
    traces: tuple[str, ...] = ()
    speed: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", np.asarray(self.times, dtype=np.float64))
        object.__setattr__(self, "shapes", tuple(self.shapes))
        if problems := [*self._wrong_times(), *self._wrong_view()]:
            raise SetupError(problems)
        if problems := [problem for shape in self.shapes for problem in self._wrong_shape(shape)]:
            raise SetupError(problems)

    def __repr__(self) -> str:
        count = f"{len(self.shapes)} shape{'s' * (len(self.shapes) != 1)}"
        span = f"{len(self.times)} frames from {self.times[0]:g} to {self.times[-1]:g} s"
        return f'<Animation "{self.title}": {span}, {count}>'

    @property
    def _where(self) -> str:
        return f'animation "{self.title}"' if self.title else "animation"

    @property
    def traced(self) -> list[Shape]:
        """The points and lines that leave a trace."""
        return [shape for shape in self.shapes if shape.kind in ("point", "line") and shape.name in self.traces]

    def _wrong_times(self) -> Iterator[str]:
        times = self.times
        if times.ndim != 1:
            yield f"{self._where}: times: has the shape {times.shape}; expected (frames,)"
        elif len(times) < 2:
            yield f"{self._where}: times: has {len(times)} frames; motion needs 2 or more"
        elif not np.isfinite(times).all():
            yield f"{self._where}: times: frame {np.flatnonzero(~np.isfinite(times))[0]} is not a finite number"
        elif (np.diff(times) < 0).any():
            frame = int(np.flatnonzero(np.diff(times) < 0)[0]) + 1
            yield (
                f"{self._where}: times: frame {frame} at t = {times[frame]:g} s is before frame {frame - 1} "
                f"at t = {times[frame - 1]:g} s; times must increase"
            )
        elif times[0] == times[-1]:
            yield f"{self._where}: times: all frames are at t = {times[0]:g} s; motion needs two different times"

    def _wrong_view(self) -> Iterator[str]:
        if not self.shapes:
            yield f"{self._where}: shapes: there is nothing to draw"
        up = np.asarray(self.up, dtype=np.float64)
        if up.shape != (3,) or not np.isfinite(up).all() or not up.any():
            yield f"{self._where}: up: is {self.up}; expected a direction such as (0, 0, 1)"
        if not (np.isfinite(self.speed) and self.speed > 0):
            yield f"{self._where}: speed: is {self.speed}; it must be greater than 0"
        traceable = [shape.name for shape in self.shapes if shape.kind in ("point", "line")]
        for name in self.traces:
            if name not in traceable:
                yield f'{self._where}: traces: no point or line "{name}"' + did_you_mean(name, traceable)

    def _wrong_shape(self, shape: Shape) -> Iterator[str]:
        where, frames = f"{self._where}: {shape.where}", len(self.times)
        for field, values in (("positions", shape.positions), ("rotations", shape.rotations)):
            if values is None:
                continue
            if len(values) not in (1, frames):
                yield f"{where}.{field}: has {len(values)} frames; the animation has {frames} (1 if it does not move)"
            elif not np.isfinite(values).all():
                frame, *place = (int(i) for i in np.argwhere(~np.isfinite(values))[0])
                point = f", point {place[0]}" if field == "positions" and values.shape[1] > 1 else ""
                value = values[frame, place[0], place[1]]
                yield f"{where}.{field}: is {value:g} at t = {self.times[frame]:g} s{point}; it must be finite"
            elif field == "rotations":
                frame, departure = worst_departure(values)
                if departure > _ROTATION_TOLERANCE:
                    kind = "a mirror image" if departure == 2 else f"RᵀR departs from 1 by {departure:.2g}"
                    yield f"{where}.rotations: not a rotation at t = {self.times[frame]:g} s: {kind}"

    def resampled(self, frames_per_second: float = 60.0, speed: float | None = None) -> Animation:
        """Return the same motion with equidistant frames, enough for a smooth picture at a given speed.

        Between two frames positions are interpolated linearly and rotations along the shortest way, as long as bodies
        keep their lengths (see :attr:`is_smooth`); otherwise the nearer frame is shown. A body that makes more than
        half a turn between two frames seems to turn slower or backwards, as in a film: ask for a lower speed.

        Parameters
        ----------
        frames_per_second : float
            Frames in a second of watching.
        speed : float, optional
            Seconds of motion in a second of watching: 0.1 is slow motion. None: that of the animation.

        Returns
        -------
        Animation
            From the first to the last time of this one.
        """
        speed = self.speed if speed is None else speed
        for name, value in (("frames_per_second", frames_per_second), ("speed", speed)):
            if not (np.isfinite(value) and value > 0):
                raise SetupError(f"{self._where}: {name}: is {value}; it must be greater than 0")
        intervals = ceil((self.times[-1] - self.times[0]) * frames_per_second / speed - 1e-6)
        return replace(self._with_frames(max(1, intervals) + 1), speed=speed)

    def _with_frames(self, count: int) -> Animation:
        times = np.linspace(self.times[0], self.times[-1], count)
        return replace(self, times=times, shapes=self.shapes_at(times))

    @cached_property
    def is_smooth(self) -> NDArray[np.bool_]:
        """Whether frames may be interpolated, shape ``(frames - 1,)``: no line shrinks by more than 1 % on the way."""
        smooth = np.ones(len(self.times) - 1, dtype=bool)
        for shape in self.shapes:
            if shape.kind == "line" and len(shape.positions) > 1:
                smooth &= _keeps_lengths(shape.positions)
        return smooth

    def shapes_at(self, times: ArrayLike) -> tuple[Shape, ...]:
        """Return the shapes at other times, in s, within those of this animation; those that rest keep one frame.

        Where :attr:`is_smooth` is false the nearer frame is taken for all shapes, so that bodies stay rigid and joined.
        """
        wanted = np.asarray(times, dtype=np.float64)
        slack = 1e-9 * max(abs(self.times[0]), abs(self.times[-1]))  # sums of steps end beside round numbers
        outside = ~((wanted >= self.times[0] - slack) & (wanted <= self.times[-1] + slack))
        if outside.any():
            raise SetupError(
                f"{self._where}: t = {wanted[outside][0]:g} s is not shown; "
                f"the frames range from {self.times[0]:g} to {self.times[-1]:g} s"
            )
        kept = np.flatnonzero(np.append(np.diff(self.times) > 0, True))
        t = self.times[kept]
        place = np.clip(np.searchsorted(t, wanted, side="right") - 1, 0, len(t) - 2)
        weight = np.clip((wanted - t[place]) / (t[place + 1] - t[place]), 0.0, 1.0)
        weight = np.where(self.is_smooth[kept[place]], weight, np.round(weight))
        return tuple(_moved(shape, kept[place], kept[place + 1], weight) for shape in self.shapes)

    def save(self, path: str | os.PathLike[str], *, frames_per_second: float | None = 60.0) -> Path:
        """Write one HTML file that any browser shows, without network.

        Parameters
        ----------
        path : path
            Ends in ``.html``; a file that is there is overwritten.
        frames_per_second : float, optional
            A motion with more frames than this in a second of watching is resampled; None keeps every frame.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        file = Path(path)
        if file.suffix.lower() not in (".html", ".htm"):
            raise OutputError(f"{file}: the animation is a page; name it .html, or use strip() for a PNG", str(file))
        shown = self
        if frames_per_second is not None:
            fewer = self.resampled(frames_per_second)
            shown = fewer if len(fewer.times) < len(self.times) else self
        try:
            file.write_text(shown.html(), encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{file}: the animation cannot be saved: {error.strerror}", str(file)) from error
        return file

    def html(self) -> str:
        """Return the page with every frame; it needs no other file."""
        from .page import page

        return page(self)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the page in a frame of its own."""
        shown = self if len(self.times) <= _NOTEBOOK_FRAMES else self._with_frames(_NOTEBOOK_FRAMES)
        return (
            f'<iframe srcdoc="{escape(shown.html())}" sandbox="allow-scripts" allowfullscreen '
            'style="width:100%;height:480px;border:1px solid #8884;border-radius:6px"></iframe>'
        )

    def strip(
        self,
        path: str | os.PathLike[str],
        times: Sequence[float] | None = None,
        count: int = 6,
        *,
        view: str | None = None,
        columns: int | None = None,
        dpi: float = 150,
    ) -> Path:
        """Draw some frames side by side, each with its time, into a PNG file.

        Parameters
        ----------
        path : path
            Ends in ``.png`` (or another format that matplotlib writes).
        times : sequence of float, optional
            Of the frames in s. None: `count` equidistant ones from first to last.
        count : int
            Number of frames when no times are given.
        view : {"front", "side", "top", "iso"}, optional
            Where from; "front" for planar motion and "iso" otherwise.
        columns : int, optional
            Frames in a row; None: all.
        dpi : float
            Dots in an inch.

        Returns
        -------
        Path
            The file.
        """
        from .scene import VIEWS
        from .strip import draw

        if view is not None and view not in VIEWS:
            raise SetupError(f'{self._where}: no view "{view}"' + did_you_mean(view, VIEWS))
        chosen = (
            np.linspace(self.times[0], self.times[-1], max(count, 0)) if times is None else np.asarray(times, float)
        )
        if chosen.ndim != 1 or not len(chosen) or (columns is not None and columns < 1):
            raise SetupError(f"{self._where}: a strip needs at least one frame and one column")
        view = view or ("front" if self.planar else "iso")
        return draw(self, Path(path), chosen, view=view, columns=columns or len(chosen), dpi=dpi)


def _keeps_lengths(positions: Array) -> NDArray[np.bool_]:
    """Return for each interval whether a line of points keeps its lengths in the middle of a linear interpolation.

    A line whose length changes between the two frames anyway is elastic, and may have any length in between.
    """
    edges = np.diff(positions, axis=1)
    lengths = np.linalg.norm(edges, axis=2)
    least = np.minimum(lengths[:-1], lengths[1:])
    middle = np.linalg.norm(edges[:-1] + edges[1:], axis=2) / 2
    return np.asarray((middle >= (1 - _SHRINKS) * least).all(axis=1))


def _moved(shape: Shape, before: np.ndarray, after: np.ndarray, weight: Array) -> Shape:
    """Return a shape between the frames `before` (weight 0) and `after` (weight 1)."""
    positions, rotations = shape.positions, shape.rotations
    if len(positions) > 1:
        w = weight[:, None, None]
        positions = (1 - w) * positions[before] + w * positions[after]
    if rotations is not None and len(rotations) > 1:
        quaternions = to_quaternions(rotations)
        rotations = to_matrices(between(quaternions[before], quaternions[after], weight))
    return replace(shape, positions=positions, rotations=rotations)
