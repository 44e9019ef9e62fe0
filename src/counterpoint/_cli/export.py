"""``counterpoint export``."""

from __future__ import annotations

from pathlib import Path

import click

from .common import SECONDS, assignments, steps_of, with_model_options, with_traceback
from .completion import schemes


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="The FMU to write [NAME.fmu].")
@click.option("--fmi", type=click.Choice(["2", "3"]), default="3", show_default=True, help="FMI version.")
@click.option(
    "--scheme", metavar="NAME", shell_complete=schemes, help="slowest-first, fastest-first, parallel or sequential."
)
@click.option("--until", type=SECONDS, metavar="S", help="End time in s; overrides the file.")
@with_model_options
@click.option(
    "--platforms", metavar="NAMES", help="linux64, win64, darwin64, aarch64-linux, separated by commas [this platform]."
)
@click.option("--overwrite", is_flag=True, help="Overwrite an existing file.")
@click.option("--allow-outside", is_flag=True, help="Allow the scenario to use files outside its directory.")
@with_traceback
def export(
    *,
    model: Path,
    out: Path | None,
    fmi: str,
    scheme: str | None,
    until: float | None,
    values: tuple[str, ...],
    steps: tuple[str, ...],
    isolate: bool,
    lenient: bool,
    platforms: str | None,
    overwrite: bool,
    allow_outside: bool,
) -> None:
    """Export a scenario, system structure, mechanism or diagram as an FMU that needs no Python."""
    from .._cases.case import CaseSettings
    from .._cases.registry import read_case
    from .._display.console import console, say
    from ..fmi.exporting import export_case

    step, named = steps_of(steps)
    settings = CaseSettings(until, step, scheme, steps=named, set=assignments(values), isolate=isolate, lenient=lenient)
    case = read_case(model, allow_outside=allow_outside, settings=settings)
    chosen = [name.strip() for name in platforms.split(",")] if platforms is not None else None
    target = out or Path(f"{case.name}.fmu")
    path = export_case(case, target, version=int(fmi), overwrite=overwrite, platforms=chosen)
    say(f"wrote {path}", console())
