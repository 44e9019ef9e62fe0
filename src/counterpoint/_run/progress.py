"""How far a run is, and a display of it.

``System.run(progress=...)`` calls a function with a :class:`Progress` about ten times a second; :func:`show`
gives such a function that draws a bar with simulated time, real-time factor and the time still needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    time : float
        Simulated time that all subsystems have reached, s.
    start, until : float
        Span of the run, s.
    wall_seconds : float
        Time on the wall clock since the run began, s.

    Examples
    --------
    >>> half = Progress(time=5.0, start=0.0, until=10.0, wall_seconds=2.0)
    >>> half.fraction, half.real_time_factor, half.eta_seconds
    (0.5, 2.5, 2.0)
    """

    time: float
    start: float
    until: float
    wall_seconds: float

    @property
    def fraction(self) -> float:
        """Done part of the run, 0 to 1."""
        span = self.until - self.start
        return min(max((self.time - self.start) / span, 0.0), 1.0) if span > 0 else 1.0

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds a second on the wall clock; above 1 is faster than reality, NaN at first."""
        return (self.time - self.start) / self.wall_seconds if self.wall_seconds > 0 else math.nan

    @property
    def eta_seconds(self) -> float:
        """Seconds still needed if the run goes on as fast as so far; infinite before the first step."""
        done = self.fraction
        if done >= 1.0:
            return 0.0
        return self.wall_seconds * (1.0 - done) / done if done > 0 else math.inf


Callback = Callable[[Progress], None]


@contextmanager
def show(title: str = "", *, console: Console | None = None, force: bool = False) -> Iterator[Callback]:
    """Draw progress while the block runs; give the function to pass to ``System.run(progress=...)``.

    Parameters
    ----------
    title : str
        What runs, in front of the bar.
    console : rich.console.Console, optional
        Where to draw; standard error when left out.
    force : bool
        Draw even when nobody seems to look, that is when the console is no terminal.

    Examples
    --------
    >>> with show("two-mass") as callback:
    ...     callback(Progress(time=1.0, start=0.0, until=10.0, wall_seconds=0.5))
    """
    from rich.console import Console

    console = console or Console(stderr=True, force_terminal=True if force else None)
    if not (force or console.is_terminal or console.is_jupyter):
        yield _ignore
        return
    yield from _drawn(title, console)


def _ignore(progress: Progress) -> None:
    """Take no notice: nobody looks."""


def _drawn(title: str, console: Console) -> Iterator[Callback]:
    from rich.live import Live

    # No refresh thread: the run calls often enough, and a thread would outlive a hard exit badly.
    with Live(console=console, auto_refresh=False) as live:

        def draw(progress: Progress) -> None:
            live.update(_line(title, progress, console.width), refresh=True)

        yield draw


def _line(title: str, progress: Progress, width: int) -> Text:
    """Return one line: title, bar, simulated time, real-time factor and time left, whatever the width."""
    from rich.text import Text

    done = progress.fraction
    facts = f"{100 * done:3.0f} %  t = {progress.time:.6g} of {progress.until:.6g} s"
    more = f"  {speed(progress.real_time_factor)}  {_left(progress)}"
    name = title if len(title) <= 24 else title[:23] + "…"
    room = width - len(name) - len(facts) - len(more) - 4
    bar = max(0, min(room, 40))
    filled = round(done * bar)
    line = Text(f"{name} ", no_wrap=True, overflow="ellipsis")
    line.append("━" * filled, style="green").append("━" * (bar - filled), style="bright_black")
    return line.append(f" {facts}").append(more, style="cyan")


def speed(factor: float) -> str:
    """Write a real-time factor.

    >>> speed(0.5), speed(30321.4), speed(float("nan"))
    ('0.5× real time', '30321× real time', '…× real time')
    """
    if math.isnan(factor):
        return "…× real time"
    return f"{factor:.3g}× real time" if factor < 1000 else f"{factor:.0f}× real time"


def _left(progress: Progress) -> str:
    if progress.fraction >= 1.0:
        return f"{clock(progress.wall_seconds)} in all"
    return f"{clock(progress.eta_seconds)} left"


def clock(seconds: float) -> str:
    """Write a duration briefly.

    >>> clock(0.0125), clock(2.5), clock(75), clock(7384), clock(float("inf"))
    ('12 ms', '2.5 s', '1 min 15 s', '2 h 3 min', '?')
    """
    if not math.isfinite(seconds):
        return "?"
    if seconds < 0.1:
        return f"{1e3 * seconds:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
