"""Rotors: blade sections on the bodies of a mechanism, and the air that they slow down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import _core
from ...errors import SetupError, did_you_mean
from ..assembly.frames import unit
from ..modelling import time_values
from .polars import Polar
from .wind import Wind

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..modelling.mechanism import Mechanism
    from ..modelling.parts import ForcePart

INFLOWS = ("none", "uniform", "pitt-peters", "momentum")
"""Kinds of inflow, in the order of the core."""
SKEW_GRADIENT = 15 * np.pi / 32
"""Of Pitt and Peters for a rotor of even load."""


SPEED_OF_SOUND = 335.0
"""Of the corrections for compressibility in dynamic stall, m/s."""


@dataclass(frozen=True)
class Wake:
    """What the balance of momentum of each annulus takes into account.

    Parameters
    ----------
    tip_loss, hub_loss : bool
        Prandtl's factors.
    drag : bool
        Whether drag loads the flow as lift does.
    skewed_flow : bool
        Whether wind along the disc adds to the mass flow (Glauert).
    skew_gradient : float
        Induction grows downstream by this times tan(chi / 2) times r / R; 0: not.
    skew_loss : bool
        Whether Prandtl's factors weaken that growth.
    time_constant : float
        Of the wake, s (Øye's two filters); 0: in equilibrium at all times.
    sector_points : int
        Number of places within ±60 degrees of a blade section whose mean wind it meets; 1: the wind where it is.
    """

    tip_loss: bool = True
    hub_loss: bool = True
    drag: bool = True
    skewed_flow: bool = False
    skew_gradient: float = 0.0
    skew_loss: bool = False
    time_constant: float = 0.0
    sector_points: int = 1


@dataclass(frozen=True)
class TowerShadow:
    """Wake of a tower on the z axis (Powles 1983): radius (m), drag coefficient, height (m)."""

    radius: float
    drag: float
    height: float


@dataclass(frozen=True, eq=False)
class BladeSection:
    """A strip of a blade.

    Parameters
    ----------
    body : str
        Body that it belongs to.
    place : array of shape (3,)
        Quarter chord as drawn, m.
    chord, normal : arrays of shape (3,)
        As drawn: from the leading to the trailing edge, and to the side of lift.
    chord_length, span : float
        m.
    radius : float
        From the rotor centre along the blade, m.
    polar : int
        Number of its polar.
    """

    body: str
    place: NDArray[np.float64]
    chord: NDArray[np.float64]
    normal: NDArray[np.float64]
    chord_length: float
    span: float
    radius: float
    polar: int = field(default=0)


def rotor(
    mechanism: Mechanism,
    name: str,
    *,
    body: str,
    centre: ArrayLike,
    axis: ArrayLike,
    sections: Sequence[BladeSection],
    polars: Sequence[Polar],
    radius: float,
    blades: int,
    hub_radius: float = 0.0,
    wind: Wind | None = None,
    inflow: str = "momentum",
    wake: Wake | None = None,
    dynamic_stall: bool = False,
    tower: TowerShadow | None = None,
    density: float = 1.225,
) -> None:
    """Add the aerodynamic forces of a rotor to a mechanism.

    As an output it shows thrust (N), torque (N m) and power (W) that drive it, the mean induced velocity (m/s), and
    of each section the angle of attack (rad), the forces per length out of and in the rotor plane (N/m) and the induced
    velocity (m/s).

    Parameters
    ----------
    mechanism : Mechanism
        Of space.
    name : str
        Name of the force element.
    body : str
        Hub: carries ``centre`` and ``axis``.
    centre, axis : arrays of shape (3,)
        As drawn: where the blade axes cross, and the direction of positive thrust (downwind for a wind turbine, up for
        a helicopter). Induced velocities are against it.
    sections : sequence of BladeSection
        Of all blades.
    polars : sequence of Polar
        Numbered from 0.
    radius, hub_radius : float
        Of tip and root along the blade, m.
    blades : int
        Number of blades.
    wind : Wind, optional
        Default: calm.
    inflow : {"momentum", "uniform", "pitt-peters", "none"}
        Momentum of each annulus (blade-element momentum theory; fades out where the tip is slower than twice the wind
        and is off where it is slower than the wind); one dynamic state for the disc; three states of Pitt
        and Peters; none.
    wake : Wake, optional
        Of inflow ``"momentum"``.
    dynamic_stall : bool
        Of Beddoes and Leishman in the variant of Minnema and Pierce (Damiani and Hayman 2019); otherwise quasi-steady.
    tower : TowerShadow, optional
        A tower whose wake the blades pass.
    density : float
        kg/m³.

    Examples
    --------
    >>> from counterpoint.multibody import Mechanism, aerodynamics
    >>> model = Mechanism("fan", gravity=(0, 0, 0))
    >>> model.point("hub", (0, 0, 0), fixed=True)
    >>> model.point("tip", (0, 0, 1.0))
    >>> model.vector("shaft", (1, 0, 0), fixed=True)
    >>> model.body("blade", points=["hub", "tip"], vectors=["shaft"], mass=1.0, inertia=(0.1, 0.1, 0.01))
    >>> strip = BladeSection("blade", (0, 0, 0.7), (0, -1, 0), (1, 0, 0), 0.1, 0.6, 0.7)
    >>> rotor(model, "air", body="blade", centre=(0, 0, 0), axis=(1, 0, 0), sections=[strip],
    ...       polars=[Polar.thin_aerofoil(drag=1.2)], radius=1.0, blades=1, wind=Wind.steady(10.0))
    >>> model.output("air", "air")
    >>> bool(model.run(until=0.01, step=1e-3)["fan.air"].at(0.0)[0] > 0)
    True
    """
    where = f'rotor "{name}"'
    problems = _wrong_sections(where, sections, polars)
    problems += mechanism._unknown(where, "body", [body, *(s.body for s in sections)], mechanism.bodies)
    if mechanism.dimension == 2:
        problems.append(f"{where}: for space only")
    if inflow not in INFLOWS:
        problems.append(f'{where}: inflow "{inflow}"{did_you_mean(inflow, INFLOWS)}')
    numbers = {"radius": radius, "density": density, "blades": blades}
    problems += [
        f"{where}: {key} {value!r}; expected a number above 0" for key, value in numbers.items() if not value > 0
    ]
    air = wind or Wind()
    for k, value in enumerate(air.velocity):
        problems += time_values.problems(f"{where}: wind {k}", value)
    if problems:
        raise SetupError([f"{mechanism.name}: {problem}" for problem in problems])
    mechanism._force(name, "rotor aerodynamics", body=body, centre=np.asarray(centre, dtype=float),
                     axis=unit(np.asarray(axis, dtype=float)), sections=list(sections), polars=list(polars),
                     radius=float(radius), hub_radius=float(hub_radius), blades=int(blades), wind=air, inflow=inflow,
                     wake=wake or Wake(), dynamic_stall=dynamic_stall, tower=tower,
                     density=float(density))  # fmt: skip
    for value in air.velocity:
        mechanism._note_input(value)


def _wrong_sections(where: str, sections: Sequence[BladeSection], polars: Sequence[Polar]) -> list[str]:
    problems = [] if sections else [f"{where}: no sections; expected at least one"]
    for k, section in enumerate(sections):
        if not 0 <= section.polar < len(polars):
            problems.append(f"{where}: section {k}: polar {section.polar}; there are {len(polars)}")
        for key in ("chord_length", "span", "radius"):
            if not getattr(section, key) > 0:
                problems.append(f"{where}: section {k}: {key} {getattr(section, key)!r}; expected a number above 0")
    return problems


def build(assembly: Assembly, part: ForcePart) -> _core.multibody.Force:
    """Return the core's rotor."""
    options = part.options
    law = _core.multibody.RotorLaw()
    hub = assembly.carrier(options["body"])
    law.centre = hub.point(options["centre"]).native(assembly.offsets)
    law.axis = hub.vector(options["axis"]).native(assembly.offsets)
    for key in ("radius", "hub_radius", "density", "blades"):
        setattr(law, key, options[key])
    for polar in options["polars"]:
        law.add_polar(*polar_table(polar))
    law.inflow = INFLOWS.index(options["inflow"])
    law.wake = native_wake(options["wake"])
    wind: Wind = options["wind"]
    velocity = [time_values.build(value, assembly.input_places) for value in wind.velocity]
    law.set_wind(velocity, wind.reference_height, wind.shear_exponent, wind.roughness_length)
    if options["tower"] is not None:
        law.set_tower(options["tower"].radius, options["tower"].drag, options["tower"].height)
    if options["dynamic_stall"]:
        law.stall = [_stall(polar) for polar in options["polars"]]
    sections = [_section(assembly, section) for section in options["sections"]]
    return _core.multibody.rotor_aerodynamics(law, sections)


def _stall(polar: Polar) -> _core.multibody.StallLaw:
    law = _core.multibody.StallLaw()
    law.zero_lift, law.lift_slope = float(polar.zero_lift or 0.0), float(polar.lift_slope or 0.0)
    law.least_drag = float(polar.at(law.zero_lift)[1])
    law.lower_stall, law.upper_stall = polar.stall or (-np.inf, np.inf)
    law.speed_of_sound = SPEED_OF_SOUND
    return law


def native_wake(wake: Wake) -> _core.multibody.WakeLaw:
    """Return the core's form."""
    law = _core.multibody.WakeLaw()
    for key in fields(Wake):
        setattr(law, key.name, getattr(wake, key.name))
    return law


def polar_table(polar: Polar) -> list[list[float]]:
    """Return angles, lift, drag and moment (empty: none) of a polar."""
    moment = [] if polar.moment is None else polar.moment.tolist()
    return [polar.angle.tolist(), polar.lift.tolist(), polar.drag.tolist(), moment]


def _section(assembly: Assembly, section: BladeSection) -> Any:
    body = assembly.carrier(section.body)
    chord = unit(np.asarray(section.chord, dtype=float))
    normal = np.asarray(section.normal, dtype=float)
    normal = unit(normal - chord * float(chord @ normal))
    place = body.point(np.asarray(section.place, dtype=float)).native(assembly.offsets)
    along, across = (body.vector(axis).native(assembly.offsets) for axis in (chord, normal))
    return _core.multibody.BladeSection(
        place, along, across, section.chord_length, section.span, section.radius, section.polar
    )
