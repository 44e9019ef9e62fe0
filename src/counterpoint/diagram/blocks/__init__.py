"""The blocks of a diagram, one module a family; a diagram has them all as methods."""

from __future__ import annotations

from .continuous import ContinuousBlocks
from .cosimulation import CosimulationBlocks
from .delays import DelayBlocks
from .discrete import DiscreteBlocks, DiscreteControllers
from .functions import FunctionBlocks
from .linear_systems import LinearSystemBlocks
from .logic import LogicBlocks
from .lookup import LookupBlocks
from .mathematics import MathematicsBlocks
from .nonlinear import NonlinearBlocks
from .routing import RoutingBlocks
from .sinks import SinkBlocks
from .sources import SourceBlocks
from .trigonometry import TrigonometryBlocks

__all__ = ["BlockLibrary"]


class BlockLibrary(
    SourceBlocks,
    MathematicsBlocks,
    SinkBlocks,
    TrigonometryBlocks,
    NonlinearBlocks,
    LogicBlocks,
    LookupBlocks,
    RoutingBlocks,
    DiscreteControllers,
    ContinuousBlocks,
    LinearSystemBlocks,
    DelayBlocks,
    DiscreteBlocks,
    FunctionBlocks,
    CosimulationBlocks,
):
    """All families together."""
