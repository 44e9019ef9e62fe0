"""Other simulators as subsystems or as masters; each needs an extra package.

Modules are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._common.lazy import loading

if TYPE_CHECKING:
    from . import mbdyn as mbdyn
    from . import pathsim as pathsim

_MODULES = ("mbdyn", "pathsim")

__getattr__, __dir__ = loading(__name__, {}, _MODULES)
