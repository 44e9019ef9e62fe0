"""``counterpoint animate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .common import with_traceback

if TYPE_CHECKING:
    from ..multibody import Mechanism
    from ..results import Result


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Scenario or mechanism file [the one that was run].",
)
@click.option("--subsystem", metavar="NAME", help="Mechanism to animate [all].")
@click.option("--trace", multiple=True, metavar="POINT", help="Draw the path of this point; repeatable.")
@click.option("--speed", type=float, default=1.0, metavar="X", help="Playback speed relative to real time [1].")
@click.option("--strip", type=int, metavar="N", help="Write N frames side by side as one picture (.png) instead.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Output directory [that of the run file].")
@click.option("--overwrite", is_flag=True, help="Overwrite existing files.")
@click.option("--allow-outside", is_flag=True, help="Allow the scenario to use files outside its directory.")
@with_traceback
def animate(
    *,
    file: Path,
    model: Path | None,
    subsystem: str | None,
    trace: tuple[str, ...],
    speed: float,
    strip: int | None,
    out: Path | None,
    overwrite: bool,
    allow_outside: bool,
) -> None:
    """Animate the mechanisms of a run file (.h5): one HTML page each.

    This runs the Python files of the mechanisms.
    """
    from .._cases.registry import RUN_FILE, check_kind, read_case
    from .._display.console import console, say
    from ..errors import OutputError
    from ..results import load

    check_kind(file, RUN_FILE)
    mechanisms = read_case(model or file, allow_outside=allow_outside).mechanisms()
    folder = out or file.parent
    with load(file) as result:
        for name, mechanism in _chosen(mechanisms, result, subsystem).items():
            ending = ".html" if strip is None else ".png"
            path = folder / f"{file.stem}-{name}{ending}"
            if path.exists() and not overwrite:
                raise OutputError(f"{path}: already exists; add --overwrite or choose another --out", str(path))
            folder.mkdir(parents=True, exist_ok=True)
            motion = mechanism.animation(result, name, traces=trace, speed=speed)
            say(f"wrote {motion.save(path) if strip is None else motion.strip(path, count=strip)}", console())


def _chosen(mechanisms: dict[str, Mechanism], result: Result, subsystem: str | None) -> dict[str, Mechanism]:
    """Return the mechanisms to show; raise SetupError if there are none."""
    from ..errors import SetupError, did_you_mean

    if subsystem is not None and subsystem not in mechanisms:
        raise SetupError(f"--subsystem {subsystem}: no such mechanism{did_you_mean(subsystem, mechanisms)}")
    wanted = mechanisms if subsystem is None else {subsystem: mechanisms[subsystem]}
    shown = {name: mechanism for name, mechanism in wanted.items() if f"{name}.q" in result}
    if not shown:
        raise SetupError(
            f"{result.name}: there is nothing to animate; the run has no mechanism whose coordinates q are recorded"
        )
    return shown
