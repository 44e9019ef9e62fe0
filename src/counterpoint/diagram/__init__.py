"""Block diagrams: signals, blocks and superblocks, compiled once and run natively with exact events.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import loading

if TYPE_CHECKING:
    from .block import Block
    from .diagram import Diagram
    from .model_file import load
    from .model_writing import save
    from .python_block import PythonBlock
    from .signal import Signal

_HOME = {
    "Block": "block",
    "Diagram": "diagram",
    "PythonBlock": "python_block",
    "Signal": "signal",
    "load": "model_file",
    "save": "model_writing",
}

__all__ = ["Block", "Diagram", "PythonBlock", "Signal", "load", "save"]

__getattr__, __dir__ = loading(__name__, _HOME)
