"""Counterpoint: multirate co-simulation of subsystems that each keep their own time.

Names are loaded when they are first used, so that importing the package (and starting the command line)
costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._common.lazy import loading

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import diagram as diagram
    from . import fmi as fmi
    from . import link as link
    from . import multibody as multibody
    from . import ssp as ssp
    from ._run.embedded import CosimulationInterface
    from ._run.precedence import Scheme, custom, sequential
    from ._run.progress import Progress
    from ._run.run import Run
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
        UnitWarning,
    )
    from .fmi import export_fmu, fmu
    from .link import listen, remote, serve
    from .results import Result, Signal, load
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
        "AlgebraicLoopError", "ComponentDied", "ComponentError", "CounterpointError", "MissingExtraError", "ModelError",
        "NotFiniteError", "OutputError", "PeerLost", "RunInterrupted", "ScenarioError", "SetupError",
        "SimulationError", "SolverError", "UnitWarning",
    ),
    "fmi": ("export_fmu", "fmu"),
    "link": ("listen", "remote", "serve"),
    "_run.precedence": ("Scheme", "custom", "sequential"),
    "_run.progress": ("Progress",),
    "results": ("Result", "Signal", "load"),
    "_run.run": ("Run",),
    "scenario": ("Scenario",),
    "subsystems": ("Subsystem", "linear", "ode", "second_order", "source", "table"),
    "system": ("System",),
    "windows": ("Window", "window"),
}  # fmt: skip
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

_PACKAGES = ("diagram", "fmi", "link", "multibody", "ssp")

__all__ = [
    "AlgebraicLoopError", "Approximation", "ComponentDied", "ComponentError", "CosimulationInterface",
    "CounterpointError", "Diagram", "MissingExtraError", "ModelError", "NotFiniteError", "OutputError", "PeerLost",
    "Progress", "Result", "Run", "RunInterrupted", "Scenario", "ScenarioError", "Scheme", "SetupError", "Signal",
    "SimulationError", "SolverError", "Subsystem", "System", "UnitWarning", "Window", "approximate", "custom",
    "export_fmu", "fmu", "hermite", "hold", "lagrange", "least_squares", "linear", "listen", "load", "mean", "ode",
    "remote", "second_order", "sequential", "serve", "source", "table", "taylor", "transition", "window",
]  # fmt: skip


_load, _listed = loading(__name__, _HOME)


def __getattr__(name: str) -> Any:
    return import_module(f".{name}", __name__) if name in _PACKAGES else _load(name)


def __dir__() -> list[str]:
    return sorted([*_listed(), *_PACKAGES])
