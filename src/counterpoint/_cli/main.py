"""The command line: ``counterpoint run | info | plot | compare | convert | export | ...``.

Each command has its own module. Only click and the standard library are imported at their top, so that
``counterpoint --help`` answers at once; everything else is loaded by the command that needs it. Exit codes: 0 done,
2 bad usage or scenario, 3 simulation failed (results kept), 4 a component died, 5 no room or memory, 70 a mistake of
Counterpoint itself, 129, 130 and 143 interrupted (results kept).
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from .._common.version import VERSION
from .advise import advise
from .animate import animate
from .common import NO_ROOM, Settings, print_error, print_warning, with_traceback
from .compare import compare
from .convert import convert
from .doctor import doctor
from .export import export
from .federate import federate
from .info import info
from .launch import launch
from .plan import plan
from .plot import plot
from .run import run
from .schema import schema
from .serve import serve
from .stability import stability
from .study import study
from .sweep import sweep
from .tune import tune
from .watch import watch


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message="%(prog)s %(version)s")
@with_traceback
def cli() -> None:
    """Couple simulators that each keep their own time."""


for _command in (
    run, sweep, advise, stability, info, watch, plot, compare, animate, convert, export, doctor, study, tune, serve,
    federate, launch, plan, schema,
):  # fmt: skip
    _command.short_help = " ".join((_command.help or "").split("\n\n")[0].split())  # in full, over several lines
    cli.add_command(_command)


def _print_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    print_warning(message)


def _exit_code(error: Exception) -> int:
    """Print an error as a user wants to read it; return the exit code that belongs to it."""
    from ..errors import CounterpointError

    if isinstance(error, click.ClickException):
        error.show()
        return 2
    if isinstance(error, MemoryError):
        click.echo("error: out of memory; results written so far are kept", err=True)
        return 5
    if isinstance(error, CounterpointError):
        print_error(error)
        return error.exit_code
    if isinstance(error, BrokenPipeError):  # `counterpoint info x.toml | head`: the reader has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if isinstance(error, OSError):
        print_error(error)
        return 5 if error.errno in NO_ROOM else 2
    return _internal_error(error)


def _internal_error(error: Exception) -> int:
    """Print an exception that should not have come so far; return the exit code of an InternalError."""
    import traceback

    from ..errors import InternalError

    traceback.print_exception(error)
    what = f"{type(error).__name__}: {error}"
    print_error(InternalError(f"internal error: {what}; please report it together with the model and the lines above"))
    return InternalError.exit_code


def _print_anything() -> None:
    """Let a terminal show a question mark for a character that it does not know, such as the micro sign in ASCII."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    settings = Settings()
    _print_anything()
    with settings.interrupts, warnings.catch_warnings():
        warnings.showwarning = _print_warning
        try:
            code = cli.main(args=arguments, prog_name="counterpoint", standalone_mode=False, obj=settings)
        except click.Abort:
            click.echo("interrupted", err=True)
            code = settings.interrupts.exit_code
        except Exception as error:
            if settings.traceback:
                import traceback

                traceback.print_exc()
            code = _exit_code(error)
        if not code and settings.interrupts.received is not None:  # when all work was done
            code = settings.interrupts.exit_code
    sys.exit(code if isinstance(code, int) else 0)
