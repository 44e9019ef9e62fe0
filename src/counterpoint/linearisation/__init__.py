"""Linearisation: a whole system near its start, its subsystems with their solvers and steps.

What comes out can be run like the system it stands for (:meth:`LinearisedSystem.system`), and its exact motion is known
(:attr:`LinearisedSystem.coupled`).
"""

from .linearised import LinearConnection, LinearisedSystem
from .linearising import linearise

__all__ = ["LinearConnection", "LinearisedSystem", "linearise"]
