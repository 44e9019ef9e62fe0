"""FMUs: import (FMI 1.0, 2.0 and 3.0) and export (2.0 and 3.0) of models with the Functional Mock-up Interface.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._common.lazy import loading

if TYPE_CHECKING:
    from . import doctor as doctor
    from .archive import Archive, ArchiveError, ArchiveLimits
    from .description import ModelDescription
    from .description_reading import DescriptionError, read_description
    from .exporting import export_fmu
    from .imported_fmu import Fmu
    from .importing import ClockWarning, fmu
    from .isolation import Isolation
    from .texts import text_of

_HOME = {
    "Archive": "archive",
    "ArchiveError": "archive",
    "ArchiveLimits": "archive",
    "ClockWarning": "importing",
    "DescriptionError": "description_reading",
    "Fmu": "imported_fmu",
    "Isolation": "isolation",
    "ModelDescription": "description",
    "export_fmu": "exporting",
    "fmu": "importing",
    "read_description": "description_reading",
    "text_of": "texts",
}

__all__ = [
    "Archive",
    "ArchiveError",
    "ArchiveLimits",
    "ClockWarning",
    "DescriptionError",
    "Fmu",
    "Isolation",
    "ModelDescription",
    "export_fmu",
    "fmu",
    "read_description",
    "text_of",
]

_MODULES = ("doctor",)

__getattr__, __dir__ = loading(__name__, _HOME, _MODULES)
