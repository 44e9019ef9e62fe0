"""``counterpoint stability``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import (
    SECONDS,
    assignments,
    steps_of,
    with_allow_remote,
    with_model_options,
    with_traceback,
)
from .completion import schemes

if TYPE_CHECKING:
    from rich.console import Console

    from .._cases.case import Case
    from ..linearisation import LinearisedSystem
    from ..stability_analysis import Stability

SCHEMES = ("slowest-first", "fastest-first", "parallel", "sequential")


@click.command()
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option(
    "--scheme", metavar="NAME", shell_complete=schemes, help="slowest-first, fastest-first, parallel or sequential."
)
@click.option("--compare", is_flag=True, help="Compare all schemes.")
@click.option("--largest-step", is_flag=True, help="Find the largest stable step by bisection.")
@click.option("--changing-steps", metavar="FACTORS", help="Growth when all steps change by these factors: 0.5,1,2.")
@click.option("--span", type=SECONDS, metavar="S", help="Time span for amplitude and phase errors [the run].")
@click.option("--at", type=SECONDS, default=0.0, metavar="S", help="Linearise at this time of a run [start].")
@with_model_options
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Plot the multipliers to this file.")
@click.option("--allow-outside", is_flag=True, help="Allow the scenario to use files outside its directory.")
@with_allow_remote
@with_traceback
def stability(
    *,
    scenario: Path,
    scheme: str | None,
    compare: bool,
    largest_step: bool,
    changing_steps: str | None,
    span: float | None,
    at: float,
    values: tuple[str, ...],
    steps: tuple[str, ...],
    isolate: bool,
    lenient: bool,
    plot: Path | None,
    allow_outside: bool,
    allow_remote: tuple[str, ...],
) -> None:
    """Check the stability of a scenario's coupling before running it.

    The subsystems are linearised at the start or at a given time; windows, approximations and steps are those of
    the scenario.

    Examples: counterpoint stability plant.toml --compare;
    counterpoint stability plant.toml --scheme parallel --step engine=2ms --largest-step
    """
    from .._cases.case import CaseSettings
    from .._cases.registry import read_case
    from .._display.console import console as make_console
    from .._display.console import say
    from ..linearisation import linearise
    from ..stability_analysis import stability as analyse
    from ..stability_analysis.analysis import pace_remarks

    factors = _factors(changing_steps)
    step, named = steps_of(steps)
    settings = CaseSettings(None, step, scheme, None, named, assignments(values), isolate, lenient)
    case = read_case(scenario, allow_outside=allow_outside, allow_remote=allow_remote, settings=settings)
    options = case.options()
    built = case.build()
    system = linearise(built, approximation=options.approximation, at=at, scheme=options.scheme)
    system = replace(system, remarks=(*system.remarks, *pace_remarks(built, options.pace)))
    console = make_console()
    how: dict[str, Any] = {} if options.window is None else {"window": options.window}
    found = analyse(system, options.scheme, **how)
    for line in str(found).splitlines():
        say(line, console)
    _print_modes(found, _length(case, span), console)
    if compare:
        _print_schemes(system, how, console)
    if largest_step:
        _print_largest(system, options.scheme, how, console)
    if factors:
        _print_changing(system, options.scheme, factors, how, console)
    if plot is not None:
        found.plot(plot)
        say(f"wrote {plot}", console)


def _factors(text: str | None) -> list[float]:
    """Return the factors of ``--changing-steps``; none: it was not given."""
    parts = [] if text is None else text.replace(",", " ").split()
    try:
        factors = [float(part) for part in parts]
    except ValueError:
        factors = [0.0]
    if text is not None and (not factors or not all(0.0 < factor < float("inf") for factor in factors)):
        text = f'"{text}"; expected positive numbers, "0.5,1,2" for example'
        raise click.BadParameter(text, param_hint="--changing-steps")
    return factors


def _length(case: Case, span: float | None) -> float | None:
    """Return the time that is told about: given, or that of the run, s."""
    begin, end = case.span
    return span if span is not None or end is None else end - begin


def _print_modes(found: Stability, span: float | None, console: Console) -> None:
    from .._display.console import fill, new_table

    if not found.modes:
        return
    length = found.period if span is None else span
    table = new_table(f"Motions after {length:g} s", "frequency in Hz", "amplitude, exact is 1", "phase in rad")
    rows = [
        (f"{mode.frequency:.6g}", f"{mode.amplitude(length):.6g}", f"{mode.phase(length):.4g}")
        for mode in found.modes
        if mode.exact.imag >= 0.0 and mode.lasts(length)
    ]
    if rows:
        console.print(fill(table, rows))


def _print_schemes(system: LinearisedSystem, how: dict[str, Any], console: Console) -> None:
    from .._display.console import fill, new_table
    from ..errors import SetupError
    from ..stability_analysis import stability as analyse

    table = new_table("Schemes", "scheme", "spectral radius", "growth in 1/s", "parasitic in 1/s", "stable")
    rows = []
    for scheme in SCHEMES:
        try:
            found = analyse(system, scheme, **how)
        except SetupError:
            rows.append((scheme, "", "", "", "the window does not allow it"))
            continue
        parasitic = f"{found.parasitic_growth:.3g}" if len(found.parasitic) else ""
        word = "yes" if found.stable else "no"
        rows.append((scheme, f"{found.radius:.9g}", f"{found.growth_rate:.3g}", parasitic, word))
    console.print(fill(table, rows))


def _print_largest(system: LinearisedSystem, scheme: Any, how: dict[str, Any], console: Console) -> None:
    from .._display.console import say
    from ..stability_analysis import largest_step

    say(str(largest_step(system, scheme, **how)), console)


def _print_changing(
    system: LinearisedSystem, scheme: Any, factors: list[float], how: dict[str, Any], console: Console
) -> None:
    from .._display.console import say
    from ..stability_analysis import changing_pace

    say(f"steps that change: {changing_pace(system, scheme, factors=factors, **how)}", console)
