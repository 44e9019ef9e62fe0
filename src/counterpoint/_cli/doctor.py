"""``counterpoint doctor``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .common import SECONDS, assignments, with_traceback

if TYPE_CHECKING:
    from rich.console import Console

    from ..fmi.doctor import Finding

_LEVELS = {"ok": "green", "remark": "", "error": "red"}


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--step", type=SECONDS, metavar="S", help="Step of the trial run in s [the FMU's default].")
@click.option(
    "--deadline", type=SECONDS, default=10.0, metavar="S", help="Time limit for each call into the FMU [10 s]."
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a parameter; repeatable.")
@with_traceback
def doctor(file: Path, step: float | None, deadline: float, settings: tuple[str, ...]) -> None:
    """Test an FMU in a child process and list errors and remarks; exits with 0 if there are no errors."""
    from .._cases.registry import check_kind
    from .._display.console import console
    from ..fmi.doctor import examine

    check_kind(file, "an FMU")
    parameters = assignments(settings)
    found = examine(file, step=step, deadline=deadline, parameters=parameters)
    _print_findings(file.name, found.findings, console())
    sys.exit(found.exit_code)


def _print_findings(name: str, found: Sequence[Finding], where: Console) -> None:
    """Print what the examination of an FMU found, errors last, and the verdict."""
    from .._display.console import plain, say

    for level in ("ok", "remark", "error"):
        for finding in found:
            if finding.level == level:
                where.print(plain(f"{level}: {finding.examined}: {finding.text}", _LEVELS[level]), soft_wrap=True)
    counts = {level: sum(finding.level == level for finding in found) for level in ("error", "remark")}
    said = (f"{count or 'no'} {level}{'' if count == 1 else 's'}" for level, count in counts.items())
    say(f"{name}: {', '.join(said)}", where)
