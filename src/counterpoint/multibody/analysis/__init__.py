"""Analyses of a mechanism besides a run: kinematics, equilibrium, linear models, modes of vibration, tuning.

All work on the terms of the equations of motion that the core's model gives, for mechanisms and for models written by
hand.
"""

from .equilibrium import Equilibrium, equilibrium
from .kinematics import Kinematics, kinematics
from .linearise import LinearModel, linearise
from .modes import Modes, modes
from .problem import Problem, State
from .tuning import Candidate, Tuning, tune

__all__ = [
    "Candidate",
    "Equilibrium",
    "Kinematics",
    "LinearModel",
    "Modes",
    "Problem",
    "State",
    "Tuning",
    "equilibrium",
    "kinematics",
    "linearise",
    "modes",
    "tune",
]
