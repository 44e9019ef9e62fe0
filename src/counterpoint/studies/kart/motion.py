"""The kart in motion, as seen by someone who drives beside it: wheels turn, the marks of the road pass by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...multibody.animation import Animation, Shape
from ...multibody.library import kart
from ...multibody.library.vehicle import CORNERS
from .experiment import START_SPEED, Case, coupled

_MARKS = 4
_SPACING = 1.25
"""Between marks of the road, m."""
_FRAMES_PER_SECOND = 50.0


def animate(until: float) -> Animation:
    """Run the manoeuvre with FR = 100 and return its motion."""
    mechanism = kart(speed=START_SPEED)
    mechanism.standard_outputs = ("q",)
    case = Case(100)
    result = coupled(case, mechanism).run(until=until, scheme=case.scheme, first_steps="once")
    seen = mechanism.animation(result, "vehicle").resampled(_FRAMES_PER_SECOND)
    signal, offsets = result.signal("vehicle.q"), mechanism.assembled().offsets
    q, time = np.asarray(signal.values), np.asarray(signal.time)
    way = np.interp(seen.times, time, q[:, offsets["O"]])
    turns = {f"{corner} upright": np.interp(seen.times, time, q[:, offsets[f"{corner}_wheel"]]) for corner in CORNERS}
    shapes = [*(_beside(shape, way, turns) for shape in seen.shapes), *_marks(way)]
    return replace(seen, shapes=tuple(shapes), title="Kart: start, two gear changes, throttle closed")


def save(animation: Animation, folder: Path) -> Path:
    """Write the animation as a page; return the file."""
    return animation.save(folder / "animation.html", frames_per_second=None)


def _beside(shape: Shape, way: NDArray[np.float64], turns: dict[str, NDArray[np.float64]]) -> Shape:
    """Return a shape as seen from beside the vehicle; wheels are turned by their angle."""
    positions = shape.positions - np.stack([way, 0.0 * way, 0.0 * way], axis=1)[:, None, :]
    if shape.kind != "cylinder" or shape.name not in turns or shape.rotations is None:
        return replace(shape, positions=positions)
    angle = turns[shape.name]
    spin = np.tile(np.eye(3), (len(angle), 1, 1))  # a cylinder's axis is its z
    spin[:, 0, 0] = spin[:, 1, 1] = np.cos(angle)
    spin[:, 1, 0] = np.sin(angle)
    spin[:, 0, 1] = -spin[:, 1, 0]
    return replace(shape, positions=positions, rotations=shape.rotations @ spin)


def _marks(way: NDArray[np.float64]) -> Iterator[Shape]:
    """Yield the marks on either side of the lane; one that has passed comes again in front."""
    length = _MARKS * _SPACING
    for k in range(_MARKS):
        x = (k * _SPACING - way) % length - 0.5 * length
        for side in (-1.1, 1.1):
            place = np.stack([x, np.full_like(x, side), np.zeros_like(x)], axis=1)
            yield Shape(f"mark {k}", "box", place[:, None, :], size=(0.5, 0.06, 0.005), colour="#d0d7de", group="road")
