"""What is computed from the flights, once, for claims, figures and tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .costs import StepCost, step_costs, timed_flights
from .data import GRAVITY, MAIN, TAIL
from .experiment import FLIGHT, Flight, fly
from .hover import Hover, hover

Array = NDArray[np.float64]

COMPARED = ("altitude", "yaw", "pitch")
"""Signals of figures 6.4 to 6.6."""
QUICK_FLIGHT = 1.5
SETTLING = 2.0
"""The hover is read from the last part of a flight without a command, s."""


@dataclass(frozen=True)
class Findings:
    """Everything measured.

    Attributes
    ----------
    layouts : list of Flight
        Cases 1 to 3.
    still : Flight
        Without a yaw command, multirate: the hover.
    steps : list of StepCost
    quick : bool
    """

    layouts: list[Flight]
    still: Flight
    steps: list[StepCost]
    quick: bool

    @property
    def one(self) -> Flight:
        """Case 1."""
        return self.layouts[0]

    @property
    def single(self) -> Flight:
        """Case 2."""
        return self.layouts[1]

    @property
    def multi(self) -> Flight:
        """Case 3."""
        return self.layouts[2]

    def hover(self, signal: str) -> float:
        """Return the mean of a signal in the hover."""
        return self.still.mean(signal, self.still.until - min(SETTLING, 0.5 * self.still.until))

    def theory(self) -> Hover:
        """Return the main rotor's hover in closed form at the thrust found."""
        return hover(MAIN, self.hover("thrust"), GRAVITY)

    def tail_theory(self) -> Hover:
        """Return the tail rotor's hover in closed form at the thrust found."""
        return hover(TAIL, self.hover("tail_thrust"))


def find(quick: bool) -> Findings:
    """Fly everything."""
    until = QUICK_FLIGHT if quick else FLIGHT
    layouts = timed_flights(until, 1 if quick else 2)
    still = fly(layouts[2].case, until, commands=False)
    return Findings(layouts, still, step_costs(), quick)


def spectrum(flight: Flight, name: str = "tail_force", since: float = 0.3) -> tuple[Array, Array]:
    """Return frequencies (Hz) and amplitudes of a signal, with a window of Hann."""
    time, values = flight.signals[name]
    used = time >= since
    y = values[used] - values[used].mean()
    window = np.hanning(len(y))
    amplitude = 2.0 * np.abs(np.fft.rfft(y * window)) / window.sum()
    frequency = np.fft.rfftfreq(len(y), d=float(np.diff(time).mean()))
    return np.asarray(frequency, dtype=float), np.asarray(amplitude, dtype=float)


def peak(flight: Flight, above: float = 30.0) -> tuple[float, float]:
    """Return frequency (Hz) and amplitude (N) of the largest oscillation of the tail rotor's force."""
    frequency, amplitude = spectrum(flight)
    high = frequency > above
    k = int(np.argmax(amplitude[high]))
    return float(frequency[high][k]), float(amplitude[high][k])
