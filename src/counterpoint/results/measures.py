"""Measures of a run: how far inputs were from what arrived or from a reference, and what the run has cost.

Günther et al. (2012), with their symbols:

- τ_CUM (2): mean over time of the absolute difference between what a subsystem took for an input and what its source
  published. Differences are known at the ends of steps; within a step they grow as the approximation says.
- τ*_CUM (4): the same against a reference run, per connection; and of each output against that of the reference.
- S_CS (5): wall time of the reference over that of the run.
- θ_A (1): wall time of the run over the sum of the wall times of its subsystems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, nan
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SetupError, did_you_mean
from .extrapolation_age import mean_growths
from .sampling import shared_times
from .store import Array

if TYPE_CHECKING:
    import pandas as pd

    from .result import Result


@dataclass(frozen=True, eq=False)
class Measures:
    """Measures of a run; made by :meth:`Result.measures`, printed in a few lines.

    Attributes
    ----------
    connections : DataFrame
        Per connection: ``tau`` (τ_CUM) and ``tau_reference`` (τ*_CUM, NaN without a reference), in units of the input.
    signals : DataFrame
        Per output that the reference has: ``tau_reference``, in units of the output.
    subsystems : DataFrame
        ``steps``, ``rejections``, ``events``, ``evaluations`` (of its equations; NaN where they are not counted) and
        ``seconds`` per subsystem.
    speed_up : float
        S_CS; NaN without a reference.
    time_ratio : float
        θ_A; below 1 where subsystems ran at the same time.
    """

    connections: pd.DataFrame
    signals: pd.DataFrame
    subsystems: pd.DataFrame
    speed_up: float
    time_ratio: float

    def __str__(self) -> str:
        lines = [f"θ_A = {self.time_ratio:.3g} (wall time over that of all subsystems)"]
        if isfinite(self.speed_up):
            lines.append(f"S_CS = {self.speed_up:.3g} (wall time of the reference over that of the run)")
        for row in self.connections.to_dict("records"):
            against = f", τ*_CUM = {row['tau_reference']:.3g}" if isfinite(row["tau_reference"]) else ""
            lines.append(f"{row['connection']}: τ_CUM = {row['tau']:.3g}{against}")
        lines += [f"{row['signal']}: τ*_CUM = {row['tau_reference']:.3g}" for row in self.signals.to_dict("records")]
        return "\n".join(lines)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a damaged file may hold any numbers
def measures_of(result: Result, reference: Result | None, names: Mapping[str, str] | None) -> Measures:
    """Measure a run; documented at :meth:`Result.measures`."""
    import pandas as pd

    pairs = {} if reference is None else _pairs(result, reference, names or {})
    connections = [
        [label, _tau(result, k), _tau_reference(result, k, reference, pairs)]
        for k, label in enumerate(result.layout.connections)
    ]
    signals = [
        [name, _mean_distance(result, name, reference, other)] for name, other in pairs.items() if reference is not None
    ]
    partial = float(np.sum(result.summary.seconds)) if result.summary.seconds else nan
    return Measures(
        pd.DataFrame(connections, columns=pd.Index(["connection", "tau", "tau_reference"])),
        pd.DataFrame(signals, columns=pd.Index(["signal", "tau_reference"])),
        _costs(result),
        _ratio(reference.wall_seconds, result.wall_seconds) if reference is not None else nan,
        _ratio(result.wall_seconds, partial),
    )


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else nan


def _pairs(result: Result, reference: Result, names: Mapping[str, str]) -> dict[str, str]:
    """Return signals of the result with those of the reference; raise SetupError for a name that is not there."""
    problems = []
    for ours, other in names.items():
        for name, known, whose in ((ours, result, "the result"), (other, reference, "the reference")):
            if name not in known.signals:
                problems.append(f'names: "{name}": no such signal in {whose}{did_you_mean(name, known.signals)}')
    if problems:
        raise SetupError(problems)
    theirs = set(reference.signals)
    return {name: names.get(name, name) for name in result.signals if names.get(name, name) in theirs}


def _tau(result: Result, connection: int) -> float:
    """Return τ_CUM of one connection; 0 where it interpolates, for nothing is compared then."""
    time, assumed, arrived = result.defect_rows(connection).T
    return _mean(result, connection, time, np.abs(assumed - arrived))


def _mean(result: Result, connection: int, ends: Array, errors: Array) -> float:
    """Return the mean over the run of an error that grows from the last sample on and is known at the end of a step."""
    span = result.end - result.start
    if not len(ends):
        return 0.0
    lengths = np.diff(ends, prepend=result.start)
    growth = mean_growths(result, connection, ends)
    return float((growth * errors) @ lengths / span) if span > 0 else nan


def _tau_reference(result: Result, connection: int, reference: Result | None, pairs: Mapping[str, str]) -> float:
    """Return τ*_CUM of one connection: the error at the beginning of a step is that of the source."""
    source = result.layout.connections[connection].partition(" -> ")[0]
    if reference is None or source not in pairs:
        return nan
    time, assumed, arrived = result.defect_rows(connection).T
    if not len(time):
        return nan
    lines = _scale(result, source, time, arrived)
    first, last = reference[pairs[source]].time[[0, -1]]
    inside = (time >= first) & (time <= last)
    if lines is None or not inside.any():
        return nan
    time_of_all, time, assumed, arrived = time, time[inside], assumed[inside], arrived[inside]
    true = lines[0] * reference[pairs[source]].at(time, "cubic") + lines[1]
    growth = np.minimum(mean_growths(result, connection, time_of_all)[inside], 1.0)
    lengths = np.diff(time, prepend=max(first, result.start))
    at_begin, at_end = np.abs(arrived - true), np.abs(assumed - true)
    return float(((1.0 - growth) * at_begin + growth * at_end) @ lengths / lengths.sum())


def _scale(result: Result, source: str, time: Array, arrived: Array) -> tuple[float, float] | None:
    """Return gain and offset from an output to what arrives of it, as the rows tell them."""
    published = result[source].at(time, "cubic")
    spread = float(np.ptp(published))
    if spread == 0.0:
        return (1.0, float(arrived[0] - published[0])) if np.ptp(arrived) == 0.0 else None
    low, high = int(np.argmin(published)), int(np.argmax(published))
    gain = float((arrived[high] - arrived[low]) / (published[high] - published[low]))
    gain = float(np.round(gain)) if abs(gain - round(gain)) < 1e-6 * max(abs(gain), 1.0) else gain
    return gain, float(arrived[high] - gain * published[high])


def _mean_distance(result: Result, name: str, reference: Result | None, other: str) -> float:
    """Return the mean over time of the absolute difference of two signals."""
    assert reference is not None
    first, second = result[name], reference[other]
    time = shared_times(first.time, second.time, name)
    if len(time) < 2 or time[-1] == time[0]:
        return nan
    kinds = ["hold" if signal.is_held else "cubic" for signal in (first, second)]
    difference = np.abs(first.at(time, kinds[0]) - second.at(time, kinds[1]))
    return float(np.trapezoid(difference, time) / (time[-1] - time[0]))


def _costs(result: Result) -> pd.DataFrame:
    import pandas as pd

    summary, count = result.summary, len(result.subsystems)
    evaluations = [nan if number < 0 else float(number) for number in summary.evaluations]
    happened = result.events["source"].value_counts()
    return pd.DataFrame(
        {
            "subsystem": result.subsystems,
            "steps": summary.steps if len(summary.steps) == count else [0] * count,
            "rejections": [_rejections(result, name) for name in result.subsystems],
            "events": [int(happened.get(name, 0)) for name in result.subsystems],
            "evaluations": evaluations if len(evaluations) == count else [nan] * count,
            "seconds": summary.seconds if len(summary.seconds) == count else [nan] * count,
        }
    )


def _rejections(result: Result, name: str) -> int:
    """Return the steps of a subsystem that its pace, or that of all, has rejected."""
    paces = getattr(result.summary, "paces", ())
    return sum(pace.rejected for pace in paces if pace.name in ("", name))
