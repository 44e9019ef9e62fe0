"""The blocks of a diagram, one module a family; a diagram has them all as methods."""

from __future__ import annotations

from .continuous import ContinuousBlocks
from .cosimulation import CosimulationBlocks
from .mathematics import MathematicsBlocks
from .sources import SourceBlocks

__all__ = ["BlockLibrary"]


class BlockLibrary(SourceBlocks, MathematicsBlocks, ContinuousBlocks, CosimulationBlocks):
    """All families together."""
