"""Objects that other packages offer by entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

MODELS = ("counterpoint.subsystems", "counterpoint.approximations")
"""Groups whose objects files name as ``plugin:NAME``."""
STUDIES = "counterpoint.studies"
"""Group of modules with a function ``run(out, quick, progress)``."""


def offered(*groups: str) -> dict[str, EntryPoint]:
    """Return what installed packages offer in some groups, by name; nothing is imported.

    >>> offered("counterpoint.nothing")
    {}
    """
    return {point.name: point for group in groups for point in entry_points(group=group)}
