"""The AWT-27 with its nacelle held 15 degrees off a sheared wind, beside what OpenFAST recorded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...multibody.library import awt27
from ...multibody.modelling.mechanism import Mechanism
from ...multibody.modelling.table_beams import BeamTable, beam_from_table
from .cases import AWT27_CASES, awt27_channels, awt27_system

Array = NDArray[np.float64]
DATA = Path(__file__).parent / "data"
CASE = "AWT_YFix_WSt"
STEP = 0.004
REVOLUTIONS = 6
"""At the end of the record, that means and harmonics are taken of."""


@dataclass(frozen=True)
class Harmonics:
    """Mean and amplitudes of the first harmonics of a channel, and where its first is largest, degrees."""

    mean: float
    amplitudes: Array
    azimuth: float


@dataclass(frozen=True, eq=False)
class AwtRun:
    """The run and the record.

    Attributes
    ----------
    ours, reference : DataFrame
        Channels over time.
    cpu : float
        Processor time, s.
    duration : float
        Simulated time, s.
    coordinates : int
        Of the mechanism.
    blade, tower : arrays
        First frequencies of the blade alone, clamped, and of the tower with its top mass, Hz.
    """

    ours: pd.DataFrame
    reference: pd.DataFrame
    cpu: float
    duration: float
    coordinates: int
    blade: Array
    tower: Array

    def harmonics(self, channel: str) -> tuple[Harmonics, Harmonics]:
        """Return those of the last revolutions, ours and the record's."""
        return harmonics(self.ours, channel), harmonics(self.reference, channel)


def run_awt(quick: bool) -> AwtRun:
    """Run the case; the quick form has fewer segments and ends earlier."""
    segments, until = (6, 12.0) if quick else (10, 20.0)
    system = awt27_system(CASE, step=STEP, blade_segments=segments, tower_segments=4 if quick else 5)
    began = process_time()
    result = system.run(until=until)
    cpu = process_time() - began
    coordinates = int(np.shape(result["awt27.q"].values)[1])
    reference = pd.read_csv(DATA / "awt27_fixed_yaw.csv")
    data = awt27()
    count = 8
    return AwtRun(awt27_channels(result), reference, cpu, until, coordinates,
                  frequencies(data.blade, count, data.tip_mass), frequencies(data.tower, count, 7227.24))  # fmt: skip


def run_others() -> dict[str, pd.DataFrame]:
    """Run the cases without a reference here, in full; return their channels."""
    made = {}
    for name, case in AWT27_CASES.items():
        if name != CASE:
            made[name] = awt27_channels(awt27_system(name, step=STEP).run(until=case.duration), name)
    return made


def frequencies(table: BeamTable, segments: int, tip_mass: float) -> Array:
    """Return the first frequencies of a clamped beam with a mass at its tip, Hz."""
    model = Mechanism("clamped", gravity=(0, 0, 0))
    beam_from_table(model, "beam", table, start=(0, 0, 0), along=(0, 0, 1), first_axis=(1, 0, 0), segments=segments,
                    base="ground", tip_mass=tip_mass)  # fmt: skip
    return model.modes().frequencies[:6]


def harmonics(table: pd.DataFrame, channel: str, count: int = 6) -> Harmonics:
    """Return mean and harmonics of the rotor speed over the last revolutions, by least squares."""
    speed = float(table["rotor_speed_rpm"].iloc[-100:].mean()) / 60.0
    time = table["time_s"].to_numpy()
    last = time >= time[-1] - REVOLUTIONS / speed
    angle = np.radians(table["azimuth_deg"].to_numpy()[last])
    turns = np.concatenate(
        [[np.ones(last.sum())], *([np.cos(k * angle), np.sin(k * angle)] for k in range(1, count + 1))]
    )
    fit, *_ = np.linalg.lstsq(turns.T, table[channel].to_numpy()[last], rcond=None)
    amplitudes = np.hypot(fit[1::2], fit[2::2])
    return Harmonics(float(fit[0]), amplitudes, float(np.degrees(np.arctan2(fit[2], fit[1])) % 360.0))
