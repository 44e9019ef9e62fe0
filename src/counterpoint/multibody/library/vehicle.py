"""The vehicle of the kart study: 163 natural coordinates, four double wishbones, steering, tyres, rear drive.

Every hard point has coordinates of its own, as in the program of the source, so that the model has its size: 45 points,
7 unit vectors and 7 numbers, 148 equations. The source (González, Naya, Luaces, González, "On the effect of multirate
co-simulation techniques ...", Multibody System Dynamics 2010, section 4) prints the number of coordinates and no data:
hard points, masses, springs and tyres are ours, those of a light tubular-frame vehicle.

Axes: x forward, y to the left, z up; the road is z = 0. Positive pitch is nose down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..modelling.mechanism import Mechanism
from ..modelling.parts import TimeValue

CORNERS = ("FL", "FR", "RL", "RR")
"""Front left, front right, rear left, rear right."""

_FRONT_LEFT = {
    "LAF": (0.15, 0.28, 0.20),  # lower arm, front pivot on the chassis
    "LAR": (-0.15, 0.28, 0.20),  # lower arm, rear pivot
    "UAF": (0.12, 0.33, 0.40),  # upper arm, front pivot
    "UAR": (-0.12, 0.33, 0.40),  # upper arm, rear pivot
    "LBJ": (0.005, 0.64, 0.19),  # lower ball joint of the upright
    "UBJ": (-0.015, 0.60, 0.40),  # upper ball joint
    "WC": (0.0, 0.70, 0.28),  # wheel centre
    "TRO": (-0.12, 0.62, 0.25),  # outer end of the tie rod
    "TRI": (-0.12, 0.29, 0.25),  # inner end: on the rack in front, on the chassis behind
    "SPL": (0.0, 0.51981, 0.19334),  # lower end of the strut, on the lower arm
    "SPU": (0.0, 0.33, 0.60),  # upper end, on the chassis
}
"""Hard points of a left corner, m; x from the axle. The corners are alike, right ones mirrored."""


@dataclass(frozen=True)
class Axle:
    """What the two corners of an axle have, each.

    Attributes
    ----------
    x : float
        Where the axle is before the centre of mass, m.
    unsprung : float
        Mass of a corner, kg: upright, wheel, arms, tie rod, lower half of the strut.
    wheel, spin : float
        Mass of the wheel, kg, and its moment of inertia about its axis, kg m².
    stiffness, damping : float
        Of the strut, N/m and N s/m.
    strut_force, tyre_load : float
        At rest, N: they give the free lengths with which the vehicle rests as it is drawn.
    """

    x: float
    unsprung: float
    wheel: float
    spin: float
    stiffness: float
    damping: float
    strut_force: float
    tyre_load: float


@dataclass(frozen=True)
class KartData:
    """Parameters of the vehicle; all are our own choice. SI units.

    Attributes
    ----------
    sprung : float
        Sprung mass, kg.
    inertia : tuple of float
        Of the sprung mass about its centre, kg m².
    centre_height : float
        Of the centre of the sprung mass, m.
    front, rear : Axle
    lower_arm, upper_arm, tie_rod, strut_end : float
        Masses of one leg of an arm, of a tie rod, of either end of a strut, kg.
    upright_inertia : tuple of float
        Of upright and wheel, without the wheel's about its axis, kg m².
    rack, column, differential : float
        Mass of the rack, kg, moments of inertia of column and differential cage, kg m².
    rack_ratio : float
        Way of the rack to the right for an angle of the column, m/rad: the tie rods are behind the wheels.
    wheel_radius : float
        At rest under load, m.
    tyre, longitudinal, lateral : mappings
        As :meth:`Mechanism.tyre` takes them.
    drag_area, air_density : float
        Cd A, m², and kg/m³.
    """

    sprung: float = 520.0
    inertia: tuple[float, float, float] = (110.0, 320.0, 380.0)
    centre_height: float = 0.55
    front: Axle = Axle(1.05, 25.0, 12.0, 0.7, 14840.0, 1712.0, 1967.3, 1382.6)
    rear: Axle = Axle(-0.85, 30.0, 14.0, 0.8, 17120.0, 1941.0, 2434.3, 1707.6)
    lower_arm: float = 1.2
    upper_arm: float = 0.8
    tie_rod: float = 0.6
    strut_end: float = 1.0
    upright_inertia: tuple[float, float, float] = (0.5, 0.1, 0.5)
    rack: float = 2.0
    column: float = 0.02
    differential: float = 0.05
    rack_ratio: float = 0.02
    wheel_radius: float = 0.28
    tyre: Mapping[str, float] = field(
        default_factory=lambda: {
            "stiffness": 120e3, "damping": 300.0, "longitudinal_relaxation": 0.12, "lateral_relaxation": 0.12,
            "nominal_load": 1500.0, "rolling_resistance": 0.015, "standstill_damping": 300.0,
        }
    )  # fmt: skip
    longitudinal: Mapping[str, float] = field(default_factory=lambda: {"B": 10.0, "C": 1.6, "E": 0.0, "mu": 1.0})
    lateral: Mapping[str, float] = field(default_factory=lambda: {"B": 9.0, "C": 1.4, "E": -0.3, "mu": 1.0})
    drag_area: float = 0.75
    air_density: float = 1.2

    def axle(self, corner: str) -> Axle:
        """Return the axle of a corner."""
        return self.front if corner.startswith("F") else self.rear

    @property
    def mass(self) -> float:
        """Mass of the whole vehicle, kg."""
        return self.sprung + 2.0 * (self.front.unsprung + self.rear.unsprung)


def hard_points(data: KartData | None = None) -> dict[str, tuple[float, float, float]]:
    """Return all 45 points as drawn, by name: ``"O"`` and eleven of each corner, ``"FL_LAF"`` and so on; m."""
    data = data or KartData()
    made = {"O": (0.0, 0.0, data.centre_height)}
    for corner in CORNERS:
        side = 1.0 if corner.endswith("L") else -1.0
        for name, (x, y, z) in _FRONT_LEFT.items():
            made[f"{corner}_{name}"] = (data.axle(corner).x + x, side * y, z)
    return made


def kart(
    *, speed: float = 0.0, steering: TimeValue | None = "input:steering", data: KartData | None = None
) -> Mechanism:
    """Return the vehicle, in its static equilibrium and rolling straight on.

    Inputs: ``axle_torque`` (N m, on the differential, reacting on the chassis) and ``steering`` (rad, of the column).
    Outputs: ``pitch`` (rad, positive nose down), ``heave`` (m), ``way`` (m), ``speed`` (m/s), ``wheel_speed`` (rad/s,
    mean of the driven wheels), ``FL_tyre`` ... ``RR_tyre`` (longitudinal, lateral, normal force in N, longitudinal
    slip, slip angle in rad, deflection in m), and those of every mechanism.

    Parameters
    ----------
    speed : float
        At the start, m/s.
    steering : time value or None
        What guides the steering column, rad; None leaves it free.
    data : KartData, optional
        Other parameters.

    Examples
    --------
    >>> vehicle = kart()
    >>> vehicle.assembled().free, vehicle.assembled().degrees_of_freedom
    (163, 14)
    """
    data = data or KartData()
    mechanism = Mechanism("kart")
    _add_chassis(mechanism, data)
    for corner in CORNERS:
        _add_corner(mechanism, data, corner)
    _add_steering(mechanism, data, steering)
    _add_drive(mechanism, data)
    _add_outputs(mechanism)
    made = mechanism.settled()
    _roll(made, speed)
    return made


def _add_chassis(mechanism: Mechanism, data: KartData) -> None:
    for name, place in hard_points(data).items():
        mechanism.point(name, place)
    for name, direction in (("u", (1, 0, 0)), ("v", (0, 1, 0)), ("w", (0, 0, 1))):
        mechanism.vector(name, direction)
    mechanism.body(
        "chassis", points=["O"], vectors=["u", "v", "w"], mass=data.sprung - 4.0 * data.strut_end,
        centre=(0.0, 0.0, data.centre_height), inertia=data.inertia,
        shape={"kind": "box", "size": (2.2, 0.56, 0.22), "centre": (0.1, 0.0, 0.3), "colour": "#8c959f"},
    )  # fmt: skip
    mechanism.aerodynamic_strip(
        "air", "chassis", point="O", chord=(-1, 0, 0), normal=(0, 0, 1), span=1.0, chord_length=data.drag_area,
        polar=[[-np.pi, 0.0, 1.0], [np.pi, 0.0, 1.0]], density=data.air_density,
    )  # fmt: skip


def _add_corner(mechanism: Mechanism, data: KartData, corner: str) -> None:
    """Add arms, upright, strut, tie rod and wheel of a corner: 17 equations, and those of its points on the chassis."""
    points, axle = hard_points(data), data.axle(corner)

    def at(*names: str) -> list[str]:
        return [f"{corner}_{name}" for name in names]

    mechanism.vector(f"{corner}_n", (0, 1, 0))
    for pivot, ball, mass in (
        ("LAF", "LBJ", data.lower_arm), ("LAR", "LBJ", data.lower_arm),
        ("UAF", "UBJ", data.upper_arm), ("UAR", "UBJ", data.upper_arm), ("TRI", "TRO", data.tie_rod),
    ):  # fmt: skip
        shape = {"kind": "lines", "group": f"{corner} links", "colour": "#0969da"}
        mechanism.body(f"{corner} {pivot}", points=at(pivot, ball), mass=mass, shape=shape)
    links = 2.0 * (data.lower_arm + data.upper_arm) + data.tie_rod + data.strut_end
    mechanism.body(
        f"{corner} upright", points=at("LBJ", "UBJ", "TRO"), vectors=[f"{corner}_n"],
        mass=axle.unsprung - axle.wheel - links, inertia=data.upright_inertia,
        shape={"kind": "cylinder", "size": (data.wheel_radius, 0.15), "centre": points[f"{corner}_WC"],
               "axis": (0, 1, 0), "colour": "#32383f"},
    )  # fmt: skip
    mechanism.on_body(f"{corner} centre", f"{corner}_WC", f"{corner} upright")
    mechanism.point_mass(f"{corner}_WC", axle.wheel)
    held = ("LAF", "LAR", "UAF", "UAR", "SPU") + (("TRI",) if corner.startswith("R") else ())
    for name in held:
        mechanism.on_body(f"{corner} {name} on chassis", f"{corner}_{name}", "chassis")
    mechanism.weighted_point(f"{corner} strut on arm", f"{corner}_SPL", _strut_weights(points, corner))
    _add_strut_and_tyre(mechanism, data, corner)


def _strut_weights(points: Mapping[str, tuple[float, float, float]], corner: str) -> dict[str, float]:
    """Return the weights of the lower arm's corners that give the foot of the strut."""
    names = [f"{corner}_{name}" for name in ("LAF", "LAR", "LBJ")]
    corners = np.vstack([np.array([points[name] for name in names]).T, np.ones(3)])
    weights, *_ = np.linalg.lstsq(corners, np.array([*points[f"{corner}_SPL"], 1.0]), rcond=None)
    last = 1.0 - float(weights[0]) - float(weights[1])  # the drawing is rounded
    return dict(zip(names, (float(weights[0]), float(weights[1]), last), strict=True))


