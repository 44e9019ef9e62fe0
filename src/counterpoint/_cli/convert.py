"""``counterpoint convert``."""

from __future__ import annotations

from pathlib import Path

import click

from .common import SECONDS, assignments, steps_of, with_model_options, with_traceback


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--overwrite", is_flag=True, help="Overwrite existing files.")
@click.option("--until", type=SECONDS, metavar="S", help="End time in s; overrides the source.")
@with_model_options
@click.option("--allow-outside", is_flag=True, help="Allow the source to use files outside its directory.")
@with_traceback
def convert(
    *,
    source: Path,
    target: Path,
    overwrite: bool,
    until: float | None,
    values: tuple[str, ...],
    steps: tuple[str, ...],
    isolate: bool,
    lenient: bool,
    allow_outside: bool,
) -> None:
    """Convert a scenario of FMUs (.toml) to a system structure (.ssp, .ssd), or the reverse."""
    from .._cases.case import CaseSettings
    from .._cases.registry import read_case
    from .._display.console import console, say

    step, named = steps_of(steps)
    settings = CaseSettings(until, step, steps=named, set=assignments(values), isolate=isolate, lenient=lenient)
    case = read_case(source, allow_outside=allow_outside, settings=settings)
    say(f"wrote {case.write(target, overwrite=overwrite)}", console())
