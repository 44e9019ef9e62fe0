"""Results of runs: storage in memory and HDF5, signals, resampling, plots and exports.

Examples
--------
>>> import numpy as np
>>> from counterpoint.results import MemoryStore, RunLayout, SubsystemLayout
>>> store = MemoryStore(RunLayout((SubsystemLayout("cart", ("p[0]", "p[1]")),)))
>>> store.append(0, np.array([[0.0, 1.0, 2.0]]))
>>> store.rows(0)
1
"""

from .comparing import Comparison, Difference, compare
from .file import FileStore
from .memory_store import MemoryStore
from .names import UnknownNameError
from .reader import FileView, load
from .result import Result
from .series import Samples, Series
from .signal import DefectSignal, Signal
from .store import (
    DefectSummary,
    Event,
    FirstStepsSummary,
    RunLayout,
    RunSummary,
    Store,
    StoreView,
    SubsystemLayout,
    WindowSummary,
)

__all__ = [
    "Comparison",
    "DefectSignal",
    "DefectSummary",
    "Difference",
    "Event",
    "FileStore",
    "FileView",
    "FirstStepsSummary",
    "MemoryStore",
    "Result",
    "RunLayout",
    "RunSummary",
    "Samples",
    "Series",
    "Signal",
    "Store",
    "StoreView",
    "SubsystemLayout",
    "UnknownNameError",
    "WindowSummary",
    "compare",
    "load",
]
