"""``counterpoint federate``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .common import SECONDS, Settings, print_error, with_traceback


@click.command()
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--part", required=True, metavar="NAME", help="Part to run here: a part of the plan, or a subsystem.")
@click.option("--broker", required=True, metavar="ADDRESS", help="Address of the broker: tcp://HOST:PORT.")
@click.option("--plan", type=click.Path(path_type=Path), metavar="TOML", help="Launch plan [each subsystem is a part].")
@click.option("--until", type=SECONDS, metavar="S", help="End time in s; overrides the scenario.")
@click.option("--scheme", metavar="NAME", help="slowest-first, fastest-first, parallel or sequential.")
@click.option("--grant-timeout", type=SECONDS, metavar="S", help="Wall time to wait for a time grant, in s [60].")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Output directory [NAME-run].")
@click.option("--overwrite", is_flag=True, help="Overwrite existing results.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
@click.option("--allow-outside", is_flag=True, help="Allow the scenario to use files outside its directory.")
@with_traceback
@click.pass_context
def federate(
    context: click.Context,
    *,
    scenario: Path,
    part: str,
    broker: str,
    plan: Path | None,
    until: float | None,
    scheme: str | None,
    grant_timeout: float | None,
    out: Path | None,
    overwrite: bool,
    quiet: bool,
    allow_outside: bool,
) -> None:
    """Run one part of a scenario as a HELICS federate; the other parts run in other processes or on other hosts.

    Example: counterpoint federate plant.toml --part engine --broker tcp://10.0.0.1:23404
    """
    from dataclasses import replace

    from .._cases.case import CaseSettings
    from .._cases.registry import read_case
    from ..errors import OutputError, RunInterrupted, SimulationError
    from ..federation.launching import identity_of
    from ..federation.plan_file import LaunchPlan
    from ..federation.running import federate as run_part
    from ..federation.session import DEFAULT_GRANT_TIMEOUT

    case = read_case(scenario, allow_outside=allow_outside, settings=CaseSettings(until=until, scheme=scheme))
    read = None if plan is None else LaunchPlan.read(plan)
    system = case.build()
    folder = out or Path(f"{case.name}-run")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{scenario.stem}-{part}.h5"
    options = replace(case.options(), file=file, overwrite=overwrite)
    before = identity_of(file)

    def say_kept() -> None:
        if identity_of(file) not in (None, before):
            click.echo(f"kept {file}", err=True)

    interrupts = context.ensure_object(Settings).interrupts
    limit = grant_timeout or (DEFAULT_GRANT_TIMEOUT if read is None else read.grant_timeout)
    try:
        made = run_part(
            system, part, broker, options,
            parts=None if read is None else read.parts,
            foreign=None if read is None else read.foreign.get(part),
            grant_timeout=limit,
            say=None if quiet else click.echo,
        )  # fmt: skip
    except RunInterrupted as stop:
        click.echo(str(stop), err=True)
        say_kept()
        sys.exit(interrupts.exit_code)
    except (SimulationError, OutputError) as error:
        print_error(error)
        say_kept()
        sys.exit(error.exit_code)
    if not quiet:
        seconds = made.result.summary.wall_seconds
        text = f"{made.requests} time requests to HELICS, {made.bytes_sent} bytes sent"
        click.echo(f"t = {made.result.summary.end:g} s reached in {seconds:.3g} s; {text}")
        click.echo(f"wrote {file}")
