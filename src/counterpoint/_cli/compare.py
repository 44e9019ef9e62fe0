"""``counterpoint compare``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .common import SECONDS, assignments, names_of, steps_of, with_allow_remote, with_model_options, with_traceback
from .completion import schemes, signals

if TYPE_CHECKING:
    from .._cases.case import Case
    from ..results import Comparison

DIFFERENT = 1
"""Exit code when results differ by more than ``--tolerance``."""


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path), required=False)
@click.option(
    "--halve", is_flag=True, help="Run FIRST (a scenario or model) twice, the second time with half the steps."
)
@click.option("--parts", type=click.IntRange(2), default=2, metavar="N", help="Divide the steps by N instead of 2.")
@click.option(
    "--signals",
    multiple=True,
    metavar="NAMES",
    shell_complete=signals,
    help="Signals to compare, separated by commas [all].",
)
@click.option("--tolerance", type=float, metavar="X", help="Exit with code 1 if a relative difference exceeds X.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Plot the signals that differ most.")
@click.option("--until", type=SECONDS, metavar="S", help="With --halve: end time in s.")
@click.option("--scheme", metavar="NAME", shell_complete=schemes, help="With --halve: the scheme.")
@with_model_options
@click.option("--allow-outside", is_flag=True, help="Allow the scenario to use files outside its directory.")
@with_allow_remote
@with_traceback
def compare(
    *,
    first: Path,
    second: Path | None,
    halve: bool,
    parts: int,
    signals: tuple[str, ...],
    tolerance: float | None,
    plot: Path | None,
    until: float | None,
    scheme: str | None,
    values: tuple[str, ...],
    steps: tuple[str, ...],
    isolate: bool,
    lenient: bool,
    allow_outside: bool,
    allow_remote: tuple[str, ...],
) -> None:
    """Compare two run files signal by signal, or a scenario with itself at half the steps (--halve).

    Differences are taken at all times of both runs; "relative" is the largest difference divided by the signal's range.

    Examples: counterpoint compare a.h5 b.h5 --tolerance 1e-3; counterpoint compare plant.toml --halve
    """
    from .._cases.case import CaseSettings
    from .._cases.registry import RUN_FILE, check_kind, read_case
    from ..results import compare as compare_results

    if halve == (second is not None):
        raise click.UsageError("give two run files, or one scenario or model with --halve")
    names = names_of(signals) or None
    if second is not None:
        check_kind(first, RUN_FILE)
        check_kind(second, RUN_FILE)
        comparison = compare_results(first, second, names)
    else:
        step, named = steps_of(steps)
        settings = CaseSettings(until, step, scheme, None, named, assignments(values), isolate, lenient)
        case = read_case(first, allow_outside=allow_outside, allow_remote=allow_remote, settings=settings)
        comparison = _halved(case, parts, names)
    _show(comparison, plot)
    if tolerance is not None and not comparison.within(tolerance):
        click.echo(f"differs by more than {tolerance:g} of the range of a signal", err=True)
        sys.exit(DIFFERENT)


def _halved(case: Case, parts: int, names: tuple[str, ...] | None) -> Comparison:
    """Run a case as it is and with smaller steps; it is built anew, for a model may not be as it was before a run."""
    from ..results import compare as compare_results

    coarse = case.run()
    return compare_results(coarse, case.run(system=case.build().halved(parts)), names)


def _show(comparison: Comparison, picture: Path | None) -> None:
    from .._display.console import console as make_console
    from .._display.console import fill, new_table, number_text, say

    console = make_console()
    title = f"{comparison.first.name} and {comparison.second.name}: differences, largest first"
    table = new_table(title, "signal", "unit", ">largest", ">at t in s", ">rms", ">relative")
    columns = ("maximum", "time_of_maximum", "rms", "relative")
    rows = comparison.table.to_dict("records")
    console.print(fill(table, ((r["signal"], r["unit"], *(number_text(r[c]) for c in columns)) for r in rows)))
    for text in comparison.missing:
        say(text, console)
    if picture is not None:
        comparison.plot(path=picture)
        say(f"wrote {picture}", console)
