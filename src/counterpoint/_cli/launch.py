"""``counterpoint launch``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .common import SECONDS, with_traceback


@click.command()
@click.argument("plan", type=click.Path(path_type=Path))
@click.option("--until", type=SECONDS, metavar="S", help="End time in s; overrides the scenario.")
@click.option("--scheme", metavar="NAME", help="slowest-first, fastest-first, parallel or sequential.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Output directory [PLAN-run].")
@click.option("--broker", metavar="ADDRESS", help="Use a running broker, tcp://HOST:PORT [start one].")
@click.option(
    "--runner", type=click.Path(path_type=Path), metavar="JSON", help="Write a runner file for `helics run` and exit."
)
@click.option("--overwrite", is_flag=True, help="Overwrite existing results.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
@with_traceback
def launch(
    *,
    plan: Path,
    until: float | None,
    scheme: str | None,
    out: Path | None,
    broker: str | None,
    runner: Path | None,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Run a federation on this computer: a broker and one process per part of a launch plan.

    Example: counterpoint launch plan.toml
    """
    from dataclasses import replace

    from ..federation.launching import launch as start
    from ..federation.launching import runner_file
    from ..federation.plan_file import LaunchPlan

    read = LaunchPlan.read(plan)
    if broker is not None:
        read = replace(read, broker=broker)
    folder = out or Path(f"{plan.stem}-run")
    more = [] if until is None else ["--until", repr(until)]
    more += [] if scheme is None else ["--scheme", scheme]
    if runner is not None:
        more += ["--overwrite"] if overwrite else []
        runner.write_text(runner_file(read, folder, read.broker or f"{read.core}://127.0.0.1:23404", more))
        click.echo(f"wrote {runner}; start it with: helics run --path={runner}")
        return
    say = (lambda text: None) if quiet else click.echo
    outcome = start(read, folder, say=say, more=more, overwrite=overwrite)
    for part in outcome.parts:
        verb = "wrote" if part.exit_code == 0 else "kept"
        if part.exit_code and quiet:
            click.echo(f"{part.part}: {part.last_line}", err=True)
        if not quiet or part.exit_code:
            there = f", {verb} {part.file}" if part.has_results else ""
            click.echo(
                f"{part.part}: exit code {part.exit_code}, {part.seconds:.2f} s{there}", err=bool(part.exit_code)
            )
    if not quiet:
        click.echo(f"{len(outcome.parts)} parts in {outcome.seconds:.2f} s")
    if outcome.exit_code:
        sys.exit(outcome.exit_code)
