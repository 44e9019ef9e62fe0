"""Subsystems: models with their own states, time and solver."""

from .base import NativeSubsystem, Subsystem
from .models import SOLVERS, linear, ode, second_order
from .sources import source, table

__all__ = ["SOLVERS", "NativeSubsystem", "Subsystem", "linear", "ode", "second_order", "source", "table"]
