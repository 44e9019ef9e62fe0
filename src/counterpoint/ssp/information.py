"""What ``counterpoint info plant.ssp`` prints."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from .._display.console import say
from ..scenario.information import show_scenario
from .reading import Loaded
from .scenario_values import Choices

_ANY_END = 1e9
"""End of the run in s where the file says none: nothing runs here, and steps longer than the run are no mistake."""


def show(path: Path, where: Console, *, allow_outside: bool = False) -> None:
    """Print the components, connections and precedence of a system structure; nothing of it is run."""
    loaded = Loaded.of(path, allow_outside=allow_outside)
    stop = None if loaded.structure is None else loaded.structure.stop
    described = loaded.scenario(Choices(until=_ANY_END if stop is None else stop, runs=False))
    times = "" if stop is not None else "the file has no end time; --until 10 sets one"
    show_scenario(described, described.build(), where, times)
    for name in loaded.variants:
        say(f"variant: {loaded.path}#{name}", where)
