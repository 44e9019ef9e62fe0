"""The blocks of a diagram, one module a family; a diagram has them all as methods."""

from __future__ import annotations

from .continuous import ContinuousBlocks
from .delays import DelayBlocks
from .discrete import DiscreteBlocks, DiscreteControllers
from .linear_systems import LinearSystemBlocks
from .mathematics import MathematicsBlocks
from .sources import SourceBlocks

__all__ = ["BlockLibrary"]


class BlockLibrary(
    SourceBlocks,
    MathematicsBlocks,
    DiscreteControllers,
    ContinuousBlocks,
    LinearSystemBlocks,
    DelayBlocks,
    DiscreteBlocks,
):
    """All families together."""
