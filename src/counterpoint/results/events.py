"""What happened in a run, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .store import Event

if TYPE_CHECKING:
    import pandas as pd

    from .result import Result

MOST_JUMPS = 10_000


def events_of(result: Result) -> pd.DataFrame:
    """Return the events of a run by time; those without a time first."""
    import pandas as pd

    found = [*result.summary.events, *_jumps(result)]
    found.sort(key=lambda event: (event.time == event.time, event.time))
    columns = ["time", "source", "level", "text"]
    rows = [[getattr(event, column) for column in columns] for event in found]
    return pd.DataFrame(rows, columns=pd.Index(columns))


def _jumps(result: Result) -> Iterator[Event]:
    """Yield where a subsystem published two rows at one time: before and after an event that it located."""
    for name in result.subsystems:
        columns = result.layout.subsystems[result.subsystems.index(name)].columns
        time = result.row_times(name)
        for row in np.flatnonzero(np.diff(time) == 0.0)[:MOST_JUMPS].tolist():
            before, after = result.row(name, row), result.row(name, row + 1)
            which = [column for column, a, b in zip(columns, before, after, strict=True) if a != b]
            yield Event(float(time[row]), name, "info", f"jump of {', '.join(which[:5]) or 'nothing'}")
