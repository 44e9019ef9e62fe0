"""Stability of a coupling before it is run: spectral radius, modes, largest step, regions in the complex plane.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._common.lazy import loading

if TYPE_CHECKING:
    from .analysis import stability
    from .bisection import LargestStep, largest_step
    from .long_runs import LongRun, long_run
    from .modes import Mode
    from .pace_changes import ChangingPace, changing_pace
    from .pair import coupled_pair
    from .prober import Entry, Pattern, Prober
    from .regions import Region, region
    from .result import Share, Stability

_HOME = {
    "ChangingPace": "pace_changes",
    "Entry": "prober",
    "LargestStep": "bisection",
    "LongRun": "long_runs",
    "Mode": "modes",
    "Pattern": "prober",
    "Prober": "prober",
    "Region": "regions",
    "Share": "result",
    "Stability": "result",
    "changing_pace": "pace_changes",
    "coupled_pair": "pair",
    "largest_step": "bisection",
    "long_run": "long_runs",
    "region": "regions",
    "stability": "analysis",
}

__all__ = [
    "ChangingPace",
    "Entry",
    "LargestStep",
    "LongRun",
    "Mode",
    "Pattern",
    "Prober",
    "Region",
    "Share",
    "Stability",
    "changing_pace",
    "coupled_pair",
    "largest_step",
    "long_run",
    "region",
    "stability",
]

__getattr__, __dir__ = loading(__name__, _HOME)
