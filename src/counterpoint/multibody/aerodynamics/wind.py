"""Wind over time and height: steady, in steps and ramps, from a file, or an input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import SetupError
from ..modelling.parts import TimeValue


@dataclass(frozen=True)
class Wind:
    """Velocity of the wind and how it grows with height (z).

    Parameters
    ----------
    velocity : three time values
        Components at the reference height, m/s: numbers, ``{"linear": {"times": .., "values": ..}}``, an input
        (``"input:wind"``) and so on.
    reference_height : float
        m.
    shear_exponent : float
        The wind grows as (height / reference height) ** exponent.
    roughness_length : float
        Above 0: it grows as log(height / roughness length) instead, m.

    Examples
    --------
    >>> Wind.steady(12.0, towards=-30.0, reference_height=42.7, shear_exponent=0.2).velocity[1]
    -6.0
    """

    velocity: tuple[TimeValue, TimeValue, TimeValue] = (0.0, 0.0, 0.0)
    reference_height: float = 10.0
    shear_exponent: float = 0.0
    roughness_length: float = 0.0

    def __post_init__(self) -> None:
        if len(self.velocity) != 3:
            raise SetupError(f"wind: {len(self.velocity)} components; expected 3")
        if not self.reference_height > 0 or self.roughness_length < 0:
            raise SetupError("wind: reference_height must be above 0 and roughness_length not below 0")
        if self.roughness_length and self.shear_exponent:
            raise SetupError("wind: shear_exponent and roughness_length; expected one of them")

    @classmethod
    def steady(cls, speed: float, *, towards: float = 0.0, **profile: float) -> Wind:
        """Return a steady wind (m/s) that blows ``towards`` an angle from x about z (degrees)."""
        angle = np.radians(towards)
        return cls((round(speed * float(np.cos(angle)), 12), round(speed * float(np.sin(angle)), 12), 0.0), **profile)

    @classmethod
    def following(cls, input: str = "wind", **profile: float) -> Wind:
        """Return a wind along x whose speed (m/s) is an input of the mechanism."""
        return cls((f"input:{input}", 0.0, 0.0), **profile)

    @classmethod
    def ramp(cls, times: ArrayLike, speeds: ArrayLike, *, towards: float = 0.0, **profile: float) -> Wind:
        """Return a wind whose speed (m/s) goes in straight lines through values at times (s)."""
        times, speeds = np.asarray(times, dtype=float), np.asarray(speeds, dtype=float)
        if times.shape != speeds.shape or len(times) < 2 or not np.all(np.diff(times) > 0):
            raise SetupError("wind: expected increasing times and as many speeds, at least two")
        angle = np.radians(towards)

        def component(factor: float) -> Any:
            return {"linear": {"times": times.tolist(), "values": (factor * speeds).tolist()}} if factor else 0.0

        return cls((component(float(np.cos(angle))), component(round(float(np.sin(angle)), 12)), 0.0), **profile)

    @classmethod
    def steps(
        cls,
        times: Sequence[float],
        speeds: Sequence[float],
        *,
        rise: float = 0.1,
        towards: float = 0.0,
        **profile: float,
    ) -> Wind:
        """Return a wind that takes ``speeds[k]`` (m/s) at ``times[k]`` (s), within ``rise`` seconds."""
        corners: list[tuple[float, float]] = [(float(times[0]), float(speeds[0]))]
        for start, speed in zip(times[1:], speeds[1:], strict=True):
            corners += [(float(start), corners[-1][1]), (float(start) + rise, float(speed))]
        if len(corners) == 1:
            return cls.steady(float(speeds[0]), towards=towards, **profile)
        return cls.ramp(*np.array(corners).T, towards=towards, **profile)

    @classmethod
    def read(cls, file: str | Path, **profile: float) -> Wind:
        """Read a time series: columns ``time`` (s) and ``u``, and optionally ``v``, ``w`` (m/s), at the hub."""
        import pandas as pd

        table = pd.read_csv(file, comment="#")
        if "time" not in table or "u" not in table:
            columns = ", ".join(map(str, table.columns))
            raise SetupError(f"{file}: columns {columns}; expected time (s), u and, optionally, v and w (m/s)")
        times = table["time"].to_numpy(dtype=float)
        if len(times) < 2 or not np.all(np.diff(times) > 0):
            raise SetupError(f"{file}: times must increase and be at least two")

        def component(key: str) -> Any:
            return {"linear": {"times": times.tolist(), "values": table[key].tolist()}} if key in table else 0.0

        return cls((component("u"), component("v"), component("w")), **profile)

    def profile(self, height: ArrayLike) -> np.ndarray[Any, Any]:
        """Return how much stronger the wind is at heights (m) than at the reference height."""
        height = np.asarray(height, dtype=float)
        if self.roughness_length:
            return np.asarray(
                np.log(height / self.roughness_length) / np.log(self.reference_height / self.roughness_length)
            )
        return np.asarray((np.maximum(height, 0.0) / self.reference_height) ** self.shear_exponent)
