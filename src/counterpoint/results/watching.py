"""Progress of a run in lines of text, and the course of its signals."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .._display.console import console as make_console
from .._display.console import plain
from ..errors import OutputError
from .reader import load
from .result import Result
from .signal import Signal
from .store import Array

if TYPE_CHECKING:
    from rich.text import Text

LEVELS = "▁▂▃▄▅▆▇█"
MOST_SIGNALS = 16
SILENT_SECONDS = 5.0
"""After so long without new rows the watcher says that the run may have died."""


def watch_file(path: Path, names: Sequence[str], *, interval: float, wait: float, once: bool) -> None:
    """Draw a run again and again until it has ended; in a file or a pipe, print it when it has ended.

    Parameters
    ----------
    path : Path
        The run file.
    names : sequence of str
        Signals or subsystems.
    interval, wait : float
        Seconds between two looks, and to wait for the file.
    once : bool
        Print the state and return.
    """
    from rich.console import Group
    from rich.live import Live

    console = make_console()
    with opened(path, wait) as result:
        lines = _Lines(result, shown_signals(result, names), time.monotonic)
        if not once and console.is_terminal:
            with Live(console=console, auto_refresh=False, transient=True) as live:
                for _ in _looks(result, interval):
                    live.update(Group(*lines.draw(console.width)), refresh=True)
        elif not once:
            for _ in _looks(result, interval):
                pass
        console.print(Group(*lines.draw(console.width)))


def _looks(result: Result, interval: float) -> Iterator[None]:
    """Read what has been written since, until the run has ended."""
    yield
    while result.status == "unfinished":
        time.sleep(interval)
        result.refresh()
        yield


def opened(path: Path, wait: float) -> Result:
    """Load a run file that may be about to appear."""
    end = time.monotonic() + wait
    while True:
        try:
            return load(path)
        except OutputError:
            if time.monotonic() >= end:  # for an instant a new file is empty
                raise
            time.sleep(0.05)


def shown_signals(result: Result, names: Sequence[str]) -> list[str]:
    """Return the signals meant by names; without names all declared outputs, as many as can be looked at."""
    if names:
        return [name for key in names for name in result.expand(key)][:MOST_SIGNALS]
    shown = [f"{e.name}.{c}" for e in result.layout.subsystems for c in e.columns if c not in e.minor]
    return shown[:MOST_SIGNALS]


class _Lines:
    """What is drawn."""

    def __init__(self, result: Result, names: list[str], clock: Callable[[], float]) -> None:
        self.result = result
        self.names = names
        self._headline = headline_of(result, clock)

    def draw(self, width: int) -> Iterator[Text]:
        """Yield the lines."""
        yield plain(self._headline(), "bold")
        margin = max((len(name) for name in self.names), default=0)
        for name in self.names:
            yield _line(self.result.signal(name), margin, max(10, width - margin - 34))
        if self.result.message and self.result.status != "unfinished":
            yield plain(self.result.message)


def headline_of(result: Result, clock: Callable[[], float]) -> Callable[[], str]:
    """Return what says how far a run is, and when no rows have come for long, whenever it is called."""
    seen, since = -1, clock()

    def headline() -> str:
        nonlocal seen, since
        rows = sum(map(result.rows, result.subsystems))
        if rows != seen:
            seen, since = rows, clock()
        end = f"t = {result.end:.6g} s" if isfinite(result.end) else "no rows yet"
        of = f" of {result.until:.6g} s" if isfinite(result.until) else ""
        silent = clock() - since
        note = ""
        if result.status == "unfinished" and silent > SILENT_SECONDS:
            note = f"; no new rows for {silent:.0f} s: it is slow, or was killed"
        return f"{result.name}: {result.status}, {end}{of}, {rows} rows{note}"

    return headline


def _line(signal: Signal, margin: int, width: int) -> Text:
    """Return name, course and last value of a signal."""
    if not len(signal):
        return plain(signal.name.ljust(margin))
    values = signal.values
    course = sparkline(values, min(width, 60))
    unit = f" {signal.unit}" if signal.unit else ""
    return plain(f"{signal.name.ljust(margin)}  {course}  {values[-1]:.6g}{unit}")


def sparkline(values: Array, width: int) -> str:
    """Return the course of a signal as small bars, each the mean of a stretch of samples.

    >>> sparkline(np.array([0.0, 1.0, 2.0, 3.0]), 4)
    '▁▃▆█'
    """
    parts = np.array_split(values, min(width, len(values)))
    means = np.array([part.mean() for part in parts])
    low, high = means.min(), means.max()
    if not (isfinite(low) and high > low):
        return LEVELS[0] * len(means)
    places = np.rint((means - low) / (high - low) * (len(LEVELS) - 1)).astype(int)
    return "".join(LEVELS[place] for place in places)
