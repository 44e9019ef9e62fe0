"""Packages whose names are loaded when they are first used, so that importing them costs next to nothing (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loading(package: str, home: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    home : mapping
        Public name -> module of the package that defines it.

    Examples
    --------
    >>> load, listed = loading("counterpoint", {"System": "system"})
    >>> load("System").__name__
    'System'
    """

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f".{home[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted([*vars(sys.modules[package]), *home])

    return load, listed
