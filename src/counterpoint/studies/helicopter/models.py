"""The two multibody models of the source, and both in one.

Axes: x ahead, y to the left, z up; the centre of mass of the aircraft at rest is the origin. The shaft is vertical: in
hover the nose-up attitude of the Bo105 takes back the tilt of its shaft.

The tail is cut at the tail rotor's hub. What crosses the cut are six coordinates of three points of the fuselage (the
hub, and a metre ahead and to the left of it), which fix place and attitude for any rotation, and the six forces that do
work on them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...multibody import Mechanism, RotorBlade, RotorHub, rotor_hub
from ...multibody.modelling.parts import TimeValue
from .data import (
    DENSITY,
    DOWNLOAD,
    FIN,
    GRAVITY,
    HUB,
    INERTIA,
    MAIN,
    MASS,
    TAIL,
    TAIL_HUB,
    TAILPLANE,
    THRUST,
    YAW_DAMPING,
    Rotor,
    Surface,
)  # fmt: skip
from .fuselage import NODES, fuselage_modes

Array = NDArray[np.float64]

ARM = 1.0
"""From the tail rotor's hub to the two other points of the cut, m."""
INTERFACE = {
    "tail_x": ("tail", 0), "tail_y": ("tail", 1), "tail_z": ("tail", 2),
    "front_y": ("tail_front", 1), "front_z": ("tail_front", 2), "side_z": ("tail_side", 2),
}  # fmt: skip
"""Coordinates that cross the cut: point and axis."""
POINTS: dict[str, tuple[str, Array]] = {
    "hub": ("hub", HUB), "tail": ("tail", TAIL_HUB), "tail_front": ("tail", TAIL_HUB + np.array([ARM, 0.0, 0.0])),
    "tail_side": ("tail", TAIL_HUB + np.array([0.0, ARM, 0.0])), "pilot": ("pilot", NODES["pilot"]),
    "copilot": ("copilot", NODES["copilot"]), "fin": ("boom_end", FIN.place),
    "tailplane": ("boom", TAILPLANE.place),
}  # fmt: skip
"""Points of the fuselage: the node that they are fixed to, and where they are, m."""


def fuselage_mass() -> float:
    """Return the mass of the aircraft without its rotors, kg."""
    return MASS - MAIN.mass - TAIL.mass


def fuselage_inertia() -> Array:
    """Return the inertia of the fuselage, kg m²: about z what the rotors leave of the aircraft's.

    Roll and pitch are excluded, so that the other two do nothing.
    """
    zz = INERTIA["zz"] - MAIN.blades * MAIN.flap_inertia - TAIL.mass * float(TAIL_HUB[0]) ** 2
    return np.diag([INERTIA["xx"], zz, zz])


def helicopter(*, collective: TimeValue = "input:collective") -> tuple[Mechanism, RotorHub]:
    """Return the fuselage, free to rise and to yaw, with the main rotor."""
    made = Mechanism("helicopter", gravity=(0.0, 0.0, -GRAVITY))
    for point, (_, place) in POINTS.items():
        made.point(point, place)
    arms = {point: (node, place - NODES[node]) for point, (node, place) in POINTS.items()}
    made.modal_body(
        "fuselage", points=list(POINTS), modes=fuselage_modes(arms, ("hub", "tail")), mass=fuselage_mass(),
        centre=(0.0, 0.0, 0.0), inertia=fuselage_inertia(),
    )  # fmt: skip
    made.joint("flight", "cylindrical", "ground", "fuselage", at="fuselage_frame", axis=(0, 0, 1))
    made.displacement("altitude", "fuselage_frame", along=(0, 0, 1))
    made.angle("yaw", "ground", "fuselage", axis=(0, 0, 1))
    made.spring("air", "yaw", damping=YAW_DAMPING)
    made.force("download", "fuselage_frame", (0.0, 0.0, -DOWNLOAD * THRUST))
    _add_surface(made, "fin", FIN, (0.0, 1.0, 0.0))
    _add_surface(made, "tailplane", TAILPLANE, (0.0, 0.0, 1.0))
    made.point("main_centre", HUB)  # not the fuselage's: blades then share no coordinates with its modes
    hub = rotor_hub(
        made, "main", "fuselage:hub", "main_centre", axis=(0, 0, 1), first=(1, 0, 0), blades=MAIN.blades,
        blade=blade(MAIN), speed=[0.0, MAIN.speed], pitch=collective, hub_mass=MAIN.hub_mass,
        flap_stiffness=MAIN.flap_stiffness, delta3=MAIN.delta3,
    )  # fmt: skip
    return made, hub


def blade(rotor: Rotor) -> RotorBlade:
    """Return a blade of a rotor."""
    return RotorBlade.uniform(rotor.radius, flap_inertia=rotor.flap_inertia, chord=rotor.chord)


def add_tail_rotor(made: Mechanism, carrier: str, centre: str, pitch: TimeValue) -> RotorHub:
    """Add the tail rotor to what carries it; its thrust is to the right."""
    return rotor_hub(
        made, "tailrotor", carrier, centre, axis=(0, -1, 0), first=(1, 0, 0), blades=TAIL.blades, blade=blade(TAIL),
        speed=[0.0, TAIL.speed], pitch=pitch, hub_mass=TAIL.hub_mass, delta3=TAIL.delta3, teetering=True,
    )  # fmt: skip


def tail_rotor() -> tuple[Mechanism, RotorHub]:
    """Return the tail rotor on a mount that follows the fuselage."""
    made = Mechanism("tail", gravity=(0.0, 0.0, -GRAVITY))
    places = {name: POINTS[name][1] for name in ("tail", "tail_front", "tail_side")}
    for name, place in places.items():
        made.point(name, place)
    made.body("mount", points=list(places), mass=0.5, inertia=(0.01, 0.01, 0.01), centre=TAIL_HUB,
              shape={"group": "tail"})  # fmt: skip
    for name, (point, axis) in INTERFACE.items():
        made.displacement(name, point, along=np.eye(3)[axis])
        made.input(name, float(places[point][axis]))
        made.guide(name, f"input:{name}")
        made.output(f"force_{name}", f"guide:{name}")
    hub = add_tail_rotor(made, "mount", "tail", "input:pitch")
    return made, hub


def add_cut(made: Mechanism) -> None:
    """Let the fuselage show the coordinates of the cut and take the forces there."""
    forces: dict[str, list[TimeValue]] = {}
    for name, (point, axis) in INTERFACE.items():
        made.displacement(name, point, along=np.eye(3)[axis])
        made.output(name, name)
        forces.setdefault(point, [0.0, 0.0, 0.0])[axis] = f"-input:force_{name}"
    for point, components in forces.items():
        made.force(f"from_{point}", point, components)


def _add_surface(made: Mechanism, name: str, surface: Surface, normal: tuple[float, float, float]) -> None:
    chord, slope, zero = float(np.sqrt(surface.area)), surface.lift_slope, surface.zero_lift
    angles = np.linspace(-np.pi, np.pi, 73)
    polar = np.stack([angles, 0.5 * slope * np.sin(2 * (angles - zero)), 0.02 + 1.2 * np.sin(angles) ** 2], axis=1)
    made.aerodynamic_strip(f"{name}_air", "fuselage", point=name, chord=(-1, 0, 0), normal=normal, span=chord,
                           chord_length=chord, polar=polar, density=DENSITY)  # fmt: skip
