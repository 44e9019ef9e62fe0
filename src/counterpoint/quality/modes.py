"""What the coupling does to each motion of the linearised system, as the scheduler itself tells."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from .._common.numbers import number_text
from .texts import part_text, times_text

CHANGED = 1.25
"""Amplitudes by more than this factor apart are called amplified or attenuated."""
GONE = 0.01
"""A motion of which only this part is left at the end of a run, with the coupling and without, does no harm."""


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
    rate : float
        Growth of the exact motion, 1/s; negative: it decays.
    left : float
        Amplitude at the end of the run over that at its start, with coupling error or without, whichever is larger.
    """

    frequency: float
    amplitude: float
    phase: float
    rate: float = 0.0
    left: float = 1.0

    def text(self) -> str:
        """Return it in words."""
        if self.amplitude > CHANGED:
            what = f"amplified {times_text(self.amplitude)}"
        elif self.amplitude < 1 / CHANGED:
            what = f"attenuated to {part_text(self.amplitude)} of its amplitude"
        else:
            what = f"{'behind' if self.phase < 0 else 'ahead'} by {number_text(abs(self.phase))} rad at the end"
        return f"the mode {self._name()} is {what}"

    def _name(self) -> str:
        if self.frequency > 0.0:
            return f"at {number_text(self.frequency, 3)} Hz"
        if self.rate == 0.0:
            return "that does not oscillate"
        verb = "grows" if self.rate > 0.0 else "decays"
        return f"that {verb} with the time constant {number_text(1 / abs(self.rate))} s"


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
        """The mode whose amplitude is most wrong, of those that are still there at the end; None: all are right."""
        there = [mode for mode in self.modes if mode.left > GONE]
        changed = [mode for mode in there if not 1 / CHANGED <= mode.amplitude <= CHANGED]
        return max(changed, key=lambda mode: abs(log(max(mode.amplitude, 1e-12))), default=None)
