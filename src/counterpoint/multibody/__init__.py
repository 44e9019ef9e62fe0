"""Mechanisms of rigid bodies in natural coordinates: what a mechanical engineer models, runs and views.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._common.lazy import loading

if TYPE_CHECKING:
    from . import aerodynamics as aerodynamics
    from . import analysis as analysis
    from . import animation as animation
    from . import drawing as drawing
    from . import evaluation as evaluation
    from . import library as library
    from .analysis import Equilibrium, LinearModel, Modes, State
    from .animation import Animation, Shape
    from .assembly.assembly import Assembly
    from .evaluation import Evaluated
    from .files.matrices import write_matrices
    from .files.reading import load
    from .files.urdf import load_urdf
    from .files.writing import save
    from .modelling.beams import Beam, beam
    from .modelling.formulations import Formulation
    from .modelling.hand_written import HandWritten
    from .modelling.inspection import Inspectable
    from .modelling.mechanism import Mechanism
    from .modelling.modal_bodies import Mode
    from .modelling.rotor_hub import RotorBlade, RotorHub, rotor_hub

_HOME = {
    "Animation": "animation",
    "Assembly": "assembly.assembly",
    "Beam": "modelling.beams",
    "Equilibrium": "analysis",
    "Evaluated": "evaluation",
    "Formulation": "modelling.formulations",
    "HandWritten": "modelling.hand_written",
    "Inspectable": "modelling.inspection",
    "LinearModel": "analysis",
    "Mechanism": "modelling.mechanism",
    "Mode": "modelling.modal_bodies",
    "Modes": "analysis",
    "RotorBlade": "modelling.rotor_hub",
    "RotorHub": "modelling.rotor_hub",
    "Shape": "animation",
    "State": "analysis",
    "beam": "modelling.beams",
    "load": "files.reading",
    "load_urdf": "files.urdf",
    "rotor_hub": "modelling.rotor_hub",
    "save": "files.writing",
    "write_matrices": "files.matrices",
}

__all__ = [
    "Animation",
    "Assembly",
    "Beam",
    "Equilibrium",
    "Evaluated",
    "Formulation",
    "HandWritten",
    "Inspectable",
    "LinearModel",
    "Mechanism",
    "Mode",
    "Modes",
    "RotorBlade",
    "RotorHub",
    "Shape",
    "State",
    "beam",
    "load",
    "load_urdf",
    "rotor_hub",
    "save",
    "write_matrices",
]

_MODULES = (
    "aerodynamics",
    "analysis",
    "animation",
    "drawing",
    "evaluation",
    "library",
)

__getattr__, __dir__ = loading(__name__, _HOME, _MODULES)
