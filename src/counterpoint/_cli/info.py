"""``counterpoint info``."""

from __future__ import annotations

from pathlib import Path

import click

from .common import with_allow_remote, with_traceback


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--build", is_flag=True, help="Build the model: run its Python files and connect to its remotes.")
@click.option("--allow-outside", is_flag=True, help="Allow the scenario to use files outside its directory.")
@with_allow_remote
@click.option(
    "--matrices", type=click.Path(path_type=Path), metavar="DIR", help="Write the matrices of a mechanism to DIR."
)
@click.option("--text", is_flag=True, help="Print the scenario or model text stored in a run file (.h5).")
@click.option("--overwrite", is_flag=True, help="Overwrite existing matrices.")
@with_traceback
def info(
    *,
    file: Path,
    build: bool,
    allow_outside: bool,
    allow_remote: tuple[str, ...],
    matrices: Path | None,
    text: bool,
    overwrite: bool,
) -> None:
    """Show the contents of a scenario, mechanism or diagram (.toml), run file (.h5), FMU or SSP.

    Does not run Python files or connect to remotes unless --build is given.
    """
    from .._cases.registry import read_case, show_case
    from .._display.console import console as make_console
    from .._display.console import say

    if text:
        return _print_text(file)
    console = make_console()
    if matrices is None:
        show_case(file, console, allow_outside=allow_outside, allow_remote=allow_remote, run_code=build)
        return
    case = read_case(file, allow_outside=allow_outside, allow_remote=allow_remote, run_code=build)
    written = list(case.write_matrices(matrices, overwrite=overwrite))
    case.info(console)
    for path in written:
        say(f"wrote {path}", console)


def _print_text(file: Path) -> None:
    from ..errors import SetupError
    from ..results import load

    with load(file) as result:
        told = result.metadata
    if "text" not in told:
        raise SetupError(f"{file}: contains no scenario or model text")
    click.echo(told["text"], nl=False)
