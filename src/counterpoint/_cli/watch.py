"""``counterpoint watch``."""

from __future__ import annotations

from pathlib import Path

import click

from .common import SECONDS, names_of, with_traceback
from .completion import signals as complete_signals


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("signals", nargs=-1, shell_complete=complete_signals)
@click.option("--interval", type=SECONDS, default=0.5, metavar="S", help="Refresh interval [0.5 s].")
@click.option("--wait", type=SECONDS, default=0.0, metavar="S", help="How long to wait for the file to appear [0 s].")
@click.option("--once", is_flag=True, help="Print the current state and exit.")
@click.option("--window", is_flag=True, help="Plot the signals in a window instead.")
@with_traceback
def watch(*, file: Path, signals: tuple[str, ...], interval: float, wait: float, once: bool, window: bool) -> None:
    """Watch a run in progress through its run file (.h5); ends with the run or with Ctrl-C.

    SIGNALS are signals or subsystems [all declared outputs that fit].
    """
    from .._cases.registry import RUN_FILE, check_kind

    check_kind(file, RUN_FILE)
    names, interval = names_of(signals), max(interval, 0.05)
    if window:
        from ..results.watching_window import check_display, watch_in_window

        check_display()
        return watch_in_window(file, names, interval=interval, wait=wait)
    from ..results.watching import watch_file

    watch_file(file, names, interval=interval, wait=wait, once=once)
