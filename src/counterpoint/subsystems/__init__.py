"""Subsystems: models with their own states, time and solver."""

from .base import NativeSubsystem, Subsystem
from .interface_model import interface_mass, reduced_interface
from .models import SOLVERS, linear, ode, second_order
from .sources import source, table

__all__ = [
    "SOLVERS",
    "NativeSubsystem",
    "Subsystem",
    "interface_mass",
    "linear",
    "ode",
    "reduced_interface",
    "second_order",
    "source",
    "table",
]
