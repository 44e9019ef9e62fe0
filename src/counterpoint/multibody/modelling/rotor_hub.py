"""Hubs of rotors: blades on flap and lag hinges with springs, pitch control with delta-three coupling, teetering.

Frame of a blade as drawn: s along the span outwards, t in the direction of rotation, a along the rotor axis. The flap
angle beta is that of s over the disc, positive along the axis; the lag angle zeta is positive against the rotation;
the pitch angle theta is positive nose up. With a centre spring K and a flap inertia I about the hinge a blade flaps in
vacuum at the frequency ratio ``sqrt(1 + e S / I + K / (I Omega²))``, with hinge offset e and first moment S (Johnson,
"Helicopter Theory", chapter 9).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..._common.numbers import is_number
from ..assembly.affine import Vector
from ..assembly.frames import across, unit
from .parts import GROUND, TimeValue, not_finite, vector_of

if TYPE_CHECKING:
    from .mechanism import Mechanism

_CONTROL_INERTIA = 1e-3
"""Of the coordinate that carries the control angle, kg m²: it is guided, so that it weighs on nothing."""


@dataclass(frozen=True)
class RotorBlade:
    """A rigid blade; lengths from the flap hinge outwards.

    Parameters
    ----------
    length : float
        From hinge to tip, m.
    mass : float
        kg.
    centre : float
        Distance of the centre of mass from the hinge, m.
    flap_inertia : float
        About the hinge, kg m².
    pitch_inertia : float
        About the span, kg m².

    Examples
    --------
    >>> RotorBlade.uniform(4.91, flap_inertia=231.7).mass
    28.83...
    """

    length: float
    mass: float
    centre: float
    flap_inertia: float
    pitch_inertia: float

    @staticmethod
    def uniform(length: float, *, flap_inertia: float, chord: float = 0.0) -> RotorBlade:
        """Return a blade of constant mass per length, as wide as its chord (m; 0: a twentieth of the length)."""
        mass = 3.0 * flap_inertia / length**2
        width = chord or length / 20.0
        return RotorBlade(length, mass, 0.5 * length, flap_inertia, mass * width**2 / 12.0)


@dataclass(frozen=True)
class RotorHub:
    """Names of what a hub consists of.

    Attributes
    ----------
    name, body, azimuth : str
        The rotor, its hub, and the hub's angle against what carries it, rad.
    control : str
        Coordinate of the control angle (collective pitch), rad.
    blades, tips, flaps, pitches, lags : lists of str
        Bodies, points at the tips, and angles of the blades; no lags without lag hinges.
    directions : list of arrays of shape (3, 3)
        Rows as drawn: span, direction of rotation, axis of each blade.
    """

    name: str
    body: str
    azimuth: str
    control: str
    blades: list[str]
    tips: list[str]
    flaps: list[str]
    pitches: list[str]
    lags: list[str]
    directions: list[Vector]


def rotor_hub(
    mechanism: Mechanism,
    name: str,
    carrier: str,
    centre: str,
    *,
    axis: ArrayLike,
    blade: RotorBlade,
    blades: int,
    first: ArrayLike | None = None,
    speed: TimeValue | None = None,
    pitch: TimeValue = 0.0,
    hub_mass: float = 1.0,
    hub_inertia: float | None = None,
    hinge_offset: float = 0.0,
    flap_stiffness: float = 0.0,
    flap_damping: float = 0.0,
    precone: float = 0.0,
    lag_stiffness: float | None = None,
    lag_damping: float | list[float] = 0.0,
    delta3: float = 0.0,
    teetering: bool = False,
) -> RotorHub:
    """Add a rotor hub with rigid blades to a mechanism in space.

    Parameters
    ----------
    mechanism : Mechanism
        Gets bodies, joints and measures named ``NAME_...``.
    name : str
        Name of the rotor.
    carrier : str
        Body that the shaft turns in, ``"BODY:POINT"`` of a modal body, or ``"ground"``.
    centre : str
        Point at the hub; a point of the carrier is shared. On a modal body a point of its own is better: it costs three
        coordinates, and the blades then have none in common with the modes.
    axis : array of shape (3,)
        Rotor axis as drawn: rotation is positive about it, and flap is positive along it.
    blade : RotorBlade
        One blade; all are alike.
    blades : int
        Number of blades.
    first : array of shape (3,), optional
        Direction of the first blade as drawn.
    speed : time value, optional
        Rotor angle (rad) as for :meth:`Mechanism.guide`: ``[0, 44.4]`` turns with 44.4 rad/s. Default: free.
    pitch : time value
        Control angle of all blades, rad, as for :meth:`Mechanism.guide`.
    hub_mass, hub_inertia : float
        kg; kg m² about each axis (default: a sphere of a tenth of the blade).
    hinge_offset : float
        Distance of flap and lag hinges from the axis, m.
    flap_stiffness, flap_damping : float
        Of each flap hinge, N m/rad and N m s/rad.
    precone : float
        Flap angle of the relaxed springs, rad.
    lag_stiffness : float, optional
        Of lag hinges, N m/rad; default: no lag hinges.
    lag_damping : float or list of float
        Of the lag hinges, of each if a list, N m s/rad.
    delta3 : float
        Angle, rad: flapping up by beta lowers the pitch by ``tan(delta3) * beta``.
    teetering : bool
        Whether the two blades are one piece that flaps about the centre: one blade goes up as the other goes down.

    Examples
    --------
    >>> from counterpoint.multibody import Mechanism, RotorBlade, rotor_hub
    >>> rotor = Mechanism("rotor", gravity=(0, 0, 0))
    >>> rotor.point("hub", (0, 0, 0), fixed=True)
    >>> made = rotor_hub(rotor, "main", "ground", "hub", axis=(0, 0, 1), blades=4, speed=[0, 44.4],
    ...                  blade=RotorBlade.uniform(4.91, flap_inertia=231.7), flap_stiffness=113330.0)
    >>> made.flaps[0], rotor.assembled().degrees_of_freedom
    ('main_flap_0', 4)
    """
    where = f'rotor hub "{name}"'
    numbers = {"hub_mass": hub_mass, "hinge_offset": hinge_offset, "flap_stiffness": flap_stiffness,
               "flap_damping": flap_damping, "lag_stiffness": lag_stiffness}  # fmt: skip
    problems = [f"{where}: for space only"] * (mechanism.dimension != 3)
    problems += _wrong(where, blade, blades, numbers, {"precone": precone, "delta3": delta3})
    if teetering and blades != 2:
        problems.append(f"{where}: {blades} blades cannot teeter; expected 2")
    up = vector_of(f"{where}: axis", axis, 3, problems)
    dampings = list(np.broadcast_to(np.asarray(lag_damping, dtype=float), (blades,))) if not problems else []
    mechanism._raise(problems)
    up = unit(up)
    spans = _spans(up, across(up)[0] if first is None else np.asarray(first, dtype=float), blades)
    inertia = 0.4 * hub_mass * (0.1 * blade.length) ** 2 if hub_inertia is None else hub_inertia
    mechanism.body(f"{name}_hub", points=[centre], mass=hub_mass, inertia=[inertia] * 3,
                   centre=mechanism.points[centre].position,
                   shape={"kind": "cylinder", "size": (0.03 * blade.length, 0.05 * blade.length),
                          "axis": up.tolist(), "group": name})  # fmt: skip
    _add_shaft(mechanism, name, carrier, centre, up)
    mechanism.angle(f"{name}_azimuth", carrier, f"{name}_hub", axis=up)
    if speed is not None:
        mechanism.guide(f"{name}_azimuth", speed)
    mechanism.coordinate(f"{name}_control", inertia=_CONTROL_INERTIA)
    mechanism.guide(f"{name}_control", pitch)
    made = RotorHub(name, f"{name}_hub", f"{name}_azimuth", f"{name}_control", [], [], [], [], [], [])
    for k, span in enumerate(spans):
        _add_blade(mechanism, made, (span, up), blade, (centre, hinge_offset))
        mechanism.spring(f"{name}_flap_spring_{k}", made.flaps[k], stiffness=flap_stiffness, damping=flap_damping,
                         natural=precone)  # fmt: skip
        _add_lag(mechanism, made, k, lag_stiffness, dampings[k])
        mechanism.relation(f"{name}_pitch_link_{k}", {made.pitches[k]: 1.0, made.flaps[k]: float(np.tan(delta3)),
                                                      made.control: -1.0}, 0.0)  # fmt: skip
    if teetering:
        mechanism.relation(f"{name}_teeter", dict.fromkeys(made.flaps, 1.0), 2.0 * precone)
    return made


def _wrong(
    where: str, blade: RotorBlade, blades: int, positive: dict[str, float | None], finite: dict[str, float]
) -> list[str]:
    problems = []
    if int(blades) != blades or blades < 1:
        problems.append(f"{where}: blades {blades!r}; expected an integer of at least 1")
    for key, value in positive.items():
        if value is not None and (not is_number(value) or value < 0):
            problems.append(f"{where}: {key} {value!r}; expected a number of at least 0")
    about_centre = blade.flap_inertia - blade.mass * blade.centre**2
    if about_centre <= 0:
        problems.append(
            f"{where}: blade: flap inertia {blade.flap_inertia:g} kg m² about the hinge; {blade.mass:g} kg at "
            f"{blade.centre:g} m alone have {blade.mass * blade.centre**2:g}"
        )
    return problems + not_finite(where, finite)


def _spans(up: Vector, first: Vector, blades: int) -> list[Vector]:
    r = unit(first - up * float(up @ first))
    angles = 2.0 * np.pi * np.arange(blades) / blades
    return [np.cos(a) * r + np.sin(a) * np.cross(up, r) for a in angles]


def _add_shaft(mechanism: Mechanism, name: str, carrier: str, centre: str, up: Vector) -> None:
    """Let the hub turn in its carrier; a fixed point on the ground is shared, so that only axes are left to hold."""
    if carrier != GROUND or not mechanism.points[centre].fixed:
        mechanism.joint(f"{name}_shaft", "revolute", carrier, f"{name}_hub", at=centre, axis=up)
        return
    for k, direction in enumerate(across(up)):
        mechanism.joint(f"{name}_shaft_{k}", "angle", carrier, f"{name}_hub", axis=direction, second_axis=up)


def _add_blade(
    mechanism: Mechanism, made: RotorHub, frame: tuple[Vector, Vector], blade: RotorBlade, hinge: tuple[str, float]
) -> None:
    """Add the next blade with its flap and pitch angles; the pitch is seen along the flapped span."""
    name, k = made.name, len(made.blades)
    span, up = frame
    ahead = np.cross(up, span)
    centre, offset = hinge
    root = centre
    place = mechanism.points[centre].position + offset * span
    if offset > 0.0:
        root = f"{name}_hinge_{k}"
        mechanism.point(root, place)
        mechanism.bodies[made.body].points.append(root)
    tip, body = f"{name}_tip_{k}", f"{name}_blade_{k}"
    mechanism.point(tip, place + blade.length * span)
    across_span = blade.flap_inertia - blade.mass * blade.centre**2
    moments = (blade.pitch_inertia, across_span, across_span + blade.pitch_inertia)
    tensor = sum(m * np.outer(e, e) for m, e in zip(moments, (span, ahead, up), strict=True))
    wide = float(np.sqrt(12.0 * blade.pitch_inertia / blade.mass)) or 0.05 * blade.length
    shape = {"kind": "box", "size": (blade.length, wide, 0.1 * wide), "centre": (place + 0.5 * blade.length * span),
             "turn": np.array([span, ahead, up]).T.tolist(), "group": name}  # fmt: skip
    mechanism.body(body, points=[root, tip], mass=blade.mass, centre=place + blade.centre * span, inertia=tensor,
                   shape=shape | {"centre": shape["centre"].tolist()})  # fmt: skip
    mechanism.angle(f"{name}_flap_{k}", made.body, body, axis=-ahead, reference=span)
    # From the blade to the hub: its direction of rotation, seen in the frame of the blade. Nose up turns about -span.
    mechanism.angle(f"{name}_pitch_{k}", body, made.body, axis=-span, reference=ahead)
    made.blades.append(body)
    made.tips.append(tip)
    made.flaps.append(f"{name}_flap_{k}")
    made.pitches.append(f"{name}_pitch_{k}")
    made.directions.append(np.array([span, ahead, up]))


def _add_lag(mechanism: Mechanism, made: RotorHub, k: int, stiffness: float | None, damping: float) -> None:
    name = made.name
    span, ahead, up = made.directions[k]
    if stiffness is None:
        mechanism.joint(f"{name}_no_lag_{k}", "angle", made.body, made.blades[k], axis=ahead, second_axis=span)
        return
    lag = f"{name}_lag_{k}"
    mechanism.angle(lag, made.body, made.blades[k], axis=-up, reference=span)
    mechanism.spring(f"{name}_lag_spring_{k}", lag, stiffness=stiffness, damping=damping, natural=0.0)
    mechanism.initial(lag, rate=0.0)  # the blades turn with the hub; nothing else would tell
    made.lags.append(lag)
