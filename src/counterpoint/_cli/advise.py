"""``counterpoint advise``."""

from __future__ import annotations

from pathlib import Path

import click

from .common import SECONDS, with_allow_remote, with_traceback


@click.command()
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--tolerance", type=float, default=1e-2, show_default=True, help="Relative error to reach.")
@click.option("--until", type=SECONDS, metavar="S", help="End time in s; overrides the scenario.")
@click.option("--keep-steps", is_flag=True, help="Keep the steps as they are; minimise the error.")
@click.option(
    "--operating-point", "operating_points", type=SECONDS, multiple=True, metavar="S",
    help="Also linearise the system at this time in s; repeatable.",
)  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Output directory [NAME-advice].")
@click.option(
    "--write", "written", type=click.Path(path_type=Path), metavar="FILE",
    help="Write the scenario with the recommended settings to a new file, ready to run.",
)  # fmt: skip
@click.option("--allow-outside", is_flag=True, help="Allow the scenario to use files outside its directory.")
@with_allow_remote
@with_traceback
def advise(
    *,
    scenario: Path,
    tolerance: float,
    until: float | None,
    keep_steps: bool,
    operating_points: tuple[float, ...],
    out: Path | None,
    written: Path | None,
    allow_outside: bool,
    allow_remote: tuple[str, ...],
) -> None:
    """Recommend a scheme, approximations, and steps or a pace; write a report, the settings and a plot.

    Example: counterpoint advise plant.toml --tolerance 1e-3 --write plant-advised.toml
    """
    import tomllib

    from .._cases.case import CaseSettings
    from .._cases.registry import kind_name, read_case
    from .._display.console import console as make_console
    from .._display.console import say
    from .._display.progress import study_progress
    from ..errors import SetupError
    from ..scenario.advised import check_advised, write_advised

    settings = CaseSettings(until)
    case = read_case(scenario, allow_outside=allow_outside, allow_remote=allow_remote, settings=settings)
    if not case.is_coupled:
        raise SetupError(f"{scenario}: is {kind_name(scenario)}, one model alone; there is no coupling to choose")
    if written is not None:
        check_advised(case, written)
    system = case.build()
    end = case.options().until
    if end is None:
        raise SetupError(f"{scenario}: until: missing; use --until")
    with study_progress(case.name) as progress:
        advice = system.advise(
            end, tolerance, change_steps=not keep_steps, operating_points=operating_points, progress=progress
        )
    console = make_console()
    for line in str(advice).splitlines():
        say(line, console)
    for path in advice.save(out or Path(f"{case.name}-advice")):
        say(f"wrote {path}", console)
    if written is not None:
        say(f"wrote {write_advised(case, tomllib.loads(advice.toml), written)}", console)
