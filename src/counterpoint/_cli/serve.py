"""``counterpoint serve``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .common import Settings, with_allow_remote, with_traceback


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--subsystem", metavar="NAME", help="Which one of a scenario.")
@click.option("--listen", metavar="ADDRESS", help="Wait for a master there [tcp://127.0.0.1:0: any free port].")
@click.option("--connect", metavar="ADDRESS", help="Connect to a master that waits there.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Token for all connections, made when it is not there [a new one for each].",
)
@click.option("--keep", is_flag=True, help="Wait for the next master when one has gone.")
@click.option("--insecure", is_flag=True, help="Allow an address beyond this computer; nothing is encrypted.")
@click.option("--allow-outside", is_flag=True, help="Let the scenario use files outside of its directory.")
@with_allow_remote
@with_traceback
@click.pass_context
def serve(
    context: click.Context,
    *,
    file: Path,
    subsystem: str | None,
    listen: str | None,
    connect: str | None,
    token_file: Path | None,
    keep: bool,
    insecure: bool,
    allow_outside: bool,
    allow_remote: tuple[str, ...],
) -> None:
    """Offer a subsystem of a scenario, a mechanism, a diagram or an FMU to a master in another program."""
    from .serving import read_offer, run_server

    if listen is not None and connect is not None:
        raise click.UsageError("--listen and --connect: choose one")
    try:
        run_server(
            read_offer(file, subsystem, allow_outside, allow_remote),
            connect or listen or "tcp://127.0.0.1:0",
            connects=connect is not None,
            token_file=token_file,
            keep=keep,
            insecure=insecure,
            say=click.echo,
            warn=lambda text: click.echo(text, err=True),
        )
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        sys.exit(context.ensure_object(Settings).interrupts.exit_code)
