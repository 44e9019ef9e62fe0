"""Two masses between three springs, described by the motion they should make.

::

    wall --k1,c1-- m1 --k2-- m2 --k3,c3-- wall        x1, x2: displacements from rest, in m

The free motion from rest is ``x1 = C11 cos w1 t + C13 cos w2 t``, ``x2 = C21 cos w1 t + C23 cos w2 t``.
A motion is chosen by its frequency ratio and three amplitude ratios, and masses and springs follow:

    FR = w1/w2,  AR1 = C11/C13,  AR2 = C23/C21,  AR12 = C11/C23,   w1 = 2π rad/s, C11 = 1 m, k2 = 1 N/m

References: F. González, M. Á. Naya, A. Luaces, M. González, "On the effect of multirate co-simulation
techniques in the efficiency and accuracy of multibody system dynamics", Multibody System Dynamics (2010),
section 3, equations (2) to (9). The parameter formulas (6.13) to (6.20) are in section 6.3 of F. J. González
Varela's thesis (University of La Coruña, 2010); two signs are misprinted there, see `stiffness_as_printed`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite, pi

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import SetupError

Array = NDArray[np.float64]

FAST_FREQUENCY = 2 * pi
"""Angular frequency of the fast mode in rad/s (1 Hz)."""


@dataclass(frozen=True)
class Ratios:
    """The motion asked for.

    Attributes
    ----------
    frequency : float
        FR, fast over slow natural frequency.
    first, second, between : float
        AR1, AR2 and AR12, the amplitude ratios; the defaults are those of the published experiments.
    """

    frequency: float
    first: float = 0.1
    second: float = -1000.0
    between: float = 0.1

    @property
    def a(self) -> float:
        """Shape of the fast mode, C11/C21."""
        return self.between * self.second

    @property
    def b(self) -> float:
        """Shape of the slow mode, C13/C23."""
        return self.between / self.first

    def allowed_between(self) -> tuple[float, float]:
        """Return the open interval of allowed abs(AR12): limit (6.18) from below, (6.19) from above.

        (6.18) is printed with FR² - 1; the absolute value makes it hold for FR < 1 as well.
        """
        squared = self.frequency**2
        lower = abs(squared - 1) / abs(squared / self.first - self.second)
        upper = abs((squared - 1 / (self.first * self.second)) / (squared - 1) * self.first)
        return lower, upper

    def problems(self) -> list[str]:
        """Name every limit that these ratios break, with the range allowed; empty when a system exists.

        >>> Ratios(30.0, between=0.2).problems()
        ['two-mass: AR12 = 0.2 breaks limit (6.19), k1 > 0; allowed for FR = 30: 0.0899 < |AR12| < 0.100112']
        """
        named = {"FR": self.frequency, "AR1": self.first, "AR2": self.second, "AR12": self.between}
        bad = [name for name, value in named.items() if not isfinite(value) or value == 0]
        if bad:
            return [f"two-mass: {name} = {named[name]:g}; must be finite and not 0" for name in bad]
        if self.frequency < 0 or self.frequency == 1:
            return [f"two-mass: FR = {self.frequency:g}; must be positive and not 1 (equal frequencies)"]
        return self._sign_problems() or self._size_problems()

    def _sign_problems(self) -> list[str]:
        usual = self.frequency > 1
        text = "two-mass: {0} = {1:g} breaks limit (6.20), m1, m2 > 0; allowed for FR {2} 1: {0} {3} 0"
        problems = []
        if (self.b > 0) != usual:
            problems.append(text.format("AR12/AR1", self.b, *((">", ">") if usual else ("<", "<"))))
        if (self.a < 0) != usual:
            problems.append(text.format("AR12·AR2", self.a, *((">", "<") if usual else ("<", ">"))))
        return problems

    def _size_problems(self) -> list[str]:
        lower, upper = self.allowed_between()
        allowed = f"allowed for FR = {self.frequency:g}: {lower:.6g} < |AR12| < {upper:.6g}"
        start = f"two-mass: AR12 = {self.between:g} breaks limit"
        problems = []
        if not abs(self.between) > lower:
            problems.append(f"{start} (6.18), k3 > 0; {allowed}")
        if not abs(self.between) < upper:
            problems.append(f"{start} (6.19), k1 > 0; {allowed}")
        return problems


@dataclass(frozen=True)
class TwoMass:
    """Masses, springs and dampers that make the motion of `ratios`.

    Attributes
    ----------
    ratios : Ratios
        The motion asked for (undamped).
    m1, m2 : float
        Masses in kg; 1 is the fast one.
    k1, k2, k3 : float
        Springs in N/m.
    c1, c3 : float
        Dampers in N·s/m.
    """

    ratios: Ratios
    m1: float
    m2: float
    k1: float
    k2: float
    k3: float
    c1: float = 0.0
    c3: float = 0.0

    @classmethod
    def from_ratios(cls, ratios: Ratios, damping_ratio: float = 0.0) -> TwoMass:
        """Find the system with this motion, with k2 = 1 N/m.

        Parameters
        ----------
        ratios : Ratios
            Frequency and amplitude ratios of the undamped motion.
        damping_ratio : float
            ζ of equation (9): c3 is this share of the critical damping of m2 alone, c1 is that of m1 over FR.

        Raises
        ------
        SetupError
            When no such system with positive masses and springs exists; the message names the limit.

        Examples
        --------
        >>> system = TwoMass.from_ratios(Ratios(2.0))
        >>> round(system.k1, 4), round(system.k3, 3)
        (0.3367, 33.667)
        """
        problems = ratios.problems()
        if not (isfinite(damping_ratio) and damping_ratio >= 0):
            problems.append(f"two-mass: damping ratio = {damping_ratio:g}; must be 0 or larger")
        if problems:
            raise SetupError(problems)
        m1, m2 = masses(ratios)
        k1, k3 = stiffness(ratios)
        slow = FAST_FREQUENCY / ratios.frequency
        c1 = 2 * damping_ratio * m1 * FAST_FREQUENCY / ratios.frequency
        return cls(ratios, m1, m2, k1, 1.0, k3, c1, 2 * damping_ratio * m2 * slow)

    @property
    def slow_frequency(self) -> float:
        """Angular frequency of the slow undamped mode in rad/s."""
        return FAST_FREQUENCY / self.ratios.frequency

    @property
    def modes(self) -> Array:
        """Amplitudes ((C11, C13), (C21, C23)) in m; shape (2, 2), a column a mode, the fast one first."""
        first, second, between = self.ratios.first, self.ratios.second, self.ratios.between
        return np.array([[1.0, 1 / first], [1 / (between * second), 1 / between]])

    @property
    def start(self) -> Array:
        """Displacements (x1, x2) in m at t = 0; the velocities are zero. Shape (2,)."""
        return np.asarray(self.modes.sum(axis=1))

    @cached_property
    def matrix(self) -> Array:
        """State matrix of d/dt (x1, v1, x2, v2), shape (4, 4)."""
        spring1, spring2 = self.k1 + self.k2, self.k2 + self.k3
        return np.array(
            [
                [0, 1, 0, 0],
                [-spring1 / self.m1, -self.c1 / self.m1, self.k2 / self.m1, 0],
                [0, 0, 0, 1],
                [self.k2 / self.m2, 0, -spring2 / self.m2, -self.c3 / self.m2],
            ]
        )

    def exact(self, times: ArrayLike) -> Array:
        """Return the exact (x1, v1, x2, v2) at `times` (s); shape (4, n), in m and m/s."""
        t = np.asarray(times, dtype=float)
        if self.c1 == 0 and self.c3 == 0:
            return self._undamped(t)
        return self._damped(t)

    def _damped(self, t: Array) -> Array:
        start = np.array([self.start[0], 0.0, self.start[1], 0.0])
        values, vectors = np.linalg.eig(self.matrix)
        shapes = vectors * np.linalg.solve(vectors, start.astype(complex))
        one = values.imag >= 0  # of each conjugate pair; the other adds the same real part
        shapes = shapes[:, one] * np.where(values[one].imag > 0, 2, 1)
        decay, phase = np.exp(np.outer(values[one].real, t)), np.outer(values[one].imag, t)
        return np.asarray(shapes.real @ (decay * np.cos(phase)) - shapes.imag @ (decay * np.sin(phase)))

    def _undamped(self, t: Array) -> Array:
        w = np.array([FAST_FREQUENCY, self.slow_frequency])
        x = self.modes @ np.cos(np.outer(w, t))
        v = -(self.modes * w) @ np.sin(np.outer(w, t))
        return np.stack([x[0], v[0], x[1], v[1]])

    def energy(self, states: Array) -> Array:
        """Return kinetic plus spring energy in J of states (x1, v1, x2, v2), shape (4, n) → (n,)."""
        x1, v1, x2, v2 = states
        kinetic = self.m1 * v1**2 + self.m2 * v2**2
        springs = self.k1 * x1**2 + self.k2 * (x1 - x2) ** 2 + self.k3 * x2**2
        return np.asarray((kinetic + springs) / 2)


def masses(ratios: Ratios) -> tuple[float, float]:
    """Return m1 and m2 in kg for k2 = 1 N/m, equations (6.13) and (6.14)."""
    a, b, difference = ratios.a, ratios.b, _difference(ratios)
    return (a - b) / (a * b * difference), (b - a) / difference


def stiffness(ratios: Ratios) -> tuple[float, float]:
    """Return k1 and k3 in N/m for k2 = 1 N/m, equations (6.15) and (6.16) with the signs corrected."""
    a, b, w1, w2 = ratios.a, ratios.b, FAST_FREQUENCY, FAST_FREQUENCY / ratios.frequency
    difference = _difference(ratios)
    k1 = (a * (1 - b) * w1**2 - b * (1 - a) * w2**2) / (a * b * difference)
    k3 = ((b - 1) * w1**2 + (1 - a) * w2**2) / difference
    return k1, k3


def stiffness_as_printed(ratios: Ratios) -> tuple[float, float]:
    """Return k1 and k3 in N/m with the signs of the print, for the study's table only.

    The print has a plus in (6.15) and a minus in (6.16); with the published ratios both springs are negative.
    """
    a, b, w1, w2 = ratios.a, ratios.b, FAST_FREQUENCY, FAST_FREQUENCY / ratios.frequency
    difference = _difference(ratios)
    k1 = (a * (1 - b) * w1**2 + b * (1 - a) * w2**2) / (a * b * difference)
    k3 = ((b - 1) * w1**2 - (1 - a) * w2**2) / difference
    return k1, k3


def _difference(ratios: Ratios) -> float:
    return FAST_FREQUENCY**2 * (1 - 1 / ratios.frequency**2)
