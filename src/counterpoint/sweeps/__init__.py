"""From one run to many: a system as a function, and sweeps over its parameters.

===========================  ==========================================================================
:func:`function`             a system as a function of parameters, for optimisers and sensitivity analyses
:func:`sweep`                many points, on threads, processes or a Dask cluster; a table that grows
:func:`span`                 a range of values
:func:`read_table`           the table of a sweep that goes on or has ended
:func:`response_surface`     a measure over two parameters
:func:`parallel_coordinates` all parameters and measures of all points
:func:`pareto`               error over cost
===========================  ==========================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._common.lazy import loading

if TYPE_CHECKING:
    from .axes import span as span
    from .environment import Environment as Environment
    from .functions import Function as Function
    from .functions import function as function
    from .plan_file import SweepFile as SweepFile
    from .plots import parallel_coordinates as parallel_coordinates
    from .plots import pareto as pareto
    from .plots import response_surface as response_surface
    from .progress import SweepProgress as SweepProgress
    from .sweeping import Sweep as Sweep
    from .sweeping import SweepInterrupted as SweepInterrupted
    from .sweeping import sweep as sweep
    from .table import read_table as read_table

_HOME = {
    "span": "axes", "Environment": "environment", "Function": "functions", "function": "functions",
    "SweepFile": "plan_file", "parallel_coordinates": "plots", "pareto": "plots", "response_surface": "plots",
    "SweepProgress": "progress", "Sweep": "sweeping", "SweepInterrupted": "sweeping", "sweep": "sweeping",
    "read_table": "table",
}  # fmt: skip

__all__ = list(_HOME)

__getattr__, __dir__ = loading(__name__, _HOME)
