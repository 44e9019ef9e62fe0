"""Mechanisms of rigid bodies in natural coordinates: what a mechanical engineer models, runs and looks at.

Names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .analysis import Equilibrium, LinearModel, Modes, State
    from .animation import Animation, Shape
    from .assembly import Assembly
    from .beams import Beam, beam
    from .formulations import Formulation
    from .hand_written import HandWritten
    from .mechanism import Mechanism

_HOME = {
    "Animation": "animation",
    "Assembly": "assembly",
    "Beam": "beams",
    "Equilibrium": "analysis",
    "Formulation": "formulations",
    "HandWritten": "hand_written",
    "LinearModel": "analysis",
    "Mechanism": "mechanism",
    "Modes": "analysis",
    "Shape": "animation",
    "State": "analysis",
    "beam": "beams",
}

__all__ = [
    "Animation",
    "Assembly",
    "Beam",
    "Equilibrium",
    "Formulation",
    "HandWritten",
    "LinearModel",
    "Mechanism",
    "Modes",
    "Shape",
    "State",
    "beam",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'counterpoint.multibody' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