def _add_strut_and_tyre(mechanism: Mechanism, data: KartData, corner: str) -> None:
    axle, ends = data.axle(corner), (f"{corner}_SPU", f"{corner}_SPL")
    length = float(np.linalg.norm(mechanism.points[ends[0]].position - mechanism.points[ends[1]].position))
    for end in ends:
        mechanism.point_mass(end, data.strut_end)
    mechanism.spring(
        f"{corner} strut", between=ends, stiffness=axle.stiffness, damping=axle.damping,
        natural=length + axle.strut_force / axle.stiffness,
    )  # fmt: skip
    mechanism.coordinate(f"{corner}_wheel", inertia=axle.spin)
    radius = data.wheel_radius + axle.tyre_load / data.tyre["stiffness"]
    law = {"radius": radius, "gyroscopic_inertia": axle.spin, **data.tyre}
    mechanism.tyre(
        f"{corner} tyre", f"{corner} upright", centre=f"{corner}_WC", axis=(0, 1, 0), angle=f"{corner}_wheel",
        longitudinal=data.longitudinal, lateral=data.lateral, **law,
    )  # fmt: skip


def _add_steering(mechanism: Mechanism, data: KartData, steering: TimeValue | None) -> None:
    """Add rack and column; the inner ends of the front tie rods slide along the chassis' y axis with the rack."""
    mechanism.coordinate("rack", kind="displacement", inertia=data.rack)
    mechanism.coordinate("column", inertia=data.column)
    for corner in ("FL", "FR"):
        for axis, direction in zip("xyz", np.eye(3), strict=True):
            place = f"{corner} rack end {axis}"
            mechanism.displacement(place, f"{corner}_TRI", along=direction, origin="O", body="chassis")
            sliding = {"rack": -1.0} if axis == "y" else {}
            mechanism.relation(f"{corner} rack {axis}", {place: 1.0, **sliding})
    mechanism.rack("pinion", "column", "rack", -data.rack_ratio)
    if steering is not None:
        mechanism.guide("column", steering)


