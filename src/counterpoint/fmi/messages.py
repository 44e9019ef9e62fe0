"""Log messages of FMUs during a run."""

from __future__ import annotations

from dataclasses import dataclass

_STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")


@dataclass(frozen=True)
class LogMessage:
    """A log message of an FMU: time of the step in s, status (``"warning"``, ``"error"``, ...), category and text."""

    time: float
    status: str
    category: str
    text: str

    @classmethod
    def of_core(cls, time: float, status: int, category: str, text: str) -> LogMessage:
        """Return a message as the core has it: the status is a number of FMI, which an FMU may get wrong."""
        named = _STATUS[status] if 0 <= status < len(_STATUS) else str(status)
        return cls(time, named, category, text)
