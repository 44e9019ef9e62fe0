"""Systems of FMUs in the files of SSP (System Structure and Parameterization) and OSP (Open Simulation Platform).

==========================  ==========================================================================
:mod:`.structure`           what a file holds
:mod:`.files`               where files lie, archives, mistakes of each file
:mod:`.namespaces`          XML as tools write it
:mod:`.structure_reading`   from XML to what it holds
:mod:`.osp`                 the same for structures of OSP
:mod:`.flattening`          from a hierarchy to components, drivers and values
:mod:`.signals`             units and transformations along connections
:mod:`.scenario_values`     from there to the tables of a scenario
:mod:`.settings`            our own settings, as annotations
:mod:`.reading`             all of that: ``read``
:mod:`.writing`             from a scenario to a file: ``write``
==========================  ==========================================================================

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._common.lazy import loading

if TYPE_CHECKING:
    from .reading import StructureWarning, read
    from .writing import write

_HOME = {"StructureWarning": "reading", "read": "reading", "write": "writing"}

__all__ = ["StructureWarning", "read", "write"]

__getattr__, __dir__ = loading(__name__, _HOME)
