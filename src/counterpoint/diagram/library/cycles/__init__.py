"""Drive cycles of type-approval tests: speed over time, and gears where the regulation prescribes them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ....errors import SetupError, did_you_mean

Array = NDArray[np.float64]

CYCLES = {"nedc": "nedc.csv", "wltc-3a": "wltc-3a.csv", "wltc-3b": "wltc-3b.csv"}
"""Name of each cycle and the file that holds it."""
KILOMETRE_PER_HOUR = 1.0 / 3.6


@dataclass(frozen=True, eq=False)
class DriveCycle:
    """Speed that a driver has to follow.

    Attributes
    ----------
    name : str
    time : array (n,)
        Corners of the speed trace, s, increasing.
    speed : array (n,)
        m/s at the corners; straight lines between them.
    gear_time, gear : arrays (k,), or None
        From these times on, s, these gears are prescribed; 0: clutch disengaged or neutral.
    phases : dict of str to (float, float)
        Begin and end of each phase, s.

    Examples
    --------
    >>> nedc = drive_cycle("nedc")
    >>> round(nedc.distance), nedc.duration
    (11013, 1180.0)
    """

    name: str
    time: Array
    speed: Array
    gear_time: Array | None
    gear: Array | None
    phases: dict[str, tuple[float, float]]

    @property
    def duration(self) -> float:
        """Length in s."""
        return float(self.time[-1])

    @property
    def distance(self) -> float:
        """Way of the prescribed speed, m."""
        return float(np.trapezoid(self.speed, self.time))

    def at(self, time: Array | float) -> Array:
        """Return the prescribed speed, m/s, at given times in s."""
        return np.asarray(np.interp(time, self.time, self.speed))


def drive_cycle(name: str) -> DriveCycle:
    """Return a cycle: ``"nedc"``, ``"wltc-3a"`` or ``"wltc-3b"``.

    The NEDC (UN Regulation No. 83) prescribes gears; in the WLTC (UN Global Technical Regulation No. 15) they depend on
    the vehicle.

    >>> drive_cycle("wltc-3b").gear is None
    True
    """
    if name not in CYCLES:
        raise SetupError(f'drive cycle "{name}"{did_you_mean(name, CYCLES)}; expected one of {", ".join(CYCLES)}')
    text = files(__name__).joinpath(CYCLES[name]).read_text(encoding="utf-8")
    rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    return _operations(name, rows) if "start" in rows[0] else _samples(name, rows)


def _samples(name: str, rows: list[dict[str, str]]) -> DriveCycle:
    """Return a cycle given by a speed every second."""
    time = np.array([float(row["time"]) for row in rows])
    speed = np.array([float(row["speed"]) for row in rows]) * KILOMETRE_PER_HOUR
    names = [row["phase"] for row in rows]
    begins = [0, *(k for k in range(1, len(names)) if names[k] != names[k - 1]), len(names) - 1]
    phases = {names[a]: (float(time[a]), float(time[b])) for a, b in pairwise(begins)}
    return DriveCycle(name, time, speed, None, None, phases)


def _operations(name: str, rows: list[dict[str, str]]) -> DriveCycle:
    """Return a cycle given by operations of constant acceleration, each with its gear."""
    corners = [(float(row["start"]), float(row["speed_at_start"])) for row in rows]
    corners.append((float(rows[-1]["end"]), float(rows[-1]["speed_at_end"])))
    time, speed = np.array(corners).T
    changes = [change for row in rows for change in _gears(row)]
    kept = [changes[0], *(new for old, new in pairwise(changes) if new[1] != old[1])]
    gear_time, gear = np.array(kept).T
    phases: dict[str, tuple[float, float]] = {}
    for row in rows:
        begin, _ = phases.get(row["phase"], (float(row["start"]), 0.0))
        phases[row["phase"]] = (begin, float(row["end"]))
    return DriveCycle(name, time, speed * KILOMETRE_PER_HOUR, gear_time, gear, phases)


def _gears(row: dict[str, str]) -> list[tuple[float, float]]:
    """Return the gears of an operation with their times: ``1-2`` changes in its middle, PM and K are 0."""
    start, end, mark = float(row["start"]), float(row["end"]), row["gear"].split("(")[0]
    if mark[0] in "PK":
        return [(start, 0.0)]
    if "-" not in mark:
        return [(start, float(mark))]
    before, after = mark.split("-")
    return [(start, float(before)), (0.5 * (start + end), float(after))]
