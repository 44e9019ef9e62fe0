"""Block diagrams: signals, blocks and superblocks, compiled once and run natively with exact events.

Names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
