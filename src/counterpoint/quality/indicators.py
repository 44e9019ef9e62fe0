"""What a run says about each of its connections without a reference, and about each of its bonds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .oscillation import NONE, Oscillation, oscillation

if TYPE_CHECKING:
    from ..results.result import Result
    from ..results.store import DefectSummary

Array = NDArray[np.float64]

START_STEPS = 5
"""Comparisons at the start of a run that count as its first steps."""
START_FACTOR = 10.0
"""An error made at the start is so many times the rms of what follows."""


@dataclass(frozen=True)
class ConnectionIndicator:
    """What is known of one connection.

    Attributes
    ----------
    connection, source, target : str
        Label ``"a.y -> b.u"`` and its two ends.
    kind : str
        ``"interpolates"`` or ``"extrapolates"``.
    approximation : str
        Its name; empty where the result does not say.
    order : int
        Order of the approximation; -1 where it is not known.
    sampled : bool
        The signal belongs to a sampled subsystem: its held values are exact and have no defect.
    defect : float
        Rms of the interface defect relative to the rms of the signal about its mean; NaN where there is none.
    starts_wrong : bool
        The largest defect was made in the first steps and is much larger than all later ones.
    step : float
        Median step of the slower side, s.
    slower : str
        Name of the slower side.
    oscillation : Oscillation
        What the signal has in the highest band that the slower side resolves.
    """

    connection: str
    source: str
    target: str
    kind: str
    approximation: str = ""
    order: int = -1
    sampled: bool = False
    defect: float = nan
    starts_wrong: bool = False
    step: float = nan
    slower: str = ""
    oscillation: Oscillation = field(default=NONE)


def connection_indicators(result: Result, defects: list[DefectSummary], deep: bool) -> list[ConnectionIndicator]:
    """Return what is known of each connection; deep: the recorded rows are looked at too."""
    told = _told(result)
    shallow = [_from_summary(defect, told) for defect in defects]
    return [_looked_at(result, k, one) for k, one in enumerate(shallow)] if deep else shallow


def _told(result: Result) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what the run said about its connections, by source and target."""
    try:
        entries = json.loads(result.coupling)
        return {(entry["source"], entry["target"]): entry for entry in entries}
    except (ValueError, KeyError, TypeError):  # of a file that was changed
        return {}


def _from_summary(defect: DefectSummary, told: dict[tuple[str, str], dict[str, Any]]) -> ConnectionIndicator:
    source, _, target = defect.connection.partition(" -> ")
    entry = told.get((_port(source), _port(target)), {})
    sampled = bool(entry.get("sampled", False))
    return ConnectionIndicator(
        defect.connection,
        source,
        target,
        defect.kind,
        str(entry.get("approximation", "")),
        int(entry.get("order", -1)),
        sampled,
        nan if sampled or defect.count == 0 else defect.relative,
    )


def _looked_at(result: Result, k: int, one: ConnectionIndicator) -> ConnectionIndicator:
    """Add what the recorded rows tell."""
    steps = [_step(result, name.partition(".")[0]) for name in (one.source, one.target)]
    return replace(
        one,
        starts_wrong=not one.sampled and _starts_wrong(result, k),
        step=max(steps),
        slower=(one.source if steps[0] > steps[1] else one.target).partition(".")[0],
        oscillation=NONE if one.sampled else _oscillation(result, one.source, one.target, steps),
    )


def _port(name: str) -> str:
    """Return ``a.p`` for ``a.p[2]``."""
    return name.partition("[")[0] if name.endswith("]") else name


def _step(result: Result, subsystem: str) -> float:
    times = result.row_times(subsystem) if subsystem in result.subsystems else np.empty(0)
    return float(np.median(np.diff(times))) if len(times) > 1 else 0.0


def _starts_wrong(result: Result, k: int) -> bool:
    rows = result.defect_rows(k)
    if len(rows) <= 2 * START_STEPS:
        return False
    size = np.abs(rows[:, 1] - rows[:, 2])
    later = float(np.sqrt(np.mean(size[START_STEPS:] ** 2)))
    return bool(size[:START_STEPS].max() > START_FACTOR * later)


def _oscillation(result: Result, source: str, target: str, steps: list[float]) -> Oscillation:
    """Look at the source at the times of the slower side."""
    if source not in result.signals:
        return NONE
    signal = result.signal(source)
    slower = target.partition(".")[0]
    if steps[1] <= steps[0] or slower not in result.subsystems or len(signal) < 2:
        return oscillation(signal.time, np.asarray(signal.values))
    times = result.row_times(slower)
    times = times[(times >= signal.time[0]) & (times <= signal.time[-1])]
    return oscillation(times, np.asarray(signal.at(times)) if len(times) else times)
