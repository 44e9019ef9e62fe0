"""Log messages of FMUs during a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .. import _core

_STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")


@dataclass(frozen=True)
class LogMessage:
    """A log message of an FMU: time of the step in s, status (``"warning"``, ``"error"``, ...), category and text."""

    time: float
    status: str
    category: str
    text: str

    @classmethod
    def of_core(cls, found: _core.fmi.Message) -> LogMessage:
        """Return a message as the core has it: the status is a number of FMI, which an FMU may get wrong."""
        named = _STATUS[found.status] if 0 <= found.status < len(_STATUS) else str(found.status)
        return cls(found.time, named, found.category, found.text)
