"""FMUs: models of other programs, imported by the Functional Mock-up Interface 2.0 and 3.0.

Names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .archive import Archive, ArchiveError, ArchiveLimits
    from .description import ModelDescription
    from .description_reading import DescriptionError, read_description
    from .importing import Fmu, fmu

_HOME = {
    "Archive": "archive",
    "ArchiveError": "archive",
    "ArchiveLimits": "archive",
    "DescriptionError": "description_reading",
    "Fmu": "importing",
    "ModelDescription": "description",
    "fmu": "importing",
    "read_description": "description_reading",
}

__all__ = [
    "Archive",
    "ArchiveError",
    "ArchiveLimits",
    "DescriptionError",
    "Fmu",
    "ModelDescription",
    "fmu",
    "read_description",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'counterpoint.fmi' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
