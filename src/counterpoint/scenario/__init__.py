"""Scenarios: a co-simulation in a TOML file.

======================  ===============================================================================
:mod:`.models`          what may be written, and the checks of single values
:mod:`.vocabulary`      keys and tags, for hints in messages
:mod:`.checking`        from the document to checked tables
:mod:`.building`        from tables to a System
:mod:`.scenario`        the scenario itself
:mod:`.writing`         a scenario file with its FMUs beside it
:mod:`.information`     what ``counterpoint info`` prints
:mod:`.case`            scenario files for the command line
======================  ===============================================================================

Mechanisms, diagrams and system structures share how files are read and checked.
"""

from .scenario import Scenario

__all__ = ["Scenario"]
