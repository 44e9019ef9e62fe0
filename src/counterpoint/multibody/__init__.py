"""Mechanisms of rigid bodies in natural coordinates: what a mechanical engineer models, runs and looks at.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import loading

if TYPE_CHECKING:
    from .analysis import Equilibrium, LinearModel, Modes, State
    from .animation import Animation, Shape
    from .assembly import Assembly
    from .beams import Beam, beam
    from .evaluation import Evaluated
    from .formulations import Formulation
    from .hand_written import HandWritten
    from .matrices import write_matrices
    from .mechanism import Mechanism
    from .model_file import load
    from .model_writing import save
    from .urdf import load_urdf

_HOME = {
    "Animation": "animation",
    "Assembly": "assembly",
    "Beam": "beams",
    "Equilibrium": "analysis",
    "Evaluated": "evaluation",
    "Formulation": "formulations",
    "HandWritten": "hand_written",
    "LinearModel": "analysis",
    "Mechanism": "mechanism",
    "Modes": "analysis",
    "Shape": "animation",
    "State": "analysis",
    "beam": "beams",
    "load": "model_file",
    "load_urdf": "urdf",
    "save": "model_writing",
    "write_matrices": "matrices",
}

__all__ = [
    "Animation",
    "Assembly",
    "Beam",
    "Equilibrium",
    "Evaluated",
    "Formulation",
    "HandWritten",
    "LinearModel",
    "Mechanism",
    "Modes",
    "Shape",
    "State",
    "beam",
    "load",
    "load_urdf",
    "save",
    "write_matrices",
]

__getattr__, __dir__ = loading(__name__, _HOME)
