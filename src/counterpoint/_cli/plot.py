"""``counterpoint plot``."""

from __future__ import annotations

from pathlib import Path

import click

from .common import SECONDS, names_of, with_traceback
from .completion import signals as complete_signals


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("signals", nargs=-1, shell_complete=complete_signals)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Picture: .png, .svg, .pdf [FILE.png].")
@click.option("--from", "start", type=SECONDS, metavar="S", help="Start of the time range in s [start of the run].")
@click.option("--to", "end", type=SECONDS, metavar="S", help="End of the time range in s [end of the run].")
@click.option("--show", is_flag=True, help="Open a window instead of writing a picture.")
@click.option("--overwrite", is_flag=True, help="Overwrite an existing picture.")
@with_traceback
def plot(
    *,
    file: Path,
    signals: tuple[str, ...],
    out: Path | None,
    start: float | None,
    end: float | None,
    show: bool,
    overwrite: bool,
) -> None:
    """Plot signals of a run file (.h5), even while the run is in progress.

    SIGNALS are signals or subsystems, such as engine.speed or engine [all declared outputs].
    """
    from .._cases.registry import RUN_FILE, check_kind
    from .._display.console import console, say
    from ..errors import OutputError
    from ..results import load

    check_kind(file, RUN_FILE)
    span = None if start is None and end is None else (start, end)
    path = out or file.with_suffix(".png")
    if not show and path.exists() and not overwrite:
        raise OutputError(f"{path}: already exists; add --overwrite or choose another --out", str(path))
    with load(file) as result:
        result.plot(*names_of(signals), path=None if show else path, span=span)
    if show:
        _open_window()
    else:
        say(f"wrote {path}", console())


def _open_window() -> None:
    """Show the figures until their window is closed."""
    import matplotlib.pyplot as plt

    from ..errors import SetupError

    if not hasattr(plt.get_current_fig_manager(), "window"):
        raise SetupError("--show: there is no display, or matplotlib has no GUI backend; use --out FILE.png")
    plt.show()
