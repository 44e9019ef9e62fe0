"""How far a run is from the exact motion: equations (7) and (8), and what they miss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...quality.errors import hermite, relative_rms_error
from .problem import FAST_FREQUENCY, TwoMass

Array = NDArray[np.float64]

CYCLES = 100
"""Simulated cycles of the fast mode, N of the equations; 1 s each."""

AMPLITUDE_WINDOW = 5.0
"""Length in s of the end of the run over which the amplitude of the fast mode is averaged."""


@dataclass(frozen=True)
class Trajectory:
    """What a run published: each mass on its own time axis (s), displacement (m) and velocity (m/s)."""

    t1: Array
    x1: Array
    v1: Array
    t2: Array
    x2: Array
    v2: Array

    @property
    def together(self) -> NDArray[np.bool_]:
        """Mark the fast times up to the last slow step: with fastest-first the slow mass ends a step behind."""
        return np.asarray(self.t1 <= self.t2[-1] * (1 + 1e-12))

    def on_fast_grid(self) -> Array:
        """Return (x1, v1, x2, v2) at the fast times up to the last slow step, shape (4, n).

        x2 is the cubic through values and velocities of the slow steps, v2 is linear between them. Beyond the last
        slow step neither is known.
        """
        both = self.together
        x2 = hermite(self.t1[both], self.t2, self.x2, self.v2)
        return np.stack([self.x1[both], self.v1[both], x2, np.interp(self.t1[both], self.t2, self.v2)])


@dataclass(frozen=True)
class Measures:
    """The errors of one run.

    Attributes
    ----------
    dx, dx2 : float
        Position error of x1 and of x2, equation (7), relative.
    dE : float
        Energy error, equation (8), relative; NaN with damping, where energy is not constant.
    amplitude : float
        Amplitude of the fast mode at the end of the run over that of the exact motion (undamped: 1 is right,
        below is attenuation, above is amplification); NaN with damping.
    first_half, second_half : float
        Root mean square error of x1 in m over each half of the run.
    """

    dx: float
    dx2: float
    dE: float
    amplitude: float
    first_half: float
    second_half: float


def measure(problem: TwoMass, run: Trajectory) -> Measures:
    """Compare a run with the exact motion of its problem."""
    exact = problem.exact(run.t1)
    scale = problem.ratios.frequency / CYCLES
    error = (run.x1 - exact[0])[1:]
    middle = error.size // 2
    energy_error = amplitude = float("nan")
    if problem.c1 == 0 and problem.c3 == 0:
        states = run.on_fast_grid()
        energy_error = scale * _rms(energy_deviation(problem, states)[1:])
        amplitude = fast_amplitude(problem, run.t1[run.together], states)
    return Measures(
        dx=scale * relative_rms_error(run.x1[1:], exact[0, 1:]),
        dx2=scale * relative_rms_error(run.x2[1:], problem.exact(run.t2)[2, 1:]),
        dE=energy_error,
        amplitude=amplitude,
        first_half=_rms(error[:middle]),
        second_half=_rms(error[middle:]),
    )


def energy_deviation(problem: TwoMass, states: Array) -> Array:
    """Return (E - E0)/E0 of states (x1, v1, x2, v2), shape (4, n) → (n,)."""
    energy = problem.energy(states)
    return np.asarray((energy - energy[0]) / energy[0])


def fast_amplitude(problem: TwoMass, times: Array, states: Array) -> float:
    """Return the amplitude of the fast mode at the end of an undamped run; 1 is exact.

    The states are split into the two modes; returned is the mean of hypot(q, q'/w1) of the fast coordinate
    q over the last `AMPLITUDE_WINDOW` seconds.
    """
    to_fast = np.linalg.inv(problem.modes)[0]
    q = to_fast @ states[[0, 2]]
    velocity = to_fast @ states[[1, 3]]
    end = times >= times[-1] - AMPLITUDE_WINDOW
    return float(np.mean(np.hypot(q, velocity / FAST_FREQUENCY)[end]))


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))
