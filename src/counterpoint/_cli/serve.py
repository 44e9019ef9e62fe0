"""``counterpoint serve``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .common import Settings, with_allow_remote, with_traceback


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--subsystem", metavar="NAME", help="Subsystem of the scenario to serve.")
@click.option(
    "--listen", metavar="ADDRESS", help="Listen for a master at this address [tcp://127.0.0.1:0: any free port]."
)
@click.option("--connect", metavar="ADDRESS", help="Connect to a master that listens at this address.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File with the token for all connections; created if missing [a new token per connection].",
)
@click.option("--keep", is_flag=True, help="Keep serving after a master disconnects.")
@click.option("--insecure", is_flag=True, help="Allow addresses of other hosts; traffic is not encrypted.")
@click.option("--allow-outside", is_flag=True, help="Allow the scenario to use files outside its directory.")
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
    """Serve a subsystem of a scenario, a mechanism, a diagram or an FMU to a master in another program."""
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