def _add_drive(mechanism: Mechanism, data: KartData) -> None:
    """Add the differential; its torque reacts on the chassis, for the final drive is fixed there."""
    mechanism.coordinate("axle", inertia=data.differential)
    mechanism.relation("differential", {"axle": 1.0, "RL_wheel": -0.5, "RR_wheel": -0.5}, 0.0)
    mechanism.actuator("drive", "axle", force="input:axle_torque")
    mechanism.torque("drive reaction", "chassis", (0.0, "-input:axle_torque", 0.0), turning=True)


def _add_outputs(mechanism: Mechanism) -> None:
    mechanism.angle("pitch", "chassis", axis=(0, 1, 0))
    mechanism.displacement("way", "O", along=(1, 0, 0))
    mechanism.displacement("heave", "O", along=(0, 0, 1))
    for name, of, motion in (
        ("pitch", "pitch", "position"), ("heave", "heave", "position"), ("way", "way", "position"),
        ("speed", "way", "velocity"), ("wheel_speed", "axle", "velocity"),
    ):  # fmt: skip
        mechanism.output(name, of, motion)
    for corner in CORNERS:
        mechanism.output(f"{corner}_tyre", f"{corner} tyre")


def _roll(mechanism: Mechanism, speed: float) -> None:
    """Let a vehicle at rest roll straight on, its wheels without slip."""
    for point in mechanism.points.values():
        point.velocity = np.array([speed, 0.0, 0.0])
    for corner in CORNERS:
        height = float(mechanism.start_position[f"{corner}_WC"][2])
        mechanism.coordinates[f"{corner}_wheel"].rate = speed / height
    wheels = [mechanism.coordinates[f"{corner}_wheel"].rate for corner in ("RL", "RR")]
    mechanism.coordinates["axle"].rate = 0.5 * sum(wheels)
    mechanism._changed()
