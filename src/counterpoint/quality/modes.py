"""What the coupling does to each motion of the linearised system, as the scheduler itself tells."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

CHANGED = 1.25
"""Amplitudes by more than this factor apart are called amplified or attenuated."""


@dataclass(frozen=True)
class CoupledMode:
    """One motion of the coupled system, linearised at the start, over the whole run.

    Attributes
    ----------
    frequency : float
        Hz; 0 when it does not oscillate.
    amplitude : float
        Amplitude at the end of the run, relative to that without coupling error: above 1 amplified.
    phase : float
        How far it is ahead at the end of the run, rad; negative: behind.
    """

    frequency: float
    amplitude: float
    phase: float

    def text(self) -> str:
        """Return it in words."""
        if self.amplitude > CHANGED:
            what = f"amplified {min(self.amplitude, 1e6):.2g} times"
        elif self.amplitude < 1 / CHANGED:
            what = f"attenuated to {max(self.amplitude, 1e-4):.2g} of its amplitude"
        else:
            what = f"{'behind' if self.phase < 0 else 'ahead'} by {abs(self.phase):.2g} rad at the end"
        return f"the mode at {self.frequency:.3g} Hz is {what}"


@dataclass(frozen=True)
class CoupledModes:
    """Stability and fidelity of a coupling, from its linearised subsystems.

    Attributes
    ----------
    margin : float
        How far the spectral radius of one period is below 1; negative: something grows.
    growth : float
        Growth of the worst motion that the exact system does not have, 1/s.
    modes : tuple of CoupledMode
    """

    margin: float
    growth: float
    modes: tuple[CoupledMode, ...]

    @property
    def worst(self) -> CoupledMode | None:
        """The mode whose amplitude is most wrong; None where all are right."""
        changed = [mode for mode in self.modes if not 1 / CHANGED <= mode.amplitude <= CHANGED]
        return max(changed, key=lambda mode: abs(log(max(mode.amplitude, 1e-12))), default=None)
