"""A two-bladed wind turbine as a mechanism: flexible tower and blades, teeter, pitch bearings, drive train, air."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...aerodynamics import BladeSection, TowerShadow, Wake, Wind, rotor
from ...assembly.placing import Placing
from ...modelling import time_values
from ...modelling.formulations import Formulation
from ...modelling.mechanism import Mechanism
from ...modelling.parts import GROUND, TimeValue
from ...modelling.table_beams import beam_from_table, first_hinge
from .data import Solid, TurbineData

Array = NDArray[np.float64]
_TOLERANCE = 1e-8
"""Of the iteration, relative to the size of the machine: a micrometre, which no force of the air feels."""


@dataclass(frozen=True)
class Air:
    """Aerodynamic options; as for :func:`counterpoint.multibody.aerodynamics.rotor`."""

    wind: Wind = field(default_factory=Wind)
    inflow: str = "momentum"
    wake: Wake = field(default_factory=Wake)
    dynamic_stall: bool = False
    tower_shadow: bool = False


def wind_turbine(
    data: TurbineData,
    air: Air | None = None,
    *,
    rotor_speed: float = 0.0,
    azimuth: float = 0.0,
    yaw: float = 0.0,
    yaw_spring: tuple[float, float] | None = None,
    free_yaw: bool = False,
    pitch: TimeValue | None = None,
    start_pitch: float | None = None,
    generator: ArrayLike | None = None,
    blade_segments: int = 8,
    tower_segments: int = 5,
) -> Mechanism:
    """Return a two-bladed teetering wind turbine.

    Inputs: ``generator_torque`` (N m on the fast shaft, braking) unless a ``generator`` curve is given,
    ``brake_torque`` (N m, braking), what ``air.wind`` and ``pitch`` name. Outputs: ``rotor_speed`` (rad/s),
    ``generator_speed``, ``azimuth``, ``teeter``, ``teeter_rate``, ``yaw`` (from where it begins), ``yaw_rate`` (rad),
    ``shaft_torsion`` (torque, twist, rate), reactions of the pitch bearings (see :func:`blade_loads`), ``tip_1``,
    ``tip_2``, ``apex``, ``tower_top`` (m), ``air`` (see :func:`~counterpoint.multibody.aerodynamics.rotor`).

    Parameters
    ----------
    data : TurbineData
        The machine, for instance :func:`awt27` or :func:`cart`.
    air : Air, optional
        Wind and inflow; default: no aerodynamic forces.
    rotor_speed : float
        At the start, rad/s, clockwise looking downwind.
    azimuth : float
        Of blade 1 at the start, rad; 0 is up.
    yaw : float
        Of the nacelle at the start, rad, about z.
    yaw_spring : two floats, optional
        Stiffness (N m/rad) and damping (N m s/rad) of the yaw bearing; default: held rigidly, unless ``free_yaw``.
    free_yaw : bool
        Whether the nacelle turns freely.
    pitch : time value, optional
        Of both blades, rad, positive turns the leading edge into the wind; default: ``data.pitch``.
    start_pitch : float, optional
        Pitch at the start, rad, where ``pitch`` is an input, and its value while nothing drives it; default:
        ``data.pitch``.
    generator : array of shape (n, 2), optional
        Braking torque (N m) over speed (rad/s) of the fast shaft.
    blade_segments, tower_segments : int
        Elements of each blade and the tower.

    Examples
    --------
    >>> from counterpoint.multibody.library import awt27, wind_turbine
    >>> machine = wind_turbine(awt27(), blade_segments=2, tower_segments=2)
    >>> machine.assembled().degrees_of_freedom
    15
    """
    model = Mechanism(data.name.lower().replace("-", ""), gravity=(0.0, 0.0, -data.gravity))
    model.formulation = Formulation(tolerance=_TOLERANCE)
    frames = _Frames.of(data, yaw, azimuth, rotor_speed)
    _tower(model, data, tower_segments)
    _nacelle(model, data, frames)
    _yaw_bearing(model, yaw, yaw_spring, free_yaw)
    _rotor(model, data, frames)
    for number in (1, 2):
        _blade(model, data, frames, number, blade_segments)
        model.guide(f"pitch_{number}", data.pitch if pitch is None else pitch)
    _drive_train(model, data, rotor_speed, generator)
    if air is not None:
        _air(model, data, frames, air, blade_segments)
    _outputs(model)
    _turn_blades(model, data, frames, pitch, data.pitch if start_pitch is None else start_pitch)
    return model


def _turn_blades(model: Mechanism, data: TurbineData, frames: _Frames, pitch: TimeValue | None, start: float) -> None:
    """Begin with whole blades turned to their pitch: they are drawn at pitch zero, and would begin twisted."""
    followed = time_values.input_of(pitch)
    if followed is not None:
        model.input(followed, start)
    angle = time_values.at_start(data.pitch if pitch is None else pitch, model.inputs)
    placing = Placing(model)
    for number in (1, 2):
        along = frames.blade(number, data.aero.cone)[:, 2]
        turn = _turning(-along, angle)
        for name in placing.own:
            if name.startswith(f"blade_{number}_") and name not in model.points:
                model.start_position[name] = turn @ placing.drawn(name)


def _turning(axis: Array, angle: float) -> Array:
    """Return the rotation about a unit vector (Rodrigues)."""
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross)


@dataclass(frozen=True, eq=False)
class _Frames:
    """Axes as drawn: of the nacelle (columns), of the rotor (columns: shaft downwind, pin, blade 1), and places."""

    nacelle: Array
    rotor: Array
    top: Array
    bearing: Array
    pin: Array
    apex: Array
    speed: float

    @classmethod
    def of(cls, data: TurbineData, yaw: float, azimuth: float, speed: float) -> _Frames:
        nacelle = _about(2, yaw)
        tilted = nacelle @ _about(1, data.tilt)  # downwind end down
        top = np.array([0.0, 0.0, data.tower.length])
        bearing = top + data.tower_to_shaft * nacelle[:, 2]
        pin = bearing + data.overhang * tilted[:, 0]
        apex = pin - data.teeter.undersling * tilted[:, 0]
        return cls(nacelle, tilted @ _about(0, azimuth), top, bearing, pin, apex, speed)

    def velocity(self, place: Array) -> Array:
        """Return the velocity of a place on the spinning rotor, m/s."""
        return np.cross(self.speed * self.rotor[:, 0], place - self.pin)

    def blade(self, number: int, cone: float) -> Array:
        """Return the axes of a blade as columns: out of plane, against the rotation, to the tip."""
        up = self.rotor[:, 2] if number == 1 else -self.rotor[:, 2]
        along = np.cos(cone) * up + np.sin(cone) * self.rotor[:, 0]
        out = np.cos(cone) * self.rotor[:, 0] - np.sin(cone) * up
        return np.column_stack([out, np.cross(along, out), along])


def _about(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    made = np.eye(3)
    made[i, i] = made[j, j] = c
    made[i, j], made[j, i] = -s, s
    return made


def _placed(solid: Solid, axes: Array, origin: Array) -> dict[str, Any]:
    """Return mass, centre and inertia of a solid as drawn."""
    return {
        "mass": solid.mass,
        "centre": origin + axes @ np.asarray(solid.centre),
        "inertia": axes @ np.diag(solid.inertia) @ axes.T,
    }


def _tower(model: Mechanism, data: TurbineData, segments: int) -> None:
    model.vector("yaw_axis", (0, 0, 1))
    beam_from_table(model, "tower", data.tower, start=(0, 0, 0), along=(0, 0, 1), first_axis=(1, 0, 0),
                    segments=segments, base=GROUND, damping=data.tower_damping,
                    end_vectors=["yaw_axis"])  # fmt: skip


def _nacelle(model: Mechanism, data: TurbineData, frames: _Frames) -> None:
    model.point("bearing", frames.bearing)
    model.vector("shaft_axis", frames.rotor[:, 0])
    solid = _placed(data.nacelle, frames.nacelle, frames.top)
    size = (abs(data.overhang) * 1.6, 1.6, 1.4)
    model.body("nacelle", points=["tower_tip", "bearing"], vectors=["yaw_axis", "shaft_axis"], **solid,
               shape={"kind": "box", "size": size, "centre": solid["centre"], "turn": frames.nacelle.T})  # fmt: skip


def _yaw_bearing(model: Mechanism, yaw: float, spring: tuple[float, float] | None, free: bool) -> None:
    last = [name for name in model.bodies if name.startswith("tower_segment")][-1]
    model.angle("yaw_turn", last, "nacelle", axis=(0, 0, 1))  # zero as drawn
    if spring is not None:
        model.spring("yaw_spring", "yaw_turn", stiffness=spring[0], damping=spring[1], natural=0.0)
    elif not free:
        model.guide("yaw_turn", 0.0)


def _rotor(model: Mechanism, data: TurbineData, frames: _Frames) -> None:
    for name, place in (("pin", frames.pin), ("apex", frames.apex)):
        model.point(name, place, velocity=frames.velocity(place))
    model.vector("pin_axis", frames.rotor[:, 1])
    model.body("shaft", points=["bearing", "pin"], vectors=["shaft_axis", "pin_axis"],
               **_placed(data.shaft, frames.rotor, frames.pin))  # fmt: skip
    for number in (1, 2):
        axes = frames.blade(number, data.aero.cone)
        place = frames.apex + data.aero.hub_radius * axes[:, 2]
        model.point(f"hub_end_{number}", place, velocity=frames.velocity(place))
    model.body("hub", points=["pin", "apex", "hub_end_1", "hub_end_2"], vectors=["pin_axis"],
               **_placed(data.hub, frames.rotor, frames.pin))  # fmt: skip
    model.angle("rotor_turn", "nacelle", "shaft", axis=frames.rotor[:, 0])
    model.angle("teeter_turn", "shaft", "hub", axis=frames.rotor[:, 1])
    hinge = data.teeter
    curve = hinge.curve() if hinge.stop_stiffness else None
    model.spring("teeter_hinge", "teeter_turn", stiffness=hinge.stiffness, damping=hinge.damping, natural=0.0,
                 curve=curve)  # fmt: skip


def _blade(model: Mechanism, data: TurbineData, frames: _Frames, number: int, segments: int) -> None:
    """Add a blade on its pitch bearing; drawn at pitch zero."""
    name, axes, table = f"blade_{number}", frames.blade(number, data.aero.cone), data.blade
    start = frames.apex + data.aero.hub_radius * axes[:, 2]
    hinge = first_hinge(table, start, axes[:, 2], segments)
    for point, place in ((f"{name}_root_point", start), (f"{name}_0", hinge)):
        model.point(point, place, velocity=frames.velocity(place))
    mass, centre, across, polar = table.piece(0.0, 0.5 * table.length / segments)
    line = np.outer(axes[:, 2], axes[:, 2])
    model.body(f"{name}_root", points=[f"{name}_root_point", f"{name}_0"], mass=mass,
               centre=start + centre * axes[:, 2], inertia=(across + polar) * (np.eye(3) - line) + polar * line,
               shape={"group": name})  # fmt: skip
    # A revolute joint in three parts, so that force and moments are outputs of their own.
    model.joint(f"{name}_bearing", "spherical", "hub", f"{name}_root", at=start)
    for label, k in (("out_of_plane", 0), ("in_plane", 1)):
        model.joint(f"{name}_{label}", "angle", "hub", f"{name}_root", axis=axes[:, k], second_axis=axes[:, 2])
    model.angle(f"pitch_{number}", "hub", f"{name}_root", axis=-axes[:, 2])
    beam_from_table(model, name, table, start=start, along=axes[:, 2], first_axis=axes[:, 0], segments=segments,
                    base=f"{name}_root", damping=data.blade_damping, tip_mass=data.tip_mass,
                    velocity=frames.velocity)  # fmt: skip


def _drive_train(model: Mechanism, data: TurbineData, speed: float, generator: ArrayLike | None) -> None:
    """Add gearbox and generator as numbers that turn: the slow shaft twists against the gearbox."""
    drive = data.drive
    model.coordinate("generator", inertia=drive.generator_inertia, rate=drive.ratio * speed)
    model.coordinate("twist", inertia=1e-3 * drive.generator_inertia)
    model.relation("gearbox", {"rotor_turn": drive.ratio, "twist": -drive.ratio, "generator": -1.0}, 0.0)
    model.spring("shaft_torsion", "twist", stiffness=drive.stiffness, damping=drive.damping, natural=0.0)
    if generator is None:
        model.actuator("generator_load", "generator", force="-input:generator_torque")
    else:
        model.spring("generator_load", "generator", damper_curve=generator)
    # All that turns begins with the rotor: the twist is a light thing that would take up the difference.
    model.initial("rotor_turn", rate=speed)
    model.initial("twist", rate=0.0)
    model.initial("teeter_turn", rate=0.0)
    model.actuator("brake", "generator", force="-input:brake_torque")


def _air(model: Mechanism, data: TurbineData, frames: _Frames, air: Air, segments: int) -> None:
    sections = [s for number in (1, 2) for s in _sections(data, frames, number, segments)]
    tower = TowerShadow(data.tower_radius, data.tower_drag, data.tower.length) if air.tower_shadow else None
    rotor(model, "air", body="hub", centre=frames.apex, axis=frames.rotor[:, 0], sections=sections,
          polars=list(data.polars), radius=data.aero.tip_radius, hub_radius=data.aero.hub_radius, blades=2,
          wind=air.wind, inflow=air.inflow, wake=air.wake, dynamic_stall=air.dynamic_stall, tower=tower,
          density=data.density)  # fmt: skip
    model.output("air", "air")


def _sections(data: TurbineData, frames: _Frames, number: int, segments: int) -> list[BladeSection]:
    """Return the stations of the blade table as sections that share the span between them."""
    axes, aero = frames.blade(number, data.aero.cone), data.aero
    edges = np.concatenate([aero.radius[:1], 0.5 * (aero.radius[1:] + aero.radius[:-1]), aero.radius[-1:]])
    made = []
    for k, r in enumerate(aero.radius):
        hinge = int(np.floor((r - aero.hub_radius) / data.blade.length * segments + 0.5))
        body = f"blade_{number}_root" if hinge == 0 else f"blade_{number}_segment_{min(hinge, segments) - 1}"
        cosine, sine = np.cos(aero.twist[k]), np.sin(aero.twist[k])
        chord = cosine * axes[:, 1] + sine * axes[:, 0]
        normal = cosine * axes[:, 0] - sine * axes[:, 1]
        made.append(BladeSection(body, frames.apex + r * axes[:, 2], chord, normal, float(aero.chord[k]),
                                 float(edges[k + 1] - edges[k]), float(r), int(aero.polar[k])))  # fmt: skip
    return made


def _outputs(model: Mechanism) -> None:
    model.output("generator_speed", "generator", "velocity")
    model.output("azimuth", "rotor_turn")
    model.output("rotor_speed", "rotor_turn", "velocity")
    model.output("teeter", "teeter_turn")
    model.output("teeter_rate", "teeter_turn", "velocity")
    model.output("yaw", "yaw_turn")
    model.output("yaw_rate", "yaw_turn", "velocity")
    model.output("shaft_torsion", "shaft_torsion")
    for number in (1, 2):
        model.output(f"root_force_{number}", f"blade_{number}_bearing")
        model.output(f"root_out_of_plane_{number}", f"blade_{number}_out_of_plane")
        model.output(f"root_in_plane_{number}", f"blade_{number}_in_plane")
        model.output(f"tip_{number}", f"blade_{number}_tip")
        model.output(f"root_{number}", f"hub_end_{number}")
    model.output("tower_top", "tower_tip")
    model.output("apex", "apex")
    model.output("pin_axis", "pin_axis")
    if any(guide.measure == "yaw_turn" for guide in model.guides):
        model.output("yaw_moment", "guide:yaw_turn")
