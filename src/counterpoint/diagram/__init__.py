"""Block diagrams: signals, blocks and superblocks, compiled once and run natively with exact events.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._common.lazy import loading

if TYPE_CHECKING:
    from . import analysis as analysis
    from . import blocks as blocks
    from . import library as library
    from .block import Block
    from .block_output import BlockOutput
    from .diagram import Diagram
    from .files.reading import load
    from .files.writing import save
    from .python_block import PythonBlock

_HOME = {
    "Block": "block",
    "Diagram": "diagram",
    "PythonBlock": "python_block",
    "BlockOutput": "block_output",
    "load": "files.reading",
    "save": "files.writing",
}

__all__ = ["Block", "BlockOutput", "Diagram", "PythonBlock", "load", "save"]

_MODULES = (
    "analysis",
    "blocks",
    "library",
)

__getattr__, __dir__ = loading(__name__, _HOME, _MODULES)
