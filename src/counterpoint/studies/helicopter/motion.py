"""The helicopter in motion: rotors of the whole model, and a body around the fuselage's points."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...multibody.animation import Animation, Shape
from .data import HUB, TAIL_HUB
from .experiment import COARSE, LAYOUTS, coupled, whole_model

Array = NDArray[np.float64]

_FRAMES_PER_SECOND = 60.0
_SLOW = 0.25
"""Simulated seconds per second on the page: a main rotor turns seven times a second."""
_FUSELAGE = "#8a99ad"


def animate(until: float) -> Animation:
    """Fly both rotors as one mechanism and return the motion."""
    model = whole_model()
    before = model.standard_outputs
    model.standard_outputs = ("q",)
    try:
        case = replace(LAYOUTS[0], main_step=COARSE / 2, tail_step=COARSE / 2)
        result = coupled(case).run(until=until, scheme=case.scheme)
        seen = model.animation(result, "helicopter").resampled(_FRAMES_PER_SECOND / _SLOW)
    finally:
        model.standard_outputs = before
    hub = next(s for s in seen.shapes if s.name == "main_hub")
    yaw = np.interp(seen.times, np.asarray(result["helicopter.yaw"].time), np.ravel(result["helicopter.yaw"].values))
    place = hub.positions[:, 0]
    parts = [_part(name, place, yaw, given) for name, given in _PARTS.items()]
    rotors = [s for s in seen.shapes if s.kind == "box" or s.name.endswith("_hub")]
    return replace(seen, shapes=(*parts, *rotors), title="Bo105: hover and a turn of 5 degrees", speed=_SLOW)


def save(animation: Animation, folder: Path) -> Path:
    """Write the animation as a page; return the file."""
    return animation.save(folder / "animation.html", frames_per_second=None)


def _part(name: str, hub: Array, yaw: Array, given: tuple[Array, Array, float]) -> Shape:
    """Return an ellipsoid or plate of the fuselage, given from the centre of mass; it rises with the hub and yaws."""
    centre, size, pitch = given
    turn = np.zeros((len(yaw), 3, 3))
    turn[:, 0, 0] = turn[:, 1, 1] = np.cos(yaw)
    turn[:, 1, 0] = np.sin(yaw)
    turn[:, 0, 1] = -turn[:, 1, 0]
    turn[:, 2, 2] = 1.0
    tilt = np.array([[np.cos(pitch), 0, np.sin(pitch)], [0, 1, 0], [-np.sin(pitch), 0, np.cos(pitch)]])
    positions = hub + np.einsum("kij,j->ki", turn, centre - HUB)
    vertices, faces = _ball(size) if name in ("cabin", "boom") else _box(size)
    return Shape(name, "mesh", positions[:, None], turn @ tilt, colour=_FUSELAGE, vertices=vertices, faces=faces,
                 group="fuselage")  # fmt: skip


def _ball(size: Array, around: int = 14, up: int = 8) -> tuple[Array, NDArray[np.int64]]:
    angle, height = np.meshgrid(np.linspace(0, 2 * np.pi, around + 1)[:-1], np.linspace(0, np.pi, up + 1))
    points = np.stack([np.cos(height), np.sin(height) * np.cos(angle), np.sin(height) * np.sin(angle)], axis=-1)
    faces = []
    for i in range(up):
        for j in range(around):
            a, b = i * around + j, i * around + (j + 1) % around
            faces += [[a, b, a + around], [b, b + around, a + around]]
    return 0.5 * size * points.reshape(-1, 3), np.array(faces)


def _box(size: Array) -> tuple[Array, NDArray[np.int64]]:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.5 * size
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6],
             [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip
    return corners, np.array(faces)


_PARTS: dict[str, tuple[Array, Array, float]] = {
    "cabin": (np.array([0.4, 0.0, -0.15]), np.array([4.4, 1.6, 1.9]), 0.0),
    "boom": (np.array([-3.4, 0.0, 0.45]), np.array([5.0, 0.5, 0.5]), 0.03),
    "mast": (np.array([-0.02, 0.0, 1.1]), np.array([0.5, 0.4, 0.7]), 0.0),
    "fin": (np.array([float(TAIL_HUB[0]) + 0.25, 0.08, 1.15]), np.array([0.6, 0.06, 1.5]), 0.35),
    "tailplane": (np.array([-4.6, 0.0, 0.5]), np.array([0.4, 2.4, 0.06]), 0.0),
    "left skid": (np.array([0.3, 1.1, -1.45]), np.array([3.2, 0.08, 0.08]), 0.0),
    "right skid": (np.array([0.3, -1.1, -1.45]), np.array([3.2, 0.08, 0.08]), 0.0),
}
"""Centre from the centre of mass, size, nose-up tilt: a picture, not a drawing of the aircraft."""
