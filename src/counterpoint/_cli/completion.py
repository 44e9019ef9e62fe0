"""What a shell offers when a user presses Tab; nothing is loaded until then."""

from __future__ import annotations

from pathlib import Path

import click


def schemes(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of schemes."""
    from .._run.precedence import NAMED_SCHEMES

    return [name for name in NAMED_SCHEMES if name.startswith(incomplete)]


def studies(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of studies."""
    from ..studies import descriptions

    return [name for name in sorted(descriptions()) if name.startswith(incomplete)]


def signals(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return subsystems and signals of the run file that stands before; none if it cannot be read."""
    from ..errors import CounterpointError
    from ..results import load

    files = [value for key in ("file", "first") if isinstance(value := context.params.get(key), Path)]
    try:
        with load(files[0]) as result:
            return [name for name in (*result.subsystems, *result.signals) if name.startswith(incomplete)]
    except (IndexError, CounterpointError):
        return []
