"""``counterpoint tune``."""

from __future__ import annotations

from pathlib import Path

import click

from .common import SECONDS, with_traceback


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--step", type=SECONDS, metavar="S", help="Step in s [the model's].")
@click.option("--seconds", type=SECONDS, default=5.0, show_default=True, help="Approximate CPU time to spend.")
@click.option("--allow-outside", is_flag=True, help="Allow the model to use files outside its directory.")
@with_traceback
def tune(*, file: Path, step: float | None, seconds: float, allow_outside: bool) -> None:
    """Time every linear solver on a mechanism (.toml) and recommend one.

    This runs the Python files of the mechanism.
    """
    from .._cases.registry import kind_name, read_case
    from .._display.console import console as make_console
    from .._display.console import fill, new_table, say
    from ..errors import SetupError
    from ..multibody.analysis import tune as measure

    case = read_case(file, allow_outside=allow_outside, allow_remote=(), run_code=True)
    mechanisms = case.mechanisms()
    if len(mechanisms) != 1:
        kind = f"is {kind_name(file)}, with {len(mechanisms) or 'no'} mechanism{'s' if mechanisms else ''}"
        raise SetupError(f"{file}: {kind}; expected a model file of one mechanism")
    ((name, mechanism),) = mechanisms.items()
    found = measure(mechanism, step, seconds)
    console = make_console()
    table = new_table(f"{name}: processor time per step", "system", "solver", "µs", "of the best")
    rows = [
        (c.system, c.solver, "" if c.problem else f"{c.microseconds:.3g}",
         c.problem or f"{c.microseconds / found.best.microseconds:.2f}")
        for c in found.candidates
    ]  # fmt: skip
    console.print(fill(table, rows))
    say(f'solver = "auto" takes {found.automatic.solver}.', console)
    if found.gain <= 1.05 or found.best == found.automatic:
        say("Keep it: no solver is faster by more than 5 %.", console)
    else:
        say(f"{found.gain:.2f} times as fast; write into {file}:", console)
        say(f'[formulation]\nsystem = "{found.best.system}"\nsolver = "{found.best.solver}"', console)
