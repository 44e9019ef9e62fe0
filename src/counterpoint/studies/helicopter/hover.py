"""The hover in closed form: momentum theory with blade elements, for both rotors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .data import DENSITY, Rotor


@dataclass(frozen=True)
class Hover:
    """A rotor in hover.

    Attributes
    ----------
    induced : float
        m/s
    ideal_power, profile_power : float
        W
    pitch : float
        At three quarters of the radius, rad.
    coning : float
        rad
    """

    induced: float
    ideal_power: float
    profile_power: float
    pitch: float
    coning: float

    @property
    def power(self) -> float:
        """Of both, W."""
        return self.ideal_power + self.profile_power


def hover(rotor: Rotor, thrust: float, weight: float = 0.0) -> Hover:
    """Return uniform inflow, power, pitch and coning at a thrust (N); Johnson, "Helicopter Theory", chapters 2 and 5.

    Parameters
    ----------
    weight : float
        Acceleration of gravity along the axis, m/s²: it bends the blades down.

    Examples
    --------
    >>> from counterpoint.studies.helicopter.data import MAIN, THRUST
    >>> round(hover(MAIN, THRUST).induced, 2)
    11.17
    """
    # Sums over the part of the blade that lifts: integrals of r^n from root to tip loss.
    low, high = rotor.root, rotor.lifting_radius
    m1, m2, m3 = ((high ** (n + 1) - low ** (n + 1)) / (n + 1) for n in (1, 2, 3))
    m4 = (high**5 - low**5) / 5
    induced = float(np.sqrt(thrust / (2 * DENSITY * rotor.area)))
    per_angle = 0.5 * DENSITY * rotor.chord * rotor.lift_slope
    slope = rotor.twist / rotor.radius
    needed = thrust / (rotor.blades * per_angle * rotor.speed**2) - slope * m3 + induced / rotor.speed * m1
    root_pitch = needed / m2
    moment = per_angle * rotor.speed**2 * (root_pitch * m3 + slope * m4 - induced / rotor.speed * m2)
    moment -= rotor.blade_mass * weight * 0.5 * rotor.radius
    stiffness = rotor.flap_inertia * rotor.speed**2 + rotor.flap_stiffness
    to_tip = (rotor.radius**4 - low**4) / 4
    drag = 0.5 * DENSITY * rotor.chord * rotor.drag * rotor.speed**3 * rotor.blades * to_tip
    return Hover(induced, thrust * induced, drag, root_pitch + 0.75 * rotor.twist, moment / stiffness)
