"""Objects that other packages offer by entry points."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

SUBSYSTEMS = "counterpoint.subsystems"
"""Group of classes or functions that make a subsystem; their names are types in scenarios."""
APPROXIMATIONS = "counterpoint.approximations"
"""Group of classes or functions that make an approximation; their names are kinds in scenarios."""
MODELS = (SUBSYSTEMS, APPROXIMATIONS)
"""Groups whose objects files name as ``plugin:NAME``."""
STUDIES = "counterpoint.studies"
"""Group of modules with a function ``run(out, quick, progress)``."""


def offered(*groups: str) -> dict[str, EntryPoint]:
    """Return what installed packages offer in some groups, by name; nothing is imported.

    >>> offered("counterpoint.nothing")
    {}
    """
    places = tuple(sys.path)
    return {point.name: point for group in groups for point in _offered(group, places)}


@lru_cache(maxsize=16)
def _offered(group: str, places: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Look through all installed packages: once, as long as they are looked for in the same places."""
    return tuple(entry_points(group=group))
