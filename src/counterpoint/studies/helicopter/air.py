"""The air of both rotors: blade sections and inflow."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...multibody import Mechanism, RotorHub
from ...multibody.aerodynamics import BladeSection, Polar, Wind, rotor
from .data import DENSITY, HUB, MAIN, TAIL, TAIL_HUB, WASH, Rotor

Array = NDArray[np.float64]

MAIN_STATIONS, TAIL_STATIONS = 12, 8
"""Sections of each blade."""
_STALL = 0.26
"""Angle of attack above which lift grows no more, rad: far from what a hover reaches."""


def polar(data: Rotor) -> Polar:
    """Return a profile with the rotor's lift slope and drag, and a plate's lift and drag beyond the stall."""
    beyond = np.linspace(_STALL + 0.05, np.pi, 40)
    lift = np.concatenate([[data.lift_slope * _STALL], 1.1 * np.sin(2 * beyond)])
    drag = np.concatenate([[data.drag], data.drag + 1.8 * np.sin(beyond) ** 2])
    angles = np.concatenate([[_STALL], beyond])
    return Polar(
        np.concatenate([-angles[::-1], angles]), np.concatenate([-lift[::-1], lift]),
        np.concatenate([drag[::-1], drag]), zero_lift=0.0, lift_slope=data.lift_slope,
    )  # fmt: skip


def tip_polar(data: Rotor) -> Polar:
    """Return the profile beyond the tip loss, which only drags."""
    return Polar(np.array([-np.pi, np.pi]), np.zeros(2), np.full(2, data.drag), zero_lift=0.0, lift_slope=1.0)


def sections(data: Rotor, hub: RotorHub, centre: Array, stations: int) -> list[BladeSection]:
    """Return the sections of all blades, the last beyond the tip loss; twist is straight from axis to tip."""
    edges = np.append(np.linspace(data.root, data.lifting_radius, stations + 1), data.radius)
    made = []
    for body, (span, ahead, up) in zip(hub.blades, hub.directions, strict=True):
        for inner, outer in pairwise(edges):
            r = 0.5 * (inner + outer)
            twist = data.twist * r / data.radius
            chord, normal = -np.cos(twist) * ahead - np.sin(twist) * up, np.cos(twist) * up - np.sin(twist) * ahead
            part = int(outer == data.radius)
            place = centre + r * span
            made.append(BladeSection(body, place, chord, normal, data.chord, float(outer - inner), float(r), part))
    return made


def add_main_air(made: Mechanism, hub: RotorHub, inflow: str = "pitt-peters") -> None:
    """Add the air of the main rotor: three states of inflow."""
    _add(made, "main_air", hub, MAIN, inflow=inflow, wind=Wind())


def add_tail_air(made: Mechanism, hub: RotorHub, wash: float = WASH) -> None:
    """Add the air of the tail rotor: one state of inflow, in the downwash of the main rotor."""
    _add(made, "tail_air", hub, TAIL, inflow="uniform", wind=Wind((0.0, 0.0, -wash)))


def _add(made: Mechanism, name: str, hub: RotorHub, data: Rotor, *, inflow: str, wind: Wind) -> None:
    centre, stations = (HUB, MAIN_STATIONS) if data is MAIN else (TAIL_HUB, TAIL_STATIONS)
    rotor(
        made, name, body=hub.body, centre=centre, axis=hub.directions[0][2], radius=data.lifting_radius,
        blades=data.blades, sections=sections(data, hub, centre, stations), polars=[polar(data), tip_polar(data)],
        inflow=inflow, wind=wind, density=DENSITY,
    )  # fmt: skip
