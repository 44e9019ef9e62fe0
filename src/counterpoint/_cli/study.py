"""``counterpoint study``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .common import Settings, with_traceback
from .completion import studies


@click.command()
@click.argument("name", required=False, shell_complete=studies)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Output directory [NAME-study].")
@click.option("--quick", is_flag=True, help="Run a short version (less than half a minute).")
@with_traceback
@click.pass_context
def study(context: click.Context, name: str | None, out: Path | None, quick: bool) -> None:
    """Repeat a published experiment; without NAME, list the studies."""
    from .. import studies as known
    from .._display.console import console as make_console
    from .._display.console import fill, new_table, say
    from .._display.progress import study_progress

    console = make_console()
    if name is None:
        table = new_table("Studies", "name", "what it repeats")
        console.print(fill(table, sorted(known.descriptions().items())))
        return
    folder = out or Path(f"{name}-study")
    try:
        with study_progress(name) as progress:
            report = known.run_study(name, folder, quick, progress)
    except KeyboardInterrupt:
        click.echo(f"interrupted; what was written so far is in {folder}", err=True)
        sys.exit(context.ensure_object(Settings).interrupts.exit_code)
    say(report.summary(), console)
    for path in report.written:
        say(f"wrote {path}", console)
