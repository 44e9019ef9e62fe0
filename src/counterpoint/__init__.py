"""Counterpoint: multirate co-simulation of subsystems that each keep their own time.

Names are loaded when they are first used, so that importing the package (and starting the command line)
costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._common.lazy import loading
from ._common.provided import provide
from ._common.version import VERSION

__version__ = VERSION

# For type checkers and editors; a test compares the names with those below.
if TYPE_CHECKING:
    from . import adapters as adapters
    from . import advise as advise
    from . import approximations as approximations
    from . import bonds as bonds
    from . import diagram as diagram
    from . import errors as errors
    from . import events as events
    from . import federation as federation
    from . import fmi as fmi
    from . import linear_model as linear_model
    from . import linearisation as linearisation
    from . import link as link
    from . import multibody as multibody
    from . import pace as pace
    from . import quality as quality
    from . import results as results
    from . import scenario as scenario
    from . import ssp as ssp
    from . import stability_analysis as stability_analysis
    from . import studies as studies
    from . import subsystems as subsystems
    from . import sweeps as sweeps
    from . import system as system
    from . import units as units
    from . import windows as windows
    from ._run.embedded import CosimulationInterface as CosimulationInterface
    from ._run.precedence import Scheme as Scheme
    from ._run.precedence import custom as custom
    from ._run.precedence import sequential as sequential
    from ._run.progress import Progress as Progress
    from ._run.run import Run as Run
    from .approximations import Approximation as Approximation
    from .approximations import approximate as approximate
    from .approximations import energy_corrected as energy_corrected
    from .approximations import hermite as hermite
    from .approximations import hold as hold
    from .approximations import lagrange as lagrange
    from .approximations import least_squares as least_squares
    from .approximations import mean as mean
    from .approximations import spline as spline
    from .approximations import taylor as taylor
    from .approximations import transition as transition
    from .approximations import variable_order as variable_order
    from .diagram.diagram import Diagram as Diagram
    from .errors import AlgebraicLoopError as AlgebraicLoopError
    from .errors import BondWarning as BondWarning
    from .errors import ComponentDied as ComponentDied
    from .errors import ComponentError as ComponentError
    from .errors import CounterpointError as CounterpointError
    from .errors import DescriptionWarning as DescriptionWarning
    from .errors import InternalError as InternalError
    from .errors import MissingExtraError as MissingExtraError
    from .errors import ModelError as ModelError
    from .errors import NotFiniteError as NotFiniteError
    from .errors import OutputError as OutputError
    from .errors import PaceWarning as PaceWarning
    from .errors import PeerLost as PeerLost
    from .errors import RunInterrupted as RunInterrupted
    from .errors import ScenarioError as ScenarioError
    from .errors import SetupError as SetupError
    from .errors import SimulationError as SimulationError
    from .errors import SolverError as SolverError
    from .errors import StandstillWarning as StandstillWarning
    from .errors import UndefinedWarning as UndefinedWarning
    from .errors import UnitWarning as UnitWarning
    from .errors import WindowWarning as WindowWarning
    from .fmi import export_fmu as export_fmu
    from .fmi import fmu as fmu
    from .linearisation import linearise as linearise
    from .link import listen as listen
    from .link import remote as remote
    from .link import serve as serve
    from .results import Comparison as Comparison
    from .results import Result as Result
    from .results import Signal as Signal
    from .results import compare as compare
    from .results import load as load
    from .scenario import Scenario as Scenario
    from .stability_analysis import Stability as Stability
    from .stability_analysis import stability as stability
    from .subsystems import Subsystem as Subsystem
    from .subsystems import interface_mass as interface_mass
    from .subsystems import linear as linear
    from .subsystems import ode as ode
    from .subsystems import reduced_interface as reduced_interface
    from .subsystems import second_order as second_order
    from .subsystems import source as source
    from .subsystems import table as table
    from .sweeps import Sweep as Sweep
    from .sweeps import SweepInterrupted as SweepInterrupted
    from .sweeps import function as function
    from .sweeps import sweep as sweep
    from .system import System as System
    from .windows import Window as Window
    from .windows import compound_fast as compound_fast
    from .windows import estimated_response as estimated_response
    from .windows import window as window

_ROOMS = {
    "approximations": (
        "Approximation", "approximate", "energy_corrected", "hermite", "hold", "lagrange", "least_squares", "mean",
        "spline", "taylor", "transition", "variable_order",
    ),
    "diagram.diagram": ("Diagram",),
    "_run.embedded": ("CosimulationInterface",),
    "errors": (
        "AlgebraicLoopError", "BondWarning", "ComponentDied", "ComponentError", "CounterpointError",
        "DescriptionWarning", "InternalError", "MissingExtraError", "ModelError", "NotFiniteError", "OutputError",
        "PaceWarning", "PeerLost", "RunInterrupted", "ScenarioError", "SetupError", "SimulationError", "SolverError",
        "StandstillWarning", "UndefinedWarning", "UnitWarning", "WindowWarning",
    ),
    "fmi": ("export_fmu", "fmu"),
    "linearisation": ("linearise",),
    "link": ("listen", "remote", "serve"),
    "_run.precedence": ("Scheme", "custom", "sequential"),
    "_run.progress": ("Progress",),
    "results": ("Comparison", "Result", "Signal", "compare", "load"),
    "_run.run": ("Run",),
    "scenario": ("Scenario",),
    "stability_analysis": ("Stability", "stability"),
    "subsystems": (
        "Subsystem", "interface_mass", "linear", "ode", "reduced_interface", "second_order", "source", "table",
    ),
    "sweeps": ("Sweep", "SweepInterrupted", "function", "sweep"),
    "system": ("System",),
    "windows": ("Window", "compound_fast", "estimated_response", "window"),
}  # fmt: skip
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

_MODULES = (
    "adapters",
    "advise",
    "approximations",
    "bonds",
    "diagram",
    "errors",
    "events",
    "federation",
    "fmi",
    "linear_model",
    "linearisation",
    "link",
    "multibody",
    "pace",
    "quality",
    "results",
    "scenario",
    "ssp",
    "stability_analysis",
    "studies",
    "subsystems",
    "sweeps",
    "system",
    "units",
    "windows",
)

__all__ = list(_HOME)

__getattr__, __dir__ = loading(__name__, _HOME, _MODULES)

provide(
    {
        "advise": "counterpoint.advise.advise",
        "linearise": "counterpoint.linearisation.linearise",
        "quick_stability": "counterpoint.stability_analysis.analysis.quick_stability",
        "stability": "counterpoint.stability_analysis.stability",
        "write_ssp": "counterpoint.ssp.write",
    }
)
