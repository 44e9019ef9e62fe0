"""``counterpoint sweep``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import SECONDS, Settings, print_error, print_warning, with_traceback

if TYPE_CHECKING:
    from ..sweeps import Sweep, SweepFile


@click.command()
@click.argument("plan", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Output directory [NAME-sweep].")
@click.option(
    "--resume",
    type=click.Choice(["unfinished", "failed", "all"]),
    help="Continue the sweep in DIR: unfinished points; unfinished and failed points; or all points again.",
)
@click.option("--overwrite", is_flag=True, help="Overwrite an existing sweep.")
@click.option(
    "--workers", type=click.IntRange(1, 1024), metavar="N", help="Points to run in parallel [number of processors]."
)
@click.option(
    "--kind", type=click.Choice(["auto", "threads", "processes"]), help="Run points in threads or processes [auto]."
)
@click.option("--cluster", metavar="ADDRESS|local", help="Run on Dask: the scheduler's address, or `local`.")
@click.option("--deadline", type=SECONDS, metavar="S", help="Wall-time limit per point in s.")
@click.option("--keep-results", is_flag=True, help="Keep the run file of each point.")
@click.option("--dry-run", is_flag=True, help="Print the points and exit.")
@click.option("--plot/--no-plot", default=True, help="Draw the plots of the plan [yes].")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
@click.option("--allow-outside", is_flag=True, help="Allow the plan to use files outside its directory.")
@with_traceback
@click.pass_context
def sweep(
    context: click.Context,
    /,
    *,
    plan: Path,
    out: Path | None,
    resume: str | None,
    overwrite: bool,
    dry_run: bool,
    plot: bool,
    quiet: bool,
    allow_outside: bool,
    **given: Any,
) -> None:
    """Run a scenario with many parameter values; collect measures of each run in a table.

    Examples: counterpoint sweep plan.toml; counterpoint sweep plan.toml --resume unfinished;
    counterpoint sweep plan.toml --cluster tcp://10.0.0.5:8786
    """
    from .._display.console import console, say
    from ..sweeps import SweepFile, SweepInterrupted

    file = SweepFile.read(plan, allow_outside=allow_outside)
    if dry_run:
        _show_points(file)
        return
    folder = out or Path(f"{file.name}-sweep")
    chosen = {key: value for key, value in given.items() if value}
    interrupts = context.ensure_object(Settings).interrupts
    code = 0
    try:
        made = file.run(out=folder, resume=resume, overwrite=overwrite, progress=not quiet, **chosen)
    except SweepInterrupted as stop:
        print_error(stop)
        click.echo(f"continue with: counterpoint sweep {plan} --out {folder} --resume unfinished", err=True)
        sys.exit(interrupts.exit_code)
    if not quiet:
        _report(made)
        say(f"wrote {folder / 'table.parquet'}", console())
    if plot and made.progress.done:
        code = _draw(file, made, folder, quiet)
    if made.progress.failed:
        code = 3
    sys.exit(code)


def _show_points(file: SweepFile) -> None:
    """Print the first points."""
    from .._display.console import console, fill, new_table

    plan = file.plan
    table = new_table(f"{plan.count} points, {plan.sample}", ">point", *plan.names)
    rows = ((str(k), *(f"{v}" for v in plan.point(k))) for k in range(min(plan.count, 20)))
    console().print(fill(table, rows))
    if plan.count > 20:
        click.echo(f"... and {plan.count - 20} more")


def _report(made: Sweep) -> None:
    """Print what the sweep has found: range of each measure, and why points failed."""
    from .._display.console import console, fill, new_table

    progress, found = made.progress, made.table
    done = found[found["status"] == "done"]
    words = f"{progress.done} points done, {progress.failed} failed, {progress.wall_seconds:.3g} s"
    table = new_table(words, "measure", ">smallest", ">mean", ">largest")
    rows = ((m, *(f"{v:.6g}" for v in (done[m].min(), done[m].mean(), done[m].max()))) for m in made.measures)
    console().print(fill(table, rows))
    wrong = found[found["status"] != "done"]
    for message, count in wrong["message"].value_counts().head(5).items():
        print_warning(f"{count} point{'' if count == 1 else 's'}: {message}")


def _draw(file: SweepFile, made: Sweep, folder: Path, quiet: bool) -> int:
    """Draw the pictures; the table is there already, whatever goes wrong."""
    from .._display.console import console, say

    try:
        for path in file.draw(made, folder):
            if not quiet:
                say(f"wrote {path}", console())
    except Exception as error:
        print_warning(f"plots are incomplete: {error}; the table is in {folder}")
    return 0
