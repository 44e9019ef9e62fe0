"""Functions that a room calls and a room above it defines.

A run needs the stability of its system, and stability analysis is built on runs: with plain imports the two would
know each other. The lower room names the function that it needs, and the package, which knows all rooms, says where it
is (``counterpoint/__init__.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_HOMES: dict[str, str] = {}


def provide(homes: Mapping[str, str]) -> None:
    """Say where functions are: name -> ``module.function``. Nothing is imported yet.

    >>> provide({"square root": "math.sqrt"})
    >>> provided("square root")(9.0)
    3.0
    """
    _HOMES.update(homes)


def provided(name: str) -> Callable[..., Any]:
    """Return the function of this name; its module is imported now."""
    module, _, function = _HOMES[name].rpartition(".")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
