"""Counterpoint: multirate co-simulation of subsystems that each keep their own time.

Names are loaded when they are first used, so that importing the package (and starting the command line)
costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._common.lazy import loading
from ._common.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from . import adapters as adapters
    from . import approximations as approximations
    from . import diagram as diagram
    from . import errors as errors
    from . import fmi as fmi
    from . import linear_model as linear_model
    from . import link as link
    from . import multibody as multibody
    from . import quality as quality
    from . import results as results
    from . import scenario as scenario
    from . import ssp as ssp
    from . import studies as studies
    from . import subsystems as subsystems
    from . import system as system
    from . import units as units
    from . import windows as windows
    from .approximations import (
        Approximation,
        approximate,
        hermite,
        hold,
        lagrange,
        least_squares,
        mean,
        taylor,
        transition,
    )
    from .diagram.diagram import Diagram
    from .errors import (
        AlgebraicLoopError,
        ComponentDied,
        ComponentError,
        CounterpointError,
        DescriptionWarning,
        InternalError,
        MissingExtraError,
        ModelError,
        NotFiniteError,
        OutputError,
        PeerLost,
        RunInterrupted,
        ScenarioError,
        SetupError,
        SimulationError,
        SolverError,
        StandstillWarning,
        UnitWarning,
    )
    from .fmi import export_fmu, fmu
    from .link import listen, remote, serve
    from .results import Comparison, Result, Signal, compare, load
    from .scenario import Scenario
    from .subsystems import Subsystem, linear, ode, second_order, source, table
    from .system import System
    from .windows import Window, window

_ROOMS = {
    "approximations": (
        "Approximation", "approximate", "hermite", "hold", "lagrange", "least_squares", "mean", "taylor", "transition",
    ),
    "diagram.diagram": ("Diagram",),
    "_run.embedded": ("CosimulationInterface",),
    "errors": (
        "AlgebraicLoopError", "ComponentDied", "ComponentError", "CounterpointError", "DescriptionWarning",
        "InternalError", "MissingExtraError", "ModelError", "NotFiniteError", "OutputError", "PeerLost",
        "RunInterrupted", "ScenarioError", "SetupError", "SimulationError", "SolverError", "StandstillWarning",
        "UnitWarning",
    ),
    "fmi": ("export_fmu", "fmu"),
    "link": ("listen", "remote", "serve"),
    "_run.precedence": ("Scheme", "custom", "sequential"),
    "_run.progress": ("Progress",),
    "results": ("Comparison", "Result", "Signal", "compare", "load"),
    "_run.run": ("Run",),
    "scenario": ("Scenario",),
    "subsystems": ("Subsystem", "linear", "ode", "second_order", "source", "table"),
    "system": ("System",),
    "windows": ("Window", "window"),
}  # fmt: skip
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

_MODULES = (
    "adapters",
    "approximations",
    "diagram",
    "errors",
    "fmi",
    "linear_model",
    "link",
    "multibody",
    "quality",
    "results",
    "scenario",
    "ssp",
    "studies",
    "subsystems",
    "system",
    "units",
    "windows",
)

__all__ = [
    "AlgebraicLoopError", "Approximation", "Comparison", "ComponentDied", "ComponentError", "CosimulationInterface",
    "CounterpointError", "DescriptionWarning", "Diagram", "InternalError", "MissingExtraError", "ModelError",
    "NotFiniteError", "OutputError", "PeerLost", "Progress", "Result", "Run", "RunInterrupted", "Scenario",
    "ScenarioError", "Scheme", "SetupError", "Signal", "SimulationError", "SolverError", "StandstillWarning",
    "Subsystem", "System", "UnitWarning", "Window", "approximate", "compare", "custom", "export_fmu", "fmu", "hermite",
    "hold", "lagrange", "least_squares", "linear", "listen", "load", "mean", "ode", "remote", "second_order",
    "sequential", "serve", "source", "table", "taylor", "transition", "window",
]  # fmt: skip

__getattr__, __dir__ = loading(__name__, _HOME, _MODULES)
