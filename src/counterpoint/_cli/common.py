"""What all commands share."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import click

from .._run.interrupts import Interrupts

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EFBIG)
"""Errors of the system that mean: no room on the disk, or no memory."""


class Seconds(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A time in s, or with its unit: ``0.001``, ``1ms``."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the time in s."""
        try:
            return float(value)
        except ValueError:
            from ..units import UnitProblem, seconds

            try:
                return seconds(value)
            except UnitProblem as problem:
                self.fail(str(problem), param, ctx)


SECONDS = Seconds()


@dataclass
class Settings:
    """What all commands share."""

    traceback: bool = False
    interrupts: Interrupts = field(default_factory=Interrupts)


def with_traceback(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--traceback``, which may stand before or after the name of the command."""

    def remember(context: click.Context, option: click.Parameter, wanted: bool) -> None:
        if wanted:
            context.find_root().ensure_object(Settings).traceback = True

    return click.option(
        "--traceback",
        is_flag=True,
        expose_value=False,
        callback=remember,
        help="Show the Python traceback of an error.",
    )(command)


def with_allow_remote(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--allow-remote``."""
    return click.option(
        "--allow-remote",
        multiple=True,
        metavar="ADDRESS",
        help="Allow the scenario to use this address of another host (not encrypted); repeatable.",
    )(command)


def names_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return names that are separated by commas; commas in brackets belong to a name, ``A[1,2]``."""
    return tuple(name.strip() for text in texts for name in re.split(r",(?![^\[]*\])", text) if name.strip())


def assignments(texts: Iterable[str]) -> dict[str, Any]:
    """Return the values of ``--set NAME=VALUE``, written as in TOML; other values are text."""
    from .._files.overriding import read_assignment

    try:
        return dict(read_assignment(text) for text in texts)
    except ValueError as error:
        raise click.UsageError(f"--set {error}") from None


def steps_of(texts: Iterable[str]) -> tuple[float | None, dict[str, float]]:
    """Return the step in s of ``--step S`` and those of ``--step NAME=S``."""
    single: float | None = None
    named: dict[str, float] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            value = SECONDS.convert(number, None, None)
        except click.BadParameter:
            raise click.UsageError(f"--step {text}: expected a time such as 1e-3 or 1ms, or NAME=TIME") from None
        if name:
            named[name.strip()] = value
        else:
            single = value
    return single, named


def with_model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what replaces settings inside a model: ``--set``, ``--step``, ``--isolate``, ``--lenient``."""
    options = [
        click.option(
            "--set",
            "values",
            multiple=True,
            metavar="NAME=VALUE",
            help="Set a value in the model, such as pump.k=5; repeatable.",
        ),
        click.option(
            "--step",
            "steps",
            multiple=True,
            metavar="[NAME=]S",
            help="Step in s of one subsystem, or of all; repeatable.",
        ),
        click.option("--isolate", is_flag=True, help="Run each FMU in a separate process."),
        click.option("--lenient", is_flag=True, help="Tolerate harmless violations of FMI and SSP."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def print_warning(message: Warning | str) -> None:
    """Print a warning as a user wants to read it, without the line of the program that gave it."""
    click.echo(click.style("warning: ", fg="yellow", bold=True) + str(message), err=True)


def print_error(error: BaseException) -> None:
    """Print each problem of an error on a line of its own."""
    for line in str(error).splitlines() or [type(error).__name__]:
        click.echo(click.style("error: ", fg="red", bold=True) + line, err=True)
