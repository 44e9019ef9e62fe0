"""Scenarios: a co-simulation in a TOML file.

======================  ===============================================================================
:mod:`.models`          what may be written, and the checks of single values
:mod:`.reading`         from the file to checked tables
:mod:`.files`           files a scenario names, and Python objects in them
:mod:`.tables`          CSV tables
:mod:`.building`        from tables to a System
:mod:`.problems`        messages: file, key, value, remedy, line
======================  ===============================================================================
"""

from .scenario import Scenario

__all__ = ["Scenario"]
