"""Progress of a run or a study on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from .console import clock, plain, speed

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from .._run.progress import Callback, Progress
    from ..sweeps.progress import SweepProgress


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
        Draw even when the console is not a terminal.

    Examples
    --------
    >>> from counterpoint import Progress
    >>> with show("two-mass") as callback:
    ...     callback(Progress(time=1.0, start=0.0, until=10.0, wall_seconds=0.5))
    """
    from rich.console import Console

    console = console or Console(stderr=True, force_terminal=True if force else None)
    if not (force or console.is_terminal or console.is_jupyter):
        yield _ignore
        return
    yield from _in_notebook(title) if console.is_jupyter else _drawn(title, console)


def _ignore(progress: Progress) -> None:
    """Draw nothing."""


def _drawn(title: str, console: Console) -> Iterator[Callback]:
    from rich.live import Live

    # No refresh thread: the run calls often enough, and a thread would outlive a hard exit badly.
    with Live(console=console, auto_refresh=False) as live:

        def draw(progress: Progress) -> None:
            live.update(_line(title, progress, console.width), refresh=True)

        yield draw


def _in_notebook(title: str) -> Iterator[Callback]:
    """Draw below the cell of a notebook; needs IPython alone, no widgets."""
    from html import escape

    notebook = import_module("IPython.display")
    handle = notebook.display(notebook.HTML(""), display_id=True)

    def draw(progress: Progress) -> None:
        text = f"t = {progress.time:.6g} of {progress.until:.6g} s, {speed(progress.real_time_factor)}"
        bar = f'<progress value="{progress.fraction:.4f}" max="1" style="width:20em"></progress>'
        handle.update(notebook.HTML(f"{escape(title)} {bar} {escape(text)}, {escape(_left(progress))}"))

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


def _left(progress: Progress) -> str:
    if progress.fraction >= 1.0:
        return f"{clock(progress.wall_seconds)} in all"
    return f"{clock(progress.eta_seconds)} left"


@contextmanager
def progress(title: str, wanted: bool, force: bool) -> Iterator[Callback]:
    """Show progress if wanted and the console is a terminal, or if forced."""
    if not wanted:
        yield _ignore
        return
    with show(title, force=force) as callback:
        yield callback


@contextmanager
def study_progress(name: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show what a study does, as ``what done/total`` on one line, if the console is a terminal."""
    from rich.console import Console
    from rich.live import Live

    where = Console(stderr=True)
    if not where.is_terminal:
        yield lambda what, done, total: None
        return
    with Live(console=where, auto_refresh=False, transient=True) as live:

        def draw(what: str, done: int, total: int) -> None:
            live.update(plain(f"{name}: {what} {done}/{total}"), refresh=True)

        yield draw


@contextmanager
def show_points(title: str, *, force: bool = False) -> Iterator[Callable[[SweepProgress], None]]:
    """Show how many points of a sweep have ended, how fast, and the time left, if the console is a terminal."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True, force_terminal=True if force else None)
    if not console.is_terminal:
        yield lambda progress: None
        return
    with Live(console=console, auto_refresh=False) as live:

        def draw(progress: SweepProgress) -> None:
            live.update(_points_line(title, progress, console.width), refresh=True)

        yield draw


def _points_line(title: str, progress: SweepProgress, width: int) -> Text:
    from rich.text import Text

    share = progress.ended / progress.total if progress.total else 1.0
    wrong = f", {progress.failed} failed" if progress.failed else ""
    facts = f"{progress.ended} of {progress.total} points{wrong}"
    left = f"{clock(progress.wall_seconds)} in all" if share >= 1.0 else f"{clock(progress.eta_seconds)} left"
    more = f"  {progress.rate:.3g}/s  {left}"
    name = title if len(title) <= 24 else "…" + title[-23:]
    bar = max(0, min(width - len(name) - len(facts) - len(more) - 4, 40))
    filled = round(share * bar)
    line = Text(f"{name} ", no_wrap=True, overflow="ellipsis")
    line.append("━" * filled, style="green").append("━" * (bar - filled), style="bright_black")
    return line.append(f" {facts}").append(more, style="cyan")
