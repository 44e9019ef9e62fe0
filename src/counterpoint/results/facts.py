"""Facts about a run besides its signals: how it ended, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np

from .store import RunLayout, RunSummary, StoreView

if TYPE_CHECKING:
    import pandas as pd


class RunFacts:
    """Facts about a run: name, status, time span, steps and computing time.

    Parameters
    ----------
    view : StoreView
        Where the rows are: memory or file.
    layout : RunLayout
        Names and units.
    summary : RunSummary
        How the run ended.
    """

    def __init__(self, view: StoreView, layout: RunLayout, summary: RunSummary) -> None:
        self._view = view
        self.layout = layout
        self.summary = summary

    @property
    def name(self) -> str:
        """Name of the system."""
        return str(self.metadata.get("name", "run"))

    @property
    def metadata(self) -> dict[str, str | float]:
        """Description of the run, written at its start."""
        return dict(self._view.metadata)

    @property
    def status(self) -> str:
        """``"finished"``, ``"interrupted"``, ``"failed"`` or ``"unfinished"`` (in progress, or killed)."""
        return self.summary.status

    @property
    def message(self) -> str:
        """Why the run did not finish; empty if it did."""
        return self.summary.message

    @property
    def scheme(self) -> str:
        """Name of the scheme."""
        return self.summary.scheme

    @property
    def start(self) -> float:
        """Start time in s."""
        return self.summary.start

    @property
    def end(self) -> float:
        """Time that the slowest subsystem reached, s."""
        return self.summary.end

    @property
    def until(self) -> float:
        """Requested end time in s."""
        return self.summary.until

    @property
    def wall_seconds(self) -> float:
        """Duration of the run in s."""
        return self.summary.wall_seconds

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds per second of wall time; above 1: faster than real time."""
        if self.wall_seconds == 0:
            return inf if self.end > self.start else nan
        return (self.end - self.start) / self.wall_seconds

    @property
    def subsystems(self) -> list[str]:
        """Names of the subsystems."""
        return [entry.name for entry in self.layout.subsystems]

    @property
    def rejected(self) -> int:
        """Steps that paces have rejected."""
        return sum(pace.rejected for pace in self.summary.paces)

    @property
    def overruns(self) -> pd.DataFrame:
        """For a real-time run, per subsystem: steps, overruns, largest delay and its time, s."""
        import pandas as pd

        columns = ["steps", "overruns", "latest", "time_of_latest"]
        rows = [
            [name, *(getattr(one, column) for column in columns)]
            for name, one in zip(self.subsystems, self.summary.overruns, strict=False)
        ]
        return pd.DataFrame(rows, columns=pd.Index(["subsystem", *columns]))

    @property
    def timing(self) -> pd.DataFrame:
        """Per subsystem: steps, seconds, share of all subsystems, microseconds per step."""
        import pandas as pd

        steps = np.array(_filled(self.summary.steps, len(self.subsystems)), dtype=np.float64)
        seconds = np.array(_filled(self.summary.seconds, len(self.subsystems)), dtype=np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            share, each = seconds / seconds.sum(), np.where(steps > 0, 1e6 * seconds / steps, nan)
        return pd.DataFrame(
            {
                "subsystem": self.subsystems,
                "steps": np.nan_to_num(steps).astype(np.int64),
                "seconds": seconds,
                "share": share,
                "microseconds_per_step": each,
            }
        )


def _filled(numbers: Sequence[float], count: int) -> list[float]:
    """Return the numbers, or `count` NaN if the run has none."""
    return list(numbers) if len(numbers) == count else [nan] * count
