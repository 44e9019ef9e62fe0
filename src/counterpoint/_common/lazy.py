"""Packages whose names are loaded when they are first used, so that importing them costs next to nothing (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def loading(
    package: str, home: Mapping[str, str], modules: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    home : mapping
        Public name -> module of the package that defines it.
    modules : iterable of str
        Modules and packages inside it that are public themselves.

    Examples
    --------
    >>> load, listed = loading("counterpoint", {"System": "system"}, ["units"])
    >>> load("System").__name__, load("units").__name__
    ('System', 'counterpoint.units')
    >>> [name for name in listed() if not name.startswith("__")]
    ['System', 'units']
    """
    public = frozenset(modules)

    def load(name: str) -> Any:
        if name in public:
            return import_module(f".{name}", package)
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f".{home[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        special = (name for name in vars(sys.modules[package]) if name.startswith("__"))
        return sorted({*home, *public, *special})

    return load, listed
